//! The zones along a trace, for those who want to see all runs that take its edges.

use explore::graph::ZoneGraph;
use model::{Ratio, System, system::EdgeId};

use crate::{
    Trace,
    path::holds,
    trace::{Move, carry_back},
};

impl Trace {
    /// The exact zones along the trace, as rows of the crate `zone`: one for the start and one
    /// after each step, delays included. With `stable` they hold only valuations that lie on a run
    /// along the whole trace. `None`: the trace leads through zones that are too large, and can't
    /// be followed.
    #[must_use]
    pub fn zones(&self, system: &System, stable: bool) -> Option<Vec<Vec<i64>>> {
        let mut graph = ZoneGraph::<i64>::exact(system);
        let (mut path, mut zones): (Vec<Move>, Vec<Vec<i64>>) = (Vec::new(), Vec::new());
        let mut batch = graph.batch();
        for i in 0..=self.steps.len() {
            let (edges, row): (&[EdgeId], _) = match i.checked_sub(1) {
                None => (&[], &self.start),
                Some(before) => (&self.steps[before].edges, &self.steps[before].row),
            };
            batch.clear();
            match path.last().zip(zones.last()) {
                None => graph.initial(&mut batch).ok()?,
                Some(((_, from), zone)) => graph.successors(from, zone, &mut batch).ok()?,
            }
            // A state may fall into several zones. One that holds the run's own valuation has the
            // rest of the run.
            let passes = |k: &usize| self.times.as_ref().is_none_or(|t| holds(batch.zone(*k), &t[i].left, Ratio::ZERO));
            let mut fitting = (0..batch.len()).filter(|&k| batch.edges(k) == edges && batch.row(k) == row);
            let chosen = fitting.find(passes)?;
            path.push((edges.to_vec(), row.clone()));
            zones.push(batch.zone(chosen).to_vec());
        }
        if stable { carry_back(&mut graph, &path, zones) } else { Some(zones) }
    }
}
