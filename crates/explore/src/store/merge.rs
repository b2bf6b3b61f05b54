//! Covering and joining of states by elements of lattices and zones.

use super::{
    GONE, Insert, LuBounds, NO_NODE, NodeId, Origin, Store,
    groups::{FindKey, Group, Groups, Member},
};
use crate::{
    batch::ReachedZone,
    merging::{ElementKey, JoinOperand, Merging},
    zones::ZoneId,
};
use std::borrow::Cow;
use zone::Bound;

/// A state that may be new.
struct MergeCandidate<'r> {
    group: u32,
    /// The reached row, or that of a join.
    row: Cow<'r, [i32]>,
    elements: Vec<i32>,
    /// The values of join conditions; see [`Merging`].
    values: Vec<i32>,
    /// The key of the elements, if the group is indexed.
    key: Option<ElementKey>,
    zone: ZoneId,
    depth: u32,
    /// The states that it was joined from or covers.
    parts: Vec<Member>,
    is_joined: bool,
}

/// The state that covers the source of an expansion. It covers each successor that is the source
/// again, and it stays the first one that does as long as it is stored, since states are added at
/// the end of their groups.
#[derive(Clone, Copy)]
pub(super) struct SourceCover {
    source: NodeId,
    zone: ZoneId,
    by: NodeId,
}

/// Buffers for the elements and values of a state.
#[derive(Default)]
pub(super) struct MergeBuffers {
    elements: Vec<i32>,
    values: Vec<i32>,
}

