//! Runs that can't go on end with a reason.

use model::{
    Stop,
    system::{ClockId, LocationId},
};
use statistical::{Measured, RunFault, Settings};
use syntax::Alarm;

use crate::common::{asked, load};

fn fault(text: &str, query: &str) -> RunFault {
    match asked(text, query, &Settings::default()) {
        Err(problem) => problem.fault,
        Ok(report) => panic!("{query}: {report:?}\n{text}"),
    }
}

#[test]
fn runs_without_a_continuation_are_found() {
    let locked = "clock x; process P() { state a{x <= 3}, b; init a; trans a -> b { guard x >= 4; }; } system P;";
    assert_eq!(fault(locked, "Pr[<=10](<> P.b)"), RunFault::TimeLock);
    let waits = "chan c; process P() { state a, b; urgent a; init a; trans a -> b { sync c!; }; } system P;";
    assert_eq!(fault(waits, "Pr[<=10](<> P.b)"), RunFault::TimeLock);
    // At the bound of the run it does not matter.
    assert!(asked(locked, "Pr[<=3](<> P.b)", &Settings::default()).is_ok());

    let zeno = "process P() { state a; urgent a; init a; trans a -> a { }; } system P;";
    assert!(matches!(fault(zeno, "Pr[<=10](<> false)"), RunFault::Zeno(_)));
    let report = asked(zeno, "Pr[#<=10](<> false)", &Settings::default()).unwrap();
    assert!(matches!(report.measured, Measured::Probability(share) if share.successes == 0));

    let starts = "clock x; process P() { state a{x >= 1}; init a; } system P;";
    assert_eq!(fault(starts, "Pr[<=10](<> P.a)"), RunFault::Initial);
}

#[test]
fn errors_of_the_model_are_found() {
    let divides = "int n = 2; process P() { state a; init a; trans a -> a { assign n = 4 / (n - 1); }; } system P;";
    assert!(matches!(fault(divides, "Pr[<=10](<> n == 7)"), RunFault::Model(_)));
    let weights = "int n; process P() { state a; branchpoint m; init a;
                       trans a -> m { }, m -> a { probability n; }, m -> a { probability n; }; } system P;";
    assert!(matches!(fault(weights, "Pr[<=10](<> false)"), RunFault::NoBranch(_)));
    let negative = "int n = -1; process P() { state a; branchpoint m; init a;
                        trans a -> m { }, m -> a { probability n; }, m -> a { probability 2; }; } system P;";
    assert!(matches!(fault(negative, "Pr[<=10](<> false)"), RunFault::Weight(_, -1.0)));
    let rate = "int n; process P() { state a{; n}; init a; trans a -> a { }; } system P;";
    assert!(matches!(fault(rate, "Pr[<=10](<> false)"), RunFault::Rate(_, 0.0)));
}

#[test]
fn a_problem_has_the_end_of_its_run() {
    let text = "clock x; int n;
        process P() { state a{x <= 1}, b; init a;
            trans a -> a { guard n < 5 && x >= 1; assign n++, x = 0; }, a -> b { guard n > 9; }; }
        system P;";
    let (system, query) = load(text, "Pr[<=100](<> P.b)").unwrap();
    let problem = statistical::ask(&system, &query.measurement, &Settings::default()).unwrap_err();
    assert_eq!((problem.run, problem.time, problem.steps), (0, 6.0, 5));
    assert_eq!(problem.last.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [3.0, 4.0, 5.0]);
    let said = problem.describe(&system.system);
    assert!(said.starts_with("time-lock: ") && said.ends_with("then P.a -> a at 5"), "{said}");
}

#[test]
fn what_is_wrong_with_a_query_is_said() {
    let text = "clock x; int n; const double r = 0.5; double d;
        process P() { state a{; r}, b; init a; trans a -> b { }; } system P;";
    for (query, why) in [
        ("Pr[<=-1](<> P.a)", "the bound has to be at least 0, and is -1"),
        ("Pr[<=n](<> P.a)", "the bound has to be a constant"),
        ("Pr[n<=5](<> P.a)", "runs are bounded by time, a clock or `#`, not by an integer"),
        ("Pr[<=5; 0](<> P.a)", "the number of runs has to be at least 1, and is 0"),
        ("Pr[<=5](<> P.a) >= 1.5", "the probability has to be between 0 and 1, and is 1.5"),
        ("Pr[<=5; 10](<> P.a) >= 0.5", "a test decides itself how many runs it needs"),
        ("Pr[<=5](<> x)", "a clock is not a state formula"),
        ("Pr[<=5](<> deadlock)", "`deadlock` can't be asked here"),
        ("simulate[<=5]{P}", "a value along runs has to be a number, not a process"),
    ] {
        let found = load(text, query).map(|_| ());
        assert!(found.as_ref().is_err_and(|found| found.contains(why)), "{query}: {found:?}");
    }
    assert!(load(text, "Pr[<=5](<> P.b)").is_ok());
}

