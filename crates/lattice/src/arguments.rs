//! The arguments that lattices are constructed from.

use std::sync::Arc;

use crate::Lattice;

/// The greatest number of members of a lattice. Relational domains store about two integers for
/// each pair of members.
const MAX_MEMBERS: u32 = 100;

/// Why a lattice cannot be constructed from its arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The lattice takes no lattices.
    #[error("it takes no lattices as arguments")]
    UnexpectedLattices,
    /// The lattice takes no integers.
    #[error("it takes no integers, but {given} are given")]
    UnexpectedIntegers {
        /// The number of integers.
        given: usize,
    },
    /// There are more integers than parameters.
    #[error("it takes at most {max} integers, but {given} are given")]
    TooManyIntegers {
        /// The number of parameters.
        max: usize,
        /// The number of integers.
        given: usize,
    },
    /// A mandatory integer is missing.
    #[error("its argument `{name}` is missing")]
    Missing {
        /// The name of the parameter.
        name: &'static str,
    },
    /// An integer is outside of its range.
    #[error("`{name}` must be between {low} and {high}, but is {value}")]
    OutOfRange {
        /// The name of the parameter.
        name: &'static str,
        /// The least legal value.
        low: i32,
        /// The greatest legal value.
        high: i32,
        /// The argument.
        value: i32,
    },
    /// A lattice of several members has none.
    #[error("it needs at least one member")]
    NoMembers,
    /// A lattice has too many members.
    #[error("it has {members} members, but at most {max} are possible")]
    TooManyMembers {
        /// The number of members.
        members: u32,
        /// The greatest number of members.
        max: u32,
    },
    /// The dimensions of a variable make it empty or too large.
    #[error("its variables have between 1 and {max} bits")]
    BitCount {
        /// The greatest number of bits.
        max: u32,
    },
    /// The elements would take too much memory.
    #[error("its elements would have more than {max} integers")]
    TooWide {
        /// The greatest number of integers of an element.
        max: usize,
    },
    /// A product has too few or too many components.
    #[error("it takes 2 to {max} lattices, but {given} are given")]
    ComponentCount {
        /// The greatest number of components.
        max: usize,
        /// The number of lattices.
        given: usize,
    },
    /// A vector needs exactly one lattice.
    #[error("it takes one lattice, but {given} are given")]
    NotOneLattice {
        /// The number of lattices.
        given: usize,
    },
    /// Only one of two bounds is given.
    #[error("it takes either both bounds or none")]
    OneBound,
    /// The lower bound exceeds the upper one.
    #[error("the range from {low} to {high} is empty")]
    EmptyRange {
        /// The lower bound.
        low: i32,
        /// The upper bound.
        high: i32,
    },
    /// A function of the user fails.
    #[error("{0}")]
    Failed(String),
}

/// The arguments that a lattice is constructed from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    /// The integers among the arguments of `extern Alias = Name(...);`.
    pub values: &'a [i32],
    /// The lattices among the arguments.
    pub lattices: &'a [Arc<dyn Lattice>],
    /// The dimensions after the variable's name, for lattices that have them.
    pub dimensions: &'a [u32],
    /// The number of declared members, for lattices that have them.
    pub members: u32,
    /// The names of the declared members that are clocks, for classes of the user.
    pub clocks: &'a [String],
    /// The largest number in the text of the model: the bound of lattices that opaal makes without
    /// arguments.
    pub largest: i32,
}

impl Arguments<'_> {
    /// Checks that there are at most `max` integers and no lattices.
    ///
    /// # Errors
    /// There are more integers, or there are lattices.
    pub fn only_values(&self, max: usize) -> Result<(), ArgumentError> {
        if !self.lattices.is_empty() {
            return Err(ArgumentError::UnexpectedLattices);
        }
        self.at_most(max)
    }

    /// Checks that there are at most `max` integers.
    ///
    /// # Errors
    /// There are more.
    pub fn at_most(&self, max: usize) -> Result<(), ArgumentError> {
        match self.values.len() {
            given if given <= max => Ok(()),
            given if max == 0 => Err(ArgumentError::UnexpectedIntegers { given }),
            given => Err(ArgumentError::TooManyIntegers { max, given }),
        }
    }

    /// Returns a mandatory integer.
    ///
    /// # Errors
    /// It is missing or outside of its range.
    pub fn value(&self, place: usize, name: &'static str, low: i32, high: i32) -> Result<i32, ArgumentError> {
        self.optional(place, name, low, high)?.ok_or(ArgumentError::Missing { name })
    }

    /// Returns an optional integer.
    ///
    /// # Errors
    /// It is outside of its range.
    pub fn optional(
        &self,
        place: usize,
        name: &'static str,
        low: i32,
        high: i32,
    ) -> Result<Option<i32>, ArgumentError> {
        match self.values.get(place) {
            Some(&value) if !(low..=high).contains(&value) => Err(ArgumentError::OutOfRange { name, low, high, value }),
            value => Ok(value.copied()),
        }
    }

    /// Returns an optional flag, written as 0 or 1. The default is 0.
    ///
    /// # Errors
    /// It is neither 0 nor 1.
    pub fn flag(&self, place: usize, name: &'static str) -> Result<bool, ArgumentError> {
        Ok(self.optional(place, name, 0, 1)? == Some(1))
    }

    /// Returns the number of declared members.
    ///
    /// # Errors
    /// There are none, or too many.
    pub fn members(&self) -> Result<usize, ArgumentError> {
        match self.members {
            0 => Err(ArgumentError::NoMembers),
            members @ 1..=MAX_MEMBERS => Ok(members as usize),
            members => Err(ArgumentError::TooManyMembers { members, max: MAX_MEMBERS }),
        }
    }
}
