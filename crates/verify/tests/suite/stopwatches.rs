//! Stopwatches. Linear arithmetic finds runs along paths that zones can't describe. The answers
//! about random networks agree with the oracle wherever it has an answer.

use explore::search::Limits;
use model::{Property, System, replay};
use oracle::{
    explicit::{self, OracleAnswer as Truth},
    random::{self, Rng},
};
use verify::{Answer, Options, Order, Reason, Verdict};

fn answers(text: &str, query: &str) -> (System, Property, Answer) {
    let mut loaded = oracle::load(text, &[query]).unwrap();
    let (system, property) = (loaded.system, loaded.properties.remove(0));
    let answer = verify::answer(&system, &property, &Options::default(), &Limits::default(), &mut ());
    (system, property, answer)
}

/// Checks that a trace is a run and has the clock values that it states.
fn follow(system: &System, property: &Property, answer: &Answer) -> Result<(), String> {
    let trace = answer.trace.as_ref().ok_or("there is no trace")?;
    let run = trace.run().ok_or("the trace does not replay")?;
    let goal = match property {
        Property::State { goal, .. } if !matches!(answer.verdict, Verdict::Unknown(_)) => Some(goal),
        _ => None,
    };
    let passed = replay::replay(system, &run, goal).map_err(|why| format!("{why:?}"))?;
    let times = trace.times.iter().flatten();
    let same = times.zip(&passed).all(|(stay, visit)| stay.entered == visit.state.clocks && stay.left == visit.left);
    if same && passed.len() == trace.steps.len() + 1 { Ok(()) } else { Err("the clock values differ".to_owned()) }
}

#[track_caller]
fn finds(text: &str, query: &str, verdict: Verdict) -> verify::Trace {
    let (system, property, answer) = answers(text, query);
    assert_eq!(answer.verdict, verdict, "{query}");
    follow(&system, &property, &answer).unwrap_or_else(|why| panic!("{query}: {why}"));
    answer.trace.unwrap()
}

#[test]
fn a_clock_runs_again_after_it_was_stopped() {
    let text = "clock x, y; process P() { state a { x' == 0 }, b { x <= 1 }, c; init a;
        trans a -> b { guard y >= 5; }, b -> c { guard 0 < x && x < 1; }; } system P;";
    finds(text, "E<> P.c", Verdict::Satisfied);
    finds(text, "A[] not P.c", Verdict::NotSatisfied);
}

#[test]
fn delays_are_solutions_of_equations() {
    // x, y and w run in one location each, all for the same time.
    let text = "clock x, y, w, z; process P() {
        state a { y' == 0 && w' == 0 }, b { x' == 0 && w' == 0 }, c { x' == 0 && y' == 0 }, d; init a;
        trans a -> b { }, b -> c { }, c -> d { guard x - y == 0 && y - w == 0 && z == 1; }; } system P;";
    let trace = finds(text, "E<> P.d", Verdict::Satisfied);
    let delays: Vec<String> = trace.times.unwrap().iter().map(|stay| stay.delay.to_string()).collect();
    assert_eq!(delays, ["1/3", "1/3", "1/3", "0"]);
}

#[test]
fn urgent_synchronisations_and_silent_receivers_count() {
    // Time stops when x is 2. Q receives unless w, which is stopped, is less than 1.
    let text = "urgent chan u; broadcast chan call; clock x, y, w, z;
        process P() { state a { x' == 0 }, b { y' == 0 }, c, d; init a;
          trans a -> b { guard y > 1; }, b -> b { guard x >= 2; sync u!; }, b -> c { guard x - y > 0; sync call!; },
            c -> d { guard z == 3; }; }
        process Q() { state a { w' == 0 }, n; init a;
          trans a -> a { sync u?; assign w = 5; }, a -> n { guard w >= 1; sync call?; }, a -> a { guard w < 1; }; }
        system P, Q;";
    finds(text, "E<> P.d && Q.a", Verdict::Satisfied);
    finds(text, "E<> P.c && x == 2 && w == 0", Verdict::Satisfied);
}

#[test]
fn cycles_return_to_equal_clocks() {
    let text = "clock x, y, z; process P() { state a { x' == 0 && y <= 2 }, b { z' == 0 && y <= 3 }; init a;
        trans a -> b { assign z = 0; }, b -> a { assign x = 0, y = 0; }; } system P;";
    for (query, verdict) in [("E[] x <= 2", Verdict::Satisfied), ("A<> x > 2", Verdict::NotSatisfied)] {
        let trace = finds(text, query, verdict);
        assert!(matches!(trace.ending, Some(verify::Ending::Cycle(_))), "{trace:?}");
    }
}

