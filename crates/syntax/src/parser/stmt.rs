//! Parses statements.

use super::{Parsed, Parser};
use crate::problems::Reported;
use crate::{
    ast::{Decl, Stmt, StmtId, StmtKind},
    diagnostic::{Diagnostic, nearest},
    lexer::{Key, Token},
    names::word,
    source::Span,
};

impl Parser<'_> {
    pub(super) fn stmt(&mut self, kind: StmtKind, start: Span) -> StmtId {
        let span = self.since(start);
        self.tree.stmts.push(Stmt { kind, span });
        StmtId(self.tree.stmts.len() as u32 - 1)
    }

    /// Parses `{ declarations statements }`.
    pub(super) fn block(&mut self) -> Parsed<StmtId> {
        let open = self.expect("{")?;
        let mut decls: Vec<Decl> = Vec::new();
        let mut body = Vec::new();
        while !self.is("}") {
            if self.at_end() {
                return Err(self.fail(
                    Diagnostic::error("syntax", self.span(), "block is not closed, expected `}`")
                        .also(open, "the block starts here"),
                ));
            }
            if self.starts_extern() {
                let at = self.span();
                self.report(
                    Diagnostic::error("syntax", at, "a function can't declare an `extern`")
                        .help("declare it beside the variables of the model or template"),
                );
                self.recover(|_| false);
                continue;
            }
            if self.starts_declaration() {
                let (at, before) = (self.span(), self.at);
                if !body.is_empty() {
                    self.report(
                        Diagnostic::error("syntax", at, "declaration after a statement")
                            .help("in UPPAAL's language all declarations come first in a block"),
                    );
                }
                let is_typedef = self.is_key(Key::Typedef);
                let result = if is_typedef { self.typedef(&mut decls) } else { self.variables(&mut decls) };
                if result.is_err() {
                    self.suggest_keyword(before);
                    self.recover(|_| false);
                    self.mark_lost(before);
                }
                continue;
            }
            let before = self.at;
            match self.statement() {
                Ok(s) => body.push(s),
                Err(Reported) => {
                    // `whlie(c) {` and `retrun 1;` begin as expressions do.
                    if matches!(
                        self.tokens[before + 1..].first().map(|l| l.token),
                        Some(Token::Sym("(") | Token::Int(_))
                    ) {
                        self.suggest_keyword(before);
                    }
                    self.recover(|t| matches!(t, Token::Key(Key::If | Key::For | Key::While | Key::Do | Key::Return)))
                }
            }
        }
        self.expect("}")?;
        Ok(self.stmt(StmtKind::Block(decls, body), open))
    }

    /// Suggests a keyword for the first word of a statement such as `retrun n * 2`, which looks
    /// like a declaration of `n`.
    fn suggest_keyword(&mut self, at: usize) {
        let Token::Name(sym) = self.tokens[at].token else { return };
        let near = nearest(self.tree.text(sym), ["return", "while", "for", "if", "else", "int", "bool", "const"]);
        if let (Some(near), Some(d), false) = (near, self.diagnostics.last_mut(), self.gave_up) {
            d.help.push(format!("did you mean `{near}` at the start?"));
        }
    }

    fn statement(&mut self) -> Parsed<StmtId> {
        self.nested(Parser::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        match self.peek() {
            Token::Sym("{") => self.block(),
            Token::Sym(";") => {
                self.advance();
                Ok(self.stmt(StmtKind::Empty, start))
            }
            Token::Key(Key::If) => {
                self.advance();
                self.expect("(")?;
                let condition = self.comma_expression()?;
                self.expect(")")?;
                let yes = self.statement()?;
                let no = if self.eat_key(Key::Else) { Some(self.statement()?) } else { None };
                Ok(self.stmt(StmtKind::If(condition, yes, no), start))
            }
            Token::Key(Key::While) => {
                self.advance();
                self.expect("(")?;
                let condition = self.comma_expression()?;
                self.expect(")")?;
                let body = self.statement()?;
                Ok(self.stmt(StmtKind::While(condition, body), start))
            }
            Token::Key(Key::Do) => {
                self.advance();
                let body = self.statement()?;
                if !self.eat_key(Key::While) {
                    return Err(self.unexpected("`while`"));
                }
                self.expect("(")?;
                let condition = self.comma_expression()?;
                self.expect(")")?;
                self.expect(";")?;
                Ok(self.stmt(StmtKind::DoWhile(body, condition), start))
            }
            Token::Key(Key::For) => self.for_statement(),
            Token::Key(Key::Return) => {
                self.advance();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                Ok(self.stmt(StmtKind::Return(value), start))
            }
            Token::Name(word::ASSERT)
                if !matches!(self.peek_at(1), Token::Sym("=" | ":=" | "[" | "." | "++" | "--")) =>
            {
                self.advance();
                let condition = self.expression()?;
                self.expect(";")?;
                Ok(self.stmt(StmtKind::Assert(condition), start))
            }
            Token::Name(w @ (word::SWITCH | word::BREAK | word::CONTINUE)) if self.is_foreign_statement() => {
                let text = self.tree.text(w).to_owned();
                Err(self.fail(
                    Diagnostic::error("syntax", start, format!("UPPAAL's language has no `{text}`"))
                        .help("use `if`, a flag in the loop's condition, or `return` in a separate function"),
                ))
            }
            _ => {
                let e = self.expression()?;
                self.expect(";")?;
                Ok(self.stmt(StmtKind::Expr(e), start))
            }
        }
    }

    fn is_foreign_statement(&self) -> bool {
        matches!(self.peek_at(1), Token::Sym(";" | "("))
    }

    fn for_statement(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        self.expect("(")?;
        if self.is_name_at(0) && self.is_at(1, ":") {
            let binding = self.binding()?;
            self.expect(")")?;
            let body = self.statement()?;
            return Ok(self.stmt(StmtKind::Iterate(binding, body), start));
        }
        if self.starts_declaration() {
            let at = self.span();
            return Err(self.fail(
                Diagnostic::error("syntax", at, "a `for` loop can't declare its variable")
                    .help("declare it at the start of the block, or iterate over a type: `for (i : int[0,3])`"),
            ));
        }
        let init = self.comma_expression()?;
        self.expect(";")?;
        let condition = self.comma_expression()?;
        self.expect(";")?;
        let step = self.comma_expression()?;
        self.expect(")")?;
        let body = self.statement()?;
        Ok(self.stmt(StmtKind::For(init, condition, step, body), start))
    }
}
