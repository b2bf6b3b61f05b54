//! What UPPAAL prints after the verdict of a statistical query.

use syntax::{
    Tree,
    ast::{ExprId, PathFormula, PathQuery, Query, QueryKind, StatisticalQuery},
    print,
};

use crate::{
    estimate::significant,
    json::verify::{Estimate, RunTrajectory},
};

/// Returns the lines.
pub fn lines(tree: &Tree, query: &Query, estimate: &Estimate) -> String {
    let QueryKind::Statistical(asked) = &query.kind else { return String::new() };
    let runs = estimate.runs;
    match &**asked {
        StatisticalQuery::Probability(path) => format!("{}\n", probability(path, estimate)),
        StatisticalQuery::Threshold { path, at_least, threshold } => {
            let (sign, threshold) = (if *at_least { ">=" } else { "<=" }, print::expression(tree, *threshold));
            format!("({runs} runs) H0: Pr({}) {sign} {threshold}\nwith confidence {}.\n", name(path), level(estimate))
        }
        StatisticalQuery::Comparison(..) => {
            format!("({runs} runs) Pr(..)/Pr(..) >= 1\nwith confidence {}.\n", level(estimate))
        }
        StatisticalQuery::Mean { maximum, .. } => {
            let word = if *maximum { "max" } else { "min" };
            let value = crate::estimate::interval(estimate);
            format!("({runs} runs) E({word}) = {value}\n")
        }
        StatisticalQuery::Simulation { values, filter, .. } => {
            let trajectories = estimate.trajectories.as_deref().unwrap_or_default();
            let mut text = String::new();
            if filter.is_some() {
                text.push_str(&format!("{}\n", share("<> ...", estimate)));
            }
            for (number, &e) in tree.list(*values).iter().enumerate() {
                text.push_str(&values_of(tree, e, number, trajectories));
            }
            text
        }
    }
}

/// The values of an expression: a line for each run with the moments and values.
fn values_of(tree: &Tree, e: ExprId, number: usize, trajectories: &[RunTrajectory]) -> String {
    let mut text = format!("{}:\n", print::expression(tree, e));
    for (run, trajectory) in trajectories.iter().enumerate() {
        let point = |p: &crate::json::verify::RunPoint| format!(" ({},{})", p.time, p.values[number]);
        let points: String = trajectory.points.iter().map(point).collect();
        text.push_str(&format!("[{run}]:{points}\n"));
    }
    text
}

fn probability(path: &PathQuery, estimate: &Estimate) -> String {
    share(name(path), estimate)
}

fn share(name: &str, estimate: &Estimate) -> String {
    let Estimate { low, high, runs, successes, .. } = estimate;
    let number = |end: &Option<f64>| significant(end.unwrap_or_default());
    let level = significant(100.0 * estimate.level);
    let successes = successes.unwrap_or_default();
    format!("({successes}/{runs} runs) Pr({name}) in [{},{}] ({level}% CI)", number(low), number(high))
}

fn name(path: &PathQuery) -> &'static str {
    match path.path {
        PathFormula::Finally(_) => "<> ...",
        PathFormula::Globally(_) => "[] ...",
        PathFormula::Until(..) => "... U ...",
    }
}

fn level(estimate: &Estimate) -> String {
    significant(estimate.level)
}
