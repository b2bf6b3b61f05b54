//! Widening for closed matrices of bounds.
//!
//! Raising each unstable bound to the next threshold terminates, but closure may lower bounds
//! again, a little less each time, so that the sequence does not terminate (A. Miné, *The octagon
//! abstract domain*, Higher-Order and Symbolic Computation 19, 2006, section 4.6). If closure
//! leaves a bound that is neither an old bound nor a threshold, all bounds are therefore raised to
//! thresholds. A closed matrix made from thresholds is determined by the thresholds above its
//! bounds, so there are finitely many of them; between two of them there are at most as many
//! widenings as there are bounds.

/// Widens the closed matrix `before` by a greater one. `threshold` returns the least threshold that
/// is not less than a bound; `close` computes the tight closure.
pub(crate) fn widen(
    before: &[i32],
    greater: &[i32],
    threshold: impl Fn(usize, i32) -> i32,
    close: impl Fn(&mut [i32]),
) -> Vec<i32> {
    let mut result = greater.to_vec();
    for (slot, bound) in result.iter_mut().enumerate().filter(|(slot, bound)| before[*slot] != **bound) {
        *bound = threshold(slot, *bound);
    }
    close(&mut result);
    let holds = |(slot, &bound): (usize, &i32)| bound == before[slot] || bound == threshold(slot, bound);
    if !result.iter().enumerate().all(holds) {
        result = greater.iter().enumerate().map(|(slot, &bound)| threshold(slot, bound)).collect();
        close(&mut result);
    }
    result
}
