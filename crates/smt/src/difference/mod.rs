//! Bounded differences of reals: which of them can hold together.
//!
//! `x - y <= w` is an edge from `y` to `x` of this weight; constraints can hold together where no cycle has a negative sum. A
//! strict bound weighs one unit less, and a whole number weighs [`SCALE`] units, more than there are variables: so the units
//! on a cycle never add up to a whole number, and sums say exactly what they should.
//!
//! Two graphs keep the edges that hold. With few variables [`dense`] knows all distances and finds all that follows. With many
//! [`sparse`] only finds conflicts.

mod dense;
mod sparse;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use crate::{
    sat::{Implied, Literal, Values},
    terms::{Atom, Bound, Real},
};
use dense::Dense;
use sparse::Sparse;

/// How much the number one weighs. There must be fewer variables than this.
pub const SCALE: i64 = 1 << 20;

/// Sums of as many weights as there are variables stay below this, so that nothing overflows.
const LARGEST: i64 = 1 << 60;

/// With up to this many variables all distances are kept.
const FEW: usize = 120;

/// `to - from <= weight`, because a literal holds.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    weight: i64,
    literal: Literal,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    left: u32,
    right: u32,
    weight: i64,
    pair: u32,
}

/// Two variables and all bounds on their difference.
#[derive(Clone, Debug)]
struct Pair {
    /// Weights and variables of the core, by weight.
    atoms: Vec<(i64, u32)>,
    /// The least weights that hold: of left - right, and of right - left.
    least: [i64; 2],
}

/// No bound. Small enough that three of them can be added.
const FAR: i64 = i64::MAX / 4;

#[derive(Clone, Debug)]
enum Graph {
    Dense(Dense),
    Sparse(Sparse),
}

/// What it takes to take a literal back.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// It said nothing new.
    Nothing,
    /// It is an edge: the bound of its pair and direction before.
    Edge { pair: u32, direction: u8, least: i64 },
}

/// The theory of bounded differences.
#[derive(Clone, Debug)]
pub struct Differences {
    /// By variable of the core.
    atoms: Vec<Option<Known>>,
    pairs: Vec<Pair>,
    pair_of: FxHashMap<(u32, u32), u32>,
    /// The node of each real variable that occurs.
    nodes: Vec<Option<u32>>,
    count: usize,
    largest: i64,
    graph: Graph,
    told: Vec<Told>,
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
            graph: Graph::Dense(Dense::default()),
            told: Vec::new(),
        };
        new.node(Real::ZERO);
        new
    }
}

fn weight(bound: Bound) -> i64 {
    // Too large values are refused by `is_exact`.
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
            Graph::Dense(dense) if self.count <= FEW => dense.grow(self.count),
            Graph::Dense(dense) => {
                let mut sparse = Sparse::default();
                sparse.grow(self.count);
                for edge in dense.edges() {
                    // These hold together, as the distances say.
                    let _ = sparse.add(*edge, &mut Vec::new());
                }
                self.graph = Graph::Sparse(sparse);
            }
            Graph::Sparse(sparse) => sparse.grow(self.count),
        }
        node
    }

    /// Whether the numbers are small enough to be added without fear.
    pub fn is_exact(&self) -> bool {
        (self.count as i64) < SCALE && self.largest.saturating_mul(self.count as i64 + 1) < LARGEST
    }

    /// Introduces an atom as a variable of the core. Calls back with pairs of literals of which the first implies the second.
    pub fn add(&mut self, variable: u32, atom: &Atom, mut implication: impl FnMut(Literal, Literal)) {
        let (left, right) = (self.node(atom.left), self.node(atom.right));
        let weight = weight(atom.bound);
        self.largest = self.largest.max(weight.saturating_abs());
        let next = self.pairs.len() as u32;
        let pair = *self.pair_of.entry((left, right)).or_insert(next);
        if pair == next {
            self.pairs.push(Pair { atoms: Vec::new(), least: [FAR; 2] });
            if let Graph::Dense(dense) = &mut self.graph {
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
        self.atoms[variable as usize] = Some(Known { left, right, weight, pair });
    }

    /// Values for the real variables under which the edges that hold do so, by node: whole numbers, then units.
    fn potentials(&self) -> Vec<i64> {
        match &self.graph {
            Graph::Dense(dense) => dense.potentials(),
            Graph::Sparse(sparse) => sparse.potentials().to_vec(),
        }
    }

    /// Values for the real variables, relative to the reference: numerators, and one denominator.
    pub fn solution(&self) -> (Vec<i64>, i64) {
        let potentials = self.potentials();
        // A value is a whole number and some units; a difference of units stays below a whole number.
        let zero = potentials.first().copied().unwrap_or(0);
        let parts: Vec<(i64, i64)> = potentials
            .iter()
            .map(|p| {
                let units = p - zero + SCALE / 2;
                (units.div_euclid(SCALE), units.rem_euclid(SCALE) - SCALE / 2)
            })
            .collect();
        // The larger the unit, the simpler the numbers: any unit will do that stays below one with all differences.
        let (least, most) = parts.iter().fold((0, 0), |(a, b), (_, u)| (a.min(*u), b.max(*u)));
        let denominator = most - least + 1;
        let value = |x: usize| match self.nodes.get(x).copied().flatten() {
            Some(node) => parts[node as usize].0 * denominator + parts[node as usize].1,
            None => 0,
        };
        ((0..self.nodes.len()).map(value).collect(), denominator)
    }
}

impl Differences {
    /// A literal holds now: see [`crate::sat::Theory::assert`].
    pub fn assert(&mut self, literal: Literal, values: &Values, implied: &mut Implied) -> bool {
        let Some(Some(known)) = self.atoms.get(literal.variable()).copied() else {
            self.told.push(Told::Nothing);
            return true;
        };
        let edge = if literal.is_negated() {
            Edge { from: known.left, to: known.right, weight: -known.weight - 1, literal }
        } else {
            Edge { from: known.right, to: known.left, weight: known.weight, literal }
        };
        let direction = usize::from(literal.is_negated());
        let pair = &mut self.pairs[known.pair as usize];
        let least = pair.least[direction];
        if least <= edge.weight {
            self.told.push(Told::Nothing);
            return true;
        }
        let conflict = match &mut self.graph {
            Graph::Dense(dense) => dense.add(edge, &mut implied.reasons),
            Graph::Sparse(sparse) => sparse.add(edge, &mut implied.reasons),
        };
        if conflict {
            self.told.push(Told::Nothing);
            return false;
        }
        pair.least[direction] = edge.weight;
        self.told.push(Told::Edge { pair: known.pair, direction: direction as u8, least });
        if let Graph::Dense(dense) = &mut self.graph {
            dense.follow(&self.pairs, values, implied);
        }
        true
    }

    /// With many variables: whether an atom holds for the values of now. To try it as that breaks nothing.
    pub fn phase(&self, variable: u32) -> Option<bool> {
        let Graph::Sparse(sparse) = &self.graph else { return None };
        let known = self.atoms.get(variable as usize)?.as_ref()?;
        let of = |node: u32| sparse.potentials()[node as usize];
        Some(of(known.left) - of(known.right) <= known.weight)
    }

    /// Only the first literals that were told hold still.
    pub fn retract(&mut self, keep: usize) {
        while self.told.len() > keep {
            if let Some(Told::Edge { pair, direction, least }) = self.told.pop() {
                self.pairs[pair as usize].least[direction as usize] = least;
                match &mut self.graph {
                    Graph::Dense(dense) => dense.remove_last(),
                    Graph::Sparse(sparse) => sparse.remove_last(),
                }
            }
        }
    }
}
