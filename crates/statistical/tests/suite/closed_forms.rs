//! Small models whose probabilities and means are known.

use statistical::{Measured, Settings, ask};

use crate::common::{asked, cases, load, share};

/// The number of runs for each model.
const RUNS: u64 = 4_000;

fn settings() -> Settings {
    // With a fixed seed the tests can't fail by chance; the level is that of intervals which rarely
    // would.
    Settings { runs: Some(RUNS), alpha: 0.001, seed: 11, ..Settings::default() }
}

/// A process that leaves `a` for `b` after an exponential delay.
const ONE: &str = "process P() { state a{; 1:2}, b; init a; trans a -> b { }; } system P;";

/// Two processes that race; the first to move sets `first`.
const RACE: &str = "
    int first = 0;
    process P(const int id, const int speed) {
        state a{; speed}, b; init a;
        trans a -> b { guard first == 0; assign first = id; };
    }
    A = P(1, 2); B = P(2, 3);
    system A, B;";

const UNIFORM: &str = "
    clock x;
    process P() { state a{x <= 10}, b; init a; trans a -> b { guard x >= 2; }; }
    system P;";

const GAP: &str = "
    clock x;
    process P() {
        state a{x <= 10}, b; init a;
        trans a -> b { guard x >= 2 && x <= 3; }, a -> b { guard x >= 5; };
    }
    system P;";

const SUM: &str = "
    clock x;
    process P() {
        state a{x <= 10}, b{x <= 10}, c; init a;
        trans a -> b { assign x = 0; }, b -> c { };
    }
    system P;";

const MIXED: &str = "
    clock x;
    bool moved = false;
    process U() { state a{x <= 10}, b; init a; trans a -> b { assign moved = true; }; }
    process E() { state a{; 1:5}, b; init a; trans a -> b { guard !moved; }; }
    system U, E;";

const SHIFTED: &str = "
    clock x;
    process P() { state a{; 1}, b; init a; trans a -> b { guard x >= 3; }; }
    system P;";

const BRANCHES: &str = "
    process P() {
        state a, b, c, d; branchpoint m; init a;
        trans a -> m { }, m -> b { probability 1; }, m -> c { probability 2; }, m -> d { probability 5; };
    }
    system P;";

const GEOMETRIC: &str = "
    process P() {
        state a{; 4}, b; branchpoint m; init a;
        trans a -> m { }, m -> a { probability 3; }, m -> b { probability 1; };
    }
    system P;";

const RUIN: &str = "
    int[0,5] n = 2;
    process Up() { state a{; 2}; init a; trans a -> a { guard n > 0 && n < 5; assign n++; }; }
    process Down() { state a{; 3}; init a; trans a -> a { guard n > 0 && n < 5; assign n--; }; }
    system Up, Down;";

const WALK: &str = "
    int[-2,3] n = 0;
    process P() {
        state a{; 1}; branchpoint m; init a;
        trans a -> m { guard n > -2 && n < 3; }, m -> a { assign n++; }, m -> a { assign n--; };
    }
    system P;";

const QUEUE: &str = "
    int[0,3] n = 0;
    process In() { state a{; 2}; init a; trans a -> a { guard n < 3; assign n++; }; }
    process Out() { state a{; 3}; init a; trans a -> a { guard n > 0; assign n--; }; }
    system In, Out;";

const THREE_UNIFORM: &str = "
    int n = 0;
    process P(const int[0,2] id) {
        clock x;
        state a{x <= 10}, b; init a;
        trans a -> b { assign n++; };
    }
    system P;";

const THREE_EXPONENTIAL: &str = "
    int n = 0;
    process P(const int[0,2] id) { state a{; 1}, b; init a; trans a -> b { assign n++; }; }
    system P;";

const ERLANG: &str = "
    int n = 0;
    process P() { state a{; 2}; init a; trans a -> a { guard n < 3; assign n++; }; }
    system P;";

const POISSON: &str = "
    int n = 0;
    process P() { state a{; 1}; init a; trans a -> a { assign n = n < 2 ? n + 1 : 2; }; }
    system P;";

const RECEIVERS: &str = "
    chan c;
    process S() { state a{; 1}, b; init a; trans a -> b { sync c!; }; }
    process R(const int[0,2] id) { state a, b; init a; trans a -> b { sync c?; }; }
    system S, R;";

const BROADCAST: &str = "
    broadcast chan c;
    int n = 0;
    process S() { state a{; 1}, b; init a; trans a -> b { sync c!; }; }
    process R(const int[0,1] id) {
        state a, b; branchpoint m; init a;
        trans a -> b { sync c?; }, a -> m { sync c?; }, m -> a { probability 1; },
              m -> b { probability 1; assign n++; };
    }
    system S, R;";

