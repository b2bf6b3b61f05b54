//! The theory of bounded differences of reals.
//!
//! `x - y <= w` is an edge from `y` to `x` of weight `w`; constraints are consistent if no cycle
//! has a negative weight. A strict bound weighs one unit less, and an integer weighs [`SCALE`]
//! units, more than there are variables: the units on a cycle never add up to an integer, so
//! comparisons of sums are exact.
//!
//! The asserted edges are kept in one of two graphs. For few variables [`dense`] keeps all
//! distances and propagates all consequences. For many variables [`sparse`] only finds conflicts.

mod dense;
mod sparse;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::{
    sat::{Implied, Literal, TruthValues},
    terms::{Atom, Real, UpperBound},
};
use dense::Dense;
use sparse::Sparse;

/// The weight of the number one. It must exceed the number of variables.
pub(crate) const SCALE: i64 = 1 << 20;

/// A limit on sums of as many weights as there are variables, so that nothing overflows.
const MAX_TOTAL_WEIGHT: i64 = 1 << 60;

/// Up to this many variables all distances are kept.
const MAX_DENSE_VARIABLES: usize = 120;

/// `to - from <= weight`, implied by a literal.
#[derive(Clone, Copy, Debug)]
struct WeightedEdge {
    from: u32,
    to: u32,
    weight: i64,
    literal: Literal,
}

#[derive(Clone, Copy, Debug)]
struct DifferenceAtom {
    left: u32,
    right: u32,
    weight: i64,
    pair: u32,
}

/// Two variables and all bounds on their difference.
#[derive(Clone, Debug)]
struct VariablePair {
    /// The atoms as weights and variables of the SAT solver, ordered by weight.
    atoms: Vec<(i64, u32)>,
    /// The least asserted weights of left - right and of right - left.
    least: [i64; 2],
}

/// The distance of unconnected nodes. Three of them can be added without overflow.
const UNREACHABLE: i64 = i64::MAX / 4;

#[derive(Clone, Debug)]
enum DifferenceGraph {
    Dense(Dense),
    Sparse(Sparse),
}

/// The information that undoes the assertion of a literal.
#[derive(Clone, Copy, Debug)]
enum Undo {
    /// The literal said nothing new.
    Nothing,
    /// The literal added an edge. The fields are the previous bound of its pair and direction.
    Edge { pair: u32, direction: u8, least: i64 },
}

/// The theory of bounded differences.
#[derive(Clone, Debug)]
pub(crate) struct Differences {
    /// The atoms by variable of the SAT solver.
    atoms: Vec<Option<DifferenceAtom>>,
    pairs: Vec<VariablePair>,
    pair_of: FxHashMap<(u32, u32), u32>,
    /// The node of each real variable that occurs.
    nodes: Vec<Option<u32>>,
    count: usize,
    largest: i64,
    graph: DifferenceGraph,
    undo: Vec<Undo>,
}

impl Default for Differences {
    fn default() -> Differences {
        let mut new = Differences {
            atoms: Vec::new(),
            pairs: Vec::new(),
            pair_of: FxHashMap::default(),
            nodes: Vec::new(),
            count: 0,
            largest: 0,
            graph: DifferenceGraph::Dense(Dense::default()),
            undo: Vec::new(),
        };
        new.node(Real::ZERO);
        new
    }
}

fn weight(bound: UpperBound) -> i64 {
    // Too large values are rejected by `is_exact`.
    bound.value.saturating_mul(SCALE).saturating_sub(i64::from(bound.strict))
}

impl Differences {
    fn node(&mut self, x: Real) -> u32 {
        let at = x.0 as usize;
        if self.nodes.len() <= at {
            self.nodes.resize(at + 1, None);
        }
        if let Some(node) = self.nodes[at] {
            return node;
        }
        let node = self.count as u32;
        self.nodes[at] = Some(node);
        self.count += 1;
        match &mut self.graph {
            DifferenceGraph::Dense(dense) if self.count <= MAX_DENSE_VARIABLES => dense.grow(self.count),
            DifferenceGraph::Dense(dense) => {
                let mut sparse = Sparse::default();
                sparse.grow(self.count);
                for edge in dense.edges() {
                    // The facts are consistent, as the distances show.
                    let _ = sparse.add(*edge, &mut Vec::new());
                }
                self.graph = DifferenceGraph::Sparse(sparse);
            }
            DifferenceGraph::Sparse(sparse) => sparse.grow(self.count),
        }
        node
    }

    /// Returns whether all sums of bounds are exact.
    pub(crate) fn is_exact(&self) -> bool {
        (self.count as i64) < SCALE && self.largest.saturating_mul(self.count as i64 + 1) < MAX_TOTAL_WEIGHT
    }

