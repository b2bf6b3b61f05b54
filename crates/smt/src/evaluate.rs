//! Evaluation of terms under an assignment.

use crate::terms::{Real, Term, TermNode, Terms, UpperBound};

/// An assignment of the variables.
pub(crate) trait Leaves {
    /// Returns the value of a Boolean variable.
    fn boolean(&self, node: usize, number: u32) -> bool;

    /// Returns the value of a real variable as numerator and denominator. The reference variable is
    /// zero.
    fn real(&self, x: Real) -> (i64, i64);
}

/// A cache of the values of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evaluation {
    /// For each node twice the round in which it was evaluated, plus 1 if it holds.
    known: Vec<u64>,
    round: u64,
    stack: Vec<usize>,
}

impl Evaluation {
    /// Invalidates all values, as the assignment has changed.
    pub(crate) fn invalidate(&mut self) {
        self.round += 1;
    }

    fn of(&self, t: Term) -> Option<bool> {
        let known = *self.known.get(t.node())?;
        (known >> 1 == self.round + 1).then_some((known & 1 == 1) != t.is_negated())
    }

    /// Evaluates a term.
    pub(crate) fn term(&mut self, terms: &Terms, t: Term, leaves: &impl Leaves) -> bool {
        if self.known.len() < terms.nodes().len() {
            self.known.resize(terms.nodes().len(), 0);
        }
        self.stack.push(t.node());
        while let Some(&node) = self.stack.last() {
            let before = self.stack.len();
            let value = match &terms.nodes()[node] {
                TermNode::True => true,
                TermNode::Variable(number) => leaves.boolean(node, *number),
                TermNode::And(range) => {
                    let mut all = true;
                    for part in terms.parts(range) {
                        match self.of(*part) {
                            Some(true) => {}
                            Some(false) => {
                                all = false;
                                self.stack.truncate(before);
                                break;
                            }
                            None => self.stack.push(part.node()),
                        }
                    }
                    all
                }
                TermNode::Iff(a, b) => match (self.of(*a), self.of(*b)) {
                    (Some(a), Some(b)) => a == b,
                    (a_known, b_known) => {
                        self.stack.extend(a_known.is_none().then_some(a.node()));
                        self.stack.extend(b_known.is_none().then_some(b.node()));
                        false
                    }
                },
                TermNode::Difference(atom) => sum(&[(1, atom.left), (-1, atom.right)], atom.bound, leaves),
                TermNode::Linear(number) => {
                    let linear = terms.sum(*number);
                    sum(&linear.sum, linear.bound, leaves)
                }
            };
            if self.stack.len() == before {
                self.stack.pop();
                self.known[node] = (self.round + 1) << 1 | u64::from(value);
            }
        }
        self.of(t).unwrap_or(false)
    }
}

/// Returns whether a sum stays within a bound. If the numbers are too large, it returns `false`.
fn sum(parts: &[(i64, Real)], bound: UpperBound, leaves: &impl Leaves) -> bool {
    let mut total = (0_i128, 1_i128);
    for (factor, x) in parts {
        let (numerator, denominator) = leaves.real(*x);
        let term = (i128::from(*factor) * i128::from(numerator), i128::from(denominator));
        let Some(next) = add(total, term) else { return false };
        total = next;
    }
    let Some(bound_times) = i128::from(bound.value).checked_mul(total.1) else { return false };
    if bound.strict { total.0 < bound_times } else { total.0 <= bound_times }
}

fn add(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    if a.1 == b.1 {
        return Some((a.0.checked_add(b.0)?, a.1));
    }
    let numerator = a.0.checked_mul(b.1)?.checked_add(b.0.checked_mul(a.1)?)?;
    let denominator = a.1.checked_mul(b.1)?;
    let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
    Some((numerator / divisor, denominator / divisor))
}

/// Returns the greatest common divisor.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
