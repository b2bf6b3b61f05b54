//! Answers as text.

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style};

use show::details::{write_blame, write_details};

use crate::{
    commands::count,
    json::verify::{Clock, Ending, NamedState, QueryResult, TraceStep, Verdict},
    net_names,
    render::{harmless, one_line},
};

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
