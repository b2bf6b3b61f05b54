//! Series fusion, in untimed nets.
//!
//! Let a place be initially empty, and let each transition that takes from it need nothing else.
//! After a token is put there, such a transition may fire at once: it is enabled then and later, is
//! not observed, and enables more, never less. So each pair of a first and a second transition is
//! fused, and the place is removed. In a deadlock the place has no token, so deadlocks are
//! preserved.

use syntax::net::{Arc, Timing};

use super::{Work, set_weight, weight};

impl Work<'_> {
    /// Fuses transitions around places that are not observed, if that makes the net smaller and the
    /// number of tokens there does not matter.
    pub(super) fn series(&mut self) {
        if self.net.timing != Timing::Untimed || self.keep.contact {
            return;
        }
        for p in 0..self.has_place.len() {
            if (self.stop)() {
                return;
            }
            let Some((first, second)) = self.around(p) else { continue };
            for &h in &first {
                for &f in &second {
                    self.fuse(h, f, p);
                }
            }
            first.iter().chain(&second).for_each(|&t| self.remove_transition(t));
            self.remove_place(p);
            self.counts.fused_places += 1;
        }
    }

    /// Returns the transitions before and after a place, if they can be fused.
    fn around(&self, p: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        if !self.is_free(p) || self.net.places[p].tokens > 0 {
            return None;
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (i, t) in self.net.transitions.iter().enumerate().filter(|(i, _)| self.has[*i]) {
            if weight(&t.tests, p) + weight(&t.inhibitors, p) > 0 {
                return None;
            }
            match (weight(&t.puts, p), weight(&t.takes, p)) {
                (0, 0) => {}
                (1, 0) => first.push(i),
                (0, 1) => second.push(i),
                _ => return None,
            }
        }
        let pairs = first.len() * second.len();
        let fits = !first.is_empty() && !second.is_empty() && pairs <= first.len() + second.len();
        (fits && second.iter().all(|&f| self.goes_on(f))).then_some((first, second))
    }

    /// Returns whether a transition needs one token only, and puts tokens only on places that are
    /// not observed and inhibit nothing.
    fn goes_on(&self, f: usize) -> bool {
        let t = &self.net.transitions[f];
        let is_quiet = |arc: &Arc| {
            let place = arc.place as usize;
            self.is_free(place) && self.live().all(|t| weight(&t.inhibitors, place) == 0)
        };
        t.takes.len() == 1 && t.tests.is_empty() && t.inhibitors.is_empty() && t.puts.iter().all(is_quiet)
    }

    /// Adds a transition with the effect of `h` and then `f`, through `p`.
    fn fuse(&mut self, h: usize, f: usize, p: usize) {
        let mut both = self.net.transitions[h].clone();
        both.puts.retain(|arc| arc.place as usize != p);
        for arc in self.net.transitions[f].puts.clone() {
            let place = arc.place as usize;
            let sum = weight(&both.puts, place).saturating_add(arc.weight);
            set_weight(&mut both.puts, place, sum);
        }
        self.net.transitions.push(both);
        self.has.push(true);
        let made_of = [&self.made_of[h][..], &self.made_of[f]].concat();
        self.made_of.push(made_of);
    }
}
