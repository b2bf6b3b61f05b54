//! opaal's federations of clocks: `DBMFederation dbm; DBMClock dbm.x, dbm.y[10];`.
//!
//! In opaal a federation is an element that holds the values of its clocks. The zone graph keeps a
//! federation for each discrete state anyway, so these clocks are clocks of the model: a
//! `DBMFederation` is a struct whose fields are declared one by one, and a `DBMClock` is a `clock`.
//! Everything that clocks can do is exact for them, and time is the same for all clocks.

use syntax::{
    Diagnostic,
    ast::{BinaryOp, Decl, Declarator, ExprId, ExprKind, Extern, Name},
};

use super::Checker;
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{AbstractSource, Ty, TyKind, Types},
};

/// The type of opaal's federations.
const FEDERATION: &str = "DBMFederation";

/// The type of their clocks.
const CLOCK: &str = "DBMClock";

/// The names that an `extern` may declare beside lattices.
pub(super) const NAMES: [&str; 2] = [FEDERATION, CLOCK];

impl Checker<'_> {
    /// Returns the type that an `extern` declares, if it is one of opaal's federations or clocks.
    pub(super) fn federation_type(&mut self, e: &Extern, of: Name) -> Option<Ty> {
        let kind = match self.text(of.sym) {
            FEDERATION => TyKind::Federation,
            CLOCK => TyKind::Clock { hybrid: false },
            _ => return None,
        };
        if !self.tree.list(e.args).is_empty() {
            let message = format!("`{}` takes no arguments", self.text(of.sym));
            self.report(Diagnostic::error("arguments", e.span, message).help("remove them"));
        }
        Some(self.out.types.add(kind))
    }

    /// Returns the type of a variable that is a federation. Its clocks are added later.
    pub(super) fn federation(&mut self, d: &Declarator, ty: Ty, kind: SymbolKind) -> Ty {
        if *self.kind(self.out.types.base(ty)) != TyKind::Federation {
            return ty;
        }
        let text = self.text(d.name.sym);
        let prefix = self.tree.ty(d.ty).prefix;
        let message = if *self.kind(ty) != TyKind::Federation {
            format!("`{text}` is a federation of clocks and can't be an array")
        } else if kind == SymbolKind::Local {
            "a variable of a function can't be a federation of clocks".to_owned()
        } else if prefix.constant || prefix.meta {
            let word = if prefix.constant { "const" } else { "meta" };
            format!("`{text}` is a federation of clocks and can't be `{word}`")
        } else if let Some(init) = d.init {
            let d = Diagnostic::error("initialiser", self.tree.span(init), "a federation of clocks has no initialiser");
            self.report(d.help("all its clocks are 0 at first"));
            return Types::WRONG;
        } else {
            let ty = self.out.types.add(TyKind::Struct(Vec::new()));
            self.out.federations.insert(ty);
            return ty;
        };
        let help = if *self.kind(ty) == TyKind::Federation {
            "declare it beside the other variables"
        } else {
            "its clocks can be arrays: `DBMClock dbm.x[10];`"
        };
        self.report(Diagnostic::error("type", d.name.span, message).help(help));
        Types::WRONG
    }

    /// Checks `DBMClock dbm.x;`, which adds a clock to a federation.
    pub(super) fn federation_clock(&mut self, d: &Declarator) {
        let ty = self.declarator_type(d);
        let Some((of, field)) = self.text(d.name.sym).split_once('.') else { return };
        let found = self.tree.names.find(of).and_then(|sym| self.out.symbols.find(sym));
        let has_clocks = |ty: Ty| self.out.has_clocks(ty) || self.out.federations.contains(&ty);
        let owner = found.map(|id| (id, self.symbol(id))).filter(|(_, symbol)| has_clocks(symbol.ty));
        let Some((id, owner)) = owner else {
            let mut message = Diagnostic::error("type", d.name.span, format!("`{of}` is not a federation of clocks"));
            if let Some(id) = found {
                message = message.also(self.symbol(id).span, "declared here");
            }
            return self.report(message.help(format!("write `extern {FEDERATION}; {FEDERATION} {of};` before")));
        };
        if ty == Types::WRONG {
            return;
        }
        if !self.out.types.is_clock(self.out.types.base(ty)) {
            let what = self.describe(ty);
            let message = format!("`{}` must be a clock, not {what}", self.text(d.name.sym));
            return self.report(
                Diagnostic::error("type", self.tree.ty(d.ty).span, message)
                    .help(format!("write `{CLOCK} {of}.{field}`")),
            );
        }
        if owner.template != self.template || self.body.is_some() {
            let message = format!("the clocks of `{of}` are declared beside it");
            return self.report(Diagnostic::error("type", d.name.span, message).also(owner.span, "declared here"));
        }
        if let Some(init) = d.init {
            let message = "a clock of a federation has no initialiser";
            let d = Diagnostic::error("initialiser", self.tree.span(init), message);
            return self.report(d.help("set it in the update of a first edge"));
        }
        let Some(field) = self.tree.names.find(field) else { return };
        self.out.read.insert(id);
        if self.out.has_clocks(owner.ty) {
            return self.element_clock(d, id, ty);
        }
        if !self.out.types.add_field(owner.ty, field, ty) {
            let message = format!("`{}` is declared twice", self.text(d.name.sym));
            self.report(Diagnostic::error("duplicate", d.name.span, message).label("declared again here"));
        }
    }

    /// Declares a clock of an element of a class of the user: a member of its variable.
    fn element_clock(&mut self, d: &Declarator, of: SymbolId, ty: Ty) {
        let owner = self.symbol(of);
        // An intersection of the element with a constraint acts as a guard.
        self.out.federations.insert(owner.ty);
        let mut indices = Vec::new();
        let mut inner = ty;
        while let TyKind::Array(index, element) = *self.kind(inner) {
            indices.push(index);
            inner = element;
        }
        let mut ty = self.out.types.add(TyKind::Abstract(AbstractSource::Members(of, owner.name)));
        for index in indices.into_iter().rev() {
            ty = self.out.types.add(TyKind::Array(index, ty));
        }
        let id = self.declare(d.name, SymbolKind::Var, ty);
        self.out.read.insert(id);
        self.out.members.entry(of).or_default().push(id);
    }

    /// Returns the type of `dbm.x`, if it is a clock of an element.
    pub(super) fn clock_of_element(&mut self, e: ExprId, of: ExprId, name: Name) -> Option<Ty> {
        let owner = self.out.name(of)?;
        let is_named = |id: &SymbolId| {
            let text = self.text(self.symbol(*id).name);
            text.rsplit_once('.').is_some_and(|(_, clock)| clock == self.text(name.sym))
        };
        let id = self.out.members.get(&owner)?.iter().copied().find(is_named)?;
        self.out.names[e.0 as usize] = Some(id);
        Some(self.symbol(id).ty)
    }

    /// Checks an intersection of a federation with a constraint, which acts as a guard.
    pub(super) fn intersection(&mut self, federation: Ty, constraint: ExprId) -> Ty {
        self.guard(constraint);
        let found = self.out.ty(constraint);
        if found == Types::WRONG {
            return Types::WRONG;
        }
        if self.out.types.is_integral(found) && !self.compares_clocks(constraint) {
            let what = self.describe(found);
            let message = format!("a federation is intersected with a clock constraint, not {what}");
            let d = Diagnostic::error("type", self.tree.span(constraint), message);
            self.report(d.help("write a condition without clocks as a guard"));
            return Types::WRONG;
        }
        federation
    }

    /// Returns whether a condition is about clocks of elements.
    fn compares_clocks(&self, e: ExprId) -> bool {
        let mut found = matches!(self.kind(self.out.ty(e)), TyKind::Abstract(AbstractSource::Members(..)));
        self.tree.children(self.tree.kind(e), |_, child| found |= syntax::grow(|| self.compares_clocks(child)));
        found
    }

    /// Finds the intersections at the start of an update, `dbm &= dbm.x <= 5`. opaal drops the
    /// clock values that do not satisfy the constraint, and so does a guard. Later in an update, or
    /// in that of a receiver, the constraint would refer to clocks that may have been set before.
    pub(super) fn find_intersections(&mut self, update: ExprId) {
        let sets_before = |decl: &Decl| matches!(decl, Decl::BeforeUpdate(_));
        if self.out.federations.is_empty() || self.tree.decls.iter().chain(&self.tree.system_decls).any(sets_before) {
            return;
        }
        let (mut updates, mut rest) = (Vec::new(), update);
        while let ExprKind::Comma(before, last) = self.tree.kind(rest) {
            updates.push(last);
            rest = before;
        }
        updates.push(rest);
        for e in updates.into_iter().rev() {
            let ExprKind::Assign(Some(BinaryOp::BitAnd), to, _) = self.tree.kind(e) else { return };
            let ExprKind::Name(sym) = self.tree.kind(to) else { return };
            let owner = self.out.symbols.find(sym).map(|id| self.symbol(id).ty);
            if !owner.is_some_and(|ty| self.out.federations.contains(&ty)) {
                return;
            }
            self.out.intersections.insert(e);
        }
    }

    /// Returns whether a declaration is that of a clock of a federation: its name has a dot.
    pub(super) fn is_federation_clock(&self, d: &Declarator) -> bool {
        // TChecker's models and nets have other names with dots.
        !self.tree.is_tchecker() && self.tree.net.is_none() && self.text(d.name.sym).contains('.')
    }
}
