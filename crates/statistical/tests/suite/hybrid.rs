//! Floating-point numbers, clocks with any rate, and differential equations, with known answers.

use std::f64::consts::{LN_2, PI};

use statistical::{Measured, RunFault, Settings};

use crate::common::{asked, share};

const NUMBERS: &str = "
    const double HALF = 0.5;
    double d = 2.5, all[3] = { 1.0, HALF, 3 };
    typedef struct { double a; int n; double b; } pair_t;
    pair_t pair = { 1.5, 2, -1.0 };
    int n = 7;
    bool ok = false;
    double square(double x) { return x * x; }
    double total(const double x[3]) { double sum; int i; for (i = 0; i < 3; i++) { sum = sum + x[i]; } return sum; }
    void add(double &x, int by) { x = x + by; }
    bool works() {
        double k = n / 2;           // a division of integers
        double e[2] = { n / 2.0, -k };
        pair_t copy = pair;
        if (k != 3) { return false; }
        if (e[0] != 3.5 || e[1] != -3) { return false; }
        add(d, 2);
        add(all[n - 6], n);
        copy.b = copy.a + copy.n;
        if (d != 4.5 || all[1] != 7.5 || copy.b != 3.5 || pair.b != -1) { return false; }
        if (square(d - 4) != 0.25 || total(all) != 11.5) { return false; }
        if (fint(2.9) != 2 || fint(-2.9) != -2 || abs(-3) != 3 || fabs(-0.5) != HALF) { return false; }
        if (pow(2, 10) != 1024 || sqrt(6.25) != 2.5 || log(100) != 2 || fmod(7.5, 2) != 1.5) { return false; }
        if ((n > 3 ? d : 0) != 4.5 || isnan(sqrt(-1)) == false || isinf(1 / 0.0) == false) { return false; }
        if ((sum (i : int[0,2]) all[i]) != 11.5 || (d > 4 && d < 5) == false) { return false; }
        return (d >? 3) == 4.5 && (d <? 3) == 3 && 2 ** 0.5 == sqrt(2);
    }
    process P(const double by) {
        double own = by * 2;
        state a{; 10}, b; init a;
        trans a -> b { guard own > 0.9 && own <= d; assign ok = works() && own == 1; };
    }
    Q = P(HALF);
    system Q;";

const DRAWN: &str = "
    double u, z, p;
    process P() {
        state a{; 10}, b; init a;
        trans a -> b { assign u = random(2.0), z = random_normal(1, 2), p = random_poisson(1.5); };
    }
    system P;";

