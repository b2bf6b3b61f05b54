//! How the integers of elements change when elements grow.

/// How one of the integers of an element changes when the element grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotOrder {
    /// It keeps its bits, and may get more.
    MoreBits,
    /// It gets no other bits, and may lose some.
    FewerBits,
    /// It does not become smaller.
    Rises,
    /// It does not become greater.
    Falls,
}

impl SlotOrder {
    /// Returns whether the integer of an element and that of a greater one may be these.
    #[must_use]
    pub fn allows(self, small: i32, large: i32) -> bool {
        match self {
            SlotOrder::MoreBits => small & !large == 0,
            SlotOrder::FewerBits => large & !small == 0,
            SlotOrder::Rises => small <= large,
            SlotOrder::Falls => large <= small,
        }
    }

    /// Returns a number that becomes greater whenever the integer changes as elements grow.
    #[inline]
    #[must_use]
    pub fn rank(self, integer: i32) -> i64 {
        match self {
            SlotOrder::MoreBits => i64::from(integer.count_ones()),
            SlotOrder::FewerBits => i64::from(integer.count_zeros()),
            SlotOrder::Rises => i64::from(integer),
            SlotOrder::Falls => -i64::from(integer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_rise_strictly() {
        let numbers = [i32::MIN, -3, -1, 0, 1, 2, 3, 6, 0x55, i32::MAX];
        for order in [SlotOrder::MoreBits, SlotOrder::FewerBits, SlotOrder::Rises, SlotOrder::Falls] {
            for a in numbers {
                for b in numbers {
                    let (up, down) = (order.allows(a, b), order.allows(b, a));
                    assert_eq!(up && down, a == b, "{order:?} {a} {b}");
                    assert!(!up || a == b || order.rank(a) < order.rank(b), "{order:?} {a} {b}");
                }
            }
        }
    }
}
