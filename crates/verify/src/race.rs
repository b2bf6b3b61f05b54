//! The strategies of `--order auto`, each in a thread of its own.
//!
//! In one thread the strategies take turns on one store, see [`crate::portfolio`]. In several, that
//! search has one of them. Another one searches breadth-first, which proves the absence of the goal
//! at the least cost, and the rest have a strategy each, with a store of its own. The first answer
//! counts, and stops the others.
//!
//! A search whose work is small stays in one thread, as others do.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use explore::{
    heuristic::{Failures, relaxed::Increments},
    search::{Counts, Limits, Observer, Stop, WorkerLoad},
    tally::{Phase, Tally},
};
use zone::Bound;

use crate::{
    Answer, Guidance, Heuristic, Order, Plan, Reason, Threads, Verdict,
    attempts::settle,
    plan::LARGE,
    reach::{Question, Reached},
};

/// What the others may do after the search by turns has ended without a verdict, as a multiple of
/// its work.
const AFTER_TURNS: usize = 4;

/// A way to search.
struct Strategy {
    /// The options that make one thread search this way, as far as they can be written.
    name: String,
    plan: Plan,
}

/// Returns whether the strategies of a plan get threads of their own. A share of the work of
/// another search is not enough for that.
pub(crate) fn applies(plan: &Plan, limits: &Limits<'_>) -> bool {
    plan.may_race() && limits.generated.is_none()
}

/// Searches for a state by all strategies. `spent` is the work that this takes together.
pub(crate) fn run<B: Bound>(
    question: &Question<'_>,
    plan: &Plan,
    limits: &Limits<'_>,
    spent: &mut usize,
    observer: &mut dyn Observer,
) -> (Answer, Reached<B>) {
    let turns = Plan { threads: Threads::ONE, ..plan.clone() };
    let after = plan.threads.after;
    if after > 0 {
        let limits = Limits { generated: Some(after), ..*limits };
        let (mut answer, reached) = settle::<B>(question, turns.clone(), None, &limits, spent, observer);
        if *spent <= after || answer.verdict != Verdict::Unknown(Reason::Limit(Stop::States)) {
            answer.plan.threads = plan.threads;
            return (answer, reached);
        }
    }
    let strategies = strategies(plan, turns);
    observer.begin();
    let flags: Vec<AtomicBool> = strategies.iter().map(|_| AtomicBool::new(false)).collect();
    let mut referee = Referee {
        runners: strategies.iter().map(Runner::new).collect(),
        flags: &flags,
        limits,
        stop: None,
        is_decided: false,
    };
    let (sender, reports) = mpsc::channel();
    // The other limits are on all searches together, or can't be checked in other threads.
    let (bytes, states) = (limits.bytes, limits.states);
    let mut ended: Vec<Option<(Answer, Reached<B>)>> = thread::scope(|scope| {
        let threads = strategies.iter().zip(&flags).enumerate().map(|(number, (strategy, flag))| {
            let mut reporter = Reporter { number, reports: sender.clone(), threads: 1, tally: Tally::default() };
            let flags = &flags;
            scope.spawn(move || {
                let _guard = PanicGuard(flags);
                let limits = Limits { bytes, states, interrupt: Some(flag), ..Limits::default() };
                let mut work = 0;
                let found = settle::<B>(question, strategy.plan.clone(), None, &limits, &mut work, &mut reporter);
                let decides = decides(&found.0);
                // The memory of a search that gives way is free before its end is known.
                let found = Some(found).filter(|_| decides || !flag.load(Ordering::Relaxed));
                reporter.report(News::Ended { decides });
                found
            })
        });
        let threads: Vec<_> = threads.collect();
        drop(sender);
        for report in reports {
            referee.notes(report, observer);
        }
        let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    });
    let counts = referee.counts();
    observer.end(&counts);
    *spent += counts.generated;
    let rank = |answer: &Answer| match &answer.verdict {
        // A run to the goal counts whatever fails elsewhere. A verdict that no run shows needs a
        // model in which nothing fails.
        verdict if *verdict == question.found => 0,
        Verdict::Unknown(_) => 1,
        Verdict::Satisfied | Verdict::NotSatisfied => 2,
    };
    let deciding = |number: &usize| ended[*number].as_ref().is_some_and(|(answer, _)| decides(answer));
    let best =
        (0..ended.len()).filter(deciding).min_by_key(|number| ended[*number].as_ref().map(|found| rank(&found.0)));
    let strategy = best.map(|number| strategies[number].name.clone());
    let (answer, reached) = match ended.get_mut(best.unwrap_or(0)).and_then(Option::take) {
        Some(found) => found,
        None => {
            let stop = referee.stop.unwrap_or(Stop::Interrupted);
            let verdict = Verdict::Unknown(Reason::Limit(stop));
            let nothing = Reached { stores: Vec::new(), clocks: Vec::new(), cluster: None };
            (Answer::new(verdict, plan.clone(), counts), nothing)
        }
    };
    // What is to be said about heuristics is said about the order that was asked for.
    let threads = referee.runners.iter().map(|runner| runner.threads).sum();
    let (plan, unseen) = (plan.clone(), false);
    // Whatever the strategies did in their threads is one phase for observers.
    (Answer { plan, unseen, threads, strategy, decided: Phase::default(), ..answer }, reached)
}

