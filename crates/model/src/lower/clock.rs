//! Clocks: guards and invariants split into conditions on integers and constraints on clocks; clock
//! assignments.

use std::collections::BTreeSet;

use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, Name, Quantifier, UnaryOp},
};

use super::{Lowerer, NotLowered, Result, expr::ExprValue, narrow::NarrowMode, place::MemoryPlace, sway::Sway};
use crate::{
    code::{Arith, Cmp, Op, Pc},
    system::{ClockConstraint, ClockId, ClockTerm, Operand, Rate, Shape},
    types::TyKind,
};

/// What code finds out about clocks must not be larger than this, so that narrow zones are wide
/// enough: the ranges of what variables are added up to, or multiplied, are often far larger than
/// any value. Constants may be, since engines look at them before they start.
const MAX_CODE_CONSTANT: i32 = (1 << 27) - 1;

/// A condition that must hold for a part of a guard to count: an expression and the truth value it
/// needs.
type Premise = (ExprId, bool);

/// A condition without clocks, which must hold where its premises do.
struct IntegerCondition {
    premises: Vec<Premise>,
    /// The values of the quantifiers' variables around it.
    binders: Vec<(Name, i32)>,
    condition: ExprId,
}

/// An index of a channel, the value that it must have for the channel to be chosen, and which
/// values its array allows.
#[derive(Clone, Copy)]
pub(super) struct ChannelIndex {
    pub index: ExprId,
    pub value: i32,
    pub low: i32,
    pub length: u32,
}

/// A guard or invariant, taken apart.
#[derive(Default)]
pub(super) struct SplitGuard {
    conditions: Vec<IntegerCondition>,
    binders: Vec<(Name, i32)>,
    premises: Vec<Premise>,
    pub constraints: Vec<ClockConstraint>,
    pub rates: Vec<Rate>,
}

/// A sum of at most one clock, less at most one clock, plus integers.
#[derive(Default)]
struct ClockSum {
    plus: Option<ExprId>,
    minus: Option<ExprId>,
    /// Integers with their signs.
    rest: Vec<(bool, ExprId)>,
}

impl SplitGuard {
    /// The conditions without premises, with the values of the quantifiers' variables around them.
    pub(super) fn unconditional(&self) -> impl Iterator<Item = (ExprId, &[(Name, i32)])> {
        self.conditions.iter().filter(|c| c.premises.is_empty()).map(|c| (c.condition, &c.binders[..]))
    }
}

