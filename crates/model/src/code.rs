//! Compiled expressions: three-address code on one flat memory.
//!
//! A [`crate::machine::Machine`]'s memory holds, in this order, the discrete part of a state
//! (locations, variables, meta variables), the constants, and the scratch space of expressions and
//! functions. Constants and temporaries are addresses like any other, so an instruction never asks
//! where an operand lives, and `n < 5 && id == 0` is two instructions. UPPAAL's language has no
//! recursion, so every function's variables have fixed addresses.
//!
//! While code is being made the regions still grow. Addresses then carry their region in the upper
//! bits, and [`Code::relocate`] turns them into plain ones at the end.

use std::{collections::BTreeSet, sync::Arc};

use lattice::{Lattice, TermOp};
use syntax::Span;

pub use crate::operation::{Arith, Cmp, Unary};
use crate::{Signal, operation};

/// An address in a machine's memory.
pub type Addr = u32;

const REGION_SHIFT: u32 = 29;

/// Parts of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The current location of each process.
    Locations,
    /// The variables.
    Variables,
    /// The variables that are no part of a state's identity.
    Meta,
    /// Numbers that never change.
    Constants,
    /// Temporaries, and the variables of functions.
    Scratch,
}

/// How many addresses a region can have.
pub const REGION_SIZE: u32 = 1 << REGION_SHIFT;

impl Region {
    /// The address of a region's `index`th number.
    #[must_use]
    pub fn at(self, index: u32) -> Addr {
        debug_assert!(index < REGION_SIZE);
        (self as u32) << REGION_SHIFT | index
    }

    /// The region and index of an address that is not yet relocated.
    #[must_use]
    pub fn split(addr: Addr) -> (Region, u32) {
        let region = match addr >> REGION_SHIFT {
            0 => Region::Locations,
            1 => Region::Variables,
            2 => Region::Meta,
            3 => Region::Constants,
            _ => Region::Scratch,
        };
        (region, addr & (REGION_SIZE - 1))
    }
}

/// One instruction. `m[a]` is the number at address `a`; jumps are relative to the next
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Op {
    /// `m[to] = m[from]`
    Move { to: Addr, from: Addr },
    /// `m[to] = op m[a]`
    Unary { op: Unary, to: Addr, a: Addr },
    /// `m[to] = m[a] op m[b]`; may fail.
    Arith { op: Arith, to: Addr, a: Addr, b: Addr },
    /// `m[to] = m[a] cmp m[b]`
    Compare { cmp: Cmp, to: Addr, a: Addr, b: Addr },
    /// Jumps.
    Jump { by: i32 },
    /// Jumps if `m[a] cmp m[b]`.
    JumpIf { cmp: Cmp, a: Addr, b: Addr, by: i32 },
    /// Fails unless `m[bounds] <= m[a] <= m[bounds + 1]`.
    Range { a: Addr, bounds: Addr },
    /// `m[to] = (m[index] - low) * stride`, where `m[shape..]` is low, length, stride; fails
    /// outside of the array.
    Index { to: Addr, index: Addr, shape: Addr },
    /// `m[to] = m[base + m[offset]]`
    Load { to: Addr, base: Addr, offset: Addr },
    /// `m[base + m[offset]] = m[from]`
    Store { base: Addr, offset: Addr, from: Addr },
    /// `m[to] = m[m[pointer] + m[offset]]`
    LoadRef { to: Addr, pointer: Addr, offset: Addr },
    /// `m[m[pointer] + m[offset]] = m[from]`
    StoreRef { pointer: Addr, offset: Addr, from: Addr },
    /// `m[to] = base + m[offset]`: makes a pointer.
    Point { to: Addr, base: Addr, offset: Addr },
    /// Copies `len` numbers between where two pointers lead.
    Copy { to: Addr, from: Addr, len: u32 },
    /// `m[a]` becomes whether the `len` numbers where the pointers `a` and `b` lead are the same.
    Same { a: Addr, b: Addr, len: u32 },
    /// `m[to]` = the bit with number `m[bit]` of the numbers from `base` on.
    Bit { to: Addr, base: Addr, bit: Addr },
    /// Sets that bit to whether `m[from]` is not zero.
    SetBit { base: Addr, bit: Addr, from: Addr },
    /// Does something with elements of a lattice, by [`Code::calls`]: `m[at..]` has pointers to
    /// them, then the arguments. Its result is put into `m[to]`. May fail.
    Lattice { call: u32, at: Addr, to: Addr },
    /// Runs a function.
    Call { pc: u32 },
    /// Goes back to behind the call.
    Return,
    /// Sets clock number `m[clock]` to `m[value]`; fails if that is negative.
    SetClock { clock: Addr, value: Addr },
    /// Sets clock number `m[clock]` to clock number `m[from]` plus `m[plus]`.
    CopyClock { clock: Addr, from: Addr, plus: Addr },
    /// Fails if `m[a]` is zero.
    Assert { a: Addr },
    /// Fails: something is here that can't be run.
    Trap,
    /// Ends with a truth value.
    Answer { truth: bool },
    /// Ends with the value `m[a]`.
    Yield { a: Addr },
    /// Ends.
    End,
}

