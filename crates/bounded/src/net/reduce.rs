//! Looks at a smaller net with the same answers, and turns what it does into what the net does.

use model::{
    Formula, System,
    net::Net,
    net_reduce::{Keep, Reduced, reduce},
};

use super::{Event, NetRun, check::asks_for_deadlock};
use crate::code::Stop;

/// The net without what the formula does not depend on.
#[must_use]
pub(super) fn reduced(net: &Net, system: &System, goal: &Formula, stop: &Stop<'_>) -> Reduced {
    let mut keep = Keep { places: vec![false; net.places.len()], deadlock: asks_for_deadlock(goal), contact: true };
    let first = system.processes.len() as u32;
    for slot in system.slots_read(goal) {
        if let Some(place) = slot.checked_sub(first).and_then(|place| keep.places.get_mut(place as usize)) {
            *place = true;
        }
    }
    reduce(net, &keep, stop)
}

/// What the net does where the smaller one does this, if there is one.
pub(super) fn enlarged(reduced: Option<&Reduced>, run: NetRun) -> NetRun {
    let Some(reduced) = reduced else { return run };
    let place = |small: u32| reduced.places.iter().position(|p| *p == Some(small)).map_or(small, |p| p as u32);
    let mut events = Vec::with_capacity(run.events.len());
    for (at, event) in run.events {
        match event {
            Event::Fires(t) => events.extend(reduced.transitions[t as usize].iter().map(|t| (at, Event::Fires(*t)))),
            Event::Available(p) => events.push((at, Event::Available(place(p)))),
        }
    }
    let later = run.later.into_iter().map(|(at, p)| (at, place(p))).collect();
    NetRun { events, end: run.end, later }
}
