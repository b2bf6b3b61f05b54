//! Assignments and other expressions with effects.

use syntax::{
    Span,
    ast::{ExprId, ExprKind},
};

use super::{Lowerer, NotLowered, Result, expr::ExprValue, place::MemoryPlace};
use crate::{code::Op, operation::Arith, system::Shape};

impl Lowerer<'_> {
    /// Compiles an expression for its effects alone.
    pub(super) fn effects(&mut self, e: ExprId) -> Result<()> {
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.effects(b)
            }
            // The edge has it as a guard.
            ExprKind::Assign(..) if self.checked.intersections.contains(&e) => Ok(()),
            ExprKind::Assign(..) => self.assignment(e).map(|_| ()),
            ExprKind::Step { up, target, .. } => {
                let span = self.tree.span(e);
                self.step(up, true, target, span).map(|_| ())
            }
            ExprKind::Call(callee, _) if self.checked.name(callee).is_some() => self.call(e).map(|_| ()),
            ExprKind::Conditional(c, a, b) => {
                let no = self.branch(c, false)?;
                self.effects(a)?;
                let end = self.emit(Op::Jump { by: 0 });
                self.land_all(no);
                self.effects(b)?;
                self.land(end);
                Ok(())
            }
            _ if !self.may_change(e) => Ok(()),
            _ if self.is_real(e) => self.real_value(e).map(|_| ()),
            _ => self.value(e).map(|_| ()),
        })
    }

    /// Compiles an assignment. Returns the place that was assigned to.
    pub(super) fn assignment(&mut self, e: ExprId) -> Result<MemoryPlace> {
        let span = self.tree.span(e);
        if let ExprKind::Step { up, target, .. } = self.tree.kind(e) {
            self.step(up, true, target, span)?;
            return self.place_of(target);
        }
        let ExprKind::Assign(op, a, b) = self.tree.kind(e) else { return Err(NotLowered) };
        if self.is_abstract(a) {
            return self.assign_abstract(op, a, b, span);
        }
        if let Some((method, value)) = self.checked.number_change(self.tree, op, a, b) {
            return self.change_number(method, a, value, span);
        }
        let to = self.place_of(a)?;
        match &*to.shape {
            Shape::Opaque => {
                // No integer or clock depends on it, unless evaluating it has other effects.
                if self.may_change(b) {
                    return Err(self.unsupported(span, "floating-point numbers", "this changes other variables too"));
                }
            }
            Shape::Double => self.assign_real(&to, op, b)?,
            Shape::Clock => self.assign_clock(&to, b, span)?,
            Shape::Array { .. } | Shape::Struct { .. } | Shape::Lattice { .. } => self.assign_block(&to, b)?,
            Shape::Channel => return Err(NotLowered),
            _ => {
                let value = match op.and_then(Arith::of) {
                    None => self.value(b)?,
                    Some(op) => {
                        let before = self.load(&to);
                        let before = self.hold(before, b);
                        let with = self.value(b)?;
                        self.compute(op, before, with, span)?
                    }
                };
                self.store(&to, value, span);
            }
        }
        Ok(to)
    }

    pub(super) fn step(&mut self, up: bool, prefix: bool, target: ExprId, span: Span) -> Result<ExprValue> {
        if self.is_abstract(target) {
            self.step_abstract(up, target, span)?;
            return Ok(ExprValue::known(0));
        }
        if let Some(operators) = self.checked.operators(self.checked.ty(target)) {
            let method = if up { operators.add } else { operators.sub };
            return self.step_number(method.ok_or(NotLowered)?, target, span);
        }
        let place = self.place_of(target)?;
        let before = self.load(&place);
        let kept = if prefix {
            before
        } else {
            let (from, to) = (self.address(before), self.temp());
            self.emit(Op::Move { to, from });
            ExprValue::at(to, before.low, before.high)
        };
        let op = if up { Arith::Add } else { Arith::Sub };
        let after = self.compute(op, before, ExprValue::known(1), span)?;
        self.store(&place, after, span);
        Ok(if prefix { self.load(&place) } else { kept })
    }

    /// Returns whether evaluating `e` may change a variable that an earlier operand was read from.
    pub(super) fn may_change(&self, e: ExprId) -> bool {
        let kind = self.tree.kind(e);
        if matches!(kind, ExprKind::Assign(..) | ExprKind::Step { .. } | ExprKind::Call(..)) {
            return true;
        }
        let mut found = false;
        self.tree.children(kind, |_, child| found = found || syntax::grow(|| self.may_change(child)));
        found
    }

    /// Copies a value if evaluating `next` may change it.
    pub(super) fn hold(&mut self, value: ExprValue, next: ExprId) -> ExprValue {
        if value.known.is_some() || !self.may_change(next) {
            return value;
        }
        let (from, to) = (self.address(value), self.temp());
        self.emit(Op::Move { to, from });
        ExprValue::at(to, value.low, value.high)
    }
}
