//! Whether a state can be reached.

use explore::{
    bounds::ClockBounds,
    goal::witness,
    graph::ZoneGraph,
    search::{Limits, Observer, Outcome, Search, follow},
    store::Store,
};
use model::{Formula, Property, System};

use crate::{
    Abstraction, Answer, Plan, Reason, Trace, Verdict, Wanted,
    fastest::{self, earliest},
    trace::run_to,
};

/// Searches for a state of the goal, whose finding means `found`. Returns the states seen as well.
pub fn reach(
    system: &System,
    goal: &Formula,
    found: Verdict,
    plan: Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Store) {
    let property = Property::Possibly(goal.clone());
    let clock = system.clocks.len();
    let timed = (plan.wanted == Wanted::Fastest).then(|| fastest::timed(system));
    let searched = timed.as_ref().unwrap_or(system);
    let mut bounds = ClockBounds::new(searched, &property);
    if timed.is_some() {
        bounds.measure(clock);
    }
    let mut in_goal = |graph: &mut ZoneGraph<'_>, row: &[i32], zone: &[i32]| {
        let found = witness(graph, goal, row, zone)?;
        // Any part will do, but where time matters.
        if found.is_some() && plan.wanted == Wanted::Fastest { earliest(graph, goal, row, zone) } else { Ok(found) }
    };
    let mut graph = ZoneGraph::new(searched, bounds, plan.abstraction);
    let mut store = Store::new(searched, plan.update);
    let (outcome, counts) = Search {
        graph: &mut graph,
        goal: &mut in_goal,
        store: &mut store,
        open: &mut *plan.open_list(clock),
        alu: plan.abstraction == Abstraction::Alu,
        shortest: plan.wanted == Wanted::Shortest,
        limits,
        observer,
    }
    .run();
    let exact = !plan.update_is_imprecise() && !plan.stopwatches;
    let mut trace = None;
    let verdict = match outcome {
        Outcome::Exhausted => found.opposite(),
        Outcome::Found(path) => {
            trace = follow(&mut graph, &path).and_then(|steps| match timed {
                Some(_) => {
                    let run = fastest::run(system, &mut graph, &steps, goal);
                    Trace::along(&steps, run.or_else(|| run_to(system, &steps, Some(goal))))
                }
                None => Trace::concrete(system, &steps, Some(goal)),
            });
            // A run that the replayer has followed exists, however it was found.
            if exact || trace.as_ref().is_some_and(|t| t.replayed) { found } else { Verdict::Unknown(plan.doubt()) }
        }
        Outcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        Outcome::Error(path, error) => {
            trace = follow(&mut graph, &path).and_then(|steps| Trace::concrete(system, &steps, None));
            Verdict::Unknown(Reason::of(&error))
        }
    };
    (Answer { verdict, plan, counts, values: None, trace }, store)
}
