//! The model families: systems of the zone literature that grow with one number.
//!
//! Each is written twice, as UPPAAL's XTA in `models/zones`, with `const int N` for its size, and
//! here as text for TChecker, so that both tools can be given the same system. Both texts have the
//! same states and the same zones; the tests compare what a search stores.

mod corsso;
mod critical_region;
mod csma_cd;
mod dining_philosophers;
mod fddi;
mod fischer;
mod leader_election;
mod parallel;
mod train_gate;

use std::ops::RangeInclusive;

/// A system that grows with a number.
#[derive(Debug)]
pub struct Family {
    /// Its name on the command line and in file names.
    pub name: &'static str,
    /// The sizes that make sense. Above the last one, states no longer fit into any memory.
    pub sizes: RangeInclusive<u32>,
    /// The sizes that are run by default.
    pub standard: &'static [u32],
    /// The sizes that take longer.
    pub large: &'static [u32],
    /// The XTA of some size.
    xta: &'static str,
    /// Writes TChecker's text of a size.
    tck: fn(u32) -> String,
}

/// The families, in the order of the tables.
pub const FAMILIES: [&Family; 9] = [
    &fischer::FAMILY,
    &csma_cd::FAMILY,
    &fddi::FAMILY,
    &corsso::FAMILY,
    &critical_region::FAMILY,
    &train_gate::FAMILY,
    &leader_election::FAMILY,
    &dining_philosophers::FAMILY,
    &parallel::FAMILY,
];

/// The declaration of the size in an XTA text.
const SIZE: &str = "const int N = ";

impl Family {
    /// The model of this size for TChecker.
    pub fn tck(&self, n: u32) -> String {
        (self.tck)(n)
    }

    /// The model of this size in UPPAAL's language.
    pub fn xta(&self, n: u32) -> String {
        with_size(self.xta, n)
    }
}

/// The same text with another size.
pub(crate) fn with_size(xta: &str, n: u32) -> String {
    let Some((before, after)) = xta.split_once(SIZE) else { return xta.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{SIZE}{n}{rest}")
}

/// Puts numbers into a text: each `$x` becomes the number of that letter.
fn fill(text: &str, numbers: &[(char, u32)]) -> String {
    let mut out = text.to_owned();
    for (letter, number) in numbers {
        out = out.replace(&format!("${letter}"), &number.to_string());
    }
    out
}

/// `fill` for all `i` from 1 to `n`, with `$i`, `$n` and the neighbour before, `$b`, on a ring.
fn each(text: &str, n: u32) -> String {
    let before = |i: u32| if i == 1 { n } else { i - 1 };
    (1..=n).map(|i| fill(text, &[('i', i), ('n', n), ('b', before(i))])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_text_can_be_set() {
        for family in FAMILIES {
            assert_eq!(family.xta.matches(SIZE).count(), 1, "{}", family.name);
            let (three, four) = (family.xta(3), family.xta(4));
            assert!(three.contains("const int N = 3;\n"), "{}", family.name);
            assert_eq!(three.replace("const int N = 3;", "const int N = 4;"), four, "{}", family.name);
        }
    }

    #[test]
    fn no_placeholder_is_left() {
        for family in FAMILIES {
            let text = family.tck(3);
            assert!(!text.contains('$') && text.starts_with("system:"), "{text}");
        }
    }

    #[test]
    fn the_sizes_of_the_tables_are_in_range() {
        for family in FAMILIES {
            let all = family.standard.iter().chain(family.large);
            assert!(all.clone().all(|n| family.sizes.contains(n)) && all.is_sorted(), "{}", family.name);
        }
    }
}
