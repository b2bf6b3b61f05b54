//! States that cover each other by elements of lattices and zones, and that are joined.

use super::{Bounds, Entry, GONE, Insert, NO_NODE, NodeId, Origin, Store};
use crate::{
    batch::Reached,
    merging::{Merging, Side},
    zones::ZoneId,
};

/// A state that may be new.
struct Candidate {
    group: u32,
    row: Vec<i32>,
    elements: Vec<i32>,
    zone: ZoneId,
    depth: u32,
    /// The states that it is joined from, or covers.
    parts: Vec<(NodeId, ZoneId)>,
    is_joined: bool,
}

impl Store {
    /// Adds a state, unless it is covered, to those that differ in elements of lattices and zones only, and joins it with some
    /// of them. What is added may be greater than what was given. Returns the number of the given zone as well.
    pub fn merge(
        &mut self,
        row: &[i32],
        zone: Reached<'_>,
        alu: Option<Bounds<'_>>,
        origin: Origin,
        merging: &mut Merging<'_>,
    ) -> (Insert, ZoneId) {
        let reached = match zone {
            Reached::Known(id) => id,
            Reached::Fresh(zone) => self.zones.intern(zone),
        };
        let (group, elements) = self.group_of_row(row);
        let depth = origin.parent.and_then(|parent| self.depth(parent)).map_or(0, |depth| depth + 1);
        let mut new =
            Candidate { group, row: row.to_vec(), elements, zone: reached, depth, parts: Vec::new(), is_joined: false };
        let place = *self.places.item(group as usize);
        if place != NO_NODE {
            let covering = self.with_list(place, group, alu, |store, list| store.fit(list, &mut new, alu, merging));
            if let Some(node) = covering {
                merging.arrive(origin.parent, origin.ordinal, node);
                return (Insert::Covered, reached);
            }
        }
        if new.is_joined {
            merging.count(group);
        }
        let discrete = self.intern(&new.row).0;
        let node = self.push(discrete, new.zone, origin, depth);
        self.list(node, group, alu);
        for (part, zone) in new.parts {
            merging.merged(part, zone, NodeId(node));
        }
        merging.arrive(origin.parent, origin.ordinal, NodeId(node));
        (Insert::New(NodeId(node)), reached)
    }

    /// The place of a row among those that states may be covered and joined in, and the elements that it has.
    fn group_of_row(&mut self, row: &[i32]) -> (u32, Vec<i32>) {
        let Some(groups) = &mut self.groups else { return (self.intern(row).0, Vec::new()) };
        let (group, is_new) = groups.of_row(row);
        if is_new {
            self.places.push(&[NO_NODE]);
        }
        let mut elements = Vec::new();
        groups.read(row, &mut elements);
        (group, elements)
    }

    /// The states that a node may be covered by and joined with have this number.
    #[must_use]
    pub fn group(&self, node: NodeId) -> u32 {
        let discrete = self.node(node.0).discrete;
        self.groups.as_ref().map_or(discrete, |groups| groups.group(discrete))
    }

    /// Compares a state with those of its group: returns one that covers it, if there is one; else joins it with those with which
    /// it may be, and drops those that it then covers.
    fn fit(
        &mut self,
        list: &mut Vec<Entry>,
        new: &mut Candidate,
        alu: Option<Bounds<'_>>,
        merging: &mut Merging<'_>,
    ) -> Option<NodeId> {
        let covering = list.iter().find(|old| {
            self.depth(NodeId(old.node)).is_none_or(|depth| depth <= new.depth)
                && self.is_covered(new, old, alu, true, merging)
        });
        if let Some(old) = covering {
            return Some(NodeId(old.node));
        }
        if merging.joins() {
            for i in (0..list.len()).rev() {
                if self.join(&list[i], new, merging) {
                    self.take_out(list, i, new, merging);
                    new.is_joined = true;
                }
            }
        }
        for i in (0..list.len()).rev() {
            let later = self.depth(NodeId(list[i].node)).is_none_or(|depth| new.depth <= depth);
            if later && self.is_covered(new, &list[i], alu, false, merging) {
                self.take_out(list, i, new, merging);
            }
        }
        None
    }

