//! Open lists: the order in which states are expanded.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};
use zone::Bound;

use model::system::EdgeId;

use crate::{
    heuristic::{Failures, Prepared},
    random::SplitMix,
    shard::Share,
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::{Discrete, NodeId, Store},
    zones::ZoneId,
};

/// A new state.
pub struct Arrival<'a, B> {
    /// Its node.
    pub node: NodeId,
    /// Its parent, if that is in the same store.
    pub parent: Option<NodeId>,
    /// What the open list of another worker says about its parent, see [`OpenList::stamp`].
    pub(crate) stamp: Option<u64>,
    /// The zone of the parent. The parent itself may be gone: an earlier successor may cover it.
    pub(crate) zone_before: Option<ZoneId>,
    /// Its discrete part.
    pub row: &'a [i32],
    /// Its zone.
    pub zone: &'a [B],
    /// The edges of the transition to it.
    pub edges: &'a [EdgeId],
    /// The part of its zone that is in the goal, if the search looks for the best goal state.
    pub goal: Option<&'a [B]>,
    /// The id of its discrete part.
    pub(crate) discrete: Discrete,
    /// The store, which contains it.
    pub store: &'a Store<B>,
}

/// Chooses the state to expand next.
pub trait OpenList<B = i32>: Send {
    /// Adds a state.
    fn push(&mut self, state: &Arrival<'_, B>);
    /// Removes the next state and returns it.
    fn pop(&mut self) -> Option<NodeId>;
    /// Removes all states and returns them in their order.
    fn take_all(&mut self) -> Vec<NodeId> {
        std::iter::from_fn(|| self.pop()).collect()
    }
    /// Removes some states that would be returned last and returns them, for other workers to
    /// expand. It keeps at least as many.
    fn lend(&mut self, share: Share) -> Vec<NodeId> {
        let _ = share;
        Vec::new()
    }
    /// Adds states again that were lent and not expanded.
    fn take_back(&mut self, nodes: &[NodeId]) {
        debug_assert!(nodes.is_empty(), "the list lends no states");
    }
    /// Begins the next level, if the list has levels: then the states of the next level are not
    /// returned before.
    fn advance(&mut self, store: &Store<B>) {
        let _ = store;
    }
    /// Returns what the open list of another worker has to know of a state whose successor it gets.
    fn stamp(&self, node: NodeId) -> u64 {
        let _ = node;
        0
    }
    /// Returns whether the search continues after a goal state, until [`OpenList::best`] is known.
    fn seeks_best(&self) -> bool {
        false
    }
    /// Returns a goal state that is at least as good as all states reachable from the open ones.
    fn best(&self) -> Option<NodeId> {
        None
    }
    /// Returns the work that its heuristics did before the search.
    fn prepared(&self) -> Option<Prepared> {
        None
    }
    /// Returns the expressions that guide the search and have failed.
    fn failures(&self) -> Failures {
        Failures::default()
    }
    /// Returns the number of open states.
    fn len(&self) -> usize;
    /// Returns the size in bytes, by default an estimate.
    fn bytes(&self) -> usize {
        self.len() * size_of::<NodeId>()
    }
    /// Returns whether no state is open.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns whether it can be saved.
    fn can_be_saved(&self) -> bool {
        false
    }
    /// Writes what determines the order of states, see [`crate::snapshot`].
    fn save(&self, out: &mut PartWriter<'_>) {
        let _ = out;
    }
    /// Reads it, for a store of so many nodes.
    ///
    /// # Errors
    /// It is damaged, or was written by another list.
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        let _ = (added, from);
        Err(SnapshotError::Impossible("the order can't be saved"))
    }
}

/// First in, first out: breadth-first.
#[derive(Default)]
pub struct Fifo(VecDeque<NodeId>);

