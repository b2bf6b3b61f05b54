//! Bounded and unbounded checking by formulas against the zone engine, on the example models.

use std::{cell::Cell, path::Path};

use bounded::{
    Bounded,
    automata::{Unbounded, check, prove},
};
use explore::search::Limits;
use model::{Property, System};
use oracle::random;
use smt::{Embedded, Solver};
use verify::{Options, Verdict, Wanted, answer};

/// Models with more states are passed over by the zone engine.
const STATES: usize = 20_000;
/// Longer runs are not looked for.
const DEEPEST: usize = 12;
/// What asks more often whether to stop is stopped.
const PATIENCE: u64 = 40_000;

/// Whether the goal of a query is reached, if the zone engine knows, and by how many transitions.
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

/// With events that several processes take together, which the explicit checker does not know.
#[test]
fn random_networks_of_vectors() {
    let examine = |seed: u64| {
        let random::RandomModel { text, queries } = random::vectors(seed);
        let loaded = oracle::load_tck(&text, &queries)?;
        let system = &loaded.system;
        let (mut compared, mut proved) = (0, 0);
        for (property, query) in loaded.properties.iter().zip(&queries) {
            let Property::State { goal, .. } = property else { continue };
            let told = |why: String| format!("seed {seed}\n{text}\n{query}\n{why}");
            let (Some(reached), shortest) = by_zones(system, property) else { continue };
            let bound = shortest.unwrap_or(DEEPEST).min(DEEPEST);
            let found = check(system, goal, bound, &mut Embedded::new(), &|| false, &mut |_| {});
            let fine = match found.as_ref().map_err(|why| told(format!("{why:?}")))? {
                Bounded::Found(trace) => reached && shortest == Some(trace.steps.len()),
                Bounded::None(_) => shortest.is_none_or(|n| n > DEEPEST),
                Bounded::Fails(_) | Bounded::Stopped | Bounded::Unknown(_) => false,
            };
            if !fine {
                return Err(told(format!("{found:?}, but {reached}, {shortest:?}")));
            }
            let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
            let found = prove(system, goal, &mut solvers, &|| false, &mut |_| {});
            match found.map_err(|why| told(format!("{why:?}")))? {
                Unbounded::Holds(_) if !reached => proved += 1,
                Unbounded::Found(_) if reached => {}
                other => return Err(told(format!("{other:?}, but {reached}, {shortest:?}"))),
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
            let stop = || polls.replace(polls.get() + 1) > PATIENCE;
            match check(system, goal, DEEPEST, &mut Embedded::new(), &stop, &mut |_| {}) {
                Err(why) => {
                    println!("{name}: {why:?}");
                    continue;
                }
                Ok(Bounded::Found(trace)) => {
                    assert_ne!(reached, Some(false), "{name}");
                    assert!(shortest.is_none_or(|n| n == trace.steps.len()), "{name}: {trace:?}, not {shortest:?}");
                    runs += 1;
                }
                Ok(Bounded::None(_)) => assert!(shortest.is_none_or(|n| n > DEEPEST), "{name}: none, not {shortest:?}"),
                Ok(undecided) => println!("{name}: {undecided:?}"),
            }
            let first = polls.replace(0);
            let mut solvers = || Box::new(Embedded::new()) as Box<dyn Solver>;
            match prove(system, goal, &mut solvers, &stop, &mut |_| {}).unwrap() {
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
