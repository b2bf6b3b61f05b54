//! Guards and invariants, split into conditions on integers and constraints on clocks.

use std::collections::BTreeSet;

use syntax::ast::{BinaryOp, ExprId, ExprKind, Name, Quantifier};

use super::{Lowerer, NotLowered, Result, monotonicity::Monotonicity, narrow::NarrowMode};
use crate::{
    code::{Cmp, Op, Pc},
    stochastic::{ClockFlow, RealTerm, TimedCondition},
    system::{ClockConstraint, Operand, Rate},
    types::TyKind,
};

/// A compiled condition.
pub(super) enum Test {
    Always,
    Never,
    Code(Pc),
}

/// A condition under which a part of a guard applies: an expression and its required truth value.
type Premise = (ExprId, bool);

/// A condition without clocks, which must hold where its premises do.
struct IntegerCondition {
    premises: Vec<Premise>,
    /// The values of the enclosing quantifiers' variables.
    binders: Vec<(Name, i32)>,
    condition: ExprId,
}

/// An index of a channel, its value for the selected channel, and the legal indices.
#[derive(Clone, Copy)]
pub(super) struct ChannelIndex {
    pub index: ExprId,
    pub value: i32,
    pub low: i32,
    pub length: u32,
}

/// A guard or invariant that is split into its parts.
#[derive(Default)]
pub(super) struct SplitGuard {
    conditions: Vec<IntegerCondition>,
    binders: Vec<(Name, i32)>,
    premises: Vec<Premise>,
    pub constraints: Vec<ClockConstraint>,
    pub rates: Vec<Rate>,
    /// In systems for random runs: rates that are not integers, and other conditions on clocks.
    pub flows: Vec<ClockFlow>,
    pub rest: Vec<TimedCondition>,
}

impl SplitGuard {
    /// Returns the conditions without premises, with the values of the enclosing quantifiers'
    /// variables.
    pub(super) fn unconditional(&self) -> impl Iterator<Item = (ExprId, &[(Name, i32)])> {
        self.conditions.iter().filter(|c| c.premises.is_empty()).map(|c| (c.condition, &c.binders[..]))
    }
}

