//! Code on numbers, along one path.

use super::{ClockChange, Fault, FaultKind, RealContext};
use crate::{
    code::{Addr, Code, Pc, Region},
    interpret::{self, CodeResult, Domain, Memory},
    operation::{Arith, Cmp, Unary},
};

/// The limit on instructions of one run.
pub(super) const FUEL: u32 = 50_000_000;
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
        if let Some(stop) = code.stopped() {
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
    environment: &'r mut RealContext,
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
        let (clock, value) = (self.memory.get(clock) as u32, self.memory.get(value));
        self.changes.push(ClockChange::Set { clock, value });
        self.environment.set_clock(clock, f64::from(value));
        Ok(())
    }

    #[inline]
    fn copy_clock(&mut self, clock: Addr, from: Addr, plus: Addr) -> Result<(), FaultKind> {
        let (clock, from) = (self.memory.get(clock) as u32, self.memory.get(from) as u32);
        let plus = self.memory.get(plus);
        self.changes.push(ClockChange::Copy { clock, from, plus });
        self.environment.set_clock(clock, self.environment.clock(from) + f64::from(plus));
        Ok(())
    }

    #[inline]
    fn plain(&mut self) -> Result<&mut M, FaultKind> {
        Ok(self.memory)
    }

    #[inline]
    fn reals(&mut self) -> Result<(&mut M, &mut RealContext), FaultKind> {
        Ok((self.memory, self.environment))
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
    environment: &mut RealContext,
) -> Result<CodeResult<i32>, Fault> {
    returns.clear();
    // Kept separate, so that the rest stays in registers.
    let mut fuel = Fuel::full();
    let mut numbers = Numbers { code, pc: pc.0, returns, memory, changes, environment, fuel: &mut fuel };
    loop {
        match interpret::step(code, &mut numbers) {
            Ok(None) => {}
            Ok(Some(end)) => return Ok(end),
            Err(kind) => return Err(Fault { kind, pc: numbers.pc }),
        }
    }
}
