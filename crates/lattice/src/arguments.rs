//! What lattices are made with.

use std::sync::Arc;

use crate::Lattice;

/// As many members as a lattice can have: those that relate integers have about two numbers for each pair.
const MOST_MEMBERS: u32 = 100;

/// What a lattice is made with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    /// The integers among the arguments of `extern Alias = Name(...);`.
    pub values: &'a [i32],
    /// The lattices among them.
    pub lattices: &'a [Arc<dyn Lattice>],
    /// The dimensions behind the variable's name, for lattices that have them.
    pub dimensions: &'a [u32],
    /// How many members were declared, for lattices that have them.
    pub members: u32,
}

impl Arguments<'_> {
    /// Says that there are at most so many integers, and no lattices.
    ///
    /// # Errors
    /// There are more.
    pub fn only_values(&self, most: usize) -> Result<(), String> {
        if !self.lattices.is_empty() {
            return Err("it is not made of other lattices".to_owned());
        }
        self.at_most(most)
    }

    /// Says that there are at most so many integers.
    ///
    /// # Errors
    /// There are more.
    pub fn at_most(&self, most: usize) -> Result<(), String> {
        match self.values.len() {
            count if count <= most => Ok(()),
            count if most == 0 => Err(format!("it takes no integers, and here are {count}")),
            count => Err(format!("it takes at most {most} integers, and here are {count}")),
        }
    }

    /// An integer that has to be there and in a range.
    ///
    /// # Errors
    /// It is not.
    pub fn value(&self, place: usize, name: &str, low: i32, high: i32) -> Result<i32, String> {
        self.optional(place, name, low, high)?.ok_or_else(|| format!("its argument `{name}` is missing"))
    }

    /// An integer that has to be in a range if it is there.
    ///
    /// # Errors
    /// It is there, and outside.
    pub fn optional(&self, place: usize, name: &str, low: i32, high: i32) -> Result<Option<i32>, String> {
        match self.values.get(place) {
            Some(value) if !(low..=high).contains(value) => {
                Err(format!("`{name}` has to be between {low} and {high}, and is {value}"))
            }
            value => Ok(value.copied()),
        }
    }

    /// A yes or no, 1 or 0, which is no if it is not there.
    ///
    /// # Errors
    /// It is something else.
    pub fn flag(&self, place: usize, name: &str) -> Result<bool, String> {
        Ok(self.optional(place, name, 0, 1)? == Some(1))
    }

    /// How many members were declared.
    ///
    /// # Errors
    /// None were, or too many.
    pub fn members(&self) -> Result<usize, String> {
        match self.members {
            0 => Err("it has no members, and needs one at least".to_owned()),
            members @ 1..=MOST_MEMBERS => Ok(members as usize),
            members => Err(format!("it has {members} members, and {MOST_MEMBERS} is the most that there can be")),
        }
    }
}
