//! Compiled expressions: three-address code on one flat memory.
//!
//! The memory of a [`crate::machine::Machine`] holds, in this order, the discrete part of a state
//! (locations, variables, meta variables), the constants, and the scratch space of expressions and
//! functions; then the constants and the scratch space of the code that was lowered after the
//! model. Constants and temporaries are addresses like any other, so an instruction does not
//! distinguish kinds of operands, and `n < 5 && id == 0` is two instructions. UPPAAL's language has
//! no recursion, so every function's variables have fixed addresses.
//!
//! During lowering the regions still grow. Addresses then carry their region in the upper bits, and
//! linking turns them into plain ones at the end.

mod segment;

use std::{fmt, panic::AssertUnwindSafe, sync::Arc};

use lattice::{
    Lattice, TermOp,
    user::{UserError, guarded},
};

pub use crate::operation::{Arith, Cmp, Unary};
pub use crate::real::{RealOp, RealTest};
use crate::{operation, random::Distribution};
pub use segment::{Code, Segment};

/// An address in a machine's memory.
pub type Addr = u32;

const REGION_SHIFT: u32 = 29;

/// The regions of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The current location of each process.
    Locations,
    /// The variables.
    Variables,
    /// The meta variables, which are not part of a state's identity.
    Meta,
    /// Constants.
    Constants,
    /// Temporaries, and the variables of functions.
    Scratch,
}

/// The number of addresses of a region.
pub(crate) const REGION_SIZE: u32 = 1 << REGION_SHIFT;

impl Region {
    /// Returns the address with an index in the region.
    #[must_use]
    pub fn at(self, index: u32) -> Addr {
        debug_assert!(index < REGION_SIZE);
        (self as u32) << REGION_SHIFT | index
    }

    /// Returns the region and index of an address that is not linked yet.
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
    /// Copies `len` numbers from the target of one pointer to that of another.
    Copy { to: Addr, from: Addr, len: u32 },
    /// Sets `m[a]` to 1 if the `len` numbers that the pointers `a` and `b` refer to are the same,
    /// else to 0.
    Same { a: Addr, b: Addr, len: u32 },
    /// Sets `m[to]` to bit number `m[bit]` of the numbers from `base` on.
    Bit { to: Addr, base: Addr, bit: Addr },
    /// Sets that bit to 1 if `m[from]` is not zero, else to 0.
    SetBit { base: Addr, bit: Addr, from: Addr },
    /// Performs a [`LatticeCall`] on elements of a lattice: `m[at..]` holds pointers to them, then
    /// the arguments. The result is written to `m[to]`. May fail.
    Lattice { call: u32, at: Addr, to: Addr },
    /// Calls a predicate of the user on the row. Its truth is written to `m[to]`. May fail.
    Ask { predicate: u32, to: Addr },
    /// Calls a function.
    Call { pc: u32 },
    /// Returns to the instruction after the call.
    Return,
    /// Sets clock number `m[clock]` to `m[value]`; fails if that is negative.
    SetClock { clock: Addr, value: Addr },
    /// Sets clock number `m[clock]` to clock number `m[from]` plus `m[plus]`.
    CopyClock { clock: Addr, from: Addr, plus: Addr },
    /// Works with floating-point numbers, of two words each.
    Real { code: RealCode, to: Addr, a: Addr, b: Addr },
    /// Fails if `m[a]` is zero.
    Assert { a: Addr },
    /// Fails: the code is not supported.
    Trap,
    /// Ends with a truth value.
    Answer { truth: bool },
    /// Ends with the value `m[a]`.
    Yield { a: Addr },
    /// Ends.
    End,
}

/// What an [`Op::Real`] does. `r[a]` is the floating-point number in `m[a]` and `m[a + 1]`. Only
/// systems for random runs have such code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealCode {
    /// `r[to] = op(r[a], r[b], r[to])`
    Compute(RealOp),
    /// `m[to] = test(r[a])`; may fail.
    Test(RealTest),
    /// `m[to] = r[a] cmp r[b]`
    Compare(Cmp),
    /// `r[to] = m[a]`
    Widen,
    /// Draws `r[to]` from a distribution with the parameters `r[a]`, `r[b]` and `r[to]`; may fail.
    Draw(Distribution),
    /// Sets `r[to]` to the value of clock number `m[a]`.
    ReadClock,
    /// Sets clock number `m[a]` to `r[b]`.
    SetClock,
    /// Ends with the value `r[a]`.
    Yield,
}

/// How an instruction uses the number at one of its addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is copied or computed into the target, and decides nothing else.
    Source,
    /// Any number of the variable may be copied into the target.
    AnySource,
    /// It is read, and decides more: an address, a failure, or the next instruction.
    Read,
    /// It is checked against its range.
    Checked,
    /// It is the number of a clock that is read.
    ReadClock,
    /// It is the number of a clock that is set.
    SetClock,
    /// It is written.
    Target,
    /// Any number of the variable may be written.
    AnyTarget,
    /// It is read and then overwritten.
    Replaced,
    /// Any number of the variable may be read and written, by this instruction or through a pointer
    /// to it.
    Whole,
}

