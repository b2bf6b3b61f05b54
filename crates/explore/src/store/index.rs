//! An index of the elements of a large group.
//!
//! An [`ElementMark`] summarises elements by a few numbers that rise when elements grow: how many
//! bits they have, or how great their integers are. A state is compared only with members whose
//! marks allow it, and blocks of members are skipped by the least and greatest numbers of their
//! marks. Marks with the same sum belong to equal or incomparable elements, so in most groups few
//! comparisons are left. Members keep their order.

use crate::merging::ElementMark;

/// The number of members of a block.
const BLOCK: usize = 32;

/// Least size of an indexed group: its members, and the integers of all its elements. Smaller
/// groups are compared faster than marks are made.
const MIN_MEMBERS: usize = 16;
const MIN_INTEGERS: usize = 512;

/// The marks of a group's members.
pub(super) struct Index {
    marks: Vec<ElementMark>,
    /// For each block: numbers that are not greater than those of its marks, and numbers that are
    /// not less.
    blocks: Vec<(ElementMark, ElementMark)>,
    /// The member that has covered a state last. It is likely to cover the next one.
    pub last: Option<usize>,
}

impl Index {
    /// Creates the index of a group, given the marks of its members.
    pub(super) fn new(marks: impl Iterator<Item = ElementMark>) -> Index {
        let mut index = Index { marks: Vec::new(), blocks: Vec::new(), last: None };
        marks.for_each(|mark| index.add(mark));
        index
    }

    /// Returns whether a group of this size is indexed.
    pub(super) fn suits(members: usize, integers: usize) -> bool {
        members >= MIN_MEMBERS && integers >= MIN_INTEGERS
    }

    /// Returns the number of integers that it takes.
    pub(super) fn capacity(&self) -> usize {
        (self.marks.capacity() * size_of::<ElementMark>()
            + self.blocks.capacity() * size_of::<(ElementMark, ElementMark)>())
            / size_of::<i32>()
    }

    pub(super) fn add(&mut self, mark: ElementMark) {
        if self.marks.len().is_multiple_of(BLOCK) {
            self.blocks.push((mark, mark));
        } else if let Some((least, greatest)) = self.blocks.last_mut() {
            (*least, *greatest) = (least.least(mark), greatest.greatest(mark));
        }
        self.marks.push(mark);
    }

    /// Excludes a member from all results.
    pub(super) fn remove(&mut self, i: usize) {
        self.marks[i] = ElementMark::NONE;
        self.last = self.last.filter(|last| *last != i);
    }

    /// Drops removed members.
    pub(super) fn compact(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        *self = Index::new(marks.into_iter().filter(|mark| *mark != ElementMark::NONE));
    }

    /// Returns the first member, starting at an index, whose mark allows it to be above elements
    /// with a mark, or below them; if there is none, the number of members.
    pub(super) fn next(&self, mark: ElementMark, from: usize, above: bool) -> usize {
        let mut i = from;
        while i < self.marks.len() {
            let end = self.marks.len().min((i / BLOCK + 1) * BLOCK);
            let (least, greatest) = self.blocks[i / BLOCK];
            let may = if above { mark.is_below(greatest) } else { least.is_below(mark) };
            if may {
                let related = |other: &ElementMark| if above { mark.is_below(*other) } else { other.is_below(mark) };
                if let Some(found) = self.marks[i..end].iter().position(related) {
                    return i + found;
                }
            }
            i = end;
        }
        i
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;
    use lattice::SlotOrder;

    const ORDERS: [Option<SlotOrder>; 6] = [
        Some(SlotOrder::MoreBits),
        Some(SlotOrder::FewerBits),
        Some(SlotOrder::Rises),
        Some(SlotOrder::Falls),
        Some(SlotOrder::Rises),
        None,
    ];

    fn is_below(a: &[i32], b: &[i32]) -> bool {
        ORDERS.iter().zip(a.iter().zip(b)).all(|(order, (a, b))| order.is_none_or(|order| order.allows(*a, *b)))
    }

    /// The members that are above an element, or below it, among those that the index finds.
    fn found(index: &Index, members: &[Option<Vec<i32>>], of: &[i32], above: bool) -> Vec<usize> {
        let mark = ElementMark::new(of, &ORDERS);
        let mut all = Vec::new();
        let mut i = index.next(mark, 0, above);
        while i < members.len() {
            let member = members[i].as_ref().expect("no removed member is found");
            if if above { is_below(of, member) } else { is_below(member, of) } {
                all.push(i);
            }
            i = index.next(mark, i + 1, above);
        }
        all
    }

    #[test]
    fn all_comparable_members_are_found_in_order() {
        let mut random = SplitMix::new(1);
        let mut element = || -> Vec<i32> { (0..ORDERS.len()).map(|_| random.below(4) as i32).collect() };
        let mut index = Index::new(std::iter::empty());
        let mut members: Vec<Option<Vec<i32>>> = Vec::new();
        let mut compared = 0;
        for round in 0..600 {
            let new = element();
            index.add(ElementMark::new(&new, &ORDERS));
            members.push(Some(new));
            if round % 3 == 0 {
                let removed = (round * 7) % members.len();
                index.remove(removed);
                members[removed] = None;
            }
            if round % 100 == 99 {
                index.compact();
                members.retain(Option::is_some);
            }
            let of = element();
            for above in [true, false] {
                let related = |member: &Vec<i32>| if above { is_below(&of, member) } else { is_below(member, &of) };
                let all = members.iter().enumerate().filter(|(_, member)| member.as_ref().is_some_and(related));
                let all: Vec<usize> = all.map(|(i, _)| i).collect();
                compared += all.len();
                assert_eq!(found(&index, &members, &of, above), all, "round {round}");
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
