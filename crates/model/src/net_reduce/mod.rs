//! Reductions: smaller nets with the same answers.
//!
//! Places and transitions that nothing depends on are removed. For timed nets no rule removes a
//! delay or changes urgency: each firing of the smaller net corresponds to one of the net at the
//! same moment, and vice versa. Untimed nets allow more: consecutive transitions are fused.
//!
//! All rules preserve the reachable markings of the places in [`Keep::places`], with their times,
//! and deadlocks if [`Keep::deadlock`] is set. If [`Keep::contact`] is set, they also preserve
//! whether a place can have more tokens than its limit.

mod dead;
mod places;
mod series;
mod transitions;

use syntax::net::{Arc, Net, Timing, Transition};

/// What a reduction must preserve.
#[derive(Clone, Debug)]
pub struct Keep {
    /// For each place, whether its tokens are observed.
    pub places: Vec<bool>,
    /// Whether deadlocks are observed.
    pub deadlock: bool,
    /// Whether it is observed that a place exceeds its limit on tokens.
    pub contact: bool,
}

impl Keep {
    /// Preserves everything that can be observed of a net.
    #[must_use]
    pub fn all(net: &Net) -> Keep {
        Keep { places: vec![true; net.places.len()], deadlock: true, contact: true }
    }
}

/// The number of applications of each rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transitions that can never fire.
    pub dead_transitions: usize,
    /// Places that never have a token.
    pub empty_places: usize,
    /// Places whose tokens never change and always suffice.
    pub constant_places: usize,
    /// Places that always have as many tokens as another one.
    pub equal_places: usize,
    /// Places whose tokens nothing reads.
    pub unread_places: usize,
    /// Transitions with the effect of another one.
    pub equal_transitions: usize,
    /// Transitions that change nothing.
    pub idle_transitions: usize,
    /// Places between transitions that were fused.
    pub fused_places: usize,
}

impl Counts {
    /// Returns the number of places and transitions that were removed.
    #[must_use]
    pub fn total(&self) -> usize {
        let Counts { dead_transitions, empty_places, constant_places, equal_places, unread_places, .. } = self;
        dead_transitions
            + empty_places
            + constant_places
            + equal_places
            + unread_places
            + self.equal_transitions
            + self.idle_transitions
            + self.fused_places
    }
}

/// A smaller net, and its relation to the original net.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smaller net.
    pub net: Net,
    /// For each place of the original net, its number in the smaller one, if it remains.
    pub places: Vec<Option<u32>>,
    /// For each transition of the smaller net, the sequence of original transitions that it stands
    /// for.
    pub transitions: Vec<Vec<u32>>,
    /// The applications of rules.
    pub counts: Counts,
}

/// Reduces a net until no rule applies or `stop` returns `true`; what was done by then is kept. No
/// rule applies to nets with priorities or stopwatches, where transitions depend on others that
/// share no place with them.
#[must_use]
pub fn reduce(net: &Net, keep: &Keep, stop: &dyn Fn() -> bool) -> Reduced {
    let mut work = Work {
        net: net.clone(),
        has_place: vec![true; net.places.len()],
        has: vec![true; net.transitions.len()],
        made_of: (0..net.transitions.len() as u32).map(|t| vec![t]).collect(),
        keep,
        stop,
        counts: Counts::default(),
    };
    // No rule knows ages of tokens, stopwatches or priorities.
    let is_plain = |t: &Transition| t.runs.is_empty() && t.stops.is_empty();
    if net.timing == Timing::Arcs || !net.priorities.is_empty() || !net.transitions.iter().all(is_plain) {
        return work.finish();
    }
    loop {
        let before = work.counts.total();
        work.dead_transitions();
        work.empty_places();
        work.constant_places();
        work.equal_places();
        work.unread_places();
        work.equal_transitions();
        work.idle_transitions();
        work.series();
        if work.counts.total() == before || stop() {
            return work.finish();
        }
    }
}

/// A net under reduction. What was removed keeps its number, and has no arcs.
struct Work<'a> {
    net: Net,
    has_place: Vec<bool>,
    has: Vec<bool>,
    /// The sequence of original transitions that each transition stands for.
    made_of: Vec<Vec<u32>>,
    keep: &'a Keep,
    /// Whether to stop. Rules poll it for every place and every transition, since they compare each
    /// with all others.
    stop: &'a dyn Fn() -> bool,
    counts: Counts,
}

impl Work<'_> {
    /// Returns the transitions that remain.
    fn live(&self) -> impl Iterator<Item = &Transition> {
        self.net.transitions.iter().zip(&self.has).filter(|(_, has)| **has).map(|(t, _)| t)
    }

    /// Returns whether a place remains and is not observed.
    fn is_free(&self, place: usize) -> bool {
        self.has_place[place] && !self.keep.places.get(place).copied().unwrap_or(true)
    }

    fn remove_transition(&mut self, t: usize) {
        self.has[t] = false;
        let gone = &mut self.net.transitions[t];
        for arcs in [&mut gone.takes, &mut gone.puts, &mut gone.tests, &mut gone.inhibitors] {
            arcs.clear();
        }
    }

    /// Removes a place with all its arcs.
    fn remove_place(&mut self, place: usize) {
        self.has_place[place] = false;
        for t in &mut self.net.transitions {
            for arcs in [&mut t.takes, &mut t.puts, &mut t.tests, &mut t.inhibitors] {
                arcs.retain(|arc| arc.place as usize != place);
            }
        }
    }

    /// Renumbers what remains.
    fn finish(self) -> Reduced {
        let mut next = 0;
        let number = |has: &bool| {
            has.then(|| {
                next += 1;
                next - 1
            })
        };
        let places: Vec<Option<u32>> = self.has_place.iter().map(number).collect();
        let renumbered = |arcs: &[Arc]| {
            let arcs = arcs.iter().filter_map(|arc| Some(Arc { place: places[arc.place as usize]?, ..*arc }));
            arcs.collect::<Vec<Arc>>()
        };
        let mut net = Net { places: Vec::new(), transitions: Vec::new(), ..self.net };
        let left = self.net.places.into_iter().zip(&self.has_place).filter(|(_, has)| **has);
        net.places = left.map(|(place, _)| place).collect();
        let mut transitions = Vec::new();
        let all = self.net.transitions.into_iter().zip(self.made_of).zip(self.has);
        for ((t, made_of), _) in all.filter(|(_, has)| *has) {
            net.transitions.push(Transition {
                takes: renumbered(&t.takes),
                puts: renumbered(&t.puts),
                tests: renumbered(&t.tests),
                inhibitors: renumbered(&t.inhibitors),
                ..t
            });
            transitions.push(made_of);
        }
        Reduced { net, places, transitions, counts: self.counts }
    }
}

/// Returns the weight of the arc to a place in a list; 0 if there is none.
fn weight(arcs: &[Arc], place: usize) -> u32 {
    arcs.binary_search_by_key(&(place as u32), |arc| arc.place).map_or(0, |i| arcs[i].weight)
}

/// Sets the weight of the arc to a place in a list.
fn set_weight(arcs: &mut Vec<Arc>, place: usize, weight: u32) {
    let arc = Arc { place: place as u32, weight };
    match arcs.binary_search_by_key(&arc.place, |arc| arc.place) {
        Ok(i) => arcs[i] = arc,
        Err(i) => arcs.insert(i, arc),
    }
}
