//! Statements.

use syntax::{
    Diagnostic,
    ast::{Decl, ExprId, StmtId, StmtKind},
};

use super::Checker;
use crate::{
    symbols::SymbolKind,
    types::{TyKind, Types},
};

impl Checker<'_> {
    /// Checks a block in the current scope: a function's body shares the scope of its parameters.
    pub(super) fn block(&mut self, s: StmtId) {
        let StmtKind::Block(decls, body) = &self.tree.stmt(s).kind else { return self.statement(s) };
        for decl in decls {
            match decl {
                Decl::Var(d) if self.is_federation_clock(d) => self.federation_clock(d),
                Decl::Var(d) => {
                    if self.tree.is_tchecker() {
                        self.refuse_shadowing(d.name);
                    }
                    self.variable(d, SymbolKind::Local);
                }
                Decl::Typedef(d) => self.typedef(d),
                Decl::Function(f) => {
                    self.error("syntax", f.name.span, "a function can't be declared inside of another");
                }
                _ => {}
            }
        }
        for &s in body {
            if self.is_over() {
                return;
            }
            self.statement(s);
        }
    }

    fn statement(&mut self, s: StmtId) {
        syntax::grow(|| self.statement_here(s));
    }

    fn statement_here(&mut self, s: StmtId) {
        let stmt = self.tree.stmt(s);
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(e) => {
                self.expr(*e);
                self.unused_value(*e);
            }
            StmtKind::Block(..) => {
                self.out.symbols.open();
                self.block(s);
                self.out.symbols.close();
            }
            StmtKind::If(c, yes, no) => {
                self.condition(*c);
                self.statement(*yes);
                if let Some(no) = no {
                    self.statement(*no);
                }
            }
            StmtKind::While(c, body) => {
                self.condition(*c);
                self.statement(*body);
            }
            StmtKind::DoWhile(body, c) => {
                self.statement(*body);
                self.condition(*c);
            }
            StmtKind::For(init, c, step, body) => {
                self.expr(*init);
                self.note_statement(*init);
                self.condition(*c);
                self.expr(*step);
                self.note_statement(*step);
                self.statement(*body);
            }
            StmtKind::Iterate(binding, body) => {
                let ty = self.type_of(binding.ty);
                self.check_iteration(ty, self.tree.ty(binding.ty).span);
                self.out.symbols.open();
                self.declare(binding.name, SymbolKind::Bound, ty);
                self.statement(*body);
                self.out.symbols.close();
            }
            StmtKind::Return(value) => self.return_statement(s, *value),
            StmtKind::Assert(e) => {
                self.condition(*e);
                self.require_pure(*e, "an assertion");
            }
        }
    }

    fn condition(&mut self, e: ExprId) {
        let ty = self.operand(e);
        if let Some(assigned) = self.assignment_in(e) {
            self.report(
                Diagnostic::warning("assignment", self.tree.span(assigned), "this condition assigns a value")
                    .help("`=` assigns; write `==` to compare"),
            );
        }
        if ty != Types::WRONG && self.out.types.rank(ty).is_none_or(|rank| rank > 3) {
            let found = self.describe(ty);
            self.error("type", self.tree.span(e), format!("a condition must be a boolean, not {found}"));
        }
    }

    fn return_statement(&mut self, s: StmtId, value: Option<ExprId>) {
        let Some((result, name)) = self.body.as_ref().map(|b| (b.result, b.name)) else { return };
        let span = self.tree.stmt(s).span;
        let text = self.text(name);
        let is_void = matches!(self.kind(result), TyKind::Void);
        match value {
            None if !is_void && result != Types::WRONG => {
                self.error("return", span, format!("`{text}` must return a value"));
            }
            None => {}
            Some(e) => {
                let ty = if self.out.types.is_integral(result) { self.operand(e) } else { self.expr(e) };
                if is_void {
                    self.report(
                        Diagnostic::error("return", self.tree.span(e), format!("`{text}` returns nothing"))
                            .help("remove the value, or change `void` to its type"),
                    );
                } else if ty != Types::WRONG
                    && result != Types::WRONG
                    && !self.out.types.assignable(self.tree, result, ty)
                {
                    let (to, found) = (self.describe(result), self.describe(ty));
                    self.error("type", self.tree.span(e), format!("`{text}` returns {to}, not {found}"));
                }
            }
        }
    }

    /// Returns whether every path through a statement ends in `return`, by the same simple rules as
    /// UPPAAL.
    pub(super) fn always_returns(&self, s: StmtId) -> bool {
        match &self.tree.stmt(s).kind {
            StmtKind::Return(_) => true,
            StmtKind::Block(_, body) => body.last().is_none_or(|&last| syntax::grow(|| self.always_returns(last))),
            StmtKind::If(_, yes, Some(no)) => {
                syntax::grow(|| self.always_returns(*yes)) && syntax::grow(|| self.always_returns(*no))
            }
            StmtKind::DoWhile(body, _) => syntax::grow(|| self.always_returns(*body)),
            _ => false,
        }
    }
}
