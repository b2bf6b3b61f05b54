//! What happens behind a transition: invariants, delay, abstraction.

use model::system::{ChannelId, EdgeId, LocationId};

use super::{
    Abstraction, RunError, ZoneGraph,
    prepared::{clock, number},
};
use crate::{
    batch::Batch,
    split::{pieces, split_diagonals},
};

/// What the locations of a state say of time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// It stands still.
    Stands,
    /// It passes, for all clocks.
    Passes,
    /// It passes, but perhaps not for all clocks.
    PassesUnevenly,
}

impl ZoneGraph<'_> {
    /// Adds the target machine's state with `zone`: invariants, delay, abstraction.
    pub(super) fn arrive(&mut self, zone: &mut [i32], edges: &[EdgeId], out: &mut Batch) -> Result<(), RunError> {
        let Some(time) = self.invariants(zone, edges)? else { return Ok(()) };
        if time == Time::Stands {
            return self.store(zone, edges, out);
        }
        if self.has_urgent_channels {
            let blockers = self.blockers(edges)?;
            if blockers.iter().any(|b| zone::is_included(zone, b)) {
                return self.store(zone, edges, out);
            }
            if !blockers.is_empty() {
                return self.delay_until_blocked(time, zone, &blockers, edges, out);
            }
        }
        self.delay(time, zone, edges)?;
        self.limit(zone);
        self.store(zone, edges, out)
    }

    /// Constrains a zone by the invariants of the target machine's state, which are then known as `self.limits`. `None`:
    /// nothing is left.
    fn invariants(&mut self, zone: &mut [i32], edges: &[EdgeId]) -> Result<Option<Time>, RunError> {
        self.limits.clear();
        let mut time = Time::Passes;
        for p in 0..self.system.processes.len() {
            let at = self.system.processes[p].first_location.0 as usize + self.target.row()[p] as usize;
            let location = &self.prepared.locations[at];
            if location.stands {
                time = Time::Stands;
            } else if location.rates && time == Time::Passes {
                time = Time::PassesUnevenly;
            }
            if let Some(pc) = location.condition
                && !self.target.test(pc).map_err(RunError::at(edges))?
            {
                return Ok(None);
            }
            if location.limits.is_empty() {
                continue;
            }
            let first = self.limits.len();
            self.prepared.invariant(at, &mut self.target, &mut self.limits).map_err(RunError::at(edges))?;
            for limit in &self.limits[first..] {
                if !limit.constrain(zone, self.dim) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(time))
    }

    /// Constrains a zone by `self.limits`. `false`: nothing is left.
    fn limit(&self, zone: &mut [i32]) -> bool {
        self.limits.iter().all(|l| l.constrain(zone, self.dim))
    }

    /// The part of a zone in the invariants of the target machine's state. `false`: there is none.
    pub(super) fn meets_invariants(&mut self, zone: &mut [i32], edges: &[EdgeId]) -> Result<bool, RunError> {
        Ok(self.invariants(zone, edges)?.is_some())
    }

    /// Lets time pass in the target machine's state.
    fn delay(&mut self, time: Time, zone: &mut [i32], edges: &[EdgeId]) -> Result<(), RunError> {
        if time == Time::Passes {
            zone::delay(zone, self.dim);
        } else {
            self.find_stopped(edges)?;
            zone::delay_except(zone, self.dim, &self.stopped);
        }
        Ok(())
    }

    /// Where an urgent synchronisation is enabled time stands still; elsewhere it goes until one is.
    fn delay_until_blocked(
        &mut self,
        time: Time,
        zone: &[i32],
        blockers: &[Vec<i32>],
        edges: &[EdgeId],
        out: &mut Batch,
    ) -> Result<(), RunError> {
        let mut free = pieces(zone, self.dim);
        for blocker in blockers {
            let mut still = zone.to_vec();
            if zone::intersect(&mut still, self.dim, blocker) {
                self.store(&mut still, edges, out)?;
            }
            free.subtract_zone(blocker);
        }
        for piece in free.zones() {
            let mut later = piece.to_vec();
            self.delay(time, &mut later, edges)?;
            let mut reached = pieces(&later, self.dim);
            for blocker in blockers {
                let mut after = later.clone();
                if zone::intersect(&mut after, self.dim, blocker) {
                    self.delay(time, &mut after, edges)?;
                    self.without_start(&mut after);
                    reached.subtract_zone(&after);
                }
            }
            for piece in reached.zones() {
                let mut piece = piece.to_vec();
                if self.limit(&mut piece) {
                    self.store(&mut piece, edges, out)?;
                }
            }
        }
        Ok(())
    }

    /// What is left of a zone that is closed under delay without the valuations that it may have started from.
    fn without_start(&self, zone: &mut [i32]) {
        for bound in &mut zone[1..self.dim] {
            if !zone::is_strict(*bound) {
                *bound = zone::lt(zone::value(*bound));
            }
        }
        zone::close(zone, self.dim);
    }

    /// Whether time may pass in a discrete state, as far as locations and urgent channels without clock guards say.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub fn delays(&mut self, row: &[i32]) -> Result<bool, RunError> {
        self.target.load(row);
        let stands = |at: u32| self.prepared.locations[at as usize].stands;
        if self.system.processes.iter().zip(row).any(|(p, at)| stands(p.first_location.0 + *at as u32)) {
            return Ok(false);
        }
        let mut all = vec![0; self.dim * self.dim];
        zone::universe(&mut all, self.dim);
        Ok(!self.has_urgent_channels || !self.blockers(&[])?.iter().any(|b| zone::is_included(&all, b)))
    }

    /// Where urgent synchronisations forbid delay in the target machine's state.
    fn blockers(&mut self, edges: &[EdgeId]) -> Result<Vec<Vec<i32>>, RunError> {
        let system = self.system;
        let mut blockers = Vec::new();
        for p in 0..system.processes.len() {
            for &e in system.sending(self.place(p)) {
                let channel = ChannelId(self.prepared.edges[e.0 as usize].channel);
                if !system.channels[channel.0 as usize].urgent {
                    continue;
                }
                let mut sent = vec![0; self.dim * self.dim];
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

    /// Where a process is in the target machine's state.
    fn place(&self, p: usize) -> LocationId {
        LocationId(self.system.processes[p].first_location.0 + self.target.row()[p] as u32)
    }

    /// Constrains a zone by an edge's guard in the target machine's state. `false`: it can't hold.
    fn passes(&mut self, e: EdgeId, zone: &mut [i32], edges: &[EdgeId]) -> Result<bool, RunError> {
        if let Some(pc) = self.prepared.edges[e.0 as usize].condition
            && !self.target.test(pc).map_err(RunError::at(edges))?
        {
            return Ok(false);
        }
        self.prepared.guard(e.0, &mut self.target, zone, self.dim).map_err(RunError::at(edges))
    }

    /// Finds the clocks that stand still in the target machine's state.
    fn find_stopped(&mut self, edges: &[EdgeId]) -> Result<(), RunError> {
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
    fn store(&mut self, zone: &mut [i32], edges: &[EdgeId], out: &mut Batch) -> Result<(), RunError> {
        if !matches!(self.abstraction, Abstraction::Alu | Abstraction::None) {
            self.bounds.of(self.system, self.target.row(), &mut self.lower, &mut self.upper);
            let (lower, upper) = (&mut self.lower, &self.upper);
            match self.abstraction {
                Abstraction::ExtraLuPlus => {
                    zone::extra_lu_plus(zone, self.dim, lower, upper);
                }
                Abstraction::ExtraLu => {
                    zone::extra_lu(zone, self.dim, lower, upper);
                }
                _ => {
                    lower.iter_mut().zip(upper).for_each(|(l, u)| *l = (*l).max(*u));
                    if !self.bounds.diagonals.is_empty() {
                        for piece in split_diagonals(zone, self.dim, &self.bounds.diagonals, lower) {
                            out.push(self.target.row(), &piece, edges);
                        }
                        return Ok(());
                    }
                    zone::extra_m(zone, self.dim, lower);
                }
            }
        }
        out.push(self.target.row(), zone, edges);
        Ok(())
    }
}
