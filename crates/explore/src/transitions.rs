//! Transition systems: initial states, successors, and paths that are followed again.
//!
//! [`ZoneGraph`] is one, and others wrap it: `chain` skips states that are not stored, `symmetry`
//! replaces states by representatives, and in `local_time` each process has a time of its own. A
//! path is followed in the transition system that was searched, since its numbers are those of this
//! system's successors.

use model::system::EdgeId;
use zone::Bound;

use crate::{
    batch::Batch,
    goal::Goal,
    graph::{BATCH_INTEGERS, RunError, ZoneGraph},
    store::{Discrete, Store},
    zones::ZoneId,
};

/// A step of a symbolic trace: the edges taken, and the row and zone after them.
pub(crate) type SymbolicStep<B = i32> = (Vec<EdgeId>, Vec<i32>, Vec<B>);

/// A symbolic trace; the first step has no edges.
pub type SymbolicTrace<B = i32> = Vec<SymbolicStep<B>>;

/// A transition system over symbolic states.
pub trait Transitions<'a, B: Bound>: Send {
    /// Returns the zone graph underneath.
    fn graph(&mut self) -> &mut ZoneGraph<'a, B>;

    /// Creates an empty list for successors.
    fn new_batch(&mut self) -> Batch<B> {
        self.graph().batch()
    }

    /// Adds the initial states.
    ///
    /// # Errors
    /// A run-time error of the model.
    fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError>;

    /// Adds the next successors of a state, and moves the cursor after them. Goal states are never
    /// left out.
    ///
    /// # Errors
    /// A run-time error of the model.
    fn successors(
        &mut self,
        source: SourceState<'_, B>,
        cursor: &mut Cursor,
        goal: &mut dyn Goal<B>,
        out: &mut Batch<B>,
    ) -> Result<(), SuccessorError>;

    /// Follows a path. Returns `None` if it leads through joined zones and can't be taken.
    fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>>;

    /// The same for a path to a state of a goal. Where the transitions of a path are not in the
    /// order of time, it depends on the goal.
    fn follow_to(&mut self, path: &[u32], goal: &mut dyn Goal<B>) -> Option<SymbolicTrace<B>> {
        let _ = goal;
        self.follow(path)
    }
}

/// A stored state to expand.
pub struct SourceState<'s, B> {
    /// The store.
    pub store: &'s mut Store<B>,
    /// The ids of its discrete part and of its zone, which may be used for the first batch.
    pub(crate) ids: (Discrete, ZoneId),
    /// Its zone.
    pub zone: &'s [B],
    /// A buffer for its row, which is read with the first batch if it is needed.
    pub row: &'s mut Vec<i32>,
    /// Whether all successors are needed in one batch.
    pub at_once: bool,
}

/// A position in the successors of a state, which come in several batches.
#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    /// The next transition; `None`: there are no more.
    pub next: Option<usize>,
    /// The ordinal of the next successor.
    pub(crate) ordinal: u32,
    /// The number of states that were computed for the last batch.
    pub generated: usize,
}

impl Cursor {
    /// Before all successors.
    pub(crate) const START: Cursor = Cursor { next: Some(0), ordinal: 0, generated: 0 };
}

/// A run-time error in the expansion of a state.
#[derive(Debug)]
pub struct SuccessorError {
    /// The ordinal of the successor that fails; `None`: the state itself fails.
    pub(crate) via: Option<u32>,
    /// The error.
    pub error: RunError,
}

impl From<RunError> for SuccessorError {
    fn from(error: RunError) -> SuccessorError {
        SuccessorError { via: None, error }
    }
}

impl<'a, B: Bound> Transitions<'a, B> for ZoneGraph<'a, B> {
    fn graph(&mut self) -> &mut ZoneGraph<'a, B> {
        self
    }

    fn initial(&mut self, out: &mut Batch<B>) -> Result<(), RunError> {
        ZoneGraph::initial(self, out)
    }

    fn successors(
        &mut self,
        source: SourceState<'_, B>,
        cursor: &mut Cursor,
        _: &mut dyn Goal<B>,
        out: &mut Batch<B>,
    ) -> Result<(), SuccessorError> {
        let SourceState { store, ids: (discrete, id), zone, row, at_once } = source;
        let from = cursor.next.unwrap_or(0);
        cursor.next = None;
        if from > 0 {
            // The zone may have lost its id meanwhile. Since transitions of earlier batches are
            // enumerated again and skipped, batches grow with the store.
            let max = BATCH_INTEGERS.max(store.bytes() / 32);
            cursor.next = self.successors_from(from, row, zone, max, out)?;
        } else {
            if !self.successors_listed(discrete, zone, (id, store.zones()), out) {
                store.read_row(discrete, row);
                // A state that covers or joins others is compared with a whole group of states;
                // a successor that is the source again need not be.
                if at_once {
                    out.share(row);
                }
                cursor.next = self.successors_of(discrete, row, zone, (id, store.zones()), at_once, out)?;
            }
        }
        out.number_from(cursor.ordinal);
        cursor.ordinal += out.len() as u32;
        cursor.generated = out.len();
        Ok(())
    }

    fn follow(&mut self, path: &[u32]) -> Option<SymbolicTrace<B>> {
        let mut trace: SymbolicTrace<B> = Vec::new();
        let mut batch = self.batch();
        for &ordinal in path {
            let mut i = ordinal as usize;
            let mut from = Some(0);
            batch.clear();
            // Successors come in batches.
            while let Some(at) = from {
                i -= batch.len();
                batch.clear();
                from = match trace.last() {
                    None => ZoneGraph::initial(self, &mut batch).map(|()| None).ok()?,
                    Some((_, row, zone)) => self.successors_from(at, row, zone, BATCH_INTEGERS, &mut batch).ok()?,
                };
                if i < batch.len() {
                    break;
                }
            }
            if i >= batch.len() {
                return None;
            }
            trace.push((batch.edges(i).to_vec(), batch.row(i).to_vec(), batch.zone(i).to_vec()));
        }
        Some(trace)
    }
}
