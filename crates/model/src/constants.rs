//! The constants of clocks, which determine the width of zones.

use crate::{
    Formula, System,
    project::each_constraint,
    system::{ClockConstraint, ClockTerm, Operand},
};

impl System {
    /// Returns the largest absolute value that clocks are compared with, set to or shifted by. A
    /// difference of clocks may be compared with a constant after one of them was set, so the two
    /// numbers are added.
    #[must_use]
    pub fn largest_constant(&self, formulas: &[&Formula]) -> i64 {
        let (mut compared, mut differences) = (0, false);
        self.each_compared(formulas, |c| {
            let (low, high) = c.bound.range();
            compared = low.saturating_abs().max(high.saturating_abs()).max(compared);
            differences |= c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
        });
        let initial = self.clocks.iter().map(|clock| size(clock.initial)).max().unwrap_or(0);
        let set = size(self.largest_reset).max(initial).max(size(self.offsets.0)).max(size(self.offsets.1));
        if differences { compared.saturating_add(set) } else { compared.max(set) }
    }

    /// Returns an upper bound on the number of different constraints on differences of clocks.
    #[must_use]
    pub fn count_differences(&self, formulas: &[&Formula]) -> i64 {
        let mut count: i64 = 0;
        self.each_compared(formulas, |c| {
            if c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO {
                let clocks = |term: ClockTerm| match term {
                    ClockTerm::Clock(_) => 1,
                    ClockTerm::Element { count, .. } => i64::from(count),
                };
                let (low, high) = c.bound.range();
                let numbers = (high.saturating_sub(low)).saturating_add(1).max(0);
                let own = clocks(c.left).saturating_mul(clocks(c.right)).saturating_mul(numbers);
                count = count.saturating_add(own);
            }
        });
        count
    }

    fn each_compared(&self, formulas: &[&Formula], mut visit: impl FnMut(&ClockConstraint)) {
        let guards = self.edges.iter().map(|e| &e.guard).chain(self.locations.iter().map(|l| &l.invariant));
        guards.flat_map(|guard| &guard.clocks).for_each(&mut visit);
        formulas.iter().for_each(|formula| each_constraint(formula, &mut visit));
    }
}

impl Operand {
    /// Returns the least and the greatest possible value.
    #[must_use]
    pub fn range(&self) -> (i64, i64) {
        match *self {
            Operand::Const(n) => (n, n),
            Operand::Code { low, high, .. } => (low.into(), high.into()),
        }
    }
}

fn size(n: i32) -> i64 {
    i64::from(n).abs()
}
