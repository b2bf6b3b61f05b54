//! The values of terms and conditions.

use super::{
    sorts::{Sort, Sorts},
    terms::{ColourTerm, Comparison, Condition, TermKind},
};
use crate::grow;

/// The colours of variables, as far as they are chosen.
pub(super) type ColourBinding = [Option<u64>];

impl Sorts {
    /// Returns a colour; `None` if it depends on a variable without one.
    fn colour(&self, term: &ColourTerm, binding: &ColourBinding) -> Option<u64> {
        grow(|| match &term.kind {
            TermKind::Constant(colour) => Some(*colour),
            TermKind::Variable(variable) => binding.get(*variable as usize).copied().flatten(),
            TermKind::Tuple(parts) => {
                let mut colour = 0;
                for part in parts {
                    colour = colour * self.size(part.sort) + self.colour(part, binding)?;
                }
                Some(colour)
            }
            // The last colour is followed by the first, also in sorts that are not called cyclic.
            TermKind::Step(by, inner) => {
                let (colour, size) = (self.colour(inner, binding)? as i64, self.size(term.sort) as i64);
                Some((colour + by).rem_euclid(size) as u64)
            }
            TermKind::Part(parts, inner) => parts.get(self.colour(inner, binding)? as usize).copied(),
            TermKind::All | TermKind::Times(..) | TermKind::Sum(_) | TermKind::Difference(_) | TermKind::Empty => None,
        })
    }

    /// Returns whether a condition holds; `None` if that depends on variables without a colour.
    pub(super) fn holds(&self, condition: &Condition, binding: &ColourBinding, work: &mut u64) -> Option<bool> {
        *work += 1;
        grow(|| match condition {
            Condition::Constant(truth) => Some(*truth),
            Condition::All(list) => self.first(list, false, binding, work),
            Condition::Any(list) => self.first(list, true, binding, work),
            Condition::Not(inner) => self.holds(inner, binding, work).map(|truth| !truth),
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.number(a, binding)?, self.number(b, binding)?);
                Some(match comparison {
                    Comparison::Equal => a == b,
                    Comparison::Unequal => a != b,
                    Comparison::Less => a < b,
                    Comparison::AtMost => a <= b,
                    Comparison::Greater => a > b,
                    Comparison::AtLeast => a >= b,
                })
            }
        })
    }

    /// Returns `truth` if a condition has this truth value, and the opposite if all have that.
    fn first(&self, list: &[Condition], truth: bool, binding: &ColourBinding, work: &mut u64) -> Option<bool> {
        let mut result = Some(!truth);
        for condition in list {
            match self.holds(condition, binding, work) {
                Some(found) if found == truth => return Some(truth),
                Some(_) => {}
                None => result = None,
            }
        }
        result
    }

    /// Returns a colour as a number to compare: of ranges, the integer itself.
    fn number(&self, term: &ColourTerm, binding: &ColourBinding) -> Option<i64> {
        let colour = self.colour(term, binding)? as i64;
        Some(if let Sort::Range(low, _) = self.sort(term.sort) { low + colour } else { colour })
    }

    /// Returns the tokens of a term without variables.
    pub(super) fn tokens(&self, term: &ColourTerm) -> Option<Vec<(u64, u64)>> {
        self.multiset(term, &[], &mut 0)
    }

    /// Returns the tokens of a multiset: colours with their numbers, sorted, without zeros; `None`
    /// if a number is too large. All variables must have colours.
    pub(super) fn multiset(
        &self,
        term: &ColourTerm,
        binding: &ColourBinding,
        work: &mut u64,
    ) -> Option<Vec<(u64, u64)>> {
        grow(|| self.multiset_here(term, binding, work))
    }

    fn multiset_here(&self, term: &ColourTerm, binding: &ColourBinding, work: &mut u64) -> Option<Vec<(u64, u64)>> {
        let result = match &term.kind {
            TermKind::Empty => Vec::new(),
            TermKind::All => (0..self.size(term.sort)).map(|colour| (colour, 1)).collect(),
            TermKind::Constant(_) | TermKind::Variable(_) | TermKind::Step(..) | TermKind::Part(..) => {
                self.colour(term, binding).map(|colour| (colour, 1)).into_iter().collect()
            }
            // A tuple of multisets has each combination.
            TermKind::Tuple(parts) => {
                let mut all = vec![(0, 1)];
                for part in parts {
                    let size = self.size(part.sort);
                    let values = self.multiset(part, binding, work)?;
                    *work += (all.len() as u64).saturating_mul(values.len() as u64);
                    let mut longer = Vec::with_capacity(all.len() * values.len());
                    for (colour, number) in all {
                        for (next, times) in &values {
                            let number = times.checked_mul(number)?;
                            longer.push((colour * size + next, number));
                        }
                    }
                    all = longer;
                }
                all
            }
            TermKind::Times(0, _) => Vec::new(),
            TermKind::Times(times, inner) => {
                let mut tokens = self.multiset(inner, binding, work)?;
                for (_, number) in &mut tokens {
                    *number = number.checked_mul(*times)?;
                }
                tokens
            }
            TermKind::Sum(parts) => {
                let mut tokens = Vec::new();
                for part in parts {
                    tokens.extend(self.multiset(part, binding, work)?);
                }
                tokens.sort_unstable();
                let mut sum: Vec<(u64, u64)> = Vec::with_capacity(tokens.len());
                for (colour, number) in tokens {
                    match sum.last_mut().filter(|(last, _)| *last == colour) {
                        Some((_, total)) => *total = total.checked_add(number)?,
                        None => sum.push((colour, number)),
                    }
                }
                sum
            }
            TermKind::Difference(parts) => {
                let Some((first, others)) = parts.split_first() else { return Some(Vec::new()) };
                let mut tokens = self.multiset(first, binding, work)?;
                for other in others {
                    for (colour, number) in self.multiset(other, binding, work)? {
                        // More than there are are all of them, as in the Model Checking Contest.
                        if let Ok(at) = tokens.binary_search_by_key(&colour, |(colour, _)| *colour) {
                            tokens[at].1 = tokens[at].1.saturating_sub(number);
                        }
                    }
                }
                tokens.retain(|(_, number)| *number > 0);
                tokens
            }
        };
        *work += result.len() as u64 + 1;
        Some(result)
    }
}
