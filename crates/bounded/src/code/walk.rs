//! Paths through code, and where they meet.

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
    ClockValue, Refused, Row, Stop, go_on,
    step::{Follow, Halt},
};
use crate::choice::{Choice, Integer};

/// At most so many instructions in one run of code.
const MOST_STEPS: usize = 200_000;

/// After so many instructions the limits are asked.
const STEPS_BETWEEN: usize = 64;

/// Where a path is: the places that calls return to, then the next instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub returns: Vec<u32>,
    pub pc: u32,
}

impl Place {
    fn frames(&self) -> impl Iterator<Item = u32> {
        self.returns.iter().copied().chain([self.pc])
    }
}

// What comes later in the text waits for what comes before it, so that paths meet; a caller waits
// for its function.
impl Ord for Place {
    fn cmp(&self, other: &Place) -> Ordering {
        let first = self.frames().zip(other.frames()).map(|(a, b)| a.cmp(&b)).find(|order| order.is_ne());
        first.unwrap_or_else(|| other.returns.len().cmp(&self.returns.len()))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A path that is followed.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub place: Place,
    /// Where it is taken.
    pub condition: Term,
    /// The numbers of the memory that were written, or of which more is known than at the start.
    pub cells: BTreeMap<Addr, Integer>,
    /// The numbers of the row that were written.
    pub written: BTreeSet<u32>,
    /// The clocks that were set.
    pub clocks: BTreeMap<u32, ClockValue>,
}

/// One run of code, on all paths.
pub(super) struct Run<'r> {
    pub system: &'r System,
    stop: &'r Stop<'r>,
    pub row: &'r Row<'r>,
    pub clocks: &'r dyn Fn(u32) -> ClockValue,
    pub ends: Vec<(CodeResult<Integer>, Walk)>,
    /// Where it fails.
    pub faults: Vec<Term>,
    /// What must not be negative, and where.
    pub copies: Vec<(Term, (u32, i64))>,
    open: BTreeMap<Place, Walk>,
    /// The path before two paths parted, and where it became the first of them.
    parted: FxHashMap<(Term, Term), (Term, Term)>,
}

impl<'r> Run<'r> {
    pub(super) fn of(
        (system, stop): (&'r System, &'r Stop<'r>),
        terms: &mut Terms,
        row: &'r Row<'r>,
        pc: Pc,
        condition: Term,
        clocks: &'r dyn Fn(u32) -> ClockValue,
    ) -> Result<Run<'r>, Refused> {
        let mut run = Run {
            system,
            stop,
            row,
            clocks,
            ends: Vec::new(),
            faults: Vec::new(),
            copies: Vec::new(),
            open: BTreeMap::new(),
            parted: FxHashMap::default(),
        };
        let first = Walk {
            place: Place { returns: Vec::new(), pc: pc.0 },
            condition,
            cells: BTreeMap::new(),
            written: BTreeSet::new(),
            clocks: BTreeMap::new(),
        };
        run.open.insert(first.place.clone(), first);
        run.follow(terms)?;
        Ok(run)
    }

