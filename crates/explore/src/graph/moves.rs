//! Lists of transitions for discrete states that are visited again with other zones.
//!
//! The transitions, their target rows and their effects depend on the row alone, unless clocks
//! decide which processes participate or how time passes. So they are listed once, when a discrete
//! state is visited for the second time, and only the zones remain to be computed. A table of
//! limited size holds the most recent lists.

use model::system::EdgeId;
use zone::Bound;

use super::{
    RunError, ZoneGraph,
    effect::{EffectId, EffectLookup},
    enabled::{TransitionVisitor, VisitEnd},
    kept::KeptRow,
};
use crate::{
    batch::Batch,
    store::Discrete,
    zones::{ZoneId, Zones},
};

/// The initial number of slots. The table grows by a factor of four each time half of it was
/// filled.
const MIN_SLOTS: usize = 1 << 8;
/// The approximate number of integers of the rows of a full table.
const TABLE_INTEGERS: usize = 1 << 22;
/// The greatest number of integers of all lists, and of one of them.
const MAX_INTEGERS: [usize; 2] = [2 * TABLE_INTEGERS, TABLE_INTEGERS / 8];

/// A transition.
#[derive(Clone, Copy)]
pub(super) struct ListedTransition {
    /// The end of its edges.
    edges: u32,
    pub(super) effect: EffectId,
    /// The discrete part of its target, once it is known.
    pub(super) target: Option<Discrete>,
}

/// The transitions of a discrete state.
#[derive(Clone, Default)]
struct MoveList {
    moves: Vec<ListedTransition>,
    edges: Vec<EdgeId>,
    rows: Vec<i32>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum MoveStage {
    /// The slot is free.
    #[default]
    Vacant,
    /// The discrete state was visited once.
    Visited,
    /// Its transitions are listed.
    Listed,
    /// Its transitions can't be listed.
    Unlisted,
}

#[derive(Clone, Default)]
struct MoveSlot {
    discrete: u32,
    stage: MoveStage,
    list: MoveList,
}

/// The transitions of some discrete states.
#[derive(Default)]
pub(super) struct Moves {
    slots: Vec<MoveSlot>,
    /// The number of lists since the table grew.
    made: usize,
    max_slots: usize,
    /// The number of integers of the lists.
    integers: usize,
    /// A buffer for the list that is made.
    buffer: MoveList,
}

/// The position of a transition in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedMove {
    slot: u32,
    number: u32,
}

impl MoveList {
    fn integers(&self) -> usize {
        self.moves.len() * (size_of::<ListedTransition>() / 4) + self.edges.len() + self.rows.len()
    }
}

