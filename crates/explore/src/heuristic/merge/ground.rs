//! Grounding of conditions and values that depend on several slots of the row.
//!
//! If a slot is a factor, the conditions of a step on it and the value that is assigned to it must
//! not depend on other slots. If they do, the others are fixed: the step is copied for each choice
//! of their values. If there are too many choices, the condition is relaxed to true and the value
//! to an arbitrary one.

use std::collections::BTreeMap;

use model::symbolic::{Atom, TermId, Terms};

use super::factor::Hop;

/// The values of some slots of the row.
pub(super) type Fixed = BTreeMap<u32, i32>;

/// The change of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It keeps its value.
    Stays,
    /// It gets the value of a term.
    Becomes(TermId),
    /// It changes from one value to another.
    Goes(i32, i32),
    /// It gets an arbitrary value.
    Any,
}

/// The slots of the row that are factors: the least value and the number of values of each.
pub(crate) struct Domains {
    /// By their indices in the row.
    pub slots: Vec<Option<(i32, u32)>>,
}

impl Domains {
    /// Returns the slots of a comparison; `None`: some are not factors.
    pub(crate) fn of_atom(&self, terms: &Terms, atom: Atom) -> Option<Vec<u32>> {
        terms.atom_support(atom).filter(|vars| self.has_all(vars))
    }

    fn has_all(&self, vars: &[u32]) -> bool {
        vars.iter().all(|var| matches!(self.slots.get(*var as usize), Some(Some(_))))
    }

    /// Returns all values of a slot.
    pub(crate) fn values(&self, slot: u32) -> Vec<i32> {
        let (low, count) = self.slots[slot as usize].unwrap_or_default();
        (0..count as i32).map(|i| low + i).collect()
    }

    /// Returns the values of a slot that conditions allow, if others are fixed.
    pub(crate) fn left(&self, terms: &Terms, conditions: &[Atom], slot: u32, fixed: &Fixed) -> Vec<i32> {
        self.left_of(self.values(slot), terms, conditions, slot, fixed)
    }

    /// Returns the same for some of its values.
    fn left_of(&self, mut values: Vec<i32>, terms: &Terms, conditions: &[Atom], slot: u32, fixed: &Fixed) -> Vec<i32> {
        if let Some(value) = fixed.get(&slot) {
            values.retain(|other| other == value);
        }
        for atom in conditions {
            let Some(vars) = self.of_atom(terms, *atom) else { continue };
            let is_known = vars.iter().all(|var| *var == slot || fixed.contains_key(var));
            if is_known && vars.contains(&slot) {
                values.retain(|value| holds(terms, *atom, &|var| if var == slot { *value } else { fixed[&var] }));
            }
        }
        values
    }

    /// Returns choices of values, at most `max`, that reduce each condition to one on a single
    /// slot, and each assigned value to one that depends on that slot alone.
    pub(crate) fn choices(
        &self,
        terms: &Terms,
        conditions: &[Atom],
        writes: &[(u32, Option<TermId>)],
        max: usize,
    ) -> Vec<Fixed> {
        let mut choices = vec![Fixed::new()];
        let mut done: Vec<u32> = Vec::new();
        let mut fix = |mut wanted: Vec<u32>, done: &mut Vec<u32>| {
            let mut next = choices.clone();
            for &slot in &wanted {
                let mut more = Vec::new();
                for fixed in &next {
                    for value in self.left(terms, conditions, slot, fixed) {
                        let mut fixed = fixed.clone();
                        fixed.insert(slot, value);
                        more.push(fixed);
                    }
                    if more.len() > max {
                        return;
                    }
                }
                next = more;
            }
            choices = next;
            done.append(&mut wanted);
        };
        for (slot, term) in writes.iter().filter(|(slot, _)| self.slots[*slot as usize].is_some()) {
            let vars = term.and_then(|term| terms.support(term)).filter(|vars| self.has_all(vars)).unwrap_or_default();
            let others = vars.iter().copied().filter(|var| var != slot && !done.contains(var)).collect();
            fix(others, &mut done);
        }
        for atom in conditions {
            let mut vars = self.of_atom(terms, *atom).unwrap_or_default();
            vars.retain(|var| !done.contains(var));
            // The slot with the most values is not fixed.
            vars.sort_by_key(|var| self.slots[*var as usize].map(|(_, count)| count));
            vars.pop();
            fix(vars, &mut done);
        }
        choices
    }

