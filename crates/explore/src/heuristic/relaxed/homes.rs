//! The home processes of variables and clocks.
//!
//! The values of a variable can be distinguished by the locations of one process, its *home*: then
//! the relaxation knows which values it has while the process is at a location. The process that
//! uses it most is the best home.

use std::collections::BTreeMap;

use model::{System, symbolic::Terms};

use super::{clocks::ClockComparison, domain::is_small, summary::Summary};

/// The homes of variables and clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Homes {
    slots: BTreeMap<u32, u32>,
    clocks: BTreeMap<u32, u32>,
}

/// The greatest number of facts about variables at locations.
const MAX_FACTS: u64 = 1 << 16;

impl Homes {
    /// Computes the homes.
    pub(crate) fn find(system: &System, terms: &Terms, summaries: &[Summary]) -> Homes {
        let row = system.ranges.len() as u32;
        let processes = system.processes.len() as u32;
        let mut uses: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        let mut clock_uses: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        let mut count = |what: u32, process: u32| *uses.entry(what).or_default().entry(process).or_default() += 1;
        for (edge, summary) in system.edges.iter().zip(summaries) {
            for path in &summary.paths {
                let conditions = path.conditions.iter().filter_map(|atom| terms.atom_support(*atom)).flatten();
                conditions.for_each(|var| count(var % row, edge.process.0));
                path.writes.keys().for_each(|slot| count(*slot, edge.process.0));
            }
        }
        let mut count =
            |clock: u32, process: u32| *clock_uses.entry(clock).or_default().entry(process).or_default() += 1;
        for (edge, summary) in system.edges.iter().zip(summaries) {
            edge.guard
                .clocks
                .iter()
                .filter_map(ClockComparison::of)
                .for_each(|limit| count(limit.clock, edge.process.0));
            let set = summary.paths.iter().flat_map(|path| path.clocks.keys());
            set.for_each(|clock| count(*clock, edge.process.0));
        }
        for location in &system.locations {
            let limits = location.invariant.clocks.iter().filter_map(ClockComparison::of);
            limits.for_each(|limit| count(limit.clock, location.process.0));
        }
        let all_known = summaries.iter().all(|summary| summary.knows_clocks);
        let clocks =
            clock_uses.into_iter().filter(|_| all_known).filter_map(|(clock, by)| Some((clock, main_user(&by)?)));
        let hooked = system.before_update.is_some() || system.after_update.is_some();
        let clocks: BTreeMap<u32, u32> = clocks.filter(|_| !hooked).collect();
        let mut slots = BTreeMap::new();
        let mut facts = 0;
        for (slot, by) in uses {
            if slot < processes || !is_small(system.ranges[slot as usize]) {
                continue;
            }
            let Some(home) = main_user(&by) else { continue };
            let (low, high) = system.ranges[slot as usize];
            facts += u64::from(system.processes[home as usize].locations) * (high - low + 1) as u64;
            if facts <= MAX_FACTS {
                slots.insert(slot, home);
            }
        }
        Homes { slots, clocks }
    }

    /// Returns the home of a slot.
    pub(crate) fn of_slot(&self, slot: u32) -> Option<u32> {
        self.slots.get(&slot).copied()
    }

    /// Returns the slots whose home is a process.
    pub(crate) fn slots_at(&self, process: u32) -> Vec<u32> {
        self.slots.iter().filter(|(_, home)| **home == process).map(|(slot, _)| *slot).collect()
    }

    /// Returns the clocks with their homes.
    pub(crate) fn clocks(&self) -> Vec<(u32, u32)> {
        self.clocks.iter().map(|(clock, home)| (*clock, *home)).collect()
    }
}

/// Returns the process with most uses; of several the first.
fn main_user(by: &BTreeMap<u32, u32>) -> Option<u32> {
    by.iter().max_by_key(|(process, count)| (**count, std::cmp::Reverse(**process))).map(|(process, _)| *process)
}
