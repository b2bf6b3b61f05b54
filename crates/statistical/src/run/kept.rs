//! Runs that are kept.

use model::{
    stochastic::{PathProperty, RunBound},
    system::EdgeId,
};

use super::Runner;
use crate::{
    grid::Ticks,
    problem::{RunFault, RunProblem},
    state::RunState,
    watch::{PathWatch, Watch},
};

/// A transition of a run, with the delay before it.
pub type Step = (Ticks, Vec<EdgeId>);

/// A run that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// Its transitions.
    pub steps: Vec<Step>,
    /// The random numbers that the updates of each transition have drawn.
    pub draws: Vec<Vec<f64>>,
    /// The delay after the last one.
    pub last_delay: Ticks,
    /// Why it has ended before its bound, if it has.
    pub problem: Option<RunProblem>,
}

/// What is kept of a run.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) steps: Vec<Step>,
    pub(super) draws: Vec<Vec<f64>>,
    /// The moment of the last transition.
    pub(super) before: Ticks,
}

impl Runner<'_> {
    /// Makes a run to its bound, and keeps its transitions.
    pub fn recorded(&mut self, seed: u64, number: u64, bound: &RunBound) -> RecordedRun {
        self.record = Some(Default::default());
        let mut passed = Passed::default();
        let problem = self.run((seed, number), bound, &mut passed).err();
        let Record { steps, draws, .. } = self.record.take().unwrap_or_default();
        RecordedRun { steps, draws, last_delay: passed.delay, problem }
    }

    /// Makes a run until it is decided whether it has a property, and keeps its transitions up to
    /// that moment. `None`: it is not decided before its end, or can't go on.
    pub(crate) fn decided(&mut self, seed: u64, number: u64, path: &PathProperty) -> Option<(Vec<Step>, Ticks)> {
        self.record = Some(Default::default());
        let mut watch = PathWatch::new(path);
        let made = self.run((seed, number), &path.bound, &mut watch);
        let Record { steps, before, .. } = self.record.take().unwrap_or_default();
        made.ok().and(watch.decided).map(|moment| (steps, moment - before))
    }
}

/// Measures the time since the last transition.
#[derive(Default)]
struct Passed {
    delay: Ticks,
    /// The number of transitions before the delay.
    steps: u64,
}

impl Watch for Passed {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        if self.steps != state.steps {
            (self.delay, self.steps) = (0, state.steps);
        }
        self.delay += delay.unwrap_or(0);
        Ok(false)
    }
}
