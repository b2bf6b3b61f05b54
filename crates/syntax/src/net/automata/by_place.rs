//! Intervals on places.
//!
//! A token that is not available at once has a process: it waits until it is old enough, and at most as long as it may. A
//! transition is an edge on an urgent channel, so that time stops where one can fire. A token that waits at its upper bound is
//! available at that moment whatever the order of steps, and so inhibits already: hence the clock guards of inhibitors. They
//! change nothing about urgency, for the token's invariant stops time there anyway.

use super::{
    Names, Timer,
    text::{Edge, Text, moves, weight},
};
use crate::net::{Arc, Net, Place, Transition};

pub(super) fn write(net: &Net, names: &Names, text: &mut Text) {
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
    let edges = net.transitions.iter().map(|t| (t.span, transition(net, names, t)));
    let span = net.transitions.first().map_or(net.span(), |t| t.span);
    text.process(&names.net, span, "Net", "Net", &edges.collect::<Vec<_>>());
    let mut births: Vec<Vec<&Transition>> = vec![Vec::new(); net.places.len()];
    for t in &net.transitions {
        t.puts.iter().for_each(|arc| births[arc.place as usize].push(t));
    }
    for (i, place) in net.places.iter().enumerate() {
        if let Some(timer) = names.timer(i) {
            token(place, timer, &births[i], text);
        }
    }
    let timers = names.timers.iter().flatten().map(|timer| format!(", {}", timer.process));
    text.push(&format!("system {}{};\n", names.net, timers.collect::<String>()));
}

fn transition<'a>(net: &Net, names: &Names, t: &Transition) -> Edge<'a> {
    let place = |arc: &Arc| &net.places[arc.place as usize];
    let timer = |arc: &Arc| names.timer(arc.place as usize);
    let mut guard = Vec::new();
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
        }
    }
    let mut update = moves(net, t);
    update.extend(t.takes.iter().filter_map(timer).map(|timer| format!("{} = false", timer.ready)));
    Edge { from: "Net", to: "Net", guard, sync: format!("{}!", t.name), update }
}

/// The process of a token: `Idle` while there is none, or it is available.
fn token(place: &Place, timer: &Timer, births: &[&Transition], text: &mut Text) {
    let Timer { process, clock, ready } = timer;
    let delay = place.delay;
    let invariant = match delay.high {
        None => String::new(),
        Some(high) => format!(" {{ {clock} {} {high} }}", if delay.high_open { "<" } else { "<=" }),
    };
    let mut guard = Vec::new();
    if delay.low > 0 || delay.low_open {
        guard.push(format!("{clock} {} {}", if delay.low_open { ">" } else { ">=" }, delay.low));
    }
    let matures = Edge { from: "Wait", to: "Idle", guard, update: vec![format!("{ready} = true")], ..Edge::default() };
    let mut edges = vec![(place.span, matures)];
    for t in births {
        let update = vec![format!("{clock} = 0")];
        edges
            .push((t.span, Edge { from: "Idle", to: "Wait", sync: format!("{}?", t.name), update, ..Edge::default() }));
    }
    let init = if place.tokens > 0 { "Wait" } else { "Idle" };
    text.process(process, place.span, &format!("Idle, Wait{invariant}"), init, &edges);
}
