//! A zone graph of representatives.

use super::{Reduction, unwind::follow};
use crate::{
    batch::{Batch, ReachedZone},
    goal::Goal,
    graph::{RunError, ZoneGraph},
    transitions::{Cursor, SourceState, SuccessorError, SymbolicTrace, Transitions},
    zones::Zones,
};
use zone::Bound;

/// A zone graph whose states are replaced by their representatives.
pub struct Represented<'a, B = i32> {
    graph: ZoneGraph<'a, B>,
    reduction: Reduction<B>,
    zone: Vec<B>,
}

impl<'a, B: Bound> Represented<'a, B> {
    /// Creates the graph of representatives.
    #[must_use]
    pub fn new(graph: ZoneGraph<'a, B>, reduction: Reduction<B>) -> Represented<'a, B> {
        Represented { graph, reduction, zone: Vec::new() }
    }

    /// Replaces the states of a batch.
    fn represent(&mut self, zones: Option<&Zones<B>>, batch: &mut Batch<B>) {
        for i in 0..batch.len() {
            let zone = match (batch.reached(i), zones) {
                (ReachedZone::Fresh(zone), _) => zone,
                (ReachedZone::Known(id), Some(zones)) => {
                    zones.read(id, &mut self.zone);
                    &self.zone
                }
                // Initial states are computed.
                (ReachedZone::Known(_), None) => continue,
            };
            if self.reduction.represent(batch.row(i), zone) {
                let (row, zone) = self.reduction.representative();
                batch.replace(i, row, zone);
            } else {
                // The representative of a row depends on the zone, too.
                batch.forget_discrete(i);
            }
        }
    }
}

impl<'a, B: Bound> Transitions<'a, B> for Represented<'a, B> {
    fn graph(&mut self) -> &mut ZoneGraph<'a, B> {
        &mut self.graph
    }

    fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError> {
        self.graph.initial(out)?;
        self.represent(None, out);
        Ok(())
    }

    fn successors(
        &mut self,
        SourceState { store, ids, zone, row, at_once }: SourceState<'_, B>,
        cursor: &mut Cursor,
        goal: &mut dyn Goal<B>,
        out: &mut Batch<B>,
    ) -> Result<(), SuccessorError> {
        Transitions::successors(&mut self.graph, SourceState { store, ids, zone, row, at_once }, cursor, goal, out)?;
        self.represent(Some(store.zones()), out);
        Ok(())
    }

    fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>> {
        follow(&mut self.graph, path, &mut self.reduction)
    }
}
