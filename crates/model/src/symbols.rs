//! Symbols: the meanings of names.

use rustc_hash::FxHashMap;
use syntax::{Span, Sym};

use crate::types::Ty;

/// The number of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(pub u32);

/// The kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SymbolKind {
    /// A variable, constant, clock or channel, global or of a template.
    Var,
    /// A variable of a function.
    Local,
    /// The parameter of a template, or of a partial instance.
    Param {
        /// Whether it is passed with `&`.
        reference: bool,
    },
    /// The parameter of a function.
    FunctionParam {
        /// Whether it is passed with `&`.
        reference: bool,
    },
    /// The variable of a select label.
    Select,
    /// The variable of a quantifier.
    Bound,
    /// A type.
    Type,
    /// A function: index into [`crate::check::Checked::functions`].
    Function(u32),
    /// A template: index into the tree's templates.
    Template(u32),
    /// An instance: index into [`crate::check::Checked::instances`].
    Instance(u32),
    /// A location of a template: index into its locations.
    Location(u32),
    /// A branchpoint of a template.
    Branchpoint,
    /// A predeclared constant.
    Predeclared(i32),
    /// A predeclared floating-point constant.
    PredeclaredDouble,
    /// A template that is instantiated at run time.
    DynamicTemplate,
    /// A live sequence chart.
    Chart,
}

/// A declared or predeclared name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    /// Its name.
    pub(crate) name: Sym,
    /// The span of its declaration.
    pub(crate) span: Span,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// Its type; for a function, that of its result.
    pub(crate) ty: Ty,
    /// Its template, if it is local to one.
    pub(crate) template: Option<u32>,
}

/// All symbols, and the scopes that make some of them visible.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    all: Vec<Symbol>,
    scopes: Vec<FxHashMap<Sym, SymbolId>>,
    /// Symbols by the start of the name in their declaration.
    by_place: FxHashMap<u32, SymbolId>,
}

impl Symbols {
    /// Returns a symbol.
    #[must_use]
    pub(crate) fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[id.0 as usize]
    }

    /// Returns all symbols, in the order of their declarations.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SymbolId, &Symbol)> {
        self.all.iter().enumerate().map(|(i, symbol)| (SymbolId(i as u32), symbol))
    }

    /// Returns the symbol that is declared at a span.
    #[must_use]
    pub(crate) fn at(&self, span: Span) -> Option<SymbolId> {
        self.by_place.get(&span.start).copied()
    }

    /// Opens a scope.
    pub(crate) fn open(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    /// Closes the innermost scope and returns its symbols.
    pub(crate) fn close(&mut self) -> FxHashMap<Sym, SymbolId> {
        self.scopes.pop().unwrap_or_default()
    }

    /// Adds a symbol to the innermost scope. Returns the previous symbol of the same name there, if
    /// there is one.
    pub(crate) fn declare(&mut self, symbol: Symbol) -> (SymbolId, Option<SymbolId>) {
        let id = SymbolId(self.all.len() as u32);
        self.all.push(symbol);
        self.by_place.insert(symbol.span.start, id);
        let before = self.scopes.last_mut().and_then(|scope| scope.insert(symbol.name, id));
        (id, before)
    }

    /// Returns the visible symbol with a name.
    #[must_use]
    pub(crate) fn find(&self, name: Sym) -> Option<SymbolId> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    /// Returns all visible names.
    pub(crate) fn visible(&self) -> impl Iterator<Item = Sym> + '_ {
        self.scopes.iter().flat_map(|scope| scope.keys().copied())
    }
}
