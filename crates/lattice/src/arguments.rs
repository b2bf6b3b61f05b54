//! The arguments that lattices are constructed from.

use std::sync::Arc;

use crate::Lattice;

/// The greatest number of members of a lattice. Relational domains store about two integers for
/// each pair of members.
const MAX_MEMBERS: u32 = 100;

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
}

impl Arguments<'_> {
    /// Checks that there are at most `most` integers and no lattices.
    ///
    /// # Errors
    /// There are more integers, or there are lattices.
    pub fn only_values(&self, most: usize) -> Result<(), String> {
        if !self.lattices.is_empty() {
            return Err("it takes no lattices as arguments".to_owned());
        }
        self.at_most(most)
    }

    /// Checks that there are at most `most` integers.
    ///
    /// # Errors
    /// There are more.
    pub fn at_most(&self, most: usize) -> Result<(), String> {
        match self.values.len() {
            count if count <= most => Ok(()),
            count if most == 0 => Err(format!("it takes no integers, but {count} are given")),
            count => Err(format!("it takes at most {most} integers, but {count} are given")),
        }
    }

    /// Returns a mandatory integer.
    ///
    /// # Errors
    /// It is missing or outside of its range.
    pub fn value(&self, place: usize, name: &str, low: i32, high: i32) -> Result<i32, String> {
        self.optional(place, name, low, high)?.ok_or_else(|| format!("its argument `{name}` is missing"))
    }

    /// Returns an optional integer.
    ///
    /// # Errors
    /// It is outside of its range.
    pub fn optional(&self, place: usize, name: &str, low: i32, high: i32) -> Result<Option<i32>, String> {
        match self.values.get(place) {
            Some(value) if !(low..=high).contains(value) => {
                Err(format!("`{name}` must be between {low} and {high}, but is {value}"))
            }
            value => Ok(value.copied()),
        }
    }

    /// Returns an optional flag, written as 0 or 1. The default is 0.
    ///
    /// # Errors
    /// It is neither 0 nor 1.
    pub fn flag(&self, place: usize, name: &str) -> Result<bool, String> {
        Ok(self.optional(place, name, 0, 1)? == Some(1))
    }

    /// Returns the number of declared members.
    ///
    /// # Errors
    /// There are none, or too many.
    pub fn members(&self) -> Result<usize, String> {
        match self.members {
            0 => Err("it needs at least one member".to_owned()),
            members @ 1..=MAX_MEMBERS => Ok(members as usize),
            members => Err(format!("it has {members} members, but at most {MAX_MEMBERS} are possible")),
        }
    }
}
