//! When two states can do the same for ever.

use crate::{
    code::Op,
    property::Formula,
    ratio::Ratio,
    replay::ConcreteState,
    system::{ClockConstraint, ClockTerm, System},
};

/// What a system and some formulas can tell about the values of clocks.
///
/// Let m be the largest number that a clock is compared with anywhere, d the largest that a
/// difference is compared with, and r the largest that a clock is set to. Two states are
/// *equivalent* if they have the same row (meta variables apart) and
///
/// 1. clock by clock, either both values are above m or both have the same whole part and are whole
///    numbers, both or neither;
/// 2. the fractions of the clocks that are not above are in the same order;
/// 3. for clocks whose differences are compared, m is at least d + r, and differences are, both or
///    neither, less than or equal to each whole number up to d in size.
///
/// What one of two equivalent states can do by a delay and a transition the other can do too,
/// perhaps with another delay, so that the results are equivalent, and no moment of either delay
/// tells them apart. Without 3 these are the regions of Alur and Dill. Differences do not change
/// with time; and if x is set to c, then x - y compares with a number as y does with c less that
/// number, which is at most d + r.
///
/// A clock that is set to another one inherits all that is known about that, if all clocks have the
/// same m and d. A number may be added to it if differences are not compared and it is not
/// negative: what is above m stays above. Where a model does anything else, or stops clocks, only
/// equal states count as equivalent.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The number m of each clock; -1: not compared.
    most: Vec<i64>,
    /// The clocks whose differences are compared.
    linked: Vec<bool>,
    /// The number d.
    apart: i64,
    only_equal: bool,
    identity: usize,
}

impl Regions {
    /// Those of a system and of what is asked about it.
    #[must_use]
    pub fn new(system: &System, formulas: &[&Formula]) -> Regions {
        let clocks = system.clocks.len();
        let only_equal = system.locations.iter().any(|l| !l.rates.is_empty());
        let mut regions = Regions {
            most: vec![-1; clocks],
            linked: vec![false; clocks],
            apart: -1,
            only_equal,
            identity: system.identity,
        };
        let guards = system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
        for c in guards.flat_map(|g| &g.clocks) {
            regions.constraint(c);
        }
        for formula in formulas {
            regions.formula(formula);
        }
        regions.updates(system);
        regions
    }

    fn updates(&mut self, system: &System) {
        let differences = self.apart >= 0;
        let initial = system.clocks.iter().map(|c| c.initial).max().unwrap_or(0);
        let reset = i64::from(system.largest_reset.max(initial));
        let copies = system.code.ops().any(|op| matches!(op, Op::CopyClock { .. }));
        let (low, high) = system.offsets;
        self.only_equal |= copies && (low < 0 || high > 0 && differences);
        for (most, linked) in self.most.iter_mut().zip(&self.linked) {
            if *linked {
                *most = (*most).max(self.apart + reset);
            }
        }
        if copies {
            let all = self.most.iter().copied().max().unwrap_or(-1);
            self.most.fill(all);
            self.linked.fill(differences);
        }
    }

    fn constraint(&mut self, c: &ClockConstraint) {
        let (low, high) = c.bound.range();
        let size = low.abs().max(high.abs());
        let difference = c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
        if difference {
            self.apart = self.apart.max(size);
        }
        for term in [c.left, c.right] {
            let clocks = match term {
                ClockTerm::Clock(x) => x.0..x.0 + 1,
                ClockTerm::Element { first, count, .. } => first.0..first.0 + count,
            };
            for x in clocks {
                self.most[x as usize] = self.most[x as usize].max(size);
                self.linked[x as usize] |= difference;
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.constraint(c),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|p| syntax::grow(|| self.formula(p))),
            _ => {}
        }
    }

    /// Whether only equal states are equivalent.
    #[must_use]
    pub fn only_equal(&self) -> bool {
        self.only_equal
    }

    /// Whether two states are equivalent.
    #[must_use]
    pub fn equivalent(&self, a: &ConcreteState, b: &ConcreteState) -> bool {
        if a.row[..self.identity] != b.row[..self.identity] {
            return false;
        }
        if a.clocks == b.clocks {
            return true;
        }
        if self.only_equal {
            return false;
        }
        let above = |x: usize, v: Ratio| v > whole(self.most[x]);
        let mut small = Vec::new();
        for x in 1..a.clocks.len() {
            let (v, w) = (a.clocks[x], b.clocks[x]);
            if above(x, v) && above(x, w) {
                continue;
            }
            if above(x, v) != above(x, w) || v.floor() != w.floor() {
                return false;
            }
            let (Some(f), Some(g)) = (v.minus(whole(v.floor())), w.minus(whole(w.floor()))) else { return false };
            small.push((f, g));
        }
        small.push((Ratio::ZERO, Ratio::ZERO));
        let linked: Vec<usize> = (1..a.clocks.len()).filter(|x| self.linked[*x]).collect();
        let side = |state: &ConcreteState, x: usize, y: usize| {
            let (n, whole_number) = state.clocks[x].floor_minus(state.clocks[y]);
            // All beyond the number is alike: at least its successor, or below its negation.
            let apart = i128::from(self.apart);
            let beyond = n > apart || n == apart && !whole_number;
            if beyond {
                (apart + 1, true)
            } else if n < -apart {
                (-apart - 1, true)
            } else {
                (n, whole_number)
            }
        };
        let alike = |x: usize, y: usize| side(a, x, y) == side(b, x, y);
        if linked.iter().any(|x| linked.iter().any(|y| !alike(*x, *y))) {
            return false;
        }
        small.iter().all(|(f, g)| small.iter().all(|(h, i)| f.cmp(h) == g.cmp(i)))
    }
}

fn whole(n: i64) -> Ratio {
    Ratio::new(n, 1).unwrap_or(Ratio::ZERO)
}
