//! Runs that are executed step by step, and kept.

use super::{ConcreteState, Refusal, Replayer, TimedStep, Trace};
use crate::{property::Formula, ratio::Ratio, system::EdgeId, system::System};

/// A state that a run passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The transition that leads to it; none at the start.
    pub edges: Vec<EdgeId>,
    /// The state when it is entered.
    pub state: ConcreteState,
    /// How long the run stays in its row.
    pub delay: Ratio,
    /// The clocks after this delay.
    pub left: Vec<Ratio>,
}

impl Visit {
    /// The state after the delay.
    #[must_use]
    pub fn end(&self) -> ConcreteState {
        ConcreteState { row: self.state.row.clone(), clocks: self.left.clone() }
    }
}

impl Trace {
    /// The delays and transitions of a run.
    #[must_use]
    pub fn of(run: &[Visit]) -> Trace {
        let step = |pair: &[Visit]| TimedStep { delay: pair[0].delay, edges: pair[1].edges.clone() };
        Trace { steps: run.windows(2).map(step).collect(), last_delay: run.last().map(|visit| visit.delay) }
    }
}

/// A run that is executed step by step.
pub struct Execution<'a> {
    replayer: Replayer<'a>,
    /// The states that it has left.
    passed: Vec<Visit>,
    /// How many those are, whether or not they have been taken away.
    step: usize,
    /// The transition that leads to the present state.
    edges: Vec<EdgeId>,
    /// The clocks when it was entered.
    entered: Vec<Ratio>,
    delay: Ratio,
    state: ConcreteState,
}

impl<'a> Execution<'a> {
    /// At the start.
    ///
    /// # Errors
    /// The initial state violates an invariant, or an invariant fails.
    pub fn new(system: &'a System) -> Result<Execution<'a>, Refusal> {
        let mut replayer = Replayer::new(system);
        let state = replayer.start()?;
        let entered = state.clocks.clone();
        Ok(Execution { replayer, passed: Vec::new(), step: 0, edges: Vec::new(), entered, delay: Ratio::ZERO, state })
    }

    /// The present state.
    #[must_use]
    pub fn state(&self) -> &ConcreteState {
        &self.state
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// Why time can't pass like this.
    pub fn wait(&mut self, delay: Ratio) -> Result<(), Refusal> {
        self.replayer.delay(&mut self.state, delay, self.step)?;
        self.delay = self.delay.plus(delay).ok_or(Refusal::Unclear(self.step, super::DIGITS))?;
        Ok(())
    }

    /// Takes a transition.
    ///
    /// # Errors
    /// Why it can't be taken.
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

    /// Ends the run here, in a state of the goal if there is one. Returns the states that it passes.
    ///
    /// # Errors
    /// The state is not in the goal, or that is not known.
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

/// Runs a trace. Returns the states that it passes.
///
/// # Errors
/// Why it is not a run of the system, or does not end in a state of the goal.
pub fn replay(system: &System, trace: &Trace, goal: Option<&Formula>) -> Result<Vec<Visit>, Refusal> {
    let mut run = Vec::new();
    replay_each(system, trace, goal, &mut |visit| {
        run.push(visit);
        true
    })?;
    Ok(run)
}

/// Runs a trace, and hands out each state that it passes when it leaves that. Rows can be long and
/// traces too, so that not everybody wants to keep them all. Returns whether the trace was run to
/// its end: `each` says whether to go on.
///
/// # Errors
/// Why it is not a run of the system, or does not end in a state of the goal.
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
