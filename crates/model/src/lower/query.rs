//! Queries: formulas on states.

use std::sync::Arc;

use syntax::{
    Diagnostic, Span, Tree,
    ast::{BinaryOp, ExprId, ExprKind, List, Name, Quantifier, Query, QueryKind, UnaryOp},
    word,
};

use super::{Lowered, Lowerer, NotLowered, Result, expr::ExprValue, guard::Test, monotonicity::Monotonicity};
use crate::{
    check::Checked,
    code::{Cmp, Op, Pc, Region, Segment},
    property::{Extremum, Formula, LoweredQuery, Property, Quantity},
    symbols::SymbolKind,
    system::{ClockConstraint, System},
    types::TyKind,
};

/// Lowers a checked query to its own segment of code. Leaves the system and the lowered model
/// unchanged.
pub(crate) fn lower_query(
    tree: &Tree,
    checked: &Checked,
    lowered: &mut Lowered,
    system: &System,
    query: &Query,
) -> std::result::Result<LoweredQuery, Vec<Diagnostic>> {
    let (property, code) = lower_with(tree, checked, lowered, system, query, |lowerer| {
        lowerer.query(query).and_then(|property| lowerer.after_start(property))
    })?;
    let QueryCode { segment, broken, non_monotone } = code;
    Ok(LoweredQuery { property, segment: Arc::new(segment), broken, non_monotone })
}

/// The code of a query, and facts about it.
pub(super) struct QueryCode {
    pub segment: Segment,
    /// The numbers of the scalar sets whose members it distinguishes.
    pub broken: Vec<u32>,
    /// Those of its conditions that are not known to be monotone.
    pub non_monotone: Vec<Pc>,
}

