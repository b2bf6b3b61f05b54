//! The transitions of discrete states that are met again, with other zones.
//!
//! Which transitions there are, the rows behind them and their effects are a matter of the row
//! alone, unless clocks have a say in who takes part or how time passes. So they are found once,
//! when a discrete state is met for the second time, and only the zones are left to compute. A
//! table of limited size keeps those that were met last.

use model::system::EdgeId;
use zone::Bound;

use super::{
    RunError, ZoneGraph,
    effect::EffectLookup,
    enabled::{TransitionVisitor, VisitEnd},
};
use crate::{
    batch::Batch,
    store::Discrete,
    zones::{ZoneId, Zones},
};

/// Slots of the table: as many as this at first, four times as many each time half of it was
/// filled.
const FEWEST: usize = 1 << 8;
/// About how many numbers the rows of a full table have.
const ROOM: usize = 1 << 22;
/// How many numbers all lists have at most, and one of them.
const MOST: [usize; 2] = [2 * ROOM, ROOM / 8];

/// A transition.
#[derive(Clone, Copy)]
struct ListedTransition {
    /// The end of its edges.
    edges: u32,
    effect: u32,
    /// The discrete part behind it, once it is known.
    target: Option<Discrete>,
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
    /// Nobody has the slot.
    #[default]
    Vacant,
    /// The discrete state was met once.
    Met,
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
    /// How many lists were made since the table grew.
    made: usize,
    most: usize,
    /// How many numbers the lists have.
    numbers: usize,
}

/// A transition in the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListedMove {
    slot: u32,
    number: u32,
}

impl MoveList {
    fn numbers(&self) -> usize {
        self.moves.len() * (size_of::<ListedTransition>() / 4) + self.edges.len() + self.rows.len()
    }
}

impl Moves {
    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        // Lists have room to spare.
        self.slots.capacity() * size_of::<MoveSlot>() + self.numbers * 5
    }

    /// For rows of `width` numbers.
    pub(super) fn new(width: usize) -> Moves {
        // About eight transitions for each discrete state.
        let most = (ROOM / (8 * width.max(1))).clamp(FEWEST, 1 << 14).next_power_of_two();
        Moves { slots: Vec::new(), made: 0, most, numbers: 0 }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.numbers = 0;
    }

    fn slot(&mut self, discrete: Discrete) -> usize {
        if self.slots.is_empty() || self.made * 2 > self.slots.len() && self.slots.len() < self.most {
            let slots = (self.slots.len() * 4).clamp(FEWEST, self.most);
            self.slots.clear();
            self.slots.resize(slots, MoveSlot::default());
            (self.made, self.numbers) = (0, 0);
        }
        discrete.0 as usize & (self.slots.len() - 1)
    }

    /// Remembers the discrete part behind a transition.
    pub(super) fn arrives(&mut self, place: ListedMove, discrete: Discrete) {
        if let Some(slot) = self.slots.get_mut(place.slot as usize)
            && let Some(found) = slot.list.moves.get_mut(place.number as usize)
        {
            found.target = Some(discrete);
        }
    }
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// The successors of a state, if the transitions of its discrete part are listed. `false`: they
    /// are not, and nothing was added.
    pub fn successors_listed(
        &mut self,
        discrete: Discrete,
        zone: &[B],
        known: (ZoneId, &Zones<B>),
        out: &mut Batch<B>,
    ) -> bool {
        if self.system.has_priorities {
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
            if !self.effects.may_pass(found.effect, zone, self.dim) {
                continue;
            }
            let row = &list.rows[number * width..][..width];
            let place = ListedMove { slot: at as u32, number: number as u32 };
            self.pass(found.effect, zone, Some(known), |_, zone, ticket| {
                out.push_listed(row, zone, edges, ticket, (place, found.target));
            });
        }
        self.moves.slots[at].list = list;
        true
    }

    /// A state is met whose transitions are not listed. Returns whether they are now, as they are
    /// if it was met before.
    pub(super) fn meet(&mut self, discrete: Discrete, row: &[i32]) -> bool {
        let at = self.moves.slot(discrete);
        let slot = &mut self.moves.slots[at];
        if slot.discrete != discrete.0 || slot.stage == MoveStage::Vacant {
            (slot.discrete, slot.stage) = (discrete.0, MoveStage::Met);
            return false;
        }
        if slot.stage != MoveStage::Met {
            return false;
        }
        let mut record = MoveRecorder { row, list: std::mem::take(&mut slot.list), fails: false };
        self.moves.numbers -= record.list.numbers().min(self.moves.numbers);
        record.list.moves.clear();
        record.list.edges.clear();
        record.list.rows.clear();
        let generation = self.effects.generation;
        let mut universe = vec![B::LE_ZERO; self.dim * self.dim];
        zone::universe(&mut universe, self.dim);
        let fails = self.for_each_enabled(row, &universe, &mut record).is_err() || record.fails;
        // Effects that were forgotten meanwhile took all slots with them.
        if self.effects.generation != generation {
            return false;
        }
        let stage = if fails { MoveStage::Unlisted } else { MoveStage::Listed };
        if fails {
            record.list = MoveList::default();
        }
        if self.moves.numbers > MOST[0] {
            // What is met again is listed again.
            self.moves.slots.fill(MoveSlot::default());
            self.moves.numbers = 0;
        }
        self.moves.numbers += record.list.numbers();
        self.moves.slots[at] = MoveSlot { discrete: discrete.0, stage, list: record.list };
        self.moves.made += 1;
        !fails
    }
}

/// Lists transitions.
struct MoveRecorder<'b> {
    row: &'b [i32],
    list: MoveList,
    /// Whether clocks decide who takes part or how time passes, or updates may go wrong.
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
        let found = if whole {
            graph.take(self.row, edges).and_then(|()| graph.effect(edges))
        } else {
            Ok(Some(EffectLookup::Uneven))
        };
        match found {
            Ok(None) => {}
            Ok(Some(EffectLookup::Effect(effect))) => {
                self.list.edges.extend_from_slice(edges);
                self.list.rows.extend_from_slice(graph.target.row());
                self.list.moves.push(ListedTransition { edges: self.list.edges.len() as u32, effect, target: None });
                if self.list.numbers() > MOST[1] {
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
