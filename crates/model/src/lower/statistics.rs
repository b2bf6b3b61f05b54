//! Statistical queries.

use std::sync::Arc;

use syntax::{
    Diagnostic, Tree,
    ast::{self, ExprId, PathFormula, Query, QueryKind, TimedFormula, TimedInterval},
};

use super::{Lowered, Lowerer, NotLowered, Result, query};
use crate::{
    check::Checked,
    stochastic::{
        Measurement, PathGoal, PathProperty, RealTerm, RunBound, RunMeasure, StatisticalQuery, TimedCondition,
        TimedGoal,
    },
    system::System,
};

/// Lowers a checked statistical query, for the system that was lowered for such queries. An
/// expression that grows towards what is asked for may come with it.
pub(crate) fn lower_statistics(
    tree: &Tree,
    checked: &Checked,
    lowered: &mut Lowered,
    system: &System,
    query: &Query,
    importance: Option<ExprId>,
) -> std::result::Result<StatisticalQuery, Vec<Diagnostic>> {
    let found = query::lower_with(tree, checked, lowered, system, query, |lowerer| {
        let QueryKind::Statistical(asked) = &query.kind else { return Err(NotLowered) };
        let measurement = lowerer.measurement(asked)?;
        Ok((measurement, importance.map(|e| lowerer.importance(e)).transpose()?))
    });
    // What a query lacks here is not a matter of symbolic analysis.
    let ((measurement, importance), code) =
        found.map_err(|problems| problems.into_iter().map(about_runs).collect::<Vec<_>>())?;
    Ok(StatisticalQuery { measurement, importance, segment: Arc::new(code.segment) })
}

/// Says of a feature that random runs lack it, where lowering speaks of symbolic analysis.
pub(crate) fn about_runs(d: Diagnostic) -> Diagnostic {
    Diagnostic { message: d.message.replace("symbolic analysis", "random runs"), ..d }
}

