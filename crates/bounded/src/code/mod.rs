//! The effect of code, as terms over the variables of a row.
//!
//! Code is executed symbolically on all paths at once. Paths that reach the same instruction are
//! merged, with values that are guarded by the path taken; so the number of paths does not double
//! with every condition. Loops are unrolled as long as their condition may hold.
//!
//! Code that can fail has a term for that, the *fault*. Where the fault holds, all other results
//! are meaningless.

mod domain;
mod paths;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    System,
    code::Pc,
    interpret::CodeResult,
    system::{ClockTerm, Operand},
};
use smt::{Term, Terms};

use crate::{
    error::{EncodingError, Unsupported},
    guarded::{GuardedValue, Integer},
};
pub(crate) use domain::compare;
use paths::CodeRun;

/// The value of a clock: the previous value of a clock plus a number. Clock 0 is always zero.
pub type ClockValue = GuardedValue<(u32, i64)>;

/// The largest number that clocks are compared with. Solvers add up as many of them as there are
/// steps.
const MAX_CONSTANT: u64 = 1 << 40;

/// Returns whether a limit was reached. Every loop that is long for a large model calls it.
pub type Stop<'a> = dyn Fn() -> bool + 'a;

/// Fails if a limit was reached.
pub(crate) fn check_stop(stop: &Stop<'_>) -> Result<(), EncodingError> {
    if stop() { Err(EncodingError::Stopped) } else { Ok(()) }
}

/// The effect of an update.
#[derive(Clone, Debug)]
pub struct UpdateEffect {
    /// The written variables of the row, in order, with their new values.
    pub row: Vec<(u32, Integer)>,
    /// The assigned clocks, in order, with their new values.
    pub clocks: Vec<(u32, ClockValue)>,
    /// The fault, except for clocks that become negative.
    pub fault: Term,
    /// Where a term holds, the clock plus the number must not be negative.
    pub copies: Vec<(Term, (u32, i64))>,
}

/// An encoder of the code of a system.
#[derive(Clone, Copy)]
pub struct Conditions<'s> {
    system: &'s System,
    stop: &'s Stop<'s>,
}

/// The row before some code, by slot.
pub(crate) type SymbolicRow<'r> = dyn Fn(u32) -> Integer + 'r;

