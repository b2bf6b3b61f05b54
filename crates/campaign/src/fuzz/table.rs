//! The table of runs by format and command.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use super::{
    case::{Action, FuzzCase},
    child::FinishedRun,
    corpus::Format,
};

/// The counts of some runs.
#[derive(Clone, Copy, Debug, Default)]
struct RunCounts {
    runs: usize,
    /// Runs by exit status.
    statuses: [usize; 4],
    /// Runs with any other end.
    others: usize,
    slowest: Duration,
    largest: u64,
    findings: usize,
}

impl RunCounts {
    fn add(&mut self, other: &RunCounts) {
        self.runs += other.runs;
        for (sum, more) in self.statuses.iter_mut().zip(other.statuses) {
            *sum += more;
        }
        self.others += other.others;
        self.slowest = self.slowest.max(other.slowest);
        self.largest = self.largest.max(other.largest);
        self.findings += other.findings;
    }
}

/// The counts of all runs.
#[derive(Debug, Default)]
pub struct RunTable {
    cells: BTreeMap<(Format, Action), RunCounts>,
}

impl RunTable {
    /// Counts a run.
    pub fn count(&mut self, case: &FuzzCase, run: &FinishedRun, findings: usize) {
        let status = run.status.and_then(|status| usize::try_from(status).ok()).filter(|&status| status < 4);
        let mut one = RunCounts { runs: 1, slowest: run.time, largest: run.peak, findings, ..RunCounts::default() };
        match status {
            Some(status) => one.statuses[status] = 1,
            None => one.others = 1,
        }
        self.cells.entry((case.format, case.action)).or_default().add(&one);
    }

    /// Returns the number of findings.
    pub fn findings(&self) -> usize {
        self.cells.values().map(|cell| cell.findings).sum()
    }

    /// Renders the table in Markdown.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "| format | command | runs | status 0 | 1 | 2 | 3 | other | slowest (s) | largest (MB) | findings |\n\
             |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        let mut total = RunCounts::default();
        // Writing to a string can't fail.
        let mut row = |format: &str, command: &str, cell: &RunCounts| {
            let [fine, no, unknown, wrong] = cell.statuses;
            let _ = writeln!(
                text,
                "| {format} | {command} | {} | {fine} | {no} | {unknown} | {wrong} | {} | {:.2} | {} | {} |",
                cell.runs,
                cell.others,
                cell.slowest.as_secs_f64(),
                cell.largest >> 20,
                cell.findings,
            );
        };
        for ((format, action), cell) in &self.cells {
            row(format.name(), action.name(), cell);
            total.add(cell);
        }
        row("all", "all", &total);
        text
    }
}
