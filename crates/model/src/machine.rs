//! Runs compiled expressions.

mod elements;
mod order;

use syntax::Span;

use crate::{
    Stop,
    code::{Addr, Arith, Code, Op, Pc, Region},
};

/// A change of a clock. An update may make several, which hold in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockChange {
    /// The clock becomes a number.
    Set {
        /// The clock.
        clock: u32,
        /// The number, not negative.
        value: i32,
    },
    /// The clock becomes another clock plus a number.
    Copy {
        /// The clock.
        clock: u32,
        /// The other clock.
        from: u32,
        /// The number.
        plus: i32,
    },
}

/// Why a run of code failed. UPPAAL ends a verification at such an error, and so do we.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A value outside of the range of its variable.
    Range {
        /// The value.
        value: i32,
        /// The least legal one.
        low: i32,
        /// The greatest legal one.
        high: i32,
    },
    /// An index outside of its array.
    Index {
        /// The index.
        index: i32,
        /// The least legal one.
        low: i32,
        /// How many there are.
        length: i32,
    },
    /// An argument of a lattice's method outside of its range.
    Argument {
        /// The argument.
        value: i32,
        /// The least legal value.
        low: i32,
        /// The greatest legal value.
        high: i32,
    },
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift by less than 0 or more than 31 bits, or a negative exponent.
    Shift(i32),
    /// A clock set to a negative number.
    NegativeClock(i32),
    /// A false assertion.
    Assertion,
    /// A loop that does not seem to end.
    Endless,
    /// Code for something that symbolic analysis does not support.
    Unsupported,
    /// No error of the model: whoever waited for it does so no more.
    Stopped(Stop),
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultKind::Range { value, low, high } => write!(f, "value {value} is outside of the range [{low},{high}]"),
            FaultKind::Index { index, low, length } => {
                let last = i64::from(*low) + i64::from(*length) - 1;
                write!(f, "index {index} is outside of the array, whose indices are {low} to {last}")
            }
            FaultKind::Argument { value, low, high } => {
                write!(f, "argument {value} is outside of its range [{low},{high}]")
            }
            FaultKind::DivisionByZero => f.write_str("division by zero"),
            FaultKind::Shift(n) => write!(f, "shift or exponent {n} is outside of its range"),
            FaultKind::NegativeClock(n) => write!(f, "a clock is set to the negative number {n}"),
            FaultKind::Assertion => f.write_str("assertion does not hold"),
            FaultKind::Endless => write!(f, "no end after {FUEL} steps"),
            FaultKind::Unsupported => f.write_str("not supported in symbolic analysis"),
            FaultKind::Stopped(stop) => stop.fmt(f),
        }
    }
}

/// A failed run, and where it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// Where in the code.
    pub pc: u32,
}

impl Fault {
    /// Where in the text.
    #[must_use]
    pub fn span(&self, code: &Code) -> Span {
        code.site(self.pc)
    }
}

/// How many instructions one run may take.
pub const FUEL: u32 = 50_000_000;
/// How many of them are taken before somebody is asked whether to go on.
const STAGE: u32 = 1 << 16;
/// What a call counts for. Functions that call others more than once each can run for ever without a jump back.
const CALL: u32 = 8;

/// What a run may still take.
struct Fuel {
    stage: u32,
    left: u32,
}

impl Fuel {
    fn full() -> Fuel {
        Fuel { stage: STAGE, left: FUEL - STAGE }
    }

    #[inline]
    fn burn(&mut self, code: &Code, amount: u32) -> Result<(), FaultKind> {
        match self.stage.checked_sub(amount) {
            Some(rest) => {
                self.stage = rest;
                Ok(())
            }
            None => self.next_stage(code, amount),
        }
    }

    #[cold]
    fn next_stage(&mut self, code: &Code, amount: u32) -> Result<(), FaultKind> {
        if let Some(stop) = code.signal.raised() {
            return Err(FaultKind::Stopped(stop));
        }
        let rest = (self.stage + self.left).checked_sub(amount).ok_or(FaultKind::Endless)?;
        self.stage = rest.min(STAGE);
        self.left = rest - self.stage;
        Ok(())
    }
}

