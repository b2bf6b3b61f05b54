//! The interpreter's domain of guarded integers.

use model::{
    code::{Addr, Arith, Cmp, Unary},
    interpret::{Domain, NoMemory},
    machine::{FaultKind, RealContext},
};
use smt::{Term, Terms};

use super::{
    ClockValue,
    paths::{CodePath, CodeRun},
};
use crate::{
    error::{EncodingError, Unsupported},
    guarded::{GuardedValue, Integer},
};

/// The greatest number of pairs of values in one operation.
const MAX_PAIRS: usize = 1 << 16;

/// Encodes a comparison.
pub(crate) fn compare(terms: &mut Terms, cmp: Cmp, a: &Integer, b: &Integer) -> Term {
    if let Some(b) = b.only() {
        return a.holds(terms, |a| cmp.holds(a, b));
    }
    if let Some(a) = a.only() {
        return b.holds(terms, |b| cmp.holds(a, b));
    }
    if a == b {
        return Term::constant(matches!(cmp, Cmp::Eq | Cmp::Le | Cmp::Ge));
    }
    match cmp {
        Cmp::Ne | Cmp::Gt | Cmp::Ge => !compare(terms, cmp.negate(), a, b),
        Cmp::Eq => {
            let both: Vec<Term> = a.values().iter().map(|(v, t)| terms.and([*t, b.is(*v)])).collect();
            terms.or(both)
        }
        Cmp::Lt | Cmp::Le => {
            let mut found = Vec::new();
            for (v, t) in a.values() {
                let above = terms.or(b.values().iter().filter(|(w, _)| cmp.holds(*v, *w)).map(|(_, u)| *u));
                found.push(terms.and([*t, above]));
            }
            terms.or(found)
        }
    }
}

/// Returns 1 where a term holds, else 0.
fn truth(terms: &mut Terms, term: Term) -> Integer {
    GuardedValue::collect(terms, [(0, !term), (1, term)])
}

/// The reason why a path ends before the code does.
pub(super) enum PathHalt {
    /// The path always fails.
    Dead,
    /// The code can't be encoded.
    Error(EncodingError),
}

fn too_many() -> PathHalt {
    PathHalt::Error(Unsupported::LargeArithmetic.into())
}

/// The domain of one path.
pub(super) struct FormulaDomain<'f, 'r> {
    pub run: &'f mut CodeRun<'r>,
    pub terms: &'f mut Terms,
    pub path: CodePath,
}

impl FormulaDomain<'_, '_> {
    /// Records where the path fails.
    fn fails(&mut self, fault: Term) -> Result<(), PathHalt> {
        let fault = self.terms.and([self.path.condition, fault]);
        if fault != Term::FALSE {
            self.run.faults.push(fault);
        }
        if fault == self.path.condition { Err(PathHalt::Dead) } else { Ok(()) }
    }

    fn assign_clock(&mut self, clock: Addr, value: &ClockValue) {
        for (number, here) in self.read(clock).values() {
            // A clock that was removed is never compared.
            let Some(x) = self.run.system.code.clock(*number as u32) else { continue };
            let before = self.run.clock(&self.path, x);
            self.path.clocks.insert(x, GuardedValue::either(self.terms, *here, value, &before));
        }
    }
}

impl Domain for FormulaDomain<'_, '_> {
    type Value = Integer;
    type Index = Integer;
    type Halt = PathHalt;
    type Memory = NoMemory;

    fn control(&mut self) -> (&mut u32, &mut Vec<u32>) {
        (&mut self.path.position.pc, &mut self.path.position.returns)
    }

    fn read(&mut self, at: Addr) -> Integer {
        self.run.read(&self.path, at)
    }

    fn write(&mut self, at: Addr, value: Integer) {
        self.run.write(&mut self.path, at, value);
    }

    fn unary(&mut self, op: Unary, a: &Integer) -> Integer {
        a.map(self.terms, |v| Some(op.apply(v)))
    }

    fn arith(&mut self, op: Arith, a: &Integer, b: &Integer) -> Result<Integer, PathHalt> {
        let fails = b.holds(self.terms, |b| op.fails(b));
        let found = if a == b {
            // Both operands are the same variable, so they have the same value.
            a.map(self.terms, |v| op.apply(v, v).ok())
        } else {
            a.pair(self.terms, b, MAX_PAIRS, |a, b| op.apply(a, b).ok()).ok_or_else(too_many)?
        };
        self.fails(fails)?;
        Ok(found)
    }

    fn compare(&mut self, cmp: Cmp, a: &Integer, b: &Integer) -> Integer {
        let term = compare(self.terms, cmp, a, b);
        truth(self.terms, term)
    }