    /// Returns the hops of a slot.
    pub(crate) fn hops(
        &self,
        terms: &Terms,
        conditions: &[Atom],
        slot: u32,
        fixed: &Fixed,
        change: Change,
    ) -> Vec<Hop> {
        let Some((low, count)) = self.slots[slot as usize] else { return Vec::new() };
        let state = |value: i32| {
            let state = u32::try_from(i64::from(value) - i64::from(low)).ok();
            state.filter(|state| *state < count)
        };
        let from = match change {
            Change::Goes(from, _) => vec![from],
            _ => self.values(slot),
        };
        let is_known = |term: TermId| {
            terms.support(term).is_some_and(|vars| vars.iter().all(|var| *var == slot || fixed.contains_key(var)))
        };
        let mut hops = Vec::new();
        for value in self.left_of(from, terms, conditions, slot, fixed) {
            let Some(from) = state(value) else { continue };
            match change {
                Change::Stays => hops.push((from, from)),
                Change::Goes(_, to) => hops.extend(state(to).map(|to| (from, to))),
                Change::Becomes(term) if is_known(term) => {
                    let becomes = terms.value(term, &|var| if var == slot { value } else { fixed[&var] });
                    // A value out of range ends the run.
                    hops.extend(becomes.and_then(state).map(|to| (from, to)));
                }
                Change::Becomes(_) | Change::Any => hops.extend((0..count).map(|to| (from, to))),
            }
        }
        hops
    }
}

fn holds(terms: &Terms, atom: Atom, of: &dyn Fn(u32) -> i32) -> bool {
    let (left, right) = (terms.value(atom.left, of), terms.value(atom.right, of));
    left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
}

#[cfg(test)]
mod tests {
    use model::{
        code::{Arith, Cmp},
        symbolic::Term,
    };

    use super::*;

    #[test]
    fn what_depends_on_others_is_one_choice_for_each() {
        let domains = Domains { slots: vec![Some((0, 3)), Some((-1, 4)), None] };
        let mut terms = Terms::default();
        let (x, y, z) = (terms.intern(Term::Var(0)), terms.intern(Term::Var(1)), terms.intern(Term::Var(2)));
        let one = terms.constant(1);
        let less = Atom { cmp: Cmp::Lt, left: x, right: y };
        let positive = Atom { cmp: Cmp::Ge, left: x, right: one };
        // Of `x < y` the slot with fewer values is fixed.
        let choices = domains.choices(&terms, &[less, positive], &[], 64);
        let fixed: Vec<Vec<(u32, i32)>> = choices.iter().map(|fixed| fixed.clone().into_iter().collect()).collect();
        assert_eq!(fixed, [[(0, 1)], [(0, 2)]]);
        assert_eq!(domains.left(&terms, &[less, positive], 1, &choices[0]), [2]);
        assert!(domains.left(&terms, &[less, positive], 1, &choices[1]).is_empty());
        // Without room nothing is fixed, and the condition is relaxed.
        assert_eq!(domains.choices(&terms, &[less], &[], 1), [Fixed::new()]);
        assert_eq!(domains.left(&terms, &[less], 1, &Fixed::new()), [-1, 0, 1, 2]);
        // An assigned value depends on the slot itself, on a fixed one, or on one that is not a
        // factor.
        let sum = terms.intern(Term::Arith(Arith::Add, x, one));
        let hops = |term, fixed: &Fixed| domains.hops(&terms, &[], 0, fixed, Change::Becomes(term));
        assert_eq!(hops(sum, &Fixed::new()), [(0, 1), (1, 2)]);
        assert_eq!(hops(y, &Fixed::from([(1, 2)])), [(0, 2), (1, 2), (2, 2)]);
        assert_eq!(hops(y, &Fixed::new()).len(), 9);
        assert_eq!(hops(z, &Fixed::new()).len(), 9);
        assert_eq!(domains.choices(&terms, &[], &[(0, Some(y))], 4).len(), 4);
        assert_eq!(domains.choices(&terms, &[], &[(0, Some(z))], 4).len(), 1);
    }
}
