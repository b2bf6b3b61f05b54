//! An unlimited branching tree: an index of sets that finds the subsets of a set.
//!
//! Hoffmann and Koehler, "A new method to query and index sets", IJCAI 1999. Each set is a path of
//! its elements in increasing order, so that sets share their common beginnings. A lookup follows
//! the branches whose elements are in the set. Merkhet looks states up in groups instead
//! (`abstract_states`); the tree is the paper's way.

/// The branch has no set that ends there, or none below.
const NONE: u32 = u32::MAX;

/// A branch.
struct Branch {
    element: u32,
    /// The distance of the set that ends here.
    distance: u32,
    /// The least distance of the sets that end here or below.
    nearest: u32,
    children: Vec<u32>,
}

/// Sets of numbers, each with a distance.
pub(super) struct UbTree {
    /// The first is the root, which has no element.
    branches: Vec<Branch>,
}

impl Default for UbTree {
    fn default() -> UbTree {
        UbTree { branches: vec![Branch { element: 0, distance: NONE, nearest: NONE, children: Vec::new() }] }
    }
}

impl UbTree {
    /// Adds a set, given by its elements in increasing order. Of equal sets the least distance
    /// counts.
    pub fn insert(&mut self, elements: impl Iterator<Item = u32>, distance: u32) {
        let mut at = 0;
        self.branches[at].nearest = self.branches[at].nearest.min(distance);
        for element in elements {
            let children = &self.branches[at].children;
            let place = children.partition_point(|child| self.branches[*child as usize].element < element);
            let known = children.get(place).copied().filter(|c| self.branches[*c as usize].element == element);
            let next = known.unwrap_or_else(|| {
                let new = self.branches.len() as u32;
                self.branches.push(Branch { element, distance: NONE, nearest: NONE, children: Vec::new() });
                self.branches[at].children.insert(place, new);
                new
            });
            at = next as usize;
            self.branches[at].nearest = self.branches[at].nearest.min(distance);
        }
        self.branches[at].distance = self.branches[at].distance.min(distance);
    }

    /// Returns the least distance of the subsets of a set; `None`: there are none.
    #[must_use]
    pub fn nearest(&self, has: impl Fn(u32) -> bool) -> Option<u32> {
        let mut best = NONE;
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let branch = &self.branches[at as usize];
            if branch.nearest >= best {
                continue;
            }
            best = best.min(branch.distance);
            let children = branch.children.iter().copied();
            open.extend(children.filter(|child| has(self.branches[*child as usize].element)));
        }
        (best != NONE).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn the_nearest_subset_is_found() {
        let mut random = SplitMix::new(7);
        for round in 0..200 {
            let mut tree = UbTree::default();
            let mut sets: Vec<(u64, u32)> = Vec::new();
            for _ in 0..random.next() % 40 {
                let set = random.next() & random.next() & 0xffff;
                let distance = (random.next() % 10) as u32;
                tree.insert((0..16).filter(|bit| set >> bit & 1 == 1), distance);
                sets.push((set, distance));
            }
            for _ in 0..50 {
                let asked = (random.next() | random.next()) & 0xffff;
                let naive = sets.iter().filter(|(set, _)| set & !asked == 0).map(|(_, distance)| *distance).min();
                assert_eq!(tree.nearest(|bit| asked >> bit & 1 == 1), naive, "{round}: {sets:?} {asked:x}");
            }
        }
    }

    #[test]
    fn the_empty_set_is_in_all() {
        let mut tree = UbTree::default();
        assert_eq!(tree.nearest(|_| true), None);
        tree.insert([].into_iter(), 4);
        tree.insert([3].into_iter(), 2);
        assert_eq!((tree.nearest(|_| false), tree.nearest(|bit| bit == 3)), (Some(4), Some(2)));
    }
}
