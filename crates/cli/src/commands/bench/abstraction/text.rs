//! The tables and the series as text.

use std::io::{self, Write};

use super::super::text::seconds;
use crate::json::bench::abstraction::{
    AbstractionModel, AbstractionReport, AbstractionResult, AbstractionRun, AbstractionSeries, AbstractionStep, Blind,
};
use ::bench::{
    abstraction::{AbstractionTable, Line, published::PrintedCell},
    directed::RANDOM_RUNS,
};

/// The width of the column of names.
const NAME_WIDTH: usize = 9;

/// The width of the column of split bounds.
const BOUND_WIDTH: usize = 4;

/// The width of the column of breadth-first search.
const BLIND_WIDTH: usize = 10;

/// The width of the other columns.
const CELL_WIDTH: usize = 28;

/// Writes the heading of a table.
pub fn write_header(table: &AbstractionTable, out: &mut dyn Write) -> io::Result<()> {
    let bound = if table.lines.iter().any(|line| line.bound.is_some()) { "b" } else { "" };
    let heads = table.heads.iter().map(|head| format!("{head:>CELL_WIDTH$}")).collect::<String>();
    let number = format!("Table {}", table.number);
    let place = if table.later { format!("Beside {number}") } else { number };
    writeln!(out, "{place}: {}\n\n{}{heads}", table.title, front("", bound, "bfs"))
}

/// The first columns.
fn front(name: &str, bound: &str, blind: &str) -> String {
    format!("{name:NAME_WIDTH$}{bound:>BOUND_WIDTH$}{blind:>BLIND_WIDTH$}")
}

/// Writes the figures of a model, with the paper's below.
pub fn write_line(
    table: &AbstractionTable,
    line: &Line,
    model: &AbstractionModel,
    runs: &[AbstractionRun],
    out: &mut dyn Write,
) -> io::Result<()> {
    let ours = runs.iter().map(|run| format!("{:>CELL_WIDTH$}", cell(&run.result))).collect::<String>();
    let bound = line.bound.unwrap_or_default();
    writeln!(out, "{}{ours}", front(&model.model, bound, &blind(model.blind)))?;
    let printed: Vec<Option<PrintedCell>> =
        (0..runs.len()).map(|column| table.published(&model.model, line, column)).collect();
    if printed.iter().all(Option::is_none) {
        return Ok(());
    }
    let theirs = printed.into_iter().map(|cell| format!("{:>CELL_WIDTH$}", cell.map(word).unwrap_or_default()));
    writeln!(out, "{}", format!("{}{}", front("  paper", "", ""), theirs.collect::<String>()).trim_end())
}

/// The states that breadth-first search generated.
fn blind(blind: Option<Blind>) -> String {
    match blind {
        Some(Blind { generated, complete: true }) => generated.to_string(),
        Some(Blind { generated, complete: false }) => format!(">{generated}"),
        None => "-".to_owned(),
    }
}

/// Seconds before a search, states + abstract states, and total seconds, with marks; a dash if
/// there is none.
fn cell(result: &AbstractionResult) -> String {
    let Some(figures) = &result.merkhet else { return "-".to_owned() };
    let (states, time) = (figures.generated, seconds(figures.seconds));
    match &figures.prepared {
        None => format!("{states}/{time}"),
        Some(prepared) => {
            format!("{}/{states}+{}/{time}{}", seconds(prepared.seconds), prepared.states, marks(result))
        }
    }
}

/// The marks of a search.
fn marks(result: &AbstractionResult) -> String {
    let prepared = result.merkhet.as_ref().and_then(|figures| figures.prepared.as_ref());
    let loss = match (result.loss, prepared) {
        (Some(true), _) => "!",
        (None, Some(prepared)) if prepared.states > 0 => "?",
        _ => "",
    };
    let short = if prepared.is_some_and(|prepared| prepared.stopped.is_some()) { "~" } else { "" };
    format!("{loss}{short}")
}

