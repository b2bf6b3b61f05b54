//! Priorities of channels and processes: a transition is enabled only where none of a higher
//! priority is.

use model::{
    System,
    system::{EdgeId, Sync},
};
use zone::Bound;

use super::{
    GuardedTransition, RunError, ZoneGraph,
    enabled::{TransitionVisitor, VisitEnd},
    kept::KeptRow,
};
use crate::{batch::Batch, split::pieces};

/// A transition that is enabled in a part of a zone.
pub(super) struct AllowedTransition<B> {
    pub edges: Vec<EdgeId>,
    /// The part in which the guards hold and no transition of a higher priority is enabled.
    pub zone: Vec<B>,
    /// The part from which it also leads into the target invariants.
    pub enabled: Option<Vec<B>>,
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns the transitions of a state in a system with priorities, with the parts of the zone
    /// in which they are enabled.
    ///
    /// Higher priorities come first, and the update of a transition is evaluated only where no
    /// transition of a higher priority is enabled: a transition that priorities forbid has no
    /// run-time errors. Guards are evaluated everywhere, since they decide what is enabled. With
    /// `only`, other transitions of the same or lower priority are not evaluated.
    pub(super) fn allowed_by_priority(
        &mut self,
        row: &[i32],
        zone: &[B],
        only: Option<&[EdgeId]>,
    ) -> Result<Vec<AllowedTransition<B>>, RunError> {
        let mut all = CandidateCollector { found: Vec::new(), bytes: 0 };
        self.for_each_enabled(row, zone, &mut all)?;
        let mut candidates: Vec<(usize, PriorityCandidate<B>)> = all.found.into_iter().enumerate().collect();
        candidates.sort_by_key(|(_, candidate)| std::cmp::Reverse(candidate.priority));
        let (mut allowed, mut bytes): (Vec<(usize, AllowedTransition<B>)>, usize) = (Vec::new(), all.bytes);
        let requested = only.map(|edges| priority(self.system, edges));
        for level in candidates.chunk_by(|(_, a), (_, b)| a.priority == b.priority) {
            let higher = allowed.len();
            let outranks = requested.is_some_and(|requested| level[0].1.priority > requested);
            let wanted = |candidate: &PriorityCandidate<B>| outranks || only.is_none_or(|only| candidate.edges == only);
            for (number, candidate) in level.iter().filter(|(_, candidate)| wanted(candidate)) {
                let mut rest = pieces(&candidate.zone, self.dim);
                for enabled in allowed[..higher].iter().filter_map(|(_, other)| other.enabled.as_ref()) {
                    self.check_signal()?;
                    rest.subtract_zone(enabled);
                }
                for zone in rest.zones() {
                    bytes += size(&candidate.edges, zone) + size_of_val(zone);
                    self.check_memory(bytes)?;
                    let enabled = self.enabled_part(row, &candidate.edges, zone)?;
                    allowed.push((
                        *number,
                        AllowedTransition { edges: candidate.edges.clone(), zone: zone.to_vec(), enabled },
                    ));
                }
            }
        }
        if let Some(only) = only {
            allowed.retain(|(_, transition)| transition.edges == only);
        }
        // The order of successors does not depend on priorities.
        allowed.sort_by_key(|(number, _)| *number);
        Ok(allowed.into_iter().map(|(_, transition)| transition).collect())
    }

    /// Adds the successors of a state in a system with priorities.
    pub(super) fn successors_by_priority(
        &mut self,
        row: &[i32],
        zone: &[B],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        for AllowedTransition { edges, zone, .. } in self.allowed_by_priority(row, zone, None)? {
            self.check_memory(out.bytes())?;
            self.step((row, &mut KeptRow::default()), &edges, &zone, None, out)?;
        }
        Ok(())
    }
}

impl<B: Bound> From<AllowedTransition<B>> for GuardedTransition<B> {
    fn from(allowed: AllowedTransition<B>) -> GuardedTransition<B> {
        (allowed.edges, allowed.zone)
    }
}

/// A transition whose guards hold somewhere.
struct PriorityCandidate<B> {
    edges: Vec<EdgeId>,
    priority: (i32, i32),
    /// The part in which they hold.
    zone: Vec<B>,
}

struct CandidateCollector<B> {
    found: Vec<PriorityCandidate<B>>,
    /// Their size in bytes.
    bytes: usize,
}

/// Returns the size in bytes of a transition in a list.
fn size<B>(edges: &[EdgeId], zone: &[B]) -> usize {
    size_of::<PriorityCandidate<B>>() + size_of_val(edges) + size_of_val(zone)
}

impl<B: Bound> TransitionVisitor<B> for CandidateCollector<B> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        _: bool,
    ) -> Result<(), VisitEnd> {
        if let Some(zone) = graph.cut(edges, zone)? {
            let priority = priority(graph.system, edges);
            self.bytes += size(edges, &zone);
            graph.check_memory(self.bytes)?;
            self.found.push(PriorityCandidate { edges: edges.to_vec(), priority, zone });
        }
        Ok(())
    }
}

/// Returns the priority of a transition: that of its channel, then the highest of its processes.
fn priority(system: &System, edges: &[EdgeId]) -> (i32, i32) {
    let channel = match system.edges[edges[0].0 as usize].sync {
        Sync::Internal | Sync::Event(_) => system.internal_priority,
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].priority,
    };
    let process = |e: &EdgeId| system.processes[system.edges[e.0 as usize].process.0 as usize].priority;
    (channel, edges.iter().map(process).max().unwrap_or(0))
}
