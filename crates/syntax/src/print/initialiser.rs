//! Prints initialisers: short ones on one line, others with one row per line.

use super::writer::{Printer, WIDTH};
use crate::{
    ast::{ExprId, ExprKind},
    source::Span,
};

impl Printer<'_> {
    pub(super) fn initialiser(&mut self, e: ExprId) {
        let ExprKind::Braces(items) = self.tree.kind(e) else { return self.expr(e) };
        if self.comments.any(self.tree.span(e)) {
            return self.commented_rows(e);
        }
        let start = self.out.len();
        self.expr(e);
        if self.column() <= WIDTH {
            return;
        }
        self.out.truncate(start);
        let items = self.tree.list(items);
        let rows = items.iter().any(|&item| self.holds_braces(item));
        self.write("{");
        self.end_line();
        self.indent += 1;
        self.open_line();
        for (i, &item) in items.iter().enumerate() {
            let before = self.out.len();
            self.expr(item);
            if i + 1 < items.len() {
                self.write(",");
            }
            let is_first = i == 0 || rows;
            if !is_first {
                // Long rows are filled like a paragraph.
                let item = self.out.split_off(before);
                if self.column() + 1 + item.len() > WIDTH {
                    self.end_line();
                    self.open_line();
                } else {
                    self.write(" ");
                }
                self.write(&item);
            }
            if rows && i + 1 < items.len() {
                self.end_line();
                self.open_line();
            }
        }
        self.end_line();
        self.indent -= 1;
        self.open_line();
        self.write("}");
    }

    fn holds_braces(&self, item: ExprId) -> bool {
        match self.tree.kind(item) {
            ExprKind::Field(_, e) => matches!(self.tree.kind(e), ExprKind::Braces(_)),
            kind => matches!(kind, ExprKind::Braces(_)),
        }
    }

    /// Prints one item per line, each with its comments.
    fn commented_rows(&mut self, e: ExprId) {
        let span = self.tree.span(e);
        match self.tree.kind(e) {
            ExprKind::Field(name, inner) if self.comments.any(span) => {
                self.name(name.sym);
                self.write(": ");
                crate::grow(|| self.commented_rows(inner));
            }
            ExprKind::Braces(items) if self.comments.any(span) => {
                self.write("{");
                self.end_line();
                self.nested(|p| {
                    let items = p.tree.list(items);
                    for (i, &item) in items.iter().enumerate() {
                        p.row(item, i + 1 == items.len());
                    }
                    let left = p.comments.inside(span);
                    p.comment_lines(left);
                });
                self.open_line();
                self.write("}");
            }
            _ => self.expr(e),
        }
    }

    fn row(&mut self, item: ExprId, is_last: bool) {
        let Span { start, end } = self.tree.span(item);
        let leading = self.comments.leading(start);
        self.comment_lines(leading);
        self.open_line();
        crate::grow(|| self.commented_rows(item));
        if !is_last {
            self.write(",");
        }
        self.trail_all(Span { start, end });
        self.end_line();
    }
}
