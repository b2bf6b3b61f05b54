//! What UPPAAL prints after the verdict of a statistical query.

use std::io::{self, Write};

use syntax::{
    Tree,
    ast::{ExprId, PathFormula, PathQuery, Query, QueryKind, StatisticalQuery},
    print,
};

use crate::{
    estimate::significant,
    json::verify::{Estimate, RunTrajectory},
};

/// Writes the lines.
pub fn write(tree: &Tree, query: &Query, estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
    let QueryKind::Statistical(asked) = &query.kind else { return Ok(()) };
    let runs = estimate.runs;
    match &**asked {
        StatisticalQuery::Probability(path) => writeln!(out, "{}", probability(path, estimate)),
        StatisticalQuery::Threshold { path, at_least, threshold } => {
            let (sign, threshold) = (if *at_least { ">=" } else { "<=" }, print::expression(tree, *threshold));
            let (name, level) = (name(path), level(estimate));
            writeln!(out, "({runs} runs) H0: Pr({name}) {sign} {threshold}\nwith confidence {level}.")
        }
        StatisticalQuery::Comparison(..) => {
            writeln!(out, "({runs} runs) Pr(..)/Pr(..) >= 1\nwith confidence {}.", level(estimate))
        }
        StatisticalQuery::Mean { maximum, .. } => {
            let word = if *maximum { "max" } else { "min" };
            writeln!(out, "({runs} runs) E({word}) = {}", crate::estimate::interval(estimate))
        }
        StatisticalQuery::Simulation { values, filter, .. } => {
            let trajectories = estimate.trajectories.as_deref().unwrap_or_default();
            if filter.is_some() {
                writeln!(out, "{}", share("<> ...", estimate))?;
            }
            for (number, &e) in tree.list(*values).iter().enumerate() {
                write_values(tree, e, (number, trajectories), out)?;
            }
            Ok(())
        }
    }
}

/// Writes the values of an expression: a line for each run with the moments and values.
fn write_values(
    tree: &Tree,
    e: ExprId,
    (number, trajectories): (usize, &[RunTrajectory]),
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}:", print::expression(tree, e))?;
    for (run, trajectory) in trajectories.iter().enumerate() {
        write!(out, "[{run}]:")?;
        for (time, values) in trajectory.points.iter() {
            write!(out, " ({time},{})", values[number])?;
        }
        writeln!(out)?;
    }
    Ok(())
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
    match &path.path {
        PathFormula::Finally(_) => "<> ...",
        PathFormula::Globally(_) => "[] ...",
        PathFormula::Until(..) => "... U ...",
        PathFormula::Timed(_) => "...",
    }
}

fn level(estimate: &Estimate) -> String {
    significant(estimate.level)
}
