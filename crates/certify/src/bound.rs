//! Bounds on differences of clocks.

/// `< c`, `<= c`, or no bound. Smaller bounds are tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DifferenceBound(
    /// Twice the number, plus one for `<=`. Numbers of models and certificates have 64 bits, and a
    /// zone adds up at most a few thousand of them.
    i128,
);

impl DifferenceBound {
    /// No bound.
    pub const NONE: DifferenceBound = DifferenceBound(i128::MAX);
    /// `<= 0`
    pub const ZERO: DifferenceBound = DifferenceBound(1);

    /// Returns `< c` if strict, else `<= c`.
    #[must_use]
    pub fn new(c: impl Into<i128>, strict: bool) -> DifferenceBound {
        DifferenceBound(2 * c.into() + i128::from(!strict))
    }

    /// Returns the number; `None` if there is no bound.
    #[must_use]
    pub fn number(self) -> Option<i128> {
        (self != DifferenceBound::NONE).then_some(self.0 >> 1)
    }

    /// Returns whether it is `<`.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the bound of `x - z` if `self` bounds `x - y` and `other` bounds `y - z`.
    pub(crate) fn plus(self, other: DifferenceBound) -> DifferenceBound {
        if self == DifferenceBound::NONE || other == DifferenceBound::NONE {
            return DifferenceBound::NONE;
        }
        DifferenceBound((self.0 & !1) + (other.0 & !1) + (self.0 & other.0 & 1))
    }

    /// Returns the bound of `x - y + c` if `self` bounds `x - y`.
    pub(crate) fn shifted(self, c: i64) -> DifferenceBound {
        if self == DifferenceBound::NONE { self } else { DifferenceBound(self.0 + 2 * i128::from(c)) }
    }

    /// Returns the bound of `y - x` where `x - y` violates `self`. Precondition: there is a bound.
    pub(crate) fn negated(self) -> DifferenceBound {
        DifferenceBound(1 - self.0)
    }

    /// Returns the same bound with `<`.
    pub(crate) fn strictly(self) -> DifferenceBound {
        if self == DifferenceBound::NONE { self } else { DifferenceBound(self.0 & !1) }
    }
}
