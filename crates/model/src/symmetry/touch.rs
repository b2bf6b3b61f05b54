//! What the updates of those who receive broadcasts read and write.
//!
//! They run one after the other, in the order of processes. If what one of them writes is read or written by another, that
//! order matters, and renaming processes may change it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    System,
    code::{Addr, Op, Pc},
    system::Sync,
};

/// What the updates of a process on one channel read and write: numbers of the row, and clocks behind them.
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
    pub fn new(system: &'s System) -> Touches<'s> {
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
    pub fn receivers(&self) -> Vec<u32> {
        self.of.keys().copied().collect()
    }

    /// Whether two processes that receive together may do so in any order.
    pub fn commute(&self, p: u32, q: u32) -> bool {
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
            self.note(self.system.code.ops[pc as usize], touch);
        }
    }

    fn note(&self, op: Op, touch: &mut Touch) {
        let Touch { reads, writes } = touch;
        match op {
            Op::Move { to, from } => {
                self.number(to, writes);
                self.number(from, reads);
            }
            Op::Unary { to, a, .. } => {
                self.number(to, writes);
                self.number(a, reads);
            }
            Op::Arith { to, a, b, .. } | Op::Compare { to, a, b, .. } => {
                self.number(to, writes);
                self.number(a, reads);
                self.number(b, reads);
            }
            Op::Index { to, index, .. } => {
                self.number(to, writes);
                self.number(index, reads);
            }
            Op::Load { to, base, offset } => {
                self.number(to, writes);
                self.whole(base, reads);
                self.number(offset, reads);
            }
            Op::Bit { to, base, bit } => {
                self.number(to, writes);
                self.whole(base, reads);
                self.number(bit, reads);
            }
            // The other bits stay as they are, and so are read.
            Op::SetBit { base, bit, from } => {
                self.whole(base, reads);
                self.whole(base, writes);
                self.number(bit, reads);
                self.number(from, reads);
            }
            // What is done is done by way of pointers, and arguments lie beside them.
            Op::Lattice { to, .. } => self.number(to, writes),
            Op::Store { base, offset, from } => {
                self.whole(base, writes);
                self.number(offset, reads);
                self.number(from, reads);
            }
            // What a pointer leads to may be read and written wherever the pointer goes.
            Op::Point { to, base, offset } => {
                self.number(to, writes);
                self.whole(base, reads);
                self.whole(base, writes);
                self.number(offset, reads);
            }
            Op::LoadRef { to, .. } => self.number(to, writes),
            Op::StoreRef { from, .. } => self.number(from, reads),
            Op::JumpIf { a, b, .. } => {
                self.number(a, reads);
                self.number(b, reads);
            }
            Op::Range { a, .. } | Op::Assert { a } | Op::Yield { a } => self.number(a, reads),
            Op::SetClock { clock, value } => {
                self.clock(clock, writes);
                self.number(clock, reads);
                self.number(value, reads);
            }
            Op::CopyClock { clock, from, plus } => {
                self.clock(clock, writes);
                self.clock(from, reads);
                [clock, from, plus].into_iter().for_each(|a| self.number(a, reads));
            }
            // Pointers lie in scratch space.
            Op::Copy { .. } | Op::Same { .. } => {}
            Op::Jump { .. } | Op::Call { .. } | Op::Return | Op::Trap | Op::Answer { .. } | Op::End => {}
        }
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
        let code = &self.system.code;
        match addr.checked_sub(row).and_then(|i| code.constants.get(i as usize)) {
            Some(clock) => {
                out.insert(row + *clock as u32);
            }
            None => out.extend(row..row + self.system.clocks.len() as u32),
        }
    }
}
