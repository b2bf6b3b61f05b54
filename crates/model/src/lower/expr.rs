//! Integer expressions.

use std::sync::Arc;

use syntax::{
    Diagnostic,
    ast::{BinaryOp, ExprId, ExprKind, Quantifier, UnaryOp},
};

use super::{Binding, Lowerer, MAX_UNROLLED, NotLowered, Object, Result, place::MemoryPlace};
use crate::{
    builtin,
    code::{Addr, Op, Region},
    operation::{Arith, Cmp, Interval, Unary, comparison},
    symbols::SymbolKind,
    system::Shape,
    types::TyKind,
};

/// The value of an expression: known, or at an address; in any case between two bounds.
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

    /// A value in an interval of numbers of 32 bits.
    fn within(at: Addr, (low, high): Interval) -> ExprValue {
        ExprValue::at(at, low as i32, high as i32)
    }

    fn interval(self) -> Interval {
        (i64::from(self.low), i64::from(self.high))
    }
}

impl Lowerer<'_> {
    /// The address of a value.
    pub(super) fn address(&mut self, value: ExprValue) -> Addr {
        match value.known {
            Some(known) => self.literal(known),
            None => value.at,
        }
    }

    /// Code for an integer or boolean expression.
    pub(super) fn value(&mut self, e: ExprId) -> Result<ExprValue> {
        syntax::grow(|| self.value_here(e))
    }

    fn value_here(&mut self, e: ExprId) -> Result<ExprValue> {
        let span = self.tree.span(e);
        match self.checked.types.kind(self.checked.ty(e)) {
            TyKind::Double => {
                let why = "this value has no influence on clocks and integers, or must not have";
                return Err(self.unsupported(span, "floating-point numbers", why));
            }
            TyKind::Clock { .. }
            | TyKind::Diff
            | TyKind::Invariant
            | TyKind::Guard
            | TyKind::Constraint
            | TyKind::Rate => {
                let why = "clocks may be compared in guards, invariants and queries only";
                return Err(self.unsupported(span, "clock values in integer expressions", why));
            }
            _ => {}
        }
        if self.is_abstract(e) {
            // Nobody asks for the value, which is not known.
            self.evaluate_term(e)?;
            return Ok(ExprValue::known(0));
        }
        match self.tree.kind(e) {
            ExprKind::Int(n) => Ok(ExprValue::known(n)),
            ExprKind::Bool(b) => Ok(ExprValue::known(i32::from(b))),
            ExprKind::Text(text) => Ok(ExprValue::known(self.text_number(text))),
            ExprKind::Name(_) => {
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
            ExprKind::Call(..) if self.label_of(e).is_some() => self.condition_value(e),
            ExprKind::Call(..) if self.checked.method(e).is_some() => self.method_call(e),
            ExprKind::Call(callee, args) => {
                if self.checked.name(callee).is_none() {
                    return self.builtin_call(e, callee, args);
                }
                let place = self.call_place(e)?;
                let value = self.load(&place);
                // The next call of the same function writes over its result.
                let (from, to) = (self.address(value), self.temp());
                self.emit(Op::Move { to, from });
                Ok(ExprValue::at(to, value.low, value.high))
            }
            ExprKind::Quantifier(Quantifier::Sum, ..) => self.sum(e),
            ExprKind::Quantifier(..) => self.condition_value(e),
            ExprKind::Dynamic(..) => {
                Err(self.unsupported(span, "dynamic templates", "the number of processes is not known beforehand"))
            }
            _ => Err(NotLowered),
        }
    }

    fn builtin_call(&mut self, e: ExprId, callee: ExprId, args: syntax::ast::List) -> Result<ExprValue> {
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

    /// Whether evaluating `e` may change a variable that an operand before it was read from.
    fn may_change(&self, e: ExprId) -> bool {
        let kind = self.tree.kind(e);
        if matches!(kind, ExprKind::Assign(..) | ExprKind::Step { .. } | ExprKind::Call(..)) {
            return true;
        }
        let mut found = false;
        self.tree.children(kind, |_, child| found = found || syntax::grow(|| self.may_change(child)));
        found
    }

    /// Keeps a value as it is now, if what follows may change it.
    fn hold(&mut self, value: ExprValue, next: ExprId) -> ExprValue {
        if value.known.is_some() || !self.may_change(next) {
            return value;
        }
        let (from, to) = (self.address(value), self.temp());
        self.emit(Op::Move { to, from });
        ExprValue::at(to, value.low, value.high)
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

    fn arithmetic(&mut self, op: Arith, a: ExprId, b: ExprId, span: syntax::Span) -> Result<ExprValue> {
        let left = self.value(a)?;
        let left = self.hold(left, b);
        let right = self.value(b)?;
        self.compute(op, left, right, span)
    }

    pub(super) fn compute(
        &mut self,
        op: Arith,
        left: ExprValue,
        right: ExprValue,
        span: syntax::Span,
    ) -> Result<ExprValue> {
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

    /// A condition as 0 or 1.
    fn condition_value(&mut self, e: ExprId) -> Result<ExprValue> {
        if let ExprKind::Binary(op, a, b) = self.tree.kind(e)
            && let Some(cmp) = comparison(op)
            && self.is_single(a)
        {
            let left = self.value(a)?;
            let left = self.hold(left, b);
            let right = self.value(b)?;
            if let Some(truth) = decide(cmp, left, right) {
                return Ok(ExprValue::known(i32::from(truth)));
            }
            let (a, b, to) = (self.address(left), self.address(right), self.temp());
            self.emit(Op::Compare { cmp, to, a, b });
            return Ok(ExprValue::at(to, 0, 1));
        }
        if let Some(known) = self.known_condition(e)? {
            return Ok(ExprValue::known(i32::from(known)));
        }
        let to = self.temp();
        let (zero, one) = (self.literal(0), self.literal(1));
        let no = self.branch(e, false)?;
        self.emit(Op::Move { to, from: one });
        let end = self.emit(Op::Jump { by: 0 });
        self.land_all(no);
        self.emit(Op::Move { to, from: zero });
        self.land(end);
        Ok(ExprValue::at(to, 0, 1))
    }

    /// The truth of a condition that parameters and constants alone decide.
    pub(super) fn known_condition(&mut self, e: ExprId) -> Result<Option<bool>> {
        let mark = (self.chunk.ops.len(), self.chunk.sites.len(), self.chunk.frame);
        let jumps = self.branch(e, false)?;
        let code = &self.chunk.ops[mark.0..];
        let known = match code {
            [] => Some(true),
            [Op::Jump { .. }] if jumps.len() == 1 => Some(false),
            _ => None,
        };
        self.chunk.ops.truncate(mark.0);
        self.chunk.sites.truncate(mark.1);
        self.chunk.frame = mark.2;
        Ok(known)
    }

    /// Code that jumps if `e` has the truth value `when`, and falls through otherwise. The jumps
    /// are still to land.
    pub(super) fn branch(&mut self, e: ExprId, when: bool) -> Result<Vec<usize>> {
        syntax::grow(|| self.branch_here(e, when))
    }

    fn branch_here(&mut self, e: ExprId, when: bool) -> Result<Vec<usize>> {
        match self.tree.kind(e) {
            ExprKind::Unary(UnaryOp::Not, a) => self.asked(!self.positive, |l| l.branch(a, !when)),
            ExprKind::Binary(BinaryOp::And, a, b) => self.branch_pair(a, b, when, false, false),
            ExprKind::Binary(BinaryOp::Or, a, b) => self.branch_pair(a, b, when, true, false),
            // `a imply b` is `not a or b`.
            ExprKind::Binary(BinaryOp::Imply, a, b) => self.branch_pair(a, b, when, true, true),
            ExprKind::Binary(BinaryOp::Xor, a, b) => {
                let left = self.value(a)?;
                let left = self.truth(left);
                let left = self.hold(left, b);
                let right = self.value(b)?;
                let right = self.truth(right);
                Ok(self.jump_if(if when { Cmp::Ne } else { Cmp::Eq }, left, right))
            }
            _ if self.compares_abstract(e) => self.branch_abstract(e, when),
            ExprKind::Binary(op, a, b) if comparison(op).is_some() => {
                let cmp = comparison(op).unwrap_or(Cmp::Eq);
                let cmp = if when { cmp } else { cmp.negate() };
                if !self.is_single(a) {
                    let same = self.same_blocks(a, b)?;
                    let zero = ExprValue::known(0);
                    return Ok(self.jump_if(cmp.negate(), same, zero));
                }
                let left = self.value(a)?;
                let left = self.hold(left, b);
                let right = self.value(b)?;
                Ok(self.jump_if(cmp, left, right))
            }
            ExprKind::Quantifier(q @ (Quantifier::Forall | Quantifier::Exists), name, ty, body) => {
                self.branch_quantifier(q, name, ty, body, when)
            }
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.branch(b, when)
            }
            _ => {
                if let Some(label) = self.label_of(e) {
                    return Ok(self.branch_label(label, when));
                }
                let value = self.value(e)?;
                let zero = ExprValue::known(0);
                Ok(self.jump_if(if when { Cmp::Ne } else { Cmp::Eq }, value, zero))
            }
        }
    }

    /// `a and b`, or `a or b` where `or`; with `a` negated where `negated`.
    fn branch_pair(&mut self, a: ExprId, b: ExprId, when: bool, or: bool, negated: bool) -> Result<Vec<usize>> {
        let first = self.positive != negated;
        if when == or {
            // Either side alone decides for the jump.
            let mut jumps = self.asked(first, |l| l.branch(a, when != negated))?;
            if self.ends_in_jump(&jumps) {
                return Ok(jumps);
            }
            jumps.extend(self.branch(b, when)?);
            return Ok(jumps);
        }
        let skip = self.asked(first, |l| l.branch(a, when == negated))?;
        if self.ends_in_jump(&skip) {
            // `a` decides against the jump, whatever `b` is.
            for jump in skip {
                self.chunk.ops.truncate(self.chunk.ops.len().min(jump));
            }
            return Ok(Vec::new());
        }
        let jumps = self.branch(b, when)?;
        self.land_all(skip);
        Ok(jumps)
    }

    /// Whether the code so far ends in a jump that is always taken, so that nothing behind it is
    /// reached.
    fn ends_in_jump(&self, jumps: &[usize]) -> bool {
        jumps.len() == 1
            && jumps[0] + 1 == self.chunk.ops.len()
            && self.chunk.landing != Some(self.chunk.ops.len())
            && matches!(self.chunk.ops.last(), Some(Op::Jump { .. }))
    }

    pub(super) fn jump_if(&mut self, cmp: Cmp, left: ExprValue, right: ExprValue) -> Vec<usize> {
        match decide(cmp, left, right) {
            Some(true) => vec![self.emit(Op::Jump { by: 0 })],
            Some(false) => Vec::new(),
            None => {
                let (a, b) = (self.address(left), self.address(right));
                vec![self.emit(Op::JumpIf { cmp, a, b, by: 0 })]
            }
        }
    }

    /// Whether an expression is one number, not an array or struct.
    fn is_single(&self, e: ExprId) -> bool {
        !matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Array(..) | TyKind::Struct(_))
    }

    fn same_blocks(&mut self, a: ExprId, b: ExprId) -> Result<ExprValue> {
        let left = self.place_of(a)?;
        let x = self.pointer(&left);
        let right = self.place_of(b)?;
        let y = self.pointer(&right);
        let len = left.shape.size().ints;
        if len != right.shape.size().ints {
            let span = self.tree.span(b);
            return Err(self.report(Diagnostic::error("type", span, "the sizes of the arrays differ")));
        }
        self.emit(Op::Same { a: x, b: y, len });
        Ok(ExprValue::at(x, 0, 1))
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

    /// The loop `for (name : type)`: calls `body` with the code inside.
    pub(super) fn iterate(
        &mut self,
        name: syntax::ast::Name,
        ty: syntax::ast::TypeId,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (low, high) = self.values(self.checked.type_expr(ty))?;
        if low > high {
            return Ok(());
        }
        let id = self.checked.symbols.at(name.span).ok_or(NotLowered)?;
        let at = self.temp();
        let shape = Arc::new(Shape::Int(low, high));
        self.bind(id, Binding::Object(Object { ints: at, clocks: 0, channels: 0, shape }));
        let (first, last, one) = (self.literal(low), self.literal(high), self.literal(1));
        self.emit(Op::Move { to: at, from: first });
        let top = self.chunk.ops.len();
        body(self)?;
        let end = self.emit(Op::JumpIf { cmp: Cmp::Ge, a: at, b: last, by: 0 });
        self.emit(Op::Arith { op: Arith::Add, to: at, a: at, b: one });
        let by = self.back(top);
        self.emit_at(Op::Jump { by }, name.span);
        self.land(end);
        Ok(())
    }

    fn sum(&mut self, e: ExprId) -> Result<ExprValue> {
        let ExprKind::Quantifier(_, name, ty, body) = self.tree.kind(e) else { return Err(NotLowered) };
        let span = self.tree.span(e);
        if self.mentions_process(body) {
            let mut total = ExprValue::known(0);
            for value in self.unrolled(ty, span)? {
                self.bind_value(name, value)?;
                let term = self.value(body)?;
                total = self.compute(Arith::Add, total, term, span)?;
            }
            return Ok(total);
        }
        let total = self.temp();
        let zero = self.literal(0);
        self.emit(Op::Move { to: total, from: zero });
        self.iterate(name, ty, |l| {
            let term = l.value(body)?;
            let b = l.address(term);
            l.emit(Op::Arith { op: Arith::Add, to: total, a: total, b });
            Ok(())
        })?;
        Ok(ExprValue::at(total, i32::MIN, i32::MAX))
    }

    fn branch_quantifier(
        &mut self,
        q: Quantifier,
        name: syntax::ast::Name,
        ty: syntax::ast::TypeId,
        body: ExprId,
        when: bool,
    ) -> Result<Vec<usize>> {
        self.note_order(ty, body);
        // The truth value that settles the matter at once.
        let decisive = q == Quantifier::Exists;
        if self.mentions_process(body) {
            let mut decided = Vec::new();
            for value in self.unrolled(ty, self.tree.ty(ty).span)? {
                self.bind_value(name, value)?;
                decided.extend(self.branch(body, decisive)?);
            }
            if when == decisive {
                return Ok(decided);
            }
            let jump = self.emit(Op::Jump { by: 0 });
            self.land_all(decided);
            return Ok(vec![jump]);
        }
        let mut decided = Vec::new();
        self.iterate(name, ty, |l| {
            decided = l.branch(body, decisive)?;
            Ok(())
        })?;
        if when == decisive {
            return Ok(decided);
        }
        let jump = self.emit(Op::Jump { by: 0 });
        self.land_all(decided);
        Ok(vec![jump])
    }

    /// All values of a type, for quantifiers that are written out.
    pub(super) fn unrolled(&mut self, ty: syntax::ast::TypeId, span: syntax::Span) -> Result<Vec<i32>> {
        let (low, high) = self.values(self.checked.type_expr(ty))?;
        let count = i64::from(high) - i64::from(low) + 1;
        if count > MAX_UNROLLED {
            return Err(self.report(
                Diagnostic::error("too-large", span, format!("goes through {count} values"))
                    .help(format!("at most {MAX_UNROLLED} are possible here")),
            ));
        }
        Ok((low..=high).collect())
    }

    /// Makes the variable of a quantifier a constant.
    pub(super) fn bind_value(&mut self, name: syntax::ast::Name, value: i32) -> Result<()> {
        // Quantifiers within others are written out many times over.
        self.has_room(0, name.span)?;
        let id = self.checked.symbols.at(name.span).ok_or(NotLowered)?;
        self.bind(id, Binding::Const(value));
        Ok(())
    }

    /// Code for an expression whose value does not matter.
    pub(super) fn effects(&mut self, e: ExprId) -> Result<()> {
        syntax::grow(|| match self.tree.kind(e) {
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.effects(b)
            }
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
            _ => self.value(e).map(|_| ()),
        })
    }

    /// An assignment; the result is what was assigned to.
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
        let to = self.place_of(a)?;
        match &*to.shape {
            Shape::Opaque => {
                // No integer or clock depends on it, unless its value does something on the way.
                if self.may_change(b) {
                    return Err(self.unsupported(span, "floating-point numbers", "this changes other variables too"));
                }
            }
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

    fn step(&mut self, up: bool, prefix: bool, target: ExprId, span: syntax::Span) -> Result<ExprValue> {
        if self.is_abstract(target) {
            self.step_abstract(up, target, span)?;
            return Ok(ExprValue::known(0));
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

    /// Whether a location of the process itself is the current one.
    fn own_location(&mut self, e: ExprId) -> Result<ExprValue> {
        let id = self.checked.name(e).ok_or(NotLowered)?;
        let SymbolKind::Location(location) = self.checked.symbols.get(id).kind else { return Err(NotLowered) };
        Ok(self.at_location(self.current, location as i32))
    }

    /// Whether a process is at a location.
    pub(super) fn at_location(&mut self, process: u32, location: i32) -> ExprValue {
        let (a, b, to) = (Region::Locations.at(process), self.literal(location), self.temp());
        self.emit(Op::Compare { cmp: Cmp::Eq, to, a, b });
        ExprValue::at(to, 0, 1)
    }
}

/// The truth of a comparison that the bounds of both sides settle.
fn decide(cmp: Cmp, a: ExprValue, b: ExprValue) -> Option<bool> {
    let always = match cmp {
        Cmp::Eq => a.known.is_some() && a.known == b.known,
        Cmp::Ne => a.high < b.low || a.low > b.high,
        Cmp::Lt => a.high < b.low,
        Cmp::Le => a.high <= b.low,
        Cmp::Gt => a.low > b.high,
        Cmp::Ge => a.low >= b.high,
    };
    let never = match cmp {
        Cmp::Eq => a.high < b.low || a.low > b.high,
        Cmp::Ne => a.known.is_some() && a.known == b.known,
        Cmp::Lt => a.low >= b.high,
        Cmp::Le => a.low > b.high,
        Cmp::Gt => a.high <= b.low,
        Cmp::Ge => a.high < b.low,
    };
    if always {
        Some(true)
    } else if never {
        Some(false)
    } else {
        None
    }
}
