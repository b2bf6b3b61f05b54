//! The grid of time: moments are integer multiples of a power of two.
//!
//! All arithmetic on such moments is exact, so that a run can be executed again with rational
//! numbers, and `x < 5` ends one step of the grid before 5.

use model::{
    Ratio,
    simulate::Cut,
    stochastic::{RunBound, RunMeasure},
    system::Operand,
};

use crate::{network::Network, problem::RunFault};

/// A moment or a duration, in steps of the grid.
pub type Ticks = i64;

/// The limit on moments and on values of clocks. Sums and differences of two fit into 64 bits.
pub(crate) const MOST: Ticks = 1 << 61;
/// Constants beyond this are as good as infinite: no clock reaches them.
const FAR: Ticks = 1 << 62;
/// The number of bits after the point, if constants and bounds leave room for so many.
const USUAL: u32 = 32;

/// The step of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of bits after the point.
    bits: u32,
}

impl Grid {
    /// Returns a grid that is fine enough for rates, and wide enough for constants and the bounds
    /// of runs.
    #[must_use]
    pub fn new(network: &Network<'_>, bounds: &[RunBound]) -> Grid {
        let mut most = 1.0_f64;
        let system = network.system;
        let guards = system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
        for constraint in guards.flat_map(|guard| &guard.clocks) {
            let (low, high) = match constraint.bound {
                Operand::Const(n) => (n as f64, n as f64),
                Operand::Code { low, high, .. } => (f64::from(low), f64::from(high)),
            };
            most = most.max(low.abs()).max(high.abs());
        }
        for bound in bounds.iter().filter(|bound| bound.measure != RunMeasure::Steps) {
            most = most.max(bound.limit);
        }
        // A delay at the greatest rate is a thousand steps on average.
        let rate = libm::ceil(libm::log2(network.greatest_rate().max(1.0))) as u32;
        let room = 60_u32.saturating_sub(libm::ceil(libm::log2(most)) as u32);
        Grid { bits: USUAL.max(rate + 10).min(room) }
    }

    /// Returns a whole number of time units in steps; a huge one becomes [`FAR`].
    #[must_use]
    pub(crate) fn whole(self, number: i64) -> Ticks {
        let wide = i128::from(number) << self.bits;
        wide.clamp(i128::from(-FAR), i128::from(FAR)) as Ticks
    }

    /// Returns the greatest moment that is not later than a number of time units.
    #[must_use]
    #[inline]
    pub(crate) fn floor(self, time: f64) -> Ticks {
        let steps = time * self.step_count();
        if steps >= FAR as f64 {
            return FAR;
        }
        // Numbers without a fraction are as they are, and others are small.
        let whole = steps as Ticks;
        if whole as f64 > steps { whole.saturating_sub(1) } else { whole }
    }

    /// Returns a duration in time units.
    #[must_use]
    #[inline]
    pub(crate) fn time(self, ticks: Ticks) -> f64 {
        ticks as f64 / self.step_count()
    }

    /// Returns a duration as a fraction, if it fits.
    #[must_use]
    pub fn ratio(self, ticks: Ticks) -> Option<Ratio> {
        Ratio::new(ticks, 1 << self.bits)
    }

    /// Returns the first delay on the grid that is not before a cut; `None` if it is too long.
    #[must_use]
    pub(crate) fn first_after(self, cut: Cut) -> Option<Ticks> {
        let wide = i128::from(cut.at.numerator()) << self.bits;
        let (whole, rest) =
            (wide.div_euclid(i128::from(cut.at.denominator())), wide.rem_euclid(i128::from(cut.at.denominator())));
        let next = if rest > 0 || cut.after { whole + 1 } else { whole };
        Ticks::try_from(next.max(0)).ok()
    }

    /// Returns the number of steps in a unit of time.
    fn step_count(self) -> f64 {
        // The exponent of a floating-point number, which has no other bits.
        f64::from_bits(u64::from(1023 + self.bits) << 52)
    }
}

/// Returns `value + rate * delay`.
#[inline]
pub(crate) fn later(value: Ticks, rate: i32, delay: Ticks) -> Result<Ticks, RunFault> {
    let sum = match rate {
        0 => return Ok(value),
        1 => value.checked_add(delay),
        _ => delay.checked_mul(i64::from(rate)).and_then(|by| value.checked_add(by)),
    };
    sum.filter(|sum| (-MOST..=MOST).contains(sum)).ok_or(RunFault::TooLate)
}
