//! The states that a worker has sent recently.
//!
//! Most successors of a state were reached before. If the owner is another worker, it would find
//! out after the state was copied, hashed and looked up. So the sender remembers some of the states
//! that it has sent: an equal one need not be sent again, since the owner has stored it, or one
//! that covers it.

use crate::zones::{ZoneId, Zones};
use zone::Bound;

/// The number of zones that are remembered for a row.
const WAYS: usize = 4;
/// The approximate number of integers of all rows, and the limits of the number of rows.
const INTEGERS: usize = 1 << 20;
const SLOTS: [usize; 2] = [1 << 6, 1 << 15];

/// An unused entry; no zone has this id.
const NONE: u32 = u32::MAX;

/// A zone with the version of its id.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SentZone {
    zone: u32,
    version: u32,
}

/// A direct-mapped table of rows, each with the zones that were sent last.
pub(super) struct Sent {
    width: usize,
    rows: Vec<i32>,
    zones: Vec<[SentZone; WAYS]>,
}

impl Sent {
    /// Creates an empty table for rows of `width` integers.
    pub(super) fn new(width: usize) -> Sent {
        Sent::with_slots((INTEGERS / width.max(1)).clamp(SLOTS[0], SLOTS[1]).next_power_of_two(), width)
    }

    /// Creates a table that takes little memory.
    pub(super) fn small(width: usize) -> Sent {
        Sent::with_slots(SLOTS[0], width)
    }

    fn with_slots(slots: usize, width: usize) -> Sent {
        let empty = [SentZone { zone: NONE, version: 0 }; WAYS];
        Sent { width, rows: vec![0; slots * width], zones: vec![empty; slots] }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.len() * 4 + self.zones.len() * size_of::<[SentZone; WAYS]>()
    }

    /// Notes a state that is about to be sent. Returns `false` if it was sent before.
    pub(super) fn note<B: Bound>(&mut self, hash: u64, row: &[i32], zone: ZoneId, zones: &Zones<B>) -> bool {
        let at = hash as usize & (self.zones.len() - 1);
        let new = SentZone { zone: zone.0, version: zones.version(zone) };
        let (own, list) = (&mut self.rows[at * self.width..][..self.width], &mut self.zones[at]);
        if own != row {
            own.copy_from_slice(row);
            *list = [SentZone { zone: NONE, version: 0 }; WAYS];
        } else if list.contains(&new) {
            return false;
        }
        list.rotate_right(1);
        list[0] = new;
        true
    }
}
