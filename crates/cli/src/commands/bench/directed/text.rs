//! The tables as text.

use std::io::{self, Write};

use super::super::text::seconds;
use crate::json::bench::directed::{DirectedFigures, DirectedModel, DirectedReport, DirectedRun};
use ::bench::directed::{DirectedTable, RANDOM_RUNS, published};

/// The measures of a search, with the widths of their columns. The paper does not have explored
/// states.
const MEASURES: [(&str, usize); 5] = [("t", 7), ("explored", 10), ("S", 10), ("M", 7), ("l", 7)];

/// The width of the column of names.
const NAME_WIDTH: usize = 15;

/// The width of the column of searches, where each has a line.
const SEARCH_WIDTH: usize = 20;

/// The separator of two measures.
const RULE: &str = " |";

/// Writes the heading of a table.
pub fn write_header(table: &DirectedTable, out: &mut dyn Write) -> io::Result<()> {
    let Some(number) = table.number else {
        writeln!(out, "Further: {}\n", table.title)?;
        let heads = MEASURES.iter().map(|(name, width)| format!("{name:>width$}"));
        return writeln!(out, "{:NAME_WIDTH$}{:SEARCH_WIDTH$}{}", "", "", heads.collect::<String>());
    };
    let mut names = sizes("", ["", "", ""]);
    let mut heads = sizes("", ["a", "c", "v"]);
    for (name, width) in MEASURES {
        let labels = table.configurations.iter().map(|c| format!("{:>width$}", c.label)).collect::<String>();
        names += &format!("{RULE}{name:^0$}", labels.len());
        heads += &format!("{RULE}{labels}");
    }
    writeln!(out, "Table {number}: {}\n\n{}\n{heads}", table.title, names.trim_end())
}

/// The first columns.
fn sizes(name: &str, [a, c, v]: [&str; 3]) -> String {
    format!("{name:NAME_WIDTH$}{a:>3}{c:>4}{v:>4}")
}

/// Writes the figures of a model, with the paper's below.
pub fn write_model(table: &DirectedTable, model: &DirectedModel, out: &mut dyn Write) -> io::Result<()> {
    let runs: Vec<&DirectedRun> = model.runs.iter().filter(|run| run.table == table.number).collect();
    let Some(number) = table.number else { return write_later(table, model, &runs, out) };
    let [a, c, v] = [model.automata, model.clocks, model.variables].map(|n| n.to_string());
    let mut heads = vec![sizes(&model.model, [&a, &c, &v]), sizes("  ours", ["", "", ""])].into_iter();
    for runs in runs.chunks(table.configurations.len()) {
        let figures = runs.iter().map(|run| cells(run.merkhet)).collect::<Vec<_>>();
        let head = heads.next().unwrap_or_default();
        writeln!(out, "{head}{}", line(figures.len(), |measure, column| figures[column][measure].as_str()))?;
    }
    if runs.iter().any(|run| run.published.is_some()) {
        let printed = |measure: usize, column: usize| {
            let cells = published::cells(number, &model.model, column);
            cells.map_or("", |c| [c.seconds, "", c.states, c.megabytes, c.length][measure])
        };
        let head = sizes("  paper", published::sizes(&model.model).unwrap_or_default());
        writeln!(out, "{head}{}", line(table.configurations.len(), printed))?;
    }
    Ok(())
}

/// A line of a table without its first columns: each measure of each search.
fn line<'c>(columns: usize, cell: impl Fn(usize, usize) -> &'c str) -> String {
    let mut text = String::new();
    for (measure, (_, width)) in MEASURES.into_iter().enumerate() {
        text += RULE;
        (0..columns).for_each(|column| text += &format!("{:>width$}", cell(measure, column)));
    }
    text
}

/// A line for each search.
fn write_later(
    table: &DirectedTable,
    model: &DirectedModel,
    runs: &[&DirectedRun],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut name = model.model.as_str();
    for (configuration, run) in table.configurations.iter().zip(runs) {
        let figures = MEASURES.iter().zip(cells(run.merkhet)).map(|((_, width), cell)| format!("{cell:>width$}"));
        writeln!(out, "{name:NAME_WIDTH$}{:SEARCH_WIDTH$}{}", configuration.label, figures.collect::<String>())?;
        name = "";
    }
    let [(_, t), (_, explored), (_, s), ..] = MEASURES;
    for p in published::predicates(&model.model) {
        let line = format!(
            "{:NAME_WIDTH$}{:SEARCH_WIDTH$}{:>t$}{:explored$}{:>s$}",
            "  paper", p.column, p.seconds, "", p.states
        );
        let overhead = p.overhead.map_or(String::new(), |seconds| format!("  with {seconds} s before the search"));
        writeln!(out, "{line}{overhead}")?;
    }
    Ok(())
}

/// The measures of a search; a dash where there is none.
fn cells(figures: Option<DirectedFigures>) -> [String; 5] {
    let Some(f) = figures else { return ["-"; 5].map(str::to_owned) };
    let seconds = seconds(f.seconds);
    let length = f.length.map_or("none".to_owned(), |n| n.to_string());
    [seconds, f.explored.to_string(), f.generated.to_string(), format!("{:.1}", f.megabytes), length]
}

