//! Many runs, in several threads, and in several processes. Runs are numbered, and their results
//! are used in this order, so that nothing depends on who makes them.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use explore::cluster::Cluster;
use model::Stop;

use crate::{
    ask::Settings,
    grid::Grid,
    network::Network,
    problem::{RunFault, RunProblem},
    run::Runner,
    sent::{Outcome, Received, Sent, exchange},
};

/// The number of runs that a thread makes before all threads meet, at first.
const FIRST_ROUND: u64 = 16;

/// How many runs are made, and by whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount<'c> {
    /// The number of threads of this process.
    pub threads: usize,
    /// The processes that make them, if there are several.
    pub cluster: Option<&'c Cluster>,
    /// The most runs.
    pub runs: u64,
    /// The most runs that each thread makes before all meet. Their results are kept until then.
    pub at_once: u64,
}

impl<'c> Amount<'c> {
    /// Returns the amount for runs whose results take little memory.
    pub(crate) fn of(settings: &'c Settings, runs: u64) -> Amount<'c> {
        Amount { threads: settings.threads, cluster: settings.cluster.as_ref(), runs, at_once: 4096 }
    }
}

/// The result of a run that was made, if it was.
pub(crate) type NumberedRun<T> = (u64, Result<T, RunProblem>);

/// Makes runs until `consume` returns `false`, or enough were made. Returns what has stopped them
/// before. Of several processes, the first one alone uses results; the others make runs until it
/// ends the request, or all are made.
///
/// # Errors
/// A run can't go on.
pub(crate) fn make_runs<'a, T: Sent>(
    network: &'a Network<'a>,
    grid: Grid,
    amount: Amount<'_>,
    make: impl Fn(&mut Runner<'a>, u64) -> Result<T, RunProblem> + Sync,
    mut consume: impl FnMut(u64, T) -> bool,
) -> Result<Option<Stop>, RunProblem> {
    let Amount { threads, cluster, runs: most, at_once } = amount;
    let mut accept = |(number, made): NumberedRun<T>| match made {
        Ok(result) => Ok((!consume(number, result)).then_some(None)),
        Err(RunProblem { fault: RunFault::Stopped(stop), .. }) => {
            // If a process is lost, that is why.
            Ok(Some(Some(cluster.and_then(Cluster::stopped).unwrap_or(stop))))
        }
        Err(problem) => Err(problem),
    };
    let mut runners: Vec<Runner<'a>> = (0..threads.max(1)).map(|_| Runner::new(network, grid)).collect();
    if let ([runner], None) = (&mut runners[..], cluster) {
        for number in 0..most {
            if let Some(end) = accept((number, make(runner, number)))? {
                return Ok(end);
            }
        }
        return Ok(None);
    }
    let workers = cluster.map_or(runners.len(), Cluster::workers) as u64;
    let own = cluster.map_or(0, Cluster::number);
    let (mut first, mut round) = (0, FIRST_ROUND.min(at_once));
    while first < most {
        let end = most.min(first.saturating_add(round * workers));
        // Each process makes as many as its workers can: process 0 the first ones, and so on.
        let share = |process: usize| {
            let before = |process| cluster.map_or(workers * process as u64, |all| all.first_worker(process) as u64);
            let start = |process| first + (end - first) * before(process) / workers;
            start(process)..start(process + 1)
        };
        let mut made = make_share(&mut runners, share(own), cluster.map(Cluster::stops), &make);
        if own == 0 {
            // What these decide does not depend on others.
            for made in made.drain(..) {
                if let Some(end) = accept(made)? {
                    return Ok(end);
                }
            }
        }
        if let Some(cluster) = cluster {
            let sent = match exchange(cluster, &network.system.code, share, made) {
                Ok(sent) => sent,
                Err(stop) => return Ok(Some(stop)),
            };
            for Received { process, number, outcome } in sent {
                let made = match outcome {
                    Outcome::Result(result) => Ok(result),
                    Outcome::Stopped(stop) => return Ok(Some(stop)),
                    // Wherever it is made, such a run can't go on.
                    Outcome::Problem => match make(&mut runners[0], number) {
                        Ok(_) => return Ok(Some(cluster.distrust(process))),
                        problem => problem,
                    },
                };
                if let Some(end) = accept((number, made))? {
                    return Ok(end);
                }
            }
        }
        (first, round) = (end, (round * 2).min(at_once));
    }
    Ok(None)
}

/// Makes the runs with some numbers, by all runners, and returns what came of them in their order.
/// After one that can't go on, they may be missing; and so may any if the work has to stop.
fn make_share<'a, T: Send>(
    runners: &mut [Runner<'a>],
    numbers: Range<u64>,
    stops: Option<&AtomicBool>,
    make: &(impl Fn(&mut Runner<'a>, u64) -> Result<T, RunProblem> + Sync),
) -> Vec<NumberedRun<T>> {
    let next = AtomicU64::new(numbers.start);
    let make_some = |runner: &mut Runner<'a>| {
        let mut made = Vec::new();
        loop {
            // What was counted is made, so that no number is missing before others.
            if stops.is_some_and(|stops| stops.load(Ordering::Relaxed)) {
                return made;
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return made;
            }
            let result = make(runner, number);
            let is_over = result.is_err();
            made.push((number, result));
            if is_over {
                // Runs with smaller numbers are made by others or are made already.
                next.store(numbers.end, Ordering::Relaxed);
                return made;
            }
        }
    };
    if let [runner] = runners {
        return make_some(runner);
    }
    let mut made: Vec<NumberedRun<T>> = thread::scope(|scope| {
        let workers: Vec<_> = runners.iter_mut().map(|runner| scope.spawn(|| make_some(runner))).collect();
        let made = workers.into_iter().map(|worker| worker.join());
        made.flat_map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(number, _)| *number);
    made
}
