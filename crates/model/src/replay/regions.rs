//! Region equivalence: states with the same infinite behaviour.

use crate::{
    code::Op,
    property::Formula,
    ratio::Ratio,
    replay::ConcreteState,
    system::{ClockConstraint, ClockTerm, System},
};

/// The region equivalence of a system and formulas.
///
/// Let m be the largest constant that a clock is compared with anywhere, d the largest constant
/// that a difference is compared with, and r the largest constant that a clock is set to. Two
/// states are *equivalent* if they have the same row (except for meta variables) and
///
/// 1. for each clock, either both values are above m, or both have the same integer part and either
///    both or none are integers;
/// 2. the fractional parts of the clocks that are not above m are in the same order;
/// 3. for clocks whose differences are compared, m is at least d + r, and the same of their
///    differences are less than or equal to each integer up to d in absolute value.
///
/// Each delay and transition of one of two equivalent states is matched by the other, perhaps with
/// another delay, such that the results are equivalent and no moment of the delays distinguishes
/// them. Without 3 these are the regions of Alur and Dill. Differences do not change with time. If
/// x is set to c, then x - y is compared with a constant k as y is with c - k, which is at most d +
/// r.
///
/// A clock that is set to another one inherits all that is known about it, if all clocks have the
/// same m and d. A nonnegative constant may be added if differences are not compared: values above
/// m stay above. For models that do anything else, or stop clocks, only equal states count as
/// equivalent.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The constant m of each clock; -1 if it is not compared.
    max_constants: Vec<i64>,
    /// The clocks whose differences are compared.
    linked: Vec<bool>,
    /// The constant d.
    max_difference: i64,
    only_equal: bool,
    identity: usize,
}

impl Regions {
    /// Computes the regions of a system and formulas.
    #[must_use]
    pub fn new(system: &System, formulas: &[&Formula]) -> Regions {
        let clocks = system.clocks.len();
        let only_equal = system.locations.iter().any(|l| !l.rates.is_empty());
        let mut regions = Regions {
            max_constants: vec![-1; clocks],
            linked: vec![false; clocks],
            max_difference: -1,
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
        let differences = self.max_difference >= 0;
        let initial = system.clocks.iter().map(|c| c.initial).max().unwrap_or(0);
        let reset = i64::from(system.largest_reset.max(initial));
        let copies = system.code.ops().any(|op| matches!(op, Op::CopyClock { .. }));
        let (low, high) = system.offsets;
        self.only_equal |= copies && (low < 0 || high > 0 && differences);
        for (max, linked) in self.max_constants.iter_mut().zip(&self.linked) {
            if *linked {
                *max = (*max).max(self.max_difference + reset);
            }
        }
        if copies {
            let all = self.max_constants.iter().copied().max().unwrap_or(-1);
            self.max_constants.fill(all);
            self.linked.fill(differences);
        }
    }

    fn constraint(&mut self, c: &ClockConstraint) {
        let (low, high) = c.bound.range();
        let size = low.abs().max(high.abs());
        let difference = c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
        if difference {
            self.max_difference = self.max_difference.max(size);
        }
        for term in [c.left, c.right] {
            let clocks = match term {
                ClockTerm::Clock(x) => x.0..x.0 + 1,
                ClockTerm::Element { first, count, .. } => first.0..first.0 + count,
            };
            for x in clocks {
                self.max_constants[x as usize] = self.max_constants[x as usize].max(size);
                self.linked[x as usize] |= difference;
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.constraint(c),
            _ => formula.parts().iter().for_each(|p| syntax::grow(|| self.formula(p))),
        }
    }

    /// Returns whether only equal states are equivalent.
    #[must_use]
    pub fn only_equal(&self) -> bool {
        self.only_equal
    }

    /// Returns whether two states are equivalent.
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
        let above = |x: usize, v: Ratio| v > whole(self.max_constants[x]);
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
            // All differences beyond the constant are equivalent: those above it, and those below
            // its negation.
            let limit = i128::from(self.max_difference);
            let beyond = n > limit || n == limit && !whole_number;
            if beyond {
                (limit + 1, true)
            } else if n < -limit {
                (-limit - 1, true)
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
