//! Decides whether a goal state that was found through joins is reachable, and if not, which join
//! is to blame.

use super::{
    Merging,
    probe::{EdgePath, ProbeState},
    split::Splits,
};
use crate::{
    batch::Batch,
    graph::{RunError, ZoneGraph},
    store::{NodeId, Store},
    zones::ZoneId,
};
use zone::Bound;

/// The verdict on a goal state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It is reachable by this path: ordinals of successors, the first one among the initial
    /// states.
    Real(Vec<u32>),
    /// It is not reachable by the path that was found: the state whose join is to blame, and the
    /// rest of the path.
    Spurious(NodeId, EdgePath),
}

impl<B: Bound> Merging<'_, B> {
    /// Walks back from a goal state. At each state the path from there to the goal is tried from
    /// the state that was reached, then from the states that were joined with it: if it is possible
    /// from one of these, the walk continues through that one. If from none, this is the last join
    /// without which the path does not reach the goal.
    pub(crate) fn judge(&mut self, store: &Store<B>, goal: NodeId) -> Judgement {
        let wide = std::mem::take(&mut self.wide);
        let judgement = self.judge_by(store, goal, &wide);
        self.wide = wide;
        judgement
    }

    fn judge_by(&mut self, store: &Store<B>, goal: NodeId, wide: &[bool]) -> Judgement {
        let (Some(ancestry), Some(probe)) = (&self.ancestry, &mut self.probe) else {
            return Judgement::Real(store.path(goal).steps);
        };
        let is_wide = |node: NodeId| wide.get(node.0 as usize).is_some_and(|is| *is);
        let splits = &mut self.splits;
        let mut path: EdgePath = Vec::new();
        let mut at = goal;
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let read = |node: NodeId, row: &mut Vec<i32>, zone: &mut Vec<B>| {
            let id: ZoneId = ancestry.zones.get(&node).copied().unwrap_or_else(|| store.zone(node));
            store.row(node, row);
            store.zones().read(id, zone);
        };
        loop {
            let (parent, ordinal) = store.parent(at);
            let mut batch = probe.graph().batch();
            let made = match parent {
                None => probe.graph().initial(&mut batch),
                Some(parent) => {
                    read(parent, &mut row, &mut zone);
                    let splits = splits.as_mut().filter(|_| is_wide(parent));
                    successors(probe.graph(), splits, (&row, &zone), &mut batch)
                }
            };
            let i = ordinal as usize;
            if made.is_ok() && i < batch.len() {
                let state = ProbeState { row: batch.row(i), zone: batch.zone(i), is_wide: parent.is_some_and(is_wide) };
                match parent {
                    None => {
                        if let Some(path) = probe.ordinals(state.row, state.zone, &path) {
                            return Judgement::Real(std::iter::once(ordinal).chain(path).collect());
                        }
                    }
                    Some(parent) => {
                        if probe.leads(splits.as_mut(), state, &path) {
                            path.insert(0, batch.edges(i).to_vec());
                            at = parent;
                            continue;
                        }
                    }
                }
            }
            let part = ancestry.parts_of(at).iter().copied().find(|part| {
                read(*part, &mut row, &mut zone);
                let state = ProbeState { row: &row, zone: &zone, is_wide: is_wide(*part) };
                probe.leads(splits.as_mut(), state, &path)
            });
            match part {
                Some(part) => at = part,
                None => return Judgement::Spurious(at, path),
            }
        }
    }
}

/// Adds the successors of a state, with those that it has for smaller elements only if it is wide.
pub(super) fn successors<B: Bound>(
    graph: &mut ZoneGraph<'_, B>,
    splits: Option<&mut Splits<'_>>,
    (row, zone): (&[i32], &[B]),
    out: &mut Batch<B>,
) -> Result<(), RunError> {
    graph.successors(row, zone, out)?;
    splits.map_or(Ok(()), |splits| splits.successors(graph, row, zone, None, out))
}
