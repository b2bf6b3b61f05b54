//! Intervals on transitions, or none.
//!
//! Each transition has a clock that measures the time since it was enabled, and a process that is
//! `On` while it is enabled. Firing another transition can enable it, disable it, or reset its
//! clock: the last happens if it is enabled after the firing, but not between consuming and
//! producing tokens ("intermediate semantics", as in TINA and Romeo). Guards are evaluated before
//! the firing, and so are written in terms of that marking. A transition that fires at once or at
//! any time needs no clock: it is an edge of one common process, on a channel that is urgent or
//! not.

use super::{
    GeneratedNames, Timer,
    text::{XtaEdge, XtaText, moves, weight},
};
use crate::net::{Arc, Interval, Net, Transition};

pub(super) fn write(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    for (i, t) in net.transitions.iter().enumerate() {
        if let Some(timer) = names.timer(i) {
            text.from(t.span);
            text.push(&format!("clock {};\n", timer.clock));
        }
    }
    text.push(&format!("clock {};\n", names.time));
    for t in &net.transitions {
        text.from(t.span);
        let urgent = if t.interval == Interval::NOW { "urgent " } else { "" };
        text.push(&format!("{urgent}broadcast chan {};\n", t.name));
    }
    bounds(net, names, text);
    let free = net.transitions.iter().enumerate().filter(|(i, _)| names.timer(*i).is_none()).map(|(_, t)| {
        let guard = enabled(net, t, |_| 0).unwrap_or_else(|| vec!["false".to_owned()]);
        (
            t.span,
            XtaEdge {
                from: "Net".to_owned(),
                to: "Net".to_owned(),
                guard,
                sync: format!("{}!", t.name),
                update: moves(net, t),
            },
        )
    });
    let free: Vec<_> = free.collect();
    let span = net.transitions.first().map_or(net.span(), |t| t.span);
    text.process(&names.net, span, "Net", "Net", &free);
    // The transitions that change the tokens of each place, even if only between consuming and
    // producing.
    let mut changes: Vec<Vec<usize>> = vec![Vec::new(); net.places.len()];
    for (i, t) in net.transitions.iter().enumerate() {
        t.takes.iter().chain(&t.puts).for_each(|arc| changes[arc.place as usize].push(i));
    }
    for (i, t) in net.transitions.iter().enumerate() {
        if text.is_over() {
            return;
        }
        if let Some(timer) = names.timer(i) {
            let reads = t.takes.iter().chain(&t.tests).chain(&t.inhibitors);
            let mut others: Vec<usize> =
                reads.flat_map(|arc| &changes[arc.place as usize]).copied().filter(|other| *other != i).collect();
            others.sort_unstable();
            others.dedup();
            let others: Vec<&Transition> = others.into_iter().map(|other| &net.transitions[other]).collect();
            timed(net, t, timer, &others, text);
        }
    }
    let timers = names.timers.iter().flatten().map(|timer| format!(", {}", timer.process));
    text.push(&format!("system {}{};\n", names.net, timers.collect::<String>()));
}

/// Writes the functions that compare the tokens of all places with a limit.
pub(super) fn bounds(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    for (head, limit) in [
        (format!("{}()", names.safe), &"1".to_owned()),
        (format!("{}(int {})", names.bounded, names.limit), &names.limit),
    ] {
        let conditions = net.places.iter().map(|p| (p.span, format!("{} > {limit}", p.name)));
        text.predicate(&head, &conditions.collect::<Vec<_>>());
    }
}

/// Writes the process of a transition with a clock.
fn timed(net: &Net, t: &Transition, timer: &Timer, others: &[&Transition], text: &mut XtaText) {
    let clock = &timer.clock;
    let Interval { low, low_open, high, high_open } = t.interval;
    let invariant = match high {
        None => String::new(),
        Some(high) => format!(" {{ {clock} {} {high} }}", if high_open { "<" } else { "<=" }),
    };
    let reset = || vec![format!("{clock} = 0")];
    let mut edges = Vec::new();

    let mut guard = Vec::new();
    if low > 0 || low_open {
        guard.push(format!("{clock} {} {low}", if low_open { ">" } else { ">=" }));
    }
    guard.extend(enabled(net, t, |_| 0).into_iter().flatten());
    let fire = |to: &str, more: Vec<String>, update: Vec<String>| {
        let guard = guard.iter().cloned().chain(more).collect();
        let update = moves(net, t).into_iter().chain(update).collect();
        (t.span, XtaEdge { from: "On".to_owned(), to: to.to_owned(), guard, sync: format!("{}!", t.name), update })
    };
    let behind = enabled(net, t, |place| after(t, place));
    if let Some(stays) = &behind {
        edges.push(fire("On", stays.clone(), reset()));
    }
    if let Some(leaves) = not(&behind) {
        edges.push(fire("Off", leaves, Vec::new()));
    }

    for other in others {
        if text.is_over() {
            return;
        }
        let sync = format!("{}?", other.name);
        let behind = enabled(net, t, |place| after(other, place));
        let between = enabled(net, t, |place| -i64::from(weight(&other.takes, place)));
        if let Some(guard) = &behind {
            let edge = XtaEdge {
                from: "Off".to_owned(),
                to: "On".to_owned(),
                guard: guard.clone(),
                sync: sync.clone(),
                update: reset(),
            };
            edges.push((other.span, edge));
            if let Some(interrupted) = not(&between) {
                let guard = guard.iter().cloned().chain(interrupted).collect();
                edges.push((
                    other.span,
                    XtaEdge { from: "On".to_owned(), to: "On".to_owned(), guard, sync: sync.clone(), update: reset() },
                ));
            }
        }
        if let Some(guard) = not(&behind) {
            edges.push((
                other.span,
                XtaEdge { from: "On".to_owned(), to: "Off".to_owned(), guard, sync, update: Vec::new() },
            ));
        }
    }
    let init = if net.enables(&net.initial(), t) { "On" } else { "Off" };
    text.process(&timer.process, t.span, &format!("Off, On{invariant}"), init, &edges);
}

/// Returns the change of a place's tokens by a firing.
fn after(t: &Transition, place: u32) -> i64 {
    i64::from(weight(&t.puts, place)) - i64::from(weight(&t.takes, place))
}

/// Returns the conditions under which a transition is enabled after the tokens of places have
/// changed; `None`: it can't be.
fn enabled(net: &Net, t: &Transition, change: impl Fn(u32) -> i64) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let name = |arc: &Arc| &net.places[arc.place as usize].name;
    let needs = t.takes.iter().chain(t.tests.iter().filter(|arc| weight(&t.takes, arc.place) < arc.weight));
    for arc in needs {
        let least = i64::from(arc.weight) - change(arc.place);
        if least > 0 {
            out.push(format!("{} >= {least}", name(arc)));
        }
    }
    for arc in &t.inhibitors {
        let limit = i64::from(arc.weight) - change(arc.place);
        if limit <= 0 {
            return None;
        }
        out.push(format!("{} < {limit}", name(arc)));
    }
    Some(out)
}

/// Returns the negation of a conjunction as one condition; `None`: it is false.
fn not(conditions: &Option<Vec<String>>) -> Option<Vec<String>> {
    let Some(conditions) = conditions else { return Some(Vec::new()) };
    if conditions.is_empty() {
        return None;
    }
    Some(vec![format!("!({})", conditions.join(" && "))])
}
