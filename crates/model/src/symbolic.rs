//! Symbolic execution of code: paths with conditions on the variables before them, and the new
//! values.
//!
//! A path forks where a condition, an index or a pointer depends on variables; loops that count by
//! constants are unrolled. Code with too many paths is given up, and callers do without.

mod follow;
mod term;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::operation::Interval;
pub use term::{Atom, Term, TermId, Terms};

use crate::{
    System,
    code::{Addr, Cmp, Pc, Use},
    interpret::{self, CodeResult},
};
use follow::{Follow, MAX_PATHS, OpenPath, PathHalt};

/// A path through code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The conditions under which it is taken.
    pub conditions: Vec<Atom>,
    /// The slots of the row that were written, with their new values.
    pub writes: BTreeMap<u32, TermId>,
    /// The clocks that were set, with their new values; `None` if the value is unknown.
    pub clocks: BTreeMap<u32, Option<TermId>>,
    /// The result of the code.
    pub result: Option<TermId>,
}

/// The limit on instructions of all paths through one piece of code.
const MAX_STEPS: usize = 200_000;
/// The limit on instructions for all pieces of code together; code that exceeds it is given up.
const MAX_TOTAL_STEPS: usize = 50_000_000;
/// Executes code symbolically.
pub struct Symbolic<'s> {
    system: &'s System,
    /// The terms of all paths.
    pub terms: Terms,
    steps: usize,
}

impl<'s> Symbolic<'s> {
    /// Creates an executor for the code of a system.
    #[must_use]
    pub fn new(system: &'s System) -> Symbolic<'s> {
        Symbolic { system, terms: Terms::default(), steps: 0 }
    }

    /// Returns the range of a variable. The numbers of variables are slots of the row; the numbers
    /// after the row stand for the same slots at another time.
    #[must_use]
    pub fn range(&self, var: u32) -> (i32, i32) {
        follow::range(self.system, var)
    }

    /// Returns the paths that continue `before` through a condition that holds; `None` if there are
    /// too many.
    pub fn test(&mut self, before: &Path, condition: Pc) -> Option<Vec<Path>> {
        let ends = self.follow(before, condition, &BTreeSet::new())?;
        let zero = self.terms.constant(0);
        let mut out = Vec::new();
        for mut walk in ends {
            let truth = match walk.path.result.take() {
                None => true,
                Some(left) => walk.assume(self.system, &self.terms, Atom { cmp: Cmp::Ne, left, right: zero }),
            };
            // Conditions have no effects.
            walk.path.writes.clone_from(&before.writes);
            if truth {
                out.push(walk.path);
            }
        }
        Some(out)
    }

    /// Returns the paths that continue `before` through an update; `None` if there are too many.
    /// The slots in `later` have the values of another time.
    pub fn update(&mut self, before: &Path, update: Pc, later: &BTreeSet<u32>) -> Option<Vec<Path>> {
        Some(self.follow(before, update, later)?.into_iter().map(|walk| walk.path).collect())
    }

    fn follow(&mut self, before: &Path, pc: Pc, later: &BTreeSet<u32>) -> Option<Vec<OpenPath>> {
        let row = self.system.initial.len() as u32;
        let later = later.iter().map(|slot| (*slot, self.terms.intern(Term::Var(slot + row)))).collect();
        let mut first = OpenPath::new(Path { conditions: Vec::new(), ..before.clone() }, pc, later);
        // The conditions so far are assumed again, to restrict the values of variables.
        if !before.conditions.iter().all(|condition| first.assume(self.system, &self.terms, *condition)) {
            return Some(Vec::new());
        }
        let mut follow =
            Follow { system: self.system, terms: &mut self.terms, walk: OpenPath::default(), open: vec![first] };
        let mut done = Vec::new();
        let mut steps = 0;
        while let Some(walk) = follow.open.pop() {
            follow.walk = walk;
            let end = loop {
                steps += 1;
                self.steps += 1;
                if steps > MAX_STEPS || self.steps > MAX_TOTAL_STEPS || follow.open.len() + done.len() > MAX_PATHS {
                    return None;
                }
                match interpret::step(&self.system.code, &mut follow) {
                    Ok(None) => {}
                    Ok(Some(end)) => break end,
                    Err(PathHalt::Infeasible) => break CodeResult::Truth(false),
                    Err(PathHalt::TooComplex) => return None,
                }
            };
            let mut walk = std::mem::take(&mut follow.walk);
            match end {
                CodeResult::Truth(false) => continue,
                CodeResult::Value(value) => walk.path.result = Some(value),
                CodeResult::Truth(true) | CodeResult::Nothing => {}
            }
            done.push(walk);
        }
        Some(done)
    }
}

impl System {
    /// Returns the slots of the row that code may write on some path.
    #[must_use]
    pub fn written(&self, pc: Pc) -> BTreeSet<u32> {
        let row = self.initial.len() as u32;
        let mut out = BTreeSet::new();
        for pc in self.code.reach([pc]) {
            self.code.op(pc).uses(|what, addr| match what {
                Use::Target | Use::Replaced => out.extend((addr < row).then_some(addr)),
                Use::AnyTarget | Use::Whole => out.extend(self.slots_of(addr)),
                Use::Source | Use::AnySource | Use::Read | Use::Checked | Use::ReadClock | Use::SetClock => {}
            });
        }
        out
    }

    /// Returns all slots of the variable that an address belongs to; empty for other addresses.
    #[must_use]
    pub(crate) fn slots_of(&self, addr: Addr) -> std::ops::Range<u32> {
        let after = self.variables.partition_point(|v| v.first <= addr);
        let variable = after.checked_sub(1).and_then(|i| self.variables.get(i));
        let own = variable.map_or(0..0, |v| v.first..v.first + v.shape.size().ints);
        if own.contains(&addr) { own } else { 0..0 }
    }
}
