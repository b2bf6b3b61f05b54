//! Redundant places: nothing depends on them, or another place has the same tokens.

use std::collections::BTreeMap;

use syntax::net::{Interval, Timing};

use super::{Work, set_weight, weight};

impl Work<'_> {
    /// Removes places whose tokens are put back whenever they are taken, and always suffice.
    ///
    /// With intervals on transitions they must suffice even while a transition has taken its tokens
    /// and not yet put them back, since clocks are reset then. With intervals on places they must
    /// be available at once. Places that inhibit must do so always or never.
    pub(super) fn constant_places(&mut self) {
        for p in 0..self.has_place.len() {
            if (self.stop)() {
                return;
            }
            if self.is_free(p) && self.is_constant(p) {
                self.remove_place(p);
                self.counts.constant_places += 1;
            }
        }
    }

    fn is_constant(&self, p: usize) -> bool {
        let place = &self.net.places[p];
        if !self.live().all(|t| weight(&t.puts, p) == weight(&t.takes, p)) {
            return false;
        }
        let taken = self.live().map(|t| u64::from(weight(&t.takes, p))).max().unwrap_or(0);
        let needed = self.live().map(|t| u64::from(weight(&t.takes, p).max(weight(&t.tests, p)))).max().unwrap_or(0);
        let needed = if self.net.timing == Timing::Transitions { needed + taken } else { needed };
        let inhibits = self.live().any(|t| {
            let limit = weight(&t.inhibitors, p);
            limit > 0 && place.tokens >= limit
        });
        let in_time = self.net.timing != Timing::Places || place.delay == Interval::NOW;
        in_time && !inhibits && u64::from(place.tokens) >= needed
    }

    /// Removes places that always have as many tokens as another one: they have the same initial
    /// tokens, and gain and lose them together. The other place represents them.
    ///
    /// With intervals on places, tokens of the same age become available at different moments. The
    /// tokens of both places can be represented by one, with the later of the two moments, if all
    /// arcs that take or test one do so with the other, and they inhibit nothing; or if the moments
    /// are fixed.
    pub(super) fn equal_places(&mut self) {
        for (p, q) in self.suspects() {
            if (self.stop)() {
                return;
            }
            if !self.has_place[p] || !self.has_place[q] || !self.are_equal(p, q) {
                continue;
            }
            let Some((stays, goes)) = [(p, q), (q, p)].into_iter().find(|(_, goes)| self.is_free(*goes)) else {
                continue;
            };
            for t in &mut self.net.transitions {
                let test = weight(&t.tests, stays).max(weight(&t.tests, goes));
                if test > 0 {
                    set_weight(&mut t.tests, stays, test);
                }
                let limits = [weight(&t.inhibitors, stays), weight(&t.inhibitors, goes)];
                if let Some(limit) = limits.into_iter().filter(|limit| *limit > 0).min() {
                    set_weight(&mut t.inhibitors, stays, limit);
                }
            }
            self.remove_place(goes);
            self.counts.equal_places += 1;
        }
    }

    /// Returns pairs of places that gain and lose tokens together: only these need to be compared.
    fn suspects(&self) -> Vec<(usize, usize)> {
        let mut traffic = vec![Vec::new(); self.has_place.len()];
        for (i, t) in self.live().enumerate() {
            t.takes.iter().for_each(|arc| traffic[arc.place as usize].push((i, false, arc.weight)));
            t.puts.iter().for_each(|arc| traffic[arc.place as usize].push((i, true, arc.weight)));
        }
        let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (p, traffic) in traffic.into_iter().enumerate().filter(|(p, _)| self.has_place[*p]) {
            alike.entry(traffic).or_default().push(p);
        }
        let pairs = |group: Vec<usize>| {
            let pair = |i: usize| (i + 1..group.len()).map(move |j| (i, j));
            let all: Vec<(usize, usize)> = (0..group.len()).flat_map(pair).collect();
            all.into_iter().map(move |(i, j)| (group[i], group[j])).collect::<Vec<_>>()
        };
        let mut all: Vec<(usize, usize)> = alike.into_values().flat_map(pairs).collect();
        all.sort_unstable();
        all
    }

    fn are_equal(&self, p: usize, q: usize) -> bool {
        let (a, b) = (&self.net.places[p], &self.net.places[q]);
        let timed = self.net.timing == Timing::Places;
        if a.tokens != b.tokens || timed && a.delay != b.delay {
            return false;
        }
        let chooses = timed && a.delay.high != Some(a.delay.low);
        self.live().all(|t| {
            let same = weight(&t.takes, p) == weight(&t.takes, q) && weight(&t.puts, p) == weight(&t.puts, q);
            let asks_both = weight(&t.tests, p) == weight(&t.tests, q);
            let inhibits = weight(&t.inhibitors, p) + weight(&t.inhibitors, q) > 0;
            same && (!chooses || asks_both && !inhibits)
        })
    }

    /// Removes places that only gain tokens, unless their limit on tokens is observed.
    pub(super) fn unread_places(&mut self) {
        if self.keep.contact {
            return;
        }
        for p in 0..self.has_place.len() {
            if (self.stop)() {
                return;
            }
            let reads = self.live().any(|t| weight(&t.takes, p) + weight(&t.tests, p) + weight(&t.inhibitors, p) > 0);
            if self.is_free(p) && !reads {
                self.remove_place(p);
                self.counts.unread_places += 1;
            }
        }
    }
}
