//! Names of a net: describes steps as transitions that fire and states as markings, not as edges
//! and locations of the automata that represent the net.

use std::collections::BTreeMap;

use model::{
    Ratio, System,
    net::{AgeClock, Net, NetWords, Subject, age_clocks, time_name},
    simulate::DelayLimit,
    system::{EdgeId, Sync},
};

use crate::{
    json::verify::{EnabledTransition, MarkedPlace, NamedState, TraceStep},
    render::one_line,
};

/// What happens in a step of a net. Names are those of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetEvent {
    /// The transition that fires.
    pub fires: Option<String>,
    /// The place whose token becomes available.
    pub becomes_available: Option<String>,
}

/// A net, with the slots and clocks of its places and transitions.
pub struct NetNames<'s> {
    net: &'s Net,
    system: &'s System,
    /// The numbers of transitions by their channels.
    transitions: BTreeMap<&'s str, usize>,
    /// The subject of each process.
    subjects: Vec<Option<Subject>>,
    /// The slots and clocks of elements with ages, by their names in reports.
    slots: BTreeMap<String, usize>,
    clocks: BTreeMap<&'s str, usize>,
    /// The clock that measures the time since the start.
    time: Option<usize>,
    /// The clocks of tokens, if arcs have intervals.
    ages: Vec<AgeClock>,
}

