//! Large clock constants. Zones with 64-bit bounds give the same results as zones with 32-bit
//! bounds. A network has the same answers in a smaller unit of time, which makes all its constants
//! larger.
//!
//! `MERKHET_CASES=10000 cargo test --release -p merkhet-verify --test suite wide::` is a campaign.

use std::cell::Cell;

use explore::search::{Counts, Limits};
use model::{Property, Ratio, System, replay};
use oracle::random::{self, Rng, View};
use verify::{Abstraction, Answer, Heuristic, Limit, Options, Order, Reason, Request, Verdict, Wanted};

use crate::drawn::search_options;

fn cases(default: u64) -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Loads a network with its queries, and with two more queries for the bounds of clocks.
fn load(net: &random::RandomNetwork, view: &View) -> (oracle::Loaded, String) {
    let text = net.view(view);
    let mut queries = net.queries_in(view);
    let names: Vec<String> = oracle::load(&text, &[] as &[&str])
        .map(|loaded| loaded.system.clocks[1..].iter().map(|clock| clock.name.clone()).collect())
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
    if let [first, .., last] = names.as_slice() {
        queries.extend([format!("sup: {first}"), format!("inf{{P0.L1}}: {last}")]);
    }
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("{why}\n{text}"));
    (loaded, text)
}

fn networks() -> random::NetworkFeatures {
    random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() }
}

/// Random options.
fn some_options(rng: &mut Rng) -> Options {
    let orders = [
        Order::Bfs,
        Order::Dfs,
        Order::RandomDfs,
        Order::Waiting,
        Order::Auto,
        Order::Astar,
        Order::Greedy,
        Order::Local,
    ];
    let wanted = [Wanted::Some, Wanted::Some, Wanted::Shortest, Wanted::Short, Wanted::Fastest];
    let mut options = search_options(rng, &orders, &wanted);
    let names = ["hl", "hu", "hff", "merge", "zone-pdb", "pdb", "symbolic-pdb", "pa-auto(once)"];
    options.guidance.heuristics.extend(Heuristic::named(names[rng.below(names.len())]));
    options.guidance.budget = 500;
    options.joining.refines = rng.chance(50);
    options
}

/// The results that must be equal for zones of both widths. The bytes differ with the width.
fn essence(answer: &Answer) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        answer.verdict.clone(),
        Counts { bytes: 0, ..answer.counts },
        answer.phases.clone(),
        answer.values.clone(),
        answer.trace.clone(),
        answer.refinements,
    )
}

#[test]
fn both_widths_give_the_same_results() {
    // Some searches with joined states diverge with few states. Both widths must stop after the
    // same number of polls.
    let polls = Cell::new(0);
    let expired = || polls.replace(polls.get() + 1) > 20;
    let limits = Limits { states: Some(500), expired: Some(&expired), ..Limits::default() };
    let ask = |system: &System, property: &Property, options: &Options| {
        polls.set(0);
        verify::answer(system, property, options, &limits, &mut ())
    };
    let prove = |system: &System, property: &Property, options: &Options| {
        polls.set(0);
        let properties = [property];
        let request = Request { proves: true, ..Request::new(system, &properties, options) };
        request.answers(&limits, &mut ()).remove(0)
    };
    let (mut traces, mut values, mut proofs) = (0, 0, 0);
    for seed in oracle::seeds(0..cases(80)) {
        let mut rng = Rng::new(seed);
        let features = random::NetworkFeatures { stopwatches: rng.chance(10), ..networks().some(&mut rng) };
        let (loaded, text) = load(&random::network(seed, &features), &View::default());
        let system = &loaded.system;
        for property in &loaded.properties {
            let narrow = some_options(&mut rng);
            let wide = Options { wide: true, ..narrow.clone() };
            let [a, b] = [&narrow, &wide].map(|options| ask(system, property, options));
            assert_eq!(essence(&a), essence(&b), "seed {seed} {narrow:?} {property:?}\n{text}");
            traces += u64::from(a.trace.is_some());
            values += u64::from(a.values.is_some());
            let [a, b] = [&narrow, &wide].map(|options| prove(system, property, options));
            assert_eq!(essence(&a), essence(&b), "seed {seed} {narrow:?} {property:?}\n{text}");
            let size = |answer: Answer| answer.proof?.ok().map(|proof| constraints(&proof));
            let (a, b) = (size(a), size(b));
            assert_eq!(a, b, "seed {seed} {narrow:?} {property:?}\n{text}");
            proofs += u64::from(a.is_some());
        }
        let [a, b] = [false, true].map(|wide| {
            let few = Limits { states: Some(300), ..Limits::default() };
            let answer = crate::states(system, &Options { wide, ..Options::default() }, &few);
            (answer.verdict, answer.states)
        });
        assert_eq!(a, b, "seed {seed}\n{text}");
    }
    println!("{traces} traces, {values} bounds, {proofs} proofs");
    let [many, some] = [50, 40].map(|least| oracle::expected(least, 80));
    assert!(traces > many && values > many && proofs > some, "{traces} {values} {proofs}");
}

