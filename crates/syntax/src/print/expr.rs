//! Prints expressions.

use std::fmt::Write;

use super::writer::Printer;
use crate::{
    ast::{BinaryOp, ExprId, ExprKind, List, UnaryOp},
    source::Span,
};

/// Precedence levels of expressions; those of binary operators are between `LOOSE` and `UNARY`.
mod level {
    /// Assignments and conditionals.
    pub(super) const LOOSE: u8 = 0;
    pub(super) const UNARY: u8 = 13;
    pub(super) const POSTFIX: u8 = 14;
    pub(super) const PRIMARY: u8 = 15;
}

fn level(kind: ExprKind) -> u8 {
    match kind {
        ExprKind::Assign(..) | ExprKind::Conditional(..) | ExprKind::Comma(..) => level::LOOSE,
        ExprKind::Binary(op, ..) => op.precedence(),
        ExprKind::Unary(..) | ExprKind::Step { prefix: true, .. } => level::UNARY,
        ExprKind::Int(n) if n < 0 => level::UNARY,
        ExprKind::Index(..)
        | ExprKind::Member(..)
        | ExprKind::Call(..)
        | ExprKind::Rate(_)
        | ExprKind::Step { prefix: false, .. } => level::POSTFIX,
        _ => level::PRIMARY,
    }
}

