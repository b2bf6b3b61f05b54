//! The figures of the paper, as printed.

/// Where they come from.
pub const OPAAL: &str = "A. E. Dalsgaard, R. R. Hansen, K. Y. Jørgensen, K. G. Larsen, M. C. Olesen, P. Olsen, J. Srba: \
    opaal: a lattice model checker, NFM 2011, Figures 4 to 6 and section 2.3; written in Python, on a machine that is not named";

/// A figure, a row, a search, states and the time.
const FIGURES: &str = include_str!("published/figures.txt");

/// What a search needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureCell {
    /// Explored states.
    pub states: u64,
    /// The time, as it is printed.
    pub time: &'static str,
}

/// The published cell of a search and a row.
pub fn cell(figure: &str, row: &str, search: &str) -> Option<FigureCell> {
    let mut lines = FIGURES.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let words = lines.find(|words| words.get(..3).is_some_and(|key| *key == [figure, row, search]))?;
    Some(FigureCell { states: words.get(3)?.parse().ok()?, time: words.get(4)? })
}

impl FigureCell {
    /// The time in seconds; `None` if the paper prints `<1s`.
    pub fn seconds(&self) -> Option<f64> {
        if let Some(words) = self.time.strip_suffix('m') {
            let (minutes, seconds) = words.split_once(':')?;
            return Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?);
        }
        self.time.strip_suffix('s')?.parse().ok()
    }
}

/// Why Merkhet's number differs from the paper's.
pub fn difference(figure: &str, row: &str, search: &str) -> Option<&'static str> {
    match (figure, row, search) {
        ("5", "8" | "10", "refined") => {
            Some("the paper's strategy covers explored elements here, which opaal keeps on its list and merkhet drops")
        }
        ("5", "16", "refined") => Some(
            "the paper's number is that of all elements ever added; its other rows count those that are stored at the end",
        ),
        ("cache", ..) => Some("the paper's program was not published; ours is another binary search in 100 elements"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_complete() {
        assert_eq!(FIGURES.lines().count(), 46);
        for line in FIGURES.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [figure, row, search, ..] = words[..] else { panic!("{line}") };
            let cell = cell(figure, row, search).unwrap();
            assert!(words.len() == 5 && (cell.seconds().is_some() || cell.time == "<1s"), "{line}");
        }
    }

    #[test]
    fn times_are_printed_in_minutes_and_seconds() {
        let seconds = |figure, row, search| cell(figure, row, search).unwrap().seconds();
        assert_eq!(seconds("6", "7", "explicit"), Some(40262.0));
        assert_eq!((seconds("5", "8", "explicit"), seconds("5", "8", "naive")), (Some(15.0), None));
        assert_eq!(cell("6", "15", "explicit"), None);
    }
}
