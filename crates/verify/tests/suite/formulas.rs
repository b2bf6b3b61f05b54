//! Compares bounded and unbounded model checking by SMT with the zone engine, on random networks
//! and on the example models.

use std::{cell::Cell, path::Path};

use bounded::{
    Bounded,
    automata::{Known, Unbounded, check, prove},
};
use explore::search::Limits;
use model::{Property, System};
use oracle::random;
use smt::{Embedded, Solver};
use verify::{Options, Verdict, Wanted, answer};

/// The zone engine skips models with more states.
const STATES: usize = 20_000;
/// Bounded checking does not search for longer runs.
const MAX_DEPTH: usize = 12;
/// A check that polls more often is stopped.
const MAX_POLLS: u64 = 40_000;

/// Whether the goal of a query is reachable, if the zone engine decides it, and the length of the
/// shortest trace.
fn by_zones(system: &System, property: &Property) -> (Option<bool>, Option<usize>) {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let options = Options { wanted: Wanted::Shortest, ..Options::default() };
    let found = answer(system, property, &options, &limits, &mut ());
    let reached = match (&found.verdict, property) {
        (Verdict::Unknown(_), _) => None,
        (verdict, Property::State { exists: true, .. }) => Some(*verdict == Verdict::Satisfied),
        (verdict, _) => Some(*verdict == Verdict::NotSatisfied),
    };
    (reached, found.trace.as_ref().map(|trace| trace.steps.len()))
}

/// Networks with synchronisation vectors, which the explicit checker does not support.
#[test]
fn random_networks_of_vectors() {
    let examine = |seed: u64| {
        let random::RandomModel { text, queries } = random::vectors(seed);
        let loaded = oracle::load_tck(&text, &queries)?;
        let system = &loaded.system;
        let (mut compared, mut proved) = (0, 0);
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let Property::State { goal, .. } = property else { continue };
            let describe = |why: String| format!("seed {seed}\n{text}\n{query}\n{why}");
            let (Some(reached), shortest) = by_zones(system, property) else { continue };
            let bound = shortest.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
            let found = check(system, &Known::default(), goal, bound, &mut Embedded::new(), &|| false, &mut |_| {});
            let fine = match found.as_ref().map_err(|why| describe(format!("{why:?}")))? {
                Bounded::Found(trace) => reached && shortest == Some(trace.steps.len()),
                Bounded::None(_) => shortest.is_none_or(|n| n > MAX_DEPTH),
                Bounded::Fails(_) | Bounded::Stopped | Bounded::Unknown(_) => false,
            };
            if !fine {
                return Err(describe(format!("{found:?}, but {reached}, {shortest:?}")));
            }
            let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
            let found = prove(system, &Known::default(), goal, &mut solvers, &|| false, &mut |_| {});
            match found.map_err(|why| describe(format!("{why:?}")))? {
                Unbounded::Holds(_) if !reached => proved += 1,
                Unbounded::Found(_) if reached => {}
                other => return Err(describe(format!("{other:?}, but {reached}, {shortest:?}"))),
            }
            compared += 1;
        }
        Ok((compared, proved))
    };
    let (compared, proved) = oracle::campaign(200, examine, |all, (compared, proved)| {
        all.0 += compared;
        all.1 += proved;
    });
    println!("{compared} queries compared, {proved} of them proved");
    assert!(compared > proved && proved > 0);
}

#[test]
fn example_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut compared, mut runs, mut proofs) = (0, 0, 0);
    for path in oracle::files(&folder, &["xta", "xml"]) {
        for (number, (system, property)) in oracle::queries_beside(&path).iter().flatten().enumerate() {
            let Property::State { goal, .. } = property else { continue };
            let name = format!("{} {number}", path.file_name().unwrap().to_string_lossy());
            let (reached, shortest) = by_zones(system, property);
            let polls = Cell::new(0);
            let stop = || polls.replace(polls.get() + 1) > MAX_POLLS;
            match check(system, &Known::default(), goal, MAX_DEPTH, &mut Embedded::new(), &stop, &mut |_| {}) {
                Err(why) => {
                    println!("{name}: {why:?}");
                    continue;
                }
                Ok(Bounded::Found(trace)) => {
                    assert_ne!(reached, Some(false), "{name}");
                    assert!(shortest.is_none_or(|n| n == trace.steps.len()), "{name}: {trace:?}, not {shortest:?}");
                    runs += 1;
                }
                Ok(Bounded::None(_)) => {
                    assert!(shortest.is_none_or(|n| n > MAX_DEPTH), "{name}: none, not {shortest:?}")
                }
                Ok(undecided) => println!("{name}: {undecided:?}"),
            }
            let first = polls.replace(0);
            let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
            match prove(system, &Known::default(), goal, &mut solvers, &stop, &mut |_| {}).unwrap() {
                Unbounded::Found(_) => assert_ne!(reached, Some(false), "{name}"),
                Unbounded::Holds(invariant) => {
                    assert_ne!(reached, Some(true), "{name}");
                    println!("{name}: {} clauses", invariant.clauses.len());
                    proofs += 1;
                }
                undecided => println!("{name}: {undecided:?}"),
            }
            println!("{name}: {reached:?} {shortest:?} {first} {}", polls.get());
            compared += 1;
        }
    }
    println!("{compared} queries, {runs} runs, {proofs} proofs");
    assert!(runs > 0 && proofs > 0);
}