impl Moves {
    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<MoveSlot>() + self.integers * 4 + self.buffer.integers() * 8
    }

    /// Creates an empty table for rows of `width` integers.
    pub(super) fn new(width: usize) -> Moves {
        // Assuming about eight transitions for each discrete state.
        let max_slots = (TABLE_INTEGERS / (8 * width.max(1))).clamp(MIN_SLOTS, 1 << 14).next_power_of_two();
        Moves { max_slots, ..Moves::default() }
    }

    /// Creates a table that never has lists.
    pub(super) fn off() -> Moves {
        Moves::default()
    }

    fn is_off(&self) -> bool {
        self.max_slots == 0
    }

    /// Removes all lists.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.integers = 0;
    }

    fn slot(&mut self, discrete: Discrete) -> usize {
        if self.slots.is_empty() || self.made * 2 > self.slots.len() && self.slots.len() < self.max_slots {
            let slots = (self.slots.len() * 4).clamp(MIN_SLOTS, self.max_slots);
            self.slots.clear();
            self.slots.resize_with(slots, MoveSlot::default);
            (self.made, self.integers) = (0, 0);
        }
        discrete.0 as usize & (self.slots.len() - 1)
    }

    /// Stores the discrete part of a transition's target.
    pub(super) fn arrives(&mut self, place: ListedMove, discrete: Discrete) {
        if let Some(slot) = self.slots.get_mut(place.slot as usize)
            && let Some(found) = slot.list.moves.get_mut(place.number as usize)
        {
            found.target = Some(discrete);
        }
    }
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Adds the successors of a state, if the transitions of its discrete part are listed. Returns
    /// `false` if they are not; then nothing is added.
    pub(crate) fn successors_listed(
        &mut self,
        discrete: Discrete,
        zone: &[B],
        known: (ZoneId, &Zones<B>),
        out: &mut Batch<B>,
    ) -> bool {
        self.with_list(discrete, |graph, place, edges, row, found| {
            if graph.effects.may_pass(found.effect, zone, graph.dim) {
                graph.pass(found.effect, zone, Some(known), |_, zone, ticket| {
                    out.push_listed(row, zone, edges, ticket, (place, found.target));
                });
            }
        })
    }

    /// Calls `visit` with the transitions of a discrete state, their positions, edges and target
    /// rows, if they are listed. Returns `false` if they are not.
    #[inline]
    pub(super) fn with_list(
        &mut self,
        discrete: Discrete,
        mut visit: impl FnMut(&mut Self, ListedMove, &[EdgeId], &[i32], &ListedTransition),
    ) -> bool {
        if self.system.has_priorities || self.moves.is_off() {
            return false;
        }
        let at = self.moves.slot(discrete);
        let slot = &mut self.moves.slots[at];
        if slot.discrete != discrete.0 || slot.stage != MoveStage::Listed {
            return false;
        }
        let list = std::mem::take(&mut slot.list);
        let width = self.system.initial.len();
        let mut from = 0;
        for (number, found) in list.moves.iter().enumerate() {
            let edges = &list.edges[from as usize..found.edges as usize];
            from = found.edges;
            let place = ListedMove { slot: at as u32, number: number as u32 };
            visit(self, place, edges, &list.rows[number * width..][..width], found);
        }
        self.moves.slots[at].list = list;
        true
    }

    /// Visits a state whose transitions are not listed. Lists them if it was visited before, and
    /// returns whether they are listed now.
    pub(super) fn visit(&mut self, discrete: Discrete, row: &[i32]) -> bool {
        if self.moves.is_off() {
            return false;
        }
        let at = self.moves.slot(discrete);
        let slot = &mut self.moves.slots[at];
        if slot.discrete != discrete.0 || slot.stage == MoveStage::Vacant {
            (slot.discrete, slot.stage) = (discrete.0, MoveStage::Visited);
            return false;
        }
        if slot.stage != MoveStage::Visited {
            return false;
        }
        let old = std::mem::take(&mut slot.list).integers();
        self.moves.integers -= old.min(self.moves.integers);
        let mut list = std::mem::take(&mut self.moves.buffer);
        list.moves.clear();
        list.edges.clear();
        list.rows.clear();
        let mut record = MoveRecorder { row, kept: KeptRow::default(), list, fails: false };
        let generation = self.effects.generation;
        let universe = std::mem::take(&mut self.universe);
        let fails = self.for_each_enabled(row, &universe, &mut record).is_err() || record.fails;
        self.universe = universe;
        // If the cache of effects was cleared meanwhile, so was this table.
        if self.effects.generation != generation {
            return false;
        }
        if self.moves.integers > MAX_INTEGERS[0] {
            // States that are visited again are listed again.
            self.moves.slots.fill(MoveSlot::default());
            self.moves.integers = 0;
        }
        let (stage, list) = if fails {
            (MoveStage::Unlisted, MoveList::default())
        } else {
            // Without spare capacity.
            (MoveStage::Listed, record.list.clone())
        };
        self.moves.buffer = record.list;
        self.moves.integers += list.integers();
        self.moves.slots[at] = MoveSlot { discrete: discrete.0, stage, list };
        self.moves.made += 1;
        !fails
    }
}

/// Lists transitions.
struct MoveRecorder<'b> {
    row: &'b [i32],
    kept: KeptRow,
    list: MoveList,
    /// Whether clocks decide which processes participate or how time passes, or updates may fail.
    fails: bool,
}

impl<B: Bound> TransitionVisitor<B> for MoveRecorder<'_> {
    fn transition(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        edges: &[EdgeId],
        _: &[B],
        whole: bool,
    ) -> Result<(), VisitEnd> {
        let found =
            if whole { graph.take_and_find(self.row, edges, &mut self.kept) } else { Ok(Some(EffectLookup::Uneven)) };
        match found {
            Ok(None) => {}
            Ok(Some(EffectLookup::Effect(effect))) => {
                self.list.edges.extend_from_slice(edges);
                self.list.rows.extend_from_slice(graph.target.row());
                self.list.moves.push(ListedTransition { edges: self.list.edges.len() as u32, effect, target: None });
                if self.list.integers() > MAX_INTEGERS[1] {
                    self.fails = true;
                    return Err(VisitEnd::Enough);
                }
            }
            Ok(Some(EffectLookup::Uneven)) | Err(RunError { .. }) => {
                self.fails = true;
                return Err(VisitEnd::Enough);
            }
        }
        Ok(())
    }
}
