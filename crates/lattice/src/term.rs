//! Integer expressions over the members of an environment.

use std::fmt;

/// A comparison of two terms.
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
    /// Returns the complementary comparison.
    #[must_use]
    pub fn negate(self) -> Comparison {
        match self {
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Lt => Comparison::Ge,
            Comparison::Le => Comparison::Gt,
            Comparison::Gt => Comparison::Le,
            Comparison::Ge => Comparison::Lt,
        }
    }

    /// Returns whether it holds of two values.
    #[must_use]
    #[inline]
    pub fn holds<T: Ord>(self, a: T, b: T) -> bool {
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

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        })
    }
}

/// An operation of a term in postfix order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TermOp {
    /// A constant.
    Const(i32),
    /// A number that is known when the term is evaluated, by its index in [`Term::values`].
    Value(u32),
    /// A member of the environment.
    Member(u32),
    /// The sum of the two terms before it.
    Add,
    /// The difference of the two terms before it.
    Sub,
    /// The product of the two terms before it.
    Mul,
    /// The quotient of the two terms before it, rounded towards zero.
    Div,
    /// The remainder of the two terms before it, with the sign of the dividend.
    Mod,
    /// The negative of the term before it.
    Neg,
}

/// An integer expression.
#[derive(Clone, Copy, Debug)]
pub struct Term<'t> {
    /// Its operations, in postfix order.
    pub ops: &'t [TermOp],
    /// The numbers that [`TermOp::Value`] refers to.
    pub values: &'t [i32],
}

impl Term<'_> {
    /// Evaluates the term; `None` if it has no value, or one that exceeds 32 bits.
    #[must_use]
    pub fn value(&self, members: &[i32]) -> Option<i32> {
        let mut stack: Vec<i32> = Vec::new();
        for &op in self.ops {
            let value = match op {
                TermOp::Const(number) => number,
                TermOp::Value(place) => *self.values.get(place as usize)?,
                TermOp::Member(member) => *members.get(member as usize)?,
                TermOp::Neg => stack.pop()?.checked_neg()?,
                TermOp::Add | TermOp::Sub | TermOp::Mul | TermOp::Div | TermOp::Mod => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    match op {
                        TermOp::Add => a.checked_add(b)?,
                        TermOp::Sub => a.checked_sub(b)?,
                        TermOp::Mul => a.checked_mul(b)?,
                        TermOp::Div => a.checked_div(b)?,
                        _ => a.checked_rem(b)?,
                    }
                }
            };
            stack.push(value);
        }
        stack.pop()
    }
}

impl fmt::Display for Term<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack: Vec<String> = Vec::new();
        for &op in self.ops {
            let mut pop = || stack.pop().unwrap_or_else(|| "?".to_owned());
            let mut two = |sign: char| {
                let (b, a) = (pop(), pop());
                format!("({a} {sign} {b})")
            };
            let text = match op {
                TermOp::Const(number) => number.to_string(),
                TermOp::Value(place) => self.values.get(place as usize).map_or("?".to_owned(), ToString::to_string),
                TermOp::Member(member) => format!("m{member}"),
                TermOp::Neg => format!("-{}", pop()),
                TermOp::Add => two('+'),
                TermOp::Sub => two('-'),
                TermOp::Mul => two('*'),
                TermOp::Div => two('/'),
                TermOp::Mod => two('%'),
            };
            stack.push(text);
        }
        f.write_str(&stack.pop().unwrap_or_default())
    }
}
