//! Random networks by the thousand, on all cores.
//!
//! `MERKHET_CASES` says how many networks a test looks at, `MERKHET_SEED` where it starts.

use std::{
    num::NonZero,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Calls `examine` with each seed, and adds up what it counts. `usual`: how many there are if nobody says.
///
/// # Panics
/// If something is wrong with a network: with the shortest text about it.
pub fn campaign<T: Default + Send>(
    usual: u64,
    examine: impl Fn(u64) -> Result<T, String> + Sync,
    add: impl Fn(&mut T, T) + Sync,
) -> T {
    let (first, cases) = (number("MERKHET_SEED", 0), number("MERKHET_CASES", usual));
    let next = AtomicU64::new(first);
    let results = Mutex::new((T::default(), Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + cases {
                        break;
                    }
                    let found = examine(seed);
                    let Ok(mut results) = results.lock() else { break };
                    match found {
                        Ok(counted) => add(&mut results.0, counted),
                        Err(why) => results.1.push(why),
                    }
                }
            });
        }
    });
    let (counted, wrong) = results.into_inner().unwrap_or_default();
    let shortest = wrong.iter().min_by_key(|why| why.len());
    assert!(shortest.is_none(), "{} of {cases} networks\n{}", wrong.len(), shortest.map_or("", String::as_str));
    counted
}
