//! Remarks on figures: which are those of the paper, and why others are not.

use super::super::remarks::by_reason;
use crate::json::bench::lattice::{LatticeFigure, LatticeFigures, LatticeRun};
use ::bench::lattice::published;

/// The remarks, and whether all numbers are as expected.
pub fn remarks(figures: &[LatticeFigure]) -> (Vec<String>, bool) {
    let mut notes = Vec::new();
    let (mut agrees, mut open) = (true, Vec::new());
    for LatticeFigure { figure, rows, .. } in figures {
        let runs = rows.iter().flat_map(|row| row.runs.iter().map(|run| (row.row.as_str(), run)));
        let (mut same, mut compared) = (0, 0);
        for (row, run) in runs {
            let name = format!("{figure}, {row}, {}", run.search);
            if let Some(why) = &run.stopped {
                open.push((why.clone(), name));
                continue;
            }
            let Some(ours) = run.merkhet else { continue };
            if is_unexpected(run) {
                agrees = false;
                open.push(("not as many states as expected".to_owned(), name.clone()));
            }
            let Some(theirs) = run.published else { continue };
            compared += 1;
            if ours.states == theirs.states {
                same += 1;
                continue;
            }
            let why = published::difference(figure, row, run.search);
            // Known differences are explained; others are defects of merkhet.
            agrees &= why.is_some();
            let LatticeFigures { added, stored, .. } = ours;
            let numbers = format!("{name} (paper {}, ours {stored} stored, {added} added)", theirs.states);
            open.push((why.unwrap_or("not the paper's number").to_owned(), numbers));
        }
        if compared > 0 && *figure != "cache" {
            notes.push(format!(
                "Figure {figure}: {same} of the paper's {compared} numbers of states are reproduced exactly"
            ));
        }
    }
    notes.extend(by_reason(open.iter().map(|(why, which)| (why.as_str(), which.clone()))));
    (notes, agrees)
}

/// Whether a number of states is not what the formula says.
pub fn is_unexpected(run: &LatticeRun) -> bool {
    run.merkhet.zip(run.expected).is_some_and(|(ours, expected)| ours.states != expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::bench::lattice::LatticeRow;
    use ::bench::lattice::{Column, FULL};

    fn figure(row: &str, column: &Column, states: u64, expected: Option<u64>) -> LatticeFigure {
        let mut run = super::super::start("5", row, column);
        run.merkhet =
            Some(LatticeFigures { states, added: 873, stored: 469, seconds: 0.1, conclusive: true, bound: None });
        run.expected = expected;
        LatticeFigure { figure: "5", title: "", rows: vec![LatticeRow { row: row.to_owned(), runs: vec![run] }] }
    }

    #[test]
    fn what_differs_is_explained() {
        let (notes, agrees) = remarks(&[figure("8", &FULL.columns[2], 469, None)]);
        assert!(agrees && notes[0].contains("0 of the paper's 1"), "{notes:?}");
        assert!(notes[1].ends_with("5, 8, refined (paper 787, ours 469 stored, 873 added)"), "{notes:?}");
    }

    #[test]
    fn unexplained_differences_are_reported() {
        assert!(remarks(&[figure("8", &FULL.columns[0], 6312, Some(6312))]).1);
        assert!(!remarks(&[figure("8", &FULL.columns[0], 6313, None)]).1);
        let (notes, agrees) = remarks(&[figure("8", &FULL.columns[3], 6, Some(7))]);
        assert_eq!((notes, agrees), (vec!["not as many states as expected: 5, 8, own".to_owned()], false));
    }
}
