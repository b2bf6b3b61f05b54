//! Variables with a sign.

use std::ops::Not;

/// A Boolean variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// A variable that is to be true, or to be false.
    pub fn new(variable: u32, positive: bool) -> Literal {
        Literal(variable << 1 | u32::from(!positive))
    }

    /// Its variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// A number for tables: two for each variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// As a word in the memory of the clauses.
    pub fn word(self) -> u32 {
        self.0
    }

    /// The literal of [`Literal::word`].
    pub fn from_word(word: u32) -> Literal {
        Literal(word)
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
