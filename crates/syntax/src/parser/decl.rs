//! Parses declarations.

use super::{Parsed, Parser, section::Section};
use crate::{
    ast::{
        Decl, Declarator, ExprId, ExprKind, Extern, Function, Instantiation, Name, Prefix, PriorityItem, TypeExpr,
        TypeId, TypeKind,
    },
    diagnostic::Diagnostic,
    lexer::{Dialect, Key, Token},
    names::word,
    problems::Reported,
    source::Span,
};

impl Parser<'_> {
    pub(super) fn declaration(&mut self, section: Section, out: &mut Vec<Decl>) -> Parsed<()> {
        let start = self.span();
        match self.peek() {
            Token::Key(Key::Typedef) => self.typedef(out),
            Token::Key(Key::BeforeUpdate) => {
                let e = self.braced_expression()?;
                out.push(Decl::BeforeUpdate(e));
                Ok(())
            }
            Token::Key(Key::AfterUpdate) => {
                let e = self.braced_expression()?;
                out.push(Decl::AfterUpdate(e));
                Ok(())
            }
            Token::Key(Key::Chan) if self.starts_priorities() => self.priorities(out),
            Token::Name(word::IMPORT) if matches!(self.peek_at(1), Token::Text(_)) => self.import(out),
            Token::Name(word::DYNAMIC) if self.is_name_at(1) && self.is_at(2, "(") => {
                self.advance();
                let name = self.name("the name of a dynamic template")?;
                let params = self.parameters()?;
                self.expect(";")?;
                out.push(Decl::Dynamic(name, params, self.since(start)));
                Ok(())
            }
            Token::Name(word::EXTERN) if self.starts_extern() => {
                let external = self.external()?;
                out.push(Decl::Extern(external));
                Ok(())
            }
            Token::Name(word::IO) if self.is_name_at(1) => {
                self.recover(|_| false);
                self.tree.ignored.push(("IO declarations", self.since(start)));
                Ok(())
            }
            Token::Key(Key::System) => Err(self.fail(
                Diagnostic::error("syntax", start, "the system line does not belong here")
                    .help("put it into the system section"),
            )),
            Token::Sym(";") => {
                // UTAP rejects a stray semicolon, too.
                Err(self.fail(
                    Diagnostic::error("syntax", start, "unexpected `;`, expected a declaration").help("remove the `;`"),
                ))
            }
            _ if self.starts_declaration() => self.variables(out),
            Token::Name(_) if self.starts_instantiation() => {
                if section == Section::Local {
                    return Err(self.fail(Diagnostic::error("syntax", start, "a template can't instantiate others")));
                }
                let instantiation = self.instantiation()?;
                out.push(Decl::Instantiation(instantiation));
                Ok(())
            }
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn braced_expression(&mut self) -> Parsed<ExprId> {
        self.advance();
        self.expect("{")?;
        let e = self.comma_expression()?;
        self.expect("}")?;
        Ok(e)
    }

    /// Returns whether a declaration of variables or a function starts here.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.peek() {
            Token::Key(key) => matches!(
                key,
                Key::Const
                    | Key::Meta
                    | Key::Urgent
                    | Key::Broadcast
                    | Key::Int
                    | Key::Bool
                    | Key::Chan
                    | Key::Clock
                    | Key::Void
                    | Key::Scalar
                    | Key::Struct
                    | Key::Typedef
            ),
            Token::Name(word::HYBRID) => matches!(self.peek_at(1), Token::Key(Key::Clock)) || self.is_name_at(1),
            // `assert x > 0;` is a statement.
            Token::Name(word::ASSERT) => false,
            // In two consecutive names the first one is a type, except in `a xor b`.
            Token::Name(_) if self.is_at(1, ".") => self.is_name_at(2) && self.is_type_at(3),
            Token::Name(_) => self.is_type_at(1),
            _ => false,
        }
    }

    /// Returns whether a name other than the operator `xor` follows, so that a type precedes it.
    fn is_type_at(&self, ahead: usize) -> bool {
        self.is_name_at(ahead) && self.peek_at(ahead) != Token::Name(word::XOR)
    }

    /// Returns whether `extern name;` or `extern name = name` starts here, where the name of a
    /// lattice may have a path. A type may have the name `extern`; then something else follows.
    pub(super) fn starts_extern(&self) -> bool {
        let end = |ahead: usize| {
            let dots = (0..).take_while(|i| self.is_at(ahead + 2 * i + 1, ".") && self.is_name_at(ahead + 2 * i + 2));
            ahead + 2 * dots.count() + 1
        };
        self.peek() == Token::Name(word::EXTERN)
            && self.is_name_at(1)
            && (self.is_at(end(1), ";")
                || self.is_at(2, "=") && self.is_name_at(3) && (self.is_at(end(3), "(") || self.is_at(end(3), ";")))
    }

    fn external(&mut self) -> Parsed<Extern> {
        let start = self.advance().span;
        let (mut path, name) = self.path("the name of a lattice")?;
        let mut of = None;
        if path.is_empty() && self.eat("=") {
            let (of_path, of_name) = self.path("the name of a lattice")?;
            (path, of) = (of_path, Some(of_name));
        }
        let args = if self.is("(") { self.arguments()? } else { self.list(&[]) };
        self.expect(";")?;
        Ok(Extern { name, of, path, args, span: self.since(start) })
    }

    /// Parses `a.b.name`.
    fn path(&mut self, what: &str) -> Parsed<(Vec<Name>, Name)> {
        let (mut path, mut name) = (Vec::new(), self.name(what)?);
        while self.eat(".") {
            path.push(name);
            name = self.name(what)?;
        }
        Ok((path, name))
    }

    fn starts_instantiation(&self) -> bool {
        // `name =` or `name (… ) =`: where a declaration is expected, nothing else starts with a
        // name.
        self.is_at(1, "=") || self.is_at(1, ":=") || self.is_at(1, "(")
    }

    fn starts_priorities(&self) -> bool {
        self.peek_at(1) == Token::Name(word::PRIORITY)
            && matches!(self.peek_at(2), Token::Name(_) | Token::Key(Key::Default))
    }

    pub(super) fn typedef(&mut self, out: &mut Vec<Decl>) -> Parsed<()> {
        self.advance();
        let ty = self.type_expression()?;
        loop {
            let name = self.name("the name of a type")?;
            let dims = self.dimensions()?;
            out.push(Decl::Typedef(Declarator { ty, name, reference: false, dims, init: None }));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    /// Parses `type a, b[2] = …;`, or a function.
    pub(super) fn variables(&mut self, out: &mut Vec<Decl>) -> Parsed<()> {
        let start = self.span();
        if self.dialect == Dialect::Old && self.is_key(Key::Const) && !matches!(self.peek_at(1), Token::Key(_)) {
            return self.old_constants(out);
        }
        let ty = self.type_expression()?;
        if self.is_init_function() || self.is_name_at(0) && self.is_at(1, "(") {
            let function = self.function(ty, start)?;
            out.push(Decl::Function(function));
            return Ok(());
        }
        let mut found = Vec::new();
        loop {
            let name = self.declared_name()?;
            let dims = self.dimensions()?;
            let init = if self.eat("=") || self.eat(":=") { Some(self.initialiser()?) } else { None };
            found.push(Decl::Var(Declarator { ty, name, reference: false, dims, init }));
            if !self.eat(",") {
                break;
            }
        }
        if !self.is(";") && !self.at_end() && self.starts_declaration() {
            // The most frequent mistake: report it and continue as if the semicolon were there.
            let at = self.last_span().after();
            self.report(Diagnostic::error("syntax", at, "missing `;` after the declaration").label("expected `;`"));
        } else {
            self.expect(";")?;
        }
        // Only now, so that an incomplete declaration adds nothing.
        out.extend(found);
        Ok(())
    }

    /// Parses the name of a variable, or `dbm.x`: the name of a clock of opaal's federations, which
    /// is one name.
    fn declared_name(&mut self) -> Parsed<Name> {
        let name = self.name("a name")?;
        if !self.is(".") || !self.is_name_at(1) {
            return Ok(name);
        }
        self.advance();
        let field = self.name("the name of a clock")?;
        let text = format!("{}.{}", self.tree.text(name.sym), self.tree.text(field.sym));
        Ok(Name { sym: self.tree.names.intern(&text), span: self.since(name.span) })
    }

    /// Parses `const N 5, M 6;` of the old language.
    fn old_constants(&mut self, out: &mut Vec<Decl>) -> Parsed<()> {
        let span = self.advance().span;
        let prefix = Prefix { constant: true, ..Prefix::default() };
        let ty = self.ty(TypeExpr { prefix, kind: TypeKind::Int(None), span });
        loop {
            let name = self.name("the name of a constant")?;
            let dims = self.dimensions()?;
            if !self.eat("=") {
                self.eat(":=");
            }
            let init = Some(self.initialiser()?);
            out.push(Decl::Var(Declarator { ty, name, reference: false, dims, init }));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn function(&mut self, result: TypeId, start: Span) -> Parsed<Function> {
        let name = self.name("the name of a function")?;
        let params = self.parameters()?;
        let body = self.block()?;
        Ok(Function { result, name, params, body: Some(body), span: self.since(start) })
    }

    fn initialiser(&mut self) -> Parsed<ExprId> {
        if !self.is("{") {
            return self.expression();
        }
        self.nested(|p| {
            let start = p.advance().span;
            let mut items = Vec::new();
            loop {
                let at = p.span();
                let field = if p.is_name_at(0) && p.is_at(1, ":") {
                    let name = p.name("the name of a field")?;
                    p.advance();
                    Some(name)
                } else {
                    None
                };
                let mut item = p.initialiser()?;
                if let Some(name) = field {
                    let span = p.since(at);
                    item = p.expr(ExprKind::Field(name, item), span)?;
                }
                items.push(item);
                if !p.eat(",") {
                    break;
                }
            }
            p.expect("}")?;
            let list = p.list(&items);
            let span = p.since(start);
            p.expr(ExprKind::Braces(list), span)
        })
    }

    fn priorities(&mut self, out: &mut Vec<Decl>) -> Parsed<()> {
        let start = self.advance().span;
        self.advance();
        let mut items = Vec::new();
        let mut above = false;
        loop {
            let channel = if self.eat_key(Key::Default) { None } else { Some(self.channel_expression()?) };
            items.push(PriorityItem { channel, above });
            above = self.is("<");
            if !self.eat("<") && !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        out.push(Decl::ChanPriority(items, self.since(start)));
        Ok(())
    }

    /// Parses a channel or an element of a channel array; not a whole expression, because `<` is a
    /// separator here.
    fn channel_expression(&mut self) -> Parsed<ExprId> {
        let name = self.name("the name of a channel")?;
        let mut e = self.expr(ExprKind::Name(name.sym), name.span)?;
        while self.eat("[") {
            let index = self.expression()?;
            self.expect("]")?;
            let span = self.since(name.span);
            e = self.expr(ExprKind::Index(e, index), span)?;
        }
        Ok(e)
    }

    fn import(&mut self, out: &mut Vec<Decl>) -> Parsed<()> {
        let start = self.advance().span;
        let Token::Text(library) = self.advance().token else { return Err(Reported) };
        let mut functions = Vec::new();
        if self.eat("{") {
            while !self.is("}") {
                functions.push(self.external_function()?);
                self.expect(";")?;
            }
            self.expect("}")?;
        } else {
            functions.push(self.external_function()?);
        }
        self.expect(";")?;
        out.push(Decl::Import(library, functions, self.since(start)));
        Ok(())
    }

    /// Parses `type name(params)`, or `alias = type name(params)`.
    fn external_function(&mut self) -> Parsed<Function> {
        let start = self.span();
        if self.is_name_at(0) && self.is_at(1, "=") {
            self.advance();
            self.advance();
        }
        let result = self.type_expression()?;
        let name = self.name("the name of a function")?;
        let params = self.parameters()?;
        Ok(Function { result, name, params, body: None, span: self.since(start) })
    }

    fn instantiation(&mut self) -> Parsed<Instantiation> {
        let name = self.name("the name of a process")?;
        let has_params = self.is("(");
        let params = if has_params { self.parameters()? } else { Vec::new() };
        if !self.eat("=") && !self.eat(":=") {
            return Err(self.unexpected("`=`"));
        }
        let template = self.name("the name of a template")?;
        let args = self.arguments()?;
        self.expect(";")?;
        Ok(Instantiation { name, params, has_params, template, args, span: self.since(name.span) })
    }
}
