//! Requirements on expressions: modifiable variables, no effects, constants.

use syntax::{
    Diagnostic,
    ast::{ExprId, ExprKind},
    word,
};

use super::Checker;
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{Ty, TyKind, Types},
};

impl Checker<'_> {
    /// Records that the function being checked changes something outside of itself.
    pub(super) fn note_write(&mut self) {
        if let Some(body) = &mut self.body {
            body.writes = true;
        }
    }

    /// Records that the function being checked reads a symbol that is not constant.
    pub(super) fn note_read(&mut self, id: SymbolId) {
        if let Some(body) = &mut self.body {
            body.reads.get_or_insert(id);
        }
    }

    /// Records a change of the variable that `e` denotes.
    pub(super) fn note_target(&mut self, e: ExprId) {
        let root = self.root(e);
        self.out.written.extend(root);
        let inside = root.is_some_and(|id| {
            matches!(self.symbol(id).kind, SymbolKind::Local | SymbolKind::FunctionParam { .. } | SymbolKind::Bound)
        });
        if !inside {
            self.note_write();
        }
    }

    /// Returns the variable that an element or field belongs to.
    fn root(&self, e: ExprId) -> Option<SymbolId> {
        match self.tree.kind(e) {
            ExprKind::Name(_) => self.out.name(e),
            ExprKind::Index(of, _) | ExprKind::Member(of, _) => syntax::grow(|| self.root(of)),
            _ => None,
        }
    }

    /// Returns whether `e` is a variable, or a part of one, that may be assigned to.
    pub(super) fn is_modifiable(&self, e: ExprId) -> bool {
        match self.tree.kind(e) {
            ExprKind::Name(_) => self.out.name(e).is_some_and(|id| {
                let symbol = self.symbol(id);
                let changes = matches!(
                    symbol.kind,
                    SymbolKind::Var
                        | SymbolKind::Local
                        | SymbolKind::Param { .. }
                        | SymbolKind::FunctionParam { .. }
                        // UPPAAL's checker allows changes of loop and select variables.
                        | SymbolKind::Select
                );
                changes && !self.out.types.is_constant(symbol.ty)
            }),
            ExprKind::Index(of, _) => syntax::grow(|| self.is_modifiable(of)),
            ExprKind::Member(of, _) => {
                let of_element =
                    matches!(self.kind(self.out.ty(of)), TyKind::Lattice(..)) && self.out.name(e).is_none();
                !of_element && *self.kind(self.out.ty(of)) != TyKind::Process && syntax::grow(|| self.is_modifiable(of))
            }
            ExprKind::Assign(..) => true,
            ExprKind::Step { prefix, .. } => prefix,
            ExprKind::Conditional(_, a, b) => syntax::grow(|| self.is_modifiable(a) && self.is_modifiable(b)),
            ExprKind::Comma(_, b) => syntax::grow(|| self.is_modifiable(b)),
            _ => false,
        }
    }

    /// Reports an error unless `e` may be assigned to, and records the change.
    pub(super) fn require_modifiable(&mut self, e: ExprId) -> bool {
        if self.is_modifiable(e) {
            self.note_target(e);
            return true;
        }
        if let Some(d) = self.read_only(e) {
            self.report(d);
            return false;
        }
        let span = self.tree.span(e);
        let mut d = Diagnostic::error("assignment", span, "only a variable can be assigned to");
        if let Some(id) = self.root(e) {
            let symbol = self.symbol(id);
            let text = self.text(symbol.name);
            d = if self.out.types.is_constant(symbol.ty) || matches!(symbol.kind, SymbolKind::Predeclared(_)) {
                Diagnostic::error("assignment", span, format!("the constant `{text}` can't change"))
            } else {
                Diagnostic::error("assignment", span, format!("`{text}` can't be assigned to"))
            };
            d = d.also(symbol.span, "declared here");
        }
        self.report(d);
        false
    }

    /// Returns the first part of `e` that has an effect.
    pub(super) fn effect(&self, e: ExprId) -> Option<ExprId> {
        let kind = self.tree.kind(e);
        match kind {
            ExprKind::Assign(..) | ExprKind::Step { .. } | ExprKind::Dynamic(..) => return Some(e),
            ExprKind::Call(..) if self.changes_element(e) => return Some(e),
            ExprKind::Call(callee, args) => {
                if let Some(id) = self.out.name(callee)
                    && let SymbolKind::Function(f) = self.symbol(id).kind
                {
                    let info = &self.out.functions[f as usize];
                    let writes_argument = info.params.iter().zip(self.tree.list(args)).any(|(&p, &arg)| {
                        let p = self.symbol(p);
                        p.kind == (SymbolKind::FunctionParam { reference: true })
                            && !self.out.types.is_constant(p.ty)
                            && self.is_modifiable(arg)
                    });
                    if info.writes || writes_argument {
                        return Some(e);
                    }
                }
                let is_exit = matches!(self.tree.kind(callee), ExprKind::Name(word::EXIT));
                if is_exit && self.out.name(callee).is_none() {
                    return Some(e);
                }
            }
            _ => {}
        }
        let mut found = None;
        self.tree.children(kind, |_, child| {
            if found.is_none() {
                found = syntax::grow(|| self.effect(child));
            }
        });
        found
    }

    /// Reports an error if `e` has an effect.
    pub(super) fn require_pure(&mut self, e: ExprId, what: &str) {
        if let Some(part) = self.effect(e) {
            self.report(
                Diagnostic::error("side-effect", self.tree.span(part), format!("{what} can't change anything"))
                    .help("move the change to the update of an edge"),
            );
        }
    }

    /// Handles an expression whose value is not used: warns if it has no effect.
    pub(super) fn unused_value(&mut self, e: ExprId) {
        self.note_statement(e);
        let ty: Ty = self.out.ty(e);
        // A lone `1` is the old notation for an empty update.
        let placeholder = matches!(self.tree.kind(e), ExprKind::Int(_) | ExprKind::Bool(_));
        // A call may be external, and the parts of a list are checked one by one.
        let other = matches!(self.tree.kind(e), ExprKind::Call(..) | ExprKind::Comma(..));
        if ty != Types::WRONG && !placeholder && !other && self.effect(e).is_none() {
            let mut d = Diagnostic::warning("no-effect", self.tree.span(e), "this has no effect");
            if let ExprKind::Binary(syntax::ast::BinaryOp::Eq, ..) = self.tree.kind(e) {
                d = d.help("`==` compares; write `=` to assign");
            }
            self.report(d);
        }
    }

    /// Reports an error if `e` is not constant.
    pub(super) fn require_computable(&mut self, e: ExprId, what: &str) {
        if let Some((part, id)) = self.not_computable(e) {
            let symbol = id.map(|id| self.symbol(id));
            let mut d = Diagnostic::error("constant", self.tree.span(part), format!("{what} must be constant"));
            if let Some(symbol) = symbol {
                d = d.also(symbol.span, format!("`{}` is not", self.text(symbol.name)));
                if matches!(symbol.kind, SymbolKind::Param { .. } | SymbolKind::Var) {
                    d = d.help(format!("declare `{}` with `const`", self.text(symbol.name)));
                }
            }
            self.report(d);
        }
    }

    /// Returns the first part of `e` that is not constant, and the symbol that it reads.
    fn not_computable(&self, e: ExprId) -> Option<(ExprId, Option<SymbolId>)> {
        let kind = self.tree.kind(e);
        match kind {
            ExprKind::Name(_) => {
                let id = self.out.name(e)?;
                let symbol = self.symbol(id);
                let fine = match symbol.kind {
                    SymbolKind::Var => self.out.types.is_constant(symbol.ty),
                    SymbolKind::Param { reference } => self.out.types.is_constant(symbol.ty) && !reference,
                    SymbolKind::Predeclared(_) | SymbolKind::PredeclaredDouble => true,
                    SymbolKind::Function(_) | SymbolKind::Type => true,
                    _ => false,
                };
                return (!fine).then_some((e, Some(id)));
            }
            ExprKind::Call(callee, _) => {
                if let Some(SymbolKind::Function(f)) = self.out.name(callee).map(|id| self.symbol(id).kind)
                    && let Some(read) = self.out.functions[f as usize].reads
                {
                    return Some((e, Some(read)));
                }
            }
            ExprKind::Dynamic(..) => return Some((e, None)),
            _ => {}
        }
        let mut found = None;
        self.tree.children(kind, |_, child| {
            if found.is_none() {
                found = syntax::grow(|| self.not_computable(child));
            }
        });
        found
    }
}
