//! Elements with clocks: opaal's federations of zones, as classes of the user.
//!
//! A clock is a member of its element, as an integer is one of an octagon. It is compared with a
//! number, or with another clock of the same element, and set to a number.

use super::{FailureId, Interned};
use crate::{Comparison, Numeric, Term, TermOp};

/// A constraint on the clocks of an element: `left ~ bound`, or `left - right ~ bound`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementConstraint {
    /// The first clock, by its place in [`ClassArguments::clocks`](super::ClassArguments::clocks).
    pub left: usize,
    /// The clock that is subtracted.
    pub right: Option<usize>,
    /// `<`, `<=`, `>` or `>=`.
    pub comparison: Comparison,
    /// The number.
    pub bound: i32,
}

impl ElementConstraint {
    pub(super) fn text(&self, clocks: &[String]) -> String {
        let right = self.right.map_or(String::new(), |right| format!(" - {}", clocks[right]));
        format!("{}{right} {} {}", clocks[self.left], self.comparison, self.bound)
    }
}

/// A sum of integers, and of clocks by the number of times that they occur.
struct Sum {
    clocks: Vec<(usize, i64)>,
    number: i64,
}

impl Sum {
    fn number(number: i64) -> Sum {
        Sum { clocks: Vec::new(), number }
    }

    /// Adds another sum some times.
    fn add(mut self, other: Sum, times: i64) -> Option<Sum> {
        for (clock, count) in other.clocks {
            let count = count.checked_mul(times)?;
            match self.clocks.iter_mut().find(|known| known.0 == clock) {
                Some(known) => known.1 = known.1.checked_add(count)?,
                None => self.clocks.push((clock, count)),
            }
        }
        self.clocks.retain(|known| known.1 != 0);
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        Some(self)
    }

    /// Returns the sum that a term is; `None` if it is none.
    fn of(term: &Term<'_>) -> Option<Sum> {
        let mut stack: Vec<Sum> = Vec::new();
        for &op in term.ops {
            let sum = match op {
                TermOp::Const(number) => Sum::number(number.into()),
                TermOp::Value(place) => Sum::number((*term.values.get(place as usize)?).into()),
                TermOp::Member(clock) => Sum { clocks: vec![(clock as usize, 1)], number: 0 },
                TermOp::Neg => Sum::number(0).add(stack.pop()?, -1)?,
                TermOp::Add | TermOp::Sub => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    a.add(b, if op == TermOp::Add { 1 } else { -1 })?
                }
                TermOp::Mul | TermOp::Div | TermOp::Mod => return None,
            };
            stack.push(sum);
        }
        stack.pop()
    }
}

/// A comparison of a clock, or of the difference of two, with a number; or of two numbers.
enum Compared {
    Numbers(bool),
    Clocks { left: usize, right: Option<usize>, comparison: Comparison, bound: i32 },
}

/// Returns what a comparison of two terms is about; `None` if it is more than clocks allow.
fn compared(left: &Term<'_>, comparison: Comparison, right: &Term<'_>) -> Option<Compared> {
    // left - right ~ 0
    let sum = Sum::of(left)?.add(Sum::of(right)?, -1)?;
    let limit = |number: i64| number.clamp(i64::from(-i32::MAX), i64::from(i32::MAX)) as i32;
    Some(match sum.clocks[..] {
        [] => Compared::Numbers(comparison.holds(sum.number, 0)),
        [(left, 1)] => Compared::Clocks { left, right: None, comparison, bound: limit(-sum.number) },
        [(left, -1)] => {
            Compared::Clocks { left, right: None, comparison: mirrored(comparison), bound: limit(sum.number) }
        }
        [(left, 1), (right, -1)] | [(right, -1), (left, 1)] => {
            Compared::Clocks { left, right: Some(right), comparison, bound: limit(-sum.number) }
        }
        _ => return None,
    })
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        other => other,
    }
}

/// Returns whether terms may be compared, if their members are clocks of an element.
#[must_use]
pub fn may_compare(left: &Term<'_>, right: &Term<'_>) -> bool {
    compared(left, Comparison::Le, right).is_some()
}

/// Returns whether a clock of an element may be set to a term.
#[must_use]
pub fn may_set(term: &Term<'_>) -> bool {
    Sum::of(term).is_some_and(|sum| sum.clocks.is_empty())
}

impl Interned {
    fn assumed(&self, this: i32, left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> Result<i32, FailureId> {
        // What can't be compared was refused when the model was loaded.
        let (left, right, comparison, bound) = match compared(left, cmp, right) {
            Some(Compared::Clocks { left, right, comparison, bound }) => (left, right, comparison, bound),
            _ => return Ok(this),
        };
        let cut = |this, comparison| self.constrained(this, ElementConstraint { left, right, comparison, bound });
        match comparison {
            Comparison::Eq => cut(cut(this, Comparison::Le)?, Comparison::Ge),
            // The values on both sides need not be one element.
            Comparison::Ne => {
                let (below, above) = (cut(this, Comparison::Lt)?, cut(this, Comparison::Gt)?);
                Ok(if self.is_empty(below)? {
                    above
                } else if self.is_empty(above)? {
                    below
                } else {
                    this
                })
            }
            other => cut(this, other),
        }
    }
}

impl Numeric for Interned {
    fn members(&self) -> usize {
        self.clocks().len()
    }

    fn is_joint(&self) -> bool {
        true
    }

    fn assign(&self, environment: &mut [i32], member: usize, term: &Term<'_>) {
        let before = environment[0];
        let value = Sum::of(term).filter(|sum| sum.clocks.is_empty()).map_or(0, |sum| sum.number);
        let value = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        environment[0] = self.or_stop(before, || self.with_clock(before, member, value));
    }

    fn assume(&self, environment: &mut [i32], left: &Term<'_>, cmp: Comparison, right: &Term<'_>) -> bool {
        if let Some(Compared::Numbers(holds)) = compared(left, cmp, right) {
            return holds;
        }
        let before = environment[0];
        environment[0] = self.or_stop(before, || self.assumed(before, left, cmp, right));
        !self.or_stop(false, || self.is_empty(environment[0]))
    }

    fn bounds(&self, _: &[i32], _: &Term<'_>) -> (i64, i64) {
        (i64::MIN, i64::MAX)
    }
}
