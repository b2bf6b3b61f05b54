//! Random runs by several processes. Whatever is asked, the answers are those of one thread, bit by
//! bit, and processes end that are stopped or lose another one. The processes are threads here, and
//! frames between them are delayed at random.
//!
//! `MERKHET_CASES=2000 cargo test --release -p merkhet-verify --test suite cluster_runs::` is a
//! campaign.

use std::sync::atomic::{AtomicU64, Ordering};

use explore::{
    cluster::Cluster,
    search::{Limits, Stop},
};
use model::stochastic::{Measurement, StatisticalQuery, StochasticSystem};
use oracle::random::{self, NetworkFeatures, Rng};
use statistical::{Findings, Importance, Measured, RowImportance, RunFault, RunProblem, Settings, ask, split};
use syntax::Format;

use crate::cluster::{Loss, together};

/// A walk of a number, and a clock that is reset now and then.
const WALK: &str = "
    clock x;
    int n = 0;
    process P() { state a{; 3}; init a; trans a -> a { assign n = (n + 1) % 7; }; }
    process Q() { state a{x <= 2}; init a; trans a -> a { assign x = 0; }; }
    system P, Q;";

/// One of every kind of query.
const QUERIES: [&str; 12] = [
    "Pr[<=5](<> n == 6)",
    "Pr[<=5; 777]([] n < 6)",
    "Pr[<=5; 3]([] n < 6)",
    "Pr[<=5](n < 3 U n == 6)",
    "Pr(<>[0,2] (n == 1 && <>[0,1] n == 2))",
    "Pr[<=5](<> n == 6) >= 0.4",
    "Pr[<=5](<> n == 6) >= Pr[<=4](<> n == 6)",
    "E[<=5; 500](max: n)",
    "E[x<=1; 100](min: x)",
    "simulate[<=5; 40]{n, x} : 3 : n == 6",
    "simulate[<=5; 200]{n, x}",
    "Pr[#<=9](<> n == 6)",
];

/// The numbers of workers of the processes.
const SHAPES: [&[usize]; 6] = [&[1, 1], &[1, 2], &[2, 1, 1], &[1, 3, 2], &[1, 1, 1, 1, 1], &[4, 1]];

fn load(text: &str, query: &str) -> Result<(StochasticSystem, StatisticalQuery), String> {
    let told = |found: Vec<syntax::Diagnostic>| found.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; ");
    let (mut sources, mut model) = oracle::read_model(text, Format::Xta).map_err(|(_, found)| told(found))?;
    let file = sources.add_file("query", query.to_owned());
    let query = syntax::read_query(&sources, file, &mut model.tree).swap_remove(0);
    let lowered = model.statistical_query(&query).map_err(told)?;
    let system = model.stochastic().ok_or("no system")?.with(&lowered);
    Ok((system, lowered))
}

type Answer = Result<Findings, RunProblem>;

/// How a process asks.
fn asked_by(cluster: &Cluster, settings: &Settings, ask: impl FnOnce(&Settings) -> Answer) -> Answer {
    let interrupt = (cluster.number() > 0).then(|| cluster.stops());
    let _ = cluster.begin(&Limits { interrupt, ..Limits::default() });
    let (threads, cluster_of) = (cluster.own_workers(), Some(cluster.clone()));
    let found = ask(&Settings { threads, cluster: cluster_of, ..settings.clone() });
    cluster.finish();
    found
}

#[test]
fn every_kind_of_query_has_the_bits_of_one_thread() {
    let loaded: Vec<_> = QUERIES.iter().map(|query| load(WALK, query).unwrap()).collect();
    for (number, shape) in SHAPES.iter().enumerate() {
        let settings = Settings { seed: number as u64, ..Settings::default() };
        // Several requests, one after the other: each leaves nothing behind.
        let several = together(shape, number as u64, None, |cluster| {
            let answer = |(system, query): &(StochasticSystem, StatisticalQuery)| {
                asked_by(cluster, &settings, |settings| ask(system, &query.measurement, settings))
            };
            loaded.iter().map(answer).collect::<Vec<_>>()
        });
        for (i, (system, query)) in loaded.iter().enumerate() {
            let one = ask(system, &query.measurement, &settings);
            assert_eq!(several[0][i], one, "{} {shape:?}", QUERIES[i]);
        }
    }
}

/// More than one frame takes.
#[test]
fn long_runs_travel_in_parts() {
    let (system, query) = load(WALK, "simulate[<=2500; 90]{n, x}").unwrap();
    let settings = Settings::default();
    let with = |settings: &Settings| ask(&system, &query.measurement, settings);
    let several = together(&[1, 1], 4, None, |cluster| asked_by(cluster, &settings, with)).swap_remove(0);
    let Ok(Findings { measured: Measured::Simulation { runs, .. }, .. }) = &several else { panic!("{several:?}") };
    let numbers: usize = runs[45..].iter().map(|run| run.samples.len() * 3).sum();
    assert!(numbers * size_of::<f64>() > 2 * explore::cluster::PART, "{numbers}");
    assert!(several == with(&settings));
}

#[test]
fn splitting_has_the_bits_of_one_thread() {
    let (system, query) = load(WALK, "Pr[<=2](<> n == 6)").unwrap();
    let Measurement::Probability(path) = &query.measurement else { panic!("{query:?}") };
    let counter = system.system.variables.iter().position(|variable| variable.name == "n").unwrap();
    let slot = system.system.variables[counter].first as usize;
    let make = || -> RowImportance<'_> { Box::new(move |row| i64::from(row[slot])) };
    let settings = Settings { runs: Some(2000), seed: 5, ..Settings::default() };
    let with = |settings: &Settings| split(&system, path, settings, Importance::Function(&make));
    let one = with(&settings);
    for shape in SHAPES {
        let several = together(shape, 3, None, |cluster| asked_by(cluster, &settings, with)).swap_remove(0);
        assert_eq!(several, one, "{shape:?}");
    }
}