/// Lowers something about a system to a segment of code of its own. Leaves the system and the
/// lowered model unchanged.
pub(super) fn lower_with<T>(
    tree: &Tree,
    checked: &Checked,
    lowered: &mut Lowered,
    system: &System,
    query: &Query,
    work: impl FnOnce(&mut Lowerer<'_>) -> Result<T>,
) -> std::result::Result<(T, QueryCode), Vec<Diagnostic>> {
    let unsupported = std::mem::take(&mut lowered.unsupported);
    let scalars = lowered.scalars.for_query();
    let mut lowerer = Lowerer::new(tree, checked, std::mem::take(lowered), system.clone());
    let scalars = std::mem::replace(&mut lowerer.s.scalars, scalars);
    lowerer.asking = true;
    let result = work(&mut lowerer);
    let segment = system.code.linked(lowerer.s.code.split_off(system.code.base()));
    let broken = std::mem::replace(&mut lowerer.s.scalars, scalars).broken();
    let non_monotone = std::mem::take(&mut lowerer.system.non_monotone_goals);
    *lowered = lowerer.s;
    // Unsupported features of the query are errors of the query; the model's own list is restored.
    let mut problems = lowerer.diagnostics;
    problems.extend(std::mem::replace(&mut lowered.unsupported, unsupported).into_iter().map(|mut d| {
        d.severity = syntax::Severity::Error;
        d
    }));
    match result {
        Ok(found) if !problems.iter().any(Diagnostic::is_error) => {
            lowered.queries += segment.bytes();
            Ok((found, QueryCode { segment, broken, non_monotone }))
        }
        _ => {
            // Nothing is refused silently.
            if !problems.iter().any(Diagnostic::is_error) {
                let message = "queries of this kind are not supported in symbolic analysis";
                problems.push(Diagnostic::error("unsupported", query.span, message));
            }
            Err(problems)
        }
    }
}

impl Lowerer<'_> {
    fn query(&mut self, query: &Query) -> Result<Property> {
        Ok(match query.kind {
            QueryKind::Possibly(p) => Property::possibly(self.formula(p, false)?),
            QueryKind::Invariantly(p) => Property::invariantly(self.formula(p, true)?),
            QueryKind::PotentiallyAlways(p) => Property::potentially_always(self.formula(p, false)?),
            QueryKind::Eventually(p) => Property::eventually(self.formula(p, true)?),
            QueryKind::LeadsTo(p, q) => Property::leads_to(self.formula(p, false)?, self.formula(q, true)?),
            QueryKind::InfinitelyOften(p) => Property::leads_to(Formula::True, self.formula(p, true)?),
            QueryKind::FinallyAlways(p) => {
                Property::Run { after: Some(Formula::True), always: self.formula(p, false)?, exists: true }
            }
            QueryKind::Sup(p, list) => self.bounds(Extremum::Sup, p, list)?,
            QueryKind::Inf(p, list) => self.bounds(Extremum::Inf, p, list)?,
            QueryKind::Bounds(p, list) => self.bounds(Extremum::Both, p, list)?,
            QueryKind::Unsupported(feature) => {
                let d = Diagnostic::error("unsupported", query.span, format!("not supported: {feature}")).help(
                    "supported are A[], E<>, A<>, E[], -->, A[] A<>, E<> E[], sup, inf and bounds, and the statistical \
                     queries Pr, E and simulate",
                );
                return Err(self.report(d));
            }
            QueryKind::Statistical(_) => {
                let message = "a statistical query is about random runs, not about states";
                return Err(self.report(Diagnostic::error("statistical", query.span, message)));
            }
            QueryKind::Empty => {
                return Err(self.report(Diagnostic::error("syntax", query.span, "the query is empty")));
            }
            QueryKind::Wrong => return Err(NotLowered),
        })
    }

    /// Excludes the state in which processes choose their initial locations, if there is one: it is
    /// before the first state of the model.
    fn after_start(&mut self, property: Property) -> Result<Property> {
        let Some(events) = self.tree.events.as_ref().filter(|events| !events.starts.is_empty()) else {
            return Ok(property);
        };
        let starts = self.system.processes.iter().map(|p| events.starts.get(p.template as usize).copied());
        let starts: Vec<Option<u32>> = starts.collect();
        let started = self.at_starts(&starts, false)?;
        let hidden = |formula: Formula| Formula::join(true, [started.clone(), formula]);
        Ok(match property {
            Property::State { goal, exists } => Property::State { goal: hidden(goal), exists },
            Property::Run { after: Some(after), always, exists } => {
                Property::Run { after: Some(hidden(after)), always, exists }
            }
            // The run begins there, so it must be able to pass.
            Property::Run { after: None, always, exists } => {
                let always = Formula::join(false, [self.at_starts(&starts, true)?, always]);
                Property::Run { after: None, always, exists }
            }
            Property::Bounds { extremum, predicate, quantities } => {
                Property::Bounds { extremum, predicate: hidden(predicate), quantities }
            }
        })
    }

    /// Compiles whether a process is where it chooses its initial location, or the negation. They
    /// all leave together, so the first one decides.
    fn at_starts(&mut self, starts: &[Option<u32>], truth: bool) -> Result<Formula> {
        let first = starts.iter().enumerate().find_map(|(process, start)| Some((process as u32, (*start)?)));
        let Some((process, start)) = first else {
            return Ok(if truth { Formula::False } else { Formula::True });
        };
        self.fresh(&[], |l| {
            let (a, b) = (Region::Locations.at(process), l.literal(start as i32));
            let other = l.emit(Op::JumpIf { cmp: Cmp::Ne, a, b, by: 0 });
            l.emit(Op::Answer { truth });
            l.land_all(vec![other]);
            l.emit(Op::Answer { truth: !truth });
            Ok(Formula::Condition(l.finish()))
        })
    }

    fn bounds(&mut self, extremum: Extremum, p: Option<ExprId>, list: List) -> Result<Property> {
        let predicate = match p {
            Some(p) => self.formula(p, false)?,
            None => Formula::True,
        };
        let mut quantities = Vec::new();
        for &e in self.tree.list(list).to_vec().iter() {
            quantities.push(if matches!(self.checked.types.kind(self.checked.ty(e)), TyKind::Clock { .. }) {
                Quantity::Clock(self.clock_term(e)?)
            } else {
                Quantity::Integer(self.value_code(e)?)
            });
        }
        Ok(Property::Bounds { extremum, predicate, quantities })
    }

    fn value_code(&mut self, e: ExprId) -> Result<Pc> {
        self.fresh(&[e], |l| {
            let value = l.value(e)?;
            let a = l.address(value);
            l.emit(Op::Yield { a });
            let pc = l.finish();
            if l.monotonicity(e) != Monotonicity::Constant {
                l.system.non_monotone_goals.push(pc);
            }
            Ok(pc)
        })
    }

    /// Compiles constraints on clocks, and records whether they depend on elements.
    fn constraints(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Result<Vec<ClockConstraint>> {
        self.is_non_monotone = false;
        let constraints = self.comparison(op, a, b, span, None)?;
        if std::mem::take(&mut self.is_non_monotone) {
            self.system.non_monotone_goals.extend(constraints.iter().flat_map(ClockConstraint::code));
        }
        Ok(constraints)
    }

    /// Compiles a state formula, negated if `negated`: conditions on rows and constraints on
    /// clocks, joined by `and` and `or`.
    pub(super) fn formula(&mut self, e: ExprId, negated: bool) -> Result<Formula> {
        syntax::grow(|| self.formula_here(e, negated))
    }

    fn formula_here(&mut self, e: ExprId, negated: bool) -> Result<Formula> {
        let span = self.tree.span(e);
        if self.checked.types.rank(self.checked.ty(e)) == Some(0) {
            return self.condition_formula(e, negated);
        }
        match self.tree.kind(e) {
            ExprKind::Deadlock => self.deadlock(negated),
            ExprKind::Unary(UnaryOp::Not, a) => self.formula(a, !negated),
            ExprKind::Binary(BinaryOp::And, a, b) => {
                let parts = [self.formula(a, negated)?, self.formula(b, negated)?];
                Ok(Formula::join(!negated, parts))
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                let parts = [self.formula(a, negated)?, self.formula(b, negated)?];
                Ok(Formula::join(negated, parts))
            }
            ExprKind::Binary(BinaryOp::Imply, a, b) => {
                let parts = [self.formula(a, !negated)?, self.formula(b, negated)?];
                Ok(Formula::join(negated, parts))
            }
            ExprKind::Binary(op, a, b) => {
                let op = if negated { opposite(op).ok_or(NotLowered)? } else { op };
                if op == BinaryOp::Ne {
                    let below = self.constraints(BinaryOp::Lt, a, b, span)?;
                    let above = self.constraints(BinaryOp::Gt, a, b, span)?;
                    return Ok(Formula::join(false, below.into_iter().chain(above).map(Formula::Clock)));
                }
                let constraints = self.constraints(op, a, b, span)?;
                Ok(Formula::join(true, constraints.into_iter().map(Formula::Clock)))
            }
            ExprKind::Quantifier(q @ (Quantifier::Forall | Quantifier::Exists), name, ty, body) => {
                self.note_order(ty, body);
                let mut parts = Vec::new();
                for value in self.unrolled(ty, span)? {
                    self.bind_value(name, value)?;
                    parts.push(self.formula(body, negated)?);
                }
                Ok(Formula::join((q == Quantifier::Forall) != negated, parts))
            }
            _ => Err(self.unsupported(span, "state formulas of this kind", "the engine has no form for it")),
        }
    }

    pub(super) fn condition_formula(&mut self, e: ExprId, negated: bool) -> Result<Formula> {
        let test = self.fresh(&[e], |l| {
            let no = if l.count_comparisons(e) > 1 {
                l.try_out(e, !negated)?
            } else {
                l.with_polarity(!negated, |l| l.branch(e, negated))?
            };
            if l.chunk.ops.is_empty() {
                return Ok(Test::Always);
            }
            if matches!(l.chunk.ops[..], [Op::Jump { .. }]) {
                return Ok(Test::Never);
            }
            l.emit(Op::Answer { truth: true });
            l.land_all(no);
            l.emit(Op::Answer { truth: false });
            let pc = l.finish();
            let monotonicity = l.monotonicity(e);
            if !(if negated { monotonicity.flip() } else { monotonicity }).is_monotone() {
                l.system.non_monotone_goals.push(pc);
            }
            Ok(Test::Code(pc))
        })?;
        Ok(match test {
            Test::Always => Formula::True,
            Test::Never => Formula::False,
            Test::Code(pc) => Formula::Condition(pc),
        })
    }

    /// Returns whether an expression mentions a process, so that enclosing quantifiers must be
    /// unrolled.
    pub(super) fn mentions_process(&self, e: ExprId) -> bool {
        if *self.checked.types.kind(self.checked.ty(e)) == TyKind::Process {
            return true;
        }
        let mut found = false;
        self.tree.children(self.tree.kind(e), |_, child| {
            found = found || syntax::grow(|| self.mentions_process(child));
        });
        found
    }

    /// Compiles `P.x`, where `x` is a location or a variable of a process.
    pub(super) fn process_member(&mut self, e: ExprId, of: ExprId, name: Name) -> Result<ExprValue> {
        let process = self.process_of(of)?.ok_or(NotLowered)?;
        if name.sym == word::LOCATION {
            let last = self.system.processes[process as usize].locations as i32 - 1;
            return Ok(ExprValue::at(Region::Locations.at(process), 0, last));
        }
        let id = self.checked.name(e).ok_or(NotLowered)?;
        if let SymbolKind::Location(location) = self.checked.symbols.get(id).kind {
            return Ok(self.at_location(process, location as i32));
        }
        let place = self.place_of(e)?;
        Ok(self.load(&place))
    }
}

pub(super) fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    })
}
