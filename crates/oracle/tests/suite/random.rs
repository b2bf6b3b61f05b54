//! Random networks: equivalent changes do not change answers.
//!
//! `MERKHET_NETS=100000 cargo test --release -p merkhet-oracle --test suite random::` is the number
//! of networks in each test.

use std::collections::BTreeMap;

use crate::common::load;
use model::system::{EdgeId, Sync};
use oracle::{
    explicit::{ExplicitOptions, OracleAnswer, Report, Time, UnknownReason, check_all, rows, ticks_are_exact},
    random::{self, RandomNetwork, Rng, View},
};

/// Larger networks are skipped; most are far smaller.
const STATES: usize = 3_000;

const REGIONS: ExplicitOptions = ExplicitOptions { time: Time::Regions, states: STATES, beside: false };

fn ticks(k: u32) -> ExplicitOptions {
    ExplicitOptions { time: Time::Ticks(k), states: STATES, beside: false }
}

/// Returns the seeds of the networks to check.
fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    oracle::seeds(0..std::env::var("MERKHET_NETS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual))
}

/// Generates a network with some features of `all`.
fn net(all: &random::NetworkFeatures, seed: u64) -> RandomNetwork {
    let mut rng = Rng::new(seed);
    let options = all.some(&mut rng);
    random::network(rng.bits(), &options)
}

fn answers(net: &RandomNetwork, view: &View, options: ExplicitOptions) -> Vec<Report> {
    let loaded = load(&net.view(view), &net.queries_in(view));
    check_all(&loaded.system, &loaded.properties, options)
}

/// Returns whether two answers agree, if both are known.
fn agree(a: &Report, b: &Report) -> bool {
    let unknown = |r: &Report| matches!(r.answer, OracleAnswer::Unknown(_));
    let lengths = a.length.is_none() || b.length.is_none() || a.length == b.length;
    unknown(a) || unknown(b) || a.answer == b.answer && lengths
}

#[test]
fn networks_are_accepted_and_answers_vary() {
    let everything =
        random::NetworkFeatures { stopwatches: true, faults: true, liveness: true, ..random::NetworkFeatures::all() };
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut features: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in seeds(1000) {
        let net = net(&everything, seed);
        let text = net.text();
        for word in [
            "urgent chan",
            "urgent broadcast",
            "broadcast",
            "commit",
            "urgent L",
            "select",
            "branchpoint B",
            "priority",
            " < P",
            "' ==",
            "imply",
            "meta",
            "_update",
            "[i]",
            " - ",
        ] {
            *features.entry(word).or_default() += usize::from(text.contains(word));
        }
        let loaded = load(&text, &net.queries());
        for options in [REGIONS, ticks(1)] {
            for report in check_all(&loaded.system, &loaded.properties, options) {
                let kind = match report.answer {
                    OracleAnswer::Unknown(UnknownReason::Fault(_)) => "fault".to_owned(),
                    other => format!("{other:?}"),
                };
                *found.entry(format!("{:?} {kind}", options.time)).or_default() += 1;
            }
        }
    }
    println!("{features:#?}");
    println!("{found:#?}");
    assert!(features.values().all(|n| *n >= 20), "{features:#?}");
    for (kind, least) in [("Satisfied", 300), ("NotSatisfied", 300), ("fault", 10), ("Unknown(Stopwatches)", 10)] {
        assert!(found.get(&format!("Regions {kind}")).is_some_and(|n| *n >= least), "{kind}: {found:#?}");
    }
    let cut = found.get("Regions Unknown(States)").copied().unwrap_or(0);
    assert!(cut < 200, "{found:#?}");
}

#[test]
fn the_same_seed_gives_the_same_network() {
    for seed in oracle::seeds(0..20) {
        let twice = [0, 1].map(|_| net(&random::NetworkFeatures::all(), seed));
        assert_eq!(twice[0].text(), twice[1].text());
        assert_eq!(twice[0].queries(), twice[1].queries());
    }
}

#[test]
fn ticks_agree_with_regions_on_closed_networks() {
    let mut compared = 0;
    for seed in seeds(150) {
        let net = net(&random::NetworkFeatures::closed(), seed);
        let (text, queries) = (net.text(), net.queries());
        let loaded = load(&text, &queries);
        let system = &loaded.system;
        assert!(ticks_are_exact(system, None), "{text}");
        let exact = rows(system, REGIONS);
        let by_regions = check_all(system, &loaded.properties, REGIONS);
        for k in [1, 2, 3] {
            let some = rows(system, ticks(k));
            if exact.missing.is_none() && some.missing.is_none() {
                assert_eq!(exact.rows, some.rows, "seed {seed}, {k} ticks\n{text}");
                compared += 1;
            }
            let by_ticks = check_all(system, &loaded.properties, ticks(k));
            for (i, property) in loaded.properties.iter().enumerate() {
                if ticks_are_exact(system, Some(property)) {
                    let (query, a, b) = (&queries[i], &by_regions[i], &by_ticks[i]);
                    assert!(agree(a, b), "seed {seed}, {k} ticks\n{text}\n{query}\n{a:#?}\n{b:#?}");
                }
            }
        }
    }
    println!("{compared} comparisons");
    assert!(compared > 300);
}

#[test]
fn ticks_are_an_underapproximation() {
    let mut equal = 0;
    let mut finer = 0;
    for seed in seeds(150) {
        let net = net(&random::NetworkFeatures::all(), seed);
        let (text, queries) = (net.text(), net.queries());
        let loaded = load(&text, &queries);
        let system = &loaded.system;
        let exact = rows(system, REGIONS);
        let by_regions = check_all(system, &loaded.properties, REGIONS);
        let fine = 2 * system.clocks.len() as u32;
        for k in [1, fine] {
            let some = rows(system, ticks(k));
            if exact.missing.is_none() && some.missing.is_none() {
                assert!(exact.rows.is_superset(&some.rows), "seed {seed}, {k} ticks\n{text}");
                if k == fine {
                    finer += 1;
                    equal += usize::from(exact.rows == some.rows);
                }
            }
            let by_ticks = check_all(system, &loaded.properties, ticks(k));
            for ((a, b), query) in by_regions.iter().zip(&by_ticks).zip(&queries) {
                if let (Some(exact), Some(some)) = (a.length, b.length) {
                    assert!(exact <= some, "seed {seed}, {k} ticks\n{text}\n{query}\n{a:#?}\n{b:#?}");
                }
                let known = b.length.is_some() && !matches!(a.answer, OracleAnswer::Unknown(_));
                assert!(!known || a.answer == b.answer, "seed {seed}, {k} ticks\n{text}\n{query}\n{b:#?}");
            }
        }
    }
    println!("{equal} of {finer} networks have the same rows with fine ticks");
    // Loops that need ever smaller fractions are rare in such networks.
    assert!(equal * 100 >= finer * 98, "{equal} of {finer}");
}

/// Compares all answers with those in another view of the same network.
fn compare(all: &random::NetworkFeatures, usual: u64, view: impl Fn(&RandomNetwork, &mut Rng) -> Option<View>) {
    let mut known = 0;
    for seed in seeds(usual) {
        let net = net(all, seed);
        let Some(view) = view(&net, &mut Rng::new(seed)) else { continue };
        let before = answers(&net, &View::default(), REGIONS);
        let after = answers(&net, &view, REGIONS);
        for (i, (a, b)) in before.iter().zip(&after).enumerate() {
            let query = &net.queries()[i];
            assert!(agree(a, b), "seed {seed}\n{}\n{query}\n{a:#?}\n{}\n{b:#?}", net.text(), net.view(&view));
            known += usize::from(
                !matches!(a.answer, OracleAnswer::Unknown(_)) && !matches!(b.answer, OracleAnswer::Unknown(_)),
            );
        }
    }
    println!("{known} comparisons");
    assert!(known as u64 > usual / 2);
}

fn with_liveness() -> random::NetworkFeatures {
    random::NetworkFeatures { liveness: true, ..random::NetworkFeatures::all() }
}

#[test]
fn an_unread_clock_changes_nothing() {
    compare(&with_liveness(), 120, |_, _| Some(View { idle_clock: true, ..View::default() }));
}

#[test]
fn the_unit_of_time_changes_nothing() {
    compare(&with_liveness(), 100, |_, rng| Some(View { scale: rng.between(2, 3), ..View::default() }));
}

#[test]
fn the_order_of_processes_changes_nothing_without_broadcasts() {
    let all = random::NetworkFeatures { broadcast: false, process_priorities: false, ..with_liveness() };
    compare(&all, 150, |net, rng| {
        let mut order: Vec<usize> = (0..net.processes()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        (!net.is_ordered() && net.processes() > 1).then(|| View { order, ..View::default() })
    });
}

/// Each of these implies `E<> p`, and is the negation of the other kind of its pair about `not p`.
const DUALS: [(&str, &str); 4] =
    [("A[] A<> ", "E<> E[] "), ("E<> E[] ", "A[] A<> "), ("E[] ", "A<> "), ("A<> ", "E[] ")];

#[test]
fn liveness_implies_reachability() {
    let mut known = 0;
    for seed in seeds(250) {
        let net =
            net(&random::NetworkFeatures { liveness: true, deadlocks: false, ..random::NetworkFeatures::all() }, seed);
        for query in net.queries() {
            let dual = DUALS.iter().find_map(|(kind, dual)| Some((query.strip_prefix(kind)?, dual)));
            let Some((p, dual)) = dual else { continue };
            let other = format!("{dual}not ({p})");
            let loaded = load(&net.text(), &[query.clone(), format!("E<> {p}"), other]);
            let reports = check_all(&loaded.system, &loaded.properties, REGIONS);
            let answers: Vec<OracleAnswer> = reports.iter().map(|r| r.answer).collect();
            if answers.iter().any(|a| matches!(a, OracleAnswer::Unknown(_))) {
                continue;
            }
            known += 1;
            let [this, possible, other] = [0, 1, 2].map(|i| answers[i] == OracleAnswer::Satisfied);
            assert!(!this || possible, "seed {seed}\n{}\n{query}", net.text());
            assert_ne!(this, other, "seed {seed}\n{}\n{query}", net.text());
        }
    }
    println!("{known} comparisons");
    assert!(known > 50);
}

/// Shrinking keeps a failure: here the failure is a goal that needs a broadcast.
#[test]
fn networks_shrink_while_they_still_fail() {
    let needs_broadcast = |net: &RandomNetwork| {
        let Ok(loaded) = oracle::load(&net.text(), &net.queries()) else { return false };
        let system = &loaded.system;
        let broadcasts = |e: &EdgeId| match system.edges[e.0 as usize].sync {
            Sync::Send(c) => system.channels[c.0 as usize].broadcast,
            _ => false,
        };
        let by_broadcast =
            |r: &Report| r.run.iter().filter(|s| s.edges.len() > 1 && broadcasts(&s.edges[0])).count() > 1;
        check_all(system, &loaded.properties, REGIONS).iter().any(by_broadcast)
    };
    let found = (0..500).map(|seed| net(&random::NetworkFeatures::all(), seed)).find(needs_broadcast).unwrap();
    let small = random::shrink(&found, needs_broadcast);
    println!("{}\n{:?}\n{}\n{:?}", found.text(), found.queries(), small.text(), small.queries());
    assert!(needs_broadcast(&small));
    assert_eq!(small.queries().len(), 1);
    assert!(small.text().len() < found.text().len() * 3 / 4);
}
