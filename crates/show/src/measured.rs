//! What was measured on random runs, as text: intervals, and the range of values along runs with
//! small charts.

use std::io::{self, Write};

use crate::{
    estimate::{interval, significant},
    json::verify::{Estimate, RunTrajectory, Stats},
    render::{count, one_line},
};

/// The number of runs of a simulation that are shown.
const MAX_TRAJECTORIES: usize = 5;

/// Writes what was measured on random runs.
pub(crate) fn write_estimate(estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
    let from = |estimate: &Estimate| match estimate.successes {
        Some(successes) => format!("{successes} of {}", count(estimate.runs as usize, "run")),
        None => count(estimate.runs as usize, "run"),
    };
    if estimate.runs > 0 && estimate.estimate.is_some() {
        writeln!(out, "    {}, {}", interval(estimate), from(estimate))?;
    }
    if let Some(against) = &estimate.against {
        writeln!(out, "    {}, {}", interval(against), from(against))?;
    }
    for trajectory in estimate.trajectories.iter().flatten().take(MAX_TRAJECTORIES) {
        write_trajectory(trajectory, out)?;
    }
    let more = estimate.trajectories.as_ref().map_or(0, Vec::len).saturating_sub(MAX_TRAJECTORIES);
    if more > 0 {
        writeln!(out, "    and {}: --format json has all", count(more, "more run"))?;
    }
    Ok(())
}

/// Writes the range of each expression along a run, with a small chart.
fn write_trajectory(trajectory: &RunTrajectory, out: &mut dyn Write) -> io::Result<()> {
    let end = trajectory.points.last().map_or(0.0, |point| point.time);
    writeln!(out, "    run {}, to time {}:", trajectory.run, significant(end))?;
    for (number, expression) in trajectory.expressions.iter().enumerate() {
        let values: Vec<(f64, f64)> = trajectory.points.iter().map(|p| (p.time, p.values[number])).collect();
        let least = values.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
        let greatest = values.iter().map(|(_, v)| *v).fold(f64::NEG_INFINITY, f64::max);
        let range = format!("{} to {}", significant(least), significant(greatest));
        writeln!(out, "      {} {}, {range}", chart(&values, least, greatest), one_line(expression))?;
    }
    Ok(())
}

/// Returns a line of blocks: the greatest value in each part of the time.
fn chart(values: &[(f64, f64)], least: f64, greatest: f64) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const COLUMNS: usize = 40;
    let end = values.last().map_or(0.0, |(time, _)| *time);
    let block = |value: f64| {
        let height = if greatest > least { (value - least) / (greatest - least) } else { 0.0 };
        BLOCKS[((height * 7.0).round() as usize).min(7)]
    };
    let column = |number: usize| {
        let (from, to) = (end * number as f64 / COLUMNS as f64, end * (number + 1) as f64 / COLUMNS as f64);
        // Values are linear between two points, so the ends of the column and the points in it are
        // enough.
        let inside = values.iter().filter(|(time, _)| (from..=to).contains(time)).map(|(_, value)| *value);
        inside.chain([at(values, from), at(values, to)]).fold(f64::NEG_INFINITY, f64::max)
    };
    (0..COLUMNS).map(|number| block(column(number))).collect()
}

/// Returns the value at a moment.
fn at(values: &[(f64, f64)], moment: f64) -> f64 {
    let next = values.partition_point(|(time, _)| *time < moment);
    match (next.checked_sub(1).map(|i| values[i]), values.get(next)) {
        (Some((t, v)), Some((u, w))) if u > &t => v + (w - v) * (moment - t) / (u - t),
        (_, Some((_, w))) => *w,
        (Some((_, v)), None) => v,
        (None, None) => 0.0,
    }
}

/// Writes the work on random runs.
pub(crate) fn write_work(stats: &Stats, estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
    let Estimate { runs, transitions, .. } = estimate;
    let runs = runs + estimate.against.as_ref().map_or(0, |against| against.runs);
    let (runs, steps) = (count(runs as usize, "run"), count(*transitions as usize, "transition"));
    writeln!(out, "  {runs} with {steps}; {:.2} s", stats.seconds)
}
