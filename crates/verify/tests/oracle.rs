//! The zone engine against an explicit checker that shares nothing with it, on random networks.
//!
//! Every abstraction, order and update must give the oracle's verdict, no trace may be shorter than the oracle's
//! shortest, and plain breadth-first search finds one of that length.
//! `MERKHET_CASES=100000 cargo test --release -p merkhet-verify --test oracle` is a campaign.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use explore::search::Limits;
use model::{Property, System};
use oracle::{
    explicit::{self, Answer as Truth},
    random,
};
use verify::{Abstraction, Options, Order, Reason, Update, Verdict};

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

fn first() -> u64 {
    std::env::var("MERKHET_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update)] = &[
    (Order::Bfs, None, Update::Cover),
    (Order::Dfs, None, Update::Cover),
    (Order::RandomDfs, Some(Abstraction::ExtraLuPlus), Update::Cover),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Cover),
    (Order::Bfs, Some(Abstraction::ExtraLu), Update::Cover),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Simple),
    (Order::Dfs, Some(Abstraction::ExtraLuPlus), Update::Simple),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Join),
];

/// What is wrong with the engine's answers to a property, if anything is.
fn compare(system: &System, property: &Property, query: &str) -> Result<bool, String> {
    let truth = explicit::check(system, property, explicit::Options { states: 30_000, ..Default::default() });
    if truth.fault.is_some() {
        return Ok(false);
    }
    let expected = match truth.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        Truth::Unknown(explicit::Reason::NoInitialState) | Truth::Unknown(_) => return Ok(false),
    };
    for &(order, abstraction, update) in CONFIGURATIONS {
        let options = Options { order, abstraction, update: Some(update), seed: 7 };
        let limits = Limits { states: Some(50_000), ..Limits::default() };
        let answer = verify::answer(system, property, &options, &limits, &mut ());
        let fine = match &answer.verdict {
            Verdict::Unknown(Reason::Imprecise(_)) => update == Update::Join,
            Verdict::Unknown(Reason::Limit(_)) => true,
            verdict => *verdict == expected,
        };
        let config = format!("{query}\n{order:?} {abstraction:?} {update:?} (as {:?})", answer.plan.abstraction);
        if !fine {
            return Err(format!("{config}: {:?}, not {expected:?}", answer.verdict));
        }
        if let (Some(length), Some(trace)) = (truth.length, &answer.trace) {
            let found = trace.steps.len();
            // A deeper state may cover one that still waits, so only plain breadth-first search finds a shortest way.
            let exact = order == Order::Bfs && update == Update::Simple;
            if update != Update::Join && !trace.replayed {
                return Err(format!("{config}: the trace does not replay"));
            }
            if found < length as usize || exact && found > length as usize {
                return Err(format!("{config}: a trace of {found} transitions, the shortest has {length}"));
            }
        }
    }
    Ok(true)
}

#[test]
fn random_networks() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for seed in first()..first() + cases() {
        let net = random::network(seed, &random::Options::all());
        let (text, queries) = (net.text(), net.queries());
        let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        for (property, query) in loaded.properties.iter().zip(&queries) {
            if !matches!(property, Property::Possibly(_) | Property::Invariantly(_)) {
                continue;
            }
            match compare(&loaded.model.system, property, query) {
                Ok(done) => asked += u32::from(done),
                Err(why) => wrong.push(format!("seed {seed}\n{text}\n{why}\n")),
            }
        }
    }
    println!("{asked} queries");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(asked > 0);
}
