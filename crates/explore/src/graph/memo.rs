//! Zones behind transitions that were computed before.
//!
//! What a transition makes of a zone depends on the guards of its edges, on how it sets clocks, and on the invariants,
//! the clock bounds and the urgency of the state behind it; not on anything else of the row. So many states ask for the
//! same. A table of fixed size, in which what comes later replaces what was there, answers from the number of the zone and
//! a *signature* of the rest. Answers are exact: all of the key is compared.

use model::{machine::ClockChange, system::EdgeId};

use super::{Time, ZoneGraph};
use crate::{
    batch::Ticket,
    zones::{ZoneId, Zones},
};

/// Words of a key. Transitions that need more are not remembered.
const KEY: usize = 14;
/// Slots of a table: as many as this at first, four times as many each time it was filled, up to the last number.
const SLOTS: [usize; 2] = [1 << 10, 1 << 16];
/// How often a table that never helps is asked.
const PATIENCE: u32 = 1 << 14;

#[derive(Clone, Copy)]
struct Slot {
    key: [u64; KEY],
    stamp: u32,
    /// The versions of the zone before and of the zone behind.
    versions: [u32; 2],
    result: u32,
}

/// Nothing is reached.
const NOTHING: u32 = u32::MAX;
/// It is not yet known what is reached.
const PENDING: u32 = u32::MAX - 1;

const EMPTY: Slot = Slot { key: [0; KEY], stamp: 0, versions: [0; 2], result: PENDING };

/// What was computed before.
pub(super) struct Memo {
    slots: Vec<Slot>,
    key: [u64; KEY],
    /// Counts what could not be answered.
    stamp: u32,
    asked: u32,
    answered: u32,
}

/// What is known about a transition.
pub(super) enum Lookup {
    /// It leads nowhere.
    Nothing,
    /// It leads to this zone.
    Zone(ZoneId),
    /// Not known; with a ticket to say so later, if it can be remembered.
    Unknown(Option<Ticket>),
}

impl Memo {
    pub(super) fn new() -> Memo {
        Memo { slots: Vec::new(), key: [0; KEY], stamp: 0, asked: 0, answered: 0 }
    }

    /// Whether it is worth asking.
    fn helps(&self) -> bool {
        self.asked < PATIENCE || self.answered > self.asked / 8
    }

    fn look_up(&mut self, words: usize, zone: ZoneId, zones: &Zones) -> Lookup {
        if self.stamp as usize >= self.slots.len() && self.slots.len() < SLOTS[1] {
            let slots = (self.slots.len() * 4).max(SLOTS[0]);
            self.slots.clear();
            self.slots.resize(slots, EMPTY);
        }
        self.asked += 1;
        if self.asked == u32::MAX {
            (self.asked, self.answered) = (self.asked / 2, self.answered / 2);
        }
        let mix = |h: u64, word: &u64| (h.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
        let hash = self.key[..words].iter().fold(0, mix);
        let at = (hash >> 32) as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[at];
        let versions = [zones.version(zone), slot.versions[1]];
        if slot.key[..words] == self.key[..words] && slot.versions[0] == versions[0] {
            if slot.result == NOTHING {
                self.answered += 1;
                return Lookup::Nothing;
            }
            if slot.result != PENDING && zones.version(ZoneId(slot.result)) == slot.versions[1] {
                self.answered += 1;
                return Lookup::Zone(ZoneId(slot.result));
            }
        }
        // The first word says how long a key is, so what is left of a longer one behind does no harm.
        slot.key[..words].copy_from_slice(&self.key[..words]);
        slot.versions = versions;
        slot.result = PENDING;
        self.stamp = self.stamp.wrapping_add(1);
        slot.stamp = self.stamp;
        Lookup::Unknown(Some(Ticket { slot: at as u32, stamp: self.stamp }))
    }

    fn answer(&mut self, ticket: Ticket, result: u32, version: u32) {
        // The table may have grown, or the slot may have been given to another question.
        if let Some(slot) = self.slots.get_mut(ticket.slot as usize)
            && slot.stamp == ticket.stamp
        {
            slot.result = result;
            slot.versions[1] = version;
        }
    }

    /// The transition leads nowhere.
    pub(super) fn nothing(&mut self, ticket: Ticket) {
        self.answer(ticket, NOTHING, 0);
    }

    /// The transition leads to a zone that has a number now.
    pub(super) fn zone(&mut self, ticket: Ticket, zone: ZoneId, zones: &Zones) {
        self.answer(ticket, zone.0, zones.version(zone));
    }
}

impl ZoneGraph<'_> {
    /// Whether it is known where a transition leads from a zone. The target machine is in the state behind it, and
    /// `self.limits` are the limits that its variables decide.
    pub(super) fn look_up(&mut self, zone: ZoneId, zones: &Zones, edges: &[EdgeId], time: Time) -> Lookup {
        if !self.memo.helps() {
            return Lookup::Unknown(None);
        }
        let changes = &self.target.changes;
        let dynamic_guard = edges.iter().any(|e| self.prepared.edges[e.0 as usize].limits.is_dynamic());
        let guards = edges.len().div_ceil(2);
        let words = 1 + guards + changes.len() + self.signatures.words + 2 * self.limits.len();
        if words > KEY || dynamic_guard {
            return Lookup::Unknown(None);
        }
        let key = &mut self.memo.key;
        let counts = edges.len() << 12 | changes.len() << 8 | self.limits.len() << 4 | time as usize;
        key[0] = u64::from(zone.0) << 32 | counts as u64;
        let mut at = 1;
        for pair in edges.chunks(2) {
            let guard = |e: &EdgeId| u64::from(self.prepared.edges[e.0 as usize].limits.number());
            key[at] = pair.iter().fold(0, |word, e| word << 32 | guard(e));
            at += 1;
        }
        for change in changes {
            let ClockChange::Set { clock, value } = *change else { return Lookup::Unknown(None) };
            key[at] = u64::from(clock) << 32 | u64::from(value as u32);
            at += 1;
        }
        key[at..at + self.signatures.words].fill(0);
        let row = self.target.row();
        for p in &self.signatures.processes {
            let location = p.first as usize + row[p.process as usize] as usize;
            key[at + p.word as usize] |= self.signatures.of[location];
        }
        at += self.signatures.words;
        for limit in &self.limits {
            key[at] = u64::from(limit.left) << 32 | u64::from(limit.right);
            key[at + 1] = limit.bound as u64;
            at += 2;
        }
        self.memo.look_up(words, zone, zones)
    }
}
