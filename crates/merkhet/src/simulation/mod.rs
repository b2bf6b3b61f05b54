//! Runs that are made move by move.

mod random;
mod walk;

use model::{
    Ratio, System,
    machine::Fault,
    replay::{self, ConcreteState, Refusal, Trace, Visit},
    simulate::{Choice, Delays, Simulator, Situation, Trouble},
    system::EdgeId,
};
use thiserror::Error;

pub use random::{Random, earliest};
pub use walk::{Walk, WalkEnd, holds};

/// The largest number of moves that is kept.
const MAX_MOVES: usize = 100_000;

/// The largest total size of the states that are kept, in numbers.
const MAX_NUMBERS: usize = 1 << 27;

/// A move that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// How much time passed.
    pub delay: Ratio,
    /// The transition after that; empty if only time passed.
    pub edges: Vec<EdgeId>,
    /// The state after it.
    pub state: ConcreteState,
    /// The time since the start.
    pub time: Ratio,
}

/// Why a move can't be made. Nothing has changed then.
#[derive(Debug, Error)]
pub enum MoveError {
    /// There is no transition with this number.
    #[error("there is no transition {number} here")]
    NoTransition {
        /// The number, counted from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// The transition is not possible after this delay.
    #[error("transition {number} can't be taken after a delay of {delay}")]
    NotThen {
        /// The number, counted from 1.
        number: usize,
        /// The delay.
        delay: Ratio,
        /// The delays after which it is possible.
        delays: Delays,
    },
    /// Too many moves would be kept.
    #[error("no more than {} are kept, and {made} are made", moves(*.max))]
    Full {
        /// How many are kept.
        max: usize,
        /// How many there are.
        made: usize,
    },
    /// It is not possible.
    #[error("{}", crate::Flaw::from(.0.clone()))]
    Refused(Refusal),
    /// A computation is too large.
    #[error("{}", match .0 {
        Trouble::Overflow => "times have too many digits",
        Trouble::TooMany => "there are too many transitions to list them",
    })]
    Trouble(Trouble),
}

impl From<Refusal> for MoveError {
    fn from(why: Refusal) -> MoveError {
        MoveError::Refused(why)
    }
}

impl From<Trouble> for MoveError {
    fn from(why: Trouble) -> MoveError {
        MoveError::Trouble(why)
    }
}

impl MoveError {
    /// Returns the run-time error that forbids the move.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        if let MoveError::Refused(Refusal::Fault(_, fault)) = self { Some(*fault) } else { None }
    }
}

/// `1 move`, `2 moves`
fn moves(n: usize) -> String {
    if n == 1 { "1 move".to_owned() } else { format!("{n} moves") }
}

/// A run that grows and shrinks.
#[derive(Clone, Debug)]
pub struct Run {
    start: ConcreteState,
    /// The moves so far, and after `at` those that were undone or loaded.
    pub history: Vec<Made>,
    /// The number of moves up to the current state.
    pub at: usize,
}

impl Run {
    /// Starts a run.
    ///
    /// # Errors
    /// There is no initial state.
    pub fn new(system: &System) -> Result<Run, MoveError> {
        Ok(Run { start: Simulator::new(system).start()?, history: Vec::new(), at: 0 })
    }

    /// Returns the state after `moves` moves.
    #[must_use]
    pub fn state_at(&self, moves: usize) -> &ConcreteState {
        moves.checked_sub(1).map_or(&self.start, |i| &self.history[i].state)
    }

