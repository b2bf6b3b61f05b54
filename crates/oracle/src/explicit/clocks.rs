//! Clock values as integers, in one of two models of time.
//!
//! # Regions
//!
//! A valuation is replaced by a representative of its region. This is exact for all constraints.
//! Let every comparison of a clock with a number have |number| ≤ m, every comparison of a
//! difference |number| ≤ d, and let no clock be set to more than r. Call two valuations
//! *equivalent* if
//!
//! 1. they agree on `x < c`, `x == c` for every clock x and 0 ≤ c ≤ m;
//! 2. they order the fractions of the clocks up to m alike, and agree on which of those fractions
//!    are zero;
//! 3. if differences are compared at all: they agree on `x - y < c`, `x - y == c` for all clocks
//!    and |c| ≤ d, and m ≥ d + r.
//!
//! Equivalent valuations satisfy the same constraints. A delay of one is matched by a delay of the
//! other such that the results are equivalent: 1 and 2 are the argument of Alur and Dill, and
//! differences do not change. Setting x to c ≤ r preserves equivalence: 1 and 2 are clear, and
//! `x - y` compares with a number e, |e| ≤ d, as y does with c - e ≤ r + d ≤ m. So does `x = y`: x
//! inherits everything that is known about y. And so does `x = y + p` if p ≥ 0 and no differences
//! are compared: a y above m stays above. Equivalence is thus a time-abstract bisimulation, and an
//! explorer may continue from any valuation that is equivalent to the one it has reached. For
//! `x = y + p` in the other cases there is no such finite relation (reachability is undecidable);
//! values are then kept as they are, and the limit on states ends the search.
//!
//! A region is represented by fractions that are multiples of 1/(n+1), for n clocks: the i-th
//! smallest nonzero fraction becomes i/(n+1). In these units every value is an integer. Time passes
//! region by region: if a fraction is zero, all clocks advance by 1/(n+1), which keeps their order;
//! otherwise exactly the clocks with the largest fraction advance to their next integer.
//!
//! # Ticks
//!
//! Time passes in steps of 1/k. Every such run is a run of the model, so this is an
//! underapproximation. For k = 1 it is exact if all constraints are closed: a clock's value is
//! `now - then + c` for some moment `then` at which it was set, so a run is a list of moments that
//! satisfy `t_i - t_j <= c` for integers c, and rounding all moments in the same direction
//! preserves that (Henzinger, Manna and Pnueli, "What good are digital clocks?", 1992). See
//! [`super::ticks_are_exact`] for what else counts as a strict constraint.
//!
//! No k is fine enough for strict constraints in general, independently of the number of clocks: a
//! loop that needs a strictly larger fraction each time, counted by an integer up to N, needs k >
//! N. A test has this model. Regions have no such limit, since a representative may be exchanged
//! after every step.
//!
//! ClockValues count half steps, so that the open interval between two ticks has a representative:
//! no constraint changes its truth value inside of it.
//!
//! # Bounds
//!
//! m, d and r are not computed in advance. The search starts with zero; a comparison with a larger
//! number aborts it with [`Widen`], and it restarts with that number. This is sound: up to the
//! first such comparison the relation above holds for the constraints that were evaluated.

use super::Time;

/// A constraint or update exceeded the bounds, which are larger now. The search must restart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widen;

/// The bounds up to which values are distinguished.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// The greatest number that a clock is compared with.
    plain: i64,
    /// The greatest number that a difference of clocks is compared with, if any is.
    diagonal: Option<i64>,
    /// The greatest number that a clock is set to.
    reset: i64,
    /// Whether large values are abstracted at all.
    capped: bool,
}

impl Bounds {
    pub(super) fn new() -> Bounds {
        Bounds { plain: 0, diagonal: None, reset: 0, capped: true }
    }
}

/// The values of all clocks, the reference clock first.
pub(super) type ClockValues = Vec<i64>;

/// The representation of clock values. All values are in units; [`Clocks::unit`] units are one time
/// unit of the model.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    time: Time,
    unit: i64,
    stopwatches: bool,
    pub(super) bounds: Bounds,
}

impl Clocks {
    /// Creates the representation of `count` clocks, including the reference clock.
    pub(super) fn new(time: Time, count: usize, stopwatches: bool, bounds: Bounds) -> Clocks {
        let unit = match time {
            Time::Regions => count as i64,
            Time::Ticks(k) => 2 * i64::from(k.max(1)),
        };
        Clocks { time, unit, stopwatches, bounds }
    }

    /// Converts time units of the model to units.
    pub(super) fn scaled(&self, value: i32) -> i64 {
        i64::from(value) * self.unit
    }

    /// Converts units to time units of the model, rounded down.
    pub(super) fn whole(&self, value: i64) -> i32 {
        value.div_euclid(self.unit) as i32
    }