/// The rows, constraints and ranks of a proof.
fn constraints(proof: &verify::Proof) -> Vec<(Vec<i32>, Vec<verify::Constraint>, u32)> {
    let mut all = Vec::new();
    let mut note = |row: &[i32], own: &[verify::Constraint], rank: u32| {
        all.push((row.to_vec(), own.to_vec(), rank));
        Ok::<(), ()>(())
    };
    match proof {
        verify::Proof::Cover(cover) => cover.try_for_each(|row, own| note(row, own, 0)).unwrap(),
        verify::Proof::Ranks { reached, ranked } => {
            reached.iter().for_each(|cover| cover.try_for_each(|row, own| note(row, own, 0)).unwrap());
            ranked.try_for_each(note).unwrap();
        }
        verify::Proof::Invariant(_) | verify::Proof::Marking(_) => {}
    }
    all
}

#[test]
fn groups_have_the_same_answers_with_both_widths() {
    let limits = Limits { states: Some(2_000), ..Limits::default() };
    for seed in oracle::seeds(0..cases(60)) {
        let mut rng = Rng::new(seed);
        let (loaded, text) = load(&random::network(seed, &networks().some(&mut rng)), &View::default());
        let options = Options { order: Order::Adaptive, ..Options::default() };
        let groups = verify::groups(&loaded.model.system, &loaded.lowered(), &options);
        for group in &groups {
            let (system, properties) = &loaded.with(group);
            let properties: Vec<&Property> = properties.iter().collect();
            let [a, b] = [false, true].map(|wide| {
                let options = Options { wide, ..options.clone() };
                Request::new(system, &properties, &options).answers(&limits, &mut ())
            });
            let [a, b] = [a, b].map(|all| all.iter().map(essence).collect::<Vec<_>>());
            assert_eq!(a, b, "seed {seed}\n{text}");
        }
    }
}

/// The answers to the queries of a network in a unit of time that is smaller by the factor `scale`.
/// Checks that the traces replay.
fn answers(net: &random::RandomNetwork, scale: i32) -> Vec<(Verdict, Option<Vec<verify::Range>>)> {
    let (loaded, text) = load(net, &View { scale, ..View::default() });
    let limits = Limits { states: Some(5_000), ..Limits::default() };
    let system = &loaded.system;
    let ask = |property: &Property| {
        let answer = verify::answer(system, property, &Options::default(), &limits, &mut ());
        follow(system, property, &answer).unwrap_or_else(|why| panic!("{why}\n{text}"));
        (answer.verdict, answer.values)
    };
    loaded.properties.iter().map(ask).collect()
}

fn follow(system: &System, property: &Property, answer: &Answer) -> Result<(), String> {
    let Property::State { goal, .. } = property else { return Ok(()) };
    let Some(run) = answer.trace.as_ref().and_then(verify::Trace::run) else { return Ok(()) };
    let goal = (!matches!(answer.verdict, Verdict::Unknown(_))).then_some(goal);
    replay::replay(system, &run, goal).map(|_| ()).map_err(|why| format!("{property:?}: {why:?}"))
}

/// A range in a smaller unit of time.
fn scaled(range: verify::Range, scale: i32) -> verify::Range {
    let limit = |limit: Limit| match limit {
        Limit::Number { value, strict } => Limit::Number { value: value * i64::from(scale), strict },
        Limit::Infinite => Limit::Infinite,
    };
    verify::Range { least: range.least.map(limit), greatest: range.greatest.map(limit) }
}

