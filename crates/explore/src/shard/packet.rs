//! States on their way to their owners.

mod wire;

use crate::{
    batch::{Batch, ReachedZone},
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::{Discrete, NodeId, RemoteNode, Store},
    zones::{self, ZoneBounds, ZoneBuffer, ZoneId, Zones},
};
use model::System;
use zone::Bound;

/// When a packet is large enough to be sent.
#[derive(Clone, Copy)]
pub(super) struct PacketSize {
    states: usize,
    integers: usize,
}

impl PacketSize {
    /// To a worker of the same process: the packet should still be in a cache when it is read.
    pub(super) const NEAR: PacketSize = PacketSize { states: 256, integers: 1 << 13 };
    /// To another process: each packet wakes threads there, and is hashed in pieces of kilobytes.
    pub(super) const FAR: PacketSize = PacketSize { states: 1024, integers: 1 << 15 };
}

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

/// Successors that one worker has computed and another one owns. Each zone is in it once.
pub(crate) struct Packet<B> {
    /// The sender.
    pub from: u16,
    /// Whether it has open states of the sender, for the receiver to expand.
    pub is_loan: bool,
    width: usize,
    area: usize,
    rows: Vec<i32>,
    /// The zones whose bounds fit into 16 bits, and the others.
    narrow: Vec<i16>,
    wide: Vec<B>,
    zones: Vec<PacketZone>,
    states: Vec<PacketState>,
}

#[derive(Clone, Copy)]
struct PacketZone {
    hash: u32,
    is_wide: bool,
    /// Where its bounds begin.
    at: u32,
}

#[derive(Clone, Copy)]
struct PacketState {
    origin: RemoteOrigin,
    /// The place of its zone.
    zone: u32,
}

