//! The zones along traces, on random networks. A replayed run stays in the zones of its trace. The
//! stable zones, which contain only valuations on runs along the whole trace, are included in them.
//!
//! `MERKHET_CASES=10000 cargo test --release -p merkhet-verify --test suite zones::` is a campaign.

use explore::search::Limits;
use model::{Ratio, System, replay};
use oracle::random;
use verify::{Options, Trace, Wanted};

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn contains(zone: &[i64], clocks: &[Ratio]) -> bool {
    let denominator = clocks.iter().map(|c| c.denominator()).reduce(|a, b| a * b / gcd(a, b)).unwrap();
    let point: Vec<i64> = clocks.iter().map(|c| c.numerator() * (denominator / c.denominator())).collect();
    zone::contains(zone, clocks.len(), &point, denominator)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Checks the zones along a trace.
fn check(system: &System, trace: &Trace) -> Result<(), String> {
    let zones = trace.zones(system, false).ok_or("there are no zones")?;
    if zones.len() != trace.steps.len() + 1 {
        return Err(format!("{} zones for {} steps", zones.len(), trace.steps.len()));
    }
    let run = replay::replay(system, &trace.run().unwrap(), None).map_err(|why| format!("{why:?}"))?;
    for (i, (visit, zone)) in run.iter().zip(&zones).enumerate() {
        if !contains(zone, &visit.left) {
            return Err(format!("the run is outside of zone {i}"));
        }
    }
    let Some(stable) = trace.zones(system, true) else { return Err("there are no stable zones".to_owned()) };
    if !stable.iter().zip(&zones).all(|(small, large)| zone::is_included(small, large)) {
        return Err("a stable zone is larger".to_owned());
    }
    Ok(())
}

#[test]
fn runs_stay_in_the_zones_of_their_traces() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for seed in oracle::seeds(0..cases()) {
        let net = random::network(seed, &random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() });
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let system = &loaded.system;
        for (property, query) in loaded.properties.iter().zip(&queries) {
            for wanted in [Wanted::Some, Wanted::Fastest] {
                let options = Options { wanted, ..Options::default() };
                let limits = Limits { states: Some(5_000), ..Limits::default() };
                let answer = verify::answer(system, property, &options, &limits, &mut ());
                let Some(trace) = answer.trace.filter(|trace| trace.is_replayed()) else { continue };
                checked += 1;
                if let Err(why) = check(system, &trace) {
                    wrong.push(format!("seed {seed}\n{text}\n{query} {wanted:?}\n{why}\n"));
                }
            }
        }
    }
    println!("{checked} traces");
    assert!(wrong.is_empty(), "{} of {checked} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(checked > 0);
}