#[test]
fn answers_in_another_unit_of_time() {
    // Values of variables are not scaled. Zones are not exact in networks with stopwatches.
    let options = random::NetworkFeatures { variable_bounds: false, ..networks() };
    let (mut same, mut unknown, mut bounds, mut wrong) = (0, 0, 0, Vec::new());
    for seed in oracle::seeds(0..cases(150)) {
        let net = random::network(seed, &options.some(&mut Rng::new(seed)));
        let plain = answers(&net, 1);
        // Constants below and above the limit of 32-bit bounds, up to the largest integers.
        for scale in [1 << 24, 53_687_091, 429_496_729] {
            for (i, ((verdict, values), (found, found_values))) in plain.iter().zip(answers(&net, scale)).enumerate() {
                let values = values.as_ref().map(|all| all.iter().map(|r| scaled(*r, scale)).collect::<Vec<_>>());
                match (verdict, &found) {
                    // The value at which a growing clock stops the search depends on the constants.
                    (Verdict::Unknown(Reason::Growth(_)), _) | (_, Verdict::Unknown(Reason::Growth(_))) => unknown += 1,
                    _ if *verdict == found && values == found_values => {
                        same += 1;
                        bounds += u64::from(values.is_some());
                    }
                    _ => wrong.push(format!(
                        "seed {seed} scale {scale} query {i}: {verdict:?} {values:?}, not {found:?} {found_values:?}"
                    )),
                }
            }
        }
    }
    println!("{same} the same, {bounds} of them bounds, {unknown} unknown");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(same > 100 * unknown && bounds > oracle::expected(100, 150), "{same} {bounds} {unknown}");
}

#[test]
fn heuristics_work_with_large_constants() {
    let features = random::NetworkFeatures { variable_bounds: false, liveness: false, ..networks() };
    let limits = Limits { states: Some(5_000), ..Limits::default() };
    let mut same = 0;
    for seed in oracle::seeds(0..cases(120)) {
        let mut rng = Rng::new(seed);
        let net = random::network(seed, &features.some(&mut rng));
        let (loaded, text) = load(&net, &View { scale: 429_496_729, ..View::default() });
        for property in loaded.properties.iter().filter(|p| !matches!(p, Property::Bounds { .. })) {
            let directed = [Order::Greedy, Order::Astar, Order::Auto][rng.below(3)];
            let drawn = some_options(&mut rng);
            let options = Options { order: directed, guidance: drawn.guidance, ..Options::default() };
            let ask = |options| verify::answer(&loaded.system, property, options, &limits, &mut ());
            let (plain, found) = (ask(&Options::default()), ask(&options));
            let limited = |answer: &Answer| matches!(answer.verdict, Verdict::Unknown(_));
            if limited(&plain) || limited(&found) {
                continue;
            }
            assert_eq!(plain.verdict, found.verdict, "seed {seed} {options:?} {property:?}\n{text}");
            follow(&loaded.system, property, &found).unwrap_or_else(|why| panic!("{why}\n{text}"));
            same += 1;
        }
    }
    assert!(same > oracle::expected(150, 120), "{same}");
}

fn ask(text: &str, query: &str, options: &Options) -> Answer {
    let loaded = oracle::load(text, &[query]).unwrap_or_else(|why| panic!("{why}\n{query}\n{text}"));
    verify::answer(&loaded.system, &loaded.properties[0], options, &Limits::default(), &mut ())
}

#[test]
fn constants_of_a_billion_and_of_one() {
    let text = "clock x, y; process P() { state a { x <= 1000000000 }, b { y <= 2000000000 }, c, d; init a; \
                trans a -> b { guard x >= 1; assign x = 0; }, b -> c { guard y == 2000000000 && x == 1000000001; }, \
                b -> d { guard y < 1000000000 && x > 1000000000; }, c -> c { guard x == 1000000001; }; } system P;";
    let satisfied = [
        "E<> P.c",
        "A[] not P.d",
        "A[] P.b imply y <= 2000000000",
        "A<> P.b",
        "E[] not P.c",
        "P.a --> P.b",
        "E<> deadlock",
        "E<> P.c && not deadlock",
    ];
    let violated = ["E<> P.d", "A[] not P.c", "A<> P.c", "P.b --> P.c", "A[] not deadlock", "A[] P.a imply x >= 1"];
    for (queries, expected) in [(&satisfied[..], Verdict::Satisfied), (&violated[..], Verdict::NotSatisfied)] {
        for query in queries {
            for wanted in [Wanted::Some, Wanted::Shortest, Wanted::Fastest] {
                let answer = ask(text, query, &Options { wanted, ..Options::default() });
                assert_eq!(answer.verdict, expected, "{query}");
                assert!(answer.trace.is_none_or(|trace| trace.is_replayed()), "{query}");
            }
        }
    }
}

