//! The campaign `networks`: random networks under sampled options, compared with an oracle that has
//! neither zones nor heuristics.
//!
//! A seed determines a network of some kind, its queries, and some combinations of options for each
//! query. Every answer must be that of the oracle or unknown, every trace must replay, and traces
//! that are claimed to be optimal must be optimal.

mod choice;
mod examine;
mod judge;
mod kind;
mod pairs;
mod tally;
#[cfg(test)]
mod tests;
mod wrong;

use std::{
    io::{self, Write},
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use examine::{Mistake, examine};
use tally::Tally;

/// Options of the campaign.
#[derive(Debug, clap::Args)]
pub struct NetworksArgs {
    /// The number of networks
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The seed of the first network; the others follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of networks that are examined in parallel
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Examines only the network of this seed
    #[arg(long, value_name = "SEED")]
    only: Option<u64>,
    /// Prints each network, and each command line before its query is answered, so that the last
    /// one belongs to a query that does not terminate
    #[arg(long)]
    verbose: bool,
}

/// Runs the campaign, until it is stopped.
pub fn run(args: &NetworksArgs, stop: &AtomicBool) -> ExitCode {
    let (first, count) = args.only.map_or((args.seed, args.count), |seed| (seed, 1));
    let (done, tally, mistakes) = campaign(first, count, args.threads.max(1), args.verbose, stop);
    let mut out = io::stdout().lock();
    let written = if done < count { writeln!(out, "stopped after {done} of {count} networks") } else { Ok(()) };
    match written.and_then(|()| report(&mut out, first, done, &tally, &mistakes)) {
        Ok(()) if mistakes.is_empty() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Examines `count` networks, from a seed on, and returns how many there were until it was stopped.
fn campaign(first: u64, count: u64, threads: usize, verbose: bool, stop: &AtomicBool) -> (u64, Tally, Vec<Mistake>) {
    let next = AtomicU64::new(0);
    let results = Mutex::new((Tally::default(), Vec::new()));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut tally, mut mistakes) = (Tally::default(), Vec::new());
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    let (own, wrong) = examine(first.wrapping_add(number), verbose);
                    tally.add(&own);
                    mistakes.extend(wrong);
                }
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.0.add(&tally);
                results.1.extend(mistakes);
            });
        }
    });
    let (tally, mut mistakes) = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    mistakes.sort_by_key(|mistake| mistake.seed);
    (next.into_inner().min(count), tally, mistakes)
}

/// The greatest number of mistakes that are printed in full, shortest models first.
const MAX_SHOWN: usize = 20;

fn report(out: &mut impl Write, first: u64, count: u64, tally: &Tally, mistakes: &[Mistake]) -> io::Result<()> {
    writeln!(out, "{count} networks, seeds from {first}\n\n{tally}")?;
    let mut shown: Vec<&Mistake> = mistakes.iter().collect();
    shown.sort_by_key(|mistake| mistake.text.len());
    for Mistake { seed, why, text, command, choice } in shown.into_iter().take(MAX_SHOWN) {
        writeln!(out, "\nWRONG: {why}\nseed {seed}, repeat with --only {seed}\n{command}\n{choice}\n{text}")?;
    }
    if !mistakes.is_empty() {
        let seeds: Vec<String> = mistakes.iter().map(|mistake| mistake.seed.to_string()).collect();
        writeln!(out, "\n{} wrong answers, seeds: {}", mistakes.len(), seeds.join(" "))?;
    }
    Ok(())
}
