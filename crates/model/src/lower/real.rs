//! Floating-point expressions, in systems for random runs. A number takes two words of memory.

use syntax::{
    Span,
    ast::{BinaryOp, ExprId, ExprKind, List, Quantifier, UnaryOp},
};

use super::{
    Lowerer, NotLowered, Result,
    expr::ExprValue,
    place::{MemoryPlace, Root},
};
use crate::{
    builtin,
    code::{Addr, Cmp, Op, RealCode, RealOp, RealTest, Region},
    random::Distribution,
    real::{number, words},
    symbols::SymbolKind,
    system::Shape,
    types::TyKind,
};

/// The value of a floating-point expression: a constant, or at an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct RealValue {
    pub known: Option<f64>,
    at: Addr,
}

impl RealValue {
    fn known(value: f64) -> RealValue {
        RealValue { known: Some(value), at: 0 }
    }

    fn at(at: Addr) -> RealValue {
        RealValue { known: None, at }
    }
}

impl Lowerer<'_> {
    /// Returns whether an expression has no integer value: it is a floating-point number or
    /// contains clocks, and the system has these.
    pub(super) fn is_real(&self, e: ExprId) -> bool {
        self.is_stochastic()
            && matches!(
                self.checked.types.kind(self.checked.ty(e)),
                TyKind::Double | TyKind::Clock { .. } | TyKind::Diff
            )
    }

    /// Returns the address of a number.
    pub(super) fn real_address(&mut self, value: RealValue) -> Addr {
        match value.known {
            Some(known) => self.tuple(&words(known)),
            None => value.at,
        }
    }

    /// Allocates the two words of a number.
    fn pair(&mut self) -> Addr {
        let first = self.temp();
        self.temp();
        first
    }

    /// Compiles an expression to a floating-point number.
    pub(super) fn real_value(&mut self, e: ExprId) -> Result<RealValue> {
        syntax::grow(|| self.real_value_here(e))
    }

    fn real_value_here(&mut self, e: ExprId) -> Result<RealValue> {
        if !self.is_real(e) {
            let value = self.value(e)?;
            return Ok(self.widened(value));
        }
        let span = self.tree.span(e);
        match self.tree.kind(e) {
            ExprKind::Float(x) => Ok(RealValue::known(x)),
            ExprKind::Name(sym) => {
                let id = self.checked.name(e).ok_or(NotLowered)?;
                if self.checked.symbols.get(id).kind == SymbolKind::PredeclaredDouble {
                    let known = builtin::DOUBLES.iter().find(|(name, _)| *name == self.tree.text(sym));
                    return known.map(|(_, value)| RealValue::known(*value)).ok_or(NotLowered);
                }
                let place = self.place_of(e)?;
                self.load_real(&place)
            }
            ExprKind::Index(..) | ExprKind::Member(..) | ExprKind::Assign(..) => {
                let place = self.place_of(e)?;
                self.load_real(&place)
            }
            ExprKind::Unary(UnaryOp::Plus, a) => self.real_value(a),
            ExprKind::Unary(UnaryOp::Minus, a) => self.compute_real(RealOp::NEGATE, &[a]),
            ExprKind::Binary(op, a, b) => match RealOp::of(op) {
                Some(op) => self.compute_real(op, &[a, b]),
                None => Err(self.unsupported(span, "operators of this kind", "on floating-point numbers")),
            },
            ExprKind::Conditional(c, a, b) => self.conditional_real(c, a, b),
            ExprKind::Comma(a, b) => {
                self.effects(a)?;
                self.real_value(b)
            }
            ExprKind::Call(callee, args) if self.checked.name(callee).is_none() => {
                self.builtin_real(callee, args, span)
            }
            ExprKind::Call(..) => {
                let place = self.call_place(e)?;
                let value = self.load_real(&place)?;
                // The next call of the same function overwrites its result.
                Ok(self.kept(value))
            }
            ExprKind::Quantifier(Quantifier::Sum, name, ty, body) => {
                let sum = self.pair();
                self.set_real(sum, RealValue::known(0.0));
                let add = |l: &mut Self| {
                    let value = l.real_value(body)?;
                    let b = l.real_address(value);
                    l.emit(Op::Real { code: RealCode::Compute(RealOp::ADD), to: sum, a: sum, b });
                    Ok(())
                };
                if self.mentions_process(body) {
                    for value in self.unrolled(ty, span)? {
                        self.bind_value(name, value)?;
                        add(self)?;
                    }
                } else {
                    self.iterate(name, ty, add)?;
                }
                Ok(RealValue::at(sum))
            }
            _ => Err(self.unsupported(span, "expressions of this kind", "on floating-point numbers")),
        }
    }

    fn widened(&mut self, value: ExprValue) -> RealValue {
        if let Some(known) = value.known {
            return RealValue::known(f64::from(known));
        }
        let (a, to) = (self.address(value), self.pair());
        self.emit(Op::Real { code: RealCode::Widen, to, a, b: a });
        RealValue::at(to)
    }

    /// Copies a number to words of its own.
    fn kept(&mut self, value: RealValue) -> RealValue {
        if value.known.is_some() {
            return value;
        }
        let to = self.pair();
        self.set_real(to, value);
        RealValue::at(to)
    }

    fn set_real(&mut self, to: Addr, value: RealValue) {
        let from = self.real_address(value);
        if from != to {
            self.emit(Op::Move { to, from });
            self.emit(Op::Move { to: to + 1, from: from + 1 });
        }
    }

    /// Compiles operands. Later ones may change what earlier ones were read from.
    fn operands(&mut self, exprs: &[ExprId]) -> Result<Vec<RealValue>> {
        let mut values = Vec::with_capacity(exprs.len());
        for (i, &e) in exprs.iter().enumerate() {
            let value = self.real_value(e)?;
            let changes = exprs[i + 1..].iter().any(|next| self.may_change(*next));
            values.push(if changes { self.kept(value) } else { value });
        }
        Ok(values)
    }

    fn compute_real(&mut self, op: RealOp, exprs: &[ExprId]) -> Result<RealValue> {
        let values = self.operands(exprs)?;
        let known = |i: usize| values.get(i).map_or(Some(0.0), |value| value.known);
        if let (Some(a), Some(b), Some(c)) = (known(0), known(1), known(2)) {
            return Ok(RealValue::known(op.apply(a, b, c)));
        }
        let (to, a, b) = self.placed(&values);
        self.emit(Op::Real { code: RealCode::Compute(op), to, a, b });
        Ok(RealValue::at(to))
    }

    /// Returns the addresses of a result and of up to three operands, the third of which is where
    /// the result will be.
    fn placed(&mut self, values: &[RealValue]) -> (Addr, Addr, Addr) {
        let to = self.pair();
        if let Some(third) = values.get(2) {
            self.set_real(to, *third);
        }
        let a = self.real_address(values[0]);
        let b = values.get(1).map_or(a, |second| self.real_address(*second));
        (to, a, b)
    }

    fn conditional_real(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Result<RealValue> {
        if let Some(known) = self.known_condition(c)? {
            return self.real_value(if known { a } else { b });
        }
        let to = self.pair();
        let no = self.branch(c, false)?;
        let first = self.real_value(a)?;
        self.set_real(to, first);
        let end = self.emit(Op::Jump { by: 0 });
        self.land_all(no);
        let second = self.real_value(b)?;
        self.set_real(to, second);
        self.land(end);
        Ok(RealValue::at(to))
    }

    fn builtin_real(&mut self, callee: ExprId, args: List, span: Span) -> Result<RealValue> {
        let ExprKind::Name(sym) = self.tree.kind(callee) else { return Err(NotLowered) };
        let (name, args) = (self.tree.text(sym), self.tree.list(args).to_vec());
        if let Some(distribution) = Distribution::named(name) {
            let values = self.operands(&args)?;
            let (to, a, b) = self.placed(&values);
            self.emit_at(Op::Real { code: RealCode::Draw(distribution), to, a, b }, span);
            return Ok(RealValue::at(to));
        }
        match RealOp::named(name) {
            Some(op) => self.compute_real(op, &args),
            None => Err(self.unsupported(span, "functions of this kind", "on floating-point numbers")),
        }
    }

    /// Compiles a predeclared function of a floating-point number whose result is an integer.
    pub(super) fn test_real(&mut self, test: RealTest, e: ExprId, span: Span) -> Result<ExprValue> {
        let value = self.real_value(e)?;
        if let Some(Ok(known)) = value.known.map(|x| test.apply(x)) {
            return Ok(ExprValue::known(known));
        }
        let (a, to) = (self.real_address(value), self.temp());
        self.emit_at(Op::Real { code: RealCode::Test(test), to, a, b: a }, span);
        let (low, high) = test.range();
        Ok(ExprValue::at(to, low, high))
    }

    /// Compiles a comparison to 0 or 1.
    pub(super) fn compare_reals(&mut self, cmp: Cmp, a: ExprId, b: ExprId) -> Result<ExprValue> {
        let values = self.operands(&[a, b])?;
        if let (Some(x), Some(y)) = (values[0].known, values[1].known) {
            return Ok(ExprValue::known(i32::from(crate::machine::reals::compare(cmp, x, y))));
        }
        let (a, b, to) = (self.real_address(values[0]), self.real_address(values[1]), self.temp());
        self.emit(Op::Real { code: RealCode::Compare(cmp), to, a, b });
        Ok(ExprValue::at(to, 0, 1))
    }

    /// Loads a number, or the value of a clock.
    fn load_real(&mut self, place: &MemoryPlace) -> Result<RealValue> {
        match &*place.shape {
            Shape::Double => {}
            Shape::Clock => {
                let clock = self.clock_number(place);
                let (a, to) = (self.address(clock), self.pair());
                self.emit(Op::Real { code: RealCode::ReadClock, to, a, b: a });
                return Ok(RealValue::at(to));
            }
            Shape::Int(..) | Shape::Bool | Shape::Scalar { .. } => {
                let value = self.load(place);
                return Ok(self.widened(value));
            }
            _ => return Err(NotLowered),
        }
        Ok(match place.root {
            Root::Fixed { ints, .. } => {
                let base = ints + place.ints.fixed;
                match place.ints.dynamic {
                    None => match Region::split(base) {
                        (Region::Constants, i) => {
                            let constants = &self.s.code.constants[i as usize..];
                            RealValue::known(number(constants[0], constants[1]))
                        }
                        _ => RealValue::at(base),
                    },
                    Some(offset) => {
                        let to = self.pair();
                        self.emit(Op::Load { to, base, offset });
                        self.emit(Op::Load { to: to + 1, base: base + 1, offset });
                        RealValue::at(to)
                    }
                }
            }
            Root::Reference { ints, .. } => {
                let to = self.pair();
                for word in 0..2 {
                    let offset = self.offset_of(place, word);
                    self.emit(Op::LoadRef { to: to + word, pointer: ints, offset });
                }
                RealValue::at(to)
            }
        })
    }

    fn offset_of(&mut self, place: &MemoryPlace, word: u32) -> Addr {
        let mut offset = place.ints;
        offset.fixed += word;
        self.offset(offset)
    }

    /// Stores a number.
    pub(super) fn store_real(&mut self, place: &MemoryPlace, value: RealValue) {
        match (place.root, place.ints.dynamic) {
            (Root::Fixed { ints, .. }, None) => self.set_real(ints + place.ints.fixed, value),
            (Root::Fixed { ints, .. }, Some(offset)) => {
                let (base, from) = (ints + place.ints.fixed, self.real_address(value));
                for word in 0..2 {
                    self.emit(Op::Store { base: base + word, offset, from: from + word });
                }
            }
            (Root::Reference { ints, .. }, _) => {
                let from = self.real_address(value);
                for word in 0..2 {
                    let offset = self.offset_of(place, word);
                    self.emit(Op::StoreRef { pointer: ints, offset, from: from + word });
                }
            }
        }
    }

    /// Compiles `place = e` or `place op= e` for a number.
    pub(super) fn assign_real(&mut self, place: &MemoryPlace, op: Option<BinaryOp>, e: ExprId) -> Result<()> {
        let Some(op) = op else {
            let value = self.real_value(e)?;
            self.store_real(place, value);
            return Ok(());
        };
        let op = RealOp::of(op).ok_or(NotLowered)?;
        let before = self.load_real(place)?;
        let before = if self.may_change(e) { self.kept(before) } else { before };
        let with = self.real_value(e)?;
        let (to, a, b) = self.placed(&[before, with]);
        self.emit(Op::Real { code: RealCode::Compute(op), to, a, b });
        self.store_real(place, RealValue::at(to));
        Ok(())
    }

    /// Compiles `x = e` for a clock whose value is no whole number then.
    pub(super) fn set_clock_real(&mut self, to: &MemoryPlace, e: ExprId) -> Result<()> {
        let value = self.real_value(e)?;
        self.note_analog(to);
        let number = self.clock_number(to);
        let (a, b) = (self.address(number), self.real_address(value));
        self.emit(Op::Real { code: RealCode::SetClock, to: a, a, b });
        Ok(())
    }

    /// Evaluates a constant number.
    pub(super) fn constant_real(&mut self, e: ExprId) -> Result<f64> {
        self.aside(|l| {
            l.start(&[e])?;
            let value = l.real_value(e)?;
            if let Some(known) = value.known {
                return Ok(known);
            }
            let a = l.real_address(value);
            l.emit(Op::Real { code: RealCode::Yield, to: a, a, b: a });
            Ok(l.run_now(e)?.real)
        })
    }
}
