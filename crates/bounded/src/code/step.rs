//! One instruction, on values that depend on formulas.

use model::code::{Addr, Arith, Cmp, Op};
use smt::{Term, Terms};

use super::{
    Refused,
    walk::{Ended, Next, Run, Walk},
};
use crate::choice::{Choice, Integer};

/// At most so many pairs of values in one operation.
const MOST_PAIRS: usize = 1 << 16;

/// Where a comparison holds.
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

fn too_many() -> Refused {
    Refused::Lacks("arithmetic on integers with too many values".to_owned())
}

impl Run<'_> {
    /// The address that pointer and offset lead to.
    fn address(&self, terms: &mut Terms, pointer: &Integer, offset: &Integer) -> Result<Choice<u32>, Refused> {
        let found = pointer.pair(terms, offset, MOST_PAIRS, |p, o| Some((p as u32).wrapping_add_signed(o)));
        found.ok_or_else(too_many)
    }

    fn load(&self, terms: &mut Terms, walk: &Walk, at: &Choice<u32>) -> Integer {
        if let Some(addr) = at.only() {
            return self.read(walk, addr);
        }
        let mut all = Vec::new();
        for (addr, here) in at.values() {
            for (value, term) in self.read(walk, *addr).values() {
                all.push((*value, terms.and([*here, *term])));
            }
        }
        Choice::collect(terms, all)
    }

    fn store(&self, terms: &mut Terms, walk: &mut Walk, at: &Choice<u32>, value: &Integer) {
        for (addr, here) in at.values() {
            let before = self.read(walk, *addr);
            let after = Choice::either(terms, *here, value, &before);
            self.write(walk, *addr, after);
        }
    }

    /// Notes where a way fails. `false`: everywhere.
    fn fails(&mut self, terms: &mut Terms, walk: &Walk, fault: Term) -> bool {
        let fault = terms.and([walk.condition, fault]);
        if fault != Term::FALSE {
            self.faults.push(fault);
        }
        fault != walk.condition
    }

    fn arith(
        &mut self,
        terms: &mut Terms,
        walk: &Walk,
        op: Arith,
        (a, b): (Addr, Addr),
    ) -> Result<Option<Integer>, Refused> {
        let (left, right) = (self.read(walk, a), self.read(walk, b));
        if a == b {
            // The same number, so the same value.
            let fault = left.holds(terms, |v| op.fails(v));
            let alive = self.fails(terms, walk, fault);
            return Ok(alive.then(|| left.map(terms, |v| op.apply(v, v).ok())));
        }
        let found = left.pair(terms, &right, MOST_PAIRS, |a, b| op.apply(a, b).ok());
        let found = found.ok_or_else(too_many)?;
        let fails = right.holds(terms, |b| op.fails(b));
        Ok(self.fails(terms, walk, fails).then_some(found))
    }

    /// Does the next instruction of a way.
    pub(super) fn step(&mut self, terms: &mut Terms, walk: &mut Walk) -> Result<Next, Refused> {
        let Some(last) = walk.place.0.last_mut() else { return Ok(Next::Done(Ended::Nothing)) };
        let pc = *last;
        *last += 1;
        match self.system.code.ops[pc as usize] {
            Op::Move { to, from } => {
                let value = self.read(walk, from);
                self.write(walk, to, value);
            }
            Op::Arith { op, to, a, b } => match self.arith(terms, walk, op, (a, b))? {
                Some(value) => self.write(walk, to, value),
                None => return Ok(Next::Dead),
            },
            Op::Compare { cmp, to, a, b } => {
                let (left, right) = (self.read(walk, a), self.read(walk, b));
                let truth = compare(terms, cmp, &left, &right);
                let value = Choice::collect(terms, [(0, !truth), (1, truth)]);
                self.write(walk, to, value);
            }
            Op::Unary { op, to, a } => {
                let value = self.read(walk, a).map(terms, |v| Some(op.apply(v)));
                self.write(walk, to, value);
            }
            Op::Jump { by } => jump(walk, by),
            Op::JumpIf { cmp, a, b, by } => return Ok(self.jump_if(terms, walk, (cmp, a, b), by)),
            Op::Range { a, bounds } => {
                let (low, high) = (self.read(walk, bounds), self.read(walk, bounds + 1));
                let (Some(low), Some(high)) = (low.only(), high.only()) else { return Err(too_many()) };
                let inside = |v: i32| low <= v && v <= high;
                let fault = self.read(walk, a).holds(terms, |v| !inside(v));
                if !self.fails(terms, walk, fault) {
                    return Ok(Next::Dead);
                }
                self.learn(walk, a, inside);
            }
            Op::Index { to, index, shape } => {
                let shape = [shape, shape + 1, shape + 2].map(|at| self.read(walk, at).only());
                let [Some(low), Some(length), Some(stride)] = shape else { return Err(too_many()) };
                let index = self.read(walk, index);
                let offset = |i: i32| i64::from(i) - i64::from(low);
                let inside = |i: i32| (0..i64::from(length)).contains(&offset(i));
                let fault = index.holds(terms, |i| !inside(i));
                if !self.fails(terms, walk, fault) {
                    return Ok(Next::Dead);
                }
                let value = index.map(terms, |i| inside(i).then(|| (offset(i) as i32).wrapping_mul(stride)));
                self.write(walk, to, value);
            }
            Op::Load { to, base, offset } => {
                let at = self.read(walk, offset).map(terms, |o| Some(base.wrapping_add_signed(o)));
                let value = self.load(terms, walk, &at);
                self.write(walk, to, value);
            }
            Op::Store { base, offset, from } => {
                let at = self.read(walk, offset).map(terms, |o| Some(base.wrapping_add_signed(o)));
                let value = self.read(walk, from);
                self.store(terms, walk, &at, &value);
            }
            Op::LoadRef { to, pointer, offset } => {
                let (pointer, offset) = (self.read(walk, pointer), self.read(walk, offset));
                let at = self.address(terms, &pointer, &offset)?;
                let value = self.load(terms, walk, &at);
                self.write(walk, to, value);
            }
            Op::StoreRef { pointer, offset, from } => {
                let (pointer, offset) = (self.read(walk, pointer), self.read(walk, offset));
                let at = self.address(terms, &pointer, &offset)?;
                let value = self.read(walk, from);
                self.store(terms, walk, &at, &value);
            }
            Op::Point { to, base, offset } => {
                let value = self.read(walk, offset).map(terms, |o| Some(base.wrapping_add_signed(o) as i32));
                self.write(walk, to, value);
            }
            Op::Copy { to, from, len } => {
                let (to, from) = (self.read(walk, to), self.read(walk, from));
                for i in 0..len {
                    let source = from.map(terms, |p| Some(p as u32 + i));
                    let target = to.map(terms, |p| Some(p as u32 + i));
                    let value = self.load(terms, walk, &source);
                    self.store(terms, walk, &target, &value);
                }
            }
            Op::Same { a, b, len } => {
                let (x, y) = (self.read(walk, a), self.read(walk, b));
                let mut all = Vec::new();
                for i in 0..len {
                    let left = x.map(terms, |p| Some(p as u32 + i));
                    let right = y.map(terms, |p| Some(p as u32 + i));
                    let (left, right) = (self.load(terms, walk, &left), self.load(terms, walk, &right));
                    all.push(compare(terms, Cmp::Eq, &left, &right));
                }
                let same = terms.and(all);
                let value = Choice::collect(terms, [(0, !same), (1, same)]);
                self.write(walk, a, value);
            }
            Op::Bit { .. } | Op::SetBit { .. } | Op::Lattice { .. } => {
                return Err(Refused::Lacks("lattice variables".to_owned()));
            }
            Op::Call { pc: to } => walk.place.0.push(to),
            Op::Return => {
                walk.place.0.pop();
                if walk.place.0.is_empty() {
                    return Ok(Next::Done(Ended::Nothing));
                }
            }
            Op::SetClock { clock, value } => {
                let (clock, value) = (self.read(walk, clock), self.read(walk, value));
                let fault = value.holds(terms, |v| v < 0);
                if !self.fails(terms, walk, fault) {
                    return Ok(Next::Dead);
                }
                let value = value.map(terms, |v| (v >= 0).then_some((0, i64::from(v))));
                self.set_clock(terms, walk, &clock, &value);
            }
            Op::CopyClock { clock, from, plus } => {
                let [clock, from, plus] = [clock, from, plus].map(|addr| self.read(walk, addr));
                let mut sources = Vec::new();
                for (x, here) in from.values() {
                    let Some(x) = self.system.code.clock(*x as u32) else { continue };
                    for (source, term) in self.clock(walk, x).values() {
                        sources.push((*source, terms.and([*here, *term])));
                    }
                }
                let source = Choice::collect(terms, sources);
                let value = source.pair(terms, &plus, MOST_PAIRS, |(x, n), p| Some((x, n + i64::from(p))));
                let value = value.ok_or_else(too_many)?;
                for (becomes, term) in value.values() {
                    let here = terms.and([walk.condition, *term]);
                    self.copies.push((here, *becomes));
                }
                self.set_clock(terms, walk, &clock, &value);
            }
            Op::Assert { a } => {
                let fault = self.read(walk, a).holds(terms, |v| v == 0);
                if !self.fails(terms, walk, fault) {
                    return Ok(Next::Dead);
                }
            }
            Op::Trap => {
                self.fails(terms, walk, Term::TRUE);
                return Ok(Next::Dead);
            }
            Op::Answer { truth } => return Ok(Next::Done(Ended::Truth(truth))),
            Op::Yield { a } => return Ok(Next::Done(Ended::Value(self.read(walk, a)))),
            Op::End => return Ok(Next::Done(Ended::Nothing)),
        }
        Ok(Next::On)
    }

    fn set_clock(&mut self, terms: &mut Terms, walk: &mut Walk, clock: &Integer, value: &Choice<(u32, i64)>) {
        for (number, here) in clock.values() {
            // Clocks that are left out are compared with nothing.
            let Some(x) = self.system.code.clock(*number as u32) else { continue };
            let before = self.clock(walk, x);
            walk.clocks.insert(x, Choice::either(terms, *here, value, &before));
        }
    }

    fn jump_if(&mut self, terms: &mut Terms, walk: &mut Walk, (cmp, a, b): (Cmp, Addr, Addr), by: i32) -> Next {
        let (left, right) = (self.read(walk, a), self.read(walk, b));
        let term = compare(terms, cmp, &left, &right);
        if term == Term::TRUE {
            jump(walk, by);
        }
        if term == Term::TRUE || term == Term::FALSE {
            return Next::On;
        }
        let (mut jumps, mut stays) = self.part(terms, walk, term);
        if let Some(b) = right.only() {
            self.learn(&mut jumps, a, |v| cmp.holds(v, b));
            self.learn(&mut stays, a, |v| !cmp.holds(v, b));
        }
        jump(&mut jumps, by);
        let (alive, other) = (stays.condition != Term::FALSE, jumps.condition != Term::FALSE);
        *walk = if alive { stays } else { jumps.clone() };
        match (alive, other) {
            (true, true) => Next::Fork(jumps),
            (false, false) => Next::Dead,
            _ => Next::On,
        }
    }
}

fn jump(walk: &mut Walk, by: i32) {
    if let Some(pc) = walk.place.0.last_mut() {
        *pc = pc.wrapping_add_signed(by);
    }
}
