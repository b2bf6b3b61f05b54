//! Undoing a join, with all its descendants and nothing else.

use super::{Merging, values};
use crate::store::{NodeId, Store};
use zone::Bound;

impl<B: Bound> Merging<'_, B> {
    /// Undoes the join of a state. All its descendants are removed, the states that it was joined
    /// from are restored, and transitions to removed states have to be taken again. Returns the
    /// restored states that have not been expanded.
    pub(crate) fn cut(&mut self, store: &mut Store<B>, blamed: NodeId) -> Vec<NodeId> {
        let Some(ancestry) = &mut self.ancestry else { return Vec::new() };
        // Descendants have greater numbers.
        let mut goes = vec![false; store.added()];
        for number in blamed.0..store.added() as u32 {
            let node = NodeId(number);
            let parent = store.parent(node).0;
            goes[number as usize] = node == blamed
                || parent.is_some_and(|parent| goes[parent.0 as usize])
                || ancestry.parts_of(node).iter().any(|part| goes[part.0 as usize]);
        }
        let mut open = Vec::new();
        let mut back = Vec::new();
        for number in blamed.0..store.added() as u32 {
            let node = NodeId(number);
            if !goes[number as usize] {
                continue;
            }
            if let Some(zone) = ancestry.zones.remove(&node) {
                store.forget(zone);
            } else if !store.is_gone(node) {
                store.drop_node(node);
            }
            back.extend(ancestry.parts.remove(&node).unwrap_or_default().into_iter().filter(|p| !goes[p.0 as usize]));
        }
        let (strategy, splits) = (&mut self.strategy, self.splits.is_some());
        let wide = &self.wide;
        let mut values = |node: NodeId, row: &[i32], out: &mut Vec<i32>| {
            let is_wide = wide.get(node.0 as usize).is_some_and(|is| *is);
            values(strategy.as_mut(), splits.then_some(is_wide), row, out);
        };
        let orders = &self.orders;
        let find_key = |elements: &[i32]| orders.key(elements);
        for node in back {
            if let Some(zone) = ancestry.zones.remove(&node) {
                store.revive(node, zone, &mut values, &find_key);
                if !ancestry.is_expanded(node) {
                    open.push(node);
                }
            }
        }
        ancestry.forget(&goes);
        self.undone += goes.iter().filter(|goes| **goes).count();
        self.again.clear();
        // The list is a stack.
        for (from, ordinal) in ancestry.again(store).into_iter().rev() {
            match self.again.last_mut() {
                Some((last, ordinals)) if *last == from => ordinals.push(ordinal),
                _ => self.again.push((from, vec![ordinal])),
            }
        }
        open
    }
}
