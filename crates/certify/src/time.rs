//! Delays in one discrete state: their successors and predecessors.
//!
//! A delay moves a valuation along a line, on which every zone is an interval. Nothing else is used
//! here. If clocks are stopped, lines have other directions, and the delay successors may not be a
//! zone. Then successors are overapproximated, and predecessors are over- or underapproximated, as
//! the caller requires.

use model::{
    machine::{Fault, FaultKind},
    system::Sync,
};

use crate::{
    bound::DifferenceBound,
    network::{FaultResult, NetworkSemantics, alone},
    union::{absorb, subtract},
    zone::Zone,
};

impl NetworkSemantics<'_> {
    /// Returns whether an urgent or committed location stops time.
    pub(crate) fn is_time_stopped(&self, row: &[i32]) -> bool {
        self.locations(row).iter().any(|l| l.urgent || l.committed)
    }

    /// Returns the stopped clocks. One invariant is enough to stop a clock.
    pub(crate) fn stopped(&mut self, row: &[i32]) -> FaultResult<Vec<bool>> {
        self.machine.load(row);
        let mut stopped = vec![false; self.system.clocks.len()];
        for location in self.locations(row) {
            for rate in &location.rates {
                if let Some(condition) = rate.condition
                    && !self.machine.test(condition).map_err(alone)?
                {
                    continue;
                }
                let clock = self.clock(rate.clock).map_err(alone)?;
                match self.number(rate.rate).map_err(alone)? {
                    0 => stopped[clock] = true,
                    1 => {}
                    _ => return Err(alone(Fault { kind: FaultKind::Unsupported, pc: u32::MAX })),
                }
            }
        }
        Ok(stopped)
    }

    /// Returns the parts of a zone in which a synchronisation over an urgent channel is possible,
    /// which stops time. Only guards count: neither target invariants nor priorities.
    pub(crate) fn urgent(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Vec<Zone>> {
        self.machine.load(row);
        let mut found = Vec::new();
        let places = self.places(row);
        for (sender, place) in places.iter().enumerate() {
            for &send in self.system.sending(*place) {
                let Sync::Send(c) = self.edge(send).sync else { continue };
                let channel = &self.system.channels[c.0 as usize];
                if !channel.urgent {
                    continue;
                }
                let Some(sent) = self.edge_guard(send, zone)? else { continue };
                if channel.broadcast {
                    found.push(sent);
                    continue;
                }
                for (_, other) in places.iter().enumerate().filter(|(p, _)| *p != sender) {
                    for &receive in self.system.receiving(*other, c) {
                        found.extend(self.edge_guard(receive, &sent)?);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Returns the delay successors of a zone within the invariants, without regard to urgent
    /// channels.
    pub(crate) fn future(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Option<Zone>> {
        if self.is_time_stopped(row) {
            return self.invariants(row, zone);
        }
        let stopped = self.stopped(row)?;
        self.invariants(row, &zone.later(&stopped))
    }

    /// Returns the delay successors of a zone within the invariants.
    pub(crate) fn delays(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Vec<Zone>> {
        self.delays_outside(row, zone, &[])
    }

    /// Returns the delay successors of a zone within the invariants, without moments in `avoided`.
    pub(crate) fn delays_outside(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Zone>> {
        Ok(self.passages(row, zone, avoided)?.into_iter().flat_map(|passage| passage.later).collect())
    }

    /// Splits a zone within the invariants into parts with their delay successors, without moments
    /// in `avoided`. Parts may overlap.
    pub(crate) fn passages(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Passage>> {
        let starts = self.without(vec![zone.clone()], avoided)?;
        if self.is_time_stopped(row) {
            return Ok(starts.into_iter().map(Passage::stopped).collect());
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.invariants(row, &zone.later(&stopped))? else { return Ok(Vec::new()) };
        let urgent = absorb(self.urgent(row, &future)?);
        if urgent.is_empty() && avoided.is_empty() {
            return Ok(vec![Passage {
                start: zone.clone(),
                later: vec![future],
                progress: TimeProgress::passing(&stopped, &[]),
            }]);
        }
        let mut found = Vec::new();
        for start in starts {
            self.check_stop()?;
            // The part where time is stopped at once.
            found.extend(urgent.iter().filter_map(|u| start.and(u)).map(Passage::stopped));
            for piece in self.without(vec![start], &urgent)? {
                // A piece is convex and contains no urgent moment, so none lies between two of its
                // valuations. The same is true of avoided moments. If clocks are stopped, the
                // valuations after urgent moments may not be a zone: an overapproximation of the
                // successors is sound.
                let Some(later) = self.invariants(row, &piece.later(&stopped))? else { continue };
                let mut exact = piece.moves_exactly(&stopped);
                let ends = [&urgent[..], avoided].map(|ends| ends.iter().filter_map(|end| later.and(end)));
                let [ends, avoided_ends] = ends.map(Vec::from_iter);
                exact &= ends.iter().chain(&avoided_ends).all(|end| end.moves_exactly(&stopped));
                let after = ends.iter().map(|end| end.strictly_later(&stopped));
                let after = after.chain(avoided_ends.iter().map(|end| end.later(&stopped)));
                let left_out = if exact { absorb(after) } else { avoided.to_vec() };
                let later = self.without(vec![later], &left_out)?;
                let progress = TimeProgress::passing(&stopped, if exact { &[] } else { &urgent });
                found.push(Passage { start: piece, later, progress });
            }
        }
        Ok(found)
    }

    /// Subtracts zones from zones.
    pub(crate) fn without(&self, zones: Vec<Zone>, others: &[Zone]) -> FaultResult<Vec<Zone>> {
        let mut left = zones;
        for other in others {
            self.check_stop()?;
            left = subtract(left, other);
        }
        Ok(left)
    }

    /// Returns the valuations of a zone within the invariants from which time can't diverge without
    /// a moment in `avoided`, and perhaps others outside of the zone. If clocks are stopped, it is
    /// an underapproximation.
    pub(crate) fn not_diverging(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Zone>> {
        let whole = vec![zone.clone()];
        if self.is_time_stopped(row) {
            return Ok(whole);
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.future(row, zone)? else { return Ok(whole) };
        let runs = |x: &usize| !stopped[*x];
        let mut bounded = (1..future.clocks())
            .filter(runs)
            .flat_map(|x| (0..future.clocks()).filter(|y| *y == 0 || stopped[*y]).map(move |y| (x, y)));
        if bounded.any(|(x, y)| future.at(x, y) != DifferenceBound::NONE) {
            // Only invariants bound a running clock.
            return Ok(whole);
        }
        let ends = self.urgent(row, &future)?;
        let progress = TimeProgress::passing(&stopped, &[]);
        let ends = absorb(ends.into_iter().chain(avoided.iter().cloned()));
        Ok(ends.iter().flat_map(|end| progress.predecessors(end, false)).collect())
    }
}

/// A part of a zone with its delay successors.
pub(crate) struct Passage {
    pub start: Zone,
    pub later: Vec<Zone>,
    progress: TimeProgress,
}

/// The progress of time in a part of a zone.
enum TimeProgress {
    /// Time is stopped.
    Stopped,
    /// Time passes, except for the stopped clocks. If there are any, delay successors may include
    /// urgent moments.
    Passes { stopped: Vec<bool>, urgent: Vec<Zone> },
}

impl Passage {
    fn stopped(zone: Zone) -> Passage {
        Passage { later: vec![zone.clone()], start: zone, progress: TimeProgress::Stopped }
    }

    /// Returns the valuations of the start from which an allowed delay leads into one of `goals`,
    /// which are parts of the delay successors. If clocks are stopped, the result is an
    /// overapproximation if `over` is set, else an underapproximation.
    pub(crate) fn leading_to(&self, goals: impl IntoIterator<Item = Zone>, over: bool) -> Vec<Zone> {
        let back = goals.into_iter().flat_map(|goal| self.progress.predecessors(&goal, over));
        absorb(back.filter_map(|zone| zone.and(&self.start)))
    }
}

impl TimeProgress {
    fn passing(stopped: &[bool], urgent: &[Zone]) -> TimeProgress {
        TimeProgress::Passes { stopped: stopped.to_vec(), urgent: urgent.to_vec() }
    }

    /// Returns the valuations from which delays lead to `able`: all that lie before it, unless
    /// there are urgent moments in between.
    fn predecessors(&self, able: &Zone, over: bool) -> Vec<Zone> {
        let TimeProgress::Passes { stopped, urgent } = self else { return vec![able.clone()] };
        let exact = able.moves_exactly(stopped);
        let earlier = if exact || over { vec![able.earlier(stopped)] } else { vec![able.clone()] };
        if urgent.is_empty() || over {
            return earlier;
        }
        // Either no urgent moment follows, or the delay is zero.
        let mut found = urgent.iter().fold(earlier, |left, urgent| subtract(left, &urgent.earlier(stopped)));
        found.push(able.clone());
        found
    }
}
