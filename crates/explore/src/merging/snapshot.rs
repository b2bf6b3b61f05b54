//! The policy of covering and joining as bytes.

use std::collections::BTreeMap;

use zone::Bound;

use super::{Merging, ancestry::Ancestry};
use crate::{
    snapshot::{PartReader, PartWriter, SnapshotError},
    store::{NodeId, NumberedZones, Store, ZoneNumbers},
};

impl<B: Bound> Merging<'_, B> {
    /// Writes what is needed before the states.
    pub(crate) fn save_flags(&self, out: &mut PartWriter<'_>) {
        out.set(&self.wide);
        out.size(self.joins.len());
        self.joins.iter().for_each(|joins| out.number((*joins).into()));
    }

    /// Reads it.
    pub(crate) fn load_flags(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        self.wide = from.set(1 << 31)?;
        self.joins = (0..from.length()?)
            .map(|_| from.below(1 << 31, "there are not so many joins"))
            .collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Writes the rest.
    pub(crate) fn save(&self, store: &Store<B>, zones: &mut ZoneNumbers, out: &mut PartWriter<'_>) {
        out.failures(&self.failures());
        out.size(self.undone);
        out.size(self.again.len());
        for (from, ordinals) in &self.again {
            out.optional(from.map(|node| node.0.into()));
            out.size(ordinals.len());
            ordinals.iter().for_each(|ordinal| out.number((*ordinal).into()));
        }
        if let Some(ancestry) = &self.ancestry {
            ancestry.save(store, zones, out);
        }
        if self.undoes {
            store.save_groups(out);
        }
        if let Some(probe) = &self.probe {
            probe.save(out);
        }
    }

    /// Reads the rest, after the states.
    pub(crate) fn load(
        &mut self,
        store: &mut Store<B>,
        zones: &mut NumberedZones,
        from: &mut PartReader<'_>,
    ) -> Result<(), SnapshotError> {
        let failures = from.failures()?;
        if let Some(strategy) = &mut self.strategy {
            strategy.set_failures(failures);
        }
        let added = store.added();
        self.undone = from.below(1 << 31, "there are not so many states")? as usize;
        self.again.clear();
        for _ in 0..from.length()? {
            let node = optional_node(added, from)?;
            let ordinals = (0..from.length()?).map(|_| from.natural()).collect::<Result<_, _>>()?;
            self.again.push((node, ordinals));
        }
        let dim = store.zones().dim();
        if self.ancestry.is_some() {
            self.ancestry = Some(Ancestry::load(store, (zones, dim), from)?);
        }
        if self.undoes {
            store.order_groups(from)?;
        }
        if let Some(probe) = &mut self.probe {
            probe.load(from)?;
        }
        Ok(())
    }
}

impl Ancestry {
    fn save<B: Bound>(&self, store: &Store<B>, zones: &mut ZoneNumbers, out: &mut PartWriter<'_>) {
        let mut buffer = Vec::new();
        let kept: BTreeMap<_, _> = self.zones.iter().map(|(node, zone)| (node.0, *zone)).collect();
        out.size(kept.len());
        for (node, zone) in kept {
            out.number(node.into());
            zones.save(store, zone, &mut buffer, out);
        }
        let parts: BTreeMap<_, _> = self.parts.iter().map(|(node, parts)| (node.0, parts)).collect();
        out.size(parts.len());
        for (node, parts) in parts {
            out.number(node.into());
            out.nodes(parts.iter());
        }
        out.size(self.arcs.len());
        for arc in &self.arcs {
            out.optional(arc.from.map(|node| node.0.into()));
            out.number(arc.ordinal.into());
            out.number(arc.to.0.into());
        }
        out.size(self.waiting.len());
        for (node, ordinal) in &self.waiting {
            out.optional(node.map(|node| node.0.into()));
            out.number((*ordinal).into());
        }
        out.set(&self.removed);
        out.set(&self.expanded);
    }

    fn load<B: Bound>(
        store: &mut Store<B>,
        (zones, dim): (&mut NumberedZones, usize),
        from: &mut PartReader<'_>,
    ) -> Result<Ancestry, SnapshotError> {
        const MISSING: &str = "a state is missing";
        let mut ancestry = Ancestry::default();
        let (added, mut buffer) = (store.added(), Vec::new());
        for _ in 0..from.length()? {
            let node = NodeId(from.below(added, MISSING)?);
            let zone = zones.load(store, dim, &mut buffer, from)?;
            if !store.is_gone(node) || ancestry.zones.insert(node, zone).is_some() {
                return Err(SnapshotError::Impossible("a state is there and removed"));
            }
            store.remember(zone);
        }
        for _ in 0..from.length()? {
            let node = NodeId(from.below(added, MISSING)?);
            let parts = from.nodes(added)?;
            // The states that were joined into another one are older, so that a walk back ends.
            if parts.iter().any(|part| *part >= node || !ancestry.zones.contains_key(part)) {
                return Err(SnapshotError::Impossible(MISSING));
            }
            ancestry.parts.insert(node, parts);
        }
        for _ in 0..from.length()? {
            let (node, ordinal) = (optional_node(added, from)?, from.natural()?);
            let to = NodeId(from.below(added, MISSING)?);
            ancestry.arcs.push(super::ancestry::TakenTransition { from: node, ordinal, to });
        }
        for _ in 0..from.length()? {
            let taken = (optional_node(added, from)?, from.natural()?);
            ancestry.waiting.insert(taken);
        }
        (ancestry.removed, ancestry.expanded) = (from.set(added)?, from.set(added)?);
        Ok(ancestry)
    }
}

/// Reads a node that may be absent.
fn optional_node(added: usize, from: &mut PartReader<'_>) -> Result<Option<NodeId>, SnapshotError> {
    Ok(if from.flag()? { Some(NodeId(from.below(added, "a state is missing")?)) } else { None })
}
