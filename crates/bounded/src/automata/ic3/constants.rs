//! The numbers that clocks are compared with.

use model::{
    Formula, System,
    system::{ClockConstraint, ClockTerm},
};

use super::literal::Constants;

/// Returns the constants of a system and a goal.
pub(super) fn find(system: &System, goal: &Formula) -> Constants {
    let mut found = Constants { max: vec![-1; system.clocks.len()], differences: false };
    let guards = system.edges.iter().map(|e| &e.guard).chain(system.locations.iter().map(|l| &l.invariant));
    for c in guards.flat_map(|guard| &guard.clocks) {
        found.add(c);
    }
    found.formula(goal);
    // A clock that is assigned to another one is compared with the constants of both.
    if system.offsets != (0, 0) || copies(system) {
        found.differences = true;
        let plus = i64::from(system.offsets.0.unsigned_abs().max(system.offsets.1.unsigned_abs()));
        let max = found.max.iter().max().copied().unwrap_or(0) + plus;
        found.max.fill(max);
    }
    if found.differences {
        // A clock that is set to a number changes its differences by that number.
        let max = found.max.iter().max().copied().unwrap_or(0) + i64::from(system.largest_reset);
        found.max.fill(max);
    }
    found
}

/// Returns whether clocks are assigned to other clocks.
fn copies(system: &System) -> bool {
    system.code.ops().any(|op| matches!(op, model::code::Op::CopyClock { .. }))
}

impl Constants {
    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Clock(c) => self.add(c),
            _ => formula.parts().iter().for_each(|part| self.formula(part)),
        }
    }

    fn add(&mut self, c: &ClockConstraint) {
        let (low, high) = c.bound.range();
        let number = low.saturating_abs().max(high.saturating_abs());
        let clocks = |term: ClockTerm| match term {
            ClockTerm::Clock(x) => x.0..x.0 + 1,
            ClockTerm::Element { first, count, .. } => first.0..first.0 + count,
        };
        for x in clocks(c.left).chain(clocks(c.right)).filter(|x| *x > 0) {
            if let Some(max) = self.max.get_mut(x as usize) {
                *max = (*max).max(number);
            }
        }
        self.differences |= c.left != ClockTerm::ZERO && c.right != ClockTerm::ZERO;
    }
}
