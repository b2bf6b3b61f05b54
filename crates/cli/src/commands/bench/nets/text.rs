//! The tables as text.

use std::{
    io::{self, Write},
    time::Duration,
};

use super::super::text::seconds;
use crate::json::bench::nets::{
    EncodingSizes, MethodRun, Net, NetAnswers, NetRun, NetSizes, NetTimes, NetsReport, PublishedSizes, Size, ToolRun,
};

/// The width of the first columns: net, places/transitions, steps.
const NAME_WIDTH: usize = 30;

/// The width of a number of variables or constraints.
const NUMBER_WIDTH: usize = 13;

/// The width of a time.
const TIME_WIDTH: usize = 11;

fn name(net: &Net, steps: &dyn std::fmt::Display) -> String {
    let places = format!("{}/{}", net.places, net.transitions);
    format!("{:<14}{places:<12}{steps:>4}", format!("{} {}", net.family, net.size))
}

/// Writes the heading of Table 1.
pub fn write_sizes_header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Table 1: variables and constraints, by which variables are replaced\n")?;
    let kinds = ["nothing", "unchanged", "constants"];
    let mut heads = format!("{:NAME_WIDTH$}", "");
    let mut names = format!("{:<14}{:<12}{:>4}", "net", "size", "step");
    for encoding in ["la", "dl"] {
        heads += &format!(" |{:^width$}", encoding, width = 3 * NUMBER_WIDTH);
        names += " |";
        for kind in kinds {
            names += &format!("{kind:>NUMBER_WIDTH$}");
        }
    }
    writeln!(out, "{}\n{names}", heads.trim_end())
}

/// A count of a size.
type Count = fn(&Size) -> u64;

/// Writes a net and a number of steps: variables, then constraints, each with the paper's below.
pub fn write_sizes(row: &NetSizes, out: &mut dyn Write) -> io::Result<()> {
    let kinds: [(&str, Count); 2] = [("variables", |s| s.variables), ("constraints", |s| s.constraints)];
    writeln!(out, "{}", name(&row.net, &row.steps))?;
    for (what, number) in kinds {
        let line = |encoding: &EncodingSizes| {
            let EncodingSizes { before, after, merkhet, .. } = encoding;
            [before, after, merkhet].map(|size| format!("{:>NUMBER_WIDTH$}", number(size))).concat()
        };
        writeln!(out, "  {what:<28} |{} |{}", line(&row.la), line(&row.dl))?;
        if let (Some(la), Some(dl)) = (&row.la.published, &row.dl.published) {
            let line = |sizes: &PublishedSizes| {
                let both =
                    [&sizes.before, &sizes.after].map(|size| format!("{:>NUMBER_WIDTH$}", number(size))).concat();
                format!("{both}{:NUMBER_WIDTH$}", "")
            };
            writeln!(out, "{}", format!("  {:<28} |{} |{}", "  paper", line(la), line(dl)).trim_end())?;
        }
        let factor = |encoding: &EncodingSizes| {
            let times = number(&encoding.before) as f64 / number(&encoding.merkhet).max(1) as f64;
            format!("{:>width$}", format!("{times:.0} times"), width = 3 * NUMBER_WIDTH)
        };
        writeln!(out, "  {:<28} |{} |{}", "  nothing / constants", factor(&row.la), factor(&row.dl))?;
    }
    Ok(())
}

/// Writes the heading of Table 2: solver, encoding, and which variables are replaced.
pub fn write_times_header(columns: &[[&str; 3]], limit: Duration, out: &mut dyn Write) -> io::Result<()> {
    let limit = limit.as_secs_f64();
    writeln!(out, "Table 2: CPU seconds to decide whether a deadlock is reachable; `>`: more than {limit}\n")?;
    let line = |row: usize| columns.iter().map(|titles| format!("{:>TIME_WIDTH$}", titles[row])).collect::<String>();
    for row in 0..2 {
        writeln!(out, "{:NAME_WIDTH$}{}", "", line(row))?;
    }
    writeln!(out, "{:<14}{:<12}{:>4}{}  result", "net", "size", "step", line(2))
}

