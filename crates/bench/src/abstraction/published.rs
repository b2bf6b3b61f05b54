//! The paper's tables, as printed.

pub use crate::directed::published::{COLUMNS, number};
use crate::directed::published::{PREDICATES, line};

/// Where the figures come from.
pub const SOURCE: &str = "J. Hoffmann, J.-G. Smaus, A. Rybalchenko, S. Kupferschmid, A. Podelski: Using predicate abstraction \
    to generate heuristic functions in UPPAAL, MoChArt 2006, Tables 1 to 3 and section 5; a PC of 1.2 GHz with 1 GB, \
    300 s before the search";

/// A name, and a cell for each split bound.
const SYNTAX: &str = include_str!("published/syntax.txt");

/// A name, a split bound, and a cell for each number of refinements. No cell is `/-` in the copy of
/// the paper that was used. The first cells of C6 with bounds up to 4 may have been `/-` in print:
/// those of C5 take at most 7 s before the search.
const REFINE: &str = include_str!("published/refine.txt");

/// A number of refinements, the states of the search, and the lengths of abstract errors, one for
/// each slice. Where the second is missing, the paper says that it does not change.
const SERIES: &str = include_str!("published/series.txt");

/// What the paper prints about a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintedCell {
    /// The error was found.
    Found {
        /// Seconds before the search; `None` if the paper does not print them.
        overhead: Option<&'static str>,
        /// States.
        states: &'static str,
        /// Seconds in all.
        seconds: &'static str,
    },
    /// The time limit was reached before the search.
    NoTime,
    /// The search ran out of memory.
    NoMemory,
    /// The cell is equal to its left neighbour.
    AsLeft,
}

impl PrintedCell {
    /// Reads a cell of the files.
    fn read(word: &'static str) -> Option<PrintedCell> {
        match word.split('/').collect::<Vec<_>>()[..] {
            ["="] => Some(PrintedCell::AsLeft),
            ["-", ""] => Some(PrintedCell::NoTime),
            ["", "-"] | ["-"] => Some(PrintedCell::NoMemory),
            [states, seconds] => Some(PrintedCell::Found { overhead: None, states, seconds }),
            [overhead, states, seconds] => Some(PrintedCell::Found { overhead: Some(overhead), states, seconds }),
            _ => None,
        }
    }
}

/// A cell of Table 1.
pub fn summary(model: &str, column: usize) -> Option<PrintedCell> {
    PrintedCell::read(line(PREDICATES, model)?.get(1 + column)?)
}

/// A cell of Table 2.
pub fn syntax(model: &str, column: usize) -> Option<PrintedCell> {
    PrintedCell::read(line(SYNTAX, model)?.get(1 + column)?)
}

/// A cell of Table 3.
pub fn refine(model: &str, bound: &str, column: usize) -> Option<PrintedCell> {
    let mut lines = REFINE.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let words = lines.find(|words| words.starts_with(&[model, bound]))?;
    PrintedCell::read(words.get(2 + column)?)
}

/// Whether Tables 1 and 2 have this model.
pub fn syntax_has(model: &str) -> bool {
    line(SYNTAX, model).is_some()
}

/// Whether Table 3 has this model.
pub(crate) fn refine_has(model: &str) -> bool {
    line(REFINE, model).is_some()
}

/// The paper's search after some refinements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedStep {
    /// States.
    pub states: u64,
    /// The printed lengths of the shortest abstract errors, one for each slice.
    pub lengths: Vec<u32>,
}

/// The paper's search after `rounds` refinements.
pub fn step(rounds: u32) -> Option<PrintedStep> {
    let words = line(SERIES, &rounds.to_string())?;
    let lengths = words.get(2..)?.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some(PrintedStep { states: words[1].parse().ok()?, lengths })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn found(overhead: &'static str, states: &'static str, seconds: &'static str) -> Option<PrintedCell> {
        Some(PrintedCell::Found { overhead: Some(overhead), states, seconds })
    }

    #[test]
    fn cells_are_found_by_model_and_column() {
        assert_eq!(summary("FA5", 0), Some(PrintedCell::Found { overhead: None, states: "526", seconds: "0.0" }));
        assert_eq!(summary("C6", 4), found("16.5", "2.6e+6", "42.5"));
        assert_eq!(syntax("N4", 3), found("70.1", "445359", "120.3"));
        assert_eq!(refine("C3", "3", 2), found("12.5", "4278", "12.6"));
        assert_eq!(refine("C4", "all", 1), found("288.9", "540013", "291.7"));
        assert_eq!(
            (summary("FC5", 0), syntax("C7", 0), refine("M1", "1", 0), refine("C1", "5", 0)),
            (None, None, None, None)
        );
        assert_eq!((summary("C1", 5), syntax("C1", 5), refine("C1", "1", 4)), (None, None, None));
    }

    #[test]
    fn cells_without_numbers_are_kept_apart() {
        assert_eq!((syntax("M3", 4), syntax("M4", 4)), (Some(PrintedCell::AsLeft), Some(PrintedCell::NoTime)));
        assert_eq!(
            (refine("C6", "2", 3), refine("C6", "3", 3)),
            (Some(PrintedCell::AsLeft), Some(PrintedCell::NoTime))
        );
        assert_eq!(
            (PrintedCell::read("/-"), summary("C6", 0)),
            (Some(PrintedCell::NoMemory), Some(PrintedCell::NoMemory))
        );
    }

    #[test]
    fn every_line_is_complete() {
        for (text, rows, words, first) in [(SYNTAX, 20, 6, 1), (REFINE, 30, 6, 2)] {
            assert_eq!(text.lines().count(), rows);
            for line in text.lines() {
                let line: Vec<&str> = line.split_whitespace().collect();
                assert_eq!(line.len(), words, "{line:?}");
                for word in &line[first..] {
                    let numbers = word.split('/').filter(|word| number(word).is_some()).count();
                    assert!(numbers == 3 || ["=", "-/", "/-"].contains(word), "{line:?}");
                }
            }
        }
        assert_eq!(SERIES.lines().count(), 11);
        assert_eq!(step(2), Some(PrintedStep { states: 49384, lengths: vec![13, 10] }));
        assert_eq!(step(10), Some(PrintedStep { states: 50060, lengths: vec![16] }));
        assert_eq!(step(11), None);
        assert!((0..=10).all(|rounds| step(rounds).is_some()));
    }
}
