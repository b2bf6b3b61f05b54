//! `merkhet bench directed`

mod plot;
mod text;

use std::{io, sync::atomic::Ordering};

use merkhet::Choices;
use verify::{Options, Verdict};

use super::{
    fail,
    measure::{Budget, Measured, measure, middle},
    read,
    remarks::by_reason,
    spaces, start_plot, without_optimisation, write_plot,
};
use crate::{
    args::{DirectedArgs, ReportFormat},
    input::is_dash,
    interrupt,
    json::{
        VERSION,
        bench::directed::{
            DirectedFigures, DirectedModel, DirectedReport, DirectedRun, PredicateFigures, PublishedFigures,
        },
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    directed::{Configuration, DirectedTable, LATER, Row, Setting, TABLES, chosen, published},
    search::Space,
};

/// Runs every search on every model, table by table.
pub fn run(args: &DirectedArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.plot.as_deref().is_some_and(is_dash) {
        return fail("--plot writes a file; the standard output has the figures", streams);
    }
    let rows = match chosen(args.models.as_deref(), &args.row, |_| true, &read) {
        Ok(rows) => rows,
        Err(why) => return fail(why, streams),
    };
    let plot = match start_plot(args.plot.as_deref(), rows.rows.iter()) {
        Ok(plot) => plot,
        Err(why) => return fail(why, streams),
    };
    let spaces = match spaces(&rows.rows, streams)? {
        Ok(spaces) => spaces,
        Err(status) => return Ok(status),
    };
    let mut report = DirectedReport {
        version: VERSION,
        sources: vec![published::SPIN, published::MOCHART],
        heuristic_table: args.heuristic_table,
        models: rows.rows.iter().zip(&spaces).map(|(row, space)| describe(row, space)).collect(),
        missing: rows.missing,
        notes: without_optimisation().into_iter().collect(),
    };
    let status = search(args, &spaces, &mut report.models, streams)?;
    report.notes.extend(remarks(&report.models));
    match args.format {
        ReportFormat::Text => text::write_notes(&report, args.models.is_some(), streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    match plot {
        Some(target) => Ok(status.max(write_plot(target, &plot::svg(&report), streams)?)),
        None => Ok(status),
    }
}

fn search(
    args: &DirectedArgs,
    spaces: &[Space],
    models: &mut [DirectedModel],
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let mut status = Status::Fine;
    let is_wanted =
        |table: &&DirectedTable| args.table.is_empty() || table.number.is_some_and(|n| args.table.contains(&n));
    for table in TABLES.iter().chain([&LATER]).filter(is_wanted) {
        if args.format == ReportFormat::Text {
            text::write_header(table, streams.out)?;
        }
        for (model, space) in models.iter_mut().zip(spaces) {
            let columns = || table.configurations.iter().enumerate();
            let searches =
                table.settings(args.ties).into_iter().flat_map(|setting| columns().map(move |c| (setting, c)));
            for (setting, (column, configuration)) in searches {
                if interrupt::flag().load(Ordering::Relaxed) {
                    return Ok(status.max(Status::Unknown));
                }
                let cell = Cell { table, column, configuration, setting };
                let (run, ended) = one(args, space, &cell, &model.model, streams);
                status = status.max(ended);
                model.runs.push(run);
            }
            if args.format == ReportFormat::Text {
                text::write_model(table, model, streams.out)?;
                streams.out.flush()?;
            }
        }
        if args.format == ReportFormat::Text {
            writeln!(streams.out)?;
        }
    }
    Ok(status)
}

fn describe(row: &Row, space: &Space) -> DirectedModel {
    let size = space.size();
    let figures = |p: published::Predicates| PredicateFigures {
        configuration: p.column,
        overhead_seconds: p.overhead.and_then(published::number),
        generated: published::number(p.states),
        seconds: published::number(p.seconds),
    };
    DirectedModel {
        model: row.name.clone(),
        file: row.file.as_ref().map(|file| file.display().to_string()),
        automata: size.automata,
        clocks: size.clocks,
        variables: size.variables,
        runs: Vec::new(),
        predicate_abstraction: published::predicates(&row.name).into_iter().map(figures).collect(),
    }
}

/// A place in a table.
struct Cell<'t> {
    table: &'t DirectedTable,
    column: usize,
    configuration: &'t Configuration,
    setting: Setting,
}

/// One search on one model.
fn one(
    args: &DirectedArgs,
    space: &Space,
    Cell { table, column, configuration, setting }: &Cell<'_>,
    model: &str,
    streams: &mut Streams<'_>,
) -> (DirectedRun, Status) {
    let cells = table.number.and_then(|number| published::cells(number, model, *column));
    let values = args.heuristic_table.map(|n| n as usize);
    let options: Vec<Options> =
        configuration.seeds().map(|seed| configuration.options_in(*setting, values, seed)).collect();
    let first = &options[0];
    let mut run = DirectedRun {
        configuration: configuration.name,
        table: table.number,
        order: configuration.order(),
        heuristic: configuration.heuristic(),
        helpful: configuration.helpful(),
        abstraction: first.abstraction.name(),
        ties: first.guidance.ties.name(),
        cover_shorter: first.guidance.covers_shorter,
        merkhet: None,
        stopped: None,
        published: cells.map(published_figures),
    };
    let budget = Budget { time: Some(args.time_limit), bytes: Some(args.memory_limit), ..Budget::default() };
    let runs = options.iter().map(|options| measure(space, options, budget, streams)).collect();
    let Some(Measured { answer, seconds, peak, .. }) = middle(runs) else { return (run, Status::Fine) };
    if let Verdict::Unknown(reason) = &answer.verdict {
        run.stopped = Some(reason.to_string());
        return (run, Status::Unknown);
    }
    let transitions = answer.trace.map(|trace| trace.steps.len());
    run.merkhet = Some(DirectedFigures {
        seconds,
        explored: answer.counts.explored,
        generated: answer.counts.generated,
        megabytes: peak as f64 / 1e6,
        transitions,
        length: transitions.map(|n| n + 1),
    });
    (run, if transitions.is_some() { Status::Fine } else { Status::Unsatisfied })
}

/// The figures of a paper.
pub fn published_figures(cells: published::Cells) -> PublishedFigures {
    PublishedFigures {
        seconds: published::number(cells.seconds),
        generated: published::number(cells.states),
        megabytes: published::number(cells.megabytes),
        length: published::number(cells.length),
    }
}

/// Explanations of the dashes in the tables.
fn remarks(models: &[DirectedModel]) -> Vec<String> {
    let runs = models.iter().flat_map(|model| model.runs.iter().map(move |run| (model, run)));
    by_reason(runs.filter_map(|(model, run)| {
        let name = match run.abstraction {
            "auto" => format!("{} {}", model.model, run.configuration),
            abstraction => format!("{} {} with {abstraction}", model.model, run.configuration),
        };
        match (&run.stopped, &run.merkhet) {
            (Some(why), _) => Some((why.as_str(), name)),
            (None, None) => Some(("merkhet has no such search", run.configuration.to_owned())),
            (None, Some(figures)) if figures.length.is_none() => Some(("there is no error", name)),
            (None, Some(_)) => None,
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_are_explained() {
        let run = |configuration, stopped: Option<&str>, merkhet| DirectedRun {
            configuration,
            table: None,
            order: "greedy",
            heuristic: None,
            helpful: false,
            abstraction: "auto",
            ties: "auto",
            cover_shorter: false,
            merkhet,
            stopped: stopped.map(str::to_owned),
            published: None,
        };
        let figures = DirectedFigures { length: Some(9), ..DirectedFigures::default() };
        let model = |name: &str, runs| DirectedModel {
            model: name.to_owned(),
            file: None,
            automata: 1,
            clocks: 0,
            variables: 0,
            runs,
            predicate_abstraction: Vec::new(),
        };
        let models = [
            model(
                "FA5",
                vec![run("a", None, None), run("b", Some("interrupted"), None), run("c", None, Some(figures))],
            ),
            model("FB5", vec![run("a", None, None), run("b", Some("interrupted"), None)]),
            model("FC5", vec![run("c", None, Some(DirectedFigures::default()))]),
        ];
        let expected = ["merkhet has no such search: a", "interrupted: FA5 b, FB5 b", "there is no error: FC5 c"];
        assert_eq!(remarks(&models), expected);
    }
}
