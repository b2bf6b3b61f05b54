//! `merkhet bench nets`

mod remarks;
mod text;
mod unbounded;

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bounded::net::{Figures, FormulaSize, NetUnrolling, Paper, Setup, StepSemantics, unroll};
use model::net::Net;
use smt::{
    Embedded, SatResult, Solver, Term,
    process::{External, FoundSolver, SOLVERS, find},
};
use syntax::{Format, Sources, read_model};
use thiserror::Error;

use super::without_optimisation;
use crate::{
    args::{NetTable, NetsArgs, ReportFormat},
    commands::fail,
    interrupt,
    json::{
        VERSION,
        bench::nets::{self as json, EncodingSizes, NetRun, NetSizes, NetTimes, NetsReport, PublishedSizes},
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    cpu::Stopwatch,
    nets::{NET_FAMILIES, NetFamily, published},
};
use merkhet::{Choices, NetEncoding, Replacing, SolverError};

/// A net that is measured.
struct Subject {
    net: Arc<Net>,
    described: json::Net,
    text: String,
}

/// A net of a family can't be read.
#[derive(Debug, Error)]
#[error("the net {family} {size} is wrong")]
struct WrongNet {
    family: &'static str,
    size: u32,
}

/// Runs the tables.
pub fn run(args: &NetsArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    let subjects = match subjects(args) {
        Ok(subjects) => subjects,
        Err(why) => return fail(why, streams),
    };
    if let Some(folder) = &args.write {
        let name = |described: &json::Net| format!("{}_{}.net", described.family, described.size);
        return super::write::files(
            folder,
            subjects.into_iter().map(|subject| (name(&subject.described), subject.text)),
            streams,
        );
    }
    let solvers = match solvers(&args.solver) {
        Ok(solvers) => solvers,
        Err(why) => return fail(why, streams),
    };
    // Other tools are part of Table 3, which is not one of the paper's.
    let only = args.table.or(args.tools.then_some(NetTable::Three));
    let wants = |table| only.map_or(table != NetTable::Three, |only| only == table);
    let mut report = NetsReport { version: VERSION, source: published::SOURCE, ..NetsReport::default() };
    report.notes.extend(without_optimisation());
    let prints = args.format == ReportFormat::Text;
    let mut status = Status::Fine;
    if wants(NetTable::One) {
        if prints {
            text::write_sizes_header(streams.out)?;
        }
        for subject in &subjects {
            for steps in steps(args, &[1, 5, 10]) {
                let sizes = sizes(subject, steps);
                if prints {
                    text::write_sizes(&sizes, streams.out)?;
                    streams.out.flush()?;
                }
                report.sizes.push(sizes);
            }
        }
        if prints {
            writeln!(streams.out)?;
        }
        report.notes.extend(remarks::on_sizes(&report.sizes));
    }
    if wants(NetTable::Two) {
        let columns = columns(args, &solvers);
        if prints {
            let titles: Vec<_> = columns.iter().map(Column::titles).collect();
            text::write_times_header(&titles, args.time_limit, streams.out)?;
        }
        for subject in &subjects {
            status = status.max(measure(args, subject, &columns, &mut report, streams)?);
        }
        report.notes.extend(remarks::on_times(&report.times));
    }
    if wants(NetTable::Three) {
        status = status.max(unbounded::run(args, &subjects, &mut report, streams)?);
    }
    match args.format {
        ReportFormat::Text => text::write_notes(&report, streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    Ok(status)
}

/// The selected nets.
fn subjects(args: &NetsArgs) -> Result<Vec<Subject>, WrongNet> {
    let named = |family: &&NetFamily| match args.family.as_slice() {
        [] => family.name == NET_FAMILIES[0].name,
        names => names.iter().any(|name| name == family.name),
    };
    let mut subjects = Vec::new();
    for family in NET_FAMILIES.iter().filter(named) {
        let sizes = if args.size.is_empty() { family.sizes } else { &args.size };
        for &size in if args.quick { &sizes[..1] } else { sizes } {
            let text = (family.text)(size);
            let mut sources = Sources::new();
            let file = sources.add_file("net", text.clone());
            let (tree, problems) = read_model(&mut sources, file, Format::Net);
            let Some(net) = tree.net.filter(|_| problems.is_empty()) else {
                return Err(WrongNet { family: family.name, size });
            };
            let published = (family.name == "circuit").then(|| published_net(size)).flatten();
            let described = json::Net {
                family: family.name,
                size,
                places: net.places.len(),
                transitions: net.transitions.len(),
                published,
            };
            subjects.push(Subject { net, described, text });
        }
    }
    Ok(subjects)
}

/// The paper's net of the same size as a circuit.
fn published_net(size: u32) -> Option<u32> {
    [2, 4, 8].iter().position(|n| *n == size).map(|at| at as u32 + 1)
}

/// The selected steps, or the default.
fn steps(args: &NetsArgs, usual: &[u64]) -> Vec<u64> {
    match (args.quick, args.steps.is_empty()) {
        (true, true) => usual[..usual.len().min(2)].to_vec(),
        (false, true) => usual.to_vec(),
        (_, false) => args.steps.iter().map(|k| u64::from(*k)).collect(),
    }
}

fn sizes(subject: &Subject, steps: u64) -> NetSizes {
    let figures = Figures::of(&subject.net);
    let size = |size: FormulaSize| json::Size { variables: size.variables, constraints: size.constraints };
    let published = |dl: usize| {
        let (_, _, cells) =
            published::SIZES.iter().find(|(net, k, _)| Some(*net) == subject.described.published && *k == steps)?;
        let pair = |from: usize| json::Size { variables: cells[from + dl], constraints: cells[from + 4 + dl] };
        Some(PublishedSizes { before: pair(0), after: pair(2) })
    };
    let both = |linear: bool| EncodingSizes {
        // Up to 260 million variables: too many to make the formula.
        before: size(figures.unreplaced(linear, steps)),
        after: size(made(&subject.net, linear, Replacing::Unchanged, steps)),
        merkhet: size(made(&subject.net, linear, Replacing::Constants, steps)),
        published: published(usize::from(!linear)),
    };
    NetSizes { net: subject.described.clone(), steps, la: both(true), dl: both(false) }
}

/// Makes the formula for a deadlock, and returns its size.
fn made(net: &Net, linear: bool, replacing: Replacing, steps: u64) -> FormulaSize {
    let nothing = FormulaSize { variables: 0, constraints: 0 };
    let Ok(mut paper) = Paper::new(net, linear, replacing) else { return nothing };
    for _ in 0..steps {
        paper.step(&|| false);
    }
    paper.facts();
    let question = paper.deadlock();
    paper.size(question).unwrap_or(nothing)
}

/// The selected solvers, or all that are found; `None` is the built-in one.
fn solvers(names: &[String]) -> Result<Vec<Option<FoundSolver>>, SolverError> {
    if names.is_empty() {
        let others = SOLVERS.iter().filter_map(|profile| find(profile)).map(Some);
        return Ok(std::iter::once(None).chain(others).collect());
    }
    names.iter().map(|name| merkhet::solver(Some(name))).collect()
}

/// A column of Table 2.
struct Column {
    solver: Option<FoundSolver>,
    encoding: NetEncoding,
    /// Which variables are replaced, for the encodings of the paper.
    replacing: Option<Replacing>,
}

impl Column {
    fn solver(&self) -> &'static str {
        self.solver.as_ref().map_or("embedded", |found| found.profile.name)
    }

    fn titles(&self) -> [&'static str; 3] {
        [self.solver(), self.encoding.name(), self.replacing.map_or("", |replacing| replacing.name())]
    }
}

fn columns(args: &NetsArgs, solvers: &[Option<FoundSolver>]) -> Vec<Column> {
    let usual = [NetEncoding::Linear, NetEncoding::Differences, NetEncoding::Events];
    let encodings = if args.encoding.is_empty() { &usual[..] } else { &args.encoding };
    let mut columns = Vec::new();
    for solver in solvers {
        for &encoding in encodings {
            let column = |replacing| Column { solver: solver.clone(), encoding, replacing };
            match encoding {
                NetEncoding::Linear | NetEncoding::Differences => {
                    columns.extend(args.replace.iter().map(|replacing| column(Some(*replacing))));
                }
                NetEncoding::ExactDifferences | NetEncoding::Events => columns.push(column(None)),
            }
        }
    }
    columns
}

/// All steps of a net, in all columns.
fn measure(
    args: &NetsArgs,
    subject: &Subject,
    columns: &[Column],
    report: &mut NetsReport,
    streams: &mut Streams<'_>,
) -> io::Result<Status> {
    let mut gave_up = vec![false; columns.len()];
    let mut status = Status::Fine;
    for steps in steps(args, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
        let mut row =
            NetTimes { net: subject.described.clone(), steps: steps as usize, result: None, runs: Vec::new() };
        for (column, gave_up) in columns.iter().zip(&mut gave_up) {
            let is_dl = column.encoding == NetEncoding::Differences;
            let is_papers = column.replacing.is_some();
            let published = subject.described.published.filter(|_| column.replacing == Some(Replacing::Unchanged));
            let mut run = NetRun {
                solver: column.solver(),
                encoding: column.encoding.name(),
                replaced: column.replacing.map(|replacing| replacing.name()),
                seconds: None,
                answer: None,
                published: published.and_then(|net| published::time(net, row.steps, column.solver(), is_dl)),
            };
            if !*gave_up && !interrupt::flag().load(Ordering::Relaxed) {
                let (seconds, outcome) = ask(&subject.net, row.steps, column, args.time_limit);
                match outcome {
                    SatResult::Unknown(why) => {
                        *gave_up = true;
                        status = status.max(Status::Unknown);
                        run.answer = Some(why);
                    }
                    decided => {
                        let word = if decided == SatResult::Satisfiable { "sat" } else { "unsat" };
                        run.seconds = Some(seconds);
                        run.answer = Some(word.to_owned());
                        if !is_papers {
                            row.result = Some(word);
                        }
                    }
                }
            }
            row.runs.push(run);
        }
        if args.format == ReportFormat::Text {
            text::write_times(&row, streams.out)?;
            streams.out.flush()?;
        }
        report.times.push(row);
    }
    Ok(status)
}

/// Decides whether a deadlock is reachable in at most `steps` steps, by one formula. Returns also
/// the CPU time in seconds, without that for building it.
fn ask(net: &Net, steps: usize, column: &Column, limit: Duration) -> (f64, SatResult) {
    let setup = Setup {
        encoding: column.encoding,
        replacing: column.replacing.unwrap_or(Replacing::Constants),
        steps: StepSemantics::Ordered,
        bound: steps,
        reduces: false,
    };
    let mut unrolling = match unroll(net, &setup) {
        Ok(unrolling) => unrolling,
        Err(why) => return (0.0, SatResult::Unknown(why.to_string())),
    };
    for _ in 0..steps {
        unrolling.step(&|| interrupt::flag().load(Ordering::Relaxed));
    }
    let mut facts: Vec<Term> = unrolling.facts();
    facts.push(unrolling.deadlock());
    let mut solver: Box<dyn Solver> = match &column.solver {
        None => Box::new(Embedded::new()),
        Some(found) => Box::new(External::one_shot(found.clone())),
    };
    let watch = Stopwatch::start();
    for fact in facts {
        solver.assert(unrolling.terms(), fact);
    }
    let stop = || watch.is_over(limit) || interrupt::flag().load(Ordering::Relaxed);
    let outcome = solver.check(unrolling.terms(), &[], &stop);
    let outcome = match outcome {
        SatResult::Stopped if watch.elapsed() > limit => SatResult::Unknown("the time limit was reached".to_owned()),
        SatResult::Stopped if watch.is_over(limit) => {
            SatResult::Unknown("it was stopped by the clock on the wall, after less CPU time than the limit".to_owned())
        }
        SatResult::Stopped => SatResult::Unknown("interrupted".to_owned()),
        outcome => outcome,
    };
    (watch.elapsed().as_secs_f64(), outcome)
}
