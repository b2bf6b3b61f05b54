//! Loading models and asking queries.

use model::stochastic::{StatisticalQuery, StochasticSystem};
use statistical::{Findings, Measured, RunProblem, Settings, Share, ask};
use syntax::{Format, Sources};

/// Returns how many cases are asked for.
pub fn cases(usual: u64) -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Reads a model and a statistical query about it.
pub fn load(text: &str, query: &str) -> Result<(StochasticSystem, StatisticalQuery), String> {
    load_as(text, Format::Xta, query)
}

/// Reads a model of any format and a statistical query about it.
pub fn load_as(text: &str, format: Format, query: &str) -> Result<(StochasticSystem, StatisticalQuery), String> {
    read(text, format, query, None)
}

/// Reads a model, a statistical query, and an expression that grows towards what is asked for.
pub fn load_towards(
    text: &str,
    query: &str,
    importance: Option<&str>,
) -> Result<(StochasticSystem, StatisticalQuery), String> {
    read(text, Format::Xta, query, importance)
}

fn read(
    text: &str,
    format: Format,
    query: &str,
    importance: Option<&str>,
) -> Result<(StochasticSystem, StatisticalQuery), String> {
    let (mut sources, mut model) = oracle::read_model(text, format)
        .map_err(|(_, found)| found.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))?;
    let query = parsed(&mut sources, &mut model, query);
    let importance = importance.map(|text| {
        let file = sources.add_file("importance", text.to_owned());
        syntax::read_values(&sources, file, &mut model.tree).swap_remove(0)
    });
    let lowered = model
        .statistical_query_towards(&query, importance.as_ref())
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
