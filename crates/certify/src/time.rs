//! The passing of time in one discrete state: how far it may go, and from where it leads somewhere.
//!
//! Time moves a valuation along a line, on which every zone is an interval. That is all that is used here. Where clocks
//! stand still lines have other directions and what delays reach may be no zone: then more is said to be reached than
//! really is, and less or more, as the caller wants, to lead somewhere.

use model::{
    machine::{Fault, FaultKind},
    system::Sync,
};

use crate::{
    bound::Bound,
    network::{Network, Result, alone},
    union::{intersect, subtract},
    zone::Zone,
};

impl Network<'_> {
    /// Whether no time passes, as far as the locations say.
    pub(crate) fn stands(&self, row: &[i32]) -> bool {
        self.locations(row).iter().any(|l| l.urgent || l.committed)
    }

    /// The clocks that stand still. One invariant is enough to stop a clock.
    pub(crate) fn stopped(&mut self, row: &[i32]) -> Result<Vec<bool>> {
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

    /// Where in a zone a synchronisation over an urgent channel is possible, which stops time. Only guards count:
    /// neither the invariants behind the edges nor priorities.
    pub(crate) fn urgent(&mut self, row: &[i32], zone: &Zone) -> Result<Vec<Zone>> {
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

    /// The valuations of a zone within the invariants, and those that the invariants allow behind them.
    pub(crate) fn future(&mut self, row: &[i32], zone: &Zone) -> Result<Option<Zone>> {
        if self.stands(row) {
            return self.invariants(row, zone);
        }
        let stopped = self.stopped(row)?;
        self.invariants(row, &zone.later(&stopped))
    }

    /// The valuations of a zone within the invariants, and those that delay leads to.
    pub(crate) fn delays(&mut self, row: &[i32], zone: &Zone) -> Result<Vec<Zone>> {
        self.delays_outside(row, zone, &[])
    }

    /// The valuations of a zone within the invariants, and those that delay leads to, with no moment in `avoided`.
    pub(crate) fn delays_outside(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> Result<Vec<Zone>> {
        let starts = || avoided.iter().fold(vec![zone.clone()], subtract);
        if self.stands(row) {
            return Ok(starts());
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.invariants(row, &zone.later(&stopped))? else { return Ok(Vec::new()) };
        let urgent = self.urgent(row, &future)?;
        if urgent.is_empty() && avoided.is_empty() {
            return Ok(vec![future]);
        }
        let mut found = Vec::new();
        for start in starts() {
            if urgent.iter().any(|u| start.is_within(u)) {
                found.push(start);
            } else if stopped.contains(&true) {
                // What lies behind an urgent moment may be no zone here. More states than there are do no harm.
                let later = self.invariants(row, &start.later(&stopped))?;
                found.extend(avoided.iter().fold(Vec::from_iter(later), subtract));
            } else {
                // Where time stands still at once.
                found.extend(urgent.iter().filter_map(|u| start.and(u)));
                for piece in urgent.iter().fold(vec![start], subtract) {
                    // A piece is convex and holds no urgent moment, so none lies before it and behind an earlier state
                    // of it. The same is true of moments that are avoided.
                    let Some(later) = self.invariants(row, &piece.later(&stopped))? else { continue };
                    let behind_urgent = urgent.iter().filter_map(|u| later.and(u)).map(|u| u.strictly_later());
                    let behind_avoided = avoided.iter().filter_map(|a| later.and(a)).map(|a| a.later(&stopped));
                    let behind = behind_urgent.chain(behind_avoided);
                    found.extend(behind.fold(vec![later.clone()], |left, behind| subtract(left, &behind)));
                }
            }
        }
        Ok(found)
    }

    /// The valuations of a zone from which a delay that is allowed, or none, leads into one of `goals`, and perhaps
    /// others that are not of the zone. Where clocks stand still this may be no union of zones: it is then larger or
    /// smaller, as `more` says.
    pub(crate) fn leading_to(&mut self, row: &[i32], zone: &Zone, goals: Vec<Zone>, more: bool) -> Result<Vec<Zone>> {
        if self.stands(row) {
            return Ok(goals);
        }
        let stopped = self.stopped(row)?;
        let Some(future) = self.future(row, zone)? else { return Ok(goals) };
        let urgent = self.urgent(row, &future)?;
        let mut found = Vec::new();
        for goal in goals {
            let mut ways = vec![reaches(&goal, &stopped, None, more)];
            ways.extend(urgent.iter().map(|urgent| reaches(&goal, &stopped, Some(urgent), more)));
            // Who comes there before each of the urgent moments comes there before the first of them.
            let common = ways.into_iter().reduce(|a, b| intersect(&a, &b));
            found.extend(common.unwrap_or_default());
        }
        Ok(found)
    }

    /// The valuations of a zone within the invariants from which time does not pass for ever with no moment in
    /// `avoided`, and perhaps others that are not of the zone. Where clocks stand still there may be more of them than
    /// it says.
    pub(crate) fn not_for_ever(&mut self, row: &[i32], zone: &Zone, avoided: &[Zone]) -> Result<Vec<Zone>> {
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
        if against_still.any(|(x, y)| future.at(x, y) != Bound::NONE) {
            // Without the invariants nothing would bound a clock that goes.
            return Ok(whole);
        }
        let ends = self.urgent(row, &future)?;
        Ok(ends.iter().chain(avoided).flat_map(|end| reaches(end, &stopped, None, false)).collect())
    }
}

/// The valuations from which time leads to one of `able`, with no `urgent` one before it on the way.
///
/// Either no urgent moment is to come, or the way ends before there was one, or it has no length.
fn reaches(able: &Zone, stopped: &[bool], urgent: Option<&Zone>, more: bool) -> Vec<Zone> {
    let exact = able.moves_exactly(stopped);
    let earlier = if exact || more { vec![able.earlier(stopped)] } else { vec![able.clone()] };
    let Some(urgent) = urgent else { return earlier };
    if stopped.contains(&true) {
        if more {
            return earlier;
        }
        let mut found = subtract(earlier, &urgent.earlier(stopped));
        found.push(able.clone());
        return found;
    }
    let mut found = subtract(earlier, &urgent.earlier(stopped));
    found.extend(subtract(vec![able.clone()], &urgent.strictly_later()).iter().map(|zone| zone.earlier(stopped)));
    found.push(able.clone());
    found
}
