//! Runs compiled expressions.

pub(crate) mod elements;
mod order;

use syntax::Span;

use crate::{
    Stop,
    code::{Addr, Code, Op, Pc, Region},
    interpret::{self, CodeResult, Domain, Memory},
    operation::{Arith, Cmp, Unary},
};

/// A change of a clock. An update may make several, which apply in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClockChange {
    /// Sets a clock to a number.
    Set {
        /// The clock.
        clock: u32,
        /// The number, which is not negative.
        value: i32,
    },
    /// Sets a clock to another clock plus a number.
    Copy {
        /// The clock.
        clock: u32,
        /// The other clock.
        from: u32,
        /// The number.
        plus: i32,
    },
}

/// The kinds of run-time errors. UPPAAL ends a verification at such an error, and so do we.
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
        /// The length of the array.
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
    /// A loop that seems to diverge.
    Endless,
    /// Code for something that symbolic analysis does not support.
    Unsupported,
    /// Not an error of the model: the computation was stopped.
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

/// A run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The instruction that failed.
    pub pc: u32,
}

impl Fault {
    /// Returns the span of the text that failed.
    #[must_use]
    pub fn span(&self, code: &Code) -> Span {
        code.site(self.pc)
    }
}

/// The limit on instructions of one run.
pub(crate) const FUEL: u32 = 50_000_000;
/// The number of instructions between two polls of the signal.
const STAGE: u32 = 1 << 16;

/// The remaining instructions of a run.
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

/// The memory of code that is not linked yet: constants and scratch space, by region. Nothing else
/// is constant.
pub(crate) struct Unlinked<'a> {
    pub constants: &'a [i32],
    pub scratch: Vec<i32>,
    /// Whether something was read that is not constant.
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

/// The domain of numbers, along one path.
struct Numbers<'r, M> {
    code: &'r Code,
    pc: u32,
    returns: &'r mut Vec<u32>,
    memory: &'r mut M,
    changes: &'r mut Vec<ClockChange>,
    fuel: &'r mut Fuel,
}

impl<M: Memory> Domain for Numbers<'_, M> {
    type Value = i32;
    type Index = i32;
    type Halt = FaultKind;
    type Memory = M;

    #[inline]
    fn control(&mut self) -> (&mut u32, &mut Vec<u32>) {
        (&mut self.pc, self.returns)
    }

    #[inline]
    fn read(&mut self, at: Addr) -> i32 {
        self.memory.get(at)
    }

    #[inline]
    fn write(&mut self, at: Addr, value: i32) {
        self.memory.set(at, value);
    }

    #[inline]
    fn unary(&mut self, op: Unary, a: &i32) -> i32 {
        op.apply(*a)
    }

    #[inline]
    fn arith(&mut self, op: Arith, a: &i32, b: &i32) -> Result<i32, FaultKind> {
        op.apply(*a, *b)
    }

    #[inline]
    fn compare(&mut self, cmp: Cmp, a: &i32, b: &i32) -> i32 {
        i32::from(cmp.holds(*a, *b))
    }

    #[inline]
    fn branch(&mut self, cmp: Cmp, a: Addr, b: Addr, _: u32) -> Result<bool, FaultKind> {
        Ok(cmp.holds(self.memory.get(a), self.memory.get(b)))
    }

    #[inline]
    fn require(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        fault: impl Fn(i32) -> FaultKind,
    ) -> Result<(), FaultKind> {
        let value = self.memory.get(at);
        if legal(value) { Ok(()) } else { Err(fault(value)) }
    }

    #[inline]
    fn fail(&mut self, fault: FaultKind) -> FaultKind {
        fault
    }

    #[inline]
    fn fixed(&mut self, at: Addr) -> Result<i32, FaultKind> {
        Ok(self.memory.get(at))
    }

    #[inline]
    fn index(&mut self, at: Addr) -> Result<i32, FaultKind> {
        Ok(self.memory.get(at))
    }

    #[inline]
    fn map(&mut self, index: &i32, f: impl Fn(i32) -> i32) -> i32 {
        f(*index)
    }

    #[inline]
    fn sum(&mut self, a: &i32, b: &i32) -> Result<i32, FaultKind> {
        Ok(a.wrapping_add(*b))
    }

    #[inline]
    fn value(&mut self, index: i32) -> i32 {
        index
    }

    #[inline]
    fn load(&mut self, at: &i32) -> i32 {
        self.memory.get(*at as u32)
    }

    #[inline]
    fn store(&mut self, at: &i32, value: i32) {
        self.memory.set(*at as u32, value);
    }

    #[inline]
    fn same(&mut self, a: &i32, b: &i32, len: u32) -> i32 {
        let (a, b) = (*a as u32, *b as u32);
        i32::from((0..len).all(|i| self.memory.get(a + i) == self.memory.get(b + i)))
    }

    #[inline]
    fn set_clock(&mut self, clock: Addr, value: Addr) -> Result<(), FaultKind> {
        let clock = self.memory.get(clock) as u32;
        self.changes.push(ClockChange::Set { clock, value: self.memory.get(value) });
        Ok(())
    }

    #[inline]
    fn copy_clock(&mut self, clock: Addr, from: Addr, plus: Addr) -> Result<(), FaultKind> {
        let (clock, from) = (self.memory.get(clock) as u32, self.memory.get(from) as u32);
        self.changes.push(ClockChange::Copy { clock, from, plus: self.memory.get(plus) });
        Ok(())
    }

    #[inline]
    fn plain(&mut self) -> Result<&mut M, FaultKind> {
        Ok(self.memory)
    }

    #[inline]
    fn spend(&mut self, amount: u32) -> Result<(), FaultKind> {
        self.fuel.burn(self.code, amount)
    }
}

