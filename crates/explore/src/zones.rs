//! Hash consing of zones: equal zones are stored once and have equal ids.
//!
//! There are few extrapolated zones even among many states (5 among 12,000 states of a train gate),
//! so this saves most of the memory, and results for a zone can be cached; see [`crate::graph`].
//! Bounds are stored in 16 bits if all bounds of a zone fit.

use std::{
    cmp::Ordering,
    collections::VecDeque,
    hash::{Hash, Hasher},
};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use zone::{Bound, Profile, Relation};

use crate::pages::{Pages, table_bytes};

/// The id of a zone: its index among the narrow ones, or among the wide ones. Ids of unused zones
/// are reused, with a new version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ZoneId(pub(crate) u32);

const WIDE: u32 = 1 << 31;

/// The bookkeeping of a zone.
#[derive(Clone, Copy, Default)]
struct ZoneSlot {
    /// The number of states with the zone.
    users: u32,
    /// The number of zones that had this id before.
    version: u32,
    /// The zone's hash.
    hash: u32,
    /// Whether the id is free.
    vacant: bool,
}

/// A profile that was not needed so far. One that happens to be the same is computed every time.
const UNKNOWN: Profile = [i16::MIN; 8];

/// Zones with bounds of one width.
struct ZoneList<T> {
    bounds: Pages<T>,
    slots: Vec<ZoneSlot>,
    /// The profiles, as far as they were needed; else [`UNKNOWN`].
    profiles: Vec<Profile>,
    vacant: Vec<u32>,
}

impl<T: Copy> ZoneList<T> {
    fn new(area: usize) -> ZoneList<T> {
        ZoneList { bounds: Pages::new(area), slots: Vec::new(), profiles: Vec::new(), vacant: Vec::new() }
    }

    fn add(&mut self, bounds: &[T], hash: u32) -> u32 {
        let Some(number) = self.vacant.pop() else {
            self.slots.push(ZoneSlot { hash, ..ZoneSlot::default() });
            self.profiles.push(UNKNOWN);
            return self.bounds.push(bounds) as u32;
        };
        self.bounds.get_mut(number as usize).copy_from_slice(bounds);
        let slot = &mut self.slots[number as usize];
        (slot.hash, slot.vacant) = (hash, false);
        self.profiles[number as usize] = UNKNOWN;
        number
    }

    /// Returns the profile of a zone for inclusion, which `of` computes.
    #[inline]
    fn profile(&mut self, number: u32, of: impl FnOnce(&[T]) -> Profile) -> Profile {
        let profile = &mut self.profiles[number as usize];
        if *profile == UNKNOWN {
            *profile = of(self.bounds.get(number as usize));
        }
        *profile
    }

    fn bytes(&self) -> usize {
        let each = size_of::<ZoneSlot>() + size_of::<Profile>();
        self.bounds.bytes() + self.slots.capacity() * each + self.vacant.capacity() * 4
    }
}

/// A set of zones of one dimension.
pub(crate) struct Zones<B = i32> {
    dim: usize,
    /// The number of integers after the bounds of each zone.
    tail: usize,
    narrow: ZoneList<i16>,
    wide: ZoneList<B>,
    table: HashTable<u32>,
    /// Ids of zones that may be unused, the longest unused first.
    dropped: VecDeque<u32>,
    /// The least number of unused zones that keep their ids.
    kept: usize,
    /// A buffer for a zone that is looked up.
    sought: Vec<i16>,
}

/// The approximate number of bounds of unused zones that are kept.
const KEPT_BOUNDS: usize = 1 << 16;

