//! Prints statistical queries.

use super::writer::Printer;
use crate::ast::{
    BinaryOp, ExprId, ExprKind, PathFormula, PathQuery, RunBound, RunMeasure, StatisticalQuery, TimedFormula,
    TimedInterval,
};

impl Printer<'_> {
    /// Prints a statistical query.
    pub(super) fn statistical(&mut self, query: &StatisticalQuery) {
        match query {
            StatisticalQuery::Probability(path) => self.path_query(path),
            StatisticalQuery::Threshold { path, at_least, threshold } => {
                self.path_query(path);
                self.write(if *at_least { " >= " } else { " <= " });
                self.expr(*threshold);
            }
            StatisticalQuery::Comparison(first, second) => {
                self.path_query(first);
                self.write(" >= ");
                self.path_query(second);
            }
            StatisticalQuery::Mean { bound, maximum, value } => {
                self.write("E");
                self.run_bound(bound);
                self.write(if *maximum { "(max: " } else { "(min: " });
                self.expr(*value);
                self.write(")");
            }
            StatisticalQuery::Simulation { bound, values, filter } => {
                self.write("simulate");
                self.run_bound(bound);
                self.write("{");
                self.expr_list(self.tree.list(*values));
                self.write("}");
                if let Some(filter) = filter {
                    if let Some(runs) = filter.runs {
                        self.after(" : ", runs);
                    }
                    self.after(" : ", filter.condition);
                }
            }
        }
    }

    fn after(&mut self, text: &str, e: ExprId) {
        self.write(text);
        self.expr(e);
    }

    fn timed(&mut self, formula: &TimedFormula) {
        match formula {
            TimedFormula::State(e) => self.expr(*e),
            TimedFormula::And(parts) => self.timed_pair(" && ", parts),
            TimedFormula::Or(parts) => self.timed_pair(" || ", parts),
            TimedFormula::Finally(interval, inner) => {
                self.interval("<>[", *interval);
                self.timed_operand(inner, true);
            }
            TimedFormula::Globally(interval, inner) => {
                self.interval("[][", *interval);
                self.timed_operand(inner, true);
            }
            TimedFormula::Until(interval, parts) | TimedFormula::Release(interval, parts) => {
                self.timed_operand(&parts[0], false);
                self.interval(if matches!(formula, TimedFormula::Until(..)) { " U[" } else { " R[" }, *interval);
                self.timed_operand(&parts[1], false);
            }
        }
    }

    fn timed_pair(&mut self, symbol: &str, parts: &[TimedFormula; 2]) {
        self.timed_operand(&parts[0], false);
        self.write(symbol);
        self.timed_operand(&parts[1], false);
    }

    /// Prints an operand; a prefix operator needs fewer parentheses around it than others.
    fn timed_operand(&mut self, formula: &TimedFormula, of_prefix: bool) {
        let is_closed = match formula {
            TimedFormula::State(e) => {
                !matches!(self.tree.kind(*e), ExprKind::Binary(op, ..) if op.precedence() <= BinaryOp::And.precedence())
            }
            TimedFormula::Finally(..) | TimedFormula::Globally(..) => of_prefix,
            _ => false,
        };
        if !is_closed {
            self.write("(");
        }
        self.timed(formula);
        if !is_closed {
            self.write(")");
        }
    }

    fn interval(&mut self, word: &str, [from, to]: TimedInterval) {
        self.after(word, from);
        self.after(",", to);
        self.write("] ");
    }

    fn path_query(&mut self, query: &PathQuery) {
        self.write("Pr");
        if let PathFormula::Timed(formula) = &query.path {
            self.write("(");
            self.timed(formula);
            return self.write(")");
        }
        if let RunMeasure::TimeFrom(from) = query.bound.measure {
            let (word, p) = match query.path {
                PathFormula::Globally(p) => ("([][", p),
                PathFormula::Finally(p) | PathFormula::Until(_, p) => ("(<>[", p),
                PathFormula::Timed(_) => return,
            };
            self.after(word, from);
            self.after(",", query.bound.limit);
            self.after("] ", p);
        } else {
            self.run_bound(&query.bound);
            match query.path {
                PathFormula::Finally(p) => self.after("(<> ", p),
                PathFormula::Globally(p) => self.after("([] ", p),
                PathFormula::Until(p, q) => {
                    self.after("(", p);
                    self.after(" U ", q);
                }
                PathFormula::Timed(_) => {}
            }
        }
        self.write(")");
    }

    fn run_bound(&mut self, bound: &RunBound) {
        self.write("[");
        match bound.measure {
            RunMeasure::Time | RunMeasure::TimeFrom(_) => {}
            RunMeasure::Clock(clock) => self.expr(clock),
            RunMeasure::Steps => self.write("#"),
        }
        self.after("<=", bound.limit);
        if let Some(runs) = bound.runs {
            self.after("; ", runs);
        }
        self.write("]");
    }
}
