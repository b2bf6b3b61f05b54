//! Checks that states with ranks prove that no maximal run stays where a formula holds.
//!
//! Consider a run that stays there. All its moments are in states of the set. The moments after a
//! transition are in states of a smaller rank than any state that contains the moment before it. So
//! the run takes finitely many transitions. It does not end after the last of them either: that
//! moment is in a state of the set, and from no such state can time diverge, or the run stop, while
//! the formula holds.

use model::{Formula, system::EdgeId};

use crate::{
    check::{Checker, Origin},
    cover::Cover,
    formula::holds,
    network::LocatedFault,
    rejection::{Rejection, RejectionReason},
    stay::{RunEnd, ends, staying},
    union::Uncovered,
    zone::Zone,
};

impl Checker<'_> {
    /// Checks that no maximal run satisfies `always` at every moment, from the start on, or from
    /// any reachable moment on at which a formula holds.
    pub(crate) fn no_run(
        &mut self,
        after: Option<(&Formula, &Cover)>,
        always: &Formula,
        ranked: &Cover,
    ) -> Result<(), Box<Rejection>> {
        let runs = Runs { always, ranked };
        match after {
            None => {
                let system = self.network.system;
                if let Some(zone) = self.start()? {
                    self.stays(&runs, &system.initial, &zone, None, &[], None)?;
                }
            }
            Some((after, reached)) => {
                self.closed(&Formula::False, reached)?;
                for (row, constraints) in reached.iter() {
                    let Some(zone) = self.zone(row, constraints)? else { continue };
                    let from = Some((row, &zone));
                    let starts = holds(&mut self.network, after, row, &zone);
                    for start in starts.map_err(|failure| self.fails(failure, from))? {
                        self.stays(&runs, row, &start, from, &[], None)?;
                    }
                }
            }
        }
        for (row, constraints, rank) in ranked.ranked() {
            if let Some(zone) = self.zone(row, constraints)? {
                self.ranked_state(&runs, row, &zone, rank)?;
            }
        }
        Ok(())
    }

    /// Checks that no run ends in a state, and that all transitions lead to smaller ranks.
    fn ranked_state(&mut self, runs: &Runs<'_>, row: &[i32], zone: &Zone, rank: u32) -> Result<(), Box<Rejection>> {
        let from = Some((row, zone));
        let found = ends(&mut self.network, runs.always, row, zone);
        match found.map_err(|failure| self.fails(failure, from))? {
            (_, Uncovered::Nothing) => {}
            (RunEnd::Diverges, Uncovered::Some(part)) => {
                return Err(self.holds(RejectionReason::Diverges, row, &part));
            }
            (RunEnd::Stops, Uncovered::Some(part)) => {
                return Err(self.holds(RejectionReason::Ends, row, &part));
            }
            (_, Uncovered::Unknown) => {
                return Err(self.holds(RejectionReason::TooManyEnds, row, zone));
            }
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            checker.stays(runs, target, entry, from, edges, Some(rank))
        })
    }

    /// Checks that runs from a state are in the set while they stay, in states of a rank below
    /// `below` if it is given.
    fn stays(
        &mut self,
        runs: &Runs<'_>,
        row: &[i32],
        zone: &Zone,
        from: Origin<'_>,
        edges: &[EdgeId],
        below: Option<u32>,
    ) -> Result<(), Box<Rejection>> {
        let delays = staying(&mut self.network, runs.always, row, zone);
        let delays = delays.map_err(|failure| self.fails(LocatedFault { edges: edges.to_vec(), ..failure }, from))?;
        for zone in delays {
            let rest = match below {
                None => runs.ranked.outside(row, &zone),
                Some(rank) => runs.ranked.outside_below(row, &zone, rank),
            };
            let (reason, part) = match (rest, below) {
                (Uncovered::Nothing, _) => continue,
                (Uncovered::Unknown, _) => (RejectionReason::TooManyZones, zone),
                (Uncovered::Some(part), None) => (RejectionReason::MissingRunStart, part),
                (Uncovered::Some(part), Some(_)) => {
                    let is_there = runs.ranked.outside(row, &part) == Uncovered::Nothing;
                    (if is_there { RejectionReason::SameRank } else { RejectionReason::LeadsOut }, part)
                }
            };
            return Err(self.misses(reason, (row, &part), from, edges));
        }
        Ok(())
    }
}

/// The excluded runs, and the states that prove it.
struct Runs<'p> {
    always: &'p Formula,
    ranked: &'p Cover,
}
