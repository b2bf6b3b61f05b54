//! An index of the elements of a large group.
//!
//! Members with equal elements are found by a hash. The others are in buckets by their rank, a
//! number that rises when elements grow: how many bits they have, or how great their integers are.
//! If all integers of the elements have an order, only members of greater rank can be above a
//! state, and only those of smaller rank below it. An [`ElementMark`] excludes most of the rest
//! without a comparison.

use hashbrown::HashTable;
use std::collections::BTreeMap;

use crate::{
    merging::{ElementKey, ElementMark},
    pages::table_bytes,
};

/// The least number of members of an indexed group. Smaller groups are compared faster than they
/// are indexed.
const MIN_MEMBERS: usize = 32;

/// The index of a group's members.
#[derive(Default)]
pub(super) struct Index {
    /// The members by the hash of their elements.
    equal: HashTable<u32>,
    buckets: BTreeMap<i64, RankBucket>,
    /// The place of each member, removed ones included.
    places: Vec<IndexEntry>,
}

/// The members of one rank, in any order.
#[derive(Default)]
struct RankBucket {
    marks: Vec<ElementMark>,
    members: Vec<u32>,
}

/// Where a member is in the index.
struct IndexEntry {
    hash: u64,
    rank: i64,
    /// Its position in the bucket; [`REMOVED`] if it was removed.
    slot: u32,
    is_ordered: bool,
}

const REMOVED: u32 = u32::MAX;

impl Index {
    /// Creates the index of a group, given the keys of its members.
    pub(super) fn new(keys: impl Iterator<Item = ElementKey>) -> Index {
        let mut index = Index::default();
        keys.for_each(|key| index.add(key));
        index
    }

    /// Returns whether a group of this size is indexed.
    pub(super) fn suits(members: usize) -> bool {
        members >= MIN_MEMBERS
    }

    /// Returns the approximate number of integers that it takes.
    pub(super) fn capacity(&self) -> usize {
        let entry = size_of::<ElementMark>() + size_of::<u32>();
        // Buckets have spare capacity.
        (self.places.capacity() * (size_of::<IndexEntry>() + 2 * entry) + table_bytes(&self.equal)) / size_of::<i32>()
    }

    /// Adds a member after all others.
    pub(super) fn add(&mut self, key: ElementKey) {
        let (member, rank) = (self.places.len() as u32, key.mark.rank());
        let bucket = self.buckets.entry(rank).or_default();
        let slot = bucket.members.len() as u32;
        bucket.marks.push(key.mark);
        bucket.members.push(member);
        self.places.push(IndexEntry { hash: key.hash, rank, slot, is_ordered: key.is_ordered });
        let places = &self.places;
        self.equal.insert_unique(key.hash, member, |i| places[*i as usize].hash);
    }

    /// Excludes a member from all results.
    pub(super) fn remove(&mut self, member: usize) {
        let IndexEntry { hash, rank, slot, .. } = self.places[member];
        self.places[member].slot = REMOVED;
        if let Ok(found) = self.equal.find_entry(hash, |i| *i as usize == member) {
            found.remove();
        }
        let Some(bucket) = self.buckets.get_mut(&rank) else { return };
        bucket.marks.swap_remove(slot as usize);
        bucket.members.swap_remove(slot as usize);
        match bucket.members.get(slot as usize) {
            Some(moved) => self.places[*moved as usize].slot = slot,
            None if bucket.members.is_empty() => {
                self.buckets.remove(&rank);
            }
            None => {}
        }
    }

    /// Drops removed members. The others keep their order.
    pub(super) fn compact(&mut self) {
        *self = Index::new(self.keys().into_iter().flatten());
    }

    /// Returns the keys of all members; `None`: it was removed.
    pub(super) fn keys(&self) -> Vec<Option<ElementKey>> {
        let key = |place: &IndexEntry| {
            let mark = *self.buckets.get(&place.rank)?.marks.get(place.slot as usize)?;
            Some(ElementKey { mark, hash: place.hash, is_ordered: place.is_ordered })
        };
        self.places.iter().map(key).collect()
    }

    /// Calls `accepts` with members that may be above elements, equal ones first, until it returns
    /// `true`. Returns that member.
    pub(super) fn find_above(&self, key: &ElementKey, mut accepts: impl FnMut(usize) -> bool) -> Option<usize> {
        let mut equal = self.equal(key);
        let found = equal.find(|member| accepts(*member));
        let above = self.buckets.range(key.mark.rank() + i64::from(key.is_ordered)..).rev();
        found.or_else(|| {
            above.into_iter().find_map(|(_, bucket)| {
                let mut entries = bucket.marks.iter().zip(&bucket.members);
                let accepts =
                    |(mark, member): &(&ElementMark, &u32)| key.mark.is_below(mark) && accepts(**member as usize);
                entries.find(accepts).map(|(_, member)| *member as usize)
            })
        })
    }

