//! What a goal asks of each number of the row by itself.

use model::{
    Formula, System,
    symbolic::{Atom, Symbolic},
};

use super::relaxed::goal;

/// One way to meet a goal: for some numbers of the row the values that will do.
pub struct RowTarget {
    pub slots: Vec<(u32, Vec<i32>)>,
}

/// Numbers with at most so many values are told apart.
const FEW: i64 = 1 << 12;

/// The ways to meet a goal; `None`: there are too many to tell.
pub fn targets(system: &System, formula: &Formula) -> Option<Vec<RowTarget>> {
    let mut symbolic = Symbolic::new(system);
    let paths = goal(&mut symbolic, formula)?;
    let mut out = Vec::new();
    for path in paths {
        let mut slots: Vec<(u32, Vec<i32>)> = Vec::new();
        for atom in &path.conditions {
            let support = symbolic.terms.atom_support(*atom).unwrap_or_default();
            let [slot] = support[..] else { continue };
            let (low, high) = system.ranges[slot as usize];
            if i64::from(high) - i64::from(low) >= FEW {
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