    /// Evaluates `left - right < bound`, or `<=`.
    pub(super) fn compare(
        &mut self,
        values: &[i64],
        (left, right): (usize, usize),
        bound: i64,
        strict: bool,
    ) -> Result<bool, Widen> {
        let size = bound.abs();
        if left == 0 || right == 0 {
            if size > self.bounds.plain {
                self.bounds.plain = size;
                return Err(Widen);
            }
        } else if self.bounds.diagonal.is_none_or(|d| size > d) {
            self.bounds.diagonal = Some(size);
            // A difference with a stopped clock changes with time.
            self.bounds.capped &= !self.stopwatches;
            return Err(Widen);
        }
        let (difference, bound) = (values[left] - values[right], bound * self.unit);
        Ok(if strict { difference < bound } else { difference <= bound })
    }

    /// Executes `clock = value`.
    pub(super) fn set(&mut self, values: &mut [i64], clock: usize, value: i32) -> Result<(), Widen> {
        if i64::from(value) > self.bounds.reset {
            self.bounds.reset = i64::from(value);
            // Only differences make values depend on this bound, so without them there is no need
            // to restart.
            if self.bounds.diagonal.is_some() {
                return Err(Widen);
            }
        }
        values[clock] = self.scaled(value);
        Ok(())
    }

    /// Executes `clock = from + plus`.
    pub(super) fn copy(&mut self, values: &mut [i64], clock: usize, from: usize, plus: i32) -> Result<(), Widen> {
        let safe = plus == 0 || plus > 0 && self.bounds.diagonal.is_none();
        if self.bounds.capped && !safe {
            self.bounds.capped = false;
            return Err(Widen);
        }
        values[clock] = values[from] + self.scaled(plus);
        Ok(())
    }

    /// Returns the value of a clock in half units, odd between two integers. A value above `max`
    /// may be any number above twice `max`.
    pub(super) fn halves(&mut self, values: &[i64], clock: usize, max: i64) -> Result<i64, Widen> {
        if self.bounds.plain < max {
            self.bounds.plain = max;
            return Err(Widen);
        }
        let value = values[clock];
        let between = i64::from(value.rem_euclid(self.unit) != 0);
        Ok(2 * value.div_euclid(self.unit) + between)
    }

    /// ClockValues up to this are distinguished exactly.
    fn limit(&self) -> i64 {
        let Bounds { plain, diagonal, reset, .. } = self.bounds;
        diagonal.map_or(plain, |d| plain.max(d + reset)) * self.unit
    }

    /// Returns the step by which a large value may be changed without changing its fraction or
    /// leaving the grid.
    fn grain(&self) -> i64 {
        match self.time {
            Time::Regions => self.unit,
            Time::Ticks(_) => 2,
        }
    }

    /// Replaces the values by equivalent ones of a finite set.
    pub(super) fn normalise(&self, values: &mut [i64]) {
        if self.bounds.capped {
            match self.bounds.diagonal {
                None => self.cap(values),
                Some(d) => self.close_gaps(values, d * self.unit),
            }
        }
        if self.time == Time::Regions {
            self.rank_fractions(values);
        }
    }

    fn cap(&self, values: &mut [i64]) {
        let limit = self.limit();
        for value in values.iter_mut().filter(|v| **v > limit) {
            *value = limit + self.grain();
        }
    }

    /// Moves clocks above the limit down, together with all clocks above them. Differences up to
    /// `gap` are kept, larger ones stay larger, and values above the limit stay above.
    fn close_gaps(&self, values: &mut [i64], gap: i64) {
        let (limit, grain) = (self.limit(), self.grain());
        let mut order: Vec<usize> = (1..values.len()).collect();
        order.sort_unstable_by_key(|&i| values[i]);
        let (mut below, mut below_new, mut shift) = (0, 0, 0);
        for i in order {
            let value = values[i];
            // The reference clock is below all; a value above the limit is farther from it than any
            // relevant gap.
            if value > limit && value - below > gap {
                let least = limit.max(below_new + gap);
                shift += ((value - shift - least - 1) / grain).max(0) * grain;
            }
            values[i] = value - shift;
            (below, below_new) = (value, value - shift);
        }
    }

    /// Returns whether the fraction of a value is relevant.
    fn is_tracked(&self, value: i64) -> bool {
        !self.bounds.capped || self.bounds.diagonal.is_some() || value <= self.limit()
    }

    fn rank_fractions(&self, values: &mut [i64]) {
        let fraction = |v: i64| v.rem_euclid(self.unit);
        let mut found: Vec<i64> =
            values[1..].iter().filter(|v| self.is_tracked(**v)).map(|v| fraction(*v)).filter(|f| *f > 0).collect();
        found.sort_unstable();
        found.dedup();
        for value in values[1..].iter_mut() {
            let f = fraction(*value);
            if let Ok(rank) = found.binary_search(&f) {
                *value += rank as i64 + 1 - f;
            }
        }
    }