    /// Introduces an atom as a variable of the SAT solver. Calls back with pairs of literals of
    /// which the first implies the second.
    pub(crate) fn add(&mut self, variable: u32, atom: &Atom, mut implication: impl FnMut(Literal, Literal)) {
        let (left, right) = (self.node(atom.left), self.node(atom.right));
        let weight = weight(atom.bound);
        self.largest = self.largest.max(weight.saturating_abs());
        let next = self.pairs.len() as u32;
        let pair = *self.pair_of.entry((left, right)).or_insert(next);
        if pair == next {
            self.pairs.push(VariablePair { atoms: Vec::new(), least: [UNREACHABLE; 2] });
            if let DifferenceGraph::Dense(dense) = &mut self.graph {
                dense.pair(left, right, pair);
            }
        }
        let known = &mut self.pairs[pair as usize].atoms;
        let at = known.partition_point(|(other, _)| *other < weight);
        let this = Literal::new(variable, true);
        if let Some(before) = at.checked_sub(1) {
            implication(Literal::new(known[before].1, true), this);
        }
        if let Some((_, above)) = known.get(at) {
            implication(this, Literal::new(*above, true));
        }
        known.insert(at, (weight, variable));
        if self.atoms.len() <= variable as usize {
            self.atoms.resize(variable as usize + 1, None);
        }
        self.atoms[variable as usize] = Some(DifferenceAtom { left, right, weight, pair });
    }

    /// Returns values, by node, that satisfy the asserted edges.
    fn potentials(&self) -> Vec<i64> {
        match &self.graph {
            DifferenceGraph::Dense(dense) => dense.potentials(),
            DifferenceGraph::Sparse(sparse) => sparse.potentials().to_vec(),
        }
    }

    /// Returns values for the real variables, relative to the reference variable, as numerators and
    /// a common denominator.
    pub(crate) fn solution(&self) -> (Vec<i64>, i64) {
        let potentials = self.potentials();
        // A value is an integer plus some units; a difference of units stays below one.
        let zero = potentials.first().copied().unwrap_or(0);
        let parts: Vec<(i64, i64)> = potentials
            .iter()
            .map(|p| {
                let units = p - zero + SCALE / 2;
                (units.div_euclid(SCALE), units.rem_euclid(SCALE) - SCALE / 2)
            })
            .collect();
        // Larger units make simpler numbers: any unit is correct for which all differences of units
        // stay below one.
        let (least, greatest) = parts.iter().fold((0, 0), |(a, b), (_, u)| (a.min(*u), b.max(*u)));
        let denominator = greatest - least + 1;
        let value = |x: usize| match self.nodes.get(x).copied().flatten() {
            Some(node) => parts[node as usize].0 * denominator + parts[node as usize].1,
            None => 0,
        };
        ((0..self.nodes.len()).map(value).collect(), denominator)
    }
}

impl Differences {
    /// Asserts a literal: see [`crate::sat::Theory::assert`].
    pub(crate) fn assert(&mut self, literal: Literal, values: &TruthValues, implied: &mut Implied) -> bool {
        let Some(Some(known)) = self.atoms.get(literal.variable()).copied() else {
            self.undo.push(Undo::Nothing);
            return true;
        };
        let edge = if literal.is_negated() {
            WeightedEdge { from: known.left, to: known.right, weight: -known.weight - 1, literal }
        } else {
            WeightedEdge { from: known.right, to: known.left, weight: known.weight, literal }
        };
        let direction = usize::from(literal.is_negated());
        let pair = &mut self.pairs[known.pair as usize];
        let least = pair.least[direction];
        if least <= edge.weight {
            self.undo.push(Undo::Nothing);
            return true;
        }
        let conflict = match &mut self.graph {
            DifferenceGraph::Dense(dense) => dense.add(edge, &mut implied.reasons),
            DifferenceGraph::Sparse(sparse) => sparse.add(edge, &mut implied.reasons),
        };
        if conflict {
            self.undo.push(Undo::Nothing);
            return false;
        }
        pair.least[direction] = edge.weight;
        self.undo.push(Undo::Edge { pair: known.pair, direction: direction as u8, least });
        if let DifferenceGraph::Dense(dense) = &mut self.graph {
            dense.propagate(&self.pairs, values, implied);
        }
        true
    }

    /// With the sparse graph, returns whether an atom holds for the current values: deciding it so
    /// causes no conflict.
    pub(crate) fn phase(&self, variable: u32) -> Option<bool> {
        let DifferenceGraph::Sparse(sparse) = &self.graph else { return None };
        let known = self.atoms.get(variable as usize)?.as_ref()?;
        let of = |node: u32| sparse.potentials()[node as usize];
        Some(of(known.left) - of(known.right) <= known.weight)
    }

    /// Keeps only the first `keep` asserted literals.
    pub(crate) fn retract(&mut self, keep: usize) {
        while self.undo.len() > keep {
            if let Some(Undo::Edge { pair, direction, least }) = self.undo.pop() {
                self.pairs[pair as usize].least[direction as usize] = least;
                match &mut self.graph {
                    DifferenceGraph::Dense(dense) => dense.remove_last(),
                    DifferenceGraph::Sparse(sparse) => sparse.remove_last(),
                }
            }
        }
    }
}
