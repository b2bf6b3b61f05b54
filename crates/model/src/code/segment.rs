//! Code in two segments: that of a model, which never changes, and after it the code of queries and
//! other expressions.
//!
//! The memory and the instructions of the second segment follow those of the first. Nothing in the
//! first segment moves when a query is added, and the code of a query may call the model's
//! functions.

use std::{collections::BTreeSet, sync::Arc};

use lattice::user::{Failures, UserFailure};
use syntax::Span;

use super::{Addr, CallKind, LatticeCall, Op, Pc, Predicate, RealCode, Region};
use crate::{Signal, Stop, interpret, machine::FaultKind, operation};

/// Code that was lowered together, with its part of the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The instructions.
    pub(crate) ops: Vec<Op>,
    /// The constants.
    pub(crate) constants: Vec<i32>,
    /// The size of the scratch space.
    pub(crate) scratch: u32,
    /// The ranges of scratch space that hold values of several numbers.
    pub(crate) wide: Vec<(u32, u32)>,
    /// The spans of instructions that may fail, by their index in `ops`.
    pub(crate) sites: Vec<(u32, Span)>,
    /// The operations on elements of lattices.
    pub(crate) calls: Vec<LatticeCall>,
    /// The predicates of the user.
    pub(crate) predicates: Vec<Predicate>,
}

impl Segment {
    /// Splits off the code that was added after `base`. Its parts are renumbered from there;
    /// addresses, calls and functions in instructions keep their numbers.
    pub(crate) fn split_off(&mut self, base: &Segment) -> Segment {
        let ops = self.ops.split_off(base.ops.len());
        let constants = self.constants.split_off(base.constants.len());
        let calls = self.calls.split_off(base.calls.len());
        let predicates = self.predicates.split_off(base.predicates.len());
        let scratch = std::mem::replace(&mut self.scratch, base.scratch) - base.scratch;
        let mut wide = self.wide.split_off(base.wide.len());
        wide.iter_mut().for_each(|(first, _)| *first -= base.scratch);
        let mut sites = self.sites.split_off(base.sites.len());
        sites.iter_mut().for_each(|(pc, _)| *pc -= base.ops.len() as u32);
        Segment { ops, constants, scratch, wide, sites, calls, predicates }
    }

    fn site(&self, at: u32) -> Span {
        match self.sites.binary_search_by_key(&at, |s| s.0) {
            Ok(i) => self.sites[i].1,
            Err(_) => Span::NONE,
        }
    }
}

/// All code of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The segment of the model.
    base: Arc<Segment>,
    /// The segment of the code that was lowered after the model.
    own: Arc<Segment>,
    /// The clock that each clock number in the code refers to, or [`Code::NO_CLOCK`]; empty if each
    /// number refers to itself.
    pub(crate) clocks: Vec<u32>,
    /// The signal that stops runs of the code.
    pub signal: Signal,
    /// The failures of functions of the user that the code calls.
    pub failures: Failures,
    /// The numbers of locations, variables and meta variables.
    layout: [u32; 3],
}

impl Code {
    /// Links the code of a model, for `layout` numbers in each region of the row.
    pub(crate) fn new(segment: Segment, layout: [u32; 3], signal: Signal) -> Code {
        let code = Code { layout, signal, ..Code::default() };
        Code { base: Arc::new(code.linked(segment)), ..code }
    }

    /// Wraps code that is not linked yet, to be run on a memory that resolves its addresses.
    pub(crate) fn unlinked(segment: Segment, signal: Signal) -> Code {
        Code { base: Arc::new(segment), signal, ..Code::default() }
    }

    /// Returns the segment of the model by value.
    pub(crate) fn into_base(self) -> Segment {
        Arc::unwrap_or_clone(self.base)
    }

    /// Returns the segment of the model.
    pub(crate) fn base(&self) -> &Segment {
        &self.base
    }

    /// Links a segment that directly follows that of the model.
    pub(crate) fn linked(&self, mut segment: Segment) -> Segment {
        let constants = segment.constants.len() as u32;
        for op in &mut segment.ops {
            op.uses_mut(|_, a| *a = self.plain_beside(constants, *a));
        }
        segment
    }

