//! The syntax tree: the text's structure before name resolution.
//!
//! Expressions, statements and types are stored in arenas of a [`Tree`] and refer to each other by
//! index. Building and dropping them needs no recursion, whatever the input; recursive passes rely
//! on [`MAX_HEIGHT`].

mod decl;
mod expr;
mod query;
mod statistics;
mod stmt;
mod template;

use rustc_hash::FxHashSet;

use crate::{
    Signal,
    lexer::Comment,
    names::{Names, Sym},
    source::{FileId, Span},
};

pub use crate::operator::BinaryOp;
pub use decl::{
    Binding, Decl, Declarator, Dimension, Extern, Function, Instantiation, Prefix, PriorityItem, TypeExpr, TypeKind,
};
pub use expr::{Expr, ExprKind, List, Name, Quantifier, UnaryOp};
pub use query::{OptionPair, Query, QueryKind, RecordedResult};
pub use statistics::{
    PathFormula, PathQuery, RunBound, RunFilter, RunMeasure, StatisticalQuery, TimedFormula, TimedInterval,
};
pub use stmt::{Stmt, StmtKind};
pub use template::{
    Branchpoint, Direction, Edge, Endpoint, Events, LabelLayout, Layout, Location, Participant, Point, Synchronisation,
    SystemLine, Template,
};

/// The height beyond which an expression, statement or type is rejected.
///
/// UPPAAL's parser gives up at a comparable depth. Recursive passes use [`crate::grow`], so that
/// this height is safe on any stack.
pub const MAX_HEIGHT: u32 = 10_000;

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);
    )*};
}

ids! {
    /// An expression of a [`Tree`].
    ExprId,
    /// A statement of a [`Tree`].
    StmtId,
    /// A type expression of a [`Tree`].
    TypeId
}

/// The syntax tree of a model.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The signal that stops the work: all code that reads, checks, prints or draws a tree polls
    /// it.
    pub signal: Signal,
    /// The interned names.
    pub names: Names,
    /// The expressions.
    pub exprs: Vec<Expr>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The types.
    pub types: Vec<TypeExpr>,
    /// The elements of all [`List`]s.
    pub lists: Vec<ExprId>,
    /// The comments, ordered by span.
    pub comments: Vec<Comment>,
    /// The global declarations.
    pub decls: Vec<Decl>,
    /// The templates, in the order of the text.
    pub templates: Vec<Template>,
    /// The declarations of the system section, which templates can't see.
    pub system_decls: Vec<Decl>,
    /// The system line.
    pub system: SystemLine,
    /// `progress { … }` measures: guard and expression.
    pub progress: Vec<(Option<ExprId>, ExprId)>,
    /// The names of live sequence charts: observers that can be listed as processes and have no
    /// effect.
    pub charts: Vec<Name>,
    /// `query { … }` blocks after the system line of an XTA file.
    pub query_blocks: Vec<Span>,
    /// Features without meaning in symbolic analysis: name and span.
    pub ignored: Vec<(&'static str, Span)>,
    /// Names in blocks without meaning in symbolic analysis. What they name counts as used.
    pub mentioned: Vec<Sym>,
    /// Names in text that could not be parsed. They may be declared there, so they are not reported
    /// as unknown.
    pub lost: FxHashSet<Sym>,
    /// The queries.
    pub queries: Vec<Query>,
    /// The events of a TChecker model; `None` for UPPAAL's languages.
    pub events: Option<Events>,
    /// The net that the templates were generated from.
    pub net: Option<std::sync::Arc<crate::net::Net>>,
    /// Whether the model is in the old language.
    pub old: bool,
    /// The file of the model.
    pub file: Option<FileId>,
}

impl Tree {
    /// Adds an expression.
    pub fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let mut height = 0;
        self.children(kind, |tree, child| height = height.max(tree.exprs[child.0 as usize].height));
        self.exprs.push(Expr { kind, span, height: height + 1 });
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// Replaces an expression by one without operands.
    pub(crate) fn replace(&mut self, e: ExprId, kind: ExprKind) {
        let expr = &mut self.exprs[e.0 as usize];
        (expr.kind, expr.height) = (kind, 1);
    }

    /// Returns the height of an expression.
    #[must_use]
    pub fn height(&self, e: ExprId) -> u32 {
        self.exprs[e.0 as usize].height
    }

    /// Calls `f` for each operand of an expression.
    pub fn children(&self, kind: ExprKind, mut f: impl FnMut(&Tree, ExprId)) {
        use ExprKind::*;
        match kind {
            Unary(_, e) | Member(e, _) | Rate(e) | Field(_, e) | Step { target: e, .. } => f(self, e),
            Quantifier(_, _, _, e) => f(self, e),
            Binary(_, a, b) | Assign(_, a, b) | Index(a, b) | Comma(a, b) => {
                f(self, a);
                f(self, b);
            }
            Conditional(a, b, c) => {
                f(self, a);
                f(self, b);
                f(self, c);
            }
            Call(e, args) => {
                f(self, e);
                self.list(args).iter().for_each(|&a| f(self, a));
            }
            Braces(items) | Dynamic(_, items) => self.list(items).iter().for_each(|&a| f(self, a)),
            Int(_) | Wide(_) | Bool(_) | Float(_) | Text(_) | Name(_) | Deadlock | Wrong => {}
        }
    }

    /// Adds a list of expressions.
    pub fn add_list(&mut self, items: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(items);
        List { start, len: items.len() as u32 }
    }

    /// Returns the elements of a list.
    #[must_use]
    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    /// Returns the kind of an expression.
    #[must_use]
    pub fn kind(&self, e: ExprId) -> ExprKind {
        self.exprs[e.0 as usize].kind
    }

    /// Returns the span of an expression.
    #[must_use]
    pub fn span(&self, e: ExprId) -> Span {
        self.exprs[e.0 as usize].span
    }

    /// Returns a type expression.
    #[must_use]
    pub fn ty(&self, t: TypeId) -> &TypeExpr {
        &self.types[t.0 as usize]
    }

    /// Returns a statement.
    #[must_use]
    pub fn stmt(&self, s: StmtId) -> &Stmt {
        &self.stmts[s.0 as usize]
    }

    /// Returns the text of a name.
    #[must_use]
    pub fn text(&self, sym: Sym) -> &str {
        self.names.text(sym)
    }

    /// Returns whether the model is in TChecker's format, whose rules differ from UPPAAL's in
    /// places.
    #[must_use]
    pub fn is_tchecker(&self) -> bool {
        self.events.is_some()
    }
}
