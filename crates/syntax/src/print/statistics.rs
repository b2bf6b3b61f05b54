//! Prints statistical queries.

use super::writer::Printer;
use crate::ast::{ExprId, PathFormula, PathQuery, RunBound, RunMeasure, StatisticalQuery};

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

    fn path_query(&mut self, query: &PathQuery) {
        self.write("Pr");
        if let RunMeasure::TimeFrom(from) = query.bound.measure {
            let (word, p) = match query.path {
                PathFormula::Finally(p) | PathFormula::Until(_, p) => ("(<>[", p),
                PathFormula::Globally(p) => ("([][", p),
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
