//! Simulators: runs that the reader makes move by move, with breakpoints and symbolic states.

mod symbolic;
mod view;

use std::collections::HashMap;

use merkhet::{
    ConditionError, Limits, Model, condition, plain,
    simulation::{MoveError, Random, Run, Walk, WalkEnd, holds},
};
use model::{Formula, Ratio, System, replay::Visit};
use serde::{Deserialize, Serialize};
use show::{
    json::replay::{TraceFile, TracedQuery},
    simulation,
};
use verify::{Move, Trace};

use crate::{error::Refused, space::KeptSpace};
use symbolic::Reached;

pub use view::{About, SimulatorView};

/// The most breakpoints of a simulator.
const MAX_BREAKPOINTS: usize = 20;
/// The most moves of one request.
const MAX_MOVES: usize = 10_000;
/// The most moves of a run.
const MAX_RUN: usize = 20_000;
/// The most transitions of a run that gets other delays.
const MAX_RETIMED: usize = 2000;

/// A condition at which a walk stops.
struct Breakpoint {
    number: usize,
    expression: String,
    formula: Formula,
}

/// A simulator.
pub struct Simulator {
    /// The revision of the document whose model this is.
    pub revision: u64,
    model: Model,
    /// The system with the code of breakpoints.
    system: System,
    run: Run,
    breakpoints: Vec<Breakpoint>,
    /// The number of the last breakpoint.
    numbered: usize,
    seed: u64,
    random: Random,
    reached: Option<Reached>,
}

/// What a simulator does.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Action {
    /// Nothing: the state is shown.
    Show,
    /// Takes a transition, after a delay or as early as possible.
    Take { number: usize, delay: Option<String> },
    /// Lets time pass.
    Wait { delay: String },
    /// Goes to the state after some moves.
    Goto { moves: usize },
    /// Forgets all moves.
    Reset,
    /// Takes random transitions, up to a breakpoint. A seed begins a sequence of random choices.
    Random { steps: usize, seed: Option<u64> },
    /// Adds a breakpoint.
    Break { expression: String },
    /// Removes a breakpoint.
    Delete { number: usize },
    /// Takes a transition from the symbolic state; the delays before it are chosen anew if that is
    /// necessary.
    Symbolic { number: usize },
    /// Replaces the moves by those of a trace in a file, and goes to the state after some steps.
    Load { file: String, trace: usize, step: usize },
    /// Replaces the moves by a run to a state of a state space.
    State { space: u32, state: usize },
}

/// Why a simulator refuses to do something. Its moves are as before.
#[derive(Debug, Serialize)]
pub struct SimulatorError {
    /// One sentence.
    pub message: String,
    /// What the reader could do.
    pub help: Option<String>,
}

impl SimulatorError {
    fn new(message: impl Into<String>) -> SimulatorError {
        SimulatorError { message: message.into(), help: None }
    }
}

impl From<SimulatorError> for Refused {
    fn from(why: SimulatorError) -> Refused {
        let help = why.help.map_or(String::new(), |help| format!("; {help}"));
        Refused::wrong(format!("{}{help}", why.message))
    }
}

type Done<T> = Result<T, SimulatorError>;

impl Simulator {
    /// Starts a simulator with a model of its own.
    ///
    /// # Errors
    /// There is no initial state.
    pub fn new(model: Model, revision: u64) -> Done<Simulator> {
        let system = model.loaded.system.clone();
        let run = Run::new(&system).map_err(|why| explained(&system, why))?;
        let (breakpoints, random) = (Vec::new(), Random::new(1));
        Ok(Simulator { revision, model, system, run, breakpoints, numbered: 0, seed: 1, random, reached: None })
    }

    /// Does something within limits. Returns what is worth a sentence.
    ///
    /// # Errors
    /// It is not possible, or a limit was reached.
    pub fn act(
        &mut self,
        action: Action,
        spaces: &HashMap<u32, std::sync::Arc<KeptSpace>>,
        limits: &Limits,
    ) -> Done<Option<String>> {
        let (is_walk, at) = (matches!(action, Action::Random { .. }), self.run.at);
        let done = self.limited(limits, |simulator| Ok(simulator.perform(action, spaces)));
        match done {
            // The moves of a walk that was stopped are made.
            Err(why) if is_walk && self.run.at > at => Ok(Some(why.message)),
            done => done?,
        }
    }

