//! What a graph remembers only to save time is dropped when memory is scarce.

use zone::Bound;

use super::{ZoneGraph, effect::Effects, moves::Moves};

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns whether the caches were dropped.
    pub(crate) fn is_frugal(&self) -> bool {
        self.is_frugal
    }

    /// Drops the caches, which stay small from now on. No batch that the graph has filled may be in
    /// use.
    pub(crate) fn drop_caches(&mut self) {
        self.is_frugal = true;
        // Numbers of effects are given anew, so all that has them goes with them.
        self.effects = Effects::frugal(self.effects.generation + 1);
        self.memo.drop_all();
        self.source.forget_results();
        self.target.forget_results();
        self.moves = Moves::off();
    }
}
