//! The transitions of a discrete state one by one, for graphs with zones of another kind.

use model::{
    machine::{ClockChange, Fault, FaultKind},
    system::{EdgeId, ProcessId},
};
use zone::Bound;

use super::{
    EffectLookup, ListedMove, RunError, ZoneGraph,
    effect::EffectId,
    enabled::{TransitionVisitor, VisitEnd},
    kept::KeptRow,
    prepared::{DifferenceBound, evaluate_others},
};
use crate::store::Discrete;

/// A transition whose conditions hold.
pub(crate) struct EnabledStep<'m> {
    /// Its edges.
    pub edges: &'m [EdgeId],
    /// The row after it, and its effect; or why its updates fail.
    pub target: Result<(&'m [i32], EffectId), RunError>,
    /// Its position in the table, with the discrete part of its target if it is known.
    pub listed: Option<(ListedMove, Option<Discrete>)>,
}

/// What a transition does with a zone.
pub(crate) struct EffectParts<'e, B> {
    /// The bounds of its guards.
    pub guards: &'e [DifferenceBound<B>],
    /// The changes of clocks, in order.
    pub changes: &'e [ClockChange],
    /// The bounds of all invariants after it.
    pub limits: &'e [DifferenceBound<B>],
    /// The lower clock bounds of the target.
    pub lower: &'e [B],
    /// The upper clock bounds of the target.
    pub upper: &'e [B],
}

/// Receives transitions until it returns `false`.
type StepVisitor<'v, B> = dyn FnMut(&mut ZoneGraph<'_, B>, EnabledStep<'_>) -> Result<bool, RunError> + 'v;

impl RunError {
    /// Numbers are too large for exact arithmetic.
    pub(crate) fn outgrown() -> RunError {
        RunError { fault: Fault { kind: FaultKind::Unsupported, pc: u32::MAX }, edges: Vec::new() }
    }
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Visits the transitions of a discrete state, whatever its zone, in the order of
    /// [`ZoneGraph::successors`]. With an id they are listed for the next time. Neither urgent
    /// channels nor stopped clocks may make their effects uneven.
    ///
    /// # Errors
    /// A run-time error of the model in a condition, or that of `visit`.
    pub(crate) fn for_each_step(
        &mut self,
        discrete: Option<Discrete>,
        row: &[i32],
        visit: &mut StepVisitor<'_, B>,
    ) -> Result<(), RunError> {
        if let Some(discrete) = discrete {
            self.visit(discrete, row);
            let mut result = Ok(true);
            let is_listed = self.with_list(discrete, |graph, place, edges, row, found| {
                if let Ok(true) = result {
                    let listed = Some((place, found.target));
                    result = visit(graph, EnabledStep { edges, target: Ok((row, found.effect)), listed });
                }
            });
            if is_listed {
                return result.map(|_| ());
            }
        }
        let universe = std::mem::take(&mut self.universe);
        let mut steps = StepEnumerator { row, target: Vec::new(), visit };
        let result = self.for_each_enabled(row, &universe, &mut steps);
        self.universe = universe;
        result
    }

    /// Returns what an effect does.
    #[inline]
    pub(crate) fn parts(&self, effect: EffectId) -> EffectParts<'_, B> {
        self.effects.parts(effect, self.dim)
    }

    /// Returns the effect of entering the initial state; `None`: an invariant forbids it.
    pub(crate) fn initial_effect(&mut self) -> Result<Option<EffectId>, RunError> {
        self.target.load(&self.system.initial);
        self.target.changes.clear();
        self.signatures.of_row(&self.system.initial, &mut self.signature);
        Ok(self.effect(&[])?.and_then(EffectLookup::id))
    }

    /// Returns the effect of a transition from a row; `None`: an invariant forbids it.
    pub(crate) fn effect_of(&mut self, row: &[i32], edges: &[EdgeId]) -> Result<Option<EffectId>, RunError> {
        self.source.load(row);
        Ok(self.take_and_find(row, edges, &mut KeptRow::default())?.and_then(EffectLookup::id))
    }

    /// Returns the bounds of the guards of edges that leave the source state.
    pub(crate) fn bounds_of_guards(&mut self, edges: &[EdgeId]) -> Result<Vec<DifferenceBound<B>>, RunError> {
        let mut bounds = Vec::new();
        for e in edges {
            bounds.extend_from_slice(self.prepared.constant(self.prepared.edges[e.0 as usize].limits));
            let guard = &self.system.edges[e.0 as usize].guard;
            evaluate_others(guard, &mut self.source, &mut bounds).map_err(RunError::at(&[*e]))?;
        }
        Ok(bounds)
    }

    /// Returns whether a process is at a location where no delay is possible.
    pub(crate) fn stands(&self, row: &[i32], process: ProcessId) -> bool {
        self.prepared.locations[self.system.location(row, process).0 as usize].stands
    }

    /// Abstracts a zone of the target of an effect. No differences of clocks may be compared.
    pub(crate) fn abstract_zone(&self, zone: &mut [B], effect: EffectId) {
        let EffectParts { lower, upper, .. } = self.parts(effect);
        self.extrapolate(zone, (lower, upper));
    }
}

/// Passes transitions on, with their effects.
struct StepEnumerator<'v, 'f, B> {
    row: &'v [i32],
    /// A buffer for the row after a transition.
    target: Vec<i32>,
    visit: &'v mut StepVisitor<'f, B>,
}

impl<B: Bound> TransitionVisitor<B> for StepEnumerator<'_, '_, B> {
    fn transition(&mut self, graph: &mut ZoneGraph<'_, B>, edges: &[EdgeId], _: &[B], _: bool) -> Result<(), VisitEnd> {
        // What is visited may use the target machine.
        let found = graph.take_and_find(self.row, edges, &mut KeptRow::default());
        let target = match found.map(|found| found.map(EffectLookup::id)) {
            Ok(None) => return Ok(()),
            Ok(Some(None)) => Err(RunError::outgrown()),
            Ok(Some(Some(effect))) => {
                self.target.clear();
                self.target.extend_from_slice(graph.target.row());
                Ok((&*self.target, effect))
            }
            Err(error) => Err(error),
        };
        let goes_on = (self.visit)(graph, EnabledStep { edges, target, listed: None })?;
        if goes_on { Ok(()) } else { Err(VisitEnd::Enough) }
    }
}