#[test]
fn a_path_without_a_run_is_reported() {
    // In `b`, m - n is the value of s.
    let text = "clock m, n, s; process P() { state a, b { s' == 0 }, c; init a;
        trans a -> b { guard s <= 10; assign n = 0; }, b -> c { guard s == 2 && m - n == 7; }; } system P;";
    let (.., answer) = answers(text, "E<> P.c");
    assert_eq!(answer.verdict, Verdict::Unknown(Reason::Imprecise("stopwatches")));
    assert!(!answer.trace.unwrap().is_replayed());
}

#[derive(Default)]
struct Seen {
    /// Goals that the oracle reaches with delays in half units.
    reached: u64,
    /// Those whose answer is unknown because no run follows the path that was found.
    unknown: u64,
    traces: u64,
    maximal: u64,
}

fn examine(seed: u64) -> Result<Seen, String> {
    let mut rng = Rng::new(seed ^ 0x57095);
    let all = random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() };
    let features = random::NetworkFeatures { stopwatches: true, processes: 1 + rng.below(2), ..all.some(&mut rng) };
    let net = random::network(seed, &features);
    let (text, queries) = (net.text(), net.queries());
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let system = &loaded.system;
    // The oracle may miss states between ticks. Only the states that it finds are certain.
    let halves = explicit::ExplicitOptions { states: 3_000, time: explicit::Time::Ticks(2), ..Default::default() };
    let truths = explicit::check_all(system, &loaded.properties, halves);
    let mut seen = Seen::default();
    for ((property, query), truth) in loaded.properties.iter().zip(&queries).zip(&truths) {
        let describe = |why: String| format!("seed {seed}\n{text}\n{query}: {why}\n");
        let order = *rng.pick(&[Order::Bfs, Order::Dfs, Order::RandomDfs, Order::Auto]);
        let limits = Limits { states: Some(3_000), ..Limits::default() };
        let answer = verify::answer(system, property, &Options { order, ..Options::default() }, &limits, &mut ());
        let (found, is_reached) = match property {
            Property::State { exists: true, .. } => (Verdict::Satisfied, truth.answer == Truth::Satisfied),
            Property::State { exists: false, .. } => (Verdict::NotSatisfied, truth.answer == Truth::NotSatisfied),
            Property::Run { exists: true, .. } => (Verdict::Satisfied, false),
            _ => (Verdict::NotSatisfied, false),
        };
        if answer.verdict == found {
            follow(system, property, &answer).map_err(describe)?;
            seen.traces += 1;
            seen.maximal += u64::from(answer.trace.is_some_and(|trace| trace.ending.is_some()));
        } else if is_reached && !matches!(answer.verdict, Verdict::Unknown(_)) {
            return Err(describe(format!("{:?}, not {found:?}", answer.verdict)));
        }
        if is_reached {
            seen.reached += 1;
            seen.unknown += u64::from(answer.verdict == Verdict::Unknown(Reason::Imprecise("stopwatches")));
        }
    }
    Ok(seen)
}

#[test]
fn random_networks_with_stopwatches() {
    let Seen { reached, unknown, traces, maximal } = oracle::campaign(600, examine, |sum: &mut Seen, new| {
        sum.reached += new.reached;
        sum.unknown += new.unknown;
        sum.traces += new.traces;
        sum.maximal += new.maximal;
    });
    println!("{reached} goals, {unknown} of them unknown; {traces} traces, {maximal} of maximal runs");
    assert!(reached > oracle::expected(300, 600) && unknown * 50 < reached, "{unknown} of {reached} unknown");
    assert!(maximal > oracle::expected(50, 600), "{maximal} maximal runs");
}
