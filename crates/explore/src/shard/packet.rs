//! States on their way to their owners.

mod wire;

use crate::{
    batch::{Batch, ReachedZone},
    store::Store,
    zones::{ZoneBounds, ZoneId, Zones},
};
use zone::Bound;

/// The number of states after which a packet is sent.
pub(super) const PACKET_STATES: usize = 128;
/// The number of integers after which a packet is sent.
const PACKET_INTEGERS: usize = 1 << 14;

/// The origin of a state that another worker has computed.
#[derive(Clone, Copy)]
pub(crate) struct RemoteOrigin {
    /// The parent, in the sender's store.
    pub node: u32,
    /// The ordinal among the parent's successors.
    pub ordinal: u32,
    /// The length of the path to the state, if paths have to be short.
    pub depth: u32,
    /// Whether the parent is wide, see [`crate::merging`].
    pub is_wide: bool,
    /// What the sender's open list says about the parent.
    pub stamp: u64,
}

/// Successors that one worker has computed and another one owns.
pub(crate) struct Packet<B> {
    /// The sender.
    pub from: u16,
    width: usize,
    area: usize,
    rows: Vec<i32>,
    /// The zones whose bounds fit into 16 bits, and the others.
    narrow: Vec<i16>,
    wide: Vec<B>,
    states: Vec<PacketState>,
}

#[derive(Clone, Copy)]
struct PacketState {
    origin: RemoteOrigin,
    is_wide: bool,
}

impl<B: Bound> Packet<B> {
    /// Creates an empty packet for rows of `width` and zones of `area` integers.
    pub(crate) fn new(from: u16, width: usize, area: usize) -> Packet<B> {
        Packet { from, width, area, rows: Vec::new(), narrow: Vec::new(), wide: Vec::new(), states: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether it is large enough to be sent.
    pub(super) fn is_full(&self) -> bool {
        self.states.len() >= PACKET_STATES || self.rows.len() + self.wide.len() >= PACKET_INTEGERS
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() * 4
            + self.narrow.capacity() * 2
            + self.wide.capacity() * size_of::<B>()
            + self.states.capacity() * size_of::<PacketState>()
    }

    /// Removes all states, and makes it a packet of another sender.
    pub(super) fn reuse(&mut self, from: u16) {
        self.from = from;
        self.rows.clear();
        self.narrow.clear();
        self.wide.clear();
        self.states.clear();
    }

    /// Adds a state with a zone of the sender.
    pub(crate) fn push(&mut self, row: &[i32], (zone, zones): (ZoneId, &Zones<B>), origin: RemoteOrigin) {
        self.rows.extend_from_slice(row);
        let is_wide = match zones.bounds(zone) {
            ZoneBounds::Narrow(bounds) => {
                self.narrow.extend_from_slice(bounds);
                false
            }
            ZoneBounds::Wide(bounds) => {
                self.wide.extend_from_slice(bounds);
                true
            }
        };
        self.states.push(PacketState { origin, is_wide });
    }

    /// Adds the states to a batch, with ids of their zones in the receiver's store.
    pub(crate) fn unpack(&self, store: &mut Store<B>, out: &mut Batch<B>) {
        let (mut narrow, mut wide) = (self.narrow.chunks_exact(self.area), self.wide.chunks_exact(self.area));
        for (state, row) in self.states.iter().zip(self.rows.chunks_exact(self.width)) {
            let bounds =
                if state.is_wide { wide.next().map(ZoneBounds::Wide) } else { narrow.next().map(ZoneBounds::Narrow) };
            if let Some(bounds) = bounds {
                out.push(row, ReachedZone::Known(store.intern_stored_zone(bounds)), &[], None);
            }
        }
    }

    /// Returns the origin of a state.
    pub(crate) fn origin(&self, i: usize) -> RemoteOrigin {
        self.states[i].origin
    }
}
