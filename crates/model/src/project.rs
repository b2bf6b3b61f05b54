//! Systems without the clocks that nothing compares.
//!
//! The value of a clock does not matter if no guard, invariant or formula reads it. Without it
//! zones are smaller, and every operation on them is faster.

use std::sync::Arc;

use crate::{
    Formula, System,
    code::{Code, Op},
    system::{ClockConstraint, ClockId, ClockTerm, Network},
};

/// A system without some of its clocks.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The system. Everything but the clocks keeps its number.
    pub system: System,
    /// The formulas with the new clocks.
    pub formulas: Vec<Formula>,
    /// The clocks that remain, by their old numbers.
    pub kept: Vec<ClockId>,
}

impl System {
    /// Returns the system without the clocks that neither it nor `formulas` compare; `None` if all
    /// clocks are compared, or if clocks are set to the values of others or can be stopped.
    #[must_use]
    pub fn project(&self, formulas: &[&Formula]) -> Option<Projection> {
        let copies = self.code.ops().any(|op| matches!(op, Op::CopyClock { .. }));
        if copies || self.locations.iter().any(|l| !l.rates.is_empty()) {
            return None;
        }
        let mut compared = vec![false; self.clocks.len()];
        compared[0] = true;
        let mut compare = |c: &ClockConstraint| {
            for term in [c.left, c.right] {
                let (first, count) = match term {
                    ClockTerm::Clock(clock) => (clock.0, 1),
                    ClockTerm::Element { first, count, .. } => (first.0, count),
                };
                compared[first as usize..(first + count) as usize].fill(true);
            }
        };
        let guards = self.edges.iter().map(|e| &e.guard).chain(self.locations.iter().map(|l| &l.invariant));
        guards.flat_map(|guard| &guard.clocks).for_each(&mut compare);
        formulas.iter().for_each(|formula| each_constraint(formula, &mut compare));
        if compared.iter().all(|compared| *compared) {
            return None;
        }
        let mut next = 0;
        let numbers: Vec<u32> = compared
            .iter()
            .map(|compared| {
                next += u32::from(*compared);
                if *compared { next - 1 } else { Code::NO_CLOCK }
            })
            .collect();
        let mut system = self.clone();
        let network: &mut Network = &mut system;
        let mut keep = compared.iter();
        network.clocks.retain(|_| keep.next() == Some(&true));
        let guards = network.edges.iter_mut().map(|e| &mut e.guard);
        for guard in guards.chain(network.locations.iter_mut().map(|l| &mut l.invariant)) {
            guard.clocks.iter_mut().for_each(|c| renumber(c, &numbers));
        }
        let formulas = formulas.iter().map(|formula| renumbered(formula, &numbers)).collect();
        system.symmetry = Arc::new(
            self.symmetry.with_clocks(|clock| Some(numbers[clock as usize]).filter(|new| *new != Code::NO_CLOCK)),
        );
        system.code.clocks = numbers;
        let kept = (0..).zip(&compared).filter(|(_, compared)| **compared).map(|(old, _)| ClockId(old)).collect();
        Some(Projection { system, formulas, kept })
    }
}

pub(crate) fn each_constraint(formula: &Formula, visit: &mut impl FnMut(&ClockConstraint)) {
    match formula {
        Formula::Clock(c) => visit(c),
        _ => formula.parts().iter().for_each(|part| each_constraint(part, visit)),
    }
}

fn renumbered(formula: &Formula, numbers: &[u32]) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| renumbered(part, numbers)).collect();
    match formula {
        Formula::Clock(c) => {
            let mut c = *c;
            renumber(&mut c, numbers);
            Formula::Clock(c)
        }
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::NetDeadlock { negated, states } => {
            Formula::NetDeadlock { negated: *negated, states: Box::new(renumbered(states, numbers)) }
        }
        Formula::True | Formula::False | Formula::Condition(_) | Formula::Deadlock { .. } => formula.clone(),
    }
}

fn renumber(c: &mut ClockConstraint, numbers: &[u32]) {
    for term in [&mut c.left, &mut c.right] {
        let (ClockTerm::Clock(clock) | ClockTerm::Element { first: clock, .. }) = term;
        clock.0 = numbers[clock.0 as usize];
    }
}
