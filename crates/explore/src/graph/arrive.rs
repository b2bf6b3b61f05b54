//! The target of a transition: invariants, delay, abstraction.

use model::system::{ChannelId, EdgeId, LocationId};
use zone::Bound;

use super::{
    Abstraction, EffectLookup, RunError, TimeProgress, ZoneGraph, change,
    prepared::{Placed, clock, number},
};
use crate::{
    batch::{Batch, ReachedZone},
    split::{after_some_delay, pieces, split_diagonals},
    zones::{ZoneId, Zones},
};

impl<B: Bound> ZoneGraph<'_, B> {
    /// Returns how time passes in the target machine's state, and fills `self.limits` with the
    /// bounds of its invariants that depend on variables. `None`: the condition of an invariant
    /// does not hold.
    #[inline(always)]
    pub(super) fn context(&mut self, edges: &[EdgeId]) -> Result<Option<TimeProgress>, RunError> {
        let time = self.conditions(edges)?;
        if self.has_urgent_channels && time.is_some_and(|time| time != TimeProgress::Stands) {
            match self.urgency(edges)? {
                Urgency::Nowhere => {}
                Urgency::Somewhere => return Ok(Some(TimeProgress::Depends)),
                Urgency::Everywhere => return Ok(Some(TimeProgress::Stands)),
            }
        }
        Ok(time)
    }

    /// [`ZoneGraph::context`] without urgent channels.
    #[inline(always)]
    pub(super) fn conditions(&mut self, edges: &[EdgeId]) -> Result<Option<TimeProgress>, RunError> {
        self.limits.clear();
        let mut time = TimeProgress::Passes;
        for p in &self.special {
            let at = p.first as usize + self.target.row()[p.process as usize] as usize;
            let location = &self.prepared.locations[at];
            if location.is_plain {
                continue;
            }
            if location.stands {
                time = TimeProgress::Stands;
            } else if location.rates && time == TimeProgress::Passes {
                time = TimeProgress::Depends;
            }
            if let Some(pc) = location.condition
                && !self.target.test(pc).map_err(RunError::at(edges))?
            {
                return Ok(None);
            }
            if location.limits.is_dynamic() {
                self.prepared.evaluate(at, &mut self.target, &mut self.limits).map_err(RunError::at(edges))?;
            }
        }
        Ok(Some(time))
    }

    /// Constrains a zone by the invariants of the target machine's state. Returns `false` if it
    /// becomes empty.
    pub(super) fn limit(&self, zone: &mut [B]) -> bool {
        let row = self.target.row();
        for p in &self.limited {
            let location = &self.prepared.locations[p.first as usize + row[p.process as usize] as usize];
            for limit in self.prepared.constant(location.limits) {
                if !limit.constrain(zone, self.dim) {
                    return false;
                }
            }
        }
        self.limits.iter().all(|l| l.constrain(zone, self.dim))
    }

    /// Returns whether the invariants of the target machine's state bound clocks.
    pub(super) fn has_limits(&self) -> bool {
        let row = self.target.row();
        let limits = |p: &Placed| {
            let location = &self.prepared.locations[p.first as usize + row[p.process as usize] as usize];
            !location.limits.is_empty()
        };
        !self.limits.is_empty() || self.limited.iter().any(limits)
    }

    /// Adds the successors of `zone` by a transition: the target machine's state within its
    /// invariants, delayed and abstracted.
    #[inline(always)]
    pub(super) fn arrive(
        &mut self,
        found: EffectLookup,
        zone: &[B],
        edges: &[EdgeId],
        known: Option<(ZoneId, &Zones<B>)>,
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        let EffectLookup::Effect(effect) = found else {
            let Some(mut part) = self.cut(edges, zone)? else { return Ok(()) };
            change(&self.target.changes, &mut part, self.dim);
            return if self.limit(&mut part) { self.delay_until_blocked(&part, edges, out) } else { Ok(()) };
        };
        self.pass(effect, zone, known, |graph, zone, ticket| out.push(graph.target.row(), zone, edges, ticket));
        Ok(())
    }

    /// Lets time pass until an urgent synchronisation is enabled.
    fn delay_until_blocked(&mut self, zone: &[B], edges: &[EdgeId], out: &mut Batch<B>) -> Result<(), RunError> {
        self.find_stopped(edges)?;
        let blockers = if self.has_urgent_channels { self.blockers(edges)? } else { Vec::new() };
        // With a stopped clock, the zone that several clocks reach is an over-approximation. Only
        // an exact zone beyond a blocker may be subtracted.
        let exact = !self.stopped.contains(&true) || self.stopped[1..].iter().filter(|stopped| !**stopped).count() < 2;
        let mut free = pieces(zone, self.dim);
        for blocker in &blockers {
            let mut still = zone.to_vec();
            if zone::intersect(&mut still, self.dim, blocker) {
                self.store(&mut still, edges, out);
            }
            free.subtract_zone(blocker);
        }
        for piece in free.zones() {
            let mut later = piece.to_vec();
            zone::delay_except(&mut later, self.dim, &self.stopped);
            let mut reached = pieces(&later, self.dim);
            for blocker in blockers.iter().filter(|_| exact) {
                let mut after = later.clone();
                if zone::intersect(&mut after, self.dim, blocker) {
                    zone::delay_except(&mut after, self.dim, &self.stopped);
                    if after_some_delay(&mut after, self.dim, |x| !self.stopped[x]) {
                        reached.subtract_zone(&after);
                    }
                }
            }
            for piece in reached.zones() {
                let mut piece = piece.to_vec();
                if self.limit(&mut piece) {
                    self.store(&mut piece, edges, out);
                }
            }
        }
        Ok(())
    }

    /// Returns whether time may pass in a discrete state, as far as locations and urgent channels
    /// without clock guards decide.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn delays(&mut self, row: &[i32]) -> Result<bool, RunError> {
        self.target.load(row);
        Ok(self.context(&[])?.is_some_and(|time| time != TimeProgress::Stands))
    }

    /// Returns where urgent synchronisations forbid delay in the target machine's state.
    fn urgency(&mut self, edges: &[EdgeId]) -> Result<Urgency, RunError> {
        let system = self.system;
        let mut urgency = Urgency::Nowhere;
        for p in 0..system.processes.len() {
            for &e in system.sending(self.place(p)) {
                let channel = ChannelId(self.prepared.edges[e.0 as usize].channel);
                if !system.channels[channel.0 as usize].urgent || !self.condition_holds(e, edges)? {
                    continue;
                }
                let sends = self.urgency_of(e);
                if system.channels[channel.0 as usize].broadcast {
                    urgency = urgency.max(sends);
                    continue;
                }
                for q in (0..system.processes.len()).filter(|q| *q != p) {
                    for &r in system.receiving(self.place(q), channel) {
                        if self.condition_holds(r, edges)? {
                            urgency = urgency.max(sends.min(self.urgency_of(r)));
                        }
                    }
                }
                if urgency == Urgency::Everywhere {
                    return Ok(urgency);
                }
            }
        }
        Ok(urgency)
    }

    /// Returns where an edge is enabled, as far as clocks decide.
    fn urgency_of(&self, e: EdgeId) -> Urgency {
        let limits = self.prepared.edges[e.0 as usize].limits;
        if limits.is_empty() { Urgency::Everywhere } else { Urgency::Somewhere }
    }

    /// Returns the zones in which urgent synchronisations forbid delay in the target machine's
    /// state.
    pub(super) fn blockers(&mut self, edges: &[EdgeId]) -> Result<Vec<Vec<B>>, RunError> {
        let system = self.system;
        let mut blockers = Vec::new();
        for p in 0..system.processes.len() {
            for &e in system.sending(self.place(p)) {
                let channel = ChannelId(self.prepared.edges[e.0 as usize].channel);
                if !system.channels[channel.0 as usize].urgent {
                    continue;
                }
                let mut sent = vec![B::LE_ZERO; self.dim * self.dim];
                zone::universe(&mut sent, self.dim);
                if !self.passes(e, &mut sent, edges)? {
                    continue;
                }
                if system.channels[channel.0 as usize].broadcast {
                    blockers.push(sent);
                    continue;
                }
                for q in (0..system.processes.len()).filter(|q| *q != p) {
                    for &r in system.receiving(self.place(q), channel) {
                        let mut both = sent.clone();
                        if self.passes(r, &mut both, edges)? {
                            blockers.push(both);
                        }
                    }
                }
            }
        }
        Ok(blockers)
    }

    /// Returns the location of a process in the target machine's state.
    fn place(&self, p: usize) -> LocationId {
        LocationId(self.system.processes[p].first_location.0 + self.target.row()[p] as u32)
    }

    /// Returns whether the condition of an edge's guard holds in the target machine's state.
    fn condition_holds(&mut self, e: EdgeId, edges: &[EdgeId]) -> Result<bool, RunError> {
        match self.prepared.edges[e.0 as usize].condition {
            None => Ok(true),
            Some(pc) => self.target.test(pc).map_err(RunError::at(edges)),
        }
    }

    /// Constrains a zone by an edge's guard in the target machine's state. Returns `false` if it
    /// can't hold.
    fn passes(&mut self, e: EdgeId, zone: &mut [B], edges: &[EdgeId]) -> Result<bool, RunError> {
        if !self.condition_holds(e, edges)? {
            return Ok(false);
        }
        self.prepared.guard(e.0, &mut self.target, zone, self.dim).map_err(RunError::at(edges))
    }

    /// Computes the stopped clocks of the target machine's state.
    pub(super) fn find_stopped(&mut self, edges: &[EdgeId]) -> Result<(), RunError> {
        let error = RunError::at(edges);
        self.stopped.fill(false);
        for p in 0..self.system.processes.len() {
            for rate in &self.system.locations[self.place(p).0 as usize].rates {
                if let Some(pc) = rate.condition
                    && !self.target.test(pc).map_err(&error)?
                {
                    continue;
                }
                if number(rate.rate, &mut self.target).map_err(&error)? == 0 {
                    let x = clock(rate.clock, &mut self.target).map_err(&error)?;
                    self.stopped[x as usize] = true;
                }
            }
        }
        Ok(())
    }

    /// Abstracts a zone and adds it to the target machine's state.
    fn store(&mut self, zone: &mut [B], edges: &[EdgeId], out: &mut Batch<B>) {
        self.find_bounds();
        match self.extrapolate(zone, (&self.lower, &self.upper)) {
            None => out.push(self.target.row(), ReachedZone::Fresh(zone), edges, None),
            Some(pieces) => {
                pieces.iter().for_each(|piece| out.push(self.target.row(), ReachedZone::Fresh(piece), edges, None));
            }
        }
    }

    /// Abstracts a zone with clock bounds from [`ZoneGraph::find_bounds`]. Returns its pieces if it
    /// has to be split.
    #[inline]
    pub(super) fn extrapolate(&self, zone: &mut [B], (lower, upper): (&[B], &[B])) -> Option<Vec<Vec<B>>> {
        if let Some(clock) = self.bounds.elapsed {
            // This early, or later.
            zone[clock * self.dim..][..self.dim].fill(B::INFINITY);
            zone[clock * self.dim + clock] = B::LE_ZERO;
        }
        match self.abstraction {
            Abstraction::None => {}
            // aLU covers at least what Extra+_LU adds, and extrapolated zones are fewer.
            Abstraction::Alu | Abstraction::Am | Abstraction::ExtraLuPlus => {
                zone::extra_lu_plus(zone, self.dim, lower, upper);
            }
            Abstraction::ExtraLu => {
                zone::extra_lu(zone, self.dim, lower, upper);
            }
            Abstraction::ExtraM if self.bounds.diagonals.is_empty() => {
                zone::extra_m_plus(zone, self.dim, lower);
            }
            Abstraction::ExtraM => {
                let signal = self.system.code.signal;
                return Some(split_diagonals(zone, self.dim, &self.bounds.diagonals, lower, signal));
            }
        }
        None
    }
}

/// Where urgent synchronisations are enabled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    Nowhere,
    /// Where clock guards hold.
    Somewhere,
    Everywhere,
}
