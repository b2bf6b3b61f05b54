//! Explicit-state checking: a state is a row of integers and a value for each clock.
//!
//! [`check`] answers a query, [`check_all`] several, and [`rows`] lists the reachable discrete
//! states. All of them first explore all states breadth-first and then evaluate the formulas: slow
//! and simple on purpose.
//!
//! With [`Time::Regions`] answers are exact for every model without stopwatches. [`Time::Ticks`] is
//! a faster underapproximation; it is exact if [`ticks_are_exact`] says so. `clocks.rs` has the
//! arguments, `network.rs` the semantics.

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
pub use extremes::{ExtremeValue, MAX_CLOCK_VALUE, ValueRange, values};
pub use faster::is_faster_possible;
use graph::StateGraph;
use network::{ExplicitNetwork, has_stopwatches};

/// The model of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// From region to region: exact, except for stopwatches.
    Regions,
    /// In steps of 1/k: an underapproximation.
    Ticks(u32),
}

/// The options of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplicitOptions {
    /// The model of time.
    pub time: Time,
    /// The greatest number of stored states, each with 64 evaluated transitions on average.
    pub states: usize,
    /// Whether exploration continues with the transitions that do not fail. Otherwise the
    /// successors of a state in which one fails are unknown.
    pub beside: bool,
}

/// The greatest average number of transitions of a state.
const TRANSITIONS: usize = 64;

impl Default for ExplicitOptions {
    fn default() -> ExplicitOptions {
        ExplicitOptions { time: Time::Regions, states: 1_000_000, beside: false }
    }
}

/// The reason why a query is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The limit on states or transitions was reached.
    States,
    /// A run-time error of the model, which ends a verification.
    Fault(Fault),
    /// The initial state violates an invariant.
    NoInitialState,
    /// Regions do not support stopwatches.
    Stopwatches,
    /// Ticks do not support liveness queries.
    Ticks,
    /// This kind of query is not supported.
    Query,
}

/// Whether a query is satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OracleAnswer {
    Satisfied,
    NotSatisfied,
    Unknown(UnknownReason),
}

impl OracleAnswer {
    fn of(truth: bool) -> OracleAnswer {
        if truth { OracleAnswer::Satisfied } else { OracleAnswer::NotSatisfied }
    }
}

/// One step of a run: the edges taken, or none for a delay, and the row after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RunStep {
    pub edges: Vec<EdgeId>,
    pub row: Vec<i32>,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The answer.
    pub answer: OracleAnswer,
    /// For a satisfied `E<> p` and an unsatisfied `A[] p`: the number of transitions on a shortest
    /// run to the witness.
    pub length: Option<u32>,
    /// Such a run, for messages.
    pub run: Vec<RunStep>,
    /// A run-time error on some run. An engine that meets it first stops there, so with an error
    /// the answer is one of two correct ones.
    pub fault: Option<Fault>,
    /// The number of stored states.
    pub states: usize,
    /// Whether no limit has cut anything off.
    pub complete: bool,
}

/// The reachable discrete states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachableRows {
    /// The rows, without meta variables.
    pub rows: BTreeSet<Vec<i32>>,
    /// The reason why some may be missing.
    pub missing: Option<UnknownReason>,
}

/// Answers a query.
#[must_use]
pub fn check(system: &System, property: &Property, options: ExplicitOptions) -> Report {
    explore(system, options, asks_for_deadlock(property), |graph, network| answer(graph, network, property, options))
}

/// Answers several queries with one exploration.
#[must_use]
pub fn check_all(system: &System, properties: &[Property], options: ExplicitOptions) -> Vec<Report> {
    explore(system, options, properties.iter().any(asks_for_deadlock), |graph, network| {
        properties.iter().map(|p| answer(graph, network, p, options)).collect()
    })
}

fn asks_for_deadlock(property: &Property) -> bool {
    property.formulas().into_iter().any(formula::mentions_deadlock)
}

fn answer(
    graph: &StateGraph,
    network: &mut ExplicitNetwork<'_>,
    property: &Property,
    options: ExplicitOptions,
) -> Result<Report, Widen> {
    match property {
        Property::State { goal, exists } => reach(graph, network, goal, *exists),
        Property::Run { after, always, exists } => {
            let answer = match options.time {
                Time::Ticks(_) => OracleAnswer::Unknown(UnknownReason::Ticks),
                Time::Regions => match liveness::has_run(graph, network, after.as_ref(), always)? {
                    Ok(found) => OracleAnswer::of(found == *exists),
                    Err(reason) => OracleAnswer::Unknown(reason),
                },
            };
            Ok(report(graph, answer))
        }
        Property::Bounds { .. } => Ok(report(graph, OracleAnswer::Unknown(UnknownReason::Query))),
    }
}

/// Lists the reachable discrete states.
#[must_use]
pub fn rows(system: &System, options: ExplicitOptions) -> ReachableRows {
    explore(system, options, false, |graph, _| {
        let rows = graph.nodes.iter().map(|n| n.state.row[..system.identity].to_vec()).collect();
        Ok(ReachableRows { rows, missing: graph.missing() })
    })
}

/// Builds the graph of all states and evaluates it, with increasing bounds until they suffice.
fn explore<T>(
    system: &System,
    options: ExplicitOptions,
    deadlock: bool,
    evaluate: impl Fn(&StateGraph, &mut ExplicitNetwork<'_>) -> Result<T, Widen>,
) -> T {
    let mut bounds = Bounds::new();
    // Of all attempts together: an integer that clocks are compared with may grow by one in each.
    let mut transitions = options.states.saturating_mul(TRANSITIONS);
    loop {
        let mut network = ExplicitNetwork::new(system, options, bounds, transitions);
        let blind = options.time == Time::Regions && has_stopwatches(system);
        let graph = if blind {
            Ok(StateGraph::refused(UnknownReason::Stopwatches))
        } else {
            StateGraph::explore(&mut network, options, deadlock)
        };
        if let Ok(found) = graph.and_then(|graph| evaluate(&graph, &mut network)) {
            return found;
        }
        (bounds, transitions) = (network.clocks.bounds, network.transitions);
    }
}

fn report(graph: &StateGraph, answer: OracleAnswer) -> Report {
    let complete = graph.nodes.iter().all(|node| node.unknown != Some(UnknownReason::States));
    Report { answer, length: None, run: Vec::new(), fault: graph.fault, states: graph.nodes.len(), complete }
}

/// Searches for a state where `p` holds. If there is one, the answer is `found`.
fn reach(graph: &StateGraph, network: &mut ExplicitNetwork<'_>, p: &Formula, found: bool) -> Result<Report, Widen> {
    let mut reason = graph.missing();
    let mut doubt = u32::MAX;
    // Nodes are ordered by depth, so the first match is a nearest one, unless a node before it is
    // unknown.
    for (i, node) in graph.nodes.iter().enumerate() {
        match formula::truth(graph, network, p, i)? {
            Ok(true) => {
                let certain = graph.is_complete_below(node.depth) && doubt >= node.depth;
                return Ok(Report {
                    length: certain.then_some(node.depth),
                    run: graph.run(i),
                    ..report(graph, OracleAnswer::of(found))
                });
            }
            Ok(false) => {}
            Err(why) => {
                reason = Some(why);
                doubt = doubt.min(node.depth);
            }
        }
    }
    Ok(report(graph, reason.map_or(OracleAnswer::of(!found), OracleAnswer::Unknown)))
}
