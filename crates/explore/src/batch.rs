//! Flat lists of states and transitions, reused from one expansion to the next.

use model::system::EdgeId;

/// States with the transitions that lead to them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    width: usize,
    area: usize,
    rows: Vec<i32>,
    zones: Vec<i32>,
    edges: Vec<EdgeId>,
    ends: Vec<u32>,
}

impl Batch {
    /// An empty list of states with rows of `width` and zones of `area` numbers.
    #[must_use]
    pub fn new(width: usize, area: usize) -> Batch {
        Batch { width, area, ..Batch::default() }
    }

    /// Forgets all states.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.zones.clear();
        self.edges.clear();
        self.ends.clear();
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The discrete part of a state.
    #[must_use]
    pub fn row(&self, i: usize) -> &[i32] {
        &self.rows[i * self.width..][..self.width]
    }

    /// The zone of a state.
    #[must_use]
    pub fn zone(&self, i: usize) -> &[i32] {
        &self.zones[i * self.area..][..self.area]
    }

    /// The zone of a state, to be changed.
    pub fn zone_mut(&mut self, i: usize) -> &mut [i32] {
        &mut self.zones[i * self.area..][..self.area]
    }

    /// The edges of the transition that leads to a state: the sender first, then the receivers.
    #[must_use]
    pub fn edges(&self, i: usize) -> &[EdgeId] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.edges[start..self.ends[i] as usize]
    }

    /// Adds a state.
    pub fn push(&mut self, row: &[i32], zone: &[i32], edges: &[EdgeId]) {
        self.rows.extend_from_slice(row);
        self.zones.extend_from_slice(zone);
        self.edges.extend_from_slice(edges);
        self.ends.push(self.edges.len() as u32);
    }
}
