//! Successors by a single transition: no other transition is evaluated, so their run-time errors
//! don't occur. Runs are reconstructed by it, in zones that may be larger than those that a search
//! has split.

use model::{
    system::{ChannelId, EdgeId, LocationId, Sync},
    vector::Joint,
};
use zone::Bound;

use super::{
    GuardedTransition, RunError, SuccessorVisitor, ZoneGraph,
    enabled::{Broadcast, TransitionVisitor, VisitEnd},
    kept::KeptRow,
};
use crate::batch::Batch;

impl<B: Bound> ZoneGraph<'_, B> {
    /// Adds the successors of a state by one transition.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn successors_by(
        &mut self,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        if self.system.has_priorities {
            for (_, zone) in self.possible_by(row, zone, edges)? {
                self.step((row, &mut KeptRow::default()), edges, &zone, None, out)?;
            }
            return Ok(());
        }
        self.visit_one(row, zone, edges, &mut SuccessorVisitor::all(row, None, out))
    }

    /// Returns a transition with the parts of the zone in which it is enabled.
    pub(super) fn possible_by(
        &mut self,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
    ) -> Result<Vec<GuardedTransition<B>>, RunError> {
        if self.system.has_priorities {
            return Ok(self
                .allowed_by_priority(row, zone, Some(edges))?
                .into_iter()
                .map(GuardedTransition::from)
                .collect());
        }
        let mut all = super::moments::TransitionCollector(Vec::new());
        self.visit_one(row, zone, edges, &mut all)?;
        Ok(all.0)
    }

    /// Visits one transition, if its guards may hold somewhere in the zone. Priorities and target
    /// invariants are ignored.
    fn visit_one<V: TransitionVisitor<B>>(
        &mut self,
        row: &[i32],
        zone: &[B],
        edges: &[EdgeId],
        visit: &mut V,
    ) -> Result<(), RunError> {
        // Probing paths calls this very often.
        self.check_signal()?;
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(self.system.processes.iter().zip(row).map(|(p, at)| p.first_location.0 + *at as u32));
        self.source.load(row);
        let result = self.visit_edges(row, zone, (edges, &places), visit);
        self.places = places;
        match result {
            Ok(()) | Err(VisitEnd::Enough) => Ok(()),
            Err(VisitEnd::Error(error)) => Err(error),
        }
    }

    fn visit_edges<V: TransitionVisitor<B>>(
        &mut self,
        row: &[i32],
        zone: &[B],
        (edges, places): (&[EdgeId], &[u32]),
        visit: &mut V,
    ) -> Result<(), VisitEnd> {
        let system = self.system;
        let edge = |e: EdgeId| &system.edges[e.0 as usize];
        let is_there = |e: &EdgeId| LocationId(places[edge(*e).process.0 as usize]) == edge(*e).source;
        let Some((&first, _)) = edges.split_first().filter(|_| edges.iter().all(is_there)) else { return Ok(()) };
        let committed = places.iter().any(|l| self.prepared.locations[*l as usize].committed);
        match edge(first).sync {
            Sync::Send(channel) if system.channels[channel.0 as usize].broadcast => {
                if !self.may_pass(first, zone)? {
                    return Ok(());
                }
                let sender = edge(first).process.0 as usize;
                let mut call =
                    Broadcast { places, sender, channel, committed, edges: vec![first], receivers: Vec::new() };
                return self.broadcast(0, &mut call, zone, true, &mut OneTransition { edges, visit });
            }
            Sync::Send(channel) if !self.receives(edges, channel) => return Ok(()),
            Sync::Receive(_) => return Ok(()),
            Sync::Event(_) => {
                let mut found = false;
                let joint = self.joint.get_or_insert_with(|| Box::new(Joint::new(self.system)));
                joint.for_each(row, |_, joint| found |= joint == edges);
                if !found {
                    return Ok(());
                }
            }
            Sync::Send(_) | Sync::Internal => {}
        }
        self.visit_vector(edges, zone, committed, visit)
    }

    /// Returns whether edges are a sender and its receiver.
    fn receives(&self, edges: &[EdgeId], channel: ChannelId) -> bool {
        let edge = |e: EdgeId| &self.system.edges[e.0 as usize];
        matches!(edges, &[e, r] if edge(r).sync == Sync::Receive(channel) && edge(r).process != edge(e).process)
    }
}

/// Visits a transition only if it has these edges.
struct OneTransition<'v, V> {
    edges: &'v [EdgeId],
    visit: &'v mut V,
}

impl<B: Bound, V: TransitionVisitor<B>> TransitionVisitor<B> for OneTransition<'_, V> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        whole: bool,
    ) -> Result<(), VisitEnd> {
        if edges == self.edges { self.visit.transition(graph, edges, zone, whole) } else { Ok(()) }
    }
}
