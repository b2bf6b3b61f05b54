//! Code on terms: a path forks where a condition, an index or a pointer depends on variables.

use std::collections::{BTreeMap, BTreeSet};

use super::{Atom, Path, Term, TermId, Terms};
use crate::{
    System,
    code::{Addr, Pc},
    interpret::{Domain, NoMemory},
    machine::{FaultKind, RealContext},
    operation::{Arith, Cmp, Unary},
};

/// The limit on paths through one piece of code.
pub(super) const MAX_PATHS: usize = 256;
/// The largest number of values of a variable that are enumerated, to find infeasible paths.
const MAX_ENUMERATED: i64 = 256;

/// A path that is not complete yet.
#[derive(Clone, Default)]
pub(super) struct OpenPath {
    pub path: Path,
    pc: u32,
    scratch: BTreeMap<Addr, TermId>,
    returns: Vec<u32>,
    /// The remaining values of variables that occur in conditions.
    left: BTreeMap<u32, Vec<i32>>,
}

/// The reason why a path is not followed to the end of the code.
pub(super) enum PathHalt {
    /// The path is infeasible.
    Infeasible,
    /// The code has too many paths, or is not supported.
    TooComplex,
}

/// Returns the range of a variable, by its slot in the row or a number after it.
pub(super) fn range(system: &System, var: u32) -> (i32, i32) {
    system.ranges[var as usize % system.ranges.len()]
}

impl OpenPath {
    /// Starts at an instruction, after a path, with terms for some addresses.
    pub(super) fn new(path: Path, pc: Pc, scratch: BTreeMap<Addr, TermId>) -> OpenPath {
        OpenPath { path, pc: pc.0, scratch, ..OpenPath::default() }
    }

    /// Assumes that a comparison holds. Returns `false` if the path becomes infeasible.
    pub(super) fn assume(&mut self, system: &System, terms: &Terms, atom: Atom) -> bool {
        let Some(support) = terms.atom_support(atom) else { return true };
        let holds = |of: &dyn Fn(u32) -> i32| {
            let (left, right) = (terms.value(atom.left, of), terms.value(atom.right, of));
            left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
        };
        match support[..] {
            [] => return holds(&|_| 0),
            [var] => {
                let (low, high) = range(system, var);
                if i64::from(high) - i64::from(low) < MAX_ENUMERATED {
                    let left = self.left.entry(var).or_insert_with(|| (low..=high).collect());
                    let before = left.len();
                    left.retain(|value| holds(&|_| *value));
                    if left.is_empty() {
                        return false;
                    }
                    if left.len() == before {
                        // It excludes nothing.
                        return true;
                    }
                }
            }
            _ => {}
        }
        if !self.path.conditions.contains(&atom) {
            self.path.conditions.push(atom);
        }
        true
    }

    /// Returns the possible values of a term; `None` if there are too many.
    fn values(&self, system: &System, terms: &Terms, term: TermId) -> Option<Vec<i32>> {
        let support = terms.support(term)?;
        let choices: Vec<Vec<i32>> = support
            .iter()
            .map(|var| {
                let (low, high) = range(system, *var);
                self.left
                    .get(var)
                    .cloned()
                    .or_else(|| (i64::from(high) - i64::from(low) < MAX_ENUMERATED).then(|| (low..=high).collect()))
            })
            .collect::<Option<_>>()?;
        let count = choices.iter().try_fold(1_usize, |all, c| all.checked_mul(c.len()).filter(|n| *n <= 4096))?;
        let mut values = BTreeSet::new();
        for i in 0..count {
            let mut rest = i;
            let chosen: Vec<i32> = choices
                .iter()
                .map(|c| {
                    let value = c[rest % c.len()];
                    rest /= c.len();
                    value
                })
                .collect();
            let of = |var: u32| support.binary_search(&var).map_or(0, |i| chosen[i]);
            values.extend(terms.value(term, &of));
        }
        Some(values.into_iter().collect())
    }
}

/// Follows one path, and records the paths that fork from it.
pub(super) struct Follow<'f, 's> {
    pub system: &'s System,
    pub terms: &'f mut Terms,
    pub walk: OpenPath,
    pub open: Vec<OpenPath>,
}

impl Follow<'_, '_> {
    fn is_row(&self, at: Addr) -> bool {
        (at as usize) < self.system.initial.len()
    }

    /// Records that the value at an address is a constant. Variables keep their terms, since
    /// conditions refer to them.
    fn note(&self, walk: &mut OpenPath, at: Addr, constant: TermId) {
        match walk.path.writes.get_mut(&at) {
            Some(written) => *written = constant,
            None => {
                walk.scratch.insert(at, constant);
            }
        }
    }
}

impl Domain for Follow<'_, '_> {
    type Value = TermId;
    type Index = i32;
    type Halt = PathHalt;
    type Memory = NoMemory;

    fn control(&mut self) -> (&mut u32, &mut Vec<u32>) {
        (&mut self.walk.pc, &mut self.walk.returns)
    }

    fn read(&mut self, at: Addr) -> TermId {
        if let Some(term) = self.walk.path.writes.get(&at).or_else(|| self.walk.scratch.get(&at)) {
            return *term;
        }
        if self.is_row(at) {
            return self.terms.intern(Term::Var(at));
        }
        self.terms.constant(self.system.code.constant(at).unwrap_or(0))
    }