impl<B: Bound> Store<B> {
    /// Adds a state to its group, unless it is covered, and joins it with some members. The stored
    /// state may be greater than the given one. `keeps` says that its row is known to be that of
    /// its parent. Also returns the id of the given zone.
    pub(crate) fn merge(
        &mut self,
        (row, keeps): (&[i32], bool),
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
            return self.insert(discrete, ReachedZone::Known(reached), || alu, origin);
        };
        self.replaced.clear();
        let group = groups.find(row);
        let MergeBuffers { mut elements, mut values } = std::mem::take(&mut self.buffers);
        groups.elements(row, &mut elements);
        let is_wide = match origin.remote {
            Some(remote) => remote.is_wide,
            None => origin.parent.is_some_and(|parent| merging.is_wide(parent)),
        };
        merging.values(row, is_wide, &mut values);
        let mut new = MergeCandidate {
            group,
            row: Cow::Borrowed(row),
            elements,
            values,
            key: None,
            zone: reached,
            depth: self.depth_after(origin),
            parts: Vec::new(),
            is_joined: false,
        };
        let covering = self.fit(&mut groups.groups[group as usize], &mut new, alu, merging);
        let inserted = match covering {
            Some(by) => {
                let source = origin.parent.filter(|_| keeps);
                self.source_cover = source.map(|source| SourceCover { source, zone: reached, by });
                merging.arrive(origin.parent, origin.ordinal, by);
                Insert::Covered(by)
            }
            None => Insert::New(self.add_member(&mut groups, &mut new, origin, merging)),
        };
        self.groups = Some(groups);
        self.buffers = MergeBuffers { elements: new.elements, values: new.values };
        (inserted, reached)
    }

    /// Returns a stored state that covers a successor with the row of its source, if one is known.
    #[inline]
    pub(crate) fn cover_of_source(&self, source: Option<NodeId>, reached: ReachedZone<'_, B>) -> Option<NodeId> {
        let known = self.source_cover.filter(|known| Some(known.source) == source)?;
        let is_same = matches!(reached, ReachedZone::Known(zone) if zone == known.zone);
        Some(known.by).filter(|by| is_same && !self.is_gone(*by))
    }

    /// Adds a state that no member covers.
    fn add_member(
        &mut self,
        groups: &mut Groups,
        new: &mut MergeCandidate<'_>,
        origin: Origin,
        merging: &mut Merging<'_, B>,
    ) -> NodeId {
        if new.is_joined {
            merging.count(new.group);
        }
        let discrete = self.intern(&new.row).0;
        groups.note(discrete, new.group);
        let node = self.push(discrete, new.zone, origin, new.depth);
        let list = &mut groups.groups[new.group as usize];
        let before = list.capacity();
        let find = |elements: &[i32]| new.key.or_else(|| merging.key(elements));
        list.add(Member { node, zone: new.zone }, &new.elements, &new.values, &find);
        groups.capacity = groups.capacity + list.capacity() - before;
        merging.note(NodeId(node), &new.values);
        for part in new.parts.drain(..) {
            merging.merged(NodeId(part.node), part.zone, NodeId(node));
        }
        merging.arrive(origin.parent, origin.ordinal, NodeId(node));
        NodeId(node)
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
        new: &mut MergeCandidate<'_>,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> Option<NodeId> {
        new.key = group.index.as_ref().and_then(|_| merging.key(&new.elements));
        if let Some(i) = self.covering(group, new, alu, merging) {
            return Some(NodeId(group.members[i].node));
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
        if new.is_joined {
            new.key = group.index.as_ref().and_then(|_| merging.key(&new.elements));
        }
        self.take_out_covered(group, new, alu, merging);
        None
    }

    /// Returns a member that covers a state, if there is one.
    fn covering(
        &mut self,
        group: &Group,
        new: &MergeCandidate<'_>,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> Option<usize> {
        if let (Some(index), Some(key)) = (&group.index, &new.key) {
            // If joins may be undone, it matters which member covers a state.
            return if merging.remembers() {
                index.first_above(key, |i| self.covers(group, i, new, alu, merging))
            } else {
                index.find_above(key, |i| self.covers(group, i, new, alu, merging))
            };
        }
        let mut i = merging.next(&new.elements, &group.elements, 0, true);
        while i < group.members.len() {
            if self.covers(group, i, new, alu, merging) {
                return Some(i);
            }
            i = merging.next(&new.elements, &group.elements, i + 1, true);
        }
        None
    }

    /// Removes the members that a state covers.
    fn take_out_covered(
        &mut self,
        group: &mut Group,
        new: &mut MergeCandidate<'_>,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) {
        if let (Some(index), Some(key)) = (&group.index, &new.key) {
            for i in index.below(key) {
                if self.is_covered(group, i, new, alu, merging) {
                    self.take_out(group, i, new, merging);
                }
            }
            return;
        }
        let mut i = merging.next(&new.elements, &group.elements, 0, false);
        while i < group.members.len() {
            if self.is_covered(group, i, new, alu, merging) {
                self.take_out(group, i, new, merging);
            } else {
                i += 1;
            }
            i = merging.next(&new.elements, &group.elements, i, false);
        }
    }

    /// Returns whether a member of a group covers a state.
    #[inline]
    fn covers(
        &mut self,
        group: &Group,
        i: usize,
        new: &MergeCandidate<'_>,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> bool {
        let Member { node, zone } = group.members[i];
        merging.is_below((&new.elements, &new.values), (group.elements(i), group.values(i)))
            && self.zones.compare(new.zone, zone, (true, false), alu).is_some()
            && self.depth(NodeId(node)).is_none_or(|depth| depth <= new.depth)
    }

    /// Returns whether a state covers a member of a group.
    #[inline]
    fn is_covered(
        &mut self,
        group: &Group,
        i: usize,
        new: &MergeCandidate<'_>,
        alu: Option<LuBounds<'_, B>>,
        merging: &mut Merging<'_, B>,
    ) -> bool {
        let Member { node, zone } = group.members[i];
        merging.is_below((group.elements(i), group.values(i)), (&new.elements, &new.values))
            && self.zones.compare(zone, new.zone, (true, false), alu).is_some()
            && self.depth(NodeId(node)).is_none_or(|depth| new.depth <= depth)
    }

    /// Joins a state with a stored one, if that is allowed.
    fn join(&mut self, group: &Group, i: usize, new: &mut MergeCandidate<'_>, merging: &mut Merging<'_, B>) -> bool {
        let old = (group.elements(i), group.values(i));
        if !merging.may_join(&new.row, old, (&new.elements, &new.values)) {
            return false;
        }
        self.zones.read(new.zone, &mut self.zone);
        self.zones.read(group.members[i].zone, &mut self.other);
        let stored = JoinOperand { elements: old.0, values: old.1, zone: &self.other };
        let arrived = JoinOperand { elements: &new.elements, values: &new.values, zone: &self.zone };
        let Some(joined) = merging.join(new.group, &new.row, stored, arrived) else { return false };
        joined.row.clone_into(new.row.to_mut());
        joined.elements.clone_into(&mut new.elements);
        joined.values.clone_into(&mut new.values);
        new.zone = self.zones.intern(joined.zone);
        true
    }

    /// Removes a state from its group, since the new one covers it.
    fn take_out(&mut self, group: &mut Group, i: usize, new: &mut MergeCandidate<'_>, merging: &Merging<'_, B>) {
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
        self.source_cover = None;
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
    pub(crate) fn revive(&mut self, node: NodeId, zone: ZoneId, find: &mut NodeValues<'_>, find_key: &FindKey<'_>) {
        self.source_cover = None;
        let mut row = Vec::new();
        self.row(node, &mut row);
        let number = self.group(node);
        let Some(groups) = &mut self.groups else { return };
        let (mut elements, mut values) = (Vec::new(), Vec::new());
        groups.elements(&row, &mut elements);
        find(node, &row, &mut values);
        let group = &mut groups.groups[number as usize];
        let before = group.capacity();
        group.add(Member { node: node.0, zone }, &elements, &values, find_key);
        groups.capacity = groups.capacity + group.capacity() - before;
        self.node_mut(node.0).zone = zone.0;
        self.stored += 1;
    }
}

/// Computes the values of a node and its row; see [`Merging::values`].
type NodeValues<'v> = dyn FnMut(NodeId, &[i32], &mut Vec<i32>) + 'v;
