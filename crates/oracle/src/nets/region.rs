//! Ages as representatives of regions.
//!
//! Ages that are compared with integers only can be replaced by others with the same integer parts
//! and the same order of fractions, and those above the greatest constant by any other above it
//! (Alur and Dill). With n ages the fractions are multiples of 1/(n+1).

/// Marks the absence of an age.
pub(super) const NONE: i64 = -1;

/// The representation of ages.
pub(super) struct Ages {
    unit: i64,
    /// The greatest number that each age is compared with.
    caps: Vec<i64>,
}

impl Ages {
    pub(super) fn new(caps: Vec<i64>) -> Ages {
        Ages { unit: caps.len() as i64 + 1, caps }
    }

    /// Returns whether an age is at least, or greater than, a number.
    pub(super) fn is_over(&self, age: i64, number: i32, strictly: bool) -> bool {
        let number = i64::from(number) * self.unit;
        if strictly { age > number } else { age >= number }
    }

    fn is_relevant(&self, i: usize, age: i64) -> bool {
        age != NONE && age <= self.caps[i] * self.unit
    }

    /// Returns whether time can pass inside the region.
    pub(super) fn is_open(&self, ages: &[i64]) -> bool {
        !ages.iter().enumerate().any(|(i, age)| self.is_relevant(i, *age) && age % self.unit == 0)
    }

    /// Returns the ages in the next region; the same if there is none.
    pub(super) fn next_region(&self, ages: &[i64]) -> Vec<i64> {
        let relevant: Vec<usize> = (0..ages.len()).filter(|&i| self.is_relevant(i, ages[i])).collect();
        let fraction = |i: usize| ages[i] % self.unit;
        let mut next = ages.to_vec();
        if self.is_open(ages) {
            let largest = relevant.iter().map(|&i| fraction(i)).max();
            for &i in relevant.iter().filter(|&&i| Some(fraction(i)) == largest) {
                next[i] += self.unit - fraction(i);
            }
        } else {
            relevant.iter().for_each(|&i| next[i] += 1);
        }
        self.normalise(&mut next);
        next
    }

    /// Identifies all irrelevant ages, and numbers the fractions of the others.
    pub(super) fn normalise(&self, ages: &mut [i64]) {
        for (i, age) in ages.iter_mut().enumerate() {
            if *age > self.caps[i] * self.unit {
                *age = (self.caps[i] + 1) * self.unit;
            }
        }
        let mut fractions: Vec<i64> = (0..ages.len())
            .filter(|&i| self.is_relevant(i, ages[i]))
            .map(|i| ages[i] % self.unit)
            .filter(|f| *f > 0)
            .collect();
        fractions.sort_unstable();
        fractions.dedup();
        for (i, age) in ages.iter_mut().enumerate() {
            if self.is_relevant(i, *age)
                && let Ok(rank) = fractions.binary_search(&(*age % self.unit))
            {
                *age += rank as i64 + 1 - *age % self.unit;
            }
        }
    }
}
