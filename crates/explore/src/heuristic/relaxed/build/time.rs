//! The relaxation of clocks: their values at the locations of their homes.

use std::collections::BTreeMap;

use model::symbolic::Path;

use super::{
    super::{
        clocks::{ClockComparison, ClockRegions},
        network::NodeNumber,
    },
    ClockNodes, RelaxationBuilder,
    actions::AddedAction,
};

impl RelaxationBuilder<'_> {
    pub(super) fn add_clocks(&mut self) {
        for (clock, home) in self.homes.clocks() {
            let of_clock = |limit: &ClockComparison| limit.clock == clock;
            let guards = self.system.edges.iter().map(|e| &e.guard);
            let all = guards.chain(self.system.locations.iter().map(|l| &l.invariant));
            let limits = all.flat_map(|g| &g.clocks).filter_map(ClockComparison::of).filter(of_clock);
            let regions = ClockRegions::new(limits.map(|limit| limit.number()).collect());
            let count = self.locations(home);
            let (pairs, foreign) = self.add_pairs(home, count, regions.len());
            let first = self.system.processes[home as usize].first_location.0;
            for location in 0..count {
                let place = &self.system.locations[(first + location) as usize];
                if place.urgent || place.committed {
                    continue;
                }
                let limits: Vec<ClockComparison> =
                    place.invariant.clocks.iter().filter_map(ClockComparison::of).filter(of_clock).collect();
                let from = location as usize * regions.len();
                for region in 1..regions.len() {
                    // Time passes.
                    if limits.iter().all(|limit| regions.meets(region, limit)) {
                        self.builder.connect(pairs[from + region - 1], pairs[from + region]);
                    }
                }
            }
            self.clocks.insert(clock, ClockNodes { regions, home, pairs, foreign });
        }
    }

    /// Adds the needs of clock guards, and returns the regions of clocks that they allow; `None`:
    /// they can't hold.
    pub(super) fn clock_needs(
        &mut self,
        process: u32,
        source: u32,
        guard: &[ClockComparison],
        needs: &mut Vec<NodeNumber>,
    ) -> Option<BTreeMap<u32, Vec<usize>>> {
        let mut left = BTreeMap::new();
        for (number, clock) in self.clocks.iter().filter(|(_, clock)| clock.home == process) {
            let limits: Vec<&ClockComparison> = guard.iter().filter(|limit| limit.clock == *number).collect();
            let meets = |r: &usize| limits.iter().all(|limit| clock.regions.meets(*r, limit));
            let regions: Vec<usize> = (0..clock.regions.len()).filter(meets).collect();
            if regions.is_empty() {
                return None;
            }
            if regions.len() < clock.regions.len() {
                let pairs = regions.iter().map(|r| clock.pairs[source as usize * clock.regions.len() + r]).collect();
                needs.push(self.builder.shared(false, pairs));
            }
            left.insert(*number, regions);
        }
        Some(left)
    }

    pub(super) fn move_clocks(
        &mut self,
        step: &AddedAction<'_>,
        path: &Path,
        left: &BTreeMap<u32, Vec<usize>>,
        invariant: &[ClockComparison],
    ) {
        for (number, value) in &path.clocks {
            let Some(clock) = self.clocks.get(number) else { continue };
            let known = value.and_then(|term| self.symbolic.terms.known(term));
            let regions = known.map_or(0..clock.regions.len(), |n| {
                let region = clock.regions.region(n);
                region..region + 1
            });
            for region in regions {
                let to = if clock.home == step.process {
                    clock.pairs[step.target as usize * clock.regions.len() + region]
                } else {
                    clock.foreign[region]
                };
                self.builder.connect_later(step.node, to);
            }
        }
        let kept = left.iter().filter(|(number, _)| !path.clocks.contains_key(number));
        for (number, regions) in kept.map(|(number, regions)| (*number, regions.clone())).collect::<Vec<_>>() {
            for region in regions {
                let clock = &self.clocks[&number];
                let within = invariant.iter().filter(|l| l.clock == number).all(|l| clock.regions.meets(region, l));
                if within {
                    let at = |place: u32| clock.pairs[place as usize * clock.regions.len() + region];
                    let (from, to) = (at(step.source), at(step.target));
                    if from != to {
                        let effect = self.effect(step, vec![from]);
                        self.builder.connect_later(effect, to);
                    }
                }
            }
        }
    }
}