#[test]
fn wrong_rates_and_weights_are_errors_of_the_model() {
    let with = |rate: &str| format!("process P() {{ state a{{; {rate}}}, b; init a; trans a -> b {{ }}; }} system P;");
    let found = load(&with("-2"), "Pr[<=1](<> P.b)").map(|_| ());
    assert!(found.as_ref().is_err_and(|found| found.contains("the rate -2")), "{found:?}");
    // That matters only where the process could go on.
    for rate in ["1/10", "0"] {
        assert_eq!(fault(&with(rate), "Pr[<=1](<> P.b)"), RunFault::Rate(LocationId(0), 0.0));
        let stuck = with(rate).replace("a -> b { }", "a -> b { guard false; }");
        assert!(asked(&stuck, "Pr[<=1](<> P.b)", &Settings::default()).is_ok(), "{rate}");
    }
    let text = "double d; process P() { state a{; d}, b; init a; trans a -> b { }; } system P;";
    assert_eq!(fault(text, "Pr[<=1](<> P.b)"), RunFault::Rate(LocationId(0), 0.0));
}

/// A clock stands still if a process stops it. Otherwise its rates have to agree.
#[test]
fn processes_agree_on_the_rates_of_clocks() {
    let with = |clocks: &str, rates: [&str; 2]| {
        let process = |name: &str, rate: &str| format!("process {name}() {{ state a{{{rate}}}; init a; }}");
        format!("{clocks} {} {} system P, Q;", process("P", rates[0]), process("Q", rates[1]))
    };
    let whole = "clock x;";
    let real = "clock x; double d = 2.0;";
    for (clocks, rates, fault_expected) in [
        (whole, ["x' == 2", "x' == 3"], RunFault::TwoRates(ClockId(1), 2.0, 3.0)),
        (whole, ["x' == 1", "x' == 2"], RunFault::TwoRates(ClockId(1), 1.0, 2.0)),
        (real, ["x' == d", "x' == 2.5"], RunFault::TwoRates(ClockId(1), 2.0, 2.5)),
        (real, ["x' == d - x", "x' == 1.5"], RunFault::TwoEquations(ClockId(1))),
        (real, ["x' == 1.5", "x' == d - x"], RunFault::TwoEquations(ClockId(1))),
        (real, ["x' == x + 1", "x' == d - x"], RunFault::TwoEquations(ClockId(1))),
    ] {
        assert_eq!(fault(&with(clocks, rates), "Pr[<=1](<> x > 9)"), fault_expected, "{rates:?}");
    }
    let entered = "clock x; process P() { state a, b{x' == 2 && x' == 3}; init a; trans a -> b { }; } system P;";
    assert_eq!(fault(entered, "Pr[<=100](<> x > 999)"), RunFault::TwoRates(ClockId(1), 2.0, 3.0));
    for (clocks, rates, value) in [
        (whole, ["x' == 2", "x' == 2"], 6.0),
        (whole, ["x' == 0", "x' == 2"], 0.0),
        (whole, ["x' == 2", "x' == 0"], 0.0),
        (real, ["x' == d", "x' == 2.0"], 6.0),
        (real, ["x' == 0", "x' == d"], 0.0),
        (real, ["x' == d", "x' == 0"], 0.0),
        (real, ["x' == d - x", "x' == 0"], 0.0),
        (real, ["x' == 0", "x' == d - x"], 0.0),
    ] {
        let found = asked(&with(clocks, rates), "E[<=3; 5](max: x)", &Settings::default()).unwrap();
        let Measured::Mean { mean, .. } = found.measured else { panic!("{found:?}") };
        assert!((mean.mean() - value).abs() < 1e-9, "{rates:?}: {}", mean.mean());
    }
}

#[test]
fn limits_stop_a_run() {
    static ALARM: Alarm = Alarm::new();
    // One run that would take for ever.
    let text = "process P() { state a{; 1000}; init a; trans a -> a { }; } system P;";
    let (mut system, query) = load(text, "Pr[<=100000](<> false)").unwrap();
    system.system.code.signal = syntax::Signal::of(&ALARM);
    ALARM.raise(Stop::Time);
    let report = statistical::ask(&system, &query.measurement, &Settings::default()).unwrap();
    assert_eq!(report.stopped, Some(Stop::Time));
}
