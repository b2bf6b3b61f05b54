//! Sets of delays.

use crate::ratio::Ratio;

/// A place between two delays: right before a number or right behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// The number.
    pub at: Ratio,
    /// Whether the number itself is on the left.
    pub behind: bool,
}

impl Cut {
    /// The cut that has all delays on its right.
    pub const START: Cut = Cut { at: Ratio::ZERO, behind: false };
}

/// The delays between two cuts. There is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayInterval {
    /// The left end.
    pub from: Cut,
    /// The right end; `None`: there is none.
    pub to: Option<Cut>,
}

impl DelayInterval {
    /// All delays.
    pub const ALL: DelayInterval = DelayInterval { from: Cut::START, to: None };
    /// No delay but 0.
    pub const NOW: DelayInterval = DelayInterval { from: Cut::START, to: Some(Cut { at: Ratio::ZERO, behind: true }) };

    /// Whether a delay is between the cuts.
    #[must_use]
    pub fn contains(&self, delay: Ratio) -> bool {
        self.from <= Cut { at: delay, behind: false } && self.to.is_none_or(|to| Cut { at: delay, behind: true } <= to)
    }

    /// The part that two have in common.
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

/// A set of delays: intervals in their order, with something between each two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays(Vec<DelayInterval>);

impl Delays {
    /// The intervals.
    #[must_use]
    pub fn intervals(&self) -> &[DelayInterval] {
        &self.0
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a delay is among them.
    #[must_use]
    pub fn contains(&self, delay: Ratio) -> bool {
        self.0.iter().any(|part| part.contains(delay))
    }

    /// Those that are in an interval too.
    #[must_use]
    pub fn and(&self, other: &DelayInterval) -> Delays {
        Delays(self.0.iter().filter_map(|part| part.and(other)).collect())
    }

    /// Those that are not in another set.
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
        let to = to.map(|(to, open)| Cut { at: Ratio::from(to), behind: !open });
        DelayInterval { from: Cut { at: Ratio::from(from), behind: open }, to }
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
