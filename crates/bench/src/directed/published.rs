//! The tables of two papers, as printed.

/// Where the figures of Tables 1 to 3 come from.
pub const SPIN: &str = "S. Kupferschmid, J. Hoffmann, H. Dierks, G. Behrmann: Adapting an AI planning heuristic for \
    directed model checking, SPIN 2006, Tables 1 to 3; a 3.06 GHz Xeon, greedy searches with 256,000 heuristic values";

/// Where the columns beside `auto` come from.
pub const MOCHART: &str = "J. Hoffmann, J.-G. Smaus, A. Rybalchenko, S. Kupferschmid, A. Podelski: Using predicate \
    abstraction to generate heuristic functions in UPPAAL, MoChArt 2006, Table 1";

/// A name, three sizes, and then all times, all numbers of states, all sizes in memory and all
/// lengths.
const GREEDY: &str = include_str!("published/greedy.txt");

/// The same, for the second table.
const DISTANCES: &str = include_str!("published/distances.txt");

/// The same, with one length for all searches: the least.
const OPTIMAL: &str = include_str!("published/optimal.txt");

/// A name, and for each search states and seconds, with what the preparation took in front where
/// there is one.
pub(crate) const PREDICATES: &str = include_str!("published/predicates.txt");

/// The columns of the other paper: `[13]` is the one above, and `[5]` is K. Dräger, B. Finkbeiner,
/// A. Podelski: Directed model checking with distance-preserving abstractions, SPIN 2006.
pub const COLUMNS: [&str; 5] = ["RDF", "[13]-best", "[5]-N50", "Syntax-b2", "ARMC-b3-r4"];

/// What a search needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// Seconds.
    pub seconds: &'static str,
    /// The paper's S: generated states.
    pub states: &'static str,
    /// Megabytes, or gigabytes with the suffix G.
    pub megabytes: &'static str,
    /// The paper's l: transitions, and one.
    pub length: &'static str,
}

/// What the search of some column of a table needed for a row.
pub fn cells(table: u32, row: &str, column: usize) -> Option<Cells> {
    let (text, columns) = match table {
        1 => (GREEDY, 3),
        2 => (DISTANCES, 2),
        3 => (OPTIMAL, 3),
        _ => return None,
    };
    let words = line(text, row)?;
    let cell = |group: usize| words.get(4 + group * columns + column).copied();
    let length = cell(3).or_else(|| words.get(4 + 3 * columns).copied())?;
    Some(Cells { seconds: cell(0)?, states: cell(1)?, megabytes: cell(2)?, length })
}

/// The numbers of automata, clocks and variables of a row.
pub fn sizes(row: &str) -> Option<[&'static str; 3]> {
    line(GREEDY, row)?.get(1..4)?.try_into().ok()
}

/// What a search by predicate abstraction needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicates {
    /// Which one.
    pub column: &'static str,
    /// Seconds before the search.
    pub overhead: Option<&'static str>,
    /// States.
    pub states: &'static str,
    /// Seconds in all.
    pub seconds: &'static str,
}

/// What the searches of the other paper needed for a row; nothing where it has no such row.
pub fn predicates(row: &str) -> Vec<Predicates> {
    let Some(words) = line(PREDICATES, row) else { return Vec::new() };
    let columns = COLUMNS.into_iter().zip(&words[1..]);
    let read = |(column, word): (&'static str, &&'static str)| {
        let parts: Vec<&'static str> = word.split('/').collect();
        match parts[..] {
            [states, seconds] => Predicates { column, overhead: None, states, seconds },
            [overhead, states, seconds] => Predicates { column, overhead: Some(overhead), states, seconds },
            _ => Predicates { column, overhead: None, states: "-", seconds: "-" },
        }
    };
    columns.map(read).collect()
}

/// The columns of the line with this name.
pub(crate) fn line(text: &'static str, row: &str) -> Option<Vec<&'static str>> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.first() == Some(&row))
}

/// The number that a paper prints as `1.5e+6`, `15K` or `2.1G`; a gigabyte is a thousand megabytes.
/// `None` where it prints that there is none.
pub fn number(word: &str) -> Option<f64> {
    let (digits, factor) = match word.strip_suffix(['K', 'G']) {
        Some(digits) => (digits, 1e3),
        None => (word, 1.0),
    };
    digits.parse().ok().map(|n: f64| n * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directed::rows::STUDIES;

    #[test]
    fn cells_are_found_by_row_and_column() {
        let cell = |table, row, column| {
            let c = cells(table, row, column).unwrap();
            [c.seconds, c.states, c.megabytes, c.length]
        };
        assert_eq!(cell(1, "FA5", 0), ["0.0", "526", "3", "161"]);
        assert_eq!(cell(1, "C9", 1), ["1198", "1.3e+8", "2.5G", "18K"]);
        assert_eq!(cell(1, "M4", 2), ["2.5", "230466", "16", "185"]);
        assert_eq!(cell(2, "FB10", 0), ["24.7", "1.5e+6", "81", "42K"]);
        assert_eq!(cell(2, "C5", 1), ["58.6", "8.3e+6", "306", "8943"]);
        assert_eq!(cell(3, "FA15", 0), ["7.8", "348827", "31", "9"]);
        assert_eq!(cell(3, "N4", 2), ["119", "2.0e+6", "45", "56"]);
        assert_eq!(cell(3, "FC5", 2), ["na", "na", "na", "7"]);
        assert_eq!((cells(2, "FC5", 0), cells(3, "C7", 0), cells(4, "FA5", 0)), (None, None, None));
        assert_eq!(sizes("C9"), Some(["10", "3", "25"]));
    }

    #[test]
    fn every_line_is_complete() {
        for (text, rows, words) in [(GREEDY, 26, 16), (DISTANCES, 20, 12), (OPTIMAL, 23, 14), (PREDICATES, 20, 6)] {
            assert_eq!(text.lines().count(), rows);
            for line in text.lines() {
                assert_eq!(line.split_whitespace().count(), words, "{line}");
                let known = |word: &str| number(word).is_some() || word == "-" || word == "na";
                assert!(line.split_whitespace().skip(1).flat_map(|word| word.split('/')).all(known), "{line}");
            }
        }
        assert!(STUDIES.iter().all(|row| sizes(row).is_some()));
    }

    #[test]
    fn the_other_paper_says_what_the_preparation_takes() {
        let row = predicates("C5");
        let best = Predicates { column: "[13]-best", overhead: None, states: "465796", seconds: "41.9" };
        let syntax = Predicates { column: "Syntax-b2", overhead: Some("5.0"), states: "185730", seconds: "8.0" };
        assert_eq!((row.len(), row[1], row[3]), (5, best, syntax));
        assert_eq!(predicates("C6")[0].states, "-");
        assert!(predicates("FC5").is_empty());
    }

    #[test]
    fn papers_shorten_numbers() {
        assert_eq!(
            (number("1.5e+6"), number("15K"), number("2.1G"), number("-")),
            (Some(1.5e6), Some(15e3), Some(2.1e3), None)
        );
    }
}