impl<'s> NetNames<'s> {
    /// The names of a system's net, if it has one.
    pub fn new(system: &'s System) -> Option<NetNames<'s>> {
        let net = system.net.as_deref()?;
        let words = NetWords::new(net);
        let subjects = words.processes.into_values();
        let by_word: BTreeMap<String, Subject> = subjects.map(|s| (NetWords::process(net, s), s)).collect();
        let slots = system.processes.len()..system.initial.len();
        let mut names = NetNames {
            net,
            system,
            transitions: net.transitions.iter().enumerate().map(|(i, t)| (&*t.name, i)).collect(),
            subjects: system.processes.iter().map(|p| by_word.get(&p.name).copied()).collect(),
            slots: slots.map(|slot| (system.slot_name(slot as u32), slot)).collect(),
            clocks: system.clocks.iter().enumerate().map(|(i, clock)| (&*clock.name, i)).collect(),
            time: None,
            ages: age_clocks(net),
        };
        names.time = names.clocks.get(&*time_name(net)).copied();
        Some(names)
    }

    /// What happens in a step.
    pub fn event(&self, edges: &[EdgeId]) -> NetEvent {
        let mut event = NetEvent::default();
        let Some(first) = edges.first() else { return event };
        let edge = &self.system.edges[first.0 as usize];
        match (edge.sync, self.subjects[edge.process.0 as usize]) {
            (Sync::Send(channel), _) => {
                let channel = &*self.system.channels[channel.0 as usize].name;
                event.fires = self.transitions.get(channel).map(|t| self.net.transitions[*t].written.clone());
            }
            (_, Some(Subject::Place(p))) => event.becomes_available = Some(self.net.places[p].written.clone()),
            _ => {}
        }
        event
    }

    /// The places of a state that have tokens.
    pub fn marking(&self, row: &[i32], clocks: Option<&[Ratio]>) -> Vec<MarkedPlace> {
        let first = self.system.processes.len();
        let places = self.net.places.iter().zip(&row[first..]).enumerate().filter(|(_, (_, tokens))| **tokens != 0);
        let marked = |(number, (place, tokens)): (usize, (&model::net::Place, &i32))| {
            let available = self.slots.get(&format!("available({})", place.name)).map(|slot| row[*slot] != 0);
            let age = self.age(&place.name, clocks);
            let ages = self.ages(number, row, clocks);
            MarkedPlace { place: place.name.clone(), tokens: *tokens, available, age, ages }
        };
        places.map(marked).collect()
    }

    /// The transitions with clocks that are enabled.
    pub fn enabled(&self, row: &[i32], clocks: Option<&[Ratio]>) -> Vec<EnabledTransition> {
        let timed = self.subjects.iter().zip(row);
        let enabled = timed.filter_map(|(subject, at)| {
            let Some(Subject::Transition(t)) = subject else { return None };
            let name = &self.net.transitions[*t].name;
            // The first location is that of a disabled transition.
            (*at != 0).then(|| EnabledTransition { transition: name.clone(), age: self.age(name, clocks) })
        });
        enabled.collect()
    }

    fn age(&self, name: &str, clocks: Option<&[Ratio]>) -> Option<String> {
        let clock = self.clocks.get(&*format!("age({name})"))?;
        Some(clocks?.get(*clock)?.to_string())
    }

    /// What keeps time from passing, in words of the net.
    pub fn limit(&self, limit: DelayLimit) -> Option<String> {
        match limit {
            DelayLimit::Invariant(l) => match self.subjects[self.system.locations[l.0 as usize].process.0 as usize]? {
                Subject::Place(p) => Some(format!("the token of {} is available then", self.net.places[p].written)),
                Subject::Transition(t) => Some(format!("{} fires then", self.net.transitions[t].written)),
                // Only the ages of tokens limit time in the whole net.
                Subject::Net => Some("a token would get too old".to_owned()),
            },
            DelayLimit::Synchronisation(channel) => {
                let t = self.transitions.get(&*self.system.channels[channel.0 as usize].name)?;
                Some(format!("{} fires at once", self.net.transitions[*t].written))
            }
            DelayLimit::Location(_) => Some("a place is about to get a second token".to_owned()),
            DelayLimit::Nothing | DelayLimit::Fault(_) => None,
        }
    }

    /// The time since the start.
    pub fn time(&self, clocks: Option<&[Ratio]>) -> Option<String> {
        Some(clocks?.get(self.time?)?.to_string())
    }

    /// The ages of the tokens of a place, youngest first, as far as they matter.
    fn ages(&self, place: usize, row: &[i32], clocks: Option<&[Ratio]>) -> Vec<String> {
        let Some(clocks) = clocks else { return Vec::new() };
        let tokens = row[self.system.processes.len() + place];
        let is_of_place = |clock: &&AgeClock| match &clock.at {
            // Positions among the places start at 1.
            Some(at) => {
                let number = self.slots.get(at).map_or(0, |slot| row[*slot]);
                let of = usize::try_from(number - 1).ok().and_then(|i| clock.places.get(i));
                of.is_some_and(|p| *p as usize == place)
            }
            None => clock.places.first().is_some_and(|p| *p as usize == place) && (clock.younger as i32) < tokens,
        };
        let age = |clock: &AgeClock| clocks.get(*self.clocks.get(&*clock.name)?).map(Ratio::to_string);
        self.ages.iter().filter(is_of_place).filter_map(age).collect()
    }
}

/// Describes a step of a net.
pub fn event(fires: Option<&str>, becomes_available: Option<&str>) -> Option<String> {
    match (fires, becomes_available) {
        (Some(t), _) => Some(format!("{} fires", one_line(t))),
        (None, Some(place)) => Some(format!("the token of {} becomes available", one_line(place))),
        (None, None) => None,
    }
}

/// Describes a step of a trace.
pub fn event_of(step: &TraceStep) -> Option<String> {
    event(step.fires.as_deref(), step.becomes_available.as_deref())
}

/// The marked places of a state, as text: `p = 1 (age 2)`.
pub fn marking(state: &NamedState) -> impl Iterator<Item = String> {
    state.marking.iter().flatten().map(|marked| {
        let MarkedPlace { place, tokens, available, age, ages } = marked;
        let note = match (available, age) {
            _ if ages.len() > 1 => format!(" (ages {})", ages.join(", ")),
            _ if ages.len() == 1 => format!(" (age {})", ages[0]),
            (Some(true), _) => " (available)".to_owned(),
            (_, Some(age)) => format!(" (age {age})"),
            (Some(false), None) => " (waiting)".to_owned(),
            (None, None) => String::new(),
        };
        format!("{} = {tokens}{note}", one_line(place))
    })
}

/// The enabled transitions of a state, as text: `t enabled for 2`.
pub fn enabled(state: &NamedState) -> impl Iterator<Item = String> {
    state.enabled.iter().map(|enabled| {
        let name = one_line(&enabled.transition);
        match &enabled.age {
            Some(age) => format!("{name} enabled for {age}"),
            None => format!("{name} enabled"),
        }
    })
}
