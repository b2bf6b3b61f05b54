//! Paths through code, and how they are merged.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use model::{
    System,
    code::{Addr, Pc},
    interpret::{self, CodeResult},
};
use rustc_hash::FxHashMap;
use smt::{Term, Terms};

use super::{
    ClockValue, Stop, SymbolicRow, check_stop,
    domain::{FormulaDomain, PathHalt},
};
use crate::{
    error::{EncodingError, Unsupported},
    guarded::{GuardedValue, Integer},
};

/// The greatest number of instructions in one run of code, on all paths together.
const MAX_STEPS: usize = 200_000;

/// The number of instructions between two checks of the limits.
const STOP_INTERVAL: usize = 64;

/// The position of a path: the return addresses of calls, then the next instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodePosition {
    pub returns: Vec<u32>,
    pub pc: u32,
}

impl CodePosition {
    fn frames(&self) -> impl Iterator<Item = u32> {
        self.returns.iter().copied().chain([self.pc])
    }
}

// Paths at earlier instructions are executed first, so that paths can be merged; a caller waits for
// its callee.
impl Ord for CodePosition {
    fn cmp(&self, other: &CodePosition) -> Ordering {
        let first = self.frames().zip(other.frames()).map(|(a, b)| a.cmp(&b)).find(|order| order.is_ne());
        first.unwrap_or_else(|| other.returns.len().cmp(&self.returns.len()))
    }
}

impl PartialOrd for CodePosition {
    fn partial_cmp(&self, other: &CodePosition) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A path through code.
#[derive(Clone, Debug)]
pub(super) struct CodePath {
    pub position: CodePosition,
    /// The condition under which it is taken.
    pub condition: Term,
    /// The memory cells that were written or restricted.
    pub cells: BTreeMap<Addr, Integer>,
    /// The variables of the row that were written.
    pub written: BTreeSet<u32>,
    /// The clocks that were assigned.
    pub clocks: BTreeMap<u32, ClockValue>,
}

/// One run of code, on all paths.
pub(super) struct CodeRun<'r> {
    pub system: &'r System,
    stop: &'r Stop<'r>,
    pub row: &'r SymbolicRow<'r>,
    pub clocks: &'r dyn Fn(u32) -> ClockValue,
    pub ends: Vec<(CodeResult<Integer>, CodePath)>,
    /// The faults of all paths.
    pub faults: Vec<Term>,
    /// Clocks plus numbers that must not be negative, each where a term holds.
    pub copies: Vec<(Term, (u32, i64))>,
    open: BTreeMap<CodePosition, CodePath>,
    /// For the conditions of two paths that were split: the condition before, and the term that
    /// selects the first.
    splits: FxHashMap<(Term, Term), (Term, Term)>,
}

impl<'r> CodeRun<'r> {
    pub(super) fn new(
        (system, stop): (&'r System, &'r Stop<'r>),
        terms: &mut Terms,
        row: &'r SymbolicRow<'r>,
        pc: Pc,
        condition: Term,
        clocks: &'r dyn Fn(u32) -> ClockValue,
    ) -> Result<CodeRun<'r>, EncodingError> {
        let mut run = CodeRun {
            system,
            stop,
            row,
            clocks,
            ends: Vec::new(),
            faults: Vec::new(),
            copies: Vec::new(),
            open: BTreeMap::new(),
            splits: FxHashMap::default(),
        };
        let first = CodePath {
            position: CodePosition { returns: Vec::new(), pc: pc.0 },
            condition,
            cells: BTreeMap::new(),
            written: BTreeSet::new(),
            clocks: BTreeMap::new(),
        };
        run.open.insert(first.position.clone(), first);
        run.execute(terms)?;
        Ok(run)
    }

