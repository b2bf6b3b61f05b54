//! Hash consing of zones: equal zones are stored once and have equal ids.
//!
//! There are few extrapolated zones even among many states (5 among 12,000 states of a train gate),
//! so this saves most of the memory, and results for a zone can be cached; see [`crate::graph`].
//! Bounds are stored in 16 bits if all bounds of a zone fit, and as minimal constraints if there
//! are many zones of many clocks.

mod compact;

use std::{
    cmp::Ordering,
    collections::VecDeque,
    hash::{Hash, Hasher},
};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use zone::{Bound, Profile, Relation};

use crate::pages::{Pages, table_bytes};
use compact::CompactZones;

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

    /// Returns a number for a zone with a hash.
    fn take_number(&mut self, hash: u32) -> u32 {
        let Some(number) = self.vacant.pop() else {
            self.slots.push(ZoneSlot { hash, ..ZoneSlot::default() });
            return self.slots.len() as u32 - 1;
        };
        let slot = &mut self.slots[number as usize];
        (slot.hash, slot.vacant) = (hash, false);
        number
    }

    /// Stores the bounds of the zone with a number.
    fn put(&mut self, number: u32, bounds: &[T]) {
        if number as usize == self.bounds.len() {
            self.bounds.push(bounds);
            self.profiles.push(UNKNOWN);
        } else {
            self.bounds.get_mut(number as usize).copy_from_slice(bounds);
            self.profiles[number as usize] = UNKNOWN;
        }
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
        let profiles = self.profiles.capacity() * size_of::<Profile>();
        self.bounds.bytes() + profiles + self.slots.capacity() * size_of::<ZoneSlot>() + self.vacant.capacity() * 4
    }
}

