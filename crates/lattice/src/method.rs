//! Methods: operations of a lattice that models call by name.

use std::borrow::Cow;

use crate::user::FailureId;

/// How the result of a method changes when the element grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// It may rise and fall.
    Varies,
}

/// The type of a method's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnType {
    /// Nothing.
    Nothing,
    /// A truth value.
    Bool,
    /// An integer.
    Int,
}

/// An operation of a lattice that models call by name: `cache.access(3)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The names of its parameters, all of them integers.
    pub parameters: Cow<'static, [&'static str]>,
    /// How many of the last parameters may be left out.
    pub optional: usize,
    /// The type of its result.
    pub result: ReturnType,
    /// Whether it changes the element.
    pub changes: bool,
    /// Whether it is monotone, if it changes the element.
    pub monotone: bool,
    /// How the result changes when the element grows.
    pub trend: Trend,
    /// What it does, in one sentence.
    pub help: &'static str,
}

impl Method {
    /// A method that changes the element and returns nothing.
    #[must_use]
    pub const fn change(name: &'static str, parameters: &'static [&'static str], help: &'static str) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            optional: 0,
            result: ReturnType::Nothing,
            changes: true,
            monotone: true,
            trend: Trend::Rises,
            help,
        }
    }

    /// A method that restricts the element and returns whether it is not bottom.
    #[must_use]
    pub const fn cut(name: &'static str, parameters: &'static [&'static str], help: &'static str) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            optional: 0,
            result: ReturnType::Bool,
            changes: true,
            monotone: true,
            trend: Trend::Rises,
            help,
        }
    }

    /// A method that returns a truth value.
    #[must_use]
    pub const fn test(
        name: &'static str,
        parameters: &'static [&'static str],
        trend: Trend,
        help: &'static str,
    ) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            optional: 0,
            result: ReturnType::Bool,
            changes: false,
            monotone: true,
            trend,
            help,
        }
    }

    /// A method that returns a number.
    #[must_use]
    pub const fn measure(
        name: &'static str,
        parameters: &'static [&'static str],
        trend: Trend,
        help: &'static str,
    ) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            optional: 0,
            result: ReturnType::Int,
            changes: false,
            monotone: true,
            trend,
            help,
        }
    }
}

/// How time passes for the elements of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The method that lets time pass.
    pub method: usize,
    /// Whether it stands for any amount of time, including none, and not for one unit.
    pub is_inclusive: bool,
}

/// The methods that models call by operators, if an element stands for one integer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// `n`, where an integer is expected: returns the integer.
    pub value: Option<usize>,
    /// `n = 3`: sets the element to an integer.
    pub set: Option<usize>,
    /// `n += 3` and `n++`: adds an integer.
    pub add: Option<usize>,
    /// `n -= 3` and `n--`: subtracts an integer.
    pub sub: Option<usize>,
    /// `n += m`: adds another element of a lattice of the user, which is given by its number.
    pub add_element: Option<usize>,
    /// `n -= m`: subtracts one.
    pub sub_element: Option<usize>,
}

/// The methods behind `v[i]`, for elements whose entries are not bits in their integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Returns an entry, by indices that begin with 0.
    pub get: usize,
    /// Sets an entry: the last parameter is its value.
    pub set: Option<usize>,
    /// The size of each dimension; none: there is one index, of any size.
    pub dimensions: Vec<u32>,
}

/// Why a method has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// An argument is illegal.
    Argument {
        /// Its index.
        argument: usize,
        /// The least legal value.
        low: i32,
        /// The greatest legal value.
        high: i32,
    },
    /// A function of the user has failed.
    Failed(FailureId),
}

/// Returns an argument that has to lie in a range. A missing argument counts as 0.
///
/// # Errors
/// It lies outside.
pub fn argument(args: &[i32], argument: usize, low: i32, high: i32) -> Result<i32, Misuse> {
    let value = args.get(argument).copied().unwrap_or(0);
    if (low..=high).contains(&value) { Ok(value) } else { Err(Misuse::Argument { argument, low, high }) }
}

/// Returns an argument that is an index below `count`.
///
/// # Errors
/// It is not.
pub fn index(args: &[i32], place: usize, count: usize) -> Result<usize, Misuse> {
    let high = i32::try_from(count).unwrap_or(i32::MAX).saturating_sub(1);
    argument(args, place, 0, high).map(|value| value as usize)
}