impl<B: Bound> Packet<B> {
    /// Creates an empty packet for rows of `width` and zones of `area` integers.
    pub(crate) fn new(from: u16, width: usize, area: usize) -> Packet<B> {
        Packet {
            from,
            is_loan: false,
            width,
            area,
            rows: Vec::new(),
            narrow: Vec::new(),
            wide: Vec::new(),
            zones: Vec::new(),
            states: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether it is large enough to be sent.
    pub(super) fn is_full(&self, size: PacketSize) -> bool {
        self.states.len() >= size.states || self.rows.len() + self.wide.len() >= size.integers
    }

    /// Removes the first states.
    pub(super) fn remove_first(&mut self, count: usize) {
        self.rows.drain(..count * self.width);
        self.states.drain(..count);
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() * 4
            + self.narrow.capacity() * 2
            + self.wide.capacity() * size_of::<B>()
            + self.zones.capacity() * size_of::<PacketZone>()
            + self.states.capacity() * size_of::<PacketState>()
    }

    /// Removes all states, and makes it a packet of another sender.
    pub(super) fn reuse(&mut self, from: u16) {
        (self.from, self.is_loan) = (from, false);
        self.rows.clear();
        self.narrow.clear();
        self.wide.clear();
        self.zones.clear();
        self.states.clear();
    }

    /// Adds a zone. Returns its place.
    fn push_zone(&mut self, bounds: ZoneBounds<'_, B>, hash: u32) -> u32 {
        let (is_wide, at) = match bounds {
            ZoneBounds::Narrow(bounds) => {
                self.narrow.extend_from_slice(bounds);
                (false, self.narrow.len() - bounds.len())
            }
            ZoneBounds::Wide(bounds) => {
                self.wide.extend_from_slice(bounds);
                (true, self.wide.len() - bounds.len())
            }
        };
        self.zones.push(PacketZone { hash, is_wide, at: at as u32 });
        self.zones.len() as u32 - 1
    }

    /// Returns the bounds of a zone.
    #[inline]
    fn bounds(&self, zone: PacketZone) -> ZoneBounds<'_, B> {
        let at = zone.at as usize..zone.at as usize + self.area;
        if zone.is_wide { ZoneBounds::Wide(&self.wide[at]) } else { ZoneBounds::Narrow(&self.narrow[at]) }
    }

    /// Adds the states to a batch, with ids of their zones in the receiver's store. `ids` is a
    /// buffer.
    pub(crate) fn unpack(&self, store: &mut Store<B>, ids: &mut Vec<ZoneId>, out: &mut Batch<B>) {
        ids.clear();
        ids.extend(self.zones.iter().map(|zone| store.intern_stored_zone(self.bounds(*zone), zone.hash)));
        for (state, row) in self.states.iter().zip(self.rows.chunks_exact(self.width)) {
            out.push(row, ReachedZone::Known(ids[state.zone as usize]), &[], None);
        }
    }

    /// Adds zones, given which of them are wide, whose bounds are there.
    fn name_zones(&mut self, are_wide: &[bool]) {
        let (mut narrow, mut wide) = (self.narrow.chunks_exact(self.area), self.wide.chunks_exact(self.area));
        let mut places = [0, 0];
        self.zones.extend(are_wide.iter().filter_map(|&is_wide| {
            let bounds =
                if is_wide { wide.next().map(ZoneBounds::Wide) } else { narrow.next().map(ZoneBounds::Narrow) };
            let at = &mut places[usize::from(is_wide)];
            *at += self.area as u32;
            bounds.map(|bounds| PacketZone { hash: zones::hash(bounds), is_wide, at: *at - self.area as u32 })
        }));
    }

    /// Writes the states, see [`crate::snapshot`].
    pub(super) fn save(&self, out: &mut PartWriter<'_>) {
        out.number(self.from.into());
        out.flag(self.is_loan);
        out.size(self.states.len());
        self.rows.iter().for_each(|integer| out.integer((*integer).into()));
        let mut bounds = vec![B::LE_ZERO; self.area];
        out.size(self.zones.len());
        for zone in &self.zones {
            match self.bounds(*zone) {
                ZoneBounds::Wide(own) => bounds.copy_from_slice(own),
                ZoneBounds::Narrow(own) => zone::widen(own, &mut bounds),
            }
            out.zone(&bounds);
        }
        for PacketState { origin, zone } in &self.states {
            let RemoteOrigin { node, ordinal, depth, is_wide, stamp } = *origin;
            [*zone, node, ordinal, depth].into_iter().for_each(|number| out.number(number.into()));
            out.flag(is_wide);
            out.number(stamp);
        }
    }

    /// Returns whether all rows are within the ranges of a system, and all turns exist, so that the
    /// states can be stored.
    pub(super) fn can_be_stored(&self, ranges: &[(i32, i32)]) -> bool {
        let fits = |row: &[i32]| row.iter().zip(ranges).all(|(value, (low, high))| (low..=high).contains(&value));
        self.rows.chunks_exact(self.width).all(fits) && self.states.iter().all(|state| is_turn(state.origin.stamp))
    }

    /// Reads the states.
    pub(super) fn load(&mut self, system: &System, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.from = from.below(1 << 16, "there is no such worker")? as u16;
        self.is_loan = from.flag()?;
        let count = from.length()?;
        if self.is_loan && count == 0 {
            return Err(SnapshotError::Impossible("a loan has no states"));
        }
        for _ in 0..count * self.width {
            self.rows.push(from.small()?);
        }
        let (mut zone, mut narrow) = (Vec::new(), vec![0; self.area]);
        let mut are_wide = Vec::new();
        for _ in 0..from.length()? {
            from.zone(system.clocks.len(), self.area, &mut zone)?;
            let is_narrow = zone::narrow(&zone, &mut narrow);
            if is_narrow {
                self.narrow.extend_from_slice(&narrow);
            } else {
                self.wide.extend_from_slice(&zone);
            }
            are_wide.push(!is_narrow);
        }
        for _ in 0..count {
            let number = |from: &mut PartReader<'_>| from.below(1 << 31, "a number is too large");
            let zone = from.below(are_wide.len(), "there is no such zone")?;
            let (node, ordinal, depth) = (number(from)?, from.natural()?, number(from)?);
            let (is_wide, stamp) = (from.flag()?, from.number()?);
            let origin = RemoteOrigin { node, ordinal, depth, is_wide, stamp };
            self.states.push(PacketState { origin, zone });
        }
        self.name_zones(&are_wide);
        if self.can_be_stored(&system.ranges) {
            Ok(())
        } else {
            Err(SnapshotError::Impossible("a state on its way is out of range"))
        }
    }

    /// Stores the discrete part and the zone of a state, and returns their ids. `row` is a buffer.
    pub(super) fn store_parts(&self, i: usize, store: &mut Store<B>, row: &mut Vec<i32>) -> (Discrete, ZoneId) {
        row.clear();
        row.extend_from_slice(&self.rows[i * self.width..][..self.width]);
        let zone = self.zones[self.states[i].zone as usize];
        (store.intern(row), store.intern_stored_zone(self.bounds(zone), zone.hash))
    }

    /// Returns the parents of its states.
    pub(super) fn senders(&self) -> impl Iterator<Item = RemoteNode> {
        self.states.iter().map(|state| RemoteNode { worker: self.from, node: NodeId(state.origin.node) })
    }

    /// Returns the origin of a state.
    pub(crate) fn origin(&self, i: usize) -> RemoteOrigin {
        self.states[i].origin
    }
}

/// Returns whether an open list may say this about a state, see [`crate::waiting`].
fn is_turn(stamp: u64) -> bool {
    stamp >> 63 == 0 && stamp & 1 << 31 == 0
}

/// The number of zones whose places are remembered.
const PLACES: usize = 256;

/// A zone of the sender, with the version of its id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SentZone {
    zone: u32,
    version: u32,
}

