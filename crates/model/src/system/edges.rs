//! The edges that leave each location, sorted by kind and channel or event.

use super::{ChannelId, EdgeId, LocationId, Network, Sync};

/// The edges of all locations, in the order of [`sort_key`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeIndex {
    sorted: Vec<EdgeId>,
    by_location: Vec<Leaving>,
}

/// Where the edges of each kind start in [`EdgeIndex::sorted`], for one location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leaving {
    internal: u32,
    send: u32,
    receive: u32,
    event: u32,
    end: u32,
    /// The channels on which it receives, by the last bits of their numbers: most locations do not
    /// receive on most channels.
    received: u64,
}

/// Returns the kind of a synchronisation, and its channel or event.
fn sort_key(sync: Sync) -> (u8, u32) {
    match sync {
        Sync::Internal => (0, 0),
        Sync::Send(c) => (1, c.0),
        Sync::Receive(c) => (2, c.0),
        Sync::Event(e) => (3, e.0),
    }
}

impl ChannelId {
    /// Returns a bit that few other channels have.
    #[must_use]
    #[inline]
    pub fn bit(self) -> u64 {
        1 << (self.0 % u64::BITS)
    }
}

impl Network {
    /// Sorts the edges by location, kind and channel or event, so that the edges of successors are
    /// found without a search by name.
    pub(crate) fn index_edges(&mut self) {
        let mut sorted: Vec<EdgeId> = (0..self.edges.len() as u32).map(EdgeId).collect();
        let key = |e: &EdgeId| {
            let edge = &self.edges[e.0 as usize];
            let (kind, number) = sort_key(edge.sync);
            (edge.source, kind, number, *e)
        };
        sorted.sort_unstable_by_key(key);
        let mut by_location = vec![Leaving::default(); self.locations.len()];
        let mut at = 0;
        for (i, slot) in by_location.iter_mut().enumerate() {
            let count = |at: usize, kind: u8| {
                sorted[at..].iter().take_while(|e| key(e).0.0 as usize == i && key(e).1 == kind).count()
            };
            slot.internal = at as u32;
            at += count(at, 0);
            slot.send = at as u32;
            at += count(at, 1);
            slot.receive = at as u32;
            at += count(at, 2);
            slot.event = at as u32;
            at += count(at, 3);
            slot.end = at as u32;
            for e in &sorted[slot.receive as usize..slot.event as usize] {
                slot.received |= ChannelId(key(e).2).bit();
            }
        }
        self.edge_index = EdgeIndex { sorted, by_location };
    }

    /// Returns the edges that leave `location` without a synchronisation.
    #[must_use]
    #[inline]
    pub fn internal(&self, location: LocationId) -> &[EdgeId] {
        let l = &self.edge_index.by_location[location.0 as usize];
        &self.edge_index.sorted[l.internal as usize..l.send as usize]
    }

    /// Returns the edges that leave `location` and send, sorted by channel.
    #[must_use]
    #[inline]
    pub fn sending(&self, location: LocationId) -> &[EdgeId] {
        let l = &self.edge_index.by_location[location.0 as usize];
        &self.edge_index.sorted[l.send as usize..l.receive as usize]
    }

    /// Returns the channels on which edges that leave `location` may receive, each by
    /// [`ChannelId::bit`].
    #[must_use]
    #[inline]
    pub fn received(&self, location: LocationId) -> u64 {
        self.edge_index.by_location[location.0 as usize].received
    }

    /// Returns the edges that leave `location` and receive on `channel`.
    #[must_use]
    #[inline]
    pub fn receiving(&self, location: LocationId, channel: ChannelId) -> &[EdgeId] {
        let l = &self.edge_index.by_location[location.0 as usize];
        if l.received & channel.bit() == 0 { &[] } else { self.find_receiving(l, channel) }
    }

    fn find_receiving(&self, l: &Leaving, channel: ChannelId) -> &[EdgeId] {
        let all = &self.edge_index.sorted[l.receive as usize..l.event as usize];
        let on = |e: &EdgeId| match self.edges[e.0 as usize].sync {
            Sync::Receive(c) => c,
            _ => ChannelId(u32::MAX),
        };
        let from = all.partition_point(|e| on(e) < channel);
        let len = all[from..].partition_point(|e| on(e) == channel);
        &all[from..from + len]
    }

    /// Returns the edges that leave `location` by an event, sorted by event.
    #[must_use]
    pub(crate) fn with_events(&self, location: LocationId) -> &[EdgeId] {
        let l = self.edge_index.by_location[location.0 as usize];
        &self.edge_index.sorted[l.event as usize..l.end as usize]
    }
}
