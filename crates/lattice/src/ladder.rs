//! Widening for matrices of bounds that have to be closed.
//!
//! Raising the bounds that grow to the next of a few steps ends, but closing the result may lower them again, a little less far
//! each time (A. Miné, *The octagon abstract domain*, Higher-Order and Symbolic Computation 19, 2006, section 4.6). So where
//! closing leaves a bound that is neither an old one nor a step, all bounds are raised to steps. A closed matrix that is made
//! from steps is known by the steps above its bounds, so that a sequence of these can't grow for ever; and between them there
//! are no more than there are bounds.

/// A closed matrix around a greater one that was `before`. `step` is the least step for a bound that is not less; `close` leaves
/// the least bounds that say the same.
pub(crate) fn widen(
    before: &[i32],
    greater: &[i32],
    step: impl Fn(usize, i32) -> i32,
    close: impl Fn(&mut [i32]),
) -> Vec<i32> {
    let mut result = greater.to_vec();
    for (slot, bound) in result.iter_mut().enumerate().filter(|(slot, bound)| before[*slot] != **bound) {
        *bound = step(slot, *bound);
    }
    close(&mut result);
    let holds = |(slot, &bound): (usize, &i32)| bound == before[slot] || bound == step(slot, bound);
    if !result.iter().enumerate().all(holds) {
        result = greater.iter().enumerate().map(|(slot, &bound)| step(slot, bound)).collect();
        close(&mut result);
    }
    result
}