#[test]
fn the_fastest_trace_takes_long() {
    // All constants fit into 32-bit bounds, but the elapsed time does not.
    let text = "clock x, y; int n; process P() { state a { x <= 100000000 }, b; init a; \
                trans a -> a { guard x == 100000000 && n < 22; assign x = 0, n = n + 1; }, \
                a -> b { guard n == 20; }, a -> b { guard n == 21; }; } system P;";
    let answer = ask(text, "E<> P.b", &Options { wanted: Wanted::Fastest, ..Options::default() });
    let trace = answer.trace.unwrap();
    assert_eq!(trace.duration(), Some(Ratio::from(2_000_000_000)), "{trace:?}");
    // Without an abstraction the exact time is known.
    let none = Options { abstraction: Some(Abstraction::None), ..Options::default() };
    assert_eq!(ask(text, "E<> P.b && y < 2000000000", &none).verdict, Verdict::NotSatisfied);
    let trace = ask(text, "E<> P.b && y <= 2000000000", &none).trace.unwrap();
    assert!(trace.is_replayed());
}

#[test]
fn bounds_of_clocks() {
    let text = "clock x, y; process P() { state a { x <= 1500000000 }, b { x < 1500000000 }, c; init a; \
                trans a -> b { guard x > 1000000000; assign x = 0; }, b -> c { guard x >= 500000001; }; } system P;";
    let queries = ["sup{P.b}: y", "inf{P.c}: y", "sup: P.a + 7", "sup: y"];
    let found = queries.map(|query| ask(text, query, &Options::default()).values.unwrap()[0]);
    assert_eq!(found[0].greatest, Some(Limit::Number { value: 3_000_000_000, strict: true }));
    assert_eq!(found[1].least, Some(Limit::Number { value: 1_500_000_001, strict: true }));
    assert_eq!(found[2].greatest, Some(Limit::Number { value: 8, strict: false }));
    assert_eq!(found[3].greatest, Some(Limit::Infinite));
    // Each round of the cycle takes long, so few rounds are explored.
    let text = "clock x, y; process P() { state a { x <= 1000000000 }, b { x <= 1000000001 }; init a; \
                trans a -> b { guard x >= 999999999; }, b -> a { guard x >= 1000000000; assign x = 0; }; } system P;";
    assert_eq!(ask(text, "sup: y", &Options::default()).values.unwrap()[0].greatest, Some(Limit::Infinite));
    let greatest = ask(text, "sup: x", &Options::default()).values.unwrap()[0].greatest;
    assert_eq!(greatest, Some(Limit::Number { value: 1_000_000_001, strict: false }));
}

#[test]
fn differences_of_clocks_and_variables() {
    let model = |range: &str| {
        format!(
            "clock x, y; int[{range}] v = 5; process P() {{ state a, b; init a; \
             trans a -> a {{ assign x = 0, v = 5; }}, a -> b {{ guard y - x <= v && y - x >= v; }}; }} system P;"
        )
    };
    assert_eq!(ask(&model("0,9"), "E<> P.b", &Options::default()).verdict, Verdict::Satisfied);
    let answer = ask(&model("0,2000000000"), "E<> P.b", &Options::default());
    assert_eq!(answer.verdict, Verdict::Unknown(Reason::Differences(2 << 27)));
}

/// The value of a stopped clock does not grow, so the time after an urgent moment can't be found by
/// a strict bound on the clock.
#[test]
fn stopped_clocks_and_urgent_moments() {
    let text = |stopped: &str, guard: &str| {
        format!(
            "urgent broadcast chan c; process P() {{ clock x, y, z; state a {{ {stopped} }}, b; init a;
               trans a -> b {{ guard {guard}; sync c!; }}; }} system P;"
        )
    };
    for stopped in ["z' == 0", "y' == 0 && z' == 0", "x' == 0 && y' == 0"] {
        for guard in ["x == 4", "x >= 4", "x > 4", "z == 0 && x == 4", "z >= 0"] {
            let loaded = oracle::load(&text(stopped, guard), &["E<> P.a", "E<> P.b", "E<> P.a && P.x > 5"]).unwrap();
            let never = stopped.contains('x') && guard.contains('4');
            for wide in [false, true] {
                let options = Options { wide, ..Options::default() };
                let ask = |i: usize| {
                    let (system, property) = (&loaded.system, &loaded.properties[i]);
                    verify::answer(system, property, &options, &Limits::default(), &mut ()).verdict
                };
                assert_eq!(ask(0), Verdict::Satisfied, "{stopped}, {guard}, wide: {wide}");
                // With `x > 4` there is no first moment at which the edge is enabled, so `P.b` is
                // not found.
                let reached = if never { Verdict::NotSatisfied } else { Verdict::Satisfied };
                assert_eq!(ask(1) == reached, never || guard != "x > 4", "{stopped}, {guard}, wide: {wide}");
                // Time stops when the channel is enabled, or the answer is unknown.
                assert!(ask(2) != Verdict::Satisfied, "{stopped}, {guard}, wide: {wide}");
            }
        }
    }
}
