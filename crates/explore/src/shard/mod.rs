//! One search by several workers.
//!
//! Each worker runs the search loop on its own states: those whose discrete part belongs to it by
//! [`Owners`]. It computes their successors and passes those on that belong to others, in
//! packets. Workers share nothing else, so that covering and joining need no locks. A breadth-first
//! search goes level by level: a worker begins the next level when all have finished this one, so
//! that shortest paths stay shortest.

mod disturbance;
mod exchange;
mod joint;
mod loan;
mod others;
mod owners;
mod packet;
mod path;
mod saved;
mod sent;
mod team;
mod traffic;

#[cfg(feature = "disturbance")]
pub use disturbance::disturbed;
pub use owners::Owners;
pub use saved::LoadError;
pub use team::{Redeal, Team, Worker, discard};

use std::sync::Arc;
use zone::Bound;

use crate::{
    batch::{Batch, ReachedZone},
    graph::ZoneGraph,
    seen::Seen,
    store::{NodeId, Origin, RemoteNode, RemoteParent},
};
use exchange::{AfterRest, Exchange};
use loan::Loans;
pub(crate) use loan::{BorrowedState, Share};
use packet::{Outgoing, PacketSize, SentZone};
pub(crate) use packet::{Packet, RemoteOrigin};
use sent::Sent;

/// What a worker knows of the others.
pub(crate) struct Shard<B> {
    number: usize,
    /// The number among the workers of this process.
    local: usize,
    owners: Owners,
    exchange: Arc<Exchange<B>>,
    /// The packet that is filled for each worker.
    outgoing: Vec<Outgoing<B>>,
    incoming: Vec<Packet<B>>,
    loans: Loans<B>,
    /// Empty packets.
    spare: Vec<Packet<B>>,
    sent: Sent,
    /// The greatest number of spare packets.
    max_spare: usize,
    /// Rows of `width` and zones of `area` integers.
    width: usize,
    area: usize,
}

/// The state that another one is a successor of.
#[derive(Clone, Copy)]
pub(crate) enum Parent {
    /// It is an initial state.
    None,
    /// A state of this worker.
    Own(NodeId),
    /// A state of another worker, with the origin of its successors.
    Borrowed(RemoteOrigin),
}

/// What a worker does that has no open state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithoutWork {
    /// It goes on.
    Continue,
    /// It goes on with the next level.
    NextLevel,
    /// The search has ended.
    End,
}

impl<B: Bound> Shard<B> {
    fn new(
        (number, local): (usize, usize),
        owners: Owners,
        exchange: Arc<Exchange<B>>,
        width: usize,
        area: usize,
    ) -> Shard<B> {
        let outgoing = |_| Outgoing::new(Packet::new(number as u16, width, area));
        Shard {
            outgoing: (0..owners.workers()).map(outgoing).collect(),
            incoming: Vec::new(),
            loans: Loans::new(owners.workers(), number, width, area),
            spare: Vec::new(),
            max_spare: 2 * owners.workers(),
            sent: Sent::new(width),
            number,
            local,
            owners,
            exchange,
            width,
            area,
        }
    }

    /// Returns the number of its process, if there are several.
    pub(crate) fn process(&self) -> Option<usize> {
        self.exchange.others.as_ref().map(|others| others.cluster.number())
    }

    /// Sends what was not sent yet to workers of other processes.
    fn send_rest(&mut self) {
        let own = self.number - self.local..self.number - self.local + self.exchange.workers();
        for to in (0..self.outgoing.len()).filter(|to| !own.contains(to)) {
            if self.outgoing[to].packet.len() > 0 {
                self.send(to, false);
            }
        }
    }

