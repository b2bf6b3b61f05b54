//! Answers to statistical queries.

mod certain;
mod kept;
mod path;
mod rare;

use std::{
    num::NonZero,
    thread,
    time::{Duration, Instant},
};

use explore::{cluster::Cluster, search};
use model::{
    LoweredQuery,
    stochastic::{Measurement, PathGoal, PathProperty, StatisticalQuery, StochasticSystem},
};
use statistical::{Confidence, Findings, Measured, RunFault, RunProblem, Settings, Share, Splitting};
use syntax::Diagnostic;
use verify::{Reason, Unproved, Verdict};

use crate::{
    Answer, Limits, Model, Observer, Options, OptionsError, Query, Reservation, Session, Stats, memory, session::Setup,
};

pub use certain::Certainty;
pub use path::{NoClaim, PathClaim, path_claim};

use certain::Symbolic;
use rare::Towards;

/// What kept runs may take of the limit on memory: naming and writing them needs the rest.
const KEPT_SHARE: usize = 2;

/// A statistical query, with what options add to it.
pub(crate) struct RunQuery {
    query: StatisticalQuery,
    /// What symbolic analysis is asked first; `None`: nothing, since nobody wants that.
    claim: Option<Result<PathClaim, NoClaim>>,
    /// What a run shows that decides the query, if traces are wanted.
    kept: Option<LoweredQuery>,
    towards: Option<Towards>,
}

impl RunQuery {
    /// Prepares a query; `None`: it is about states.
    ///
    /// # Errors
    /// The options can't be used for this query.
    pub(crate) fn of(model: &mut Model, query: &Query, options: &Options) -> Result<Option<RunQuery>, OptionsError> {
        let Some(lowered) = query.about_runs() else { return Ok(None) };
        // A formula with intervals is about whole runs, not about parts of them.
        let splits = matches!(&lowered.measurement, Measurement::Probability(path)
            if !matches!(path.path, PathGoal::Timed(_)));
        let towards = match &options.splitting {
            Some(text) if splits => Some(rare::towards(model, query, text)?),
            _ => None,
        };
        let (query_code, towards) = match towards {
            Some((code, towards)) => (code, Some(towards)),
            None => (lowered.clone(), None),
        };
        let claim = options.certain.then(|| path_claim(model, &query.written));
        let kept = (options.trace != crate::TraceChoice::None)
            .then(|| path_claim(model, &query.written).ok())
            .flatten()
            .map(|claim| claim.reaches);
        Ok(Some(RunQuery { query: query_code, claim, kept, towards }))
    }
}

