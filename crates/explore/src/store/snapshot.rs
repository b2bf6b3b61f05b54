//! A store as bytes. States come in the order in which they were added, each with its row and zone
//! where these occur first. Lists, groups and hash tables are made anew.

use model::System;
use rustc_hash::FxHashMap;
use zone::Bound;

use super::{GONE, NO_NODE, NodeId, Origin, RemoteNode, RemoteParent, SearchNode, Store, groups::Member};
use crate::{
    graph::ZoneGraph,
    merging::Merging,
    snapshot::{PartReader, PartWriter, SnapshotError},
    zones::ZoneId,
};

/// The numbers of zones in a snapshot, in the order in which they occur.
#[derive(Default)]
pub(crate) struct ZoneNumbers {
    numbers: FxHashMap<u32, u64>,
}

/// The zones of a snapshot.
#[derive(Default)]
pub(crate) struct NumberedZones {
    ids: Vec<ZoneId>,
}

impl ZoneNumbers {
    /// Writes a zone, completely if it is new.
    pub(crate) fn save<B: Bound>(
        &mut self,
        store: &Store<B>,
        id: ZoneId,
        buffer: &mut Vec<B>,
        out: &mut PartWriter<'_>,
    ) {
        let next = self.numbers.len() as u64;
        let number = *self.numbers.entry(id.0).or_insert(next);
        out.number(number);
        if number == next {
            store.zones.read_whole(id, buffer);
            out.zone(buffer);
        }
    }
}

impl NumberedZones {
    /// Reads a zone.
    pub(crate) fn load<B: Bound>(
        &mut self,
        store: &mut Store<B>,
        dim: usize,
        buffer: &mut Vec<B>,
        from: &mut PartReader<'_>,
    ) -> Result<ZoneId, SnapshotError> {
        let number = from.below(self.ids.len() + 1, "a zone is missing")? as usize;
        if number == self.ids.len() {
            from.zone(dim, store.zones.area(), buffer)?;
            self.ids.push(store.zones.intern(buffer));
        }
        Ok(self.ids[number])
    }
}

