//! Decision diagrams: reduced, ordered and shared, with numbers at their ends.
//!
//! A diagram maps a list of bits to a number. A node tests the bit of its level, and levels
//! increase along every path. Sets of bit lists are diagrams whose numbers are 0 and 1.
//!
//! Published packages were considered. They can't be interrupted within an operation, and their
//! garbage is collected by other threads (`oxidd`) or the memory of an operation has no limit
//! (`biodivine-lib-bdd`), so that what fits into a budget would not be the same in each run. This
//! one has the operations that regression needs. They use no recursion: diagrams are as deep as
//! patterns are wide.
//!
//! Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE Transactions on
//! Computers 1986; with numbers Bahar and others, "Algebraic decision diagrams and their
//! applications", ICCAD 1993.

mod collect;
mod number;
mod operate;
mod regress;

pub(crate) use number::NumberDiagram;
pub(crate) use regress::{Assigned, BitAssignment, BitRule};

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use operate::{Cache, ChoiceTask};

/// A diagram, by the index of its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Diagram(u32);

impl Diagram {
    /// The empty set, and the number 0.
    pub(crate) const FALSE: Diagram = Diagram(0);
    /// The set of everything, and the number 1.
    pub(crate) const TRUE: Diagram = Diagram(1);
}

/// The level of an end. Its number is in `low`.
const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct DiagramNode {
    level: u32,
    low: Diagram,
    high: Diagram,
}

impl DiagramNode {
    fn hash(&self) -> u64 {
        FxBuildHasher.hash_one(self)
    }
}

/// Limits on the work with diagrams. They are counted, but for the signal.
#[derive(Clone, Copy)]
pub(crate) struct DiagramLimits<'a> {
    /// The greatest number of nodes at once.
    pub nodes: usize,
    /// The greatest number of nodes that operations visit.
    pub work: usize,
    /// Returns whether to stop at once. It is polled.
    pub is_over: &'a dyn Fn() -> bool,
}

/// The limit that has stopped an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiagramStop {
    /// There are too many nodes, maybe because some are not needed any more.
    Nodes,
    /// The work is done.
    Work,
    /// It was requested.
    Signal,
}

/// The result of an operation.
pub(crate) type DiagramResult<T = Diagram> = Result<T, DiagramStop>;

/// The signal is polled once in this number of visited nodes.
const POLL: usize = 1 << 12;

/// All nodes. The children of a node come before it.
pub(crate) struct Diagrams<'a> {
    nodes: Vec<DiagramNode>,
    unique: HashTable<u32>,
    cache: Cache,
    limits: DiagramLimits<'a>,
    work: usize,
    /// The greatest number of nodes so far.
    peak: usize,
    /// The number of nodes after the last collection.
    live: usize,
    tasks: Vec<ChoiceTask>,
    results: Vec<Diagram>,
}

impl<'a> Diagrams<'a> {
    /// Creates the two constant sets.
    pub(crate) fn new(limits: DiagramLimits<'a>) -> Diagrams<'a> {
        let mut diagrams = Diagrams {
            nodes: Vec::new(),
            unique: HashTable::new(),
            cache: Cache::default(),
            limits: DiagramLimits { nodes: limits.nodes.clamp(2, u32::MAX as usize / 2), ..limits },
            work: 0,
            peak: 2,
            live: 2,
            tasks: Vec::new(),
            results: Vec::new(),
        };
        for number in [0, 1] {
            diagrams.insert(DiagramNode { level: END, low: Diagram(number), high: Diagram(number) });
        }
        diagrams
    }

    /// Returns the greatest number of nodes that there were at once.
    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// Counts a visited node.
    pub(crate) fn visit(&mut self) -> DiagramResult<()> {
        self.work += 1;
        if self.work > self.limits.work {
            return Err(DiagramStop::Work);
        }
        if self.work.is_multiple_of(POLL) && (self.limits.is_over)() {
            return Err(DiagramStop::Signal);
        }
        Ok(())
    }

    /// Returns a constant.
    pub(crate) fn number(&mut self, number: u32) -> DiagramResult {
        self.intern(DiagramNode { level: END, low: Diagram(number), high: Diagram(number) })
    }

    /// Returns the diagram that is `high` where the bit of a level is set, and else `low`. Their
    /// levels are greater.
    pub(crate) fn node(&mut self, level: u32, low: Diagram, high: Diagram) -> DiagramResult {
        debug_assert!(level < self.level(low).min(self.level(high)));
        if low == high { Ok(low) } else { self.intern(DiagramNode { level, low, high }) }
    }

    fn intern(&mut self, node: DiagramNode) -> DiagramResult {
        let nodes = &self.nodes;
        if let Some(found) = self.unique.find(node.hash(), |other| nodes[*other as usize] == node) {
            return Ok(Diagram(*found));
        }
        if nodes.len() >= self.limits.nodes {
            return Err(DiagramStop::Nodes);
        }
        Ok(self.insert(node))
    }

    /// Adds a node that is not there yet.
    fn insert(&mut self, node: DiagramNode) -> Diagram {
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.peak = self.peak.max(self.nodes.len());
        let nodes = &self.nodes;
        self.unique.insert_unique(node.hash(), number, |other| nodes[*other as usize].hash());
        Diagram(number)
    }

    fn get(&self, diagram: Diagram) -> DiagramNode {
        self.nodes[diagram.0 as usize]
    }

    fn level(&self, diagram: Diagram) -> u32 {
        self.get(diagram).level
    }

    /// Returns the diagrams for a bit that is not set and for one that is.
    fn split(&self, diagram: Diagram, level: u32) -> (Diagram, Diagram) {
        let node = self.get(diagram);
        if node.level == level { (node.low, node.high) } else { (diagram, diagram) }
    }
}

#[cfg(test)]
mod tests;
