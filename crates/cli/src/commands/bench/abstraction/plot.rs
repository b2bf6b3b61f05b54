//! The series as a picture.

use draw::{Chart, Series};

use crate::json::bench::abstraction::{AbstractionFigures, AbstractionSeries, AbstractionStep};

/// A row for each step, with a mark for the states of the search, the abstract states, and the
/// length of the abstract error in each part, ours and the paper's.
pub fn svg(series: &AbstractionSeries) -> String {
    let steps = &series.steps;
    let row = |name: &str, value: &dyn Fn(&AbstractionStep) -> Option<f64>| Series {
        name: name.to_owned(),
        values: steps.iter().map(value).collect(),
    };
    let ours = |step: &AbstractionStep, value: &dyn Fn(&AbstractionFigures) -> Option<f64>| {
        step.result.merkhet.as_ref().and_then(value)
    };
    let theirs = |step: &AbstractionStep| step.published.as_ref().map(|p| p.generated as f64);
    let mut all = vec![
        row("generated states", &|step| ours(step, &|figures| Some(figures.generated as f64))),
        row("generated states, paper", &theirs),
        row("abstract states", &|step| ours(step, &|figures| Some(figures.prepared.as_ref()?.states as f64))),
    ];
    let parts = |step: &AbstractionStep| {
        let own = step.result.merkhet.as_ref().and_then(|figures| figures.prepared.as_ref());
        own.map_or(0, |p| p.lengths.len()).max(step.published.as_ref().map_or(0, |p| p.lengths.len()))
    };
    for part in 0..steps.iter().map(parts).max().unwrap_or(0) {
        let own = |figures: &AbstractionFigures| figures.prepared.as_ref()?.lengths.get(part)?.map(f64::from);
        let number = part + 1;
        all.push(row(&format!("length, part {number}"), &|step| ours(step, &own)));
        let paper = |step: &AbstractionStep| step.published.as_ref()?.lengths.get(part).copied().map(f64::from);
        all.push(row(&format!("length, part {number}, paper"), &paper));
    }
    let chart = Chart {
        title: format!("{}: states and lengths of abstract errors by refinement", series.model),
        rows: steps.iter().map(|step| step.heuristic.clone()).collect(),
        series: all.into_iter().filter(|series| series.values.iter().any(Option::is_some)).collect(),
    };
    draw::chart(&chart)
}
