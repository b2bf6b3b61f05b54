//! What code does, as terms over the values of a row.
//!
//! Code is followed on all paths at once. Where paths meet again they become one, with values that
//! depend on which of them was taken; so the number of paths does not double with every condition.
//! Loops are followed as long as they may go on.
//!
//! What can fail gives a term of its own, the *fault*. Where it holds nothing else that was found
//! means anything.

mod step;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use model::{
    System,
    code::Pc,
    interpret::CodeResult,
    system::{ClockTerm, Operand},
};
use smt::{Term, Terms};

use crate::choice::{Choice, Integer};
pub(crate) use step::compare;
use walk::Run;

/// A clock that is another one of before plus a number. Clock 0 makes it the number alone.
pub type ClockValue = Choice<(u32, i64)>;

/// Clocks are compared with no larger numbers: solvers add up as many of them as there are steps.
const MOST: u64 = 1 << 40;

/// Why no formula is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Something that is not turned into formulas, as a noun in the plural.
    Lacks(String),
    /// A limit was reached while the formula was made.
    Stopped,
}

/// Whether to give up: asked in every loop that a large model makes long.
pub type Stop<'a> = dyn Fn() -> bool + 'a;

/// Gives up where a limit is reached.
pub(crate) fn go_on(stop: &Stop<'_>) -> Result<(), Refused> {
    if stop() { Err(Refused::Stopped) } else { Ok(()) }
}

/// What an update does.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The numbers of the row that are written, in order, and what they become.
    pub row: Vec<(u32, Integer)>,
    /// The clocks that are set, in order, and what they become.
    pub clocks: Vec<(u32, ClockValue)>,
    /// Where it fails, but for clocks that become negative.
    pub fault: Term,
    /// Where each of the terms holds the clock plus the number must not be negative.
    pub copies: Vec<(Term, (u32, i64))>,
}

/// Turns the code of a system into terms.
#[derive(Clone, Copy)]
pub struct Conditions<'s> {
    system: &'s System,
    stop: &'s Stop<'s>,
}

/// A row before some code, by the places of its numbers.
pub type Row<'r> = dyn Fn(u32) -> Integer + 'r;

impl<'s> Conditions<'s> {
    /// For the code of a system.
    #[must_use]
    pub fn new(system: &'s System, stop: &'s Stop<'s>) -> Conditions<'s> {
        Conditions { system, stop }
    }

    /// Follows some code on all paths.
    fn run<'r>(
        &'r self,
        terms: &mut Terms,
        row: &'r Row<'r>,
        pc: Pc,
        condition: Term,
        clocks: &'r dyn Fn(u32) -> ClockValue,
    ) -> Result<Run<'r>, Refused> {
        Run::of((self.system, self.stop), terms, row, pc, condition, clocks)
    }

    /// Where a condition holds, and where it fails.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn condition(&self, terms: &mut Terms, pc: Pc, row: &Row<'_>) -> Result<(Term, Term), Refused> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let mut yes = Vec::new();
        for (ended, condition) in run.ends.iter().map(|(ended, walk)| (ended, walk.condition)) {
            yes.push(match ended {
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

    /// The numbers of which a condition says something, and the values that they may have where it
    /// holds. `None`: it holds nowhere.
    pub(crate) fn learned(
        &self,
        terms: &mut Terms,
        pc: Pc,
        row: &Row<'_>,
    ) -> Result<Option<BTreeMap<u32, BTreeSet<i32>>>, Refused> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let may_hold = |ended: &CodeResult<Integer>| match ended {
            CodeResult::Truth(truth) => *truth,
            CodeResult::Nothing => true,
            CodeResult::Value(value) => value.values().iter().any(|(v, _)| *v != 0),
        };
        let ends = || run.ends.iter().filter(|(ended, _)| may_hold(ended)).map(|(_, walk)| walk);
        if ends().next().is_none() {
            return Ok(None);
        }
        let is_row = |addr: &&u32| (**addr as usize) < self.system.initial.len();
        let slots: BTreeSet<u32> = ends().flat_map(|walk| walk.cells.keys().filter(is_row)).copied().collect();
        let values =
            |slot: u32| ends().flat_map(|walk| run.read(walk, slot).values().to_vec()).map(|(v, _)| v).collect();
        Ok(Some(slots.into_iter().map(|slot| (slot, values(slot))).collect()))
    }

    /// The value of an integer expression, and where it fails.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn value(&self, terms: &mut Terms, pc: Pc, row: &Row<'_>) -> Result<(Integer, Term), Refused> {
        let run = self.run(terms, row, pc, Term::TRUE, &|x| ClockValue::known((x, 0)))?;
        let mut values = Vec::new();
        for (ended, walk) in &run.ends {
            match ended {
                CodeResult::Truth(truth) => values.push((i32::from(*truth), walk.condition)),
                CodeResult::Nothing => values.push((0, walk.condition)),
                CodeResult::Value(value) => {
                    for (v, term) in value.values() {
                        values.push((*v, terms.and([walk.condition, *term])));
                    }
                }
            }
        }
        let value = Choice::collect(terms, values);
        let fault = terms.or(run.faults);
        Ok((value, fault))
    }

    /// The value of an operand, and where it fails.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn operand(&self, terms: &mut Terms, operand: Operand, row: &Row<'_>) -> Result<(Choice<i64>, Term), Refused> {
        match operand {
            Operand::Const(n) if n.unsigned_abs() > MOST => {
                Err(Refused::Lacks(format!("clock constants above {MOST}, such as {n}")))
            }
            Operand::Const(n) => Ok((Choice::known(n), Term::FALSE)),
            Operand::Code { pc, .. } => {
                let (number, fault) = self.value(terms, pc, row)?;
                Ok((number.map(terms, |n| Some(i64::from(n))), fault))
            }
        }
    }

    /// The number of a clock, and where it fails.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn clock(&self, terms: &mut Terms, clock: ClockTerm, row: &Row<'_>) -> Result<(Choice<u32>, Term), Refused> {
        match clock {
            ClockTerm::Clock(x) => Ok((Choice::known(x.0), Term::FALSE)),
            ClockTerm::Element { pc, .. } => {
                let (number, fault) = self.value(terms, pc, row)?;
                let code = &self.system.code;
                Ok((number.map(terms, |n| Some(code.clock(n as u32).unwrap_or(0))), fault))
            }
        }
    }

    /// What an update does where `when` holds. Elsewhere what it finds does not matter. `clocks`
    /// has the clocks before it.
    ///
    /// # Errors
    /// What can't be followed.
    pub fn update(
        &self,
        terms: &mut Terms,
        pc: Pc,
        row: &Row<'_>,
        clocks: &dyn Fn(u32) -> ClockValue,
        when: Term,
    ) -> Result<Effect, Refused> {
        let mut run = self.run(terms, row, pc, when, clocks)?;
        let fault = terms.or(run.faults.iter().copied());
        let copies = std::mem::take(&mut run.copies);
        let Some(end) = run.join_ends(terms) else {
            return Ok(Effect { row: Vec::new(), clocks: Vec::new(), fault, copies });
        };
        let written = end.written.iter().map(|slot| (*slot, end.cells[slot].clone())).collect();
        Ok(Effect { row: written, clocks: end.clocks.into_iter().collect(), fault, copies })
    }
}
