//! What a checkpoint belongs to: the model, the queries and the options.

use explore::snapshot::{Identity, IdentityDifference, digest};

use super::CheckpointError;
use crate::{
    Choices, Order, Query, Source, TraceChoice, Update,
    options::{EngineChoice, Options},
};

/// What a checkpoint calls the text of a model.
const MODEL: &str = "the text of the model";

impl Source {
    /// What distinguishes it from other models.
    pub(crate) fn identity(&self) -> Identity {
        let text = [(MODEL.to_owned(), digest(&self.text))];
        let format = [("the format of the model".to_owned(), format!("{:?}", self.format).to_lowercase())];
        let constants = self.constants.iter().map(|c| (format!("the constant `{}`", c.name), c.value.clone()));
        text.into_iter().chain(format).chain(constants).collect()
    }
}

/// What a session is about. Limits are not part of it: they may be others when it goes on.
///
/// The number of threads is the one that is used: which searches there are depends on it.
pub(crate) fn identity(model: &Identity, queries: &[&Query], options: &Options, threads: usize) -> Identity {
    let mut all = vec![("the version of merkhet".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    all.extend_from_slice(model);
    if let Some(cluster) = &options.cluster {
        // Each of them owns the states that it owned before.
        let threads: Vec<String> = (0..cluster.processes()).map(|n| cluster.workers_of(n).to_string()).collect();
        all.push(("the number of processes".to_owned(), cluster.processes().to_string()));
        all.push(("the number of threads of each process".to_owned(), threads.join(" + ")));
        all.push(("the number of this process".to_owned(), cluster.number().to_string()));
    }
    let queries = (1..).zip(queries).map(|(number, query)| (format!("query {number}"), query.written.text.clone()));
    all.extend(queries);
    all.extend(listed(options, threads).into_iter().map(|(name, value)| (format!("the option {name}"), value)));
    all
}

/// The options with their values. Those of formulas are not there.
fn listed(options: &Options, threads: usize) -> Vec<(&'static str, String)> {
    fn number<T: ToString>(value: Option<T>, none: &str) -> String {
        value.map_or_else(|| none.to_owned(), |value| value.to_string())
    }
    vec![
        ("--engine", options.engine.name().to_owned()),
        ("--order", number(options.order.map(Choices::name), "auto")),
        ("--heuristic", number(options.heuristic.as_ref(), "none")),
        ("--weight", options.weight.to_string()),
        ("--helpful", options.helpful.to_string()),
        ("--useless", options.useless.to_string()),
        ("--ties", options.ties.name().to_owned()),
        ("--cover-shorter", options.cover_shorter.to_string()),
        ("--heuristic-table", number(options.heuristic_table, "none")),
        ("--heuristic-budget", options.heuristic_budget.to_string()),
        ("--abstraction", options.abstraction.name().to_owned()),
        ("--update", number(options.update.map(Choices::name), "auto")),
        ("--join", number(options.join.as_ref(), "none")),
        ("--widen", number(options.widen, "never")),
        ("--no-refine", (!options.refine).to_string()),
        ("--monotone", options.monotone.name().to_owned()),
        ("--state-space-reduction", options.state_space_reduction.name().to_owned()),
        ("--symmetry", options.symmetry.name().to_owned()),
        ("--local-time", options.local_time.name().to_owned()),
        ("--threads", threads.to_string()),
        ("--seed", options.seed.to_string()),
        ("--trace", options.trace.name().to_owned()),
        ("--certificate", options.certificate.to_string()),
    ]
}

/// How something differs that should be the same.
pub(super) fn describe(IdentityDifference { what, saved, given }: &IdentityDifference) -> String {
    match (saved, given) {
        (Some(_), Some(_)) if what == MODEL => format!("{MODEL} is another one"),
        (Some(saved), Some(given)) => format!("{what} is `{saved}` there, and `{given}` here"),
        (Some(saved), None) => format!("{what} is `{saved}` there, and there is none here"),
        (_, given) => format!("{what} is `{}` here, and there is none there", given.as_deref().unwrap_or("")),
    }
}

/// Refuses options for which nothing could be saved.
pub(crate) fn check(options: &Options, compiled: &verify::Options, uses_formulas: bool) -> Result<(), CheckpointError> {
    let refuse = |what: &str, instead| Err(CheckpointError::Unsaved(what.to_owned(), instead));
    if uses_formulas || options.engine == EngineChoice::Smt {
        return refuse("work on formulas", "; take --engine zones");
    }
    if options.guide.is_some() {
        return refuse("searches with a guide", "");
    }
    if let Some(name) = options.functions.first() {
        return refuse(&format!("searches with {name}"), "");
    }
    if options.trace == TraceChoice::Short {
        return refuse("searches for a short trace", "; take --trace shortest");
    }
    // A search for a shortest trace without joins has an order of its own.
    let is_shortest = options.trace == TraceChoice::Shortest && compiled.update != Some(Update::Join);
    if compiled.order.is_directed() && !is_shortest {
        let name = compiled.order.name();
        let instead = if options.order.is_none() && compiled.order == Order::Auto {
            ", which --trace implies; take --order bfs as well"
        } else {
            "; take bfs, dfs, random-dfs or waiting"
        };
        return refuse(&format!("searches in the order `{name}`"), instead);
    }
    Ok(())
}