    fn write(&mut self, at: Addr, value: TermId) {
        if self.is_row(at) {
            self.walk.path.writes.insert(at, value);
        } else {
            self.walk.scratch.insert(at, value);
        }
    }

    fn unary(&mut self, op: Unary, a: &TermId) -> TermId {
        self.terms.intern(Term::Unary(op, *a))
    }

    fn arith(&mut self, op: Arith, a: &TermId, b: &TermId) -> Result<TermId, PathHalt> {
        Ok(self.terms.intern(Term::Arith(op, *a, *b)))
    }

    fn compare(&mut self, cmp: Cmp, a: &TermId, b: &TermId) -> TermId {
        self.terms.intern(Term::Compare(cmp, *a, *b))
    }

    fn branch(&mut self, cmp: Cmp, a: Addr, b: Addr, target: u32) -> Result<bool, PathHalt> {
        let (left, right) = (self.read(a), self.read(b));
        let mut jump = OpenPath { pc: target, ..self.walk.clone() };
        let jumps = jump.assume(self.system, self.terms, Atom { cmp, left, right });
        let stays = self.walk.assume(self.system, self.terms, Atom { cmp: cmp.negate(), left, right });
        match (stays, jumps) {
            (true, true) => self.open.push(jump),
            (true, false) => {}
            (false, true) => self.walk = jump,
            (false, false) => return Err(PathHalt::Infeasible),
        }
        Ok(!stays)
    }

    /// A number outside of its range is an error of the model; that it is inside hardly restricts
    /// the variables.
    fn require(&mut self, _: Addr, _: impl Fn(i32) -> bool, _: impl Fn(i32) -> FaultKind) -> Result<(), PathHalt> {
        Ok(())
    }

    fn fail(&mut self, _: FaultKind) -> PathHalt {
        PathHalt::Infeasible
    }

    fn fixed(&mut self, at: Addr) -> Result<i32, PathHalt> {
        self.index(at)
    }

    /// The path continues with one of the values, and forks with the others.
    fn index(&mut self, at: Addr) -> Result<i32, PathHalt> {
        let term = self.read(at);
        if let Some(value) = self.terms.known(term) {
            return Ok(value);
        }
        let values = self.walk.values(self.system, self.terms, term).ok_or(PathHalt::TooComplex)?;
        if values.len() > MAX_PATHS {
            return Err(PathHalt::TooComplex);
        }
        let mut chosen = None;
        for value in values {
            let constant = self.terms.constant(value);
            let mut fork = self.walk.clone();
            if !fork.assume(self.system, self.terms, Atom { cmp: Cmp::Eq, left: term, right: constant }) {
                continue;
            }
            self.note(&mut fork, at, constant);
            // The forks execute this instruction again.
            match chosen {
                None => chosen = Some((fork, value)),
                Some(_) => self.open.push(fork),
            }
        }
        let (walk, value) = chosen.ok_or(PathHalt::Infeasible)?;
        self.walk = walk;
        Ok(value)
    }

    fn index_within(
        &mut self,
        at: Addr,
        legal: impl Fn(i32) -> bool,
        _: impl Fn(i32) -> FaultKind,
    ) -> Result<i32, PathHalt> {
        let index = self.index(at)?;
        if legal(index) { Ok(index) } else { Err(PathHalt::Infeasible) }
    }

    fn map(&mut self, index: &i32, f: impl Fn(i32) -> i32) -> i32 {
        f(*index)
    }

    fn sum(&mut self, a: &i32, b: &i32) -> Result<i32, PathHalt> {
        Ok(a.wrapping_add(*b))
    }

    fn value(&mut self, index: i32) -> TermId {
        self.terms.constant(index)
    }

    fn load(&mut self, at: &i32) -> TermId {
        self.read(*at as u32)
    }

    fn store(&mut self, at: &i32, value: TermId) {
        self.write(*at as u32, value);
    }

    fn same(&mut self, a: &i32, b: &i32, len: u32) -> TermId {
        let mut same = self.terms.constant(1);
        for i in 0..len {
            let (left, right) = (self.read(*a as u32 + i), self.read(*b as u32 + i));
            let equal = self.terms.intern(Term::Compare(Cmp::Eq, left, right));
            same = self.terms.intern(Term::Arith(Arith::And, same, equal));
        }
        same
    }

    fn set_clock(&mut self, clock: Addr, value: Addr) -> Result<(), PathHalt> {
        let clock = self.index(clock)? as u32;
        let value = self.read(value);
        self.walk.path.clocks.extend(self.system.code.clock(clock).map(|clock| (clock, Some(value))));
        Ok(())
    }

    fn copy_clock(&mut self, clock: Addr, _: Addr, _: Addr) -> Result<(), PathHalt> {
        let clock = self.index(clock)? as u32;
        self.walk.path.clocks.extend(self.system.code.clock(clock).map(|clock| (clock, None)));
        Ok(())
    }

    fn reals(&mut self) -> Result<(&mut NoMemory, &mut RealContext), PathHalt> {
        Err(PathHalt::TooComplex)
    }

    /// Elements of lattices have no terms.
    fn plain(&mut self) -> Result<&mut NoMemory, PathHalt> {
        Err(PathHalt::TooComplex)
    }
}
