//! Integer expressions over the members of an environment.

/// How two terms compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Whether it holds of two things.
    #[must_use]
    pub fn holds<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }
}

/// A part of a term, which is in postfix order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermOp {
    /// A known number.
    Const(i32),
    /// A number that is known when the term is used, by its place.
    Value(u32),
    /// A member of the environment.
    Member(u32),
    /// The sum of the two terms before it.
    Add,
    /// Their difference.
    Sub,
    /// Their product.
    Mul,
    /// Their quotient, towards zero.
    Div,
    /// The remainder, with the sign of the first.
    Mod,
    /// The negative of the term before it.
    Neg,
}

/// An integer expression.
#[derive(Clone, Copy, Debug)]
pub struct Term<'t> {
    /// Its parts, in postfix order.
    pub ops: &'t [TermOp],
    /// The numbers that are known now.
    pub values: &'t [i32],
}
