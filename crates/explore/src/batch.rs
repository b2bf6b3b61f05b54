//! Flat lists of states and transitions, reused from one expansion to the next.

use model::system::EdgeId;
use zone::Bound;

use crate::{graph::ListedMove, store::Discrete, zones::ZoneId};

/// A list of states with the transitions that lead to them.
#[derive(Clone, Debug)]
pub struct Batch<B = i32> {
    width: usize,
    /// The number of bounds of a zone, and of what comes after them.
    visible: usize,
    area: usize,
    rows: Vec<i32>,
    row_count: u32,
    /// Whether the first row is that of the source, which successors with the same row share.
    shares: bool,
    /// The computed zones.
    zones: Vec<B>,
    edges: Vec<EdgeId>,
    items: Vec<BatchState>,
    /// The ordinal of the first state among the successors.
    first: u32,
    /// The ordinals of the states, if they are not consecutive; [`SKIPPED`] for states that are
    /// left out.
    ordinals: Vec<u32>,
}

/// The ordinal of a state that is left out.
const SKIPPED: u32 = u32::MAX;

/// A state of a batch.
#[derive(Clone, Copy, Debug)]
struct BatchState {
    /// The number of its row.
    row: u32,
    /// The end of its edges.
    edges: u32,
    zone: BatchZone,
    ticket: Option<Ticket>,
    listed: Option<(ListedMove, Option<Discrete>)>,
}

#[derive(Clone, Copy, Debug)]
enum BatchZone {
    Known(ZoneId),
    /// The offset among the computed zones.
    Fresh(u32),
}

/// The zone of a reached state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReachedZone<'a, B> {
    /// A zone that has an id.
    Known(ZoneId),
    /// A computed zone.
    Fresh(&'a [B]),
}

/// The memo slot for a zone that gets an id later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub slot: u32,
    pub stamp: u32,
}

impl<B: Bound> Batch<B> {
    /// Creates an empty list for rows of `width` and zones of `area` integers.
    #[must_use]
    pub(crate) fn new(width: usize, area: usize) -> Batch<B> {
        Batch {
            width,
            visible: area,
            area,
            rows: Vec::new(),
            row_count: 0,
            shares: false,
            zones: Vec::new(),
            edges: Vec::new(),
            items: Vec::new(),
            first: 0,
            ordinals: Vec::new(),
        }
    }

    /// Lets zones have a tail of so many integers, see [`crate::zones::Zones::with_tail`].
    #[must_use]
    pub(crate) fn with_tail(self, tail: usize) -> Batch<B> {
        Batch { area: self.visible + tail, ..self }
    }

