//! Predecessors: the parts of a state's zone from which a transition is possible.

use model::{machine::ClockChange, system::EdgeId};
use zone::{Bound, Federation};

use super::{
    RunError, ZoneGraph,
    enabled::{TransitionVisitor, VisitEnd},
};
use crate::split::pieces;

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns the parts of a state's zone in which a transition is enabled, including target
    /// invariants.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn enabled_parts(&mut self, row: &[i32], zone: &[B]) -> Result<Vec<Vec<B>>, RunError> {
        if self.system.has_priorities {
            return Ok(self.allowed_by_priority(row, zone, None)?.into_iter().filter_map(|t| t.enabled).collect());
        }
        let mut parts = EnabledParts { row, found: Vec::new() };
        self.for_each_enabled(row, zone, &mut parts)?;
        Ok(parts.found)
    }

    /// Returns `part` without the valuations in which a transition is enabled, or becomes enabled
    /// by a delay. `zone` contains all delays of `part`. Precondition: simple time.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn dead_parts(&mut self, row: &[i32], zone: &[B], part: &[B]) -> Result<Federation<B>, RunError> {
        let delays = self.delays(row)?;
        let mut dead = DeadPart { row, delays, rest: pieces(part, self.dim) };
        if self.system.has_priorities {
            for alive in self.enabled_parts(row, zone)? {
                dead.subtract(alive, self.dim);
            }
        } else {
            self.for_each_enabled(row, zone, &mut dead)?;
        }
        Ok(dead.rest)
    }

    /// Returns a part of a state's `zone` from which a transition leads into `after`, a part of its
    /// target.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[B],
        after: &[B],
    ) -> Result<Option<Vec<B>>, RunError> {
        Ok(self.leading_into(row, zone, edges, after)?.into_iter().next())
    }

    /// Returns the part of `zone` from which a transition leads into the target invariants.
    pub(super) fn enabled_part(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[B],
    ) -> Result<Option<Vec<B>>, RunError> {
        let conditions = self.take(row, edges).and_then(|()| self.conditions(edges));
        // A run that is reconstructed avoids valuations with run-time errors: they are neither
        // deadlocks nor without transitions of higher priority.
        if self.is_exact && conditions.as_ref().is_err_and(|error| error.stop().is_none()) {
            return Ok(Some(zone.to_vec()));
        }
        if conditions?.is_none() {
            return Ok(None);
        }
        if !self.has_limits() && self.target.changes.iter().all(|c| matches!(c, ClockChange::Set { .. })) {
            return Ok(Some(zone.to_vec()));
        }
        let mut all = vec![B::LE_ZERO; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        Ok(self.undo(zone, all))
    }

    /// Returns the part of `zone` from which a transition leads into `part` and the target
    /// invariants.
    pub(super) fn part_before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[B],
        part: Vec<B>,
    ) -> Result<Option<Vec<B>>, RunError> {
        self.take(row, edges)?;
        if self.conditions(edges)?.is_none() {
            return Ok(None);
        }
        Ok(self.undo(zone, part))
    }

    /// Returns the part of `zone` that the target machine's clock changes take into `after` and the
    /// invariants.
    fn undo(&self, zone: &[B], mut after: Vec<B>) -> Option<Vec<B>> {
        if !self.limit(&mut after) {
            return None;
        }
        for change in self.target.changes.iter().rev() {
            let fits = match *change {
                ClockChange::Set { clock, value } => {
                    zone::undo_reset(&mut after, self.dim, clock as usize, B::from(value))
                }
                ClockChange::Copy { clock, from, plus } => {
                    zone::undo_copy(&mut after, self.dim, clock as usize, from as usize, B::from(plus))
                }
            };
            if !fits {
                return None;
            }
        }
        zone::intersect(&mut after, self.dim, zone).then_some(after)
    }
}

/// Collects the parts of a zone in which transitions are enabled.
struct EnabledParts<'b, B> {
    row: &'b [i32],
    found: Vec<Vec<B>>,
}

impl<B: Bound> TransitionVisitor<B> for EnabledParts<'_, B> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        _: bool,
    ) -> Result<(), VisitEnd> {
        if let Some(part) = graph.cut(edges, zone)? {
            self.found.extend(graph.enabled_part(self.row, edges, &part)?);
        }
        Ok(())
    }
}

/// Subtracts what is not a deadlock.
struct DeadPart<'b, B> {
    row: &'b [i32],
    delays: bool,
    rest: Federation<B>,
}

impl<B: Bound> DeadPart<'_, B> {
    /// Subtracts a zone in which a transition is enabled.
    fn subtract(&mut self, mut alive: Vec<B>, dim: usize) {
        if self.delays {
            zone::past(&mut alive, dim);
        }
        self.rest.subtract_zone(&alive);
    }
}

impl<B: Bound> TransitionVisitor<B> for DeadPart<'_, B> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        _: bool,
    ) -> Result<(), VisitEnd> {
        if let Some(part) = graph.cut(edges, zone)?
            && let Some(alive) = graph.enabled_part(self.row, edges, &part)?
        {
            self.subtract(alive, graph.dim);
        }
        // In most states the first transition leaves nothing.
        if self.rest.is_empty() { Err(VisitEnd::Enough) } else { Ok(()) }
    }
}
