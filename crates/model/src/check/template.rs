//! Templates: locations and edges.

use syntax::{
    Diagnostic,
    ast::{Direction, Edge, Endpoint, ExprId, Location, Template},
};

use super::{Checker, TemplateInfo, decl::Section};
use crate::{
    symbols::SymbolKind,
    types::{TyKind, Types},
};

impl Checker<'_> {
    pub(super) fn template(&mut self, index: u32, template: &Template) {
        // TChecker's processes and locations are not visible in expressions: they have separate
        // namespaces.
        let visible = !self.tree.is_tchecker();
        if visible {
            self.declare(template.name, SymbolKind::Template(index), Types::PROCESS);
        }
        self.template = Some(index);
        self.out.symbols.open();
        let params = template.params.iter().map(|p| self.parameter(p, false)).collect();
        self.declarations(&template.decls, Section::Template(index));
        if visible {
            self.places(template);
        }
        for location in &template.locations {
            self.location(location);
        }
        for edge in &template.edges {
            self.edge(template, edge);
        }
        if !visible {
            self.places(template);
        }
        let scope = self.out.symbols.close();
        self.template = None;
        self.out.templates.push(TemplateInfo { params, scope });
    }

    fn places(&mut self, template: &Template) {
        for (i, location) in template.locations.iter().enumerate() {
            self.declare(location.name, SymbolKind::Location(i as u32), Types::BOOL);
            self.out.labels.extend(location.labels.iter().map(|label| label.sym));
        }
        for branchpoint in &template.branchpoints {
            self.declare(branchpoint.name, SymbolKind::Branchpoint, Types::WRONG);
        }
    }

    fn location(&mut self, location: &Location) {
        if location.urgent && location.committed {
            let text = self.text(location.name.sym);
            let message = format!("location `{text}` is both urgent and committed");
            self.error("urgent-and-committed", location.name.span, message);
        }
        if let Some((rate, over)) = location.rate {
            for e in std::iter::once(rate).chain(over) {
                let ty = self.expr(e);
                if ty != Types::WRONG && !self.out.types.is_number(ty) {
                    self.error("type", self.tree.span(e), "an exponential rate must be a number");
                }
            }
        }
        let Some(invariant) = location.invariant else { return };
        let ty = self.open_condition(invariant, "an invariant");
        if ty == Types::WRONG {
            return;
        }
        self.require_pure(invariant, "an invariant");
        // TChecker accepts every conjunction as an invariant, including `x == 3`.
        let max_rank = if self.tree.is_tchecker() { 2 } else { 1 };
        let legal = *self.kind(ty) == TyKind::InvariantRate || self.out.types.rank(ty).is_some_and(|r| r <= max_rank);
        if !legal {
            let found = self.describe(ty);
            let mut d = Diagnostic::error("type", self.tree.span(invariant), format!("{found} can't be an invariant"));
            d = match self.kind(ty) {
                TyKind::Guard => d.help("an invariant bounds clocks: write `x <= c` instead of `x == c`"),
                TyKind::Constraint => {
                    d.help("an invariant is a conjunction; `or` may join only conditions without clocks")
                }
                _ => d,
            };
            self.report(d);
        }
    }

    fn edge(&mut self, template: &Template, edge: &Edge) {
        self.out.symbols.open();
        for binding in &edge.select {
            let ty = self.type_of(binding.ty);
            self.check_iteration(ty, self.tree.ty(binding.ty).span);
            if let Some(before) = self.out.symbols.find(binding.name.sym) {
                let symbol = self.symbol(before);
                if !matches!(symbol.kind, SymbolKind::Type) {
                    let text = self.text(binding.name.sym);
                    self.report(
                        Diagnostic::warning("shadows", binding.name.span, format!("`{text}` hides another `{text}`"))
                            .also(symbol.span, "which is declared here"),
                    );
                }
            }
            self.declare(binding.name, SymbolKind::Select, ty);
        }
        if let Some(guard) = edge.guard {
            self.guard(guard);
        }
        if let Some((channel, direction)) = edge.sync {
            self.sync(channel, direction);
        }
        if let Some(update) = edge.update {
            let receives = edge.sync.is_some_and(|(_, direction)| direction != Direction::Send);
            if !receives && matches!(edge.source, Endpoint::Location(_)) {
                self.find_intersections(update);
            }
            self.update(update);
        }
        if let Some(program) = edge.program {
            self.block(program);
        }
        if let Some(weight) = edge.probability {
            let ty = self.expr(weight);
            if ty != Types::WRONG && (!self.out.types.is_number(ty) || *self.kind(ty) == TyKind::Bool) {
                self.error("type", self.tree.span(weight), "the weight of a branch must be a number");
            }
            self.require_pure(weight, "the weight of a branch");
        }
        if let (Endpoint::Branchpoint(b), Endpoint::Branchpoint(_)) = (edge.source, edge.target) {
            let text = self.text(template.branchpoints[b as usize].name.sym);
            self.error("branchpoint", edge.span, format!("an edge leads from branchpoint `{text}` to a branchpoint"));
        }
        self.out.symbols.close();
    }

    pub(super) fn guard(&mut self, guard: ExprId) {
        let ty = self.open_condition(guard, "a guard");
        if ty == Types::WRONG {
            return;
        }
        self.require_pure(guard, "a guard");
        if self.out.types.rank(ty).is_none_or(|r| r > 2) {
            let found = self.describe(ty);
            let mut d = Diagnostic::error("type", self.tree.span(guard), format!("{found} can't be a guard"));
            if *self.kind(ty) == TyKind::Constraint {
                d = d.help("a guard is a conjunction of clock bounds; use one edge for each case of an `or` or `!=`");
            }
            self.report(d);
        }
    }

    fn sync(&mut self, channel: ExprId, direction: Direction) {
        let span = self.tree.span(channel);
        let ty = self.expr(channel);
        if ty != Types::WRONG {
            self.require_pure(channel, "a synchronisation");
            if !matches!(self.kind(ty), TyKind::Chan { .. }) {
                let found = self.describe(ty);
                let mut d = Diagnostic::error("type", span, format!("a synchronisation needs a channel, not {found}"));
                if matches!(self.kind(ty), TyKind::Array(..)) {
                    d = d.help("name one of its elements: `c[i]!`");
                }
                self.report(d);
            }
        }
        let (same, other) =
            if direction == Direction::Both { (&mut self.csp, self.io) } else { (&mut self.io, self.csp) };
        let first = same.is_none();
        same.get_or_insert(span);
        if let (Some(other), true) = (other, first) {
            self.report(
                Diagnostic::error("synchronisation", span, "synchronisations with and without `!` or `?` are mixed")
                    .also(other, "the other kind")
                    .help("write `!` to send and `?` to receive"),
            );
        }
    }

    fn update(&mut self, update: ExprId) {
        let ty = self.expr(update);
        if ty == Types::WRONG {
            return;
        }
        self.unused_value(update);
        if self.out.types.rank(ty).is_some_and(|r| r > 0) {
            let found = self.describe(ty);
            self.error("type", self.tree.span(update), format!("an update can't be {found}"));
        }
    }
}
