//! The transitions that may leave a state.

use model::{
    system::{ChannelId, EdgeId, LocationId},
    vector::Joint,
};

use zone::{Bound, Federation};

use super::{
    RunError, ZoneGraph,
    prepared::{ALONE, COMMITTED, SENDING},
};
use crate::split::pieces;

/// Why a visit of transitions ends.
pub(super) enum VisitEnd {
    /// The model has a run-time error.
    Error(RunError),
    /// The visitor needs no more transitions.
    Enough,
}

impl From<RunError> for VisitEnd {
    fn from(error: RunError) -> VisitEnd {
        VisitEnd::Error(error)
    }
}

/// Visits each transition that may be enabled in a state.
pub(super) trait TransitionVisitor<B> {
    /// Visits a transition, which is enabled where the guards of `edges` hold in `zone`, if
    /// anywhere. The zone is that of the state if `whole`, else the part of it in which exactly
    /// these processes participate.
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        zone: &[B],
        whole: bool,
    ) -> Result<(), VisitEnd>;
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Visits all transitions whose guards may hold somewhere in the zone. Target invariants are
    /// ignored.
    pub(super) fn for_each_enabled<V: TransitionVisitor<B>>(
        &mut self,
        row: &[i32],
        zone: &[B],
        visit: &mut V,
    ) -> Result<(), RunError> {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(self.system.processes.iter().zip(row).map(|(p, at)| p.first_location.0 + *at as u32));
        self.source.load(row);
        let result = self.visit_all(row, zone, &places, visit);
        self.places = places;
        match result {
            Ok(()) | Err(VisitEnd::Enough) => Ok(()),
            Err(VisitEnd::Error(error)) => Err(error),
        }
    }

    fn visit_all<V: TransitionVisitor<B>>(
        &mut self,
        row: &[i32],
        zone: &[B],
        places: &[u32],
        visit: &mut V,
    ) -> Result<(), VisitEnd> {
        let system = self.system;
        let marks = places.iter().fold(0, |all, place| all | self.prepared.marks[*place as usize]);
        let committed = marks & COMMITTED != 0;
        // What leaves a location alone, and leaves a committed one if there are any.
        let wanted = if committed { COMMITTED | ALONE } else { ALONE };
        let alone = if marks & ALONE == 0 { &[] } else { places };
        for &place in alone {
            if self.prepared.marks[place as usize] & wanted != wanted {
                continue;
            }
            for &e in system.internal(LocationId(place)) {
                if self.may_pass(e, zone)? {
                    visit.transition(self, &[e], zone, true)?;
                }
            }
        }
        let senders = if marks & SENDING == 0 { &[] } else { places };
        let received = senders.iter().fold(0, |all, place| all | system.received(LocationId(*place)));
        for (p, &place) in senders.iter().enumerate() {
            if self.prepared.marks[place as usize] & SENDING == 0 {
                continue;
            }
            for &e in system.sending(LocationId(place)) {
                if !self.may_pass(e, zone)? {
                    continue;
                }
                let channel = ChannelId(self.prepared.edges[e.0 as usize].channel);
                if system.channels[channel.0 as usize].broadcast {
                    let mut call =
                        Broadcast { places, sender: p, channel, committed, edges: vec![e], receivers: Vec::new() };
                    self.broadcast(0, &mut call, zone, true, visit)?;
                    continue;
                }
                if received & channel.bit() == 0 {
                    continue;
                }
                let needs_committed = committed && self.prepared.marks[place as usize] & COMMITTED == 0;
                for i in 0..self.prepared.receivers[channel.0 as usize].len() {
                    let q = self.prepared.receivers[channel.0 as usize][i] as usize;
                    let other = places[q];
                    if q == p || needs_committed && self.prepared.marks[other as usize] & COMMITTED == 0 {
                        continue;
                    }
                    for &r in system.receiving(LocationId(other), channel) {
                        if self.may_pass(r, zone)? {
                            visit.transition(self, &[e, r], zone, true)?;
                        }
                    }
                }
            }
        }
        if !system.vectors.is_empty() {
            self.visit_joint(row, zone, committed, visit)?;
        }
        Ok(())
    }

    /// Visits the transitions of the system's synchronisation vectors.
    fn visit_joint<V: TransitionVisitor<B>>(
        &mut self,
        row: &[i32],
        zone: &[B],
        committed: bool,
        visit: &mut V,
    ) -> Result<(), VisitEnd> {
        let mut joint = self.joint.take().unwrap_or_else(|| Box::new(Joint::new(self.system)));
        let result = joint.try_for_each(row, |_, edges| self.visit_vector(edges, zone, committed, visit));
        self.joint = Some(joint);
        result
    }

    pub(super) fn visit_vector<V: TransitionVisitor<B>>(
        &mut self,
        edges: &[EdgeId],
        zone: &[B],
        committed: bool,
        visit: &mut V,
    ) -> Result<(), VisitEnd> {
        if committed && !self.leaves_committed(edges) {
            return Ok(());
        }
        for &e in edges {
            if !self.may_pass(e, zone)? {
                return Ok(());
            }
        }
        visit.transition(self, edges, zone, true)
    }

    fn leaves_committed(&self, edges: &[EdgeId]) -> bool {
        edges.iter().any(|e| self.prepared.edges[e.0 as usize].committed)
    }

    /// Visits the transitions of a broadcast. Every process that can receive does, from the one at
    /// this place in the list of receivers on; if that depends on clocks, the zone is split.
    pub(super) fn broadcast<V: TransitionVisitor<B>>(
        &mut self,
        from: usize,
        call: &mut Broadcast<'_>,
        zone: &[B],
        whole: bool,
        visit: &mut V,
    ) -> Result<(), VisitEnd> {
        self.check_signal()?;
        let system = self.system;
        for at in from..self.prepared.receivers[call.channel.0 as usize].len() {
            let q = self.prepared.receivers[call.channel.0 as usize][at] as usize;
            if q == call.sender {
                continue;
            }
            let first = call.receivers.len();
            let mut by_clocks = false;
            for &r in system.receiving(LocationId(call.places[q]), call.channel) {
                if self.may_pass(r, zone)? {
                    call.receivers.push(r);
                    by_clocks |= !self.prepared.edges[r.0 as usize].limits.is_empty();
                }
            }
            if call.receivers.len() == first {
                continue;
            }
            let mut rest = by_clocks.then(|| pieces(zone, self.dim));
            for i in first..call.receivers.len() {
                let r = call.receivers[i];
                call.edges.push(r);
                match &mut rest {
                    None => self.broadcast(at + 1, call, zone, whole, visit)?,
                    Some(rest) => {
                        if let Some(part) = self.cut(&[r], zone)? {
                            rest.subtract_zone(&part);
                            self.broadcast(at + 1, call, &part, false, visit)?;
                        }
                    }
                }
                call.edges.pop();
            }
            call.receivers.truncate(first);
            for piece in rest.iter().flat_map(Federation::zones) {
                self.broadcast(at + 1, call, piece, false, visit)?;
            }
            return Ok(());
        }
        if !call.committed || self.leaves_committed(&call.edges) {
            visit.transition(self, &call.edges, zone, whole)?;
        }
        Ok(())
    }

    /// Returns whether the condition of an edge's guard holds in the source state, and each of its
    /// constant clock constraints somewhere in the zone.
    #[inline(always)]
    pub(super) fn may_pass(&mut self, e: EdgeId, zone: &[B]) -> Result<bool, RunError> {
        let edge = &self.prepared.edges[e.0 as usize];
        if let Some(pc) = edge.condition
            && !self.source.test(pc).map_err(RunError::at(&[e]))?
        {
            return Ok(false);
        }
        Ok(self.prepared.may_pass(e.0, zone, self.dim))
    }

    /// Constrains a zone by the clock constraints of edges' guards. Returns `false` if it becomes
    /// empty.
    pub(super) fn constrain(&mut self, edges: &[EdgeId], zone: &mut [B]) -> Result<bool, RunError> {
        for e in edges {
            let holds = self.prepared.guard(e.0, &mut self.source, zone, self.dim).map_err(RunError::at(&[*e]))?;
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the part of a zone where the clock constraints of edges' guards hold.
    pub(super) fn cut(&mut self, edges: &[EdgeId], zone: &[B]) -> Result<Option<Vec<B>>, RunError> {
        let mut part = zone.to_vec();
        Ok(self.constrain(edges, &mut part)?.then_some(part))
    }
}

/// A broadcast whose receivers are being chosen.
pub(super) struct Broadcast<'b> {
    pub places: &'b [u32],
    pub sender: usize,
    pub channel: ChannelId,
    pub committed: bool,
    pub edges: Vec<EdgeId>,
    /// The receivers among which the processes so far choose.
    pub receivers: Vec<EdgeId>,
}
