//! The states that a worker has sent recently.
//!
//! Most successors of a state were reached before. If the owner is another worker, it would find
//! out after the state was copied, hashed and looked up. So the sender remembers some of the states
//! that it has sent: an equal one need not be sent again, since the owner has stored it, or one
//! that covers it.

use super::packet::SentZone;
use crate::pages::hash_integers;

/// The number of zones that are remembered for a row.
const WAYS: usize = 4;
/// The number of rows. A table that does not fit into the nearest cache finds twice as many states,
/// and takes longer than sending them.
const SLOTS: usize = 1 << 6;

/// A direct-mapped table of rows, each with the zones that were sent last.
pub(super) struct Sent {
    width: usize,
    rows: Vec<i32>,
    zones: Vec<[SentZone; WAYS]>,
}

impl Sent {
    /// Creates an empty table for rows of `width` integers.
    pub(super) fn new(width: usize) -> Sent {
        Sent { width, rows: vec![0; SLOTS * width], zones: vec![[SentZone::NONE; WAYS]; SLOTS] }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.rows.len() * 4 + self.zones.len() * size_of::<[SentZone; WAYS]>()
    }

    /// Notes a state that is about to be sent. Returns `false` if it was sent before.
    pub(super) fn note(&mut self, row: &[i32], zone: SentZone) -> bool {
        let at = (hash_integers(row) >> 16) as usize % SLOTS;
        let (own, list) = (&mut self.rows[at * self.width..][..self.width], &mut self.zones[at]);
        if own != row {
            own.copy_from_slice(row);
            *list = [SentZone::NONE; WAYS];
        } else if list.contains(&zone) {
            return false;
        }
        list.rotate_right(1);
        list[0] = zone;
        true
    }
}
