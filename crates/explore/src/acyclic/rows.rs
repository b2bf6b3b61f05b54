//! What rows decide about nodes, if the formula has no clocks and time passes alike in all
//! valuations. The nodes of a row where the formula holds are then its symbolic states.

use model::{Formula, replay::Ending};
use zone::Bound;

use crate::{
    deadlock::deadlocks,
    graph::{RunError, ZoneGraph},
    parts::decided,
    store::Discrete,
    time::Time,
};

/// What is known about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowFact {
    /// Nothing yet.
    Unknown,
    /// The formula does not hold.
    Fails,
    /// The formula holds, and time may diverge.
    Waits,
    /// The formula holds, and no valuation within the invariants is a deadlock.
    Lives,
    /// The formula holds, and some valuations may be deadlocks.
    MayStop,
}

/// What is known about all rows, by their ids.
pub(super) struct RowFacts(Vec<RowFact>);

impl RowFacts {
    /// Returns the empty table, if rows decide a formula.
    pub(super) fn of<B: Bound>(formula: &Formula, graph: &ZoneGraph<'_, B>) -> Option<RowFacts> {
        let system = graph.system();
        // Rows that differ in meta variables have one id.
        let has_metas = system.identity < system.initial.len();
        let fits = !has_metas && !system.has_priorities && graph.has_simple_time() && is_discrete(formula);
        fits.then(|| RowFacts(Vec::new()))
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.capacity()
    }

    /// Returns what is known about a row.
    pub(super) fn of_row<B: Bound>(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        formula: &Formula,
        Discrete(id): Discrete,
        row: &[i32],
    ) -> Result<RowFact, RunError> {
        let id = id as usize;
        if id >= self.0.len() {
            self.0.resize(id + 1, RowFact::Unknown);
        }
        if self.0[id] == RowFact::Unknown {
            self.0[id] = find(graph, formula, row)?;
        }
        Ok(self.0[id])
    }
}

impl RowFact {
    /// Returns how a maximal run ends in a zone of the row, if one does. The zone may have
    /// valuations that violate invariants, which no run has.
    pub(super) fn ending<B: Bound>(
        self,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
    ) -> Result<Option<Ending>, RunError> {
        match self {
            RowFact::Unknown | RowFact::Fails | RowFact::Lives => Ok(None),
            RowFact::Waits => Ok(Some(Ending::Waits)),
            RowFact::MayStop => {
                let Some(time) = Time::of(graph, row)? else { return Ok(None) };
                let mut part = zone.to_vec();
                if !zone::intersect(&mut part, graph.dim(), &time.invariant) {
                    return Ok(None);
                }
                let dead = deadlocks(graph, row, &part, &time.future(&part), false)?;
                Ok((!dead.is_empty()).then_some(Ending::Stops))
            }
        }
    }
}

/// Returns whether a formula is about rows alone.
fn is_discrete(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Condition(_) => true,
        Formula::Clock(_) | Formula::Deadlock { .. } => false,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_discrete),
        Formula::NetDeadlock { states, .. } => is_discrete(states),
    }
}

fn find<B: Bound>(graph: &mut ZoneGraph<'_, B>, formula: &Formula, row: &[i32]) -> Result<RowFact, RunError> {
    if decided(graph, formula, row)? != Some(true) {
        return Ok(RowFact::Fails);
    }
    let Some(time) = Time::of(graph, row)? else { return Ok(RowFact::Fails) };
    if time.may_diverge() {
        return Ok(RowFact::Waits);
    }
    // A transition may fail where the model never is. Then the zones are asked.
    match deadlocks(graph, row, &time.invariant, &time.invariant, false) {
        Ok(dead) if dead.is_empty() => Ok(RowFact::Lives),
        Err(error) if error.stop().is_some() => Err(error),
        Ok(_) | Err(_) => Ok(RowFact::MayStop),
    }
}
