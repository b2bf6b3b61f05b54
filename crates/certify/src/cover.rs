//! Finite sets of symbolic states.

use std::{collections::HashMap, ops::Range};

use crate::{
    union::{Rest, outside},
    zone::{Constraint, Zone},
};

/// A set of states: rows, each with zones that are given by their constraints.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    numbers: HashMap<Box<[i32]>, usize>,
    rows: Vec<Box<[i32]>>,
    /// The constraints of each zone of each row.
    zones: Vec<Vec<Range<usize>>>,
    constraints: Vec<Constraint>,
    states: usize,
}

impl Cover {
    /// Without any states.
    #[must_use]
    pub fn new() -> Cover {
        Cover::default()
    }

    /// Adds the states of a row whose clocks satisfy all constraints.
    pub fn add(&mut self, row: &[i32], constraints: &[Constraint]) {
        let number = match self.numbers.get(row) {
            Some(number) => *number,
            None => {
                self.numbers.insert(row.into(), self.rows.len());
                self.rows.push(row.into());
                self.zones.push(Vec::new());
                self.rows.len() - 1
            }
        };
        let from = self.constraints.len();
        self.constraints.extend_from_slice(constraints);
        self.zones[number].push(from..self.constraints.len());
        self.states += 1;
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many zones there are, in all rows together.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states
    }

    /// All symbolic states, in the order of the rows.
    pub fn iter(&self) -> impl Iterator<Item = (&[i32], &[Constraint])> {
        let of_row =
            move |row: usize| self.zones[row].iter().map(move |at| (&*self.rows[row], &self.constraints[at.clone()]));
        (0..self.rows.len()).flat_map(of_row)
    }

    /// What of a state is not in the set.
    pub(crate) fn outside(&self, row: &[i32], zone: &Zone) -> Rest {
        let zones = self.numbers.get(row).map_or(&[][..], |number| &self.zones[*number]);
        outside(zone, zones.iter().map(|at| &self.constraints[at.clone()]))
    }
}
