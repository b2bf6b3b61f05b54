//! Transitions that can never fire, and places that never have a token.

use syntax::net::Timing;

use super::{Work, weight};

impl Work<'_> {
    /// Removes transitions that can never have enough tokens, or that a place always inhibits.
    pub(super) fn dead_transitions(&mut self) {
        let able = self.perhaps_able();
        for (t, able) in able.into_iter().enumerate() {
            if self.has[t] && (!able || self.contradicts_itself(t) || self.is_inhibited_for_ever(t)) {
                self.remove_transition(t);
                self.counts.dead_transitions += 1;
            }
        }
    }

    /// Returns which transitions could fire if no token were ever taken: all others are dead.
    fn perhaps_able(&self) -> Vec<bool> {
        let mut able = vec![false; self.has.len()];
        let mut gets = vec![false; self.has_place.len()];
        loop {
            let enough = |place: usize, needed: u32| gets[place] || self.net.places[place].tokens >= needed;
            let found: Vec<usize> = (0..self.has.len())
                .filter(|&t| self.has[t] && !able[t])
                .filter(|&t| {
                    let t = &self.net.transitions[t];
                    t.takes.iter().chain(&t.tests).all(|arc| enough(arc.place as usize, arc.weight))
                })
                .collect();
            if found.is_empty() {
                return able;
            }
            for t in found {
                able[t] = true;
                self.net.transitions[t].puts.iter().for_each(|arc| gets[arc.place as usize] = true);
            }
        }
    }

    /// Returns whether a transition needs the tokens of a place that inhibits it.
    fn contradicts_itself(&self, t: usize) -> bool {
        let t = &self.net.transitions[t];
        t.inhibitors.iter().any(|arc| {
            let place = arc.place as usize;
            weight(&t.takes, place).max(weight(&t.tests, place)) >= arc.weight
        })
    }

    /// Returns whether a place inhibits a transition initially, and its tokens never decrease. If
    /// intervals are on places, a token that is put back has to wait again, so this does not apply.
    fn is_inhibited_for_ever(&self, t: usize) -> bool {
        self.net.timing != Timing::Places
            && self.net.transitions[t].inhibitors.iter().any(|arc| {
                let place = arc.place as usize;
                self.net.places[place].tokens >= arc.weight
                    && self.live().all(|t| weight(&t.puts, place) >= weight(&t.takes, place))
            })
    }

    /// Removes places that are empty and get no tokens. Transitions that take from them have been
    /// removed, and they inhibit nothing.
    pub(super) fn empty_places(&mut self) {
        for p in 0..self.has_place.len() {
            if (self.stop)() {
                return;
            }
            if self.is_free(p)
                && self.net.places[p].tokens == 0
                && self.live().all(|t| weight(&t.takes, p) + weight(&t.tests, p) + weight(&t.puts, p) == 0)
            {
                self.remove_place(p);
                self.counts.empty_places += 1;
            }
        }
    }
}