    /// Returns the size of its packets and tables in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let outgoing = self.outgoing.iter().map(Outgoing::bytes).sum::<usize>();
        let packets = self.incoming.iter().chain(&self.spare).map(Packet::bytes).sum::<usize>();
        let on_the_way = self.exchange.on_the_way() / self.exchange.workers();
        outgoing + packets + on_the_way * self.outgoing[0].packet.bytes() + self.loans.bytes() + self.sent.bytes()
    }

    /// Drops what only saves time, and does without it from now on.
    pub(crate) fn drop_caches(&mut self) {
        (self.spare, self.max_spare) = (Vec::new(), 0);
    }

    /// Returns whether all workers are to pause.
    #[inline]
    pub(crate) fn pauses(&self) -> bool {
        self.exchange.pauses()
    }

    /// Makes all workers pause.
    pub(crate) fn pause(&self) {
        self.exchange.pause();
    }

    /// Passes a state of a batch on, unless this worker owns it. Initial states are computed by all
    /// workers, so they are dropped instead.
    #[inline]
    pub(crate) fn passes_on(
        &mut self,
        seen: &mut Seen<'_, B>,
        graph: &mut ZoneGraph<'_, B>,
        batch: &Batch<B>,
        i: usize,
        (parent, ordinal): (Parent, u32),
        stamp: impl FnOnce(NodeId) -> u64,
    ) -> bool {
        let row = batch.row(i);
        let owner = self.owners.owner(row);
        if owner == self.number {
            return false;
        }
        let origin = match parent {
            Parent::None => return true,
            Parent::Own(parent) => RemoteOrigin {
                node: parent.0,
                ordinal,
                depth: seen.store.depth(parent).map_or(0, |depth| depth + 1),
                is_wide: seen.is_wide(parent),
                stamp: stamp(parent),
            },
            Parent::Borrowed(origin) => RemoteOrigin { ordinal, ..origin },
        };
        // If the caches do not ask for a zone's id, it gets none: the sender does not store it.
        let reached = batch.reached(i);
        let id = match reached {
            ReachedZone::Fresh(_) if batch.ticket(i).is_none() => None,
            _ => Some(seen.store.intern_zone(reached)),
        };
        if let Some(zone) = id {
            graph.remember_zone(batch, i, (zone, seen.store.zones()));
            if !self.sent.note(row, SentZone::new(zone, seen.store.zones())) {
                return true;
            }
        }
        let is_borrowed = matches!(parent, Parent::Borrowed(_));
        let outgoing = if is_borrowed { self.loans.outgoing(owner) } else { &mut self.outgoing[owner] };
        match (id, reached) {
            (None, ReachedZone::Fresh(bounds)) => outgoing.push_fresh(row, bounds, origin),
            (Some(zone), _) | (None, ReachedZone::Known(zone)) => {
                outgoing.push(row, (zone, seen.store.zones()), origin);
            }
        }
        let is_near = (owner.wrapping_sub(self.number - self.local)) < self.exchange.workers();
        let size = if is_near { PacketSize::NEAR } else { PacketSize::FAR };
        if outgoing.packet.is_full(size) || self.exchange.disturbance.sends_early() {
            self.send(owner, is_borrowed);
        }
        true
    }

    /// Sends what was collected for a worker: successors of states of this worker, or of borrowed
    /// ones.
    fn send(&mut self, to: usize, are_borrowed: bool) {
        let mut empty = self.spare.pop().unwrap_or_else(|| Packet::new(0, self.width, self.area));
        let outgoing = if are_borrowed { self.loans.outgoing(to) } else { &mut self.outgoing[to] };
        empty.reuse(outgoing.packet.from);
        let full = outgoing.replace(empty);
        self.spare.extend(self.exchange.send(self.local, to, full));
    }

    /// Returns the next packet for this worker.
    #[inline]
    pub(crate) fn receive(&mut self) -> Option<Packet<B>> {
        if self.incoming.is_empty() && self.exchange.has_packets(self.local) {
            self.exchange.receive(self.local, &mut self.incoming);
        }
        while let Some(packet) = self.incoming.pop() {
            if !packet.is_loan {
                return Some(packet);
            }
            self.loans.borrow(packet);
        }
        None
    }

    /// The states of a packet are stored.
    pub(crate) fn stored(&mut self, packet: Packet<B>) {
        self.exchange.arrived();
        if self.spare.len() < self.max_spare {
            self.spare.push(packet);
        }
    }

    /// Takes a packet back of which not all states are stored.
    pub(crate) fn take_back(&mut self, packet: Packet<B>) {
        self.incoming.push(packet);
    }

    /// Waits until there is something to do, for a worker without an open state of this level.
    pub(crate) fn rest(&mut self, has_next_level: bool) -> WithoutWork {
        for to in 0..self.outgoing.len() {
            if self.outgoing[to].packet.len() > 0 {
                self.send(to, false);
            }
        }
        match self.exchange.rest(self.local, has_next_level) {
            AfterRest::Receive | AfterRest::Pause => WithoutWork::Continue,
            AfterRest::NextLevel => WithoutWork::NextLevel,
            AfterRest::End => WithoutWork::End,
        }
    }
}

impl RemoteOrigin {
    /// Returns the parent, given the worker that has it.
    pub(crate) fn parent(self, worker: u16) -> RemoteNode {
        RemoteNode { worker, node: NodeId(self.node) }
    }

    /// Returns the origin of a state that a worker has sent.
    pub(crate) fn of(self, worker: u16) -> Origin {
        let RemoteOrigin { ordinal, depth, is_wide, .. } = self;
        let at = self.parent(worker);
        Origin { parent: None, remote: Some(RemoteParent { at, depth, is_wide }), ordinal }
    }
}
