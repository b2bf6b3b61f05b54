//! Formulas on the states of random runs: any condition on clocks and numbers.

use syntax::ast::{BinaryOp, ExprId, ExprKind, Quantifier, UnaryOp};

use super::{Lowerer, NotLowered, Result, query::opposite};
use crate::{
    operation::comparison,
    property::Formula,
    stochastic::{RunFormula, TimedCondition},
    types::TyKind,
};

impl Lowerer<'_> {
    /// Compiles a formula, negated if `negated`.
    pub(super) fn run_formula(&mut self, e: ExprId, negated: bool) -> Result<RunFormula> {
        syntax::grow(|| self.run_formula_here(e, negated))
    }

    fn run_formula_here(&mut self, e: ExprId, negated: bool) -> Result<RunFormula> {
        let span = self.tree.span(e);
        if !self.depends_on_clocks(e) {
            return Ok(match self.condition_formula(e, negated)? {
                Formula::True => RunFormula::True,
                Formula::Condition(pc) => RunFormula::Condition(pc),
                _ => RunFormula::False,
            });
        }
        match self.tree.kind(e) {
            ExprKind::Unary(UnaryOp::Not, a) => self.run_formula(a, !negated),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Imply), a, b) => {
                let first = negated != (op == BinaryOp::Imply);
                let parts = [self.run_formula(a, first)?, self.run_formula(b, negated)?];
                Ok(RunFormula::join((op == BinaryOp::And) != negated, parts))
            }
            ExprKind::Binary(op, a, b) if comparison(op).is_some() && self.is_number(a) && self.is_number(b) => {
                let op = if negated { opposite(op).ok_or(NotLowered)? } else { op };
                self.run_comparison(op, a, b)
            }
            ExprKind::Quantifier(q @ (Quantifier::Forall | Quantifier::Exists), name, ty, body) => {
                let mut parts = Vec::new();
                for value in self.unrolled(ty, span)? {
                    self.bind_value(name, value)?;
                    parts.push(self.run_formula(body, negated)?);
                }
                Ok(RunFormula::join((q == Quantifier::Forall) != negated, parts))
            }
            _ => Ok(RunFormula::Timed(self.condition_code(e, negated)?)),
        }
    }

    fn is_number(&self, e: ExprId) -> bool {
        self.checked.types.is_number(self.checked.ty(e))
    }

    fn run_comparison(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Result<RunFormula> {
        match op {
            BinaryOp::Eq => {
                let parts = [self.run_comparison(BinaryOp::Le, a, b)?, self.run_comparison(BinaryOp::Ge, a, b)?];
                return Ok(RunFormula::join(true, parts));
            }
            BinaryOp::Ne => {
                let parts = [self.run_comparison(BinaryOp::Lt, a, b)?, self.run_comparison(BinaryOp::Gt, a, b)?];
                return Ok(RunFormula::join(false, parts));
            }
            _ => {}
        }
        if self.is_plain_constraint(a, b) {
            let constraints = self.comparison(op, a, b, self.tree.span(a), None)?;
            return Ok(RunFormula::join(true, constraints.into_iter().map(RunFormula::Clock)));
        }
        let (left, right) = (self.real(a)?, self.real(b)?);
        let strict = matches!(op, BinaryOp::Lt | BinaryOp::Gt);
        let (left, right) = if matches!(op, BinaryOp::Gt | BinaryOp::Ge) { (right, left) } else { (left, right) };
        Ok(RunFormula::Comparison { left, right, strict })
    }

    /// Returns whether a comparison is about one clock, or the difference of two, and an integer.
    pub(super) fn is_plain_constraint(&mut self, a: ExprId, b: ExprId) -> bool {
        let mut clocks = [0, 0];
        self.is_difference(a, true, &mut clocks)
            && self.is_difference(b, false, &mut clocks)
            && clocks.iter().all(|count| *count <= 1)
    }

    /// Returns whether an expression is a sum of clocks and integers. Counts the clocks that are
    /// added and those that are subtracted.
    pub(super) fn is_difference(&mut self, e: ExprId, positive: bool, clocks: &mut [u32; 2]) -> bool {
        let is_clock = match self.checked.types.kind(self.checked.ty(e)) {
            TyKind::Int(_) | TyKind::Bool => return !self.depends_on_clocks(e),
            TyKind::Clock { .. } => true,
            TyKind::Diff => false,
            _ => return false,
        };
        match self.tree.kind(e) {
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.is_difference(a, positive, clocks) && self.is_difference(b, positive, clocks)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                self.is_difference(a, positive, clocks) && self.is_difference(b, !positive, clocks)
            }
            ExprKind::Unary(UnaryOp::Plus, a) => self.is_difference(a, positive, clocks),
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..) if is_clock => {
                clocks[usize::from(!positive)] += 1;
                true
            }
            _ => false,
        }
    }

    /// Compiles a condition on clocks where premises hold, which the system itself can't express.
    pub(super) fn timed_condition(&mut self, e: ExprId, premises: &[(ExprId, bool)]) -> Result<TimedCondition> {
        let (mut holds, mut fails) = (vec![self.run_formula(e, false)?], vec![self.run_formula(e, true)?]);
        for &(premise, truth) in premises {
            holds.push(self.run_formula(premise, truth)?);
            fails.push(self.run_formula(premise, !truth)?);
        }
        Ok(TimedCondition { holds: RunFormula::join(false, holds), fails: RunFormula::join(true, fails) })
    }
}