/// What an instruction does with the number at one of its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It goes into what is written, and decides nothing else.
    Source,
    /// Any number of the variable there may go into what is written.
    AnySource,
    /// It is read, and decides more: where something is, whether it fails, what comes next.
    Read,
    /// It is read to see that it is in its range.
    Checked,
    /// It is the number of a clock that is read.
    ReadClock,
    /// It is the number of a clock that is set.
    SetClock,
    /// It is written.
    Target,
    /// Any number of the variable there may be written.
    AnyTarget,
    /// It is read, and then written.
    Replaced,
    /// Any number of the variable there may be read and written, by this or by what a pointer is
    /// given to.
    Whole,
}

impl Op {
    /// Calls `f` once for each address, with what is done there.
    pub(crate) fn uses_mut(&mut self, mut f: impl FnMut(Use, &mut Addr)) {
        use Use::*;
        let mut all = |uses: &mut [(Use, &mut Addr)]| uses.iter_mut().for_each(|(what, addr)| f(*what, addr));
        match self {
            Op::Move { to, from: a } | Op::Unary { to, a, .. } => all(&mut [(Target, to), (Source, a)]),
            Op::Arith { op, to, a, b } => {
                let second = if op.may_fail(operation::ALL) { Read } else { Source };
                all(&mut [(Target, to), (Source, a), (second, b)]);
            }
            Op::Compare { to, a, b, .. } => all(&mut [(Target, to), (Source, a), (Source, b)]),
            Op::JumpIf { a, b, .. } => all(&mut [(Read, a), (Read, b)]),
            Op::Range { a, bounds } => all(&mut [(Checked, a), (Read, bounds)]),
            Op::Index { to, index, shape } => all(&mut [(Target, to), (Read, index), (Read, shape)]),
            Op::Load { to, base, offset } | Op::Bit { to, base, bit: offset } => {
                all(&mut [(Target, to), (AnySource, base), (Read, offset)]);
            }
            Op::Store { base, offset, from } => all(&mut [(AnyTarget, base), (Read, offset), (Source, from)]),
            // Wherever a pointer leads was noted where it was made.
            Op::LoadRef { to, pointer, offset } => all(&mut [(Target, to), (Read, pointer), (Read, offset)]),
            Op::StoreRef { pointer, offset, from } => all(&mut [(Read, pointer), (Read, offset), (Read, from)]),
            Op::Copy { to, from, .. } => all(&mut [(Read, to), (Read, from)]),
            Op::Same { a, b, .. } => all(&mut [(Replaced, a), (Read, b)]),
            Op::Point { to, base, offset } => all(&mut [(Target, to), (Whole, base), (Read, offset)]),
            // The other bits stay as they are, and so are read.
            Op::SetBit { base, bit, from } => all(&mut [(Whole, base), (Read, bit), (Read, from)]),
            // What is done is done by way of pointers, and arguments lie beside them.
            Op::Lattice { at, to, .. } => all(&mut [(Read, at), (Target, to)]),
            Op::SetClock { clock, value } => all(&mut [(SetClock, clock), (Read, value)]),
            Op::CopyClock { clock, from, plus } => all(&mut [(SetClock, clock), (ReadClock, from), (Read, plus)]),
            Op::Assert { a } | Op::Yield { a } => all(&mut [(Read, a)]),
            Op::Jump { .. } | Op::Call { .. } | Op::Return | Op::Trap | Op::Answer { .. } | Op::End => {}
        }
    }

    /// Calls `f` once for each address, with what is done there.
    pub(crate) fn uses(mut self, mut f: impl FnMut(Use, Addr)) {
        self.uses_mut(|what, addr| f(what, *addr));
    }
}

/// A lattice that code works with.
#[derive(Clone, Debug)]
pub struct LatticeRef(pub Arc<dyn Lattice>);

impl PartialEq for LatticeRef {
    fn eq(&self, other: &LatticeRef) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for LatticeRef {}

/// What [`Op::Lattice`] does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeCall {
    /// The lattice, by its place in [`Code::lattices`].
    pub lattice: u32,
    /// How many pointers to elements there are. What is done happens to the elements themselves.
    pub elements: u32,
    /// How many arguments there are behind them.
    pub arguments: u32,
    /// What is done.
    pub kind: CallKind,
}

/// What is done with elements of a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// A method of the one element.
    Method(u32),
    /// A member of the environment of all elements becomes what a term says.
    Assign {
        /// The member.
        member: u32,
        /// The term.
        term: Vec<TermOp>,
    },
    /// The environment of all elements is cut to where a comparison holds; where that is nowhere,
    /// an element becomes the one that allows nothing. The result says whether anything is left.
    Assume(Vec<TermOp>, Cmp, Vec<TermOp>),
    /// Whether a comparison may hold in the environment of all elements.
    May(Vec<TermOp>, Cmp, Vec<TermOp>),
    /// Whether the element allows anything.
    Alive,
}

/// Where a piece of code starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pc(pub u32);

