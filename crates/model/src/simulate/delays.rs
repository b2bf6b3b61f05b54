//! Sets of delays.

use crate::ratio::Ratio;

/// A point between two delays: directly before or directly after a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// The number.
    pub at: Ratio,
    /// Whether the point is after the number.
    pub after: bool,
}

impl Cut {
    /// The point before all delays.
    pub const START: Cut = Cut { at: Ratio::ZERO, after: false };
}

/// A nonempty set of delays between two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayInterval {
    /// The left end.
    pub from: Cut,
    /// The right end; `None` if it is unbounded.
    pub to: Option<Cut>,
}

impl DelayInterval {
    /// All delays.
    pub const ALL: DelayInterval = DelayInterval { from: Cut::START, to: None };
    /// The delay 0 alone.
    pub const NOW: DelayInterval = DelayInterval { from: Cut::START, to: Some(Cut { at: Ratio::ZERO, after: true }) };

    /// Returns whether it contains a delay.
    #[must_use]
    pub fn contains(&self, delay: Ratio) -> bool {
        self.from <= Cut { at: delay, after: false } && self.to.is_none_or(|to| Cut { at: delay, after: true } <= to)
    }

    /// Returns the intersection of two intervals.
    #[must_use]
    pub fn and(&self, other: &DelayInterval) -> Option<DelayInterval> {
        let from = self.from.max(other.from);
        let to = match (self.to, other.to) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        to.is_none_or(|to| from < to).then_some(DelayInterval { from, to })
    }
}

/// A set of delays: disjoint intervals that do not touch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays(Vec<DelayInterval>);

impl Delays {
    /// Returns the intervals.
    #[must_use]
    pub fn intervals(&self) -> &[DelayInterval] {
        &self.0
    }

    /// Returns whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether it contains a delay.
    #[must_use]
    pub fn contains(&self, delay: Ratio) -> bool {
        self.0.iter().any(|part| part.contains(delay))
    }

    /// Returns the intersection with an interval.
    #[must_use]
    pub fn and(&self, other: &DelayInterval) -> Delays {
        Delays(self.0.iter().filter_map(|part| part.and(other)).collect())
    }

    /// Returns the difference to another set.
    #[must_use]
    pub fn minus(&self, other: &Delays) -> Delays {
        let mut left = self.0.clone();
        for hole in &other.0 {
            let mut rest = Vec::new();
            for part in left {
                rest.extend(part.and(&DelayInterval { from: Cut::START, to: Some(hole.from) }));
                rest.extend(hole.to.and_then(|from| part.and(&DelayInterval { from, to: None })));
            }
            left = rest;
        }
        Delays(left)
    }
}

impl From<DelayInterval> for Delays {
    fn from(interval: DelayInterval) -> Delays {
        Delays(vec![interval])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(from: i32, open: bool, to: Option<(i32, bool)>) -> DelayInterval {
        let to = to.map(|(to, open)| Cut { at: Ratio::from(to), after: !open });
        DelayInterval { from: Cut { at: Ratio::from(from), after: open }, to }
    }

    #[test]
    fn borders_belong_to_one_side() {
        let all = Delays::from(interval(0, false, None));
        let hole = Delays::from(interval(2, false, Some((5, true))));
        let rest = all.minus(&hole);
        assert_eq!(rest.intervals(), [interval(0, false, Some((2, true))), interval(5, false, None)]);
        assert!(!rest.contains(Ratio::from(2)) && rest.contains(Ratio::from(5)));
        assert_eq!(rest.minus(&rest), Delays::default());
        assert_eq!(all.minus(&rest), hole);
        assert_eq!(hole.and(&interval(5, false, None)), Delays::default());
        assert_eq!(
            hole.minus(&Delays::from(interval(2, true, None))),
            Delays::from(interval(2, false, Some((2, false))))
        );
        assert!(DelayInterval::NOW.contains(Ratio::ZERO) && !DelayInterval::NOW.contains(Ratio::new(1, 9).unwrap()));
    }
}
