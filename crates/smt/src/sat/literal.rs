//! Variables with a sign.

use std::ops::Not;

/// A Boolean variable or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Literal(u32);

impl Literal {
    /// Returns the positive or the negative literal of a variable.
    pub(crate) fn new(variable: u32, positive: bool) -> Literal {
        Literal(variable << 1 | u32::from(!positive))
    }

    /// Returns its variable.
    pub(crate) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether it is negative.
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns an index for tables with two entries for each variable.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the literal as a word of the arena.
    pub(crate) fn word(self) -> u32 {
        self.0
    }

    /// Inverts [`Literal::word`].
    pub(crate) fn from_word(word: u32) -> Literal {
        Literal(word)
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
