//! How many comparisons of differences of clocks there are.
//!
//! Zones are cut along each of them. `x - y <= v` is one for each value of `v`, so that a variable of a large range makes more than
//! anybody can list, let alone cut along.

use std::collections::HashSet;

use model::{
    Formula, System,
    system::{ClockConstraint, ClockTerm, Operand},
};

/// With more of them nobody searches zones.
pub const MOST: u64 = 1 << 12;

/// How many there are in a system and in what is asked of it, each once, if they are too many.
#[must_use]
pub fn too_many(system: &System, formulas: &[&Formula]) -> Option<u64> {
    let invariants = system.locations.iter().map(|location| &location.invariant);
    let guards = invariants.chain(system.edges.iter().map(|edge| &edge.guard));
    let mut known = HashSet::new();
    let mut total = 0_u64;
    let mut add = |c: &ClockConstraint| {
        let (low, high) = match c.bound {
            Operand::Const(n) => (n, n),
            Operand::Code { low, high, .. } => (low, high),
        };
        let terms = [c.left, c.right].map(clocks);
        // The reference clock stands alone.
        if terms.iter().all(|(first, _)| *first > 0) && known.insert((terms, c.strict, low, high)) {
            let values = high.abs_diff(low).saturating_add(1);
            let pairs = u64::from(terms[0].1) * u64::from(terms[1].1);
            total = total.saturating_add(u64::from(values).saturating_mul(pairs));
        }
    };
    guards.flat_map(|guard| &guard.clocks).for_each(&mut add);
    formulas.iter().for_each(|formula| asked(formula, &mut add));
    (total > MOST).then_some(total)
}

/// The clocks that a term may be: the first, and how many.
fn clocks(term: ClockTerm) -> (u32, u32) {
    match term {
        ClockTerm::Clock(c) => (c.0, 1),
        ClockTerm::Element { first, count, .. } => (first.0, count),
    }
}

fn asked(formula: &Formula, add: &mut impl FnMut(&ClockConstraint)) {
    match formula {
        Formula::Clock(c) => add(c),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| asked(part, add)),
        _ => {}
    }
}
