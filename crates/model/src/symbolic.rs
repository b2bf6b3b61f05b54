//! What code does, as paths: conditions on the variables before it, and what they become.
//!
//! Each way through a piece of code is one path. Where a condition, an index or a pointer depends on variables, the way forks;
//! loops that count by constants are run. Code with too many ways is given up, and whoever asks does without.

mod term;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::operation::Interval;
pub use term::{Atom, Term, TermId, Terms};

use crate::{
    System,
    code::{Addr, Cmp, Op, Pc},
};

/// A way through code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// It is taken where all of these hold.
    pub conditions: Vec<Atom>,
    /// The numbers of the row that were written, and what they are now. Others are as they were.
    pub writes: BTreeMap<u32, TermId>,
    /// The clocks that were set, and to what; `None`: nobody knows.
    pub clocks: BTreeMap<u32, Option<TermId>>,
    /// The value that the code ends with.
    pub result: Option<TermId>,
}

/// At most so many ways through one piece of code.
const MOST_PATHS: usize = 256;
/// At most so many instructions on all of them.
const MOST_STEPS: usize = 200_000;
/// At most so many instructions for all pieces of code together: what comes later is given up.
const MOST_STEPS_OF_ALL: usize = 50_000_000;
/// Numbers of the row with at most so many values are tried out, to see which ways there are not.
const FEW: i64 = 256;

/// Follows code.
pub struct Symbolic<'s> {
    system: &'s System,
    /// The terms of all paths.
    pub terms: Terms,
    steps: usize,
}

/// A path that is being followed.
#[derive(Clone)]
struct Walk {
    path: Path,
    pc: u32,
    scratch: BTreeMap<Addr, TermId>,
    returns: Vec<u32>,
    /// What is left of the values of variables that conditions were on.
    left: BTreeMap<u32, Vec<i32>>,
}

/// The code has too many ways, or does what can't be followed.
struct TooMuch;

/// How a step ends.
enum Step {
    /// The walk goes on.
    On,
    /// It came to the end of the code.
    Done,
    /// There is no such way.
    Dead,
}

