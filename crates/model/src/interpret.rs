//! The one interpreter of code: what each instruction does, on values of any kind.
//!
//! The interpreter knows instructions, addresses and jumps. What a value is, and what becomes of a
//! path where code can go on in more than one direction, is up to a [`Domain`]:
//!
//! - [`crate::machine`] runs code on numbers, along one path;
//! - [`crate::symbolic`] follows it on terms, where paths fork and stay apart;
//! - bounded checking follows it on formulas, where paths fork and meet again.

use crate::{
    code::{Addr, Code, Op},
    machine::{self, FaultKind},
    operation::{Arith, Cmp, Unary},
};

/// Values that code works on, in a memory, along a path.
///
/// What can fail has a [`Domain::Halt`] as its error: why the path ends before the end of the code.
/// The next instruction is then still the one that was tried.
pub trait Domain {
    /// A number of the memory.
    type Value;
    /// A number as far as it decides which number of the memory is meant.
    type Index;
    /// Why a path ends before the end of the code.
    type Halt;
    /// A memory of plain numbers, for what can be done with nothing else.
    type Memory: Memory;

    /// The next instruction, and the places that calls return to.
    fn control(&mut self) -> (&mut u32, &mut Vec<u32>);

    /// The number at an address.
    fn read(&mut self, at: Addr) -> Self::Value;
    /// Changes the number at an address.
    fn write(&mut self, at: Addr, value: Self::Value);

