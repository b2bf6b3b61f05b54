//! What leads where: parts of a state's zone from which a transition is possible.

use model::{machine::ClockChange, system::EdgeId};

use super::{RunError, ZoneGraph, enabled::Visit};

impl ZoneGraph<'_> {
    /// The parts of a state's zone from which a transition is possible at once, target invariants included.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn enabled_parts(&mut self, row: &[i32], zone: &[i32]) -> Result<Vec<Vec<i32>>, RunError> {
        let mut parts = Parts { row, found: Vec::new() };
        self.for_each_enabled(row, zone, &mut parts)?;
        Ok(parts.found)
    }

    /// The part of a state's `zone` from which a transition leads to a part of the state behind it.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[i32],
        behind: &[i32],
    ) -> Result<Option<Vec<i32>>, RunError> {
        self.source.load(row);
        let Some(guarded) = self.cut(edges, zone)? else { return Ok(None) };
        self.part_before(row, edges, &guarded, behind.to_vec())
    }

    /// The part of `zone` from which a transition leads into the invariants.
    pub(super) fn enabled_part(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[i32],
    ) -> Result<Option<Vec<i32>>, RunError> {
        let mut all = vec![0; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        self.part_before(row, edges, zone, all)
    }

    /// The part of `zone` from which a transition leads into `part` and the invariants.
    fn part_before(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        zone: &[i32],
        mut part: Vec<i32>,
    ) -> Result<Option<Vec<i32>>, RunError> {
        self.take(row, edges)?;
        // What holds behind the changes, carried back over them.
        if self.context(edges)?.is_none() || !self.limit(&mut part) {
            return Ok(None);
        }
        for change in self.target.changes.iter().rev() {
            let fits = match *change {
                ClockChange::Set { clock, value } => zone::undo_reset(&mut part, self.dim, clock as usize, value),
                ClockChange::Copy { clock, from, plus } => {
                    zone::undo_copy(&mut part, self.dim, clock as usize, from as usize, plus)
                }
            };
            if !fits {
                return Ok(None);
            }
        }
        Ok(zone::intersect(&mut part, self.dim, zone).then_some(part))
    }
}

/// Collects the parts of a zone from which transitions are possible.
struct Parts<'b> {
    row: &'b [i32],
    found: Vec<Vec<i32>>,
}

impl Visit for Parts<'_> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_>,
        edges: &[EdgeId],
        zone: &[i32],
        _: bool,
    ) -> Result<(), RunError> {
        if let Some(part) = graph.cut(edges, zone)? {
            self.found.extend(graph.enabled_part(self.row, edges, &part)?);
        }
        Ok(())
    }
}
