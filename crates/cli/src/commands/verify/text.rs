//! Answers as text.

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};

use crate::{
    commands::count,
    estimate::{interval, significant},
    json::verify::{
        Bound, Certificate, Clock, Ending, Estimate, ExpressionBounds, Formulas, JoinBlame, NamedState, Prepared,
        QueryResult, QueryValue, RunTrajectory, Stats, TraceStep, Verdict,
    },
    net_names,
    progress::size,
    render::{harmless, one_line},
};

/// The number of runs of a simulation that are shown.
const MAX_TRAJECTORIES: usize = 5;
/// The width of lists of values.
const WIDTH: usize = 96;

/// Writes a query, with its number if there are several, its verdict and, on request, its
/// statistics.
pub fn write_verdict(
    result: &QueryResult,
    number: Option<usize>,
    stats: bool,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Answers come in the order in which they are known.
    let number = number.map_or(String::new(), |number| format!("{number}: "));
    writeln!(out, "{number}{}", harmless(&result.short_query()))?;
    if let Some(name) = &result.name {
        writeln!(out, "  name: {}", one_line(name))?;
    }
    let (word, hue) = match result.answer {
        Some(Verdict::Satisfied) => ("satisfied", AnsiColor::Green),
        Some(Verdict::NotSatisfied) => ("NOT satisfied", AnsiColor::Red),
        Some(Verdict::Unknown) => ("unknown", AnsiColor::Yellow),
        None => ("refused", AnsiColor::Red),
    };
    let style = if color { Style::new().bold().fg_color(Some(hue.into())) } else { Style::new() };
    // The diagnostics of a refused query say more than its reason.
    let reason = result.reason.as_deref().filter(|_| result.answer.is_some());
    let reason = reason.map_or(String::new(), |reason| format!(": {}", one_line(reason)));
    writeln!(out, "  {style}{word}{style:#}{reason}")?;
    write_details(result, stats, out)
}

/// Writes what follows the verdict: reservations, values, statistics on request, and certificates.
pub fn write_details(result: &QueryResult, stats: bool, out: &mut dyn Write) -> io::Result<()> {
    if let Some(note) = &result.note {
        writeln!(out, "  {}", one_line(note))?;
    }
    match &result.value {
        Some(QueryValue::Bounds(values)) => write_values(values, out)?,
        Some(QueryValue::Estimate(estimate)) => write_estimate(estimate, out)?,
        None => {}
    }
    match (&result.stats, &result.value) {
        (Some(numbers), Some(QueryValue::Estimate(estimate))) if stats => write_work(numbers, estimate, out)?,
        (Some(numbers), _) if stats => write_stats(numbers, out)?,
        _ => {}
    }
    match &result.certificate {
        Some(Certificate { states: Some(states), .. }) => {
            writeln!(out, "  certificate with {}", count(*states, "state"))
        }
        Some(Certificate { clauses: Some(clauses), .. }) => {
            writeln!(out, "  certificate with {}", count(*clauses, "clause"))
        }
        Some(Certificate { reason: Some(reason), .. }) => writeln!(out, "  no certificate: {reason}"),
        _ => Ok(()),
    }
}

/// Writes the bounds of each expression.
fn write_values(values: &[ExpressionBounds], out: &mut dyn Write) -> io::Result<()> {
    if values.is_empty() {
        return writeln!(out, "    no state satisfies the condition");
    }
    let less = |bound: &Bound| if bound.strict { "<" } else { "<=" };
    let number = |bound: &Bound| bound.number.map_or("inf".to_owned(), |n| n.to_string());
    for ExpressionBounds { expression, least, greatest } in values {
        let text = one_line(expression);
        match (least, greatest) {
            (Some(low), Some(high)) => {
                writeln!(out, "    {} {} {text} {} {}", number(low), less(low), less(high), number(high))?;
            }
            (None, Some(high)) => writeln!(out, "    {text} {} {}", less(high), number(high))?,
            (Some(low), None) => {
                writeln!(out, "    {text} {} {}", if low.strict { ">" } else { ">=" }, number(low))?;
            }
            (None, None) => {}
        }
    }
    Ok(())
}