/// Writes the notes below the tables.
pub fn write_notes(report: &DirectedReport, has_folder: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "a, c, v: automata, clocks and variables; merkhet counts an array as one variable.")?;
    writeln!(out, "t: seconds. M: MB, of merkhet's states and of UPPAAL's whole process.")?;
    writeln!(out, "S: generated states, duplicates included, the initial state not.")?;
    writeln!(out, "l: transitions to the error and one: the states of the trace, both ends included.")?;
    writeln!(
        out,
        "-: no figure. The line of a model has the paper's search: the abstraction extra-lu, ties broken in favour of"
    )?;
    writeln!(
        out,
        "   the youngest state, and in A* states that may cover others with shorter paths. The line `ours` and"
    )?;
    writeln!(out, "   the searches that are not in the paper have merkhet's defaults, among them aLU.")?;
    writeln!(out, "rDF: the median of {RANDOM_RUNS} runs, with seeds from 0 on.")?;
    match report.heuristic_table {
        Some(n) => writeln!(out, "Heuristic values were kept in a table of {n} entries.")?,
        None => {
            writeln!(out, "Every heuristic value was computed; --heuristic-table 256000 keeps as many as the paper.")?
        }
    }
    report.sources.iter().try_for_each(|source| writeln!(out, "paper: {source}."))?;
    if !report.missing.is_empty() {
        let help = if has_folder { "" } else { "; --models names a folder that has them" };
        writeln!(out, "note: not at hand: {}{help}", report.missing.join(", "))?;
    }
    report.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::bench::directed::{LATER, TABLES};

    /// A model whose first search in a table has figures, and whose others were stopped.
    fn model(name: &str, table: &DirectedTable) -> DirectedModel {
        let figures = DirectedFigures {
            seconds: 0.126,
            explored: 549,
            generated: 1462,
            megabytes: 93.14,
            transitions: Some(8),
            length: Some(9),
        };
        let run = |(column, c): (usize, &::bench::directed::Configuration), abstraction| DirectedRun {
            configuration: c.name,
            table: table.number,
            order: c.order(),
            heuristic: c.heuristic(),
            helpful: c.helpful(),
            abstraction,
            ties: "auto",
            cover_shorter: false,
            merkhet: (column == 0).then_some(figures),
            stopped: None,
            published: table
                .number
                .and_then(|n| published::cells(n, name, column))
                .map(super::super::published_figures),
        };
        let abstractions: &[&str] = if table.number.is_some() { &["extra-lu", "auto"] } else { &["auto"] };
        DirectedModel {
            model: name.to_owned(),
            file: None,
            automata: 6,
            clocks: 5,
            variables: 1,
            runs: abstractions
                .iter()
                .flat_map(|a| table.configurations.iter().enumerate().map(move |c| run(c, *a)))
                .collect(),
            predicate_abstraction: Vec::new(),
        }
    }

    fn written(name: &str, table: &DirectedTable) -> String {
        let mut out = Vec::new();
        write_header(table, &mut out).unwrap();
        write_model(table, &model(name, table), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn our_figures_stand_above_those_of_the_paper() {
        let expected = "\
Table 2: any trace to the error: greedy by d^L and d^U

                           |      t        |      explored       |         S           |      M        |      l
                 a   c   v |     dL     dU |        dL        dU |        dL        dU |     dL     dU |     dL     dU
FB10             6   5   1 |   0.13      - |       549         - |      1462         - |   93.1      - |      9      -
  ours                     |   0.13      - |       549         - |      1462         - |   93.1      - |      9      -
  paper         10  10   1 |   24.7    0.0 |                     |    1.5e+6        38 |     81      1 |    42K      7
";
        let blind = |text: &str| {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        let text = written("FB10", &TABLES[1]);
        assert_eq!(blind(&text), blind(expected));
        let bars = |line: &str| line.match_indices('|').map(|(at, _)| at).collect::<Vec<_>>();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert!(lines.iter().all(|line| bars(line) == bars(lines[0])), "{text}");
    }

    #[test]
    fn models_of_no_paper_have_our_lines() {
        let text = written("plc3", &TABLES[0]);
        assert!(!text.contains("paper") && text.lines().last().unwrap().starts_with("  ours "), "{text}");
    }

    #[test]
    fn later_searches_have_a_line_each() {
        let text = written("C5", &LATER);
        let lines: Vec<Vec<&str>> = text.lines().skip(3).map(|line| line.split_whitespace().collect()).collect();
        let own = LATER.configurations.len();
        assert_eq!(lines.len(), own + published::COLUMNS.len());
        assert_eq!(lines[0], ["C5", "greedy", "hff", "0.13", "549", "1462", "93.1", "9"]);
        assert_eq!(lines[own - 1], ["auto", "-", "-", "-", "-", "-"]);
        assert_eq!(lines[own + 1], ["paper", "[13]-best", "41.9", "465796"]);
        assert_eq!(lines[own + 3][..4], ["paper", "Syntax-b2", "8.0", "185730"]);
        assert!(text.contains("  with 5.0 s before the search\n"), "{text}");
    }
}
