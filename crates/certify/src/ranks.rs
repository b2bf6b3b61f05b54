//! Whether states with ranks prove that no maximal run stays where a formula holds.
//!
//! Take a run that stays there. Its moments between two transitions are in states of the set, from
//! the start on, and those behind a transition are in states of a smaller rank than any that holds
//! the moment before it. So it takes finitely many transitions. Nor does it end behind the last of
//! them: the state that it is in then is in the set, and from none there can a run wait for ever,
//! or stop, while the formula holds.

use model::{Formula, system::EdgeId};

use crate::{
    check::{Checker, LEADS_OUT, Origin, Rejection, TOO_MANY, TOO_MANY_ENDS},
    cover::Cover,
    formula::holds,
    network::LocatedFault,
    stay::{RunEnd, ends, staying},
    union::Uncovered,
    zone::Zone,
};

impl Checker<'_> {
    /// No maximal run satisfies `always` at every moment, from the start on, or from any moment on
    /// at which a formula holds in one of the states that can be reached.
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

    /// No run ends here, and all transitions lead to smaller ranks.
    fn ranked_state(&mut self, runs: &Runs<'_>, row: &[i32], zone: &Zone, rank: u32) -> Result<(), Box<Rejection>> {
        let from = Some((row, zone));
        let found = ends(&mut self.network, runs.always, row, zone);
        match found.map_err(|failure| self.fails(failure, from))? {
            (_, Uncovered::Nothing) => {}
            (RunEnd::Waits, Uncovered::Some(part)) => {
                return Err(self.holds("a run may wait for ever in a state of the certificate", row, &part));
            }
            (RunEnd::Stops, Uncovered::Some(part)) => {
                return Err(self.holds("a run may end in a state of the certificate", row, &part));
            }
            (_, Uncovered::Unknown) => {
                return Err(self.holds(TOO_MANY_ENDS, row, zone));
            }
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            checker.stays(runs, target, entry, from, edges, Some(rank))
        })
    }

    /// Runs from a state, as far as they stay, are in states of a rank below this one, if there is
    /// one.
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
                (Uncovered::Unknown, _) => (TOO_MANY, zone),
                (Uncovered::Some(part), None) => ("the start of a run is not in the certificate", part),
                (Uncovered::Some(part), Some(_)) => {
                    let is_there = runs.ranked.outside(row, &part) == Uncovered::Nothing;
                    (if is_there { "a transition does not lead to a smaller rank" } else { LEADS_OUT }, part)
                }
            };
            return Err(self.misses(reason, (row, &part), from, edges));
        }
        Ok(())
    }
}

/// The runs that there should not be, and the states that should prove it.
struct Runs<'p> {
    always: &'p Formula,
    ranked: &'p Cover,
}
