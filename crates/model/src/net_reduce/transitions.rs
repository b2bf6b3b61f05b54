//! Redundant transitions.

use std::collections::HashSet;

use syntax::net::{Arc, Interval, Timing};

use super::Work;

impl Work<'_> {
    /// Removes transitions with the same effect and the same conditions as another one.
    ///
    /// Timed transitions are distinguished by their clocks: the firing of one does not always reset
    /// the clock of the other. They are equal only if their clocks do not matter.
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

    /// Removes transitions that put back what they take, in untimed nets if deadlocks are not
    /// observed.
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
