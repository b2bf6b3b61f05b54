//! Parses expressions and statements of TChecker, with the precedence of its grammar
//! (`program.yy`).
//!
//! They become expressions and statements of the same tree. Differences from UPPAAL's language: `!`
//! binds weaker than comparisons, `a < b <= c` is a conjunction, a conditional is
//! `(if c then a else b)`, and there is no `||`. This grammar accepts more than TChecker's in
//! places, such as `(a && b) && c`.

use super::{Parsed, Parser};
use crate::{
    ast::{
        BinaryOp, Decl, Declarator, Dimension, ExprId, ExprKind, Prefix, StmtId, StmtKind, TypeExpr, TypeKind, UnaryOp,
    },
    diagnostic::Diagnostic,
    lexer::{Key, Token},
    source::Span,
};

impl Parser<'_> {
    /// Parses a guard or invariant: a conjunction.
    pub(crate) fn conjunction(&mut self) -> Parsed<ExprId> {
        self.nested(|p| {
            let start = p.span();
            let mut left = p.negation()?;
            while p.eat("&&") {
                let right = p.negation()?;
                left = p.join(start, BinaryOp::And, left, right)?;
            }
            if p.is("||") {
                let span = p.span();
                return Err(p.fail(
                    Diagnostic::error("syntax", span, "TChecker's language has no `||`")
                        .help("write one edge for each case"),
                ));
            }
            Ok(left)
        })
    }

    /// Adds the operation on `left` and `right`, whose text began at `start`.
    fn join(&mut self, start: Span, op: BinaryOp, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        let span = self.since(start);
        self.expr(ExprKind::Binary(op, left, right), span)
    }

    /// Parses a negation: `!a == b` is `!(a == b)`.
    fn negation(&mut self) -> Parsed<ExprId> {
        if !self.is("!") {
            return self.comparison();
        }
        let start = self.advance().span;
        let operand = self.nested(Parser::negation)?;
        let span = self.since(start);
        self.expr(ExprKind::Unary(UnaryOp::Not, operand), span)
    }

    fn comparison_op(&self) -> Option<BinaryOp> {
        Some(match self.peek() {
            Token::Sym("==") => BinaryOp::Eq,
            Token::Sym("!=") => BinaryOp::Ne,
            Token::Sym("<") => BinaryOp::Lt,
            Token::Sym("<=") => BinaryOp::Le,
            Token::Sym(">=") => BinaryOp::Ge,
            Token::Sym(">") => BinaryOp::Gt,
            _ => return None,
        })
    }

    /// Parses `a`, `a == b` or `a < b < c`.
    fn comparison(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let left = self.sum()?;
        let Some(op) = self.comparison_op() else { return Ok(left) };
        self.advance();
        let second = self.span();
        let middle = self.sum()?;
        let first = self.join(start, op, left, middle)?;
        let Some(next) = self.comparison_op() else { return Ok(first) };
        if [op, next].iter().any(|op| !matches!(op, BinaryOp::Lt | BinaryOp::Le)) {
            let span = self.span();
            return Err(self.fail(
                Diagnostic::error("syntax", span, "only `<` and `<=` can be chained")
                    .help("join two comparisons with `&&`"),
            ));
        }
        self.advance();
        let right = self.sum()?;
        let second = self.join(second, next, middle, right)?;
        self.join(start, BinaryOp::And, first, second)
    }

    /// Parses an integer sum, or the sum or difference of a clock and an integer.
    fn sum(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut left = self.product()?;
        loop {
            let op = match self.peek() {
                Token::Sym("+") => BinaryOp::Add,
                Token::Sym("-") => BinaryOp::Sub,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.product()?;
            left = self.join(start, op, left, right)?;
        }
    }

    fn product(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut left = self.minus()?;
        loop {
            let op = match self.peek() {
                Token::Sym("*") => BinaryOp::Mul,
                Token::Sym("/") => BinaryOp::Div,
                Token::Sym("%") => BinaryOp::Mod,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.minus()?;
            left = self.join(start, op, left, right)?;
        }
    }

    fn minus(&mut self) -> Parsed<ExprId> {
        if !self.is("-") {
            return self.term();
        }
        let start = self.advance().span;
        if self.peek() == Token::IntMinMagnitude {
            self.advance();
            let span = self.since(start);
            return self.expr(ExprKind::Int(i32::MIN), span);
        }
        let operand = self.nested(Parser::minus)?;
        let span = self.since(start);
        self.expr(ExprKind::Unary(UnaryOp::Minus, operand), span)
    }

    fn term(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.peek() {
            Token::Int(n) => {
                self.advance();
                self.expr(ExprKind::Int(n), start)
            }
            Token::IntMinMagnitude => {
                self.advance();
                self.expr(ExprKind::Wide(1 << 31), start)
            }
            Token::Wide(n) => {
                self.advance();
                self.expr(ExprKind::Wide(n), start)
            }
            Token::Name(_) => self.variable(),
            Token::Sym("(") => {
                self.advance();
                let e = if self.eat_key(Key::If) { self.choice()? } else { self.conjunction()? };
                self.expect(")")?;
                Ok(e)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// Parses the text after the `if` of `(if c then a else b)`.
    fn choice(&mut self) -> Parsed<ExprId> {
        let start = self.last_span();
        let condition = self.conjunction()?;
        self.expect_key(Key::Then)?;
        let yes = self.nested(Parser::sum)?;
        self.expect_key(Key::Else)?;
        let no = self.nested(Parser::sum)?;
        let span = self.since(start);
        self.expr(ExprKind::Conditional(condition, yes, no), span)
    }

    fn expect_key(&mut self, key: Key) -> Parsed<()> {
        if self.eat_key(key) { Ok(()) } else { Err(self.unexpected(&format!("`{}`", key.text()))) }
    }

    /// Parses `x` or `x[i]`.
    fn variable(&mut self) -> Parsed<ExprId> {
        let name = self.name("a variable")?;
        let e = self.expr(ExprKind::Name(name.sym), name.span)?;
        if !self.eat("[") {
            return Ok(e);
        }
        let index = self.nested(Parser::sum)?;
        self.expect("]")?;
        let span = self.since(name.span);
        self.expr(ExprKind::Index(e, index), span)
    }

    /// Parses `s; s; …`, with an optional last semicolon.
    pub(crate) fn sequence(&mut self) -> Parsed<Vec<StmtId>> {
        let mut statements = Vec::new();
        loop {
            if self.is_key(Key::Local) {
                statements.push(self.nested(Parser::local)?);
                return Ok(statements);
            }
            statements.push(self.nested(Parser::step)?);
            if !self.eat(";") || self.ends_sequence() {
                return Ok(statements);
            }
        }
    }

    fn ends_sequence(&self) -> bool {
        matches!(self.peek(), Token::End | Token::Key(Key::End | Key::Else))
    }

    /// Parses `local x = e; …`: a block of the variable and the rest of the sequence, which is its
    /// scope.
    fn local(&mut self) -> Parsed<StmtId> {
        let start = self.advance().span;
        let name = self.name("the name of a variable")?;
        let low = self.expr(ExprKind::Int(i32::MIN), name.span)?;
        let high = self.expr(ExprKind::Int(i32::MAX), name.span)?;
        let kind = TypeKind::Int(Some((low, high)));
        let ty = self.ty(TypeExpr { prefix: Prefix::default(), kind, span: start });
        let (mut dims, mut init) = (Vec::new(), None);
        if self.eat("[") {
            let size = self.sum()?;
            self.expect("]")?;
            // A single element is not an array, as in declarations.
            if self.tree.kind(size) != ExprKind::Int(1) {
                dims.push(Dimension::Size(size));
            }
        } else if self.eat("=") {
            init = Some(self.sum()?);
        }
        let decl = Decl::Var(Declarator { ty, name, reference: false, dims, init });
        let rest = if self.eat(";") && !self.ends_sequence() { self.sequence()? } else { Vec::new() };
        Ok(self.stmt(StmtKind::Block(vec![decl], rest), start))
    }

    fn step(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        match self.peek() {
            Token::Key(Key::Nop) => {
                self.advance();
                Ok(self.stmt(StmtKind::Empty, start))
            }
            Token::Key(Key::If) => {
                self.advance();
                let condition = self.conjunction()?;
                self.expect_key(Key::Then)?;
                let yes = self.body()?;
                let no = if self.eat_key(Key::Else) { Some(self.body()?) } else { None };
                self.expect_key(Key::End)?;
                Ok(self.stmt(StmtKind::If(condition, yes, no), start))
            }
            Token::Key(Key::While) => {
                self.advance();
                let condition = self.conjunction()?;
                self.expect_key(Key::Do)?;
                let body = self.body()?;
                self.expect_key(Key::End)?;
                Ok(self.stmt(StmtKind::While(condition, body), start))
            }
            Token::Name(_) => {
                let target = self.variable()?;
                self.expect("=")?;
                let value = self.sum()?;
                let span = self.since(start);
                let e = self.expr(ExprKind::Assign(None, target, value), span)?;
                Ok(self.stmt(StmtKind::Expr(e), start))
            }
            _ => Err(self.unexpected("a statement")),
        }
    }

    fn body(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        let statements = self.sequence()?;
        Ok(self.stmt(StmtKind::Block(Vec::new(), statements), start))
    }
}
