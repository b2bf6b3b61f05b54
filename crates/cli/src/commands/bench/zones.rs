//! `merkhet bench zones`

use std::{io, sync::atomic::Ordering};

use verify::{Answer, Options, Verdict};

use super::{
    Sized, fail,
    measure::{self, Budget, Measured},
    public::{one_public, public_models},
    recording::{Recording, entries},
    settings, text, without_optimisation,
};
use crate::{
    args::{ReportFormat, ZonesArgs},
    interrupt,
    json::{
        VERSION,
        bench::{Figures, ZonesReport, ZonesRun},
    },
    output::Streams,
    status::Status,
};
use ::bench::{
    baseline::Entry,
    peer::{PeerError, Reach, Tchecker, Valgrind},
    recorded::{self, Recorded},
    search::{Space, SpaceError},
};

/// The other tools.
pub(super) struct Others {
    tchecker: Option<Tchecker>,
    pub valgrind: Option<Valgrind>,
}

/// Runs the models one after the other.
pub fn run(args: &ZonesArgs, models: &[Sized], streams: &mut Streams<'_>) -> io::Result<Status> {
    let recording = match Recording::start(args) {
        Ok(recording) => recording,
        Err(whys) => {
            whys.iter().try_for_each(|why| fail(why, streams).map(|_| ()))?;
            return Ok(Status::Wrong);
        }
    };
    let public = match public_models(args) {
        Ok(public) => public,
        Err(why) => return fail(why.message, streams),
    };
    let counts = args.instructions || args.compare.is_some() || args.record.is_some();
    let others = Others { tchecker: Tchecker::find(), valgrind: Valgrind::find().filter(|_| counts) };
    if counts && others.valgrind.is_none() {
        return fail("--instructions needs valgrind, which is not on the PATH", streams);
    }
    let (abstraction, order) = settings(args);
    let source = recorded::TCHECKER;
    let notes = without_optimisation().into_iter().collect();
    let (runs, models_read) = (Vec::new(), Vec::new());
    let mut report = ZonesReport { version: VERSION, abstraction, order, source, runs, models: models_read, notes };
    if others.tchecker.is_none() {
        report.notes.push("tck-reach is not on the PATH: TChecker's figures are the recorded ones only".to_owned());
    }
    if args.format == ReportFormat::Text {
        text::write_zones_header(streams.out)?;
    }
    let mut status = Status::Fine;
    for &(family, size) in models {
        let run = match one(args, (family, size), &others, &mut report.notes, streams) {
            Ok(run) => run,
            Err(why) => {
                streams.fail(&format!("the model {} {size} is wrong: {why}", family.name))?;
                return Ok(Status::Defect);
            }
        };
        status = status.max(judge(&run, &mut report.notes));
        if args.format == ReportFormat::Text {
            text::write_zones_run(&run, streams.out)?;
            streams.out.flush()?;
        }
        report.runs.push(run);
        if interrupt::flag().load(Ordering::Relaxed) {
            status = status.max(Status::Unknown);
            break;
        }
    }
    for (model, text) in &public {
        if interrupt::flag().load(Ordering::Relaxed) {
            status = status.max(Status::Unknown);
            break;
        }
        match one_public(args, model, text, &others, &mut report.notes, streams) {
            Ok((run, ended)) => {
                status = status.max(ended);
                if args.format == ReportFormat::Text {
                    text::write_model_run(&run, streams.out)?;
                    streams.out.flush()?;
                }
                report.models.push(run);
            }
            Err(why) => return fail(format!("`{}` is wrong: {why}", model.file), streams),
        }
    }
    let entries: Vec<Entry> = entries(&report).collect();
    status = status.max(recording.judge(&entries, args.tolerance, &mut report.notes));
    match args.format {
        ReportFormat::Text => text::write_zones_notes(&report, streams.out)?,
        ReportFormat::Json => crate::json::write(&report, streams.out)?,
    }
    Ok(status.max(recording.write(&entries, status, streams)?))
}

