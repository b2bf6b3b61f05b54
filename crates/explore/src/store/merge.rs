//! Covering and joining of states by elements of lattices and zones.

use super::{
    GONE, Insert, LuBounds, NO_NODE, NodeId, Origin, Store,
    groups::{Group, Member},
};
use crate::{
    batch::ReachedZone,
    merging::{ElementMark, JoinOperand, Merging},
    zones::ZoneId,
};
use zone::Bound;

/// A state that may be new.
struct MergeCandidate {
    group: u32,
    row: Vec<i32>,
    elements: Vec<i32>,
    /// The values of join conditions; see [`Merging`].
    values: Vec<i32>,
    zone: ZoneId,
    depth: u32,
    /// The states that it was joined from or covers.
    parts: Vec<Member>,
    is_joined: bool,
}

impl<B: Bound> Store<B> {
    /// Adds a state to its group, unless it is covered, and joins it with some members. The stored
    /// state may be greater than the given one. Also returns the id of the given zone.
    pub(crate) fn merge(
        &mut self,
        row: &[i32],
        zone: ReachedZone<'_, B>,
        alu: Option<LuBounds<'_, B>>,
        origin: Origin,
        merging: &mut Merging<'_, B>,
    ) -> (Insert, ZoneId) {
        let reached = match zone {
            ReachedZone::Known(id) => id,
            ReachedZone::Fresh(zone) => self.zones.intern(zone),
        };
        // A store without groups has another layout.
        let Some(mut groups) = self.groups.take() else {
            let discrete = self.intern(row);
            return self.insert(discrete, ReachedZone::Known(reached), alu, origin);
        };
        self.replaced.clear();
        let group = groups.find(row);
        let mut new = MergeCandidate {
            group,
            row: row.to_vec(),
            elements: groups.slots.iter().map(|slot| row[*slot]).collect(),
            values: Vec::new(),
            zone: reached,
            depth: self.depth_after(origin),
            parts: Vec::new(),
            is_joined: false,
        };
        let is_wide = match origin.remote {
            Some(remote) => remote.is_wide,
            None => origin.parent.is_some_and(|parent| merging.is_wide(parent)),
        };
        merging.values(row, is_wide, &mut new.values);
        let covering = self.fit(&mut groups.groups[group as usize], &mut new, alu, merging);
        if let Some(node) = covering {
            merging.arrive(origin.parent, origin.ordinal, node);
            self.groups = Some(groups);
            return (Insert::Covered(node), reached);
        }
        if new.is_joined {
            merging.count(group);
        }
        let discrete = self.intern(&new.row).0;
        groups.note(discrete, group);
        let node = self.push(discrete, new.zone, origin, new.depth);
        let list = &mut groups.groups[group as usize];
        let before = list.capacity();
        list.add(Member { node, zone: new.zone }, &new.elements, &new.values, &|elements| merging.mark(elements));
        groups.capacity = groups.capacity + list.capacity() - before;
        self.groups = Some(groups);
        merging.note(NodeId(node), &new.values);
        for part in new.parts {
            merging.merged(NodeId(part.node), part.zone, NodeId(node));
        }
        merging.arrive(origin.parent, origin.ordinal, NodeId(node));
        (Insert::New(NodeId(node)), reached)
    }

    /// Returns the group of a node.
    pub(crate) fn group(&self, node: NodeId) -> u32 {
        let discrete = self.node(node.0).discrete;
        self.groups.as_ref().map_or(discrete, |groups| groups.of(discrete))
    }