impl<'s> Conditions<'s> {
    /// Creates an encoder.
    #[must_use]
    pub fn new(system: &'s System, stop: &'s Stop<'s>) -> Conditions<'s> {
        Conditions { system, stop }
    }

    /// Executes code on all paths.
    fn run<'r>(
        &'r self,
        terms: &mut Terms,
        row: &'r SymbolicRow<'r>,
        pc: Pc,
        condition: Term,
        clocks: &'r dyn Fn(u32) -> ClockValue,
    ) -> Result<CodeRun<'r>, EncodingError> {
        CodeRun::new((self.system, self.stop), terms, row, pc, condition, clocks)
    }

    /// Encodes a condition. Returns its truth and its fault.
    ///
    /// # Errors
    /// The code has an unsupported feature, or a limit was reached.
    pub fn condition(&self, terms: &mut Terms, pc: Pc, row: &SymbolicRow<'_>) -> Result<(Term, Term), EncodingError> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let mut yes = Vec::new();
        for (end, condition) in run.ends.iter().map(|(end, path)| (end, path.condition)) {
            yes.push(match end {
                CodeResult::Truth(true) | CodeResult::Nothing => condition,
                CodeResult::Truth(false) => continue,
                CodeResult::Value(value) => {
                    let truth = value.holds(terms, |v| v != 0);
                    terms.and([condition, truth])
                }
            });
        }
        let truth = terms.or(yes);
        let fault = terms.or(run.faults);
        Ok((truth, fault))
    }

    /// Returns the variables that a condition constrains, with the values that they may have where
    /// it holds. `None`: it never holds.
    pub(crate) fn constrained(
        &self,
        terms: &mut Terms,
        pc: Pc,
        row: &SymbolicRow<'_>,
    ) -> Result<Option<BTreeMap<u32, BTreeSet<i32>>>, EncodingError> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let may_hold = |end: &CodeResult<Integer>| match end {
            CodeResult::Truth(truth) => *truth,
            CodeResult::Nothing => true,
            CodeResult::Value(value) => value.values().iter().any(|(v, _)| *v != 0),
        };
        let ends = || run.ends.iter().filter(|(end, _)| may_hold(end)).map(|(_, path)| path);
        if ends().next().is_none() {
            return Ok(None);
        }
        let is_row = |addr: &&u32| (**addr as usize) < self.system.initial.len();
        let slots: BTreeSet<u32> = ends().flat_map(|path| path.cells.keys().filter(is_row)).copied().collect();
        let values =
            |slot: u32| ends().flat_map(|path| run.read(path, slot).values().to_vec()).map(|(v, _)| v).collect();
        Ok(Some(slots.into_iter().map(|slot| (slot, values(slot))).collect()))
    }

    /// Encodes an integer expression. Returns its value and its fault.
    ///
    /// # Errors
    /// The code has an unsupported feature, or a limit was reached.
    pub(crate) fn value(
        &self,
        terms: &mut Terms,
        pc: Pc,
        row: &SymbolicRow<'_>,
    ) -> Result<(Integer, Term), EncodingError> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let mut values = Vec::new();
        for (end, path) in &run.ends {
            match end {
                CodeResult::Truth(truth) => values.push((i32::from(*truth), path.condition)),
                CodeResult::Nothing => values.push((0, path.condition)),
                CodeResult::Value(value) => {
                    for (v, term) in value.values() {
                        values.push((*v, terms.and([path.condition, *term])));
                    }
                }
            }
        }
        let value = GuardedValue::collect(terms, values);
        let fault = terms.or(run.faults);
        Ok((value, fault))
    }

    /// Encodes an operand. Returns its value and its fault.
    ///
    /// # Errors
    /// The code has an unsupported feature, or a limit was reached.
    pub(crate) fn operand(
        &self,
        terms: &mut Terms,
        operand: Operand,
        row: &SymbolicRow<'_>,
    ) -> Result<(GuardedValue<i64>, Term), EncodingError> {
        match operand {
            Operand::Const(value) if value.unsigned_abs() > MAX_CONSTANT => {
                Err(Unsupported::LargeConstants { value, max: MAX_CONSTANT }.into())
            }
            Operand::Const(n) => Ok((GuardedValue::known(n), Term::FALSE)),
            Operand::Code { pc, .. } => {
                let (number, fault) = self.value(terms, pc, row)?;
                Ok((number.map(terms, |n| Some(i64::from(n))), fault))
            }
        }
    }

    /// Encodes a clock. Returns its index and its fault.
    ///
    /// # Errors
    /// The code has an unsupported feature, or a limit was reached.
    pub(crate) fn clock(
        &self,
        terms: &mut Terms,
        clock: ClockTerm,
        row: &SymbolicRow<'_>,
    ) -> Result<(GuardedValue<u32>, Term), EncodingError> {
        match clock {
            ClockTerm::Clock(x) => Ok((GuardedValue::known(x.0), Term::FALSE)),
            ClockTerm::Element { pc, .. } => {
                let (number, fault) = self.value(terms, pc, row)?;
                let code = &self.system.code;
                Ok((number.map(terms, |n| Some(code.clock(n as u32).unwrap_or(0))), fault))
            }
        }
    }

    /// Encodes an update that is executed where `when` holds; elsewhere the result does not matter.
    /// `clocks` returns the clocks before the update.
    ///
    /// # Errors
    /// The code has an unsupported feature, or a limit was reached.
    pub fn update(
        &self,
        terms: &mut Terms,
        pc: Pc,
        row: &SymbolicRow<'_>,
        clocks: &dyn Fn(u32) -> ClockValue,
        when: Term,
    ) -> Result<UpdateEffect, EncodingError> {
        let mut run = self.run(terms, row, pc, when, clocks)?;
        let fault = terms.or(run.faults.iter().copied());
        let copies = std::mem::take(&mut run.copies);
        let Some(end) = run.merge_ends(terms) else {
            return Ok(UpdateEffect { row: Vec::new(), clocks: Vec::new(), fault, copies });
        };
        let written = end.written.iter().map(|slot| (*slot, end.cells[slot].clone())).collect();
        Ok(UpdateEffect { row: written, clocks: end.clocks.into_iter().collect(), fault, copies })
    }
}