impl Session<'_> {
    /// Answers a query by random runs, after symbolic analysis if that is wanted.
    pub(crate) fn answer_by_runs(
        &self,
        setup: &Setup,
        asked: &RunQuery,
        (options, limits): (&Options, &Limits),
        observer: &mut dyn Observer,
    ) -> Answer {
        let start = Instant::now();
        let Some(system) = self.model().loaded.stochastic().map(|system| system.with(&asked.query)) else {
            return Answer::stopped(self.model().watch().stopped());
        };
        let path = path_of(&asked.query.measurement);
        // One process of several is enough. The others make runs until it ends the request.
        let leads = options.cluster.as_ref().is_none_or(|cluster| cluster.number() == 0);
        let mut symbolic = match (&asked.claim, path) {
            (Some(Ok(claim)), Some(path)) if leads => {
                self.ask_symbolically(setup, claim, path, (options, &certain::share_of(limits)), observer)
            }
            (Some(Err(why)), _) => Symbolic { why_not: Some(why.to_string()), ..Symbolic::default() },
            _ => Symbolic::default(),
        };
        let mut answer = match (symbolic.known.take(), path) {
            (Some(certain), Some(_)) => {
                let probability = certain.probability;
                let share =
                    Share { successes: 0, runs: 0, interval: Confidence { low: probability, high: probability } };
                let (measured, verdict) = match &asked.query.measurement {
                    Measurement::Threshold { at_least, threshold, .. } => {
                        let holds = if *at_least { probability >= *threshold } else { probability <= *threshold };
                        let verdict = if holds { Verdict::Satisfied } else { Verdict::NotSatisfied };
                        (Measured::Test { holds: Some(holds), share }, verdict)
                    }
                    _ => (Measured::Probability(share), Verdict::Satisfied),
                };
                self.together(options.cluster.as_ref(), limits, || ());
                let certain = Some(certain);
                Answer { verdict, measured: Some(Findings::of(measured)), certain, ..Answer::stopped(None) }
            }
            _ => self.sample(&system, asked, (options, limits, start.elapsed())),
        };
        answer.notes.extend(symbolic.why_not.map(Reservation::NotCertain));
        if let Some(trace) = symbolic.trace.filter(|_| is_never_reached(answer.measured.as_ref(), path)) {
            answer.notes.push(Reservation::Rare(runs_of(answer.measured.as_ref())));
            answer.evidence.trace = Some(trace);
        } else if let (Some(lowered), Some(path)) = (&asked.kept, path) {
            let first = answer.measured.as_ref().and_then(|found| found.first);
            let kept = first.and_then(|run| kept::trace(self.model(), &system, (lowered, path), (options.seed, run)));
            answer.evidence.trace = kept;
        }
        let is_unknown = matches!(answer.verdict, Verdict::Unknown(_));
        let unproved = if is_unknown { Unproved::Unknown } else { Unproved::Kind };
        answer.evidence.proof = options.certificate.then(|| symbolic.proof.take().unwrap_or(Err(unproved)));
        let cluster = options.cluster.as_ref();
        let others = cluster.map_or(0, |cluster| cluster.memory_of_others().peak);
        let resident = memory::read().map(|memory| memory.peak as usize * 1024 + others);
        let threads = cluster.map_or_else(|| threads(options), Cluster::workers);
        answer.stats = Stats { time: start.elapsed(), queries: 1, threads, resident, ..symbolic.stats };
        answer
    }

    /// Makes random runs.
    fn sample(
        &self,
        system: &StochasticSystem,
        asked: &RunQuery,
        (options, limits, spent): (&Options, &Limits, Duration),
    ) -> Answer {
        let cluster = options.cluster.as_ref();
        let settings = Settings {
            alpha: options.alpha.number(),
            beta: options.beta.number(),
            epsilon: options.epsilon.number(),
            delta: options.delta.number(),
            discretization: options.discretization.number(),
            runs: options.runs,
            seed: options.seed,
            threads: cluster.map_or_else(|| threads(options), Cluster::own_workers),
            cluster: cluster.cloned(),
            bytes: limits.memory.map(|bytes| bytes / KEPT_SHARE),
            ..Settings::default()
        };
        let limits = Limits { time: limits.time.map(|limit| limit.saturating_sub(spent)), ..*limits };
        let found = self.together(cluster, &limits, || match (&asked.towards, &asked.query.measurement) {
            (Some(towards), Measurement::Probability(path)) => {
                rare::split(system, path, (&asked.query, towards), &settings)
            }
            (_, measurement) => statistical::ask(system, measurement, &settings),
        });
        let mut answer = match found {
            Ok(report) => measured(system, report),
            Err(problem) => failed(system, &problem),
        };
        if options.splitting.is_some() && asked.towards.is_none() {
            answer.notes.push(Reservation::NotSplit);
        }
        if options.engine == crate::EngineChoice::Smt || options.only_formulas().is_some() {
            answer.notes.push(Reservation::NoFormulas);
        }
        answer
    }

    /// Does something within limits, as one of several processes if there are: the others do the
    /// same at the same time, and stop when process 0 has done it.
    fn together<T>(&self, cluster: Option<&Cluster>, limits: &Limits, work: impl FnOnce() -> T) -> T {
        let watch = self.model().watch();
        watch.begin(limits.time, limits.memory);
        if let Some(cluster) = cluster {
            cluster.set_meter(memory::measure);
            let expired = || watch.stopped().is_some();
            let expired = (cluster.number() == 0).then_some(&expired as &dyn Fn() -> bool);
            let interrupt = Some(self.interrupt(Some(cluster)));
            // If not all begin, no run is made, and the reason is found where all would meet.
            let _ = cluster.begin(&search::Limits { expired, interrupt, ..search::Limits::default() });
            watch.obey(cluster);
        }
        let done = work();
        watch.end();
        cluster.iter().for_each(|cluster| cluster.finish());
        done
    }
}

fn threads(options: &Options) -> usize {
    options.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Returns the property of a query about one probability.
fn path_of(measurement: &Measurement) -> Option<&PathProperty> {
    match measurement {
        Measurement::Probability(path) | Measurement::Threshold { path, .. } => Some(path),
        _ => None,
    }
}

/// Returns whether none of the runs that were made reached what a property is about.
fn is_never_reached(found: Option<&Findings>, path: Option<&PathProperty>) -> bool {
    let Some((found, path)) = found.zip(path) else { return false };
    match &found.measured {
        Measured::Probability(share) | Measured::Test { share, .. } => share.runs > 0 && found.first.is_none(),
        Measured::Splitting(Splitting { mean, .. }) => {
            let never = f64::from(u8::from(matches!(path.path, PathGoal::Never(_))));
            mean.count() > 0 && mean.mean() == never
        }
        _ => false,
    }
}

fn runs_of(found: Option<&Findings>) -> u64 {
    match found.map(|found| &found.measured) {
        Some(Measured::Probability(share) | Measured::Test { share, .. }) => share.runs,
        Some(Measured::Splitting(found)) => found.runs,
        _ => 0,
    }
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
        (
            Measured::Probability(_) | Measured::Splitting(_) | Measured::Mean { .. } | Measured::Simulation { .. },
            None,
        ) => Verdict::Satisfied,
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
    if statistical::has_equalities(system) {
        notes.push(Reservation::Equality);
    }
    match &report.measured {
        Measured::Mean { mean, .. } if mean.is_doubtful() => notes.push(Reservation::Skewed),
        Measured::Splitting(found) if found.mean.is_doubtful() => notes.push(Reservation::Skewed),
        _ => {}
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
