//! Negative cycles among many variables, after Cotton and Maler (2006).
//!
//! A potential for each node shows that there is no negative cycle: no edge leads to a node whose potential is higher than the
//! one of its source and the weight together. A new edge lowers potentials along the edges until all is well again, or
//! until it would lower its own source: then it closes a negative cycle. Taking edges away leaves the potentials right.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{Edge, LARGEST};
use crate::sat::Literal;

/// No edge.
const NONE: u32 = u32::MAX;

/// The edges that hold and a potential that fits them.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    potentials: Vec<i64>,
    edges: Vec<Edge>,
    /// Edges by source.
    out: Vec<Vec<u32>>,
    /// By how much a potential must be lowered at least (negative), while an edge is added.
    change: Vec<i64>,
    /// The edge that asks for this change.
    cause: Vec<u32>,
    done: Vec<bool>,
    touched: Vec<u32>,
    queue: BinaryHeap<Reverse<(i64, u32)>>,
}

impl Sparse {
    /// Makes room for more variables.
    pub fn grow(&mut self, nodes: usize) {
        self.potentials.resize(nodes, 0);
        self.out.resize(nodes, Vec::new());
        self.change.resize(nodes, 0);
        self.cause.resize(nodes, NONE);
        self.done.resize(nodes, false);
    }

    /// Adds an edge. If it closes a negative cycle, its literals are pushed to `conflict`, the answer is `true`, and nothing
    /// has changed.
    pub fn add(&mut self, edge: Edge, conflict: &mut Vec<Literal>) -> bool {
        let number = self.edges.len() as u32;
        self.edges.push(edge);
        let closed = self.lower(number, conflict);
        for node in self.touched.drain(..) {
            self.change[node as usize] = 0;
            self.cause[node as usize] = NONE;
            self.done[node as usize] = false;
        }
        self.queue.clear();
        if closed {
            self.edges.pop();
        } else {
            self.out[edge.from as usize].push(number);
        }
        closed
    }

    fn ask(&mut self, number: u32) {
        let Edge { from, to, weight, .. } = self.edges[number as usize];
        let (from, to) = (from as usize, to as usize);
        let lowered = if self.done[from] { self.change[from] } else { 0 };
        let change = self.potentials[from] + lowered + weight - self.potentials[to];
        if change < self.change[to] {
            if self.cause[to] == NONE {
                self.touched.push(to as u32);
            }
            self.change[to] = change;
            self.cause[to] = number;
            self.queue.push(Reverse((change, to as u32)));
        }
    }

    fn lower(&mut self, number: u32, conflict: &mut Vec<Literal>) -> bool {
        let source = self.edges[number as usize].from;
        self.ask(number);
        while let Some(Reverse((change, node))) = self.queue.pop() {
            let at = node as usize;
            if self.done[at] || change > self.change[at] {
                continue;
            }
            if node == source {
                self.explain(source, conflict);
                return true;
            }
            // The one that must be lowered most needs to be lowered once only.
            self.done[at] = true;
            for next in 0..self.out[at].len() {
                let edge = self.out[at][next];
                if !self.done[self.edges[edge as usize].to as usize] {
                    self.ask(edge);
                }
            }
        }
        let mut least = 0;
        for node in &self.touched {
            let at = *node as usize;
            self.potentials[at] += self.change[at];
            least = least.min(self.potentials[at]);
        }
        if least < -LARGEST {
            self.renew(number);
        }
        false
    }

    fn explain(&self, source: u32, conflict: &mut Vec<Literal>) {
        let mut node = source;
        loop {
            let edge = self.edges[self.cause[node as usize] as usize];
            conflict.push(edge.literal);
            node = edge.from;
            if node == source {
                return;
            }
        }
    }

    /// Finds new potentials, as old ones drift downwards. All edges hold together.
    fn renew(&mut self, last: u32) {
        self.potentials.fill(0);
        loop {
            let mut changed = false;
            for edge in &self.edges[..=last as usize] {
                let most = self.potentials[edge.from as usize] + edge.weight;
                if most < self.potentials[edge.to as usize] {
                    self.potentials[edge.to as usize] = most;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Takes the last edge away.
    pub fn remove_last(&mut self) {
        if let Some(edge) = self.edges.pop() {
            self.out[edge.from as usize].pop();
        }
    }

    /// Values that satisfy all edges.
    pub fn potentials(&self) -> &[i64] {
        &self.potentials
    }
}
