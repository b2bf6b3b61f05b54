//! The paths to what a search has found. Successors are computed again, in the same order.

use zone::Bound;

use super::{Acyclic, Finding};
use crate::{
    batch::Batch,
    graph::{BATCH_INTEGERS, RunError, ZoneGraph},
    liveness::{Lasso, nodes_after},
    rows::RowStore,
    search::Stop,
    store::NodeId,
    transitions::{SymbolicStep, SymbolicTrace},
};
use model::replay::Ending;

/// What the path to a finding is.
pub enum Followed<B> {
    /// A run.
    Run(Lasso<B>),
    /// The path to a run-time error.
    Error(SymbolicTrace<B>, RunError),
    /// The work has to stop.
    Stopped(Stop),
}

impl<B: Bound> Acyclic<'_, B> {
    /// Returns the number that the caller has given to the state in which the path to a finding
    /// starts.
    #[must_use]
    pub fn source(&self, finding: &Finding) -> u32 {
        match finding {
            Finding::Error(None, source, _) => source.unwrap_or(0),
            Finding::Error(Some(node), ..) | Finding::Ends(node, _) => self.roots[self.root(*node)].source,
            Finding::Cycle(nodes) => nodes.first().map_or(0, |node| self.roots[self.root(*node)].source),
        }
    }

    pub(super) fn root(&self, node: NodeId) -> usize {
        self.store.path(node).steps.first().map_or(0, |root| *root as usize)
    }

    /// Returns the path to a finding, from its source with this row on.
    pub fn follow(&mut self, graph: &mut ZoneGraph<'_, B>, row: &[i32], finding: Finding) -> Followed<B> {
        let found = match finding {
            Finding::Ends(node, ending) => {
                self.path(graph, Some(row), node).map(|trace| Followed::Run((trace, ending)))
            }
            Finding::Cycle(nodes) => self.lasso(graph, row, &nodes).map(Followed::Run),
            Finding::Error(None, _, error) => Ok(Followed::Error(vec![(Vec::new(), row.to_vec(), Vec::new())], error)),
            Finding::Error(Some(node), at, error) => self.path(graph, Some(row), node).and_then(|mut trace| {
                if let (Some(ordinal), Some((_, row, zone))) = (at, trace.last()) {
                    trace.extend(self.successor(graph, row, zone, |i, _, _| i == ordinal)?);
                }
                Ok(Followed::Error(trace, error))
            }),
        };
        found.unwrap_or_else(|error| match error.stop() {
            Some(stop) => Followed::Stopped(stop),
            None => Followed::Error(Vec::new(), error),
        })
    }

    /// Returns the path to a node from its root on, which has this row or the stored one.
    pub(super) fn path(
        &self,
        graph: &mut ZoneGraph<'_, B>,
        row: Option<&[i32]>,
        node: NodeId,
    ) -> Result<SymbolicTrace<B>, RunError> {
        let root = self.roots[self.root(node)];
        let (mut first, mut zone) = (Vec::new(), Vec::new());
        match row {
            Some(row) => row.clone_into(&mut first),
            None => self.store.row(root.node, &mut first),
        }
        self.store.zones().read(root.zone, &mut zone);
        let mut trace = vec![(Vec::new(), first, zone)];
        for ordinal in self.store.path(node).steps.into_iter().skip(1) {
            let Some((_, row, zone)) = trace.last() else { break };
            let Some(step) = self.successor(graph, row, zone, |i, _, _| i == ordinal)? else { break };
            trace.push(step);
        }
        Ok(trace)
    }

    /// Returns the path along a cycle of real arcs.
    fn lasso(&self, graph: &mut ZoneGraph<'_, B>, row: &[i32], nodes: &[NodeId]) -> Result<Lasso<B>, RunError> {
        let Some(&first) = nodes.first() else { return Ok((Vec::new(), Ending::Cycle(0))) };
        let mut trace = self.path(graph, Some(row), first)?;
        let start = trace.len() - 1;
        let (dim, simulates) = (graph.dim(), graph.covers_by_simulation());
        let mut rows = RowStore::new(graph.system());
        let mut from = self.path(graph, None, first)?.pop();
        for &node in nodes[1..].iter().chain([&first]) {
            let to = self.path(graph, None, node)?.pop();
            let (Some((_, row, zone)), Some((_, target, least))) = (&from, &to) else { break };
            let bounds = simulates.then(|| {
                let (lower, upper) = graph.bounds(target);
                (lower.to_vec(), upper.to_vec())
            });
            let target = rows.intern(target).0;
            let step = self.successor(graph, row, zone, |_, row, zone| {
                let includes = match &bounds {
                    None => zone::is_included(least, zone),
                    Some((lower, upper)) => zone::is_subsumed(least, zone, dim, lower, upper),
                };
                includes && rows.intern(row).0 == target
            })?;
            trace.extend(step);
            from = to;
        }
        Ok((trace, Ending::Cycle(start)))
    }

    /// Returns the first successor of a node, given its ordinal, row and zone, that is wanted.
    fn successor(
        &self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        mut is_wanted: impl FnMut(u32, &[i32], &[B]) -> bool,
    ) -> Result<Option<SymbolicStep<B>>, RunError> {
        let mut batch = graph.batch();
        let step = |batch: &Batch<B>, i: usize, zone: &[B]| {
            Some((batch.edges(i).to_vec(), batch.row(i).to_vec(), zone.to_vec()))
        };
        let mut ordinal = 0;
        if self.rows.is_none() {
            graph.transitions(row, zone, &mut batch)?;
            for i in 0..batch.len() {
                for piece in nodes_after(graph, self.formula, batch.row(i), batch.zone(i))? {
                    if is_wanted(ordinal, batch.row(i), &piece) {
                        return Ok(step(&batch, i, &piece));
                    }
                    ordinal += 1;
                }
            }
            return Ok(None);
        }
        let mut from = Some(0);
        while let Some(next) = from {
            batch.clear();
            from = graph.successors_from(next, row, zone, BATCH_INTEGERS, &mut batch)?;
            for i in 0..batch.len() {
                if is_wanted(ordinal, batch.row(i), batch.zone(i)) {
                    return Ok(step(&batch, i, batch.zone(i)));
                }
                ordinal += 1;
            }
        }
        Ok(None)
    }
}
