//! Reads and writes of the updates of broadcast receivers.
//!
//! Receivers update one after the other, in the order of processes. If one of them writes what
//! another one reads or writes, the order matters, and renaming processes may change it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    System,
    code::{Addr, Op, Pc, Use},
    system::Sync,
};

/// The slots that the updates of a process on one channel read and write; the numbers after the row
/// stand for clocks.
#[derive(Clone, Debug, Default)]
struct Touch {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
}

/// The reads and writes of broadcast receivers, by process and channel.
pub(super) struct Touches<'s> {
    system: &'s System,
    of: BTreeMap<u32, BTreeMap<u32, Touch>>,
}

/// Returns the slots that code may read and those that it may write; the numbers after the row
/// stand for clocks.
pub(crate) fn touched(system: &System, pc: Pc) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let mut touch = Touch::default();
    Touches { system, of: BTreeMap::new() }.follow(pc, &mut touch);
    (touch.reads, touch.writes)
}

impl<'s> Touches<'s> {
    pub(super) fn new(system: &'s System) -> Touches<'s> {
        let mut touches = Touches { system, of: BTreeMap::new() };
        for edge in &system.edges {
            if let (Sync::Receive(channel), Some(update)) = (edge.sync, edge.update)
                && system.channels[channel.0 as usize].broadcast
            {
                let mut own = touches.of.entry(edge.process.0).or_default().remove(&channel.0).unwrap_or_default();
                touches.follow(update, &mut own);
                touches.of.entry(edge.process.0).or_default().insert(channel.0, own);
            }
        }
        touches
    }

    /// Returns the processes that receive broadcasts and update then.
    pub(super) fn receivers(&self) -> Vec<u32> {
        self.of.keys().copied().collect()
    }

    /// Returns whether two processes that receive together may update in any order.
    pub(super) fn commute(&self, p: u32, q: u32) -> bool {
        let (Some(p), Some(q)) = (self.of.get(&p), self.of.get(&q)) else { return true };
        p.iter().all(|(channel, a)| {
            q.get(channel).is_none_or(|b| {
                a.writes.is_disjoint(&b.writes) && a.writes.is_disjoint(&b.reads) && a.reads.is_disjoint(&b.writes)
            })
        })
    }

    /// Adds the reads and writes of code from `pc` on, on all paths.
    fn follow(&self, pc: Pc, touch: &mut Touch) {
        for pc in self.system.code.reach([pc]) {
            self.note(self.system.code.op(pc), touch);
        }
    }

    fn note(&self, op: Op, touch: &mut Touch) {
        let Touch { reads, writes } = touch;
        op.uses(|what, addr| match what {
            Use::Source | Use::Read | Use::Checked => self.number(addr, reads),
            Use::AnySource => self.whole(addr, reads),
            Use::Target => self.number(addr, writes),
            Use::AnyTarget => self.whole(addr, writes),
            Use::Replaced => {
                self.number(addr, reads);
                self.number(addr, writes);
            }
            Use::Whole => {
                self.whole(addr, reads);
                self.whole(addr, writes);
            }
            Use::ReadClock => {
                self.number(addr, reads);
                self.clock(addr, reads);
            }
            Use::SetClock => {
                self.number(addr, reads);
                self.clock(addr, writes);
            }
        });
    }

    fn number(&self, addr: Addr, out: &mut BTreeSet<u32>) {
        if (addr as usize) < self.system.initial.len() {
            out.insert(addr);
        }
    }

    /// Adds all slots of the variable that an address belongs to.
    fn whole(&self, addr: Addr, out: &mut BTreeSet<u32>) {
        self.number(addr, out);
        out.extend(self.system.slots_of(addr));
    }

    /// Adds the clock whose number is at an address, or all clocks if it is not constant.
    fn clock(&self, addr: Addr, out: &mut BTreeSet<u32>) {
        let row = self.system.initial.len() as u32;
        match self.system.code.constant(addr) {
            Some(clock) => {
                out.insert(row + clock as u32);
            }
            None => out.extend(row..row + self.system.clocks.len() as u32),
        }
    }
}
