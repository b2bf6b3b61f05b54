//! Loading models and asking queries.

use model::stochastic::{StatisticalQuery, StochasticSystem};
use statistical::{Findings, Measured, RunProblem, Settings, Share, ask};
use syntax::{Format, Sources};

/// Reads a model and a statistical query about it.
pub fn load(text: &str, query: &str) -> Result<(StochasticSystem, StatisticalQuery), String> {
    let (mut sources, mut model) = oracle::read_model(text, Format::Xta)
        .map_err(|(_, found)| found.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
    let query = parsed(&mut sources, &mut model, query);
    let lowered = model
        .statistical_query(&query)
        .map_err(|found| found.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
    let system = model.stochastic().unwrap().with(&lowered);
    Ok((system, lowered))
}

fn parsed(sources: &mut Sources, model: &mut model::Model, query: &str) -> syntax::ast::Query {
    let file = sources.add_file("query", query.to_owned());
    syntax::read_query(sources, file, &mut model.tree).swap_remove(0)
}

/// Answers a query.
pub fn asked(text: &str, query: &str, settings: &Settings) -> Result<Findings, RunProblem> {
    let (system, query) = load(text, query).unwrap_or_else(|why| panic!("{query}: {why}\n{text}"));
    ask(&system, &query.measurement, settings)
}

/// Returns the share of runs with the property of a query.
pub fn share(text: &str, query: &str, settings: &Settings) -> Share {
    match asked(text, query, settings).unwrap_or_else(|problem| panic!("{query}: {problem:?}\n{text}")).measured {
        Measured::Probability(share) => share,
        other => panic!("{query}: {other:?}"),
    }
}
