//! Clock values as integers, in one of two views of time.
//!
//! # Regions
//!
//! A valuation is replaced by a representative of its region. That is exact, whatever the constraints are. Let every
//! comparison of a clock with a number have |number| ≤ m, every comparison of a difference |number| ≤ d, and let no
//! clock be set to more than r. Call two valuations *equivalent* if
//!
//! 1. they agree on `x < c`, `x == c` for every clock x and 0 ≤ c ≤ m;
//! 2. they order the fractions of the clocks up to m alike, and agree on which of those fractions are zero;
//! 3. if differences are compared at all: they agree on `x - y < c`, `x - y == c` for all clocks and |c| ≤ d, and
//!    m ≥ d + r.
//!
//! Equivalent valuations satisfy the same constraints. A delay of one can be answered by a delay of the other so that
//! the results are equivalent: 1 and 2 are Alur's and Dill's argument, and differences do not change. So can setting
//! x to c ≤ r: 1 and 2 are clear, and `x - y` compares with a number e, |e| ≤ d, as y does with c - e ≤ r + d ≤ m. So
//! can `x = y`: x inherits all that is known about y. And so can `x = y + p` if p ≥ 0 and no differences are compared:
//! a y above m stays above. Equivalence is thus a bisimulation in which delays count as one kind of step, and an
//! explorer may go on from any valuation equivalent to the one it has reached. With `x = y + p` in the other cases
//! there is no such finite relation (reachability is undecidable then); values are kept as they are, and the limit on
//! states ends the search.
//!
//! A region is represented with fractions that are multiples of 1/(n+1), n clocks: the i-th smallest fraction that is
//! not zero becomes i/(n+1). In these units everything is an integer. Time passes region by region: if a fraction is
//! zero, all move by 1/(n+1), which keeps their order; otherwise the clocks with the largest fraction, and only those,
//! move to their next whole number.
//!
//! # Ticks
//!
//! Time passes in steps of 1/k. Every run of this kind is a run of the model, so what is found is really there. For
//! k = 1 nothing is missed either if all constraints are closed: a clock's value is now - then + c for some moment
//! `then` at which it was set, so a run is a list of moments that satisfy `t_i - t_j <= c` with whole numbers c, and
//! rounding all moments in the same way preserves that (Henzinger, Manna and Pnueli, "What good are digital clocks?",
//! 1992). See [`super::ticks_are_exact`] for what else counts as a strict constraint.
//!
//! No k is fine enough for strict constraints in general, whatever the number of clocks: a loop that needs a strictly
//! larger fraction each time, counted by an integer up to N, needs k > N. A test has the model. Regions have no such
//! limit, since a representative may be exchanged after every step.
//!
//! Values count half steps, so that the open interval between two ticks has a representative: no constraint changes
//! its truth inside of it.
//!
//! # Bounds
//!
//! m, d and r are not computed beforehand. The search starts with zero; a comparison with a larger number ends it with
//! [`Widen`], and it starts again with that number. This is sound: up to the first such comparison the relation above
//! holds for the constraints that were looked at.

use super::Time;

/// A constraint or update went beyond the bounds, which are larger now: start again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widen;

/// Which values are told apart.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// The largest number that a clock is compared with.
    plain: i64,
    /// The largest number that a difference of clocks is compared with, if any is.
    diagonal: Option<i64>,
    /// The largest number that a clock is set to.
    reset: i64,
    /// Whether large values are made smaller at all.
    capped: bool,
}

impl Bounds {
    pub(super) fn new() -> Bounds {
        Bounds { plain: 0, diagonal: None, reset: 0, capped: true }
    }
}

/// The values of all clocks, that of the reference first.
pub(super) type Values = Vec<i64>;

/// How clock values are kept. All values are in units, [`Clocks::unit`] of which make one time unit of the model.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    time: Time,
    unit: i64,
    stopwatches: bool,
    pub(super) bounds: Bounds,
}

impl Clocks {
    /// For `count` clocks, the reference included.
    pub(super) fn new(time: Time, count: usize, stopwatches: bool, bounds: Bounds) -> Clocks {
        let unit = match time {
            Time::Regions => count as i64,
            Time::Ticks(k) => 2 * i64::from(k.max(1)),
        };
        Clocks { time, unit, stopwatches, bounds }
    }

    /// A number of time units.
    pub(super) fn scaled(&self, value: i32) -> i64 {
        i64::from(value) * self.unit
    }

