//! The states that a search has seen, and the policy by which states cover others.
//!
//! A state is stored unless a stored one covers it: by inclusion or simulation of zones, and with a
//! [`Merging`] by elements of lattices as well. A merging also joins states, and undoes joins that
//! led to unreachable goal states.

use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    goal::Goal,
    graph::{RunError, ZoneGraph},
    heuristic::Failures,
    merging::{Disorder, Merging, Remedy, SpuriousPath},
    search::{Counts, HeldZone},
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::{Insert, NodeId, Origin, Path, RemoteNode, Store},
};

/// States, and the policy that decides which of them cover others.
pub struct Seen<'a, B = i32> {
    /// The states.
    pub store: Store<B>,
    /// Whether zones are compared by simulation instead of inclusion.
    simulates: bool,
    merging: Option<Merging<'a, B>>,
}

/// Why the successors of a state are not complete.
pub(crate) enum Incomplete {
    Error(RunError),
    /// Too many elements have to be tried in guards.
    TooManyElements,
}

/// The verdict on a goal state.
pub(crate) enum Worth {
    /// It is reachable, and the search may end with this path.
    Real(Path),
    /// It is unreachable, or the goal has shrunk. These states are open again.
    Waiting(Vec<NodeId>),
    /// It is unreachable, and the search ends, since no join is undone.
    Spurious(Box<SpuriousPath>),
    /// It is reachable, and the goal can't be evaluated in it.
    Error(Path, RunError),
}

