//! The types of operators.

use syntax::{
    Diagnostic,
    ast::{BinaryOp, ExprId, ExprKind, UnaryOp},
};

use super::Checker;
use crate::{
    operation::Arith,
    types::{Ty, TyKind, Types},
};

impl Checker<'_> {
    pub(super) fn unary(&mut self, e: ExprId, op: UnaryOp, operand: ExprId) -> Ty {
        let ty = self.operand(operand);
        let types = &self.out.types;
        match op {
            _ if ty == Types::WRONG => Types::WRONG,
            UnaryOp::Minus | UnaryOp::Plus if self.out.source(ty).is_some() => {
                let kind = self.out.source(ty).map_or(TyKind::Wrong, TyKind::Abstract);
                self.out.types.add(kind)
            }
            UnaryOp::Minus | UnaryOp::Plus if types.is_integral(ty) => Types::INT,
            UnaryOp::Plus if types.is_number(ty) => ty,
            UnaryOp::Minus if types.is_number(ty) => Types::DOUBLE,
            UnaryOp::Not if types.is_integral(ty) => Types::BOOL,
            UnaryOp::Not if types.rank(ty).is_some_and(|r| r <= 3) => Types::CONSTRAINT,
            UnaryOp::Not if types.rank(ty).is_some() => Types::FORMULA,
            _ => {
                let found = self.describe(ty);
                let sign = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Not => "not",
                };
                self.error("type", self.tree.span(e), format!("`{sign}` can't be applied to {found}"));
                Types::WRONG
            }
        }
    }

    /// `may`: whether abstract integers may be compared.
    pub(super) fn binary_expr(&mut self, e: ExprId, op: BinaryOp, (a, b): (ExprId, ExprId), may: bool) -> Ty {
        let joins = may && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply);
        self.may = joins;
        let s = self.expr(a);
        self.may = joins;
        let t = self.expr(b);
        self.warn_reverse(e, op, [(a, s), (b, t)]);
        self.require_within_reach(op, [(a, s), (b, t)]);
        let (s, t) = (self.as_number(a, s), self.as_number(b, t));
        if s == Types::WRONG || t == Types::WRONG {
            return Types::WRONG;
        }
        if self.out.source(s).or(self.out.source(t)).is_some() {
            return self.abstract_pair(e, op, (s, t), may);
        }
        self.binary(op, s, t).unwrap_or_else(|| self.no_operator(e, op, s, t))
    }

    /// Returns the type of `s op t`; `None` if the operator does not apply to these types.
    fn binary(&self, op: BinaryOp, s: Ty, t: Ty) -> Option<Ty> {
        use BinaryOp::*;
        let types = &self.out.types;
        let integral = types.is_integral(s) && types.is_integral(t);
        let numbers = types.is_number(s) && types.is_number(t);
        let is_diff = |ty: Ty| *types.kind(ty) == TyKind::Diff;
        let is_double = |ty: Ty| *types.kind(ty) == TyKind::Double;
        let timed = |ty: Ty| types.is_clock(ty) || is_diff(ty);
        let bound = |ty: Ty| types.is_integer(ty) || is_double(ty);
        Some(match op {
            _ if integral && Arith::of(op).is_some() => Types::INT,
            Add if types.is_clock(s) && types.is_integer(t) || types.is_integer(s) && types.is_clock(t) => Types::CLOCK,
            Add if is_diff(s) && types.is_integer(t) || types.is_integer(s) && is_diff(t) => Types::DIFF,
            Sub if types.is_clock(s) && types.is_integer(t) => Types::CLOCK,
            Sub if types.is_clock(s) && types.is_clock(t) => Types::DIFF,
            Sub if is_diff(s) && types.is_integer(t) || types.is_integer(s) && is_diff(t) => Types::DIFF,
            Add | Sub | Mul | Div | Pow | Min | Max if numbers => Types::DOUBLE,
            Lt | Le | Gt | Ge if integral => Types::BOOL,
            Lt | Le | Gt | Ge if types.is_clock(s) && types.is_clock(t) => Types::INVARIANT,
            Lt | Le if timed(s) && bound(t) || bound(s) && timed(t) => Types::INVARIANT,
            Gt | Ge if timed(s) && types.is_integer(t) || types.is_integer(s) && timed(t) => Types::INVARIANT,
            Lt | Le | Gt | Ge if numbers && (types.is_clock(s) || types.is_clock(t)) => Types::GUARD,
            Lt | Le | Gt | Ge if numbers => Types::BOOL,
            Eq if numbers && (timed(s) || timed(t)) => Types::GUARD,
            Eq if *types.kind(s) == TyKind::Rate && types.is_number(t) => Types::INVARIANT_RATE,
            Eq if *types.kind(t) == TyKind::Rate && types.is_number(s) => Types::INVARIANT_RATE,
            // UPPAAL's checker accepts it. It is not convex, so lowering reports it as unsupported.
            Ne if types.is_clock(s) && types.is_clock(t) => Types::GUARD,
            Ne if timed(s) && timed(t) => Types::CONSTRAINT,
            Ne if timed(s) && types.is_integer(t) || types.is_integer(s) && timed(t) => Types::CONSTRAINT,
            Eq | Ne if integral || numbers || self.comparable(s, t) => Types::BOOL,
            And => return self.conjunction(s, t),
            Or => return self.disjunction(s, t),
            // `a imply b` is `not a or b`.
            Imply => {
                let not = match types.rank(s)? {
                    0 => Types::BOOL,
                    r => Types::of_rank(r.max(3)),
                };
                return self.disjunction(not, t);
            }
            Xor if integral => Types::BOOL,
            _ => return None,
        })
    }

    /// Returns whether `==` applies to composite values.
    fn comparable(&self, s: Ty, t: Ty) -> bool {
        let types = &self.out.types;
        matches!(
            types.kind(s),
            TyKind::Scalar(..) | TyKind::Struct(_) | TyKind::Array(..) | TyKind::Process | TyKind::Text
        ) && types.equivalent(self.tree, s, t)
    }

    fn conjunction(&self, s: Ty, t: Ty) -> Option<Ty> {
        let types = &self.out.types;
        let rate = |ty: Ty| *types.kind(ty) == TyKind::InvariantRate;
        if rate(s) || rate(t) {
            let fits = |ty: Ty| rate(ty) || types.rank(ty).is_some_and(|r| r <= 1);
            return (fits(s) && fits(t)).then_some(Types::INVARIANT_RATE);
        }
        Some(Types::of_rank(types.rank(s)?.max(types.rank(t)?)))
    }

    fn disjunction(&self, s: Ty, t: Ty) -> Option<Ty> {
        let types = &self.out.types;
        let rate = |ty: Ty| *types.kind(ty) == TyKind::InvariantRate;
        if rate(s) && types.is_integral(t) || rate(t) && types.is_integral(s) {
            return Some(Types::INVARIANT_RATE);
        }
        let (r, q) = (types.rank(s)?, types.rank(t)?);
        // If one operand has no clocks, it decides whether the other one applies; two operands with
        // clocks need splitting.
        Some(if r == 0 || q == 0 { Types::of_rank(r.max(q)) } else { Types::of_rank(r.max(q).max(3)) })
    }

    pub(super) fn no_operator(&mut self, e: ExprId, op: BinaryOp, s: Ty, t: Ty) -> Ty {
        let (left, right) = (self.describe(s), self.describe(t));
        let message = format!("`{}` can't join {left} and {right}", op.text());
        let mut d = Diagnostic::error("type", self.tree.span(e), message);
        if let ExprKind::Binary(_, a, b) = self.tree.kind(e) {
            d = d.also(self.tree.span(a), left).also(self.tree.span(b), right);
        }
        d = self.not_known(d, if self.out.source(s).is_some() { s } else { t });
        self.report(d);
        Types::WRONG
    }

    /// Returns whether an expression is a number beyond 32 bits.
    pub(super) fn is_wide(&self, e: ExprId) -> bool {
        match self.tree.kind(e) {
            ExprKind::Wide(_) => true,
            ExprKind::Unary(UnaryOp::Minus, operand) => self.is_wide(operand),
            _ => false,
        }
    }

    /// Returns the type of a comparison with a number beyond 32 bits, which is legal for clocks
    /// only.
    pub(super) fn compare_with_wide(&mut self, e: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> Ty {
        let (clocks, number) = if self.is_wide(a) { (b, a) } else { (a, b) };
        let ty = self.expr(clocks);
        if ty == Types::WRONG {
            return ty;
        }
        if !self.out.types.is_clock(ty) && *self.out.types.kind(ty) != TyKind::Diff {
            return self.expr(number);
        }
        let mut inner = number;
        self.out.tys[number.0 as usize] = Types::INT;
        while let ExprKind::Unary(_, operand) = self.tree.kind(inner) {
            inner = operand;
            self.out.tys[inner.0 as usize] = Types::INT;
        }
        let (s, t) = if clocks == a { (ty, Types::INT) } else { (Types::INT, ty) };
        self.binary(op, s, t).unwrap_or_else(|| self.no_operator(e, op, s, t))
    }
}
