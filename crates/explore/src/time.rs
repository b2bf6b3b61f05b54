//! The passing of time in one discrete state, exactly.
//!
//! Seen along the line on which time moves a valuation, every zone is an interval. From a valuation
//! time may pass as long as the invariant holds and up to the first moment at which an urgent
//! synchronisation is possible; a run may also have to stay out of certain zones. All of that asks
//! whether one interval lies before another, and the answers are unions and differences of zones,
//! their pasts and their futures:
//!
//! - `w` is reached from `e` in `E` and no moment from `e` to `w` is in the zone `B`, both ends
//!   included: either no moment up to `w` is in `B`, or `e` lies behind all of `B`. So it is in
//!   `E↑ \ B↑` or in `((E ∩ B↑) \ B)↑`.
//! - The same for urgency `U`, which may hold at `w` and not before: `E`, `E↑ \ later(U)` or
//!   `((E ∩ U↑) \ U)↑`, where `later(U)` are the valuations after some delay from `U`.
//! - Backward, `e` reaches `w` in `W`: `W↓ \ B↓` or `(W \ B↑)↓`; and `W`, `W↓ \ U↓` or
//!   `(W \ later(U))↓`.
//!
//! For several zones to stay out of these sets are intersected: of several ways to `w` the one that
//! starts last has the fewest moments, so it stays out of everything that any of them stays out of.
//!
//! Where clocks stand still, lines have other directions and zones can't say what is reached. Then
//! more is reached than really is, and fewer valuations are said to lead somewhere, so that what
//! ends a run is overestimated as well.

use model::System;
use zone::{Bound, Federation};

use crate::{
    graph::{RunError, ZoneGraph},
    split::{after_some_delay, pieces},
};

/// How time passes in a row.
pub struct Time<B = i32> {
    dim: usize,
    /// The valuations of the invariant.
    pub invariant: Vec<B>,
    /// Where urgent synchronisations are possible; `None` where time stands still anyway.
    urgent: Option<Vec<Vec<B>>>,
    /// The clocks that stand still, if there are any.
    stopped: Option<Vec<bool>>,
}

