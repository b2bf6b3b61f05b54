//! Abstract integers, of which only an element of a lattice is known.
//!
//! They take part in arithmetic and are assigned to each other. Whether a comparison of them holds
//! may be unknown, so it has no value: it is legal in guards, invariants and queries, where `and`,
//! `or` and `not` join comparisons.

use syntax::{
    Diagnostic,
    ast::{BinaryOp, Declarator, ExprId, Name, TypeKind},
};

use super::{Checker, ExternInfo, hint::Wanted};
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{AbstractSource, Ty, TyKind, Types},
};

impl Checker<'_> {
    /// Checks an expression in which abstract integers may be compared.
    pub(super) fn open_condition(&mut self, e: ExprId, what: &'static str) -> Ty {
        self.may = true;
        self.condition = Some(what);
        let ty = self.operand(e);
        self.condition = None;
        ty
    }

    /// Adds help to a diagnostic about an abstract integer.
    pub(super) fn not_known(&self, d: Diagnostic, ty: Ty) -> Diagnostic {
        match self.out.source(ty) {
            Some(_) => d.help("its value is not known: compare it in a guard, an invariant or a query"),
            None => d,
        }
    }

    /// Returns the type of `a op b`, where one of them is abstract. `may`: whether they may be
    /// compared here.
    pub(super) fn abstract_pair(&mut self, e: ExprId, op: BinaryOp, (s, t): (Ty, Ty), may: bool) -> Ty {
        use BinaryOp::*;
        let (x, y) = (self.out.source(s), self.out.source(t));
        let span = self.tree.span(e);
        if let (Some(x), Some(y)) = (x, y)
            && !same_source(x, y)
        {
            let (left, right) = (self.describe(s), self.describe(t));
            self.report(
                Diagnostic::error("type", span, format!("`{}` can't join {left} and {right}", op.text()))
                    .help("what one lattice knows says nothing to another; declare both with the same one"),
            );
            return Types::WRONG;
        }
        let Some(source) = x.or(y) else { return Types::WRONG };
        let fits = |ty: Ty| self.out.source(ty).is_some() || self.out.types.is_integral(ty);
        if !fits(s) || !fits(t) {
            return self.no_operator(e, op, s, t);
        }
        match op {
            Add | Sub | Mul | Div | Mod => self.out.types.add(TyKind::Abstract(source)),
            Eq | Ne | Lt | Le | Gt | Ge if may => Types::BOOL,
            Eq | Ne | Lt | Le | Gt | Ge => {
                self.report(
                    Diagnostic::error("abstract", span, "whether this holds is not known here")
                        .help("compare it in a guard or an invariant, joined by `and`, `or` and `not`; use two edges"),
                );
                Types::WRONG
            }
            _ => {
                let found = self.describe(if x.is_some() { s } else { t });
                self.report(
                    Diagnostic::error("type", span, format!("`{}` can't be applied to {found}", op.text()))
                        .help("`+`, `-`, `*`, `/`, `%` and comparisons can"),
                );
                Types::WRONG
            }
        }
    }

    /// Returns whether a value may be assigned to an abstract integer; `None` if the target is not
    /// abstract.
    pub(super) fn abstract_fits(&self, op: Option<BinaryOp>, to: Ty, from: Ty) -> Option<bool> {
        use BinaryOp::*;
        let source = self.out.source(to)?;
        let same = self.out.source(from).is_some_and(|from| same_source(source, from));
        let fits = same || self.out.types.is_integral(from);
        Some(fits && matches!(op, None | Some(Add | Sub | Mul | Div | Mod)))
    }

    /// Returns the type that `of.word` declares.
    pub(super) fn member_type(&mut self, of: Name, word: Name) -> Option<TyKind> {
        let id = self.lookup(of, Wanted::Variable)?;
        let symbol = self.symbol(id);
        let text = self.text(of.sym);
        let span = of.span.to(word.span);
        let TyKind::Lattice(number, name, _) = *self.kind(symbol.ty) else {
            if symbol.ty != Types::WRONG {
                let d = Diagnostic::error("type", span, format!("`{text}` has no members that could be declared"));
                self.report(d.also(symbol.span, "declared here"));
            }
            return None;
        };
        let ExternInfo::Library(lattice) = &self.out.externs[number as usize] else { return None };
        // Clocks are declared by names with a dot.
        let Some(expected) = lattice.member.filter(|_| !lattice.kind.has_clocks()) else {
            let name = self.text(name);
            let message = format!("variables of lattice `{name}` have no members");
            let have = self.library.entries().iter().filter(|entry| entry.member.is_some());
            let have: Vec<String> = have.map(|entry| format!("`{}`", entry.name)).collect();
            let mut d = Diagnostic::error("type", span, message).also(symbol.span, "declared here");
            if !have.is_empty() {
                d = d.help(format!("those of {} have", have.join(", ")));
            }
            self.report(d);
            return None;
        };
        if self.text(word.sym) != expected {
            let message = format!("a member of `{text}` is declared with `{expected}`");
            let mut d = Diagnostic::error("type", word.span, message);
            d = match self.text(word.sym) {
                // The bounds are those of integers, and tighter than those of other numbers.
                "floatvar" => d.help(format!(
                    "there are no floating-point members: write `{text}.{expected}` and count in a smaller unit, \
                     such as hundredths"
                )),
                _ => d.help(format!("write `{text}.{expected}`")),
            };
            self.report(d);
            return None;
        }
        if symbol.kind != SymbolKind::Var || symbol.template != self.template || self.body.is_some() {
            let d = Diagnostic::error("type", span, format!("members of `{text}` are declared beside it"));
            self.report(d.also(symbol.span, "declared here"));
            return None;
        }
        self.out.read.insert(id);
        Some(TyKind::Abstract(AbstractSource::Members(id, of.sym)))
    }

    /// Reports an error if a declaration other than a variable has the type of a member.
    pub(super) fn refuse_member(&mut self, d: &Declarator, what: &str) {
        if let TypeKind::Member(..) = self.tree.ty(d.ty).kind {
            self.error("type", self.tree.ty(d.ty).span, format!("{what} can't be a member of another variable"));
        }
    }

    /// Records a variable that was declared as a member.
    pub(super) fn note_member(&mut self, id: SymbolId, ty: Ty) {
        if let TyKind::Abstract(AbstractSource::Members(of, _)) = *self.kind(ty) {
            self.out.members.entry(of).or_default().push(id);
        }
    }

    /// Returns whether variables of a lattice type have members.
    pub(super) fn is_joint(&self, ty: Ty) -> bool {
        let TyKind::Lattice(number, ..) = self.kind(self.out.types.base(ty)) else { return false };
        matches!(&self.out.externs[*number as usize], ExternInfo::Library(lattice) if lattice.member.is_some())
    }
}

fn same_source(x: AbstractSource, y: AbstractSource) -> bool {
    match (x, y) {
        (AbstractSource::Elements(x, _), AbstractSource::Elements(y, _)) => x == y,
        (AbstractSource::Members(x, _), AbstractSource::Members(y, _)) => x == y,
        _ => false,
    }
}