    fn branch(&mut self, cmp: Cmp, a: Addr, b: Addr, target: u32) -> Result<bool, PathHalt> {
        let (left, right) = (self.read(a), self.read(b));
        let term = compare(self.terms, cmp, &left, &right);
        if term == Term::TRUE || term == Term::FALSE {
            return Ok(term == Term::TRUE);
        }
        let (mut jumps, mut stays) = self.run.split(self.terms, &self.path, term);
        if let Some(b) = right.only() {
            self.run.restrict(&mut jumps, a, |v| cmp.holds(v, b));
            self.run.restrict(&mut stays, a, |v| !cmp.holds(v, b));
        }
        jumps.position.pc = target;
        match (stays.condition != Term::FALSE, jumps.condition != Term::FALSE) {
            (true, true) => {
                self.run.suspend(self.terms, jumps);
                self.path = stays;
                Ok(false)
            }
            (true, false) => {
                self.path = stays;
                Ok(false)
            }
            (false, true) => {
                self.path = jumps;
                Ok(true)
            }
            (false, false) => Err(PathHalt::Dead),
        }
    }

    fn require(&mut self, at: Addr, legal: impl Fn(i32) -> bool, _: impl Fn(i32) -> FaultKind) -> Result<(), PathHalt> {
        let fault = self.read(at).holds(self.terms, |v| !legal(v));
        self.fails(fault)?;
        self.run.restrict(&mut self.path, at, legal);
        Ok(())
    }

    fn fail(&mut self, _: FaultKind) -> PathHalt {
        self.run.faults.push(self.path.condition);
        PathHalt::Dead
    }

    fn fixed(&mut self, at: Addr) -> Result<i32, PathHalt> {
        self.read(at).only().ok_or_else(too_many)
    }

    fn index(&mut self, at: Addr) -> Result<Integer, PathHalt> {
        Ok(self.read(at))
    }

    fn map(&mut self, index: &Integer, f: impl Fn(i32) -> i32) -> Integer {
        index.map(self.terms, |v| Some(f(v)))
    }

    fn sum(&mut self, a: &Integer, b: &Integer) -> Result<Integer, PathHalt> {
        a.pair(self.terms, b, MAX_PAIRS, |a, b| Some(a.wrapping_add(b))).ok_or_else(too_many)
    }

    fn value(&mut self, index: Integer) -> Integer {
        index
    }

    fn load(&mut self, at: &Integer) -> Integer {
        if let Some(addr) = at.only() {
            return self.read(addr as u32);
        }
        let mut all = Vec::new();
        for (addr, here) in at.values() {
            for (value, term) in self.read(*addr as u32).values() {
                all.push((*value, self.terms.and([*here, *term])));
            }
        }
        GuardedValue::collect(self.terms, all)
    }

    fn store(&mut self, at: &Integer, value: Integer) {
        for (addr, here) in at.values() {
            let before = self.read(*addr as u32);
            let after = GuardedValue::either(self.terms, *here, &value, &before);
            self.write(*addr as u32, after);
        }
    }

    fn same(&mut self, a: &Integer, b: &Integer, len: u32) -> Integer {
        let mut all = Vec::new();
        for i in 0..len {
            let [left, right] = [a, b].map(|at| {
                let at = self.map(at, |at| at.wrapping_add_unsigned(i));
                self.load(&at)
            });
            all.push(compare(self.terms, Cmp::Eq, &left, &right));
        }
        let same = self.terms.and(all);
        truth(self.terms, same)
    }

    fn set_clock(&mut self, clock: Addr, value: Addr) -> Result<(), PathHalt> {
        let value = self.read(value).map(self.terms, |v| Some((0, i64::from(v))));
        self.assign_clock(clock, &value);
        Ok(())
    }

    fn copy_clock(&mut self, clock: Addr, from: Addr, plus: Addr) -> Result<(), PathHalt> {
        let (from, plus) = (self.read(from), self.read(plus));
        let mut sources = Vec::new();
        for (x, here) in from.values() {
            let Some(x) = self.run.system.code.clock(*x as u32) else { continue };
            for (source, term) in self.run.clock(&self.path, x).values() {
                sources.push((*source, self.terms.and([*here, *term])));
            }
        }
        let source = GuardedValue::collect(self.terms, sources);
        let value = source.pair(self.terms, &plus, MAX_PAIRS, |(x, n), p| Some((x, n + i64::from(p))));
        let value = value.ok_or_else(too_many)?;
        for (becomes, term) in value.values() {
            let here = self.terms.and([self.path.condition, *term]);
            self.run.copies.push((here, *becomes));
        }
        self.assign_clock(clock, &value);
        Ok(())
    }

    fn reals(&mut self) -> Result<(&mut NoMemory, &mut RealContext), PathHalt> {
        Err(PathHalt::Error(Unsupported::Goals.into()))
    }

    fn plain(&mut self) -> Result<&mut NoMemory, PathHalt> {
        // Models with lattice variables are refused before.
        Err(PathHalt::Error(Unsupported::Goals.into()))
    }
}