impl<B: Bound> Time<B> {
    /// In a row; `None` if no valuation satisfies its invariants.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn of(graph: &mut ZoneGraph<'_, B>, row: &[i32]) -> Result<Option<Time<B>>, RunError> {
        let Some(invariant) = graph.invariant(row)? else { return Ok(None) };
        let urgent = graph.urgent_parts(row)?;
        let stopped = if has_rates(graph.system()) { Some(graph.standing(row)?) } else { None };
        Ok(Some(Time { dim: graph.dim(), invariant, urgent, stopped: stopped.filter(|s| s.contains(&true)) }))
    }

    /// Whether delays are exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether time may pass for ever, as far as the invariant says.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        let runs = |x: usize| self.stopped.as_ref().is_none_or(|s| !s[x]);
        let bounded = |x: usize| self.invariant[x * self.dim] != B::INFINITY;
        self.urgent.is_some() && !(1..self.dim).any(|x| runs(x) && bounded(x))
    }

    /// The valuations of a zone and all that the invariant allows behind them.
    #[must_use]
    pub fn future(&self, zone: &[B]) -> Vec<B> {
        let mut later = zone.to_vec();
        if self.urgent.is_some() {
            self.delay(&mut later);
            // It holds the zone, which is not empty.
            zone::intersect(&mut later, self.dim, &self.invariant);
        }
        later
    }

    /// What is reached from a zone by waiting, with no moment in `avoided`.
    #[must_use]
    pub fn wait(&self, from: &[B], avoided: &Federation<B>) -> Federation<B> {
        let later = self.future(from);
        let mut reached = pieces(&later, self.dim);
        if !self.is_exact() || self.urgent.is_none() {
            reached.subtract(avoided);
            return reached;
        }
        for zone in avoided.zones().filter(|z| self.meets(&later, z)) {
            let mut behind = zone.to_vec();
            zone::delay(&mut behind, self.dim);
            let mut ways = self.after(from, zone, &behind);
            ways.append(&minus(&later, &behind, self.dim));
            reached.intersect(&ways);
            reached.shorten();
        }
        for zone in self.urgent.iter().flatten().filter(|z| self.meets(&later, z)) {
            let mut behind = zone.clone();
            zone::delay(&mut behind, self.dim);
            let mut ways = self.after(from, zone, &behind);
            ways.append(&minus(&later, &strictly_later(zone, self.dim), self.dim));
            ways.push(from);
            reached.intersect(&ways);
            reached.shorten();
        }
        reached
    }

    /// The valuations of `from` behind all of `zone`, and what follows them.
    fn after(&self, from: &[B], zone: &[B], behind: &[B]) -> Federation<B> {
        let mut start = Federation::new(self.dim);
        let mut last = from.to_vec();
        if zone::intersect(&mut last, self.dim, behind) {
            zone::subtract(&last, zone, self.dim, &mut start);
        }
        start.retain(|zone| {
            zone::delay(zone, self.dim);
            true
        });
        start
    }

    /// The valuations of the invariant from which waiting leads into a zone, with no moment in
    /// `avoided`.
    #[must_use]
    pub fn before(&self, zone: &[B], avoided: &Federation<B>) -> Federation<B> {
        let mut goal = zone.to_vec();
        if !zone::intersect(&mut goal, self.dim, &self.invariant) {
            return Federation::new(self.dim);
        }
        if !self.is_exact() || self.urgent.is_none() {
            let mut now = pieces(&goal, self.dim);
            now.subtract(avoided);
            return now;
        }
        let mut earlier = goal.clone();
        zone::past(&mut earlier, self.dim);
        zone::intersect(&mut earlier, self.dim, &self.invariant);
        let mut found = pieces(&earlier, self.dim);
        for zone in avoided.zones().filter(|z| self.meets(&earlier, z)) {
            let (mut ahead, mut behind) = (zone.to_vec(), zone.to_vec());
            zone::past(&mut ahead, self.dim);
            zone::delay(&mut behind, self.dim);
            let mut ways = self.ahead_of(&goal, &behind);
            ways.append(&minus(&earlier, &ahead, self.dim));
            found.intersect(&ways);
            found.shorten();
        }
        for zone in self.urgent.iter().flatten().filter(|z| self.meets(&earlier, z)) {
            let mut ahead = zone.clone();
            zone::past(&mut ahead, self.dim);
            let mut ways = self.ahead_of(&goal, &strictly_later(zone, self.dim));
            ways.append(&minus(&earlier, &ahead, self.dim));
            ways.push(&goal);
            found.intersect(&ways);
            found.shorten();
        }
        found
    }

    /// The past of the valuations of `goal` outside of `behind`.
    fn ahead_of(&self, goal: &[B], behind: &[B]) -> Federation<B> {
        let mut rest = minus(goal, behind, self.dim);
        rest.retain(|zone| {
            zone::past(zone, self.dim);
            true
        });
        rest
    }

    /// Takes away the valuations from which waiting would some day lead into a zone, were it not
    /// for urgency.
    fn take_past(&self, rest: &mut Federation<B>, zone: &[B]) {
        let mut ahead = zone.to_vec();
        if self.is_exact() {
            zone::past(&mut ahead, self.dim);
        }
        rest.subtract_zone(&ahead);
    }

    /// The part of a zone from which time may pass for ever with no moment in `avoided`, which must
    /// hold all such moments of the zone's [`Self::future`].
    #[must_use]
    pub fn waits(&self, zone: &[B], avoided: &Federation<B>) -> Federation<B> {
        if !self.is_endless() {
            return Federation::new(self.dim);
        }
        let mut rest = pieces(zone, self.dim);
        for bad in avoided.zones().chain(self.urgent.iter().flatten().map(Vec::as_slice)) {
            self.take_past(&mut rest, bad);
        }
        rest
    }

    /// The part of a zone from which every delay, if there is any, avoids all of these zones.
    #[must_use]
    pub fn stays_out<'z>(&self, zone: &[B], of: impl Iterator<Item = &'z [B]>) -> Federation<B> {
        let nothing = Federation::new(self.dim);
        let mut rest = pieces(zone, self.dim);
        for bad in of {
            if rest.is_empty() {
                break;
            }
            rest.subtract(&self.before(bad, &nothing));
        }
        rest
    }

    fn meets(&self, a: &[B], b: &[B]) -> bool {
        let mut both = a.to_vec();
        zone::intersect(&mut both, self.dim, b)
    }

    fn delay(&self, zone: &mut [B]) {
        match &self.stopped {
            None => zone::delay(zone, self.dim),
            Some(stopped) => zone::delay_except(zone, self.dim, stopped),
        }
    }
}

/// Whether some clock may stand still.
fn has_rates(system: &System) -> bool {
    system.locations.iter().any(|l| !l.rates.is_empty())
}

fn minus<B: Bound>(a: &[B], b: &[B], dim: usize) -> Federation<B> {
    let mut rest = Federation::new(dim);
    zone::subtract(a, b, dim, &mut rest);
    rest
}

/// The valuations after some delay from those of a zone.
fn strictly_later<B: Bound>(zone: &[B], dim: usize) -> Vec<B> {
    let mut later = zone.to_vec();
    zone::delay(&mut later, dim);
    after_some_delay(&mut later, dim, |_| true);
    later
}
