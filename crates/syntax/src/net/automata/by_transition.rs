//! Intervals on transitions, or none.
//!
//! Each transition has a clock that measures the time since it was enabled, and a process that is
//! `On` while it is enabled. Firing another transition can enable it, disable it, or reset its
//! clock: the last happens if it is enabled after the firing, but not between consuming and
//! producing tokens ("intermediate semantics", as in TINA and Romeo). Guards are evaluated before
//! the firing, and so are written in terms of that marking. A transition that fires at once or at
//! any time needs no clock: it is an edge of one common process, on a channel that is urgent or
//! not.
//!
//! A transition does not fire while one of higher priority could: its guard has the negation of
//! that one's guard. Its deadline stays, so a channel can't be urgent if the other one need not
//! fire now. Stopwatch arcs stop the clock of a transition by its rate, and must hold when it
//! fires. Without a clock they are test and inhibitor arcs.

use super::{
    GeneratedNames, Timer,
    text::{XtaEdge, XtaText, moves, weight},
};
use crate::net::{Arc, Interval, Net, Transition};

/// A net with what follows from it.
struct Source<'a> {
    net: &'a Net,
    names: &'a GeneratedNames,
    /// The transitions of higher priority, for each transition.
    higher: Vec<Vec<u32>>,
}

pub(super) fn write(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    for (i, t) in net.transitions.iter().enumerate() {
        if let Some(timer) = names.timer(i) {
            text.from(t.span);
            text.push(&format!("clock {};\n", timer.clock));
        }
    }
    text.push(&format!("clock {};\n", names.time));
    for (i, t) in net.transitions.iter().enumerate() {
        text.from(t.span);
        let urgent = if t.interval == Interval::NOW && names.timer(i).is_none() { "urgent " } else { "" };
        text.push(&format!("{urgent}broadcast chan {};\n", t.name));
    }
    bounds(net, names, text);
    let source = Source { net, names, higher: net.higher() };
    let at = &names.at_net;
    let free = net.transitions.iter().enumerate().filter(|(i, _)| names.timer(*i).is_none()).map(|(i, t)| {
        let (from, to, sync) = (at.clone(), at.clone(), format!("{}!", t.name));
        (t.span, XtaEdge { from, to, guard: source.fires(i), sync, update: moves(net, t) })
    });
    let free: Vec<_> = free.take_while(|_| !text.is_over()).collect();
    let span = net.transitions.first().map_or(net.span(), |t| t.span);
    text.process(&names.net, span, at, at, &free);
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
            source.timed(i, timer, &others, text);
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

impl Source<'_> {
    /// Returns the condition under which a transition fires, apart from its own clock.
    fn fires(&self, number: usize) -> Vec<String> {
        let t = &self.net.transitions[number];
        let mut guard = enabled(self.net, t, |_| 0).unwrap_or_else(|| vec!["false".to_owned()]);
        guard.extend(active(self.net, t));
        guard.extend(self.higher[number].iter().map(|higher| self.waits(*higher as usize)));
        guard
    }

    /// Returns the condition that a transition can't fire now. It refers to its clock if the time
    /// since it was enabled decides.
    fn waits(&self, number: usize) -> String {
        let t = &self.net.transitions[number];
        let Some(mut can) = enabled(self.net, t, |_| 0) else { return "true".to_owned() };
        can.extend(active(self.net, t));
        let Interval { low, low_open, .. } = t.interval;
        let early = self.names.timer(number).filter(|_| low > 0 || low_open);
        let early = early.map(|timer| format!("{} {} {low}", timer.clock, if low_open { "<=" } else { "<" }));
        match (can.is_empty(), early) {
            (true, None) => "false".to_owned(),
            (true, Some(early)) => early,
            (false, None) => format!("!({})", can.join(" && ")),
            (false, Some(early)) => format!("(!({}) || {early})", can.join(" && ")),
        }
    }

    /// Writes the process of a transition with a clock.
    fn timed(&self, number: usize, timer: &Timer, others: &[&Transition], text: &mut XtaText) {
        let Source { net, names, .. } = *self;
        let t = &net.transitions[number];
        let clock = &timer.clock;
        let (on, off) = (&names.on, &names.off);
        let Interval { low, low_open, high, high_open } = t.interval;
        let deadline = high.map(|high| format!("{clock} {} {high}", if high_open { "<" } else { "<=" }));
        let active = active(net, t);
        let rate = (!active.is_empty()).then(|| format!("{clock}' == ({})", active.join(" && ")));
        let invariant: Vec<String> = deadline.into_iter().chain(rate).collect();
        let invariant = if invariant.is_empty() { String::new() } else { format!(" {{ {} }}", invariant.join(" && ")) };
        let reset = || vec![format!("{clock} = 0")];
        let mut edges = Vec::new();

        let mut guard = Vec::new();
        if low > 0 || low_open {
            guard.push(format!("{clock} {} {low}", if low_open { ">" } else { ">=" }));
        }
        guard.extend(self.fires(number));
        let fire = |to: &str, more: Vec<String>, update: Vec<String>| {
            let guard = guard.iter().cloned().chain(more).collect();
            let update = moves(net, t).into_iter().chain(update).collect();
            (t.span, XtaEdge { from: on.clone(), to: to.to_owned(), guard, sync: format!("{}!", t.name), update })
        };
        let behind = enabled(net, t, |place| after(t, place));
        if let Some(stays) = &behind {
            edges.push(fire(on, stays.clone(), reset()));
        }
        if let Some(leaves) = not(&behind) {
            edges.push(fire(off, leaves, Vec::new()));
        }

        for other in others {
            if text.is_over() {
                return;
            }
            let hears = |from: &str, to: &str, guard: Vec<String>, update: Vec<String>| {
                let sync = format!("{}?", other.name);
                (other.span, XtaEdge { from: from.to_owned(), to: to.to_owned(), guard, sync, update })
            };
            let behind = enabled(net, t, |place| after(other, place));
            let between = enabled(net, t, |place| -i64::from(weight(&other.takes, place)));
            if let Some(guard) = &behind {
                edges.push(hears(off, on, guard.clone(), reset()));
                if let Some(interrupted) = not(&between) {
                    edges.push(hears(on, on, guard.iter().cloned().chain(interrupted).collect(), reset()));
                }
            }
            if let Some(guard) = not(&behind) {
                edges.push(hears(on, off, guard, Vec::new()));
            }
        }
        let init = if net.enables(&net.initial(), t) { on } else { off };
        text.process(&timer.process, t.span, &format!("{off}, {on}{invariant}"), init, &edges);
    }
}

/// Returns the conditions under which the clock of a transition runs.
fn active(net: &Net, t: &Transition) -> Vec<String> {
    let name = |arc: &Arc| &net.places[arc.place as usize].name;
    let runs = t.runs.iter().map(|arc| format!("{} >= {}", name(arc), arc.weight));
    runs.chain(t.stops.iter().map(|arc| format!("{} < {}", name(arc), arc.weight))).collect()
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
