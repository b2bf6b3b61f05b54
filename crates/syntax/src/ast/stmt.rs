//! Statements.

use super::{Binding, Decl, ExprId, StmtId};
use crate::source::Span;

/// A statement with its span.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Where it occurs.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `e;`
    Expr(ExprId),
    /// `{ declarations statements }`
    Block(Vec<Decl>, Vec<StmtId>),
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) body`
    While(ExprId, StmtId),
    /// `do body while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (a; c; b) body`
    For(ExprId, ExprId, ExprId, StmtId),
    /// `for (name : type) body`
    Iterate(Binding, StmtId),
    /// `return e;`
    Return(Option<ExprId>),
    /// `assert e;`
    Assert(ExprId),
}