    /// A value in whole time units, rounded down.
    pub(super) fn whole(&self, value: i64) -> i32 {
        value.div_euclid(self.unit) as i32
    }

    /// `left - right < bound`, or `<=`.
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
            // A difference with a clock that stands still changes with time.
            self.bounds.capped &= !self.stopwatches;
            return Err(Widen);
        }
        let (difference, bound) = (values[left] - values[right], bound * self.unit);
        Ok(if strict { difference < bound } else { difference <= bound })
    }

    /// `clock = value`
    pub(super) fn set(&mut self, values: &mut [i64], clock: usize, value: i32) -> Result<(), Widen> {
        if i64::from(value) > self.bounds.reset {
            self.bounds.reset = i64::from(value);
            // Nothing was capped by this number unless differences are compared, so there is no need to start again.
            if self.bounds.diagonal.is_some() {
                return Err(Widen);
            }
        }
        values[clock] = self.scaled(value);
        Ok(())
    }

    /// `clock = from + plus`
    pub(super) fn copy(&mut self, values: &mut [i64], clock: usize, from: usize, plus: i32) -> Result<(), Widen> {
        let safe = plus == 0 || plus > 0 && self.bounds.diagonal.is_none();
        if self.bounds.capped && !safe {
            self.bounds.capped = false;
            return Err(Widen);
        }
        values[clock] = values[from] + self.scaled(plus);
        Ok(())
    }

    /// The value of a clock in half units, odd between two whole numbers; anything above twice `most` for values above
    /// that.
    pub(super) fn halves(&mut self, values: &[i64], clock: usize, most: i64) -> Result<i64, Widen> {
        if self.bounds.plain < most {
            self.bounds.plain = most;
            return Err(Widen);
        }
        let value = values[clock];
        let between = i64::from(value.rem_euclid(self.unit) != 0);
        Ok(2 * value.div_euclid(self.unit) + between)
    }

    /// Values up to this are told apart one by one.
    fn limit(&self) -> i64 {
        let Bounds { plain, diagonal, reset, .. } = self.bounds;
        diagonal.map_or(plain, |d| plain.max(d + reset)) * self.unit
    }

    /// By how much a large value may be changed without a change of its fraction, or of its place on the grid.
    fn grain(&self) -> i64 {
        match self.time {
            Time::Regions => self.unit,
            Time::Ticks(_) => 2,
        }
    }

    /// Replaces the values by equivalent ones, of which there are finitely many.
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

    /// Moves clocks above the limit down, together with all clocks above them. Differences up to `gap` stay as they
    /// are, larger ones stay larger, and so do values above the limit.
    fn close_gaps(&self, values: &mut [i64], gap: i64) {
        let (limit, grain) = (self.limit(), self.grain());
        let mut order: Vec<usize> = (1..values.len()).collect();
        order.sort_unstable_by_key(|&i| values[i]);
        let (mut below, mut below_new, mut shift) = (0, 0, 0);
        for i in order {
            let value = values[i];
            // The reference is below all; what is above the limit is farther from it than any gap that counts.
            if value > limit && value - below > gap {
                let least = limit.max(below_new + gap);
                shift += ((value - shift - least - 1) / grain).max(0) * grain;
            }
            values[i] = value - shift;
            (below, below_new) = (value, value - shift);
        }
    }

    /// Whether the fraction of a value counts.
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

    /// The next region, and whether time can pass inside of it.
    pub(super) fn next_region(&self, values: &[i64]) -> (Values, bool) {
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

    /// The values half a tick later, where some clocks stand still.
    pub(super) fn half_tick(&self, values: &[i64], stopped: &[bool]) -> Values {
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
        // Units of 1/3: x = 0, y = 1/3 after y has been ahead, both up to 1.
        let c = clocks(Time::Regions, 3, 1, None);
        let mut values = vec![0, 0, 1];
        let mut seen = Vec::new();
        for _ in 0..6 {
            let (next, open) = c.next_region(&values);
            seen.push((next[1], next[2], open));
            values = next;
        }
        // Values above the limit are all 6.
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
    fn gaps_are_closed_and_small_differences_kept() {
        // Whole numbers, in units of a half: limit 5, differences up to 2.
        let c = clocks(Time::Ticks(1), 5, 5, Some(2));
        let normal = |v: [i64; 4]| {
            let mut values: Values = [0].into_iter().chain(v.map(|x| 2 * x)).collect();
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

    /// The relation of the text above, word for word; values up to 4 are told apart.
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
