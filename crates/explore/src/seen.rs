//! The states that a search has seen, and the policy by which some stand for others.
//!
//! A state is stored unless a stored one covers it: by inclusion or simulation of zones, and where
//! there is a [`Merging`] by elements of lattices as well. That may join states, and undo joins that
//! have led to a goal out of reach.

use zone::Bound;

use crate::{
    batch::Batch,
    goal::Goal,
    graph::{RunError, ZoneGraph},
    heuristic::Failures,
    merging::{Disorder, Judgement, Merging},
    store::{Insert, NodeId, Origin, Store},
};

/// States, and what decides which of them stand for others.
pub struct Seen<'a, B = i32> {
    /// The states.
    pub store: Store<B>,
    /// Whether zones are compared by simulation, not by inclusion.
    simulates: bool,
    merging: Option<Merging<'a, B>>,
}

/// Why the successors of a state are not complete.
pub(crate) enum Incomplete {
    Error(RunError),
    /// Guards have too many elements below to try.
    Apart,
}

/// What a state of the goal is worth.
pub(crate) enum Worth {
    /// It can be reached, and the search may end with it: the successors to take.
    Real(Vec<u32>),
    /// It is out of reach, or the goal has become smaller: these states wait again.
    Waiting(Vec<NodeId>),
    /// It can be reached, and whether it still is in the goal can't be evaluated.
    Error(Vec<u32>, RunError),
}

impl<'a, B: Bound> Seen<'a, B> {
    /// States of a store that is still empty. `simulates`: zones are compared by aLU.
    #[must_use]
    pub fn new(store: Store<B>, simulates: bool) -> Seen<'a, B> {
        Seen { store, simulates, merging: None }
    }

    /// The same, where elements of lattices have a say.
    #[must_use]
    pub fn with_merging(self, merging: Option<Merging<'a, B>>) -> Seen<'a, B> {
        Seen { merging, ..self }
    }

    /// How often something was learned from a goal that is not reachable.
    #[must_use]
    pub fn refinements(&self) -> usize {
        self.merging.as_ref().map_or(0, Merging::refinements)
    }

    /// The expressions that were to say which states are joined, and have failed.
    pub(crate) fn failures(&self) -> Failures {
        self.merging.as_ref().map_or(Failures::default(), Merging::failures)
    }

    /// Whether the successors of a state have to come all at once: what is joined may be split, and
    /// undone by the numbers of all successors.
    pub(crate) fn needs_all_successors(&self) -> bool {
        self.merging.is_some()
    }

    /// Stores a state of a batch, unless a stored one stands for it.
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
        let alu = self.simulates.then(|| graph.bounds(row));
        let Some(merging) = &mut self.merging else {
            let discrete = batch.discrete(i).unwrap_or_else(|| self.store.intern(row));
            let (inserted, reached) = self.store.insert(discrete, reached, alu, origin);
            graph.remember(batch, i, discrete, (reached, self.store.zones()));
            return Ok(inserted);
        };
        let (inserted, reached) = self.store.merge(row, reached, alu, origin, merging);
        graph.remember_zone(batch, i, (reached, self.store.zones()));
        merging.disorder().map_or(Ok(inserted), |disorder| Err(disorder.clone()))
    }

    /// The row of a state that was stored when `row` was reached.
    #[inline]
    pub(crate) fn row<'r>(&self, node: NodeId, row: &'r [i32], room: &'r mut Vec<i32>) -> &'r [i32] {
        if self.merging.is_none() {
            return row;
        }
        self.store.row(node, room);
        room
    }

    /// Notes that a state is expanded; `false`: it was before, or another one stands for it.
    #[inline]
    pub(crate) fn expand(&mut self, node: NodeId) -> bool {
        !self.store.is_gone(node) && self.merging.as_mut().is_none_or(|merging| merging.expand(node))
    }

    /// Adds the successors that a state has for smaller elements only. `row` is room for its row.
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
        if merging.gives_up() { Err(Incomplete::Apart) } else { Ok(()) }
    }

    /// Transitions of a state, or of the start, that have to be taken again, since their targets are
    /// gone.
    pub(crate) fn next_again(&mut self) -> Option<(Option<NodeId>, Vec<u32>)> {
        self.merging.as_mut().and_then(Merging::next_again)
    }

    /// Whether a state will never be there again.
    pub(crate) fn is_removed(&self, node: NodeId) -> bool {
        self.merging.as_ref().is_some_and(|merging| merging.is_removed(node))
    }

    /// What a state of the goal is worth. Where states are joined it may be out of reach: then the
    /// join that is to blame is undone.
    pub(crate) fn judge(&mut self, node: NodeId, graph: &mut ZoneGraph<'_, B>, goal: &mut dyn Goal<B>) -> Worth {
        let Some(merging) = self.merging.as_mut().filter(|merging| merging.refines()) else {
            return Worth::Real(self.store.path(node));
        };
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        self.store.get(node, &mut row, &mut zone);
        let blamed = loop {
            match merging.judge(&self.store, node) {
                Judgement::Spurious(blamed) => break blamed,
                Judgement::Real(path) if !merging.goes_on(&path) => return Worth::Real(path),
                Judgement::Real(path) => match goal.part(graph, &row, &zone) {
                    // The goal is smaller now, and the state may still be in it.
                    Ok(Some(_)) => {}
                    Ok(None) => return Worth::Waiting(vec![node]),
                    Err(error) => return Worth::Error(path, error),
                },
            }
        };
        Worth::Waiting(merging.cut(&mut self.store, blamed))
    }
}