/// The memory that code runs on.
pub(crate) trait Memory {
    fn get(&self, addr: Addr) -> i32;
    fn set(&mut self, addr: Addr, value: i32);
}

impl Memory for Vec<i32> {
    #[inline]
    fn get(&self, addr: Addr) -> i32 {
        self[addr as usize]
    }
    #[inline]
    fn set(&mut self, addr: Addr, value: i32) {
        self[addr as usize] = value;
    }
}

/// The memory of code that is still being made: constants and scratch, by region. Nothing else is constant.
pub(crate) struct Unlinked<'a> {
    pub constants: &'a [i32],
    pub scratch: Vec<i32>,
    /// Set when something is read that is not constant.
    pub variable: std::cell::Cell<bool>,
}

impl Memory for Unlinked<'_> {
    fn get(&self, addr: Addr) -> i32 {
        let found = match Region::split(addr) {
            (Region::Constants, i) => self.constants.get(i as usize),
            (Region::Scratch, i) => self.scratch.as_slice().get(i as usize),
            _ => None,
        };
        found.copied().unwrap_or_else(|| {
            self.variable.set(true);
            0
        })
    }
    fn set(&mut self, addr: Addr, value: i32) {
        if let (Region::Scratch, i) = Region::split(addr) {
            let i = i as usize;
            if i >= self.scratch.len() {
                self.scratch.resize(i + 1, 0);
            }
            self.scratch[i] = value;
        }
    }
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Truth(bool),
    Value(i32),
    Nothing,
}

