//! Checks that exchanging members leaves a system unchanged, without comparing its code.
//!
//! The type rules guarantee this, except for priorities, for the order in which receivers of a
//! broadcast update, and for variables that lowering has treated as constants. The rest is checked
//! all the same: a set whose members are not interchangeable would make answers wrong.

use std::collections::HashMap;

use super::{Symmetry, touch::Touches};
use crate::{
    System,
    system::{ClockConstraint, ClockTerm, Edge, Guard, Sync},
};

/// A clock constraint without its code: the first clock and the number of candidates of each side,
/// the strictness and the bounds.
type Compared = ((u32, u32), (u32, u32), bool, (i64, i64), bool);

/// The images of the parts of a system under a renaming.
struct Images<'s> {
    system: &'s System,
    /// The images of slots, the first of which are the locations of processes.
    numbers: Vec<u32>,
    clocks: Vec<u32>,
    channels: Vec<u32>,
}

impl Symmetry {
    /// Keeps only the sets whose members are interchangeable. `known` are the slots that never
    /// change and that the code was specialised for.
    #[must_use]
    pub(crate) fn confirmed(self, system: &System, known: &[u32]) -> Symmetry {
        let mut symmetry = self;
        let touches = Touches::new(system);
        while let Some(number) = symmetry.unlike(system, known, &touches) {
            symmetry = symmetry.without(number);
        }
        symmetry
    }

    /// Returns a set whose members are not interchangeable.
    fn unlike(&self, system: &System, known: &[u32], touches: &Touches<'_>) -> Option<u32> {
        let mut row = Vec::new();
        for (set, at) in self.sets.iter().zip(0..) {
            for renaming in self.exchanges(at) {
                self.rename_row(&renaming, &system.initial, &mut row);
                let same_known = known.iter().all(|place| row[*place as usize] == system.initial[*place as usize]);
                let images = Images {
                    system,
                    numbers: self.images(&self.row, &renaming, system.initial.len()),
                    clocks: self.images(&self.clocks, &renaming, system.clocks.len()),
                    channels: self.images(&self.channels, &renaming, system.channels.len()),
                };
                if !(same_known && images.are_alike() && images.keep_order(touches)) {
                    return Some(set.number);
                }
            }
        }
        None
    }
}

impl Images<'_> {
    fn are_alike(&self) -> bool {
        let system = self.system;
        let processes = system.processes.iter().zip(&self.numbers).all(|(p, to)| {
            let Some(q) = system.processes.get(*to as usize) else { return false };
            (p.template, p.priority, p.locations, p.initial) == (q.template, q.priority, q.locations, q.initial)
        });
        let channels = system.channels.iter().zip(&self.channels).all(|(c, to)| {
            let d = &system.channels[*to as usize];
            (c.broadcast, c.urgent, c.priority) == (d.broadcast, d.urgent, d.priority)
        });
        // Rows are packed by the ranges of slots.
        let ranges = &system.ranges;
        let numbers = ranges.iter().zip(&self.numbers).all(|(range, to)| ranges[*to as usize] == *range);
        processes && channels && numbers && self.locations() && self.edges()
    }

    fn locations(&self) -> bool {
        let itself: Vec<u32> = (0..self.clocks.len() as u32).collect();
        self.system.locations.iter().zip(0..).all(|(location, number)| {
            let other = &self.system.locations[self.location(number) as usize];
            let invariant = |guard: &Guard, clocks: &[u32]| (guard.condition.is_some(), compared(guard, clocks));
            (location.urgent, location.committed, location.rates.len())
                == (other.urgent, other.committed, other.rates.len())
                && invariant(&location.invariant, &self.clocks) == invariant(&other.invariant, &itself)
        })
    }

    /// Returns the image of a location. The processes must have the same template.
    fn location(&self, location: u32) -> u32 {
        let from = self.system.locations[location as usize].process.0 as usize;
        let first = |process: usize| self.system.processes[process].first_location.0;
        location - first(from) + first(self.numbers[from] as usize)
    }

    fn edges(&self) -> bool {
        let itself: Vec<u32> = (0..self.clocks.len() as u32).collect();
        let key = |edge: &Edge, renamed: bool| {
            let location = |l: u32| if renamed { self.location(l) } else { l };
            let channel = |c: u32| if renamed { self.channels[c as usize] } else { c };
            let sync = match edge.sync {
                Sync::Internal => (0, 0),
                Sync::Send(c) => (1, channel(c.0)),
                Sync::Receive(c) => (2, channel(c.0)),
                Sync::Event(e) => (3, e.0),
            };
            let clocks = compared(&edge.guard, if renamed { &self.clocks } else { &itself });
            let code = (edge.guard.condition.is_some(), edge.update.is_some());
            (location(edge.source.0), location(edge.target.0), edge.origin, edge.branch, sync, clocks, code)
        };
        let mut counts = HashMap::new();
        for edge in &self.system.edges {
            *counts.entry(key(edge, false)).or_insert(0) += 1;
            *counts.entry(key(edge, true)).or_insert(0) -= 1;
        }
        counts.values().all(|count| *count == 0)
    }

    /// Returns whether the receivers of a broadcast whose order a renaming changes may update in
    /// either order.
    fn keep_order(&self, touches: &Touches<'_>) -> bool {
        let receivers = touches.receivers();
        receivers.iter().enumerate().all(|(i, &p)| {
            receivers[i + 1..].iter().all(|&q| {
                let changes = (p < q) != (self.numbers[p as usize] < self.numbers[q as usize]);
                !changes || touches.commute(p, q)
            })
        })
    }
}

