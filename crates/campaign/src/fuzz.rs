//! The campaign `fuzz`: runs every command on mutated files of every format, under limits.

mod case;
mod child;
mod corpus;
mod judge;
mod keep;
mod limits;
mod mutate;
mod options;
mod sample;
mod table;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use case::FuzzCase;
use child::{FinishedRun, Job};
use corpus::{Bundle, Corpus};
use judge::Finding;
use limits::RunLimits;
use table::RunTable;

/// The models of the repository.
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

/// The greatest number of attacks with the same finding that are kept.
const MAX_KEPT: usize = 3;

/// The number of repetitions of a slow run: only one that is always slow is a finding.
const REPEATS: usize = 2;

/// The time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_secs(20);

/// Options of the campaign.
#[derive(Debug, clap::Args)]
pub struct FuzzArgs {
    /// The binary to attack
    #[arg(long, value_name = "FILE", default_value = "target/release/merkhet")]
    binary: PathBuf,
    /// The number of runs
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    count: u64,
    /// The seed of the first run; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Repeat the run of this seed and print its results
    #[arg(long, value_name = "SEED")]
    only: Option<u64>,
    /// The number of parallel runs [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Also mutate the models below this folder; may be given several times
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// The time limit of a query, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time_limit: f64,
    /// The time that a run may take beyond its limit, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    slack: f64,
    /// The memory limit, in megabytes; a run may take half as much again
    #[arg(long, value_name = "MB", default_value_t = 200)]
    memory_limit: u64,
    /// The folder for successful attacks
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-findings")]
    keep: PathBuf,
}

/// The shared data of all workers.
struct FuzzCampaign<'a> {
    args: &'a FuzzArgs,
    binary: PathBuf,
    corpus: Corpus,
    limits: RunLimits,
    stop: Arc<AtomicBool>,
    state: Mutex<CampaignState>,
}

/// The results so far.
#[derive(Default)]
struct CampaignState {
    table: RunTable,
    /// The number of findings by kind and command, with the seeds of the first attacks.
    found: BTreeMap<(Finding, &'static str), (usize, Vec<u64>)>,
}

/// Runs the campaign, until it is stopped.
pub fn run(args: &FuzzArgs, stop: Arc<AtomicBool>) -> ExitCode {
    match attack(args, stop) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(e) => {
            say(&format!("error: {e}"));
            ExitCode::from(3)
        }
    }
}

/// Prints a line on standard error.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Makes all runs and returns the number of findings.
fn attack(args: &FuzzArgs, stop: Arc<AtomicBool>) -> io::Result<usize> {
    let binary = fs::canonicalize(&args.binary)
        .map_err(|e| io::Error::new(e.kind(), format!("can't run `{}`: {e}", args.binary.display())))?;
    let seconds = |s: f64| Duration::try_from_secs_f64(s).map_err(io::Error::other);
    let limits = RunLimits::ask(&binary, seconds(args.time_limit)?, args.memory_limit, seconds(args.slack)?);
    for (option, commands) in ["--time-limit", "--memory-limit"].into_iter().zip(limits.missing()) {
        if !commands.is_empty() {
            say(&format!("warning: no {option}: {}", commands.join(", ")));
        }
    }
    let scratch = env::temp_dir().join(format!("merkhet-fuzz-{}", std::process::id()));
    let mut corpus = Corpus::samples();
    corpus.add_folder(Path::new(MODELS));
    provide_evidence(&binary, &mut corpus, &scratch, &stop)?;
    for folder in &args.corpus {
        corpus.add_folder(folder);
    }
    let campaign = FuzzCampaign { args, binary, corpus, limits, stop, state: Mutex::default() };
    say(&format!("{} models", campaign.corpus.bundles.len()));
    let result = match args.only {
        Some(seed) => campaign.repeat(seed, &scratch.join("only")),
        None => campaign.all(&scratch),
    };
    // The remaining files are not needed.
    let _ = fs::remove_dir_all(&scratch);
    result
}

/// Writes traces and certificates of the models, so that they can be mutated.
fn provide_evidence(binary: &Path, corpus: &mut Corpus, scratch: &Path, stop: &AtomicBool) -> io::Result<()> {
    let folder = scratch.join("evidence");
    for bundle in &mut corpus.bundles {
        fs::create_dir_all(&folder)?;
        let model = format!("model.{}", bundle.format.ending());
        fs::write(folder.join(&model), &bundle.model)?;
        fs::write(folder.join("model.q"), &bundle.queries)?;
        // A limit on states, not on time, so that the evidence is the same each time.
        let line = format!(
            "verify {model} model.q --trace some --trace-file trace.json --certificate certificate.json --state-limit 2000"
        );
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let timeout = Duration::from_secs(20);
        child::run(
            &Job { program: binary, words: &words, folder: &folder, input: b"", timeout, max_memory: u64::MAX },
            stop,
        )?;
        bundle.trace = fs::read(folder.join("trace.json")).ok();
        bundle.certificate = fs::read(folder.join("certificate.json")).ok();
        fs::remove_dir_all(&folder)?;
    }
    let wanted = |part: fn(&Bundle) -> bool| corpus.bundles.iter().any(part);
    if wanted(|bundle| bundle.trace.is_some()) && wanted(|bundle| bundle.certificate.is_some()) {
        Ok(())
    } else {
        Err(io::Error::other("the binary writes no traces or no certificates about the repository's models"))
    }
}

