//! `merkhet bench scale`

use std::io::{self, Write};

use draw::{Chart, Series};
use serde::Deserialize;
use thiserror::Error;

use super::{super::count, fail, start_plot, text::seconds, without_optimisation, write_plot};
use crate::{
    args::{ReportFormat, ScaleArgs},
    input::is_dash,
    interrupt,
    json::{
        VERSION,
        bench::scale::{ScaleReport, ScaledModel, ScaledRun, Throughput},
    },
    output::Streams,
    status::Status,
};
use ::bench::scale::{ChildOutput, ScaleConfiguration, ScaleError, ScaleModel, ScaleWork, scale_models};

/// Why a search has no figures.
#[derive(Debug, Error)]
enum Missing {
    #[error(transparent)]
    Search(#[from] ScaleError),
    /// A process has printed something else than its report; its first line on the standard error.
    #[error("gave no report; it said: {0}")]
    NoReport(String),
    #[error("{0}")]
    Stopped(String),
}

/// What is read of the report of a search.
#[derive(Deserialize)]
struct SearchReport {
    results: Vec<SearchResult>,
}

#[derive(Deserialize)]
struct SearchResult {
    answer: Option<crate::json::verify::Verdict>,
    reason: Option<String>,
    stats: Option<SearchStats>,
    value: Option<RunsValue>,
}

#[derive(Deserialize)]
struct SearchStats {
    /// States; of random runs, transitions.
    generated: usize,
    seconds: f64,
}

#[derive(Deserialize)]
struct RunsValue {
    transitions: usize,
}

/// Runs the models one after the other.
pub fn run(args: &ScaleArgs, streams: &mut Streams<'_>) -> io::Result<Status> {
    if args.plot.as_deref().is_some_and(is_dash) {
        return fail("--plot writes a file; the standard output has the figures", streams);
    }
    let models = scale_models(&args.family, args.size, args.large, args.runs);
    if let Some(ScaleModel { name, size, sizes, .. }) = models.iter().find(|m| !m.sizes.contains(&m.size)) {
        let (first, last) = (sizes.start(), sizes.end());
        return fail(format!("there is no model of size {size}: {name} has {first} to {last}"), streams);
    }
    let plot = match start_plot(args.plot.as_deref(), std::iter::empty()) {
        Ok(plot) => plot,
        Err(why) => return fail(why, streams),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let notes = without_optimisation().into_iter().collect();
    let mut report = ScaleReport { version: VERSION, cores, models: Vec::new(), notes };
    let configurations = configurations(args, cores, &mut report.notes);
    let mut status = Status::Fine;
    for model in &models {
        let (state_limit, random_runs) = match model.work {
            ScaleWork::Search(states) => (states, None),
            ScaleWork::Runs(runs, _) => (None, Some(runs)),
        };
        let mut measured =
            ScaledModel { family: model.name, size: model.size, state_limit, random_runs, runs: Vec::new() };
        if args.format == ReportFormat::Text {
            write_header(&measured, streams.out)?;
        }
        for &configuration in &configurations {
            if random_runs.is_some() && matches!(configuration, ScaleConfiguration::Processes(_)) {
                continue;
            }
            match measure(args, model, configuration, &measured.runs) {
                Ok(run) => {
                    if args.format == ReportFormat::Text {
                        write_run(&run, streams.out)?;
                        streams.out.flush()?;
                    }
                    measured.runs.push(run);
                }
                Err(why) => {
                    status = Status::Unknown;
                    let what = name(configuration);
                    report.notes.push(format!("{} {}, {what}: {why}", model.name, model.size));
                    break;
                }
            }
        }
        report.models.push(measured);
        if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    match args.format {
        ReportFormat::Text => report.notes.iter().try_for_each(|note| writeln!(streams.out, "note: {note}"))?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    match plot {
        Some(target) => Ok(status.max(write_plot(target, &svg(&report), streams)?)),
        None => Ok(status),
    }
}

/// The configurations that the machine has cores for, and one thread first, with which others are
/// compared.
fn configurations(args: &ScaleArgs, cores: usize, notes: &mut Vec<String>) -> Vec<ScaleConfiguration> {
    let mut fitting = |numbers: &[u32], what: &str| {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let (kept, left): (Vec<u32>, Vec<u32>) = numbers.into_iter().partition(|number| *number as usize <= cores);
        if !left.is_empty() {
            let left: Vec<String> = left.iter().map(ToString::to_string).collect();
            let cores = count(cores, "core");
            notes.push(format!("left out: {} {what}, since the machine has {cores}", left.join(", ")));
        }
        kept
    };
    let threads = fitting(&args.threads, "threads").into_iter().filter(|threads| *threads > 1);
    let threads = [1].into_iter().chain(threads).map(ScaleConfiguration::Threads);
    threads.chain(fitting(&args.processes, "processes").into_iter().map(ScaleConfiguration::Processes)).collect()
}

/// The number of threads of each process, and of processes.
fn shape(configuration: ScaleConfiguration) -> (u32, u32) {
    match configuration {
        ScaleConfiguration::Threads(threads) => (threads, 1),
        ScaleConfiguration::Processes(number) | ScaleConfiguration::Copies(number) => (1, number),
    }
}

/// What a configuration is called in notes and pictures.
fn name(configuration: ScaleConfiguration) -> String {
    match shape(configuration) {
        (threads, 1) => count(threads as usize, "thread"),
        (_, processes) => count(processes as usize, "process"),
    }
}

/// Runs a search, and as many copies. The first of the runs before is the one in one thread.
fn measure(
    args: &ScaleArgs,
    model: &ScaleModel,
    configuration: ScaleConfiguration,
    before: &[ScaledRun],
) -> Result<ScaledRun, Missing> {
    let fastest = |configuration: ScaleConfiguration| -> Result<(usize, f64), Missing> {
        let runs: Result<Vec<(usize, f64)>, Missing> =
            (0..args.repeat).map(|_| work(args, model, configuration)).collect();
        let speed = |(generated, seconds): &(usize, f64)| *generated as f64 / seconds;
        let best = runs?.into_iter().max_by(|a, b| speed(a).total_cmp(&speed(b)));
        best.ok_or_else(|| Missing::NoReport("nothing".to_owned()))
    };
    let (threads, processes) = shape(configuration);
    let number = threads * processes;
    let search = fastest(configuration)?;
    let known = before.iter().find(|run| run.threads * run.processes == number);
    let copies = match known {
        Some(run) => (run.copies.generated, run.copies.seconds),
        None if number == 1 => search,
        None => fastest(ScaleConfiguration::Copies(number))?,
    };
    let rate = |(generated, seconds): (usize, f64)| generated as f64 / seconds;
    let base = before.first().map_or(rate(search), |one| one.search.generated_per_second);
    let throughput = |(generated, seconds): (usize, f64)| {
        let generated_per_second = rate((generated, seconds));
        Throughput { generated, seconds, generated_per_second, speed_up: generated_per_second / base }
    };
    Ok(ScaledRun {
        threads,
        processes,
        search: throughput(search),
        copies: throughput(copies),
        share: rate(search) / rate(copies),
    })
}

/// The generated states of all searches, and the seconds of the slowest.
fn work(args: &ScaleArgs, model: &ScaleModel, configuration: ScaleConfiguration) -> Result<(usize, f64), Missing> {
    let outputs = configuration.measure(model, args.time_limit, interrupt::flag())?;
    let (mut generated, mut seconds) = (0, 0.0_f64);
    for output in outputs {
        let stats = figures(&output, model)?;
        generated += stats.generated;
        // A time of zero gives no speed.
        seconds = seconds.max(stats.seconds.max(1e-6));
    }
    Ok((generated, seconds))
}

/// The figures of one process. Only a limit on states may end its search early.
fn figures(output: &ChildOutput, model: &ScaleModel) -> Result<SearchStats, Missing> {
    let said = || Missing::NoReport(output.err.lines().next().unwrap_or("nothing").trim().to_owned());
    let report: SearchReport = serde_json::from_str(&output.out).map_err(|_| said())?;
    let result = report.results.into_iter().next().ok_or_else(said)?;
    let stats = result.stats.ok_or_else(said);
    match model.work {
        ScaleWork::Search(states) => {
            let is_complete = result.answer == Some(crate::json::verify::Verdict::NotSatisfied);
            match result.reason {
                Some(why) if !is_complete && states.is_none() => Err(Missing::Stopped(why)),
                _ => stats,
            }
        }
        ScaleWork::Runs(..) => match (result.reason, result.value) {
            (None, Some(value)) => Ok(SearchStats { generated: value.transitions, ..stats? }),
            (why, _) => Err(why.map_or_else(said, Missing::Stopped)),
        },
    }
}

fn write_header(model: &ScaledModel, out: &mut dyn Write) -> io::Result<()> {
    let limit = model.state_limit.map_or(String::new(), |states| format!(", up to {states} stored states"));
    let runs = model.random_runs.map_or(String::new(), |runs| format!(", {runs} random runs"));
    writeln!(out, "{} {}{limit}{runs}", model.family, model.size)?;
    let rate = if model.random_runs.is_some() { "steps/s" } else { "generated/s" };
    writeln!(out, "  threads  processes  seconds{rate:>13}  speed-up  copies: seconds{rate:>13}  speed-up  share")
}

fn write_run(run: &ScaledRun, out: &mut dyn Write) -> io::Result<()> {
    let ScaledRun { threads, processes, search, copies, share } = run;
    let (own, other) = (seconds(search.seconds), seconds(copies.seconds));
    write!(out, "{threads:>9}{processes:>11}{own:>9}{:>13.0}{:>10.2}", search.generated_per_second, search.speed_up)?;
    write!(out, "{other:>17}{:>13.0}{:>10.2}", copies.generated_per_second, copies.speed_up)?;
    writeln!(out, "{:>6.0}%", share * 100.0)
}

/// A row for each model and configuration.
fn svg(report: &ScaleReport) -> String {
    let runs = || report.models.iter().flat_map(|model| model.runs.iter().map(move |run| (model, run)));
    let row = |(model, run): (&ScaledModel, &ScaledRun)| {
        let configuration = match run.processes {
            1 => ScaleConfiguration::Threads(run.threads),
            processes => ScaleConfiguration::Processes(processes),
        };
        format!("{} {}, {}", model.family, model.size, name(configuration))
    };
    let series = |name: &str, of: fn(&ScaledRun) -> f64| Series {
        name: name.to_owned(),
        values: runs().map(|(_, run)| Some(of(run))).collect(),
    };
    draw::chart(&Chart {
        title: "Speed-up over one search in one thread".to_owned(),
        rows: runs().map(row).collect(),
        series: vec![series("one search", |run| run.search.speed_up), series("copies", |run| run.copies.speed_up)],
    })
}
