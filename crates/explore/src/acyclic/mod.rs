//! Maximal runs that satisfy a formula at every moment, by a search in which nodes cover each
//! other.
//!
//! The nodes are those of [`crate::liveness`], in a [`Store`]: a successor that a stored node
//! covers is not expanded, whatever the path to that node. So there are about as many nodes as a
//! search for states has. An *arc* leads from a node to the one that covers its successor. An arc
//! is *real* if the successor includes the node that it leads to.
//!
//! **Absence.** The runs of a covered node start in the one that covers it as well, so every run
//! follows arcs. If arcs have no cycle and no run ends in a node, there is no maximal run. The same
//! holds for a part of the nodes that no arc leaves.
//!
//! **Presence.** A cycle of arcs shows nothing: a covered node may have fewer runs. But along a
//! cycle of real arcs each valuation has a predecessor, and so there is an infinite run by the
//! argument of [`crate::liveness`].
//!
//! What is neither is decided depth-first, without the nodes from which no cycle is reached.

mod arcs;
mod follow;
mod rows;
mod settled;

use std::collections::VecDeque;

use model::{Formula, System, replay::Ending};
use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    graph::{RunError, ZoneGraph},
    liveness::{ends, exceeded, nodes_after},
    search::{Counts, Limits, Observer, Stop},
    store::{Discrete, Insert, NodeId, Origin, Store, Update},
    transitions::{Cursor, SourceState, Transitions},
    zones::ZoneId,
};
use arcs::Arcs;
pub use follow::Followed;
use rows::{RowFact, RowFacts};
pub use settled::Settled;

/// What a search has found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// A run ends in this node, or time diverges.
    Ends(NodeId, Ending),
    /// These nodes are a cycle of real arcs.
    Cycle(Vec<NodeId>),
    /// The model has a run-time error in a transition of this node, or in the successor with this
    /// ordinal; no node: in a state in which runs start.
    Error(Option<NodeId>, Option<u32>, RunError),
}

/// Why a search pauses.
#[derive(Clone, Debug)]
pub enum Pause {
    /// All nodes are expanded.
    Closed,
    /// It has as many nodes as it was allowed.
    Large,
    /// It has found something, and ends.
    Found(Finding),
    /// A limit was exceeded.
    Stopped(Stop),
}

/// A node in which runs start.
#[derive(Clone, Copy)]
struct Root {
    /// The number that the caller has given to the state.
    source: u32,
    node: NodeId,
    zone: ZoneId,
}

/// A search for a maximal run from all states that were given to it.
pub struct Acyclic<'f, B = i32> {
    formula: &'f Formula,
    store: Store<B>,
    arcs: Arcs,
    roots: Vec<Root>,
    /// The nodes that have covered states in which runs start.
    starts: Vec<NodeId>,
    open: VecDeque<NodeId>,
    /// What is known about rows, if they decide the formula.
    rows: Option<RowFacts>,
    /// The number of nodes at which cycles are looked for.
    next_check: usize,
    /// The counters.
    pub counts: Counts,
    // Buffers.
    batch: Batch<B>,
    row: Vec<i32>,
    zone: Vec<B>,
}

/// The number of nodes at which cycles are looked for first; then each time it has doubled.
const FIRST_CHECK: usize = 64;

/// An interrupted expansion: the ordinal of the successor at fault, and the error.
type Failure = (Option<u32>, RunError);