impl SentZone {
    /// No zone has this id.
    pub(super) const NONE: SentZone = SentZone { zone: u32::MAX, version: 0 };

    #[inline]
    pub(super) fn new<B: Bound>(zone: ZoneId, zones: &Zones<B>) -> SentZone {
        SentZone { zone: zone.0, version: zones.version(zone) }
    }
}

/// The packet that is filled for a worker.
pub(super) struct Outgoing<B> {
    pub packet: Packet<B>,
    /// The places in the packet of the zones that were added last: direct-mapped tables, by the
    /// ids of zones and by the hashes of those without an id.
    places: Vec<(SentZone, u32)>,
    fresh_places: Vec<u32>,
    /// For a zone without an id.
    buffer: Vec<i16>,
    restored: ZoneBuffer<B>,
}

/// No zone has this place.
const NO_PLACE: u32 = u32::MAX;

impl<B: Bound> Outgoing<B> {
    pub(super) fn new(packet: Packet<B>) -> Outgoing<B> {
        Outgoing {
            packet,
            places: vec![(SentZone::NONE, 0); PLACES],
            fresh_places: vec![NO_PLACE; PLACES],
            buffer: Vec::new(),
            restored: ZoneBuffer::default(),
        }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.places.capacity() * size_of::<(SentZone, u32)>() + self.fresh_places.capacity() * 4;
        self.packet.bytes() + tables
    }

    /// Returns the packet, and goes on with an empty one.
    pub(super) fn replace(&mut self, empty: Packet<B>) -> Packet<B> {
        self.places.fill((SentZone::NONE, 0));
        self.fresh_places.fill(NO_PLACE);
        std::mem::replace(&mut self.packet, empty)
    }

    /// Adds a state with a zone of the sender.
    pub(super) fn push(&mut self, row: &[i32], (zone, zones): (ZoneId, &Zones<B>), origin: RemoteOrigin) {
        let new = SentZone::new(zone, zones);
        let (known, place) = &mut self.places[zone.0 as usize % PLACES];
        if *known != new {
            let bounds = zones.bounds(zone, &mut self.restored);
            (*known, *place) = (new, self.packet.push_zone(bounds, zones.hash(zone)));
        }
        self.packet.rows.extend_from_slice(row);
        self.packet.states.push(PacketState { origin, zone: *place });
    }

    /// Adds a state with a zone that has no id.
    pub(super) fn push_fresh(&mut self, row: &[i32], zone: &[B], origin: RemoteOrigin) {
        let bounds = zones::as_stored(zone, &mut self.buffer);
        let hash = zones::hash(bounds);
        let place = &mut self.fresh_places[hash as usize % PLACES];
        let is_there = |there: PacketZone| there.hash == hash && self.packet.bounds(there) == bounds;
        if !self.packet.zones.get(*place as usize).is_some_and(|there| is_there(*there)) {
            *place = self.packet.push_zone(bounds, hash);
        }
        self.packet.rows.extend_from_slice(row);
        self.packet.states.push(PacketState { origin, zone: *place });
    }
}