    fn execute(&mut self, terms: &mut Terms) -> Result<(), EncodingError> {
        let mut steps = 0;
        while let Some((_, path)) = self.open.pop_first() {
            let mut domain = FormulaDomain { run: self, terms, path };
            loop {
                steps += 1;
                if steps > MAX_STEPS {
                    return Err(Unsupported::LongFunctions(MAX_STEPS).into());
                }
                if steps % STOP_INTERVAL == 0 {
                    check_stop(domain.run.stop)?;
                }
                match interpret::step(&domain.run.system.code, &mut domain) {
                    Ok(None) => {}
                    Ok(Some(end)) => {
                        domain.run.ends.push((end, domain.path));
                        break;
                    }
                    Err(PathHalt::Dead) => break,
                    Err(PathHalt::Error(why)) => return Err(why),
                }
                if domain.run.open.first_key_value().is_some_and(|(first, _)| *first <= domain.path.position) {
                    domain.run.suspend(domain.terms, domain.path);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Suspends a path until all paths at earlier positions have caught up with it.
    pub(super) fn suspend(&mut self, terms: &mut Terms, path: CodePath) {
        let path = match self.open.remove(&path.position) {
            Some(other) => self.merge(terms, other, path),
            None => path,
        };
        self.open.insert(path.position.clone(), path);
    }

    /// Splits a path into the part where a term holds and the part where it does not.
    pub(super) fn split(&mut self, terms: &mut Terms, path: &CodePath, term: Term) -> (CodePath, CodePath) {
        let (yes, no) = (terms.and([path.condition, term]), terms.and([path.condition, !term]));
        self.splits.insert((yes, no), (path.condition, term));
        (CodePath { condition: yes, ..path.clone() }, CodePath { condition: no, ..path.clone() })
    }

    /// Merges two paths that are at the same position.
    fn merge(&mut self, terms: &mut Terms, a: CodePath, b: CodePath) -> CodePath {
        let (condition, first) =
            match (self.splits.get(&(a.condition, b.condition)), self.splits.get(&(b.condition, a.condition))) {
                (Some((before, first)), _) => (*before, *first),
                (None, Some((before, second))) => (*before, !*second),
                (None, None) => (terms.or([a.condition, b.condition]), a.condition),
            };
        let mut merged = CodePath { position: a.position.clone(), condition, ..a.clone() };
        merged.written.extend(&b.written);
        merged.cells.clear();
        let addresses: BTreeSet<Addr> = a.cells.keys().chain(b.cells.keys()).copied().collect();
        for addr in addresses {
            let is_row = (addr as usize) < self.system.initial.len();
            if is_row && !merged.written.contains(&addr) {
                // A restriction that only one path has is dropped.
                if a.cells.get(&addr) == b.cells.get(&addr) {
                    merged.cells.insert(addr, a.cells[&addr].clone());
                }
                continue;
            }
            let (yes, no) = (self.read(&a, addr), self.read(&b, addr));
            merged.cells.insert(addr, GuardedValue::either(terms, first, &yes, &no));
        }
        let clocks: BTreeSet<u32> = a.clocks.keys().chain(b.clocks.keys()).copied().collect();
        for x in clocks {
            let (yes, no) = (self.clock(&a, x), self.clock(&b, x));
            merged.clocks.insert(x, GuardedValue::either(terms, first, &yes, &no));
        }
        merged
    }

    /// Merges all ends.
    pub(super) fn merge_ends(&mut self, terms: &mut Terms) -> Option<CodePath> {
        let mut ends = std::mem::take(&mut self.ends).into_iter().map(|(_, path)| path);
        let mut all = ends.next()?;
        for end in ends {
            all = self.merge(terms, all, end);
        }
        Some(all)
    }

    /// Returns the value at an address.
    pub(super) fn read(&self, path: &CodePath, addr: Addr) -> Integer {
        if let Some(cell) = path.cells.get(&addr) {
            return cell.clone();
        }
        if (addr as usize) < self.system.initial.len() {
            return (self.row)(addr);
        }
        Integer::known(self.system.code.constant(addr).unwrap_or(0))
    }

    pub(super) fn write(&self, path: &mut CodePath, addr: Addr, value: Integer) {
        if (addr as usize) < self.system.initial.len() {
            path.written.insert(addr);
        }
        path.cells.insert(addr, value);
    }

    /// Restricts a value to those that satisfy a predicate.
    pub(super) fn restrict(&self, path: &mut CodePath, addr: Addr, holds: impl Fn(i32) -> bool) {
        let before = self.read(path, addr);
        let after = before.only_where(holds);
        if after != before {
            path.cells.insert(addr, after);
        }
    }

    pub(super) fn clock(&self, path: &CodePath, x: u32) -> ClockValue {
        path.clocks.get(&x).cloned().unwrap_or_else(|| (self.clocks)(x))
    }
}
