//! A transition that priorities forbid does not exist: its update is not evaluated and can't fail.
//! Compares the engine with the explicit checker, on random networks with priorities in which
//! updates leave the ranges of variables.

use explore::search::Limits;
use model::{Property, System};
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Options, Order, Reason, Verdict};

const STATES: usize = 2_000;
const LIMIT: usize = 3_000;

/// The same system without priorities.
fn equal(system: &System) -> System {
    let mut equal = system.clone();
    equal.has_priorities = false;
    equal.internal_priority = 0;
    equal.channels.iter_mut().for_each(|c| c.priority = 0);
    equal.processes.iter_mut().for_each(|p| p.priority = 0);
    equal
}

#[derive(Default)]
struct Seen {
    queries: u64,
    /// Networks in which only priorities prevent a run-time error.
    saved: u64,
}

fn examine(seed: u64) -> Result<Seen, String> {
    let mut rng = Rng::new(seed ^ 0x9a11);
    let everything =
        random::NetworkFeatures { faults: true, liveness: true, deadlocks: false, ..random::NetworkFeatures::all() };
    let options = random::NetworkFeatures {
        faults: true,
        channel_priorities: !seed.is_multiple_of(3),
        process_priorities: seed % 3 != 1,
        binary: true,
        ..everything.some(&mut rng)
    };
    let net = random::network(seed, &options);
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    let mut seen = Seen::default();
    let explicit_options = explicit::ExplicitOptions { states: STATES, ..Default::default() };
    let truths = explicit::check_all(system, &loaded.properties, explicit_options);
    if !system.has_priorities || truths.iter().any(|truth| truth.fault.is_some()) {
        return Ok(seen);
    }
    let faults = explicit::check_all(&equal(system), &loaded.properties[..1], explicit_options);
    seen.saved = u64::from(faults.iter().any(|truth| truth.fault.is_some()));
    for ((property, query), truth) in loaded.properties.iter().zip(&queries).zip(&truths) {
        let expected = match truth.answer {
            Truth::Satisfied => Verdict::Satisfied,
            Truth::NotSatisfied => Verdict::NotSatisfied,
            Truth::Unknown(_) => continue,
        };
        for order in [Order::Bfs, Order::Dfs] {
            let options = Options { order, ..Options::default() };
            let limits = Limits { states: Some(LIMIT), ..Limits::default() };
            let answer = verify::answer(system, property, &options, &limits, &mut ());
            let fine = answer.verdict == expected || matches!(answer.verdict, Verdict::Unknown(Reason::Limit(_)));
            if !fine {
                return Err(format!("seed {seed}\n{text}\n{query}\n{order:?}: {:?}, not {expected:?}", answer.verdict));
            }
        }
        seen.queries += 1;
    }
    Ok(seen)
}

#[test]
fn transitions_forbidden_by_priorities_do_not_fail() {
    let seen = oracle::campaign(400, examine, |all: &mut Seen, one| {
        all.queries += one.queries;
        all.saved += one.saved;
    });
    println!("{} queries, {} networks in which only priorities prevent an error", seen.queries, seen.saved);
    assert!(seen.queries > 0 && seen.saved > 0);
}

/// The verdict, or the run-time error.
fn verdict(text: &str, query: &str) -> Result<bool, String> {
    let loaded = oracle::load(text, &[query]).unwrap();
    let property: &Property = &loaded.properties[0];
    match verify::answer(&loaded.system, property, &Options::default(), &Limits::default(), &mut ()).verdict {
        Verdict::Satisfied => Ok(true),
        Verdict::NotSatisfied => Ok(false),
        Verdict::Unknown(why) => Err(format!("{why:?}")),
    }
}

#[test]
fn an_update_fails_where_its_transition_is_possible() {
    let model = |high: &str, low: &str| {
        format!(
            "chan hi; chan priority default < hi; int[0,1] v; clock x;
             process P() {{ state a {{ x <= 5 }}, b; init a;
               trans a -> a {{ guard {low}; assign v = 2; }}, a -> b {{ guard {high}; sync hi!; }}; }}
             process Q() {{ state a; init a; trans a -> a {{ sync hi?; }}; }} system P, Q;"
        )
    };
    for (high, low, fails) in [
        ("true", "true", false),
        ("x >= 2", "x >= 2", false),
        ("x >= 2", "x > 3", false),
        ("x > 2", "x >= 2", true),
        ("x >= 2", "x < 2", true),
        ("x >= 2 && x <= 3", "x >= 2", true),
        ("false", "true", true),
        ("x >= 2", "x < 0", false),
    ] {
        for query in ["A[] v == 0", "E[] P.a", "P.a --> P.b", "sup: v"] {
            let found = verdict(&model(high, low), query);
            assert_eq!(found.is_err(), fails, "{high}, {low}, {query}: {found:?}");
        }
    }
    // The transition with the higher priority violates an invariant, so it forbids nothing.
    let text = "chan hi; chan priority default < hi; int[0,1] v; clock x;
                process P() { state a, b { x > 7 }; init a; trans a -> a { guard x < 3; assign v = 2; }, a -> b { sync hi!; }; }
                process Q() { state a; init a; trans a -> a { sync hi?; }; } system P, Q;";
    assert!(verdict(text, "A[] v == 0").is_err());
}