impl Lowerer<'_> {
    fn measurement(&mut self, query: &ast::StatisticalQuery) -> Result<Measurement> {
        Ok(match query {
            ast::StatisticalQuery::Probability(path) => Measurement::Probability(self.path(path)?),
            ast::StatisticalQuery::Threshold { path, at_least, threshold } => {
                let number = self.number_within(*threshold, "the probability", 0.0, 1.0)?;
                let path = self.path(path)?;
                self.refuse_runs(path.bound, *threshold)?;
                Measurement::Threshold { path, at_least: *at_least, threshold: number }
            }
            ast::StatisticalQuery::Comparison(first, second) => {
                let (a, b) = (self.path(first)?, self.path(second)?);
                self.refuse_runs(a.bound, first.bound.limit)?;
                self.refuse_runs(b.bound, second.bound.limit)?;
                Measurement::Comparison(a, b)
            }
            ast::StatisticalQuery::Mean { bound, maximum, value } => {
                let (bound, term) = (self.run_bound(bound)?, self.real(*value)?);
                Measurement::Mean { bound, maximum: *maximum, value: term }
            }
            ast::StatisticalQuery::Simulation { bound, values, filter } => {
                let bound = self.run_bound(bound)?;
                let mut terms = Vec::new();
                for e in self.tree.list(*values).to_vec() {
                    terms.push(self.real(e)?);
                }
                let filter = match filter {
                    Some(filter) => {
                        let runs = filter.runs.map(|e| self.run_count(e)).transpose()?;
                        Some((self.run_formula(filter.condition, false)?, runs))
                    }
                    None => None,
                };
                Measurement::Simulation { bound, values: terms, filter }
            }
        })
    }

    /// Returns the value of an expression that tells states apart, not moments.
    fn importance(&mut self, e: ExprId) -> Result<RealTerm> {
        let term = self.real(e)?;
        if term.is_constant_in_time() {
            return Ok(term);
        }
        let message = "runs are split where they enter a state, so this may not depend on clocks";
        Err(self.report(Diagnostic::error("type", self.tree.span(e), message)))
    }

    fn path(&mut self, query: &ast::PathQuery) -> Result<PathProperty> {
        let bound = self.run_bound(&query.bound)?;
        let path = match query.path {
            PathFormula::Timed(ref formula) => PathGoal::Timed(self.timed_goal(formula)?),
            PathFormula::Finally(p) => PathGoal::Finally(self.run_formula(p, false)?),
            PathFormula::Globally(p) => PathGoal::Never(self.run_formula(p, true)?),
            PathFormula::Until(p, q) => PathGoal::Until(self.run_formula(p, true)?, self.run_formula(q, false)?),
        };
        Ok(PathProperty { bound, path })
    }

    /// Compiles a formula of MITL to conditions, negations, conjunctions and `U`.
    fn timed_goal(&mut self, formula: &TimedFormula) -> Result<TimedGoal> {
        syntax::grow(|| {
            let not = |goal| TimedGoal::Not(Box::new(goal));
            Ok(match formula {
                TimedFormula::State(e) => {
                    let (holds, fails) = (self.run_formula(*e, false)?, self.run_formula(*e, true)?);
                    TimedGoal::State(Box::new(TimedCondition { holds, fails }))
                }
                TimedFormula::And(parts) => TimedGoal::And(Box::new(self.timed_parts(parts)?)),
                TimedFormula::Or(parts) => {
                    let [a, b] = self.timed_parts(parts)?;
                    not(TimedGoal::And(Box::new([not(a), not(b)])))
                }
                TimedFormula::Finally(interval, inner) => {
                    let interval = self.timed_interval(*interval)?;
                    TimedGoal::Until(interval, Box::new([TimedGoal::always(), self.timed_goal(inner)?]))
                }
                TimedFormula::Globally(interval, inner) => {
                    let interval = self.timed_interval(*interval)?;
                    let fails = not(self.timed_goal(inner)?);
                    not(TimedGoal::Until(interval, Box::new([TimedGoal::always(), fails])))
                }
                TimedFormula::Until(interval, parts) => {
                    TimedGoal::Until(self.timed_interval(*interval)?, Box::new(self.timed_parts(parts)?))
                }
                TimedFormula::Release(interval, parts) => {
                    let interval = self.timed_interval(*interval)?;
                    let parts = self.timed_parts(parts)?.map(not);
                    not(TimedGoal::Until(interval, Box::new(parts)))
                }
            })
        })
    }

    fn timed_parts(&mut self, parts: &[TimedFormula; 2]) -> Result<[TimedGoal; 2]> {
        Ok([self.timed_goal(&parts[0])?, self.timed_goal(&parts[1])?])
    }

    fn timed_interval(&mut self, [from, to]: TimedInterval) -> Result<[f64; 2]> {
        let last = self.number_within(to, "the last moment", 0.0, f64::MAX)?;
        Ok([self.number_within(from, "the first moment", 0.0, last)?, last])
    }

    fn run_bound(&mut self, bound: &ast::RunBound) -> Result<RunBound> {
        let limit = self.number_within(bound.limit, "the bound", 0.0, f64::MAX)?;
        let measure = match bound.measure {
            ast::RunMeasure::Time => RunMeasure::Time { from: 0.0 },
            ast::RunMeasure::TimeFrom(from) => {
                RunMeasure::Time { from: self.number_within(from, "the first moment", 0.0, limit)? }
            }
            ast::RunMeasure::Clock(clock) => RunMeasure::Clock(self.clock_term(clock)?),
            ast::RunMeasure::Steps => RunMeasure::Steps,
        };
        let runs = bound.runs.map(|e| self.run_count(e)).transpose()?;
        Ok(RunBound { measure, limit, runs })
    }

    /// Returns the value of a constant within bounds.
    fn number_within(&mut self, e: ExprId, what: &str, least: f64, most: f64) -> Result<f64> {
        let span = self.tree.span(e);
        let RealTerm::Number(value) = self.real(e)? else {
            return Err(self.report(Diagnostic::error("constant", span, format!("{what} has to be a constant"))));
        };
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        let message = if most == f64::MAX {
            format!("{what} has to be at least {least}, and is {value}")
        } else {
            format!("{what} has to be between {least} and {most}, and is {value}")
        };
        Err(self.report(Diagnostic::error("constant", span, message)))
    }

    fn run_count(&mut self, e: ExprId) -> Result<u64> {
        let number = self.constant(e)?;
        if number < 1 {
            let message = format!("the number of runs has to be at least 1, and is {number}");
            return Err(self.report(Diagnostic::error("constant", self.tree.span(e), message)));
        }
        Ok(number as u64)
    }

    /// Refuses a number of runs where the runs decide when they are enough.
    fn refuse_runs(&mut self, bound: RunBound, at: ExprId) -> Result<()> {
        if bound.runs.is_none() {
            return Ok(());
        }
        let message = "a test decides itself how many runs it needs";
        Err(self.report(Diagnostic::error("runs", self.tree.span(at), message).help("remove the number after `;`")))
    }
}