    /// Works within limits.
    fn limited<T>(&mut self, limits: &Limits, work: impl FnOnce(&mut Simulator) -> Done<T>) -> Done<T> {
        let stopper = self.model.stopper();
        let done = stopper.within(limits, || work(self));
        done.unwrap_or_else(|stop| Err(SimulatorError::new(format!("this takes too long: {stop}"))))
    }

    fn perform(&mut self, action: Action, spaces: &HashMap<u32, std::sync::Arc<KeptSpace>>) -> Done<Option<String>> {
        let grows = matches!(action, Action::Take { .. } | Action::Wait { .. } | Action::Random { .. });
        if grows && self.run.at >= MAX_RUN {
            let help = Some("take some back, or reset".to_owned());
            return Err(SimulatorError { message: format!("no more than {MAX_RUN} moves are kept here"), help });
        }
        match action {
            Action::Show => {}
            Action::Take { number, delay } => {
                let delay = delay.as_deref().map(time).transpose()?;
                let taken = self.run.take(&self.system, number, delay);
                taken.map_err(|why| self.explained(why))?;
            }
            Action::Wait { delay } => {
                let waited = self.run.wait(&self.system, time(&delay)?);
                waited.map_err(|why| self.explained(why))?;
            }
            Action::Goto { moves } => {
                let made = self.run.history.len();
                if moves > made {
                    return Err(SimulatorError::new(format!("there is no move {moves}; the run has {made}")));
                }
                self.run.at = moves;
            }
            Action::Reset => {
                self.run = Run::new(&self.system).map_err(|why| self.explained(why))?;
                self.random = Random::new(self.seed);
            }
            Action::Random { steps, seed } => {
                if let Some(seed) = seed {
                    (self.seed, self.random) = (seed, Random::new(seed));
                }
                return self.walk(steps);
            }
            Action::Break { expression } => self.add_breakpoint(&expression)?,
            Action::Delete { number } => {
                let before = self.breakpoints.len();
                self.breakpoints.retain(|b| b.number != number);
                if self.breakpoints.len() == before {
                    return Err(SimulatorError::new(format!("there is no breakpoint {number}")));
                }
            }
            Action::Symbolic { number } => return self.take_symbolic(number),
            Action::Load { file, trace, step } => return self.load(&file, trace, step).map(Some),
            Action::State { space, state } => {
                let space = spaces.get(&space).ok_or_else(|| SimulatorError::new("these states are forgotten"))?;
                return self.load_state(space, state).map(Some);
            }
        }
        Ok(None)
    }

    fn explained(&self, why: MoveError) -> SimulatorError {
        explained(&self.system, why)
    }

    fn add_breakpoint(&mut self, expression: &str) -> Done<()> {
        if self.breakpoints.len() >= MAX_BREAKPOINTS {
            return Err(SimulatorError::new(format!("there are {MAX_BREAKPOINTS} breakpoints already")));
        }
        let Model { sources, loaded, .. } = &mut self.model;
        let (system, formula) =
            condition(expression, "<breakpoint>", sources, loaded, &self.system).map_err(refused)?;
        self.system = system;
        self.numbered += 1;
        self.breakpoints.push(Breakpoint { number: self.numbered, expression: plain(expression), formula });
        Ok(())
    }

    /// Walks at random. Returns why it ended before all steps were made.
    fn walk(&mut self, steps: usize) -> Done<Option<String>> {
        let steps = steps.min(MAX_MOVES).min(MAX_RUN - self.run.at);
        self.run.room(&self.system, steps).map_err(|why| self.explained(why))?;
        let formulas: Vec<&Formula> = self.breakpoints.iter().map(|b| &b.formula).collect();
        let walk = Walk { system: &self.system, conditions: &formulas, steps };
        let (from, signal) = (self.run.at, self.model.loaded.tree.signal);
        let end = self.run.walk(&walk, &mut self.random, &|| signal.raised());
        let end = end.map_err(|why| explained(&self.system, why))?;
        let made = match self.run.at - from {
            1 => "1 move".to_owned(),
            n => format!("{n} moves"),
        };
        Ok(Some(match end {
            WalkEnd::Steps => return Ok(None),
            WalkEnd::Condition(i) => {
                let text = self.breakpoints.get(i).map_or("", |b| &b.expression);
                format!("breakpoint: `{text}` holds after {made}")
            }
            WalkEnd::Error(fault) => format!("run-time error after {made}: {}", self.system.explain(&fault)),
            WalkEnd::Stuck => format!("no transition is possible after {made}"),
            WalkEnd::Stopped(stop) => format!("{stop} after {made}"),
            WalkEnd::Failed(why) => format!("{} after {made}", self.explained(why).message),
        }))
    }

