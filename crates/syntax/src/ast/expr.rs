//! Expressions.

use super::{ExprId, TypeId};
use crate::{names::Sym, operator::BinaryOp, source::Span};

/// An occurrence of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The interned text.
    pub sym: Sym,
    /// Where it occurs.
    pub span: Span,
}

/// An expression with its span.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Where it occurs.
    pub span: Span,
    pub(super) height: u32,
}

/// A range of [`Tree::lists`](super::Tree::lists).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// The kinds of expressions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer.
    Int(i32),
    /// A number beyond 32 bits, which only clocks can be compared with.
    Wide(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(Sym),
    /// A name.
    Name(Sym),
    /// `op e`.
    Unary(UnaryOp, ExprId),
    /// `a op b`.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a op= b`; without an operator, `a = b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `++e`, `--e`, `e++` or `e--`.
    Step {
        /// Whether it increments.
        up: bool,
        /// Whether the operator is a prefix.
        prefix: bool,
        /// The operand.
        target: ExprId,
    },
    /// `c ? a : b`.
    Conditional(ExprId, ExprId, ExprId),
    /// `a[i]`.
    Index(ExprId, ExprId),
    /// `e.name`.
    Member(ExprId, Name),
    /// `f(args)`.
    Call(ExprId, List),
    /// `forall (name : type) body`, and the like.
    Quantifier(Quantifier, Name, TypeId, ExprId),
    /// `x'`, the rate of a clock.
    Rate(ExprId),
    /// `deadlock`.
    Deadlock,
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// `{a, f: b}`, an initialiser; named items are [`ExprKind::Field`].
    Braces(List),
    /// `f: e` in an initialiser.
    Field(Name, ExprId),
    /// `spawn T(args)`, `exit()`, `numOf(T)`: dynamic templates.
    Dynamic(Sym, List),
    /// An expression that could not be parsed; already reported.
    Wrong,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Minus,
    Plus,
    Not,
}

/// Quantifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
    /// Over the instances of a dynamic template.
    Foreach,
}

impl Quantifier {
    /// Returns the keyword.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Quantifier::Forall => "forall",
            Quantifier::Exists => "exists",
            Quantifier::Sum => "sum",
            Quantifier::Foreach => "foreach",
        }
    }
}
