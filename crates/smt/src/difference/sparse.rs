//! Detection of negative cycles among many variables, after Cotton and Maler (2006).
//!
//! A potential function shows that there is no negative cycle: the potential of an edge's target is
//! at most that of its source plus the weight. A new edge lowers potentials along the edges until
//! this holds again, or until it would lower its own source: then it closes a negative cycle.
//! Removing edges leaves the potentials valid.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{MAX_TOTAL_WEIGHT, WeightedEdge};
use crate::sat::Literal;

/// The absence of an edge.
const NONE: u32 = u32::MAX;

/// The asserted edges and a valid potential function.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    potentials: Vec<i64>,
    edges: Vec<WeightedEdge>,
    /// Edges by source.
    out: Vec<Vec<u32>>,
    /// The least necessary change (negative) of a potential while an edge is added.
    change: Vec<i64>,
    /// The edge that requires this change.
    cause: Vec<u32>,
    done: Vec<bool>,
    touched: Vec<u32>,
    queue: BinaryHeap<Reverse<(i64, u32)>>,
}

impl Sparse {
    /// Makes room for more variables.
    pub(super) fn grow(&mut self, nodes: usize) {
        self.potentials.resize(nodes, 0);
        self.out.resize(nodes, Vec::new());
        self.change.resize(nodes, 0);
        self.cause.resize(nodes, NONE);
        self.done.resize(nodes, false);
    }

    /// Adds an edge. If it closes a negative cycle, pushes the literals of the cycle to `conflict`,
    /// returns `true`, and changes nothing.
    pub(super) fn add(&mut self, edge: WeightedEdge, conflict: &mut Vec<Literal>) -> bool {
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

    fn require(&mut self, number: u32) {
        let WeightedEdge { from, to, weight, .. } = self.edges[number as usize];
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
        self.require(number);
        while let Some(Reverse((change, node))) = self.queue.pop() {
            let at = node as usize;
            if self.done[at] || change > self.change[at] {
                continue;
            }
            if node == source {
                self.explain(source, conflict);
                return true;
            }
            // The node with the greatest change is final, as in Dijkstra's algorithm.
            self.done[at] = true;
            for next in 0..self.out[at].len() {
                let edge = self.out[at][next];
                if !self.done[self.edges[edge as usize].to as usize] {
                    self.require(edge);
                }
            }
        }
        let mut least = 0;
        for node in &self.touched {
            let at = *node as usize;
            self.potentials[at] += self.change[at];
            least = least.min(self.potentials[at]);
        }
        if least < -MAX_TOTAL_WEIGHT {
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

    /// Computes new potentials, as old ones drift downwards. Precondition: all edges are
    /// consistent.
    fn renew(&mut self, last: u32) {
        self.potentials.fill(0);
        loop {
            let mut changed = false;
            for edge in &self.edges[..=last as usize] {
                let max = self.potentials[edge.from as usize] + edge.weight;
                if max < self.potentials[edge.to as usize] {
                    self.potentials[edge.to as usize] = max;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Removes the last edge.
    pub(super) fn remove_last(&mut self) {
        if let Some(edge) = self.edges.pop() {
            self.out[edge.from as usize].pop();
        }
    }

    /// Returns values that satisfy all edges.
    pub(super) fn potentials(&self) -> &[i64] {
        &self.potentials
    }
}