/// Writes what was measured on random runs.
fn write_estimate(estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
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
fn write_work(stats: &Stats, estimate: &Estimate, out: &mut dyn Write) -> io::Result<()> {
    let Estimate { runs, transitions, .. } = estimate;
    let runs = runs + estimate.against.as_ref().map_or(0, |against| against.runs);
    let (runs, steps) = (count(runs as usize, "run"), count(*transitions as usize, "transition"));
    writeln!(out, "  {runs} with {steps}; {:.2} s", stats.seconds)
}

fn write_stats(stats: &Stats, out: &mut dyn Write) -> io::Result<()> {
    let Stats {
        explored,
        generated,
        added,
        stored,
        seconds,
        peak_bytes,
        peak_resident_bytes,
        queries,
        symmetry,
        threads,
        strategy,
        refinements,
        heuristic_failures: _,
        phases,
        decided_by,
        prepared,
        formulas,
    } = stats;
    if let Some(formulas) = formulas {
        return write_formulas(formulas, *seconds, out);
    }
    let counted = size(*peak_bytes);
    write!(
        out,
        "  explored {explored}, generated {generated}, added {added}, stored {stored} states; {seconds:.2} s; {counted}"
    )?;
    if let Some(bytes) = peak_resident_bytes {
        write!(out, " of {} resident", size(*bytes))?;
    }
    if *queries > 1 {
        write!(out, "; one search for {queries} queries")?;
    }
    if *symmetry {
        write!(out, "; with symmetry reduction")?;
    }
    if *threads > 1 {
        write!(out, "; in {threads} threads")?;
    }
    if let Some(strategy) = strategy {
        write!(out, "; decided by {strategy}")?;
    }
    if *refinements > 0 {
        write!(out, "; {} undone", count(*refinements, "join"))?;
    }
    writeln!(out)?;
    if phases.len() > 1 {
        let phases = phases.iter().map(|phase| format!("{} {}", phase.name, phase.explored));
        write!(out, "  explored by phases: {}", phases.collect::<Vec<_>>().join(", "))?;
        if let Some(phase) = decided_by {
            write!(out, "; decided by the {phase}")?;
        }
        writeln!(out)?;
    }
    if let Some(Prepared { states, nodes, predicates, rounds, lengths, stopped, seconds }) = prepared {
        write!(out, "  before the search: ")?;
        if *states > 0 || *nodes == 0 {
            write!(out, "{states} abstract states")?;
        }
        if *nodes > 0 {
            let comma = if *states > 0 { ", " } else { "" };
            write!(out, "{comma}{nodes} nodes of diagrams")?;
        }
        if *predicates > 0 {
            write!(out, ", {predicates} predicates")?;
        }
        if *rounds > 0 {
            write!(out, ", {rounds} rounds")?;
        }
        let lengths: Vec<String> = lengths.iter().map(|l| l.map_or("none".to_owned(), |l| l.to_string())).collect();
        if !lengths.is_empty() {
            write!(out, ", abstract paths of {}", lengths.join(" + "))?;
        }
        write!(out, "; {seconds:.2} s")?;
        if let Some(why) = stopped {
            write!(out, "; {why}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the number of answers of each kind, if there are several queries.
pub fn write_summary(results: &[QueryResult], out: &mut dyn Write) -> io::Result<()> {
    if results.len() < 2 {
        return Ok(());
    }
    let kinds = [
        (Some(Verdict::Satisfied), "satisfied"),
        (Some(Verdict::NotSatisfied), "not satisfied"),
        (Some(Verdict::Unknown), "unknown"),
        (None, "refused"),
    ];
    let number = |kind: Option<Verdict>| results.iter().filter(|r| r.answer == kind).count();
    let parts = kinds.iter().map(|(kind, word)| (number(*kind), word)).filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, word)| format!("{n} {word}")).collect();
    writeln!(out, "{}: {}", count(results.len(), "query"), parts.join(", "))
}

fn write_formulas(formulas: &Formulas, seconds: f64, out: &mut dyn Write) -> io::Result<()> {
    let Formulas { encoding, solver, steps, variables, constraints, levels, clauses, induction, .. } = formulas;
    write!(out, "  {solver}; {seconds:.2} s; {}", count(*steps, "step"))?;
    if let (Some(encoding), Some(places), Some(transitions)) = (encoding, formulas.places, formulas.transitions) {
        let Formulas { booleans, reals, nodes, .. } = formulas;
        let (places, transitions) = (count(places, "place"), count(transitions, "transition"));
        write!(out, " of encoding {encoding} for {places} and {transitions}, ")?;
        write!(out, "{booleans} Boolean and {reals} real variables, {}", count(*nodes, "part"))?;
    }
    if let (Some(variables), Some(constraints)) = (variables, constraints) {
        write!(out, "; as the paper counts: {variables} variables, {constraints} constraints")?;
    }
    if let Some(levels) = levels {
        write!(out, "; {} of invariants", count(*levels, "level"))?;
    }
    if let Some(clauses) = clauses {
        write!(out, ", the last with {}", count(*clauses, "clause"))?;
    }
    if let Some(steps) = induction {
        write!(out, "; induction over {}", count(*steps, "step"))?;
    }
    writeln!(out)
}

/// Writes the trace, if there is one, and an empty line. The trace of a net has its transitions and
/// markings.
pub fn write_trace(result: &QueryResult, out: &mut dyn Write) -> io::Result<()> {
    let Some(trace) = &result.trace else { return Ok(()) };
    let length = count(trace.length, "transition");
    if trace.spurious {
        writeln!(out, "  spurious trace with {length}: not a run of the model")?;
    } else {
        writeln!(out, "  trace with {length}")?;
    }
    writeln!(out, "  start")?;
    write_state(&trace.start, out)?;
    let mut clocks = &trace.start.clocks;
    for (step, number) in trace.steps.iter().zip(1..) {
        writeln!(out, "  step {number}{}", after(step.delay.as_deref()))?;
        write_step(step, clocks.as_deref(), out)?;
        clocks = &step.clocks;
    }
    writeln!(out, "  end{}", after(trace.last_delay.as_deref()))?;
    write_state(&trace.end, out)?;
    match (trace.ending, trace.cycle) {
        (Some(Ending::Cycle), Some(step)) => writeln!(out, "  and so on: cycle from step {step}")?,
        (Some(Ending::Waits), _) => writeln!(out, "  and then time diverges")?,
        (Some(Ending::Stops), _) => writeln!(out, "  and then deadlock: no transition is possible")?,
        _ => {}
    }
    result.blame.as_ref().map_or(Ok(()), |blame| write_blame(blame, out))?;
    writeln!(out)
}

/// Writes the join that is to blame for a spurious trace.
pub fn write_blame(blame: &JoinBlame, out: &mut dyn Write) -> io::Result<()> {
    let place = match blame.step {
        0 => "at the start".to_owned(),
        step => format!("after step {step}"),
    };
    writeln!(out, "  to blame: the join {place}; the rest is possible from neither of its two states")?;
    for [name, stored, new, joined] in blame.differences() {
        let [name, stored, new, joined] = [&name, &stored, &new, &joined].map(|text| one_line(text));
        writeln!(out, "    {name}: {stored} stored, {new} new, {joined} joined")?;
    }
    if blame.zones {
        writeln!(out, "    clocks: only the convex hull of both zones has the values")?;
    }
    // The strategy is one word for a shell.
    writeln!(out, "  to exclude it: --join '{}'", one_line(&blame.strategy.replace('\'', "'\\''")))
}

fn after(delay: Option<&str>) -> String {
    match delay {
        Some("0") => String::new(),
        Some(delay) => format!(", after a delay of {delay}"),
        None => ", after an unknown delay".to_owned(),
    }
}

fn write_step(step: &TraceStep, before: Option<&[Clock]>, out: &mut dyn Write) -> io::Result<()> {
    if let Some(event) = net_names::event_of(step) {
        writeln!(out, "    {event}")?;
        for change in &step.changes {
            writeln!(out, "      {}: {} -> {}", one_line(&change.name), change.from, change.to)?;
        }
        return Ok(());
    }
    for edge in &step.edges {
        let sync = edge.sync.as_ref().map_or(String::new(), |sync| format!("  [{}]", one_line(sync)));
        let (process, source, target) = (one_line(&edge.process), one_line(&edge.source), one_line(&edge.target));
        writeln!(out, "    {process}: {source} -> {target}{sync}")?;
    }
    for change in &step.changes {
        writeln!(out, "      {}: {} -> {}", one_line(&change.name), change.from, change.to)?;
    }
    for change in &step.element_changes {
        let (from, to) = (one_line(&change.from), one_line(&change.to));
        writeln!(out, "      {}: {from} -> {to}", one_line(&change.name))?;
    }
    // Without a delay most clocks do not change.
    let same =
        |clock: &Clock| before.is_some_and(|all| all.iter().any(|b| b.name == clock.name && b.value == clock.value));
    let clocks = step.clocks.iter().flatten().filter(|clock| !same(clock));
    write_list("      ", clocks.map(|clock| format!("{} = {}", one_line(&clock.name), clock.value)), out)
}

/// Writes a state. Variables that are zero are omitted.
pub fn write_state(state: &NamedState, out: &mut dyn Write) -> io::Result<()> {
    if state.marking.is_some() {
        write_list("    ", net_names::marking(state), out)?;
        write_list("    ", net_names::enabled(state), out)?;
        return write_list("    ", state.time.iter().map(|time| format!("time = {time}")), out);
    }
    let places = state.locations.iter().map(|at| format!("{}.{}", one_line(&at.process), one_line(&at.location)));
    write_list("    ", places, out)?;
    let variables = state.variables.iter().filter(|v| v.value != 0);
    write_list("    ", variables.map(|v| format!("{} = {}", one_line(&v.name), v.value)), out)?;
    let elements = state.elements.iter();
    write_list("    ", elements.map(|e| format!("{} = {}", one_line(&e.name), one_line(&e.value))), out)?;
    let clocks = state.clocks.iter().flatten();
    write_list("    ", clocks.map(|clock| format!("{} = {}", one_line(&clock.name), clock.value)), out)
}

/// Writes items with commas between them, in lines of a bounded width.
pub fn write_list(indent: &str, items: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let mut column = 0;
    for item in items {
        let width = item.chars().count();
        if column == 0 {
            write!(out, "{indent}{item}")?;
            column = indent.len() + width;
        } else if column + 2 + width <= WIDTH {
            write!(out, ", {item}")?;
            column += 2 + width;
        } else {
            write!(out, ",\n{indent}{item}")?;
            column = indent.len() + width;
        }
    }
    if column > 0 { writeln!(out) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_go_on_in_the_next_line() {
        let list = |n: usize| {
            let mut out = Vec::new();
            write_list("  ", (0..n).map(|i| format!("variable[{i}] = 1")), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(list(0), "");
        assert_eq!(list(2), "  variable[0] = 1, variable[1] = 1\n");
        assert!(list(40).lines().count() > 5 && list(40).lines().all(|line| line.len() <= WIDTH + 1));
    }
}