/// Runs code from `pc` to its end.
pub(crate) fn run<M: Memory>(
    code: &Code,
    pc: Pc,
    m: &mut M,
    returns: &mut Vec<u32>,
    changes: &mut Vec<ClockChange>,
) -> Result<End, Fault> {
    let ops = &code.ops[..];
    let mut pc = pc.0 as usize;
    let mut fuel = Fuel::full();
    returns.clear();
    loop {
        let op = ops[pc];
        let here = pc as u32;
        pc += 1;
        let fault = |kind| Err(Fault { kind, pc: here });
        match op {
            Op::Move { to, from } => m.set(to, m.get(from)),
            Op::Arith { op, to, a, b } => match arith(op, m.get(a), m.get(b)) {
                Ok(value) => m.set(to, value),
                Err(kind) => return fault(kind),
            },
            Op::Compare { cmp, to, a, b } => m.set(to, i32::from(cmp.holds(m.get(a), m.get(b)))),
            Op::Negate { to, a } => m.set(to, m.get(a).wrapping_neg()),
            Op::Abs { to, a } => m.set(to, m.get(a).wrapping_abs()),
            Op::Jump { by } => {
                pc = pc.wrapping_add_signed(by as isize);
                // Only jumps back can go on for ever.
                if by < 0
                    && let Err(kind) = fuel.burn(code, by.unsigned_abs())
                {
                    return fault(kind);
                }
            }
            Op::JumpIf { cmp, a, b, by } => {
                if cmp.holds(m.get(a), m.get(b)) {
                    pc = pc.wrapping_add_signed(by as isize);
                    if by < 0
                        && let Err(kind) = fuel.burn(code, by.unsigned_abs())
                    {
                        return fault(kind);
                    }
                }
            }
            Op::Range { a, bounds } => {
                let (value, low, high) = (m.get(a), m.get(bounds), m.get(bounds + 1));
                if value < low || value > high {
                    return fault(FaultKind::Range { value, low, high });
                }
            }
            Op::Index { to, index, shape } => {
                let (low, length, stride) = (m.get(shape), m.get(shape + 1), m.get(shape + 2));
                let index = m.get(index);
                let offset = i64::from(index) - i64::from(low);
                if offset < 0 || offset >= i64::from(length) {
                    return fault(FaultKind::Index { index, low, length });
                }
                m.set(to, offset as i32 * stride);
            }
            Op::Load { to, base, offset } => m.set(to, m.get(base.wrapping_add_signed(m.get(offset)))),
            Op::Store { base, offset, from } => m.set(base.wrapping_add_signed(m.get(offset)), m.get(from)),
            Op::LoadRef { to, pointer, offset } => {
                let at = (m.get(pointer) as u32).wrapping_add_signed(m.get(offset));
                m.set(to, m.get(at));
            }
            Op::StoreRef { pointer, offset, from } => {
                let at = (m.get(pointer) as u32).wrapping_add_signed(m.get(offset));
                m.set(at, m.get(from));
            }
            Op::Point { to, base, offset } => m.set(to, base.wrapping_add_signed(m.get(offset)) as i32),
            Op::Copy { to, from, len } => {
                let (to, from) = (m.get(to) as u32, m.get(from) as u32);
                if let Err(kind) = fuel.burn(code, len) {
                    return fault(kind);
                }
                for i in 0..len {
                    m.set(to + i, m.get(from + i));
                }
            }
            Op::Same { a, b, len } => {
                let (x, y) = (m.get(a) as u32, m.get(b) as u32);
                if let Err(kind) = fuel.burn(code, len) {
                    return fault(kind);
                }
                let same = (0..len).all(|i| m.get(x + i) == m.get(y + i));
                m.set(a, i32::from(same));
            }
            Op::Bit { to, base, bit } => {
                let bit = m.get(bit);
                m.set(to, m.get(base + (bit as u32 >> 5)) >> (bit & 31) & 1);
            }
            Op::SetBit { base, bit, from } => {
                let bit = m.get(bit);
                let at = base + (bit as u32 >> 5);
                let mask = 1 << (bit & 31);
                m.set(at, if m.get(from) == 0 { m.get(at) & !mask } else { m.get(at) | mask });
            }
            Op::Lattice { call, at, to } => match elements::call(code, &code.calls[call as usize], at, m) {
                Ok(value) => m.set(to, value),
                Err(kind) => return fault(kind),
            },
            Op::Call { pc: to } => {
                if let Err(kind) = fuel.burn(code, CALL) {
                    return fault(kind);
                }
                returns.push(pc as u32);
                pc = to as usize;
            }
            Op::Return => match returns.pop() {
                Some(to) => pc = to as usize,
                None => return Ok(End::Nothing),
            },
            Op::SetClock { clock, value } => {
                let value = m.get(value);
                if value < 0 {
                    return fault(FaultKind::NegativeClock(value));
                }
                changes.push(ClockChange::Set { clock: m.get(clock) as u32, value });
            }
            Op::CopyClock { clock, from, plus } => changes.push(ClockChange::Copy {
                clock: m.get(clock) as u32,
                from: m.get(from) as u32,
                plus: m.get(plus),
            }),
            Op::Assert { a } => {
                if m.get(a) == 0 {
                    return fault(FaultKind::Assertion);
                }
            }
            Op::Trap => return fault(FaultKind::Unsupported),
            Op::Answer { truth } => return Ok(End::Truth(truth)),
            Op::Yield { a } => return Ok(End::Value(m.get(a))),
            Op::End => return Ok(End::Nothing),
        }
    }
}

/// `a op b` in 32 bits.
pub(crate) fn arith(op: Arith, a: i32, b: i32) -> Result<i32, FaultKind> {
    Ok(match op {
        Arith::Add => a.wrapping_add(b),
        Arith::Sub => a.wrapping_sub(b),
        Arith::Mul => a.wrapping_mul(b),
        Arith::Div | Arith::Mod if b == 0 => return Err(FaultKind::DivisionByZero),
        Arith::Div => a.wrapping_div(b),
        Arith::Mod => a.wrapping_rem(b),
        Arith::Pow => match u32::try_from(b) {
            Ok(exponent) => a.wrapping_pow(exponent),
            Err(_) => return Err(FaultKind::Shift(b)),
        },
        Arith::Shl | Arith::Shr if !(0..32).contains(&b) => return Err(FaultKind::Shift(b)),
        Arith::Shl => a.wrapping_shl(b as u32),
        Arith::Shr => a.wrapping_shr(b as u32),
        Arith::And => a & b,
        Arith::Or => a | b,
        Arith::Xor => a ^ b,
        Arith::Min => a.min(b),
        Arith::Max => a.max(b),
    })
}

