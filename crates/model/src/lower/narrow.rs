//! Conditions on abstract integers.
//!
//! A guard holds if some values of the integers may satisfy all of it. This is tested on copies of
//! the elements, which each comparison narrows. An edge that is taken narrows the elements
//! themselves: by its guard before its update, and by the invariant of its target after it. If an
//! element becomes bottom, the state does not exist: the locations of the first process have an
//! invariant that excludes it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use syntax::ast::{BinaryOp, ExprId, ExprKind, Quantifier, UnaryOp};

use super::{Binding, Lowerer, Result, expr::ExprValue, guard::SplitGuard, place::MemoryPlace};
use crate::{
    check::ExternInfo,
    code::{Addr, CallKind, Cmp, LatticeCall, LatticeRef, Op, Pc, Region},
    symmetry::touched,
    system::{LatticeOrder, Sync},
};

/// The narrowing of elements by an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrowing {
    /// The edge.
    edge: usize,
    /// Narrows to the values that satisfy the guard.
    before: Option<Pc>,
    /// Narrows to the values that satisfy the invariant of the target.
    after: Option<Pc>,
    /// Whether time passes for elements, which all invariants narrow then.
    delays: bool,
}

/// The narrowing by the invariant of a location, while time passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    process: u32,
    location: u32,
    narrowing: Pc,
}

/// The effect of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NarrowMode {
    /// Narrows copies, and continues if they are not bottom.
    Try,
    /// Narrows the elements themselves.
    Keep,
}

