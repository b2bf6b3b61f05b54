//! Answers to statistical queries.

use std::{num::NonZero, thread, time::Instant};

use model::stochastic::{StatisticalQuery, StochasticSystem};
use statistical::{Findings, Measured, RunFault, RunProblem, Settings};
use syntax::Diagnostic;
use verify::{Reason, Unproved, Verdict};

use crate::{Answer, Evidence, Limits, Model, Options, Reservation, Stats, memory};

/// Answers a query of a model by random runs.
pub(crate) fn answer(model: &Model, query: &StatisticalQuery, options: &Options, limits: &Limits) -> Answer {
    let watch = model.watch();
    watch.begin(limits.time, limits.memory);
    let start = Instant::now();
    let threads = options.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
    let settings = Settings {
        alpha: options.alpha.number(),
        beta: options.beta.number(),
        epsilon: options.epsilon.number(),
        delta: options.delta.number(),
        runs: options.runs,
        seed: options.seed,
        threads,
        ..Settings::default()
    };
    let Some(system) = model.loaded.stochastic().map(|system| system.with(query)) else {
        watch.end();
        return Answer::stopped(watch.stopped());
    };
    let mut answer = match statistical::ask(&system, &query.measurement, &settings) {
        Ok(report) => measured(&system, report),
        Err(problem) => failed(&system, &problem),
    };
    watch.end();
    let is_unknown = matches!(answer.verdict, Verdict::Unknown(_));
    let unproved = if is_unknown { Unproved::Unknown } else { Unproved::Kind };
    let proof = options.certificate.then_some(Err(unproved));
    answer.evidence = Evidence { proof, ..Evidence::default() };
    let resident = memory::read().map(|memory| memory.peak as usize * 1024);
    answer.stats = Stats { time: start.elapsed(), queries: 1, threads, resident, ..Stats::default() };
    answer
}

/// Returns the answer for what was measured.
fn measured(system: &StochasticSystem, report: Findings) -> Answer {
    let undecided = |runs: u64| Verdict::Unknown(Reason::Run(format!("undecided after {runs} runs")));
    let decided = |holds: Option<bool>, runs| match holds {
        Some(true) => Verdict::Satisfied,
        Some(false) => Verdict::NotSatisfied,
        None => undecided(runs),
    };
    let verdict = match (&report.measured, report.stopped) {
        (_, Some(stop)) => Verdict::Unknown(Reason::Limit(stop)),
        (Measured::Test { holds, share }, None) => decided(*holds, share.runs),
        (Measured::Comparison { holds, shares }, None) => decided(*holds, 2 * shares[0].runs),
        (Measured::Probability(_) | Measured::Mean { .. } | Measured::Simulation { .. }, None) => Verdict::Satisfied,
    };
    let network = &system.system;
    let name = |location: &model::system::LocationId| {
        let location = &network.locations[location.0 as usize];
        format!("{}.{}", network.processes[location.process.0 as usize].name, location.name)
    };
    let without_rate: Vec<String> = statistical::without_rate(system).iter().map(name).collect();
    let mut notes = Vec::new();
    if !without_rate.is_empty() {
        notes.push(Reservation::NoRate(without_rate));
    }
    if statistical::has_binary_channels(system) {
        notes.push(Reservation::BinaryChannels);
    }
    if matches!(&report.measured, Measured::Mean { mean, .. } if mean.is_doubtful()) {
        notes.push(Reservation::Skewed);
    }
    Answer { verdict, measured: Some(report), notes, ..Answer::stopped(None) }
}

/// Returns the answer for a run that can't go on.
fn failed(system: &StochasticSystem, problem: &RunProblem) -> Answer {
    let reason = problem.describe(&system.system);
    let (reason, diagnostics) = match &problem.fault {
        RunFault::Model(fault) => {
            let span = system.system.site(fault.pc);
            let error = Diagnostic::error("run-time-error", span, reason.clone());
            (Reason::RunTime(reason, span), vec![error])
        }
        _ => (Reason::Run(reason), Vec::new()),
    };
    Answer { verdict: Verdict::Unknown(reason), diagnostics, ..Answer::stopped(None) }
}
