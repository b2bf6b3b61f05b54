//! Reduces nets, and converts runs of the reduced net to runs of the net.

use model::{
    Formula, System,
    net::Net,
    net_reduce::{Keep, Reduced, reduce},
};

use super::{Event, NetRun, check::asks_for_deadlock};
use crate::code::Stop;

/// Removes what the formula does not depend on.
#[must_use]
pub(super) fn reduced(net: &Net, system: &System, goal: &Formula, stop: &Stop<'_>) -> Reduced {
    let mut keep = Keep { places: vec![false; net.places.len()], deadlock: asks_for_deadlock(goal), contact: true };
    let first = system.processes.len() as u32;
    for slot in system.slots_read(&goal.of_net()) {
        if let Some(place) = slot.checked_sub(first).and_then(|place| keep.places.get_mut(place as usize)) {
            *place = true;
        }
    }
    reduce(net, &keep, stop)
}

/// Converts a run of the reduced net, if there is one, to a run of the net.
pub(super) fn expanded(reduced: Option<&Reduced>, run: NetRun) -> NetRun {
    let Some(reduced) = reduced else { return run };
    let place = |small: u32| reduced.places.iter().position(|p| *p == Some(small)).map_or(small, |p| p as u32);
    let mut events = Vec::with_capacity(run.events.len());
    for (at, event) in run.events {
        match event {
            Event::Fires(t) => events.extend(reduced.transitions[t as usize].iter().map(|t| (at, Event::Fires(*t)))),
            Event::Available(p) => events.push((at, Event::Available(place(p)))),
        }
    }
    NetRun { events, end: run.end }
}