    /// Returns the current state.
    #[must_use]
    pub fn state(&self) -> &ConcreteState {
        self.state_at(self.at)
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn time(&self) -> Ratio {
        self.at.checked_sub(1).map_or(Ratio::ZERO, |i| self.history[i].time)
    }

    /// Returns the possible transitions and delays.
    ///
    /// # Errors
    /// They can't be computed.
    pub fn situation(&self, system: &System) -> Result<Situation, MoveError> {
        Ok(Simulator::new(system).situation(self.state())?)
    }

    /// Returns the number of moves that can still be kept: at least `wanted`.
    ///
    /// # Errors
    /// There is not enough room.
    pub fn room(&self, system: &System, wanted: usize) -> Result<usize, MoveError> {
        let max = MAX_MOVES.min(MAX_NUMBERS / (system.initial.len() + 4 * system.clocks.len()).max(1));
        let room = max.saturating_sub(self.at);
        if wanted > room { Err(MoveError::Full { max, made: self.at }) } else { Ok(room) }
    }

    /// Takes a transition of a situation, counted from 1. Without a delay it is taken as early as
    /// possible. Returns the number of moves ahead that are dropped.
    ///
    /// # Errors
    /// It can't be taken.
    pub fn take(&mut self, system: &System, number: usize, delay: Option<Ratio>) -> Result<usize, MoveError> {
        let situation = self.situation(system)?;
        let Some(choice) = number.checked_sub(1).and_then(|i| situation.choices.get(i)) else {
            return Err(MoveError::NoTransition { number, count: situation.choices.len() });
        };
        let delay = match delay {
            Some(delay) if choice.delays.contains(delay) => delay,
            Some(delay) => return Err(MoveError::NotThen { number, delay, delays: choice.delays.clone() }),
            None => earliest(&choice.delays, self.time()).ok_or(Trouble::Overflow)?,
        };
        self.step(system, choice, delay)
    }

    fn step(&mut self, system: &System, choice: &Choice, delay: Ratio) -> Result<usize, MoveError> {
        let mut simulator = Simulator::new(system);
        let before = simulator.wait(self.state(), delay)?;
        let state = simulator.take(&before, &choice.edges)?;
        let time = self.time().plus(delay).ok_or(Trouble::Overflow)?;
        self.make(system, Made { delay, edges: choice.edges.clone(), state, time })
    }

    /// Lets time pass. Returns the number of moves ahead that are dropped.
    ///
    /// # Errors
    /// Time can't pass as long.
    pub fn wait(&mut self, system: &System, delay: Ratio) -> Result<usize, MoveError> {
        let state = Simulator::new(system).wait(self.state(), delay)?;
        let time = self.time().plus(delay).ok_or(Trouble::Overflow)?;
        self.make(system, Made { delay, edges: Vec::new(), state, time })
    }

    fn make(&mut self, system: &System, made: Made) -> Result<usize, MoveError> {
        self.room(system, 1)?;
        let ahead = self.history.len() - self.at;
        self.history.truncate(self.at);
        self.history.push(made);
        self.at += 1;
        Ok(ahead)
    }

    /// Returns the moves so far as a trace. Delays without a transition are added to the next step.
    ///
    /// # Errors
    /// A time has too many digits.
    pub fn trace(&self) -> Result<Trace, MoveError> {
        let (mut run, mut rest) = (Trace::default(), Ratio::ZERO);
        for made in &self.history[..self.at] {
            let delay = rest.plus(made.delay).ok_or(Trouble::Overflow)?;
            if made.edges.is_empty() {
                rest = delay;
            } else {
                run.steps.push(replay::TimedStep { delay, edges: made.edges.clone() });
                rest = Ratio::ZERO;
            }
        }
        run.last_delay = Some(rest);
        Ok(run)
    }

    /// Replaces the moves by those of a run that was replayed; none of them is made.
    ///
    /// # Errors
    /// A time has too many digits.
    pub fn load(&mut self, run: &[Visit]) -> Result<(), MoveError> {
        let (mut history, mut time) = (Vec::new(), Ratio::ZERO);
        for pair in run.windows(2) {
            let (delay, Visit { edges, state, .. }) = (pair[0].delay, &pair[1]);
            time = time.plus(delay).ok_or(Trouble::Overflow)?;
            history.push(Made { delay, edges: edges.clone(), state: state.clone(), time });
        }
        if let Some(last) = run.last().filter(|last| last.delay != Ratio::ZERO) {
            time = time.plus(last.delay).ok_or(Trouble::Overflow)?;
            history.push(Made { delay: last.delay, edges: Vec::new(), state: last.end(), time });
        }
        (self.history, self.at) = (history, 0);
        Ok(())
    }
}
