//! What is observed along a run.

use model::{
    Formula,
    stochastic::{PathGoal, PathProperty, RealTerm, RunMeasure},
};

use crate::{grid::Ticks, problem::RunFault, state::RunState};

/// Observes a run.
pub(crate) trait Watch {
    /// Looks at a state in which time passes for a while; `None`: for ever. Returns whether the run
    /// is decided.
    ///
    /// # Errors
    /// An expression fails.
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault>;
}

/// Finds out whether a run has a property.
pub(crate) struct PathWatch<'q> {
    path: &'q PathGoal,
    /// The moment from which on states count, in time units.
    from: f64,
    /// Whether the run has the property, as far as it goes.
    pub holds: bool,
    /// The moment at which that was decided.
    pub decided: Option<Ticks>,
}

impl<'q> PathWatch<'q> {
    pub(crate) fn new(property: &'q PathProperty) -> PathWatch<'q> {
        let from = match property.bound.measure {
            RunMeasure::Time { from } => from,
            RunMeasure::Clock(_) | RunMeasure::Steps => 0.0,
        };
        let holds = matches!(property.path, PathGoal::Never(_));
        PathWatch { path: &property.path, from, holds, decided: None }
    }

    fn decide(&mut self, holds: bool, state: &RunState<'_>, delay: Ticks) -> bool {
        self.holds = holds;
        self.decided = Some(state.time.saturating_add(delay));
        true
    }
}

impl Watch for PathWatch<'_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        let mut start = 0;
        if self.from > 0.0 {
            // The first moment on the grid that is not earlier.
            let from = -state.grid.floor(-self.from);
            start = (from - state.time).max(0);
            if delay.is_some_and(|delay| delay < start) {
                return Ok(false);
            }
        }
        Ok(match self.path {
            PathGoal::Finally(p) => match state.earliest(p, start, delay)? {
                Some(at) => self.decide(true, state, at),
                None => false,
            },
            PathGoal::Never(p) => match state.earliest(p, start, delay)? {
                Some(at) => self.decide(false, state, at),
                None => false,
            },
            PathGoal::Until(not_p, q) => {
                let (reached, left) = (state.earliest(q, start, delay)?, state.earliest(not_p, start, delay)?);
                match (reached, left) {
                    (Some(reached), left) if left.is_none_or(|left| reached <= left) => {
                        self.decide(true, state, reached)
                    }
                    (_, Some(left)) => self.decide(false, state, left),
                    _ => false,
                }
            }
        })
    }
}

/// Finds the greatest or the least value of an expression.
pub(crate) struct ExtremeWatch<'q> {
    value: &'q RealTerm,
    maximum: bool,
    /// The value.
    pub extreme: Option<f64>,
}

impl<'q> ExtremeWatch<'q> {
    pub(crate) fn new(value: &'q RealTerm, maximum: bool) -> ExtremeWatch<'q> {
        ExtremeWatch { value, maximum, extreme: None }
    }
}

impl Watch for ExtremeWatch<'_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        // The expression is linear in the delay. Where nothing ever ends the delay, the run has
        // ended.
        let ends = [Some(0), delay.filter(|delay| *delay > 0 && !self.value.is_constant_in_time())];
        for at in ends.into_iter().flatten() {
            let value = state.value(self.value, at)?;
            let better = |best: f64| if self.maximum { value.max(best) } else { value.min(best) };
            self.extreme = Some(self.extreme.map_or(value, better));
        }
        Ok(false)
    }
}

/// The values of expressions at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The moment, in time units.
    pub time: f64,
    /// The values.
    pub values: Vec<f64>,
}

/// Keeps the values of expressions along a run.
pub(crate) struct Trajectory<'q> {
    values: &'q [RealTerm],
    filter: Option<&'q Formula>,
    /// The values where they change, or where their slope does.
    pub samples: Vec<Sample>,
    /// Whether the run has reached the condition.
    pub is_kept: bool,
}

impl<'q> Trajectory<'q> {
    pub(crate) fn new(values: &'q [RealTerm], filter: Option<&'q Formula>) -> Trajectory<'q> {
        Trajectory { values, filter, samples: Vec::new(), is_kept: filter.is_none() }
    }

    fn sample(&mut self, state: &mut RunState<'_>, delay: Ticks) -> Result<(), RunFault> {
        let mut values = Vec::with_capacity(self.values.len());
        for value in self.values {
            values.push(state.value(value, delay)?);
        }
        let sample = Sample { time: state.grid.time(state.time.saturating_add(delay)), values };
        // Of equal values in a row, the first and the last are enough.
        if let [.., before, last] = &mut self.samples[..]
            && before.values == last.values
            && last.values == sample.values
        {
            *last = sample;
        } else if self.samples.last() != Some(&sample) {
            self.samples.push(sample);
        }
        Ok(())
    }
}

impl Watch for Trajectory<'_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        self.sample(state, 0)?;
        if let Some(delay) = delay.filter(|delay| *delay > 0) {
            self.sample(state, delay)?;
        }
        if let Some(filter) = self.filter.filter(|_| !self.is_kept) {
            self.is_kept = state.earliest(filter, 0, delay)?.is_some();
        }
        Ok(false)
    }
}
