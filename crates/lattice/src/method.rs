//! Operations of a lattice that models call by their names.

use std::borrow::Cow;

/// What a method's result does when the element grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// It may do both.
    Varies,
}

/// What a method gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// A truth value.
    Bool,
    /// An integer.
    Int,
}

/// An operation of a lattice that models call by its name: `cache.access(3)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The names of its arguments, all of them integers.
    pub parameters: Cow<'static, [&'static str]>,
    /// What it gives back.
    pub result: Gives,
    /// Whether it changes the element. If so it is monotone: a greater element becomes one that is not less.
    pub changes: bool,
    /// What the result does when the element grows.
    pub trend: Trend,
    /// What it does, in one sentence.
    pub help: &'static str,
}

impl Method {
    /// A method that changes the element and gives nothing back.
    #[must_use]
    pub const fn change(name: &'static str, parameters: &'static [&'static str], help: &'static str) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            result: Gives::Nothing,
            changes: true,
            trend: Trend::Rises,
            help,
        }
    }

    /// A method that leaves a part of what the element allows, and says whether there is any.
    #[must_use]
    pub const fn cut(name: &'static str, parameters: &'static [&'static str], help: &'static str) -> Method {
        Method {
            name: Cow::Borrowed(name),
            parameters: Cow::Borrowed(parameters),
            result: Gives::Bool,
            changes: true,
            trend: Trend::Rises,
            help,
        }
    }

    /// A method that answers yes or no.
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
            result: Gives::Bool,
            changes: false,
            trend,
            help,
        }
    }

    /// A method that counts or measures.
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
            result: Gives::Int,
            changes: false,
            trend,
            help,
        }
    }
}

/// Why a method can't be called with these arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// Which argument.
    pub argument: usize,
    /// The least legal value.
    pub low: i32,
    /// The greatest legal value.
    pub high: i32,
}

/// An argument that has to lie in a range. One that is missing is taken for 0.
///
/// # Errors
/// It does not.
pub fn argument(args: &[i32], argument: usize, low: i32, high: i32) -> Result<i32, Misuse> {
    let value = args.get(argument).copied().unwrap_or(0);
    if (low..=high).contains(&value) { Ok(value) } else { Err(Misuse { argument, low, high }) }
}

/// An argument that is the number of one of `count` things.
///
/// # Errors
/// There is no such thing.
pub fn index(args: &[i32], place: usize, count: usize) -> Result<usize, Misuse> {
    let high = i32::try_from(count).unwrap_or(i32::MAX).saturating_sub(1);
    argument(args, place, 0, high).map(|value| value as usize)
}
