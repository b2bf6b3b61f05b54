//! The bound of a run.

use model::stochastic::{RunBound, RunMeasure};

use crate::{
    grid::{Grid, Ticks},
    network::LOOK_AHEAD,
    problem::RunFault,
    state::RunState,
};

/// The number of transitions without any time passing after which a run is taken to be a Zeno run.
pub(super) const MAX_AT_ONCE: u64 = 1_000_000;
/// The number of transitions after which a run is given up if the clock that bounds it has not
/// grown.
const MAX_WITHOUT_GROWTH: u64 = 10_000_000;
/// What is left of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// This much time.
    Delay(Ticks),
    /// This much time, and perhaps more.
    AtLeast(Ticks),
    /// Any time, as things are now.
    Unbounded,
    /// The state that was just entered, and no time in it.
    LastState,
}

/// Measures a run against its bound, and notices runs that never reach it.
pub(super) struct Meter<'b> {
    bound: &'b RunBound,
    /// The bound in steps of the grid, and in transitions.
    limit: Ticks,
    steps: f64,
    /// What was measured when it last grew, and the number of transitions then.
    grown: (Ticks, u64),
}

impl Meter<'_> {
    pub(super) fn new(bound: &RunBound, grid: Grid) -> Meter<'_> {
        Meter { bound, limit: grid.floor(bound.limit), steps: bound.limit.floor(), grown: (Ticks::MIN, 0) }
    }

    /// Returns what is left of the run; `None` if it has ended.
    pub(super) fn left(&mut self, state: &mut RunState<'_>) -> Result<Option<Left>, RunFault> {
        let limit = self.limit;
        match self.bound.measure {
            RunMeasure::Steps => {
                let is_last = state.steps as f64 >= self.steps;
                Ok(Some(if is_last { Left::LastState } else { Left::Unbounded }))
            }
            RunMeasure::Time { .. } => {
                // Transitions of hybrid models take longer.
                let most = if state.network.is_hybrid { MAX_AT_ONCE / 10 } else { MAX_AT_ONCE };
                if self.has_stalled(state.time, state.steps, most) {
                    return Err(RunFault::Zeno(most));
                }
                Ok((state.time <= limit).then(|| Left::Delay(limit - state.time)))
            }
            RunMeasure::Clock(clock) => {
                let clock = state.clock(clock)?;
                if state.is_analog(clock) {
                    return self.analog_left(state, clock);
                }
                let (value, rate) = (state.clocks[clock], i64::from(state.rate_of(clock)));
                if self.has_stalled(value, state.steps, MAX_WITHOUT_GROWTH) {
                    return Err(RunFault::Endless(MAX_WITHOUT_GROWTH));
                }
                if value > limit {
                    return Ok(None);
                }
                Ok(Some(if rate > 0 { Left::Delay((limit - value) / rate) } else { Left::Unbounded }))
            }
        }
    }

    /// The same for a clock with any value.
    fn analog_left(&mut self, state: &mut RunState<'_>, clock: usize) -> Result<Option<Left>, RunFault> {
        let (value, limit) = (state.clock_at(clock, 0)?, self.bound.limit);
        if self.has_stalled(state.grid.floor(value), state.steps, MAX_WITHOUT_GROWTH) {
            return Err(RunFault::Endless(MAX_WITHOUT_GROWTH));
        }
        if value > limit {
            return Ok(None);
        }
        if let Some((value, rate)) = state.clock_line(clock)? {
            let left = || Left::Delay(state.grid.floor((limit - value) / rate));
            return Ok(Some(if rate > 0.0 { left() } else { Left::Unbounded }));
        }
        // The clock follows a differential equation.
        let far = state.sampling() * LOOK_AHEAD;
        Ok(Some(match state.first_above(clock, limit, far)? {
            Some(at) => Left::Delay((at - 1).max(0)),
            None => Left::AtLeast(far),
        }))
    }

    fn has_stalled(&mut self, value: Ticks, steps: u64, most: u64) -> bool {
        if value > self.grown.0 {
            self.grown = (value, steps);
        }
        steps - self.grown.1 > most
    }
}
