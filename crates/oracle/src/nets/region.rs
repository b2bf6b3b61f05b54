//! Ages as representatives of regions.
//!
//! Ages that are compared with whole numbers only can be replaced by others with the same whole parts and the same order of
//! fractions, and those above the largest number that counts by any other above it (Alur and Dill). With n ages the fractions are
//! multiples of 1/(n+1).

/// The age of nothing.
pub(super) const NONE: i64 = -1;

/// How ages are kept.
pub(super) struct Ages {
    unit: i64,
    /// The largest number that each age is compared with.
    caps: Vec<i64>,
}

impl Ages {
    pub fn new(caps: Vec<i64>) -> Ages {
        Ages { unit: caps.len() as i64 + 1, caps }
    }

    /// Whether an age is at least, or more than, a number.
    pub fn is_over(&self, age: i64, number: i32, strictly: bool) -> bool {
        let number = i64::from(number) * self.unit;
        if strictly { age > number } else { age >= number }
    }

    fn counts(&self, i: usize, age: i64) -> bool {
        age != NONE && age <= self.caps[i] * self.unit
    }

    /// Whether time can pass without an end to this region.
    pub fn is_open(&self, ages: &[i64]) -> bool {
        !ages.iter().enumerate().any(|(i, age)| self.counts(i, *age) && age % self.unit == 0)
    }

    /// The ages in the next region; the same if there is none.
    pub fn later(&self, ages: &[i64]) -> Vec<i64> {
        let counting: Vec<usize> = (0..ages.len()).filter(|&i| self.counts(i, ages[i])).collect();
        let fraction = |i: usize| ages[i] % self.unit;
        let mut next = ages.to_vec();
        if self.is_open(ages) {
            let largest = counting.iter().map(|&i| fraction(i)).max();
            for &i in counting.iter().filter(|&&i| Some(fraction(i)) == largest) {
                next[i] += self.unit - fraction(i);
            }
        } else {
            counting.iter().for_each(|&i| next[i] += 1);
        }
        self.normalise(&mut next);
        next
    }

    /// Makes ages that do not count all the same, and numbers the fractions of the others.
    pub fn normalise(&self, ages: &mut [i64]) {
        for (i, age) in ages.iter_mut().enumerate() {
            if *age > self.caps[i] * self.unit {
                *age = (self.caps[i] + 1) * self.unit;
            }
        }
        let mut fractions: Vec<i64> = (0..ages.len())
            .filter(|&i| self.counts(i, ages[i]))
            .map(|i| ages[i] % self.unit)
            .filter(|f| *f > 0)
            .collect();
        fractions.sort_unstable();
        fractions.dedup();
        for (i, age) in ages.iter_mut().enumerate() {
            if self.counts(i, *age)
                && let Ok(rank) = fractions.binary_search(&(*age % self.unit))
            {
                *age += rank as i64 + 1 - *age % self.unit;
            }
        }
    }
}
