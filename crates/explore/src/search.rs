//! The one search loop. Orders, stores and goals are values given to it.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
};

use model::{Formula, system::EdgeId};

use crate::{
    batch::Batch,
    goal::witness,
    graph::{RunError, ZoneGraph},
    store::{Insert, NodeId, Store},
};

/// Which state comes next.
pub trait OpenList {
    /// Adds a state.
    fn push(&mut self, node: NodeId);
    /// Takes the next state.
    fn pop(&mut self) -> Option<NodeId>;
    /// How many states wait.
    fn len(&self) -> usize;
    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out: breadth-first.
#[derive(Default)]
pub struct Fifo(VecDeque<NodeId>);

impl OpenList for Fifo {
    fn push(&mut self, node: NodeId) {
        self.0.push_back(node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.0.pop_front()
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Last in, first out: depth-first. The successors of a state are taken in their order.
#[derive(Default)]
pub struct Lifo {
    stack: Vec<NodeId>,
    fresh: Vec<NodeId>,
}

impl OpenList for Lifo {
    fn push(&mut self, node: NodeId) {
        self.fresh.push(node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.stack.extend(self.fresh.drain(..).rev());
        self.stack.pop()
    }
    fn len(&self) -> usize {
        self.stack.len() + self.fresh.len()
    }
}

/// Depth-first, with the successors of each state in random order.
pub struct RandomLifo {
    stack: Vec<NodeId>,
    fresh: Vec<NodeId>,
    state: u64,
}

impl RandomLifo {
    /// A list whose order depends on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> RandomLifo {
        RandomLifo { stack: Vec::new(), fresh: Vec::new(), state: seed }
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl OpenList for RandomLifo {
    fn push(&mut self, node: NodeId) {
        self.fresh.push(node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        for i in (1..self.fresh.len()).rev() {
            let j = (self.random() % (i as u64 + 1)) as usize;
            self.fresh.swap(i, j);
        }
        self.stack.append(&mut self.fresh);
        self.stack.pop()
    }
    fn len(&self) -> usize {
        self.stack.len() + self.fresh.len()
    }
}

/// When to give up.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Asked now and then: whether the time is over.
    pub expired: Option<&'a dyn Fn() -> bool>,
    /// Not with more bytes of stored states.
    pub bytes: Option<usize>,
    /// Not with more stored states.
    pub states: Option<usize>,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why a search gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time is over.
    Time,
    /// The memory is full.
    Memory,
    /// There are too many states.
    States,
    /// Somebody said so.
    Interrupted,
}

/// What a search counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Taken from the open list and expanded.
    pub explored: usize,
    /// Successors computed, duplicates included, the initial state not.
    pub generated: usize,
    /// Ever put into the store.
    pub added: usize,
    /// In the store at the end.
    pub stored: usize,
    /// The store's size at the end.
    pub bytes: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A state of the goal was found: the successors to take, one after the other, the first among the initial states.
    Found(Vec<u32>),
    /// There is none.
    Exhausted,
    /// It gave up.
    Stopped(Stop),
    /// The model has a run-time error: the successors to take, then the edges that fail.
    Error(Vec<u32>, RunError),
}

/// Something that wants to know how far a search is.
pub trait Observer {
    /// Called now and then.
    fn progress(&mut self, counts: &Counts, waiting: usize);
}

impl Observer for () {
    fn progress(&mut self, _: &Counts, _: usize) {}
}

/// Says of a row and zone whether they end the search.
pub type Goal<'g> = dyn FnMut(&mut ZoneGraph<'_>, &[i32], &[i32]) -> Result<bool, RunError> + 'g;

/// Searches for a state of the goal. `alu`: whether the store covers by aLU.
pub fn search(
    graph: &mut ZoneGraph<'_>,
    goal: &Formula,
    store: &mut Store,
    open: &mut dyn OpenList,
    alu: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Outcome, Counts) {
    let mut goal =
        |graph: &mut ZoneGraph<'_>, row: &[i32], zone: &[i32]| Ok(witness(graph, goal, row, zone)?.is_some());
    visit(graph, &mut goal, store, open, alu, limits, observer)
}

/// Shows every state to the goal, until one ends the search. `alu`: whether the store covers by aLU.
pub fn visit(
    graph: &mut ZoneGraph<'_>,
    goal: &mut Goal<'_>,
    store: &mut Store,
    open: &mut dyn OpenList,
    alu: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Outcome, Counts) {
    let mut counts = Counts::default();
    let outcome = run(graph, goal, store, open, alu, limits, observer, &mut counts);
    counts.added = store.added();
    counts.stored = store.stored();
    counts.bytes = store.bytes();
    (outcome, counts)
}

#[allow(clippy::too_many_arguments)]
fn run(
    graph: &mut ZoneGraph<'_>,
    goal: &mut Goal<'_>,
    store: &mut Store,
    open: &mut dyn OpenList,
    alu: bool,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
    counts: &mut Counts,
) -> Outcome {
    let mut batch = graph.batch();
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    if let Err(error) = graph.initial(&mut batch) {
        return Outcome::Error(Vec::new(), error);
    }
    if let Some(end) = add(graph, goal, store, open, alu, &batch, None) {
        return end;
    }
    while let Some(node) = open.pop() {
        if store.is_gone(node) {
            continue;
        }
        if let Some(stop) = past(limits, store, counts, observer, open.len()) {
            return Outcome::Stopped(stop);
        }
        counts.explored += 1;
        store.get(node, &mut row, &mut zone);
        batch.clear();
        if let Err(error) = graph.successors(&row, &zone, &mut batch) {
            return Outcome::Error(path(store, node), error);
        }
        counts.generated += batch.len();
        if let Some(end) = add(graph, goal, store, open, alu, &batch, Some(node)) {
            return end;
        }
    }
    Outcome::Exhausted
}

/// Stores what a batch has that is new; returns if it holds a state of the goal.
fn add(
    graph: &mut ZoneGraph<'_>,
    goal: &mut Goal<'_>,
    store: &mut Store,
    open: &mut dyn OpenList,
    alu: bool,
    batch: &Batch,
    parent: Option<NodeId>,
) -> Option<Outcome> {
    for i in 0..batch.len() {
        let (row, zone) = (batch.row(i), batch.zone(i));
        let inserted = if alu {
            let (lower, upper) = graph.bounds(row);
            store.insert(row, zone, Some((lower, upper)), parent, i as u32)
        } else {
            store.insert(row, zone, None, parent, i as u32)
        };
        let Insert::New(node) = inserted else { continue };
        match goal(graph, row, zone) {
            Ok(false) => open.push(node),
            Ok(true) => return Some(Outcome::Found(path(store, node))),
            Err(error) => return Some(Outcome::Error(path(store, node), error)),
        }
    }
    None
}

fn past(
    limits: &Limits<'_>,
    store: &Store,
    counts: &mut Counts,
    observer: &mut dyn Observer,
    waiting: usize,
) -> Option<Stop> {
    if limits.states.is_some_and(|most| store.stored() > most) {
        return Some(Stop::States);
    }
    // Clocks and totals are looked at now and then only.
    if counts.explored & 0xFF != 0 {
        return None;
    }
    counts.added = store.added();
    counts.stored = store.stored();
    counts.bytes = store.bytes();
    observer.progress(counts, waiting);
    if limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Some(Stop::Interrupted);
    }
    if limits.expired.is_some_and(|is| is()) {
        return Some(Stop::Time);
    }
    if limits.bytes.is_some_and(|most| store.bytes() > most) {
        return Some(Stop::Memory);
    }
    None
}

/// The successors that lead to a node.
fn path(store: &Store, node: NodeId) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = Some(node);
    while let Some(node) = at {
        let (parent, ordinal) = store.parent(node);
        path.push(ordinal);
        at = parent;
    }
    path.reverse();
    path
}

/// A step of a symbolic trace: the edges taken, and the row and zone behind them.
pub type SymbolicStep = (Vec<EdgeId>, Vec<i32>, Vec<i32>);

/// A symbolic trace; the first step has no edges.
pub type SymbolicTrace = Vec<SymbolicStep>;

/// Runs a path again: for each step the edges taken, and the row and zone behind them. `None`: the path leads through
/// joined zones and can't be taken.
pub fn follow(graph: &mut ZoneGraph<'_>, path: &[u32]) -> Option<SymbolicTrace> {
    let mut trace: SymbolicTrace = Vec::new();
    let mut batch = graph.batch();
    for &ordinal in path {
        batch.clear();
        match trace.last() {
            None => graph.initial(&mut batch).ok()?,
            Some((_, row, zone)) => graph.successors(row, zone, &mut batch).ok()?,
        }
        let i = ordinal as usize;
        if i >= batch.len() {
            return None;
        }
        trace.push((batch.edges(i).to_vec(), batch.row(i).to_vec(), batch.zone(i).to_vec()));
    }
    Some(trace)
}
