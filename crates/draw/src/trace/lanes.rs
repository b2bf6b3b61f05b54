//! What of a trace is drawn: pictures have room for some processes, places, clocks and variables.

use super::{DrawnTrace, TraceEvent, TraceState, TraceStep};

/// The greatest number of processes or places in a picture.
const MAX_LANES: usize = 60;
/// The greatest number of clocks, and of variables, in a picture.
const MAX_VALUES: usize = 40;

/// The numbers of what is drawn, in order.
pub(super) struct Lanes {
    /// Processes, or places of a net.
    pub first: Vec<usize>,
    pub clocks: Vec<usize>,
    pub variables: Vec<usize>,
    /// What is left out.
    pub remarks: Vec<String>,
}

impl Lanes {
    pub(super) fn new(trace: &DrawnTrace) -> Lanes {
        let mut remarks = Vec::new();
        let first = if trace.is_of_net() { places(trace, &mut remarks) } else { processes(trace, &mut remarks) };
        // A clock of a net has a meaning only while it measures something.
        let has_value = |clock: &usize| {
            let mut stays = trace.states.iter().filter_map(|state| state.stay.as_ref());
            stays.any(|stay| stay.clocks.get(*clock).is_some_and(Option::is_some))
        };
        let clocks = (0..trace.clocks.len()).filter(has_value).collect();
        let mut some = |mut all: Vec<usize>, what: &str| {
            if all.len() > MAX_VALUES {
                remarks.push(format!("{} more {what} are not drawn.", all.len() - MAX_VALUES));
            }
            all.truncate(MAX_VALUES);
            all
        };
        let clocks = some(clocks, "clocks");
        let variables = some((0..trace.variables.len()).collect(), "variables");
        Lanes { first, clocks, variables, remarks }
    }

    /// Returns the lane of a process or place.
    pub(super) fn of(&self, number: usize) -> Option<usize> {
        self.first.binary_search(&number).ok()
    }
}

/// Returns the processes that are drawn: all, or those that move first.
fn processes(trace: &DrawnTrace, remarks: &mut Vec<String>) -> Vec<usize> {
    let all = trace.processes.len();
    if all <= MAX_LANES {
        return (0..all).collect();
    }
    let mut chosen = vec![false; all];
    let moving = trace.steps.iter().flat_map(|step| &step.edges).map(|edge| edge.process);
    let mut left = MAX_LANES;
    for process in moving.chain(0..all) {
        if left > 0 && chosen.get(process) == Some(&false) {
            chosen[process] = true;
            left -= 1;
        }
    }
    remarks.push(format!("{} of {all} processes are drawn, those that move first.", MAX_LANES));
    (0..all).filter(|process| chosen[*process]).collect()
}

/// Returns the places that are drawn: those whose tokens change, or all if these are few.
fn places(trace: &DrawnTrace, remarks: &mut Vec<String>) -> Vec<usize> {
    let all = trace.places.len();
    let first = trace.states.first();
    let changes = |place: &usize| {
        let tokens = |state: &TraceState| state.tokens.get(*place).copied();
        trace.states.iter().any(|state| tokens(state) != first.and_then(tokens))
    };
    let available = |place: &usize| {
        let is_this = |step: &TraceStep| matches!(step.event, TraceEvent::Available { place: p } if p == *place);
        trace.steps.iter().any(is_this)
    };
    let mut drawn: Vec<usize> = (0..all).filter(|place| changes(place) || available(place)).collect();
    if drawn.is_empty() {
        drawn = (0..all).collect();
    }
    match all - drawn.len() {
        0 => {}
        1 => remarks.push("1 more place keeps its tokens.".to_owned()),
        rest => remarks.push(format!("{rest} more places keep their tokens.")),
    }
    if drawn.len() > MAX_LANES {
        remarks.push(format!("{MAX_LANES} of the {} places that change are drawn.", drawn.len()));
        drawn.truncate(MAX_LANES);
    }
    drawn
}