    /// Takes a transition of the symbolic state.
    fn take_symbolic(&mut self, number: usize) -> Done<Option<String>> {
        let (edges, _) = self.symbolic_successor(number)?;
        let situation = self.run.situation(&self.system).map_err(|why| self.explained(why))?;
        if let Some(i) = situation.choices.iter().position(|choice| choice.edges == edges) {
            self.run.take(&self.system, i + 1, None).map_err(|why| self.explained(why))?;
            return Ok(None);
        }
        let mut path = vec![(Vec::new(), self.run.state_at(0).row.clone())];
        let made = self.run.history[..self.run.at].iter().filter(|made| !made.edges.is_empty());
        path.extend(made.map(|made| (made.edges.clone(), made.state.row.clone())));
        let steps = path.len();
        self.retime(path, &edges)?;
        let delays = if steps == 1 { "the delay" } else { "the delays" };
        Ok(Some(format!("{delays} of the run are other ones now, so that this transition is possible")))
    }

    /// Replaces the run by one along a path, followed by a transition.
    fn retime(&mut self, mut path: Vec<Move>, edges: &[model::system::EdgeId]) -> Done<()> {
        let (_, last) = path.last().cloned().unwrap_or_default();
        let updated = model::replay::Replayer::new(&self.system).update(&last, edges);
        let fails = |fault| SimulatorError::new(format!("run-time error: {}", self.system.explain(&fault)));
        let (row, _) = updated.map_err(fails)?;
        path.push((edges.to_vec(), row));
        let run = self.run_along(&path, &Formula::True)?;
        self.replace(&run)
    }

    /// Finds a run along a path to where a formula holds.
    fn run_along(&self, path: &[Move], goal: &Formula) -> Done<Vec<Visit>> {
        if path.len() > MAX_RETIMED + 1 {
            let why = format!("delays are found for at most {MAX_RETIMED} transitions");
            return Err(SimulatorError::new(why));
        }
        let found = Trace::concrete(&self.system, path, goal).and_then(|trace| trace.run());
        let run = found.ok_or_else(|| SimulatorError::new("no run along this path is known"))?;
        let replayed = model::replay::replay(&self.system, &run, None);
        replayed.map_err(|why| self.explained(why.into()))
    }

    /// Replaces all moves by those of a run, and goes to its end.
    fn replace(&mut self, run: &[Visit]) -> Done<()> {
        self.run.load(run).map_err(|why| explained(&self.system, why))?;
        self.run.at = self.run.history.len();
        self.reached = None;
        Ok(())
    }

    /// Loads a trace of a file.
    fn load(&mut self, file: &str, trace: usize, step: usize) -> Done<String> {
        let file = show::replay::parse(file).map_err(|malformed| SimulatorError::new(malformed.message))?;
        let traced = file.traces.get(trace).ok_or_else(|| SimulatorError::new("there is no such trace"))?;
        if traced.trace.spurious {
            return Err(SimulatorError::new("this trace is spurious: no run of the model takes it"));
        }
        let (run, _) = show::replay::checked(&self.system, &traced.trace).map_err(|why| {
            let place = why.step.map_or(String::new(), |step| format!("step {step}: "));
            SimulatorError::new(format!("this is not a run of the model: {place}{}", why.problem))
        })?;
        self.replace(&run)?;
        self.run.at = step.min(self.run.history.len());
        let query = traced.query.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(format!("the trace for {query}, after step {}", self.run.at))
    }

