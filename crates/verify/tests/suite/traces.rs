//! Every trace replays, also in models with run-time errors. A search splits zones, and a run may
//! avoid the moments at which the model fails.

use explore::search::Limits;
use model::Property;
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Abstraction, Options, Order, Verdict};

const STATES: usize = 2_000;

#[derive(Default)]
struct Seen {
    traces: u64,
    /// Those in models in which some run fails.
    beside_errors: u64,
}

fn examine(seed: u64) -> Result<Seen, String> {
    let mut rng = Rng::new(seed ^ 0x7aace);
    let all = random::NetworkFeatures { faults: true, ..random::NetworkFeatures::all() };
    let features = random::NetworkFeatures {
        faults: true,
        // Diagonal constraints and resets split zones.
        diagonals: true,
        resets: true,
        broadcast: rng.chance(20),
        process_priorities: rng.chance(20),
        processes: 1 + rng.below(2),
        ..all.some(&mut rng)
    };
    let net = random::network(seed, &features);
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let explicit_options = explicit::ExplicitOptions { states: STATES, ..Default::default() };
    let truths = explicit::check_all(system, &loaded.properties, explicit_options);
    let mut seen = Seen::default();
    for ((property, query), truth) in loaded.properties.iter().zip(&queries).zip(&truths) {
        let found = match property {
            Property::State { exists: true, .. } => (Truth::Satisfied, Verdict::Satisfied),
            Property::State { exists: false, .. } => (Truth::NotSatisfied, Verdict::NotSatisfied),
            _ => continue,
        };
        if truth.answer != found.0 {
            continue;
        }
        for _ in 0..3 {
            let options = Options {
                order: *rng.pick(&[Order::Dfs, Order::RandomDfs, Order::RandomDfs, Order::Bfs, Order::Auto]),
                abstraction: *rng.pick(&[
                    None,
                    Some(Abstraction::ExtraM),
                    Some(Abstraction::Am),
                    Some(Abstraction::Alu),
                ]),
                seed: rng.below(1000) as u64,
                ..Options::default()
            };
            let limits = Limits { states: Some(STATES), ..Limits::default() };
            let answer = verify::answer(system, property, &options, &limits, &mut ());
            if answer.verdict != found.1 {
                continue;
            }
            if !answer.trace.is_some_and(|trace| trace.is_replayed()) {
                return Err(format!("seed {seed}: {query} has no trace that replays, {options:?}\n{text}"));
            }
            seen.traces += 1;
            seen.beside_errors += u64::from(truth.fault.is_some());
        }
    }
    Ok(seen)
}

#[test]
fn every_trace_replays_in_models_that_can_fail() {
    let seen = oracle::campaign(800, examine, |sum: &mut Seen, new| {
        sum.traces += new.traces;
        sum.beside_errors += new.beside_errors;
    });
    println!("{} traces, {} of them in models in which some run fails", seen.traces, seen.beside_errors);
    let [traces, beside_errors] = [500, 100].map(|least| oracle::expected(least, 800));
    let is_enough = seen.traces > traces && seen.beside_errors > beside_errors;
    assert!(is_enough, "{} traces, {}", seen.traces, seen.beside_errors);
}

/// In `b` the model fails if the difference of the clocks is exactly 3. The zone of `b` contains
/// valuations with this difference and others without it.
#[test]
fn a_run_avoids_moments_at_which_the_model_fails() {
    let text = "clock x = 3, y; int[0,1] v = 1; process P() { state a, b, c; init a;
        trans a -> b { assign y = 2; }, b -> b { guard x - y == 3; assign v = v + 1; }, b -> c { }; } system P;";
    let loaded = oracle::load(text, &["E<> P.c"]).unwrap();
    let mut found = 0;
    for seed in oracle::seeds(0..8) {
        let options = Options { order: Order::RandomDfs, seed, ..Options::default() };
        let answer = verify::answer(&loaded.system, &loaded.properties[0], &options, &Limits::default(), &mut ());
        // A search may meet the error first.
        if answer.verdict == Verdict::Satisfied {
            found += 1;
            assert!(answer.trace.is_some_and(|trace| trace.is_replayed()), "{seed}");
        }
    }
    assert!(found > 0);
}
