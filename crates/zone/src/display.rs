//! Rendering of zones.

use crate::bound::{Bound, BoundText, is_strict, value};
use crate::minimal::{first_in_class, is_needed};
use std::fmt;

/// Renders the non-redundant constraints of a zone: `x>=1, x<=5, y-x<3, z=x+2`, or `true` if there
/// are none. `name` returns the names of clocks.
///
/// Precondition: closed and not empty.
pub fn display<B: Bound, N: fmt::Display>(zone: &[B], dim: usize, name: impl Fn(usize) -> N) -> impl fmt::Display {
    assert_eq!(zone.len(), dim * dim);
    Constraints { zone, dim, name }
}

struct Constraints<'a, B, F> {
    zone: &'a [B],
    dim: usize,
    name: F,
}

impl<B: Bound, N: fmt::Display, F: Fn(usize) -> N> fmt::Display for Constraints<'_, B, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Constraints { zone, dim, ref name } = *self;
        let mut separator = "";
        let mut write = |constraint: fmt::Arguments<'_>| {
            let written = write!(f, "{separator}{constraint}");
            separator = ", ";
            written
        };
        // The bounds of each clock, then those on differences; a clock with a fixed difference to
        // another one has that equation only.
        for x in 1..dim {
            let first = first_in_class(zone, dim, x);
            let bound = |i: usize, j: usize| zone[i * dim + j];
            if first < x {
                let difference = value(bound(x, first));
                let zero = B::LT_ZERO;
                match (first, difference) {
                    (0, _) => write(format_args!("{}={difference}", name(x)))?,
                    (_, d) if d == zero => write(format_args!("{}={}", name(x), name(first)))?,
                    (_, d) if d > zero => write(format_args!("{}={}+{difference}", name(x), name(first)))?,
                    _ => write(format_args!("{}={}{difference}", name(x), name(first)))?,
                }
                continue;
            }
            if bound(0, x) != B::LE_ZERO && is_needed(zone, dim, 0, x) {
                write(format_args!("{}{}", name(x), AtLeast(bound(0, x))))?;
            }
            if is_needed(zone, dim, x, 0) {
                write(format_args!("{}{}", name(x), BoundText(bound(x, 0))))?;
            }
        }
        for x in (1..dim).filter(|&x| first_in_class(zone, dim, x) == x) {
            for y in (1..dim).filter(|&y| y != x && is_needed(zone, dim, x, y)) {
                match zone[x * dim + y] {
                    b if b == B::LT_ZERO => write(format_args!("{}<{}", name(x), name(y)))?,
                    b if b == B::LE_ZERO => write(format_args!("{}<={}", name(x), name(y)))?,
                    b if b < B::LT_ZERO => write(format_args!("{}-{}{}", name(y), name(x), AtLeast(b)))?,
                    b => write(format_args!("{}-{}{}", name(x), name(y), BoundText(b)))?,
                }
            }
        }
        if separator.is_empty() { f.write_str("true") } else { Ok(()) }
    }
}

/// Renders a bound on `y - x` as one on `x - y`: `>5` or `>=5`.
struct AtLeast<B>(B);

impl<B: Bound> fmt::Display for AtLeast<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_assert!(self.0 < B::INFINITY);
        write!(f, "{}{}", if is_strict(self.0) { ">" } else { ">=" }, -value(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::display;
    use crate::{constrain, copy, delay, le, lt, reset, universe, zero};

    fn text(zone: &[i32]) -> String {
        display(zone, 4, |x| ["0", "x", "y", "z"][x]).to_string()
    }

    #[test]
    fn only_what_is_needed() {
        let mut zone = vec![0; 16];
        universe(&mut zone, 4);
        assert_eq!(text(&zone), "true");
        assert!(constrain(&mut zone, 4, 1, 0, le(5)));
        assert!(constrain(&mut zone, 4, 0, 1, lt(-1)));
        assert_eq!(text(&zone), "x>1, x<=5");
        assert!(constrain(&mut zone, 4, 2, 1, lt(3)));
        assert_eq!(text(&zone), "x>1, x<=5, y-x<3");
        assert!(constrain(&mut zone, 4, 3, 2, le(0)));
        assert!(constrain(&mut zone, 4, 3, 1, lt(-1)));
        assert_eq!(text(&zone), "x<=5, y-x<3, x-z>1, z<=y");
    }

    #[test]
    fn fixed_differences() {
        let mut zone = vec![0; 16];
        zero(&mut zone, 4);
        assert_eq!(text(&zone), "x=0, y=0, z=0");
        reset(&mut zone, 4, 2, 7);
        assert_eq!(text(&zone), "x=0, y=7, z=0");
        delay(&mut zone, 4);
        assert_eq!(text(&zone), "y=x+7, z=x");
        copy(&mut zone, 4, 1, 2, 1);
        assert_eq!(text(&zone), "x>=8, y=x-1, z=x-8");
    }
}
