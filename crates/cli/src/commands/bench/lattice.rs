//! `merkhet bench lattice`

mod overhead;
mod programs;
mod remarks;
mod text;

use std::{fmt::Display, io, sync::atomic::Ordering};

use verify::{OptionError, Options, Verdict};

use super::{
    measure::{Budget, Measured, measure},
    without_optimisation,
};
use crate::{
    args::{self, LatticeArgs, ReportFormat},
    interrupt,
    json::{
        VERSION,
        bench::lattice::{LatticeFigure, LatticeFigures, LatticePublished, LatticeReport, LatticeRow, LatticeRun},
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    lattice::{Column, Counted, DATABASE, FULL, Figure, LEADER, PROGRAM_COLUMNS, PROGRAMS, published},
    search::Space,
};
use merkhet::Choices;

/// Runs the figures.
pub fn run(args: &LatticeArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let wants = |figure| args.figure.is_empty() || args.figure.contains(&figure);
    let mut report = LatticeReport { version: VERSION, source: published::OPAAL, ..LatticeReport::default() };
    report.notes.extend(without_optimisation());
    let mut status = Status::Fine;
    for (name, figure) in
        [(args::FigureChoice::Four, &DATABASE), (args::FigureChoice::Five, &FULL), (args::FigureChoice::Six, &LEADER)]
    {
        if wants(name) {
            status = status.max(run_figure(args, figure, &mut report, streams)?);
        }
    }
    if wants(args::FigureChoice::Cache) {
        status = status.max(run_programs(args, &mut report, streams)?);
    }
    if wants(args::FigureChoice::Overhead) {
        match overhead::measure(args, streams) {
            Ok(all) => report.overhead = all,
            Err(why) => return broken(why, streams),
        }
        if args.format == ReportFormat::Text {
            text::write_overhead(&report.overhead, streams.out)?;
        }
    }
    if interrupt::flag().load(Ordering::Relaxed) {
        status = status.max(Status::Unknown);
    }
    let (remarks, agrees) = remarks::remarks(&report.figures);
    report.notes.extend(remarks);
    if !agrees {
        status = status.max(Status::Unsatisfied);
    }
    match args.format {
        ReportFormat::Text => text::write_notes(&report, streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    Ok(status)
}

/// Reports that a built-in model is wrong.
fn broken(why: impl Display, streams: &mut Streams<'_>) -> io::Result<Status> {
    streams.fail(&format!("a model is wrong: {why}"))?;
    Ok(Status::Defect)
}

fn run_figure(
    args: &LatticeArgs,
    figure: &Figure,
    report: &mut LatticeReport,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let prints = args.format == ReportFormat::Text;
    let mut status = Status::Fine;
    if prints {
        text::write_header(figure.name, figure.title, figure.unit, figure.columns, streams.out)?;
    }
    let mut rows = Vec::new();
    let sizes = match args.size.as_slice() {
        [] if args.quick => &figure.sizes[..figure.quick],
        [] => figure.sizes,
        sizes => sizes,
    };
    let wants = |column: &Column| args.search.is_empty() || args.search.iter().any(|name| name == column.name);
    for &size in sizes {
        let mut row = LatticeRow { row: size.to_string(), runs: Vec::new() };
        for column in figure.columns {
            let mut run = start(figure.name, &row.row, column);
            run.expected = column.expected(size);
            if wants(column) && figure.is_run(column, size) && !interrupt::flag().load(Ordering::Relaxed) {
                let mut space = match Space::with_query(figure.file, &figure.model(size), figure.query) {
                    Ok(space) => space,
                    Err(why) => return broken(why, streams),
                };
                let options = match options(column, &mut space) {
                    Ok(options) => options,
                    Err(why) => return broken(why, streams),
                };
                let measured = measure(&space, &options, budget(args), streams);
                finish(&mut run, &measured, column.counted);
                // The paper's times are of the same models.
                let (theirs, ours) = (run.published.and_then(|p| p.seconds), run.merkhet.map(|m| m.seconds));
                run.factor = theirs.zip(ours).filter(|(_, ours)| *ours > 0.0).map(|(theirs, ours)| theirs / ours);
            }
            status = status.max(if run.stopped.is_some() { Status::Unknown } else { Status::Fine });
            row.runs.push(run);
        }
        if prints {
            text::write_row(&row, streams.out)?;
            streams.out.flush()?;
        }
        rows.push(row);
    }
    report.figures.push(LatticeFigure { figure: figure.name, title: figure.title, rows });
    if prints {
        writeln!(streams.out)?;
    }
    Ok(status)
}

fn run_programs(args: &LatticeArgs, report: &mut LatticeReport, streams: &mut Streams<'_>) -> io::Result<Status> {
    let title = "execution times of programs, on a processor with a cache";
    let prints = args.format == ReportFormat::Text;
    let mut status = Status::Fine;
    if prints {
        text::write_header("cache", title, "program", &PROGRAM_COLUMNS, streams.out)?;
    }
    let mut rows = Vec::new();
    for program in PROGRAMS.iter().filter(|program| program.quick || !args.quick) {
        let mut row = LatticeRow { row: program.name.to_owned(), runs: Vec::new() };
        for column in &PROGRAM_COLUMNS {
            let mut run = start("cache", program.name, column);
            if let Err(why) = programs::measure(program, column, budget(args), &mut run, streams) {
                return broken(why, streams);
            }
            status = status.max(if run.stopped.is_some() { Status::Unknown } else { Status::Fine });
            row.runs.push(run);
        }
        if prints {
            text::write_row(&row, streams.out)?;
            streams.out.flush()?;
        }
        rows.push(row);
    }
    report.figures.push(LatticeFigure { figure: "cache", title, rows });
    if prints {
        text::write_programs(args.quick, streams.out)?;
        writeln!(streams.out)?;
    }
    Ok(status)
}

fn budget(args: &LatticeArgs) -> Budget {
    Budget { time: Some(args.time_limit), bytes: Some(args.memory_limit), ..Budget::default() }
}

/// A run with published figures only.
fn start(figure: &str, row: &str, column: &Column) -> LatticeRun {
    let cell = published::cell(figure, row, column.name);
    LatticeRun {
        search: column.name,
        update: column.update.name().to_owned(),
        strategy: column.strategy,
        refines: column.refines,
        merkhet: None,
        stopped: None,
        published: cell.map(|c| LatticePublished { states: c.states, time: c.time, seconds: c.seconds() }),
        expected: None,
        factor: None,
    }
}

/// The options of a search.
fn options(column: &Column, space: &mut Space) -> Result<Options, OptionError> {
    let mut options = column.options();
    if let Some(words) = column.strategy {
        let (sources, model, system) = space.parts_mut();
        if let Some(read) = merkhet::read_join(words, sources, model, system)? {
            let own = options.joining;
            options.joining = verify::Joining { refines: own.refines, trusts: own.trusts, ..read };
        }
    }
    Ok(options)
}

/// Records the figures of a search.
fn finish(run: &mut LatticeRun, measured: &Measured, counted: Counted) {
    let Measured { answer, seconds, .. } = measured;
    let conclusive = match &answer.verdict {
        Verdict::Satisfied | Verdict::NotSatisfied => true,
        Verdict::Unknown(verify::Reason::Imprecise(_)) => false,
        Verdict::Unknown(reason) => {
            run.stopped = Some(reason.to_string());
            return;
        }
    };
    let (added, stored) = (answer.counts.added as u64, answer.counts.stored as u64);
    let states = if counted == Counted::Added { added } else { stored };
    run.merkhet = Some(LatticeFigures { states, added, stored, seconds: *seconds, conclusive, bound: None });
}
