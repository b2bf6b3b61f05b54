//! The conditions of a goal on single slots of the row.

use model::{
    Formula, System,
    symbolic::{Atom, Symbolic},
};

use super::relaxed::goal;

/// A disjunct of a goal: for some slots of the row the values that satisfy it.
pub(crate) struct RowTarget {
    pub slots: Vec<(u32, Vec<i32>)>,
}

/// The greatest number of values of a slot that are enumerated.
const MAX_ENUMERATED_VALUES: i64 = 1 << 12;

/// Returns the disjuncts of a goal; `None`: there are too many.
pub(super) fn targets(system: &System, formula: &Formula) -> Option<Vec<RowTarget>> {
    let mut symbolic = Symbolic::new(system);
    let paths = goal(&mut symbolic, formula)?;
    let mut out = Vec::new();
    for path in paths {
        let mut slots: Vec<(u32, Vec<i32>)> = Vec::new();
        for atom in &path.conditions {
            let support = symbolic.terms.atom_support(*atom).unwrap_or_default();
            let [slot] = support[..] else { continue };
            let (low, high) = system.ranges[slot as usize];
            if i64::from(high) - i64::from(low) >= MAX_ENUMERATED_VALUES {
                continue;
            }
            let at = slots.iter().position(|(other, _)| *other == slot).unwrap_or_else(|| {
                slots.push((slot, (low..=high).collect()));
                slots.len() - 1
            });
            slots[at].1.retain(|value| holds(&symbolic, *atom, *value));
        }
        if slots.iter().all(|(_, values)| !values.is_empty()) {
            out.push(RowTarget { slots });
        }
    }
    Some(out)
}

fn holds(symbolic: &Symbolic<'_>, atom: Atom, value: i32) -> bool {
    let of = |_| value;
    let (left, right) = (symbolic.terms.value(atom.left, &of), symbolic.terms.value(atom.right, &of));
    left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
}
