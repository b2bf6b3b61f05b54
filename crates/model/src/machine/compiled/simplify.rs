//! Simpler code with the same effects: copies and constants are propagated, and what nothing reads
//! is not computed.
//!
//! Only *cells* are tracked: numbers of the scratch space that code accesses by their addresses
//! alone. Nothing in scratch space is read after the end of a run.

use rustc_hash::FxHashMap;

use super::inline::Inst;
use crate::{
    code::{Addr, Code, Op, Use},
    operation,
};

/// The greatest number of cells. Others are not tracked.
const MAX_CELLS: usize = 256;
/// The greatest number of copies that are known at a time.
const MAX_COPIES: usize = 16;

/// A set of cells.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CellSet([u64; MAX_CELLS / 64]);

impl CellSet {
    fn insert(&mut self, cell: u32) {
        self.0[cell as usize / 64] |= 1 << (cell % 64);
    }

    fn remove(&mut self, cell: u32) {
        self.0[cell as usize / 64] &= !(1 << (cell % 64));
    }

    pub(super) fn contains(&self, cell: u32) -> bool {
        self.0[cell as usize / 64] >> (cell % 64) & 1 == 1
    }

    fn add(&mut self, other: &CellSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == CellSet::default()
    }
}

/// The constants of code, and those that simplification adds to them.
pub(super) struct Constants<'c> {
    code: &'c Code,
    /// The address of the first added one.
    first: Addr,
    pub added: &'c mut Vec<i32>,
}

impl<'c> Constants<'c> {
    pub(super) fn new(code: &'c Code, first: Addr, added: &'c mut Vec<i32>) -> Constants<'c> {
        Constants { code, first, added }
    }

    pub(super) fn value(&self, addr: Addr) -> Option<i32> {
        match addr.checked_sub(self.first) {
            Some(at) => self.added.get(at as usize).copied(),
            None => self.code.constant(addr),
        }
    }

    fn address(&mut self, value: i32) -> Addr {
        let at = self.added.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.added.push(value);
            self.added.len() - 1
        });
        self.first + at as Addr
    }
}

/// The cells of a piece of code, by their addresses.
pub(super) struct Cells(FxHashMap<Addr, u32>);

impl Cells {
    /// Finds the cells. `wide` has the ranges of scratch space that hold several numbers.
    pub(super) fn new(code: &Code, wide: &[(u32, u32)], insts: &[Inst]) -> Cells {
        // An array that is accessed at any index, or by a pointer, is not a cell anywhere.
        let mut shared = Vec::new();
        for inst in insts {
            inst.op.uses(|what, addr| {
                if let (Use::AnySource | Use::AnyTarget | Use::Whole, Some(at)) = (what, code.scratch_at(addr)) {
                    let at = at as u32;
                    shared.push((at, at + 1));
                    shared.extend(wide.iter().filter(|(first, end)| (*first..*end).contains(&at)));
                }
            });
        }
        shared.sort_unstable();
        shared.dedup();
        let mut cells = FxHashMap::default();
        for inst in insts {
            inst.op.uses(|_, addr| {
                let Some(at) = code.scratch_at(addr) else { return };
                let is_shared = shared.iter().any(|(first, end)| (*first..*end).contains(&(at as u32)));
                if !is_shared && cells.len() < MAX_CELLS {
                    let next = cells.len() as u32;
                    cells.entry(addr).or_insert(next);
                }
            });
        }
        Cells(cells)
    }

    pub(super) fn get(&self, addr: Addr) -> Option<u32> {
        self.0.get(&addr).copied()
    }

    /// Updates the live cells from those after an instruction to those before it.
    fn step_back(&self, op: Op, live: &mut CellSet) {
        op.uses(|what, addr| {
            if let (Use::Target, Some(cell)) = (what, self.get(addr)) {
                live.remove(cell);
            }
        });
        op.uses(|what, addr| {
            if let Some(cell) = self.get(addr)
                && what != Use::Target
            {
                live.insert(cell);
            }
        });
    }
}

/// Returns the instructions at which jumps arrive.
pub(super) fn leaders(insts: &[Inst]) -> Vec<bool> {
    let mut leaders = vec![false; insts.len() + 1];
    insts.iter().filter(|inst| inst.jumps()).for_each(|inst| leaders[inst.target as usize] = true);
    leaders
}

/// Removes instructions that are not kept.
pub(super) fn retain(insts: &mut Vec<Inst>, keep: &[bool]) {
    let mut places = Vec::with_capacity(insts.len() + 1);
    let mut next = 0;
    for kept in keep {
        places.push(next);
        next += u32::from(*kept);
    }
    places.push(next);
    let mut kept = keep.iter();
    insts.retain(|_| *kept.next().unwrap_or(&true));
    insts.iter_mut().filter(|inst| inst.jumps()).for_each(|inst| inst.target = places[inst.target as usize]);
}

/// Replaces cells by what was copied to them, and decides branches between constants.
pub(super) fn propagate(insts: &mut [Inst], cells: &Cells, constants: &mut Constants<'_>) {
    let leaders = leaders(insts);
    let mut copies: Vec<(Addr, Addr)> = Vec::new();
    for (at, inst) in insts.iter_mut().enumerate() {
        if leaders[at] {
            copies.clear();
        }
        inst.op.uses_mut(|what, addr| {
            if let Use::Source | Use::Read | Use::Checked = what
                && let Some((_, from)) = copies.iter().find(|(to, _)| to == addr)
            {
                *addr = *from;
            }
        });
        fold(inst, constants);
        let mut writes_any = matches!(inst.op, Op::StoreRef { .. } | Op::Copy { .. });
        inst.op.uses(|what, addr| match what {
            Use::Target | Use::Replaced => copies.retain(|(to, from)| *to != addr && *from != addr),
            Use::AnyTarget | Use::Whole => writes_any = true,
            _ => {}
        });
        if writes_any {
            copies.retain(|(_, from)| cells.get(*from).is_some() || constants.value(*from).is_some());
        }
        if let Op::Move { to, from } = inst.op
            && to != from
            && cells.get(to).is_some()
        {
            if copies.len() == MAX_COPIES {
                copies.remove(0);
            }
            copies.push((to, from));
        }
    }
}

