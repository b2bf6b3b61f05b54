//! The passing of time in one discrete state, exactly.
//!
//! Along the line on which time moves a valuation, every zone is an interval. Time may pass as long
//! as the invariant holds, up to the first moment at which an urgent synchronisation is enabled; a
//! run may also have to avoid certain zones. These conditions compare intervals, so their solutions
//! are unions and differences of zones, their pasts and their futures:
//!
//! - `w` is reached from `e` in `E` and no moment from `e` to `w` is in the zone `B`, both ends
//!   included: either no moment up to `w` is in `B`, or `e` lies after all of `B`. So it is in
//!   `E↑ \ B↑` or in `((E ∩ B↑) \ B)↑`.
//! - The same for urgency `U`, which may hold at `w` and not before: `E`, `E↑ \ later(U)` or
//!   `((E ∩ U↑) \ U)↑`, where `later(U)` are the valuations after some delay from `U`.
//! - Backward, `e` reaches `w` in `W`: `W↓ \ B↓` or `(W \ B↑)↓`; and `W`, `W↓ \ U↓` or
//!   `(W \ later(U))↓`.
//!
//! For several avoided zones these sets are intersected: of several delays to `w` the one that
//! starts last has the fewest moments, so it avoids everything that any of them avoids.
//!
//! With stopped clocks, lines have other directions and zones are not exact. Then forward delays
//! are over-approximated and backward ones under-approximated, so the ends of runs are
//! over-approximated as well.

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
    /// Where urgent synchronisations are enabled; `None`: no delay is possible anyway.
    urgent: Option<Vec<Vec<B>>>,
    /// The stopped clocks, if there are any.
    stopped: Option<Vec<bool>>,
}

