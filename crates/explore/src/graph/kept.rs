//! Transitions that keep the row of their source.
//!
//! In models in which sets grow, most transitions change nothing: a message is sent again. Such a
//! transition leaves the target machine in the state of the source, so that the next transition
//! need not load it. All with the same clock guard have the same effect.

use model::system::EdgeId;
use zone::Bound;

use super::{EffectLookup, RunError, ZoneGraph, effect::EffectId};

/// What is known while the transitions of one row are taken.
#[derive(Default)]
pub(super) struct KeptRow {
    /// Whether the target machine is in the state of the source.
    is_loaded: bool,
    /// Whether the graph has the signature of the source.
    is_signed: bool,
    /// The effect of a transition that keeps the row: the id of its clock guard, the generation of
    /// the cache of effects, and the effect.
    effect: Option<(u32, u32, EffectId)>,
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Runs the updates of a transition on the target machine, and returns its effect; `None`: the
    /// condition of an invariant does not hold. `kept` is that of the row.
    #[inline(always)]
    pub(super) fn take_and_find(
        &mut self,
        row: &[i32],
        edges: &[EdgeId],
        kept: &mut KeptRow,
    ) -> Result<Option<EffectLookup>, RunError> {
        if !std::mem::take(&mut kept.is_loaded) {
            self.target.load(row);
        }
        debug_assert_eq!(self.target.row(), row);
        self.update(edges)?;
        if !std::mem::replace(&mut kept.is_signed, true) {
            self.signatures.of_row(row, &mut self.source_signature);
        }
        self.signatures.after(&self.source_signature, edges, &mut self.signature);
        debug_assert!(self.signatures.is_of(self.target.row(), &self.signature));
        kept.is_loaded = match edges {
            [e] => {
                let edge = &self.prepared.edges[e.0 as usize];
                row[edge.process as usize] == edge.target && self.target.row() == row
            }
            _ => false,
        };
        // Invariants, urgency and clock bounds are those of the source then.
        let guard = edges.first().map(|e| self.prepared.edges[e.0 as usize].limits);
        let plain = guard.filter(|guard| kept.is_loaded && !guard.is_dynamic() && self.target.changes.is_empty());
        if let (Some(guard), Some((number, generation, effect))) = (plain, kept.effect)
            && (number, generation) == (guard.number(), self.effects.generation)
        {
            return Ok(Some(EffectLookup::Effect(effect)));
        }
        let found = self.effect(edges)?;
        if let (Some(guard), Some(EffectLookup::Effect(effect))) = (plain, found) {
            kept.effect = Some((guard.number(), self.effects.generation, effect));
        }
        Ok(found)
    }
}
