//! Inclusion up to what the guards of a model can tell apart: `Z ⊆ aLU(Z')`.
//!
//! Let `L(x)` and `U(x)` be the largest constants to which clock `x` will still be compared from below (`x > c`,
//! `x >= c`) and from above. A valuation `v` is simulated by `v'` if for every clock `x`: `v'(x) = v(x)`, or
//! `L(x) < v'(x) < v(x)`, or `U(x) < v(x) < v'(x)`. `aLU(Z')` is the set of the valuations simulated by one in `Z'`; it is
//! the coarsest sound abstraction that knows `L` and `U` only (Herbreteau, Srivathsan, Walukiewicz, "Better abstractions
//! for timed automata", LICS 2012). It is not convex and never built: the test is one pass over the two zones.
//!
//! Sound for reachability in models without constraints on differences of clocks, and not for deadlock or liveness.

use crate::bound::{Bound, lt};
use crate::extrapolate::NONE;
use multiversion::multiversion;

/// Whether every valuation of `a` is simulated by one of `b`, given the bounds `lower` (L) and `upper` (U), with
/// [`NONE`] for a clock that is not compared.
///
/// Preconditions: `a` and `b` closed and not empty; `lower[0] == 0 && upper[0] == 0`; other bounds not negative.
#[multiversion(targets("x86_64+avx2"))]
pub fn is_subsumed(a: &[Bound], b: &[Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(a.len() == dim * dim && b.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    // Not included iff for some x, y: a[0,x] >= (<=, -U(x)), b[y,x] < a[y,x] and b[y,x] + (<, -L(y)) < a[0,x].
    let a_0 = &a[..dim];
    for ((row_a, row_b), &l) in a.chunks_exact(dim).zip(b.chunks_exact(dim)).zip(lower) {
        if l == NONE {
            continue;
        }
        let mut fails = false;
        for (((&a_yx, &b_yx), &a_0x), &u) in row_a.iter().zip(row_b).zip(a_0).zip(upper) {
            let visible = u != NONE && a_0x > lt(-u);
            fails |= visible & (b_yx < a_yx) & ((b_yx & !1) - 2 * l < a_0x);
        }
        if fails {
            return false;
        }
    }
    true
}
