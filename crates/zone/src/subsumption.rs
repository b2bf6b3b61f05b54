//! Inclusion up to what the guards of a model can tell apart: `Z ⊆ aLU(Z')`.
//!
//! Let `L(x)` and `U(x)` be the largest constants to which clock `x` will still be compared from below (`x > c`,
//! `x >= c`) and from above. A valuation `v` is simulated by `v'` if for every clock `x`: `v'(x) = v(x)`, or
//! `L(x) < v'(x) < v(x)`, or `U(x) < v(x) < v'(x)`. `aLU(Z')` is the set of the valuations simulated by one in `Z'`; it is
//! the coarsest sound abstraction that knows `L` and `U` only (Herbreteau, Srivathsan, Walukiewicz, "Better abstractions
//! for timed automata", LICS 2012). It is not convex and never built: the test is one pass over the two zones.
//!
//! Sound for reachability in models without constraints on differences of clocks, and not for deadlock or liveness.

use crate::bound::Bound;
use crate::extrapolate::NONE;
use crate::kernel::by_dim;
use multiversion::multiversion;

/// Whether every valuation of `a` is simulated by one of `b`, given the bounds `lower` (L) and `upper` (U), with
/// [`NONE`] for a clock that is not compared.
///
/// Preconditions: `a` and `b` closed and not empty; `lower[0] == 0 && upper[0] == 0`; other bounds not negative.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2"))]
pub fn is_subsumed(a: &[Bound], b: &[Bound], dim: usize, lower: &[i32], upper: &[i32]) -> bool {
    assert!(a.len() == dim * dim && b.len() == dim * dim && lower.len() == dim && upper.len() == dim);
    by_dim!(dim, is_subsumed_small, is_subsumed_any, (a, b, lower, upper))
}

// Not included iff for some x, y: a[0,x] >= (<=, -U(x)) and b[y,x] < a[y,x] and b[y,x] + (<, -L(y)) < a[0,x]. The last
// comparison is one of b[y,x] with a number: the sum is b[y,x] made even, less 2 L(y), and an even number is below an odd
// one exactly if it is below the next even one. So the last two say that b[y,x] < min(a[y,x], limit(x) + 2 L(y)).

/// The part of the limit that depends on `x`; such that nothing is below the limit where the first condition fails.
#[inline(always)]
fn limit(a_0x: Bound, upper: i32) -> i32 {
    // In this order no `-2 * NONE` matters.
    let visible = (upper != NONE) & (a_0x > upper.wrapping_mul(-2));
    if visible { a_0x + (a_0x & 1) } else { i32::MIN }
}

#[inline(always)]
fn is_subsumed_small<const N: usize>(a: &[Bound], b: &[Bound], lower: &[i32], upper: &[i32]) -> bool {
    let ((a, _), (b, _)) = (a.as_chunks::<N>(), b.as_chunks::<N>());
    let mut limits = [0; N];
    for x in 0..N {
        limits[x] = limit(a[0][x], upper[x]);
    }
    for y in 0..N {
        let twice = lower[y].wrapping_mul(2);
        let mut fails = false;
        for x in 0..N {
            fails |= b[y][x] < a[y][x].min(limits[x].wrapping_add(twice));
        }
        if fails && lower[y] != NONE {
            return false;
        }
    }
    true
}

#[inline(always)]
fn is_subsumed_any(a: &[Bound], b: &[Bound], lower: &[i32], upper: &[i32]) -> bool {
    let dim = lower.len();
    let a_0 = &a[..dim];
    a.chunks_exact(dim).zip(b.chunks_exact(dim)).zip(lower).all(|((row_a, row_b), &l)| {
        let columns = row_a.iter().zip(row_b).zip(a_0).zip(upper);
        l == NONE
            || !columns.fold(false, |fails, (((&a_yx, &b_yx), &a_0x), &u)| {
                fails | (b_yx < a_yx.min(limit(a_0x, u).wrapping_add(2 * l)))
            })
    })
}
