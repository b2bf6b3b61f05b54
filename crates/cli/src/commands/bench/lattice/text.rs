//! The figures as text.

use std::io::{self, Write};

use super::{super::text::seconds, remarks::is_unexpected};
use crate::json::bench::lattice::{LatticeOverhead, LatticeReport, LatticeRow, LatticeRun};
use ::bench::lattice::{Column, PROGRAMS};

/// The width of the first column.
const NAME_WIDTH: usize = 10;

/// The measures of a search, with the widths of their columns.
const MEASURES: [(&str, usize); 3] = [("states", 12), ("time", 10), ("", 9)];

/// The separator of two searches.
const RULE: &str = " |";

/// Writes the heading of a figure.
pub fn write_header(name: &str, title: &str, unit: &str, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let width = MEASURES.iter().map(|(_, width)| width).sum();
    let mut names = format!("{:NAME_WIDTH$}", "");
    let mut heads = format!("{unit:NAME_WIDTH$}");
    // The last measure is the bound of a program, or the paper's time as a multiple.
    let last = if name == "cache" { "bound" } else { "factor" };
    for column in columns {
        names += &format!("{RULE}{:^width$}", column.label);
        heads += RULE;
        for (measure, width) in MEASURES {
            heads += &format!("{:>width$}", if measure.is_empty() { last } else { measure });
        }
    }
    let figure = if name == "cache" { "Cache".to_owned() } else { format!("Figure {name}") };
    writeln!(out, "{figure}: {title}\n\n{}\n{heads}", names.trim_end())
}

/// Writes the figures of a model, with the paper's below.
pub fn write_row(row: &LatticeRow, out: &mut dyn Write) -> io::Result<()> {
    let mut ours = format!("{:NAME_WIDTH$}", row.row);
    let mut theirs = format!("{:NAME_WIDTH$}", "  paper");
    for run in &row.runs {
        ours += RULE;
        theirs += RULE;
        for ((_, width), (our, their)) in MEASURES.iter().zip(cells(run).into_iter().zip(published(run))) {
            ours += &format!("{our:>width$}");
            theirs += &format!("{their:>width$}");
        }
    }
    writeln!(out, "{}", ours.trim_end())?;
    if row.runs.iter().any(|run| run.published.is_some()) {
        writeln!(out, "{}", theirs.trim_end())?;
    }
    Ok(())
}

/// Merkhet's figures; a dash if there are none.
fn cells(run: &LatticeRun) -> [String; 3] {
    let Some(figures) = run.merkhet else { return ["-".to_owned(), String::new(), String::new()] };
    let mut states = figures.states.to_string();
    if !figures.conclusive {
        states = format!("({states})");
    }
    if is_unexpected(run) {
        states += "!";
    }
    let bound = figures.bound.map_or(String::new(), |bound| bound.to_string());
    [states, seconds(figures.seconds) + "s", bound]
}

/// The paper's figures.
fn published(run: &LatticeRun) -> [String; 3] {
    let Some(cell) = run.published else { return [const { String::new() }; 3] };
    let factor = run.factor.map_or(String::new(), |factor| {
        let digits = if factor < 10.0 { 1 } else { 0 };
        format!("{factor:.digits$}x")
    });
    [cell.states.to_string(), cell.time.to_owned(), factor]
}

/// Writes the descriptions of the programs.
pub fn write_programs(quick: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    PROGRAMS
        .iter()
        .filter(|program| program.quick || !quick)
        .try_for_each(|program| writeln!(out, "{:NAME_WIDTH$}   {}", program.name, program.help))
}

/// Writes the cost of an unused variable of a lattice.
pub fn write_overhead(all: &[LatticeOverhead], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Overhead: models without lattices, and with a variable of a lattice that nothing changes\n")?;
    writeln!(
        out,
        "{:12}{:>6}{:>12}{:>12}{:>14}{:>8}",
        "family", "size", "generated", "ns without", "ns with it", "ratio"
    )?;
    for o in all {
        let each = |seconds: f64| format!("{:.0}", seconds * 1e9 / (o.generated.max(1) as f64));
        let (plain, lattice) = (each(o.plain_seconds), each(o.lattice_seconds));
        writeln!(out, "{:12}{:>6}{:>12}{plain:>12}{lattice:>14}{:>8.2}", o.family, o.size, o.generated, o.ratio)?;
    }
    writeln!(out)
}

/// Writes the notes below the figures.
pub fn write_notes(report: &LatticeReport, out: &mut dyn Write) -> io::Result<()> {
    if !report.figures.is_empty() {
        writeln!(
            out,
            "states: those that were ever added, as the paper counts; for the strategy of Figure 5, those that are stored"
        )?;
        writeln!(out, "at the end. In parentheses: the answer is inconclusive. !: not as many as expected.")?;
        writeln!(out, "factor: how many times as long the paper's search took. -: no figure.")?;
        writeln!(out, "paper: {}.", report.source)?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::bench::lattice::LatticeFigures;
    use ::bench::lattice::FULL;

    #[test]
    fn our_figures_stand_above_those_of_the_paper() {
        let mut row = LatticeRow { row: "8".to_owned(), runs: Vec::new() };
        for (column, (states, conclusive)) in FULL.columns.iter().zip([(6312, true), (50, false), (469, true)]) {
            let mut run = super::super::start("5", "8", column);
            run.merkhet = Some(LatticeFigures { states, added: 0, stored: 0, seconds: 0.013, conclusive, bound: None });
            run.expected = column.expected(8);
            run.factor = run.published.and_then(|p| p.seconds).map(|s| s / 0.013);
            row.runs.push(run);
        }
        row.runs.push(super::super::start("5", "8", &FULL.columns[3]));
        let mut out = Vec::new();
        write_header(FULL.name, FULL.title, FULL.unit, FULL.columns, &mut out).unwrap();
        write_row(&row, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            words[4],
            ["8", "|", "6312", "0.01s", "|", "(50)!", "0.01s", "|", "469", "0.01s", "|", "-"],
            "{text}"
        );
        assert_eq!(
            words[5],
            ["paper", "|", "6312", "15s", "1154x", "|", "51", "<1s", "|", "787", "1s", "77x", "|"],
            "{text}"
        );
        let bars = |line: &str| line.match_indices('|').map(|(at, _)| at).collect::<Vec<_>>();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert!(lines.iter().all(|line| bars(line) == bars(lines[0])), "{text}");
    }
}
