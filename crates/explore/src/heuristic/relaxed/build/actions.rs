//! The actions of edges: what they need, and what they add.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    symbolic::TermId,
    system::{Edge, EdgeId, Sync},
};

use super::{
    super::{
        Increments,
        clocks::ClockComparison,
        network::{Action, NodeNumber},
        summary::Summary,
    },
    AllowedRegions, COARSE_NODES, FactContext, RelaxationBuilder,
};

/// An action that is added.
pub(super) struct AddedAction<'c> {
    pub(super) node: NodeNumber,
    action: Action,
    sync: Sync,
    pub(super) process: u32,
    pub(super) source: u32,
    pub(super) target: u32,
    context: FactContext<'c>,
}

impl RelaxationBuilder<'_> {
    pub(super) fn add_edge(&mut self, number: EdgeId, edge: &Edge, summary: &Summary) {
        let process = edge.process.0;
        let (source, target) = (self.within(edge.source), self.within(edge.target));
        let at = BTreeMap::from([(process, vec![source])]);
        let context = FactContext { group: self.group(edge.sync), process, at: &at };
        let guard: Vec<ClockComparison> = edge.guard.clocks.iter().filter_map(ClockComparison::of).collect();
        let invariant = &self.system.locations[edge.target.0 as usize].invariant;
        let invariant: Vec<ClockComparison> = invariant.clocks.iter().filter_map(ClockComparison::of).collect();
        for path in &summary.paths {
            let Some(allowed) = self.allowed(path) else { continue };
            let Some(mut needs) = self.needs(path, &allowed, context) else { continue };
            needs.push(self.slots[process as usize].plain[source as usize]);
            let Some(clocks) = self.clock_needs(process, source, &guard, &mut needs) else { continue };
            for (node, action) in self.partners.actions(&mut self.builder, number, edge, &needs) {
                self.builder.connect_later(node, self.slots[process as usize].plain[target as usize]);
                let step = AddedAction { node, action, sync: edge.sync, process, source, target, context };
                for (slot, term) in &path.writes {
                    self.write(&step, *slot, *term, &allowed);
                }
                summary.havoc.iter().for_each(|slot| self.havoc(&step, *slot));
                let written: BTreeSet<u32> = path.writes.keys().chain(&summary.havoc).copied().collect();
                self.keep(&step, &written, &allowed);
                self.move_clocks(&step, path, &clocks, &invariant);
            }
        }
    }

    /// Returns whether the update of a partner process runs later in the same transition and reads
    /// what the edge writes.
    fn is_read_by(&self, step: &AddedAction<'_>, process: u32) -> bool {
        match step.sync {
            Sync::Internal => false,
            Sync::Send(_) | Sync::Event(_) => step.process != process,
            Sync::Receive(channel) => self.system.channels[channel.0 as usize].broadcast && step.process < process,
        }
    }

    /// An action or effect assigns values of a region to a slot.
    fn assign(&mut self, step: &AddedAction<'_>, from: NodeNumber, slot: u32, region: usize) {
        let to = &self.slots[slot as usize];
        let fact = match self.homes.of_slot(slot) {
            None => to.plain[region],
            Some(home) if home == step.process => to.pairs[step.target as usize * to.domain.len() + region],
            Some(_) => to.foreign[region],
        };
        self.builder.connect_later(from, fact);
        let sent = self.sent.get(&(step.context.group, slot)).into_iter().flatten();
        let read: Vec<NodeNumber> =
            sent.filter(|(process, _)| self.is_read_by(step, **process)).map(|(_, nodes)| nodes[region]).collect();
        read.into_iter().for_each(|node| self.builder.connect(from, node));
    }

    fn havoc(&mut self, step: &AddedAction<'_>, slot: u32) {
        for region in 0..self.slots[slot as usize].domain.len() {
            self.assign(step, step.node, slot, region);
        }
    }

    /// Adds a node for an effect of an action that has further needs.
    pub(super) fn effect(&mut self, step: &AddedAction<'_>, mut needs: Vec<NodeNumber>) -> NodeNumber {
        needs.push(step.node);
        self.builder.all(needs, Some(step.action))
    }

    fn write(&mut self, step: &AddedAction<'_>, slot: u32, term: TermId, allowed: &AllowedRegions) {
        let support = self.symbolic.terms.support(term).map(<[u32]>::to_vec);
        let tuples = support.as_ref().and_then(|support| self.tuples(support, allowed));
        let (Some(support), Some(tuples)) = (support, tuples) else { return self.havoc(step, slot) };
        if self.builder.len() > COARSE_NODES {
            return self.havoc(step, slot);
        }
        let jump = match self.symbolic.terms.increment(term) {
            Some((var, by)) if var == slot && self.settings.increments == Increments::Jump => by.signum(),
            _ => 0,
        };
        for tuple in tuples {
            let of = |var: u32| {
                let i = support.binary_search(&var).unwrap_or(0);
                self.domain(support[i]).interval(tuple[i])
            };
            let domain = &self.slots[slot as usize].domain;
            let mut regions = domain.regions(self.symbolic.terms.interval(term, &of));
            match jump {
                1.. => regions.end = domain.len(),
                0 => {}
                _ => regions.start = 0,
            }
            if regions.is_empty() {
                continue;
            }
            let needs: Vec<NodeNumber> =
                support.iter().zip(&tuple).map(|(var, r)| self.fact(step.context, *var, *r)).collect();
            let from = if needs.is_empty() { step.node } else { self.effect(step, needs) };
            regions.for_each(|region| self.assign(step, from, slot, region));
        }
    }

    /// Variables that a process does not write keep their values at its next location.
    fn keep(&mut self, step: &AddedAction<'_>, written: &BTreeSet<u32>, allowed: &AllowedRegions) {
        if step.source == step.target {
            return;
        }
        for slot in self.homes.slots_at(step.process) {
            if written.contains(&slot) {
                continue;
            }
            let count = self.slots[slot as usize].domain.len();
            for region in 0..count {
                if allowed.get(&slot).is_none_or(|left| left[region]) {
                    let pairs = &self.slots[slot as usize].pairs;
                    let (from, to) =
                        (pairs[step.source as usize * count + region], pairs[step.target as usize * count + region]);
                    let effect = self.effect(step, vec![from]);
                    self.builder.connect_later(effect, to);
                }
            }
        }
    }
}
