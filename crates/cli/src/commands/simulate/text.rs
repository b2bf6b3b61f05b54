//! Answers as text.

use std::io::{self, Write};

use show::simulation;

use crate::{
    commands::{
        count,
        verify::text::{write_list, write_state},
    },
    json::{
        simulate::{Move, SimulateLine, Situation},
        verify::TakenEdge,
    },
    net_names,
    render::{harmless, one_line},
};

/// All variables are shown after a move if there are no more than these; otherwise only those that
/// changed.
const MAX_SHOWN_VARIABLES: usize = 20;

/// Writes the reply to a command. Some of its moves may be hidden.
pub fn write(line: &SimulateLine, out: &mut dyn Write) -> io::Result<()> {
    if line.hidden > 0 {
        writeln!(out, "\u{2026} {} (`trace` shows all)", count(line.hidden, "move"))?;
    }
    for made in &line.moves {
        write_move(made, out)?;
    }
    if let Some(message) = &line.message {
        // Line by line, since all lines together may exceed the limit of `harmless`.
        for line in message.lines() {
            writeln!(out, "{}", harmless(line))?;
        }
    }
    for value in &line.values {
        writeln!(out, "{} = {}", one_line(&value.expression), value.value)?;
    }
    if let Some(breakpoints) = &line.breakpoints {
        if breakpoints.is_empty() {
            writeln!(out, "there are no breakpoints")?;
        }
        for b in breakpoints {
            writeln!(out, "breakpoint {}: {}", b.number, one_line(&b.expression))?;
        }
    }
    // Changes were shown with the moves.
    line.now.as_ref().map_or(Ok(()), |now| write_situation(now, line.moves.is_empty(), out))
}

fn write_move(made: &Move, out: &mut dyn Write) -> io::Result<()> {
    let delay = made.step.delay.as_deref().unwrap_or_default();
    let what = match &made.step.edges[..] {
        [] => format!("{delay} passes"),
        edges if delay == "0" => transition(net_names::event_of(&made.step), edges),
        edges => format!("after {delay}: {}", transition(net_names::event_of(&made.step), edges)),
    };
    writeln!(out, "move {}: {what}", made.number)?;
    let changes = made.step.changes.iter().map(|c| format!("{}: {} -> {}", one_line(&c.name), c.from, c.to));
    let elements = made.step.element_changes.iter();
    let elements = elements.map(|c| format!("{}: {} -> {}", one_line(&c.name), one_line(&c.from), one_line(&c.to)));
    write_list("  ", changes.chain(elements), out)
}

/// The event of a net, or the edges of a transition.
fn transition(event: Option<String>, edges: &[TakenEdge]) -> String {
    if let Some(event) = event {
        return event;
    }
    let edge = |e: &TakenEdge| {
        let sync = e.sync.as_ref().map_or(String::new(), |sync| format!(" [{}]", one_line(sync)));
        let select = match &e.select[..] {
            [] => String::new(),
            values => format!(" ({})", values.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")),
        };
        format!("{}: {} -> {}{sync}{select}", one_line(&e.process), one_line(&e.source), one_line(&e.target))
    };
    edges.iter().map(edge).collect::<Vec<_>>().join(", ")
}

fn write_situation(now: &Situation, whole: bool, out: &mut dyn Write) -> io::Result<()> {
    let ahead = if now.ahead > 0 { format!(", {} ahead", now.ahead) } else { String::new() };
    writeln!(out, "time {}, {}{ahead}", now.time, count(now.moves, "move"))?;
    let is_net = now.state.marking.is_some();
    if whole || is_net || now.state.variables.len() + now.state.elements.len() <= MAX_SHOWN_VARIABLES {
        write_state(&now.state, out)?;
    } else {
        let places = now.state.locations.iter();
        write_list("    ", places.map(|at| format!("{}.{}", one_line(&at.process), one_line(&at.location))), out)?;
        let clocks = now.state.clocks.iter().flatten();
        write_list("    ", clocks.map(|clock| format!("{} = {}", one_line(&clock.name), clock.value)), out)?;
    }
    for b in &now.breakpoints {
        writeln!(out, "  breakpoint {} holds: {}", b.number, one_line(&b.expression))?;
    }
    if let Some(problem) = &now.problem {
        return writeln!(out, "  {problem}");
    }
    let limit = now.limit.as_ref().map_or(String::new(), |why| format!(" ({})", one_line(why)));
    writeln!(out, "  {}{limit}", simulation::wait(&now.wait))?;
    if now.deadlock {
        let locked = if now.wait.to.is_some() { "deadlock and time-lock" } else { "deadlock" };
        writeln!(out, "  {locked}: no transition is possible, now or later")?;
    } else if now.transitions.is_empty() {
        writeln!(out, "  no transition is possible without a run-time error")?;
    }
    let when: Vec<String> = now.transitions.iter().map(|t| simulation::delays(&t.delays)).collect();
    let width = when.iter().map(String::len).max().unwrap_or(0);
    let digits = now.transitions.len().to_string().len();
    for (t, when) in now.transitions.iter().zip(&when) {
        let event = net_names::event(t.fires.as_deref(), t.becomes_available.as_deref());
        writeln!(out, "  {:>digits$}  {when:width$}  {}", t.number, transition(event, &t.edges))?;
    }
    for error in &now.errors {
        let place = error.place.as_ref().map_or(String::new(), |place| format!(", at {}", one_line(place)));
        let event = net_names::event(error.fires.as_deref(), None);
        let by = if error.edges.is_empty() { String::new() } else { format!(": {}", transition(event, &error.edges)) };
        writeln!(out, "  run-time error {}{by}: {}{place}", simulation::delays(&error.delays), error.message)?;
    }
    Ok(())
}
