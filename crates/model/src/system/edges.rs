//! The edges that leave each location, sorted by kind and channel or event.

use super::{ChannelId, EdgeId, LocationId, Network, Sync};

/// The edges of all locations, in the order of [`sort_key`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeIndex {
    sorted: Vec<EdgeId>,
    by_location: Vec<Leaving>,
    /// The channels on which edges receive, with the ends of these edges in `sorted`, location by
    /// location.
    receivers: Vec<(ChannelId, u32)>,
}

/// Where the edges of each kind start in [`EdgeIndex::sorted`], for one location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leaving {
    internal: u32,
    send: u32,
    receive: u32,
    event: u32,
    end: u32,
    /// Where its channels start in [`EdgeIndex::receivers`], and their number.
    channels: u32,
    channel_count: u32,
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
        let mut receivers: Vec<(ChannelId, u32)> = Vec::new();
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
            slot.channels = receivers.len() as u32;
            for (e, end) in sorted[slot.receive as usize..slot.event as usize].iter().zip(slot.receive + 1..) {
                let channel = ChannelId(key(e).2);
                slot.received |= channel.bit();
                match receivers[slot.channels as usize..].last_mut() {
                    Some(run) if run.0 == channel => run.1 = end,
                    _ => receivers.push((channel, end)),
                }
            }
            slot.channel_count = receivers.len() as u32 - slot.channels;
        }
        self.edge_index = EdgeIndex { sorted, by_location, receivers };
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
        // Few of them.
        let mut from = l.receive;
        for &(own, end) in &self.edge_index.receivers[l.channels as usize..][..l.channel_count as usize] {
            if own == channel {
                return &self.edge_index.sorted[from as usize..end as usize];
            }
            from = end;
        }
        &[]
    }

    /// Returns the edges that leave `location` by an event, sorted by event.
    #[must_use]
    pub(crate) fn with_events(&self, location: LocationId) -> &[EdgeId] {
        let l = self.edge_index.by_location[location.0 as usize];
        &self.edge_index.sorted[l.event as usize..l.end as usize]
    }
}
