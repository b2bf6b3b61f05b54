//! A cache of successor zones.
//!
//! A direct-mapped table, by the ids of a zone and of an effect. Answers are exact: the ids are
//! compared, and zones have versions.

use zone::Bound;

use super::effect::EffectId;
use crate::{
    batch::Ticket,
    zones::{ZoneId, Zones},
};

/// The initial and the greatest number of slots. The table grows by a factor of four each time it
/// was filled.
const SLOTS: [usize; 2] = [1 << 10, 1 << 18];
/// The number of lookups after which a table with few hits is not used any more.
const MIN_LOOKUPS: u32 = 1 << 14;

#[derive(Clone, Copy)]
struct MemoSlot {
    zone: u32,
    effect: EffectId,
    /// The versions of the source and of the target zone.
    versions: [u32; 2],
    result: u32,
    stamp: u32,
}

/// The successor is empty.
const NOTHING: u32 = u32::MAX;
/// The successor is not known yet.
const PENDING: u32 = u32::MAX - 1;

const EMPTY: MemoSlot =
    MemoSlot { zone: 0, effect: EffectId { action: 0, target: 0 }, versions: [0; 2], result: PENDING, stamp: 0 };

/// The cache.
pub(super) struct Memo {
    slots: Vec<MemoSlot>,
    max_slots: usize,
    /// Counts the misses.
    stamp: u32,
    lookups: u32,
    hits: u32,
}

/// The cached successor of a zone.
pub(super) enum MemoLookup {
    /// It is empty.
    Nothing,
    /// It is this zone.
    Zone(ZoneId),
    /// It is unknown. A ticket allows storing it later.
    Unknown(Option<Ticket>),
}

impl Memo {
    pub(super) fn new() -> Memo {
        Memo { slots: Vec::new(), max_slots: SLOTS[1], stamp: 0, lookups: 0, hits: 0 }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<MemoSlot>()
    }

    /// Removes all entries, and keeps the table small from now on.
    pub(super) fn drop_all(&mut self) {
        // The stamp stays, so that no ticket is valid by chance.
        (self.slots, self.max_slots) = (Vec::new(), SLOTS[0]);
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// Returns whether the hit rate is high enough.
    fn helps(&self) -> bool {
        self.lookups < MIN_LOOKUPS || self.hits > self.lookups / 8
    }

    /// Looks up the successor of a zone by an effect.
    #[inline]
    pub(super) fn look_up<B: Bound>(&mut self, zone: ZoneId, effect: EffectId, zones: &Zones<B>) -> MemoLookup {
        if !self.helps() {
            return MemoLookup::Unknown(None);
        }
        if self.stamp as usize >= self.slots.len() && self.slots.len() < self.max_slots {
            let slots = (self.slots.len() * 4).max(SLOTS[0]);
            self.slots.clear();
            self.slots.resize(slots, EMPTY);
        }
        self.lookups += 1;
        if self.lookups == u32::MAX {
            (self.lookups, self.hits) = (self.lookups / 2, self.hits / 2);
        }
        let ids = u64::from(zone.0) << 32 | u64::from(effect.action << 16 ^ effect.target);
        let hash = ids.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let at = (hash >> 32) as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[at];
        let version = zones.version(zone);
        if slot.zone == zone.0 && slot.effect == effect && slot.versions[0] == version {
            if slot.result == NOTHING {
                self.hits += 1;
                return MemoLookup::Nothing;
            }
            if slot.result != PENDING && zones.version(ZoneId(slot.result)) == slot.versions[1] {
                self.hits += 1;
                return MemoLookup::Zone(ZoneId(slot.result));
            }
        }
        self.stamp = self.stamp.wrapping_add(1);
        *slot = MemoSlot { zone: zone.0, effect, versions: [version, 0], result: PENDING, stamp: self.stamp };
        MemoLookup::Unknown(Some(Ticket { slot: at as u32, stamp: self.stamp }))
    }

    fn answer(&mut self, ticket: Ticket, result: u32, version: u32) {
        // The table may have grown, or another entry may have taken the slot.
        if let Some(slot) = self.slots.get_mut(ticket.slot as usize)
            && slot.stamp == ticket.stamp
        {
            slot.result = result;
            slot.versions[1] = version;
        }
    }

    /// Stores that the successor is empty.
    pub(super) fn nothing(&mut self, ticket: Ticket) {
        self.answer(ticket, NOTHING, 0);
    }

    /// Stores the id of the successor.
    pub(super) fn zone<B: Bound>(&mut self, ticket: Ticket, zone: ZoneId, zones: &Zones<B>) {
        self.answer(ticket, zone.0, zones.version(zone));
    }
}
