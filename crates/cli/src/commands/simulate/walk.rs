//! Random walks, up to a number of steps or a breakpoint.

use merkhet::simulation::{Made, MoveError, Random};
use model::{
    Formula, Stop,
    replay::{ConcreteState, Refusal},
    simulate::{Simulator, Trouble},
};

use super::{
    CommandError, Reply,
    session::{Session, plain},
};
use crate::{commands::count, watch};

impl Session {
    /// Takes `steps` random transitions.
    pub fn random(&mut self, steps: usize) -> Result<Reply, CommandError> {
        self.run.room(&self.model.system, steps)?;
        self.walk(steps, None)
    }

    /// Takes random transitions up to a breakpoint, or until an expression holds.
    pub fn run(&mut self, until: Option<&str>) -> Result<Reply, CommandError> {
        let Some(text) = until else {
            if self.breaks.is_empty() {
                return Err(CommandError::new("there is no breakpoint to run to")
                    .help("write `run until EXPR`, or set one with `break EXPR`"));
            }
            return Ok(explained(self.walk(self.run.room(&self.model.system, 1)?, None)?));
        };
        let (system, formula) = self.formula(text)?;
        self.system = system;
        let text = plain(text);
        if self.holds(&formula, self.state())? {
            return Ok(Reply { message: Some(format!("`{text}` holds here already")), ..Reply::default() });
        }
        Ok(explained(self.walk(self.run.room(&self.model.system, 1)?, Some((&text, &formula)))?))
    }

    /// Whether a formula holds for certain.
    pub fn holds(&self, formula: &Formula, state: &ConcreteState) -> Result<bool, CommandError> {
        let holds = Simulator::new(&self.system).holds(formula, state);
        Ok(holds.map_err(|fault| Refusal::Fault(0, fault))? == Some(true))
    }

    fn walk(&mut self, steps: usize, until: Option<(&str, &Formula)>) -> Result<Reply, CommandError> {
        let (from, mut at, mut time) = (self.run.at, self.state().clone(), self.run.time());
        let formulas: Vec<&Formula> = self.breaks.iter().map(|b| &b.formula).chain(until.map(|u| u.1)).collect();
        let mut held = Vec::new();
        for formula in &formulas {
            held.push(self.holds(formula, &at)?);
        }
        // The first condition that has become true.
        let reason = |was: &[bool], held: &[bool]| -> Option<String> {
            let i = was.iter().zip(held).position(|(was, holds)| *holds && !was)?;
            Some(match (self.breaks.get(i), until) {
                (Some(b), _) => format!("breakpoint {}: `{}` holds", b.number, b.text),
                (None, Some((text, _))) => format!("`{text}` holds"),
                (None, None) => return None,
            })
        };
        let mut simulator = Simulator::new(&self.system);
        let horizon = simulator.horizon().saturating_add(1);
        let (mut made, mut taken, mut ended) = (Vec::new(), 0, None);
        // A problem does not undo the moves before it.
        let mut problem: Option<CommandError> = None;
        let mut step = |random: &mut Random| -> Result<Option<String>, CommandError> {
            let situation = simulator.situation(&at).map_err(MoveError::from)?;
            let pick = random.below(situation.choices.len() + situation.failures.len());
            let Some(choice) = situation.choices.get(pick) else {
                // A walk that avoids run-time errors would hide them.
                let failure = situation.failures.get(pick - situation.choices.len());
                return Ok(Some(match failure {
                    Some(failure) => format!("run-time error: {}", self.system.explain(&failure.fault)),
                    None => "no transition is possible".to_owned(),
                }));
            };
            let mut delay = random.delay(&choice.delays, time, horizon).ok_or(MoveError::Trouble(Trouble::Overflow))?;
            let was = held.clone();
            let turned = if formulas.is_empty() { None } else { simulator.turns(&formulas, &mut held, &at, delay)? };
            delay = turned.unwrap_or(delay);
            let before = simulator.wait(&at, delay)?;
            time = time.plus(delay).ok_or(MoveError::Trouble(Trouble::Overflow))?;
            if turned.is_some() {
                at.clone_from(&before);
                made.push(Made { delay, edges: Vec::new(), state: before, time });
                return Ok(reason(&was, &held));
            }
            let state = simulator.take(&before, &choice.edges)?;
            at.clone_from(&state);
            made.push(Made { delay, edges: choice.edges.clone(), state, time });
            let was = held.clone();
            for (formula, held) in formulas.iter().zip(&mut held) {
                let holds = simulator.holds(formula, &at).map_err(|fault| Refusal::Fault(0, fault))?;
                *held = holds == Some(true);
            }
            Ok(reason(&was, &held))
        };
        while taken < steps && ended.is_none() {
            if let Some(stop) = watch::stopped() {
                ended = Some(stop.to_string());
                break;
            }
            match step(&mut self.random) {
                // An interrupted step is discarded.
                _ if watch::stopped().is_some() => continue,
                Ok(why) => ended = why,
                Err(wrong) => {
                    problem = Some(wrong);
                    break;
                }
            }
            taken += 1;
        }
        if watch::stopped() == Some(Stop::Interrupted) {
            // The walk has stopped; the description of the state should not be interrupted, too.
            watch::forget();
        }
        if let Some(wrong) = problem {
            if made.is_empty() {
                return Err(wrong);
            }
            ended = Some(self.explained(wrong).message);
        }
        self.run.history.truncate(from);
        self.run.history.append(&mut made);
        self.run.at = self.run.history.len();
        Ok(Reply { message: ended, moves: from..self.run.at, now: true, ..Reply::default() })
    }
}

/// Adds a message if the walk stopped only because of the number of moves.
fn explained(reply: Reply) -> Reply {
    let unfound = || format!("nothing has come to hold in {}", count(reply.moves.len(), "move"));
    Reply { message: Some(reply.message.unwrap_or_else(unfound)), ..reply }
}
