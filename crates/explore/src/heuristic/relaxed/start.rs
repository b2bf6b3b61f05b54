//! The facts of a state.

use super::{
    build::{ClockFacts, NO_FACT, SlotFacts},
    network::NodeNumber,
};

/// Computes the facts of states.
pub(super) struct Start {
    /// The facts of slots.
    pub slots: Vec<SlotFacts>,
    /// The facts of clocks.
    pub clocks: Vec<ClockFacts>,
    /// Nodes that are always reached.
    pub given: Vec<NodeNumber>,
    /// The facts of the last state.
    pub facts: Vec<NodeNumber>,
}

impl Start {
    /// Computes the facts of a state.
    #[inline]
    pub(crate) fn locate(&mut self, row: &[i32], zone: &[i32]) {
        self.facts.clear();
        self.facts.extend_from_slice(&self.given);
        for slot in &self.slots {
            let region = slot.domain.region(row[slot.slot as usize]);
            let at = slot.home.map_or(0, |home| row[home as usize] as usize * slot.domain.len());
            if let Some(&fact) = slot.facts.get(at + region)
                && fact != NO_FACT
            {
                self.facts.push(fact);
            }
        }
        for clock in &self.clocks {
            let x = clock.clock as usize;
            let dim = zone.len().isqrt();
            let at = row[clock.home as usize] as usize * clock.regions.len();
            let own = clock.regions.of_zone(zone[x], zone[x * dim]).map(|region| clock.facts[at + region]);
            self.facts.extend(own.filter(|fact| *fact != NO_FACT));
        }
    }
}
