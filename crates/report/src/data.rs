//! Traces as data for the player.

use draw::{DrawnTrace, TraceEnding, TraceEvent, TraceState, TraceTime};
use serde::Serialize;

use crate::html::is_misleading;

/// What `player.js` calls `PlayedTrace`.
#[derive(Serialize)]
struct PlayedTrace<'t> {
    processes: Vec<PlayedProcess<'t>>,
    places: &'t [String],
    variables: &'t [String],
    clocks: &'t [String],
    states: Vec<PlayedState<'t>>,
    cycle: Option<usize>,
}

#[derive(Serialize)]
struct PlayedProcess<'t> {
    name: &'t str,
    template: usize,
    locations: &'t [String],
}

/// What `player.js` calls `PlayedState`.
#[derive(Serialize)]
struct PlayedState<'t> {
    what: String,
    locations: &'t [usize],
    tokens: &'t [i64],
    values: Vec<String>,
    clocks: Vec<Option<[&'t str; 2]>>,
    time: Option<&'t str>,
    delay: Option<&'t str>,
    edges: Vec<(usize, Vec<usize>)>,
    transition: Option<usize>,
}

/// Returns a trace as JSON for the player, as it may stand in a `script` element of HTML.
#[must_use]
pub fn trace_data(trace: &DrawnTrace) -> String {
    let played = PlayedTrace {
        processes: trace
            .processes
            .iter()
            .map(|p| PlayedProcess { name: &p.name, template: p.template, locations: &p.locations })
            .collect(),
        places: &trace.places,
        variables: &trace.variables,
        clocks: &trace.clocks,
        states: trace.states.iter().enumerate().map(|(step, state)| played(trace, step, state)).collect(),
        cycle: match trace.ending {
            Some(TraceEnding::Cycle(after)) if trace.omitted == 0 => Some(after),
            _ => None,
        },
    };
    // In a script element only `<` could end the data. Serialising plain data does not fail.
    let json = serde_json::to_string(&played).unwrap_or_default();
    json.replace('<', "\\u003c").replace(is_misleading, "\u{fffd}")
}

fn played<'t>(trace: &'t DrawnTrace, step: usize, state: &'t TraceState) -> PlayedState<'t> {
    let taken = step.checked_sub(1).and_then(|i| trace.steps.get(i));
    let stay = state.stay.as_ref();
    let pair = |pair: &'t Option<(TraceTime, TraceTime)>| pair.as_ref().map(|(a, b)| [&*a.text, &*b.text]);
    let edges = taken.map_or(&[][..], |taken| &taken.edges);
    PlayedState {
        what: trace.describe(step),
        locations: &state.locations,
        tokens: &state.tokens,
        values: state.values.iter().map(ToString::to_string).collect(),
        clocks: stay.map_or_else(Vec::new, |stay| stay.clocks.iter().map(pair).collect()),
        time: stay.map(|stay| &*stay.from.text),
        delay: stay.map(|stay| &*stay.delay.text),
        edges: edges.iter().map(|e| (e.process, [e.edge].into_iter().chain(e.branch).collect())).collect(),
        transition: match taken.map(|taken| &taken.event) {
            Some(TraceEvent::Fires { number, .. }) => Some(*number),
            _ => None,
        },
    }
}
