//! What was measured on random runs, as text: intervals, and the range of values along runs with
//! small charts.

use std::io::{self, Write};

use crate::{
    estimate::{interval, significant},
    json::verify::{Distribution, Estimate, RunTrajectory, Stats},
    render::{count, one_line},
};

/// The width of charts, in characters.
const COLUMNS: usize = 40;
/// The number of runs of a simulation that are shown.
const MAX_TRAJECTORIES: usize = 5;

/// Writes what was measured on random runs.
pub(crate) fn write_estimate(estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
    let from = |estimate: &Estimate| match estimate.successes {
        Some(successes) => format!("{successes} of {}", count(estimate.runs as usize, "run")),
        None => count(estimate.runs as usize, "run"),
    };
    if let (Some(why), Some(probability)) = (&estimate.certain, estimate.estimate) {
        writeln!(out, "    {probability}, certainly: {}", one_line(why))?;
    }
    for estimate in [Some(estimate), estimate.against.as_deref()].into_iter().flatten() {
        if estimate.runs > 0 && estimate.estimate.is_some() {
            writeln!(out, "    {}, {}", interval(estimate), from(estimate))?;
        }
        if let Some(splitting) = &estimate.splitting {
            let levels: Vec<String> = splitting.levels.iter().map(i64::to_string).collect();
            let at = if levels.is_empty() { "nowhere".to_owned() } else { format!("at {}", levels.join(", ")) };
            writeln!(out, "    split {at}; the mean of {}", count(splitting.estimates as usize, "estimate"))?;
        }
        estimate.distribution.iter().try_for_each(|found| write_distribution(found, out))?;
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

/// Writes how numbers are distributed, as a small chart. Where all are the same there is nothing to
/// see.
fn write_distribution(found: &Distribution, out: &mut dyn Write) -> io::Result<()> {
    let (Some(first), Some(last)) = (found.bins.first(), found.bins.last()) else { return Ok(()) };
    if first.from == last.from {
        return Ok(());
    }
    // Numbers that are multiples of one, as whole numbers are, have columns of equal width.
    let gaps = found.bins.windows(2).map(|pair| pair[1].from - pair[0].from);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    let steps = (last.from - first.from) / gap;
    let is_even = found.bins.iter().all(|bin| ((bin.from - first.from) / gap).fract() == 0.0);
    let (end, count, wide) = if is_even && steps < COLUMNS as f64 {
        (last.from + gap, steps as usize + 1, COLUMNS / (steps as usize + 1))
    } else {
        (last.from + found.width, COLUMNS, 1)
    };
    let mut columns = vec![0; count];
    for bin in &found.bins {
        let share = (bin.from + 0.5 * found.width - first.from) / (end - first.from);
        columns[((share * count as f64) as usize).min(count - 1)] += bin.runs;
    }
    let most = columns.iter().max().copied().unwrap_or(0) as f64;
    let blocks = columns.iter().flat_map(|runs| std::iter::repeat_n(block(*runs as f64 / most), wide));
    let blocks: String = blocks.collect();
    let range = format!("{} to {}", significant(first.from), significant(last.from));
    writeln!(out, "      {blocks} runs by {}, {range}", one_line(&found.of))
}

/// Writes the range of each expression along a run, with a small chart.
fn write_trajectory(trajectory: &RunTrajectory, out: &mut dyn Write) -> io::Result<()> {
    let end = trajectory.points.iter().next_back().map_or(0.0, |(time, _)| time);
    writeln!(out, "    run {}, to time {}:", trajectory.run, significant(end))?;
    for (number, expression) in trajectory.expressions.iter().enumerate() {
        let values: Vec<(f64, f64)> = trajectory.points.iter().map(|(time, all)| (time, all[number])).collect();
        let least = values.iter().map(|(_, v)| *v).fold(f64::INFINITY, f64::min);
        let greatest = values.iter().map(|(_, v)| *v).fold(f64::NEG_INFINITY, f64::max);
        let range = format!("{} to {}", significant(least), significant(greatest));
        writeln!(out, "      {} {}, {range}", chart(&values, least, greatest), one_line(expression))?;
    }
    Ok(())
}

/// Returns a line of blocks: the greatest value in each part of the time.
fn chart(values: &[(f64, f64)], least: f64, greatest: f64) -> String {
    let end = values.last().map_or(0.0, |(time, _)| *time);
    let height = |value: f64| if greatest > least { (value - least) / (greatest - least) } else { 0.0 };
    let column = |number: usize| {
        let (from, to) = (end * number as f64 / COLUMNS as f64, end * (number + 1) as f64 / COLUMNS as f64);
        // Values are linear between two points, so the ends of the column and the points in it are
        // enough.
        let inside = values.iter().filter(|(time, _)| (from..=to).contains(time)).map(|(_, value)| *value);
        inside.chain([at(values, from), at(values, to)]).fold(f64::NEG_INFINITY, f64::max)
    };
    (0..COLUMNS).map(|number| block(height(column(number)))).collect()
}

/// Returns the block of a height between 0 and 1.
fn block(height: f64) -> char {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    BLOCKS[((height * 7.0).round() as usize).min(7)]
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