    /// Whether one of two states covers the other: the stored one the new one, or the other way round.
    fn is_covered(
        &self,
        new: &Candidate,
        old: &Entry,
        alu: Option<Bounds<'_>>,
        by_old: bool,
        merging: &mut Merging<'_>,
    ) -> bool {
        let (small, large) = if by_old { (new.zone, old.zone) } else { (old.zone, new.zone) };
        if self.zones.compare(small, large, (true, false), alu).is_none() {
            return false;
        }
        let discrete = self.node(old.node).discrete;
        let Some(groups) = &self.groups else { return true };
        let elements = groups.elements(discrete);
        if elements == new.elements {
            return true;
        }
        let related = if by_old {
            merging.compare(&new.elements, elements, (true, false)).0
        } else {
            merging.compare(elements, &new.elements, (true, false)).0
        };
        if !related || !merging.guards_elements() {
            return related;
        }
        let mut row = Vec::new();
        self.rows.read(discrete, &mut row);
        if by_old { merging.keeps(&new.row, &row) } else { merging.keeps(&row, &new.row) }
    }

    /// Joins a state with a stored one, if it may be.
    fn join(&mut self, old: &Entry, new: &mut Candidate, merging: &mut Merging<'_>) -> bool {
        let (mut zone, mut old_zone) = (std::mem::take(&mut self.zone), std::mem::take(&mut self.other));
        self.zones.read(new.zone, &mut zone);
        self.zones.read(old.zone, &mut old_zone);
        let discrete = self.node(old.node).discrete;
        let elements = self.groups.as_ref().map_or(&[][..], |groups| groups.elements(discrete));
        let mut row = new.row.clone();
        if let Some(groups) = &self.groups {
            groups.write(elements, &mut row);
        }
        let stored = Side { row: &row, elements, zone: &old_zone };
        let arrived = Side { row: &new.row, elements: &new.elements, zone: &zone };
        let joins = merging.join(new.group, stored, arrived);
        if joins {
            let joined = merging.joined();
            joined.elements.clone_into(&mut new.elements);
            if let Some(groups) = &self.groups {
                groups.write(joined.elements, &mut new.row);
            }
            new.zone = self.zones.intern(joined.zone);
        }
        (self.zone, self.other) = (zone, old_zone);
        joins
    }

    /// Takes a state out of its list: the new one stands for it.
    fn take_out(&mut self, list: &mut Vec<Entry>, i: usize, new: &mut Candidate, merging: &Merging<'_>) {
        let Entry { zone, node, .. } = list[i];
        if merging.remembers() {
            list.remove(i);
            self.node_mut(node).zone = GONE;
            self.stored -= 1;
            new.parts.push((NodeId(node), zone));
        } else {
            self.remove(list, i);
        }
    }

    /// Forgets the zone of a state that is gone for ever.
    pub(crate) fn forget(&mut self, zone: ZoneId) {
        self.zones.release(zone);
    }

    /// Drops a state for ever.
    pub(crate) fn drop_node(&mut self, node: NodeId) {
        let group = self.group(node);
        let place = *self.places.item(group as usize);
        if place == NO_NODE {
            return;
        }
        self.with_list(place, group, None, |store, list| {
            if let Some(i) = list.iter().position(|entry| entry.node == node.0) {
                store.remove(list, i);
            }
        });
    }

    /// Puts a state that is gone back where it was.
    pub(crate) fn revive(&mut self, node: NodeId, zone: ZoneId) {
        self.node_mut(node.0).zone = zone.0;
        self.stored += 1;
        self.list(node.0, self.group(node), None);
    }
}
