//! Checks thousands of random networks on all cores.
//!
//! `MERKHET_CASES` is the number of networks of each test, `MERKHET_SEED` the first seed.

use std::{
    fmt::Display,
    iter,
    num::NonZero,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::seeds;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Returns the least number that a test expects of its `usual` cases, or that share of it which
/// fewer cases have, if `MERKHET_CASES` asks for fewer.
#[must_use]
pub fn expected(least: u64, usual: u64) -> u64 {
    least * number("MERKHET_CASES", usual).min(usual) / usual
}

/// Calls `examine` with each seed and adds up its counts. `usual` is the default number of cases.
///
/// # Panics
/// If a network fails, with the shortest error text.
pub fn campaign<T: Default + Send, E: Display>(
    usual: u64,
    examine: impl Fn(u64) -> Result<T, E> + Sync,
    add: impl Fn(&mut T, T) + Sync,
) -> T {
    let (first, cases) = (number("MERKHET_SEED", 0), number("MERKHET_CASES", usual));
    let next = AtomicU64::new(first);
    let results = Mutex::new((T::default(), Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                let claimed = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < first + cases);
                for seed in seeds(iter::from_fn(claimed)) {
                    let found = examine(seed);
                    let Ok(mut results) = results.lock() else { break };
                    match found {
                        Ok(counted) => add(&mut results.0, counted),
                        Err(why) => results.1.push((seed, why.to_string())),
                    }
                }
            });
        }
    });
    let (counted, wrong) = results.into_inner().unwrap_or_default();
    let shortest = wrong.iter().min_by_key(|(_, why)| why.len());
    if let Some((seed, why)) = shortest {
        panic!("{} of {cases} networks, among them that of seed {seed}\n{why}", wrong.len());
    }
    counted
}
