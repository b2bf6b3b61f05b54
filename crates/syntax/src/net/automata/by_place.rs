//! Intervals on places.
//!
//! Each token that is not available at once has a process, which waits within the bounds of the
//! interval. A transition is an edge on an urgent channel, so that time stops as soon as one can
//! fire. A token that waits at its upper bound is available at that moment whatever the order of
//! steps, and so inhibits already: hence the clock guards of inhibitors. They do not affect
//! urgency, since the token's invariant stops time there anyway.
//!
//! A second token on a place is a run-time error, since answers about an unsafe net would be
//! meaningless. The function `safe` is false right before that, so that queries can refer to it. If
//! the guard of the transition has clocks, a function can't decide it; then the error takes one
//! more step, during which `contact` is true.

use super::{
    GeneratedNames, Timer,
    text::{XtaEdge, XtaText, moves, weight},
};
use crate::{
    net::{Arc, Net, Place, Transition},
    source::Span,
};

pub(super) fn write(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    for (i, place) in net.places.iter().enumerate() {
        if let Some(timer) = names.timer(i) {
            text.from(place.span);
            text.push(&format!("bool {} = false;\nclock {};\n", timer.ready, timer.clock));
        }
    }
    text.push(&format!("clock {};\n", names.time));
    for t in &net.transitions {
        text.from(t.span);
        text.push(&format!("urgent broadcast chan {};\n", t.name));
    }
    net_process(net, names, text);
    let mut births: Vec<Vec<&Transition>> = vec![Vec::new(); net.places.len()];
    for t in &net.transitions {
        t.puts.iter().for_each(|arc| births[arc.place as usize].push(t));
    }
    for (i, place) in net.places.iter().enumerate() {
        if text.is_over() {
            return;
        }
        if let Some(timer) = names.timer(i) {
            token(place, timer, names, &births[i], text);
        }
    }
    let timers = names.timers.iter().flatten().map(|timer| format!(", {}", timer.process));
    text.push(&format!("system {}{};\n", names.net, timers.collect::<String>()));
}

/// Writes the process with the edges of all transitions, and the predicate that all places have at
/// most one token.
fn net_process(net: &Net, names: &GeneratedNames, text: &mut XtaText) {
    let mut edges: Vec<(Span, XtaEdge)> = Vec::new();
    let mut tests = Vec::new();
    let mut locations = vec![names.at_net.clone()];
    for t in &net.transitions {
        if text.is_over() {
            return;
        }
        let (mut edge, is_timed) = transition(net, names, t);
        let full: Vec<String> = fills(t).map(|arc| format!("{} == 1", net.places[arc.place as usize].name)).collect();
        let full = full.join(" || ");
        if !full.is_empty() && is_timed {
            let location = names.at_contact[locations.len() - 1].clone();
            let guard = edge.guard.iter().cloned().chain([format!("({full})")]).collect();
            let update = vec![format!("{} = true", names.contact)];
            let meets = XtaEdge { to: location.clone(), guard, update, ..edge.clone() };
            let fails = XtaEdge {
                from: location.clone(),
                to: edge.to.clone(),
                update: edge.update.clone(),
                ..XtaEdge::default()
            };
            edges.extend([(t.span, meets), (t.span, fails)]);
            edge.guard.push(format!("!({full})"));
            locations.push(location);
        } else if !full.is_empty() {
            let enabled = edge.guard.iter().map(|g| format!("{g} && ")).collect::<String>();
            tests.push((t.span, format!("{enabled}({full})")));
        }
        edges.push((t.span, edge));
    }
    let contacts = &locations[1..];
    let commit = if contacts.is_empty() { String::new() } else { format!(";\n    commit {}", contacts.join(", ")) };
    if !contacts.is_empty() {
        text.push(&format!("bool {} = false;\n", names.contact));
        tests.push((net.span(), names.contact.clone()));
    }
    text.predicate(&format!("{}()", names.safe), &tests);
    let span = net.transitions.first().map_or(net.span(), |t| t.span);
    text.process(&names.net, span, &format!("{}{commit}", locations.join(", ")), &names.at_net, &edges);
}

/// Returns the places on which a firing puts a token without taking one.
fn fills(t: &Transition) -> impl Iterator<Item = &Arc> {
    t.puts.iter().filter(|arc| weight(&t.takes, arc.place) == 0)
}

/// Returns the edge of a transition, and whether its guard has clocks.
fn transition(net: &Net, names: &GeneratedNames, t: &Transition) -> (XtaEdge, bool) {
    let place = |arc: &Arc| &net.places[arc.place as usize];
    let timer = |arc: &Arc| names.timer(arc.place as usize);
    let (mut guard, mut is_timed) = (Vec::new(), false);
    for arc in t.takes.iter().chain(t.tests.iter().filter(|arc| weight(&t.takes, arc.place) == 0)) {
        guard.push(format!("{} == 1", place(arc).name));
        guard.extend(timer(arc).map(|timer| timer.ready.clone()));
    }
    for arc in &t.inhibitors {
        let (place, Some(timer)) = (place(arc), timer(arc)) else {
            guard.push(format!("{} == 0", place(arc).name));
            continue;
        };
        guard.push(format!("!{}", timer.ready));
        if let Some(high) = place.delay.high.filter(|_| !place.delay.high_open) {
            guard.push(format!("({} == 0 || {} < {high})", place.name, timer.clock));
            is_timed = true;
        }
    }
    let mut update = moves(net, t);
    update.extend(t.takes.iter().filter_map(timer).map(|timer| format!("{} = false", timer.ready)));
    let at = &names.at_net;
    (XtaEdge { from: at.clone(), to: at.clone(), guard, sync: format!("{}!", t.name), update }, is_timed)
}

/// Writes the process of a token: `Idle` while there is none, or it is available.
fn token(place: &Place, timer: &Timer, names: &GeneratedNames, births: &[&Transition], text: &mut XtaText) {
    let Timer { process, clock, ready } = timer;
    let (idle, wait) = (&names.idle, &names.wait);
    let delay = place.delay;
    let invariant = match delay.high {
        None => String::new(),
        Some(high) => format!(" {{ {clock} {} {high} }}", if delay.high_open { "<" } else { "<=" }),
    };
    let mut guard = Vec::new();
    if delay.low > 0 || delay.low_open {
        guard.push(format!("{clock} {} {}", if delay.low_open { ">" } else { ">=" }, delay.low));
    }
    let matures = XtaEdge {
        from: wait.clone(),
        to: idle.clone(),
        guard,
        update: vec![format!("{ready} = true")],
        ..XtaEdge::default()
    };
    let mut edges = vec![(place.span, matures)];
    for t in births {
        let update = vec![format!("{clock} = 0")];
        edges.push((
            t.span,
            XtaEdge {
                from: idle.clone(),
                to: wait.clone(),
                sync: format!("{}?", t.name),
                update,
                ..XtaEdge::default()
            },
        ));
    }
    let init = if place.tokens > 0 { wait } else { idle };
    text.process(process, place.span, &format!("{idle}, {wait}{invariant}"), init, &edges);
}