    /// Compares a state with its group. Returns a member that covers it, if there is one; else
    /// joins it where that is allowed, and removes the members that it then covers.
    fn fit(
        &mut self,
        group: &mut Group,
        new: &mut MergeCandidate,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> Option<NodeId> {
        // If joins may be undone, it matters which member covers a state.
        if let Some(last) = group.index.as_ref().and_then(|index| index.last).filter(|_| !merging.remembers())
            && self.covers(group, last, new, alu, merging)
        {
            return Some(NodeId(group.members[last].node));
        }
        let mark = group.mark(&new.elements, merging);
        let mut i = group.next((&new.elements, mark), 0, true, merging);
        while i < group.members.len() {
            if self.covers(group, i, new, alu, merging) {
                if let Some(index) = &mut group.index {
                    index.last = Some(i);
                }
                return Some(NodeId(group.members[i].node));
            }
            i = group.next((&new.elements, mark), i + 1, true, merging);
        }
        if merging.joins() {
            merging.consider(&new.values);
            for i in (0..group.members.len()).rev() {
                if group.members[i].node != NO_NODE && self.join(group, i, new, merging) {
                    merging.consider(&new.values);
                    self.take_out(group, i, new, merging);
                    new.is_joined = true;
                }
            }
        }
        let mark = if new.is_joined { group.mark(&new.elements, merging) } else { mark };
        let mut i = group.next((&new.elements, mark), 0, false, merging);
        while i < group.members.len() {
            let Member { node, zone } = group.members[i];
            if merging.is_below((group.elements(i), group.values(i)), (&new.elements, &new.values))
                && self.zones.compare(zone, new.zone, (true, false), alu).is_some()
                && self.depth(NodeId(node)).is_none_or(|depth| new.depth <= depth)
            {
                self.take_out(group, i, new, merging);
            } else {
                i += 1;
            }
            i = group.next((&new.elements, mark), i, false, merging);
        }
        None
    }

    /// Returns whether a member of a group covers a state.
    #[inline]
    fn covers(
        &mut self,
        group: &Group,
        i: usize,
        new: &MergeCandidate,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> bool {
        let Member { node, zone } = group.members[i];
        merging.is_below((&new.elements, &new.values), (group.elements(i), group.values(i)))
            && self.zones.compare(new.zone, zone, (true, false), alu).is_some()
            && self.depth(NodeId(node)).is_none_or(|depth| depth <= new.depth)
    }

    /// Joins a state with a stored one, if that is allowed.
    fn join(&mut self, group: &Group, i: usize, new: &mut MergeCandidate, merging: &mut Merging<'_, B>) -> bool {
        let old = (group.elements(i), group.values(i));
        if !merging.may_join(&new.row, old, (&new.elements, &new.values)) {
            return false;
        }
        self.zones.read(new.zone, &mut self.zone);
        self.zones.read(group.members[i].zone, &mut self.other);
        let stored = JoinOperand { elements: old.0, values: old.1, zone: &self.other };
        let arrived = JoinOperand { elements: &new.elements, values: &new.values, zone: &self.zone };
        let Some(joined) = merging.join(new.group, &new.row, stored, arrived) else { return false };
        joined.row.clone_into(&mut new.row);
        joined.elements.clone_into(&mut new.elements);
        joined.values.clone_into(&mut new.values);
        new.zone = self.zones.intern(joined.zone);
        true
    }

    /// Removes a state from its group, since the new one covers it.
    fn take_out(&mut self, group: &mut Group, i: usize, new: &mut MergeCandidate, merging: &Merging<'_, B>) {
        let old = group.remove(i);
        self.node_mut(old.node).zone = GONE;
        self.stored -= 1;
        if merging.remembers() {
            new.parts.push(old);
        } else {
            self.zones.release(old.zone);
        }
    }

    /// Releases the zone of a state that was removed permanently.
    pub(crate) fn forget(&mut self, zone: ZoneId) {
        self.zones.release(zone);
    }

    /// Removes a state permanently.
    pub(crate) fn drop_node(&mut self, node: NodeId) {
        let number = self.group(node);
        let Some(groups) = &mut self.groups else { return };
        let group = &mut groups.groups[number as usize];
        if let Some(i) = group.members.iter().position(|member| member.node == node.0) {
            let Member { zone, .. } = group.remove(i);
            self.zones.release(zone);
            self.node_mut(node.0).zone = GONE;
            self.stored -= 1;
        }
    }

    /// Restores a removed state.
    pub(crate) fn revive(
        &mut self,
        node: NodeId,
        zone: ZoneId,
        find: &mut NodeValues<'_>,
        mark: &dyn Fn(&[i32]) -> Option<ElementMark>,
    ) {
        let mut row = Vec::new();
        self.row(node, &mut row);
        let number = self.group(node);
        let Some(groups) = &mut self.groups else { return };
        let elements: Vec<i32> = groups.slots.iter().map(|slot| row[*slot]).collect();
        let mut values = Vec::new();
        find(node, &row, &mut values);
        let group = &mut groups.groups[number as usize];
        let before = group.capacity();
        group.add(Member { node: node.0, zone }, &elements, &values, mark);
        groups.capacity = groups.capacity + group.capacity() - before;
        self.node_mut(node.0).zone = zone.0;
        self.stored += 1;
    }
}

/// Computes the values of a node and its row; see [`Merging::values`].
type NodeValues<'v> = dyn FnMut(NodeId, &[i32], &mut Vec<i32>) + 'v;
