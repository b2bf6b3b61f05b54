//! Checks that clauses prove that no state of a goal is reachable.
//!
//! The check enumerates all rows that runs could reach according to the clauses, each with all
//! valuations that satisfy the clauses, reachable or not. All successors must satisfy the clauses.

use std::collections::HashSet;

use model::Formula;

use crate::{
    check::Checker,
    clauses::Clauses,
    formula::holds,
    network::LocatedFault,
    rejection::{Rejection, RejectionReason},
    zone::Zone,
};

/// The size of a check.
#[derive(Default)]
pub(crate) struct InvariantCounts {
    pub rows: usize,
    pub zones: usize,
}

impl Checker<'_> {
    /// Checks that the clauses hold initially and after every transition from a state that
    /// satisfies them, and that no delay leads from such a state to the goal.
    pub(crate) fn invariant(&mut self, goal: &Formula, clauses: &Clauses) -> Result<InvariantCounts, Box<Rejection>> {
        let system = self.network.system;
        let mut counts = InvariantCounts::default();
        let Some(start) = self.start()? else { return Ok(counts) };
        if let Some(part) = clauses.outside(&system.initial, &start) {
            return Err(self.misses(RejectionReason::InitialViolation, (&system.initial, &part), None, &[]));
        }
        let mut seen = HashSet::from([system.initial.clone()]);
        let mut open = vec![system.initial.clone()];
        while let Some(row) = open.pop() {
            counts.rows += 1;
            let all = Zone::all(system.clocks.len());
            let within = self.network.invariants(&row, &all);
            let within = within.map_err(|failure| self.fails(failure, Some((&row, &all))))?;
            let Some(parts) = within.map_or(Some(Vec::new()), |zone| clauses.part(&row, zone)) else {
                return Err(self.holds(RejectionReason::TooManyZones, &row, &all));
            };
            // Delays lead from many parts to the same states. Each is checked once.
            let mut later: Vec<Zone> = Vec::new();
            for entry in parts {
                let delays = self.network.delays(&row, &entry);
                for zone in delays.map_err(|failure| self.fails(failure, Some((&row, &entry))))? {
                    if !later.iter().any(|other| zone.is_within(other)) {
                        later.retain(|other| !other.is_within(&zone));
                        later.push(zone);
                    }
                }
            }
            counts.zones += later.len();
            for zone in &later {
                self.check_state(goal, clauses, (&row, zone), &mut seen, &mut open)?;
            }
        }
        Ok(counts)
    }

    /// Checks that a state is not in the goal, and that its successors satisfy the clauses.
    fn check_state(
        &mut self,
        goal: &Formula,
        clauses: &Clauses,
        (row, zone): (&[i32], &Zone),
        seen: &mut HashSet<Vec<i32>>,
        open: &mut Vec<Vec<i32>>,
    ) -> Result<(), Box<Rejection>> {
        let found = holds(&mut self.network, goal, row, zone);
        let found = found.map_err(|failure: LocatedFault| self.fails(failure, Some((row, zone))))?;
        if let Some(part) = found.first() {
            return Err(self.holds(RejectionReason::InvariantReachesGoal, row, part));
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            if let Some(part) = clauses.outside(target, entry) {
                return Err(checker.misses(RejectionReason::LeadsOut, (target, &part), Some((row, zone)), edges));
            }
            if seen.insert(target.to_vec()) {
                open.push(target.to_vec());
            }
            Ok(())
        })
    }
}
