//! Summaries of elements, by which comparable ones are found.

use lattice::SlotOrder;

/// The number of parts of elements that are ranked each.
const PARTS: usize = 3;

/// A rank of each part of elements, and a set of bits. No rank falls and no bit is lost when
/// elements grow, and if elements differ in integers that have an order, one rank rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementMark {
    ranks: [i64; PARTS],
    /// The bits of all bit sets, of which two integers share each place.
    bits: u64,
}

/// What an index needs to know of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementKey {
    pub mark: ElementMark,
    /// A hash of the elements.
    pub hash: u64,
    /// Whether all integers have an order. Then elements of the same rank are equal or
    /// incomparable.
    pub is_ordered: bool,
}

impl ElementMark {
    /// Returns the mark of elements, given the order of each integer.
    pub(crate) fn new(elements: &[i32], orders: &[Option<SlotOrder>]) -> ElementMark {
        let mut mark = ElementMark { ranks: [0; PARTS], bits: 0 };
        let length = part_length(elements);
        for (rank, (part, orders)) in mark.ranks.iter_mut().zip(elements.chunks(length).zip(orders.chunks(length))) {
            let ranked = part.iter().zip(orders).filter_map(|(integer, order)| Some(order.as_ref()?.rank(*integer)));
            *rank = ranked.sum();
        }
        for (i, (integer, order)) in elements.iter().zip(orders).enumerate() {
            mark.bits |= match order {
                Some(SlotOrder::MoreBits) => place(i, *integer),
                Some(SlotOrder::FewerBits) => place(i, !*integer),
                Some(SlotOrder::Rises | SlotOrder::Falls) | None => 0,
            };
        }
        mark
    }

    /// Returns the mark of elements that are all bit sets, given which bits of theirs are inverted.
    pub(crate) fn of_bits(elements: &[i32], flips: &[i32]) -> ElementMark {
        let mut mark = ElementMark { ranks: [0; PARTS], bits: 0 };
        let length = part_length(elements);
        for (rank, (part, flips)) in mark.ranks.iter_mut().zip(elements.chunks(length).zip(flips.chunks(length))) {
            *rank = part.iter().zip(flips).map(|(bits, flip)| i64::from((bits ^ flip).count_ones())).sum();
        }
        for (i, (bits, flip)) in elements.iter().zip(flips).enumerate() {
            mark.bits |= place(i, bits ^ flip);
        }
        mark
    }

    /// Returns whether elements with this mark may be below elements with another.
    #[inline]
    pub(crate) fn is_below(&self, other: &ElementMark) -> bool {
        self.bits & !other.bits == 0 && self.ranks.iter().zip(&other.ranks).all(|(a, b)| a <= b)
    }

    /// Returns the rank of all elements.
    pub(crate) fn rank(&self) -> i64 {
        self.ranks.iter().sum()
    }
}

fn part_length(elements: &[i32]) -> usize {
    elements.len().div_ceil(PARTS).max(1)
}

/// Returns the bits of the integer at an index among the bits of a mark.
#[inline]
fn place(i: usize, bits: i32) -> u64 {
    u64::from(bits as u32) << (32 * (i % 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_the_order_of_elements() {
        let orders = [SlotOrder::MoreBits, SlotOrder::Rises, SlotOrder::Falls, SlotOrder::FewerBits];
        let orders: Vec<Option<SlotOrder>> = orders.into_iter().map(Some).chain([None]).collect();
        let elements = |i: i32| -> Vec<i32> { (0..5).map(|slot| (i >> (2 * slot)) & 3).collect() };
        let mut told_apart = 0;
        for a in (0..1024).map(elements) {
            for b in (0..1024).step_by(7).map(elements) {
                let is_below =
                    orders.iter().zip(a.iter().zip(&b)).all(|(o, (a, b))| o.is_none_or(|o| o.allows(*a, *b)));
                let (mark, other) = (ElementMark::new(&a, &orders), ElementMark::new(&b, &orders));
                assert!(!is_below || mark.is_below(&other), "{a:?} {b:?}");
                assert!(!is_below || a[..4] == b[..4] || mark.rank() < other.rank(), "{a:?} {b:?}");
                told_apart += usize::from(!is_below && !mark.is_below(&other));
            }
        }
        assert!(told_apart > 50_000, "{told_apart}");
    }

    #[test]
    fn marks_of_bit_sets_are_the_same_either_way() {
        let orders = [SlotOrder::MoreBits, SlotOrder::FewerBits, SlotOrder::FewerBits, SlotOrder::MoreBits].map(Some);
        let flips = [0, -1, -1, 0];
        for i in 0..1000_i32 {
            let elements = [i, i.wrapping_mul(0x9E37_79B9_u32 as i32), -i, i << 16];
            for length in 0..=4 {
                let mark = ElementMark::new(&elements[..length], &orders[..length]);
                assert_eq!(ElementMark::of_bits(&elements[..length], &flips[..length]), mark, "{elements:?}");
            }
        }
    }
}
