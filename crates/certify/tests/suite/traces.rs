//! Traces of random networks, moment by moment. Every transition is enabled by the rules of this
//! crate too, including priorities. The last state satisfies the goal, including deadlocks.

use certify::{holds_at, takes};
use explore::search::Limits;
use model::{Formula, Property, System, replay};
use oracle::random;
use verify::Options;

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn follow(system: &System, goal: &Formula, trace: &verify::Trace) -> Result<(), String> {
    let run = replay::replay(system, &trace.run().unwrap(), Some(goal)).map_err(|why| format!("{why:?}"))?;
    for (i, pair) in run.windows(2).enumerate() {
        let before = pair[0].end();
        if !takes(system, &before, &pair[1].edges).map_err(|why| format!("{why:?}"))? {
            return Err(format!("step {i} is not enabled in {before:?}"));
        }
    }
    let end = run.last().unwrap().end();
    if holds_at(system, goal, &end) == Ok(true) { Ok(()) } else { Err(format!("the goal does not hold in {end:?}")) }
}

#[test]
fn traces_of_random_networks_are_runs() {
    let (mut followed, mut unknown, mut wrong) = (0, 0, Vec::new());
    for seed in oracle::seeds(0..cases()) {
        let net = random::network(seed, &random::NetworkFeatures::all());
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap();
        let system = &loaded.system;
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let Property::State { goal, .. } = property else { continue };
            let limits = Limits { states: Some(5_000), ..Limits::default() };
            let answer = verify::answer(system, property, &Options::default(), &limits, &mut ());
            match answer.trace {
                Some(trace) if trace.is_replayed() => {
                    followed += 1;
                    if let Err(why) = follow(system, goal, &trace) {
                        wrong.push(format!("seed {seed}\n{text}\n{query}\n{trace:?}\n{why}"));
                    }
                }
                Some(_) => unknown += 1,
                None => {}
            }
        }
    }
    println!("{followed} traces with delays, {unknown} without");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(followed > 0);
}
