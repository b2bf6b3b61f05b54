//! The passing of time in one discrete state: how far it may go, and from where it leads somewhere.
//!
//! Time moves a valuation along a line, on which every zone is an interval. That is all that is
//! used here. Where clocks stand still lines have other directions and what delays reach may be no
//! zone: then more is said to be reached than really is, and less or more, as the caller wants, to
//! lead somewhere.

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
    /// Whether no time passes, as far as the locations say.
    pub(crate) fn stands(&self, row: &[i32]) -> bool {
        self.locations(row).iter().any(|l| l.urgent || l.committed)
    }

    /// The clocks that stand still. One invariant is enough to stop a clock.
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

    /// Where in a zone a synchronisation over an urgent channel is possible, which stops time. Only
    /// guards count: neither the invariants behind the edges nor priorities.
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

    /// The valuations of a zone within the invariants, and those that the invariants allow behind
    /// them.
    pub(crate) fn future(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Option<Zone>> {
        if self.stands(row) {
            return self.invariants(row, zone);
        }
        let stopped = self.stopped(row)?;
        self.invariants(row, &zone.later(&stopped))
    }

    /// The valuations of a zone within the invariants, and those that delay leads to.
    pub(crate) fn delays(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Vec<Zone>> {
        self.delays_outside(row, zone, &[])
    }

    /// The valuations of a zone within the invariants, and those that delay leads to, with no
    /// moment in `avoided`.
    pub(crate) fn delays_outside(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Zone>> {
        Ok(self.passages(row, zone, avoided)?.into_iter().flat_map(|passage| passage.later).collect())
    }

    /// A zone within the invariants in parts, and what delays lead to from each, with no moment in
    /// `avoided`. Parts may overlap.
    pub(crate) fn passages(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Passage>> {
        let starts = self.without(vec![zone.clone()], avoided)?;
        if self.stands(row) {
            return Ok(starts.into_iter().map(Passage::standing).collect());
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.invariants(row, &zone.later(&stopped))? else { return Ok(Vec::new()) };
        let urgent = absorb(self.urgent(row, &future)?);
        if urgent.is_empty() && avoided.is_empty() {
            return Ok(vec![Passage {
                start: zone.clone(),
                later: vec![future],
                way: TimeProgress::passing(&stopped, &[]),
            }]);
        }
        let mut found = Vec::new();
        for start in starts {
            self.ask()?;
            // Where time stands still at once.
            found.extend(urgent.iter().filter_map(|u| start.and(u)).map(Passage::standing));
            for piece in self.without(vec![start], &urgent)? {
                // A piece is convex and holds no urgent moment, so none lies before it and behind
                // an earlier state of it. The same is true of moments that are avoided. Where
                // clocks stand still, what lies behind may be no zone: more states than there are
                // do no harm.
                let Some(later) = self.invariants(row, &piece.later(&stopped))? else { continue };
                let mut exact = piece.moves_exactly(&stopped);
                let ends = [&urgent[..], avoided].map(|ends| ends.iter().filter_map(|end| later.and(end)));
                let [ends, avoided_ends] = ends.map(Vec::from_iter);
                exact &= ends.iter().chain(&avoided_ends).all(|end| end.moves_exactly(&stopped));
                let behind = ends.iter().map(|end| end.strictly_later(&stopped));
                let behind = behind.chain(avoided_ends.iter().map(|end| end.later(&stopped)));
                let left_out = if exact { absorb(behind) } else { avoided.to_vec() };
                let later = self.without(vec![later], &left_out)?;
                let way = TimeProgress::passing(&stopped, if exact { &[] } else { &urgent });
                found.push(Passage { start: piece, later, way });
            }
        }
        Ok(found)
    }

    /// What is left of zones without others.
    pub(crate) fn without(&self, zones: Vec<Zone>, others: &[Zone]) -> FaultResult<Vec<Zone>> {
        let mut left = zones;
        for other in others {
            self.ask()?;
            left = subtract(left, other);
        }
        Ok(left)
    }

    /// The valuations of a zone within the invariants from which time does not pass for ever with
    /// no moment in `avoided`, and perhaps others that are not of the zone. Where clocks stand
    /// still there may be more of them than it says.
    pub(crate) fn not_for_ever(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> FaultResult<Vec<Zone>> {
        let whole = vec![zone.clone()];
        if self.stands(row) {
            return Ok(whole);
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.future(row, zone)? else { return Ok(whole) };
        let goes = |x: &usize| !stopped[*x];
        let mut against_still = (1..future.clocks())
            .filter(goes)
            .flat_map(|x| (0..future.clocks()).filter(|y| *y == 0 || stopped[*y]).map(move |y| (x, y)));
        if against_still.any(|(x, y)| future.at(x, y) != DifferenceBound::NONE) {
            // Without the invariants nothing would bound a clock that goes.
            return Ok(whole);
        }
        let ends = self.urgent(row, &future)?;
        let way = TimeProgress::passing(&stopped, &[]);
        let ends = absorb(ends.into_iter().chain(avoided.iter().cloned()));
        Ok(ends.iter().flat_map(|end| way.back_from(end, false)).collect())
    }
}

/// A part of a zone, and what delays lead to from it.
pub(crate) struct Passage {
    pub start: Zone,
    pub later: Vec<Zone>,
    way: TimeProgress,
}

/// How time passes from a part of a zone.
enum TimeProgress {
    /// It stands still.
    Stands,
    /// It passes, but for the clocks that stand still. Where there are such clocks urgent moments
    /// may lie within what is later.
    Passes { stopped: Vec<bool>, urgent: Vec<Zone> },
}

impl Passage {
    fn standing(zone: Zone) -> Passage {
        Passage { later: vec![zone.clone()], start: zone, way: TimeProgress::Stands }
    }

    /// The valuations of the start from which an allowed delay, or none, leads into one of `goals`,
    /// which are parts of what is later. Where clocks stand still this may be no union of zones: it
    /// is then larger or smaller, as `more` says.
    pub(crate) fn leading_to(&self, goals: impl IntoIterator<Item = Zone>, more: bool) -> Vec<Zone> {
        let back = goals.into_iter().flat_map(|goal| self.way.back_from(&goal, more));
        absorb(back.filter_map(|zone| zone.and(&self.start)))
    }
}

impl TimeProgress {
    fn passing(stopped: &[bool], urgent: &[Zone]) -> TimeProgress {
        TimeProgress::Passes { stopped: stopped.to_vec(), urgent: urgent.to_vec() }
    }

    /// The valuations from which time leads to one of `able`: all that lie before it, if what is
    /// later has no moments behind urgent ones.
    fn back_from(&self, able: &Zone, more: bool) -> Vec<Zone> {
        let TimeProgress::Passes { stopped, urgent } = self else { return vec![able.clone()] };
        let exact = able.moves_exactly(stopped);
        let earlier = if exact || more { vec![able.earlier(stopped)] } else { vec![able.clone()] };
        if urgent.is_empty() || more {
            return earlier;
        }
        // Either no urgent moment is to come, or the way has no length.
        let mut found = urgent.iter().fold(earlier, |left, urgent| subtract(left, &urgent.earlier(stopped)));
        found.push(able.clone());
        found
    }
}
