//! Runs that are executed step by step and recorded.

use super::{ConcreteState, Refusal, Replayer, TimedStep, Trace};
use crate::{property::Formula, ratio::Ratio, system::EdgeId, system::System};

/// A state that a run visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The transition to it; empty for the initial state.
    pub edges: Vec<EdgeId>,
    /// The state when it is entered.
    pub state: ConcreteState,
    /// The delay in its row.
    pub delay: Ratio,
    /// The clocks after this delay.
    pub left: Vec<Ratio>,
}

impl Visit {
    /// Returns the state after the delay.
    #[must_use]
    pub fn end(&self) -> ConcreteState {
        ConcreteState { row: self.state.row.clone(), clocks: self.left.clone() }
    }
}

impl Trace {
    /// Returns the trace of a run.
    #[must_use]
    pub fn of(run: &[Visit]) -> Trace {
        let step = |pair: &[Visit]| TimedStep { delay: pair[0].delay, edges: pair[1].edges.clone() };
        Trace { steps: run.windows(2).map(step).collect(), last_delay: run.last().map(|visit| visit.delay) }
    }
}

/// A run that is executed step by step.
pub struct Execution<'a> {
    replayer: Replayer<'a>,
    /// The states that the run has left.
    passed: Vec<Visit>,
    /// The number of states that the run has left, whether or not they are still recorded.
    step: usize,
    /// The transition to the current state.
    edges: Vec<EdgeId>,
    /// The clocks when the current state was entered.
    entered: Vec<Ratio>,
    delay: Ratio,
    state: ConcreteState,
}

impl<'a> Execution<'a> {
    /// Starts a run in the initial state.
    ///
    /// # Errors
    /// The initial state violates an invariant, or an invariant fails.
    pub fn new(system: &'a System) -> Result<Execution<'a>, Refusal> {
        let mut replayer = Replayer::new(system);
        let state = replayer.start()?;
        let entered = state.clocks.clone();
        Ok(Execution { replayer, passed: Vec::new(), step: 0, edges: Vec::new(), entered, delay: Ratio::ZERO, state })
    }

    /// Returns the current state.
    #[must_use]
    pub fn state(&self) -> &ConcreteState {
        &self.state
    }

    /// Delays.
    ///
    /// # Errors
    /// The delay is not allowed.
    pub fn wait(&mut self, delay: Ratio) -> Result<(), Refusal> {
        self.replayer.delay(&mut self.state, delay, self.step)?;
        self.delay = self.delay.plus(delay).ok_or(Refusal::Unclear(self.step, super::DIGITS))?;
        Ok(())
    }

    /// Takes a transition.
    ///
    /// # Errors
    /// It can't be taken.
    pub fn take(&mut self, edges: &[EdgeId]) -> Result<(), Refusal> {
        let before = self.state.clone();
        self.replayer.take(&mut self.state, edges, self.step)?;
        let visit = Visit {
            edges: std::mem::replace(&mut self.edges, edges.to_vec()),
            state: ConcreteState {
                row: before.row,
                clocks: std::mem::replace(&mut self.entered, self.state.clocks.clone()),
            },
            delay: std::mem::replace(&mut self.delay, Ratio::ZERO),
            left: before.clocks,
        };
        self.passed.push(visit);
        self.step += 1;
        Ok(())
    }

    /// Ends the run, in a goal state if there is a goal. Returns the visited states.
    ///
    /// # Errors
    /// The state is not a goal state, or that is undecided.
    pub fn end(mut self, goal: Option<&Formula>) -> Result<Vec<Visit>, Refusal> {
        if let Some(goal) = goal
            && !self.replayer.decides(goal, &self.state, self.step)?
        {
            return Err(Refusal::Goal);
        }
        let entered = ConcreteState { row: self.state.row, clocks: self.entered };
        let last = Visit { edges: self.edges, state: entered, delay: self.delay, left: self.state.clocks };
        self.passed.push(last);
        Ok(self.passed)
    }
}

/// Executes a trace. Returns the visited states.
///
/// # Errors
/// The trace is not a run of the system, or does not end in a goal state.
pub fn replay(system: &System, trace: &Trace, goal: Option<&Formula>) -> Result<Vec<Visit>, Refusal> {
    let mut run = Vec::new();
    replay_each(system, trace, goal, &mut |visit| {
        run.push(visit);
        true
    })?;
    Ok(run)
}

/// Executes a trace and passes each visited state to `each` when the run leaves it, so that long
/// traces with long rows need not be kept in memory. Stops if `each` returns `false`. Returns
/// whether the trace was executed to its end.
///
/// # Errors
/// The trace is not a run of the system, or does not end in a goal state.
pub fn replay_each(
    system: &System,
    trace: &Trace,
    goal: Option<&Formula>,
    each: &mut dyn FnMut(Visit) -> bool,
) -> Result<bool, Refusal> {
    let mut execution = Execution::new(system)?;
    for step in &trace.steps {
        execution.wait(step.delay)?;
        execution.take(&step.edges)?;
        if !execution.passed.drain(..).all(&mut *each) {
            return Ok(false);
        }
    }
    execution.wait(trace.last_delay.unwrap_or(Ratio::ZERO))?;
    Ok(execution.end(goal)?.into_iter().all(each))
}