impl<B: Bound> OpenList<B> for Fifo {
    fn push(&mut self, state: &Arrival<'_, B>) {
        self.0.push_back(state.node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.0.pop_front()
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        out.nodes(self.0.iter());
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.0 = from.nodes(added)?.into();
        Ok(())
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<NodeId>()
    }
}

/// As many states of a level are sorted together. Sorting a whole level would let more states be
/// added that a later one covers.
const WINDOW: usize = 1 << 13;

/// Breadth-first, level by level.
///
/// States of a level arrive mixed, in packets of all workers. What they share is computed for the
/// first and found in caches for the others if states with the same discrete part follow each
/// other, as they do in a search by one worker: so they are sorted.
#[derive(Default)]
pub struct Levels {
    now: VecDeque<NodeId>,
    next: VecDeque<NodeId>,
}

impl<B: Bound> OpenList<B> for Levels {
    fn push(&mut self, state: &Arrival<'_, B>) {
        self.next.push_back(state.node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.now.pop_front()
    }
    fn lend(&mut self, share: Share) -> Vec<NodeId> {
        let count = if self.now.len() < share.least { 0 } else { share.most.min(self.now.len() / 2) };
        self.now.drain(self.now.len() - count..).collect()
    }
    fn take_back(&mut self, nodes: &[NodeId]) {
        self.now.extend(nodes);
    }
    fn advance(&mut self, store: &Store<B>) {
        std::mem::swap(&mut self.now, &mut self.next);
        for window in self.now.make_contiguous().chunks_mut(WINDOW) {
            window.sort_by_cached_key(|node| store.discrete(*node).0);
        }
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        [&self.now, &self.next].into_iter().for_each(|level| out.nodes(level.iter()));
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        (self.now, self.next) = (from.nodes(added)?.into(), from.nodes(added)?.into());
        Ok(())
    }
    fn len(&self) -> usize {
        self.now.len() + self.next.len()
    }
    fn bytes(&self) -> usize {
        (self.now.capacity() + self.next.capacity()) * size_of::<NodeId>()
    }
}

/// Last in, first out: depth-first. The last successor of a state comes first, as in UPPAAL.
#[derive(Default)]
pub struct Lifo(Vec<NodeId>);

impl<B: Bound> OpenList<B> for Lifo {
    fn push(&mut self, state: &Arrival<'_, B>) {
        self.0.push(state.node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.0.pop()
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        out.nodes(self.0.iter());
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.0 = from.nodes(added)?;
        Ok(())
    }
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Depth-first, with the successors of each state in random order.
pub struct RandomLifo {
    stack: Vec<NodeId>,
    fresh: Vec<NodeId>,
    random: SplitMix,
}

impl RandomLifo {
    /// Creates a list whose order depends on `seed` alone.
    #[must_use]
    pub fn new(seed: u64) -> RandomLifo {
        RandomLifo { stack: Vec::new(), fresh: Vec::new(), random: SplitMix::new(seed) }
    }
}

impl<B: Bound> OpenList<B> for RandomLifo {
    fn push(&mut self, state: &Arrival<'_, B>) {
        self.fresh.push(state.node);
    }
    fn pop(&mut self) -> Option<NodeId> {
        for i in (1..self.fresh.len()).rev() {
            let j = self.random.below(i + 1);
            self.fresh.swap(i, j);
        }
        self.stack.append(&mut self.fresh);
        self.stack.pop()
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        [&self.stack, &self.fresh].into_iter().for_each(|nodes| out.nodes(nodes.iter()));
        out.number(self.random.state());
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        (self.stack, self.fresh) = (from.nodes(added)?, from.nodes(added)?);
        self.random = SplitMix::new(from.number()?);
        Ok(())
    }
    fn len(&self) -> usize {
        self.stack.len() + self.fresh.len()
    }
}

/// Takes the state first that is reached earliest, by a clock that is neither set nor compared.
pub struct Earliest<B = i32> {
    clock: usize,
    heap: BinaryHeap<Reverse<(B, u32)>>,
    best: Option<(B, NodeId)>,
}

impl<B: Bound> Earliest<B> {
    /// Creates a list that is ordered by this clock.
    #[must_use]
    pub fn new(clock: usize) -> Earliest<B> {
        Earliest { clock, heap: BinaryHeap::new(), best: None }
    }

    /// Returns the least value of the clock in a zone; `> n` comes after `>= n`.
    fn time(&self, zone: &[B]) -> B {
        -zone[self.clock]
    }
}

impl<B: Bound> OpenList<B> for Earliest<B> {
    fn push(&mut self, state: &Arrival<'_, B>) {
        if let Some(time) = state.goal.map(|part| self.time(part))
            && self.best.is_none_or(|(best, _)| time < best)
        {
            self.best = Some((time, state.node));
        }
        self.heap.push(Reverse((self.time(state.zone), state.node.0)));
    }
    fn pop(&mut self) -> Option<NodeId> {
        self.heap.pop().map(|Reverse((_, node))| NodeId(node))
    }
    fn len(&self) -> usize {
        self.heap.len()
    }
    fn can_be_saved(&self) -> bool {
        true
    }
    fn save(&self, out: &mut PartWriter<'_>) {
        out.size(self.heap.len());
        for Reverse((time, node)) in &self.heap {
            out.bound(*time);
            out.number((*node).into());
        }
        out.flag(self.best.is_some());
        if let Some((time, node)) = self.best {
            out.bound(time);
            out.number(node.0.into());
        }
    }
    fn load(&mut self, added: usize, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        let timed = |from: &mut PartReader<'_>| -> Result<(B, u32), SnapshotError> {
            Ok((from.bound()?, from.below(added, "a node is not in the store")?))
        };
        self.heap = (0..from.length()?).map(|_| timed(from).map(Reverse)).collect::<Result<_, _>>()?;
        self.best = if from.flag()? { Some(timed(from)?).map(|(time, node)| (time, NodeId(node))) } else { None };
        Ok(())
    }
    fn seeks_best(&self) -> bool {
        true
    }
    fn best(&self) -> Option<NodeId> {
        let (best, node) = self.best?;
        self.heap.peek().is_none_or(|Reverse((time, _))| *time >= best).then_some(node)
    }
}
