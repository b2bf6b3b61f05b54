//! What a search does once more: transitions whose targets were removed, the goal in a state on
//! which a saved search was stopped, and stored states that are open again.

use std::ops::ControlFlow::{self, Break, Continue};

use zone::Bound;

use super::{Progress, Search, SearchOutcome, Source, Stop, incomplete, or_break};
use crate::{
    goal::AfterGoal,
    open::{Arrival, OpenList},
    seen::Incomplete,
    store::{NodeId, Store},
};

impl<B: Bound> Search<'_, '_, B> {
    /// Takes transitions again whose targets were removed when a join was undone. They come first,
    /// so that their targets can cover other states.
    pub(super) fn take_undone_again(&mut self, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        while !self.pauses(at)
            && let Some((from, ordinals)) = self.seen.next_again()
        {
            let taken = self.take_again(from, &ordinals, at);
            if taken.is_break() {
                // A saved search takes them once more. The targets that it has stored cover
                // themselves.
                self.seen.again_later(from, ordinals);
            }
            taken?;
        }
        Continue(())
    }

    /// Takes transitions of a state, or initial ones, again.
    fn take_again(
        &mut self,
        from: Option<NodeId>,
        ordinals: &[u32],
        at: &mut Progress<B>,
    ) -> ControlFlow<SearchOutcome> {
        let Progress { counts, batch, row, zone, buffer, next_check, again, .. } = at;
        batch.clear();
        let mut before = Source::Initial;
        let made = match from {
            None => self.transitions.initial(batch).map_err(Incomplete::Error),
            Some(node) if self.seen.store.is_gone(node) => return Continue(()),
            Some(node) => {
                self.seen.store.get(node, row, zone);
                before = Source::State(node, Some(self.seen.store.zone(node)));
                let graph = self.transitions.graph();
                let own = graph.successors(row, zone, batch).map_err(Incomplete::Error);
                own.and_then(|()| self.seen.split(node, graph, row, zone, batch))
            }
        };
        or_break(made.map_err(|why| incomplete(&self.seen.store, from, why)))?;
        counts.generated += ordinals.len();
        let mut numbers = vec![None; batch.len()];
        for i in ordinals {
            let Some(number) = numbers.get_mut(*i as usize) else {
                // What a search notes are transitions that it has taken, so a checkpoint is wrong.
                let stop = self.limits.distrust_checkpoint("a state does not have so many transitions");
                return Break(SearchOutcome::Stopped(stop.unwrap_or(Stop::Interrupted)));
            };
            *number = Some(*i);
        }
        batch.renumber(numbers.into_iter());
        self.add(before, batch, buffer, counts)?;
        // These transitions may reach the goal through another join, which is undone as well, and
        // so on, without any state being explored.
        *again += 1;
        if *again & 0xFF == 0 {
            self.check_limits(counts, batch.bytes(), next_check)?;
        }
        Continue(())
    }

    /// Compares the goal with a state that was stored just before a saved search was stopped, and
    /// puts it into the open list.
    pub(super) fn judge_restored(&mut self, node: NodeId, at: &mut Progress<B>) -> ControlFlow<SearchOutcome> {
        let Progress { row, zone, buffer, .. } = at;
        if self.seen.store.is_gone(node) {
            return Continue(());
        }
        buffer.unjudged = Some(node);
        let store = &self.seen.store;
        store.get(node, row, zone);
        let part = self.goal.part(self.transitions.graph(), row, zone);
        if or_break(part.map_err(|error| SearchOutcome::Error(store.path(node), error)))?.is_some() {
            match self.goal.found(node, store) {
                AfterGoal::Continue => {}
                AfterGoal::Pause => {
                    self.pauses = true;
                    self.shard.iter().for_each(|shard| shard.pause());
                }
                AfterGoal::Stop => {
                    self.found(node)?;
                    buffer.unjudged = None;
                    return Continue(());
                }
            }
        }
        reopen(&self.seen.store, self.open, [(node, None)].into_iter());
        buffer.unjudged = None;
        Continue(())
    }
}

/// Puts stored states into an open list, with what the open list of another worker says about their
/// parents.
pub(crate) fn reopen<B: Bound>(
    store: &Store<B>,
    open: &mut dyn OpenList<B>,
    nodes: impl Iterator<Item = (NodeId, Option<u64>)>,
) {
    let (mut row, mut zone) = (Vec::new(), Vec::new());
    for (node, stamp) in nodes {
        store.get(node, &mut row, &mut zone);
        open.push(&Arrival {
            node,
            parent: store.parent(node).0.filter(|_| stamp.is_none()),
            stamp,
            zone_before: None,
            row: &row,
            zone: &zone,
            edges: &[],
            goal: None,
            discrete: store.discrete(node),
            store,
        });
    }
}
