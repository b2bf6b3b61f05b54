//! Names and types, by the rules of UPPAAL's own checker.
//!
//! Checking traverses the tree once and adds *columns* to it: the type of every expression, the
//! meaning of every name. Templates are checked once, not once for each instance; sizes and ranges
//! that depend on parameters are left to lowering, which knows their values.

mod abstraction;
mod access;
mod call;
mod decl;
mod event;
mod expr;
mod federation;
mod hint;
mod initialiser;
mod lattice;
mod number;
mod operator;
mod order;
mod place;
mod query;
mod statistics;
mod stmt;
mod system;
mod template;
mod type_expr;

use ::lattice::{Delay, Library};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{
    Diagnostic, Span, Sym, Tree,
    ast::{ExprId, ExprKind, List, Name, TypeId},
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

/// The interface of a function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionInfo {
    /// Its symbol.
    pub(crate) symbol: SymbolId,
    /// Its declaration.
    pub(crate) decl: FunctionDecl,
    /// Its parameters.
    pub(crate) params: Vec<SymbolId>,
    /// Whether it changes anything but its own variables and its reference parameters.
    pub(crate) writes: bool,
    /// The first symbol that it reads and that is not constant, if there is one.
    pub(crate) reads: Option<SymbolId>,
    /// The functions that it calls.
    pub(crate) calls: Vec<SymbolId>,
}

/// The declaration of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionDecl {
    /// A global declaration.
    Global(usize),
    /// A declaration of a template.
    Template(u32, usize),
    /// A declaration of the system section.
    System(usize),
    /// A declaration of a library.
    External,
}

/// An instance `name(params) = of(args)`.
#[derive(Clone, Debug)]
pub(crate) struct InstanceInfo {
    /// Its own parameters.
    pub(crate) params: Vec<SymbolId>,
    /// The template or instance that it instantiates.
    pub(crate) of: SymbolId,
    /// The arguments for the parameters of `of`.
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
    /// Its span in the system line.
    pub(crate) span: Span,
    /// Its priority.
    pub(crate) priority: i32,
}

/// The results of checking.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The symbols.
    pub(crate) symbols: Symbols,
    /// The types.
    pub(crate) types: Types,
    /// The type of each expression.
    tys: Vec<Ty>,
    /// The meaning of each name, by expression.
    names: Vec<Option<SymbolId>>,
    /// The names that are used outside of expressions: in types, instances and the system line.
    pub(crate) uses: Vec<(Span, SymbolId)>,
    /// The type of each type expression.
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
    /// The labels of locations.
    pub(crate) labels: FxHashSet<Sym>,
    /// The lattices that `extern` declares.
    pub(crate) externs: Vec<ExternInfo>,
    /// The methods of lattices, by call.
    methods: FxHashMap<ExprId, u32>,
    /// The calls of methods of the user that may change the element.
    pub(crate) changing: FxHashSet<ExprId>,
    /// The lattice and the method behind each expression that reads a number of an element.
    numbers: FxHashMap<ExprId, (u32, u32)>,
    /// The members of variables.
    pub(crate) members: FxHashMap<SymbolId, Vec<SymbolId>>,
    /// The types of opaal's federations, one for each variable.
    federations: FxHashSet<Ty>,
    /// The intersections of federations that act as guards.
    pub(crate) intersections: FxHashSet<ExprId>,
    /// The initialisers of constants.
    constants: FxHashMap<SymbolId, ExprId>,
    /// The number of scalar sets; queries add their own.
    scalars: u32,
}

impl Checked {
    /// Returns the type of an expression.
    #[must_use]
    pub(crate) fn ty(&self, e: ExprId) -> Ty {
        self.tys.get(e.0 as usize).copied().unwrap_or(Types::WRONG)
    }

    /// Returns the symbol of the name `e`.
    #[must_use]
    pub(crate) fn name(&self, e: ExprId) -> Option<SymbolId> {
        self.names.get(e.0 as usize).copied().flatten()
    }

    /// Returns the method of a lattice that a call refers to.
    #[must_use]
    pub(crate) fn method(&self, call: ExprId) -> Option<u32> {
        self.methods.get(&call).copied()
    }