    /// Returns the capacity in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.rows.capacity() + self.edges.capacity()) * 4
            + self.zones.capacity() * size_of::<B>()
            + self.items.capacity() * size_of::<BatchState>()
    }

    /// Returns the number of integers in rows, zones and edges.
    #[inline]
    pub(crate) fn numbers(&self) -> usize {
        self.rows.len() + self.zones.len() + self.edges.len()
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.row_count = 0;
        self.shares = false;
        self.zones.clear();
        self.edges.clear();
        self.items.clear();
        self.first = 0;
        self.ordinals.clear();
    }

    /// Announces the row of the source to an empty batch. Successors that keep it share it: they
    /// are recognised, and cost no copy.
    pub(crate) fn share(&mut self, source: &[i32]) {
        debug_assert!(self.rows.is_empty());
        self.push_row(source);
        self.shares = true;
    }

    /// Returns whether a state is known to have the row of the source.
    #[inline]
    pub(crate) fn keeps_row(&self, i: usize) -> bool {
        self.shares && self.items[i].row == 0
    }

    /// Sets the ordinal of the first state; the others follow.
    pub(crate) fn number_from(&mut self, first: u32) {
        self.first = first;
    }

    /// Sets the ordinal of each state; `None` leaves it out.
    pub(crate) fn renumber(&mut self, ordinals: impl Iterator<Item = Option<u32>>) {
        self.ordinals.clear();
        self.ordinals.extend(ordinals.map(|ordinal| ordinal.unwrap_or(SKIPPED)));
    }

    /// Returns the ordinal of a state among the successors; `None`: it is left out.
    #[inline]
    pub(crate) fn ordinal(&self, i: usize) -> Option<u32> {
        if self.ordinals.is_empty() {
            return Some(self.first + i as u32);
        }
        Some(self.ordinals[i]).filter(|ordinal| *ordinal != SKIPPED)
    }

    /// Replaces a state. Its memo slot and listed transition are dropped.
    pub(crate) fn replace(&mut self, i: usize, row: &[i32], zone: &[B]) {
        if self.keeps_row(i) {
            self.items[i].row = self.push_row(row);
        } else {
            let at = self.items[i].row as usize * self.width;
            self.rows[at..][..self.width].copy_from_slice(row);
        }
        let at = match self.items[i].zone {
            BatchZone::Fresh(at) => at as usize,
            BatchZone::Known(_) => {
                let at = self.zones.len();
                self.zones.resize(at + self.area, B::LE_ZERO);
                at
            }
        };
        self.zones[at..][..self.area].copy_from_slice(zone);
        self.items[i] = BatchState { zone: BatchZone::Fresh(at as u32), ticket: None, listed: None, ..self.items[i] };
    }

    /// Drops the listed transition and the discrete part of a state.
    pub(crate) fn forget_discrete(&mut self, i: usize) {
        self.items[i].listed = None;
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the discrete part of a state.
    #[must_use]
    pub fn row(&self, i: usize) -> &[i32] {
        &self.rows[self.items[i].row as usize * self.width..][..self.width]
    }

    /// Returns the zone of a state, with its tail.
    #[must_use]
    pub(crate) fn reached(&self, i: usize) -> ReachedZone<'_, B> {
        match self.items[i].zone {
            BatchZone::Known(id) => ReachedZone::Known(id),
            BatchZone::Fresh(at) => ReachedZone::Fresh(&self.zones[at as usize..][..self.area]),
        }
    }

    /// Returns the zone of a state. It must have been computed, as it is if successors were
    /// requested without zone ids.
    ///
    /// # Panics
    /// If the zone has an id only.
    #[must_use]
    pub fn zone(&self, i: usize) -> &[B] {
        self.computed(i).0
    }

    /// Returns the tail of the zone of a state. It must have been computed.
    pub(crate) fn tail(&self, i: usize) -> &[B] {
        self.computed(i).1
    }

    fn computed(&self, i: usize) -> (&[B], &[B]) {
        match self.reached(i) {
            ReachedZone::Fresh(zone) => zone.split_at(self.visible),
            ReachedZone::Known(_) => panic!("a zone that was looked up by its number"),
        }
    }

    /// Returns the edges of the transition to a state: the sender first, then the receivers.
    #[must_use]
    pub fn edges(&self, i: usize) -> &[EdgeId] {
        let start = if i == 0 { 0 } else { self.items[i - 1].edges as usize };
        &self.edges[start..self.items[i].edges as usize]
    }

    pub(crate) fn ticket(&self, i: usize) -> Option<Ticket> {
        self.items[i].ticket
    }

    /// Returns the transition to a state, if it is listed.
    pub(crate) fn listed(&self, i: usize) -> Option<ListedMove> {
        self.items[i].listed.map(|(place, _)| place)
    }

    /// Returns the id of a state's discrete part, if it is known.
    #[must_use]
    pub(crate) fn discrete(&self, i: usize) -> Option<Discrete> {
        self.items[i].listed.and_then(|(_, discrete)| discrete)
    }

    /// Adds a state.
    pub(crate) fn push(&mut self, row: &[i32], zone: ReachedZone<'_, B>, edges: &[EdgeId], ticket: Option<Ticket>) {
        self.add(row, zone, edges, ticket, None);
    }

    /// Adds the target of a listed transition, with the id of its discrete part if it is known.
    pub(crate) fn push_listed(
        &mut self,
        row: &[i32],
        zone: ReachedZone<'_, B>,
        edges: &[EdgeId],
        ticket: Option<Ticket>,
        listed: (ListedMove, Option<Discrete>),
    ) {
        self.add(row, zone, edges, ticket, Some(listed));
    }

    #[inline]
    fn add(
        &mut self,
        row: &[i32],
        zone: ReachedZone<'_, B>,
        edges: &[EdgeId],
        ticket: Option<Ticket>,
        listed: Option<(ListedMove, Option<Discrete>)>,
    ) {
        let zone = match zone {
            ReachedZone::Known(id) => BatchZone::Known(id),
            ReachedZone::Fresh(zone) => {
                self.zones.extend_from_slice(zone);
                BatchZone::Fresh((self.zones.len() - self.area) as u32)
            }
        };
        let row = if self.shares && self.rows[..self.width] == *row { 0 } else { self.push_row(row) };
        // Mostly one or two.
        edges.iter().for_each(|edge| self.edges.push(*edge));
        self.items.push(BatchState { row, edges: self.edges.len() as u32, zone, ticket, listed });
    }

    /// Adds a row. Returns its number.
    #[inline]
    fn push_row(&mut self, row: &[i32]) -> u32 {
        self.rows.extend_from_slice(row);
        self.row_count += 1;
        self.row_count - 1
    }
}