/// A memory with the code that runs on it.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    code: &'a Code,
    memory: Vec<i32>,
    row: usize,
    returns: Vec<u32>,
    /// The clock changes of the last update, in order.
    pub changes: Vec<ClockChange>,
}

impl<'a> Machine<'a> {
    /// A machine for states of `row` numbers.
    #[must_use]
    pub fn new(code: &'a Code, row: usize) -> Machine<'a> {
        let mut memory = vec![0; row];
        memory.extend_from_slice(&code.constants);
        memory.resize(row + code.constants.len() + code.scratch as usize, 0);
        Machine { code, memory, row, returns: Vec::new(), changes: Vec::new() }
    }

    /// Makes `row` the current state. Its length is the machine's.
    pub fn load(&mut self, row: &[i32]) {
        self.memory[..self.row].copy_from_slice(row);
    }

    /// The current state.
    #[must_use]
    pub fn row(&self) -> &[i32] {
        &self.memory[..self.row]
    }

    /// The current state, to be changed.
    pub fn row_mut(&mut self) -> &mut [i32] {
        &mut self.memory[..self.row]
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// A run-time error of the model.
    #[inline]
    pub fn test(&mut self, pc: Pc) -> Result<bool, Fault> {
        // Most conditions are a few comparisons, with jumps ahead only: nothing that needs the whole machine.
        let mut at = pc.0 as usize;
        loop {
            match self.code.ops[at] {
                Op::JumpIf { cmp, a, b, by } if by >= 0 => {
                    at += 1;
                    if cmp.holds(self.memory[a as usize], self.memory[b as usize]) {
                        at += by as usize;
                    }
                }
                Op::Answer { truth } => return Ok(truth),
                _ => return self.test_rest(Pc(at as u32)),
            }
        }
    }

    fn test_rest(&mut self, pc: Pc) -> Result<bool, Fault> {
        match run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)? {
            End::Truth(truth) => Ok(truth),
            End::Value(value) => Ok(value != 0),
            End::Nothing => Ok(true),
        }
    }

    /// The value of an integer expression.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn value(&mut self, pc: Pc) -> Result<i32, Fault> {
        match run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)? {
            End::Value(value) => Ok(value),
            End::Truth(truth) => Ok(i32::from(truth)),
            End::Nothing => Ok(0),
        }
    }

    /// Runs an update on the current state. Clock changes are appended to [`Machine::changes`].
    ///
    /// # Errors
    /// A run-time error of the model; the state is then of no use.
    pub fn execute(&mut self, pc: Pc) -> Result<(), Fault> {
        let before = self.changes.len();
        run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)?;
        if !self.code.clocks.is_empty() {
            self.leave_out(before);
        }
        Ok(())
    }

    /// Renumbers the clocks of the changes from `first` on, and drops changes of clocks that are left out.
    fn leave_out(&mut self, first: usize) {
        let mut kept = first;
        for i in first..self.changes.len() {
            // Where clocks are left out none is set to the value of another.
            if let ClockChange::Set { clock, value } = self.changes[i]
                && let Some(clock) = self.code.clock(clock)
            {
                self.changes[kept] = ClockChange::Set { clock, value };
                kept += 1;
            }
        }
        self.changes.truncate(kept);
    }

    /// The clock whose number an expression yields; only of clocks that are compared.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn clock(&mut self, pc: Pc) -> Result<u32, Fault> {
        let number = self.value(pc)? as u32;
        Ok(self.code.clock(number).unwrap_or(0))
    }
}