impl Lowerer<'_> {
    /// Splits a conjunction of guards, and compiles the parts with clocks.
    pub(super) fn parts(&mut self, exprs: &[ExprId]) -> Result<SplitGuard> {
        let mut parts = SplitGuard::default();
        for &e in exprs {
            self.split(e, &mut parts)?;
        }
        Ok(parts)
    }

    pub(super) fn is_timed(&self, e: ExprId) -> bool {
        matches!(
            self.checked.types.kind(self.checked.ty(e)),
            TyKind::Invariant | TyKind::InvariantRate | TyKind::Guard | TyKind::Constraint
        )
    }

    /// Splits a guard that applies where the current premises hold.
    fn split(&mut self, e: ExprId, parts: &mut SplitGuard) -> Result<()> {
        syntax::grow(|| self.split_here(e, parts))
    }

    fn split_here(&mut self, e: ExprId, parts: &mut SplitGuard) -> Result<()> {
        let span = self.tree.span(e);
        if self.is_stochastic() && self.is_beyond(e) {
            parts.rest.push(self.timed_condition(e, &parts.premises)?);
            return Ok(());
        }
        if !self.is_timed(e) {
            // A conjunction of integer conditions is split as well, so that its parts fold
            // separately.
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
                // The operand without clocks is the premise of the other one.
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

    /// Returns whether a part of a guard can't be split into conditions without clocks and
    /// constraints on them.
    fn is_beyond(&mut self, e: ExprId) -> bool {
        if !self.is_timed(e) {
            return self.depends_on_clocks(e);
        }
        match self.tree.kind(e) {
            ExprKind::Binary(BinaryOp::And, ..) | ExprKind::Quantifier(Quantifier::Forall, ..) => false,
            ExprKind::Binary(BinaryOp::Or | BinaryOp::Imply, a, b) => {
                let untimed = [a, b].map(|e| !self.is_timed(e));
                let (is_or, [a_decides, b_decides]) =
                    (matches!(self.tree.kind(e), ExprKind::Binary(BinaryOp::Or, ..)), untimed);
                // The operand without clocks is a premise.
                let premise = if a_decides { Some(a) } else { Some(b).filter(|_| is_or && b_decides) };
                premise.is_none_or(|premise| self.depends_on_clocks(premise))
            }
            _ if *self.checked.types.kind(self.checked.ty(e)) == TyKind::InvariantRate => false,
            ExprKind::Binary(BinaryOp::Ne, ..) => true,
            ExprKind::Binary(_, a, b) => !self.is_plain_constraint(a, b),
            _ => true,
        }
    }

    /// Compiles the parts without clocks, and then `index == value` for each selected index.
    pub(super) fn condition(&mut self, parts: &SplitGuard, chosen: &[ChannelIndex]) -> Result<Test> {
        let mut exprs: Vec<ExprId> = chosen.iter().map(|c| c.index).collect();
        for part in &parts.conditions {
            exprs.extend(part.premises.iter().map(|p| p.0));
            exprs.push(part.condition);
        }
        let test = self.fresh(&exprs, |l| l.condition_here(parts, chosen));
        // Later code works on the elements themselves.
        self.copies.clear();
        test
    }

    fn condition_here(&mut self, parts: &SplitGuard, chosen: &[ChannelIndex]) -> Result<Test> {
        let mut no = Vec::new();
        let mut monotonicity = Monotonicity::Constant;
        let tries = self.try_parts(parts)?;
        for part in &parts.conditions {
            for &(name, value) in &part.binders {
                self.bind_value(name, value)?;
            }
            monotonicity = monotonicity.with(self.monotonicity(part.condition));
            let mut skip = Vec::new();
            for &(premise, truth) in &part.premises {
                let own = self.monotonicity(premise);
                monotonicity = monotonicity.with(if truth { own.flip() } else { own });
                skip.extend(self.with_polarity(!truth, |l| l.branch(premise, !truth))?);
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
        self.channel_tests(chosen, &mut no)?;
        if self.chunk.ops.is_empty() {
            return Ok(Test::Always);
        }
        self.emit(Op::Answer { truth: true });
        self.land_all(no);
        self.emit(Op::Answer { truth: false });
        let pc = self.finish();
        if !monotonicity.is_monotone() {
            self.system.non_monotone.push(pc);
        }
        // Comparisons of abstract integers are monotone.
        let compares = |c: &IntegerCondition| {
            self.count_comparisons(c.condition) > 0 || c.premises.iter().any(|p| self.count_comparisons(p.0) > 0)
        };
        if monotonicity == Monotonicity::Decreasing && !parts.conditions.iter().any(compares) {
            self.system.antitone.push(pc);
        }
        Ok(Test::Code(pc))
    }

    /// Compiles `index == value` for each selected index; adds the jumps for other values to `no`.
    fn channel_tests(&mut self, chosen: &[ChannelIndex], no: &mut Vec<usize>) -> Result<()> {
        // All indices are checked against their arrays before one of them selects another channel.
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
        Ok(())
    }

    /// Copies the elements of abstract integers if conditions compare them more than once. Returns
    /// whether it did.
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

    /// Compiles the conjunction of premises.
    fn premise_code(&mut self, premises: &[Premise]) -> Result<Option<Pc>> {
        if premises.is_empty() {
            return Ok(None);
        }
        let exprs: Vec<ExprId> = premises.iter().map(|p| p.0).collect();
        self.fresh(&exprs, |l| {
            let mut no = Vec::new();
            for &(premise, truth) in premises {
                no.extend(l.with_polarity(!truth, |l| l.branch(premise, !truth))?);
            }
            l.emit(Op::Answer { truth: true });
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            Ok(Some(l.finish()))
        })
    }

    /// Requires that growing elements can only lift the constraint, never impose it.
    fn watch_premises(&mut self, premises: &[Premise]) {
        for &(premise, truth) in premises {
            let monotonicity = self.monotonicity(premise);
            let lifted = if truth { monotonicity.flip() } else { monotonicity };
            if !lifted.is_monotone() {
                self.vary(premise);
            }
        }
    }

    fn rate(&mut self, clock: ExprId, value: ExprId, parts: &mut SplitGuard) -> Result<()> {
        if self.is_stochastic() {
            return self.any_rate(clock, value, parts);
        }
        if *self.checked.types.kind(self.checked.ty(clock)) == (TyKind::Clock { hybrid: true }) {
            // Neither the values nor the rates of hybrid clocks are tracked.
            return Ok(());
        }
        let span = self.tree.span(value);
        let why = "a clock can be stopped (0) or run (1)";
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

    /// Adds a rate in a system for random runs.
    fn any_rate(&mut self, clock: ExprId, value: ExprId, parts: &mut SplitGuard) -> Result<()> {
        let condition = self.premise_code(&parts.premises)?;
        let clock = self.clock_term(clock)?;
        if !self.is_real(value) && !self.depends_on_clocks(value) {
            let rate = self.operand(&[(true, value)], self.tree.span(value))?;
            parts.rates.push(Rate { condition, clock, rate });
            return Ok(());
        }
        match self.real(value)? {
            RealTerm::Number(n) if n.fract() == 0.0 && n.abs() <= f64::from(i32::MAX) => {
                parts.rates.push(Rate { condition, clock, rate: Operand::Const(n as i64) });
            }
            rate => {
                self.note_flow_of(clock);
                parts.flows.push(ClockFlow { condition, clock, rate });
            }
        }
        Ok(())
    }

    /// Starts a separate piece of code and lowers it.
    pub(super) fn fresh<T>(&mut self, exprs: &[ExprId], f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.start(exprs)?;
        f(self)
    }
}
