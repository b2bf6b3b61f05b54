//! Parses expressions, with UTAP's precedence.

use super::{Parsed, Parser};
use crate::{
    ast::{BinaryOp, ExprId, ExprKind, Quantifier, UnaryOp},
    lexer::{Dialect, Key, Token},
    names::word,
    source::Span,
};

impl Parser<'_> {
    /// Parses `e, e, …` as one expression.
    pub(crate) fn comma_expression(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut e = self.expression()?;
        while self.eat(",") {
            let right = self.expression()?;
            let span = self.since(start);
            e = self.expr(ExprKind::Comma(e, right), span)?;
        }
        Ok(e)
    }

    /// Parses an expression without a comma at the top level.
    pub(crate) fn expression(&mut self) -> Parsed<ExprId> {
        self.nested(Parser::assignment)
    }

    // The span of an expression begins with its first token and ends with its last one. Those of
    // its operands would not do: the parentheses around them belong to it, not to them.
    fn assignment(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let left = self.binary(1)?;
        let left = if self.is("?") && !self.is_sync_mark() { self.conditional(start, left)? } else { left };
        let op = match self.peek() {
            Token::Sym("=" | ":=") => None,
            Token::Sym(symbol) => match BinaryOp::of_assignment(symbol) {
                None => return Ok(left),
                op => op,
            },
            _ => return Ok(left),
        };
        self.advance();
        let right = self.nested(Parser::assignment)?;
        let span = self.since(start);
        self.expr(ExprKind::Assign(op, left, right), span)
    }

    /// Returns whether this `?` ends a synchronisation and is not a conditional.
    fn is_sync_mark(&self) -> bool {
        matches!(self.peek_at(1), Token::End | Token::Sym(";"))
    }

    fn conditional(&mut self, start: Span, condition: ExprId) -> Parsed<ExprId> {
        self.expect("?")?;
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.nested(Parser::assignment)?;
        let span = self.since(start);
        self.expr(ExprKind::Conditional(condition, yes, no), span)
    }

    fn binary_op(&self) -> Option<BinaryOp> {
        use BinaryOp::*;
        Some(match self.peek() {
            Token::Key(Key::Imply) => Imply,
            Token::Key(Key::Or) => Or,
            Token::Name(word::XOR) if self.dialect != Dialect::Old => Xor,
            Token::Key(Key::And) => And,
            Token::Sym(symbol) => return BinaryOp::of_symbol(symbol),
            _ => return None,
        })
    }

    /// Parses operators of at least this precedence, all of them left-associative.
    pub(super) fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let start = self.span();
        let mut left = self.unary()?;
        while let Some(op) = self.binary_op() {
            if op.precedence() < least {
                break;
            }
            self.advance();
            let right = self.binary(op.precedence() + 1)?;
            let span = self.since(start);
            left = self.expr(ExprKind::Binary(op, left, right), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let op = match self.peek() {
            Token::Sym("-") if self.peek_at(1) == Token::IntMinMagnitude => {
                self.advance();
                self.advance();
                let span = self.since(start);
                return self.expr(ExprKind::Int(i32::MIN), span);
            }
            Token::Sym("-") => UnaryOp::Minus,
            Token::Sym("+") => UnaryOp::Plus,
            Token::Sym("!") | Token::Key(Key::Not) => UnaryOp::Not,
            Token::Sym(s @ ("++" | "--")) => {
                self.advance();
                let target = self.nested(Parser::unary)?;
                let span = self.since(start);
                return self.expr(ExprKind::Step { up: s == "++", prefix: true, target }, span);
            }
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Parser::unary)?;
        let span = self.since(start);
        self.expr(ExprKind::Unary(op, operand), span)
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut e = self.primary()?;
        loop {
            let kind = match self.peek() {
                Token::Sym("[") => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect("]")?;
                    ExprKind::Index(e, index)
                }
                Token::Sym("(") => {
                    let args = self.arguments()?;
                    ExprKind::Call(e, args)
                }
                Token::Sym(".") => {
                    self.advance();
                    let member = self.member_name()?;
                    ExprKind::Member(e, member)
                }
                Token::Sym("'") => {
                    self.advance();
                    ExprKind::Rate(e)
                }
                Token::Sym(s @ ("++" | "--")) => {
                    self.advance();
                    ExprKind::Step { up: s == "++", prefix: false, target: e }
                }
                _ => return Ok(e),
            };
            let span = self.since(start);
            e = self.expr(kind, span)?;
        }
    }

    /// Parses the name after a dot, which may be any word: locations can have names such as those
    /// of statements.
    fn member_name(&mut self) -> Parsed<crate::ast::Name> {
        if let Token::Key(key) = self.peek() {
            let span = self.advance().span;
            return Ok(crate::ast::Name { sym: self.tree.names.intern(key.text()), span });
        }
        self.name("the name of a member")
    }

    /// Parses `(e, e, …)`.
    pub(super) fn arguments(&mut self) -> Parsed<crate::ast::List> {
        self.expect("(")?;
        let mut args = Vec::new();
        if !self.is(")") {
            loop {
                args.push(self.expression()?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(")")?;
        Ok(self.list(&args))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let span = self.span();
        let kind = match self.peek() {
            Token::Int(n) => ExprKind::Int(n),
            Token::IntMinMagnitude => ExprKind::Wide(1 << 31),
            Token::Wide(n) => ExprKind::Wide(n),
            Token::Float(x) => ExprKind::Float(x),
            Token::Text(s) => ExprKind::Text(s),
            Token::Key(Key::True) => ExprKind::Bool(true),
            Token::Key(Key::False) => ExprKind::Bool(false),
            Token::Key(Key::Deadlock) => ExprKind::Deadlock,
            Token::Key(Key::Forall) => return self.quantifier(Quantifier::Forall),
            Token::Key(Key::Exists) => return self.quantifier(Quantifier::Exists),
            Token::Name(word::SUM) if self.starts_quantifier() => return self.quantifier(Quantifier::Sum),
            Token::Name(word::FOREACH) if self.starts_quantifier() => return self.quantifier(Quantifier::Foreach),
            Token::Name(w @ word::SPAWN) if self.is_name_at(1) => {
                self.advance();
                let template = self.name("the name of a dynamic template")?;
                let callee = self.expr(ExprKind::Name(template.sym), template.span)?;
                let args = self.arguments()?;
                let mut items = vec![callee];
                items.extend_from_slice(self.tree.list(args));
                let items = self.list(&items);
                let span = self.since(span);
                return self.expr(ExprKind::Dynamic(w, items), span);
            }
            Token::Name(sym) => ExprKind::Name(sym),
            Token::Key(Key::Init) if self.is_init_function() => {
                ExprKind::Name(self.tree.names.intern(Key::Init.text()))
            }
            Token::Sym("(") => {
                self.advance();
                let e = self.expression()?;
                self.expect(")")?;
                return Ok(e);
            }
            Token::Sym("A[]" | "E<>" | "E[]" | "A<>") => return Err(self.nested_path()),
            Token::Sym("[]" | "<>") if self.dialect == Dialect::Query => return Err(self.nested_path()),
            _ => return Err(self.unexpected("an expression")),
        };
        self.advance();
        self.expr(kind, span)
    }

    /// Returns whether `word ( name :` starts here, which is a quantifier and not a call.
    fn starts_quantifier(&self) -> bool {
        self.is_at(1, "(") && self.is_name_at(2) && self.is_at(3, ":")
    }

    fn quantifier(&mut self, quantifier: Quantifier) -> Parsed<ExprId> {
        let start = self.advance().span;
        self.expect("(")?;
        let name = self.name("the name of a bound variable")?;
        self.expect(":")?;
        let ty = self.type_expression()?;
        self.expect(")")?;
        let body = self.nested(Parser::assignment)?;
        let span = self.since(start);
        self.expr(ExprKind::Quantifier(quantifier, name, ty, body), span)
    }
}
