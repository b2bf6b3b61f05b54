//! A breadth-first proof that no maximal run satisfies a formula at every moment.
//!
//! The nodes are those of [`crate::liveness`]. There, each is expanded on its own path, so that a
//! cycle is one of runs. Here a node is skipped if any other node covers it: up to equivalence, the
//! runs from the first start in the second as well. So every maximal run follows arcs to covering
//! nodes, and if these arcs are acyclic and no run ends in a node, no maximal run exists. A cycle
//! of arcs shows nothing. Breadth-first order finds large zones early, so there are often far fewer
//! nodes than depth-first.

use std::collections::VecDeque;

use model::{Formula, System};
use zone::Bound;

use crate::{
    graph::{RunError, ZoneGraph},
    liveness::{ends, exceeded, nodes_after},
    ranked::{self, Ranked},
    rows::RowStore,
    search::{Counts, Limits, Observer, Stop},
};

struct CoverNode<B> {
    row: u32,
    zone: Box<[B]>,
    /// The node that covers this one, or this one itself.
    covered_by: u32,
    successors: Vec<u32>,
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcyclicProof {
    /// No maximal run exists.
    Done,
    /// A maximal run may exist.
    Unclear,
    /// A limit was exceeded.
    Stopped(Stop),
}

/// An attempt to prove that no maximal run exists.
pub struct Acyclic<'f, B = i32> {
    formula: &'f Formula,
    rows: RowStore,
    /// The nodes of each row that no other covers.
    lists: Vec<Vec<u32>>,
    nodes: Vec<CoverNode<B>>,
    open: VecDeque<u32>,
    /// The counters.
    pub counts: Counts,
}

impl<'f, B: Bound> Acyclic<'f, B> {
    /// Creates an attempt without initial nodes.
    #[must_use]
    pub fn new(formula: &'f Formula, system: &System) -> Acyclic<'f, B> {
        Acyclic {
            formula,
            rows: RowStore::new(system),
            lists: Vec::new(),
            nodes: Vec::new(),
            open: VecDeque::new(),
            counts: Counts::default(),
        }
    }

    /// Adds a zone of a row in which runs may start, before any delay.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn start(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: &[B]) -> Result<(), RunError> {
        for piece in nodes_after(graph, self.formula, row, zone)? {
            self.add(graph, row, piece);
        }
        Ok(())
    }

    /// Explores all nodes and checks whether no maximal run exists.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn prove(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Result<AcyclicProof, RunError> {
        graph.set_max_list_bytes(limits.bytes);
        let mut entries = graph.batch();
        let mut row = Vec::new();
        while let Some(number) = self.open.pop_front() {
            let node = &self.nodes[number as usize];
            if node.covered_by != number {
                continue;
            }
            if let Some(stop) = exceeded(&mut self.counts, graph, self.open.len(), limits, observer) {
                return Ok(AcyclicProof::Stopped(stop));
            }
            self.counts.explored += 1;
            let zone = node.zone.clone();
            self.rows.read_next(node.row, &mut row);
            entries.clear();
            let goes_on = graph.transitions(&row, &zone, &mut entries)?;
            if ends(graph, self.formula, &row, &zone, goes_on)?.is_some() {
                return Ok(AcyclicProof::Unclear);
            }
            self.counts.generated += entries.len();
            let mut successors = Vec::new();
            for i in 0..entries.len() {
                for piece in nodes_after(graph, self.formula, entries.row(i), entries.zone(i))? {
                    successors.push(self.add(graph, entries.row(i), piece));
                }
            }
            successors.sort_unstable();
            successors.dedup();
            self.counts.bytes += successors.len() * 4;
            self.nodes[number as usize].successors = successors;
        }
        Ok(if self.heights().is_some() { AcyclicProof::Done } else { AcyclicProof::Unclear })
    }

    /// Returns the node that covers this zone of a row, which may be new.
    fn add(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], zone: Vec<B>) -> u32 {
        let before = self.rows.bytes();
        let (number, is_new) = self.rows.intern(row);
        if is_new {
            self.lists.push(Vec::new());
        }
        let dim = graph.dim();
        let bounds = graph.covers_by_simulation().then(|| graph.bounds(row));
        let is_covered = |a: &[B], b: &[B]| match bounds {
            None => zone::is_included(a, b),
            Some((lower, upper)) => zone::is_subsumed(a, b, dim, lower, upper),
        };
        let (list, nodes) = (&mut self.lists[number as usize], &mut self.nodes);
        if let Some(known) = list.iter().find(|n| is_covered(&zone, &nodes[**n as usize].zone)) {
            return *known;
        }
        let new = nodes.len() as u32;
        list.retain(|&old| {
            let covered = is_covered(&nodes[old as usize].zone, &zone);
            if covered {
                let node = &mut nodes[old as usize];
                node.covered_by = new;
                (node.zone, node.successors) = (Box::default(), Vec::new());
                self.counts.stored -= 1;
                self.counts.bytes -= zone.len() * size_of::<B>();
            }
            !covered
        });
        list.push(new);
        self.counts.added += 1;
        self.counts.stored += 1;
        self.counts.bytes += zone.len() * size_of::<B>() + size_of::<CoverNode<B>>() + 4 + self.rows.bytes() - before;
        nodes.push(CoverNode { row: number, zone: zone.into(), covered_by: new, successors: Vec::new() });
        self.open.push_back(new);
        new
    }

    /// Returns the nodes of a complete proof. Their ranks decrease along plain inclusion, unless
    /// the graph covers by simulation.
    #[must_use]
    pub fn ranked(self) -> Option<Ranked<B>> {
        let heights = self.heights()?;
        let numbered = self.nodes.into_iter().zip(heights).zip(0..);
        let nodes = numbered.filter(|((node, _), number)| node.covered_by == *number).map(|((node, rank), _)| {
            let CoverNode { row, zone, .. } = node;
            ranked::RankedNode { row, zone, rank }
        });
        Some(Ranked::new(self.rows, nodes.collect()))
    }

    /// Returns the greatest number of arcs from each node. Removes nodes without successors
    /// repeatedly; `None`: some remain, so there is a cycle.
    fn heights(&self) -> Option<Vec<u32>> {
        let living = |mut n: u32| {
            while self.nodes[n as usize].covered_by != n {
                n = self.nodes[n as usize].covered_by;
            }
            n as usize
        };
        let mut heights = vec![0u32; self.nodes.len()];
        let mut arcs_left = vec![0usize; self.nodes.len()];
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let is_living = |n: &usize| self.nodes[*n].covered_by as usize == *n;
        for n in (0..self.nodes.len()).filter(is_living) {
            let successors = &self.nodes[n].successors;
            arcs_left[n] = successors.len();
            successors.iter().for_each(|s| predecessors[living(*s)].push(n as u32));
        }
        let mut left = self.counts.stored;
        let mut ready: Vec<usize> = (0..self.nodes.len()).filter(|n| is_living(n) && arcs_left[*n] == 0).collect();
        while let Some(n) = ready.pop() {
            left -= 1;
            for p in predecessors[n].iter().map(|p| *p as usize) {
                heights[p] = heights[p].max(heights[n] + 1);
                arcs_left[p] -= 1;
                if arcs_left[p] == 0 {
                    ready.push(p);
                }
            }
        }
        (left == 0).then_some(heights)
    }
}