    /// Returns the first of the members that may be above elements and that `accepts` returns
    /// `true` for.
    pub(super) fn first_above(&self, key: &ElementKey, mut accepts: impl FnMut(usize) -> bool) -> Option<usize> {
        let mut first = None;
        self.find_above(key, |member| {
            if first.is_none_or(|first| member < first) && accepts(member) {
                first = Some(member);
            }
            false
        });
        first
    }

    /// Returns the members that may be below elements, in order.
    pub(super) fn below(&self, key: &ElementKey) -> Vec<usize> {
        let mut all: Vec<usize> = self.equal(key).collect();
        for (_, bucket) in self.buckets.range(..key.mark.rank() + i64::from(!key.is_ordered)) {
            let entries = bucket.marks.iter().zip(&bucket.members);
            all.extend(entries.filter(|(mark, _)| mark.is_below(&key.mark)).map(|(_, member)| *member as usize));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the members whose elements have a hash.
    fn equal(&self, key: &ElementKey) -> impl Iterator<Item = usize> {
        let same = |member: &usize| self.places[*member].hash == key.hash;
        self.equal.iter_hash(key.hash).map(|member| *member as usize).filter(same)
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

    /// Elements are ordered by their integers; those without an order must be equal.
    fn is_below(a: &[i32], b: &[i32]) -> bool {
        let slots = ORDERS.iter().zip(a.iter().zip(b));
        slots.into_iter().all(|(order, (a, b))| order.map_or(a == b, |order| order.allows(*a, *b)))
    }

    /// The last integer has no order, and it is left out if all are to have one.
    fn key(element: &[i32]) -> ElementKey {
        // Few hashes, so that different elements share some.
        let hash = element.iter().map(|integer| *integer as u64).sum::<u64>() % 7;
        let is_ordered = element.len() < ORDERS.len();
        ElementKey { mark: ElementMark::new(element, &ORDERS[..element.len()]), hash, is_ordered }
    }

    fn compare_with_scan(width: usize) {
        let mut random = SplitMix::new(width as u64);
        let mut element = || -> Vec<i32> { (0..width).map(|_| random.below(4) as i32).collect() };
        let mut index = Index::new(std::iter::empty());
        let mut members: Vec<Option<Vec<i32>>> = Vec::new();
        let (mut related, mut tested) = (0, 0);
        for round in 0..600 {
            let new = element();
            index.add(key(&new));
            members.push(Some(new));
            if round % 3 == 0 {
                let removed = (round * 7) % members.len();
                if members[removed].take().is_some() {
                    index.remove(removed);
                }
            }
            if round % 100 == 99 {
                index.compact();
                members.retain(Option::is_some);
            }
            let of = if round % 2 == 0 { element() } else { members.iter().flatten().next().unwrap().clone() };
            let stored = |i: usize| members[i].as_ref().expect("no removed member is found");
            let scan = |is: &dyn Fn(&Vec<i32>) -> bool| -> Vec<usize> {
                let live = members.iter().enumerate().filter_map(|(i, member)| Some((i, member.as_ref()?)));
                live.filter(|(_, member)| is(member)).map(|(i, _)| i).collect()
            };
            let above = scan(&|member| is_below(&of, member));
            let below = scan(&|member| is_below(member, &of));
            related += above.len() + below.len();
            let mut found = Vec::new();
            index.find_above(&key(&of), |i| {
                tested += 1;
                found.extend(is_below(&of, stored(i)).then_some(i));
                false
            });
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, above, "round {round}");
            let any = index.find_above(&key(&of), |i| is_below(&of, stored(i)));
            assert!(any.map_or(above.is_empty(), |any| above.contains(&any)), "round {round}");
            let first = index.first_above(&key(&of), |i| is_below(&of, stored(i)));
            assert_eq!(first, above.first().copied(), "round {round}");
            let found: Vec<usize> = index.below(&key(&of)).into_iter().filter(|i| is_below(stored(*i), &of)).collect();
            assert_eq!(found, below, "round {round}");
        }
        // Something was found, and little else was compared.
        assert!(related > 500 && tested < 600 * 100, "{related} {tested}");
    }

    #[test]
    fn all_comparable_members_are_found() {
        compare_with_scan(5);
        compare_with_scan(6);
    }
}
