//! Layers: the abstract states of a pattern, with their distances to the goal.

use std::cmp::Reverse;

use zone::is_subsumed;

use super::rows::PatternRows;
use crate::bounds::ClockBounds;

/// A layer.
pub(crate) struct Layer {
    /// The index of its rows.
    pub rows: usize,
    /// The kept clocks in order; the first is the reference clock.
    pub clocks: Vec<u32>,
    /// The row of each state.
    pub nodes: Vec<u32>,
    zones: Vec<i32>,
    /// A lower bound on the distance of each state to the goal.
    pub distances: Vec<Option<u32>>,
    /// The states of each row; after sorting the farthest first.
    by_row: Vec<Vec<u32>>,
    /// L and U of each row that has states.
    lower: Vec<i32>,
    upper: Vec<i32>,
}

impl Layer {
    /// Creates an empty layer.
    pub(crate) fn new(rows: usize, clocks: Vec<u32>) -> Layer {
        let (nodes, zones, distances, by_row) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Layer { rows, clocks, nodes, zones, distances, by_row, lower: Vec::new(), upper: Vec::new() }
    }

    /// Returns the number of kept clocks, including the reference clock.
    pub(crate) fn dim(&self) -> usize {
        self.clocks.len()
    }

    /// Returns a lower bound on the distance from the start to the goal.
    pub(crate) fn length(&self) -> Option<u32> {
        self.distances.first().copied().flatten()
    }

    /// Returns the zone of a state.
    pub(crate) fn zone(&self, node: u32) -> &[i32] {
        let size = self.dim() * self.dim();
        &self.zones[node as usize * size..][..size]
    }

    /// Returns the states of a row.
    pub(crate) fn of_row(&self, row: u32) -> &[u32] {
        self.by_row.get(row as usize).map_or(&[], Vec::as_slice)
    }

    /// Adds a state.
    pub(crate) fn add(&mut self, rows: &PatternRows<'_>, bounds: &ClockBounds, row: u32, zone: &[i32]) -> u32 {
        let new = self.nodes.len() as u32;
        if self.by_row.len() <= row as usize {
            self.by_row.resize(row as usize + 1, Vec::new());
            self.lower.resize(self.by_row.len() * self.dim(), 0);
            self.upper.resize(self.by_row.len() * self.dim(), 0);
        }
        if self.by_row[row as usize].is_empty() {
            let all = rows.steps.system.clocks.len();
            let (mut lower, mut upper) = (vec![0; all], vec![0; all]);
            bounds.of_locations(rows.possible_places(row), &mut lower, &mut upper);
            let first = row as usize * self.dim();
            for (at, clock) in self.clocks.iter().enumerate() {
                self.lower[first + at] = lower[*clock as usize];
                self.upper[first + at] = upper[*clock as usize];
            }
        }
        self.nodes.push(row);
        self.zones.extend_from_slice(zone);
        self.by_row[row as usize].push(new);
        new
    }

    /// Returns whether a state simulates a zone of its row.
    pub(crate) fn covers(&self, node: u32, zone: &[i32]) -> bool {
        self.simulates(self.nodes[node as usize], self.zone(node), zone)
    }

    /// Returns whether a zone of its row simulates a state.
    pub(crate) fn is_covered(&self, node: u32, zone: &[i32]) -> bool {
        self.simulates(self.nodes[node as usize], zone, self.zone(node))
    }

    fn simulates(&self, row: u32, large: &[i32], small: &[i32]) -> bool {
        let own = row as usize * self.dim()..(row as usize + 1) * self.dim();
        is_subsumed(small, large, self.dim(), &self.lower[own.clone()], &self.upper[own])
    }

    /// Sorts the states of each row, the farthest first.
    pub(crate) fn sort(&mut self) {
        let distances = &self.distances;
        for nodes in &mut self.by_row {
            nodes.sort_by_key(|node| Reverse(distances[*node as usize].unwrap_or(u32::MAX)));
        }
    }

    /// Returns the greatest distance of a state that covers a zone of a row. Precondition: states
    /// are sorted.
    pub(crate) fn look_up(&self, row: u32, zone: &[i32]) -> Result<Option<u32>, Unknown> {
        let mut nodes = self.of_row(row).iter().copied();
        nodes.find(|node| self.covers(*node, zone)).map(|node| self.distances[node as usize]).ok_or(Unknown)
    }
}

/// No state covers the looked-up one.
pub(super) struct Unknown;