/// The synchronisations are those of the branches.
const SENDING_BRANCHES: &str = "
    broadcast chan c, d;
    process S() {
        state a{; 1}, b; branchpoint m; init a;
        trans a -> m { }, m -> b { sync c!; probability 1; }, m -> b { sync d!; probability 3; };
    }
    process R() { state a, b, e; init a; trans a -> b { sync c?; }, a -> e { sync d?; }; }
    system S, R;";

const COMMITTED: &str = "
    process P() {
        state a; commit a; state b, c; init a; trans a -> b { }, a -> c { select i : int[0,2]; };
    }
    process Q() { state a, b; init a; trans a -> b { }; }
    system Q, P;";

const COST: &str = "
    clock cost;
    process P() { state a{cost' == 2; 1}, b{cost' == 0}; init a; trans a -> b { }; }
    system P;";

const DEATHS: &str = "
    int[0,4] n = 4;
    process P() { state a{; n}; init a; trans a -> a { guard n > 1; assign n--; }, a -> a { guard n == 1; assign n = 0; }; }
    process Q() { state a; init a; }
    system P, Q;";

const STOPPED: &str = "
    clock y;
    process P() { state a{; 1}, b{y' == 0}; init a; trans a -> b { }; }
    system P;";

const STOPPED_UNIFORM: &str = "
    clock x, y;
    process P() { state a{x <= 10}, b{y' == 0}; init a; trans a -> b { }; }
    system P;";

const INVARIANT_OF_TARGET: &str = "
    clock x;
    int[0,3] v;
    process P() {
        state a{x <= 4}, b{v < 2}; init a;
        trans a -> b { guard x >= 4; select i : int[0,3]; assign v = i; };
    }
    system P;";

const URGENT: &str = "
    clock x;
    urgent broadcast chan now;
    process P() { state a{; 1}, b, c; init a; trans a -> b { guard x >= 2; sync now!; }, a -> c { }; }
    system P;";

/// Models and queries with probabilities that are known.
fn probabilities() -> Vec<(&'static str, &'static str, f64)> {
    let e = |x: f64| x.exp();
    let stationary = |k: i32| (2.0_f64 / 3.0).powi(k) * (1.0 / 3.0) / (1.0 - (2.0_f64 / 3.0).powi(4));
    let ratio = 3.0_f64 / 2.0;
    vec![
        (ONE, "Pr[<=3](<> P.b)", 1.0 - e(-1.5)),
        (ONE, "Pr[<=2]([] P.a)", e(-1.0)),
        (ONE, "Pr(<>[2,3] P.b)", 1.0 - e(-1.5)),
        (ONE, "Pr([][1,3] P.b)", 1.0 - e(-0.5)),
        (RACE, "Pr[<=100](<> first == 1)", 0.4),
        (RACE, "Pr[<=0.25](<> first == 2)", 0.6 * (1.0 - e(-1.25))),
        (RACE, "Pr[#<=1](first == 0 U first == 2)", 0.6),
        (UNIFORM, "Pr[<=4](<> P.b)", 0.25),
        (GAP, "Pr[<=6](<> P.b)", 0.125 + 0.25 / 5.0 + 0.125),
        (SUM, "Pr[<=7](<> P.c)", 0.245),
        (SUM, "Pr[<=15](<> P.c)", 0.875),
        (MIXED, "Pr[<=1000](<> U.b && !E.b)", 0.5 * (1.0 - e(-2.0))),
        (SHIFTED, "Pr[<=5](<> P.b)", 1.0 - e(-2.0)),
        (BRANCHES, "Pr[<=1000](<> P.d)", 0.625),
        (GEOMETRIC, "Pr[#<=5](<> P.b)", 1.0 - 0.75_f64.powi(5)),
        (GEOMETRIC, "Pr[<=1](<> P.b)", 1.0 - e(-1.0)),
        (RUIN, "Pr[<=1000](<> n == 5)", (1.0 - ratio.powi(2)) / (1.0 - ratio.powi(5))),
        (WALK, "Pr[#<=10000](<> n == 3)", 0.4),
        (QUEUE, "Pr(<>[12,12] n == 3)", stationary(3)),
        (QUEUE, "Pr(<>[12,12] n == 0)", stationary(0)),
        (THREE_UNIFORM, "Pr[<=7](<> n == 3)", 0.343),
        (THREE_EXPONENTIAL, "Pr[<=0.5](<> n > 0)", 1.0 - e(-1.5)),
        (THREE_EXPONENTIAL, "Pr[<=1](<> n == 3)", (1.0 - e(-1.0)).powi(3)),
        (ERLANG, "Pr[<=1](<> n == 3)", 1.0 - 5.0 * e(-2.0)),
        (POISSON, "Pr[<=3](<> n == 2)", 1.0 - 4.0 * e(-3.0)),
        (RECEIVERS, "Pr[<=1000](<> R(1).b)", 1.0 / 3.0),
        (BROADCAST, "Pr[<=1000](<> R(0).b)", 0.75),
        (BROADCAST, "Pr[<=1000](<> n == 2)", 1.0 / 16.0),
        (SENDING_BRANCHES, "Pr[<=1000](<> R.b)", 0.25),
        (COMMITTED, "Pr[<=1](<> P.c)", 0.75),
        (COMMITTED, "Pr[#<=1](<> Q.b)", 0.0),
        (COST, "Pr[cost<=4](<> P.b)", 1.0 - e(-2.0)),
        (COST, "Pr[<=3](<> cost >= 4)", e(-2.0)),
        (DEATHS, "Pr[<=1](<> n == 0)", (1.0 - e(-1.0)).powi(4)),
        (STOPPED, "Pr[<=10](<> y >= 3)", e(-3.0)),
        (STOPPED, "Pr[<=10](y < 2 U P.b)", 1.0 - e(-2.0)),
        (INVARIANT_OF_TARGET, "Pr[<=10](<> v == 1)", 0.5),
        // Both edges are possible at 2, and equally likely.
        (URGENT, "Pr[<=10](<> P.b)", 0.5 * e(-2.0)),
        (UNIFORM, "Pr[<=1](<> P.b)", 0.0),
        (UNIFORM, "Pr[<=10](<> P.b)", 1.0),
    ]
}

#[test]
fn probabilities_are_within_their_intervals() {
    let outside: Vec<String> = probabilities()
        .iter()
        .filter_map(|(text, query, truth)| {
            let share = share(text, query, &settings());
            let found = share.interval;
            let inside = (found.low..=found.high).contains(truth);
            // What is certain happens in every run.
            let certain = *truth != 0.0 && *truth != 1.0 || share.successes == (*truth as u64) * share.runs;
            (!inside || !certain).then(|| format!("{query}: {truth} is not in {found:?}\n{text}"))
        })
        .collect();
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}

#[test]
fn means_are_within_their_intervals() {
    for (text, query, truth) in [
        (STOPPED_UNIFORM, "E[<=20](max: y)", 5.0),
        (STOPPED_UNIFORM, "E[<=20](min: y)", 0.0),
        (STOPPED, "E[<=2](max: y)", 1.0 - (-2.0_f64).exp()),
        (STOPPED, "E[<=2](max: 2 * y - 1)", 2.0 * (1.0 - (-2.0_f64).exp()) - 1.0),
        (COST, "E[<=1](max: cost)", 2.0 * (1.0 - (-1.0_f64).exp())),
        (THREE_EXPONENTIAL, "E[<=1](max: n)", 3.0 * (1.0 - (-1.0_f64).exp())),
        (RACE, "E[<=100](max: first * 10)", 16.0),
    ] {
        let report = asked(text, query, &settings()).unwrap();
        let Measured::Mean { mean, deviation: Some(deviation) } = report.measured else { panic!("{query}") };
        assert!((mean.mean() - truth).abs() <= deviation + 1e-12, "{query}: {} ± {deviation}", mean.mean());
    }
}

#[test]
fn tests_decide() {
    for (text, query, holds) in [
        (RACE, "Pr[<=100](<> first == 1) >= 0.3", true),
        (RACE, "Pr[<=100](<> first == 1) >= 0.5", false),
        (RACE, "Pr[<=100](<> first == 1) <= 0.5", true),
        (RACE, "Pr[<=100](<> first == 1) <= 0.3", false),
        (UNIFORM, "Pr[<=10](<> P.b) >= 1", true),
        (UNIFORM, "Pr[<=10](<> P.b) >= 0", true),
        (UNIFORM, "Pr[<=1](<> P.b) <= 0", true),
        (UNIFORM, "Pr[<=1](<> P.b) <= 1", true),
        (RACE, "Pr[<=100](<> first == 2) >= Pr[<=100](<> first == 1)", true),
        (RACE, "Pr[<=100](<> first == 2) <= Pr[<=100](<> first == 1)", false),
    ] {
        let found = match asked(text, query, &Settings { seed: 5, ..Settings::default() }).unwrap().measured {
            Measured::Test { holds, .. } | Measured::Comparison { holds, .. } => holds,
            other => panic!("{query}: {other:?}"),
        };
        assert_eq!(found, Some(holds), "{query}");
    }
}

/// With many runs, hardly any of the intervals of 99.9 % misses the truth.
#[test]
fn many_runs_come_near_to_the_truth() {
    let all = probabilities();
    assert!(all.len() >= 40);
    let runs = cases(2000);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings { alpha: 0.001, runs: Some(runs), seed: 11, threads, ..Settings::default() };
    let missed = all.iter().filter(|(text, query, truth)| {
        let interval = share(text, query, &settings).interval;
        !(interval.low..=interval.high).contains(truth)
    });
    let missed: Vec<&str> = missed.map(|(_, query, _)| *query).collect();
    println!("{} models, {runs} runs each: {} intervals miss the truth", all.len(), missed.len());
    assert!(missed.len() <= 1, "{runs} runs: {missed:?}");
}

/// Intervals contain the truth about as often as they promise: those of a number of runs that was
/// given at least so often, and those of UPPAAL's rule, which stops when they are narrow, hardly
/// less often.
#[test]
fn intervals_cover_the_truth() {
    let repetitions = cases(100);
    let mut low = Vec::new();
    for percent in [1, 10, 50] {
        let text = format!(
            "process P() {{
                 state a, b; branchpoint m; init a;
                 trans a -> m {{ }}, m -> b {{ probability {percent}; }}, m -> a {{ probability {}; }};
             }} system P;",
            100 - percent
        );
        let truth = f64::from(percent) / 100.0;
        for runs in [None, Some(300)] {
            let (system, query) = load(&text, "Pr[#<=1](<> P.b)").unwrap();
            let covered = (0..repetitions).filter(|seed| {
                let settings = Settings { seed: *seed, runs, ..Settings::default() };
                match ask(&system, &query.measurement, &settings).unwrap().measured {
                    Measured::Probability(share) => (share.interval.low..=share.interval.high).contains(&truth),
                    other => panic!("{other:?}"),
                }
            });
            let (covered, count) = (covered.count() as f64, repetitions as f64);
            // Of 10,000 repetitions, 94.5 % have to contain it; of fewer, what that allows for.
            let least = (0.95 - 0.005 * (10_000.0 / count).sqrt().max(1.0)) * count;
            let rule = runs.map_or("UPPAAL's rule".to_owned(), |runs| format!("{runs} runs"));
            println!("{percent} %, {rule}: {covered} of {repetitions} intervals contain the truth");
            if covered < least {
                low.push(format!("{percent} %, {rule}: {covered} of {repetitions}"));
            }
        }
    }
    assert!(low.is_empty(), "{low:?}");
}

/// A lamp that goes on and off, one time unit each, after a uniform delay of up to two.
const LAMP: &str = "
    clock x;
    int n = 0;
    process P() {
        state wait{x <= 2}, on{x <= 1}, off{x <= 1}; init wait;
        trans wait -> on { assign x = 0, n++; },
              on -> off { guard x >= 1; assign x = 0; }, off -> on { guard x >= 1; assign x = 0, n++; };
    }
    system P;";

/// Formulas of MITL: the lamp goes on at a moment t, uniform in [0,2], and is on in [t,t+1],
/// [t+2,t+3] and so on.
#[test]
fn formulas_with_intervals_have_their_probabilities() {
    for (query, truth) in [
        ("Pr(<>[0,1] (P.on && <>[0,1] P.off))", 0.5),
        ("Pr(<>[0,2] [][0,0.99] P.on)", 1.0),
        // At its last moment the lamp is also off already.
        ("Pr(<>[0,2] [][0,1] P.on)", 0.0),
        ("Pr(<>[0,2] [][0,1.5] P.on)", 0.0),
        ("Pr([][0,4] (P.wait || <>[0,1] P.on))", 1.0),
        ("Pr([][0,4] (P.wait || <>[0,0.9] P.on))", 0.0),
        ("Pr(P.wait U[0,1] P.on)", 0.5),
        ("Pr(P.wait U[1,2] P.on)", 0.5),
        ("Pr((P.wait || P.on) U[2.5,9] P.off)", 0.25),
        ("Pr(P.on R[0,1] P.wait)", 0.5),
        ("Pr((<>[0,0.5] P.on) && <>[3,3] P.on)", 0.25),
        ("Pr((<>[0,0.5] P.on) || [][0,1.5] P.wait)", 0.5),
        ("Pr(<>[0,2] (n == 1 && x <= 0 && <>[2,2] n == 2))", 1.0),
    ] {
        let share = share(LAMP, query, &settings());
        let found = share.interval;
        assert!((found.low..=found.high).contains(&truth), "{query}: {truth} is not in {found:?}");
        assert!(truth > 0.0 && truth < 1.0 || share.successes == truth as u64 * share.runs, "{query}: {share:?}");
    }
}