impl<B: Bound> Store<B> {
    /// Writes all nodes. Returns the numbers of their zones.
    pub(crate) fn save(&self, out: &mut PartWriter<'_>) -> ZoneNumbers {
        out.size(self.nodes.len());
        // A row of borrowed states only is not written.
        let (mut zones, mut rows, mut numbers) = (ZoneNumbers::default(), 0, FxHashMap::default());
        let (mut row, mut zone, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let mut last_parent = 0;
        for number in 0..self.nodes.len() as u32 {
            if out.has_failed() {
                break;
            }
            let SearchNode { discrete, zone: own, parent, ordinal } = *self.node(number);
            let known: u32 = *numbers.entry(discrete).or_insert(rows);
            out.number(known.into());
            if known == rows {
                rows += 1;
                self.rows.read(discrete, &mut row);
                save_row(&row, &mut before, out);
            }
            out.flag(own != GONE);
            if own != GONE {
                zones.save(self, ZoneId(own), &mut zone, out);
            }
            let home = self.home(NodeId(number));
            let kind = u64::from(parent != NO_NODE) + u64::from(home.is_some());
            out.number(kind);
            out.number(home.unwrap_or(0).into());
            if kind > 0 {
                out.integer(i64::from(parent) - last_parent);
                last_parent = parent.into();
            }
            out.number(ordinal.into());
            if let Some(depth) = self.depth(NodeId(number)) {
                out.number(depth.into());
            }
        }
        zones
    }

    /// Reads the nodes of an empty store. Returns its zones, and the parents that are in the stores
    /// of other workers.
    pub(crate) fn load(
        &mut self,
        graph: &mut ZoneGraph<'_, B>,
        simulates: bool,
        merging: &mut Option<Merging<'_, B>>,
        from: &mut PartReader<'_>,
    ) -> Result<(NumberedZones, Vec<RemoteNode>), SnapshotError> {
        const WRONG: SnapshotError = SnapshotError::Impossible("a state is missing");
        let system = graph.system();
        let dim = system.clocks.len();
        let (mut zones, mut remotes, mut rows) = (NumberedZones::default(), Vec::new(), 0);
        let (mut row, mut zone, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let mut last_parent = 0_i64;
        let count = from.length()?;
        if count >= NO_NODE as usize >> 1 {
            return Err(WRONG);
        }
        for number in 0..count as u32 {
            let discrete = from.below(rows as usize + 1, "a row is missing")?;
            if discrete == rows {
                load_row(system, &mut before, from)?;
                if self.intern(&before).0 != rows {
                    return Err(SnapshotError::Impossible("a row occurs twice"));
                }
                rows += 1;
            }
            let own = if from.flag()? { Some(zones.load(self, dim, &mut zone, from)?) } else { None };
            let kind = from.below(3, "there is no such origin")?;
            let home = from.below(1 << 16, "there is no such worker")? as u16;
            let (mut parent, mut remote) = (None, None);
            if kind > 0 {
                last_parent = last_parent.checked_add(from.integer()?).ok_or(WRONG)?;
                let node = NodeId(u32::try_from(last_parent).map_err(|_| WRONG)?);
                if kind == 1 {
                    // Paths end, since parents come first.
                    parent = Some(node).filter(|node| node.0 < number);
                    parent.ok_or(WRONG)?;
                } else {
                    let at = RemoteNode { worker: home, node };
                    remote = Some(RemoteParent { at, depth: 0, is_wide: false });
                    remotes.push(at);
                }
            }
            if (remote.is_some() || home != 0) && self.homes.as_ref().is_none_or(|homes| homes.own == home) {
                return Err(SnapshotError::Impossible("there is no such worker"));
            }
            let ordinal = from.natural()?;
            let depth = match &self.depths {
                None => 0,
                Some(_) => from.below(1 << 31, "a path is too long")?,
            };
            let origin = Origin { parent, remote, ordinal };
            let Some(own) = own else {
                self.push_gone(discrete, origin, depth);
                self.note_group(discrete, &mut row);
                continue;
            };
            self.push(discrete, own, origin, depth);
            if let (Some(_), Some(merging)) = (&self.groups, &mut *merging) {
                self.note_group(discrete, &mut row);
                self.join_group(number, own, &row, merging);
            } else {
                let alu = simulates.then(|| {
                    self.row(NodeId(number), &mut row);
                    graph.bounds(&row)
                });
                self.list(number, discrete, alu);
            }
        }
        Ok((zones, remotes))
    }

    /// Notes the group of a discrete part. Groups are numbered as they occur.
    fn note_group(&mut self, discrete: u32, row: &mut Vec<i32>) {
        if let Some(groups) = &mut self.groups {
            self.rows.read(discrete, row);
            let group = groups.find(row);
            groups.note(discrete, group);
        }
    }

    /// Adds a node to its group.
    fn join_group(&mut self, node: u32, zone: ZoneId, row: &[i32], merging: &mut Merging<'_, B>) {
        let number = self.group(NodeId(node));
        let Some(groups) = &mut self.groups else { return };
        let (mut elements, mut values) = (Vec::new(), Vec::new());
        groups.elements(row, &mut elements);
        merging.values(row, merging.is_wide(NodeId(node)), &mut values);
        let group = &mut groups.groups[number as usize];
        let before = group.capacity();
        group.add(Member { node, zone }, &elements, &values, &|elements| merging.key(elements));
        groups.capacity = groups.capacity + group.capacity() - before;
    }

    /// Writes the members of all groups in their order.
    pub(crate) fn save_groups(&self, out: &mut PartWriter<'_>) {
        for group in self.groups.iter().flat_map(|groups| &groups.groups) {
            let live: Vec<NodeId> = group.nodes().collect();
            out.nodes(live.iter());
        }
    }

    /// Puts the members of all groups into their order.
    pub(crate) fn order_groups(&mut self, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
        let added = self.nodes.len();
        for group in self.groups.iter_mut().flat_map(|groups| &mut groups.groups) {
            if !group.put_in_order(&from.nodes(added)?) {
                return Err(SnapshotError::Impossible("a state is in another group"));
            }
        }
        Ok(())
    }

    /// Counts a zone that a removed state still has.
    pub(crate) fn remember(&mut self, zone: ZoneId) {
        self.zones.share(zone);
    }
}

/// Writes the slots in which a row differs from the one before.
fn save_row(row: &[i32], before: &mut Vec<i32>, out: &mut PartWriter<'_>) {
    before.resize(row.len(), 0);
    out.size(row.iter().zip(&*before).filter(|(new, old)| new != old).count());
    let mut last = 0;
    for (slot, (new, old)) in row.iter().zip(before).enumerate().filter(|(_, (new, old))| new != old) {
        out.size(slot - last);
        out.integer(i64::from(*new) - i64::from(*old));
        (last, *old) = (slot, *new);
    }
}

/// Reads a row, given the one before it.
fn load_row(system: &System, row: &mut Vec<i32>, from: &mut PartReader<'_>) -> Result<(), SnapshotError> {
    const WRONG: SnapshotError = SnapshotError::Impossible("a row is out of range");
    row.resize(system.initial.len(), 0);
    let mut slot = 0_usize;
    for _ in 0..from.length()? {
        slot = slot.checked_add(from.size()?).ok_or(WRONG)?;
        let value = row.get_mut(slot).ok_or(WRONG)?;
        *value = from.integer()?.checked_add((*value).into()).and_then(|new| new.try_into().ok()).ok_or(WRONG)?;
    }
    let fits = |(value, (low, high)): (&i32, &(i32, i32))| low <= value && value <= high;
    if row.iter().zip(&system.ranges).all(fits) { Ok(()) } else { Err(WRONG) }
}