/// The strategies of a plan, as many as it has threads for. The first one searches by turns, so
/// that the answer of one thread is among theirs.
fn strategies(plan: &Plan, turns: Plan) -> Vec<Strategy> {
    let greedy = |heuristic: &Heuristic, name: &str, helpful: bool| {
        let guidance =
            Guidance { heuristics: vec![heuristic.clone()], helpful, useless: false, ..plan.guidance.clone() };
        let name = format!("--order greedy --heuristic {name}{}", if helpful { " --helpful" } else { "" });
        Strategy { name, plan: Plan { order: Order::Greedy, guidance, ..turns.clone() } }
    };
    let undirected =
        |order: Order, name: &str| Strategy { name: format!("--order {name}"), plan: Plan { order, ..turns.clone() } };
    let mut all = vec![undirected(Order::Auto, "auto"), undirected(Order::Bfs, "bfs")];
    for (number, chosen) in plan.guidance.heuristics.iter().enumerate() {
        let name = match chosen {
            Heuristic::Named { heuristic, increments: Increments::Step } => heuristic.name.to_owned(),
            // Its text is not known here.
            _ => format!("[number {} of the list]", number + 1),
        };
        all.extend([true, false].map(|helpful| greedy(chosen, &name, helpful)));
    }
    for (name, helpful) in [("hff", true), ("hl", false), ("hff", false)] {
        all.extend(Heuristic::named(name).map(|heuristic| greedy(&heuristic, name, helpful)));
    }
    all.push(undirected(Order::RandomDfs, "random-dfs"));
    all.truncate(plan.threads.count);
    // Only a search that is not directed can have several threads.
    let count = plan.threads.count + 1 - all.len();
    if let Some(prover) = all.iter_mut().find(|strategy| strategy.plan.order == Order::Bfs) {
        prover.plan.threads = Threads::late(count);
    }
    all
}

/// Returns whether an answer is one for all. Other strategies may decide where this one has met a
/// limit, or a state that may be unreachable.
fn decides(answer: &Answer) -> bool {
    !matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_) | Reason::Imprecise(_) | Reason::CalledFeasible))
}

/// What a thread reports to the one that waits for all.
struct Report {
    number: usize,
    news: News,
}

enum News {
    /// What its searches have counted, and how many states wait.
    Progress(Counts, usize),
    /// So many threads work on its search.
    Threads(usize),
    /// Its heuristics are prepared.
    Prepared,
    /// Expressions of the user have failed.
    Failed(Failures),
    Ended {
        decides: bool,
    },
}

/// Passes on what a strategy reports, with the sums over its searches.
struct Reporter {
    number: usize,
    reports: mpsc::Sender<Report>,
    threads: usize,
    tally: Tally,
}

impl Reporter {
    fn report(&self, news: News) {
        // If nobody listens, the thread that should has panicked.
        let _ = self.reports.send(Report { number: self.number, news });
    }
}

impl Observer for Reporter {
    fn progress(&mut self, counts: &Counts, waiting: usize) {
        self.tally.update(counts);
        self.report(News::Progress(self.tally.total(), waiting));
    }

