//! A random run as a trace.

use model::{
    LoweredQuery,
    replay::replay,
    stochastic::{PathGoal, PathProperty, StochasticSystem},
};
use verify::Trace;

use super::path::goal;
use crate::Model;

/// Returns a run that reaches what is asked for, or violates what always has to hold, up to that
/// moment. It was replayed by the rules of the model that other queries are about. `None`: that is
/// not possible.
pub(super) fn trace(
    model: &Model,
    system: &StochasticSystem,
    (reaches, path): (&LoweredQuery, &PathProperty),
    (seed, run): (u64, u64),
) -> Option<Trace> {
    // What has to hold before is not part of a trace.
    if matches!(path.path, PathGoal::Until(..)) {
        return None;
    }
    let steps = statistical::decided_run(system, path, seed, run)?;
    let (symbolic, property) = model.loaded.system.with(reaches);
    replay(&symbolic, &steps, goal(&property)).ok().map(|run| Trace::of_run(run, None))
}
