//! Pairwise coverage of options.

use super::choice::{FACTORS, OptionChoice, are_compatible};

/// The number of times that each pair of values of two options was tried.
#[derive(Clone)]
pub struct Pairs {
    /// The index of the first value of each option.
    starts: Vec<usize>,
    values: usize,
    counts: Vec<u32>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        let mut values = 0;
        let starts = FACTORS
            .iter()
            .map(|factor| {
                values += factor.values.len();
                values - factor.values.len()
            })
            .collect();
        Pairs { starts, values, counts: vec![0; values * values] }
    }
}

impl Pairs {
    fn at(&self, (a, value_a): (usize, usize), (b, value_b): (usize, usize)) -> usize {
        (self.starts[a] + value_a) * self.values + self.starts[b] + value_b
    }

    /// Counts a choice.
    pub fn note(&mut self, choice: &OptionChoice) {
        for (a, &value_a) in choice.numbers.iter().enumerate() {
            for (b, &value_b) in choice.numbers.iter().enumerate().skip(a) {
                let at = self.at((a, value_a), (b, value_b));
                self.counts[at] += 1;
            }
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Pairs) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, other)| *own += other);
    }

    /// Returns the number of times that a value was tried.
    pub fn count(&self, factor: usize, value: usize) -> u32 {
        self.counts[self.at((factor, value), (factor, value))]
    }

    /// Returns all compatible pairs of values of different options, with descriptions and counts.
    pub fn all(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        let pairs = (0..FACTORS.len()).flat_map(|a| (a + 1..FACTORS.len()).map(move |b| (a, b)));
        pairs.flat_map(move |(a, b)| {
            let values =
                (0..FACTORS[a].values.len()).flat_map(move |x| (0..FACTORS[b].values.len()).map(move |y| (x, y)));
            values.filter(move |(x, y)| are_compatible((a, *x), (b, *y))).map(move |(x, y)| {
                let word = |factor: usize, value: usize| {
                    format!("{} `{}`", FACTORS[factor].name, FACTORS[factor].values[value])
                };
                (format!("{} and {}", word(a, x), word(b, y)), self.counts[self.at((a, x), (b, y))])
            })
        })
    }
}
