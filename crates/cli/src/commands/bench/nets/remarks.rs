//! Remarks on the tables: what is the paper's, and how its two encodings compare.

use std::collections::BTreeSet;

use crate::json::bench::nets::{EncodingSizes, NetRun, NetSizes, NetTimes, PublishedSizes, Size};

/// The remarks on sizes, if the paper has some of them.
pub fn on_sizes(sizes: &[NetSizes]) -> Vec<String> {
    let encodings = || sizes.iter().flat_map(|row| [&row.la, &row.dl]);
    let pairs: Vec<(&EncodingSizes, &PublishedSizes)> =
        encodings().filter_map(|ours| Some((ours, ours.published.as_ref()?))).collect();
    if pairs.is_empty() {
        return Vec::new();
    }
    let count = |number: fn(&Size) -> u64| {
        let same = |(ours, paper): &(&EncodingSizes, &PublishedSizes)| {
            usize::from(number(&ours.before) == number(&paper.before))
                + usize::from(number(&ours.after) == number(&paper.after))
        };
        pairs.iter().map(same).sum::<usize>()
    };
    let (variables, constraints) = (count(|size| size.variables), count(|size| size.constraints));
    let removed = pairs.iter().filter(|(ours, paper)| {
        ours.before.constraints.checked_sub(ours.after.constraints)
            == paper.before.constraints.checked_sub(paper.after.constraints)
    });
    vec![
        format!(
            "if nothing is replaced, sizes are a closed form; the formulas of the other columns are made and counted. Of {all} \
             numbers of variables {variables} are the paper's, of {all} numbers of constraints {constraints}",
            all = 2 * pairs.len()
        ),
        format!(
            "replacing removes as many constraints as in the paper in {} of {} formulas. How many there are depends on the \
             numbers of inputs, inhibitors and infinite bounds, which the paper does not give",
            removed.count(),
            pairs.len()
        ),
    ]
}

/// The remarks on times.
pub fn on_times(times: &[NetTimes]) -> Vec<String> {
    let mut notes = Vec::new();
    let spurious = |row: &&NetTimes| {
        let wrong = |run: &NetRun| run.answer.as_deref() == Some("sat") && row.result == Some("unsat");
        row.runs.iter().any(wrong)
    };
    if let Some(row) = times.iter().find(spurious) {
        notes.push(format!(
            "`*` marks a deadlock that the paper's formulas have and the net has not, first with {} steps of {} {}",
            row.steps, row.net.family, row.net.size
        ));
    }
    let runs = times.iter().flat_map(|row| &row.runs);
    for (solver, replaced) in runs.filter_map(|run| Some((run.solver, run.replaced?))).collect::<BTreeSet<_>>() {
        notes.extend(comparison(times, solver, replaced));
    }
    notes
}

/// How the paper's two encodings compare for a solver, where it solved both.
fn comparison(times: &[NetTimes], solver: &str, replaced: &str) -> Option<String> {
    let seconds = |row: &NetTimes, encoding: &str| {
        let is = |run: &&NetRun| run.solver == solver && run.encoding == encoding && run.replaced == Some(replaced);
        row.runs.iter().find(is).and_then(|run| run.seconds)
    };
    let pairs: Vec<(f64, f64)> =
        times.iter().filter_map(|row| Some((seconds(row, "la")?, seconds(row, "dl")?))).collect();
    let only = |one: &str, other: &str| {
        times.iter().filter(|row| seconds(row, one).is_some() && seconds(row, other).is_none()).count()
    };
    let (la, dl): (f64, f64) = (pairs.iter().map(|p| p.0).sum(), pairs.iter().map(|p| p.1).sum());
    (!pairs.is_empty()).then(|| {
        format!(
            "{solver}, {replaced} replaced: of {} formulas that it solved in both, `dl` was faster in {}; {la:.2} s with \
             `la`, {dl:.2} s with `dl`; {} were solved with `dl` only, {} with `la` only",
            pairs.len(),
            pairs.iter().filter(|(la, dl)| dl < la).count(),
            only("dl", "la"),
            only("la", "dl"),
        )
    })
}