impl<B: Bound> Time<B> {
    /// Returns the time in a row; `None` if no valuation satisfies its invariants.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn of(graph: &mut ZoneGraph<'_, B>, row: &[i32]) -> Result<Option<Time<B>>, RunError> {
        let Some(invariant) = graph.invariant(row)? else { return Ok(None) };
        let urgent = graph.urgent_parts(row)?;
        let stopped = if has_rates(graph.system()) { Some(graph.stopped_clocks(row)?) } else { None };
        Ok(Some(Time { dim: graph.dim(), invariant, urgent, stopped: stopped.filter(|s| s.contains(&true)) }))
    }

    /// Returns whether delays are exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.stopped.is_none()
    }

    /// Returns whether time may diverge, as far as the invariant decides.
    #[must_use]
    pub(crate) fn may_diverge(&self) -> bool {
        let runs = |x: usize| self.stopped.as_ref().is_none_or(|s| !s[x]);
        let bounded = |x: usize| self.invariant[x * self.dim] != B::INFINITY;
        self.urgent.is_some() && !(1..self.dim).any(|x| runs(x) && bounded(x))
    }

    /// Returns the valuations of a zone and their delays within the invariant.
    #[must_use]
    pub(crate) fn future(&self, zone: &[B]) -> Vec<B> {
        let mut later = zone.to_vec();
        if self.urgent.is_some() {
            self.delay(&mut later);
            // It contains the zone, which is not empty.
            zone::intersect(&mut later, self.dim, &self.invariant);
        }
        later
    }

    /// Returns what delays reach from a zone with no moment in `avoided`.
    #[must_use]
    pub fn wait(&self, from: &[B], avoided: &Federation<B>) -> Federation<B> {
        let later = self.future(from);
        let mut reached = pieces(&later, self.dim);
        if !self.is_exact() || self.urgent.is_none() {
            reached.subtract(avoided);
            return reached;
        }
        for zone in avoided.zones().filter(|z| self.meets(&later, z)) {
            let mut delayed = zone.to_vec();
            zone::delay(&mut delayed, self.dim);
            let mut allowed = self.delays_after(from, zone, &delayed);
            allowed.append(&minus(&later, &delayed, self.dim));
            reached.intersect(&allowed);
            reached.shorten();
        }
        for zone in self.urgent.iter().flatten().filter(|z| self.meets(&later, z)) {
            let mut delayed = zone.clone();
            zone::delay(&mut delayed, self.dim);
            let mut allowed = self.delays_after(from, zone, &delayed);
            allowed.append(&minus(&later, &strictly_later(zone, self.dim), self.dim));
            allowed.push(from);
            reached.intersect(&allowed);
            reached.shorten();
        }
        reached
    }

    /// Returns the valuations of `from` after all of `zone`, and their delays.
    fn delays_after(&self, from: &[B], zone: &[B], delayed: &[B]) -> Federation<B> {
        let mut start = Federation::new(self.dim);
        let mut last = from.to_vec();
        if zone::intersect(&mut last, self.dim, delayed) {
            zone::subtract(&last, zone, self.dim, &mut start);
        }
        start.retain(|zone| {
            zone::delay(zone, self.dim);
            true
        });
        start
    }

    /// Returns the valuations of the invariant from which delays lead into a zone with no moment in
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
            let (mut ahead, mut delayed) = (zone.to_vec(), zone.to_vec());
            zone::past(&mut ahead, self.dim);
            zone::delay(&mut delayed, self.dim);
            let mut allowed = self.past_outside(&goal, &delayed);
            allowed.append(&minus(&earlier, &ahead, self.dim));
            found.intersect(&allowed);
            found.shorten();
        }
        for zone in self.urgent.iter().flatten().filter(|z| self.meets(&earlier, z)) {
            let mut ahead = zone.clone();
            zone::past(&mut ahead, self.dim);
            let mut allowed = self.past_outside(&goal, &strictly_later(zone, self.dim));
            allowed.append(&minus(&earlier, &ahead, self.dim));
            allowed.push(&goal);
            found.intersect(&allowed);
            found.shorten();
        }
        found
    }

    /// Returns the past of the valuations of `goal` outside of `after`.
    fn past_outside(&self, goal: &[B], delayed: &[B]) -> Federation<B> {
        let mut rest = minus(goal, delayed, self.dim);
        rest.retain(|zone| {
            zone::past(zone, self.dim);
            true
        });
        rest
    }

    /// Subtracts the valuations from which some delay leads into a zone, ignoring urgency.
    fn subtract_past(&self, rest: &mut Federation<B>, zone: &[B]) {
        let mut ahead = zone.to_vec();
        if self.is_exact() {
            zone::past(&mut ahead, self.dim);
        }
        rest.subtract_zone(&ahead);
    }

    /// Returns the part of a zone from which time may diverge with no moment in `avoided`, which
    /// must contain all such moments of the zone's future.
    #[must_use]
    pub fn waits(&self, zone: &[B], avoided: &Federation<B>) -> Federation<B> {
        if !self.may_diverge() {
            return Federation::new(self.dim);
        }
        let mut rest = pieces(zone, self.dim);
        for bad in avoided.zones().chain(self.urgent.iter().flatten().map(Vec::as_slice)) {
            self.subtract_past(&mut rest, bad);
        }
        rest
    }

    /// Returns the part of a zone from which every delay avoids all of these zones.
    #[must_use]
    pub(crate) fn avoiding<'z>(&self, zone: &[B], of: impl Iterator<Item = &'z [B]>) -> Federation<B> {
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

/// Returns whether some clock may be stopped.
fn has_rates(system: &System) -> bool {
    system.locations.iter().any(|l| !l.rates.is_empty())
}

fn minus<B: Bound>(a: &[B], b: &[B], dim: usize) -> Federation<B> {
    let mut rest = Federation::new(dim);
    zone::subtract(a, b, dim, &mut rest);
    rest
}

/// Returns the valuations after a positive delay from those of a zone.
fn strictly_later<B: Bound>(zone: &[B], dim: usize) -> Vec<B> {
    let mut later = zone.to_vec();
    zone::delay(&mut later, dim);
    after_some_delay(&mut later, dim, |_| true);
    later
}