/// A set of zones of one dimension.
pub(crate) struct Zones<B = i32> {
    dim: usize,
    /// The number of integers after the bounds of each zone.
    tail: usize,
    /// Those with bounds of 16 bits. The bounds of later ones are in `compact`.
    narrow: ZoneList<i16>,
    wide: ZoneList<B>,
    compact: CompactZones,
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

/// The bounds of a zone and its tail, as stores exchange them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZoneBounds<'a, B> {
    Narrow(&'a [i16]),
    Wide(&'a [B]),
}

/// The stored form of a zone.
#[derive(Clone, Copy)]
enum ZoneForm<'a, B> {
    Bounds(ZoneBounds<'a, B>),
    Compact(&'a [i16]),
}

/// Buffers for a zone that has to be restored.
pub(crate) struct ZoneBuffer<B> {
    zone: Vec<B>,
    narrow: Vec<i16>,
}

impl<B> Default for ZoneBuffer<B> {
    fn default() -> ZoneBuffer<B> {
        ZoneBuffer { zone: Vec::new(), narrow: Vec::new() }
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
            compact: CompactZones::new(dim),
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
        let (narrow, wide) = (ZoneList::new(area), ZoneList::new(area));
        Zones { tail, narrow, wide, compact: CompactZones::none(), kept: KEPT_BOUNDS / area, ..self }
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
        let lists = self.narrow.bytes() + self.wide.bytes() + self.compact.bytes();
        lists + table_bytes(&self.table) + self.dropped.capacity() * 4
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

    /// Returns the stored form of a zone, with its tail.
    #[inline]
    fn form(&self, ZoneId(number): ZoneId) -> ZoneForm<'_, B> {
        if number & WIDE != 0 {
            ZoneForm::Bounds(ZoneBounds::Wide(self.wide.bounds.get((number & !WIDE) as usize)))
        } else if let Some(form) = self.compact.get(number) {
            ZoneForm::Compact(form)
        } else {
            ZoneForm::Bounds(ZoneBounds::Narrow(self.narrow.bounds.get(number as usize)))
        }
    }

    /// Returns the bounds of a zone, and its tail.
    pub(crate) fn bounds<'z>(&'z self, id: ZoneId, buffer: &'z mut ZoneBuffer<B>) -> ZoneBounds<'z, B> {
        match self.form(id) {
            ZoneForm::Bounds(bounds) => bounds,
            ZoneForm::Compact(form) => {
                self.restore(form, &mut buffer.zone);
                as_stored(&buffer.zone, &mut buffer.narrow)
            }
        }
    }

    fn restored(&self, form: &[i16]) -> Vec<B> {
        let mut zone = Vec::new();
        self.restore(form, &mut zone);
        zone
    }

    fn restore(&self, form: &[i16], out: &mut Vec<B>) {
        out.resize(self.dim * self.dim, B::LE_ZERO);
        zone::restore_compact(form, out, self.dim);
    }

    /// Returns the version of an id. Equal versions mean equal zones.
    #[inline]
    pub(crate) fn version(&self, id: ZoneId) -> u32 {
        self.slot(id).version
    }

    /// Returns the stored form of a zone without its tail.
    #[inline]
    fn visible(&self, id: ZoneId) -> ZoneForm<'_, B> {
        let visible = self.dim * self.dim;
        match self.form(id) {
            ZoneForm::Bounds(ZoneBounds::Narrow(row)) => ZoneForm::Bounds(ZoneBounds::Narrow(&row[..visible])),
            ZoneForm::Bounds(ZoneBounds::Wide(row)) => ZoneForm::Bounds(ZoneBounds::Wide(&row[..visible])),
            // It has no tail.
            compact @ ZoneForm::Compact(_) => compact,
        }
    }

    /// Reads a zone.
    pub(crate) fn read(&self, id: ZoneId, out: &mut Vec<B>) {
        self.read_form(self.visible(id), out);
    }

    /// Reads a zone and its tail.
    pub(crate) fn read_whole(&self, id: ZoneId, out: &mut Vec<B>) {
        self.read_form(self.form(id), out);
    }

    fn read_form(&self, form: ZoneForm<'_, B>, out: &mut Vec<B>) {
        match form {
            ZoneForm::Bounds(bounds) => widened(bounds, out),
            ZoneForm::Compact(form) => self.restore(form, out),
        }
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
        let is_same = |number: &u32| match (self.form(ZoneId(*number)), stored) {
            (ZoneForm::Bounds(bounds), _) => bounds == stored,
            (ZoneForm::Compact(form), ZoneBounds::Narrow(row)) => zone::is_compact_form(form, row, self.dim),
            (ZoneForm::Compact(_), ZoneBounds::Wide(_)) => false,
        };
        if let Some(number) = self.table.find(spread(hash), is_same) {
            return ZoneId(*number);
        }
        let number = match stored {
            ZoneBounds::Narrow(row) => {
                let number = self.narrow.take_number(hash);
                if !self.compact.put(number, row) {
                    self.narrow.put(number, row);
                }
                number
            }
            ZoneBounds::Wide(row) => {
                let number = self.wide.take_number(hash);
                self.wide.put(number, row);
                number | WIDE
            }
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
                self.compact.clear(number);
                self.narrow.vacant.push(number);
            } else {
                self.wide.vacant.push(number & !WIDE);
            }
        }
    }

    /// Returns a profile that is monotone in covering: by inclusion, or by simulation for these
    /// lower and upper clock bounds.
    pub(crate) fn profile(&mut self, id: ZoneId, alu: Option<(&[B], &[B])>) -> Profile {
        let (dim, visible) = (self.dim, self.dim * self.dim);
        let Some((lower, upper)) = alu else {
            return if let ZoneForm::Compact(form) = self.form(id) {
                zone::profile(&self.restored(form), dim)
            } else if id.0 & WIDE == 0 {
                self.narrow.profile(id.0, |row| zone::profile_narrow(&row[..visible], dim))
            } else {
                self.wide.profile(id.0 & !WIDE, |row| zone::profile(&row[..visible], dim))
            };
        };
        match self.visible(id) {
            ZoneForm::Bounds(ZoneBounds::Narrow(row)) => zone::simulation_profile_narrow(row, lower, upper),
            ZoneForm::Bounds(ZoneBounds::Wide(row)) => zone::simulation_profile(row, lower, upper),
            ZoneForm::Compact(form) => zone::simulation_profile(&self.restored(form), lower, upper),
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
        let mut buffers = (Vec::new(), Vec::new());
        let (a, b) = (self.comparable(a, &mut buffers.0), self.comparable(b, &mut buffers.1));
        // Both directions at once.
        if may_be == (true, true)
            && alu.is_none()
            && let (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) = (a, b)
        {
            return match zone::relation_narrow(a, b) {
                Relation::Equal => Some(Ordering::Equal),
                Relation::Subset => Some(Ordering::Less),
                Relation::Superset => Some(Ordering::Greater),
                Relation::Different => None,
            };
        }
        let is_less = |a, b| match alu {
            None => is_included(a, b),
            Some(bounds) => is_subsumed(a, b, bounds),
        };
        if may_be.0 && is_less(a, b) {
            return Some(Ordering::Less);
        }
        (may_be.1 && is_less(b, a)).then_some(Ordering::Greater)
    }

    /// Returns the bounds of a zone without its tail.
    #[inline]
    fn comparable<'z>(&'z self, id: ZoneId, buffer: &'z mut Vec<B>) -> ZoneBounds<'z, B> {
        match self.visible(id) {
            ZoneForm::Bounds(bounds) => bounds,
            ZoneForm::Compact(form) => {
                self.restore(form, buffer);
                ZoneBounds::Wide(buffer)
            }
        }
    }
}

fn is_included<B: Bound>(a: ZoneBounds<'_, B>, b: ZoneBounds<'_, B>) -> bool {
    match (a, b) {
        (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) => zone::is_included_narrow(a, b),
        (ZoneBounds::Narrow(a), ZoneBounds::Wide(b)) => a.iter().zip(b).all(|(a, b)| zone::widen_one::<B>(*a) <= *b),
        (ZoneBounds::Wide(a), ZoneBounds::Narrow(b)) => a.iter().zip(b).all(|(a, b)| *a <= zone::widen_one::<B>(*b)),
        (ZoneBounds::Wide(a), ZoneBounds::Wide(b)) => zone::is_included(a, b),
    }
}

fn is_subsumed<B: Bound>(a: ZoneBounds<'_, B>, b: ZoneBounds<'_, B>, (lower, upper): (&[B], &[B])) -> bool {
    let dim = lower.len();
    match (a, b) {
        (ZoneBounds::Narrow(a), ZoneBounds::Narrow(b)) => zone::is_subsumed_narrow(a, b, dim, lower, upper),
        (ZoneBounds::Wide(a), ZoneBounds::Wide(b)) => zone::is_subsumed(a, b, dim, lower, upper),
        (a, b) => {
            let (mut wide_a, mut wide_b) = (Vec::new(), Vec::new());
            widened(a, &mut wide_a);
            widened(b, &mut wide_b);
            zone::is_subsumed(&wide_a, &wide_b, dim, lower, upper)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// Zones that a run with delays, resets and guards reaches, now and then from its start again.
    fn step(zone: &mut Vec<i32>, dim: usize, random: &mut SplitMix) {
        let x = 1 + random.below(dim - 1);
        let bound = zone::le(random.below(12) as i32);
        match random.below(6) {
            0 => zone::zero(zone, dim),
            1 => zone::delay(zone, dim),
            2 => zone::free(zone, dim, x),
            3 => {
                let before = zone.clone();
                if !zone::constrain(zone, dim, x, 0, bound) {
                    *zone = before;
                }
            }
            4 => {
                let bounds = vec![bound; dim];
                zone::extra_lu_plus(zone, dim, &bounds, &bounds);
                zone::close(zone, dim);
            }
            _ => zone::reset(zone, dim, x, 0),
        }
    }

    /// A store of constraints does what a store of bounds does.
    #[test]
    fn compact_zones_are_zones() {
        for dim in [2, 3, 5, 10, 19] {
            let with = |compact| Zones::<i32> { compact, kept: 20, ..Zones::new(dim) };
            let (mut plain, mut compact) = (with(CompactZones::none()), with(CompactZones::after(7, dim)));
            let mut random = SplitMix::new(dim as u64);
            let (mut zone, mut used) = (vec![1; dim * dim], Vec::new());
            let bounds = |random: &mut SplitMix| -> Vec<i32> {
                (0..dim).map(|x| if x == 0 { 1 } else { zone::le(random.below(12) as i32) }).collect()
            };
            let (mut related, mut out) = (0, [Vec::new(), Vec::new()]);
            for round in 0..2000 {
                step(&mut zone, dim, &mut random);
                let id = plain.intern(&zone);
                assert_eq!(id, compact.intern(&zone), "{dim}, round {round}");
                assert_eq!(plain.version(id), compact.version(id));
                plain.share(id);
                compact.share(id);
                used.push(id);
                if random.below(3) > 0 {
                    let gone = used.swap_remove(random.below(used.len()));
                    for zones in [&mut plain, &mut compact] {
                        zones.release(gone);
                        zones.sweep();
                    }
                }
                let Some(&other) = used.get(random.below(used.len() + 1)) else { continue };
                plain.read(other, &mut out[0]);
                compact.read_whole(other, &mut out[1]);
                assert_eq!(out[0], out[1]);
                let mut buffer = ZoneBuffer::default();
                let bounds = [bounds(&mut random), bounds(&mut random)];
                assert!(plain.bounds(other, &mut buffer) == compact.bounds(other, &mut ZoneBuffer::default()));
                for alu in [None, Some((&bounds[0][..], &bounds[1][..]))] {
                    assert_eq!(plain.profile(other, alu), compact.profile(other, alu));
                    let last = used[used.len() - 1];
                    let order = plain.compare(other, last, (true, true), alu);
                    assert_eq!(order, compact.compare(other, last, (true, true), alu));
                    related += usize::from(order.is_some_and(|order| order != Ordering::Equal));
                }
            }
            assert!(related > 20, "{dim}: {related}");
            assert!(compact.compact.get(7).is_some() && compact.narrow.bounds.len() == 7);
        }
    }
}