    /// Returns the variable of a member, and the member's number there.
    #[must_use]
    pub(crate) fn member(&self, id: SymbolId) -> Option<(SymbolId, u32)> {
        let ty = self.types.base(self.symbols.get(id).ty);
        let TyKind::Abstract(AbstractSource::Members(of, _)) = *self.types.kind(ty) else { return None };
        let number = self.members.get(&of)?.iter().position(|member| *member == id)?;
        Some((of, number as u32))
    }

    /// Returns whether elements of a type have clocks.
    #[must_use]
    pub(crate) fn has_clocks(&self, ty: Ty) -> bool {
        let TyKind::Lattice(number, ..) = self.types.kind(ty) else { return false };
        let lattice = self.externs.get(*number as usize);
        matches!(lattice, Some(ExternInfo::Library(lattice)) if lattice.kind.has_clocks())
    }

    /// Returns the method by which time passes for elements of a type.
    #[must_use]
    pub(crate) fn delay(&self, ty: Ty) -> Option<Delay> {
        let TyKind::Lattice(number, ..) = self.types.kind(ty) else { return None };
        match self.externs.get(*number as usize)? {
            ExternInfo::Library(lattice) => lattice.prototype.delay(),
            ExternInfo::Model(_) => None,
        }
    }

    /// Returns whether an expression calls the method by which time passes for an element.
    #[must_use]
    pub(crate) fn is_delay(&self, tree: &Tree, e: ExprId) -> bool {
        let (Some(number), ExprKind::Call(callee, _)) = (self.method(e), tree.kind(e)) else { return false };
        let ExprKind::Member(of, _) = tree.kind(callee) else { return false };
        let TyKind::Lattice(lattice, ..) = self.types.kind(self.ty(of)) else { return false };
        match self.externs.get(*lattice as usize) {
            Some(ExternInfo::Library(lattice)) => {
                let method = lattice.prototype.changing(number as usize);
                method.is_some() && method == lattice.prototype.delay().map(|delay| delay.method)
            }
            _ => false,
        }
    }

    /// Returns the origin of the abstract integers of a type.
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

    /// Returns the type of a type expression.
    #[must_use]
    pub(crate) fn type_expr(&self, t: TypeId) -> Ty {
        self.type_exprs.get(t.0 as usize).copied().flatten().unwrap_or(Types::WRONG)
    }
}

/// Checks a whole model, or the part of one that could be parsed: names that may be declared in the
/// rest are not reported as unknown.
#[must_use]
pub fn check(tree: &Tree) -> (Checked, Vec<Diagnostic>) {
    check_with(tree, &Library::standard())
}

/// Checks a model that may name these lattices.
#[must_use]
pub fn check_with(tree: &Tree, library: &Library) -> (Checked, Vec<Diagnostic>) {
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
    /// The processes that queries can name, once they are instantiated.
    processes: &'a [Process],
    /// The name of the condition that is being checked, in which `=` is an error.
    condition: Option<&'static str>,
    /// Whether abstract integers may be compared here.
    may: bool,
    /// The lattices that may be named; empty for queries.
    library: Library,
    /// Whether a comparison in reverse order was warned of.
    has_warned: bool,
    /// Unknown names that were reported, once for each template.
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
            has_warned: false,
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

    /// Returns whether the signal was raised.
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

    /// Declares a name in the innermost scope; reports an error if the scope has it.
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

    /// Declares the predeclared names in their own scope, so that models may redeclare them.
    fn predeclare(&mut self) {
        self.out.symbols.open();
        if self.tree.old || self.tree.is_tchecker() {
            return;
        }
        let mut add = |name: &str, kind: SymbolKind, ty: Ty| {
            // Only names that the model uses are interned.
            if let Some(name) = self.tree.names.find(name) {
                self.out.symbols.declare(Symbol { name, span: Span::NONE, kind, ty, template: None });
            }
        };
        for &(name, value) in builtin::INTEGERS {
            add(name, SymbolKind::Predeclared(value), Types::INT);
        }
        for (name, _) in builtin::DOUBLES {
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
