//! Charts and tables of what was measured on random runs.

use std::io::{self, Write};

use draw::{Curve, CurveShape, Plot};
use statistical::Share;
use syntax::ast::{Query, QueryKind, StatisticalQuery};

use crate::{
    estimate::significant,
    json::verify::{Distribution, Estimate, RunTrajectory},
};

/// The most runs of a simulation that a chart shows.
const MOST_RUNS: usize = 20;
/// The most bars of a histogram.
const MOST_BARS: f64 = 64.0;

/// What a file about a query shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// The share of runs up to each moment or value.
    Cumulative,
    /// How many runs there are at each moment or value.
    Histogram,
    /// The values of expressions along runs.
    Runs,
    /// The numbers of the charts as a table.
    Table,
}

impl PlotKind {
    /// The charts.
    pub const CHARTS: &[PlotKind] = &[PlotKind::Cumulative, PlotKind::Histogram, PlotKind::Runs];

    /// Returns what files about a query show.
    #[must_use]
    pub fn of(query: &Query) -> &'static [PlotKind] {
        match &query.kind {
            QueryKind::Statistical(asked) => match **asked {
                StatisticalQuery::Simulation { .. } => &[PlotKind::Runs, PlotKind::Table],
                _ => &[PlotKind::Cumulative, PlotKind::Histogram, PlotKind::Table],
            },
            _ => &[],
        }
    }

    /// Returns the name of the file about a query, by the number of the query, from 1. Nothing that
    /// a user has written is in it.
    #[must_use]
    pub fn file(self, query: usize) -> String {
        match self {
            PlotKind::Cumulative => format!("query-{query}-cumulative.svg"),
            PlotKind::Histogram => format!("query-{query}-histogram.svg"),
            PlotKind::Runs => format!("query-{query}-runs.svg"),
            PlotKind::Table => format!("query-{query}.csv"),
        }
    }

    /// Returns what the file is, for notes.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            PlotKind::Table => "a table",
            PlotKind::Cumulative | PlotKind::Histogram | PlotKind::Runs => "a chart",
        }
    }

    /// Writes the file. Returns `false` if there is nothing to show.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn write(self, title: &str, estimate: &Estimate, out: &mut dyn Write) -> io::Result<bool> {
        match (self, &estimate.trajectories) {
            (PlotKind::Table, Some(runs)) => write_runs(runs, out),
            (PlotKind::Table, None) => write_distributions(estimate, out),
            _ => match self.chart(title, estimate) {
                Some(chart) => out.write_all(chart.as_bytes()).map(|()| true),
                None => Ok(false),
            },
        }
    }

    /// Draws the chart, if there is anything to show.
    #[must_use]
    pub fn chart(self, title: &str, estimate: &Estimate) -> Option<String> {
        let plot = match self {
            PlotKind::Cumulative => cumulative(estimate)?,
            PlotKind::Histogram => histogram(estimate)?,
            PlotKind::Runs => along_runs(estimate.trajectories.as_deref()?)?,
            PlotKind::Table => return None,
        };
        Some(draw::plot(&Plot { title: format!("{title}{}", plot.title), ..plot }))
    }
}

/// Returns the distributions of an estimate, with names where there are two.
fn distributions(estimate: &Estimate) -> Vec<(&'static str, &Estimate, &Distribution)> {
    let against = estimate.against.as_deref();
    let names = if against.is_some() { ["first", "second"] } else { ["runs", ""] };
    let both = [Some(estimate), against].into_iter().flatten().zip(names);
    both.filter_map(|(estimate, name)| Some((name, estimate, estimate.distribution.as_ref()?))).collect()
}

/// The ends of bins, with the number of runs up to there.
fn sums(found: &Distribution) -> impl Iterator<Item = (f64, u64)> {
    let add = |sum: &mut u64, bin: &crate::json::verify::DistributionBin| {
        *sum += bin.runs;
        Some((bin.from + found.width, *sum))
    };
    found.bins.iter().scan(0, add)
}

fn cumulative(estimate: &Estimate) -> Option<Plot> {
    let mut plot = Plot { up: "share of runs".to_owned(), ..Plot::default() };
    for (name, estimate, found) in distributions(estimate) {
        let start = found.bins.first()?.from.min(0.0);
        let level = significant(100.0 * estimate.level);
        let (mut line, mut band) = (vec![(start, 0.0)], Vec::new());
        let mut before = Share::new(0, estimate.runs, 1.0 - estimate.level).interval;
        band.push((start, before.low, before.high));
        for (end, runs) in sums(found) {
            let interval = Share::new(runs, estimate.runs, 1.0 - estimate.level).interval;
            line.push((end, runs as f64 / estimate.runs.max(1) as f64));
            // The share holds from there on, and so does its interval.
            band.push((end, before.low, before.high));
            band.push((end, interval.low, interval.high));
            before = interval;
        }
        plot.across.clone_from(&found.of);
        plot.curves.push(Curve { name: name.to_owned(), shape: CurveShape::Steps(line) });
        plot.curves.push(Curve { name: name.to_owned(), shape: CurveShape::Band(band) });
        plot.title = format!(": share of runs, with {level}% intervals");
    }
    (!plot.curves.is_empty()).then_some(plot)
}

