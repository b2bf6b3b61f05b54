//! What the updates of those who receive broadcasts read and write.
//!
//! They run one after the other, in the order of processes. If what one of them writes is read or
//! written by another, that order matters, and renaming processes may change it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    System,
    code::{Addr, Op, Pc, Use},
    system::Sync,
};

/// What the updates of a process on one channel read and write: numbers of the row, and clocks
/// behind them.
#[derive(Clone, Debug, Default)]
struct Touch {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
}

/// What receivers of broadcasts touch, by process and channel.
pub(super) struct Touches<'s> {
    system: &'s System,
    of: BTreeMap<u32, BTreeMap<u32, Touch>>,
}

/// The numbers of the row, and clocks behind them, that code may read and write.
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

    /// The processes that may receive broadcasts and do something then.
    pub(super) fn receivers(&self) -> Vec<u32> {
        self.of.keys().copied().collect()
    }

    /// Whether two processes that receive together may do so in any order.
    pub(super) fn commute(&self, p: u32, q: u32) -> bool {
        let (Some(p), Some(q)) = (self.of.get(&p), self.of.get(&q)) else { return true };
        p.iter().all(|(channel, a)| {
            q.get(channel).is_none_or(|b| {
                a.writes.is_disjoint(&b.writes) && a.writes.is_disjoint(&b.reads) && a.reads.is_disjoint(&b.writes)
            })
        })
    }

    /// Adds what code from `pc` on touches, on all ways through it.
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

    /// All numbers of the variable that an address is in.
    fn whole(&self, addr: Addr, out: &mut BTreeSet<u32>) {
        self.number(addr, out);
        out.extend(self.system.slots_of(addr));
    }

    /// The clock whose number is at an address, or all clocks.
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
