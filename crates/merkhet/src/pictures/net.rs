//! The places, transitions and ages of a net, in the rows of the automata that represent it.

use std::collections::BTreeMap;

use draw::TraceEvent;
use model::{
    System,
    net::{Net, NetWords, Subject},
    system::{EdgeId, Sync},
};
use verify::Stay;

use super::exact;
use draw::TraceTime;

/// A clock that measures an age.
struct Age {
    name: String,
    clock: usize,
    /// The process in whose first location the clock has no meaning.
    process: usize,
}

/// A net with the slots and clocks of its elements.
pub(super) struct DrawnNet<'s> {
    pub net: &'s Net,
    system: &'s System,
    /// The numbers of transitions by their channels.
    transitions: BTreeMap<&'s str, usize>,
    /// The subject of each process.
    subjects: Vec<Option<Subject>>,
    ages: Vec<Age>,
}

impl<'s> DrawnNet<'s> {
    /// Returns the net of a system, if it has one.
    pub(super) fn new(system: &'s System) -> Option<DrawnNet<'s>> {
        let net = system.net.as_deref()?;
        let words = NetWords::new(net);
        let by_word: BTreeMap<String, Subject> =
            words.processes.into_values().map(|s| (NetWords::process(net, s), s)).collect();
        let subjects: Vec<Option<Subject>> = system.processes.iter().map(|p| by_word.get(&p.name).copied()).collect();
        let clock = |name: &str| system.clocks.iter().position(|clock| clock.name == format!("age({name})"));
        let age = |(process, subject): (usize, &Option<Subject>)| {
            let (name, written) = match (*subject)? {
                Subject::Place(p) => (&net.places[p].name, &net.places[p].written),
                Subject::Transition(t) => (&net.transitions[t].name, &net.transitions[t].written),
                Subject::Net => return None,
            };
            Some(Age { name: format!("age of {written}"), clock: clock(name)?, process })
        };
        let ages = subjects.iter().enumerate().filter_map(age).collect();
        let transitions = net.transitions.iter().enumerate().map(|(i, t)| (&*t.name, i)).collect();
        Some(DrawnNet { net, system, transitions, subjects, ages })
    }

    pub(super) fn places(&self) -> Vec<String> {
        self.net.places.iter().map(|place| place.written.clone()).collect()
    }

    pub(super) fn clocks(&self) -> Vec<String> {
        self.ages.iter().map(|age| age.name.clone()).collect()
    }

    pub(super) fn tokens(&self, row: &[i32]) -> Vec<i64> {
        let first = self.system.processes.len();
        row[first..first + self.net.places.len()].iter().map(|tokens| i64::from(*tokens)).collect()
    }

    /// Returns the ages during a stay. A transition has one while it is enabled, a token while it
    /// is not available.
    pub(super) fn ages(&self, row: &[i32], stay: &Stay) -> Vec<Option<(TraceTime, TraceTime)>> {
        let age =
            |age: &Age| (row[age.process] != 0).then(|| (exact(stay.entered[age.clock]), exact(stay.left[age.clock])));
        self.ages.iter().map(age).collect()
    }

    /// Returns the transition that fires in a step.
    pub(super) fn fires(&self, edges: &[EdgeId]) -> Option<usize> {
        let Sync::Send(channel) = self.system.edges[edges.first()?.0 as usize].sync else { return None };
        self.transitions.get(&*self.system.channels[channel.0 as usize].name).copied()
    }

    /// Returns what happens in a step.
    pub(super) fn event(&self, edges: &[EdgeId]) -> TraceEvent {
        if let Some(number) = self.fires(edges) {
            let t = &self.net.transitions[number];
            let moved = t.takes.iter().chain(&t.puts).map(|arc| arc.place);
            let aged = t.aged.iter().flat_map(|arc| [Some(arc.place), arc.to]).flatten();
            let mut places: Vec<usize> = moved.chain(aged).map(|place| place as usize).collect();
            places.sort_unstable();
            places.dedup();
            return TraceEvent::Fires { transition: t.written.clone(), number, places };
        }
        let process = edges.first().map(|first| self.system.edges[first.0 as usize].process.0 as usize);
        match process.and_then(|process| self.subjects[process]) {
            Some(Subject::Place(place)) => TraceEvent::Available { place },
            _ => TraceEvent::Internal,
        }
    }
}