/// Returns the clock constraints of a guard for renamed clocks, in an order that does not depend on
/// their names.
fn compared(guard: &Guard, clocks: &[u32]) -> Vec<Compared> {
    let term = |term: ClockTerm| match term {
        ClockTerm::Clock(clock) => (clocks[clock.0 as usize], 1),
        // The array as a whole.
        ClockTerm::Element { first, count, .. } => {
            let all = &clocks[first.0 as usize..(first.0 + count) as usize];
            (all.iter().copied().min().unwrap_or(0), count)
        }
    };
    let one = |c: &ClockConstraint| (term(c.left), term(c.right), c.strict, c.bound.range(), c.condition.is_some());
    let mut all: Vec<Compared> = guard.clocks.iter().map(one).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::{System, symmetry::Symmetry};

    fn system() -> System {
        let text = "typedef scalar[2] S; chan c[S]; clock h[S];
            process P(const S id) { state l, k; init l; trans l -> k { guard h[id] > 2; sync c[id]!; }; }
            process Q(const S id) { state l; init l; trans l -> l { sync c[id]?; }; }
            system P, Q;";
        let mut sources = syntax::Sources::new();
        let file = sources.add_file("model.xta", text.to_owned());
        let (tree, _) = syntax::read_model(&mut sources, file, syntax::Format::Xta);
        crate::load(tree).unwrap().0.system
    }

    #[test]
    fn members_of_systems_that_are_changed_are_not_alike() {
        use crate::system::{ChannelId, LocationId, Operand, Sync};
        let change: [&dyn Fn(&mut System); 8] = [
            &|system| system.channels[0].priority = 1,
            &|system| system.channels[1].urgent = true,
            &|system| system.processes[1].priority = 1,
            &|system| system.processes[0].initial = 1,
            &|system| system.edges[0].guard.clocks[0].bound = Operand::Const(-3),
            &|system| system.edges[1].sync = Sync::Send(ChannelId(0)),
            &|system| system.edges[1].target = LocationId(2),
            &|system| system.ranges[3] = (0, 5),
        ];
        assert_eq!(Symmetry::clone(&system().symmetry).confirmed(&system(), &[]).sets.len(), 1);
        for (number, change) in change.iter().enumerate() {
            let mut system = system();
            change(&mut system);
            assert!(Symmetry::clone(&system.symmetry).confirmed(&system, &[]).is_empty(), "{number}");
        }
    }
}
