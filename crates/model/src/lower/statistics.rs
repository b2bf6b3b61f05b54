//! Statistical queries.

use std::sync::Arc;

use syntax::{
    Diagnostic, Tree,
    ast::{self, ExprId, PathFormula, Query, QueryKind},
};

use super::{Lowered, Lowerer, NotLowered, Result, query};
use crate::{
    check::Checked,
    stochastic::{Measurement, PathGoal, PathProperty, RealTerm, RunBound, RunMeasure, StatisticalQuery},
    system::System,
};

/// Lowers a checked statistical query, for the system that was lowered for such queries.
pub(crate) fn lower_statistics(
    tree: &Tree,
    checked: &Checked,
    lowered: &mut Lowered,
    system: &System,
    query: &Query,
) -> std::result::Result<StatisticalQuery, Vec<Diagnostic>> {
    let (measurement, code) = query::lower_with(tree, checked, lowered, system, query, |lowerer| {
        let QueryKind::Statistical(asked) = &query.kind else { return Err(NotLowered) };
        lowerer.measurement(asked)
    })?;
    Ok(StatisticalQuery { measurement, segment: Arc::new(code.segment) })
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
                self.require_linear(&term, *value)?;
                Measurement::Mean { bound, maximum: *maximum, value: term }
            }
            ast::StatisticalQuery::Simulation { bound, values, filter } => {
                let bound = self.run_bound(bound)?;
                let mut terms = Vec::new();
                for e in self.tree.list(*values).to_vec() {
                    let term = self.real(e)?;
                    self.require_linear(&term, e)?;
                    terms.push(term);
                }
                let filter = match filter {
                    Some(filter) => {
                        let runs = filter.runs.map(|e| self.run_count(e)).transpose()?;
                        Some((self.formula(filter.condition, false)?, runs))
                    }
                    None => None,
                };
                Measurement::Simulation { bound, values: terms, filter }
            }
        })
    }

    fn path(&mut self, query: &ast::PathQuery) -> Result<PathProperty> {
        let bound = self.run_bound(&query.bound)?;
        let path = match query.path {
            PathFormula::Finally(p) => PathGoal::Finally(self.formula(p, false)?),
            PathFormula::Globally(p) => PathGoal::Never(self.formula(p, true)?),
            PathFormula::Until(p, q) => PathGoal::Until(self.formula(p, true)?, self.formula(q, false)?),
        };
        Ok(PathProperty { bound, path })
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

    fn require_linear(&mut self, term: &RealTerm, e: ExprId) -> Result<()> {
        if term.is_linear_in_time() {
            return Ok(());
        }
        let why = "its extreme values may be anywhere within a delay";
        Err(self.unsupported(self.tree.span(e), "expressions that are not linear in clocks", why))
    }
}
