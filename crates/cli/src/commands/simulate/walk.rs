//! Random walks, up to a number of steps or a breakpoint.

use merkhet::{
    plain,
    simulation::{self, Walk, WalkEnd},
};
use model::{Formula, Stop, replay::ConcreteState};

use super::{CommandError, Reply, session::Session};
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
        Ok(simulation::holds(&self.system, formula, state)?)
    }

    fn walk(&mut self, steps: usize, until: Option<(&str, &Formula)>) -> Result<Reply, CommandError> {
        let from = self.run.at;
        let formulas: Vec<&Formula> = self.breaks.iter().map(|b| &b.formula).chain(until.map(|u| u.1)).collect();
        let walk = Walk { system: &self.system, conditions: &formulas, steps };
        let end = self.run.walk(&walk, &mut self.random, &watch::stopped)?;
        if watch::stopped() == Some(Stop::Interrupted) {
            // The walk has stopped; the description of the state should not be interrupted, too.
            watch::forget();
        }
        let message = match end {
            WalkEnd::Steps => None,
            WalkEnd::Condition(i) => Some(match (self.breaks.get(i), until) {
                (Some(b), _) => format!("breakpoint {}: `{}` holds", b.number, b.text),
                (None, until) => format!("`{}` holds", until.map_or("", |(text, _)| text)),
            }),
            WalkEnd::Error(fault) => Some(format!("run-time error: {}", self.system.explain(&fault))),
            WalkEnd::Stuck => Some("no transition is possible".to_owned()),
            WalkEnd::Stopped(stop) => Some(stop.to_string()),
            WalkEnd::Failed(why) => Some(self.explained(why.into()).message),
        };
        Ok(Reply { message, moves: from..self.run.at, now: true, ..Reply::default() })
    }
}

/// Adds a message if the walk stopped only because of the number of moves.
fn explained(reply: Reply) -> Reply {
    let unfound = || format!("nothing has come to hold in {}", count(reply.moves.len(), "move"));
    Reply { message: Some(reply.message.unwrap_or_else(unfound)), ..reply }
}
