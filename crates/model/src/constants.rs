//! The numbers that clocks meet, by which the width of zones is chosen.

use crate::{
    Formula, System,
    project::each_constraint,
    system::{ClockConstraint, ClockTerm, Operand},
};

impl System {
    /// The largest number, in size, that matters to clocks: one that they are compared with, set to
    /// or moved by. Differences of clocks are compared with constants after one of them was set, so
    /// that both numbers count together.
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

    /// How many comparisons of differences of clocks with numbers there may be.
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
    /// The least and the greatest value that it may have.
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
