//! Conditions and values that depend on several numbers of the row, taken apart.
//!
//! What a step asks of a number and writes to it must not depend on others if that number is to be a factor of its own. Where it
//! does, the others are fixed: the step becomes one for each choice of their values. Where there are too many choices, the
//! condition is taken to hold, and the value may be any.

use std::collections::BTreeMap;

use model::symbolic::{Atom, TermId, Terms};

use super::factor::Hop;

/// The values of some numbers of the row.
pub type Fixed = BTreeMap<u32, i32>;

/// What becomes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Stays,
    /// A term.
    Becomes(TermId),
    /// It goes from one value to another.
    Goes(i32, i32),
    /// Anything.
    Any,
}

/// The numbers of the row that are factors: the least value of each, and how many values it has.
pub struct Domains {
    /// By their places in the row.
    pub slots: Vec<Option<(i32, u32)>>,
}

impl Domains {
    /// The numbers that a comparison is about; `None`: some of them are no factors.
    pub fn of_atom(&self, terms: &Terms, atom: Atom) -> Option<Vec<u32>> {
        terms.atom_support(atom).filter(|vars| self.has_all(vars))
    }

    fn has_all(&self, vars: &[u32]) -> bool {
        vars.iter().all(|var| matches!(self.slots.get(*var as usize), Some(Some(_))))
    }

    /// All values of a number.
    pub fn values(&self, slot: u32) -> Vec<i32> {
        let (low, count) = self.slots[slot as usize].unwrap_or_default();
        (0..count as i32).map(|i| low + i).collect()
    }

    /// The values of a number that conditions leave, if others are fixed.
    pub fn left(&self, terms: &Terms, conditions: &[Atom], slot: u32, fixed: &Fixed) -> Vec<i32> {
        let mut values = self.values(slot);
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

    /// The choices of values that make each condition one on a single number, and each value that is written one that depends on
    /// that number alone; at most so many.
    pub fn choices(
        &self,
        terms: &Terms,
        conditions: &[Atom],
        writes: &[(u32, Option<TermId>)],
        most: usize,
    ) -> Vec<Fixed> {
        let mut choices = vec![Fixed::new()];
        let mut fix = |wanted: Vec<u32>| {
            let mut next = choices.clone();
            for slot in wanted {
                let mut more = Vec::new();
                for fixed in &next {
                    for value in self.left(terms, conditions, slot, fixed) {
                        more.push(fixed.clone());
                        more.last_mut().map(|fixed| fixed.insert(slot, value));
                    }
                    if more.len() > most {
                        return;
                    }
                }
                next = more;
            }
            choices = next;
        };
        let mut done: Vec<u32> = Vec::new();
        for (slot, term) in writes {
            let vars = term.and_then(|term| terms.support(term)).filter(|vars| self.has_all(vars));
            if self.slots[*slot as usize].is_some() {
                let others = vars.unwrap_or_default().iter().filter(|var| *var != slot && !done.contains(var));
                let others: Vec<u32> = others.copied().collect();
                fix(others.clone());
                done.extend(others);
            }
        }
        for atom in conditions {
            let mut vars = self.of_atom(terms, *atom).unwrap_or_default();
            vars.retain(|var| !done.contains(var));
            vars.sort_by_key(|var| self.slots[*var as usize].map(|(_, count)| count));
            vars.pop();
            fix(vars.clone());
            done.extend(vars);
        }
        choices
    }

    /// The hops of a number.
    pub fn hops(&self, terms: &Terms, conditions: &[Atom], slot: u32, fixed: &Fixed, change: Change) -> Vec<Hop> {
        let Some((low, count)) = self.slots[slot as usize] else { return Vec::new() };
        let state = |value: i32| {
            let state = u32::try_from(i64::from(value) - i64::from(low)).ok();
            state.filter(|state| *state < count)
        };
        let mut hops = Vec::new();
        for value in self.left(terms, conditions, slot, fixed) {
            let Some(from) = state(value) else { continue };
            let known = |term: TermId| {
                let vars = terms.support(term)?;
                vars.iter().all(|var| *var == slot || fixed.contains_key(var)).then_some(term)
            };
            match change {
                Change::Stays => hops.push((from, from)),
                Change::Goes(only, to) => hops.extend(state(to).filter(|_| value == only).map(|to| (from, to))),
                Change::Becomes(term) if known(term).is_some() => {
                    let becomes = terms.value(term, &|var| if var == slot { value } else { fixed[&var] });
                    // Whatever leaves its range ends all.
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