/// Networks whose runs are Zeno, locked, or fail somewhere too.
fn some_query(seed: u64, rng: &mut Rng) -> Result<(StochasticSystem, StatisticalQuery), String> {
    let features = NetworkFeatures::all().some(rng);
    let text = random::network(seed, &features).text();
    let query =
        ["Pr[<=9](<> false)", "Pr[#<=30; 200](<> false)", "E[<=7; 90](max: 1)", "simulate[#<=20; 70]{1}"][rng.below(4)];
    load(&text, query).map_err(|why| format!("{why}\n{text}"))
}

#[test]
fn random_networks_have_the_bits_of_one_thread() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let (system, query) = some_query(seed, &mut rng)?;
        let settings = Settings { seed, ..Settings::default() };
        let shape = SHAPES[rng.below(SHAPES.len())];
        let with = |settings: &Settings| ask(&system, &query.measurement, settings);
        let one = with(&settings);
        let several = together(shape, seed, None, |cluster| asked_by(cluster, &settings, with)).swap_remove(0);
        if several != one {
            return Err(format!("{shape:?}: {several:?}, and alone {one:?}"));
        }
        Ok([1, u64::from(one.is_err())])
    };
    let add = |sum: &mut [u64; 2], own: [u64; 2]| *sum = [sum[0] + own[0], sum[1] + own[1]];
    let [answers, problems] = oracle::campaign(40, examine, add);
    println!("{answers} answers, {problems} of them about a run that can't go on");
    assert!(problems >= oracle::expected(10, 40), "{problems}");
}

#[test]
fn clusters_end_that_lose_a_process_or_are_stopped() {
    let examine = |seed: u64| {
        let mut rng = Rng::new(seed);
        let (system, query) = some_query(seed, &mut rng)?;
        let (settings, shape) = (Settings { seed, ..Settings::default() }, SHAPES[rng.below(SHAPES.len())]);
        let with = |settings: &Settings| ask(&system, &query.measurement, settings);
        let one = with(&settings);
        let loss = Loss::new(rng.below(shape.len()), 1 + rng.below(40));
        let found = together(shape, seed, Some(&loss), |cluster| {
            // Several times, since one request has few frames.
            let all = (0..4).map(|_| asked_by(cluster, &settings, with)).collect::<Vec<_>>();
            (all, cluster.loss().is_some())
        });
        let (answers, is_lost) = &found[0];
        let mut lost = 0;
        for answer in answers {
            let stop = answer.as_ref().ok().and_then(|found| found.stopped);
            match stop {
                Some(Stop::Lost(_)) if *is_lost => lost += 1,
                // A complete answer is the right one.
                None if *answer == one => {}
                _ => return Err(format!("{shape:?}: {answer:?}, and alone {one:?}")),
            }
        }
        Ok(lost)
    };
    let lost = oracle::campaign(30, examine, |sum: &mut u64, own| *sum += own);
    println!("{lost} answers of clusters that had lost a process");
    assert!(lost >= oracle::expected(30, 30), "{lost}");
}

/// Process 0 learns of another one only that a run can't go on, and makes it itself.
#[test]
fn a_run_that_can_not_go_on_is_described_as_by_one_process() {
    const FAILS: &str = "
        int n = 0;
        process P() {
            state a{; 1}, b; branchpoint m; init a;
            trans a -> m { }, m -> a { probability 2999; }, m -> b { probability 1; assign n = 1 / n; };
        }
        system P;";
    let (system, query) = load(FAILS, "Pr[<=1; 9999](<> n < 0)").unwrap();
    for (seed, shape) in SHAPES.iter().enumerate() {
        let settings = Settings { seed: seed as u64, ..Settings::default() };
        let with = |settings: &Settings| ask(&system, &query.measurement, settings);
        let one = with(&settings);
        assert!(matches!(&one, Err(RunProblem { run: 20.., fault: RunFault::Model(_), .. })), "{one:?}");
        assert_eq!(together(shape, 1, None, |cluster| asked_by(cluster, &settings, with))[0], one, "{shape:?}");
    }
}

#[test]
fn processes_share_the_work() {
    let (system, query) = load(WALK, "Pr[<=2](<> n == 6)").unwrap();
    let Measurement::Probability(path) = &query.measurement else { panic!("{query:?}") };
    let settings = Settings { runs: Some(4000), ..Settings::default() };
    // How often the importance of a state was asked for shows how much was done.
    let looked = |settings: &Settings| {
        let looks = AtomicU64::new(0);
        let make = || -> RowImportance<'_> {
            Box::new(|_| {
                looks.fetch_add(1, Ordering::Relaxed);
                0
            })
        };
        let answer = split(&system, path, settings, Importance::Function(&make));
        (answer, looks.into_inner())
    };
    let (one, all) = looked(&settings);
    let shares = together(&[1, 1, 1, 1], 1, None, |cluster| {
        let mut looks = 0;
        let answer = asked_by(cluster, &settings, |settings| {
            let (answer, own) = looked(settings);
            looks = own;
            answer
        });
        (answer, looks)
    });
    assert_eq!(shares[0].0, one);
    assert!(shares.iter().all(|(_, own)| *own > 0 && *own < all / 2), "{shares:?} of {all}");
}
