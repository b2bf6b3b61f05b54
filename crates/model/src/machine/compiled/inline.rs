//! Code from an entry on, with a copy of each function at each of its calls.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{
    code::{Code, Op},
    interpret::CALL,
};

/// The greatest number of instructions of a copy. Longer code is interpreted.
const MAX_INSTRUCTIONS: usize = 1 << 12;
/// The greatest number of functions that wait for the end of another one.
const MAX_DEPTH: usize = 64;

/// An instruction of a copy. Jumps have the index of the instruction that follows them, and no
/// distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inst {
    pub op: Op,
    pub target: u32,
}

impl Inst {
    /// Returns whether it may jump.
    pub(super) fn jumps(self) -> bool {
        matches!(self.op, Op::Jump { .. } | Op::JumpIf { .. })
    }

    /// Returns whether the next instruction may follow.
    pub(super) fn falls_through(self) -> bool {
        !matches!(self.op, Op::Jump { .. } | Op::Answer { .. } | Op::Yield { .. } | Op::End)
    }
}

/// Copies code that does not need more than numbers; `None` for other code. Also returns a limit on
/// what the interpreter counts as its work between two backward jumps.
pub(super) fn inline(code: &Code, entry: u32) -> Option<(Vec<Inst>, u32)> {
    let mut copy = Copier { code, out: Vec::new(), visits: 0, work: 0 };
    copy.body(entry, 0)?;
    Some((copy.out, copy.work))
}

struct Copier<'c> {
    code: &'c Code,
    out: Vec<Inst>,
    /// The number of copied instructions, including those of which nothing is left.
    visits: usize,
    work: u32,
}

impl Copier<'_> {
    fn body(&mut self, entry: u32, depth: usize) -> Option<()> {
        let own = self.own(entry);
        if depth > MAX_DEPTH {
            return None;
        }
        let (mut places, mut jumps, mut returns) = (FxHashMap::default(), Vec::new(), Vec::new());
        if own.first() != Some(&entry) {
            jumps.push((self.out.len(), entry));
            self.push(Op::Jump { by: 0 });
        }
        let last = own.last().copied();
        for &pc in &own {
            self.visits += 1;
            if self.visits > MAX_INSTRUCTIONS {
                return None;
            }
            places.insert(pc, self.out.len() as u32);
            let to = |by: i32| (pc + 1).wrapping_add_signed(by);
            self.work = self.work.saturating_add(match self.code.op(pc) {
                Op::Call { .. } => CALL,
                Op::Jump { by } | Op::JumpIf { by, .. } => by.unsigned_abs(),
                Op::Copy { len, .. } | Op::Same { len, .. } => len,
                _ => 0,
            });
            match self.code.op(pc) {
                Op::Lattice { .. } | Op::Ask { .. } | Op::Real { .. } | Op::Trap => return None,
                Op::Call { pc } => self.body(pc, depth + 1)?,
                Op::Return if depth == 0 => self.push(Op::End),
                Op::Return if last == Some(pc) => {}
                Op::Return => {
                    returns.push(self.out.len());
                    self.push(Op::Jump { by: 0 });
                }
                op => {
                    if let Op::Jump { by } | Op::JumpIf { by, .. } = op {
                        jumps.push((self.out.len(), to(by)));
                    }
                    self.push(op);
                }
            }
        }
        for (at, pc) in jumps {
            self.out[at].target = *places.get(&pc)?;
        }
        let end = self.out.len() as u32;
        returns.into_iter().for_each(|at| self.out[at].target = end);
        Some(())
    }

    fn push(&mut self, op: Op) {
        self.out.push(Inst { op, target: 0 });
    }

    /// Returns the instructions that are reached without those of called functions.
    fn own(&self, entry: u32) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open = vec![entry];
        while let Some(pc) = open.pop() {
            if seen.insert(pc) {
                match self.code.op(pc) {
                    Op::Call { .. } => open.push(pc + 1),
                    _ => open.extend(self.code.next(pc)),
                }
            }
        }
        seen
    }
}
