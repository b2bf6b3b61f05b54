//! Compares the zone engine with an explicit checker that shares no code with it, on random
//! networks.
//!
//! Every abstraction, order and update must give the oracle's verdict and reach its discrete
//! states. No trace may be shorter than the oracle's shortest. Traces that are requested as
//! shortest or fastest must be so.
//! `MERKHET_CASES=1000000 cargo test --release -p merkhet-verify --test suite oracle::` is a
//! campaign; `MERKHET_SEED` is where it starts.

use std::collections::BTreeSet;

use explore::{
    bounds::ClockBounds,
    graph::ZoneGraph,
    search::{Limits, SearchOutcome},
    seen::Seen,
    shard::Worker,
    store::Store,
};
use model::{Formula, Property, System};
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random,
};
use verify::{Abstraction, Options, Order, Reason, Skipping, Trace, Update, Verdict, Wanted};

/// Networks with more explicit states are skipped.
const STATES: usize = 3_000;

/// Searches with more symbolic states are stopped. They may diverge if clocks are set to values
/// below those of other clocks.
const LIMIT: usize = 4_000;

fn explicit_options() -> explicit::ExplicitOptions {
    explicit::ExplicitOptions { states: STATES, ..Default::default() }
}

const CONFIGURATIONS: &[(Order, Option<Abstraction>, Update, Wanted)] = &[
    (Order::Bfs, None, Update::Cover, Wanted::Some),
    (Order::Dfs, None, Update::Cover, Wanted::Some),
    (Order::RandomDfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Some),
    (Order::Waiting, Some(Abstraction::ExtraLu), Update::Cover, Wanted::Some),
    (Order::Dfs, Some(Abstraction::Am), Update::Cover, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Simple, Wanted::Some),
    (Order::Dfs, Some(Abstraction::ExtraLuPlus), Update::Simple, Wanted::Some),
    (Order::Bfs, Some(Abstraction::ExtraLuPlus), Update::Join, Wanted::Some),
    (Order::Bfs, None, Update::Cover, Wanted::Shortest),
    (Order::Dfs, Some(Abstraction::ExtraLuPlus), Update::Cover, Wanted::Shortest),
    (Order::Bfs, None, Update::Cover, Wanted::Fastest),
    (Order::Bfs, Some(Abstraction::ExtraM), Update::Cover, Wanted::Fastest),
];

const SKIPPING: &[Option<Skipping>] = &[None, Some(Skipping::Acyclic), Some(Skipping::Committed)];

/// Checks the engine's answers to a property. Returns whether the oracle has an answer.
fn compare(system: &System, property: &Property, query: &str, truth: &explicit::Report) -> Result<bool, String> {
    if truth.fault.is_some() {
        return Ok(false);
    }
    let expected = match truth.answer {
        Truth::Satisfied => Verdict::Satisfied,
        Truth::NotSatisfied => Verdict::NotSatisfied,
        Truth::Unknown(explicit::UnknownReason::NoInitialState) | Truth::Unknown(_) => return Ok(false),
    };
    for (&(order, abstraction, update, wanted), passing) in CONFIGURATIONS.iter().zip(SKIPPING.iter().cycle()) {
        let options = Options {
            order,
            abstraction,
            update: Some(update),
            seed: 7,
            wanted,
            passing: *passing,
            ..Options::default()
        };
        let limits = Limits { states: Some(LIMIT), ..Limits::default() };
        let answer = verify::answer(system, property, &options, &limits, &mut ());
        let fine = match &answer.verdict {
            Verdict::Unknown(Reason::Imprecise(_)) => update == Update::Join,
            Verdict::Unknown(Reason::Limit(_)) => true,
            verdict => *verdict == expected,
        };
        let config = format!(
            "{query}\n{order:?} {abstraction:?} {update:?} {wanted:?} {passing:?} (as {:?})",
            answer.plan.abstraction
        );
        if !fine {
            return Err(format!("{config}: {:?}, not {expected:?}", answer.verdict));
        }
        if let (Some(length), Some(trace)) = (truth.length, &answer.trace) {
            let found = trace.steps.len();
            // A deeper state may cover one in the open list, so breadth-first search guarantees a
            // shortest trace only without covering.
            let exact = wanted == Wanted::Shortest || order == Order::Bfs && update == Update::Simple;
            if update != Update::Join && !trace.is_replayed() {
                return Err(format!("{config}: the trace does not replay"));
            }
            // A path through joined zones need not be a run.
            if trace.is_replayed() && found < length as usize || exact && found > length as usize {
                return Err(format!("{config}: a trace of {found} transitions, the shortest has {length}"));
            }
            if wanted == Wanted::Fastest && trace.is_replayed() && could_be_faster(system, property, trace) {
                return Err(format!("{config}: there is a faster trace"));
            }
        }
    }
    compare_unread(system, property, &expected).map_err(|why| format!("{query}\n{why}"))?;
    Ok(true)
}

