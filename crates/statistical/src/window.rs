//! Windows of delays.

use crate::grid::Ticks;

/// The delays from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first delay, not negative.
    pub from: Ticks,
    /// The last delay, or [`NEVER`].
    pub to: Ticks,
}

/// Later than all moments.
pub(crate) const NEVER: Ticks = Ticks::MAX;

impl Window {
    /// All delays.
    pub(crate) const ALL: Window = Window { from: 0, to: NEVER };

    /// Returns the delays `t` with `slope * t <= slack`, if there are any.
    #[inline]
    pub(crate) fn below(slack: Ticks, slope: i64) -> Option<Window> {
        match slope {
            0 => (slack >= 0).then_some(Window::ALL),
            1.. => (slack >= 0).then(|| Window { from: 0, to: slack / slope }),
            // slope * t <= slack, so t >= -slack / -slope, rounded up.
            _ if slack >= 0 => Some(Window::ALL),
            _ => {
                let (distance, speed) = (slack.unsigned_abs(), slope.unsigned_abs());
                Ticks::try_from(distance.div_ceil(speed)).ok().map(|from| Window { from, to: NEVER })
            }
        }
    }

    /// Returns the delays in both windows, if there are any.
    #[inline]
    pub(crate) fn and(self, other: Window) -> Option<Window> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from <= to).then_some(Window { from, to })
    }

    /// Returns the last delay, if there is one.
    #[inline]
    pub(crate) fn end(self) -> Option<Ticks> {
        (self.to != NEVER).then_some(self.to)
    }

    #[inline]
    pub(crate) fn contains(self, delay: Ticks) -> bool {
        self.from <= delay && delay <= self.to
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn windows_are_the_solutions_of_inequalities() {
        for slack in -7_i64..=7 {
            for slope in -3_i64..=3 {
                let window = Window::below(slack, slope);
                for delay in 0..20 {
                    let inside = window.is_some_and(|window| window.contains(delay));
                    assert_eq!(inside, slope * delay <= slack, "{slope} * {delay} <= {slack}");
                }
            }
        }
        assert!(Window::below(i64::MIN, -1).is_none());
    }
}