/// A cell of the paper. It leaves cells empty that are equal to their left neighbours.
fn word(cell: PrintedCell) -> String {
    match cell {
        PrintedCell::Found { overhead: None, states, seconds } => format!("{states}/{seconds}"),
        PrintedCell::Found { overhead: Some(overhead), states, seconds } => format!("{overhead}/{states}/{seconds}"),
        PrintedCell::NoTime => "-/".to_owned(),
        PrintedCell::NoMemory => "/-".to_owned(),
        PrintedCell::AsLeft => "=".to_owned(),
    }
}

/// The columns of the series, with their widths.
const SERIES: [(&str, usize); 9] = [
    ("heuristic", 17),
    ("rounds", 8),
    ("predicates", 12),
    ("lengths", 12),
    ("abstract", 10),
    ("states", 10),
    ("seconds", 9),
    ("paper: states", 16),
    ("lengths", 9),
];

fn write_series(series: &AbstractionSeries, out: &mut dyn Write) -> io::Result<()> {
    let bound = series.bound;
    writeln!(out, "Series: {}, greedy by pa-refine({bound},r) and pa-auto\n", series.model)?;
    // Only one model has figures of the paper.
    let columns =
        if series.steps.iter().any(|step| step.published.is_some()) { SERIES.len() } else { SERIES.len() - 2 };
    let line = |cells: [String; 9]| {
        let [(_, first), rest @ ..] = SERIES;
        let rest_of_cells = cells[1..columns].iter().zip(rest).map(|(cell, (_, width))| format!("{cell:>width$}"));
        format!("{:first$}{}", cells[0], rest_of_cells.collect::<String>()).trim_end().to_owned()
    };
    writeln!(out, "{}", line(SERIES.map(|(head, _)| head.to_owned())))?;
    series.steps.iter().try_for_each(|step| writeln!(out, "{}", line(step_cells(step))))?;
    writeln!(out, "breadth-first search: {} states\n", blind(series.blind))
}

fn step_cells(step: &AbstractionStep) -> [String; 9] {
    let published = step.published.as_ref();
    let states = published.map(|p| p.generated.to_string()).unwrap_or_default();
    let lengths = published.map(|p| words(p.lengths.iter().copied().map(Some))).unwrap_or_default();
    let heuristic = step.heuristic.clone();
    let Some(figures) = &step.result.merkhet else {
        let [a, b, c, d, e, f] = ["-"; 6].map(str::to_owned);
        return [heuristic, a, b, c, d, e, f, states, lengths];
    };
    let [rounds, predicates, built, own] = match &figures.prepared {
        None => ["-"; 4].map(str::to_owned),
        Some(p) => [
            p.rounds.to_string(),
            p.predicates.to_string(),
            format!("{}{}", p.states, marks(&step.result)),
            words(p.lengths.iter().copied()),
        ],
    };
    let (generated, time) = (figures.generated.to_string(), seconds(figures.seconds));
    [heuristic, rounds, predicates, own, built, generated, time, states, lengths]
}

fn words(lengths: impl Iterator<Item = Option<u32>>) -> String {
    lengths.map(|length| length.map_or("none".to_owned(), |n| n.to_string())).collect::<Vec<_>>().join(" ")
}

