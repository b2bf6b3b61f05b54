//! Prints queries.

use super::{verbatim::copy, writer::Printer};
use crate::ast::{ExprId, List, Query, QueryKind};

impl Printer<'_> {
    /// Prints a query on one line.
    pub(super) fn query(&mut self, query: &Query) {
        match query.kind {
            QueryKind::Statistical(ref query) => self.statistical(query),
            QueryKind::Possibly(p) => self.path("E<> ", p),
            QueryKind::Invariantly(p) => self.path("A[] ", p),
            QueryKind::PotentiallyAlways(p) => self.path("E[] ", p),
            QueryKind::Eventually(p) => self.path("A<> ", p),
            QueryKind::InfinitelyOften(p) => self.path("A[] A<> ", p),
            QueryKind::FinallyAlways(p) => self.path("E<> E[] ", p),
            QueryKind::LeadsTo(p, q) => {
                self.expr(p);
                self.path(" --> ", q);
            }
            QueryKind::Sup(predicate, list) => self.bound("sup", predicate, list),
            QueryKind::Inf(predicate, list) => self.bound("inf", predicate, list),
            QueryKind::Bounds(predicate, list) => self.bound("bounds", predicate, list),
            QueryKind::Unsupported(_) | QueryKind::Empty | QueryKind::Wrong => {
                let text = copy(&query.text, true, |_, _| None);
                self.write(&text);
            }
        }
    }

    fn path(&mut self, path: &str, p: ExprId) {
        self.write(path);
        self.expr(p);
    }

    fn bound(&mut self, word: &str, predicate: Option<ExprId>, list: List) {
        self.write(word);
        if let Some(p) = predicate {
            self.write("{");
            self.expr(p);
            self.write("}");
        }
        self.write(": ");
        self.expr_list(self.tree.list(list));
    }

    /// Returns a query's original text with renamed identifiers.
    pub(super) fn query_text(&self, query: &Query, join: bool) -> String {
        copy(&query.text, join, |word, after_dot| self.renames.word(self.tree, word, after_dot))
    }

    /// Prints `query { … }` with its comment and expectation.
    pub(super) fn query_block(&mut self, query: &Query) {
        let text = self.query_text(query, true);
        self.start_line(u32::MAX);
        self.write("query {");
        self.end_line();
        self.nested(|p| {
            p.remark_lines(&query.comment);
            p.open_line();
            p.write(&text);
            p.end_line();
            if let Some(expect) = &query.expect {
                let remark = format!("EXPECT: {} {}", expect.outcome, copy(&expect.details, true, |_, _| None));
                p.remark_lines(&remark);
            }
        });
        self.open_line();
        self.write("}");
        self.end_line();
    }
}