impl<'f, B: Bound> Acyclic<'f, B> {
    /// Creates a search without initial nodes.
    #[must_use]
    pub fn new(formula: &'f Formula, graph: &ZoneGraph<'_, B>) -> Acyclic<'f, B> {
        let system: &System = graph.system();
        Acyclic {
            formula,
            store: Store::new(system, Update::Cover),
            arcs: Arcs::default(),
            roots: Vec::new(),
            starts: Vec::new(),
            open: VecDeque::new(),
            rows: RowFacts::of(formula, graph),
            next_check: FIRST_CHECK,
            counts: Counts::default(),
            batch: graph.batch(),
            row: Vec::new(),
            zone: Vec::new(),
        }
    }

    /// Adds a zone of a row in which runs may start, before any delay. `source` is a number for the
    /// state, and `whole` says whether the zone is closed under delay and abstracted. Returns what
    /// is wrong with the state, if something is.
    pub fn start(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        source: u32,
        whole: bool,
    ) -> Option<Finding> {
        let nodes = match &mut self.rows {
            Some(rows) if whole => {
                let discrete = self.store.intern(row);
                let fact = rows.of_row(graph, self.formula, discrete, row);
                fact.map(|fact| if fact == RowFact::Fails { Vec::new() } else { vec![zone.to_vec()] })
            }
            _ => nodes_after(graph, self.formula, row, zone),
        };
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(error) => return Some(Finding::Error(None, Some(source), error)),
        };
        for node in nodes {
            let root = Origin { parent: None, remote: None, ordinal: self.roots.len() as u32 };
            let discrete = self.store.intern(row);
            let (inserted, zone) = self.insert(graph, row, discrete, ReachedZone::Fresh(&node), root);
            let node = match inserted {
                Insert::New(node) => {
                    self.store.keep_zone(zone);
                    self.roots.push(Root { source, node, zone });
                    node
                }
                Insert::Covered(node) => node,
            };
            if self.starts.last() != Some(&node) {
                self.starts.push(node);
            }
        }
        self.count();
        None
    }

    /// Expands nodes until none is left, something is found, or there are more than `nodes`.
    pub fn explore(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        nodes: usize,
        limits: &Limits<'_>,
        observer: &mut dyn Observer,
    ) -> Pause {
        graph.set_max_list_bytes(limits.bytes);
        while let Some(node) = self.open.pop_front() {
            if self.store.is_gone(node) {
                continue;
            }
            let stop = exceeded(&mut self.counts, graph, self.open.len(), limits, observer);
            if let Some(stop) = stop.or(self.store.is_full().then_some(Stop::Memory)) {
                self.open.push_front(node);
                return Pause::Stopped(stop);
            }
            self.counts.explored += 1;
            self.arcs.begin(node);
            let expanded = if self.rows.is_some() { self.expand_row(graph, node) } else { self.expand(graph, node) };
            self.arcs.end(node);
            self.count();
            match expanded {
                Ok(None) => {}
                Ok(Some(ending)) => return Pause::Found(Finding::Ends(node, ending)),
                Err((_, error)) if error.stop().is_some() => {
                    return Pause::Stopped(error.stop().unwrap_or(Stop::Interrupted));
                }
                Err((at, error)) => return Pause::Found(Finding::Error(Some(node), at, error)),
            }
            if self.store.added() >= self.next_check {
                self.next_check = 2 * self.store.added();
                if let Some(cycle) = self.cycle() {
                    return Pause::Found(cycle);
                }
            }
            if self.store.added() > nodes {
                return Pause::Large;
            }
        }
        Pause::Closed
    }

    /// Returns a cycle of real arcs, if there is one.
    #[must_use]
    pub fn cycle(&self) -> Option<Finding> {
        self.arcs.real_cycle().map(Finding::Cycle)
    }

    /// Reads the last node in which runs start. Returns the number that the caller has given to its
    /// state.
    pub fn newest_root(&self, row: &mut Vec<i32>, zone: &mut Vec<B>) -> Option<u32> {
        let root = self.roots.last()?;
        self.store.row(root.node, row);
        self.store.zones().read(root.zone, zone);
        Some(root.source)
    }

    /// Returns the number of nodes that were ever added.
    #[must_use]
    pub fn added(&self) -> usize {
        self.store.added()
    }

    fn count(&mut self) {
        self.counts.added = self.store.added();
        self.counts.stored = self.store.stored();
        let lists = self.roots.capacity() * size_of::<Root>()
            + (self.open.capacity() + self.starts.capacity()) * size_of::<NodeId>();
        self.counts.bytes = self.store.bytes()
            + self.arcs.bytes()
            + self.rows.as_ref().map_or(0, RowFacts::bytes)
            + lists
            + self.batch.bytes();
    }

    /// Stores a node unless another one covers it. Returns the id of its zone, too.
    fn insert(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        discrete: Discrete,
        zone: ReachedZone<'_, B>,
        origin: Origin,
    ) -> (Insert, ZoneId) {
        let simulates = graph.covers_by_simulation();
        let (inserted, zone) =
            self.store.insert(discrete, zone, || if simulates { Some(graph.bounds(row)) } else { None }, origin);
        match inserted {
            Insert::New(node) => {
                self.arcs.add_node(node, self.store.replaced());
                self.open.push_back(node);
                if origin.parent.is_some() {
                    self.arcs.add(node, true);
                    // The successor includes them.
                    self.store.replaced().iter().for_each(|old| self.arcs.add(*old, true));
                }
            }
            Insert::Covered(node) if origin.parent.is_some() => {
                self.arcs.add(node, self.store.zone(node) == zone);
            }
            Insert::Covered(_) => {}
        }
        (inserted, zone)
    }

    /// Stores the successors of a node, where rows decide the formula. Returns how a run ends in
    /// it, if one does.
    fn expand_row(&mut self, graph: &mut ZoneGraph<'_, B>, node: NodeId) -> Result<Option<Ending>, Failure> {
        let ids = (self.store.discrete(node), self.store.zone(node));
        let mut zone = std::mem::take(&mut self.zone);
        let mut row = std::mem::take(&mut self.row);
        let mut batch = std::mem::replace(&mut self.batch, graph.batch());
        self.store.row(node, &mut row);
        self.store.zones().read(ids.1, &mut zone);
        let result = self.expand_in_batches(graph, node, ids, (&mut row, &zone), &mut batch);
        (self.zone, self.row, self.batch) = (zone, row, batch);
        self.store.sweep();
        result
    }

    fn expand_in_batches(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        node: NodeId,
        ids: (Discrete, ZoneId),
        (row, zone): (&mut Vec<i32>, &[B]),
        batch: &mut Batch<B>,
    ) -> Result<Option<Ending>, Failure> {
        let at_node = |error| (None, error);
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let fact = rows.of_row(graph, self.formula, ids.0, row).map_err(at_node)?;
        if let Some(ending) = fact.ending(graph, row, zone).map_err(at_node)? {
            return Ok(Some(ending));
        }
        let mut cursor = Cursor::START;
        let mut no_goal = |_: &mut ZoneGraph<'_, B>, _: &[i32], _: &[B]| Ok(None);
        while cursor.next.is_some() {
            batch.clear();
            let source = SourceState { store: &mut self.store, ids, zone, row, at_once: false };
            Transitions::successors(graph, source, &mut cursor, &mut no_goal, batch)
                .map_err(|failed| (failed.via, failed.error))?;
            self.counts.generated += batch.len();
            for i in 0..batch.len() {
                let Some(ordinal) = batch.ordinal(i) else { continue };
                let discrete = batch.discrete(i).unwrap_or_else(|| self.store.intern(batch.row(i)));
                let Some(rows) = &mut self.rows else { return Ok(None) };
                let fact = rows.of_row(graph, self.formula, discrete, batch.row(i));
                let zone = if fact.map_err(|error| (Some(ordinal), error))? == RowFact::Fails {
                    self.store.intern_zone(batch.reached(i))
                } else {
                    let origin = Origin { parent: Some(node), remote: None, ordinal };
                    self.insert(graph, batch.row(i), discrete, batch.reached(i), origin).1
                };
                graph.remember(batch, i, discrete, (zone, self.store.zones()));
            }
            self.store.sweep();
            if cursor.next.is_some() {
                graph.check_signal().map_err(at_node)?;
            }
        }
        Ok(None)
    }

    /// Stores the successors of a node. Returns how a run ends in it, if one does.
    fn expand(&mut self, graph: &mut ZoneGraph<'_, B>, node: NodeId) -> Result<Option<Ending>, Failure> {
        let at_node = |error| (None, error);
        let mut zone = std::mem::take(&mut self.zone);
        let mut row = std::mem::take(&mut self.row);
        self.store.get(node, &mut row, &mut zone);
        let mut batch = std::mem::replace(&mut self.batch, graph.batch());
        batch.clear();
        let result = self.expand_with(graph, node, (&row, &zone), &mut batch).map_err(at_node);
        (self.zone, self.row, self.batch) = (zone, row, batch);
        self.store.sweep();
        result
    }

    fn expand_with(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        node: NodeId,
        (row, zone): (&[i32], &[B]),
        entries: &mut Batch<B>,
    ) -> Result<Option<Ending>, RunError> {
        let goes_on = graph.transitions(row, zone, entries)?;
        if let Some((_, ending)) = ends(graph, self.formula, row, zone, goes_on)? {
            return Ok(Some(ending));
        }
        self.counts.generated += entries.len();
        let mut ordinal = 0;
        for i in 0..entries.len() {
            for piece in nodes_after(graph, self.formula, entries.row(i), entries.zone(i))? {
                let discrete = self.store.intern(entries.row(i));
                let origin = Origin { parent: Some(node), remote: None, ordinal };
                self.insert(graph, entries.row(i), discrete, ReachedZone::Fresh(&piece), origin);
                ordinal += 1;
            }
        }
        Ok(None)
    }
}