    /// Loads a state of a state space: a run along the path by which it was found.
    fn load_state(&mut self, space: &KeptSpace, state: usize) -> Done<String> {
        if space.revision != self.revision {
            return Err(SimulatorError::new("these are states of another revision of the model"));
        }
        let gone = || SimulatorError::new("there is no such state");
        let path = space.space.path(&self.system, state).ok_or_else(gone)?;
        // Another state may have the same path, and other clock values.
        let goal = space.space.states[state].region();
        let run = self.run_along(&path, &goal).map_err(|why| {
            if space.space.states.iter().any(|state| state.is_joined) {
                let help = "states are joined, so that a path through them need not be one of the model";
                return SimulatorError { help: Some(help.to_owned()), ..why };
            }
            why
        })?;
        self.replace(&run)?;
        let steps = path.len() - 1;
        Ok(format!("state {state}, by a run with {steps} {}", if steps == 1 { "transition" } else { "transitions" }))
    }

    /// Returns the run up to the current state, as a trace with names that was replayed.
    ///
    /// # Errors
    /// It is not accepted.
    pub fn traced(&mut self, limits: &Limits) -> Done<(Trace, TracedQuery)> {
        self.limited(limits, |simulator| {
            let mut query = "E<> true".to_owned();
            for b in &simulator.breakpoints {
                let held = holds(&simulator.system, &b.formula, simulator.run.state());
                if held.map_err(|why| simulator.explained(why))? {
                    query = format!("E<> {}", b.expression);
                    break;
                }
            }
            let Model { sources, loaded, .. } = &mut simulator.model;
            let traced = simulation::traced(&simulator.run, query, sources, loaded);
            traced.map_err(|why| SimulatorError::new(why.to_string()))
        })
    }

    /// Returns the first steps of the run up to the current state, and the number of all.
    ///
    /// # Errors
    /// They are not a run, or a limit was reached.
    pub fn first_steps(&mut self, most: usize, limits: &Limits) -> Done<(Trace, usize)> {
        self.limited(limits, |simulator| {
            let mut run = simulator.run.trace().map_err(|why| simulator.explained(why))?;
            let all = run.steps.len();
            if all > most {
                run.steps.truncate(most);
                run.last_delay = None;
            }
            let visits = model::replay::replay(&simulator.system, &run, None);
            Ok((Trace::of_run(visits.map_err(|why| simulator.explained(why.into()))?, None), all))
        })
    }

    /// Returns the numbers of moves after which each step of the trace is made.
    pub fn steps(&self) -> Vec<usize> {
        let made = self.run.history[..self.run.at].iter().zip(1..);
        [0].into_iter().chain(made.filter(|(made, _)| !made.edges.is_empty()).map(|(_, number)| number)).collect()
    }

    /// Returns the model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the run up to the current state as a file.
    ///
    /// # Errors
    /// It is not accepted.
    pub fn file(&mut self, limits: &Limits) -> Done<TraceFile> {
        let (_, traced) = self.traced(limits)?;
        Ok(TraceFile { version: show::json::VERSION, model: self.model.name.clone(), traces: vec![traced] })
    }
}

/// Returns an error in words of the model.
fn explained(system: &System, why: MoveError) -> SimulatorError {
    if let Some(fault) = why.fault() {
        return SimulatorError::new(format!("run-time error: {}", system.explain(&fault)));
    }
    let help = match &why {
        MoveError::NotThen { delays, .. } => {
            Some(format!("it is possible {}", simulation::delays(&simulation::intervals(delays))))
        }
        MoveError::Full { .. } => Some("take some back".to_owned()),
        _ => None,
    };
    SimulatorError { message: why.to_string(), help }
}

/// Returns why a condition is refused.
pub fn refused(why: ConditionError) -> SimulatorError {
    let help = match &why {
        ConditionError::Refused(all) => {
            let first = all.iter().find(|d| d.is_error());
            first.and_then(|d| d.help.first().cloned())
        }
        ConditionError::Kind => Some("for example `P.a and x > 3`".to_owned()),
    };
    SimulatorError { message: why.to_string(), help }
}

/// `3`, `7/2`, `3.5`
fn time(text: &str) -> Done<Ratio> {
    text.trim().parse().map_err(|_| SimulatorError {
        message: format!("`{text}` is not a time"),
        help: Some("write a whole number, a fraction such as `7/2`, or `3.5`".to_owned()),
    })
}
