//! What `merkhet simulate` says. The text for people is made from the same values.

use serde::Serialize;

use super::{
    Entry,
    verify::{Edge, State, Step},
};

/// A line that `merkhet simulate --format json` prints: one at the start, and one for each command.
/// Times are exact: whole numbers, or fractions such as `7/2`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SimulateLine {
    /// 1.
    #[cfg_attr(test, schemars(extend("const" = crate::json::VERSION)))]
    pub version: u32,
    /// The command; null at the start.
    pub command: Option<String>,
    /// Whether it was understood, and could be done.
    pub ok: bool,
    /// What is wrong, or why a run came to an end, or what else is to be said.
    pub message: Option<String>,
    /// What the user could do.
    pub help: Option<String>,
    /// What is wrong with the model, or with an expression.
    pub diagnostics: Vec<Entry>,
    /// How many moves that the command made before `moves` are left out; `trace` shows all.
    pub hidden: usize,
    /// The moves that the command made, or that `trace` shows.
    pub moves: Vec<Move>,
    /// The values that `show` shows.
    pub values: Vec<Value>,
    /// The breakpoints, for the commands that change or show them.
    pub breakpoints: Option<Vec<Breakpoint>>,
    /// Where the run is now; null for commands that neither change nor show that.
    pub now: Option<Situation>,
}

/// A move: time passes, then a transition is taken, or none.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Move {
    /// The first move of a run has the number 1.
    pub number: usize,
    /// The time behind it, since the start.
    pub time: String,
    /// What happened; without edges, time passed and nothing else.
    pub step: Step,
}

/// The value of an expression.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Value {
    /// The expression, or the element of an array.
    pub expression: String,
    /// A number, `true` or `false`; `unknown` for a deadlock that takes too long to find.
    pub value: String,
}

/// A breakpoint.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Breakpoint {
    /// Its number.
    pub number: usize,
    /// Where it holds.
    pub expression: String,
}

/// A state of a run, and what is possible there.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Situation {
    /// How many moves lead here.
    pub moves: usize,
    /// How many moves were undone, or loaded, and can be made with `next`.
    pub ahead: usize,
    /// The time since the start.
    pub time: String,
    /// The state.
    pub state: State,
    /// For how long time may pass.
    pub wait: Interval,
    /// Why not longer; null if time may pass for ever.
    pub limit: Option<String>,
    /// The transitions that are possible after some delay.
    pub transitions: Vec<Transition>,
    /// Run-time errors of the model that are met after some delay.
    pub errors: Vec<RunTimeError>,
    /// Whether no transition is possible after any delay, and none meets a run-time error.
    pub deadlock: bool,
    /// Why nothing is known about delays and transitions; null if all is known.
    pub problem: Option<String>,
    /// The breakpoints that hold here.
    pub breakpoints: Vec<Breakpoint>,
}

/// A transition, and when it is possible.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Transition {
    /// What to write to take it.
    pub number: usize,
    /// The delays after which it is possible, in their order.
    pub delays: Vec<Interval>,
    /// Who takes part: the sender first, then the receivers.
    pub edges: Vec<Edge>,
}

/// An interval of delays.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interval {
    /// The least delay.
    pub from: String,
    /// Whether that is one of them.
    pub from_included: bool,
    /// The greatest delay; null if there is none.
    pub to: Option<String>,
    /// Whether that is one of them.
    pub to_included: bool,
}

/// A run-time error.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunTimeError {
    /// What goes wrong.
    pub message: String,
    /// Where in the model: file, line and column; null if there is no such place.
    pub place: Option<String>,
    /// After which delays.
    pub delays: Vec<Interval>,
    /// The transition that fails, or the edge whose guard fails.
    pub edges: Vec<Edge>,
    /// Whether nothing else is possible after these delays.
    pub fatal: bool,
}
