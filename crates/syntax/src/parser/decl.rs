//! Parses declarations and types, and the sections of a model.

use super::{Parsed, Parser};
use crate::problems::Reported;
use crate::{
    ast::{
        Binding, Decl, Declarator, Dimension, ExprId, ExprKind, Extern, Function, Instantiation, Name, Prefix,
        PriorityItem, SystemLine, TypeExpr, TypeId, TypeKind,
    },
    diagnostic::Diagnostic,
    lexer::{Dialect, Key, Token},
    names::word,
    source::Span,
};

/// The section of declarations, which determines the legal kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// The global declarations of an XML file.
    Global,
    /// The declarations of a template.
    Local,
    /// A whole `.xta` file, or the system section of an XML file: processes and the system line
    /// too.
    System,
}

impl Parser<'_> {
    /// Parses all declarations of a section. In [`Section::System`], also the system line and what
    /// may follow it.
    pub(crate) fn section(&mut self, section: Section) {
        let mut decls = Vec::new();
        // Declarations before the last process are global, those after it belong to the system
        // section.
        let mut global = 0;
        // In a process of XTA, declarations follow the brace and precede locations and edges.
        let in_process = section == Section::Local && self.at > 0;
        loop {
            self.correct_declaration(in_process, section == Section::System);
            if self.at_end() || section == Section::Local && self.ends_local_declarations() {
                break;
            }
            match self.peek() {
                Token::Key(Key::System) if section == Section::System => {
                    self.system_line();
                    self.after_system_line();
                    break;
                }
                Token::Key(Key::Process) if section != Section::Local => {
                    let before = self.at;
                    if self.process().is_err() {
                        self.recover(|t| matches!(t, Token::Key(Key::Process | Key::System)));
                        // Further errors in the rest of a broken body would not help.
                        while !self.at_end() && !matches!(self.peek(), Token::Key(Key::Process | Key::System)) {
                            self.advance();
                        }
                        self.mark_lost(before);
                    }
                    global = decls.len();
                }
                _ => {
                    let before = self.at;
                    if self.declaration(section, &mut decls).is_err() {
                        self.recover(|t| matches!(t, Token::Key(Key::Process | Key::System | Key::Typedef)));
                        if self.at == before || self.is("}") {
                            self.advance();
                        }
                        self.mark_lost(before);
                    }
                }
            }
        }
        match section {
            Section::Global => self.tree.decls.extend(decls),
            Section::Local => {
                if let Some(template) = self.tree.templates.last_mut() {
                    template.decls.extend(decls);
                }
            }
            Section::System => {
                for (i, decl) in decls.into_iter().enumerate() {
                    if i < global && !matches!(decl, Decl::Instantiation(_)) {
                        self.tree.decls.push(decl);
                    } else {
                        self.tree.system_decls.push(decl);
                    }
                }
            }
        }
    }

    /// Returns whether the local declarations of a process end here.
    fn ends_local_declarations(&self) -> bool {
        match self.peek() {
            Token::Key(Key::State | Key::Commit | Key::Init | Key::Trans) | Token::Sym("}") => true,
            Token::Key(Key::Urgent) => self.is_name_at(1) && matches!(self.peek_at(2), Token::Sym("," | ";")),
            Token::Name(word::BRANCHPOINT) => self.is_name_at(1) && matches!(self.peek_at(2), Token::Sym("," | ";")),
            _ => false,
        }
    }

    fn declaration(&mut self, section: Section, out: &mut Vec<Decl>) -> Parsed<()> {
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

    /// Returns whether `extern name;` or `extern name = name` starts here. A type may have the name
    /// `extern`; then something else follows.
    pub(super) fn starts_extern(&self) -> bool {
        self.peek() == Token::Name(word::EXTERN)
            && self.is_name_at(1)
            && (self.is_at(2, ";")
                || self.is_at(2, "=") && self.is_name_at(3) && (self.is_at(4, "(") || self.is_at(4, ";")))
    }

    fn external(&mut self) -> Parsed<Extern> {
        let start = self.advance().span;
        let name = self.name("the name of a lattice")?;
        let of = if self.eat("=") { Some(self.name("the name of a lattice")?) } else { None };
        let args = if self.is("(") { self.arguments()? } else { self.list(&[]) };
        self.expect(";")?;
        Ok(Extern { name, of, args, span: self.since(start) })
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
            let name = self.name("a name")?;
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

    fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
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

    fn system_line(&mut self) {
        let start = self.advance().span;
        let mut line = SystemLine { processes: Vec::new(), span: None };
        let mut above = false;
        let result = (|| -> Parsed<()> {
            loop {
                let name = self.name("the name of a process")?;
                line.processes.push((name, above));
                above = self.is("<");
                if !self.eat("<") && !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
            Ok(())
        })();
        if result.is_err() {
            self.recover(|_| false);
        }
        line.span = Some(self.since(start));
        self.tree.system = line;
    }

    /// Parses `progress { … }`, `gantt { … }` and `query { … }`, and nothing else.
    fn after_system_line(&mut self) {
        while !self.at_end() {
            let result = match self.peek() {
                Token::Name(word::PROGRESS) if self.is_at(1, "{") => self.progress(),
                Token::Name(word::GANTT) if self.is_at(1, "{") => {
                    let first = self.at;
                    self.skip_block().map(|block| {
                        self.tree.ignored.push(("gantt charts", block));
                        let names = self.names_since(first);
                        self.tree.mentioned.extend(names);
                    })
                }
                Token::Name(word::QUERY) if self.is_at(1, "{") => {
                    self.skip_block().map(|block| self.tree.query_blocks.push(block))
                }
                _ => Err(self.unexpected("the end of the text")),
            };
            if result.is_err() {
                self.at = self.tokens.len() - 1;
            }
        }
    }

    fn progress(&mut self) -> Parsed<()> {
        self.advance();
        self.expect("{")?;
        while !self.is("}") {
            let first = self.expression()?;
            if self.eat(":") {
                let measure = self.expression()?;
                self.tree.progress.push((Some(first), measure));
            } else {
                self.tree.progress.push((None, first));
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        Ok(())
    }
}