impl<'s> Symbolic<'s> {
    /// For the code of a system.
    #[must_use]
    pub fn new(system: &'s System) -> Symbolic<'s> {
        Symbolic { system, terms: Terms::default(), steps: 0 }
    }

    /// The values that a variable can have. Its number is that of the row; beyond the row's end come its numbers again, for
    /// values that they have at another time.
    #[must_use]
    pub fn range(&self, var: u32) -> (i32, i32) {
        self.system.ranges[var as usize % self.system.ranges.len()]
    }

    /// The paths that go on from `before` through a condition to its truth. `None`: there are too many.
    pub fn test(&mut self, before: &Path, condition: Pc) -> Option<Vec<Path>> {
        let ends = self.follow(before, condition, &BTreeSet::new())?;
        let zero = self.terms.constant(0);
        let mut out = Vec::new();
        for mut walk in ends {
            let truth = match walk.path.result.take() {
                None => true,
                Some(value) => {
                    !matches!(self.assume(&mut walk, Atom { cmp: Cmp::Ne, left: value, right: zero }), Step::Dead)
                }
            };
            // Conditions have no effects.
            walk.path.writes.clone_from(&before.writes);
            if truth {
                out.push(walk.path);
            }
        }
        Some(out)
    }

    /// The paths that go on from `before` through an update. The numbers in `later` have the values of another time.
    pub fn update(&mut self, before: &Path, update: Pc, later: &BTreeSet<u32>) -> Option<Vec<Path>> {
        Some(self.follow(before, update, later)?.into_iter().map(|walk| walk.path).collect())
    }

    fn follow(&mut self, before: &Path, pc: Pc, later: &BTreeSet<u32>) -> Option<Vec<Walk>> {
        let row = self.system.initial.len() as u32;
        let mut first = Walk {
            path: Path { conditions: Vec::new(), ..before.clone() },
            pc: pc.0,
            scratch: later.iter().map(|slot| (*slot, self.terms.intern(Term::Var(slot + row)))).collect(),
            returns: Vec::new(),
            left: BTreeMap::new(),
        };
        // The conditions so far are met again, to know what they leave.
        for condition in &before.conditions {
            if matches!(self.assume(&mut first, *condition), Step::Dead) {
                return Some(Vec::new());
            }
        }
        let mut open = vec![first];
        let mut done = Vec::new();
        let mut steps = 0;
        while let Some(mut walk) = open.pop() {
            loop {
                steps += 1;
                self.steps += 1;
                if steps > MOST_STEPS || self.steps > MOST_STEPS_OF_ALL || open.len() + done.len() > MOST_PATHS {
                    return None;
                }
                match self.step(&mut walk, &mut open) {
                    Ok(Step::On) => {}
                    Ok(Step::Dead) => break,
                    Ok(Step::Done) => {
                        done.push(walk);
                        break;
                    }
                    Err(TooMuch) => return None,
                }
            }
        }
        Some(done)
    }

    fn read(&mut self, walk: &Walk, addr: Addr) -> TermId {
        let row = self.system.initial.len() as u32;
        let kept = if addr < row { walk.path.writes.get(&addr) } else { None };
        if let Some(term) = kept.or_else(|| walk.scratch.get(&addr)) {
            return *term;
        }
        if addr < row {
            return self.terms.intern(Term::Var(addr));
        }
        let constant = self.system.code.constants.get((addr - row) as usize).copied();
        self.terms.constant(constant.unwrap_or(0))
    }

    fn write(&mut self, walk: &mut Walk, addr: Addr, value: TermId) {
        if (addr as usize) < self.system.initial.len() {
            walk.path.writes.insert(addr, value);
        } else {
            walk.scratch.insert(addr, value);
        }
    }

    /// Takes for granted that a comparison holds.
    fn assume(&mut self, walk: &mut Walk, atom: Atom) -> Step {
        let Some(support) = self.terms.atom_support(atom) else { return Step::On };
        let holds = |terms: &Terms, of: &dyn Fn(u32) -> i32| {
            let (left, right) = (terms.value(atom.left, of), terms.value(atom.right, of));
            left.zip(right).is_some_and(|(left, right)| atom.cmp.holds(left, right))
        };
        match support[..] {
            [] => {
                return if holds(&self.terms, &|_| 0) { Step::On } else { Step::Dead };
            }
            [var] => {
                let (low, high) = self.range(var);
                if i64::from(high) - i64::from(low) < FEW {
                    let left = walk.left.entry(var).or_insert_with(|| (low..=high).collect());
                    let before = left.len();
                    left.retain(|value| holds(&self.terms, &|_| *value));
                    if left.is_empty() {
                        return Step::Dead;
                    }
                    if left.len() == before {
                        // It says nothing new.
                        return Step::On;
                    }
                }
            }
            _ => {}
        }
        if !walk.path.conditions.contains(&atom) {
            walk.path.conditions.push(atom);
        }
        Step::On
    }

    /// The values that a term may have on a walk; `None`: too many.
    fn values(&self, walk: &Walk, term: TermId) -> Option<Vec<i32>> {
        let support = self.terms.support(term)?;
        let choices: Vec<Vec<i32>> = support
            .iter()
            .map(|var| {
                let (low, high) = self.range(*var);
                walk.left
                    .get(var)
                    .cloned()
                    .or_else(|| (i64::from(high) - i64::from(low) < FEW).then(|| (low..=high).collect()))
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
            values.extend(self.terms.value(term, &of));
        }
        Some(values.into_iter().collect())
    }

    /// The value of an address as a number: the walk goes on with one of them, and others with the rest.
    fn number(&mut self, walk: &mut Walk, addr: Addr, open: &mut Vec<Walk>) -> Result<Option<i32>, TooMuch> {
        let term = self.read(walk, addr);
        if let Some(value) = self.terms.known(term) {
            return Ok(Some(value));
        }
        let values = self.values(walk, term).ok_or(TooMuch)?;
        if values.len() > MOST_PATHS {
            return Err(TooMuch);
        }
        // The walk is at the instruction behind this one; the others do this one again.
        let here = walk.pc - 1;
        let mut chosen = None;
        for value in values {
            let constant = self.terms.constant(value);
            let mut fork = walk.clone();
            if matches!(self.assume(&mut fork, Atom { cmp: Cmp::Eq, left: term, right: constant }), Step::Dead) {
                continue;
            }
            self.write_known(&mut fork, addr, constant);
            if chosen.is_none() {
                chosen = Some((fork, value));
            } else {
                fork.pc = here;
                open.push(fork);
            }
        }
        Ok(chosen.map(|(fork, value)| {
            *walk = fork;
            value
        }))
    }

    /// Notes that the number at an address is a constant. Variables keep their terms, which conditions are on.
    fn write_known(&mut self, walk: &mut Walk, addr: Addr, constant: TermId) {
        let row = self.system.initial.len() as u32;
        if addr >= row || walk.path.writes.contains_key(&addr) {
            self.write(walk, addr, constant);
        } else {
            walk.scratch.insert(addr, constant);
        }
    }

    fn step(&mut self, walk: &mut Walk, open: &mut Vec<Walk>) -> Result<Step, TooMuch> {
        macro_rules! number {
            ($addr:expr) => {
                match self.number(walk, $addr, open)? {
                    Some(value) => value,
                    None => return Ok(Step::Dead),
                }
            };
        }
        let op = self.system.code.ops[walk.pc as usize];
        let next = walk.pc + 1;
        walk.pc = next;
        match op {
            Op::Move { to, from } => {
                let value = self.read(walk, from);
                self.write(walk, to, value);
            }
            Op::Arith { op, to, a, b } => {
                let (a, b) = (self.read(walk, a), self.read(walk, b));
                let value = self.terms.intern(Term::Arith(op, a, b));
                self.write(walk, to, value);
            }
            Op::Compare { cmp, to, a, b } => {
                let (a, b) = (self.read(walk, a), self.read(walk, b));
                let value = self.terms.intern(Term::Compare(cmp, a, b));
                self.write(walk, to, value);
            }
            Op::Unary { op, to, a } => {
                let a = self.read(walk, a);
                let value = self.terms.intern(Term::Unary(op, a));
                self.write(walk, to, value);
            }
            Op::Jump { by } => walk.pc = next.wrapping_add_signed(by),
            Op::JumpIf { cmp, a, b, by } => {
                let (left, right) = (self.read(walk, a), self.read(walk, b));
                let mut jump = walk.clone();
                jump.pc = next.wrapping_add_signed(by);
                let jumps = !matches!(self.assume(&mut jump, Atom { cmp, left, right }), Step::Dead);
                let stays = !matches!(self.assume(walk, Atom { cmp: cmp.negate(), left, right }), Step::Dead);
                match (stays, jumps) {
                    (true, true) => open.push(jump),
                    (true, false) => {}
                    (false, true) => *walk = jump,
                    (false, false) => return Ok(Step::Dead),
                }
            }
            Op::Index { to, index, shape } => {
                let index = number!(index);
                let (low, length, stride) = (number!(shape), number!(shape + 1), number!(shape + 2));
                let offset = i64::from(index) - i64::from(low);
                if offset < 0 || offset >= i64::from(length) {
                    return Ok(Step::Dead);
                }
                let value = self.terms.constant(offset as i32 * stride);
                self.write(walk, to, value);
            }
            Op::Load { to, base, offset } => {
                let at = base.wrapping_add_signed(number!(offset));
                let value = self.read(walk, at);
                self.write(walk, to, value);
            }
            Op::Store { base, offset, from } => {
                let at = base.wrapping_add_signed(number!(offset));
                let value = self.read(walk, from);
                self.write(walk, at, value);
            }
            Op::LoadRef { to, pointer, offset } => {
                let at = number!(pointer);
                let at = (at as u32).wrapping_add_signed(number!(offset));
                let value = self.read(walk, at);
                self.write(walk, to, value);
            }
            Op::StoreRef { pointer, offset, from } => {
                let at = number!(pointer);
                let at = (at as u32).wrapping_add_signed(number!(offset));
                let value = self.read(walk, from);
                self.write(walk, at, value);
            }
            Op::Point { to, base, offset } => {
                let value = base.wrapping_add_signed(number!(offset)) as i32;
                let value = self.terms.constant(value);
                self.write(walk, to, value);
            }
            Op::Copy { to, from, len } => {
                let (to, from) = (number!(to) as u32, number!(from) as u32);
                for i in 0..len {
                    let value = self.read(walk, from + i);
                    self.write(walk, to + i, value);
                }
            }
            Op::Same { a, b, len } => {
                let (x, y) = (number!(a) as u32, number!(b) as u32);
                let mut same = self.terms.constant(1);
                for i in 0..len {
                    let (left, right) = (self.read(walk, x + i), self.read(walk, y + i));
                    let equal = self.terms.intern(Term::Compare(Cmp::Eq, left, right));
                    same = self.terms.intern(Term::Arith(crate::code::Arith::And, same, equal));
                }
                self.write(walk, a, same);
            }
            // Elements of lattices have no terms.
            Op::Bit { .. } | Op::SetBit { .. } | Op::Lattice { .. } => return Err(TooMuch),
            Op::Call { pc } => {
                walk.returns.push(next);
                walk.pc = pc;
            }
            Op::Return => match walk.returns.pop() {
                Some(pc) => walk.pc = pc,
                None => return Ok(Step::Done),
            },
            // A number outside of its range ends all; that it stays within says little about the numbers before.
            Op::Range { .. } | Op::Assert { .. } => {}
            Op::SetClock { clock, value } => {
                let clock = number!(clock) as u32;
                let value = self.read(walk, value);
                walk.path.clocks.extend(self.system.code.clock(clock).map(|clock| (clock, Some(value))));
            }
            Op::CopyClock { clock, .. } => {
                let clock = number!(clock) as u32;
                walk.path.clocks.extend(self.system.code.clock(clock).map(|clock| (clock, None)));
            }
            Op::Trap => return Ok(Step::Dead),
            Op::Answer { truth } => return Ok(if truth { Step::Done } else { Step::Dead }),
            Op::Yield { a } => {
                walk.path.result = Some(self.read(walk, a));
                return Ok(Step::Done);
            }
            Op::End => return Ok(Step::Done),
        }
        Ok(Step::On)
    }
}

impl System {
    /// The numbers of the row that code may write, on all ways through it.
    #[must_use]
    pub fn written(&self, pc: Pc) -> BTreeSet<u32> {
        let row = self.initial.len() as u32;
        let mut out = BTreeSet::new();
        for pc in self.code.reach([pc]) {
            match self.code.ops[pc as usize] {
                Op::Move { to, .. }
                | Op::Unary { to, .. }
                | Op::Arith { to, .. }
                | Op::Compare { to, .. }
                | Op::Index { to, .. }
                | Op::Load { to, .. }
                | Op::LoadRef { to, .. }
                | Op::Bit { to, .. }
                | Op::Lattice { to, .. }
                | Op::Same { a: to, .. } => out.extend((to < row).then_some(to)),
                // What a pointer leads to may be written wherever the pointer goes.
                Op::Store { base, .. } | Op::SetBit { base, .. } | Op::Point { base, .. } => {
                    out.extend(self.slots_of(base))
                }
                _ => {}
            }
        }
        out
    }

    /// All numbers of the variable that an address is in; none for other addresses.
    #[must_use]
    pub fn slots_of(&self, addr: Addr) -> std::ops::Range<u32> {
        let after = self.variables.partition_point(|v| v.first <= addr);
        let variable = after.checked_sub(1).and_then(|i| self.variables.get(i));
        let own = variable.map_or(0..0, |v| v.first..v.first + v.shape.size().ints);
        if own.contains(&addr) { own } else { 0..0 }
    }
}