fn histogram(estimate: &Estimate) -> Option<Plot> {
    let mut plot = Plot { title: ": runs".to_owned(), up: "runs".to_owned(), ..Plot::default() };
    for (name, _, found) in distributions(estimate) {
        let (first, last) = (found.bins.first()?.from, found.bins.last()?.from);
        // Widths stay powers of two, so that bins are parts of bars.
        let mut width = found.width;
        while (last - first) / width > MOST_BARS {
            width *= 2.0;
        }
        let mut bars: Vec<(f64, f64)> = Vec::new();
        for bin in &found.bins {
            let from = (bin.from / width).floor() * width;
            match bars.last_mut() {
                Some((other, runs)) if *other == from => *runs += bin.runs as f64,
                _ => bars.push((from, bin.runs as f64)),
            }
        }
        plot.across.clone_from(&found.of);
        plot.curves.push(Curve { name: name.to_owned(), shape: CurveShape::Bars(width, bars) });
    }
    (!plot.curves.is_empty()).then_some(plot)
}

fn along_runs(runs: &[RunTrajectory]) -> Option<Plot> {
    let mut plot = Plot { across: "time".to_owned(), ..Plot::default() };
    for run in runs.iter().take(MOST_RUNS) {
        for (number, expression) in run.expressions.iter().enumerate() {
            let points = run.points.iter().map(|(time, values)| (time, values[number])).collect();
            plot.curves.push(Curve { name: expression.clone(), shape: CurveShape::Line(points) });
        }
    }
    if runs.len() > MOST_RUNS {
        plot.title = format!(": {MOST_RUNS} of {} runs", runs.len());
    }
    if let [only] = runs.first().map_or(&[][..], |run| &run.expressions) {
        plot.up.clone_from(only);
    }
    (!plot.curves.is_empty()).then_some(plot)
}

/// Writes the values along runs: a line for each moment.
fn write_runs(runs: &[RunTrajectory], out: &mut dyn Write) -> io::Result<bool> {
    let Some(first) = runs.first() else { return Ok(false) };
    write!(out, "run,time")?;
    first.expressions.iter().try_for_each(|expression| write!(out, ",{}", field(expression)))?;
    writeln!(out)?;
    for run in runs {
        for (time, values) in run.points.iter() {
            write!(out, "{},{time}", run.run)?;
            values.iter().try_for_each(|value| write!(out, ",{value}"))?;
            writeln!(out)?;
        }
    }
    Ok(true)
}

/// Writes distributions: a line for each bin, with the number of runs up to its end.
fn write_distributions(estimate: &Estimate, out: &mut dyn Write) -> io::Result<bool> {
    let all = distributions(estimate);
    if all.is_empty() {
        return Ok(false);
    }
    writeln!(out, "curve,of,from,to,runs,runs_up_to,share,low,high")?;
    for (name, estimate, found) in all {
        for (bin, (end, sum)) in found.bins.iter().zip(sums(found)) {
            let interval = Share::new(sum, estimate.runs, 1.0 - estimate.level).interval;
            let share = sum as f64 / estimate.runs.max(1) as f64;
            let (of, from, runs) = (field(&found.of), bin.from, bin.runs);
            writeln!(out, "{name},{of},{from},{end},{runs},{sum},{share},{},{}", interval.low, interval.high)?;
        }
    }
    Ok(true)
}

/// Returns a text as a field of a table: in quotes where it needs some.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::json::verify::DistributionBin;

    fn estimate(bins: &[(f64, u64)]) -> Estimate {
        let bins = bins.iter().map(|(from, runs)| DistributionBin { from: *from, runs: *runs }).collect();
        Estimate {
            estimate: Some(0.5),
            low: Some(0.4),
            high: Some(0.6),
            level: 0.95,
            runs: 10,
            successes: Some(5),
            transitions: 0,
            against: None,
            trajectories: None,
            distribution: Some(Distribution { of: "time".to_owned(), width: 0.5, bins }),
            splitting: None,
            certain: None,
        }
    }

    fn written(kind: PlotKind, estimate: &Estimate) -> Option<String> {
        let mut out = Vec::new();
        kind.write("Pr[<=5](<> a < b)", estimate, &mut out).unwrap().then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn tables_have_the_runs_up_to_each_end() {
        let table = written(PlotKind::Table, &estimate(&[(1.0, 2), (3.5, 3)])).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("runs,time,1,1.5,2,2,0.2,0.025"), "{table}");
        assert!(lines[2].starts_with("runs,time,3.5,4,3,5,0.5,0.18"), "{table}");
    }

    #[test]
    fn charts_are_about_what_was_found() {
        for kind in [PlotKind::Cumulative, PlotKind::Histogram] {
            let chart = written(kind, &estimate(&[(1.0, 2), (3.5, 3)])).unwrap();
            assert!(chart.contains("Pr[&lt;=5](&lt;&gt; a &lt; b)") && chart.contains(">time</text>"), "{chart}");
            let nothing = Estimate { distribution: None, ..estimate(&[]) };
            assert_eq!(written(kind, &nothing), None);
        }
    }

    #[test]
    fn names_of_expressions_are_quoted() {
        let run = RunTrajectory { run: 7, expressions: Arc::new(["a, \"b\"".to_owned()]), points: Default::default() };
        let simulation = Estimate { trajectories: Some(vec![run]), ..estimate(&[]) };
        assert_eq!(written(PlotKind::Table, &simulation).unwrap(), "run,time,\"a, \"\"b\"\"\"\n");
        assert!(written(PlotKind::Runs, &simulation).is_some());
        let none = Estimate { trajectories: Some(Vec::new()), ..estimate(&[]) };
        assert_eq!((written(PlotKind::Table, &none), written(PlotKind::Runs, &none)), (None, None));
    }
}
