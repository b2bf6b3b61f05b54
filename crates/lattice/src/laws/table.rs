//! The laws of order, join and widening on all pairs and triples of a list of elements.
//!
//! The order is tabulated, so that lists of a thousand elements can be checked. A least upper bound
//! is also idempotent, commutative and associative; these laws are therefore not checked.

use std::collections::HashMap;

use super::{Law, Order, Violation};

/// The order and the joins of a list of elements, by their indices.
struct SampleTable {
    elements: Vec<Vec<i32>>,
    /// For each element the set of elements that are not less, as bits.
    above: Vec<Vec<u64>>,
    /// For each element and each element up to its index the indices of both joins; `None`: the
    /// join is not in the list.
    joins: Vec<Vec<[Option<u32>; 2]>>,
}

/// Checks the laws on all elements of a list and on joins of them, up to `max` elements in all.
/// Counterexamples consist of the first elements of the list that show a violation. If the order is
/// not a partial order, join and widening are not checked. Also returns the number of elements.
pub fn check_all(mut order: Order<'_>, elements: &[Vec<i32>], max: usize) -> (Vec<Violation>, usize) {
    let table = SampleTable::new(&mut order, elements, max);
    let mut found = table.order();
    if found.is_empty() {
        let join = table.upper_bound(&mut order).or_else(|| table.least());
        found.extend(join.into_iter().chain(table.widening(&mut order)));
    }
    (found, table.elements.len())
}

impl SampleTable {
    fn new(order: &mut Order<'_>, list: &[Vec<i32>], max: usize) -> SampleTable {
        let mut places: HashMap<Vec<i32>, u32> = HashMap::new();
        let mut elements: Vec<Vec<i32>> = Vec::new();
        let mut place = |element: &[i32], elements: &mut Vec<Vec<i32>>| match places.get(element) {
            Some(at) => Some(*at),
            None if elements.len() < max => {
                let at = elements.len() as u32;
                places.insert(element.to_vec(), at);
                elements.push(element.to_vec());
                Some(at)
            }
            None => None,
        };
        for element in list {
            place(element, &mut elements);
        }
        let mut joins: Vec<Vec<[Option<u32>; 2]>> = Vec::new();
        let mut a = 0;
        // The loop itself appends to the list.
        while a < elements.len() {
            let mut row = Vec::with_capacity(a + 1);
            for b in 0..=a {
                row.push([(a, b), (b, a)].map(|(a, b)| {
                    let mut joined = elements[a].clone();
                    (order.join)(&mut joined, &elements[b]);
                    place(&joined, &mut elements)
                }));
            }
            joins.push(row);
            a += 1;
        }
        let leq = |a: &Vec<i32>| {
            let mut bits = vec![0; elements.len().div_ceil(64)];
            for (b, element) in elements.iter().enumerate() {
                bits[b / 64] |= u64::from((order.leq)(a, element)) << (b % 64);
            }
            bits
        };
        let above = elements.iter().map(leq).collect();
        SampleTable { elements, above, joins }
    }

    fn is_below(&self, a: usize, b: usize) -> bool {
        self.above[a][b / 64] >> (b % 64) & 1 == 1
    }

    fn violation(&self, law: Law, places: &[usize]) -> Violation {
        let elements = places.iter().map(|at| self.elements[*at].clone()).collect();
        Violation { law, subject: String::new(), elements, detail: String::new(), made: Vec::new() }
    }

    /// Enumerates pairs of indices, smallest indices first.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.elements.len()).flat_map(|b| (0..=b).flat_map(move |a| [(a, b), (b, a)]))
    }

    /// Returns the index of a join.
    fn join(&self, a: usize, b: usize) -> Option<usize> {
        self.joins[a.max(b)][a.min(b)][usize::from(a < b)].map(|at| at as usize)
    }

    fn order(&self) -> Vec<Violation> {
        let reflexive = (0..self.elements.len()).find(|a| !self.is_below(*a, *a));
        let antisymmetric = self.pairs().find(|(a, b)| a != b && self.is_below(*a, *b) && self.is_below(*b, *a));
        // `a <= b` and `b <= c`, but not `a <= c`.
        let lost = |a: usize, b: usize| first_bit(self.above[b].iter().zip(&self.above[a]).map(|(b, a)| b & !a));
        let transitive = self.first_of(|a, b| if self.is_below(a, b) { lost(a, b) } else { None });
        let found = [
            reflexive.map(|a| self.violation(Law::Reflexive, &[a])),
            antisymmetric.map(|(a, b)| self.violation(Law::Antisymmetric, &[a, b])),
            transitive.map(|(a, b, c)| self.violation(Law::Transitive, &[a, b, c])),
        ];
        found.into_iter().flatten().collect()
    }

    /// Finds the triple whose greatest index is smallest among those for which `third` returns an
    /// index.
    fn first_of(&self, third: impl Fn(usize, usize) -> Option<usize>) -> Option<(usize, usize, usize)> {
        let all = (0..self.elements.len()).flat_map(|a| (0..self.elements.len()).map(move |b| (a, b)));
        all.filter_map(|(a, b)| third(a, b).map(|c| (a, b, c))).min_by_key(|&(a, b, c)| (a.max(b).max(c), a, b, c))
    }

    fn upper_bound(&self, order: &mut Order<'_>) -> Option<Violation> {
        let mut is_wrong = |a: usize, b: usize| match self.join(a, b) {
            Some(join) => !self.is_below(a, join) || !self.is_below(b, join),
            None => {
                let (a, b) = (&self.elements[a], &self.elements[b]);
                let mut joined = a.clone();
                (order.join)(&mut joined, b);
                !(order.leq)(a, &joined) || !(order.leq)(b, &joined)
            }
        };
        self.pairs().find(|(a, b)| is_wrong(*a, *b)).map(|(a, b)| self.violation(Law::UpperBound, &[a, b]))
    }

    fn least(&self) -> Option<Violation> {
        let too_great = self.first_of(|a, b| {
            let join = self.join(a, b)?;
            let words = self.above[a].iter().zip(&self.above[b]).zip(&self.above[join]);
            first_bit(words.map(|((a, b), join)| a & b & !join))
        });
        too_great.map(|(a, b, c)| self.violation(Law::Least, &[a, b, c]))
    }

    fn widening(&self, order: &mut Order<'_>) -> Option<Violation> {
        let widen = order.widen.as_mut()?;
        let leq = &mut order.leq;
        let mut is_wrong = |a: &[i32], b: &[i32]| {
            let mut wide = a.to_vec();
            widen(&mut wide, b, &[]);
            !leq(a, &wide) || !leq(b, &wide)
        };
        let found = self.pairs().find(|(a, b)| is_wrong(&self.elements[*a], &self.elements[*b]));
        if let Some((a, b)) = found {
            return Some(self.violation(Law::WidenUpperBound, &[a, b]));
        }
        // Each change makes the element greater, so their number is bounded by the number of
        // elements if that is finite.
        let mut element = self.elements.first()?.clone();
        let grows = (0..ROUNDS).all(|_| {
            let before = element.clone();
            for next in &self.elements {
                widen(&mut element, next, &[]);
            }
            before != element
        });
        grows.then(|| self.violation(Law::WidenTerminates, &[0]))
    }
}

/// How often a sequence of widenings may go through all elements before it counts as divergent.
const ROUNDS: usize = 100;

fn first_bit(words: impl Iterator<Item = u64>) -> Option<usize> {
    words.enumerate().find(|(_, word)| *word != 0).map(|(i, word)| 64 * i + word.trailing_zeros() as usize)
}
