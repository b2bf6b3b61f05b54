//! All distances between few variables.

use super::{Edge, FAR, Pair};
use crate::sat::{Implied, Literal, Values};

/// No edge, no pair.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The least sum of a path.
    distance: i64,
    /// The edge that made this path: it leads along the paths to and from this edge.
    edge: u32,
}

const EMPTY: Cell = Cell { distance: FAR, edge: NONE };

/// The edges that hold and the distances that they make.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    nodes: usize,
    /// By source, then target.
    cells: Vec<Cell>,
    /// Whether atoms bound the difference target - source: the number of the pair, and whether the target is its left.
    pairs: Vec<(u32, bool)>,
    edges: Vec<Edge>,
    /// For each edge: how many changes there were before it.
    marks: Vec<u32>,
    changes: Vec<(u32, Cell)>,
    /// Scratch.
    sources: Vec<(u32, i64)>,
    targets: Vec<(u32, i64)>,
    stack: Vec<(u32, u32)>,
}

impl Dense {
    /// Makes room for more variables. Only while all edges are there for good.
    pub fn grow(&mut self, nodes: usize) {
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

    /// Says that there are atoms on a difference.
    pub fn pair(&mut self, left: u32, right: u32, pair: u32) {
        let (left, right) = (left as usize, right as usize);
        self.pairs[right * self.nodes + left] = (pair, true);
        self.pairs[left * self.nodes + right] = (pair, false);
    }

    /// The edges that hold.
    pub fn edges(&self) -> &[Edge] {
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
            // The paths to and from an edge consist of older edges: a newer edge on one of them would have made this path
            // shorter as well.
            let cell = self.cells[from as usize * self.nodes + to as usize];
            let edge = self.edges[cell.edge as usize];
            out.push(edge.literal);
            self.stack.push((from, edge.from));
            self.stack.push((edge.to, to));
        }
    }

    /// Adds an edge. If it closes a negative cycle, its literals are pushed to `conflict`, the answer is `true`, and nothing
    /// has changed.
    pub fn add(&mut self, edge: Edge, conflict: &mut Vec<Literal>) -> bool {
        let back = self.distance(edge.to, edge.from);
        if back < FAR && back + edge.weight < 0 {
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
        // Only those whose way to or from the ends gets shorter have shorter ways at all.
        for node in 0..self.nodes as u32 {
            let before = self.distance(node, edge.from);
            if before < FAR && before + edge.weight < self.distance(node, edge.to) {
                self.sources.push((node, before + edge.weight));
            }
            let behind = self.distance(edge.to, node);
            if behind < FAR && edge.weight + behind < self.distance(edge.from, node) {
                self.targets.push((node, behind));
            }
        }
        for (from, before) in &self.sources {
            let row = *from as usize * self.nodes;
            for (to, behind) in &self.targets {
                let at = row + *to as usize;
                let distance = before + behind;
                if distance < self.cells[at].distance {
                    self.changes.push((at as u32, self.cells[at]));
                    self.cells[at] = Cell { distance, edge: number };
                }
            }
        }
        false
    }

    /// Pushes what follows from the last edge.
    pub fn follow(&mut self, pairs: &[Pair], values: &Values, implied: &mut Implied) {
        let from = self.marks.last().map_or(0, |m| *m as usize);
        for change in from..self.changes.len() {
            let at = self.changes[change].0 as usize;
            let (pair, is_left) = self.pairs[at];
            if pair == NONE {
                continue;
            }
            let distance = self.cells[at].distance;
            let atoms = &pairs[pair as usize].atoms;
            // The strongest atom is enough: others follow from it by clauses.
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

    /// Takes the last edge away.
    pub fn remove_last(&mut self) {
        self.edges.pop();
        let keep = self.marks.pop().map_or(0, |m| m as usize);
        for (at, cell) in self.changes.drain(keep..).rev() {
            self.cells[at as usize] = cell;
        }
    }

    /// Values that satisfy all edges.
    pub fn potentials(&self) -> Vec<i64> {
        let column = |to: usize| (0..self.nodes).map(move |from| self.cells[from * self.nodes + to].distance);
        (0..self.nodes).map(|to| column(to).min().unwrap_or(0)).collect()
    }
}
