//! Integer expressions.

use syntax::{
    Span,
    ast::{ExprId, ExprKind, List, Quantifier, UnaryOp},
};

use super::{Binding, Lowerer, NotLowered, Result};
use crate::{
    builtin,
    code::{Addr, Op, RealTest, Region},
    operation::{Arith, Cmp, Interval, Unary},
    symbols::SymbolKind,
    types::TyKind,
};

/// The value of an expression: a constant, or at an address; with bounds in either case.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExprValue {
    pub known: Option<i32>,
    at: Addr,
    pub low: i32,
    pub high: i32,
}

impl ExprValue {
    pub(super) fn known(value: i32) -> ExprValue {
        ExprValue { known: Some(value), at: 0, low: value, high: value }
    }

    pub(super) fn at(at: Addr, low: i32, high: i32) -> ExprValue {
        ExprValue { known: None, at, low, high }
    }

    /// Creates a value at an address, within an interval of 32-bit numbers.
    fn within(at: Addr, (low, high): Interval) -> ExprValue {
        ExprValue::at(at, low as i32, high as i32)
    }

    fn interval(self) -> Interval {
        (i64::from(self.low), i64::from(self.high))
    }
}

impl Lowerer<'_> {
    /// Returns the address of a value.
    pub(super) fn address(&mut self, value: ExprValue) -> Addr {
        match value.known {
            Some(known) => self.literal(known),
            None => value.at,
        }
    }

    /// Compiles an integer or boolean expression.
    pub(super) fn value(&mut self, e: ExprId) -> Result<ExprValue> {
        syntax::grow(|| self.value_here(e))
    }

    fn value_here(&mut self, e: ExprId) -> Result<ExprValue> {
        if self.is_stochastic() && self.is_timed(e) {
            return self.condition_value(e);
        }
        self.require_integral(e)?;
        if let Some((_, method)) = self.checked.number(e) {
            return self.number_of(e, method);
        }
        if self.is_abstract(e) {
            // The value is unknown and not used; only the effects matter.
            self.evaluate_term(e)?;
            return Ok(ExprValue::known(0));
        }
        let span = self.tree.span(e);
        match self.tree.kind(e) {
            ExprKind::Int(n) => Ok(ExprValue::known(n)),
            ExprKind::Bool(b) => Ok(ExprValue::known(i32::from(b))),
            ExprKind::Text(text) => Ok(ExprValue::known(self.text_number(text))),
            ExprKind::Name(_) => self.name_value(e),
            ExprKind::Member(of, name) if self.process_of(of)?.is_some() => self.process_member(e, of, name),
            ExprKind::Index(..) | ExprKind::Member(..) => {
                let place = self.place_of(e)?;
                Ok(self.load(&place))
            }
            ExprKind::Unary(UnaryOp::Plus, a) => self.value(a),
            ExprKind::Unary(UnaryOp::Minus, a) => self.unary(Unary::Negate, a),
            ExprKind::Binary(op, a, b) => match Arith::of(op) {
                Some(op) => self.arithmetic(op, a, b, span),
                None => self.condition_value(e),
            },
            ExprKind::Unary(UnaryOp::Not, _) => self.condition_value(e),
            ExprKind::Conditional(c, a, b) => self.conditional(c, a, b),
            ExprKind::Assign(..) => {
                let place = self.assignment(e)?;
                Ok(self.load(&place))
            }
            ExprKind::Step { up, prefix, target } => self.step(up, prefix, target, span),
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.value(b)
            }
            ExprKind::Call(callee, args) => self.call_value(e, callee, args),
            ExprKind::Quantifier(Quantifier::Sum, ..) => self.sum(e),
            ExprKind::Quantifier(..) => self.condition_value(e),
            ExprKind::Dynamic(..) => {
                Err(self.unsupported(span, "dynamic templates", "the number of processes is not known beforehand"))
            }
            _ => Err(NotLowered),
        }
    }

    /// Refuses expressions on doubles and clocks, which have no integer value.
    fn require_integral(&mut self, e: ExprId) -> Result<()> {
        let span = self.tree.span(e);
        match self.checked.types.kind(self.checked.ty(e)) {
            TyKind::Double => {
                let why = "this value has no influence on clocks and integers, or must not have";
                Err(self.unsupported(span, "floating-point numbers", why))
            }
            TyKind::Clock { .. }
            | TyKind::Diff
            | TyKind::Invariant
            | TyKind::Guard
            | TyKind::Constraint
            | TyKind::Rate => {
                let why = "clocks may be compared in guards, invariants and queries only";
                Err(self.unsupported(span, "clock values in integer expressions", why))
            }
            _ => Ok(()),
        }
    }

    fn name_value(&mut self, e: ExprId) -> Result<ExprValue> {
        let id = self.checked.name(e).ok_or(NotLowered)?;
        match self.checked.symbols.get(id).kind {
            SymbolKind::Predeclared(value) => Ok(ExprValue::known(value)),
            SymbolKind::Location(_) => self.own_location(e),
            _ => {
                if let Some(Binding::Const(value)) = self.binding(id) {
                    return Ok(ExprValue::known(*value));
                }
                let place = self.place_of_symbol(id)?;
                Ok(self.load(&place))
            }
        }
    }

    fn call_value(&mut self, e: ExprId, callee: ExprId, args: List) -> Result<ExprValue> {
        if self.label_of(e).is_some() {
            return self.condition_value(e);
        }
        if self.checked.method(e).is_some() {
            return self.method_call(e);
        }
        if self.checked.name(callee).is_none() {
            return self.builtin_call(e, callee, args);
        }
        let place = self.call_place(e)?;
        let value = self.load(&place);
        // The next call of the same function overwrites its result.
        let (from, to) = (self.address(value), self.temp());
        self.emit(Op::Move { to, from });
        Ok(ExprValue::at(to, value.low, value.high))
    }

    fn builtin_call(&mut self, e: ExprId, callee: ExprId, args: List) -> Result<ExprValue> {
        let span = self.tree.span(e);
        let ExprKind::Name(sym) = self.tree.kind(callee) else { return Err(NotLowered) };
        let builtin = builtin::function(self.tree.text(sym)).map(|(b, _)| b);
        let arg = self.tree.list(args).first().copied();
        let is_double = |l: &Self, a: ExprId| {
            matches!(l.checked.types.kind(l.checked.ty(a)), TyKind::Double | TyKind::Clock { .. })
        };
        if let (Some(op), Some(a)) = (Unary::named(self.tree.text(sym)), arg)
            && !is_double(self, a)
        {
            return self.unary(op, a);
        }
        if let (true, Some(test), Some(a)) = (self.is_stochastic(), RealTest::named(self.tree.text(sym)), arg) {
            return self.test_real(test, a, span);
        }
        match (builtin, arg) {
            (Some(builtin::Builtin::ToInt), Some(a)) if !is_double(self, a) && self.tree.text(sym) == "fint" => {
                self.value(a)
            }
            (Some(_), _) => {
                Err(self.unsupported(span, "floating-point numbers", "the result depends on floating-point arithmetic"))
            }
            _ => Err(self.unsupported(span, "dynamic templates", "the number of processes is not known beforehand")),
        }
    }

    fn unary(&mut self, op: Unary, a: ExprId) -> Result<ExprValue> {
        let value = self.value(a)?;
        if let Some(known) = value.known {
            return Ok(ExprValue::known(op.apply(known)));
        }
        let (a, to) = (self.address(value), self.temp());
        self.emit(Op::Unary { op, to, a });
        Ok(ExprValue::within(to, op.interval(value.interval())))
    }

    fn arithmetic(&mut self, op: Arith, a: ExprId, b: ExprId, span: Span) -> Result<ExprValue> {
        let left = self.value(a)?;
        let left = self.hold(left, b);
        let right = self.value(b)?;
        self.compute(op, left, right, span)
    }

    pub(super) fn compute(&mut self, op: Arith, left: ExprValue, right: ExprValue, span: Span) -> Result<ExprValue> {
        if let (Some(x), Some(y)) = (left.known, right.known)
            && let Ok(value) = op.apply(x, y)
        {
            return Ok(ExprValue::known(value));
        }
        let (a, b, to) = (self.address(left), self.address(right), self.temp());
        let op_here = Op::Arith { op, to, a, b };
        if op.may_fail(right.interval()) {
            self.emit_at(op_here, span);
        } else {
            self.emit(op_here);
        }
        Ok(ExprValue::within(to, op.interval(left.interval(), right.interval())))
    }

    fn conditional(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Result<ExprValue> {
        if let Some(known) = self.known_condition(c)? {
            return self.value(if known { a } else { b });
        }
        let to = self.temp();
        let no = self.branch(c, false)?;
        let first = self.value(a)?;
        let from = self.address(first);
        self.emit(Op::Move { to, from });
        let end = self.emit(Op::Jump { by: 0 });
        self.land_all(no);
        let second = self.value(b)?;
        let from = self.address(second);
        self.emit(Op::Move { to, from });
        self.land(end);
        Ok(ExprValue::at(to, first.low.min(second.low), first.high.max(second.high)))
    }

    /// Compiles a test whether the process itself is at a location.
    fn own_location(&mut self, e: ExprId) -> Result<ExprValue> {
        let id = self.checked.name(e).ok_or(NotLowered)?;
        let SymbolKind::Location(location) = self.checked.symbols.get(id).kind else { return Err(NotLowered) };
        Ok(self.at_location(self.current, location as i32))
    }

    /// Compiles a test whether a process is at a location.
    pub(super) fn at_location(&mut self, process: u32, location: i32) -> ExprValue {
        let (a, b, to) = (Region::Locations.at(process), self.literal(location), self.temp());
        self.emit(Op::Compare { cmp: Cmp::Eq, to, a, b });
        ExprValue::at(to, 0, 1)
    }
}
