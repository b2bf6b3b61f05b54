//! Lattices that functions of the model define: `extern Region = Lattice(Box, leq, join);`.

use syntax::{
    Diagnostic,
    ast::{ExprId, ExprKind, Extern, Name},
};

use super::{Checker, ExternInfo, hint::Wanted};
use crate::{
    symbols::SymbolKind,
    types::{Ty, TyKind, Types},
};

/// A lattice whose elements are structs of the model, with the numbers of its functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelLattice {
    /// The name that variables are declared with.
    pub(crate) name: Name,
    /// The struct type.
    pub(crate) ty: Ty,
    /// Tests whether an element is less than or equal to another.
    pub(crate) leq: u32,
    /// Computes the least upper bound of two elements.
    pub(crate) join: u32,
    /// Computes an upper bound of two elements such that every ascending sequence becomes stable.
    pub(crate) widen: Option<u32>,
}

/// The syntax of such a lattice.
const SIGNATURE: &str = "`Lattice(type, leq, join)` or `Lattice(type, leq, join, widen)`";

impl Checker<'_> {
    /// Returns the type of the elements of a lattice that the model defines.
    pub(super) fn model_lattice(&mut self, e: &Extern, of: Name, is_global: bool) -> Option<Ty> {
        if !is_global {
            let d = Diagnostic::error("extern", e.span, "a template can't define a lattice by functions");
            self.report(d.help("move it to the global declarations"));
            return None;
        }
        let args = self.tree.list(e.args);
        let (Some(&ty), Some(&leq), Some(&join), 3 | 4) = (args.first(), args.get(1), args.get(2), args.len()) else {
            self.report(
                Diagnostic::error(
                    "arguments",
                    e.span,
                    "a lattice of the model takes a type and two or three functions",
                )
                .label(format!("{} here", args.len()))
                .also(of.span, "made by functions of the model")
                .help(format!("write {SIGNATURE}")),
            );
            return None;
        };
        let ty = self.element_type(ty)?;
        let leq = self.order_function(leq, ty, Types::BOOL);
        let join = self.order_function(join, ty, ty);
        let widen = args.get(3).map(|&widen| self.order_function(widen, ty, ty));
        // All errors are reported before giving up.
        let (leq, join, widen) = (leq?, join?, widen.map_or(Some(None), |w| w.map(Some))?);
        self.out.externs.push(ExternInfo::Model(ModelLattice { name: e.name, ty, leq, join, widen }));
        let number = self.out.externs.len() as u32 - 1;
        let kind = self.kind(ty).clone();
        let own = self.out.types.add(kind);
        self.out.types.set_order(own, Some(number));
        Some(own)
    }

    /// Returns the struct type that an argument names.
    fn element_type(&mut self, e: ExprId) -> Option<Ty> {
        let span = self.tree.span(e);
        let found = match self.tree.kind(e) {
            ExprKind::Name(sym) => {
                let id = self.lookup(Name { sym, span }, Wanted::Type)?;
                let symbol = self.symbol(id);
                Some(symbol).filter(|s| s.kind == SymbolKind::Type).map(|s| s.ty)
            }
            _ => None,
        };
        match found {
            Some(ty) if matches!(self.kind(ty), TyKind::Struct(_)) => {
                if self.is_discrete(ty) {
                    return Some(ty);
                }
                self.error("type", span, "the elements of a lattice have integers and booleans, and nothing else");
            }
            Some(Types::WRONG) => {}
            _ => {
                self.report(
                    Diagnostic::error("type", span, "the elements of a lattice of the model are structs")
                        .help("name a type: `typedef struct { … } Box;`"),
                );
            }
        }
        None
    }

    fn is_discrete(&self, ty: Ty) -> bool {
        syntax::grow(|| match self.kind(ty) {
            TyKind::Struct(fields) => fields.iter().all(|(_, field)| self.is_discrete(*field)),
            TyKind::Array(_, element) => self.is_discrete(*element),
            TyKind::Int(_) | TyKind::Bool | TyKind::Scalar(..) | TyKind::Wrong => true,
            _ => false,
        })
    }

    /// Returns the function that an argument names, if it takes two elements and returns a given
    /// type.
    fn order_function(&mut self, e: ExprId, element: Ty, result: Ty) -> Option<u32> {
        let span = self.tree.span(e);
        let (symbol, f) = match self.tree.kind(e) {
            ExprKind::Name(sym) => {
                let id = self.lookup(Name { sym, span }, Wanted::Function)?;
                match self.symbol(id).kind {
                    SymbolKind::Function(f) => (self.symbol(id), f),
                    _ => return self.no_function(e),
                }
            }
            _ => return self.no_function(e),
        };
        let info = &self.out.functions[f as usize];
        let (params, writes, reads) = (info.params.clone(), info.writes, info.reads);
        let types = &self.out.types;
        let fits = |ty: Ty| types.equivalent(self.tree, ty, element) || ty == Types::WRONG;
        let gives = fits(symbol.ty) && result == element
            || types.is_integral(symbol.ty) && result == Types::BOOL
            || symbol.ty == Types::WRONG;
        let text = self.text(symbol.name);
        if params.len() != 2 || !params.iter().all(|p| fits(self.symbol(*p).ty)) || !gives {
            let (of, gives) = (self.describe(element), self.describe(result));
            let message = format!("`{text}` must take two of {of} and return {gives}");
            self.report(Diagnostic::error("type", span, message).also(symbol.span, "declared here"));
            return None;
        }
        if writes {
            let message = format!("`{text}` orders elements and can't change variables");
            self.report(Diagnostic::error("side-effect", span, message).also(symbol.span, "declared here"));
            return None;
        }
        if let Some(read) = reads {
            let read = self.symbol(read);
            let message = format!("`{text}` orders elements and can't depend on other variables");
            let why = format!("`{}` is not constant", self.text(read.name));
            self.report(Diagnostic::error("constant", span, message).also(read.span, why));
            return None;
        }
        Some(f)
    }

    fn no_function(&mut self, e: ExprId) -> Option<u32> {
        let d = Diagnostic::error("type", self.tree.span(e), "a lattice of the model needs a function here");
        self.report(d.help(format!("write {SIGNATURE}")));
        None
    }
}
