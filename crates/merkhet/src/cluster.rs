//! What the processes of a cluster can do together.

use model::Property;

use crate::{EngineChoice, Model, Options, OptionsError, Query, TraceChoice, user};

const ORDERS: &str = "take `--order` bfs, dfs, random-dfs or waiting";

/// Checks that a cluster can answer queries with these options. Returns everything that it can't
/// do.
#[must_use]
pub fn check_cluster(options: &Options, model: &Model, queries: &[&Query]) -> Vec<OptionsError> {
    let system = &model.loaded.system;
    let is_about_runs = |query: &&Query| {
        query.about_states().is_some_and(|lowered| matches!(system.with(lowered).1, Property::Run { .. }))
    };
    let is_directed = options.heuristic.is_some() || options.order.is_some_and(|order| order.is_directed());
    let function = options.functions.first();
    let checks = [
        (
            options.engine == EngineChoice::Smt || options.only_formulas().is_some(),
            "formulas",
            "leave `--engine` and the options of formulas out",
        ),
        (is_directed, "directed orders", ORDERS),
        (
            matches!(options.trace, TraceChoice::Short | TraceChoice::Fastest),
            "searches for short or fastest traces",
            "take `--trace` some or shortest",
        ),
        (options.guide.is_some(), "guides", "leave the guide out"),
        (function.is_some(), function.unwrap_or_default(), "leave them out: one process alone knows them"),
        (
            user::has_lattices(system),
            "models with lattices of the user",
            "their elements are known to one process only",
        ),
        (queries.iter().any(|query| query.predicate), "goals of the user", "they are known to one process only"),
        (queries.iter().any(is_about_runs), "queries about maximal runs", "ask `A<>`, `E[]` and `-->` without one"),
    ];
    let refused = checks.into_iter().filter(|(is_asked, ..)| *is_asked);
    refused.map(|(_, what, instead)| OptionsError::NotOnClusters(what, instead)).collect()
}
