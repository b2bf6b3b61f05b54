//! The interpreter of code: the effect of each instruction, on values of any kind.
//!
//! The interpreter knows instructions, addresses and jumps. A [`Domain`] defines the values, and
//! what happens to a path where code branches:
//!
//! - [`crate::machine`] runs code on numbers, along one path;
//! - [`crate::symbolic`] follows it on terms, where paths fork and stay separate;
//! - bounded checking follows it on formulas, where paths fork and merge.

use crate::{
    code::{Addr, Code, Op, RealCode},
    machine::{self, FaultKind, RealContext},
    operation::{Arith, Cmp, Unary},
};

/// Values that code computes with, in a memory, along a path.
///
/// An operation that can fail returns a [`Domain::Halt`]: the reason why the path ends before the
/// end of the code. The program counter still points to the failed instruction then.
pub trait Domain {
    /// A value in memory.
    type Value;
    /// A value that is used as an index.
    type Index;
    /// The reason why a path ends before the end of the code.
    type Halt;
    /// A memory of plain numbers, for operations that need one.
    type Memory: Memory;

    /// Returns the program counter and the return addresses of calls.
    fn control(&mut self) -> (&mut u32, &mut Vec<u32>);

    /// Returns the value at an address.
    fn read(&mut self, at: Addr) -> Self::Value;
    /// Sets the value at an address.
    fn write(&mut self, at: Addr, value: Self::Value);

    /// Returns the result of a unary operation.
    fn unary(&mut self, op: Unary, a: &Self::Value) -> Self::Value;
    /// Returns the result of a binary operation.
    ///
    /// # Errors
    /// It fails, or has too many results.
    fn arith(&mut self, op: Arith, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Halt>;
    /// Returns 1 where a comparison holds, else 0.
    fn compare(&mut self, cmp: Cmp, a: &Self::Value, b: &Self::Value) -> Self::Value;

    /// Returns whether the path continues at `target`, which it does where `m[a] cmp m[b]`. A
    /// domain that follows both branches records the other one.
    ///
    /// # Errors
    /// Neither branch is possible.
    fn branch(&mut self, cmp: Cmp, a: Addr, b: Addr, target: u32) -> Result<bool, Self::Halt>;

    /// Fails unless the value at an address is legal.
    ///
    /// # Errors
    /// It is illegal on all paths.
    fn require(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        fault: impl Fn(i32) -> FaultKind,
    ) -> Result<(), Self::Halt>;

    /// Ends the path with a failure.
    fn fail(&mut self, fault: FaultKind) -> Self::Halt;

    /// Returns a value that is the same on all paths.
    ///
    /// # Errors
    /// It depends on the path.
    fn fixed(&mut self, at: Addr) -> Result<i32, Self::Halt>;

    /// Returns the value at an address as an index.
    ///
    /// # Errors
    /// It has too many possible values.
    fn index(&mut self, at: Addr) -> Result<Self::Index, Self::Halt>;

    /// Returns the value at an address as an index. Fails unless it is legal.
    ///
    /// # Errors
    /// It has too many possible values, or is illegal on all paths.
    fn index_within(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        fault: impl Fn(i32) -> FaultKind,
    ) -> Result<Self::Index, Self::Halt> {
        self.require(at, legal, fault)?;
        self.index(at)
    }

    /// Applies a function to an index.
    fn map(&mut self, index: &Self::Index, f: impl Fn(i32) -> i32) -> Self::Index;
    /// Returns the sum of two indices.
    ///
    /// # Errors
    /// It has too many possible values.
    fn sum(&mut self, a: &Self::Index, b: &Self::Index) -> Result<Self::Index, Self::Halt>;
    /// Returns an index as a value.
    fn value(&mut self, index: Self::Index) -> Self::Value;
    /// Returns the value at an index.
    fn load(&mut self, at: &Self::Index) -> Self::Value;
    /// Sets the value at an index.
    fn store(&mut self, at: &Self::Index, value: Self::Value);
    /// Returns 1 where the `len` values from two indices on are the same, else 0.
    fn same(&mut self, a: &Self::Index, b: &Self::Index, len: u32) -> Self::Value;

    /// Sets clock number `m[clock]` to `m[value]`, which is not negative.
    ///
    /// # Errors
    /// There are too many candidates for the clock.
    fn set_clock(&mut self, clock: Addr, value: Addr) -> Result<(), Self::Halt>;
    /// Sets clock number `m[clock]` to clock number `m[from]` plus `m[plus]`.
    ///
    /// # Errors
    /// There are too many candidates for the clocks.
    fn copy_clock(&mut self, clock: Addr, from: Addr, plus: Addr) -> Result<(), Self::Halt>;

    /// Returns the memory if it consists of plain numbers, which operations on lattice elements
    /// need.
    ///
    /// # Errors
    /// It does not.
    fn plain(&mut self) -> Result<&mut Self::Memory, Self::Halt>;

    /// Returns the memory, and what code with floating-point numbers has beside it.
    ///
    /// # Errors
    /// The domain has no such numbers.
    fn reals(&mut self) -> Result<(&mut Self::Memory, &mut RealContext), Self::Halt>;

    /// Counts an amount of work on a path.
    ///
    /// # Errors
    /// The limit is exceeded.
    #[inline]
    fn spend(&mut self, _amount: u32) -> Result<(), Self::Halt> {
        Ok(())
    }
}

/// A memory of plain numbers.
pub trait Memory {
    /// Returns the number at an address.
    fn get(&self, at: Addr) -> i32;
    /// Sets the number at an address.
    fn set(&mut self, at: Addr, value: i32);
}

/// The memory of domains without plain numbers.
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

/// The result of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeResult<V> {
    /// A truth value.
    Truth(bool),
    /// A value.
    Value(V),
    /// None.
    Nothing,
}

