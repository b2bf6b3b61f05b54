//! States that a worker expands for another one, which still owns them.
//!
//! The states of a level are not spread evenly. A worker that has none left would wait for the
//! others, so they lend it some of theirs. Only expansions are lent: the successors go to their
//! owners as if the lender had computed them.

use std::ops::ControlFlow::{self, Break, Continue};

use zone::Bound;

use super::{Progress, Search, SearchOutcome, Source};
use crate::shard::BorrowedState;

/// The number of expansions after which a worker looks whether others rest.
const EXPANSIONS: usize = 16;

impl<B: Bound> Search<'_, '_, B> {
    /// Lends open states to workers that rest.
    #[inline]
    pub(super) fn lend(&mut self, at: &mut Progress<B>) {
        let Some(shard) = &mut self.shard else { return };
        if !at.counts.explored.is_multiple_of(EXPANSIONS) || self.seen.needs_all_successors() {
            return;
        }
        while let Some((to, share)) = shard.borrower() {
            let nodes = self.open.lend(share);
            if nodes.is_empty() {
                return;
            }
            for node in nodes.into_iter().filter(|node| !self.seen.store.is_gone(*node)) {
                shard.add_to_loan(&self.seen.store, node, self.open.stamp(node), &mut at.row);
            }
            shard.lend(to);
        }
    }

    /// Expands a state that another worker has lent. Returns `false` if there is none.
    pub(super) fn expand_borrowed(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome, bool> {
        let Some(shard) = &mut self.shard else { return Continue(false) };
        let Some(BorrowedState { owner, origin, ids }) = shard.next_borrowed(&mut self.seen.store, &mut at.row) else {
            return Continue(false);
        };
        let before = (at.counts.explored, at.counts.generated);
        self.begin_expansion(at)?;
        let expanded = self.expand_as(Source::Borrowed(owner, origin), ids, at);
        if let Break(SearchOutcome::Stopped(_) | SearchOutcome::Error(..)) = expanded {
            // The lender expands it again if the search goes on.
            (at.counts.explored, at.counts.generated) = before;
        }
        expanded?;
        self.shard.iter_mut().for_each(|shard| shard.end_borrowed());
        Continue(true)
    }
}
