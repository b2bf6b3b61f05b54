//! Summaries of elements, by which comparable ones are found.

use lattice::SlotOrder;

/// The number of parts of elements that are summarised each.
const PARTS: usize = 4;

/// A rank of each part of elements. No rank falls when elements grow, and if elements differ in
/// integers that have an order, one rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementMark([i64; PARTS]);

impl ElementMark {
    /// The mark that is neither below nor above any mark of elements.
    pub(crate) const NONE: ElementMark = ElementMark([i64::MIN, i64::MAX, i64::MIN, i64::MAX]);

    /// Returns the mark of elements, given the order of each integer.
    pub(crate) fn new(elements: &[i32], orders: &[Option<SlotOrder>]) -> ElementMark {
        let length = elements.len().div_ceil(PARTS).max(1);
        let mut ranks = [0; PARTS];
        for (rank, (part, orders)) in ranks.iter_mut().zip(elements.chunks(length).zip(orders.chunks(length))) {
            let ranked = part.iter().zip(orders).filter_map(|(integer, order)| Some(order.as_ref()?.rank(*integer)));
            *rank = ranked.sum();
        }
        ElementMark(ranks)
    }

    /// Returns whether elements with this mark may be below elements with another.
    #[inline]
    pub(crate) fn is_below(self, other: ElementMark) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }

    /// Returns the least ranks of two marks.
    pub(crate) fn least(self, other: ElementMark) -> ElementMark {
        self.combine(other, i64::min)
    }

    /// Returns the greatest ranks of two marks.
    pub(crate) fn greatest(self, other: ElementMark) -> ElementMark {
        self.combine(other, i64::max)
    }

    fn combine(self, other: ElementMark, choose: fn(i64, i64) -> i64) -> ElementMark {
        ElementMark(std::array::from_fn(|i| choose(self.0[i], other.0[i])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_the_order_of_elements() {
        let orders = [SlotOrder::MoreBits, SlotOrder::Rises, SlotOrder::Falls, SlotOrder::FewerBits];
        let orders: Vec<Option<SlotOrder>> = orders.into_iter().map(Some).chain([None]).collect();
        let elements = |i: i32| -> Vec<i32> { (0..5).map(|slot| (i >> (2 * slot)) & 3).collect() };
        for a in (0..1024).map(elements) {
            for b in (0..1024).step_by(7).map(elements) {
                let is_below =
                    orders.iter().zip(a.iter().zip(&b)).all(|(o, (a, b))| o.is_none_or(|o| o.allows(*a, *b)));
                let (mark, other) = (ElementMark::new(&a, &orders), ElementMark::new(&b, &orders));
                assert!(!is_below || mark.is_below(other), "{a:?} {b:?}");
                assert!(!is_below || a[..4] == b[..4] || mark != other, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn no_elements_are_comparable_with_no_mark() {
        let mark = ElementMark::new(&[3, -5], &[Some(SlotOrder::Rises), None]);
        assert!(!mark.is_below(ElementMark::NONE) && !ElementMark::NONE.is_below(mark));
    }
}