impl<'a, B: Bound> Seen<'a, B> {
    /// Creates a policy for an empty store. With `simulates`, zones are compared by aLU.
    #[must_use]
    pub fn new(store: Store<B>, simulates: bool) -> Seen<'a, B> {
        Seen { store, simulates, merging: None }
    }

    /// Adds covering and joining by elements of lattices.
    #[must_use]
    pub fn with_merging(self, merging: Option<Merging<'a, B>>) -> Seen<'a, B> {
        Seen { merging, ..self }
    }

    /// Makes the store the empty one of one of several workers.
    #[must_use]
    pub(crate) fn of_worker(self, worker: u16) -> Seen<'a, B> {
        Seen { store: self.store.of_worker(worker), ..self }
    }

    /// Returns whether its states can be dealt to several workers.
    pub(crate) fn can_be_dealt(&self) -> bool {
        self.merging.is_none() && self.store.can_be_dealt()
    }

    /// Copies all nodes to the stores of their owners. Returns their places there.
    pub(crate) fn deal(
        &self,
        graph: &mut ZoneGraph<'_, B>,
        owner: impl Fn(&[i32]) -> usize,
        stores: &mut [&mut Store<B>],
    ) -> Vec<RemoteNode> {
        self.store.deal(graph, self.simulates, owner, stores)
    }

    /// Writes the states, see [`crate::snapshot`].
    pub(crate) fn save(&self, out: &mut PartWriter<'_>) {
        self.merging.iter().for_each(|merging| merging.save_flags(out));
        let mut zones = self.store.save(out);
        self.merging.iter().for_each(|merging| merging.save(&self.store, &mut zones, out));
    }

    /// Reads the states of an empty store. Returns the parents that are in the stores of other
    /// workers.
    pub(crate) fn load(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        from: &mut PartReader<'_>,
    ) -> Result<Vec<RemoteNode>, SnapshotError> {
        let Seen { store, merging, simulates } = self;
        merging.iter_mut().try_for_each(|merging| merging.load_flags(from))?;
        let (mut zones, remotes) = store.load(graph, *simulates, merging, from)?;
        merging.iter_mut().try_for_each(|merging| merging.load(store, &mut zones, from))?;
        Ok(remotes)
    }

    /// Returns whether a node is wide, see [`crate::merging`].
    pub(crate) fn is_wide(&self, node: NodeId) -> bool {
        self.merging.as_ref().is_some_and(|merging| merging.is_wide(node))
    }

    /// Returns the number of refinements by unreachable goal states.
    #[must_use]
    pub fn refinements(&self) -> usize {
        self.merging.as_ref().map_or(0, Merging::refinements)
    }

    /// Returns what joining costs: successors that were computed for nothing, since a join was
    /// undone, or to judge paths. The first are counted by the removed part of all states.
    #[must_use]
    pub fn joining_cost(&self, counts: &Counts) -> usize {
        let Some(merging) = self.merging.as_ref().filter(|merging| merging.undoes()) else { return 0 };
        let (undone, probed) = merging.work();
        let removed = (counts.generated as u128 * undone as u128 / self.store.added().max(1) as u128) as usize;
        probed + removed
    }

    /// Returns the expressions of join conditions that have failed.
    pub(crate) fn failures(&self) -> Failures {
        self.merging.as_ref().map_or(Failures::default(), Merging::failures)
    }

    /// Returns whether all successors of a state are needed at once: joined states may be split,
    /// and undoing a join needs the ordinals of all successors.
    pub(crate) fn needs_all_successors(&self) -> bool {
        self.merging.is_some()
    }

    /// Stores a state of a batch, unless a stored one covers it.
    ///
    /// # Errors
    /// A lattice violates its laws.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        batch: &Batch<B>,
        i: usize,
        origin: Origin,
    ) -> Result<Insert, Disorder> {
        let (row, reached) = (batch.row(i), batch.reached(i));
        let keeps = batch.keeps_row(i);
        if keeps
            && let (Some(merging), Some(by)) = (&mut self.merging, self.store.cover_of_source(origin.parent, reached))
        {
            merging.arrive(origin.parent, origin.ordinal, by);
            return Ok(Insert::Covered(by));
        }
        let simulates = self.simulates;
        let Some(merging) = &mut self.merging else {
            let discrete = batch.discrete(i).unwrap_or_else(|| self.store.intern(row));
            let (inserted, reached) =
                self.store.insert(discrete, reached, || if simulates { Some(graph.bounds(row)) } else { None }, origin);
            graph.remember(batch, i, discrete, (reached, self.store.zones()));
            return Ok(inserted);
        };
        let alu = simulates.then(|| graph.bounds(row));
        let (inserted, reached) = self.store.merge((row, keeps), reached, alu, origin, merging);
        graph.remember_zone(batch, i, (reached, self.store.zones()));
        merging.disorder().map_or(Ok(inserted), |disorder| Err(disorder.clone()))
    }

    /// Returns the row of a stored state, given the row that was reached.
    #[inline]
    pub(crate) fn row<'r>(&self, node: NodeId, row: &'r [i32], buffer: &'r mut Vec<i32>) -> &'r [i32] {
        if self.merging.is_none() {
            return row;
        }
        self.store.row(node, buffer);
        buffer
    }

    /// Returns the zone of a stored state, given the zone that was reached.
    #[inline]
    pub(crate) fn zone<'z>(&self, node: NodeId, reached: ReachedZone<'z, B>, buffer: &'z mut HeldZone<B>) -> &'z [B] {
        match reached {
            // Its tail is for the transition system alone.
            ReachedZone::Fresh(zone) if self.merging.is_none() => {
                let dim = self.store.zones().dim();
                &zone[..dim * dim]
            }
            _ => buffer.visible(self.store.zone(node), self.store.zones()),
        }
    }

    /// Marks a state as expanded. Returns `false` if it was expanded before or another state covers
    /// it.
    #[inline]
    pub(crate) fn expand(&mut self, node: NodeId) -> bool {
        !self.store.is_gone(node) && self.merging.as_mut().is_none_or(|merging| merging.expand(node))
    }

    /// Adds the successors that a state has for smaller elements only. `row` is a buffer.
    pub(crate) fn split(
        &mut self,
        node: NodeId,
        graph: &mut ZoneGraph<'_, B>,
        row: &mut Vec<i32>,
        zone: &[B],
        batch: &mut Batch<B>,
    ) -> Result<(), Incomplete> {
        let Some(merging) = self.merging.as_mut().filter(|merging| merging.is_wide(node)) else { return Ok(()) };
        self.store.row(node, row);
        merging.split(node, graph, row, zone, batch).map_err(Incomplete::Error)?;
        if merging.gives_up() { Err(Incomplete::TooManyElements) } else { Ok(()) }
    }

    /// Returns transitions of a state, or initial ones, that have to be taken again because their
    /// targets were removed.
    pub(crate) fn next_again(&mut self) -> Option<(Option<NodeId>, Vec<u32>)> {
        self.merging.as_mut().and_then(Merging::next_again)
    }

    /// Puts transitions back that could not be taken again.
    pub(crate) fn again_later(&mut self, from: Option<NodeId>, ordinals: Vec<u32>) {
        self.merging.iter_mut().for_each(|merging| merging.again_later(from, ordinals.clone()));
    }

    /// Returns whether a state was removed permanently.
    pub(crate) fn is_removed(&self, node: NodeId) -> bool {
        self.merging.as_ref().is_some_and(|merging| merging.is_removed(node))
    }

    /// Judges a goal state. It may be unreachable because of a join, which is then undone.
    pub(crate) fn judge(&mut self, node: NodeId, graph: &mut ZoneGraph<'_, B>, goal: &mut dyn Goal<B>) -> Worth {
        let Some(merging) = self.merging.as_mut().filter(|merging| merging.probes()) else {
            return Worth::Real(self.store.path(node));
        };
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        // The best of the goal states may have been covered meanwhile.
        merging.read(&self.store, node, &mut row, &mut zone);
        let blamed = loop {
            match merging.verdict(&self.store, node) {
                Err(Remedy::Split(blamed)) => break blamed,
                Err(Remedy::Stop(path)) => return Worth::Spurious(path),
                Ok(path) if !merging.goes_on(&path) => return Worth::Real(path.into()),
                Ok(path) => match goal.part(graph, &row, &zone) {
                    // The goal has shrunk, and the state may still be in it.
                    Ok(Some(_)) => {}
                    Ok(None) => return Worth::Waiting(vec![node]),
                    Err(error) => return Worth::Error(path.into(), error),
                },
            }
        };
        // A run that was stopped on the way does not show that there is none.
        if let Err(error) = graph.check_signal() {
            return Worth::Error(self.store.path(node), error);
        }
        Worth::Waiting(merging.cut(&mut self.store, blamed))
    }
}
