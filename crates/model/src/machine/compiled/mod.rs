//! Code that runs often, translated for this: functions are copied into what calls them, their
//! constants are known there, and several instructions become one step.
//!
//! The interpreter stays the definition of what code does. Whatever a translation does not cover
//! (a failure, a long run, code that is too large, lattices) is left to it.

mod inline;
mod known;
mod simplify;
mod steps;
mod translate;

use crate::{System, code::Code, interpret::CodeResult, machine::ClockChange};
use known::Known;
use simplify::{Cells, Constants};
use steps::{SIZE, Steps};

/// The number of times that code is simplified: what one pass finds allows the next one to find
/// more.
const PASSES: usize = 3;

/// The translations of some code, each made when it runs for the first time.
#[derive(Clone, Debug)]
pub(super) struct Translations {
    /// The index of the translation of the code from each instruction on, [`REFUSED`] if there is
    /// none, and [`UNKNOWN`] if it was never run.
    of: Vec<u32>,
    all: Vec<Translation>,
    /// The ranges of scratch space that hold several numbers, without repetition.
    wide: Vec<(u32, u32)>,
    /// The first address after the memory of the code.
    end: u32,
    /// The constants from there on.
    added: Vec<i32>,
    /// The size of all known results in bytes.
    pub(super) known_bytes: usize,
    /// Whether results are kept.
    keeps: bool,
}

/// A translation.
#[derive(Clone, Debug)]
struct Translation {
    steps: Steps,
    /// Its results, if it is a long condition that was tested.
    known: Option<Box<Known>>,
}

const UNKNOWN: u32 = u32::MAX;
const REFUSED: u32 = u32::MAX - 1;

impl Translations {
    /// Prepares translations of code whose memory has a size; `None` if it is too large.
    pub(super) fn new(code: &Code, memory: usize) -> Option<Translations> {
        if memory > SIZE {
            return None;
        }
        let mut wide: Vec<(u32, u32)> = code.wide().map(|range| (range.start as u32, range.end as u32)).collect();
        wide.sort_unstable();
        wide.dedup();
        let of = vec![UNKNOWN; code.len()];
        Some(Translations {
            of,
            all: Vec::new(),
            wide,
            end: memory as u32,
            added: Vec::new(),
            known_bytes: 0,
            keeps: true,
        })
    }

    /// Drops all results of conditions, and keeps none from now on.
    pub(super) fn forget_results(&mut self) {
        self.all.iter_mut().for_each(|translation| translation.known = None);
        (self.known_bytes, self.keeps) = (0, false);
    }

    /// Returns the translation of the code from `pc` on. Constants that it needs are written to
    /// memory.
    #[inline]
    fn get(&mut self, code: &Code, pc: u32, memory: &mut Vec<i32>) -> Option<&mut Translation> {
        let mut known = self.of[pc as usize];
        if known == UNKNOWN {
            known = self.translate(code, pc, memory);
        }
        self.all.get_mut(known as usize)
    }

    #[cold]
    fn translate(&mut self, code: &Code, pc: u32, memory: &mut Vec<i32>) -> u32 {
        if memory.len() < SIZE {
            // Pages that are not used take no memory.
            let mut large = vec![0; SIZE];
            large[..memory.len()].copy_from_slice(memory);
            *memory = large;
        }
        let added = self.added.len();
        let found = match self.steps(code, pc) {
            Some(steps) if self.end as usize + self.added.len() <= SIZE => {
                self.all.push(Translation { steps, known: None });
                self.all.len() as u32 - 1
            }
            _ => {
                self.added.truncate(added);
                REFUSED
            }
        };
        memory[self.end as usize..][..self.added.len()].copy_from_slice(&self.added);
        self.of[pc as usize] = found;
        found
    }

    fn steps(&mut self, code: &Code, pc: u32) -> Option<Steps> {
        let (mut insts, work) = inline::inline(code, pc)?;
        let cells = Cells::new(code, &self.wide, &insts);
        let mut constants = Constants::new(code, self.end, &mut self.added);
        for _ in 0..PASSES {
            simplify::propagate(&mut insts, &cells, &mut constants);
            if !simplify::remove_dead(&mut insts, &cells, &constants) {
                return None;
            }
        }
        simplify::write_directly(&mut insts, &cells);
        translate::translate(&insts, work, &cells, &constants)
    }
}

/// Runs code on a memory of [`SIZE`] numbers; `None`: it has to be interpreted. `row` is the number
/// of integers of a state, which are then as they were.
#[inline]
pub(super) fn run(
    code: &Code,
    pc: u32,
    translations: &mut Translations,
    memory: &mut Vec<i32>,
    row: usize,
    changes: &mut Vec<ClockChange>,
    saved: &mut Vec<i32>,
) -> Option<CodeResult<i32>> {
    let steps = &translations.get(code, pc, memory)?.steps;
    let memory: &mut [i32; SIZE] = memory.as_mut_slice().try_into().ok()?;
    if !steps.may_give_up {
        return steps.run(memory, changes);
    }
    let before = changes.len();
    saved.clear();
    saved.extend_from_slice(&memory[..row]);
    let result = steps.run(memory, changes);
    if result.is_none() {
        memory[..row].copy_from_slice(saved);
        changes.truncate(before);
    }
    result
}

/// Tests a condition on a memory of [`SIZE`] numbers; `None`: it has to be interpreted.
#[inline]
pub(super) fn test(
    system: &System,
    pc: u32,
    translations: &mut Translations,
    memory: &mut Vec<i32>,
    changes: &mut Vec<ClockChange>,
) -> Option<bool> {
    let keeps = translations.keeps;
    let Translation { steps, known } = translations.get(&system.code, pc, memory)?;
    let m: &mut [i32; SIZE] = memory.as_mut_slice().try_into().ok()?;
    if !steps.are_many() || !keeps {
        return truth(steps.run(m, changes)?);
    }
    let Some(known) = known else {
        let new = Box::new(Known::new(system, pc));
        let bytes = new.bytes();
        *known = Some(new);
        translations.known_bytes += bytes;
        return test(system, pc, translations, memory, changes);
    };
    if let Some(result) = known.look_up(m) {
        return Some(result);
    }
    let result = truth(steps.run(m, changes)?)?;
    known.keep(result);
    Some(result)
}

fn truth(result: CodeResult<i32>) -> Option<bool> {
    match result {
        CodeResult::Truth(truth) => Some(truth),
        CodeResult::Value(value) => Some(value != 0),
        CodeResult::Nothing => Some(true),
    }
}
