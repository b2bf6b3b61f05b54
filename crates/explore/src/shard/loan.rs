//! States that workers lend to others that rest, see `search::borrowed`.
//!
//! A loan is a packet of open states. Nothing depends on who expands a state, so a loan that is not
//! expanded when the search pauses goes back to its lender, if that is in the same process.

use std::collections::VecDeque;

use zone::Bound;

use super::{
    Shard,
    packet::{Outgoing, Packet, RemoteOrigin},
};
use crate::{
    store::{Discrete, NodeId, Store},
    zones::ZoneId,
};

/// How many states a worker lends at once.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// A list of fewer states lends none: sending them takes longer than expanding them.
    pub least: usize,
    /// The greatest number of states of a loan.
    pub most: usize,
}

/// To a worker of the same process, and to another process.
const NEAR: Share = Share { least: 8, most: 32 };
const FAR: Share = Share { least: 64, most: 256 };

/// A state that this worker expands for another one.
pub(crate) struct BorrowedState {
    /// The worker that owns it.
    pub owner: u16,
    /// The origin of its successors, but for their ordinals.
    pub origin: RemoteOrigin,
    /// The ids of its discrete part and of its zone in the store of this worker.
    pub ids: (Discrete, ZoneId),
}

/// The loans of a worker.
pub(super) struct Loans<B> {
    /// The states that it is about to lend.
    lent: Outgoing<B>,
    /// What it has borrowed: packets, and how many states of the first one are expanded.
    borrowed: VecDeque<Packet<B>>,
    expanded: usize,
    /// The packets of successors of borrowed states for each worker, if it has ever borrowed any.
    successors: Vec<Outgoing<B>>,
    workers: usize,
    width: usize,
    area: usize,
}

impl<B: Bound> Loans<B> {
    pub(super) fn new(workers: usize, number: usize, width: usize, area: usize) -> Loans<B> {
        let lent = Outgoing::new(Packet::new(number as u16, width, area));
        Loans { lent, borrowed: VecDeque::new(), expanded: 0, successors: Vec::new(), workers, width, area }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let outgoing = self.successors.iter().chain([&self.lent]).map(Outgoing::bytes).sum::<usize>();
        outgoing + self.borrowed.iter().map(Packet::bytes).sum::<usize>()
    }

    /// Returns the packet of successors of borrowed states for a worker.
    pub(super) fn outgoing(&mut self, to: usize) -> &mut Outgoing<B> {
        &mut self.successors[to]
    }

    /// Borrows the states of a packet.
    pub(super) fn borrow(&mut self, loan: Packet<B>) {
        if self.successors.is_empty() {
            let outgoing = |_| Outgoing::new(Packet::new(0, self.width, self.area));
            self.successors = (0..self.workers).map(outgoing).collect();
        }
        self.borrowed.push_back(loan);
    }
}

impl<B: Bound> Shard<B> {
    /// Returns a worker that rests, and how many states it may borrow: one of this process, or else
    /// of another process in which all rest.
    #[inline]
    pub(crate) fn borrower(&self) -> Option<(usize, Share)> {
        let (to, share) = self.next_borrower()?;
        let least = if self.exchange.disturbance.lends_few() { 2 } else { share.least };
        Some((to, Share { least, ..share }))
    }

    #[inline]
    fn next_borrower(&self) -> Option<(usize, Share)> {
        if let Some(sleeper) = self.exchange.sleeper() {
            return Some((self.number - self.local + sleeper, NEAR));
        }
        let others = self.exchange.others.as_ref()?;
        let idle = others.idle_worker(self.exchange.level(self.local));
        idle.map(|worker| (worker, FAR))
    }

    /// Adds an open state of this worker to the next loan, with what its open list says about it.
    /// `row` is a buffer.
    pub(crate) fn add_to_loan(&mut self, store: &Store<B>, node: NodeId, stamp: u64, row: &mut Vec<i32>) {
        let depth = store.depth(node).map_or(0, |depth| depth + 1);
        let origin = RemoteOrigin { node: node.0, ordinal: 0, depth, is_wide: false, stamp };
        store.row(node, row);
        self.loans.lent.push(row, (store.zone(node), store.zones()), origin);
    }

    /// Lends the states that were added.
    pub(crate) fn lend(&mut self, to: usize) {
        if self.loans.lent.packet.len() == 0 {
            return;
        }
        self.exchange.others.iter().for_each(|others| others.note_loan(to));
        let mut empty = self.spare.pop().unwrap_or_else(|| Packet::new(0, self.width, self.area));
        empty.reuse(self.number as u16);
        let mut loan = self.loans.lent.replace(empty);
        loan.is_loan = true;
        self.spare.extend(self.exchange.send(self.local, to, loan));
    }

    /// Returns the next borrowed state. `row` is a buffer.
    pub(crate) fn next_borrowed(&mut self, store: &mut Store<B>, row: &mut Vec<i32>) -> Option<BorrowedState> {
        let loan = self.loans.borrowed.front()?;
        if self.loans.expanded == 0 {
            self.loans.successors.iter_mut().for_each(|outgoing| outgoing.packet.reuse(loan.from));
        }
        let origin = loan.origin(self.loans.expanded);
        let ids = loan.store_parts(self.loans.expanded, store, row);
        Some(BorrowedState { owner: loan.from, origin, ids })
    }

    /// The state that was borrowed last is expanded.
    pub(crate) fn end_borrowed(&mut self) {
        self.loans.expanded += 1;
        if self.loans.borrowed.front().is_none_or(|loan| self.loans.expanded < loan.len()) {
            return;
        }
        self.send_successors();
        self.loans.expanded = 0;
        if let Some(loan) = self.loans.borrowed.pop_front() {
            self.stored(loan);
        }
    }

    /// Sends the successors of borrowed states.
    fn send_successors(&mut self) {
        for to in 0..self.loans.successors.len() {
            if self.loans.successors[to].packet.len() > 0 {
                self.send(to, true);
            }
        }
    }

    /// Removes all that this worker has borrowed from others of this process and not expanded: for
    /// each loan, its lender and the states. What it has borrowed from another process stays with
    /// it, as a packet that it has not received. The search pauses.
    pub(super) fn return_loans(&mut self) -> Vec<(u16, Vec<NodeId>)> {
        self.send_successors();
        let mut loans = std::mem::take(&mut self.loans.borrowed);
        let unread = self.incoming.extract_if(.., |packet| packet.is_loan);
        loans.extend(unread);
        loans.extend(self.exchange.take_loans(self.local));
        let mut expanded = std::mem::take(&mut self.loans.expanded);
        let own = self.number - self.local..self.number - self.local + self.exchange.workers();
        let mut returned = Vec::new();
        for mut loan in loans {
            let open = std::mem::take(&mut expanded);
            self.exchange.arrived();
            if own.contains(&loan.from.into()) {
                returned.push((loan.from, (open..loan.len()).map(|i| NodeId(loan.origin(i).node)).collect()));
            } else {
                loan.remove_first(open);
                self.exchange.put(self.local, loan);
            }
        }
        returned
    }
}
