//! Terms as sums of members, and what a matrix says of them.

use super::matrix::{Matrix, NONE, vertex};
use crate::{
    Term,
    numeric::{Interval, Intervals, Node, Operation, Tree},
};

/// A sum of multiples of members, and of a number of which bounds are known: what is not linear ends up there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// Members in order, with factors that are not 0.
    pub(super) parts: Vec<(usize, i64)>,
    pub(super) rest: Interval,
}

impl Linear {
    /// A term in an environment; `None`: it has no value.
    pub(super) fn new(term: &Term<'_>, matrix: &Matrix) -> Option<Linear> {
        let members: Vec<Interval> = (0..matrix.members()).map(|member| matrix.interval(member)).collect();
        let tree = Tree::new(term);
        let values = tree.evaluate(&Intervals::default(), &members)?;
        let mut forms: Vec<Linear> = Vec::with_capacity(tree.nodes.len());
        for (&node, &value) in tree.nodes.iter().zip(&values) {
            let form = match node {
                Node::Member(member) if member < members.len() => {
                    Some(Linear { parts: vec![(member, 1)], rest: Interval::constant(0) })
                }
                Node::Negate(part) => forms[part].times(-1),
                Node::Apply(Operation::Add, a, b) => forms[a].plus(&forms[b], 1),
                Node::Apply(Operation::Sub, a, b) => forms[a].plus(&forms[b], -1),
                Node::Apply(Operation::Mul, a, b) => match (forms[a].as_number(), forms[b].as_number()) {
                    (Some(factor), _) => forms[b].times(factor),
                    (_, Some(factor)) => forms[a].times(factor),
                    _ => None,
                },
                _ => None,
            };
            forms.push(form.unwrap_or(Linear { parts: Vec::new(), rest: value }));
        }
        forms.pop()
    }

    fn as_number(&self) -> Option<i64> {
        (self.parts.is_empty() && self.rest.is_constant()).then_some(self.rest.low)
    }

    fn times(&self, factor: i64) -> Option<Linear> {
        let rest = self.rest.mul(Interval::constant(factor));
        if factor == 0 {
            return Some(Linear { parts: Vec::new(), rest });
        }
        let parts = self.parts.iter().map(|&(member, by)| Some((member, by.checked_mul(factor)?)));
        Some(Linear { parts: parts.collect::<Option<_>>()?, rest })
    }

    /// The sum with a multiple of another; `None`: its factors are too large.
    pub(super) fn plus(&self, other: &Linear, times: i64) -> Option<Linear> {
        let other = other.times(times)?;
        let mut sum = Linear { parts: self.parts.clone(), rest: self.rest.add(other.rest) };
        for (member, factor) in other.parts {
            match sum.parts.binary_search_by_key(&member, |part| part.0) {
                Ok(at) => {
                    sum.parts[at].1 = sum.parts[at].1.checked_add(factor)?;
                    if sum.parts[at].1 == 0 {
                        sum.parts.remove(at);
                    }
                }
                Err(at) => sum.parts.insert(at, (member, factor)),
            }
        }
        Some(sum)
    }

    /// The sum with a member, or minus it.
    pub(super) fn plus_member(&self, member: usize, sign: i64) -> Option<Linear> {
        self.plus(&Linear { parts: vec![(member, 1)], rest: Interval::constant(0) }, sign)
    }

    /// The least number that it is never above, as far as a closed matrix says; `None`: there is none.
    pub(super) fn most(&self, matrix: &Matrix) -> Option<i128> {
        let (_, rest) = self.rest.wide();
        if self.rest.high == i64::MAX {
            return None;
        }
        let alone = |parts: &mut dyn Iterator<Item = &(usize, i64)>| -> Option<i128> {
            parts.map(|&(member, factor)| most_of(matrix, member, factor)).sum()
        };
        let mut best = alone(&mut self.parts.iter());
        // Two of them may be known to be less together.
        for (a, &first) in self.parts.iter().enumerate() {
            for (b, &second) in self.parts.iter().enumerate().skip(a + 1) {
                let Some(pair) = most_of_pair(matrix, first, second) else { continue };
                let others =
                    alone(&mut self.parts.iter().enumerate().filter(|(c, _)| *c != a && *c != b).map(|(_, p)| p));
                if let Some(others) = others {
                    best = Some(best.map_or(pair + others, |best| best.min(pair + others)));
                }
            }
        }
        best.map(|best| best + rest)
    }

    /// The greatest number that it is never below.
    pub(super) fn least(&self, matrix: &Matrix) -> Option<i128> {
        self.times(-1)?.most(matrix).map(|most| -most)
    }

    /// Cuts a closed matrix to where this is at most 0; it is not closed then. Returns whether anything is left, as far as this
    /// is known without closing.
    pub(super) fn impose(&self, matrix: &mut Matrix) -> bool {
        // The rest may be as small as it can; where that has no bound, nothing is said.
        if self.rest.low == i64::MIN {
            return true;
        }
        let limit = -i128::from(self.rest.low);
        if self.parts.is_empty() {
            return 0 <= limit;
        }
        let before = matrix.clone();
        let others = |skip: &[usize]| -> Option<i128> {
            let parts = self.parts.iter().filter(|part| !skip.contains(&part.0)).copied().collect();
            Linear { parts, rest: Interval::constant(0) }.least(&before)
        };
        for (number, &(member, factor)) in self.parts.iter().enumerate() {
            let i = vertex(member, factor < 0);
            let size = i128::from(factor).abs();
            if let Some(others) = others(&[member]) {
                matrix.impose(i, i ^ 1, 2 * (limit - others).div_euclid(size));
            }
            for &(second, other_factor) in &self.parts[number + 1..] {
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

fn most_of(matrix: &Matrix, member: usize, factor: i64) -> Option<i128> {
    let i = vertex(member, factor < 0);
    let twice = matrix.get(i, i ^ 1);
    (twice != NONE).then(|| i128::from(twice) / 2 * i128::from(factor).abs())
}

/// The same for two members with the same factor, but for the sign.
fn most_of_pair(matrix: &Matrix, first: (usize, i64), second: (usize, i64)) -> Option<i128> {
    let size = i128::from(first.1).abs();
    let bound = matrix.get(vertex(first.0, first.1 < 0), vertex(second.0, second.1 > 0));
    (i128::from(second.1).abs() == size && bound != NONE).then(|| i128::from(bound) * size)
}
