//! `merkhet bench abstraction`

mod laboratory;
mod plot;
mod text;

use std::io;

use thiserror::Error;

use self::laboratory::Laboratory;
use super::{fail, measure::Budget, read, remarks::by_reason, spaces, start_plot, without_optimisation, write_plot};
use crate::{
    args::{AbstractionArgs, ReportFormat},
    input::is_dash,
    json::{
        VERSION,
        bench::abstraction::{
            AbstractionModel, AbstractionReport, AbstractionResult, AbstractionRun, AbstractionSeries, AbstractionStep,
            PublishedCell, PublishedOutcome, PublishedStep,
        },
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    abstraction::{AbstractionTable, SERIES_BOUND, SERIES_MODEL, published, series, tables},
    directed::{Row, Rows, RowsError, chosen},
    search::Space,
};

/// Why models can't be selected.
#[derive(Debug, Error)]
enum SelectionError {
    #[error(transparent)]
    Rows(#[from] RowsError),
    #[error("--plot draws a series, and {SERIES_MODEL} is not run; --series names another model")]
    NoSeries,
}

/// Runs every search on every model, table by table, and then the series.
pub fn run(args: &AbstractionArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.plot.as_deref().is_some_and(is_dash) {
        return fail("--plot writes a file; the standard output has the figures", streams);
    }
    let (rows, followed) = match select(args) {
        Ok(selected) => selected,
        Err(why) => return fail(why, streams),
    };
    let plot = match start_plot(args.plot.as_deref(), rows.rows.iter().chain(&followed)) {
        Ok(plot) => plot,
        Err(why) => return fail(why, streams),
    };
    let (spaces_of_rows, space_of_series) = match (spaces(&rows.rows, streams)?, spaces(&followed, streams)?) {
        (Ok(rows), Ok(series)) => (rows, series),
        (Err(status), _) | (_, Err(status)) => return Ok(status),
    };
    let mut report = AbstractionReport {
        version: VERSION,
        source: published::SOURCE,
        time_limit_seconds: args.time_limit.as_secs_f64(),
        models: rows.rows.iter().zip(&spaces_of_rows).map(|(row, space)| describe(row, space)).collect(),
        series: None,
        missing: rows.missing,
        notes: without_optimisation().into_iter().collect(),
    };
    let mut laboratory =
        Laboratory::new(Budget { time: Some(args.time_limit), bytes: Some(args.memory_limit), ..Budget::default() });
    for table in tables().iter().filter(|table| args.table.contains(&table.number) || prints_all(args)) {
        let named = !args.row.is_empty();
        if !report.models.iter().any(|model| named || table.has(&model.model)) {
            report.notes.push(format!("Table {}: none of its models is at hand", table.number));
            continue;
        }
        if args.format == ReportFormat::Text {
            text::write_header(table, streams.out)?;
        }
        for (model, space) in report.models.iter_mut().zip(&spaces_of_rows) {
            if named || table.has(&model.model) {
                fill(args, table, (model, space), &mut laboratory, streams)?;
            }
        }
        if args.format == ReportFormat::Text {
            writeln!(streams.out)?;
        }
    }
    if let (Some(row), Some(space)) = (followed.first(), space_of_series.first()) {
        report.series = Some(follow(row, space, &mut laboratory, streams));
    }
    report.notes.extend(remarks(&report));
    match args.format {
        ReportFormat::Text => text::write_rest(&report, args.models.is_some(), streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    match (plot, &report.series) {
        (Some(target), Some(series)) => Ok(laboratory.status.max(write_plot(target, &plot::svg(series), streams)?)),
        _ => Ok(laboratory.status),
    }
}

/// Whether all tables are printed.
fn prints_all(args: &AbstractionArgs) -> bool {
    args.table.is_empty() && args.series.is_none()
}

/// The models of the tables, and that of the series, if there is one.
fn select(args: &AbstractionArgs) -> Result<(Rows, Vec<Row>), SelectionError> {
    let folder = args.models.as_deref();
    let rows = match args.table.is_empty() && !prints_all(args) {
        true => Rows { rows: Vec::new(), missing: Vec::new() },
        false => chosen(folder, &args.row, published::syntax_has, &read)?,
    };
    let standard = || rows.rows.iter().any(|row| row.name == SERIES_MODEL).then(|| SERIES_MODEL.to_owned());
    let asked = prints_all(args) || args.plot.is_some();
    let followed = match args.series.clone().or_else(|| standard().filter(|_| asked)) {
        Some(name) => chosen(folder, &[name], |_| false, &read)?.rows,
        None if args.plot.is_some() => {
            return Err(SelectionError::NoSeries);
        }
        None => Vec::new(),
    };
    Ok((rows, followed))
}

fn describe(row: &Row, space: &Space) -> AbstractionModel {
    let size = space.size();
    AbstractionModel {
        model: row.name.clone(),
        file: row.file.as_ref().map(|file| file.display().to_string()),
        automata: size.automata,
        clocks: size.clocks,
        variables: size.variables,
        blind: None,
        runs: Vec::new(),
    }
}

/// Runs the searches of a table on a model.
fn fill(
    args: &AbstractionArgs,
    table: &AbstractionTable,
    (model, space): (&mut AbstractionModel, &Space),
    laboratory: &mut Laboratory,
    streams: &mut Streams<'_>,
) -> io::Result<()> {
    model.blind = laboratory.blind(&model.model, space, streams);
    for line in &table.lines {
        let first = model.runs.len();
        for (column, search) in line.searches.iter().enumerate() {
            let Some(outcome) = laboratory.run(&model.model, space, search, streams) else { return Ok(()) };
            model.runs.push(AbstractionRun {
                table: table.number,
                column: table.heads[column].clone(),
                bound: line.bound,
                configuration: search.name().to_owned(),
                order: search.order(),
                heuristic: outcome.heuristic.clone(),
                result: outcome.result(model.blind),
                published: table.published(&model.model, line, column).map(published_cell),
            });
        }
        if args.format == ReportFormat::Text {
            text::write_line(table, line, model, &model.runs[first..], streams.out)?;
            streams.out.flush()?;
        }
    }
    Ok(())
}

/// Runs the searches of a series.
fn follow(row: &Row, space: &Space, laboratory: &mut Laboratory, streams: &mut Streams<'_>) -> AbstractionSeries {
    let blind = laboratory.blind(&row.name, space, streams);
    let mut steps = Vec::new();
    for step in series(&row.name) {
        let Some(outcome) = laboratory.run(&row.name, space, &step.search, streams) else { break };
        let published = step.published.map(|step| PublishedStep { generated: step.states, lengths: step.lengths });
        let heuristic = step.search.name().to_owned();
        steps.push(AbstractionStep { rounds: step.rounds, heuristic, result: outcome.result(blind), published });
    }
    AbstractionSeries { model: row.name.clone(), bound: SERIES_BOUND, blind, steps }
}

/// Returns a cell of the paper's table.
fn published_cell(cell: published::PrintedCell) -> PublishedCell {
    let nothing = |outcome| PublishedCell { outcome, overhead_seconds: None, generated: None, seconds: None };
    match cell {
        published::PrintedCell::Found { overhead, states, seconds } => PublishedCell {
            outcome: PublishedOutcome::Found,
            overhead_seconds: overhead.and_then(published::number),
            generated: published::number(states),
            seconds: published::number(seconds),
        },
        published::PrintedCell::NoTime => nothing(PublishedOutcome::NoTime),
        published::PrintedCell::NoMemory => nothing(PublishedOutcome::NoMemory),
        published::PrintedCell::AsLeft => nothing(PublishedOutcome::AsLeft),
    }
}

/// Explanations of the marks and dashes in the tables.
fn remarks(report: &AbstractionReport) -> Vec<String> {
    let runs = report
        .models
        .iter()
        .flat_map(|model| model.runs.iter().map(|run| (&model.model, &run.configuration, &run.result)));
    let steps = report
        .series
        .iter()
        .flat_map(|series| series.steps.iter().map(|step| (&series.model, &step.heuristic, &step.result)));
    let all = runs.chain(steps);
    by_reason(all.filter_map(|(model, search, result)| Some((remark(result)?, format!("{model} {search}")))))
}

/// The remark on a search.
fn remark(result: &AbstractionResult) -> Option<&str> {
    match (&result.stopped, &result.merkhet) {
        (Some(why), _) => Some(why),
        (None, Some(figures)) if figures.transitions.is_none() => Some("there is no error"),
        _ => None,
    }
}
