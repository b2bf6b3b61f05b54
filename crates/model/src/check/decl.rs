//! Declarations and types.

use syntax::{
    Diagnostic, Span, Sym,
    ast::{Decl, Declarator, Dimension, ExprId, ExprKind, Function, List, Name, TypeId, TypeKind},
    nearest,
};

use super::{Body, Checker, FunctionDecl, FunctionInfo, hint::Wanted};
use crate::{
    symbols::{SymbolId, SymbolKind},
    types::{Index, RangeBound, Ty, TyKind, Types},
};

/// The list of declarations that is being checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Global,
    Template(u32),
    System,
}

impl Checker<'_> {
    pub(super) fn declarations(&mut self, decls: &[Decl], section: Section) {
        for (i, decl) in decls.iter().enumerate() {
            if self.is_over() {
                return;
            }
            match decl {
                Decl::Var(d) => {
                    self.variable(d, SymbolKind::Var);
                }
                Decl::Typedef(d) => self.typedef(d),
                Decl::Function(f) => {
                    let place = match section {
                        Section::Global => FunctionDecl::Global(i),
                        Section::Template(t) => FunctionDecl::Template(t, i),
                        Section::System => FunctionDecl::System(i),
                    };
                    self.function(f, place);
                }
                Decl::Import(_, functions, _) => {
                    for f in functions {
                        self.function(f, FunctionDecl::External);
                    }
                }
                Decl::Instantiation(inst) => self.instantiation(inst),
                Decl::ChanPriority(items, _) => {
                    for item in items {
                        if let Some(channel) = item.channel {
                            self.priority_item(channel);
                        }
                    }
                }
                Decl::BeforeUpdate(e) | Decl::AfterUpdate(e) => {
                    self.expr(*e);
                }
                Decl::Extern(e) => self.external(e, section == Section::Global || section == Section::System),
                Decl::Dynamic(name, ..) => {
                    self.declare(*name, SymbolKind::DynamicTemplate, Types::WRONG);
                }
            }
        }
    }

    fn priority_item(&mut self, channel: ExprId) {
        let mut ty = self.expr(channel);
        while let TyKind::Array(_, element) = self.kind(ty) {
            ty = *element;
        }
        if !matches!(self.kind(ty), TyKind::Chan { .. } | TyKind::Wrong) {
            let found = self.describe(ty);
            self.error("type", self.tree.span(channel), format!("only channels have priorities, this is {found}"));
        }
        if let ExprKind::Index(_, index) = self.tree.kind(channel) {
            self.require_computable(index, "the index of a channel with a priority");
        }
    }

    /// Returns the type of a declarator that is not a field.
    fn declarator_type(&mut self, d: &Declarator) -> Ty {
        let ty = self.dimensioned(d);
        if matches!(self.kind(self.out.types.base(ty)), TyKind::Text) && !self.out.types.is_constant(ty) {
            let span = self.tree.ty(d.ty).span;
            self.report(Diagnostic::error("type", span, "a string must be constant").help("write `const string`"));
        }
        ty
    }

    /// Returns the base type of a declarator with its dimensions.
    fn dimensioned(&mut self, d: &Declarator) -> Ty {
        let mut ty = self.type_of(d.ty);
        let indices: Vec<Index> = d.dims.iter().map(|dim| self.dimension(*dim)).collect();
        if let Some(own) = self.with_dimensions(ty, &indices) {
            return own;
        }
        for index in indices.into_iter().rev() {
            ty = self.out.types.add(TyKind::Array(index, ty));
        }
        ty
    }

    fn dimension(&mut self, dim: Dimension) -> Index {
        match dim {
            Dimension::Type(t) => {
                let index = self.type_of(t);
                self.check_index_type(index, self.tree.ty(t).span);
                Index::Type(index)
            }
            Dimension::Size(e) => match self.type_name(e) {
                Some(index) => {
                    self.check_index_type(index, self.tree.span(e));
                    Index::Type(index)
                }
                None => {
                    let size = self.expr(e);
                    if !self.out.types.is_integral(size) && size != Types::WRONG {
                        let found = self.describe(size);
                        let message = format!("the size of an array must be an integer, not {found}");
                        self.error("type", self.tree.span(e), message);
                    } else {
                        self.require_computable(e, "the size of an array");
                    }
                    Index::Size(e)
                }
            },
        }
    }

    /// Returns the type that `e` names, if it is the name of a type.
    fn type_name(&mut self, e: ExprId) -> Option<Ty> {
        let ExprKind::Name(sym) = self.tree.kind(e) else { return None };
        let id = self.out.symbols.find(sym)?;
        let symbol = self.symbol(id);
        (symbol.kind == SymbolKind::Type).then_some(symbol.ty)
    }

    fn check_index_type(&mut self, ty: Ty, span: Span) {
        match self.kind(ty) {
            TyKind::Int(Some(_)) | TyKind::Scalar(..) | TyKind::Wrong => {}
            _ => {
                let found = self.describe(ty);
                self.report(
                    Diagnostic::error("type", span, format!("an array can't be indexed by {found}"))
                        .help("use a bounded integer type, a scalar set or a number of elements"),
                );
            }
        }
    }

    /// Returns the type of a type expression, which is resolved once.
    pub(super) fn type_of(&mut self, id: TypeId) -> Ty {
        if let Some(ty) = self.out.type_exprs[id.0 as usize] {
            return ty;
        }
        let ty = syntax::grow(|| self.resolve_type(id));
        self.out.type_exprs[id.0 as usize] = Some(ty);
        ty
    }

    fn resolve_type(&mut self, id: TypeId) -> Ty {
        let expr = self.tree.ty(id);
        let (prefix, span) = (expr.prefix, expr.span);
        let mut order = None;
        let kind = match &expr.kind {
            TypeKind::Int(None) if prefix.constant => TyKind::Int(None),
            TypeKind::Int(None) => TyKind::Int(Some((RangeBound::Value(-32768), RangeBound::Value(32767)))),
            TypeKind::Int(Some((low, high))) => TyKind::Int(Some((self.bound(*low), self.bound(*high)))),
            TypeKind::Bool => TyKind::Bool,
            TypeKind::Clock => TyKind::Clock { hybrid: prefix.hybrid },
            TypeKind::Chan => TyKind::Chan { urgent: prefix.urgent, broadcast: prefix.broadcast },
            TypeKind::Void => TyKind::Void,
            TypeKind::Double => TyKind::Double,
            TypeKind::Text => TyKind::Text,
            TypeKind::Scalar(size) => {
                let ty = self.expr(*size);
                if !self.out.types.is_integer(ty) && ty != Types::WRONG {
                    self.error("type", self.tree.span(*size), "the size of a scalar set must be an integer");
                } else {
                    self.require_computable(*size, "the size of a scalar set");
                }
                self.out.scalars += 1;
                TyKind::Scalar(self.out.scalars, *size)
            }
            TypeKind::Struct(fields) => self.struct_type(id, fields),
            TypeKind::Named(sym) => {
                let Some(named) = self.named_type(*sym, span) else { return Types::WRONG };
                order = self.out.types.order(named);
                match self.kind(named).clone() {
                    TyKind::Chan { urgent, broadcast } => {
                        TyKind::Chan { urgent: urgent || prefix.urgent, broadcast: broadcast || prefix.broadcast }
                    }
                    _ if prefix == Default::default() => return named,
                    // Keeps a scalar set's identity: the number is part of the kind.
                    kind => kind,
                }
            }
            &TypeKind::Member(of, word) => match self.member_type(of, word) {
                Some(kind) => kind,
                None => return Types::WRONG,
            },
            TypeKind::Wrong => return Types::WRONG,
        };
        self.check_prefix(id, &kind);
        let ty = self.out.types.with_prefix(kind, prefix.constant, prefix.meta);
        self.out.types.set_order(ty, order);
        ty
    }

    /// Returns the type of the name that ends a type expression; reports an error if it has none.
    fn named_type(&mut self, sym: Sym, span: Span) -> Option<Ty> {
        let text = self.text(sym);
        // The name is last in the expression, after its prefixes.
        let start = span.end.saturating_sub(text.len() as u32);
        let name = Name { sym, span: Span { start, ..span } };
        if self.out.symbols.find(sym).is_none() && self.undeclared_lattice(name) {
            return None;
        }
        let symbol = self.lookup(name, Wanted::Type)?;
        let symbol = self.symbol(symbol);
        if symbol.kind != SymbolKind::Type {
            let d = Diagnostic::error("type", name.span, format!("`{text}` is not a type"))
                .also(symbol.span, "declared here");
            self.report(self.suggest(d, sym, Wanted::Type));
            return None;
        }
        Some(symbol.ty)
    }

    fn check_prefix(&mut self, id: TypeId, kind: &TyKind) {
        let expr = self.tree.ty(id);
        let (prefix, span) = (expr.prefix, expr.span);
        let is_channel = matches!(kind, TyKind::Chan { .. }) || matches!(kind, TyKind::Array(..) | TyKind::Wrong);
        if (prefix.urgent || prefix.broadcast) && !is_channel {
            let word = if prefix.urgent { "urgent" } else { "broadcast" };
            self.error("type", span, format!("only channels can be `{word}`"));
        }
        if (prefix.constant || prefix.meta) && matches!(kind, TyKind::Chan { .. } | TyKind::Clock { .. }) {
            let word = if prefix.constant { "const" } else { "meta" };
            self.error("type", span, format!("clocks and channels can't be `{word}`"));
        }
    }

    fn bound(&mut self, e: ExprId) -> RangeBound {
        let ty = self.expr(e);
        if ty != Types::WRONG {
            if !self.out.types.is_integer(ty) {
                let found = self.describe(ty);
                self.error("type", self.tree.span(e), format!("the bound of a range must be an integer, not {found}"));
            } else {
                self.require_computable(e, "the bound of a range");
            }
        }
        RangeBound::Expr(e)
    }

    fn struct_type(&mut self, id: TypeId, fields: &[Declarator]) -> TyKind {
        if fields.is_empty() {
            self.error("type", self.tree.ty(id).span, "a struct needs at least one field");
        }
        let mut list: Vec<(Sym, Ty)> = Vec::new();
        for field in fields {
            let ty = self.dimensioned(field);
            let base = self.out.types.base(ty);
            let span = field.name.span;
            let legal = matches!(
                self.kind(base),
                TyKind::Int(_)
                    | TyKind::Bool
                    | TyKind::Double
                    | TyKind::Clock { .. }
                    | TyKind::Scalar(..)
                    | TyKind::Struct(_)
            );
            if !legal && base != Types::WRONG {
                let found = self.describe(base);
                self.error("type", span, format!("a field of a struct can't be {found}"));
            } else if self.tree.ty(field.ty).prefix.constant {
                self.error("type", span, "a field of a struct can't be constant");
            }
            if list.iter().any(|(name, _)| *name == field.name.sym) {
                let text = self.text(field.name.sym);
                self.error("duplicate", span, format!("the struct has two fields `{text}`"));
            }
            list.push((field.name.sym, ty));
        }
        TyKind::Struct(list)
    }

    pub(super) fn typedef(&mut self, d: &Declarator) {
        self.refuse_member(d, "a type");
        let ty = self.declarator_type(d);
        self.declare(d.name, SymbolKind::Type, ty);
    }

    /// Checks and declares a variable of any kind.
    pub(super) fn variable(&mut self, d: &Declarator, kind: SymbolKind) -> SymbolId {
        let ty = self.declarator_type(d);
        let local = kind == SymbolKind::Local;
        if !self.lattice_variable(d, ty) {
            // Its errors have been reported.
        } else if let Some(init) = d.init {
            self.initialiser(init, ty);
            self.require_pure(init, "an initialiser");
            if !local && ty != Types::WRONG {
                self.require_computable(init, "an initialiser");
            }
        } else if self.out.types.is_constant(ty) {
            let text = self.text(d.name.sym);
            self.report(
                Diagnostic::error("constant", d.name.span, format!("the constant `{text}` has no value"))
                    .help(format!("write `{text} = …`")),
            );
        }
        let base = self.out.types.base(ty);
        let wrong = match self.kind(base) {
            TyKind::Void => true,
            TyKind::Chan { .. } | TyKind::Scalar(..) => local,
            _ => false,
        };
        if wrong {
            let found = self.describe(base);
            let whose = if local { "a variable of a function" } else { "a variable" };
            self.error("type", d.name.span, format!("{whose} can't be {found}"));
        }
        let id = self.declare(d.name, kind, ty);
        self.note_member(id, ty);
        if self.out.types.is_constant(ty) {
            self.out.constants.extend(d.init.map(|init| (id, init)));
        }
        id
    }

    /// Checks an initialiser against its type.
    fn initialiser(&mut self, init: ExprId, ty: Ty) {
        let ExprKind::Braces(items) = self.tree.kind(init) else {
            let from = self.expr(init);
            if from == Types::WRONG || ty == Types::WRONG {
                return;
            }
            let types = &self.out.types;
            let fits = match (self.abstract_fits(None, ty, from), types.kind(ty)) {
                (Some(fits), _) => fits,
                (None, TyKind::Clock { .. } | TyKind::Double) => {
                    types.is_integral(from) || matches!(types.kind(from), TyKind::Double)
                }
                (None, TyKind::Chan { .. } | TyKind::Scalar(..)) => false,
                _ => types.assignable(self.tree, ty, from),
            };
            if !fits {
                let (to, found) = (self.describe(ty), self.describe(from));
                self.error("type", self.tree.span(init), format!("can't initialise {to} with {found}"));
            }
            return;
        };
        match self.kind(ty).clone() {
            TyKind::Array(_, element) => {
                for &item in self.tree.list(items) {
                    let item = match self.tree.kind(item) {
                        ExprKind::Field(name, value) => {
                            self.error("initialiser", name.span, "the elements of an array have no names");
                            value
                        }
                        _ => item,
                    };
                    syntax::grow(|| self.initialiser(item, element));
                }
            }
            TyKind::Struct(fields) => self.struct_initialiser(init, items, &fields),
            TyKind::Wrong => {}
            _ => {
                let to = self.describe(ty);
                self.error("initialiser", self.tree.span(init), format!("a list can't initialise {to}"));
                // The values may have errors of their own.
                for &item in self.tree.list(items) {
                    if !matches!(self.tree.kind(item), ExprKind::Braces(_) | ExprKind::Field(..)) {
                        self.expr(item);
                    }
                }
            }
        }
        self.out.tys[init.0 as usize] = ty;
    }

    /// Checks the fields in order; a named item belongs to its field.
    fn struct_initialiser(&mut self, init: ExprId, items: List, fields: &[(Sym, Ty)]) {
        let mut filled = vec![false; fields.len()];
        let mut next = 0;
        for &item in self.tree.list(items) {
            let mut value = item;
            if let ExprKind::Field(name, inner) = self.tree.kind(item) {
                value = inner;
                match fields.iter().position(|(field, _)| *field == name.sym) {
                    Some(i) => next = i,
                    None => {
                        let text = self.text(name.sym);
                        let near = nearest(text, fields.iter().map(|(field, _)| self.tree.text(*field)));
                        let mut d = Diagnostic::error("unknown-name", name.span, format!("no field `{text}`"));
                        if let Some(near) = near {
                            d = d.help(format!("did you mean `{near}`?"));
                        }
                        self.report(d);
                        continue;
                    }
                }
            }
            let Some(&(field, ty)) = fields.get(next) else {
                self.error("initialiser", self.tree.span(item), "more values than the struct has fields");
                break;
            };
            if std::mem::replace(&mut filled[next], true) {
                let text = self.text(field);
                self.error("initialiser", self.tree.span(item), format!("field `{text}` has two values"));
            }
            syntax::grow(|| self.initialiser(value, ty));
            next += 1;
        }
        if let Some(missing) = filled.iter().position(|f| !f) {
            let text = self.text(fields[missing].0);
            self.error("initialiser", self.tree.span(init), format!("field `{text}` has no value"));
        }
    }

    fn function(&mut self, f: &Function, decl: FunctionDecl) {
        let result = self.type_of(f.result);
        self.check_result_type(f, result);
        let index = self.out.functions.len() as u32;
        let symbol = self.declare(f.name, SymbolKind::Function(index), result);
        self.out.symbols.open();
        let params: Vec<SymbolId> = f.params.iter().map(|p| self.parameter(p, true)).collect();
        self.out.functions.push(FunctionInfo { symbol, decl, params, writes: false, reads: None, calls: Vec::new() });
        if let Some(body) = f.body {
            let state = Body { result, name: f.name.sym, writes: false, reads: None, calls: Vec::new() };
            let outer = self.body.replace(state);
            self.block(body);
            if let Some(state) = std::mem::replace(&mut self.body, outer) {
                let info = &mut self.out.functions[index as usize];
                info.writes = state.writes;
                info.reads = state.reads;
                info.calls = state.calls;
            }
            let is_void = matches!(self.kind(result), TyKind::Void | TyKind::Wrong);
            if !is_void && !self.always_returns(body) {
                let text = self.text(f.name.sym);
                let end = self.tree.stmt(body).span.end;
                self.report(
                    Diagnostic::error("return", f.name.span, format!("`{text}` may end without returning a value"))
                        .also(Span { start: end - 1, end }, "the end is reached here")
                        .help("end it with `return`, or with `if … else …` where both parts return"),
                );
            }
        }
        self.out.symbols.close();
    }

    fn check_result_type(&mut self, f: &Function, result: Ty) {
        fn legal(checker: &Checker<'_>, ty: Ty) -> bool {
            match checker.kind(ty) {
                TyKind::Void | TyKind::Int(_) | TyKind::Bool | TyKind::Double | TyKind::Scalar(..) | TyKind::Wrong => {
                    true
                }
                TyKind::Struct(fields) => fields.iter().all(|(_, t)| legal(checker, *t)),
                // UPPAAL's documentation allows arrays; so do we.
                TyKind::Array(_, element) => legal(checker, *element),
                _ => false,
            }
        }
        let span = self.tree.ty(f.result).span;
        if !legal(self, result) {
            let found = self.describe(result);
            self.error("type", span, format!("a function can't return {found}"));
        } else if self.tree.ty(f.result).prefix != Default::default() {
            self.error("type", span, "the type of a result has no prefix");
        }
    }

    /// Checks and declares a parameter.
    pub(super) fn parameter(&mut self, p: &Declarator, of_function: bool) -> SymbolId {
        self.refuse_member(p, "a parameter");
        let mut ty = self.declarator_type(p);
        let reference = p.reference;
        let kind = if of_function { SymbolKind::FunctionParam { reference } } else { SymbolKind::Param { reference } };
        if matches!(self.kind(ty), TyKind::Void) {
            self.error("type", p.name.span, "a parameter can't be `void`");
        }
        if self.is_joint(ty) {
            let found = self.describe(ty);
            self.report(
                Diagnostic::error("type", p.name.span, format!("a parameter can't be {found}"))
                    .help("its members are declared beside it, so that all processes can use them"),
            );
            ty = Types::WRONG;
        } else if !of_function && !reference && matches!(self.kind(self.out.types.base(ty)), TyKind::Lattice(..)) {
            let found = self.describe(ty);
            self.report(
                Diagnostic::error("type", p.name.span, format!("a template can't have {found} as a value"))
                    .help(format!("pass it by reference: `&{}`", self.text(p.name.sym))),
            );
            ty = Types::WRONG;
        }
        self.declare(p.name, kind, ty)
    }
}
