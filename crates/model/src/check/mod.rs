//! Names and types: what UPPAAL's own checker accepts is accepted, for the same reasons.
//!
//! Checking walks the tree once and leaves *columns* beside it: the type of every expression, the
//! meaning of every name. Templates are checked once, not once for each instance; what depends on a
//! parameter's value (sizes, ranges) is left to lowering, which knows it.

mod abstraction;
mod access;
mod call;
mod decl;
mod event;
mod expr;
mod hint;
mod lattice;
mod operator;
mod order;
mod place;
mod query;
mod stmt;
mod system;
mod template;

use ::lattice::Library;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{
    Diagnostic, Span, Sym, Tree,
    ast::{ExprId, List, Name, TypeId},
};

use crate::{
    builtin,
    symbols::{Symbol, SymbolId, SymbolKind, Symbols},
    system::Process,
    types::{AbstractSource, RangeBound, Ty, TyKind, Types},
};

pub(crate) use self::lattice::ExternInfo;
pub(crate) use order::ModelLattice;
pub(crate) use query::{check_query, note_mentions};

/// A function, as its callers need to know it.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    /// Its symbol.
    pub(crate) symbol: SymbolId,
    /// Where its declaration is.
    pub(crate) decl: FunctionDecl,
    /// Its parameters.
    pub(crate) params: Vec<SymbolId>,
    /// Whether it changes anything but its own variables and its reference parameters.
    pub(crate) writes: bool,
    /// The first thing it reads that is not constant, if there is one.
    pub(crate) reads: Option<SymbolId>,
    /// The functions that it calls.
    pub(crate) calls: Vec<SymbolId>,
}

/// Where a function's declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionDecl {
    /// In the global declarations.
    Global(usize),
    /// In those of a template.
    Template(u32, usize),
    /// In the system section.
    System(usize),
    /// In a library.
    External,
}

/// `name(params) = of(args)`.
#[derive(Clone, Debug)]
pub(crate) struct InstanceInfo {
    /// Its own parameters.
    pub(crate) params: Vec<SymbolId>,
    /// The template or instance that it is made from.
    pub(crate) of: SymbolId,
    /// The arguments for that one's parameters.
    pub(crate) args: List,
}

/// A template's parameters and local names.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateInfo {
    /// Its parameters.
    pub(crate) params: Vec<SymbolId>,
    /// Its names: parameters, declarations, locations.
    pub(crate) scope: FxHashMap<Sym, SymbolId>,
}

/// An entry of the system line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessEntry {
    /// The template or instance.
    pub(crate) symbol: SymbolId,
    /// Its place in the system line.
    pub(crate) span: Span,
    /// Its priority.
    pub(crate) priority: i32,
}

/// What checking finds out.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The declared things.
    pub(crate) symbols: Symbols,
    /// The types.
    pub(crate) types: Types,
    /// The type of each expression.
    tys: Vec<Ty>,
    /// The meaning of each name, by expression.
    names: Vec<Option<SymbolId>>,
    /// The type that each type expression stands for.
    type_exprs: Vec<Option<Ty>>,
    /// The functions.
    pub(crate) functions: Vec<FunctionInfo>,
    /// The templates, as in the tree.
    pub(crate) templates: Vec<TemplateInfo>,
    /// The instances.
    pub(crate) instances: Vec<InstanceInfo>,
    /// The system line.
    pub(crate) processes: Vec<ProcessEntry>,
    /// Variables whose value is used somewhere.
    pub(crate) read: FxHashSet<SymbolId>,
    /// Variables that are changed somewhere.
    pub(crate) written: FxHashSet<SymbolId>,
    /// The labels that locations have.
    pub(crate) labels: FxHashSet<Sym>,
    /// The lattices that the model names.
    pub(crate) externs: Vec<ExternInfo>,
    /// The methods of lattices that are called, by the call.
    methods: FxHashMap<ExprId, u32>,
    /// The members of variables that have some.
    pub(crate) members: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// The values of constants, as expressions.
    constants: FxHashMap<SymbolId, ExprId>,
    /// How many scalar sets there are; those of queries are others than those of the model.
    scalars: u32,
}

impl Checked {
    /// Returns the type of an expression.
    #[must_use]
    pub(crate) fn ty(&self, e: ExprId) -> Ty {
        self.tys.get(e.0 as usize).copied().unwrap_or(Types::WRONG)
    }

    /// What the name `e` means.
    #[must_use]
    pub(crate) fn name(&self, e: ExprId) -> Option<SymbolId> {
        self.names.get(e.0 as usize).copied().flatten()
    }

    /// Returns the method of a lattice that a call calls.
    #[must_use]
    pub(crate) fn method(&self, call: ExprId) -> Option<u32> {
        self.methods.get(&call).copied()
    }

    /// Returns the variable that a member belongs to, and its number there.
    #[must_use]
    pub(crate) fn member(&self, id: SymbolId) -> Option<(SymbolId, u32)> {
        let TyKind::Abstract(AbstractSource::Members(of, _)) = *self.types.kind(self.symbols.get(id).ty) else {
            return None;
        };
        let number = self.members.get(&of)?.iter().position(|member| *member == id)?;
        Some((of, number as u32))
    }

