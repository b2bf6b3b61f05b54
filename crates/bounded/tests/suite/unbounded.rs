//! Unbounded checking against explicit states, on random networks.

use std::cell::Cell;

use bounded::{
    Bounded,
    automata::{Inductive, Unbounded, induct, prove},
};
use model::Property;
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use smt::{Embedded, Solver};

/// Networks with more explicit states are skipped.
const STATES: usize = 3_000;
/// The number of times that a search may poll its limits before it is stopped.
const MAX_POLLS: u64 = 100_000;

/// The greatest length of runs for induction.
const DEEPEST: usize = 4;

/// How many queries were compared, how many of them hold, how many of those by induction, and how
/// many searches were stopped.
type Counted = [u64; 4];

fn examine(seed: u64) -> Result<Counted, String> {
    let all = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() };
    let net = random::network(seed, &all.some(&mut Rng::new(seed)));
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let options = explicit::ExplicitOptions { states: STATES, ..Default::default() };
    let truths = explicit::check_all(system, &loaded.properties, options);
    // A run to the goal counts even if the model has a run-time error elsewhere. Nothing is proved
    // about a model with run-time errors.
    let beside = explicit::check_all(system, &loaded.properties, explicit::ExplicitOptions { beside: true, ..options });
    let [mut compared, mut holds, mut inducted, mut stopped] = [0; 4];
    for (((property, query), truth), beside) in loaded.properties.iter().zip(&queries).zip(&truths).zip(&beside) {
        let (goal, reached) = match (property, beside.answer) {
            (Property::State { goal, exists }, Truth::Satisfied) => (goal, *exists),
            (Property::State { goal, exists }, Truth::NotSatisfied) => (goal, !exists),
            _ => continue,
        };
        let describe = |why: String| format!("seed {seed}\n{text}\n{query}\n{why}\n");
        let polls = Cell::new(0);
        let stop = || {
            polls.set(polls.get() + 1);
            polls.get() > MAX_POLLS
        };
        let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
        let Ok(answer) = prove(system, goal, &mut solvers, &stop, &mut |_| {}) else { continue };
        compared += 1;
        let inductive = induct(system, goal, DEEPEST, &mut solvers, &|| false, &mut |_| {}).unwrap();
        match inductive {
            Inductive::Holds(_) if reached || truth.fault.is_some() => {
                return Err(describe(format!(
                    "{inductive:?}, but a run has length {:?}, {:?}",
                    truth.length, truth.fault
                )));
            }
            Inductive::Holds(_) => inducted += 1,
            Inductive::Bounded(Bounded::Found(_)) if !reached => return Err(describe(format!("{inductive:?}"))),
            Inductive::Bounded(Bounded::Found(_) | Bounded::None(_)) => {}
            Inductive::Bounded(Bounded::Fails(_)) if truth.fault.is_some() => {}
            Inductive::Bounded(other) => return Err(describe(format!("{other:?}, but {:?}", truth.answer))),
        }
        match answer {
            Unbounded::Found(trace) if !reached => return Err(describe(format!("{trace:?}, but no run exists"))),
            Unbounded::Holds(invariant) if reached || truth.fault.is_some() => {
                return Err(describe(format!(
                    "{invariant:?}, but a run has length {:?}, {:?}",
                    truth.length, truth.fault
                )));
            }
            Unbounded::Holds(_) => holds += 1,
            Unbounded::Found(_) => {}
            Unbounded::Stopped => stopped += 1,
            Unbounded::Fails(_) if truth.fault.is_some() => {}
            other => return Err(describe(format!("{other:?}, but {:?}", truth.answer))),
        }
    }
    Ok([compared, holds, inducted, stopped])
}

#[test]
fn random_networks() {
    let [compared, holds, inducted, stopped] = oracle::campaign(300, examine, |all: &mut Counted, one| {
        all.iter_mut().zip(one).for_each(|(all, one)| *all += one);
    });
    println!("{compared} queries compared, {holds} of them proved, {inducted} by induction; {stopped} stopped");
    assert!(holds > 0 && inducted > 0);
}
