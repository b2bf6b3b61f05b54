//! Nets with stopwatches, by sets of ages.
//!
//! The ages of transitions that are sometimes stopped have no regions: sums of them matter. The
//! sets of ages that a sequence of firings leads to are polyhedra (Berthomieu, Lime, Roux and
//! Vernadat). An age beyond the lower bound of an interval without an upper one is replaced by one
//! number. There may be infinitely many sets; then the exploration ends at its limit.

use rustc_hash::FxHashMap;
use syntax::net::{Net, Transition};

use super::{
    Marking, NetLimits, NetReach,
    polyhedron::{Polyhedron, TooLarge},
    rules::{has_concession, higher, is_active},
};

/// Explores all states; `None` if there are too many.
pub(super) fn all(net: &Net, limits: NetLimits) -> Option<NetReach> {
    let classes = Classes { net, higher: higher(net), limits };
    classes.explore().ok().flatten()
}

struct Classes<'a> {
    net: &'a Net,
    higher: Vec<Vec<usize>>,
    limits: NetLimits,
}

impl Classes<'_> {
    fn explore(&self) -> Result<Option<NetReach>, TooLarge> {
        let max_tokens = self.net.token_limit().min(self.limits.tokens);
        let mut reach = NetReach::default();
        let mut seen: FxHashMap<Marking, Vec<Polyhedron>> = FxHashMap::default();
        let mut open: Vec<(Marking, Polyhedron)> = Vec::new();
        let start: Marking = self.net.places.iter().map(|p| p.tokens).collect();
        let mut born = Polyhedron::all(self.net.transitions.len());
        (0..self.net.transitions.len()).for_each(|t| born.fix(t, 0));
        self.arrive(&start, &born, &mut open)?;
        let mut count = 0;
        while let Some((marking, ages)) = open.pop() {
            let known = seen.entry(marking.clone()).or_default();
            let mut is_covered = false;
            for old in known.iter() {
                is_covered = is_covered || ages.is_in(old)?;
            }
            if is_covered {
                continue;
            }
            known.push(ages.clone());
            count += 1;
            // Polyhedra take much longer than regions.
            if count > self.limits.states / 20 {
                return Ok(None);
            }
            let is_live = |t: &Transition| has_concession(t, &marking) && is_active(t, &marking);
            // An active transition fires sometime, unless others do all the time.
            reach.deadlock |= !self.net.transitions.iter().any(is_live);
            for (i, t) in self.net.transitions.iter().enumerate().filter(|(_, t)| is_live(t)) {
                let mut can = ages.clone();
                can.limit(i, -1, -i128::from(t.interval.low), t.interval.low_open);
                let mut blocked = false;
                for &h in &self.higher[i] {
                    let first = &self.net.transitions[h];
                    if is_live(first) {
                        // It can't fire as long as it is too young.
                        can.limit(h, 1, i128::from(first.interval.low), !first.interval.low_open);
                        blocked = blocked || first.interval.low == 0 && !first.interval.low_open;
                    }
                }
                if blocked || can.is_empty()? {
                    continue;
                }
                let mut between = marking.clone();
                t.takes.iter().for_each(|a| between[a.place as usize] -= a.weight);
                let mut next = between.clone();
                t.puts.iter().for_each(|a| next[a.place as usize] += a.weight);
                if next.iter().any(|tokens| *tokens > max_tokens) {
                    reach.contact = true;
                    continue;
                }
                for (k, other) in self.net.transitions.iter().enumerate() {
                    let stays = has_concession(other, &marking) && has_concession(other, &between);
                    if k == i || !stays || !has_concession(other, &next) {
                        can.forget(k)?;
                        can.fix(k, 0);
                    }
                }
                self.arrive(&next, &can, &mut open)?;
            }
            reach.markings.insert(marking);
        }
        Ok(Some(reach))
    }

    /// Lets time pass, and adds the set in parts in each of which the ages without upper bounds are
    /// either compared or not.
    fn arrive(
        &self,
        marking: &Marking,
        ages: &Polyhedron,
        open: &mut Vec<(Marking, Polyhedron)>,
    ) -> Result<(), TooLarge> {
        let n = self.net.transitions.len();
        let runs: Vec<bool> =
            self.net.transitions.iter().map(|t| has_concession(t, marking) && is_active(t, marking)).collect();
        let mut within = Polyhedron::all(n);
        for (i, t) in self.net.transitions.iter().enumerate().filter(|(i, _)| runs[*i]) {
            if let Some(high) = t.interval.high {
                within.limit(i, 1, i128::from(high), t.interval.high_open);
            }
        }
        let mut parts = vec![ages.delay(&runs, &within)?];
        for (i, t) in self.net.transitions.iter().enumerate().filter(|(i, _)| runs[*i]) {
            if t.interval.high.is_some() {
                continue;
            }
            let low = i128::from(t.interval.low);
            for mut old in std::mem::take(&mut parts) {
                let mut young = old.clone();
                young.limit(i, 1, low, false);
                if !young.is_empty()? {
                    parts.push(young);
                }
                old.limit(i, -1, -low, true);
                if !old.is_empty()? {
                    old.forget(i)?;
                    old.fix(i, low + 1);
                    parts.push(old);
                }
            }
        }
        open.extend(parts.into_iter().map(|part| (marking.clone(), part)));
        Ok(())
    }
}