/// The stored bounds of a zone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZoneBounds<'a, B> {
    Narrow(&'a [i16]),
    Wide(&'a [B]),
}

#[inline]
fn bounds<'a, B: Bound>(narrow: &'a ZoneList<i16>, wide: &'a ZoneList<B>, number: u32) -> ZoneBounds<'a, B> {
    if number & WIDE == 0 {
        ZoneBounds::Narrow(narrow.bounds.get(number as usize))
    } else {
        ZoneBounds::Wide(wide.bounds.get((number & !WIDE) as usize))
    }
}

#[inline]
fn slot<'a, B>(narrow: &'a ZoneList<i16>, wide: &'a ZoneList<B>, number: u32) -> &'a ZoneSlot {
    if number & WIDE == 0 { &narrow.slots[number as usize] } else { &wide.slots[(number & !WIDE) as usize] }
}

/// Returns the hash of a zone, which is the same in all stores.
pub(crate) fn hash<B: Bound>(bounds: ZoneBounds<'_, B>) -> u32 {
    let hash = match bounds {
        ZoneBounds::Narrow(row) => zone::hash_narrow(row),
        ZoneBounds::Wide(row) => {
            let mut hasher = FxHasher::default();
            row.hash(&mut hasher);
            hasher.finish()
        }
    };
    (hash ^ hash >> 32) as u32
}

/// Returns the bounds of a zone as they are stored. `buffer` is for narrow ones.
#[inline]
pub(crate) fn as_stored<'a, B: Bound>(zone: &'a [B], buffer: &'a mut Vec<i16>) -> ZoneBounds<'a, B> {
    if buffer.len() != zone.len() {
        buffer.resize(zone.len(), 0);
    }
    if zone::narrow(zone, buffer) { ZoneBounds::Narrow(buffer) } else { ZoneBounds::Wide(zone) }
}

/// Reads bounds as they are stored.
fn widened<B: Bound>(bounds: ZoneBounds<'_, B>, out: &mut Vec<B>) {
    match bounds {
        ZoneBounds::Narrow(row) => {
            if out.len() != row.len() {
                out.resize(row.len(), B::LE_ZERO);
            }
            zone::widen(row, out);
        }
        ZoneBounds::Wide(row) => row.clone_into(out),
    }
}

/// Returns a stored hash as the table wants it, which looks at both ends.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl<B: Bound> Zones<B> {
    /// Creates an empty set of zones of dimension `dim`.
    #[must_use]
    pub(crate) fn new(dim: usize) -> Zones<B> {
        let area = dim * dim;
        Zones {
            dim,
            tail: 0,
            narrow: ZoneList::new(area),
            wide: ZoneList::new(area),
            table: HashTable::new(),
            dropped: VecDeque::new(),
            kept: KEPT_BOUNDS / area,
            sought: Vec::new(),
        }
    }

    /// Lets each zone have a tail of so many bounds. Zones with different tails are different, but
    /// tails do not matter for covering.
    #[must_use]
    pub(crate) fn with_tail(self, tail: usize) -> Zones<B> {
        let area = self.dim * self.dim + tail;
        Zones { tail, narrow: ZoneList::new(area), wide: ZoneList::new(area), kept: KEPT_BOUNDS / area, ..self }
    }

    /// Returns the number of bounds of a zone and its tail.
    pub(crate) fn area(&self) -> usize {
        self.dim * self.dim + self.tail
    }

    /// Returns the number of clocks, with the reference clock.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the size in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.narrow.bytes() + self.wide.bytes() + table_bytes(&self.table) + self.dropped.capacity() * 4
    }

    #[inline]
    fn slot(&self, id: ZoneId) -> &ZoneSlot {
        slot(&self.narrow, &self.wide, id.0)
    }

    fn slot_mut(&mut self, id: ZoneId) -> &mut ZoneSlot {
        if id.0 & WIDE == 0 {
            &mut self.narrow.slots[id.0 as usize]
        } else {
            &mut self.wide.slots[(id.0 & !WIDE) as usize]
        }
    }

    /// Returns the stored bounds of a zone, and its tail.
    #[inline]
    pub(crate) fn bounds(&self, ZoneId(number): ZoneId) -> ZoneBounds<'_, B> {
        bounds(&self.narrow, &self.wide, number)
    }

    /// Returns the version of an id. Equal versions mean equal zones.
    #[inline]
    pub(crate) fn version(&self, id: ZoneId) -> u32 {
        self.slot(id).version
    }

    /// Returns the stored bounds of a zone without its tail.
    #[inline]
    fn visible(&self, id: ZoneId) -> ZoneBounds<'_, B> {
        let visible = self.dim * self.dim;
        match self.bounds(id) {
            ZoneBounds::Narrow(row) => ZoneBounds::Narrow(&row[..visible]),
            ZoneBounds::Wide(row) => ZoneBounds::Wide(&row[..visible]),
        }
    }

    /// Reads a zone.
    pub(crate) fn read(&self, id: ZoneId, out: &mut Vec<B>) {
        widened(self.visible(id), out);
    }

    /// Reads a zone and its tail.
    pub(crate) fn read_whole(&self, id: ZoneId, out: &mut Vec<B>) {
        widened(self.bounds(id), out);
    }

    /// Returns the id of a zone, which may be new. An unused zone loses its id when many more
    /// recent zones are unused.
    pub(crate) fn intern(&mut self, zone: &[B]) -> ZoneId {
        let mut sought = std::mem::take(&mut self.sought);
        let bounds = as_stored(zone, &mut sought);
        let id = self.intern_stored(bounds, hash(bounds));
        self.sought = sought;
        id
    }

    /// Returns the hash of a zone.
    #[inline]
    pub(crate) fn hash(&self, id: ZoneId) -> u32 {
        self.slot(id).hash
    }

    /// Returns the id of a zone, given its hash and its bounds as they are stored, as
    /// [`Zones::intern`] does.
    pub(crate) fn intern_stored(&mut self, stored: ZoneBounds<'_, B>, hash: u32) -> ZoneId {
        if let Some(number) = self.table.find(spread(hash), |number| self.bounds(ZoneId(*number)) == stored) {
            return ZoneId(*number);
        }
        let number = match stored {
            ZoneBounds::Narrow(row) => self.narrow.add(row, hash),
            ZoneBounds::Wide(row) => self.wide.add(row, hash) | WIDE,
        };
        let Zones { table, narrow, wide, .. } = self;
        table.insert_unique(spread(hash), number, |number| spread(slot(narrow, wide, *number).hash));
        self.dropped.push_back(number);
        ZoneId(number)
    }

    /// Counts a state with the zone.
    pub(crate) fn share(&mut self, id: ZoneId) {
        self.slot_mut(id).users += 1;
    }

    /// Counts one state less with the zone. An unused zone keeps its id until [`Zones::sweep`].
    pub(crate) fn release(&mut self, id: ZoneId) {
        let slot = self.slot_mut(id);
        slot.users -= 1;
        if slot.users == 0 {
            self.dropped.push_back(id.0);
        }
    }

    /// Frees the ids of unused zones, except for the most recent ones, which may occur again.
    pub(crate) fn sweep(&mut self) {
        let max = self.kept + self.table.len() / 4;
        while self.dropped.len() > max
            && let Some(number) = self.dropped.pop_front()
        {
            // It may be used again, or be in the list twice.
            let slot = self.slot(ZoneId(number));
            if slot.users > 0 || slot.vacant {
                continue;
            }
            let hash_value = spread(slot.hash);
            if let Ok(entry) = self.table.find_entry(hash_value, |other| *other == number) {
                entry.remove();
            }
            let slot = self.slot_mut(ZoneId(number));
            slot.version += 1;
            slot.vacant = true;
            if number & WIDE == 0 {
                self.narrow.vacant.push(number);
            } else {
                self.wide.vacant.push(number & !WIDE);
            }
        }
    }

    /// Returns a profile that is monotone in covering: by inclusion, or by simulation for these
    /// lower and upper clock bounds.
    pub(crate) fn profile(&mut self, id: ZoneId, alu: Option<(&[B], &[B])>) -> Profile {
        let Some((lower, upper)) = alu else {
            let (dim, visible) = (self.dim, self.dim * self.dim);
            return if id.0 & WIDE == 0 {
                self.narrow.profile(id.0, |row| zone::profile_narrow(&row[..visible], dim))
            } else {
                self.wide.profile(id.0 & !WIDE, |row| zone::profile(&row[..visible], dim))
            };
        };
        match self.visible(id) {
            ZoneBounds::Narrow(row) => zone::simulation_profile_narrow(row, lower, upper),
            ZoneBounds::Wide(row) => zone::simulation_profile(row, lower, upper),
        }
    }

    /// Returns which of two zones covers the other, if one does: by inclusion, or by simulation for
    /// these clock bounds. `may_be` says whether the first may be less, and whether it may be
    /// greater.
    pub(crate) fn compare(
        &self,
        a: ZoneId,
        b: ZoneId,
        may_be: (bool, bool),
        alu: Option<(&[B], &[B])>,
    ) -> Option<Ordering> {
        if a == b {
            return Some(Ordering::Equal);
        }
        // Both directions at once.
        if may_be == (true, true)
            && alu.is_none()
            && let (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) = (self.visible(a), self.visible(b))
        {
            return match zone::relation_narrow(a, b) {
                Relation::Equal => Some(Ordering::Equal),
                Relation::Subset => Some(Ordering::Less),
                Relation::Superset => Some(Ordering::Greater),
                Relation::Different => None,
            };
        }
        let is_less = |a, b| match alu {
            None => self.is_included(a, b),
            Some(bounds) => self.is_subsumed(a, b, bounds),
        };
        if may_be.0 && is_less(a, b) {
            return Some(Ordering::Less);
        }
        (may_be.1 && is_less(b, a)).then_some(Ordering::Greater)
    }

    fn is_included(&self, a: ZoneId, b: ZoneId) -> bool {
        match (self.visible(a), self.visible(b)) {
            (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) => zone::is_included_narrow(a, b),
            (ZoneBounds::Narrow(a), ZoneBounds::Wide(b)) => {
                a.iter().zip(b).all(|(a, b)| zone::widen_one::<B>(*a) <= *b)
            }
            (ZoneBounds::Wide(a), ZoneBounds::Narrow(b)) => {
                a.iter().zip(b).all(|(a, b)| *a <= zone::widen_one::<B>(*b))
            }
            (ZoneBounds::Wide(a), ZoneBounds::Wide(b)) => zone::is_included(a, b),
        }
    }

    fn is_subsumed(&self, a: ZoneId, b: ZoneId, (lower, upper): (&[B], &[B])) -> bool {
        let dim = lower.len();
        if let (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) = (self.visible(a), self.visible(b)) {
            return zone::is_subsumed_narrow(a, b, dim, lower, upper);
        }
        let (mut wide_a, mut wide_b) = (Vec::new(), Vec::new());
        self.read(a, &mut wide_a);
        self.read(b, &mut wide_b);
        zone::is_subsumed(&wide_a, &wide_b, dim, lower, upper)
    }
}
