//! Queries.

use syntax::{
    Diagnostic, Sym, Tree,
    ast::{ExprId, ExprKind, Query, QueryKind},
};

use super::{Checked, Checker};
use crate::{
    system::Process,
    types::{TyKind, Types},
};

/// Marks the names in a text as read if the text could not be parsed.
pub(crate) fn note_mentions(checked: &mut Checked, names: &[Sym]) {
    for sym in names {
        checked.read.extend(checked.symbols.find(*sym));
        let members = checked.templates.iter().filter_map(|template| template.scope.get(sym));
        checked.read.extend(members.copied());
    }
}

/// Checks a query against a checked model and its processes. `tree` may have grown since.
pub(crate) fn check_query(tree: &Tree, checked: &mut Checked, processes: &[Process], query: &Query) -> Vec<Diagnostic> {
    let mut checker = Checker::new(tree, std::mem::take(checked));
    checker.in_query = true;
    checker.processes = processes;
    checker.query(query);
    let (out, diagnostics) = checker.finish();
    *checked = out;
    diagnostics
}

impl Checker<'_> {
    fn query(&mut self, query: &Query) {
        match query.kind {
            QueryKind::Possibly(p) | QueryKind::Invariantly(p) => self.state_formula(p, true),
            QueryKind::PotentiallyAlways(p)
            | QueryKind::Eventually(p)
            | QueryKind::InfinitelyOften(p)
            | QueryKind::FinallyAlways(p) => self.state_formula(p, false),
            QueryKind::LeadsTo(p, q) => {
                self.state_formula(p, false);
                self.state_formula(q, false);
            }
            QueryKind::Sup(p, list) | QueryKind::Inf(p, list) | QueryKind::Bounds(p, list) => {
                if let Some(p) = p {
                    self.state_formula(p, false);
                }
                for &e in self.tree.list(list) {
                    let ty = self.operand(e);
                    self.require_pure(e, "a query");
                    if ty != Types::WRONG && !self.out.types.is_integral(ty) && !self.out.types.is_clock(ty) {
                        let found = self.describe(ty);
                        let message = format!("only clocks and integers have bounds, not {found}");
                        let d = Diagnostic::error("type", self.tree.span(e), message);
                        self.report(self.not_known(d, ty));
                    }
                }
            }
            QueryKind::Statistical(ref query) => self.statistical_query(query),
            QueryKind::Unsupported(_) | QueryKind::Empty | QueryKind::Wrong => {}
        }
    }

    pub(super) fn state_formula(&mut self, e: ExprId, deadlock: bool) {
        let ty = self.open_condition(e, "a query");
        if ty == Types::WRONG {
            return;
        }
        self.require_pure(e, "a query");
        if self.out.types.rank(ty).is_none() {
            let found = self.describe(ty);
            let mut d = Diagnostic::error("type", self.tree.span(e), format!("{found} is not a state formula"));
            if *self.kind(ty) == TyKind::Process {
                d = self.suggest_location(d, e);
            }
            self.report(d);
        }
        if !deadlock && let Some(at) = self.find_deadlock(e) {
            self.report(
                Diagnostic::error("deadlock", self.tree.span(at), "`deadlock` can't be asked here")
                    .help("it is legal in `E<>` and `A[]` only"),
            );
        }
    }

    fn find_deadlock(&self, e: ExprId) -> Option<ExprId> {
        let kind = self.tree.kind(e);
        if kind == ExprKind::Deadlock {
            return Some(e);
        }
        let mut found = None;
        self.tree.children(kind, |_, child| {
            if found.is_none() {
                found = syntax::grow(|| self.find_deadlock(child));
            }
        });
        found
    }
}
