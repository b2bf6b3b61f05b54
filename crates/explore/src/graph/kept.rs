//! Transitions that keep the row of their source.
//!
//! In models in which sets grow, most transitions change nothing: a message is sent again. Such a
//! transition leaves the target machine in the state of the source, so that the next transition
//! need not load it. All with the same clock guard have the same effect.

use model::system::EdgeId;
use zone::Bound;

use super::{EffectLookup, RunError, ZoneGraph};

/// What is known while the transitions of one row are taken.
#[derive(Default)]
pub(super) struct KeptRow {
    /// Whether the target machine is in the state of the source.
    is_loaded: bool,
    /// The effect of a transition that keeps the row: the id of its clock guard, the generation of
    /// the cache of effects, and the effect's index.
    effect: Option<(u32, u32, u32)>,
}

impl<B: Bound> ZoneGraph<'_, B> {
    /// Runs the updates of a transition on the target machine, and returns its effect; `None`: the
    /// condition of an invariant does not hold. `kept` is that of the row.
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
        let [edge] = edges else { return self.effect(edges) };
        let edge = &self.prepared.edges[edge.0 as usize];
        let (number, is_dynamic) = (edge.limits.number(), edge.limits.is_dynamic());
        if row[edge.process as usize] != edge.target || self.target.row() != row {
            return self.effect(edges);
        }
        kept.is_loaded = true;
        // Invariants, urgency and clock bounds are those of the source.
        let is_plain = !is_dynamic && self.target.changes.is_empty();
        if let Some((known, generation, effect)) = kept.effect.filter(|_| is_plain)
            && (known, generation) == (number, self.effects.generation)
        {
            return Ok(Some(EffectLookup::Effect(effect)));
        }
        let found = self.effect(edges)?;
        if let Some(EffectLookup::Effect(effect)) = found.filter(|_| is_plain) {
            kept.effect = Some((number, self.effects.generation, effect));
        }
        Ok(found)
    }
}