    /// Adds linked segments. Returns the distance by which the instructions of each move.
    ///
    /// Scratch space holds nothing from one run to the next, so all segments share it.
    pub(crate) fn append(&mut self, segments: &[&Arc<Segment>]) -> Vec<u32> {
        if let ([only], true) = (segments, *self.own == Segment::default()) {
            self.own = (*only).clone();
            return vec![0];
        }
        let first = self.first_own();
        let before = std::mem::take(&mut self.own);
        let all: Vec<&Segment> = std::iter::once(&*before).chain(segments.iter().map(|s| &***s)).collect();
        // The constants of all segments come before the scratch space.
        let constants: u32 = all.iter().map(|s| s.constants.len() as u32).sum();
        let mut own = Segment::default();
        let mut shifts = Vec::new();
        for segment in all {
            let (shift, calls) = (own.ops.len() as u32, own.calls.len() as u32);
            let predicates = own.predicates.len() as u32;
            let (earlier, count) = (own.constants.len() as u32, segment.constants.len() as u32);
            let address = |a: &mut Addr| match a.checked_sub(first) {
                None => {}
                Some(at) if at < count => *a += earlier,
                Some(_) => *a += constants - count,
            };
            own.ops.extend(segment.ops.iter().map(|op| {
                let mut op = *op;
                op.uses_mut(|_, a| address(a));
                match &mut op {
                    Op::Call { pc } if *pc >= self.base.ops.len() as u32 => *pc += shift,
                    Op::Lattice { call, .. } if *call >= self.base.calls.len() as u32 => *call += calls,
                    // The model itself has no predicates.
                    Op::Ask { predicate, .. } => *predicate += predicates,
                    _ => {}
                }
                op
            }));
            own.constants.extend_from_slice(&segment.constants);
            own.scratch = own.scratch.max(segment.scratch);
            own.wide.extend_from_slice(&segment.wide);
            own.sites.extend(segment.sites.iter().map(|(at, span)| (at + shift, *span)));
            own.calls.extend_from_slice(&segment.calls);
            own.predicates.extend_from_slice(&segment.predicates);
            shifts.push(shift);
        }
        self.own = Arc::new(own);
        shifts.split_off(1)
    }