    /// What the integers of a type belong to, if only elements are known of them.
    #[must_use]
    pub(crate) fn source(&self, ty: Ty) -> Option<AbstractSource> {
        match self.types.kind(ty) {
            TyKind::Abstract(source) => Some(*source),
            TyKind::Lattice(number, name, dims) if dims.is_empty() => match self.externs.get(*number as usize)? {
                ExternInfo::Library(lattice) if lattice.member.is_none() && lattice.prototype.numeric().is_some() => {
                    Some(AbstractSource::Elements(*number, *name))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the type that a type expression stands for.
    #[must_use]
    pub(crate) fn type_expr(&self, t: TypeId) -> Ty {
        self.type_exprs.get(t.0 as usize).copied().flatten().unwrap_or(Types::WRONG)
    }
}

/// Checks a whole model, or what could be read of one: names that may be declared in the rest are
/// not called unknown.
#[must_use]
pub fn check(tree: &Tree) -> (Checked, Vec<Diagnostic>) {
    check_with(tree, &Library::standard())
}

/// The same for a model that may name these lattices.
#[must_use]
pub(crate) fn check_with(tree: &Tree, library: &Library) -> (Checked, Vec<Diagnostic>) {
    let mut checker = Checker::new(tree, Checked::default());
    checker.library = library.clone();
    checker.predeclare();
    checker.model();
    checker.finish()
}

/// The function whose body is being checked.
struct Body {
    result: Ty,
    name: Sym,
    writes: bool,
    reads: Option<SymbolId>,
    calls: Vec<SymbolId>,
}

struct Checker<'a> {
    tree: &'a Tree,
    out: Checked,
    diagnostics: Vec<Diagnostic>,
    template: Option<u32>,
    body: Option<Body>,
    in_query: bool,
    /// The processes that queries can name, once they are made.
    processes: &'a [Process],
    /// What the condition that is being checked is called: it compares, and `=` in it is a slip.
    condition: Option<&'static str>,
    /// Whether integers that are not known may be compared here.
    may: bool,
    /// The lattices that may be named. Queries name none.
    library: Library,
    /// Unknown names that were reported, so that each is reported once in a template.
    unknown: FxHashSet<(Option<u32>, Sym)>,
    /// The first synchronisation with, and the first without, a direction.
    csp: Option<Span>,
    io: Option<Span>,
}

impl<'a> Checker<'a> {
    fn new(tree: &'a Tree, mut out: Checked) -> Checker<'a> {
        out.tys.resize(tree.exprs.len(), Types::WRONG);
        out.names.resize(tree.exprs.len(), None);
        out.type_exprs.resize(tree.types.len(), None);
        Checker {
            tree,
            out,
            diagnostics: Vec::new(),
            template: None,
            body: None,
            in_query: false,
            processes: &[],
            condition: None,
            may: false,
            library: Library::default(),
            unknown: FxHashSet::default(),
            csp: None,
            io: None,
        }
    }

    fn finish(self) -> (Checked, Vec<Diagnostic>) {
        (self.out, self.diagnostics)
    }

    fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    /// Returns whether somebody stops this.
    fn is_over(&self) -> bool {
        self.tree.signal.raised().is_some()
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn text(&self, sym: Sym) -> &'a str {
        self.tree.text(sym)
    }

    fn symbol(&self, id: SymbolId) -> Symbol {
        *self.out.symbols.get(id)
    }

    fn kind(&self, ty: Ty) -> &TyKind {
        self.out.types.kind(ty)
    }

    fn describe(&self, ty: Ty) -> String {
        self.out.types.describe(self.tree, ty)
    }

    /// Declares a name in the innermost scope and complains if the scope has it.
    fn declare(&mut self, name: Name, kind: SymbolKind, ty: Ty) -> SymbolId {
        let symbol = Symbol { name: name.sym, span: name.span, kind, ty, template: self.template };
        let (id, before) = self.out.symbols.declare(symbol);
        if let Some(before) = before {
            let first = self.symbol(before).span;
            let text = self.text(name.sym);
            self.report(
                Diagnostic::error("duplicate", name.span, format!("`{text}` is declared twice"))
                    .label("declared again here")
                    .also(first, "first declared here"),
            );
        }
        id
    }

    /// Makes the predeclared names known, in a scope of their own: models may declare them anew.
    fn predeclare(&mut self) {
        self.out.symbols.open();
        if self.tree.old || self.tree.is_tchecker() {
            return;
        }
        let mut add = |name: &str, kind: SymbolKind, ty: Ty| {
            // Only names that the model uses have a number.
            if let Some(name) = self.tree.names.find(name) {
                self.out.symbols.declare(Symbol { name, span: Span::NONE, kind, ty, template: None });
            }
        };
        for &(name, value) in builtin::INTEGERS {
            add(name, SymbolKind::Predeclared(value), Types::INT);
        }
        for name in builtin::DOUBLES {
            add(name, SymbolKind::PredeclaredDouble, Types::DOUBLE);
        }
        for &(name, low, high) in builtin::TYPES {
            let range = Some((RangeBound::Value(low), RangeBound::Value(high)));
            let ty = self.out.types.add(TyKind::Int(range));
            if let Some(name) = self.tree.names.find(name) {
                let symbol = Symbol { name, span: Span::NONE, kind: SymbolKind::Type, ty, template: None };
                self.out.symbols.declare(symbol);
            }
        }
    }
}
