//! Transitions that add nothing.

use std::collections::HashSet;

use syntax::net::{Arc, Interval, Timing};

use super::Work;

impl Work<'_> {
    /// Removes transitions that do what another one does, under the same conditions.
    ///
    /// With an interval, two such transitions are more than one: each has a clock, and the firing
    /// of one does not always start that of the other anew. Only where clocks don't matter they are
    /// alike.
    pub(super) fn equal_transitions(&mut self) {
        let mut seen: HashSet<([Vec<Arc>; 4], Interval)> = HashSet::new();
        for i in 0..self.has.len() {
            if (self.stop)() {
                return;
            }
            let t = &self.net.transitions[i];
            let matters =
                self.net.timing == Timing::Transitions && ![Interval::NOW, Interval::ANY].contains(&t.interval);
            if !self.has[i] || matters {
                continue;
            }
            let arcs = [&t.takes, &t.puts, &t.tests, &t.inhibitors].map(Clone::clone);
            if !seen.insert((arcs, t.interval)) {
                self.remove_transition(i);
                self.counts.equal_transitions += 1;
            }
        }
    }

    /// Removes transitions that put what they take, where nothing depends on time and nobody asks
    /// whether the net comes to rest.
    pub(super) fn idle_transitions(&mut self) {
        if self.net.timing != Timing::Untimed || self.keep.deadlock {
            return;
        }
        for i in 0..self.has.len() {
            if (self.stop)() {
                return;
            }
            if self.has[i] && self.net.transitions[i].takes == self.net.transitions[i].puts {
                self.remove_transition(i);
                self.counts.idle_transitions += 1;
            }
        }
    }
}