impl Lowerer<'_> {
    /// Returns the number of comparisons of abstract integers; those of a quantifier count twice.
    pub(super) fn count_comparisons(&self, e: ExprId) -> usize {
        if self.checked.externs.is_empty() {
            return 0;
        }
        if self.compares_abstract(e) {
            return 1;
        }
        let kind = self.tree.kind(e);
        let mut count = 0;
        self.tree.children(kind, |_, child| count += syntax::grow(|| self.count_comparisons(child)));
        if matches!(kind, ExprKind::Quantifier(..)) { 2 * count } else { count }
    }

    /// Compiles a jump that is taken if no values give a condition this truth value.
    pub(super) fn try_out(&mut self, e: ExprId, positive: bool) -> Result<Vec<usize>> {
        let mut roots = BTreeSet::new();
        self.abstract_roots(e, &mut roots)?;
        self.copy_elements(&roots)?;
        let mut no = Vec::new();
        let tried = self.assume(e, positive, NarrowMode::Try, &mut no);
        self.copies.clear();
        tried.map(|()| no)
    }

    /// Copies variables; later comparisons use the copies.
    pub(super) fn copy_elements(&mut self, roots: &BTreeSet<(Addr, u32)>) -> Result<()> {
        self.copies.clear();
        for &(base, size) in roots {
            let copy = self.scratch(size, syntax::Span::NONE)?;
            let (to, from, zero) = (self.temp(), self.temp(), self.literal(0));
            self.emit(Op::Point { to, base: copy, offset: zero });
            self.emit(Op::Point { to: from, base, offset: zero });
            self.emit(Op::Copy { to, from, len: size });
            self.copies.insert(base, copy);
        }
        Ok(())
    }

    /// Collects the variables whose elements an expression compares.
    pub(super) fn abstract_roots(&mut self, e: ExprId, out: &mut BTreeSet<(Addr, u32)>) -> Result<()> {
        let kind = self.tree.kind(e);
        let process = match kind {
            ExprKind::Name(_) => Some(None),
            ExprKind::Member(of, _) => self.process_of(of)?.map(Some),
            _ => None,
        };
        if let (Some(process), Some(id)) = (process, self.checked.name(e)) {
            let of = self.checked.member(id).map_or(id, |(of, _)| of);
            let ty = self.checked.types.base(self.checked.symbols.get(of).ty);
            let binding = match process {
                Some(process) => self.s.processes[process as usize].get(&of),
                None => self.binding(of),
            };
            if let Some(Binding::Object(object)) = binding
                && (of != id || self.checked.source(ty).is_some() || self.checked.has_clocks(ty))
            {
                out.insert((object.ints, object.shape.size().ints));
            }
            return Ok(());
        }
        let mut children = Vec::new();
        self.tree.children(kind, |_, child| children.push(child));
        children.into_iter().try_for_each(|child| syntax::grow(|| self.abstract_roots(child, out)))
    }

    /// Assumes that `e` has a truth value. Narrows by necessary conditions, and tests the rest.
    pub(super) fn assume(&mut self, e: ExprId, positive: bool, how: NarrowMode, no: &mut Vec<usize>) -> Result<()> {
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Unary(UnaryOp::Not, a) => self.assume(a, !positive, how, no),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if (op == BinaryOp::And) == positive => {
                self.assume(a, positive, how, no)?;
                self.assume(b, positive, how, no)
            }
            ExprKind::Binary(BinaryOp::Imply, a, b) if !positive => {
                self.assume(a, true, how, no)?;
                self.assume(b, false, how, no)
            }
            ExprKind::Quantifier(q @ (Quantifier::Forall | Quantifier::Exists), name, ty, body)
                if (q == Quantifier::Forall) == positive =>
            {
                if self.mentions_process(body) {
                    for value in self.unrolled(ty, self.tree.ty(ty).span)? {
                        self.bind_value(name, value)?;
                        self.assume(body, positive, how, no)?;
                    }
                    return Ok(());
                }
                self.iterate(name, ty, |l| l.assume(body, positive, how, no))
            }
            _ if self.compares_abstract(e) => {
                let left = self.compare_abstract(e, positive, CallKind::Assume)?;
                if how == NarrowMode::Try {
                    no.extend(self.jump_if(Cmp::Eq, left, ExprValue::known(0)));
                }
                Ok(())
            }
            _ if how == NarrowMode::Keep => Ok(()),
            _ => {
                let jumps = self.with_polarity(positive, |l| l.branch(e, !positive))?;
                no.extend(jumps);
                Ok(())
            }
        })
    }

    /// Compiles a condition with a polarity.
    pub(super) fn with_polarity<T>(&mut self, positive: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.polarity, positive);
        let result = f(self);
        self.polarity = before;
        result
    }

    /// Compiles the narrowing by a guard or invariant; `None` if it does not restrict elements.
    pub(super) fn narrowing(&mut self, parts: &SplitGuard) -> Result<Option<Pc>> {
        let conditions: Vec<_> = parts.unconditional().filter(|(e, _)| self.count_comparisons(*e) > 0).collect();
        if conditions.is_empty() {
            return Ok(None);
        }
        let exprs: Vec<ExprId> = conditions.iter().map(|c| c.0).collect();
        self.fresh(&exprs, |l| {
            for (e, binders) in conditions {
                for &(name, value) in binders {
                    l.bind_value(name, value)?;
                }
                l.assume(e, true, NarrowMode::Keep, &mut Vec::new())?;
                l.note_cut(e);
            }
            l.emit(Op::Return);
            Ok(Some(l.finish()))
        })
    }

    /// Records the narrowing of the next edge.
    pub(super) fn note_narrowing(&mut self, before: Option<Pc>, after: Option<Pc>, delays: bool) {
        if before.is_some() || after.is_some() || delays {
            let edge = self.system.edges.len();
            self.s.narrowings.push(Narrowing { edge, before, after, delays });
        }
    }

    /// Returns whether updates let time pass for elements.
    pub(super) fn lets_time_pass(&self, updates: &[ExprId]) -> bool {
        !self.checked.externs.is_empty() && updates.iter().any(|e| self.has_delay(*e))
    }

    fn has_delay(&self, e: ExprId) -> bool {
        let mut found = self.checked.is_delay(self.tree, e);
        self.tree.children(self.tree.kind(e), |_, child| found |= syntax::grow(|| self.has_delay(child)));
        found
    }

    /// Records the narrowing of elements with clocks by the invariants of a process.
    pub(super) fn note_stays(&mut self, process: u32, template: u32) -> Result<()> {
        let clocks = |known: &ExternInfo| matches!(known, ExternInfo::Library(lattice) if lattice.kind.has_clocks());
        if !self.checked.externs.iter().any(clocks) {
            return Ok(());
        }
        for location in 0..self.tree.templates[template as usize].locations.len() as u32 {
            if let Some(narrowing) = self.narrowing_at(template, location)? {
                self.s.stays.push(Stay { process, location, narrowing });
            }
        }
        Ok(())
    }

    /// Adds narrowing before and after the updates of edges. The code must be linked, and must be
    /// linked again.
    ///
    /// A guard refers to the state before all updates, an invariant to the state after them. A
    /// narrowing is not used if another participant of a synchronisation changes in between what it
    /// refers to.
    pub(super) fn compose(&mut self) {
        let narrowings = std::mem::take(&mut self.s.narrowings);
        let bodies: Vec<Option<Pc>> = self.system.edges.iter().map(|edge| edge.update).collect();
        let hooks = [self.system.before_update, self.system.after_update];
        let mut written = FxHashMap::default();
        for pc in bodies.iter().chain(&hooks).flatten() {
            written.entry(*pc).or_insert_with(|| touched(&self.system, *pc).1);
        }
        for narrowing in &narrowings {
            let of = |pc: &Pc, after: bool| !self.is_disturbed(narrowing.edge, *pc, after, &bodies, &written);
            let before = narrowing.before.filter(|pc| of(pc, false));
            let after = narrowing.after.filter(|pc| of(pc, true));
            let parts = [before, bodies[narrowing.edge], after];
            self.chunk = Default::default();
            for pc in parts.into_iter().flatten() {
                self.emit(Op::Call { pc: pc.0 });
            }
            if narrowing.delays {
                self.narrow_by_stays(self.system.edges[narrowing.edge].process.0);
            }
            if !self.chunk.ops.is_empty() {
                self.emit(Op::End);
                self.system.edges[narrowing.edge].update = Some(self.finish());
            }
        }
    }

    /// Narrows elements by the invariants of the locations in which other processes stay.
    fn narrow_by_stays(&mut self, own: u32) {
        for stay in self.s.stays.clone().into_iter().filter(|stay| stay.process != own) {
            let is_there = self.at_location(stay.process, stay.location as i32);
            let elsewhere = self.jump_if(Cmp::Eq, is_there, ExprValue::known(0));
            self.emit(Op::Call { pc: stay.narrowing.0 });
            self.land_all(elsewhere.into_iter().collect());
        }
    }

    /// Returns whether code that runs between the evaluation of a condition and an edge's own turn
    /// changes what the condition reads.
    fn is_disturbed(
        &self,
        edge: usize,
        condition: Pc,
        after: bool,
        bodies: &[Option<Pc>],
        written: &FxHashMap<Pc, BTreeSet<u32>>,
    ) -> bool {
        let system = &self.system;
        let (reads, _) = touched(system, condition);
        let disturbs = |pc: Pc| written.get(&pc).is_none_or(|writes| !writes.is_disjoint(&reads));
        let hook = if after { system.after_update } else { system.before_update };
        let own = &system.edges[edge];
        let runs_between = |sync: Sync| match (own.sync, sync) {
            // The sender goes first; a receiver of a broadcast has others before and after it.
            (Sync::Send(c), Sync::Receive(d)) => after && c == d,
            (Sync::Receive(c), Sync::Send(d)) => !after && c == d,
            (Sync::Receive(c), Sync::Receive(d)) => c == d && system.channels[c.0 as usize].broadcast,
            (Sync::Event(_), Sync::Event(_)) => true,
            _ => false,
        };
        hook.is_some_and(disturbs)
            || system.edges.iter().zip(bodies).any(|(other, body)| {
                other.process != own.process && runs_between(other.sync) && body.is_some_and(disturbs)
            })
    }

    /// Gives the locations of the first process the invariant that no element is bottom.
    pub(super) fn require_alive(&mut self) {
        let Some(first) = self.system.processes.first() else { return };
        let locations = first.first_location.0 as usize..(first.first_location.0 + first.locations) as usize;
        let elements: Vec<(Addr, LatticeRef)> = self
            .s
            .lattices
            .iter()
            .filter_map(|v| {
                let LatticeOrder::Library(number) = v.order else { return None };
                let lattice = &self.system.library[number as usize];
                may_end(lattice).then(|| (Region::Variables.at(v.first), lattice.clone()))
            })
            .collect();
        if elements.is_empty() {
            return;
        }
        let mut plain = None;
        for at in locations {
            let own = self.system.locations[at].invariant.condition;
            let condition = match (own, plain) {
                (None, Some(pc)) => Some(pc),
                _ => self.alive(&elements, own).ok(),
            };
            if own.is_none() {
                plain = condition;
            }
            if let (Some(own), Some(new)) = (own, condition) {
                self.system.non_monotone.iter_mut().filter(|pc| **pc == own).for_each(|pc| *pc = new);
                // This condition is monotone.
                self.system.antitone.retain(|pc| *pc != own);
            }
            self.system.locations[at].invariant.condition = condition;
        }
    }

    /// Compiles a test that elements are not bottom, followed by another condition.
    fn alive(&mut self, elements: &[(Addr, LatticeRef)], then: Option<Pc>) -> Result<Pc> {
        self.fresh(&[], |l| {
            let mut no = Vec::new();
            for (base, lattice) in elements {
                let (to, offset) = (l.temp(), l.literal(0));
                l.emit(Op::Point { to, base: *base, offset });
                let call = LatticeCall { lattice: lattice.clone(), elements: 1, arguments: 0, kind: CallKind::Alive };
                let alive = l.lattice_call(call, &[to], syntax::Span::NONE)?;
                no.extend(l.jump_if(Cmp::Eq, ExprValue::at(alive, 0, 1), ExprValue::known(0)));
            }
            match then {
                None => l.emit(Op::Answer { truth: true }),
                Some(pc) => {
                    let here = l.s.code.ops.len() + l.chunk.ops.len();
                    l.emit(Op::Jump { by: pc.0 as i32 - here as i32 - 1 })
                }
            };
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            Ok(l.finish())
        })
    }

    /// Assigns the initial value of a member to the initial element of a variable.
    pub(super) fn start_member(&mut self, of: &MemoryPlace, member: u32, value: i32) {
        let (super::place::Root::Fixed { ints, .. }, crate::system::Shape::Lattice { lattice, width, .. }) =
            (of.root, &*of.shape)
        else {
            return;
        };
        let (_, first) = Region::split(ints);
        let element = &mut self.s.initial[first as usize..(first + width) as usize];
        if let Some(numeric) = lattice.0.numeric() {
            let term = lattice::Term { ops: &[lattice::TermOp::Const(value)], values: &[] };
            numeric.assign(element, member as usize, &term);
        }
    }
}

/// Returns whether an element of a lattice may become bottom: comparisons narrow integers, and
/// others have methods that return whether something is left.
fn may_end(lattice: &LatticeRef) -> bool {
    let cuts = |m: &lattice::Method| m.changes && m.result == lattice::ReturnType::Bool;
    let has_bottom = lattice.0.interned().is_some_and(lattice::user::Interned::has_bottom);
    has_bottom || lattice.0.numeric().is_some() || lattice.0.methods().iter().any(cuts)
}