/// Writes the series, and the notes below the tables.
pub fn write_rest(report: &AbstractionReport, has_folder: bool, out: &mut dyn Write) -> io::Result<()> {
    if let Some(series) = &report.series {
        write_series(series, out)?;
    }
    writeln!(
        out,
        "a/s+d/t: seconds before the search, generated states, abstract states built before, total seconds."
    )?;
    writeln!(out, "s/t: nothing was built. bfs: states that breadth-first search generates.")?;
    writeln!(
        out,
        "!: a loss: more abstract states than the search saves against bfs. ?: unknown, since bfs was stopped."
    )?;
    writeln!(out, "~: the abstraction is incomplete, but used. -: stopped, see below.")?;
    writeln!(out, "-/, /- and = of the paper: no time before the search, no memory, as the left neighbour.")?;
    writeln!(
        out,
        "RDF: the median of {RANDOM_RUNS} runs. RDF, the columns with extra-lu, the plans and the series have the \
         paper's abstraction, the others merkhet's default."
    )?;
    writeln!(out, "paper: {}.", report.source)?;
    if !report.missing.is_empty() {
        let help = if has_folder { "" } else { "; --models names a folder that has them" };
        writeln!(out, "note: not at hand: {}{help}", report.missing.join(", "))?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        commands::bench::abstraction::laboratory::tests::figures,
        json::bench::abstraction::{AbstractionFigures, PublishedStep},
    };
    use ::bench::abstraction::tables;

    fn result(merkhet: Option<AbstractionFigures>, loss: Option<bool>) -> AbstractionResult {
        AbstractionResult { merkhet, stopped: None, loss }
    }

    /// The lines of a model in a table whose searches came to these ends, without the spaces
    /// between words.
    fn written(table: &AbstractionTable, name: &str, results: &[AbstractionResult]) -> Vec<String> {
        let model = AbstractionModel {
            model: name.to_owned(),
            file: None,
            automata: 1,
            clocks: 1,
            variables: 1,
            blind: Some(Blind { generated: 1000, complete: false }),
            runs: Vec::new(),
        };
        let line = &table.lines[0];
        let run = |result: &AbstractionResult| AbstractionRun {
            table: table.number,
            column: String::new(),
            bound: line.bound,
            configuration: String::new(),
            order: "greedy",
            heuristic: None,
            result: result.clone(),
            published: None,
        };
        let mut out = Vec::new();
        write_header(table, &mut out).unwrap();
        write_line(table, line, &model, &results.iter().map(run).collect::<Vec<_>>(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        text.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn our_figures_stand_above_those_of_the_paper() {
        let stopped = || result(None, None);
        let mut short = figures(40, Some(9));
        short.prepared.iter_mut().for_each(|p| p.stopped = Some("the time is over"));
        let ends = [
            result(Some(figures(30, None)), None),
            result(Some(figures(40, Some(5))), Some(false)),
            result(Some(figures(40, Some(5))), Some(true)),
            result(Some(short), None),
            stopped(),
        ];
        let all = tables();
        let expected = [
            "bfs RDF [13]-best [5]-N50 Syntax-b2 ARMC-b3-r4",
            "C6 >1000 30/12.3 0.13/40+5/12.3 0.13/40+5/12.3! 0.13/40+9/12.3?~ -",
            "paper /- 4.5e+6/353.0 1.7e+6/15.5 5.2/1.9e+6/33.9 16.5/2.6e+6/42.5",
        ];
        assert_eq!(written(&all[0], "C6", &ends), expected);
        assert_eq!(written(&all[2], "M3", &ends)[2].split(' ').next_back(), Some("="));
        assert_eq!(written(&all[2], "M4", &ends)[2].split(' ').next_back(), Some("-/"));
        let third = written(&all[3], "C6", &ends);
        assert_eq!(
            (third[0].as_str(), third[2].as_str()),
            ("b bfs r 0 r 1 r 4 r 7 pa-auto(b)", "paper -/ -/ 2.4/4.4e+6/40.5 =")
        );
        assert!(third[1].starts_with("C6 1 >1000 "), "{third:?}");
        // What came later, and other models, have no line of the paper.
        assert_eq!(written(&all[1], "C6", &ends[..4]).len(), 2);
        assert_eq!(written(&all[0], "plc3", &ends).len(), 2);
    }

    #[test]
    fn a_step_of_the_series_has_the_lengths_of_each_part() {
        let mut step = AbstractionStep {
            rounds: Some(2),
            heuristic: "pa-refine(3,2)".to_owned(),
            result: result(Some(figures(40, Some(5))), Some(true)),
            published: Some(PublishedStep { generated: 49384, lengths: vec![13, 10] }),
        };
        assert_eq!(step_cells(&step), ["pa-refine(3,2)", "2", "7", "6 none", "5!", "40", "12.3", "49384", "13 10"]);
        step.result = result(None, None);
        assert_eq!(step_cells(&step), ["pa-refine(3,2)", "-", "-", "-", "-", "-", "-", "49384", "13 10"]);
    }
}
