//! Many runs, in several threads. Runs are numbered, and their results are used in this order, so
//! that nothing depends on the number of threads.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use model::Stop;

use crate::{
    grid::Grid,
    network::Network,
    problem::{RunFault, RunProblem},
    run::Runner,
};

/// The number of runs that a thread makes before all threads meet, at first.
const FIRST_ROUND: u64 = 16;

/// How many runs are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    /// The number of threads.
    pub threads: usize,
    /// The most runs.
    pub runs: u64,
    /// The most runs that each thread makes before all meet. Their results are kept until then.
    pub at_once: u64,
}

impl Amount {
    /// Returns the amount for runs whose results take little memory.
    pub(crate) fn of(threads: usize, runs: u64) -> Amount {
        Amount { threads, runs, at_once: 4096 }
    }
}

/// Makes runs until `consume` returns `false`, or enough were made. Returns what has stopped them
/// before.
///
/// # Errors
/// A run can't go on.
pub(crate) fn make_runs<'a, T: Send>(
    network: &'a Network<'a>,
    grid: Grid,
    amount: Amount,
    make: impl Fn(&mut Runner<'a>, u64) -> Result<T, RunProblem> + Sync,
    mut consume: impl FnMut(u64, T) -> bool,
) -> Result<Option<Stop>, RunProblem> {
    let Amount { threads, runs: most, at_once } = amount;
    let mut accept = |number: u64, made: Result<T, RunProblem>| match made {
        Ok(result) => Ok((!consume(number, result)).then_some(None)),
        Err(RunProblem { fault: RunFault::Stopped(stop), .. }) => Ok(Some(Some(stop))),
        Err(problem) => Err(problem),
    };
    let mut runners: Vec<Runner<'a>> = (0..threads.max(1)).map(|_| Runner::new(network, grid)).collect();
    if let [runner] = &mut runners[..] {
        for number in 0..most {
            if let Some(end) = accept(number, make(runner, number))? {
                return Ok(end);
            }
        }
        return Ok(None);
    }
    let (mut first, mut round) = (0, FIRST_ROUND.min(at_once));
    while first < most {
        let end = most.min(first.saturating_add(round * runners.len() as u64));
        let next = AtomicU64::new(first);
        let make_some = |runner: &mut Runner<'a>| {
            let mut made = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return made;
                }
                let result = make(runner, number);
                let is_over = result.is_err();
                made.push((number, result));
                if is_over {
                    // Runs with smaller numbers are made by others or are made already.
                    next.store(end, Ordering::Relaxed);
                    return made;
                }
            }
        };
        let mut made: Vec<(u64, Result<T, RunProblem>)> = thread::scope(|scope| {
            let workers: Vec<_> = runners.iter_mut().map(|runner| scope.spawn(|| make_some(runner))).collect();
            let made = workers.into_iter().map(|worker| worker.join());
            made.flat_map(|made| made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        made.sort_by_key(|(number, _)| *number);
        for (number, result) in made {
            if let Some(end) = accept(number, result)? {
                return Ok(end);
            }
        }
        (first, round) = (end, (round * 2).min(at_once));
    }
    Ok(None)
}
