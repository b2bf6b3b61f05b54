//! Runs compiled expressions.

mod compiled;
pub(crate) mod elements;
mod fault;
mod numbers;
mod order;
pub(crate) mod reals;

use crate::{
    System,
    code::{Code, Op, Pc},
    interpret::{self, CodeResult},
};

use compiled::Translations;
pub use fault::{Fault, FaultKind};
pub(crate) use numbers::{Unlinked, run};
pub use reals::{Draws, RealContext};

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

/// A memory with the code that runs on it.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    code: &'a Code,
    memory: Vec<i32>,
    row: usize,
    returns: Vec<u32>,
    /// The clock changes of the last update, in order.
    pub changes: Vec<ClockChange>,
    /// What code with floating-point numbers has beside the memory.
    pub environment: RealContext,
    /// Translated code, for machines that run it often.
    translations: Option<(&'a System, Translations)>,
    /// A buffer for the state before a run.
    saved: Vec<i32>,
}

impl<'a> Machine<'a> {
    /// Creates a machine for states of `row` numbers.
    #[must_use]
    pub fn new(code: &'a Code, row: usize) -> Machine<'a> {
        let (returns, changes, saved) = (Vec::new(), Vec::new(), Vec::new());
        let environment = RealContext::default();
        Machine { code, memory: code.memory(row), row, returns, changes, environment, translations: None, saved }
    }

    /// Creates a machine that translates code for speed. Results are those of other machines, which
    /// interpret it.
    #[must_use]
    pub fn translating(system: &'a System) -> Machine<'a> {
        let mut machine = Machine::new(&system.code, system.initial.len());
        machine.translations =
            Translations::new(&system.code, machine.memory.len()).map(|translations| (system, translations));
        machine
    }

    /// Returns the size in bytes of the results of conditions that it keeps.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.translations.as_ref().map_or(0, |(_, translations)| translations.known_bytes)
    }

    /// Drops the results of conditions, and keeps none from now on.
    pub fn forget_results(&mut self) {
        self.translations.iter_mut().for_each(|(_, translations)| translations.forget_results());
    }

    /// Sets the current state to `row`, which must have the machine's length.
    #[inline]
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
        // Most conditions are a few comparisons, also of bits, with forward jumps. They do not need
        // the whole machine, which begins again for others.
        let mut at = pc.0;
        loop {
            match self.code.op(at) {
                Op::JumpIf { cmp, a, b, by } if by >= 0 => {
                    at += 1;
                    if cmp.holds(self.memory[a as usize], self.memory[b as usize]) {
                        at += by as u32;
                    }
                }
                Op::Bit { to, base, bit } => {
                    at += 1;
                    interpret::read_bit(&mut self.memory, to, base, bit);
                }
                Op::Answer { truth } => return Ok(truth),
                _ => return self.test_rest(pc),
            }
        }
    }

    fn test_rest(&mut self, pc: Pc) -> Result<bool, Fault> {
        if let Some((system, translations)) = &mut self.translations
            && let Some(truth) = compiled::test(system, pc.0, translations, &mut self.memory, &mut self.changes)
        {
            return Ok(truth);
        }
        match run(self.code, pc, &mut self.memory, &mut self.returns, &mut self.changes, &mut self.environment)? {
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
        // Most bounds of clocks are variables or constants.
        if let Op::Yield { a } = self.code.op(pc.0) {
            return Ok(self.memory[a as usize]);
        }
        match self.run(pc)? {
            CodeResult::Value(value) => Ok(value),
            CodeResult::Truth(truth) => Ok(i32::from(truth)),
            CodeResult::Nothing => Ok(0),
        }
    }

    /// Returns the value of a floating-point expression.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn real(&mut self, pc: Pc) -> Result<f64, Fault> {
        self.run(pc)?;
        Ok(self.environment.result)
    }

    /// Runs an update on the current state. Clock changes are appended to [`Machine::changes`].
    ///
    /// # Errors
    /// A run-time error of the model; the state is then undefined.
    #[inline]
    pub fn execute(&mut self, pc: Pc) -> Result<(), Fault> {
        let before = self.changes.len();
        self.run(pc)?;
        if !self.code.clocks.is_empty() {
            self.leave_out(before);
        }
        Ok(())
    }

    #[inline]
    fn run(&mut self, pc: Pc) -> Result<CodeResult<i32>, Fault> {
        let Machine { code, memory, row, returns, changes, environment, translations, saved } = self;
        if let Some((_, translations)) = translations
            && let Some(result) = compiled::run(code, pc.0, translations, memory, *row, changes, saved)
        {
            return Ok(result);
        }
        run(code, pc, memory, returns, changes, environment)
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
