//! Levels for splitting: by estimates of the distance to the goal, or by an expression.

use std::collections::HashMap;

use explore::heuristic::{Budget, EvaluatedState, PathPosition};
use model::{
    Formula,
    stochastic::{PathGoal, PathProperty, RunFormula, StatisticalQuery, StochasticSystem},
};
use statistical::{Findings, Importance, RowImportance, RunProblem, Settings, split as split_runs};
use verify::Heuristic;

use crate::{Model, OptionsError, Query, reading};

/// The heuristics that say how far a state is from the goal by its discrete part alone.
const HEURISTICS: [&str; 4] = ["hu", "hl", "hff", "hadd"];
/// The number of estimates that each thread keeps.
const KEPT: usize = 1 << 16;

/// What levels go by.
pub(super) enum Towards {
    /// An estimate of the distance to the goal.
    Heuristic(Heuristic),
    /// The expression that comes with the query.
    Expression,
}

/// Reads what levels go by. Returns the query with it.
pub(super) fn towards(
    model: &mut Model,
    query: &Query,
    text: &str,
) -> Result<(StatisticalQuery, Towards), OptionsError> {
    let wrong = |why: String| OptionsError::Splitting(text.to_owned(), why);
    let name = text.trim();
    if HEURISTICS.contains(&name)
        && let (Some(heuristic), Some(lowered)) = (Heuristic::named(name), query.about_runs())
    {
        return Ok((lowered.clone(), Towards::Heuristic(heuristic)));
    }
    let Model { sources, loaded, .. } = model;
    let read = reading::read_one(text, "<splitting>", syntax::read_values, sources, &mut loaded.tree);
    let lowered = read.and_then(|values| loaded.statistical_query_towards(&query.written, Some(&values)));
    let lowered = lowered.map_err(|problems| {
        let told: Vec<&str> = problems.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
        wrong(told.join("; "))
    })?;
    if lowered.importance.is_none() {
        return Err(wrong("an expression is missing".to_owned()));
    }
    Ok((lowered, Towards::Expression))
}

/// Estimates a probability by splitting.
pub(super) fn split(
    system: &StochasticSystem,
    path: &PathProperty,
    (query, towards): (&StatisticalQuery, &Towards),
    settings: &Settings,
) -> Result<Findings, RunProblem> {
    let goal = match &path.path {
        PathGoal::Finally(p) | PathGoal::Never(p) | PathGoal::Until(_, p) => p,
        PathGoal::Timed(_) => &RunFormula::True,
    };
    match (towards, &query.importance) {
        (Towards::Expression, Some(term)) => split_runs(system, path, settings, Importance::Expression(term)),
        (Towards::Heuristic(heuristic), _) => {
            let goal = relaxed(goal);
            let make = || nearness(system, &goal, heuristic);
            split_runs(system, path, settings, Importance::Function(&make))
        }
        (Towards::Expression, None) => split_runs(system, path, settings, Importance::Function(&|| Box::new(|_| 0))),
    }
}

/// Returns what heuristics see of a goal: what they don't know always holds.
fn relaxed(goal: &RunFormula) -> Formula {
    let all = |parts: &[RunFormula]| parts.iter().map(relaxed).collect::<Vec<_>>();
    match goal {
        RunFormula::True | RunFormula::Comparison { .. } | RunFormula::Timed(_) => Formula::True,
        RunFormula::False => Formula::False,
        RunFormula::Condition(pc) => Formula::Condition(*pc),
        RunFormula::Clock(c) => Formula::Clock(*c),
        RunFormula::And(parts) => Formula::join(true, all(parts)),
        RunFormula::Or(parts) => Formula::join(false, all(parts)),
    }
}

/// Returns a function that says how near a row is to the goal: the opposite of the estimate.
fn nearness<'s>(system: &'s StochasticSystem, goal: &Formula, heuristic: &Heuristic) -> RowImportance<'s> {
    let mut evaluator = heuristic.build(&system.system, goal, &Budget::default());
    let mut known: HashMap<Vec<i32>, i64> = HashMap::new();
    Box::new(move |row| {
        if let Some(known) = known.get(row) {
            return *known;
        }
        // These heuristics look at rows alone.
        let state = EvaluatedState { row, zone: &[], edges: &[], path: PathPosition::default() };
        let nearness = evaluator.evaluate(state).map_or(i64::MIN, |estimate| -i64::from(estimate.value));
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(row.to_vec(), nearness);
        nearness
    })
}