/// The work of a call. Nested calls can take exponential time without a backward jump.
pub(crate) const CALL: u32 = 8;

/// Executes the next instruction of a path. Returns `Some` if the code ends with it.
///
/// # Errors
/// The reason why the path ends here.
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
            // Only backward jumps can diverge.
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
        Op::Bit { to, base, bit } => read_bit(d.plain()?, to, base, bit),
        Op::SetBit { base, bit, from } => write_bit(d.plain()?, base, bit, from),
        Op::Lattice { call, at, to } => {
            let m = d.plain()?;
            match machine::elements::call(code.call(call), at, m) {
                Ok(value) => m.set(to, value),
                Err(fault) => return Err(d.fail(fault)),
            }
        }
        Op::Ask { predicate, to } => {
            let m = d.plain()?;
            match code.ask(predicate, m) {
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
        Op::Real { code, to, a, b } => {
            let (m, environment) = d.reals()?;
            if let Err(fault) = machine::reals::execute(code, (to, a, b), m, environment) {
                return Err(d.fail(fault));
            }
            if code == RealCode::Yield {
                return Ok(Some(CodeResult::Nothing));
            }
        }
        Op::Assert { a } => d.require(a, |v| v != 0, |_| FaultKind::Assertion)?,
        Op::Trap => return Err(d.fail(FaultKind::Unsupported)),
        Op::Answer { truth } => return Ok(Some(CodeResult::Truth(truth))),
        Op::Yield { a } => return Ok(Some(CodeResult::Value(d.read(a)))),
        Op::End => return Ok(Some(CodeResult::Nothing)),
    }
    *d.control().0 = next;
    Ok(None)
}

/// Performs [`Op::Bit`].
#[inline]
pub(crate) fn read_bit<M: Memory>(m: &mut M, to: Addr, base: Addr, bit: Addr) {
    let bit = m.get(bit);
    let word = m.get(base + (bit as u32 >> 5));
    m.set(to, word >> (bit & 31) & 1);
}

/// Performs [`Op::SetBit`].
#[inline]
pub(crate) fn write_bit<M: Memory>(m: &mut M, base: Addr, bit: Addr, from: Addr) {
    let bit = m.get(bit);
    let at = base + (bit as u32 >> 5);
    let mask = 1 << (bit & 31);
    let word = m.get(at);
    m.set(at, if m.get(from) == 0 { word & !mask } else { word | mask });
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
