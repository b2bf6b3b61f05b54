//! What is observed along a run.

use model::stochastic::{PathGoal, PathProperty, RealTerm, RunFormula, RunMeasure};

use crate::{grid::Ticks, network::LOOK_AHEAD, problem::RunFault, signals::Signals, state::RunState};

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
    measure: RunMeasure,
    /// The moment from which on states count, in time units.
    from: f64,
    /// Whether the run has the property, as far as it goes.
    pub holds: bool,
    /// The moment at which that was decided.
    pub decided: Option<Ticks>,
    /// What the bound of the run measures, at that moment.
    pub measured: Option<f64>,
    /// The truth of the conditions of a formula with intervals.
    signals: Option<Signals<'q>>,
}

impl<'q> PathWatch<'q> {
    pub(crate) fn new(property: &'q PathProperty) -> PathWatch<'q> {
        let from = match property.bound.measure {
            RunMeasure::Time { from } => from,
            RunMeasure::Clock(_) | RunMeasure::Steps => 0.0,
        };
        let holds = matches!(property.path, PathGoal::Never(_));
        let signals = if let PathGoal::Timed(goal) = &property.path { Some(Signals::new(goal)) } else { None };
        let (path, measure) = (&property.path, property.bound.measure);
        PathWatch { path, measure, from, holds, decided: None, measured: None, signals }
    }

    /// Returns whether the run, which has ended, has the property.
    pub(crate) fn verdict(&self) -> bool {
        self.signals.as_ref().map_or(self.holds, Signals::holds_at_start)
    }

    fn decide(&mut self, holds: bool, state: &mut RunState<'_>, delay: Ticks) -> Result<bool, RunFault> {
        let moment = state.time.saturating_add(delay);
        self.holds = holds;
        self.decided = Some(moment);
        self.measured = Some(match self.measure {
            RunMeasure::Time { .. } => state.grid.time(moment),
            RunMeasure::Clock(clock) => state.value(&RealTerm::Clock(clock), delay)?,
            RunMeasure::Steps => state.steps as f64,
        });
        Ok(true)
    }
}

impl Watch for PathWatch<'_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        if let Some(signals) = &mut self.signals {
            signals.look(state, delay.unwrap_or(0))?;
            return Ok(false);
        }
        let mut start = 0;
        if self.from > 0.0 {
            // The first moment on the grid that is not earlier.
            let from = -state.grid.floor(-self.from);
            start = (from - state.time).max(0);
            if delay.is_some_and(|delay| delay < start) {
                return Ok(false);
            }
        }
        match self.path {
            PathGoal::Finally(p) => match state.earliest(p, start, delay)? {
                Some(at) => self.decide(true, state, at),
                None => Ok(false),
            },
            PathGoal::Never(p) => match state.earliest(p, start, delay)? {
                Some(at) => self.decide(false, state, at),
                None => Ok(false),
            },
            PathGoal::Timed(_) => Ok(false),
            PathGoal::Until(not_p, q) => {
                let (reached, left) = (state.earliest(q, start, delay)?, state.earliest(not_p, start, delay)?);
                match (reached, left) {
                    (Some(reached), left) if left.is_none_or(|left| reached <= left) => {
                        self.decide(true, state, reached)
                    }
                    (_, Some(left)) => self.decide(false, state, left),
                    _ => Ok(false),
                }
            }
        }
    }
}

/// Looks at the start and the end of a delay, and at moments between them if one of some
/// expressions is not linear there.
fn each_sample<'a>(
    state: &mut RunState<'a>,
    values: &[&RealTerm],
    end: Ticks,
    mut look: impl FnMut(&mut RunState<'a>, Ticks) -> Result<(), RunFault>,
) -> Result<(), RunFault> {
    look(state, 0)?;
    if end == 0 {
        return Ok(());
    }
    let bends = |value: &&RealTerm| !value.is_linear_in_time() || state.is_curved() && !value.is_constant_in_time();
    if values.iter().any(bends) {
        // Long delays have as many samples as anything can have that is looked for.
        let step = state.sampling().max(end / LOOK_AHEAD);
        let mut at = step;
        while at < end {
            look(state, at)?;
            at = at.saturating_add(step);
        }
    }
    look(state, end)
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
        // Where nothing ever ends the delay, the run has ended.
        let end = delay.unwrap_or(0);
        each_sample(state, &[self.value], end, |state, at| {
            let value = state.value(self.value, at)?;
            let better = |best: f64| if self.maximum { value.max(best) } else { value.min(best) };
            self.extreme = Some(self.extreme.map_or(value, better));
            Ok(())
        })?;
        Ok(false)
    }
}

/// Moments of a run, each with the values of some expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The number of expressions.
    values: usize,
    /// For each moment, in time units, the moment and the values: millions of runs may be kept, so
    /// that they are in one block.
    numbers: Vec<f64>,
}

impl Samples {
    /// Returns the moments with their values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (f64, &[f64])> {
        self.numbers.chunks_exact(self.values + 1).map(|sample| (sample[0], &sample[1..]))
    }

    /// Returns the number of moments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len() / (self.values + 1)
    }

    /// Returns whether there is no moment.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the moments, each before its values.
    pub(crate) fn into_numbers(mut self) -> Vec<f64> {
        self.numbers.shrink_to_fit();
        self.numbers
    }

    /// Returns the moments with the values of so many expressions.
    pub(crate) fn of_numbers(values: usize, numbers: Vec<f64>) -> Samples {
        Samples { values, numbers }
    }

    /// Returns the memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.len() * size_of::<f64>()
    }

    /// Adds the moment that was written after all others. Of equal values in a row, the first and
    /// the last are enough.
    fn complete(&mut self) {
        let (width, length) = (self.values + 1, self.len());
        let at = |number: usize| &self.numbers[(length - number) * width..][..width];
        if length >= 3 && at(1)[1..] == at(2)[1..] && at(2)[1..] == at(3)[1..] {
            let moment = at(1)[0];
            self.numbers.truncate((length - 1) * width);
            self.numbers[(length - 2) * width] = moment;
        } else if length >= 2 && at(1) == at(2) {
            self.numbers.truncate((length - 1) * width);
        }
    }
}

/// Keeps the values of expressions along a run.
pub(crate) struct Trajectory<'q> {
    values: &'q [RealTerm],
    filter: Option<&'q RunFormula>,
    /// The values where they change, or where their slope does.
    pub samples: Samples,
    /// Whether the run has reached the condition.
    pub is_kept: bool,
}

impl<'q> Trajectory<'q> {
    pub(crate) fn new(values: &'q [RealTerm], filter: Option<&'q RunFormula>) -> Trajectory<'q> {
        let samples = Samples { values: values.len(), numbers: Vec::new() };
        Trajectory { values, filter, samples, is_kept: filter.is_none() }
    }

    fn sample(&mut self, state: &mut RunState<'_>, delay: Ticks) -> Result<(), RunFault> {
        self.samples.numbers.push(state.grid.time(state.time.saturating_add(delay)));
        for value in self.values {
            self.samples.numbers.push(state.value(value, delay)?);
        }
        self.samples.complete();
        Ok(())
    }
}

impl Watch for Trajectory<'_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        let all: Vec<&RealTerm> = self.values.iter().collect();
        each_sample(state, &all, delay.unwrap_or(0), |state, at| self.sample(state, at))?;
        if let Some(filter) = self.filter.filter(|_| !self.is_kept) {
            self.is_kept = state.earliest(filter, 0, delay)?.is_some();
        }
        Ok(false)
    }
}
