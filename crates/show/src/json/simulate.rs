//! The output of `merkhet simulate`. Text is made from the same values.

use serde::Serialize;

use super::{
    DiagnosticEntry,
    verify::{NamedState, TakenEdge, TraceStep},
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
    /// Whether it was executed.
    pub ok: bool,
    /// What is wrong, why a run has ended, or another message.
    pub message: Option<String>,
    /// What the user could do.
    pub help: Option<String>,
    /// What is wrong with the model, or with an expression.
    pub diagnostics: Vec<DiagnosticEntry>,
    /// How many moves that the command made before `moves` are left out; `trace` shows all.
    pub hidden: usize,
    /// The moves that the command made, or that `trace` shows.
    pub moves: Vec<Move>,
    /// The values that `show` shows.
    pub values: Vec<ExpressionValue>,
    /// The breakpoints, for the commands that change or show them.
    pub breakpoints: Option<Vec<Breakpoint>>,
    /// The current state; null for commands that neither change nor show it.
    pub now: Option<Situation>,
}

/// A move: time passes, then a transition is taken, or none.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Move {
    /// The first move of a run has the number 1.
    pub number: usize,
    /// The time after it, since the start.
    pub time: String,
    /// What happened; without edges, only time passed.
    pub step: TraceStep,
}

/// The value of an expression.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpressionValue {
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
    /// The expression.
    pub expression: String,
}

/// A state of a run, and its possible transitions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Situation {
    /// The number of moves so far.
    pub moves: usize,
    /// How many moves were undone, or loaded, and can be made with `next`.
    pub ahead: usize,
    /// The time since the start.
    pub time: String,
    /// The state.
    pub state: NamedState,
    /// The delays that are allowed.
    pub wait: DelayRange,
    /// Why not longer; null if delays are unbounded.
    pub limit: Option<String>,
    /// The transitions that are possible after some delay.
    pub transitions: Vec<Transition>,
    /// Run-time errors of the model after some delay.
    pub errors: Vec<RunTimeError>,
    /// Whether no transition is possible after any delay, nor a run-time error.
    pub deadlock: bool,
    /// Why delays and transitions are unknown; null if they are known.
    pub problem: Option<String>,
    /// The breakpoints that hold here.
    pub breakpoints: Vec<Breakpoint>,
}

/// A transition, and when it is possible.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Transition {
    /// The command that takes it.
    pub number: usize,
    /// The delays after which it is possible, in ascending order.
    pub delays: Vec<DelayRange>,
    /// The transition of the net that fires, if the model is a net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fires: Option<String>,
    /// The place whose token becomes available, if the model is a net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes_available: Option<String>,
    /// The edges: the sender first, then the receivers.
    pub edges: Vec<TakenEdge>,
}

/// An interval of delays.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DelayRange {
    /// The least delay.
    pub from: String,
    /// Whether it is included.
    pub from_included: bool,
    /// The greatest delay; null if there is none.
    pub to: Option<String>,
    /// Whether it is included.
    pub to_included: bool,
}

/// A run-time error.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunTimeError {
    /// The message.
    pub message: String,
    /// The position in the model: file, line and column; null if there is none.
    pub place: Option<String>,
    /// The delays after which it happens.
    pub delays: Vec<DelayRange>,
    /// The transition of the net that fails, if the model is a net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fires: Option<String>,
    /// The transition that fails, or the edge whose guard fails.
    pub edges: Vec<TakenEdge>,
    /// Whether nothing else is possible after these delays.
    pub fatal: bool,
}
