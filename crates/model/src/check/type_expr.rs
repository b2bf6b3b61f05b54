//! Type expressions and dimensions.

use syntax::{
    Diagnostic, Span, Sym,
    ast::{Declarator, Dimension, ExprId, ExprKind, Name, TypeId, TypeKind},
};

use super::{Checker, hint::Wanted};
use crate::{
    symbols::SymbolKind,
    types::{Index, RangeBound, Ty, TyKind, Types},
};

impl Checker<'_> {
    /// Returns the type of a declarator that is not a field.
    pub(super) fn declarator_type(&mut self, d: &Declarator) -> Ty {
        let ty = self.dimensioned(d);
        if matches!(self.kind(self.out.types.base(ty)), TyKind::Text) && !self.out.types.is_constant(ty) {
            let span = self.tree.ty(d.ty).span;
            self.report(Diagnostic::error("type", span, "a string must be constant").help("write `const string`"));
        }
        ty
    }

    /// Returns the base type of a declarator with its dimensions.
    pub(super) fn dimensioned(&mut self, d: &Declarator) -> Ty {
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
    pub(super) fn type_name(&mut self, e: ExprId) -> Option<Ty> {
        let ExprKind::Name(sym) = self.tree.kind(e) else { return None };
        let id = self.out.symbols.find(sym)?;
        let symbol = self.symbol(id);
        if symbol.kind != SymbolKind::Type {
            return None;
        }
        self.out.uses.push((self.tree.span(e), id));
        Some(symbol.ty)
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

    pub(super) fn struct_type(&mut self, id: TypeId, fields: &[Declarator]) -> TyKind {
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
}
