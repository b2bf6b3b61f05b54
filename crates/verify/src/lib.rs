//! Query to answer.
//!
//! [`answer`] plans and runs the search for a property and wraps what it finds: a verdict, why there is none, a trace
//! that was replayed before anybody sees it, and what was counted.

mod cover;
mod plan;
mod trace;

use explore::{
    bounds::ClockBounds,
    graph::ZoneGraph,
    search::{Counts, Limits, Observer, Outcome, Stop, follow, search},
    store::Store,
};
use model::{Formula, Property, System};

pub use cover::{Constraint, Cover, answer_with_cover};
pub use explore::{graph::Abstraction, store::Update};
pub use plan::{Options, Order, Plan, plan};
pub use trace::{Step, Trace};

/// What became of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Satisfied,
    /// It does not hold.
    NotSatisfied,
    /// Nobody knows.
    Unknown(Reason),
}

/// Why a verdict is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A limit was reached.
    Limit(Stop),
    /// A state was found in a set that may be too large: after a join, or with stopwatches.
    Imprecise(&'static str),
    /// The model does something illegal: the text of the error, and its place in the code.
    RunTime(String, u32),
    /// No engine answers queries of this kind yet.
    Unsupported(&'static str),
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// How it was found.
    pub plan: Plan,
    /// What was counted.
    pub counts: Counts,
    /// A way to a state that decides the verdict, or to a run-time error.
    pub trace: Option<Trace>,
}

/// Answers a property of a system.
pub fn answer(
    system: &System,
    property: &Property,
    options: &Options,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> Answer {
    let bounds = ClockBounds::new(system, property);
    let plan = plan(system, property, &bounds, options);
    match goal(property) {
        Some((goal, found)) => reach(system, bounds, goal, found, plan, limits, observer).0,
        None => unsupported(property, plan),
    }
}

/// What to search for, and what it means to find it.
fn goal(property: &Property) -> Option<(&Formula, Verdict)> {
    match property {
        Property::Possibly(p) => Some((p, Verdict::Satisfied)),
        Property::Invariantly(violation) => Some((violation, Verdict::NotSatisfied)),
        _ => None,
    }
}

fn unsupported(property: &Property, plan: Plan) -> Answer {
    let what = if matches!(property, Property::Bounds { .. }) { "bounds" } else { "liveness queries" };
    let verdict = Verdict::Unknown(Reason::Unsupported(what));
    Answer { verdict, plan, counts: Counts::default(), trace: None }
}

/// Searches for a state of the goal, whose finding means `found`. Returns the states seen as well.
fn reach(
    system: &System,
    bounds: ClockBounds,
    goal: &Formula,
    found: Verdict,
    plan: Plan,
    limits: &Limits<'_>,
    observer: &mut dyn Observer,
) -> (Answer, Store) {
    let mut graph = ZoneGraph::new(system, bounds.clone(), plan.abstraction);
    let mut store = Store::new(system, plan.update);
    let mut open = plan.order.open_list(plan.seed);
    let alu = plan.abstraction == Abstraction::Alu;
    let (outcome, counts) = search(&mut graph, goal, &mut store, &mut *open, alu, limits, observer);
    let exact = !plan.update_is_imprecise() && !plan.stopwatches;
    let mut trace = None;
    let verdict = match outcome {
        Outcome::Exhausted => match found {
            Verdict::Satisfied => Verdict::NotSatisfied,
            _ => Verdict::Satisfied,
        },
        Outcome::Found(path) => {
            trace = follow(&mut graph, &path).and_then(|steps| Trace::concrete(system, &steps, Some(goal)));
            // A run that the replayer has followed exists, however it was found.
            if exact || trace.as_ref().is_some_and(|t| t.replayed) {
                found
            } else {
                Verdict::Unknown(Reason::Imprecise(if plan.stopwatches { "stopwatches" } else { "joined zones" }))
            }
        }
        Outcome::Stopped(stop) => Verdict::Unknown(Reason::Limit(stop)),
        Outcome::Error(path, error) => {
            trace = follow(&mut graph, &path).and_then(|steps| Trace::concrete(system, &steps, None));
            Verdict::Unknown(Reason::RunTime(error.fault.kind.to_string(), error.fault.pc))
        }
    };
    (Answer { verdict, plan, counts, trace }, store)
}
