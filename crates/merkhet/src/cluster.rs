//! What the processes of a cluster can do together.

use model::Property;

use crate::{EngineChoice, Model, Options, OptionsError, Query, TraceChoice, user};

const ORDERS: &str = "take `--order` bfs, dfs, random-dfs or waiting";

/// Checks that a cluster can answer queries with these options.
///
/// # Errors
/// The first thing that it can't do.
pub fn check_cluster(options: &Options, model: &Model, queries: &[&Query]) -> Result<(), OptionsError> {
    let refuse = |what, instead| Err(OptionsError::NotOnClusters(what, instead));
    if options.engine == EngineChoice::Smt || options.only_formulas().is_some() {
        return refuse("formulas", "leave `--engine` and the options of formulas out");
    }
    if options.heuristic.is_some() || options.order.is_some_and(|order| order.is_directed()) {
        return refuse("directed orders", ORDERS);
    }
    if matches!(options.trace, TraceChoice::Short | TraceChoice::Fastest) {
        return refuse("searches for short or fastest traces", "take `--trace` some or shortest");
    }
    if options.guide.is_some() {
        return refuse("guides", "leave the guide out");
    }
    if let Some(name) = options.functions.first() {
        return refuse(name, "leave them out: one process alone knows them");
    }
    let system = &model.loaded.system;
    if user::has_lattices(system) {
        return refuse("models with lattices of the user", "their elements are known to one process only");
    }
    if queries.iter().any(|query| query.predicate) {
        return refuse("goals of the user", "they are known to one process only");
    }
    let is_about_runs = |query: &Query| matches!(system.with(&query.lowered).1, Property::Run { .. });
    if queries.iter().any(|query| is_about_runs(query)) {
        return refuse("queries about maximal runs", "ask `A<>`, `E[]` and `-->` without one");
    }
    Ok(())
}
