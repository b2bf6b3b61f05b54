//! Explicit states: one row of integers and one value for each clock.
//!
//! [`check`] answers a query, [`check_all`] several, and [`rows`] lists the discrete states that can be reached. All walk through all states,
//! in the order of how many transitions they need, and only then look at the formulas: slow and plain on purpose.
//!
//! With [`Time::Regions`] answers are exact for every model without stopwatches. [`Time::Ticks`] is faster and finds
//! only what is there; it is exact where [`ticks_are_exact`] says so. `clocks.rs` has the arguments, `network.rs` the
//! semantics.

mod clocks;
mod closed;
mod extremes;
mod faster;
mod formula;
mod graph;
mod liveness;
mod network;

use std::collections::BTreeSet;

use model::{Formula, Property, System, machine::Fault, system::EdgeId};

use clocks::{Bounds, Widen};
pub use closed::ticks_are_exact;
pub use extremes::{Limit, MOST, Values, values};
pub use faster::is_faster_possible;
use graph::Graph;
use network::{Network, has_stopwatches};

/// How time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// From region to region: exact, but not for stopwatches.
    Regions,
    /// In steps of 1/k. Whatever is found exists; something may be missed.
    Ticks(u32),
}

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How time passes.
    pub time: Time,
    /// How many states may be stored. On average so many as [`TRANSITIONS`] transitions of each may be looked at.
    pub states: usize,
    /// Whether runs go on beside transitions that fail. Otherwise nothing is known of what leaves a state in which one does.
    pub beside: bool,
}

/// How many transitions a state may have, on average.
const TRANSITIONS: usize = 64;

impl Default for Options {
    fn default() -> Options {
        Options { time: Time::Regions, states: 1_000_000, beside: false }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There are more states or transitions than allowed.
    States,
    /// A run-time error of the model, which ends a verification.
    Fault(Fault),
    /// The initial state violates an invariant.
    NoInitialState,
    /// Regions can't tell about clocks that stand still.
    Stopwatches,
    /// Ticks can't tell about runs that avoid something; ask for regions.
    Ticks,
    /// Queries of this kind are not answered here.
    Query,
}

/// Whether a query is satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Answer {
    Satisfied,
    NotSatisfied,
    Unknown(Reason),
}

impl Answer {
    fn of(truth: bool) -> Answer {
        if truth { Answer::Satisfied } else { Answer::NotSatisfied }
    }
}

/// One step of a run: the edges taken, or none if time passed, and the row behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Step {
    pub edges: Vec<EdgeId>,
    pub row: Vec<i32>,
}

/// What was found out about a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The answer.
    pub answer: Answer,
    /// For `E<> p` that is satisfied and `A[] p` that is not: how many action transitions the shortest run to the state
    /// in question has.
    pub length: Option<u32>,
    /// Such a run, for people.
    pub run: Vec<Step>,
    /// A run-time error that some run meets. An engine that comes across it first ends there, so with an error the
    /// answer is only one of two legal ones.
    pub fault: Option<Fault>,
    /// How many states were stored.
    pub states: usize,
    /// Whether no limit has cut anything off.
    pub complete: bool,
}

/// The discrete states that can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The rows, without meta variables.
    pub rows: BTreeSet<Vec<i32>>,
    /// Why some may be missing.
    pub missing: Option<Reason>,
}

/// Answers a query.
#[must_use]
pub fn check(system: &System, property: &Property, options: Options) -> Report {
    explore(system, options, asks_for_deadlock(property), |graph, network| answer(graph, network, property, options))
}

/// Answers several queries, with one walk through the states.
#[must_use]
pub fn check_all(system: &System, properties: &[Property], options: Options) -> Vec<Report> {
    explore(system, options, properties.iter().any(asks_for_deadlock), |graph, network| {
        properties.iter().map(|p| answer(graph, network, p, options)).collect()
    })
}

fn asks_for_deadlock(property: &Property) -> bool {
    property.formulas().into_iter().any(formula::mentions_deadlock)
}

fn answer(graph: &Graph, network: &mut Network<'_>, property: &Property, options: Options) -> Result<Report, Widen> {
    match property {
        Property::Possibly(p) => reach(graph, network, p, true),
        Property::Invariantly(violation) => reach(graph, network, violation, false),
        Property::PotentiallyAlways(_) | Property::Eventually(_) | Property::LeadsTo(..) => {
            let answer = match options.time {
                Time::Ticks(_) => Answer::Unknown(Reason::Ticks),
                Time::Regions => liveness::check(graph, network, property)?,
            };
            Ok(report(graph, answer))
        }
        Property::Bounds { .. } => Ok(report(graph, Answer::Unknown(Reason::Query))),
    }
}

/// Lists the discrete states that can be reached.
#[must_use]
pub fn rows(system: &System, options: Options) -> Rows {
    explore(system, options, false, |graph, _| {
        let rows = graph.nodes.iter().map(|n| n.state.row[..system.identity].to_vec()).collect();
        Ok(Rows { rows, missing: graph.missing() })
    })
}

/// Builds the graph of all states and looks at it, with larger bounds until they suffice.
fn explore<T>(
    system: &System,
    options: Options,
    deadlock: bool,
    look: impl Fn(&Graph, &mut Network<'_>) -> Result<T, Widen>,
) -> T {
    let mut bounds = Bounds::new();
    // Those of all attempts together: an integer that clocks are compared with may grow by one each time.
    let mut transitions = options.states.saturating_mul(TRANSITIONS);
    loop {
        let mut network = Network::new(system, options, bounds, transitions);
        let blind = options.time == Time::Regions && has_stopwatches(system);
        let graph = if blind {
            Ok(Graph::refused(Reason::Stopwatches))
        } else {
            Graph::explore(&mut network, options, deadlock)
        };
        if let Ok(found) = graph.and_then(|graph| look(&graph, &mut network)) {
            return found;
        }
        (bounds, transitions) = (network.clocks.bounds, network.transitions);
    }
}

fn report(graph: &Graph, answer: Answer) -> Report {
    let complete = graph.nodes.iter().all(|node| node.unknown != Some(Reason::States));
    Report { answer, length: None, run: Vec::new(), fault: graph.fault, states: graph.nodes.len(), complete }
}

/// Looks for a state where `p` holds. Finding one makes the query satisfied, or not: `found`.
fn reach(graph: &Graph, network: &mut Network<'_>, p: &Formula, found: bool) -> Result<Report, Widen> {
    let mut reason = graph.missing();
    let mut doubt = u32::MAX;
    // Nodes are in the order of their depth, so the first one is a nearest one, unless something before it is unknown.
    for (i, node) in graph.nodes.iter().enumerate() {
        match formula::truth(graph, network, p, i)? {
            Ok(true) => {
                let certain = graph.is_complete_below(node.depth) && doubt >= node.depth;
                return Ok(Report {
                    length: certain.then_some(node.depth),
                    run: graph.run(i),
                    ..report(graph, Answer::of(found))
                });
            }
            Ok(false) => {}
            Err(why) => {
                reason = Some(why);
                doubt = doubt.min(node.depth);
            }
        }
    }
    Ok(report(graph, reason.map_or(Answer::of(!found), Answer::Unknown)))
}
