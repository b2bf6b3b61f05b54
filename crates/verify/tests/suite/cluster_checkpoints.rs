//! Checkpoints of clusters. However often the search of several processes is saved, stopped,
//! interrupted by the loss of a process at any frame, and resumed, its answers and counts are those
//! of an undisturbed one. The processes are threads, see [`crate::cluster`].
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite cluster_checkpoints::`
//! is a campaign.

use std::sync::atomic::AtomicBool;

use explore::{
    cluster::Cluster,
    search::Limits,
    snapshot::{Journal, JournalError},
};
use model::Property;
use oracle::random::Rng;
use verify::{Answer, Options, Order, Reason, Request, Threads, Update, Verdict, Wanted};

use crate::{
    checkpoints::{Case, is_limited, model, shown_by_threads, some_case},
    cluster::{Loss, together},
    kept::Memory,
    threads::Interrupts,
};

/// What a process says.
struct Said {
    answers: Vec<Answer>,
    problem: Option<JournalError>,
    is_stopped: bool,
}

/// What happens to processes.
struct Fate<'f> {
    workers: &'f [usize],
    /// Process 0 is interrupted after so many reports.
    stop: Option<usize>,
    loss: Option<Loss>,
    /// How often a checkpoint is due, in percent.
    saved: usize,
}

/// Answers all queries by several processes, each of which keeps checkpoints in a memory.
fn ask(case: &Case, memories: Option<&[Memory]>, fate: &Fate<'_>, resumes: bool, seed: u64) -> Vec<Said> {
    together(fate.workers, seed, fate.loss.as_ref(), |cluster| {
        answer(case, memories.map(|all| &all[cluster.number()]), fate, resumes, (seed, cluster))
    })
}

/// The part of one process.
fn answer(case: &Case, memory: Option<&Memory>, fate: &Fate<'_>, resumes: bool, of: (u64, &Cluster)) -> Said {
    let (seed, cluster) = of;
    let mut rng = Rng::new(seed);
    let saved = fate.saved;
    let journal = memory.map(|memory| {
        let wants = Box::new(move || rng.chance(saved));
        Journal::new(memory.storage(), true, wants, model()).of_process(cluster.clone())
    });
    let flag = AtomicBool::new(false);
    let interrupt = Some(if cluster.number() == 0 { &flag } else { cluster.stops() });
    let limits = Limits { states: Some(3000), journal: journal.as_ref(), interrupt, ..Limits::default() };
    if let Some(Err(problem)) = journal.as_ref().map(|journal| journal.start(resumes, &Limits::default())) {
        return Said { answers: Vec::new(), problem: Some(problem), is_stopped: false };
    }
    let left = if cluster.number() == 0 { fate.stop.unwrap_or(usize::MAX) } else { usize::MAX };
    let mut interrupts = Interrupts { left, flag: &flag };
    let options = Options { cluster: Some(cluster.clone()), ..case.options.clone() };
    let properties: Vec<&Property> = case.properties.iter().collect();
    let mut answers = Vec::new();
    for (number, group) in properties.chunks(case.together).enumerate() {
        journal.iter().for_each(|journal| journal.begin_group(number));
        let _ = cluster.begin(&limits);
        answers.extend(Request::new(&case.system, group, &options).answers(&limits, &mut interrupts));
        cluster.finish();
        journal.iter().for_each(|journal| journal.end_group(false));
    }
    if let Some(journal) = &journal {
        journal.save_results().unwrap();
    }
    let is_stopped = journal.as_ref().is_some_and(Journal::is_stopped);
    Said { answers, problem: journal.and_then(|journal| journal.problem()), is_stopped }
}

/// A case that a cluster can have.
fn cluster_case(seed: u64, rng: &mut Rng) -> Case {
    let mut case = some_case(seed, rng);
    let options = &mut case.options;
    if matches!(options.order, Order::Adaptive) {
        options.order = Order::Bfs;
    }
    options.threads = Threads::ONE;
    if options.wanted != Wanted::Some {
        options.wanted = Wanted::Shortest;
    }
    options.update = *rng.pick(&[Some(Update::Simple), Some(Update::Simple), Some(Update::Cover), options.update]);
    case
}

const SHAPES: [&[usize]; 5] = [&[1, 1], &[1, 1, 1], &[2, 1], &[1, 2, 1], &[2, 2]];

#[derive(Default)]
struct Sum {
    saved: u64,
    stopped: u64,
    lost: u64,
    resumed: u64,
}

#[test]
fn resumed_clusters_are_undisturbed_ones() {
    let examine = |seed: u64| -> Result<Sum, String> {
        let mut rng = Rng::new(seed);
        let case = cluster_case(seed, &mut rng);
        let workers = *rng.pick(&SHAPES);
        let undisturbed = Fate { workers, stop: None, loss: None, saved: 0 };
        let wanted = ask(&case, None, &undisturbed, false, seed).swap_remove(0).answers;
        let fails = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(Reason::RunTime(..)));
        let mut sum = Sum::default();
        // Which of several failures is met depends on timing.
        if is_limited(&wanted) || wanted.iter().any(fails) {
            return Ok(sum);
        }
        let memories: Vec<Memory> = workers.iter().map(|_| Memory { forgets: true, ..Memory::default() }).collect();
        let mut resumes = false;
        for round in 0..12 {
            let is_last = round == 11;
            let (stop, loss) = match rng.below(3) {
                _ if is_last => (None, None),
                0 => (Some(1 + rng.below(20)), None),
                _ => (None, Some(Loss::new(rng.below(workers.len()), 1 + rng.below(120)))),
            };
            let is_lost = loss.is_some();
            let fate = Fate { workers, stop, loss, saved: if is_last { 0 } else { 40 } };
            let said = ask(&case, Some(&memories), &fate, resumes, seed + round).swap_remove(0);
            sum.resumed += u64::from(resumes);
            sum.stopped += u64::from(said.is_stopped && !is_lost);
            match said.problem {
                None | Some(JournalError::Stopped(_)) => {}
                Some(JournalError::Absent) => return Err("there is no common checkpoint".to_owned()),
                Some(problem) => return Err(format!("{problem}")),
            }
            if !is_limited(&said.answers) && said.answers.len() == wanted.len() {
                // Of queries that are counted together, some end when one worker has found the
                // goal.
                let options =
                    Options { update: case.options.update.filter(|_| case.together == 1), ..Options::default() };
                let (wanted, got) = (shown_by_threads(&wanted, &options), shown_by_threads(&said.answers, &options));
                if wanted != got {
                    return Err(format!("{workers:?} {round} {:?}\n{wanted:#?}\n{got:#?}", case.options));
                }
                return Ok(sum);
            }
            sum.lost += u64::from(is_lost);
            // If one has settled a checkpoint, all have completed it.
            let counts: Vec<usize> = memories.iter().map(Memory::count).collect();
            resumes = counts.iter().all(|count| *count > 0);
            sum.saved += u64::from(resumes);
            if !resumes {
                memories.iter().for_each(|memory| drop(memory.take()));
            }
        }
        Err(format!("{workers:?} {:?} did not end", case.options))
    };
    let add = |sum: &mut Sum, own: Sum| {
        sum.saved += own.saved;
        sum.stopped += own.stopped;
        sum.lost += own.lost;
        sum.resumed += own.resumed;
    };
    let Sum { saved, stopped, lost, resumed } = oracle::campaign(80, examine, add);
    println!("{saved} saved, {stopped} stopped, {lost} lost, {resumed} resumed");
    let enough = |number: u64, least: u64| number >= oracle::expected(least, 80);
    assert!(enough(saved, 20) && enough(lost, 30) && enough(resumed, 20));
}
