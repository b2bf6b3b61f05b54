//! Importance splitting: rare events with known probabilities, and levels that are of no use.

use model::stochastic::{Measurement, PathProperty};
use statistical::{Findings, Importance, Measured, RowImportance, Settings, Share, Splitting, split};

use crate::common::{cases, load, load_towards, share};

/// Every step succeeds with probability 1/10, and the first failure ends it.
const CHAIN: &str = "
    int[0,9] n = 0;
    process P() {
        state a{; 1}, dead; branchpoint m; init a;
        trans a -> m { guard n < 9; }, m -> a { probability 1; assign n++; }, m -> dead { probability 9; };
    }
    system P;";

/// Steps with rate 1 against steps with rate 9.
const PHASES: &str = "
    int[0,20] slow = 0, fast = 0;
    process S() { state a{; 1}; init a; trans a -> a { guard slow < 20; assign slow++; }; }
    process F() { state a{; 9}; init a; trans a -> a { guard fast < 20; assign fast++; }; }
    system S, F;";

/// A queue with rate 1 of arrivals and rate 5 of departures.
const QUEUE: &str = "
    int[0,12] n = 0;
    process Arrivals() { state a{; 1}; init a; trans a -> a { guard n < 12; assign n++; }; }
    process Server() { state a{; 5}; init a; trans a -> a { guard n > 0; assign n--; }; }
    system Arrivals, Server;";

/// The probability that the queue has had `full` customers before `time`, by uniformisation.
fn overflow(full: usize, time: f64) -> f64 {
    const RATE: f64 = 6.0;
    let mut at = vec![0.0; full + 1];
    at[0] = 1.0;
    let (mut weight, mut sum) = ((-RATE * time).exp(), 0.0);
    for jumps in 1..1000 {
        sum += weight * at[full];
        let mut next = vec![0.0; full + 1];
        for (n, share) in at.iter().enumerate() {
            if n == full {
                next[n] += share;
            } else {
                next[n + 1] += share / RATE;
                next[n.saturating_sub(1)] += share * 5.0 / RATE;
            }
        }
        at = next;
        weight *= RATE * time / f64::from(jumps);
    }
    sum
}