/// Computes what depends on constants alone.
fn fold(inst: &mut Inst, constants: &mut Constants<'_>) {
    let value = |addr| constants.value(addr);
    let (to, result) = match inst.op {
        Op::JumpIf { cmp, a, b, .. } => {
            if let (Some(a), Some(b)) = (value(a), value(b)) {
                let next = Op::Jump { by: 0 };
                // A move to itself does nothing, and is removed.
                inst.op = if cmp.holds(a, b) { next } else { NOTHING };
            }
            return;
        }
        Op::Arith { op, to, a, b } => match (value(a), value(b)) {
            (Some(a), Some(b)) => (to, op.apply(a, b).ok()),
            _ => return,
        },
        Op::Unary { op, to, a } => (to, value(a).map(|a| op.apply(a))),
        Op::Compare { cmp, to, a, b } => match (value(a), value(b)) {
            (Some(a), Some(b)) => (to, Some(i32::from(cmp.holds(a, b)))),
            _ => return,
        },
        Op::Range { a, bounds } => {
            if let (Some(a), Some(low), Some(high)) = (value(a), value(bounds), value(bounds + 1))
                && (low..=high).contains(&a)
            {
                inst.op = NOTHING;
            }
            return;
        }
        _ => return,
    };
    if let Some(result) = result {
        inst.op = Op::Move { to, from: constants.address(result) };
    }
}

/// An instruction that does nothing.
const NOTHING: Op = Op::Move { to: 0, from: 0 };

/// Removes what is not reached, what does nothing, and what computes cells that nothing reads.
/// Returns `false` if cells are read that were not written before.
pub(super) fn remove_dead(insts: &mut Vec<Inst>, cells: &Cells, constants: &Constants<'_>) -> bool {
    let mut keep = reached(insts);
    for (at, inst) in insts.iter().enumerate() {
        let idle = match inst.op {
            Op::Move { to, from } => to == from,
            Op::Jump { .. } => inst.target as usize == at + 1,
            _ => false,
        };
        keep[at] &= !idle;
    }
    retain(insts, &keep);
    let before = lives(insts, cells);
    let is_dead = |at: usize| {
        let mut dead = is_pure(insts[at].op, constants);
        insts[at].op.uses(|what, addr| {
            if what == Use::Target {
                dead &= cells.get(addr).is_some_and(|cell| !before[at + 1].contains(cell));
            }
        });
        dead
    };
    let keep: Vec<bool> = (0..insts.len()).map(|at| !is_dead(at)).collect();
    let is_complete = before.first().is_none_or(CellSet::is_empty);
    retain(insts, &keep);
    is_complete
}

fn reached(insts: &[Inst]) -> Vec<bool> {
    let mut seen = vec![false; insts.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if at < insts.len() && !std::mem::replace(&mut seen[at], true) {
            let inst = insts[at];
            open.extend(inst.falls_through().then_some(at + 1));
            open.extend(inst.jumps().then_some(inst.target as usize));
        }
    }
    seen
}

/// Returns whether an instruction writes its target, and has no other effect.
fn is_pure(op: Op, constants: &Constants<'_>) -> bool {
    match op {
        Op::Move { .. } | Op::Unary { .. } | Op::Compare { .. } | Op::Bit { .. } => true,
        Op::Load { .. } | Op::LoadRef { .. } | Op::Point { .. } => true,
        Op::Arith { op, b, .. } => !constants.value(b).map_or(op.may_fail(operation::ALL), |b| op.fails(b)),
        _ => false,
    }
}

/// Returns the cells that are live after each instruction, at the index after it; at index 0, those
/// that are live before the first one.
///
/// The index after a jump has what is live before the next instruction.
pub(super) fn lives(insts: &[Inst], cells: &Cells) -> Vec<CellSet> {
    let leaders = leaders(insts);
    let mut before = vec![CellSet::default(); insts.len() + 1];
    loop {
        let mut changed = false;
        for at in (0..insts.len()).rev() {
            let inst = insts[at];
            let mut live = if inst.falls_through() { before[at + 1] } else { CellSet::default() };
            if inst.jumps() {
                live.add(&before[inst.target as usize]);
            }
            cells.step_back(inst.op, &mut live);
            changed |= leaders[at] && before[at] != live;
            before[at] = live;
        }
        if !changed {
            return before;
        }
    }
}

/// Lets instructions write directly to where their results are moved.
pub(super) fn write_directly(insts: &mut Vec<Inst>, cells: &Cells) {
    let (leaders, before) = (leaders(insts), lives(insts, cells));
    let mut keep = vec![true; insts.len()];
    for at in 1..insts.len() {
        let Op::Move { to, from } = insts[at].op else { continue };
        let is_last = cells.get(from).is_some_and(|cell| !before[at + 1].contains(cell));
        if leaders[at] || !is_last || !keep[at - 1] {
            continue;
        }
        let mut writes = false;
        insts[at - 1].op.uses(|what, addr| writes |= what == Use::Target && addr == from);
        if writes {
            insts[at - 1].op.uses_mut(|what, addr| {
                if what == Use::Target && *addr == from {
                    *addr = to;
                }
            });
            keep[at] = false;
        }
    }
    retain(insts, &keep);
}
