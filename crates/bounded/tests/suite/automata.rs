//! Compares bounded checking with explicit states, on random networks. A run to the goal counts
//! even if the model has a run-time error elsewhere. If no run exists, the error is reported.

use bounded::Bounded;
use bounded::automata::check;
use model::Property;
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use smt::Embedded;

/// Networks with more explicit states are skipped.
const STATES: usize = 3_000;
/// The greatest number of transitions in a run.
const DEEPEST: usize = 8;

/// How many queries were compared, how many of them have a run, and how many were refused.
type Counted = (u64, u64, u64);

fn examine(seed: u64) -> Result<Counted, String> {
    let all = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() };
    let net = random::network(seed, &all.some(&mut Rng::new(seed)));
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let options = explicit::ExplicitOptions { states: STATES, ..Default::default() };
    let truths = explicit::check_all(system, &loaded.properties, options);
    let beside = explicit::check_all(system, &loaded.properties, explicit::ExplicitOptions { beside: true, ..options });
    let (mut compared, mut found, mut refused) = (0, 0, 0);
    for (((property, query), truth), beside) in loaded.properties.iter().zip(&queries).zip(&truths).zip(&beside) {
        let (goal, reached) = match (property, beside.answer) {
            (Property::State { goal, exists }, Truth::Satisfied) => (goal, *exists),
            (Property::State { goal, exists }, Truth::NotSatisfied) => (goal, !exists),
            _ => continue,
        };
        let describe = |why: String| format!("seed {seed}\n{text}\n{query}\n{why}\n");
        let bound = beside.length.map_or(DEEPEST, |n| (n as usize).min(DEEPEST));
        let answer = match check(system, goal, bound, &mut Embedded::new(), &|| false, &mut |_| {}) {
            Ok(answer) => answer,
            Err(_) => {
                refused += 1;
                continue;
            }
        };
        compared += 1;
        match answer {
            Bounded::Found(trace) => {
                found += 1;
                if !reached {
                    return Err(describe(format!("{trace:?}, but no run exists")));
                }
                if beside.length.is_some_and(|n| trace.steps.len() != n as usize) {
                    return Err(describe(format!("{trace:?}, but the shortest has {:?}", beside.length)));
                }
            }
            Bounded::None(_) if reached && beside.length.is_some_and(|n| n as usize <= DEEPEST) => {
                return Err(describe(format!("no run, but one exists with length {:?}", beside.length)));
            }
            Bounded::None(_) => {}
            Bounded::Fails(_) if truth.fault.is_some() => {}
            other => return Err(describe(format!("{other:?}, but {:?}", truth.answer))),
        }
    }
    Ok((compared, found, refused))
}

#[test]
fn random_networks() {
    let (compared, found, refused) = oracle::campaign(300, examine, |all, (compared, found, refused)| {
        all.0 += compared;
        all.1 += found;
        all.2 += refused;
    });
    println!("{compared} queries compared, {found} with runs; {refused} refused");
    assert!(compared > 0 && found > 0);
}
