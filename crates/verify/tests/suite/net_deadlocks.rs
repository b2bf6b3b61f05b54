//! Deadlocks of nets with intervals on places: no transition ever fires, whichever tokens become
//! available. Zones and all exact formulas agree with an oracle on when they begin.

use std::cell::Cell;

use bounded::net::NetEncoding;
use explore::search::Limits;
use oracle::{
    Loaded,
    nets::{self, NetLimits},
    random_nets::{NetFeatures, random_net},
};
use smt::{Embedded, Solver};
use syntax::net::{Timing, tina};
use verify::{Engine, FormulaOptions, Method, Options, Reason, Request, Target, Verdict};

/// Nets with more explicit states are skipped.
const STATES: usize = 3_000;
/// The number of times that a search may poll its limits before it is stopped.
const MAX_POLLS: u64 = 20_000;
/// The number of steps of a bounded search.
const DEEPEST: usize = 8;

/// The ways to answer by formulas. The last two search for runs only.
const FORMULAS: [(Method, NetEncoding, Option<usize>); 5] = [
    (Method::Invariant, NetEncoding::Events, None),
    (Method::Induction, NetEncoding::Events, Some(4)),
    (Method::Interpolation, NetEncoding::Events, Some(6)),
    (Method::Search, NetEncoding::Events, Some(DEEPEST)),
    (Method::Search, NetEncoding::ExactDifferences, Some(DEEPEST)),
];

/// Returns the answers by zones and by all formulas; `None` where one is unknown.
fn answers(loaded: &Loaded, number: usize) -> Result<Vec<Option<bool>>, String> {
    let property = &loaded.properties[number];
    let solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
    let zones = Options::default();
    let mut engines = vec![Engine::Zones(&zones)];
    let options: Vec<FormulaOptions> = FORMULAS
        .iter()
        .map(|&(method, encoding, bound)| FormulaOptions { method, encoding, bound, ..FormulaOptions::default() })
        .collect();
    let net = loaded.model.tree.net.as_deref();
    engines.extend(options.iter().map(|options| Engine::Formulas { options, net, solvers: &solvers }));
    let mut found = Vec::new();
    for engine in engines {
        let polls = Cell::new(0);
        let expired = || polls.replace(polls.get() + 1) > MAX_POLLS;
        let target = Target::Properties(std::slice::from_ref(&property));
        let request = Request { system: &loaded.system, target, engine, proves: true };
        let limits = Limits { expired: Some(&expired), ..Limits::default() };
        found.push(match request.answers(&limits, &mut ()).remove(0).verdict {
            Verdict::Satisfied => Some(true),
            Verdict::NotSatisfied => Some(false),
            Verdict::Unknown(Reason::Bound(_) | Reason::Limit(_)) => None,
            other => return Err(format!("{other:?}")),
        });
    }
    Ok(found)
}

#[test]
fn a_token_that_no_transition_takes_is_a_deadlock_at_once() {
    let queries = ["E<> deadlock && time < 1", "E<> not deadlock"];
    let loaded = oracle::load_net("pl p [1,3] (1)\n", &queries).unwrap();
    assert!(answers(&loaded, 0).unwrap().iter().all(|answer| *answer == Some(true)));
    let alive = answers(&loaded, 1).unwrap();
    assert_eq!(alive, [Some(false), Some(false), Some(false), Some(false), None, None]);
}

#[test]
fn a_token_that_may_inhibit_in_time_is_no_deadlock_yet() {
    // The token of `i` inhibits `t` from 3 at the latest, and `t` can fire from 2 on.
    let net = "pl p [2,4] (1)\npl i [1,3] (1)\npl q\ntr t p i?-1 -> q\n";
    let queries =
        ["E<> deadlock && q == 0 && time < 1", "E<> deadlock && q == 0 && time == 1", "E<> deadlock && q == 1"];
    let loaded = oracle::load_net(net, &queries).unwrap();
    for (number, expected) in [false, true, true].into_iter().enumerate() {
        let found = answers(&loaded, number).unwrap();
        let agrees = |answer: &Option<bool>| answer.is_none_or(|answer| answer == expected);
        assert!(found.iter().all(agrees) && found[0].is_some(), "{}: {found:?}", queries[number]);
    }
}

fn examine(seed: u64) -> Result<[u64; 3], String> {
    let kind = NetFeatures { weights: false, ..NetFeatures::new(Timing::Places) };
    let net = random_net(seed, &kind);
    let limits = NetLimits { states: STATES, ..NetLimits::default() };
    let Some(reach) = nets::markings(&net, limits).filter(|reach| !reach.contact) else { return Ok([0; 3]) };
    let moment = 1 + (seed % 4) as i32;
    let Some(before) = nets::deadlock_before(&net, moment, limits) else { return Ok([0; 3]) };
    let text = tina::text(&net);
    let queries = ["E<> deadlock".to_owned(), format!("E<> deadlock && time < {moment}")];
    let loaded = oracle::load_net(&text, &queries)?;
    let mut counted = [0, u64::from(before), 0];
    for (number, expected) in [reach.deadlock, before].into_iter().enumerate() {
        let wrong = |why: String| format!("{text}\nseed {seed}: {}: {why}, not {expected}", queries[number]);
        let found = answers(&loaded, number).map_err(wrong)?;
        if found[0] != Some(expected) || found.iter().flatten().any(|answer| *answer != expected) {
            return Err(wrong(format!("{found:?}")));
        }
        counted[0] += 1;
        counted[2] += found.iter().filter(|answer| answer.is_none()).count() as u64;
    }
    Ok(counted)
}

#[test]
fn random_nets() {
    let add = |all: &mut [u64; 3], one: [u64; 3]| all.iter_mut().zip(one).for_each(|(all, one)| *all += one);
    let [asked, early, unknown] = oracle::campaign(200, examine, add);
    println!("{asked} queries, {early} nets with an early deadlock, {unknown} unknown answers by formulas");
    assert!(early >= oracle::expected(10, 200) && asked >= oracle::expected(200, 200));
}