impl Op {
    /// Calls `f` once for each address with its use.
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
            // The target of a pointer was recorded where the pointer was made.
            Op::LoadRef { to, pointer, offset } => all(&mut [(Target, to), (Read, pointer), (Read, offset)]),
            Op::StoreRef { pointer, offset, from } => all(&mut [(Read, pointer), (Read, offset), (Read, from)]),
            Op::Copy { to, from, .. } => all(&mut [(Read, to), (Read, from)]),
            Op::Same { a, b, .. } => all(&mut [(Replaced, a), (Read, b)]),
            Op::Point { to, base, offset } => all(&mut [(Target, to), (Whole, base), (Read, offset)]),
            // The other bits keep their values, so they are read.
            Op::SetBit { base, bit, from } => all(&mut [(Whole, base), (Read, bit), (Read, from)]),
            // Elements are accessed through pointers; the arguments follow the pointers.
            Op::Lattice { at, to, .. } => all(&mut [(Read, at), (Target, to)]),
            // It reads all variables as well.
            Op::Ask { to, .. } => all(&mut [(Target, to)]),
            Op::SetClock { clock, value } => all(&mut [(SetClock, clock), (Read, value)]),
            Op::CopyClock { clock, from, plus } => all(&mut [(SetClock, clock), (ReadClock, from), (Read, plus)]),
            // Each address is that of two words.
            Op::Real { code, to, a, b } => match code {
                RealCode::Compute(_) | RealCode::Draw(_) => all(&mut [(Whole, to), (Whole, a), (Whole, b)]),
                RealCode::Test(_) | RealCode::Compare(_) => all(&mut [(Target, to), (Whole, a), (Whole, b)]),
                RealCode::Widen => all(&mut [(Whole, to), (Read, a), (Read, b)]),
                RealCode::ReadClock => all(&mut [(Whole, to), (ReadClock, a), (Read, b)]),
                RealCode::SetClock => all(&mut [(Read, to), (SetClock, a), (Whole, b)]),
                RealCode::Yield => all(&mut [(Read, to), (Whole, a), (Read, b)]),
            },
            Op::Assert { a } | Op::Yield { a } => all(&mut [(Read, a)]),
            Op::Jump { .. } | Op::Call { .. } | Op::Return | Op::Trap | Op::Answer { .. } | Op::End => {}
        }
    }

    /// Calls `f` once for each address with its use.
    pub(crate) fn uses(mut self, mut f: impl FnMut(Use, Addr)) {
        self.uses_mut(|what, addr| f(what, *addr));
    }
}

/// A lattice that code refers to.
#[derive(Clone, Debug)]
pub struct LatticeRef(pub Arc<dyn Lattice>);

impl PartialEq for LatticeRef {
    fn eq(&self, other: &LatticeRef) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for LatticeRef {}

/// The operation of an [`Op::Lattice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeCall {
    /// The lattice.
    pub lattice: LatticeRef,
    /// The number of pointers to elements. The operation works in place.
    pub elements: u32,
    /// The number of arguments after them.
    pub arguments: u32,
    /// The operation.
    pub kind: CallKind,
}

/// An operation on elements of a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Calls a method of the one element.
    Method(u32),
    /// Assigns a term to a member of the environment of all elements.
    Assign {
        /// The member.
        member: u32,
        /// The term.
        term: Vec<TermOp>,
    },
    /// Restricts the environment of all elements to where a comparison holds. If it holds nowhere,
    /// an element becomes bottom. The result is whether anything is left.
    Assume(Vec<TermOp>, Cmp, Vec<TermOp>),
    /// Tests whether a comparison may hold in the environment of all elements.
    May(Vec<TermOp>, Cmp, Vec<TermOp>),
    /// Tests whether the element is not bottom.
    Alive,
}

/// A function of the user on rows.
type RowPredicate = dyn Fn(&[i32]) -> Result<bool, UserError> + Send + Sync;

/// A predicate of the user on rows. Two are equal if they are the same.
pub struct Predicate(AssertUnwindSafe<Arc<RowPredicate>>);

impl Clone for Predicate {
    fn clone(&self) -> Predicate {
        Predicate(AssertUnwindSafe(self.0.clone()))
    }
}

impl Predicate {
    /// Wraps a function of the row.
    pub fn new(function: impl Fn(&[i32]) -> Result<bool, UserError> + Send + Sync + 'static) -> Predicate {
        Predicate(AssertUnwindSafe(Arc::new(function)))
    }

    /// Calls the function.
    ///
    /// # Errors
    /// It fails.
    pub(crate) fn ask(&self, row: &[i32]) -> Result<bool, UserError> {
        guarded(|| (self.0)(row))
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predicate")
    }
}

impl PartialEq for Predicate {
    fn eq(&self, other: &Predicate) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Predicate {}

/// The start of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pc(pub u32);
