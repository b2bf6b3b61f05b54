//! Statistical queries.

use syntax::{
    Diagnostic,
    ast::{ExprId, PathFormula, PathQuery, RunBound, RunMeasure, StatisticalQuery},
};

use super::Checker;
use crate::types::Types;

impl Checker<'_> {
    /// Checks a statistical query.
    pub(super) fn statistical_query(&mut self, query: &StatisticalQuery) {
        match query {
            StatisticalQuery::Probability(path) => self.path_query(path),
            StatisticalQuery::Threshold { path, threshold, .. } => {
                self.path_query(path);
                self.measured(*threshold, "a probability");
            }
            StatisticalQuery::Comparison(first, second) => {
                self.path_query(first);
                self.path_query(second);
            }
            StatisticalQuery::Mean { bound, value, .. } => {
                self.run_bound(bound);
                self.measured(*value, "a mean");
            }
            StatisticalQuery::Simulation { bound, values, filter } => {
                self.run_bound(bound);
                for &e in self.tree.list(*values) {
                    self.measured(e, "a value along runs");
                }
                if let Some(filter) = filter {
                    filter.runs.iter().for_each(|runs| self.count(*runs));
                    self.state_formula(filter.condition, false);
                }
            }
        }
    }

    fn path_query(&mut self, query: &PathQuery) {
        self.run_bound(&query.bound);
        match query.path {
            PathFormula::Timed(ref formula) => {
                let (mut states, mut bounds) = (Vec::new(), Vec::new());
                formula.for_each(&mut |e| states.push(e), &mut |e| bounds.push(e));
                states.into_iter().for_each(|e| self.state_formula(e, false));
                bounds.into_iter().for_each(|e| self.measured(e, "a moment"));
            }
            PathFormula::Finally(p) | PathFormula::Globally(p) => self.state_formula(p, false),
            PathFormula::Until(p, q) => {
                self.state_formula(p, false);
                self.state_formula(q, false);
            }
        }
    }

    fn run_bound(&mut self, bound: &RunBound) {
        match bound.measure {
            RunMeasure::Time => {}
            RunMeasure::Steps => self.count(bound.limit),
            RunMeasure::TimeFrom(from) => self.measured(from, "a moment"),
            RunMeasure::Clock(clock) => {
                let ty = self.expr(clock);
                if ty != Types::WRONG && !self.out.types.is_clock(ty) {
                    let found = self.describe(ty);
                    let message = format!("runs are bounded by time, a clock or `#`, not by {found}");
                    self.error("type", self.tree.span(clock), message);
                }
                self.require_pure(clock, "a query");
            }
        }
        self.measured(bound.limit, "a bound");
        bound.runs.iter().for_each(|runs| self.count(*runs));
    }

    /// Requires a number.
    fn measured(&mut self, e: ExprId, what: &str) {
        let ty = self.operand(e);
        self.require_pure(e, "a query");
        if ty != Types::WRONG && !self.out.types.is_number(ty) {
            let found = self.describe(ty);
            let d = Diagnostic::error("type", self.tree.span(e), format!("{what} has to be a number, not {found}"));
            self.report(self.not_known(d, ty));
        }
    }

    /// Requires an integer.
    fn count(&mut self, e: ExprId) {
        let ty = self.operand(e);
        self.require_pure(e, "a query");
        if ty != Types::WRONG && !self.out.types.is_integral(ty) {
            let found = self.describe(ty);
            self.error("type", self.tree.span(e), format!("a number of runs or steps is an integer, not {found}"));
        }
    }
}