    /// The result of an operation on one number.
    fn unary(&mut self, op: Unary, a: &Self::Value) -> Self::Value;
    /// The result of an operation on two numbers.
    ///
    /// # Errors
    /// It fails, or there are too many results.
    fn arith(&mut self, op: Arith, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Halt>;
    /// 1 where a comparison holds, else 0.
    fn compare(&mut self, cmp: Cmp, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// Whether the path goes to `target`, as it does where `m[a] cmp m[b]`. A domain that follows
    /// both directions notes the other one.
    ///
    /// # Errors
    /// It goes nowhere.
    fn branch(&mut self, cmp: Cmp, a: Addr, b: Addr, target: u32) -> Result<bool, Self::Halt>;

    /// Fails unless the number at an address is legal.
    ///
    /// # Errors
    /// It fails everywhere.
    fn require(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        fault: impl Fn(i32) -> FaultKind,
    ) -> Result<(), Self::Halt>;

    /// Ends the path, which has failed.
    fn fail(&mut self, fault: FaultKind) -> Self::Halt;

    /// A number that is the same on all paths.
    ///
    /// # Errors
    /// It is not.
    fn fixed(&mut self, at: Addr) -> Result<i32, Self::Halt>;

    /// The number at an address, as an index.
    ///
    /// # Errors
    /// It may be too many.
    fn index(&mut self, at: Addr) -> Result<Self::Index, Self::Halt>;

    /// The number at an address, as an index. Fails unless it is legal.
    ///
    /// # Errors
    /// It may be too many, or fails everywhere.
    fn index_within(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        fault: impl Fn(i32) -> FaultKind,
    ) -> Result<Self::Index, Self::Halt> {
        self.require(at, legal, fault)?;
        self.index(at)
    }

    /// What becomes of an index.
    fn map(&mut self, index: &Self::Index, f: impl Fn(i32) -> i32) -> Self::Index;
    /// The sum of two indices.
    ///
    /// # Errors
    /// There are too many.
    fn sum(&mut self, a: &Self::Index, b: &Self::Index) -> Result<Self::Index, Self::Halt>;
    /// An index as a number.
    fn value(&mut self, index: Self::Index) -> Self::Value;
    /// The number where an index leads.
    fn load(&mut self, at: &Self::Index) -> Self::Value;
    /// Changes the number where an index leads.
    fn store(&mut self, at: &Self::Index, value: Self::Value);
    /// 1 where the `len` numbers from two indices on are the same, else 0.
    fn same(&mut self, a: &Self::Index, b: &Self::Index, len: u32) -> Self::Value;

    /// Sets clock number `m[clock]` to `m[value]`, which is not negative.
    ///
    /// # Errors
    /// It may be too many clocks.
    fn set_clock(&mut self, clock: Addr, value: Addr) -> Result<(), Self::Halt>;
    /// Sets clock number `m[clock]` to clock number `m[from]` plus `m[plus]`.
    ///
    /// # Errors
    /// It may be too many clocks.
    fn copy_clock(&mut self, clock: Addr, from: Addr, plus: Addr) -> Result<(), Self::Halt>;

    /// The memory, where all of it is plain numbers: elements of lattices are nothing else.
    ///
    /// # Errors
    /// It is not.
    fn plain(&mut self) -> Result<&mut Self::Memory, Self::Halt>;

    /// Notes that a path takes so much time.
    ///
    /// # Errors
    /// It takes too long.
    #[inline]
    fn spend(&mut self, _amount: u32) -> Result<(), Self::Halt> {
        Ok(())
    }
}

/// A memory of plain numbers.
pub trait Memory {
    /// The number at an address.
    fn get(&self, at: Addr) -> i32;
    /// Changes it.
    fn set(&mut self, at: Addr, value: i32);
}

/// No memory: that of domains whose numbers are not plain.
#[derive(Clone, Copy, Debug)]
pub enum NoMemory {}

impl Memory for NoMemory {
    fn get(&self, _: Addr) -> i32 {
        match *self {}
    }
    fn set(&mut self, _: Addr, _: i32) {
        match *self {}
    }
}

/// How code ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeResult<V> {
    /// With a truth value.
    Truth(bool),
    /// With a value.
    Value(V),
    /// With neither.
    Nothing,
}

/// What a call counts for. Functions that call others more than once each can run for ever without
/// a jump back.
const CALL: u32 = 8;

/// Does the next instruction of a path. `Some`: the code ends with it.
///
/// # Errors
/// Why the path ends here.
#[inline(always)]
pub fn step<D: Domain>(code: &Code, d: &mut D) -> Result<Option<CodeResult<D::Value>>, D::Halt> {
    let here = *d.control().0;
    let mut next = here + 1;
    match code.op(here) {
        Op::Move { to, from } => {
            let value = d.read(from);
            d.write(to, value);
        }
        Op::Unary { op, to, a } => {
            let a = d.read(a);
            let value = d.unary(op, &a);
            d.write(to, value);
        }
        Op::Arith { op, to, a, b } => {
            let (a, b) = (d.read(a), d.read(b));
            let value = d.arith(op, &a, &b)?;
            d.write(to, value);
        }
        Op::Compare { cmp, to, a, b } => {
            let (a, b) = (d.read(a), d.read(b));
            let value = d.compare(cmp, &a, &b);
            d.write(to, value);
        }
        Op::Jump { by } => {
            next = next.wrapping_add_signed(by);
            // Only jumps back can go on for ever.
            if by < 0 {
                d.spend(by.unsigned_abs())?;
            }
        }
        Op::JumpIf { cmp, a, b, by } => {
            let target = next.wrapping_add_signed(by);
            if d.branch(cmp, a, b, target)? {
                next = target;
                if by < 0 {
                    d.spend(by.unsigned_abs())?;
                }
            }
        }
        Op::Range { a, bounds } => {
            let (low, high) = (d.fixed(bounds)?, d.fixed(bounds + 1)?);
            d.require(a, |v| low <= v && v <= high, |value| FaultKind::Range { value, low, high })?;
        }
        Op::Index { to, index, shape } => {
            let (low, length, stride) = (d.fixed(shape)?, d.fixed(shape + 1)?, d.fixed(shape + 2)?);
            let offset = |i: i32| i64::from(i) - i64::from(low);
            let legal = |i| (0..i64::from(length)).contains(&offset(i));
            let index = d.index_within(index, legal, |index| FaultKind::Index { index, low, length })?;
            let index = d.map(&index, |i| (offset(i) as i32).wrapping_mul(stride));
            let value = d.value(index);
            d.write(to, value);
        }
        Op::Load { to, base, offset } => {
            let at = based(d, base, offset)?;
            let value = d.load(&at);
            d.write(to, value);
        }
        Op::Store { base, offset, from } => {
            let at = based(d, base, offset)?;
            let value = d.read(from);
            d.store(&at, value);
        }
        Op::LoadRef { to, pointer, offset } => {
            let at = pointed(d, pointer, offset)?;
            let value = d.load(&at);
            d.write(to, value);
        }
        Op::StoreRef { pointer, offset, from } => {
            let at = pointed(d, pointer, offset)?;
            let value = d.read(from);
            d.store(&at, value);
        }
        Op::Point { to, base, offset } => {
            let at = based(d, base, offset)?;
            let value = d.value(at);
            d.write(to, value);
        }
        Op::Copy { to, from, len } => {
            let (to, from) = (d.index(to)?, d.index(from)?);
            d.spend(len)?;
            for i in 0..len {
                let source = d.map(&from, |at| at.wrapping_add_unsigned(i));
                let target = d.map(&to, |at| at.wrapping_add_unsigned(i));
                let value = d.load(&source);
                d.store(&target, value);
            }
        }
        Op::Same { a, b, len } => {
            let (x, y) = (d.index(a)?, d.index(b)?);
            d.spend(len)?;
            let value = d.same(&x, &y, len);
            d.write(a, value);
        }
        Op::Bit { to, base, bit } => {
            let m = d.plain()?;
            let bit = m.get(bit);
            let word = m.get(base + (bit as u32 >> 5));
            m.set(to, word >> (bit & 31) & 1);
        }
        Op::SetBit { base, bit, from } => {
            let m = d.plain()?;
            let bit = m.get(bit);
            let at = base + (bit as u32 >> 5);
            let mask = 1 << (bit & 31);
            let word = m.get(at);
            m.set(at, if m.get(from) == 0 { word & !mask } else { word | mask });
        }
        Op::Lattice { call, at, to } => {
            let m = d.plain()?;
            match machine::elements::call(code.call(call), at, m) {
                Ok(value) => m.set(to, value),
                Err(fault) => return Err(d.fail(fault)),
            }
        }
        Op::Call { pc } => {
            d.spend(CALL)?;
            d.control().1.push(next);
            next = pc;
        }
        Op::Return => match d.control().1.pop() {
            Some(back) => next = back,
            None => return Ok(Some(CodeResult::Nothing)),
        },
        Op::SetClock { clock, value } => {
            d.require(value, |v| v >= 0, FaultKind::NegativeClock)?;
            d.set_clock(clock, value)?;
        }
        Op::CopyClock { clock, from, plus } => d.copy_clock(clock, from, plus)?,
        Op::Assert { a } => d.require(a, |v| v != 0, |_| FaultKind::Assertion)?,
        Op::Trap => return Err(d.fail(FaultKind::Unsupported)),
        Op::Answer { truth } => return Ok(Some(CodeResult::Truth(truth))),
        Op::Yield { a } => return Ok(Some(CodeResult::Value(d.read(a)))),
        Op::End => return Ok(Some(CodeResult::Nothing)),
    }
    *d.control().0 = next;
    Ok(None)
}

/// `base + m[offset]`
#[inline(always)]
fn based<D: Domain>(d: &mut D, base: Addr, offset: Addr) -> Result<D::Index, D::Halt> {
    let offset = d.index(offset)?;
    Ok(d.map(&offset, |by| base.wrapping_add_signed(by) as i32))
}

/// `m[pointer] + m[offset]`
#[inline(always)]
fn pointed<D: Domain>(d: &mut D, pointer: Addr, offset: Addr) -> Result<D::Index, D::Halt> {
    let (pointer, offset) = (d.index(pointer)?, d.index(offset)?);
    d.sum(&pointer, &offset)
}
