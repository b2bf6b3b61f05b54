//! The zones along a trace, for those who want to see all runs that take its edges, and symbolic
//! states one by one.

use explore::{
    batch::Batch,
    graph::{RunError, ZoneGraph},
};
use model::{
    Ratio, System,
    system::{ClockId, EdgeId},
};

use crate::{
    Constraint, Reason, Trace,
    cover::Constraints,
    path::holds,
    trace::{Move, carry_back},
};

/// The greatest size of a list of successors, in numbers.
const MAX_LIST: usize = 1 << 20;

/// A row with the exact zone of all valuations that a path reaches, delays included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicState {
    /// The row.
    pub row: Vec<i32>,
    zone: Vec<i64>,
}

impl SymbolicState {
    /// Returns whether a valuation lies in the zone. The first clock is the reference.
    #[must_use]
    pub fn contains(&self, clocks: &[Ratio]) -> bool {
        holds(&self.zone, clocks, Ratio::ZERO)
    }

    /// Returns the constraints of the zone, without those that follow from others.
    #[must_use]
    pub fn constraints(&self, system: &System) -> Vec<Constraint> {
        let clocks: Vec<ClockId> = (0..system.clocks.len() as u32).map(ClockId).collect();
        Constraints::new(&clocks).of(&self.zone).to_vec()
    }
}

/// Makes symbolic states one by one, without abstraction.
pub struct SymbolicSteps<'s> {
    graph: ZoneGraph<'s, i64>,
}

impl<'s> SymbolicSteps<'s> {
    /// Creates the steps of a system.
    #[must_use]
    pub fn new(system: &'s System) -> SymbolicSteps<'s> {
        SymbolicSteps { graph: ZoneGraph::exact(system) }
    }

    /// Returns the initial states: several, if urgency splits the delays.
    ///
    /// # Errors
    /// A run-time error of the model, or a limit.
    pub fn initial(&mut self) -> Result<Vec<SymbolicState>, Reason> {
        let mut batch = self.graph.batch();
        let made = self.graph.initial(&mut batch);
        self.explain(made)?;
        Ok(states(&batch).map(|(_, state)| state).collect())
    }

    /// Returns the successors of a state with the edges that lead to them: all, or those that fit
    /// into a list of about `MAX_LIST` numbers. A transition may have several.
    ///
    /// # Errors
    /// A run-time error of the model, or a limit.
    pub fn successors(&mut self, state: &SymbolicState) -> Result<Vec<(Vec<EdgeId>, SymbolicState)>, Reason> {
        let mut batch = self.graph.batch();
        let made = self.graph.successors_from(0, &state.row, &state.zone, MAX_LIST, &mut batch);
        self.explain(made)?;
        Ok(states(&batch).collect())
    }

    /// Returns the successors of a state by one transition.
    ///
    /// # Errors
    /// A run-time error of the model, or a limit.
    pub fn successors_by(&mut self, state: &SymbolicState, edges: &[EdgeId]) -> Result<Vec<SymbolicState>, Reason> {
        let mut batch = self.graph.batch();
        let made = self.graph.successors_by(&state.row, &state.zone, edges, &mut batch);
        self.explain(made)?;
        Ok(states(&batch).filter(|(taken, _)| taken == edges).map(|(_, state)| state).collect())
    }

    fn explain<T>(&self, made: Result<T, RunError>) -> Result<T, Reason> {
        made.map_err(|error| Reason::of(self.graph.system(), &error))
    }
}

/// Returns the states of a batch, with the edges that lead to them.
fn states(batch: &Batch<i64>) -> impl Iterator<Item = (Vec<EdgeId>, SymbolicState)> {
    (0..batch.len()).map(|i| {
        let state = SymbolicState { row: batch.row(i).to_vec(), zone: batch.zone(i).to_vec() };
        (batch.edges(i).to_vec(), state)
    })
}

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