/// Enabled from 2 on, and bounded by 4.
const SLOW: &str = "
    clock x;
    process P() { state a{x' == 0.5 && x <= 2}, b; init a; trans a -> b { guard x >= 1; }; }
    system P;";

/// Both moments are between two of the grid.
const MEETING: &str = "
    clock x;
    process P() { state a{x' == 0.3 && x <= 2.5}, b{x' == 0 && x <= 2.5}; init a; trans a -> b { guard x >= 2.5; }; }
    system P;";

const EQUAL: &str = "
    clock x;
    double level = 1.7;
    urgent broadcast chan now;
    process P() { state a{x' == level && x <= 9}, b; init a; trans a -> b { guard x == 4.2; sync now!; }; }
    system P;";

/// Enabled as soon as x has halved.
const DECAY: &str = "
    clock x = 1.0;
    urgent broadcast chan now;
    process P() { state a{x' == -x}, b; init a; trans a -> b { guard x <= 0.5; sync now!; }; }
    system P;";

const SWING: &str = "
    hybrid clock x = 1.0, v;
    urgent broadcast chan now;
    process P() { state a{x' == v && v' == -x}, b{x' == 0 && v' == 0}; init a; trans a -> b { guard x <= 0; sync now!; }; }
    system P;";

/// The invariant bounds the delay, which is uniform.
const FADING: &str = "
    clock x = 2.0;
    double rate() { return -x; }
    process P() { state a{x' == rate() && x >= 1}, b; init a; trans a -> b { }; }
    system P;";

/// The invariant never ends, so the delay is exponential.
const WARM: &str = "
    clock x = 1.0;
    process P() { state a{x' == -x && x >= 0; 2}, b; init a; trans a -> b { }; }
    system P;";

const BALL: &str = "
    hybrid clock h = 10.0, v;
    int bounces = 0;
    process Ball() {
        state fly{h' == v && v' == -9.81 && h >= 0}; init fly;
        trans fly -> fly { guard h <= 0 && v <= 0; assign v = -0.8 * v, bounces++; };
    }
    system Ball;";

/// Two exponential delays while the clock follows an equation: a race with a curve beside it.
const BESIDE: &str = "
    clock t;
    urgent broadcast chan hot;
    process Room() { state off{t' == 4 - t}, on; init off; trans off -> on { guard t >= 2; sync hot!; }; }
    process P() { state a{; 2}, b; init a; trans a -> b { }; }
    process Q() { state a{; 1}, b; init a; trans a -> b { }; }
    system Room, P, Q;";

const COST: &str = "
    clock cost;
    process P() { state a{cost' == 2.5; 1}, b{cost' == 0}; init a; trans a -> b { }; }
    system P;";

fn settings() -> Settings {
    Settings { alpha: 1e-6, seed: 11, ..Settings::default() }
}

#[test]
fn probabilities_are_within_their_intervals() {
    let e = |x: f64| x.exp();
    let first_bounce = (20.0_f64 / 9.81).sqrt();
    let second_bounce = first_bounce * 2.6;
    let cases: Vec<(&str, String, f64)> = vec![
        (NUMBERS, "Pr[<=100](<> ok)".to_owned(), 1.0),
        (DRAWN, "Pr[<=100](<> u > 1.4)".to_owned(), 0.3),
        (DRAWN, "Pr[<=100](<> P.b && z < 1)".to_owned(), 0.5),
        (DRAWN, "Pr[<=100](<> P.b && p < 0.5)".to_owned(), e(-1.5)),
        (SLOW, "Pr[<=2](<> P.b)".to_owned(), 0.0),
        (SLOW, "Pr[<=3](<> P.b)".to_owned(), 0.5),
        (SLOW, "Pr[<=4.001](<> P.b)".to_owned(), 1.0),
        (MEETING, "Pr[<=8.33333](<> P.b)".to_owned(), 0.0),
        (MEETING, "Pr[<=8.33334](<> P.b)".to_owned(), 1.0),
        (EQUAL, "Pr[<=3](<> P.b)".to_owned(), 1.0),
        (DECAY, format!("Pr[<={}](<> P.b)", LN_2 - 1e-5), 0.0),
        (DECAY, format!("Pr[<={}](<> P.b)", LN_2 + 1e-6), 1.0),
        (DECAY, "Pr[<=0.5](<> x <= 0.6066)".to_owned(), 1.0),
        (DECAY, "Pr[<=0.5](<> x <= 0.6065)".to_owned(), 0.0),
        (SWING, format!("Pr[<={}](<> P.b)", PI / 2.0 - 1e-5), 0.0),
        (SWING, format!("Pr[<={}](<> P.b)", PI / 2.0 + 1e-6), 1.0),
        (FADING, format!("Pr[<={}](<> P.b)", 0.25 * LN_2), 0.25),
        (WARM, "Pr[<=0.5](<> P.b)".to_owned(), 1.0 - e(-1.0)),
        (BALL, format!("Pr[<={}](<> bounces == 1)", first_bounce - 1e-5), 0.0),
        (BALL, format!("Pr[<={}](<> bounces == 1)", first_bounce + 1e-5), 1.0),
        (BALL, format!("Pr[<={}](<> bounces == 2)", second_bounce - 1e-4), 0.0),
        (BALL, format!("Pr[<={}](<> bounces == 2)", second_bounce + 1e-4), 1.0),
        (BESIDE, format!("Pr[<={}](<> Room.on)", LN_2 + 1e-6), 1.0),
        (BESIDE, "Pr[<=5](<> P.b && !Q.b)".to_owned(), 2.0 / 3.0),
        (BESIDE, "Pr[<=5](!P.b U Room.on)".to_owned(), 0.25),
        (COST, "Pr[cost<=4](<> P.b)".to_owned(), 1.0 - e(-1.6)),
        (COST, "Pr[<=3](<> cost > 5)".to_owned(), e(-2.0)),
    ];
    let outside: Vec<String> = cases
        .iter()
        .filter_map(|(text, query, truth)| {
            // An invariant that never ends is looked at for long.
            let runs = if *text == WARM { 40 } else { 400 };
            let share = share(text, query, &Settings { runs: Some(runs), ..settings() });
            let inside = (share.interval.low..=share.interval.high).contains(truth);
            let certain = *truth != 0.0 && *truth != 1.0 || share.successes == (*truth as u64) * share.runs;
            (!inside || !certain).then(|| format!("{query}: {truth} is not in {:?}\n{text}", share.interval))
        })
        .collect();
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}

#[test]
fn means_are_within_their_intervals() {
    for (text, query, truth, allowed) in [
        (DECAY, "E[<=2; 10](min: x)", 0.5, 1e-8),
        (SWING, "E[<=3; 10](min: v)", -1.0, 1e-6),
        (SWING, "E[<=1; 10](max: x * x + v * v)", 1.0, 1e-8),
        (MEETING, "E[<=20; 10](max: x)", 2.5, 1e-6),
        (BALL, "E[<=1.5; 10](min: v)", -(2.0 * 9.81 * 10.0_f64).sqrt(), 1e-5),
        (DRAWN, "E[<=100; 2000](max: u)", 1.0, 0.06),
        (COST, "E[<=1; 2000](max: cost)", 2.5 * (1.0 - (-1.0_f64).exp()), 0.1),
    ] {
        let report = asked(text, query, &Settings { alpha: 1e-6, ..Settings::default() }).unwrap();
        let Measured::Mean { mean, .. } = report.measured else { panic!("{query}") };
        assert!((mean.mean() - truth).abs() <= allowed, "{query}: {} instead of {truth}", mean.mean());
    }
}

#[test]
fn trajectories_follow_the_equations() {
    let report = asked(SWING, "simulate[<=1]{x, v}", &Settings::default()).unwrap();
    let Measured::Simulation { runs, .. } = report.measured else { panic!() };
    let samples = &runs[0].samples;
    assert!(samples.len() > 90);
    for (time, values) in samples.iter() {
        assert!((values[0] - time.cos()).abs() < 1e-8, "{values:?} at {time}");
        assert!((values[1] + time.sin()).abs() < 1e-8, "{values:?} at {time}");
    }
}

#[test]
fn what_can_not_go_on_has_a_reason() {
    let fault = |text: &str, query: &str| match asked(text, query, &Settings { runs: Some(1), ..Settings::default() }) {
        Err(problem) => problem.fault,
        Ok(found) => panic!("{query}: {found:?}\n{text}"),
    };
    let blows = "clock x = 1.0; process P() { state a{x' == x * x}; init a; } system P;";
    assert!(matches!(fault(blows, "Pr[<=3](<> x < 0)"), RunFault::ClockValue(..)));
    let rate = "clock x; double d; process P() { state a{x' == 1 / d}; init a; } system P;";
    assert!(matches!(fault(rate, "Pr[<=3](<> x < 0)"), RunFault::ClockRate(_, rate) if rate.is_infinite()));
    let no_integer =
        "double d; int n; process P() { state a; init a; trans a -> a { assign n = fint(1 / d); }; } system P;";
    assert!(matches!(fault(no_integer, "Pr[<=30](<> n == 1)"), RunFault::Model(_)));
    let drawn = "double d; process P() { state a; init a; trans a -> a { guard random(1.0) < 0.5; }; } system P;";
    assert!(matches!(fault(drawn, "Pr[<=30](<> d == 1)"), RunFault::Model(_)));
    let shape = "double d; process P() { state a; init a; trans a -> a { assign d = random_gamma(d, 1); }; } system P;";
    assert!(matches!(fault(shape, "Pr[<=30](<> d == 1)"), RunFault::Model(_)));
    let chatters = "clock x = 0.5; process P() { state a{x' == (x > 0 ? -1e6 : 1e6)}; init a; } system P;";
    assert!(matches!(fault(chatters, "Pr[<=3](<> x < -5)"), RunFault::TooFast));
}

/// An edge whose target allows nothing, in a location without an end.
#[test]
fn vain_attempts_end() {
    let vain = "clock x; process P() { state a, b{x <= -1.5}; init a; trans a -> b { }; } system P;";
    let settings = Settings { runs: Some(1), ..Settings::default() };
    let problem = asked(vain, "Pr[#<=3](<> x < 0)", &settings).unwrap_err();
    assert!(matches!(problem.fault, RunFault::Vain(_)));
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    for (text, query) in [(BESIDE, "Pr[<=2; 64](<> P.b && Room.on)"), (DRAWN, "E[<=3; 64](max: u + z)")] {
        let with = |threads| asked(text, query, &Settings { threads, ..Settings::default() }).unwrap();
        assert_eq!(with(1), with(3));
    }
}
