//! Transitions that follow each other, in nets without time.
//!
//! Let a place be empty at the start, and let each transition that takes from it need nothing else.
//! Whoever has put a token there may as well go on at once: what the second transition does is
//! possible then and later, is asked for by nobody, and makes more possible, never less. So each
//! pair of a first and a second transition becomes one, and the place is gone. A net that is at
//! rest has no token there, so that nothing changes about that.

use syntax::net::{Arc, Timing};

use super::{Work, set_weight, weight};

impl Work<'_> {
    /// Fuses transitions around places that nobody asks for, if that makes the net smaller, and it
    /// does not matter how many tokens would gather there.
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

    /// Returns the transitions before and behind a place, if they can be fused.
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

    /// Returns whether a transition needs one token only, and puts tokens where nobody looks and
    /// nothing is inhibited.
    fn goes_on(&self, f: usize) -> bool {
        let t = &self.net.transitions[f];
        let is_quiet = |arc: &Arc| {
            let place = arc.place as usize;
            self.is_free(place) && self.live().all(|t| weight(&t.inhibitors, place) == 0)
        };
        t.takes.len() == 1 && t.tests.is_empty() && t.inhibitors.is_empty() && t.puts.iter().all(is_quiet)
    }

    /// Adds a transition that does what `h` does and then `f`, by way of `p`.
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