/// One model, with every tool.
fn one(
    args: &ZonesArgs,
    (family, size): Sized,
    others: &Others,
    notes: &mut Vec<String>,
    streams: &mut Streams<'_>,
) -> Result<ZonesRun, SpaceError> {
    let model = family.tck(size);
    let space = Space::read(&model)?;
    let options = Options { order: args.order, abstraction: args.abstraction, ..Options::default() };
    let (answer, mut merkhet) = measure(args, &space, &options, streams);
    for _ in 1..args.repeat {
        let (_, again) = measure(args, &space, &options, streams);
        if again.seconds < merkhet.seconds && again.stored == merkhet.stored {
            merkhet = again;
        }
    }
    let plan = answer.plan;
    let stopped = match &answer.verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    };
    let mut note = |what: String| {
        if !notes.contains(&what) {
            notes.push(what);
        }
    };
    let mut tck_reach = None;
    if let (Some(valgrind), None) = (&others.valgrind, &stopped) {
        let (abstraction, order) = settings(args);
        let options: [&str; 4] = ["--abstraction", &abstraction, "--order", &order];
        match valgrind.instructions(&model, &options, args.time_limit, interrupt::flag()) {
            Ok(millions) => merkhet.count_instructions(millions),
            Err(why) => note(format!("{} {size}: valgrind {why}", family.name)),
        }
    }
    match (&others.tchecker, Tchecker::settings(plan.abstraction, plan.order)) {
        // An incomplete search can't be compared.
        _ if stopped.is_some() => {}
        (None, _) => {}
        (Some(_), None) => note("tck-reach has no such abstraction or order".to_owned()),
        (Some(tchecker), Some(settings)) => {
            let explore = |_| tchecker.explore(&model, settings, merkhet.stored, args.time_limit, interrupt::flag());
            match (0..args.repeat).map(explore).collect::<Result<Vec<Reach>, PeerError>>() {
                Ok(runs) => tck_reach = runs.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)),
                Err(why) => note(format!("{} {size}: tck-reach {why}", family.name)),
            }
        }
    }
    let recorded = recorded::tchecker(family.name, size, plan.abstraction, plan.order).map(recorded_figures);
    Ok(ZonesRun {
        family: family.name,
        size,
        clocks: space.clocks(),
        merkhet,
        stopped,
        recorded,
        tck_reach: tck_reach.map(measured),
    })
}

/// Explores a model, and measures the cost.
fn measure(args: &ZonesArgs, space: &Space, options: &Options, streams: &mut Streams<'_>) -> (Answer, Figures) {
    let budget = Budget { time: args.time_limit, bytes: args.memory_limit, states: None };
    let measured = measure::measure(space, options, budget, streams);
    let figures = figures(&measured);
    (measured.answer, figures)
}

/// The figures of a search.
pub(super) fn figures(Measured { answer, seconds, peak, .. }: &Measured) -> Figures {
    let (counts, peak, seconds) = (answer.counts, *peak as f64, *seconds);
    Figures {
        stored: counts.stored,
        visited: counts.explored,
        transitions: Some(counts.generated),
        seconds: Some(seconds),
        states_per_second: rate(counts.explored, seconds),
        megabytes: Some(peak / 1e6),
        bytes_per_stored: (counts.stored > 0).then(|| peak / counts.stored as f64),
        bytes_per_transition: (counts.generated > 0).then(|| peak / counts.generated as f64),
        ..Figures::default()
    }
}

fn rate(states: usize, seconds: f64) -> Option<f64> {
    (seconds > 0.0).then(|| states as f64 / seconds)
}

/// The figures of TChecker.
fn measured(reach: Reach) -> Figures {
    Figures {
        stored: reach.stored,
        visited: reach.visited,
        transitions: Some(reach.transitions),
        seconds: Some(reach.seconds),
        states_per_second: rate(reach.visited, reach.seconds),
        megabytes: Some(reach.megabytes),
        ..Figures::default()
    }
}

/// The figures of TChecker that were recorded.
fn recorded_figures(recorded: Recorded) -> Figures {
    Figures {
        stored: recorded.stored,
        visited: recorded.visited,
        transitions: recorded.transitions,
        seconds: recorded.seconds,
        states_per_second: recorded.seconds.and_then(|seconds| rate(recorded.visited, seconds)),
        million_instructions: recorded.instructions,
        megabytes: recorded.megabytes,
        ..Figures::default()
    }
}

/// Compares the stored states. Their number at the end of a complete search does not depend on the
/// order, so that tools with the same abstraction must agree.
fn judge(run: &ZonesRun, notes: &mut Vec<String>) -> Status {
    let name = format!("{} {}", run.family, run.size);
    if let Some(why) = &run.stopped {
        notes.push(format!("{name}: {why}"));
        return Status::Unknown;
    }
    let other = [run.recorded, run.tck_reach].into_iter().flatten().find(|other| other.stored != run.merkhet.stored);
    let Some(other) = other else { return Status::Fine };
    notes.push(format!("{name}: merkhet stores {} states, and TChecker {}", run.merkhet.stored, other.stored));
    Status::Unsatisfied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_must_agree_on_what_is_stored() {
        let figures = |stored| Figures { stored, ..Figures::default() };
        let mut run = ZonesRun {
            family: "fischer",
            size: 3,
            clocks: 3,
            merkhet: figures(65),
            stopped: None,
            recorded: Some(figures(65)),
            tck_reach: None,
        };
        let mut notes = Vec::new();
        assert_eq!(judge(&run, &mut notes), Status::Fine);
        assert!(notes.is_empty());
        run.tck_reach = Some(figures(64));
        assert_eq!(judge(&run, &mut notes), Status::Unsatisfied);
        assert_eq!(notes, ["fischer 3: merkhet stores 65 states, and TChecker 64"]);
        run.stopped = Some("the time limit was reached".to_owned());
        assert_eq!(judge(&run, &mut notes), Status::Unknown);
    }
}
