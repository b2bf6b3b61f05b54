//! Parses types, dimensions, parameters and bindings.

use super::{Parsed, Parser};
use crate::{
    ast::{Binding, Declarator, Dimension, ExprId, Name, Prefix, TypeExpr, TypeId, TypeKind},
    lexer::{Dialect, Key, Token},
    names::word,
};

impl Parser<'_> {
    /// Parses a type with its prefixes.
    pub(super) fn type_expression(&mut self) -> Parsed<TypeId> {
        self.nested(Parser::type_here)
    }

    fn type_here(&mut self) -> Parsed<TypeId> {
        let start = self.span();
        let mut prefix = Prefix::default();
        loop {
            self.correct_prefix();
            let word = match self.peek() {
                Token::Key(Key::Const) => &mut prefix.constant,
                Token::Key(Key::Meta) => &mut prefix.meta,
                Token::Key(Key::Urgent) => &mut prefix.urgent,
                Token::Key(Key::Broadcast) => &mut prefix.broadcast,
                Token::Name(word::HYBRID) if self.peek_at(1) == Token::Key(Key::Clock) => &mut prefix.hybrid,
                _ => break,
            };
            *word = true;
            self.advance();
        }
        let kind = match self.peek() {
            Token::Key(Key::Int) => {
                self.advance();
                // In an expression list, `int` is directly followed by its range, or has none.
                TypeKind::Int(if self.is("[") { Some(self.range()?) } else { None })
            }
            Token::Key(Key::Bool) => self.simple(TypeKind::Bool),
            Token::Key(Key::Clock) => self.simple(TypeKind::Clock),
            Token::Key(Key::Chan) => self.simple(TypeKind::Chan),
            Token::Key(Key::Void) => self.simple(TypeKind::Void),
            Token::Name(word::DOUBLE) => self.simple(TypeKind::Double),
            Token::Name(word::STRING) => self.simple(TypeKind::Text),
            Token::Key(Key::Scalar) => {
                self.advance();
                self.expect("[")?;
                let size = self.expression()?;
                self.expect("]")?;
                TypeKind::Scalar(size)
            }
            Token::Key(Key::Struct) => {
                self.advance();
                TypeKind::Struct(self.fields()?)
            }
            Token::Name(sym) => {
                let span = self.advance().span;
                if self.eat(".") {
                    let of = Name { sym, span };
                    TypeKind::Member(of, self.name("the keyword of a member")?)
                } else {
                    TypeKind::Named(sym)
                }
            }
            _ => return Err(self.unexpected("a type")),
        };
        let span = self.since(start);
        Ok(self.ty(TypeExpr { prefix, kind, span }))
    }

    fn simple(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    fn range(&mut self) -> Parsed<(ExprId, ExprId)> {
        self.expect("[")?;
        let low = self.expression()?;
        self.expect(",")?;
        let high = self.expression()?;
        self.expect("]")?;
        Ok((low, high))
    }

    fn fields(&mut self) -> Parsed<Vec<Declarator>> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.is("}") {
            let ty = self.type_expression()?;
            loop {
                let name = self.name("the name of a field")?;
                let dims = self.dimensions()?;
                fields.push(Declarator { ty, name, reference: false, dims, init: None });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        Ok(fields)
    }

    /// Parses `[n]` and `[type]`, any number of them.
    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut dims = Vec::new();
        while self.eat("[") {
            let is_type = matches!(
                self.peek(),
                Token::Key(
                    Key::Int | Key::Bool | Key::Scalar | Key::Const | Key::Meta | Key::Struct | Key::Clock | Key::Chan
                )
            );
            dims.push(if is_type {
                Dimension::Type(self.type_expression()?)
            } else {
                Dimension::Size(self.expression()?)
            });
            self.expect("]")?;
        }
        Ok(dims)
    }

    /// Parses `(type name, type &name[n], …)`.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Declarator>> {
        self.expect("(")?;
        let params = self.parameter_list()?;
        self.expect(")")?;
        Ok(params)
    }

    /// Parses the inside of a parameter list.
    pub(crate) fn parameter_list(&mut self) -> Parsed<Vec<Declarator>> {
        let mut params = Vec::new();
        if self.at_end() || self.is(")") {
            return Ok(params);
        }
        loop {
            if self.dialect == Dialect::Old {
                self.old_parameters(&mut params)?;
            } else {
                let ty = self.type_expression()?;
                let reference = self.eat("&");
                let name = self.name("the name of a parameter")?;
                let dims = self.dimensions()?;
                params.push(Declarator { ty, name, reference, dims, init: None });
            }
            if !(self.eat(",") || self.dialect == Dialect::Old && self.eat(";")) {
                return Ok(params);
            }
        }
    }

    /// Parses `clock x, y` or `const a, b` of the old language: all but constants are references.
    fn old_parameters(&mut self, params: &mut Vec<Declarator>) -> Parsed<()> {
        let constant = self.is_key(Key::Const) && self.is_name_at(1);
        let ty = if constant {
            let span = self.advance().span;
            let prefix = Prefix { constant: true, ..Prefix::default() };
            self.ty(TypeExpr { prefix, kind: TypeKind::Int(None), span })
        } else {
            self.type_expression()?
        };
        loop {
            self.eat("&");
            let name = self.name("the name of a parameter")?;
            let dims = self.dimensions()?;
            params.push(Declarator { ty, name, reference: !constant, dims, init: None });
            // After a comma the type stays the same, unless a type follows.
            if self.is(",") && self.is_name_at(1) && !self.is_name_at(2) {
                self.advance();
                continue;
            }
            return Ok(());
        }
    }

    /// Parses `name : type`.
    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let name = self.name("a name")?;
        self.expect(":")?;
        let ty = self.type_expression()?;
        Ok(Binding { name, ty })
    }

    /// Parses `a : T, b : U`, the text of a select label.
    pub(crate) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = Vec::new();
        loop {
            bindings.push(self.binding()?);
            if !self.eat(",") {
                return Ok(bindings);
            }
        }
    }
}
