//! Terms as linear expressions, and their bounds in a matrix.

use super::matrix::{Matrix, NONE, vertex};
use crate::{
    Term,
    numeric::{Interval, Intervals, Operation, TermNode, Tree},
};

/// A linear combination of members, plus a number in an interval that bounds the nonlinear rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Members in increasing order, with nonzero coefficients.
    pub(super) coefficients: Vec<(usize, i64)>,
    pub(super) rest: Interval,
}

impl Linear {
    /// Linearises a term; `None`: it has no value.
    pub(super) fn new(term: &Term<'_>, matrix: &Matrix) -> Option<Linear> {
        let members: Vec<Interval> = (0..matrix.members()).map(|member| matrix.interval(member)).collect();
        let tree = Tree::new(term);
        let values = tree.evaluate(&Intervals::default(), &members)?;
        let mut forms: Vec<Linear> = Vec::with_capacity(tree.nodes.len());
        for (&node, &value) in tree.nodes.iter().zip(&values) {
            let form = match node {
                TermNode::Member(member) if member < members.len() => {
                    Some(Linear { coefficients: vec![(member, 1)], rest: Interval::constant(0) })
                }
                TermNode::Negate(part) => forms[part].times(-1),
                TermNode::Apply(Operation::Add, a, b) => forms[a].plus(&forms[b], 1),
                TermNode::Apply(Operation::Sub, a, b) => forms[a].plus(&forms[b], -1),
                TermNode::Apply(Operation::Mul, a, b) => match (forms[a].as_number(), forms[b].as_number()) {
                    (Some(factor), _) => forms[b].times(factor),
                    (_, Some(factor)) => forms[a].times(factor),
                    _ => None,
                },
                _ => None,
            };
            forms.push(form.unwrap_or(Linear { coefficients: Vec::new(), rest: value }));
        }
        forms.pop()
    }

    fn as_number(&self) -> Option<i64> {
        (self.coefficients.is_empty() && self.rest.is_constant()).then_some(self.rest.low)
    }

    fn times(&self, factor: i64) -> Option<Linear> {
        let rest = self.rest.mul(Interval::constant(factor));
        if factor == 0 {
            return Some(Linear { coefficients: Vec::new(), rest });
        }
        let coefficients = self.coefficients.iter().map(|&(member, by)| Some((member, by.checked_mul(factor)?)));
        Some(Linear { coefficients: coefficients.collect::<Option<_>>()?, rest })
    }

    /// Adds a multiple of another; `None`: a coefficient is too large.
    pub(super) fn plus(&self, other: &Linear, times: i64) -> Option<Linear> {
        let other = other.times(times)?;
        let mut sum = Linear { coefficients: self.coefficients.clone(), rest: self.rest.add(other.rest) };
        for (member, factor) in other.coefficients {
            match sum.coefficients.binary_search_by_key(&member, |part| part.0) {
                Ok(at) => {
                    sum.coefficients[at].1 = sum.coefficients[at].1.checked_add(factor)?;
                    if sum.coefficients[at].1 == 0 {
                        sum.coefficients.remove(at);
                    }
                }
                Err(at) => sum.coefficients.insert(at, (member, factor)),
            }
        }
        Some(sum)
    }

    /// Adds or subtracts a member.
    pub(super) fn plus_member(&self, member: usize, sign: i64) -> Option<Linear> {
        self.plus(&Linear { coefficients: vec![(member, 1)], rest: Interval::constant(0) }, sign)
    }

    /// Returns the least upper bound that a closed matrix implies; `None`: it is unbounded.
    pub(super) fn upper_bound(&self, matrix: &Matrix) -> Option<i128> {
        let (_, rest) = self.rest.wide();
        if self.rest.high == i64::MAX {
            return None;
        }
        let alone = |coefficients: &mut dyn Iterator<Item = &(usize, i64)>| -> Option<i128> {
            coefficients.map(|&(member, factor)| upper_bound_of(matrix, member, factor)).sum()
        };
        let mut best = alone(&mut self.coefficients.iter());
        // A bound on the sum or difference of two members may be tighter than the sum of their
        // bounds.
        for (a, &first) in self.coefficients.iter().enumerate() {
            for (b, &second) in self.coefficients.iter().enumerate().skip(a + 1) {
                let Some(pair) = upper_bound_of_pair(matrix, first, second) else { continue };
                let others = alone(
                    &mut self.coefficients.iter().enumerate().filter(|(c, _)| *c != a && *c != b).map(|(_, p)| p),
                );
                if let Some(others) = others {
                    best = Some(best.map_or(pair + others, |best| best.min(pair + others)));
                }
            }
        }
        best.map(|best| best + rest)
    }

    /// Returns the greatest lower bound.
    pub(super) fn lower_bound(&self, matrix: &Matrix) -> Option<i128> {
        self.times(-1)?.upper_bound(matrix).map(|upper_bound| -upper_bound)
    }

    /// Restricts a closed matrix to where this is at most 0; the result is not closed. Returns
    /// `false` if it is known to be empty without closure.
    pub(super) fn impose(&self, matrix: &mut Matrix) -> bool {
        // The rest may take its least value; if that is unbounded, there is no constraint.
        if self.rest.low == i64::MIN {
            return true;
        }
        let limit = -i128::from(self.rest.low);
        if self.coefficients.is_empty() {
            return 0 <= limit;
        }
        let before = matrix.clone();
        let others = |skip: &[usize]| -> Option<i128> {
            let coefficients = self.coefficients.iter().filter(|part| !skip.contains(&part.0)).copied().collect();
            Linear { coefficients, rest: Interval::constant(0) }.lower_bound(&before)
        };
        for (number, &(member, factor)) in self.coefficients.iter().enumerate() {
            let i = vertex(member, factor < 0);
            let size = i128::from(factor).abs();
            if let Some(others) = others(&[member]) {
                matrix.impose(i, i ^ 1, 2 * (limit - others).div_euclid(size));
            }
            for &(second, other_factor) in &self.coefficients[number + 1..] {
                if i128::from(other_factor).abs() == size
                    && let Some(others) = others(&[member, second])
                {
                    matrix.impose(i, vertex(second, other_factor > 0), (limit - others).div_euclid(size));
                }
            }
        }
        true
    }
}

fn upper_bound_of(matrix: &Matrix, member: usize, factor: i64) -> Option<i128> {
    let i = vertex(member, factor < 0);
    let twice = matrix.get(i, i ^ 1);
    (twice != NONE).then(|| i128::from(twice) / 2 * i128::from(factor).abs())
}

/// The same for two members whose coefficients have equal absolute values.
fn upper_bound_of_pair(matrix: &Matrix, first: (usize, i64), second: (usize, i64)) -> Option<i128> {
    let size = i128::from(first.1).abs();
    let bound = matrix.get(vertex(first.0, first.1 < 0), vertex(second.0, second.1 > 0));
    (i128::from(second.1).abs() == size && bound != NONE).then(|| i128::from(bound) * size)
}