    /// Returns the next region, and whether time can pass inside of it.
    pub(super) fn next_region(&self, values: &[i64]) -> (ClockValues, bool) {
        let tracked: Vec<usize> = (1..values.len()).filter(|&i| self.is_tracked(values[i])).collect();
        let largest = tracked.iter().map(|&i| values[i] % self.unit).max();
        let at_border = tracked.iter().any(|&i| values[i] % self.unit == 0);
        let mut next = values.to_vec();
        for &i in &tracked {
            if at_border {
                next[i] += 1;
            } else if Some(values[i] % self.unit) == largest {
                next[i] += self.unit - values[i] % self.unit;
            }
        }
        self.normalise(&mut next);
        (next, at_border || largest.is_none())
    }

    /// Returns the values half a tick later, where some clocks are stopped.
    pub(super) fn half_tick(&self, values: &[i64], stopped: &[bool]) -> ClockValues {
        let running = |i: usize| i64::from(i > 0 && !stopped[i]);
        values.iter().enumerate().map(|(i, v)| v + running(i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Rng;

    fn clocks(time: Time, count: usize, plain: i64, diagonal: Option<i64>) -> Clocks {
        Clocks::new(time, count, false, Bounds { plain, diagonal, reset: 0, capped: true })
    }

    #[test]
    fn regions_of_two_clocks_in_the_order_of_time() {
        // Units of 1/3: x = 0, y = 1/3, up to 1.
        let c = clocks(Time::Regions, 3, 1, None);
        let mut values = vec![0, 0, 1];
        let mut seen = Vec::new();
        for _ in 0..6 {
            let (next, open) = c.next_region(&values);
            seen.push((next[1], next[2], open));
            values = next;
        }
        // All values above the limit are 6.
        assert_eq!(
            seen,
            [(1, 2, true), (1, 3, false), (1, 6, true), (3, 6, false), (6, 6, true), (6, 6, true)],
            "the last region is its own successor"
        );
    }

    #[test]
    fn fractions_keep_their_order() {
        let c = clocks(Time::Regions, 5, 9, None);
        let mut values = vec![0, 5 + 4, 10 + 2, 15, 2];
        c.normalise(&mut values);
        assert_eq!(values, [0, 5 + 2, 10 + 1, 15, 1]);
    }

    #[test]
    fn large_gaps_are_closed_and_small_differences_are_kept() {
        // Integers, in units of a half: limit 5, differences up to 2.
        let c = clocks(Time::Ticks(1), 5, 5, Some(2));
        let normal = |v: [i64; 4]| {
            let mut values: ClockValues = [0].into_iter().chain(v.map(|x| 2 * x)).collect();
            c.normalise(&mut values);
            values[1..].iter().map(|x| x / 2).collect::<Vec<i64>>()
        };
        assert_eq!(normal([5, 4, 0, 3]), [5, 4, 0, 3]);
        assert_eq!(normal([9, 9, 9, 9]), [6, 6, 6, 6]);
        assert_eq!(normal([20, 22, 30, 3]), [6, 8, 11, 3]);
        assert_eq!(normal([7, 5, 8, 20]), [7, 5, 8, 11]);
        assert_eq!(normal([8, 5, 8, 20]), [8, 5, 8, 11]);
        assert_eq!(normal([9, 5, 90, 20]), [8, 5, 14, 11]);
    }

    #[test]
    fn normal_values_are_equivalent_and_stay_as_they_are() {
        let mut rng = Rng::new(1);
        for time in [Time::Regions, Time::Ticks(1), Time::Ticks(3)] {
            for diagonal in [None, Some(0), Some(2)] {
                let c = clocks(time, 4, 4, diagonal);
                for _ in 0..2000 {
                    // Ticks are at even numbers.
                    let grain = if time == Time::Regions { 1 } else { 2 };
                    let mut before = vec![0; 4];
                    before[1..].fill_with(|| rng.below((12 * c.unit / grain) as usize) as i64 * grain);
                    let mut after = before.clone();
                    c.normalise(&mut after);
                    let mut again = after.clone();
                    c.normalise(&mut again);
                    assert_eq!(after, again, "{before:?}");
                    assert!(equivalent(&c, &before, &after), "{before:?} {after:?}");
                }
            }
        }
    }

    /// The equivalence of the module documentation, literally; values up to 4 are distinguished.
    fn equivalent(c: &Clocks, a: &[i64], b: &[i64]) -> bool {
        let all = |f: &dyn Fn(usize, usize) -> bool| (1..a.len()).all(|x| (1..a.len()).all(|y| f(x, y)));
        let values = all(&|x, _| (0..=4).all(|n| a[x].cmp(&(n * c.unit)) == b[x].cmp(&(n * c.unit))));
        let order = |v: &[i64], x: usize, y: usize| (v[x] % c.unit).cmp(&(v[y] % c.unit));
        let small = |x: usize| a[x] <= 4 * c.unit;
        let fractions = all(&|x, y| !small(x) || !small(y) || order(a, x, y) == order(b, x, y));
        let differences = all(&|x, y| {
            let d = c.bounds.diagonal.unwrap_or(-1);
            (-d..=d).all(|n| (a[x] - a[y]).cmp(&(n * c.unit)) == (b[x] - b[y]).cmp(&(n * c.unit)))
        });
        values && fractions && differences
    }
}
