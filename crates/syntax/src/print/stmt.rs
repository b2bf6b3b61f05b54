//! Prints statements.

use super::writer::Printer;
use crate::{
    ast::{Decl, StmtId, StmtKind},
    lexer::Comment,
    source::Span,
};

impl<'a> Printer<'a> {
    /// Prints a statement without a final line break.
    pub(super) fn statement(&mut self, s: StmtId) {
        crate::grow(|| self.statement_here(s));
    }

    fn statement_here(&mut self, s: StmtId) {
        let span = self.tree.stmt(s).span;
        match &self.tree.stmt(s).kind {
            StmtKind::Empty => self.write(";"),
            &StmtKind::Expr(e) => {
                let start = self.out.len();
                self.content(e);
                self.protect(start, |text| {
                    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
                    matches!(&text[..end], "assert" | "switch" | "break" | "continue")
                });
                self.write(";");
            }
            StmtKind::Block(decls, body) => self.block(decls, body, span, Vec::new()),
            &StmtKind::If(condition, yes, no) => {
                self.write("if (");
                self.comma(condition);
                let after = self.close_head(span.start, yes);
                if no.is_some() && self.ends_open(yes) {
                    // Otherwise the `else` would belong to the inner `if`.
                    self.braced(yes, after);
                } else {
                    self.body(yes, after);
                }
                if let Some(no) = no {
                    self.otherwise(yes, no);
                }
            }
            &StmtKind::While(condition, body) => {
                self.write("while (");
                self.comma(condition);
                let after = self.close_head(span.start, body);
                self.body(body, after);
            }
            &StmtKind::DoWhile(body, condition) => {
                self.write("do");
                let head = Span { start: span.start, end: self.tree.stmt(body).span.start };
                let after = self.comments.inside(head);
                self.body(body, after);
                if self.is_block(body) {
                    self.write(" ");
                } else {
                    self.end_line();
                    self.open_line();
                }
                self.write("while (");
                self.comma(condition);
                self.write(");");
            }
            &StmtKind::For(init, condition, step, body) => {
                self.write("for (");
                self.comma(init);
                self.write("; ");
                self.comma(condition);
                self.write("; ");
                self.comma(step);
                let after = self.close_head(span.start, body);
                self.body(body, after);
            }
            &StmtKind::Iterate(binding, body) => {
                self.write("for (");
                self.binding(binding);
                let after = self.close_head(span.start, body);
                self.body(body, after);
            }
            StmtKind::Return(None) => self.write("return;"),
            &StmtKind::Return(Some(e)) => {
                self.write("return ");
                self.content(e);
                self.write(";");
            }
            &StmtKind::Assert(e) => {
                self.write("assert ");
                let start = self.out.len();
                self.content(e);
                self.protect(start, |text| text.starts_with("++") || text.starts_with("--"));
                self.write(";");
            }
        }
    }

    /// Parenthesises the text since `start` if its first word would be misparsed.
    fn protect(&mut self, start: usize, misread: impl Fn(&str) -> bool) {
        if misread(&self.out[start..]) {
            self.out.insert(start, '(');
            self.write(")");
        }
    }

    /// Prints the `)` of a head, with the comments before it. Returns those between it and the
    /// body.
    fn close_head(&mut self, start: u32, body: StmtId) -> Vec<&'a Comment> {
        let head = Span { start, end: self.tree.stmt(body).span.start };
        let (inner, after) = self.comments.head(head);
        self.trail(inner);
        self.flush(false);
        self.write(")");
        after
    }

    fn is_block(&self, s: StmtId) -> bool {
        matches!(self.tree.stmt(s).kind, StmtKind::Block(..))
    }

    /// Returns whether an `else` after this statement would belong to it.
    fn ends_open(&self, mut s: StmtId) -> bool {
        loop {
            s = match self.tree.stmt(s).kind {
                StmtKind::If(_, _, None) => return true,
                StmtKind::If(_, _, Some(s)) => s,
                StmtKind::While(_, s) | StmtKind::For(_, _, _, s) | StmtKind::Iterate(_, s) => s,
                _ => return false,
            };
        }
    }

    /// Prints the body of a statement or function; `before` are the comments after its head.
    pub(super) fn body(&mut self, s: StmtId, before: Vec<&'a Comment>) {
        let stmt = self.tree.stmt(s);
        if let StmtKind::Block(decls, body) = &stmt.kind {
            self.write(" ");
            return crate::grow(|| self.block(decls, body, stmt.span, before));
        }
        self.end_line();
        self.nested(|p| p.single(s, before));
    }

    /// Prints a body without braces.
    fn single(&mut self, s: StmtId, before: Vec<&'a Comment>) {
        self.comment_lines(before);
        self.open_line();
        self.statement(s);
        self.trail_all(self.tree.stmt(s).span);
    }

    fn braced(&mut self, s: StmtId, before: Vec<&'a Comment>) {
        self.write(" {");
        self.end_line();
        self.nested(|p| {
            p.single(s, before);
            p.end_line();
        });
        self.open_line();
        self.write("}");
    }

    fn otherwise(&mut self, yes: StmtId, no: StmtId) {
        let (before, after) = (self.tree.stmt(yes).span, self.tree.stmt(no).span);
        let between = self.comments.inside(Span { start: before.end, end: after.start });
        if self.is_block(yes) || self.ends_open(yes) {
            self.write(" else");
        } else {
            self.end_line();
            self.open_line();
            self.write("else");
        }
        if between.is_empty() && matches!(self.tree.stmt(no).kind, StmtKind::If(..)) {
            self.write(" ");
            self.statement(no);
        } else {
            self.body(no, between);
        }
    }

    fn block(&mut self, decls: &[Decl], body: &[StmtId], span: Span, before: Vec<&'a Comment>) {
        if decls.is_empty() && body.is_empty() && before.is_empty() && !self.comments.any(span) {
            return self.write("{ }");
        }
        self.write("{");
        self.end_line();
        self.nested(|p| {
            p.comment_lines(before);
            p.declarations(&decls.iter().collect::<Vec<_>>());
            for &s in body {
                p.item(p.tree.stmt(s).span, |p| p.statement(s));
            }
            let left = p.comments.inside(span);
            p.comment_lines(left);
        });
        self.open_line();
        self.write("}");
    }
}