/// Writes a net and a number of steps, with the paper's times below.
pub fn write_times(row: &NetTimes, out: &mut dyn Write) -> io::Result<()> {
    let cells: String = row.runs.iter().map(|run| format!("{:>TIME_WIDTH$}", cell(row, run))).collect();
    writeln!(out, "{}{cells}  {}", name(&row.net, &row.steps), row.result.unwrap_or("-"))?;
    if row.runs.iter().any(|run| run.published.is_some()) {
        let papers: String = row.runs.iter().map(|run| format!("{:>TIME_WIDTH$}", published(run))).collect();
        writeln!(out, "{}", format!("{:NAME_WIDTH$}{papers}", "  paper").trim_end())?;
    }
    Ok(())
}

fn cell(row: &NetTimes, run: &NetRun) -> String {
    match (run.seconds, run.answer.as_deref()) {
        (Some(time), answer) => {
            let mark = if row.result.is_some() && answer != row.result { "*" } else { "" };
            format!("{}{mark}", seconds(time))
        }
        (None, Some("the time limit was reached")) => ">".to_owned(),
        (None, Some(_)) => "?".to_owned(),
        (None, None) => "-".to_owned(),
    }
}

fn published(run: &NetRun) -> String {
    match run.published {
        Some(">") => ">600".to_owned(),
        Some(time) => time.to_owned(),
        None => String::new(),
    }
}

/// The width of a query.
const QUERY_WIDTH: usize = 36;

/// Writes the heading of Table 3, with a column for each method and each tool.
pub fn write_answers_header(columns: &[&str], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Table 3: CPU seconds to decide a query, whatever the number of steps\n")?;
    let columns: String = columns.iter().map(|name| format!("{name:>ANSWER_WIDTH$}")).collect();
    writeln!(out, "{:<14}{:<12}{:<QUERY_WIDTH$}{columns}  answer", "net", "size", "query")
}

/// The width of a time of Table 3.
const ANSWER_WIDTH: usize = 15;

/// Writes the answers to a query.
pub fn write_answers(row: &NetAnswers, out: &mut dyn Write) -> io::Result<()> {
    let places = format!("{}/{}", row.net.places, row.net.transitions);
    let name = format!("{:<14}{places:<12}", format!("{} {}", row.net.family, row.net.size));
    let ours = row.runs.iter().map(|run| (run.seconds, &run.answer));
    let all: Vec<(Option<f64>, &String)> = ours.chain(row.tools.iter().map(|run| (run.seconds, &run.answer))).collect();
    let answer = all.iter().find(|(seconds, _)| seconds.is_some()).map(|(_, answer)| answer.as_str());
    let cell = |(time, own): &(Option<f64>, &String)| match time {
        Some(time) if Some(own.as_str()) == answer => seconds(*time),
        Some(time) => format!("{}*", seconds(*time)),
        None => "-".to_owned(),
    };
    let cells: String = all.iter().map(|run| format!("{:>ANSWER_WIDTH$}", cell(run))).collect();
    writeln!(out, "{name}{:<QUERY_WIDTH$}{cells}  {}", row.query, answer.unwrap_or("-"))
}

/// Writes the notes.
pub fn write_notes(report: &NetsReport, out: &mut dyn Write) -> io::Result<()> {
    let problems = report.times.iter().flat_map(|row| row.runs.iter().map(move |run| (row, run)));
    for (row, run) in problems.filter(|(_, run)| run.seconds.is_none()) {
        if let Some(why) = run.answer.as_deref().filter(|why| *why != "the time limit was reached") {
            writeln!(
                out,
                "note: {} {}, step {}, {} {}: {why}",
                row.net.family, row.net.size, row.steps, run.solver, run.encoding
            )?;
        }
    }
    for row in &report.answers {
        let clauses = |run: &MethodRun| run.clauses.map(|clauses| format!("an invariant of {clauses} clauses"));
        let states = |run: &ToolRun| run.states.map(|states| format!("{states} states"));
        let ours = row.runs.iter().map(|run| (run.method, run.seconds, &run.answer, clauses(run)));
        let tools = row.tools.iter().map(|run| (run.tool, run.seconds, &run.answer, states(run)));
        for (by, seconds, answer, found) in ours.chain(tools) {
            let net = format!("{} {}, `{}`, {by}", row.net.family, row.net.size, row.query);
            match (seconds, found) {
                (None, _) => writeln!(out, "note: {net}: {answer}")?,
                (Some(_), Some(found)) => writeln!(out, "note: {net}: {found}")?,
                (Some(_), None) => {}
            }
        }
    }
    for note in &report.notes {
        writeln!(out, "note: {note}")?;
    }
    if report.sizes.is_empty() && report.times.is_empty() {
        return Ok(());
    }
    writeln!(out, "note: the paper's figures: {}", report.source)
}
