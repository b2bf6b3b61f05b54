//! Large clock constants: a network in a smaller unit of time, in which all its constants are larger, has the same answers.
//!
//! `MERKHET_CASES=10000 cargo test --release -p merkhet-verify --test suite wide::` is a campaign.

use std::cell::Cell;

use explore::search::Limits;
use model::{Property, Ratio, System, replay};
use oracle::random::{self, Rng, View};
use verify::{Answer, Limit, Options, Reason, Verdict};

fn cases(few: u64) -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

/// Sets one clock that nothing looks at to a number of which nothing else is a multiple.
const ODD: &str = "clock odd = 1;\n";

/// The answers to the queries of a network, in a unit of time that is so much smaller. Traces are those of the network.
fn answers(net: &random::Net, scale: i32, before: &str) -> Vec<Verdict> {
    let view = View { scale, ..View::default() };
    let (text, queries) = (format!("{before}{}", net.view(&view)), net.queries_in(&view));
    let loaded = oracle::load(&text, &queries).unwrap_or_else(|why| panic!("{why}\n{text}"));
    // Formulas have no states to count.
    let asked = Cell::new(0);
    let expired = || asked.replace(asked.get() + 1) > 3_000;
    let limits = Limits { states: Some(5_000), expired: Some(&expired), ..Limits::default() };
    let system = &loaded.model.system;
    let ask = |property| {
        asked.set(0);
        let answer = verify::answer(system, property, &Options::default(), &limits, &mut ());
        follow(system, property, &answer).unwrap_or_else(|why| panic!("{why}\n{text}"));
        answer.verdict
    };
    loaded.properties.iter().map(ask).collect()
}

fn follow(system: &System, property: &Property, answer: &Answer) -> Result<(), String> {
    let (Property::Possibly(goal) | Property::Invariantly(goal)) = property else { return Ok(()) };
    let Some(trace) = answer.trace.as_ref().filter(|trace| trace.replayed) else { return Ok(()) };
    let number = |(n, d)| Ratio::new(n, d).unwrap();
    let steps = trace.steps.iter().map(|s| replay::Step { delay: number(s.delay), edges: s.edges.clone() }).collect();
    let run = replay::Trace { steps, last_delay: Some(number(trace.last_delay)) };
    let goal = (!matches!(answer.verdict, Verdict::Unknown(_))).then_some(goal);
    replay::replay(system, &run, goal).map(|_| ()).map_err(|why| format!("{property:?}: {why:?}"))
}

/// Compares the answers in several units. Returns how many are the same, and how many are unknown.
fn compare(seeds: u64, options: &random::Options, scales: &[i32], before: &str) -> [u64; 2] {
    let (mut counts, mut wrong) = ([0; 2], Vec::new());
    for seed in 0..seeds {
        let net = random::network(seed, &options.some(&mut Rng::new(seed)));
        let plain = answers(&net, 1, "");
        for &scale in scales {
            for ((expected, found), query) in plain.iter().zip(answers(&net, scale, before)).zip(net.queries()) {
                match found {
                    found if found == *expected => counts[0] += 1,
                    Verdict::Unknown(Reason::Imprecise(_) | Reason::RunTime(..)) => {
                        wrong.push(format!("seed {seed} scale {scale}: {query}: {expected:?}, not {found:?}"));
                    }
                    Verdict::Unknown(_) => counts[1] += 1,
                    _ => wrong.push(format!("seed {seed} scale {scale}: {query}: {expected:?}, not {found:?}")),
                }
            }
        }
    }
    println!("{counts:?} the same and unknown");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    counts
}

fn networks() -> random::Options {
    // What variables hold can't be divided.
    random::Options { liveness: true, variable_bounds: false, ..random::Options::all() }
}

#[test]
fn another_unit_of_time() {
    // Constants below and above those that zones have room for, up to the largest integers.
    let [same, unknown] = compare(cases(150), &networks(), &[1 << 24, 53_687_091, 429_496_729], "");
    assert!(same > 100 * unknown, "{same} {unknown}");
}

#[test]
fn constants_without_a_common_unit() {
    let options = random::Options { liveness: false, ..networks() };
    let [same, unknown] = compare(cases(60), &options, &[429_496_729], ODD);
    assert!(same > unknown, "{same} {unknown}");
}

#[test]
fn bounds_of_clocks() {
    let text = "clock x, y; process P() { state a { x <= 1500000000 }, b { x < 1500000000 }, c; init a; \
                trans a -> b { guard x > 1000000000; assign x = 0; }, b -> c { guard x >= 500000000; }; } system P;";
    let queries = ["sup{P.b}: y", "inf{P.c}: y", "sup: P.a + 7"];
    let loaded = oracle::load(text, &queries).unwrap();
    let found: Vec<_> = loaded
        .properties
        .iter()
        .map(|p| {
            let answer = verify::answer(&loaded.model.system, p, &Options::default(), &Limits::default(), &mut ());
            answer.values.unwrap()[0]
        })
        .collect();
    assert_eq!(found[0].greatest, Some(Limit::Number { value: 3_000_000_000, strict: true }));
    assert_eq!(found[1].least, Some(Limit::Number { value: 1_500_000_000, strict: true }));
    assert_eq!(found[2].greatest, Some(Limit::Number { value: 8, strict: false }));
}
