//! Priorities of channels and processes: a transition is possible only where none of a higher priority is.

use model::{
    System,
    system::{EdgeId, Sync},
};

use super::{
    RunError, Transition, ZoneGraph,
    enabled::{Halt, Visit},
};
use crate::{batch::Batch, split::pieces};

impl ZoneGraph<'_> {
    /// The transitions of a state in a system with priorities, with the parts of the zone where they are possible.
    pub(super) fn allowed_by_priority(&mut self, row: &[i32], zone: &[i32]) -> Result<Vec<Transition>, RunError> {
        let mut all = Collect { row, found: Vec::new() };
        self.for_each_enabled(row, zone, &mut all)?;
        let mut allowed = Vec::new();
        for transition in &all.found {
            let mut rest = pieces(&transition.zone, self.dim);
            for other in all.found.iter().filter(|other| other.priority > transition.priority) {
                if let Some(enabled) = &other.enabled {
                    rest.subtract_zone(enabled);
                }
            }
            allowed.extend(rest.zones().map(|piece| (transition.edges.clone(), piece.to_vec())));
        }
        Ok(allowed)
    }

    /// The successors of a state in a system with priorities.
    pub(super) fn successors_by_priority(
        &mut self,
        row: &[i32],
        zone: &[i32],
        out: &mut Batch,
    ) -> Result<(), RunError> {
        for (edges, part) in self.allowed_by_priority(row, zone)? {
            self.step(row, &edges, &part, None, out)?;
        }
        Ok(())
    }
}

/// A transition whose guards hold somewhere.
struct Candidate {
    edges: Vec<EdgeId>,
    priority: (i32, i32),
    /// Where the guards hold.
    zone: Vec<i32>,
    /// Where it leads into the invariants as well.
    enabled: Option<Vec<i32>>,
}

struct Collect<'b> {
    row: &'b [i32],
    found: Vec<Candidate>,
}

impl Visit for Collect<'_> {
    fn transition(&mut self, graph: &mut ZoneGraph<'_>, edges: &[EdgeId], zone: &[i32], _: bool) -> Result<(), Halt> {
        if let Some(zone) = graph.cut(edges, zone)? {
            let enabled = graph.enabled_part(self.row, edges, &zone)?;
            self.found.push(Candidate {
                edges: edges.to_vec(),
                priority: priority(graph.system, edges),
                zone,
                enabled,
            });
        }
        Ok(())
    }
}

/// The priority of a transition: that of its channel, then the highest of its processes.
fn priority(system: &System, edges: &[EdgeId]) -> (i32, i32) {
    let channel = match system.edges[edges[0].0 as usize].sync {
        Sync::Internal | Sync::Event(_) => system.internal_priority,
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].priority,
    };
    let process = |e: &EdgeId| system.processes[system.edges[e.0 as usize].process.0 as usize].priority;
    (channel, edges.iter().map(process).max().unwrap_or(0))
}