    /// Returns the reason to stop, if there is one.
    #[inline]
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.signal.raised().or_else(|| self.failures.stops().then_some(Stop::User))
    }

    /// Returns the instruction at an index.
    #[inline(always)]
    #[must_use]
    pub fn op(&self, pc: u32) -> Op {
        match self.base.ops.get(pc as usize) {
            Some(op) => *op,
            None => self.own.ops[pc as usize - self.base.ops.len()],
        }
    }

    /// Returns the number of instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.base.ops.len() + self.own.ops.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all instructions.
    pub fn ops(&self) -> impl Iterator<Item = Op> {
        self.base.ops.iter().chain(&self.own.ops).copied()
    }

    /// Returns the instructions from `pc` on, in the order of the code.
    pub fn ops_from(&self, pc: Pc) -> impl Iterator<Item = Op> {
        (pc.0..self.len() as u32).map(|pc| self.op(pc))
    }

    /// Returns all constants.
    pub fn constants(&self) -> impl Iterator<Item = i32> {
        self.base.constants.iter().chain(&self.own.constants).copied()
    }

    /// Returns an operation on elements of lattices.
    #[must_use]
    pub fn call(&self, number: u32) -> &LatticeCall {
        match self.base.calls.get(number as usize) {
            Some(call) => call,
            None => &self.own.calls[number as usize - self.base.calls.len()],
        }
    }

    /// Asks a predicate of the user about the row at the beginning of a memory.
    pub(crate) fn ask<M: interpret::Memory>(&self, predicate: u32, m: &M) -> Result<i32, FaultKind> {
        let row: Vec<i32> = (0..self.layout.iter().sum()).map(|slot| m.get(slot)).collect();
        let fails = |error| UserFailure { function: "the goal of the user".to_owned(), arguments: Vec::new(), error };
        match self.own.predicates[predicate as usize].ask(&row) {
            Ok(holds) => Ok(i32::from(holds)),
            Err(error) => Err(FaultKind::User(self.failures.note(fails(error)))),
        }
    }

    /// Returns the instructions that may follow one; for a call, both the function and the
    /// instruction after the call.
    pub(crate) fn next(&self, pc: u32) -> impl Iterator<Item = u32> {
        let jump = |by: i32| (pc + 1).wrapping_add_signed(by);
        let (on, other) = match self.op(pc) {
            Op::Jump { by } => (None, Some(jump(by))),
            Op::JumpIf { by, .. } => (Some(pc + 1), Some(jump(by))),
            Op::Call { pc: to } => (Some(pc + 1), Some(to)),
            Op::Return | Op::Trap | Op::Answer { .. } | Op::Yield { .. } | Op::End => (None, None),
            Op::Real { code: RealCode::Yield, .. } => (None, None),
            _ => (Some(pc + 1), None),
        };
        on.into_iter().chain(other)
    }

    /// Returns all instructions that are reachable from these, in order.
    pub(crate) fn reach(&self, roots: impl IntoIterator<Item = Pc>) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = roots.into_iter().map(|pc| pc.0).collect();
        while let Some(pc) = open.pop() {
            if seen.insert(pc) {
                open.extend(self.next(pc));
            }
        }
        seen
    }

    /// Returns whether an instruction may fail, judged by the instruction alone.
    pub(crate) fn may_fail(&self, pc: u32) -> bool {
        match self.op(pc) {
            Op::Range { .. } | Op::Index { .. } | Op::Assert { .. } | Op::Ask { .. } | Op::Trap => true,
            Op::Real { code, .. } => matches!(code, RealCode::Test(_) | RealCode::Draw(_)),
            // Only methods have arguments that can be illegal. Those of the user may always fail.
            Op::Lattice { call, .. } => {
                let call = self.call(call);
                let is_user = call.lattice.0.is_of_user();
                matches!(call.kind, CallKind::Method(_)) && (call.arguments > 0 || is_user)
            }
            Op::Arith { op, b, .. } => self.constant(b).map_or(op.may_fail(operation::ALL), |b| op.fails(b)),
            Op::SetClock { value, .. } => self.constant(value).is_none_or(|value| value < 0),
            Op::Move { .. } | Op::Unary { .. } | Op::Compare { .. } | Op::Jump { .. } | Op::JumpIf { .. } => false,
            Op::Load { .. } | Op::Store { .. } | Op::LoadRef { .. } | Op::StoreRef { .. } | Op::Point { .. } => false,
            Op::Copy { .. } | Op::Same { .. } | Op::Bit { .. } | Op::SetBit { .. } | Op::CopyClock { .. } => false,
            Op::Call { .. } | Op::Return | Op::Answer { .. } | Op::Yield { .. } | Op::End => false,
        }
    }

    /// The number of clocks that were projected away.
    pub(crate) const NO_CLOCK: u32 = u32::MAX;

    /// Returns the clock that a number in the code refers to; `None` if it was projected away.
    #[must_use]
    pub fn clock(&self, number: u32) -> Option<u32> {
        if self.clocks.is_empty() {
            return Some(number);
        }
        self.clocks.get(number as usize).copied().filter(|clock| *clock != Code::NO_CLOCK)
    }

    /// Returns the span of the text that the instruction `pc` was compiled from.
    #[must_use]
    pub fn site(&self, pc: u32) -> Span {
        match pc.checked_sub(self.base.ops.len() as u32) {
            None => self.base.site(pc),
            Some(at) => self.own.site(at),
        }
    }

    /// Removes the spans of all instructions.
    pub(crate) fn forget_sites(&mut self) {
        for segment in [&mut self.base, &mut self.own] {
            Arc::make_mut(segment).sites.clear();
        }
    }

    /// Returns the initial memory of a machine whose row has `row` numbers.
    pub(crate) fn memory(&self, row: usize) -> Vec<i32> {
        let mut memory = vec![0; row];
        for segment in [&self.base, &self.own] {
            memory.extend_from_slice(&segment.constants);
            memory.resize(memory.len() + segment.scratch as usize, 0);
        }
        memory
    }

    /// Returns the first address after the memory of the model.
    fn first_own(&self) -> Addr {
        self.layout.iter().sum::<u32>() + self.base.constants.len() as u32 + self.base.scratch
    }

    /// Returns the number at a linked address, if it is a constant.
    #[must_use]
    pub fn constant(&self, addr: Addr) -> Option<i32> {
        let (at, segment) = match addr.checked_sub(self.first_own()) {
            Some(at) => (at, &self.own),
            None => (addr.checked_sub(self.layout.iter().sum())?, &self.base),
        };
        segment.constants.get(at as usize).copied()
    }

    /// Returns the size of the scratch space.
    pub(crate) fn scratch(&self) -> usize {
        (self.base.scratch + self.own.scratch) as usize
    }

    /// Returns the index in the scratch space of a linked address.
    pub(crate) fn scratch_at(&self, addr: Addr) -> Option<usize> {
        let (at, before, segment) = match addr.checked_sub(self.first_own()) {
            Some(at) => (at, self.base.scratch, &self.own),
            None => (addr.checked_sub(self.layout.iter().sum())?, 0, &self.base),
        };
        Some((at.checked_sub(segment.constants.len() as u32)? + before) as usize)
    }

    /// Returns the ranges of scratch space that hold values of several numbers.
    pub(crate) fn wide(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let own = self.own.wide.iter().map(|(first, count)| (first + self.base.scratch, *count));
        let all = self.base.wide.iter().copied().chain(own);
        all.map(|(first, count)| first as usize..(first + count) as usize)
    }

    /// Links an address that carries its region.
    pub(crate) fn plain(&self, addr: Addr) -> Addr {
        self.plain_beside(self.own.constants.len() as u32, addr)
    }

    /// Links an address for a second segment with this number of constants.
    fn plain_beside(&self, constants: u32, addr: Addr) -> Addr {
        let [locations, variables, meta] = self.layout;
        let row = locations + variables + meta;
        let base = &*self.base;
        let (region, index) = Region::split(addr);
        match region {
            Region::Locations => index,
            Region::Variables => locations + index,
            Region::Meta => locations + variables + index,
            Region::Constants if index < base.constants.len() as u32 => row + index,
            Region::Constants => row + base.scratch + index,
            Region::Scratch if index < base.scratch => row + base.constants.len() as u32 + index,
            Region::Scratch => row + base.constants.len() as u32 + constants + index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{code::Arith, machine::Machine};

    const fn arith(op: Arith, to: Addr, a: Addr, b: Addr) -> Op {
        Op::Arith { op, to, a, b }
    }

    fn constant(i: u32) -> Addr {
        Region::Constants.at(i)
    }

    fn scratch(i: u32) -> Addr {
        Region::Scratch.at(i)
    }

    fn span(start: u32) -> Span {
        Span { start, end: start + 1 }
    }

    /// Returns a function that adds 5 to its argument, which is in scratch 0, and leaves the result
    /// in scratch 1.
    fn base() -> Segment {
        Segment {
            ops: vec![arith(Arith::Add, scratch(1), scratch(0), constant(0)), Op::Return],
            constants: vec![5],
            scratch: 2,
            sites: vec![(0, span(10))],
            ..Segment::default()
        }
    }

    /// Lowers an expression after the model's code: `factor / (f(variable) - less)`, where another
    /// function subtracts.
    fn expression(base: &Segment, factor: i32, less: i32) -> (Segment, Pc) {
        let mut all = base.clone();
        all.constants.extend([factor, less]);
        all.scratch += 2;
        all.ops.extend([arith(Arith::Sub, scratch(3), scratch(2), constant(2)), Op::Return]);
        let start = all.ops.len() as u32;
        all.sites.push((start + 4, span(less as u32)));
        all.ops.extend([
            Op::Move { to: scratch(0), from: Region::Variables.at(0) },
            Op::Call { pc: 0 },
            Op::Move { to: scratch(2), from: scratch(1) },
            Op::Call { pc: base.ops.len() as u32 },
            arith(Arith::Div, scratch(2), constant(1), scratch(3)),
            Op::Yield { a: scratch(2) },
        ]);
        let own = all.split_off(base);
        assert_eq!(all, *base);
        (own, Pc(start))
    }

    #[test]
    fn segments_call_the_model_and_themselves() {
        let code = Code::new(base(), [0, 1, 0], Signal::default());
        let expressions = [(100, 20), (1000, 30), (-60, 7)].map(|(factor, less)| {
            let (own, start) = expression(&base(), factor, less);
            (Arc::new(code.linked(own)), start, factor, less)
        });
        let mut one_by_one = code.clone();
        let first: Vec<u32> = expressions.iter().flat_map(|e| one_by_one.append(&[&e.0])).collect();
        let mut at_once = code.clone();
        let second = at_once.append(&expressions.iter().map(|e| &e.0).collect::<Vec<_>>());
        assert_eq!((&one_by_one, &first), (&at_once, &second));
        assert_eq!(at_once.constants().collect::<Vec<_>>(), [5, 100, 20, 1000, 30, -60, 7]);
        // Nothing in the base has moved, and the scratch space is shared.
        assert_eq!((at_once.op(0), at_once.scratch()), (code.op(0), 4));
        let mut machine = Machine::new(&at_once, 1);
        for round in 0..20 {
            machine.load(&[round]);
            for ((_, start, factor, less), shift) in expressions.iter().zip(&second) {
                let found = machine.value(Pc(start.0 + shift));
                match (round + 5).checked_sub(*less).filter(|d| *d != 0) {
                    Some(divisor) => assert_eq!(found, Ok(factor / divisor)),
                    None => assert_eq!(found.unwrap_err().span(&at_once), span(*less as u32)),
                }
            }
        }
        assert_eq!(at_once.site(0), span(10));
    }

    #[test]
    fn addresses_are_constants_or_scratch() {
        let code = Code::new(base(), [2, 1, 1], Signal::default());
        let mut extended = code.clone();
        extended.append(&[&Arc::new(code.linked(expression(&base(), 3, 4).0))]);
        let constants: Vec<Option<i32>> = (0..11).map(|addr| extended.constant(addr)).collect();
        let none = None;
        assert_eq!(constants, [none, none, none, none, Some(5), none, none, Some(3), Some(4), none, none]);
        let scratch: Vec<Option<usize>> = (0..11).map(|addr| extended.scratch_at(addr)).collect();
        assert_eq!(scratch[5..], [Some(0), Some(1), None, None, Some(2), Some(3)]);
        assert!(scratch[..5].iter().all(Option::is_none));
        assert_eq!(extended.memory(4), [0, 0, 0, 0, 5, 0, 0, 3, 4, 0, 0]);
        assert_eq!((0..5).map(|addr| code.constant(addr)).collect::<Vec<_>>(), constants[..5]);
    }
}
