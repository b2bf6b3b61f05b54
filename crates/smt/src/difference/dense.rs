//! All-pairs distances, for few variables.

use super::{UNREACHABLE, VariablePair, WeightedEdge};
use crate::sat::{Implied, Literal, TruthValues};

/// The absence of an edge or of a pair.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Distance {
    /// The length of a shortest path.
    distance: i64,
    /// The newest edge of this path. The path consists of a path to the edge, the edge, and a path
    /// from it.
    edge: u32,
}

const EMPTY: Distance = Distance { distance: UNREACHABLE, edge: NONE };

/// The asserted edges and their distances.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    nodes: usize,
    /// Cells by source, then target.
    cells: Vec<Distance>,
    /// For each cell the pair whose atoms bound the difference target - source, and whether the
    /// target is its left variable.
    pairs: Vec<(u32, bool)>,
    edges: Vec<WeightedEdge>,
    /// For each edge the number of changes before it.
    marks: Vec<u32>,
    changes: Vec<(u32, Distance)>,
    /// Scratch memory of `add`.
    sources: Vec<(u32, i64)>,
    targets: Vec<(u32, i64)>,
    stack: Vec<(u32, u32)>,
}

impl Dense {
    /// Makes room for more variables. Precondition: all edges are facts.
    pub(super) fn grow(&mut self, nodes: usize) {
        let mut cells = vec![EMPTY; nodes * nodes];
        let mut pairs = vec![(NONE, false); nodes * nodes];
        for from in 0..self.nodes {
            let (old, new) = (from * self.nodes, from * nodes);
            cells[new..new + self.nodes].copy_from_slice(&self.cells[old..old + self.nodes]);
            pairs[new..new + self.nodes].copy_from_slice(&self.pairs[old..old + self.nodes]);
        }
        for node in self.nodes..nodes {
            cells[node * nodes + node].distance = 0;
        }
        (self.cells, self.pairs, self.nodes) = (cells, pairs, nodes);
        self.changes.clear();
        self.marks.fill(0);
    }

    /// Registers a difference that has atoms.
    pub(super) fn pair(&mut self, left: u32, right: u32, pair: u32) {
        let (left, right) = (left as usize, right as usize);
        self.pairs[right * self.nodes + left] = (pair, true);
        self.pairs[left * self.nodes + right] = (pair, false);
    }

    /// Returns the asserted edges.
    pub(super) fn edges(&self) -> &[WeightedEdge] {
        &self.edges
    }

    fn distance(&self, from: u32, to: u32) -> i64 {
        self.cells[from as usize * self.nodes + to as usize].distance
    }

    /// Pushes the literals of the path between two nodes.
    fn explain(&mut self, from: u32, to: u32, out: &mut Vec<Literal>) {
        self.stack.push((from, to));
        while let Some((from, to)) = self.stack.pop() {
            if from == to {
                continue;
            }
            // The paths to and from an edge consist of older edges: a newer edge on one of them
            // would have shortened this path as well.
            let cell = self.cells[from as usize * self.nodes + to as usize];
            let edge = self.edges[cell.edge as usize];
            out.push(edge.literal);
            self.stack.push((from, edge.from));
            self.stack.push((edge.to, to));
        }
    }

    /// Adds an edge. If it closes a negative cycle, pushes the literals of the cycle to `conflict`,
    /// returns `true`, and changes nothing.
    pub(super) fn add(&mut self, edge: WeightedEdge, conflict: &mut Vec<Literal>) -> bool {
        let back = self.distance(edge.to, edge.from);
        if back < UNREACHABLE && back + edge.weight < 0 {
            conflict.push(edge.literal);
            self.explain(edge.to, edge.from, conflict);
            return true;
        }
        let number = self.edges.len() as u32;
        self.edges.push(edge);
        self.marks.push(self.changes.len() as u32);
        self.sources.clear();
        self.targets.clear();
        if self.distance(edge.from, edge.to) <= edge.weight {
            return false;
        }
        // Only nodes with a shorter path to or from the ends of the edge have shorter paths at all.
        for node in 0..self.nodes as u32 {
            let before = self.distance(node, edge.from);
            if before < UNREACHABLE && before + edge.weight < self.distance(node, edge.to) {
                self.sources.push((node, before + edge.weight));
            }
            let after = self.distance(edge.to, node);
            if after < UNREACHABLE && edge.weight + after < self.distance(edge.from, node) {
                self.targets.push((node, after));
            }
        }
        for (from, before) in &self.sources {
            let row = *from as usize * self.nodes;
            for (to, after) in &self.targets {
                let at = row + *to as usize;
                let distance = before + after;
                if distance < self.cells[at].distance {
                    self.changes.push((at as u32, self.cells[at]));
                    self.cells[at] = Distance { distance, edge: number };
                }
            }
        }
        false
    }

    /// Propagates the consequences of the last edge.
    pub(super) fn propagate(&mut self, pairs: &[VariablePair], values: &TruthValues, implied: &mut Implied) {
        let from = self.marks.last().map_or(0, |m| *m as usize);
        for change in from..self.changes.len() {
            let at = self.changes[change].0 as usize;
            let (pair, is_left) = self.pairs[at];
            if pair == NONE {
                continue;
            }
            let distance = self.cells[at].distance;
            let atoms = &pairs[pair as usize].atoms;
            // The strongest atom is enough: the others follow from it by clauses.
            let strongest = if is_left {
                let at = atoms.partition_point(|(weight, _)| *weight < distance);
                atoms.get(at).map(|(_, variable)| Literal::new(*variable, true))
            } else {
                let at = atoms.partition_point(|(weight, _)| *weight < -distance);
                at.checked_sub(1).map(|at| Literal::new(atoms[at].1, false))
            };
            if let Some(literal) = strongest
                && values[literal.index()] <= 0
            {
                self.explain((at / self.nodes) as u32, (at % self.nodes) as u32, &mut implied.reasons);
                implied.push(literal);
            }
        }
    }

    /// Removes the last edge.
    pub(super) fn remove_last(&mut self) {
        self.edges.pop();
        let keep = self.marks.pop().map_or(0, |m| m as usize);
        for (at, cell) in self.changes.drain(keep..).rev() {
            self.cells[at as usize] = cell;
        }
    }

    /// Returns values that satisfy all edges.
    pub(super) fn potentials(&self) -> Vec<i64> {
        let column = |to: usize| (0..self.nodes).map(move |from| self.cells[from * self.nodes + to].distance);
        (0..self.nodes).map(|to| column(to).min().unwrap_or(0)).collect()
    }
}
