//! Sets of small numbers as bits, 32 in each integer.

/// Returns the number of integers that `bits` bits take.
pub(crate) fn words(bits: usize) -> usize {
    bits.div_ceil(32)
}

/// Returns the mask of the used bits of one integer.
pub(crate) fn mask(bits: usize, word: usize) -> i32 {
    match bits.saturating_sub(32 * word) {
        0 => 0,
        used @ 1..32 => (1 << used) - 1,
        _ => -1,
    }
}

/// Returns the least and the greatest value of one integer.
pub(crate) fn range(bits: usize, word: usize) -> (i32, i32) {
    match mask(bits, word) {
        -1 => (i32::MIN, i32::MAX),
        mask => (0, mask),
    }
}

pub(crate) fn get(set: &[i32], bit: usize) -> bool {
    set[bit / 32] >> (bit % 32) & 1 == 1
}

pub(crate) fn put(set: &mut [i32], bit: usize, value: bool) {
    let mask = 1 << (bit % 32);
    if value {
        set[bit / 32] |= mask;
    } else {
        set[bit / 32] &= !mask;
    }
}

pub(crate) fn count(set: &[i32]) -> i32 {
    set.iter().map(|word| word.count_ones()).sum::<u32>() as i32
}

pub(crate) fn fill(set: &mut [i32], bits: usize) {
    for (number, word) in set.iter_mut().enumerate() {
        *word = mask(bits, number);
    }
}

/// Returns whether the first set is a subset of the second.
pub(crate) fn is_subset(a: &[i32], b: &[i32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// Adds the elements of the other set. Returns whether that changed the set.
pub(crate) fn unite(into: &mut [i32], other: &[i32]) -> bool {
    let changes = !is_subset(other, into);
    into.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
    changes
}

/// Removes the elements that are not in the other set. Returns whether that changed the set.
pub(crate) fn intersect(into: &mut [i32], other: &[i32]) -> bool {
    let changes = !is_subset(into, other);
    into.iter_mut().zip(other).for_each(|(a, b)| *a &= b);
    changes
}

/// Enumerates the elements of a set.
pub(crate) fn members(set: &[i32], bits: usize) -> impl Iterator<Item = usize> {
    (0..bits).filter(|&bit| get(set, bit))
}

/// Samples a set: often a small one, or the complement of one.
pub(crate) fn sample(random: &mut dyn FnMut(u32) -> u32, bits: usize, out: &mut [i32]) {
    out.fill(0);
    let (few, even, sign) = (random(3), random(2) == 0, random(4) == 0);
    for bit in 0..bits {
        let put_it = if even { random(2) == 0 } else { random(bits.max(1) as u32) < few };
        put(out, bit, put_it != sign);
    }
}
