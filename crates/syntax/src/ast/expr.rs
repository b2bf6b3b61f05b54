//! Expressions.

use super::{ExprId, TypeId};
use crate::{names::Sym, source::Span};

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

/// A range of [`Tree::lists`].
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

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Imply,
    Or,
    Xor,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Ge,
    Gt,
    Min,
    Max,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

impl BinaryOp {
    /// Returns whether it compares numbers.
    #[must_use]
    pub fn compares(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Ge | Gt)
    }

    /// Returns the precedence: UTAP's levels, all of them left-associative.
    ///
    /// Note that `or`, `xor` and `imply` share one level: `a imply b or c` is `(a imply b) or c`.
    #[must_use]
    pub fn precedence(self) -> u8 {
        use BinaryOp::*;
        match self {
            Imply | Or | Xor => 1,
            And => 2,
            BitOr => 3,
            BitXor => 4,
            BitAnd => 5,
            Eq | Ne => 6,
            Lt | Le | Ge | Gt => 7,
            Min | Max => 8,
            Shl | Shr => 9,
            Add | Sub => 10,
            Mul | Div | Mod => 11,
            Pow => 12,
        }
    }

    /// Returns the symbol that the printer writes.
    #[must_use]
    pub fn text(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Imply => "imply",
            Or => "||",
            Xor => "xor",
            And => "&&",
            BitOr => "|",
            BitXor => "^",
            BitAnd => "&",
            Eq => "==",
            Ne => "!=",
            Lt => "<",
            Le => "<=",
            Ge => ">=",
            Gt => ">",
            Min => "<?",
            Max => ">?",
            Shl => "<<",
            Shr => ">>",
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Mod => "%",
            Pow => "**",
        }
    }
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
