//! Features of TChecker's models that UPPAAL lacks: events, labels, arrays of one element.

use rustc_hash::FxHashMap;
use syntax::{
    Diagnostic, Span,
    ast::{ExprId, ExprKind, Name},
    nearest, word,
};

use super::Checker;
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{Ty, Types},
};

impl Checker<'_> {
    /// Declares the names of processes for the system line and queries, and checks the
    /// synchronisations.
    pub(super) fn tchecker_names(&mut self) {
        // They have their own scope, since a variable may have the same name.
        self.out.symbols.open();
        for (i, template) in self.tree.templates.iter().enumerate() {
            self.declare(template.name, SymbolKind::Template(i as u32), Types::PROCESS);
        }
        self.weak_guards();
    }

    /// Checks the guards of weak participants. These take part if their location has an edge,
    /// whatever the guards, so guards on such edges would block the others. TChecker refuses them
    /// unless they are constant.
    fn weak_guards(&mut self) {
        let Some(events) = &self.tree.events else { return };
        let participants = events.syncs.iter().flat_map(|sync| &sync.participants);
        let weak: FxHashMap<(u32, u32), Span> =
            participants.filter(|p| p.weak).map(|p| ((p.process, p.event), p.span)).collect();
        for (process, template) in (0..).zip(&self.tree.templates) {
            for edge in &template.edges {
                if let (Some(event), Some(guard)) = (edge.event, edge.guard)
                    && let Some(&participant) = weak.get(&(process, event))
                    && self.mentions_name(guard)
                {
                    self.report(
                        Diagnostic::error("weak-guard", self.tree.span(guard), "guard on a weakly synchronised event")
                            .also(participant, "it is weak here")
                            .help("a weak participant takes part whenever its location has an edge; use two locations"),
                    );
                }
            }
        }
    }

    fn mentions_name(&self, e: ExprId) -> bool {
        let kind = self.tree.kind(e);
        let mut found = matches!(kind, ExprKind::Name(_));
        self.tree.children(kind, |_, child| found = found || syntax::grow(|| self.mentions_name(child)));
        found
    }

    /// Reports an error if a variable of an update has a name that is visible.
    pub(super) fn refuse_shadowing(&mut self, name: Name) {
        if let Some(before) = self.out.symbols.find(name.sym) {
            let (text, first) = (self.text(name.sym), self.symbol(before).span);
            self.report(
                Diagnostic::error("duplicate", name.span, format!("`{text}` is declared twice"))
                    .label("declared again here")
                    .also(first, "first declared here"),
            );
        }
    }

    /// Returns whether `x[by]` denotes the variable `x` of size 1, as in TChecker.
    pub(super) fn is_single_element(&self, ty: Ty, by: Ty) -> bool {
        let types = &self.out.types;
        self.tree.is_tchecker() && (types.is_integer(ty) || types.is_clock(ty)) && types.is_integral(by)
    }

    /// Returns whether the model declares a `label` that can be called, which hides the labels of
    /// locations.
    pub(super) fn is_callable(&self, id: Option<SymbolId>) -> bool {
        id.is_some_and(|id| {
            matches!(self.symbol(id).kind, SymbolKind::Function(_) | SymbolKind::Template(_) | SymbolKind::Instance(_))
        })
    }

    /// Checks `label(a)` or `label("a")`: some process is at a location with that label.
    pub(super) fn label_call(&mut self, e: ExprId, args: &[ExprId]) -> Ty {
        let &[arg] = args else {
            self.wrong_count(self.tree.span(e), self.text(word::LABEL), 1, args.len(), Span::NONE);
            return Types::WRONG;
        };
        let span = self.tree.span(arg);
        let (ExprKind::Name(label) | ExprKind::Text(label)) = self.tree.kind(arg) else {
            self.error("type", span, "`label` takes the name of a label");
            return Types::WRONG;
        };
        if !self.out.labels.contains(&label) && !self.tree.lost.contains(&label) {
            let text = self.text(label);
            let mut d = Diagnostic::error("unknown-name", span, format!("unknown label `{text}`"));
            if let Some(near) = nearest(text, self.out.labels.iter().map(|sym| self.tree.text(*sym))) {
                d = d.help(format!("did you mean `{near}`?"));
            } else if self.out.labels.is_empty() {
                d = d.help("no location of the model has a label");
            }
            self.report(d);
            return Types::WRONG;
        }
        Types::BOOL
    }
}
