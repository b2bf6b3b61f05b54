//! Which transitions leave a state.

use model::system::{ChannelId, EdgeId, LocationId};

use super::{RunError, ZoneGraph};
use crate::split::pieces;

/// Something that is done with each transition that is enabled in a state.
pub(super) trait Visit {
    /// `zone` is the part of the state's zone where the guards hold; it may be changed.
    fn transition(&mut self, graph: &mut ZoneGraph<'_>, edges: &[EdgeId], zone: &mut [i32]) -> Result<(), RunError>;
}

impl ZoneGraph<'_> {
    /// Visits all transitions whose guards hold somewhere in the zone. Target invariants have no say in it.
    pub(super) fn for_each_enabled<V: Visit>(
        &mut self,
        row: &[i32],
        zone: &[i32],
        visit: &mut V,
    ) -> Result<(), RunError> {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.extend(self.system.processes.iter().zip(row).map(|(p, at)| p.first_location.0 + *at as u32));
        self.source.load(row);
        let result = self.visit_all(row, zone, &places, visit);
        self.places = places;
        result
    }

    fn visit_all<V: Visit>(
        &mut self,
        row: &[i32],
        zone: &[i32],
        places: &[u32],
        visit: &mut V,
    ) -> Result<(), RunError> {
        let system = self.system;
        let committed = places.iter().any(|l| self.prepared.locations[*l as usize].committed);
        for &place in places {
            if committed && !self.prepared.locations[place as usize].committed {
                continue;
            }
            for &e in system.internal(LocationId(place)) {
                self.consider(&[e], zone, visit)?;
            }
        }
        for (p, &place) in places.iter().enumerate() {
            for &e in system.sending(LocationId(place)) {
                let channel = ChannelId(self.prepared.edges[e.0 as usize].channel);
                if !self.may_pass(e, zone)? {
                    continue;
                }
                if system.channels[channel.0 as usize].broadcast {
                    let mut sent = zone.to_vec();
                    if self.constrain(e, &mut sent)? {
                        let mut call = Broadcast { places, sender: p, channel, committed, edges: vec![e] };
                        self.broadcast(0, &mut call, &mut sent, visit)?;
                    }
                    continue;
                }
                let needs_committed = committed && !self.prepared.locations[place as usize].committed;
                for (q, &other) in places.iter().enumerate() {
                    if q == p || needs_committed && !self.prepared.locations[other as usize].committed {
                        continue;
                    }
                    for &r in system.receiving(LocationId(other), channel) {
                        if self.may_pass(r, zone)? {
                            self.cut(&[e, r], zone, visit)?;
                        }
                    }
                }
            }
        }
        if !system.vectors.is_empty() {
            self.for_each_joint(row, zone, committed, visit)?;
        }
        Ok(())
    }

    fn for_each_joint<V: Visit>(
        &mut self,
        row: &[i32],
        zone: &[i32],
        committed: bool,
        visit: &mut V,
    ) -> Result<(), RunError> {
        let mut joint = std::mem::take(&mut self.joint_edges);
        let mut ends = std::mem::take(&mut self.joint_ends);
        joint.clear();
        ends.clear();
        self.joint.for_each(row, |_, edges| {
            joint.extend_from_slice(edges);
            ends.push(joint.len());
        });
        let mut result = Ok(());
        let mut from = 0;
        for &to in &ends {
            let edges = &joint[from..to];
            from = to;
            if !committed || edges.iter().any(|e| self.prepared.edges[e.0 as usize].committed) {
                result = self.consider(edges, zone, visit);
                if result.is_err() {
                    break;
                }
            }
        }
        self.joint_edges = joint;
        self.joint_ends = ends;
        result
    }

    /// Visits a transition if its guards hold somewhere in the zone.
    #[inline]
    fn consider<V: Visit>(&mut self, edges: &[EdgeId], zone: &[i32], visit: &mut V) -> Result<(), RunError> {
        for &e in edges {
            if !self.may_pass(e, zone)? {
                return Ok(());
            }
        }
        self.cut(edges, zone, visit)
    }

    /// Visits a transition, each of whose edges may pass, with the part of the zone where all of them do.
    #[inline]
    fn cut<V: Visit>(&mut self, edges: &[EdgeId], zone: &[i32], visit: &mut V) -> Result<(), RunError> {
        let mut part = std::mem::take(&mut self.zone);
        part.copy_from_slice(zone);
        let mut result = Ok(true);
        for &e in edges {
            result = self.constrain(e, &mut part);
            if !matches!(result, Ok(true)) {
                break;
            }
        }
        let result = match result {
            Ok(true) => visit.transition(self, edges, &mut part),
            other => other.map(|_| ()),
        };
        self.zone = part;
        result
    }

    /// Every process that can receive does; where that depends on clocks the zone is split.
    fn broadcast<V: Visit>(
        &mut self,
        from: usize,
        call: &mut Broadcast<'_>,
        zone: &mut [i32],
        visit: &mut V,
    ) -> Result<(), RunError> {
        let system = self.system;
        for q in (from..call.places.len()).filter(|q| *q != call.sender) {
            let receivers = system.receiving(LocationId(call.places[q]), call.channel);
            if receivers.is_empty() {
                continue;
            }
            let mut rest = pieces(zone, self.dim);
            for &r in receivers {
                if !self.may_pass(r, zone)? {
                    continue;
                }
                let mut part = zone.to_vec();
                if self.constrain(r, &mut part)? {
                    call.edges.push(r);
                    rest.subtract_zone(&part);
                    self.broadcast(q + 1, call, &mut part, visit)?;
                    call.edges.pop();
                }
            }
            for piece in rest.zones() {
                self.broadcast(q + 1, call, &mut piece.to_vec(), visit)?;
            }
            return Ok(());
        }
        if !call.committed || call.edges.iter().any(|e| self.prepared.edges[e.0 as usize].committed) {
            visit.transition(self, &call.edges, zone)?;
        }
        Ok(())
    }

    /// Whether the condition of an edge's guard holds in the source state, and each of its constant clock constraints
    /// somewhere in the zone.
    #[inline]
    fn may_pass(&mut self, e: EdgeId, zone: &[i32]) -> Result<bool, RunError> {
        let edge = &self.prepared.edges[e.0 as usize];
        if let Some(pc) = edge.condition
            && !self.source.test(pc).map_err(RunError::at(&[e]))?
        {
            return Ok(false);
        }
        Ok(self.prepared.may_pass(e.0, zone, self.dim))
    }

    /// Constrains a zone by the clock constraints of an edge's guard.
    #[inline]
    pub(super) fn constrain(&mut self, e: EdgeId, zone: &mut [i32]) -> Result<bool, RunError> {
        self.prepared.guard(e.0, &mut self.source, zone, self.dim).map_err(RunError::at(&[e]))
    }
}

/// A broadcast whose receivers are being chosen.
struct Broadcast<'b> {
    places: &'b [u32],
    sender: usize,
    channel: ChannelId,
    committed: bool,
    edges: Vec<EdgeId>,
}
