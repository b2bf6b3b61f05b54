//! Elements that stand for one integer: operators on them are calls of methods.

use std::sync::Arc;

use syntax::{
    Span,
    ast::{BinaryOp, ExprId},
};

use super::{Lowerer, NotLowered, Result, expr::ExprValue, monotonicity::Monotonicity, place::MemoryPlace};
use crate::{code::Op, system::Shape, types::TyKind};

impl Lowerer<'_> {
    /// Compiles the number that an expression reads from an element.
    pub(super) fn number_of(&mut self, e: ExprId, method: u32) -> Result<ExprValue> {
        let place = self.place_named(self.checked.number_owner(self.tree, e))?;
        let shape = place.shape.clone();
        let Shape::Lattice { lattice, .. } = &*shape else { return Err(NotLowered) };
        let pointer = self.pointer(&place);
        self.call_method(lattice, method, &[pointer], self.tree.span(e))
    }

    /// Compiles the call of a method that changes an element. Returns the element.
    pub(super) fn change_number(
        &mut self,
        method: usize,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> Result<MemoryPlace> {
        let value = if self.checked.is_element(value) {
            // An element of the user is a number.
            let shape = Arc::new(Shape::Int(0, i32::MAX));
            let place = MemoryPlace { shape, ..self.place_named(value)? };
            self.load(&place)
        } else {
            self.value(value)?
        };
        self.change_by(method, target, value, span)
    }

    /// Compiles `target++` or `target--`.
    pub(super) fn step_number(&mut self, method: usize, target: ExprId, span: Span) -> Result<ExprValue> {
        self.change_by(method, target, ExprValue::known(1), span)?;
        // The checker excludes that the value is used.
        Ok(ExprValue::known(0))
    }

    fn change_by(&mut self, method: usize, target: ExprId, value: ExprValue, span: Span) -> Result<MemoryPlace> {
        let (from, argument) = (self.address(value), self.temp());
        self.emit(Op::Move { to: argument, from });
        let place = self.place_named(target)?;
        let shape = place.shape.clone();
        let Shape::Lattice { lattice, .. } = &*shape else { return Err(NotLowered) };
        let pointer = self.pointer(&place);
        self.call_method(lattice, method as u32, &[pointer, argument], span)?;
        Ok(place)
    }

    /// Analyses `target = value` or `target op= value`: a greater element must remain greater.
    pub(super) fn watch_number(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) {
        let Some((method, argument)) = self.checked.number_change(self.tree, op, target, value) else { return };
        let ty = self.checked.ty(target);
        let (Some(operators), TyKind::Lattice(lattice, ..)) =
            (self.checked.operators(ty), self.checked.types.kind(ty).clone())
        else {
            return;
        };
        self.vary_unless_monotone(lattice, method, target);
        if self.checked.is_element(argument) {
            self.note_flow(target, argument);
            return self.vary_unless_monotone(lattice, method, argument);
        }
        let new = self.monotonicity(argument);
        let new = if Some(method) == operators.sub { new.flip() } else { new };
        if new == Monotonicity::Constant {
            return;
        }
        self.note_flow(target, argument);
        if operators.value.is_none_or(|value| self.trend(lattice, value) != new) {
            self.vary(argument);
        }
    }
}