    fn follow(&mut self, terms: &mut Terms) -> Result<(), Refused> {
        let mut steps = 0;
        while let Some((_, walk)) = self.open.pop_first() {
            let mut path = Follow { run: self, terms, walk };
            loop {
                steps += 1;
                if steps > MOST_STEPS {
                    return Err(Refused::Lacks(format!("functions of more than {MOST_STEPS} instructions")));
                }
                if steps % STEPS_BETWEEN == 0 {
                    go_on(path.run.stop)?;
                }
                match interpret::step(&path.run.system.code, &mut path) {
                    Ok(None) => {}
                    Ok(Some(end)) => {
                        path.run.ends.push((end, path.walk));
                        break;
                    }
                    Err(Halt::Dead) => break,
                    Err(Halt::Refused(why)) => return Err(why),
                }
                if path.run.open.first_key_value().is_some_and(|(first, _)| *first <= path.walk.place) {
                    path.run.wait(path.terms, path.walk);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Has a path wait until those before it have come as far.
    pub(super) fn wait(&mut self, terms: &mut Terms, walk: Walk) {
        let walk = match self.open.remove(&walk.place) {
            Some(other) => self.meet(terms, other, walk),
            None => walk,
        };
        self.open.insert(walk.place.clone(), walk);
    }

    /// Parts a path in two: where the term holds, and where it does not.
    pub(super) fn part(&mut self, terms: &mut Terms, walk: &Walk, term: Term) -> (Walk, Walk) {
        let (yes, no) = (terms.and([walk.condition, term]), terms.and([walk.condition, !term]));
        self.parted.insert((yes, no), (walk.condition, term));
        (Walk { condition: yes, ..walk.clone() }, Walk { condition: no, ..walk.clone() })
    }

    /// One path for two that are at the same place.
    fn meet(&mut self, terms: &mut Terms, a: Walk, b: Walk) -> Walk {
        let (condition, first) =
            match (self.parted.get(&(a.condition, b.condition)), self.parted.get(&(b.condition, a.condition))) {
                (Some((before, first)), _) => (*before, *first),
                (None, Some((before, second))) => (*before, !*second),
                (None, None) => (terms.or([a.condition, b.condition]), a.condition),
            };
        let mut met = Walk { place: a.place.clone(), condition, ..a.clone() };
        met.written.extend(&b.written);
        met.cells.clear();
        let addresses: BTreeSet<Addr> = a.cells.keys().chain(b.cells.keys()).copied().collect();
        for addr in addresses {
            let is_row = (addr as usize) < self.system.initial.len();
            if is_row && !met.written.contains(&addr) {
                // What was learned of a number on one path is forgotten.
                if a.cells.get(&addr) == b.cells.get(&addr) {
                    met.cells.insert(addr, a.cells[&addr].clone());
                }
                continue;
            }
            let (yes, no) = (self.read(&a, addr), self.read(&b, addr));
            met.cells.insert(addr, Choice::either(terms, first, &yes, &no));
        }
        let clocks: BTreeSet<u32> = a.clocks.keys().chain(b.clocks.keys()).copied().collect();
        for x in clocks {
            let (yes, no) = (self.clock(&a, x), self.clock(&b, x));
            met.clocks.insert(x, Choice::either(terms, first, &yes, &no));
        }
        met
    }

    /// All ends as one.
    pub(super) fn join_ends(&mut self, terms: &mut Terms) -> Option<Walk> {
        let mut ends = std::mem::take(&mut self.ends).into_iter().map(|(_, walk)| walk);
        let mut all = ends.next()?;
        for end in ends {
            all = self.meet(terms, all, end);
        }
        Some(all)
    }

    /// The number at an address.
    pub(super) fn read(&self, walk: &Walk, addr: Addr) -> Integer {
        if let Some(cell) = walk.cells.get(&addr) {
            return cell.clone();
        }
        if (addr as usize) < self.system.initial.len() {
            return (self.row)(addr);
        }
        Integer::known(self.system.code.constant(addr).unwrap_or(0))
    }

    pub(super) fn write(&self, walk: &mut Walk, addr: Addr, value: Integer) {
        if (addr as usize) < self.system.initial.len() {
            walk.written.insert(addr);
        }
        walk.cells.insert(addr, value);
    }

    /// Notes that a number is one of those for which this holds.
    pub(super) fn learn(&self, walk: &mut Walk, addr: Addr, holds: impl Fn(i32) -> bool) {
        let before = self.read(walk, addr);
        let after = before.only_where(holds);
        if after != before {
            walk.cells.insert(addr, after);
        }
    }

    pub(super) fn clock(&self, walk: &Walk, x: u32) -> ClockValue {
        walk.clocks.get(&x).cloned().unwrap_or_else(|| (self.clocks)(x))
    }
}