impl Printer<'_> {
    /// Prints an expression that may have commas at the top level.
    pub(super) fn comma(&mut self, e: ExprId) {
        for (i, part) in self.comma_parts(e).into_iter().enumerate() {
            if i > 0 {
                self.write(", ");
            }
            self.expr(part);
        }
    }

    /// Prints an expression without a comma at the top level.
    pub(super) fn expr(&mut self, e: ExprId) {
        self.operand(e, level::LOOSE, true);
    }

    /// Prints an expression as the text of a label or statement. A comment stays beside the operand
    /// of a list or conjunction that it belongs to.
    pub(super) fn content(&mut self, e: ExprId) {
        let (parts, separator, op) = match self.tree.kind(e) {
            ExprKind::Binary(BinaryOp::And, ..) => (self.operator_parts(e, BinaryOp::And), " &&", Some(BinaryOp::And)),
            ExprKind::Binary(BinaryOp::Or, ..) => (self.operator_parts(e, BinaryOp::Or), " ||", Some(BinaryOp::Or)),
            _ => (self.comma_parts(e), ",", None),
        };
        // A comment in the last operand can follow the whole expression.
        let before_last = parts.last().map_or(Span::NONE, |&last| self.tree.span(last));
        if !self.comments.any(Span { start: self.tree.span(e).start, end: before_last.start }) {
            return self.comma(e);
        }
        self.indent += 1;
        let last = parts.len() - 1;
        for (i, part) in parts.into_iter().enumerate() {
            let span = self.tree.span(part);
            if i > 0 {
                self.end_line();
                let leading = self.comments.leading(span.start);
                self.comment_lines(leading);
                self.open_line();
            }
            let least = op.map_or(level::LOOSE, |op| op.precedence() + u8::from(i > 0));
            self.operand(part, least, op.is_none() || i == last);
            let inside = self.comments.inside(span);
            self.trail(inside);
            if i < last {
                self.write(separator);
                let trailing = self.comments.trailing(span.end);
                self.trail(trailing);
            }
        }
        self.indent -= 1;
    }

    fn comma_parts(&self, e: ExprId) -> Vec<ExprId> {
        self.parts(e, |kind| if let ExprKind::Comma(a, b) = kind { Some((a, b)) } else { None })
    }

    fn operator_parts(&self, e: ExprId, op: BinaryOp) -> Vec<ExprId> {
        self.parts(e, |kind| match kind {
            ExprKind::Binary(o, a, b) if o == op => Some((a, b)),
            _ => None,
        })
    }

    /// Returns the operands of a left-associative chain.
    fn parts(&self, mut e: ExprId, split: impl Fn(ExprKind) -> Option<(ExprId, ExprId)>) -> Vec<ExprId> {
        let mut parts = Vec::new();
        while let Some((rest, last)) = split(self.tree.kind(e)) {
            parts.push(last);
            e = rest;
        }
        parts.push(e);
        parts.reverse();
        parts
    }

    /// Prints `e` where at least this level is expected. `tail` means that nothing follows which
    /// the body of a quantifier would absorb.
    fn operand(&mut self, e: ExprId, least: u8, tail: bool) {
        crate::grow(|| {
            let kind = self.tree.kind(e);
            let open = matches!(kind, ExprKind::Quantifier(..));
            if level(kind) < least || matches!(kind, ExprKind::Comma(..)) || open && !tail {
                self.write("(");
                self.kind(kind, true);
                self.write(")");
            } else {
                self.kind(kind, tail);
            }
        });
    }

    fn kind(&mut self, kind: ExprKind, tail: bool) {
        match kind {
            ExprKind::Int(n) => self.number(format_args!("{n}")),
            ExprKind::Wide(n) => self.number(format_args!("{n}")),
            ExprKind::Bool(b) => self.write(if b { "true" } else { "false" }),
            ExprKind::Float(x) => self.float(x),
            ExprKind::Text(s) => {
                self.write("\"");
                self.write(self.tree.text(s));
                self.write("\"");
            }
            ExprKind::Name(sym) => self.name(sym),
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Not => "!",
                };
                self.prefix(sign, operand, tail);
            }
            ExprKind::Step { up, prefix, target } => {
                let sign = if up { "++" } else { "--" };
                if prefix {
                    self.prefix(sign, target, tail);
                } else {
                    self.operand(target, level::POSTFIX, false);
                    self.write(sign);
                }
            }
            ExprKind::Binary(op, a, b) => {
                self.operand(a, op.precedence(), false);
                self.write(" ");
                self.write(op.text());
                self.write(" ");
                self.operand(b, op.precedence() + 1, tail);
            }
            ExprKind::Assign(op, a, b) => {
                self.operand(a, level::LOOSE + 1, false);
                self.write(" ");
                self.write(op.map_or("", BinaryOp::text));
                self.write("= ");
                self.operand(b, level::LOOSE, tail);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.operand(condition, level::LOOSE + 1, false);
                self.write(" ? ");
                self.expr(yes);
                self.write(" : ");
                self.operand(no, level::LOOSE, tail);
            }
            ExprKind::Index(array, index) => {
                self.operand(array, level::POSTFIX, false);
                self.write("[");
                self.expr(index);
                self.write("]");
            }
            ExprKind::Member(base, member) => {
                self.operand(base, level::POSTFIX, false);
                self.write(".");
                self.name(member.sym);
            }
            ExprKind::Call(callee, args) => {
                self.operand(callee, level::POSTFIX, false);
                self.arguments(args);
            }
            ExprKind::Quantifier(quantifier, name, ty, body) => {
                self.write(quantifier.text());
                self.write(" (");
                self.name(name.sym);
                self.write(" : ");
                self.ty(ty);
                self.write(") ");
                self.operand(body, level::LOOSE, tail);
            }
            ExprKind::Rate(e) => {
                self.operand(e, level::POSTFIX, false);
                self.write("'");
            }
            ExprKind::Deadlock => self.write("deadlock"),
            ExprKind::Comma(a, b) => {
                self.operand(a, level::LOOSE, true);
                self.write(", ");
                self.operand(b, level::LOOSE, true);
            }
            ExprKind::Braces(items) => {
                self.write("{");
                self.expr_list(self.tree.list(items));
                self.write("}");
            }
            ExprKind::Field(name, e) => {
                self.name(name.sym);
                self.write(": ");
                self.expr(e);
            }
            ExprKind::Dynamic(word, items) => self.dynamic(self.tree.text(word), self.tree.list(items)),
            // An error can't be parsed again; the mark shows its position.
            ExprKind::Wrong => self.write("?"),
        }
    }

    fn number(&mut self, n: std::fmt::Arguments<'_>) {
        // Writing to a string can't fail.
        let _ = self.out.write_fmt(n);
    }

    fn float(&mut self, x: f64) {
        if x.is_infinite() {
            // Only a literal that overflows is infinite.
            self.write("1e999");
        } else {
            self.number(format_args!("{x:?}"));
        }
    }

    /// Prints a prefix operator, with a blank if it would merge with the next symbol.
    fn prefix(&mut self, sign: &str, operand: ExprId, tail: bool) {
        self.write(sign);
        let melts = match self.tree.kind(operand) {
            ExprKind::Unary(UnaryOp::Minus, _) | ExprKind::Step { up: false, prefix: true, .. } => {
                sign.starts_with('-')
            }
            ExprKind::Int(n) => n < 0 && sign.starts_with('-'),
            ExprKind::Unary(UnaryOp::Plus, _) | ExprKind::Step { up: true, prefix: true, .. } => sign.starts_with('+'),
            _ => false,
        };
        if melts {
            self.write(" ");
        }
        self.operand(operand, level::UNARY, tail);
    }

    /// Prints `(e, e, …)`.
    pub(super) fn arguments(&mut self, args: List) {
        self.write("(");
        self.expr_list(self.tree.list(args));
        self.write(")");
    }

    /// Prints `e, e, …`.
    pub(super) fn expr_list(&mut self, items: &[ExprId]) {
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.write(", ");
            }
            self.expr(item);
        }
    }

    /// Prints `spawn T(args)`; the other keywords look like calls.
    fn dynamic(&mut self, word: &str, items: &[ExprId]) {
        self.write(word);
        let args = match items {
            [template, args @ ..] if word == "spawn" => {
                self.write(" ");
                self.expr(*template);
                args
            }
            all => all,
        };
        self.write("(");
        self.expr_list(args);
        self.write(")");
    }
}