/// All code of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The instructions.
    pub ops: Vec<Op>,
    /// The constants.
    pub constants: Vec<i32>,
    /// How many numbers of scratch space are needed.
    pub scratch: u32,
    /// Where in the scratch space values of several numbers are, and how many numbers they have.
    pub(crate) wide: Vec<(u32, u32)>,
    /// The text behind instructions that may fail, by their number.
    pub sites: Vec<(u32, Span)>,
    /// The lattices.
    pub lattices: Vec<LatticeRef>,
    /// What is done with their elements.
    pub calls: Vec<LatticeCall>,
    /// The clock that each number of a clock in the code stands for, or [`Code::NO_CLOCK`]; none:
    /// itself.
    pub(crate) clocks: Vec<u32>,
    /// Whether runs of it are to end.
    pub signal: Signal,
    /// How many numbers each region before the constants has.
    layout: [u32; 3],
}

impl Code {
    /// The instructions that may come right behind one, a call's function and what comes behind the
    /// call included.
    pub(crate) fn next(&self, pc: u32) -> impl Iterator<Item = u32> {
        let jump = |by: i32| (pc + 1).wrapping_add_signed(by);
        let (on, other) = match self.ops[pc as usize] {
            Op::Jump { by } => (None, Some(jump(by))),
            Op::JumpIf { by, .. } => (Some(pc + 1), Some(jump(by))),
            Op::Call { pc: to } => (Some(pc + 1), Some(to)),
            Op::Return | Op::Trap | Op::Answer { .. } | Op::Yield { .. } | Op::End => (None, None),
            _ => (Some(pc + 1), None),
        };
        on.into_iter().chain(other)
    }

    /// All instructions that may be run from these, in order.
    pub(crate) fn reach(&self, roots: impl IntoIterator<Item = Pc>) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = roots.into_iter().map(|pc| pc.0).collect();
        while let Some(pc) = open.pop() {
            if seen.insert(pc) {
                open.extend(self.next(pc));
            }
        }
        seen
    }

    /// Whether an instruction may fail, as far as it alone tells.
    pub(crate) fn may_fail(&self, pc: u32) -> bool {
        match self.ops[pc as usize] {
            Op::Range { .. } | Op::Index { .. } | Op::Assert { .. } | Op::Trap => true,
            // Only methods have arguments that may be wrong.
            Op::Lattice { call, .. } => {
                let call = &self.calls[call as usize];
                matches!(call.kind, CallKind::Method(_)) && call.arguments > 0
            }
            Op::Arith { op, b, .. } => self.constant(b).map_or(op.may_fail(operation::ALL), |b| op.fails(b)),
            Op::SetClock { value, .. } => self.constant(value).is_none_or(|value| value < 0),
            Op::Move { .. } | Op::Unary { .. } | Op::Compare { .. } | Op::Jump { .. } | Op::JumpIf { .. } => false,
            Op::Load { .. } | Op::Store { .. } | Op::LoadRef { .. } | Op::StoreRef { .. } | Op::Point { .. } => false,
            Op::Copy { .. } | Op::Same { .. } | Op::Bit { .. } | Op::SetBit { .. } | Op::CopyClock { .. } => false,
            Op::Call { .. } | Op::Return | Op::Answer { .. } | Op::Yield { .. } | Op::End => false,
        }
    }

    /// Stands for clocks that are left out.
    pub(crate) const NO_CLOCK: u32 = u32::MAX;

    /// The clock that a number in the code stands for; `None`: one that is left out.
    #[must_use]
    pub fn clock(&self, number: u32) -> Option<u32> {
        if self.clocks.is_empty() {
            return Some(number);
        }
        self.clocks.get(number as usize).copied().filter(|clock| *clock != Code::NO_CLOCK)
    }

    /// Where the text is that the instruction `pc` was made from.
    #[must_use]
    pub fn site(&self, pc: u32) -> Span {
        match self.sites.binary_search_by_key(&pc, |s| s.0) {
            Ok(i) => self.sites[i].1,
            Err(_) => Span::NONE,
        }
    }

    /// Turns all addresses into plain ones, for `locations` processes and this many variables.
    pub fn relocate(&mut self, locations: u32, variables: u32, meta: u32) {
        self.layout = [locations, variables, meta];
        let mut ops = std::mem::take(&mut self.ops);
        for op in &mut ops {
            op.uses_mut(|_, a| *a = self.plain(*a));
        }
        self.ops = ops;
    }

    /// The number at a plain address, if it never changes.
    pub(crate) fn constant(&self, addr: Addr) -> Option<i32> {
        let first: u32 = self.layout.iter().sum();
        self.constants.get(addr.checked_sub(first)? as usize).copied()
    }

    /// The plain address of one that carries its region.
    #[must_use]
    pub fn plain(&self, addr: Addr) -> Addr {
        let [locations, variables, meta] = self.layout;
        let row = locations + variables + meta;
        let (region, index) = Region::split(addr);
        index
            + match region {
                Region::Locations => 0,
                Region::Variables => locations,
                Region::Meta => locations + variables,
                Region::Constants => row,
                Region::Scratch => row + self.constants.len() as u32,
            }
    }
}
