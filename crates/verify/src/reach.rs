//! Whether a state can be reached.

use explore::{
    bounds::ClockBounds,
    graph::{Abstraction, ZoneGraph},
    search::{Limits, Observer, Outcome, follow, search},
    store::Store,
};
use model::{Formula, System};

use crate::{Answer, Plan, Reason, Trace, Verdict};

/// Searches for a state of the goal, whose finding means `found`.
pub fn reach(
    system: &System,
    bounds: ClockBounds,
    goal: &Formula,
    found: Verdict,
    plan: Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let mut graph = ZoneGraph::new(system, bounds, plan.abstraction);
    let mut store = Store::new(system, plan.update);
    let mut open = plan.order.open_list(plan.seed);
    let alu = plan.abstraction == Abstraction::Alu;
    let (outcome, counts) = search(&mut graph, goal, &mut store, &mut *open, alu, limits, observer);
    drop(store);
    let exact = !plan.update_is_imprecise() && !plan.stopwatches;
    let mut trace = None;
    let verdict = match outcome {
        Outcome::Exhausted => found.opposite(),
        Outcome::Found(path) => {
            trace = follow(&mut graph, &path).and_then(|steps| Trace::concrete(system, &steps, Some(goal)));
            // A run that the replayer has followed exists, however it was found.
            if exact || trace.as_ref().is_some_and(|t| t.replayed) { found } else { Verdict::Unknown(plan.doubt()) }
        }
        Outcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        Outcome::Error(path, error) => {
            trace = follow(&mut graph, &path).and_then(|steps| Trace::concrete(system, &steps, None));
            Verdict::Unknown(Reason::of(&error))
        }
    };
    Answer { verdict, plan, counts, values: None, trace }
}