impl Lowerer<'_> {
    /// Takes a conjunction of guards apart, and compiles the parts with clocks.
    pub(super) fn parts(&mut self, exprs: &[ExprId]) -> Result<SplitGuard> {
        let mut parts = SplitGuard::default();
        for &e in exprs {
            self.split(e, &mut parts)?;
        }
        Ok(parts)
    }

    fn is_timed(&self, e: ExprId) -> bool {
        matches!(
            self.checked.types.kind(self.checked.ty(e)),
            TyKind::Invariant | TyKind::InvariantRate | TyKind::Guard | TyKind::Constraint
        )
    }

    /// Takes a guard apart; it counts only where the premises so far hold.
    fn split(&mut self, e: ExprId, parts: &mut SplitGuard) -> Result<()> {
        syntax::grow(|| self.split_here(e, parts))
    }

    fn split_here(&mut self, e: ExprId, parts: &mut SplitGuard) -> Result<()> {
        let span = self.tree.span(e);
        if !self.is_timed(e) {
            // A conjunction of integer conditions is taken apart as well, so that its parts fold on
            // their own.
            if let ExprKind::Binary(BinaryOp::And, a, b) = self.tree.kind(e) {
                self.split(a, parts)?;
                return self.split(b, parts);
            }
            let (premises, binders) = (parts.premises.clone(), parts.binders.clone());
            parts.conditions.push(IntegerCondition { premises, binders, condition: e });
            return Ok(());
        }
        match self.tree.kind(e) {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.split(a, parts)?;
                self.split(b, parts)
            }
            ExprKind::Binary(op @ (BinaryOp::Or | BinaryOp::Imply), a, b) => {
                // The side without clocks decides whether the other one counts.
                let (premise, truth, rest) = if !self.is_timed(a) {
                    (a, op == BinaryOp::Imply, b)
                } else if op == BinaryOp::Or && !self.is_timed(b) {
                    (b, false, a)
                } else {
                    return Err(self.unsupported(span, "disjunctions of clock constraints", "use several edges"));
                };
                if let Some(known) = self.fresh(&[premise], |l| l.known_condition(premise))? {
                    return if known == truth { self.split(rest, parts) } else { Ok(()) };
                }
                parts.premises.push((premise, truth));
                let result = self.split(rest, parts);
                parts.premises.pop();
                result
            }
            ExprKind::Quantifier(Quantifier::Forall, name, ty, body) => {
                self.note_order(ty, body);
                for value in self.unrolled(ty, span)? {
                    self.bind_value(name, value)?;
                    parts.binders.push((name, value));
                    let result = self.split(body, parts);
                    parts.binders.pop();
                    result?;
                }
                Ok(())
            }
            ExprKind::Binary(BinaryOp::Eq, a, b)
                if *self.checked.types.kind(self.checked.ty(e)) == TyKind::InvariantRate =>
            {
                let (rate, value) = if let ExprKind::Rate(clock) = self.tree.kind(a) {
                    (clock, b)
                } else if let ExprKind::Rate(clock) = self.tree.kind(b) {
                    (clock, a)
                } else {
                    return Err(NotLowered);
                };
                self.rate(rate, value, parts)
            }
            ExprKind::Binary(op, a, b) => {
                let condition = self.premise_code(&parts.premises)?;
                self.watch_premises(&parts.premises);
                let constraints = self.comparison(op, a, b, span, condition)?;
                parts.constraints.extend(constraints);
                Ok(())
            }
            _ => Err(self.unsupported(span, "negated clock constraints", "write the opposite comparison")),
        }
    }

    /// Lowers a piece of code of its own, from its start.
    pub(super) fn fresh<T>(&mut self, exprs: &[ExprId], f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.start(exprs)?;
        f(self)
    }

    /// Code for the parts without clocks, and for `index == value` of each chosen index behind
    /// them.
    pub(super) fn condition(&mut self, parts: &SplitGuard, chosen: &[ChannelIndex]) -> Result<Test> {
        let mut exprs: Vec<ExprId> = chosen.iter().map(|c| c.index).collect();
        for part in &parts.conditions {
            exprs.extend(part.premises.iter().map(|p| p.0));
            exprs.push(part.condition);
        }
        let test = self.fresh(&exprs, |l| l.condition_here(parts, chosen));
        // Whatever comes next is about the elements themselves.
        self.copies.clear();
        test
    }

    fn condition_here(&mut self, parts: &SplitGuard, chosen: &[ChannelIndex]) -> Result<Test> {
        let mut no = Vec::new();
        let mut sway = Sway::Fixed;
        let tries = self.try_parts(parts)?;
        for part in &parts.conditions {
            for &(name, value) in &part.binders {
                self.bind_value(name, value)?;
            }
            sway = sway.with(self.sway(part.condition));
            let mut skip = Vec::new();
            for &(premise, truth) in &part.premises {
                let own = self.sway(premise);
                sway = sway.with(if truth { own.flip() } else { own });
                skip.extend(self.asked(!truth, |l| l.branch(premise, !truth))?);
            }
            if tries && part.premises.is_empty() && self.count_comparisons(part.condition) > 0 {
                self.assume(part.condition, true, NarrowMode::Try, &mut no)?;
                continue;
            }
            let start = self.chunk.ops.len();
            let fails = self.branch(part.condition, false)?;
            if part.premises.is_empty() && matches!(self.chunk.ops[start..], [Op::Jump { .. }]) {
                return Ok(Test::Never);
            }
            no.extend(fails);
            self.land_all(skip);
        }
        // All indices are checked before one of them can say that another channel is meant.
        let mut values = Vec::with_capacity(chosen.len());
        for &ChannelIndex { index, value, low, length } in chosen {
            self.require_fixed(index);
            let left = self.value(index)?;
            let is_inside =
                i64::from(left.low) >= i64::from(low) && i64::from(left.high) < i64::from(low) + i64::from(length);
            let a = self.address(left);
            if !is_inside {
                let shape = self.tuple(&[low, length as i32, 1]);
                let to = self.temp();
                self.emit_at(Op::Index { to, index: a, shape }, self.tree.span(index));
            }
            values.push((a, value));
        }
        for (a, value) in values {
            let b = self.literal(value);
            no.push(self.emit(Op::JumpIf { cmp: Cmp::Ne, a, b, by: 0 }));
        }
        if self.chunk.ops.is_empty() {
            return Ok(Test::Always);
        }
        self.emit(Op::Answer { truth: true });
        self.land_all(no);
        self.emit(Op::Answer { truth: false });
        let pc = self.finish();
        if !sway.is_monotone() {
            self.system.wavering.push(pc);
        }
        // What may be of integers that are not known rises.
        let compares = |c: &IntegerCondition| {
            self.count_comparisons(c.condition) > 0 || c.premises.iter().any(|p| self.count_comparisons(p.0) > 0)
        };
        if sway == Sway::Falls && !parts.conditions.iter().any(compares) {
            self.system.falling.push(pc);
        }
        Ok(Test::Code(pc))
    }

    /// If conditions compare integers that are not known more than once: makes copies of their
    /// elements to try them on.
    fn try_parts(&mut self, parts: &SplitGuard) -> Result<bool> {
        self.copies.clear();
        let all = parts.conditions.iter().flat_map(|c| c.premises.iter().map(|p| p.0).chain([c.condition]));
        let exprs: Vec<ExprId> = all.collect();
        if exprs.iter().map(|e| self.count_comparisons(*e)).sum::<usize>() < 2 {
            return Ok(false);
        }
        let mut roots = BTreeSet::new();
        for e in exprs {
            self.abstract_roots(e, &mut roots)?;
        }
        self.copy_elements(&roots)?;
        Ok(true)
    }

    /// Code for the premises alone.
    fn premise_code(&mut self, premises: &[Premise]) -> Result<Option<Pc>> {
        if premises.is_empty() {
            return Ok(None);
        }
        let exprs: Vec<ExprId> = premises.iter().map(|p| p.0).collect();
        self.fresh(&exprs, |l| {
            let mut no = Vec::new();
            for &(premise, truth) in premises {
                no.extend(l.asked(!truth, |l| l.branch(premise, !truth))?);
            }
            l.emit(Op::Answer { truth: true });
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            Ok(Some(l.finish()))
        })
    }

    /// A constraint may only be lifted when elements grow.
    fn watch_premises(&mut self, premises: &[Premise]) {
        for &(premise, truth) in premises {
            let sway = self.sway(premise);
            let lifted = if truth { sway.flip() } else { sway };
            if !lifted.is_monotone() {
                self.vary(premise);
            }
        }
    }

    fn rate(&mut self, clock: ExprId, value: ExprId, parts: &mut SplitGuard) -> Result<()> {
        if *self.checked.types.kind(self.checked.ty(clock)) == (TyKind::Clock { hybrid: true }) {
            // Hybrid clocks are not tracked, and neither are their rates.
            return Ok(());
        }
        let span = self.tree.span(value);
        let why = "a clock can stand still (0) or go (1)";
        if *self.checked.types.kind(self.checked.ty(value)) == TyKind::Double {
            return Err(self.unsupported(span, "clock rates other than 0 and 1", why));
        }
        let condition = self.premise_code(&parts.premises)?;
        for &(premise, _) in &parts.premises {
            self.require_fixed(premise);
        }
        let clock = self.clock_term(clock)?;
        let rate = self.operand(&[(true, value)], span)?;
        let legal = match rate {
            Operand::Const(n) => n == 0 || n == 1,
            Operand::Code { .. } => true,
        };
        if !legal {
            return Err(self.unsupported(span, "clock rates other than 0 and 1", why));
        }
        parts.rates.push(Rate { condition, clock, rate });
        Ok(())
    }

    /// `a op b` with clocks, as one or two constraints.
    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        span: Span,
        condition: Option<Pc>,
    ) -> Result<Vec<ClockConstraint>> {
        let mut sum = ClockSum::default();
        self.linear(a, true, &mut sum)?;
        self.linear(b, false, &mut sum)?;
        // plus - minus + rest op 0, so plus - minus op -rest.
        let upper: Vec<(bool, ExprId)> = sum.rest.iter().map(|&(positive, e)| (!positive, e)).collect();
        let lower = sum.rest;
        let mut term = |e: Option<ExprId>| match e {
            Some(e) => self.clock_term(e),
            None => Ok(ClockTerm::ZERO),
        };
        let (plus, minus) = (term(sum.plus)?, term(sum.minus)?);
        let mut out = Vec::new();
        if matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq) {
            let bound = self.operand(&upper, span)?;
            let strict = op == BinaryOp::Lt;
            out.push(ClockConstraint { condition, left: plus, right: minus, strict, bound });
        }
        if matches!(op, BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq) {
            let bound = self.operand(&lower, span)?;
            let strict = op == BinaryOp::Gt;
            out.push(ClockConstraint { condition, left: minus, right: plus, strict, bound });
        }
        if out.is_empty() {
            return Err(self.unsupported(span, "clocks that differ (`!=`)", "use two edges, with `<` and with `>`"));
        }
        Ok(out)
    }

    /// Adds `e`, or subtracts it where `positive` is false.
    fn linear(&mut self, e: ExprId, positive: bool, sum: &mut ClockSum) -> Result<()> {
        let span = self.tree.span(e);
        let kind = self.checked.types.kind(self.checked.ty(e)).clone();
        match kind {
            TyKind::Int(_) | TyKind::Bool => {
                sum.rest.push((positive, e));
                return Ok(());
            }
            TyKind::Double => {
                let why = "clocks are compared with integers";
                return Err(self.unsupported(span, "floating-point numbers", why));
            }
            TyKind::Clock { hybrid: true } => {
                return Err(self.unsupported(span, "hybrid clocks", "their value is not tracked"));
            }
            _ => {}
        }
        match self.tree.kind(e) {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.linear(a, positive, sum)?;
                self.linear(b, positive, sum)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                self.linear(a, positive, sum)?;
                self.linear(b, !positive, sum)
            }
            ExprKind::Unary(UnaryOp::Plus, a) => self.linear(a, positive, sum),
            _ if matches!(kind, TyKind::Clock { .. }) => {
                let slot = if positive { &mut sum.plus } else { &mut sum.minus };
                if slot.replace(e).is_some() {
                    let why = "a constraint compares one clock, or the difference of two, with an integer";
                    return Err(self.unsupported(span, "sums of clocks", why));
                }
                Ok(())
            }
            _ => {
                let why = "a constraint compares one clock, or the difference of two, with an integer";
                Err(self.unsupported(span, "other arithmetic on clocks", why))
            }
        }
    }

    /// A sum of integers: known, or as code.
    fn operand(&mut self, terms: &[(bool, ExprId)], span: Span) -> Result<Operand> {
        let exprs: Vec<ExprId> = terms.iter().map(|t| t.1).collect();
        // Numbers beyond 32 bits are known, and nothing else is wide.
        let wide: i64 = terms.iter().filter_map(|(plus, e)| Some(if *plus { 1 } else { -1 } * self.wide(*e)?)).sum();
        let rest: Vec<(bool, ExprId)> = terms.iter().copied().filter(|(_, e)| self.wide(*e).is_none()).collect();
        self.fresh(&exprs, |l| {
            let mut total = ExprValue::known(0);
            for &(positive, e) in &rest {
                l.require_fixed(e);
                let value = l.value(e)?;
                let op = if positive { Arith::Add } else { Arith::Sub };
                total = if total.known == Some(0) && positive { value } else { l.compute(op, total, value, span)? };
            }
            if rest.len() < terms.len() {
                let Some(known) = total.known else {
                    let why = "clocks are compared with such a number alone, or with constants beside it";
                    return Err(l.unsupported(span, "numbers beyond 32 bits beside variables", why));
                };
                return Ok(Operand::Const(wide + i64::from(known)));
            }
            if let Some(known) = total.known {
                if known == i32::MIN {
                    return Err(l.report(
                        Diagnostic::error(
                            "clock-constant",
                            span,
                            format!("{known} is too large for a clock constraint"),
                        )
                        .help(format!("at most {} is possible; choose a larger unit of time", i32::MAX)),
                    ));
                }
                return Ok(Operand::Const(known.into()));
            }
            let total = l.moderate(total, span);
            let (low, high) = (total.low, total.high);
            let a = l.address(total);
            l.emit(Op::Yield { a });
            Ok(Operand::Code { pc: l.finish(), low, high })
        })
    }

    /// The value of a number beyond 32 bits.
    fn wide(&self, e: ExprId) -> Option<i64> {
        match self.tree.kind(e) {
            ExprKind::Wide(n) => Some(n),
            ExprKind::Unary(UnaryOp::Minus, operand) => self.wide(operand).map(|n| -n),
            _ => None,
        }
    }

    /// A value that is not known beforehand, and that clocks may be compared with or set to. Its
    /// declared range may be wide; what counts is the value in a run.
    fn moderate(&mut self, value: ExprValue, span: Span) -> ExprValue {
        let (low, high) = (value.low.max(-MAX_CODE_CONSTANT), value.high.min(MAX_CODE_CONSTANT));
        if value.known.is_some() || (low, high) == (value.low, value.high) {
            return value;
        }
        let (a, bounds) = (self.address(value), self.tuple(&[-MAX_CODE_CONSTANT, MAX_CODE_CONSTANT]));
        self.emit_at(Op::Range { a, bounds }, span);
        ExprValue::at(a, low, high)
    }

    /// The clock that an expression stands for.
    pub(super) fn clock_term(&mut self, e: ExprId) -> Result<ClockTerm> {
        let span = self.tree.span(e);
        let array = self.clock_array(e)?;
        self.fresh(&[e], |l| {
            l.require_fixed(e);
            let place = l.place_of(e)?;
            if *place.shape == Shape::Opaque {
                return Err(l.unsupported(span, "hybrid clocks", "their value is not tracked"));
            }
            let number = l.clock_number(&place);
            if let Some(known) = number.known {
                return Ok(ClockTerm::Clock(ClockId(known as u32)));
            }
            let a = l.address(number);
            l.emit(Op::Yield { a });
            let (first, count) = array;
            Ok(ClockTerm::Element { pc: l.finish(), first: ClockId(first), count })
        })
    }

    /// The clocks that `e` may stand for: those of the whole variable.
    fn clock_array(&mut self, e: ExprId) -> Result<(u32, u32)> {
        let mut root = e;
        loop {
            match self.tree.kind(root) {
                ExprKind::Index(of, _) => root = of,
                ExprKind::Member(of, _) if self.process_of(of)?.is_none() => root = of,
                _ => break,
            }
        }
        let place = self.fresh(&[root], |l| l.place_of(root))?;
        match place.root {
            super::place::Root::Fixed { clocks, .. } => Ok((clocks, place.shape.size().clocks)),
            super::place::Root::Reference { .. } => Ok((1, self.system.clocks.len() as u32 - 1)),
        }
    }

    /// `x = e` for a clock.
    pub(super) fn assign_clock(&mut self, to: &MemoryPlace, e: ExprId, span: Span) -> Result<()> {
        let kind = self.checked.types.kind(self.checked.ty(e)).clone();
        match kind {
            TyKind::Double => {
                let why = "clocks are set to whole numbers";
                Err(self.unsupported(span, "floating-point numbers", why))
            }
            TyKind::Clock { hybrid: true } => {
                Err(self.unsupported(span, "hybrid clocks", "their value is not tracked"))
            }
            TyKind::Clock { .. } => {
                let mut sum = ClockSum::default();
                self.linear(e, true, &mut sum)?;
                let (Some(from), None) = (sum.plus, sum.minus) else {
                    return Err(self.unsupported(span, "sums of clocks", "assign a clock or an integer"));
                };
                let mut plus = ExprValue::known(0);
                for (positive, term) in sum.rest {
                    let value = self.value(term)?;
                    plus = self.compute(if positive { Arith::Add } else { Arith::Sub }, plus, value, span)?;
                }
                let plus = self.moderate(plus, span);
                let (low, high) = &mut self.system.offsets;
                (*low, *high) = ((*low).min(plus.low), (*high).max(plus.high));
                let from = self.place_of(from)?;
                let (clock, from) = (self.clock_number(to), self.clock_number(&from));
                let (clock, from, plus) = (self.address(clock), self.address(from), self.address(plus));
                self.emit(Op::CopyClock { clock, from, plus });
                Ok(())
            }
            _ => {
                let value = self.value(e)?;
                if value.known.is_some_and(|n| n < 0) {
                    let message = "a clock can't be set to a negative number";
                    return Err(self.report(Diagnostic::error("clock-constant", self.tree.span(e), message)));
                }
                let value = self.moderate(value, span);
                self.system.largest_reset = self.system.largest_reset.max(value.high);
                let number = self.clock_number(to);
                let (clock, value) = (self.address(number), self.address(value));
                self.emit_at(Op::SetClock { clock, value }, span);
                Ok(())
            }
        }
    }
}

/// A condition, compiled.
pub(super) enum Test {
    Always,
    Never,
    Code(Pc),
}
