//! Finite sets of symbolic states.

use std::{collections::HashMap, ops::Range};

use crate::{
    union::{Uncovered, outside},
    zone::{DifferenceConstraint, Zone},
};

/// A set of states: rows, each with zones that are given by their constraints. Each zone has a
/// rank, which is 0 in proofs without ranks.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    numbers: HashMap<Box<[i32]>, usize>,
    rows: Vec<Box<[i32]>>,
    /// The zones of each row.
    zones: Vec<Vec<RankedZone>>,
    constraints: Vec<DifferenceConstraint>,
    states: usize,
}

/// A zone: the range of its constraints, and its rank.
#[derive(Clone, Debug)]
struct RankedZone {
    at: Range<usize>,
    rank: u32,
}

impl Cover {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Cover {
        Cover::default()
    }

    /// Adds the states of a row whose clocks satisfy all constraints.
    pub fn add(&mut self, row: &[i32], constraints: &[DifferenceConstraint]) {
        self.add_ranked(row, constraints, 0);
    }

    /// Adds the states of a row whose clocks satisfy all constraints, with a rank.
    pub fn add_ranked(&mut self, row: &[i32], constraints: &[DifferenceConstraint], rank: u32) {
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
        self.zones[number].push(RankedZone { at: from..self.constraints.len(), rank });
        self.states += 1;
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of zones in all rows.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states
    }

    /// Returns all symbolic states, ordered by row.
    pub fn iter(&self) -> impl Iterator<Item = (&[i32], &[DifferenceConstraint])> {
        self.ranked().map(|(row, constraints, _)| (row, constraints))
    }

    /// Returns all symbolic states with their ranks, ordered by row.
    pub fn ranked(&self) -> impl Iterator<Item = (&[i32], &[DifferenceConstraint], u32)> {
        let of_row = move |row: usize| {
            self.zones[row].iter().map(move |zone| (&*self.rows[row], &self.constraints[zone.at.clone()], zone.rank))
        };
        (0..self.rows.len()).flat_map(of_row)
    }

    /// Returns the number of rows that another set lacks.
    pub(crate) fn rows_outside(&self, other: &Cover) -> usize {
        self.rows.iter().filter(|row| !other.numbers.contains_key(*row)).count()
    }

    /// Returns a part of a state outside of the set.
    pub(crate) fn outside(&self, row: &[i32], zone: &Zone) -> Uncovered {
        self.outside_those(row, zone, |_| true)
    }

    /// Returns a part of a state outside of the states with a rank below `rank`.
    pub(crate) fn outside_below(&self, row: &[i32], zone: &Zone, rank: u32) -> Uncovered {
        self.outside_those(row, zone, |other| other < rank)
    }

    fn outside_those(&self, row: &[i32], zone: &Zone, counts: impl Fn(u32) -> bool) -> Uncovered {
        let zones = self.numbers.get(row).map_or(&[][..], |number| &self.zones[*number]);
        outside(zone, zones.iter().filter(|z| counts(z.rank)).map(|z| &self.constraints[z.at.clone()]))
    }
}