impl FuzzCampaign<'_> {
    /// Makes all runs and prints the table.
    fn all(&self, scratch: &Path) -> io::Result<usize> {
        let (start, done) = (Instant::now(), AtomicU64::new(0));
        let end = self.args.seed.saturating_add(self.args.count);
        let next = AtomicU64::new(self.args.seed);
        let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let threads = self.args.threads.unwrap_or(cores).get();
        let failed = thread::scope(|scope| {
            let work = |number: usize| {
                let folder = scratch.join(number.to_string());
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || self.stop.load(Ordering::Relaxed) {
                        return Ok(());
                    }
                    self.examine(seed, &folder)?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            let workers: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
            let mut last = Instant::now();
            while workers.iter().any(|worker| !worker.is_finished()) {
                thread::sleep(Duration::from_millis(50));
                if last.elapsed() > REPORT_INTERVAL {
                    last = Instant::now();
                    let found = self.state().table.findings();
                    say(&format!("{} of {} runs, {found} findings", done.load(Ordering::Relaxed), self.args.count));
                }
            }
            let ends = workers.into_iter().map(|worker| worker.join());
            ends.filter_map(|end| end.unwrap_or_else(|_| Err(io::Error::other("a worker panicked"))).err()).next()
        });
        if let Some(why) = failed {
            return Err(why);
        }
        let state = self.state();
        let mut text = state.table.text();
        for ((finding, command), (times, seeds)) in &state.found {
            let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
            text.push_str(&format!("\n{command}: {finding}: {times} times, for example {}", seeds.join(", ")));
        }
        if !state.found.is_empty() {
            text.push_str(&format!("\n\nThe files are in {}.", self.args.keep.display()));
        }
        let runs = done.load(Ordering::Relaxed);
        let seconds = start.elapsed().as_secs_f64();
        writeln!(io::stdout(), "{text}\n{runs} runs in {seconds:.0} s, {} findings", state.table.findings())?;
        Ok(state.table.findings())
    }

    fn state(&self) -> std::sync::MutexGuard<'_, CampaignState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one run and counts its findings.
    fn examine(&self, seed: u64, folder: &Path) -> io::Result<()> {
        let case = sample::sample(seed, &self.corpus, &self.limits);
        let (run, findings) = self.confirmed(&case, folder)?;
        let mut state = self.state();
        state.table.count(&case, &run, findings.len());
        let mut fresh = false;
        for finding in &findings {
            let (times, seeds) = state.found.entry((finding.clone(), case.action.name())).or_default();
            *times += 1;
            if seeds.len() < MAX_KEPT {
                seeds.push(seed);
                fresh = true;
            }
        }
        drop(state);
        if !fresh || self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Shrinking a slow attack would take too long.
        let quick = run.time < Duration::from_secs(1);
        let still = |case: &FuzzCase| {
            let again = self.once(case, folder).map(|(_, again)| again);
            again.is_ok_and(|again| findings.iter().all(|finding| again.contains(finding)))
        };
        let small = if quick { keep::shrink(&case, still) } else { case };
        keep::keep(&self.args.keep, seed, &small, &run, &findings)
    }

    /// Makes one run and returns it with its findings.
    fn once(&self, case: &FuzzCase, folder: &Path) -> io::Result<(FinishedRun, Vec<Finding>)> {
        case.lay_out(folder)?;
        let timeout = self.limits.timeout(case);
        let max_memory = self.limits.max_memory();
        let job = Job { program: &self.binary, words: &case.words, folder, input: &case.stdin, timeout, max_memory };
        let run = child::run(&job, &self.stop)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok((run, Vec::new()));
        }
        let findings = judge::judge(case, &run, self.limits.allowance(case), folder);
        Ok((run, findings))
    }

    /// Does the same, but repeats slow runs: the load of the machine may be the cause.
    fn confirmed(&self, case: &FuzzCase, folder: &Path) -> io::Result<(FinishedRun, Vec<Finding>)> {
        let (run, mut findings) = self.once(case, folder)?;
        for _ in 0..REPEATS {
            if !findings.contains(&Finding::Slow) {
                break;
            }
            let (_, again) = self.once(case, folder)?;
            findings.retain(|finding| *finding != Finding::Slow || again.contains(finding));
        }
        Ok((run, findings))
    }

    /// Repeats one run and prints its details.
    fn repeat(&self, seed: u64, folder: &Path) -> io::Result<usize> {
        let case = sample::sample(seed, &self.corpus, &self.limits);
        let (run, findings) = self.confirmed(&case, folder)?;
        keep::keep(&self.args.keep, seed, &case, &run, &findings)?;
        let mut out = io::stdout();
        writeln!(out, "{}\nin {}", case.line(), self.args.keep.join(seed.to_string()).display())?;
        let status = run.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        writeln!(out, "status {status}, {:.2} s, {} MB", run.time.as_secs_f64(), run.peak >> 20)?;
        for finding in &findings {
            writeln!(out, "{finding}")?;
        }
        Ok(findings.len())
    }
}