    fn workers(&mut self, workers: &[WorkerLoad]) {
        if workers.len() > self.threads {
            self.threads = workers.len();
            self.report(News::Threads(self.threads));
        }
    }

    fn enter(&mut self, phase: Phase) {
        self.tally.enter(phase);
    }

    fn begin(&mut self) {
        self.tally.begin();
    }

    fn end(&mut self, counts: &Counts) {
        self.tally.end(counts);
        self.report(News::Progress(self.tally.total(), 0));
    }

    fn failed(&mut self, failures: &Failures) {
        self.report(News::Failed(failures.clone()));
    }

    fn prepared(&mut self) {
        self.report(News::Prepared);
    }
}

/// Stops all searches if one of them panics.
struct PanicGuard<'f>(&'f [AtomicBool]);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        }
    }
}

/// A strategy that runs.
struct Runner {
    load: WorkerLoad,
    threads: usize,
    is_running: bool,
}

impl Runner {
    fn new(strategy: &Strategy) -> Runner {
        let load = WorkerLoad { strategy: Some(strategy.name.clone()), ..WorkerLoad::default() };
        Runner { load, threads: 1, is_running: true }
    }
}

/// Adds up reports, watches the limits, and stops searches.
struct Referee<'r> {
    runners: Vec<Runner>,
    /// Those that are set stop their searches.
    flags: &'r [AtomicBool],
    limits: &'r Limits<'r>,
    /// The limit that was reached.
    stop: Option<Stop>,
    is_decided: bool,
}

impl Referee<'_> {
    fn notes(&mut self, Report { number, news }: Report, observer: &mut dyn Observer) {
        let runner = &mut self.runners[number];
        match news {
            News::Progress(counts, waiting) => (runner.load.counts, runner.load.waiting) = (counts, waiting),
            News::Threads(threads) => runner.threads = threads,
            News::Prepared if number == 0 => observer.prepared(),
            News::Prepared => {}
            News::Failed(failures) => observer.failed(&failures),
            News::Ended { decides } => {
                (runner.is_running, runner.load.waiting, runner.load.rests) = (false, 0, true);
                // What it stored is gone, or is of no use to the others.
                (runner.load.counts.bytes, runner.load.counts.stored) = (0, 0);
                self.is_decided |= decides;
            }
        }
        let counts = self.counts();
        let loads: Vec<WorkerLoad> = self.runners.iter().map(|runner| runner.load.clone()).collect();
        observer.workers(&loads);
        observer.progress(&counts, loads.iter().map(|load| load.waiting).sum());
        self.stop = self.stop.or(self.limits.reached(0));
        if self.is_decided || self.stop.is_some() || self.is_hopeless(&counts) {
            self.flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed));
        } else if self.is_scarce(&counts) {
            self.dismiss();
        }
    }

    /// Returns the sums of what all have counted.
    fn counts(&self) -> Counts {
        self.runners.iter().fold(Counts::default(), |sum, runner| sum.and(&runner.load.counts))
    }

    /// Returns whether all together are close to a limit, so that some have to give way.
    fn is_scarce(&self, counts: &Counts) -> bool {
        let is_near = |limit: Option<usize>, count: usize| limit.is_some_and(|max| count > max - max / 4);
        is_near(self.limits.bytes, counts.bytes) || is_near(self.limits.states, counts.stored)
    }

    /// Returns whether the search by turns has ended without a verdict, and the others did not find
    /// one with much more work. In one thread its end would be the answer.
    fn is_hopeless(&self, counts: &Counts) -> bool {
        let Runner { load, is_running, .. } = &self.runners[0];
        let turns = load.counts.generated;
        !is_running && counts.generated - turns > AFTER_TURNS * turns.max(LARGE)
    }

    /// Stops the last search that runs, but not the first of all, which then has all that the
    /// limits allow. One leaves at a time.
    fn dismiss(&self) {
        let running = || (1..self.runners.len()).rev().filter(|number| self.runners[*number].is_running);
        if running().all(|number| !self.flags[number].load(Ordering::Relaxed))
            && let Some(last) = running().next()
        {
            self.flags[last].store(true, Ordering::Relaxed);
        }
    }
}