/// Runs code from `pc` to its end.
pub(crate) fn run<M: Memory>(
    code: &Code,
    pc: Pc,
    memory: &mut M,
    returns: &mut Vec<u32>,
    changes: &mut Vec<ClockChange>,
) -> Result<CodeResult<i32>, Fault> {
    returns.clear();
    // Kept separate, so that the rest stays in registers.
    let mut fuel = Fuel::full();
    let mut numbers = Numbers { code, pc: pc.0, returns, memory, changes, fuel: &mut fuel };
    loop {
        match interpret::step(code, &mut numbers) {
            Ok(None) => {}
            Ok(Some(end)) => return Ok(end),
            Err(kind) => return Err(Fault { kind, pc: numbers.pc }),
        }
    }
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
    /// Creates a machine for states of `row` numbers.
    #[must_use]
    pub fn new(code: &'a Code, row: usize) -> Machine<'a> {
        Machine { code, memory: code.memory(row), row, returns: Vec::new(), changes: Vec::new() }
    }

    /// Sets the current state to `row`, which must have the machine's length.
    pub fn load(&mut self, row: &[i32]) {
        self.memory[..self.row].copy_from_slice(row);
    }

    /// Returns the current state.
    #[must_use]
    pub fn row(&self) -> &[i32] {
        &self.memory[..self.row]
    }

    /// Returns the current state for changes.
    pub fn row_mut(&mut self) -> &mut [i32] {
        &mut self.memory[..self.row]
    }

    /// Returns whether a condition holds.
    ///
    /// # Errors
    /// A run-time error of the model.
    #[inline]
    pub fn test(&mut self, pc: Pc) -> Result<bool, Fault> {
        // Most conditions are a few comparisons with forward jumps, which do not need the whole
        // machine.
        let mut at = pc.0;
        loop {
            match self.code.op(at) {
                Op::JumpIf { cmp, a, b, by } if by >= 0 => {
                    at += 1;
                    if cmp.holds(self.memory[a as usize], self.memory[b as usize]) {
                        at += by as u32;
                    }
                }
                Op::Answer { truth } => return Ok(truth),
                _ => return self.test_rest(Pc(at)),
            }
        }
    }

    fn test_rest(&mut self, pc: Pc) -> Result<bool, Fault> {
        match run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)? {
            CodeResult::Truth(truth) => Ok(truth),
            CodeResult::Value(value) => Ok(value != 0),
            CodeResult::Nothing => Ok(true),
        }
    }

    /// Returns the value of an integer expression.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn value(&mut self, pc: Pc) -> Result<i32, Fault> {
        match run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)? {
            CodeResult::Value(value) => Ok(value),
            CodeResult::Truth(truth) => Ok(i32::from(truth)),
            CodeResult::Nothing => Ok(0),
        }
    }

    /// Runs an update on the current state. Clock changes are appended to [`Machine::changes`].
    ///
    /// # Errors
    /// A run-time error of the model; the state is then undefined.
    pub fn execute(&mut self, pc: Pc) -> Result<(), Fault> {
        let before = self.changes.len();
        run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes)?;
        if !self.code.clocks.is_empty() {
            self.leave_out(before);
        }
        Ok(())
    }

    /// Renumbers the clocks of the changes from `first` on, and drops changes of clocks that were
    /// projected away.
    fn leave_out(&mut self, first: usize) {
        let mut kept = first;
        for i in first..self.changes.len() {
            // A system with projected clocks sets no clock to the value of another.
            if let ClockChange::Set { clock, value } = self.changes[i]
                && let Some(clock) = self.code.clock(clock)
            {
                self.changes[kept] = ClockChange::Set { clock, value };
                kept += 1;
            }
        }
        self.changes.truncate(kept);
    }

    /// Returns the clock whose number an expression yields. It must be a clock that is compared.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn clock(&mut self, pc: Pc) -> Result<u32, Fault> {
        let number = self.value(pc)? as u32;
        Ok(self.code.clock(number).unwrap_or(0))
    }
}
