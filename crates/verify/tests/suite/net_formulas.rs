//! Unbounded answers about random nets by formulas, with everything that the paper's nets have,
//! compared with an oracle that works on the nets themselves. Nothing is refused, and proofs are
//! checked by the independent checker.

use std::cell::Cell;

use explore::search::Limits;
use oracle::{
    nets,
    random_nets::{NetFeatures as Kind, random_net},
};
use smt::{Embedded, Solver};
use syntax::net::{Timing, tina};
use verify::{Engine, FormulaOptions, Method, Reason, Request, Target, Verdict};

/// Nets with more explicit states are skipped.
const STATES: usize = 3_000;
/// The number of times that a search may poll its limits before it is stopped.
const MAX_POLLS: u64 = 8_000;

/// The number of answers by each method, of those that are proofs, and of those that are unknown.
type Counted = [[u64; 3]; 3];

const METHODS: [(Method, Option<usize>); 3] =
    [(Method::Invariant, None), (Method::Induction, Some(4)), (Method::Interpolation, Some(6))];

fn examine(seed: u64, kind: &Kind) -> Result<Counted, String> {
    let mut counted = Counted::default();
    let net = random_net(seed, kind);
    let limits = nets::NetLimits { states: STATES, ..nets::NetLimits::default() };
    let Some(truth) = nets::markings(&net, limits) else { return Ok(counted) };
    let text = tina::text(&net);
    let (one, other) = (0, net.places.len() - 1);
    let queries = [
        "E<> deadlock".to_owned(),
        format!("E<> {} == 1 && {} == 1", net.places[one].name, net.places[other].name),
        format!("A[] {} <= 1", net.places[other].name),
    ];
    let truths = [
        truth.deadlock,
        truth.markings.iter().any(|m| m[one] == 1 && m[other] == 1),
        truth.markings.iter().all(|m| m[other] <= 1),
    ];
    let loaded = oracle::load_net(&text, &queries)?;
    let read = loaded.model.tree.net.as_deref();
    for ((property, query), truth_of) in loaded.properties.iter().zip(&queries).zip(truths) {
        for ((method, bound), counted) in METHODS.into_iter().zip(&mut counted) {
            let options = FormulaOptions { method, bound, ..FormulaOptions::default() };
            let polls = Cell::new(0);
            let expired = || polls.replace(polls.get() + 1) > MAX_POLLS;
            let solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
            let request = Request {
                system: &loaded.system,
                target: Target::Properties(&[property]),
                engine: Engine::Formulas { options: &options, net: read, solvers: &solvers },
                proves: true,
            };
            let limits = Limits { expired: Some(&expired), ..Limits::default() };
            let answer = request.answers(&limits, &mut ()).remove(0);
            let wrong =
                || Err(format!("{text}\nseed {seed}: {query} by {method:?}: {:?}, not {truth_of}", answer.verdict));
            counted[0] += 1;
            match &answer.verdict {
                Verdict::Unknown(Reason::Refused(_) | Reason::Uncertified(_)) => return wrong(),
                Verdict::Unknown(Reason::RunTime(..)) if !truth.contact => return wrong(),
                Verdict::Unknown(_) => counted[2] += 1,
                // A net that fails proves nothing, but has runs.
                _ if truth.contact && answer.trace.is_none() => return wrong(),
                _ if truth.contact => {}
                verdict if (*verdict == Verdict::Satisfied) != truth_of => return wrong(),
                _ if answer.trace.is_none() => counted[1] += 1,
                _ => {}
            }
        }
    }
    Ok(counted)
}

fn campaign(cases: u64, kind: Kind) {
    let add = |all: &mut Counted, one: Counted| {
        all.iter_mut().flatten().zip(one.iter().flatten()).for_each(|(all, one)| *all += one);
    };
    let counted = oracle::campaign(cases, |seed| examine(seed, &kind), add);
    for ((method, _), [asked, proved, unknown]) in METHODS.iter().zip(counted) {
        println!("{:?}, {method:?}: {asked} answers, {proved} proofs, {unknown} unknown", kind.timing);
        assert!(proved * 10 > asked, "{method:?}");
    }
}

#[test]
fn intervals_on_places() {
    campaign(60, Kind { weights: false, ..Kind::new(Timing::Places) });
}

#[test]
fn intervals_on_transitions() {
    campaign(60, Kind { weights: false, tokens: Some(3), ..Kind::new(Timing::Transitions) });
}

#[test]
fn no_intervals() {
    campaign(60, Kind { weights: false, tokens: Some(3), ..Kind::new(Timing::Untimed) });
}
