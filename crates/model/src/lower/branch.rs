//! Conditions: code that jumps by the truth of an expression.

use syntax::{
    Diagnostic,
    ast::{BinaryOp, ExprId, ExprKind, Quantifier, UnaryOp},
};

use super::{Lowerer, Result, expr::ExprValue};
use crate::{
    code::Op,
    operation::{Cmp, comparison},
    types::TyKind,
};

impl Lowerer<'_> {
    /// Compiles a condition to 0 or 1.
    pub(super) fn condition_value(&mut self, e: ExprId) -> Result<ExprValue> {
        if let ExprKind::Binary(op, a, b) = self.tree.kind(e)
            && let Some(cmp) = comparison(op)
            && (self.is_real(a) || self.is_real(b))
        {
            return self.compare_reals(cmp, a, b);
        }
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

    /// Returns the truth of a condition that parameters and constants decide.
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

    /// Compiles a jump that is taken if `e` has the truth value `when`. Returns the jumps, whose
    /// targets are still open.
    pub(super) fn branch(&mut self, e: ExprId, when: bool) -> Result<Vec<usize>> {
        syntax::grow(|| self.branch_here(e, when))
    }

    fn branch_here(&mut self, e: ExprId, when: bool) -> Result<Vec<usize>> {
        match self.tree.kind(e) {
            ExprKind::Unary(UnaryOp::Not, a) => self.with_polarity(!self.polarity, |l| l.branch(a, !when)),
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
            ExprKind::Binary(op, a, b) if comparison(op).is_some() && (self.is_real(a) || self.is_real(b)) => {
                let truth = self.compare_reals(comparison(op).unwrap_or(Cmp::Eq), a, b)?;
                Ok(self.jump_if(if when { Cmp::Ne } else { Cmp::Eq }, truth, ExprValue::known(0)))
            }
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

    /// Compiles a jump by `a and b`, or by `a or b` if `or`; with `a` negated if `negated`.
    fn branch_pair(&mut self, a: ExprId, b: ExprId, when: bool, or: bool, negated: bool) -> Result<Vec<usize>> {
        let first = self.polarity != negated;
        if when == or {
            // Either operand alone decides for the jump.
            let mut jumps = self.with_polarity(first, |l| l.branch(a, when != negated))?;
            if self.ends_in_jump(&jumps) {
                return Ok(jumps);
            }
            jumps.extend(self.branch(b, when)?);
            return Ok(jumps);
        }
        let skip = self.with_polarity(first, |l| l.branch(a, when == negated))?;
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

    /// Returns whether the code so far ends in a jump that is always taken, so that code after it
    /// is unreachable.
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

    /// Returns whether an expression is one number, not an array or struct.
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
}

/// Returns the truth of a comparison if the bounds of both sides decide it.
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