/// The chain, with steps that random numbers decide, and a clock that grows by itself.
const DRAWN: &str = "
    double r, sum;
    int[0,9] n = 0;
    clock x;
    process P() {
        state a{x' == 1 + x / 10; 1}, b, dead; urgent b; init a;
        trans a -> b { guard n < 9; assign r = random(10.0); },
              b -> a { guard r < 1; assign n++, sum = sum + 0.5; }, b -> dead { guard r >= 1; };
    }
    system P;";

fn path(measurement: &Measurement) -> &PathProperty {
    match measurement {
        Measurement::Probability(path) => path,
        other => panic!("{other:?}"),
    }
}

fn found(findings: Findings) -> Splitting {
    match findings.measured {
        Measured::Splitting(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Splits runs towards a greater value of an expression.
fn towards(text: &str, query: &str, expression: &str, settings: &Settings) -> Findings {
    let (system, query) = load_towards(text, query, Some(expression)).unwrap();
    let importance = Importance::Expression(query.importance.as_ref().unwrap());
    split(&system, path(&query.measurement), settings, importance).unwrap()
}

/// Rare events: a model, a query, an expression that grows towards the goal, and the probability.
fn rare() -> [(&'static str, &'static str, &'static str, f64); 4] {
    let pairs = |a: i32, b: i32| {
        // The slow side takes its last step after fewer than `b` steps of the other.
        let ways = |j: i32| (0..j).map(|i| f64::from(a + i) / f64::from(i + 1)).product::<f64>();
        (0..b).map(|j| ways(j) * 0.1_f64.powi(a) * 0.9_f64.powi(j)).sum::<f64>()
    };
    [
        (CHAIN, "Pr[<=1000](<> n == 6)", "n", 1e-6),
        (PHASES, "Pr[<=1000](fast < 2 U slow == 7)", "slow - fast", pairs(7, 2)),
        (QUEUE, "Pr[<=10](<> n == 10)", "n", overflow(10, 10.0)),
        (DRAWN, "Pr[<=50](<> sum > 2.9)", "n", 1e-6),
    ]
}

#[test]
fn one_in_a_million_is_found() {
    for (text, query, expression, truth) in rare() {
        assert!((1e-7..1e-5).contains(&truth), "{truth}");
        let settings = Settings { runs: Some(100_000), threads: 2, ..Settings::default() };
        let report = towards(text, query, expression, &settings);
        let Splitting { mean, interval, levels, runs } = found(report);
        let ratio = mean.mean() / truth;
        println!("{query}: {} for {truth} by {runs} runs, {} to {}", mean.mean(), interval.low, interval.high);
        assert!((1.0 / 1.5..1.5).contains(&ratio), "{query}: {} for {truth}, at {levels:?}", mean.mean());
        assert!((interval.low..=interval.high).contains(&truth), "{query}: {interval:?} for {truth}");
        assert!(runs <= 110_000 && levels.len() >= 3, "{query}: {runs} runs, {levels:?}");
    }
}

/// Many plain runs say the same. There are as many as `MERKHET_CASES` says, in all threads.
#[test]
fn plain_runs_agree() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for (text, query, _, truth) in &rare()[..3] {
        // 99.9 %, since there are several intervals.
        let settings = Settings { runs: Some(cases(20_000)), alpha: 0.001, threads, ..Settings::default() };
        let Share { successes, runs, interval } = share(text, query, &settings);
        println!("{query}: {successes} of {runs} runs, {} to {} for {truth}", interval.low, interval.high);
        assert!((interval.low..=interval.high).contains(truth), "{query}: {interval:?} for {truth}");
    }
}

#[test]
fn estimates_are_unbiased_whatever_the_levels_are() {
    // Levels that lead away, that lead nowhere, that depend on little, and that jump.
    let functions: [fn(&[i32]) -> i64; 4] = [
        |row| -row.iter().map(|n| i64::from(*n)).sum::<i64>(),
        |_| 7,
        |row| i64::from(row[row.len() - 1]) % 3,
        |row| row.iter().map(|n| i64::from(*n).wrapping_mul(0x9e37_79b9)).sum::<i64>() % 5,
    ];
    for (text, query, truth) in [
        (QUEUE, "Pr[<=10](<> n == 3)", overflow(3, 10.0)),
        (CHAIN, "Pr[<=1000](<> n == 1)", 0.1),
        (CHAIN, "Pr[<=1000]([] n < 1)", 0.9),
        (CHAIN, "Pr[#<=2](<> n == 2)", 0.01),
    ] {
        let (system, lowered) = load(text, query).unwrap();
        for function in functions {
            let make = || -> RowImportance<'_> { Box::new(function) };
            // 99.9 %, since there are many intervals.
            let settings = Settings { alpha: 0.001, runs: Some(6_000), ..Settings::default() };
            let report = split(&system, path(&lowered.measurement), &settings, Importance::Function(&make)).unwrap();
            let Splitting { interval, levels, .. } = found(report);
            assert!(
                (interval.low..=interval.high).contains(&truth),
                "{query}: {interval:?} at {levels:?}, not {truth}"
            );
        }
    }
}

#[test]
fn an_event_that_no_run_reaches_has_a_bound() {
    let settings = Settings { runs: Some(2000), ..Settings::default() };
    let never = found(towards(CHAIN, "Pr[#<=3](<> n == 4)", "n", &settings));
    assert_eq!((never.mean.mean(), never.interval.low), (0.0, 0.0));
    assert!(never.interval.high > 0.0 && never.interval.high < 0.2, "{never:?}");
    let always = found(towards(CHAIN, "Pr[#<=3]([] n < 4)", "n", &settings));
    assert_eq!((always.mean.mean(), always.interval.high), (1.0, 1.0));
}

/// However many levels there are, and however few runs.
#[test]
fn there_are_as_many_runs_as_were_asked_for() {
    for runs in [1, 40, 100, 200, 500, 1000, 10_000] {
        let settings = Settings { runs: Some(runs), ..Settings::default() };
        let found = found(towards(QUEUE, "Pr[<=10](<> n == 12)", "n", &settings));
        // Each of the estimates needs one.
        assert!(found.runs <= runs.max(50) && found.runs >= runs / 2, "{runs}: {found:?}");
        assert_eq!(found.levels.is_empty(), runs <= 200, "{runs}: {found:?}");
    }
}

#[test]
fn the_seed_alone_decides() {
    let with = |threads, seed| {
        let settings = Settings { threads, seed, runs: Some(3000), ..Settings::default() };
        towards(QUEUE, "Pr[<=5](<> n == 6)", "n", &settings)
    };
    let one = with(1, 0);
    assert_eq!(one, with(3, 0));
    assert_eq!(one, with(32, 0));
    assert_ne!(one, with(1, 1));
}

#[test]
fn levels_are_about_states() {
    let with = |expression| load_towards(QUEUE, "Pr[<=5](<> n == 6)", Some(expression)).map(|_| ());
    assert!(with("n").is_ok());
    let clocks = load_towards("clock x; process P() { state a; init a; } system P;", "Pr[<=5](<> P.a)", Some("x"));
    assert!(clocks.is_err_and(|why| why.contains("may not depend on clocks")));
    assert!(with("m").is_err_and(|why| why.contains("m")));
}

/// The estimates of many seeds have the right mean, and their intervals contain the truth about as
/// often as they promise, although there are few runs.
#[test]
fn intervals_cover_rare_events() {
    let truth = overflow(5, 10.0);
    let repetitions = cases(100);
    let (mut all, mut covered) = (Vec::new(), 0);
    for seed in 0..repetitions {
        let settings = Settings { runs: Some(2000), seed, ..Settings::default() };
        let Splitting { mean, interval, .. } = found(towards(QUEUE, "Pr[<=10](<> n == 5)", "n", &settings));
        all.push(mean.mean() / truth);
        covered += u64::from((interval.low..=interval.high).contains(&truth));
    }
    let count = repetitions as f64;
    let mean = all.iter().sum::<f64>() / count;
    let spread = (all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
    assert!((mean - 1.0).abs() < 4.0 * spread, "{mean} with a standard deviation of {spread}");
    // 94 % is what is to be expected of so few runs.
    let least = 0.94 * count - 4.0 * (0.06 * 0.94 * count).sqrt();
    assert!(covered as f64 >= least, "{covered} of {repetitions}");
}
