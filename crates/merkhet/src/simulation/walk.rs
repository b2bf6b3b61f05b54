//! Random walks, up to a number of moves or a condition.

use model::{
    Formula, Ratio, Stop, System,
    machine::Fault,
    replay::{ConcreteState, Refusal},
    simulate::{Simulator, Trouble},
};

use super::{Made, MoveError, Random, Run};

/// A random walk.
#[derive(Clone, Copy)]
pub struct Walk<'w> {
    /// The system, with the code of the conditions.
    pub system: &'w System,
    /// It ends where one of these becomes true, also during a delay.
    pub conditions: &'w [&'w Formula],
    /// The greatest number of transitions.
    pub steps: usize,
}

/// Why a walk has ended.
#[derive(Debug)]
pub enum WalkEnd {
    /// It has made all moves.
    Steps,
    /// The condition with this number has become true.
    Condition(usize),
    /// A run-time error was among the possible transitions, and was chosen.
    Error(Fault),
    /// No transition is possible.
    Stuck,
    /// It was stopped.
    Stopped(Stop),
    /// The next move is not possible.
    Failed(MoveError),
}

/// Returns whether a formula holds for certain.
///
/// # Errors
/// The formula fails.
pub fn holds(system: &System, formula: &Formula, state: &ConcreteState) -> Result<bool, MoveError> {
    let holds = Simulator::new(system).holds(formula, state).map_err(|fault| Refusal::Fault(0, fault))?;
    Ok(holds == Some(true))
}

/// A walk that is under way.
struct Walker<'w> {
    simulator: Simulator<'w>,
    conditions: &'w [&'w Formula],
    /// Whether each condition held last.
    held: Vec<bool>,
    horizon: i64,
    at: ConcreteState,
    time: Ratio,
    made: Vec<Made>,
}

impl Walker<'_> {
    /// Makes a move. Returns why the walk ends with it, if it does.
    fn step(&mut self, random: &mut Random) -> Result<Option<WalkEnd>, MoveError> {
        let situation = self.simulator.situation(&self.at)?;
        let pick = random.below(situation.choices.len() + situation.failures.len());
        let Some(choice) = situation.choices.get(pick) else {
            // A walk that avoids run-time errors would hide them.
            let failure = situation.failures.get(pick - situation.choices.len());
            return Ok(Some(failure.map_or(WalkEnd::Stuck, |failure| WalkEnd::Error(failure.fault))));
        };
        let delay = random.delay(&choice.delays, self.time, self.horizon).ok_or(Trouble::Overflow)?;
        let was = self.held.clone();
        let turned = match self.conditions {
            [] => None,
            some => self.simulator.turns(some, &mut self.held, &self.at, delay)?,
        };
        let delay = turned.unwrap_or(delay);
        let before = self.simulator.wait(&self.at, delay)?;
        let time = self.time.plus(delay).ok_or(Trouble::Overflow)?;
        if turned.is_some() {
            self.arrive(delay, Vec::new(), before, time);
            return Ok(self.turned(&was));
        }
        let state = self.simulator.take(&before, &choice.edges)?;
        self.arrive(delay, choice.edges.clone(), state, time);
        let was = self.held.clone();
        for (formula, held) in self.conditions.iter().zip(&mut self.held) {
            let holds = self.simulator.holds(formula, &self.at).map_err(|fault| Refusal::Fault(0, fault))?;
            *held = holds == Some(true);
        }
        Ok(self.turned(&was))
    }

    fn arrive(&mut self, delay: Ratio, edges: Vec<model::system::EdgeId>, state: ConcreteState, time: Ratio) {
        self.at.clone_from(&state);
        self.time = time;
        self.made.push(Made { delay, edges, state, time });
    }

    /// Returns the first condition that has become true.
    fn turned(&self, was: &[bool]) -> Option<WalkEnd> {
        was.iter().zip(&self.held).position(|(was, holds)| *holds && !was).map(WalkEnd::Condition)
    }
}

impl Run {
    /// Takes random transitions. Moves ahead are dropped.
    ///
    /// `stopped` is polled before each move.
    ///
    /// # Errors
    /// No move can be made.
    pub fn walk(
        &mut self,
        walk: &Walk<'_>,
        random: &mut Random,
        stopped: &dyn Fn() -> Option<Stop>,
    ) -> Result<WalkEnd, MoveError> {
        let mut held = Vec::new();
        for condition in walk.conditions {
            held.push(holds(walk.system, condition, self.state())?);
        }
        let simulator = Simulator::new(walk.system);
        let horizon = simulator.horizon().saturating_add(1);
        let (at, time) = (self.state().clone(), self.time());
        let mut walker = Walker { simulator, conditions: walk.conditions, held, horizon, at, time, made: Vec::new() };
        let mut end = WalkEnd::Steps;
        for _ in 0..walk.steps {
            let made = walker.made.len();
            let step = if stopped().is_none() { walker.step(random) } else { Ok(None) };
            // A move that was interrupted is discarded.
            if let Some(stop) = stopped() {
                walker.made.truncate(made);
                end = WalkEnd::Stopped(stop);
                break;
            }
            match step {
                Ok(None) => {}
                Ok(Some(why)) => {
                    end = why;
                    break;
                }
                Err(why) if made == 0 => return Err(why),
                // A problem does not undo the moves before it.
                Err(why) => {
                    end = WalkEnd::Failed(why);
                    break;
                }
            }
        }
        self.history.truncate(self.at);
        self.history.append(&mut walker.made);
        self.at = self.history.len();
        Ok(end)
    }
}
