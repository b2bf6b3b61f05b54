//! Whether clauses prove that no state of a goal can be reached.
//!
//! All rows are looked at that a run could come to as far as the clauses tell: with each row all
//! valuations that satisfy them, not only those that are reached. What follows them must satisfy
//! the clauses again.

use std::collections::HashSet;

use model::Formula;

use crate::{
    check::{Checker, LEADS_OUT, Rejection, TOO_MANY},
    clauses::Clauses,
    formula::holds,
    network::LocatedFault,
    zone::Zone,
};

/// What was looked at.
#[derive(Default)]
pub(crate) struct InvariantCounts {
    pub rows: usize,
    pub zones: usize,
}

impl Checker<'_> {
    /// The clauses hold at the start and behind every transition from where they hold, and no delay
    /// from there leads to the goal.
    pub(crate) fn invariant(&mut self, goal: &Formula, clauses: &Clauses) -> Result<InvariantCounts, Box<Rejection>> {
        let system = self.network.system;
        let mut looked = InvariantCounts::default();
        let Some(start) = self.start()? else { return Ok(looked) };
        if let Some(part) = clauses.outside(&system.initial, &start) {
            return Err(self.misses("the initial state violates the invariant", (&system.initial, &part), None, &[]));
        }
        let mut seen = HashSet::from([system.initial.clone()]);
        let mut open = vec![system.initial.clone()];
        while let Some(row) = open.pop() {
            looked.rows += 1;
            let all = Zone::all(system.clocks.len());
            let within = self.network.invariants(&row, &all);
            let within = within.map_err(|failure| self.fails(failure, Some((&row, &all))))?;
            let Some(parts) = within.map_or(Some(Vec::new()), |zone| clauses.part(&row, zone)) else {
                return Err(self.holds(TOO_MANY, &row, &all));
            };
            // Delays lead from many parts to the same states, which need be looked at but once.
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
            looked.zones += later.len();
            for zone in &later {
                self.leaves_none(goal, clauses, (&row, zone), &mut seen, &mut open)?;
            }
        }
        Ok(looked)
    }

    /// No state of the goal is here, and the clauses hold behind all transitions.
    fn leaves_none(
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
            return Err(self.holds("the invariant holds of a state that leads where nothing should", row, part));
        }
        self.each_transition(row, zone, |checker, target, entry, edges| {
            if let Some(part) = clauses.outside(target, entry) {
                return Err(checker.misses(LEADS_OUT, (target, &part), Some((row, zone)), edges));
            }
            if seen.insert(target.to_vec()) {
                open.push(target.to_vec());
            }
            Ok(())
        })
    }
}