/// Checks the answers if the values of unread variables are not distinguished.
fn compare_unread(system: &System, property: &Property, expected: &Verdict) -> Result<(), String> {
    let Property::State { goal, .. } = property else { return Ok(()) };
    let unread = system.find_unread(&[goal]);
    if unread.is_empty() {
        return Ok(());
    }
    let mut system = system.clone();
    system.unread = unread;
    for order in [Order::Bfs, Order::Dfs] {
        let limits = Limits { states: Some(LIMIT), ..Limits::default() };
        let answer = verify::answer(&system, property, &Options { order, ..Options::default() }, &limits, &mut ());
        let limited = matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)));
        if !limited && answer.verdict != *expected {
            return Err(format!("{order:?} without {:?}: {:?}, not {expected:?}", system.unread, answer.verdict));
        }
        if answer.trace.is_some_and(|trace| !trace.is_replayed()) {
            return Err(format!("{order:?} without {:?}: the trace does not replay", system.unread));
        }
    }
    Ok(())
}

/// Whether the oracle finds a run to the same goal that takes less time.
fn could_be_faster(system: &System, property: &Property, trace: &Trace) -> bool {
    explicit::is_faster_possible(system, property, trace.duration().unwrap(), explicit_options())
}

/// Checks that the engine reaches the oracle's discrete states under every abstraction.
fn compare_rows(system: &System) -> Result<(), String> {
    let expected = explicit::rows(system, explicit_options());
    if expected.missing.is_some() {
        return Ok(());
    }
    let nothing = Property::possibly(Formula::False);
    for &(_, abstraction, update, wanted) in CONFIGURATIONS {
        if update == Update::Join || wanted != Wanted::Some {
            continue;
        }
        let bounds = ClockBounds::<i32>::new(system, &nothing);
        let options = Options { abstraction, update: Some(update), ..Options::default() };
        let plan = verify::plan(system, &nothing, &bounds, &options);
        let seen = Seen::new(Store::new(system, plan.update), plan.abstraction.simulates());
        let graph = Box::new(ZoneGraph::new(system, bounds, plan.abstraction));
        let mut worker = Worker::alone(graph, seen, plan.order.open_list(system, 0));
        let mut goal = |_: &mut ZoneGraph<'_>, _: &[i32], _: &[i32]| Ok(None);
        let limits = Limits { states: Some(LIMIT), ..Limits::default() };
        let outcome = worker.resume(&mut goal, &limits, &mut ());
        let store = worker.seen.store;
        if !matches!(outcome, Some(SearchOutcome::Exhausted)) {
            continue;
        }
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let reached: BTreeSet<Vec<i32>> = store
            .nodes()
            .map(|node| {
                store.get(node, &mut row, &mut zone);
                row[..system.identity].to_vec()
            })
            .collect();
        if reached != expected.rows {
            let (more, less) = (reached.difference(&expected.rows).next(), expected.rows.difference(&reached).next());
            return Err(format!("{:?}: reaches {more:?}, does not reach {less:?}", plan.abstraction));
        }
    }
    Ok(())
}

/// Compares one network. Returns the number of queries compared.
fn examine(seed: u64) -> Result<u64, String> {
    let net = random::network(seed, &random::NetworkFeatures::all());
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let reachability = |p: &Property| matches!(p, Property::State { .. });
    let (properties, queries): (Vec<Property>, Vec<&String>) =
        loaded.properties.into_iter().zip(&queries).filter(|(p, _)| reachability(p)).unzip();
    let truths = explicit::check_all(system, &properties, explicit_options());
    let describe = |why: String| format!("seed {seed}\n{text}\n{why}\n");
    if truths.iter().all(|truth| truth.fault.is_none()) {
        compare_rows(system).map_err(describe)?;
    }
    let mut asked = 0;
    for ((property, query), truth) in properties.iter().zip(queries).zip(&truths) {
        asked += u64::from(compare(system, property, query, truth).map_err(describe)?);
    }
    Ok(asked)
}

#[test]
fn random_networks() {
    let asked = oracle::campaign(800, examine, |all, asked| *all += asked);
    println!("{asked} queries, none wrong");
    assert!(asked > 0);
}
