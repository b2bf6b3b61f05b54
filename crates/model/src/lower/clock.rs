//! Clocks: constraints, the values that they are compared with, and assignments.

use syntax::{
    Diagnostic, Span,
    ast::{BinaryOp, ExprId, ExprKind, UnaryOp},
};

use super::{
    Lowerer, Result,
    expr::ExprValue,
    place::{MemoryPlace, Root},
};
use crate::{
    code::{Op, Pc},
    operation::Arith,
    system::{ClockConstraint, ClockId, ClockTerm, Operand, Shape},
    types::TyKind,
};

/// The largest number that code may compare clocks with or set them to, so that narrow zones are
/// wide enough. The declared ranges of sums and products are often far larger than any value of a
/// run. Constants may be larger, since engines inspect them before they start.
const MAX_CODE_CONSTANT: i32 = (1 << 27) - 1;

/// A sum of at most one clock, minus at most one clock, plus integers.
#[derive(Default)]
struct ClockSum {
    plus: Option<ExprId>,
    minus: Option<ExprId>,
    /// Integers with their signs.
    rest: Vec<(bool, ExprId)>,
}

impl Lowerer<'_> {
    /// Compiles `a op b` with clocks to one or two constraints.
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

    /// Adds `e` to a sum, or subtracts it if `positive` is false.
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
            TyKind::Clock { hybrid: true } if !self.is_stochastic() => {
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

    /// Compiles a sum of integers to a constant or to code.
    pub(super) fn operand(&mut self, terms: &[(bool, ExprId)], span: Span) -> Result<Operand> {
        let exprs: Vec<ExprId> = terms.iter().map(|t| t.1).collect();
        // Numbers beyond 32 bits are literals, and are added separately.
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

    /// Returns the value of a literal beyond 32 bits.
    fn wide(&self, e: ExprId) -> Option<i64> {
        match self.tree.kind(e) {
            ExprKind::Wide(n) => Some(n),
            ExprKind::Unary(UnaryOp::Minus, operand) => self.wide(operand).map(|n| -n),
            _ => None,
        }
    }

    /// Restricts a value that clocks are compared with or set to. Its declared range may be wide;
    /// the check concerns the value in a run.
    fn moderate(&mut self, value: ExprValue, span: Span) -> ExprValue {
        let (low, high) = (value.low.max(-MAX_CODE_CONSTANT), value.high.min(MAX_CODE_CONSTANT));
        if value.known.is_some() || (low, high) == (value.low, value.high) {
            return value;
        }
        let (a, bounds) = (self.address(value), self.tuple(&[-MAX_CODE_CONSTANT, MAX_CODE_CONSTANT]));
        self.emit_at(Op::Range { a, bounds }, span);
        ExprValue::at(a, low, high)
    }

    /// Compiles an expression that denotes a clock.
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

    /// Returns the first clock and the number of clocks that `e` may denote: those of the whole
    /// variable.
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
            Root::Fixed { clocks, .. } => Ok((clocks, place.shape.size().clocks)),
            Root::Reference { .. } => Ok((1, self.system.clocks.len() as u32 - 1)),
        }
    }

    /// Returns whether `x = e` sets a clock to an integer that is not negative, or to another clock
    /// plus an integer.
    fn is_whole(&mut self, e: ExprId) -> bool {
        match self.checked.types.kind(self.checked.ty(e)) {
            TyKind::Int(_) | TyKind::Bool => {
                let value = self.aside(|l| l.constant_value(e));
                value.is_none_or(|value| value >= 0)
            }
            TyKind::Clock { .. } => {
                let zero = &mut [0, 0];
                self.is_difference(e, true, zero) && *zero == [1, 0]
            }
            _ => false,
        }
    }

    /// Returns the value of an integer that parameters and constants determine.
    fn constant_value(&mut self, e: ExprId) -> Option<i32> {
        if self.may_change(e) {
            return None;
        }
        self.start(&[]).ok()?;
        self.value(e).ok()?.known
    }

    /// Compiles `x = e` for a clock.
    pub(super) fn assign_clock(&mut self, to: &MemoryPlace, e: ExprId, span: Span) -> Result<()> {
        let kind = self.checked.types.kind(self.checked.ty(e)).clone();
        if self.is_stochastic() && !self.is_whole(e) {
            return self.set_clock_real(to, e);
        }
        match kind {
            TyKind::Double => {
                let why = "clocks are set to whole numbers";
                Err(self.unsupported(span, "floating-point numbers", why))
            }
            TyKind::Clock { hybrid: true } if !self.is_stochastic() => {
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
