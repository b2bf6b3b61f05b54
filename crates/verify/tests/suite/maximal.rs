//! Maximal runs and extreme values in models with known answers, and the errors that the replayer
//! reports for wrong runs.

use std::cell::Cell;

use explore::{
    graph::Abstraction,
    search::{Counts, Limits, Stop},
    tally::Phase,
};
use model::{
    Formula, Property,
    replay::{Claim, Refusal, replay_maximal},
};
use verify::{Answer, Ending, Limit, Options, Range, Reason, Request, Verdict};

fn answers(text: &str, queries: &[&str]) -> Vec<(Answer, Property, model::System)> {
    let loaded = oracle::load(text, queries).unwrap();
    let system = loaded.system;
    let ask = |p: &Property| verify::answer(&system, p, &Options::default(), &Limits::default(), &mut ());
    loaded.properties.iter().map(|p| (ask(p), p.clone(), system.clone())).collect()
}

#[track_caller]
fn expect(text: &str, expected: &[(&str, bool)]) {
    let queries: Vec<&str> = expected.iter().map(|e| e.0).collect();
    for ((answer, ..), (query, truth)) in answers(text, &queries).into_iter().zip(expected) {
        let wanted = if *truth { Verdict::Satisfied } else { Verdict::NotSatisfied };
        assert_eq!(answer.verdict, wanted, "{query}");
        let shows = query.starts_with('E') == *truth;
        assert_eq!(answer.trace.map(|t| t.is_replayed()), shows.then_some(true), "{query}");
    }
}

/// The values that one query finds, as text.
#[track_caller]
fn values(text: &str, query: &str) -> Vec<String> {
    let (answer, ..) = answers(text, &[query]).remove(0);
    assert_eq!(answer.verdict, Verdict::Satisfied, "{query}");
    let limit = |limit: Option<Limit>| match limit {
        None => String::new(),
        Some(Limit::Infinite) => "inf".to_owned(),
        Some(Limit::Number { value, strict }) => format!("{}{value}", if strict { "~" } else { "" }),
    };
    let show = |r: &Range| format!("{}..{}", limit(r.least), limit(r.greatest));
    answer.values.unwrap().iter().map(show).collect()
}

#[test]
fn a_cycle_of_shrinking_zones_ends() {
    // Each round takes one unit of time and y is never reset, so the run stops after six rounds.
    // The zones of later rounds are nevertheless included in those of earlier rounds.
    let model = |guard: &str| {
        format!(
            "clock x, y; process P() {{ state a {{ x <= 1 }}; init a;
               trans a -> a {{ guard x == 1 && {guard}; assign x = 0; }}; }} system P;"
        )
    };
    expect(&model("y <= 5"), &[("E[] y <= 6", true), ("E[] y < 6", false), ("A<> y >= 6", true), ("A<> y > 6", false)]);
    expect(&model("true"), &[("E[] x <= 1", true), ("A<> y > 100", true), ("E[] y <= 9", false)]);
    // A Zeno run, with ever shorter delays.
    expect(
        "clock x, y; process P() { state a { y < 1 }; init a; trans a -> a { guard x > 0; assign x = 0; }; } system P;",
        &[("E[] y < 1", true), ("A<> x > 0", true)],
    );
}

#[test]
fn formulas_hold_throughout_delays() {
    let text = "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 3; assign x = 0; }; } \
                system P;";
    expect(
        text,
        &[
            ("A<> x == 2", true),
            ("A<> x > 2 && x < 3", true),
            ("E[] x <= 2 || x > 2", true),
            ("E[] x < 2 || x > 2", false),
            ("E[] P.a imply x <= 3", true),
            ("P.a && x == 4 --> P.b && x == 0", true),
            ("P.a && x > 1 && x < 2 --> x == 7", true),
            ("P.b --> P.a", false),
        ],
    );
}

#[test]
fn nested_paths() {
    // The run never returns to b. It alternates between c and d, and time passes in both.
    let text = "clock x; process P() { state b, c { x <= 2 }, d { x <= 2 }; init b;
                  trans b -> c { assign x = 0; }, c -> d { guard x == 2; assign x = 0; },
                    d -> c { guard x == 2; assign x = 0; }; } system P;";
    expect(
        text,
        &[
            ("A[] A<> P.c or P.b", true),
            ("A[] A<> P.c", false),
            ("A[] A<> x == 2", false),
            ("A[] A<> P.b or x == 2", true),
            ("E<> E[] P.b", true),
            ("E<> E[] not P.b", true),
            ("E<> E[] P.c", false),
            ("E<> E[] P.c or P.d and x <= 1", false),
        ],
    );
}

#[test]
fn endings_of_runs() {
    let text = "urgent chan c; clock x; process P() { state a { x <= 2 }, b, d; init a;
                  trans a -> b { guard x >= 1 && x < 2; }, b -> d { guard x == 1; sync c!; }; }
                process Q() { state a; init a; trans a -> a { sync c?; }; } system P, Q;";
    let found = answers(text, &["E[] P.a", "E[] not P.d", "E[] x < 2"]);
    let endings: Vec<_> =
        found.iter().map(|(answer, ..)| answer.trace.as_ref().map(|t| (t.ending, t.is_replayed()))).collect();
    assert_eq!(endings[0], Some((Some(Ending::Stops), true)));
    assert!(endings[1].is_some_and(|(_, replayed)| replayed));
    assert_eq!(endings[2], None);
}

#[test]
fn cycles_are_distinguished_from_their_prefix() {
    let text = "clock x, y; int[0,4] n; process P() { state a { x <= 1 }, b { x <= 3 }; init a;
                  trans a -> a { guard x == 1 && n < 2; assign x = 0, n++; }, a -> b { guard n == 2; assign y = 0; },
                    b -> b { guard x > 2; assign x = 0; }; } system P;";
    let (answer, property, system) = answers(text, &["E[] n < 3"]).remove(0);
    let trace = answer.trace.unwrap();
    let Some(Ending::Cycle(start)) = trace.ending else { panic!("{trace:?}") };
    assert!(trace.is_replayed() && start >= 3 && start < trace.steps.len(), "{trace:?}");

    // The replayer refuses wrong claims.
    let Property::Run { after: None, always, exists: true } = &property else { panic!() };
    let run = trace.run().unwrap();
    let claim = |always, ending| Claim { always, after: None, ending };
    assert!(replay_maximal(&system, &run, &claim(always, Ending::Cycle(start))).is_ok());
    let not_closed = replay_maximal(&system, &run, &claim(always, Ending::Cycle(0)));
    assert_eq!(not_closed, Err(Refusal::Ending("the cycle does not come back")));
    let never_holds = replay_maximal(&system, &run, &claim(&Formula::False, Ending::Cycle(start)));
    assert_eq!(never_holds, Err(Refusal::Always(0)));
    let waits = replay_maximal(&system, &run, &claim(always, Ending::Waits));
    assert_eq!(waits, Err(Refusal::Ending("time can't diverge")));
    let stops = replay_maximal(&system, &run, &claim(always, Ending::Stops));
    assert_eq!(stops, Err(Refusal::Ending("a transition is possible")));
    // The formula must hold only after a moment that never comes.
    let never = Claim { always, after: Some(&Formula::False), ending: Ending::Cycle(start) };
    assert_eq!(replay_maximal(&system, &run, &never), Err(Refusal::Always(run.steps.len())));
}

#[test]
fn a_deadlock_of_an_abstracted_zone_is_not_one_of_the_model() {
    // In b the clock is at most 1. It is compared with 3 from above only, so an abstraction with
    // lower and upper bounds adds all greater values, and those above 3 are deadlocks.
    let text = "clock x, y; process P() { state a { x <= 1 }, b, c { x <= 3 }; commit b; init a;
                  trans a -> b { }, b -> c { guard x <= 3; }; } system P;";
    let expected = [
        ("A<> P.c", true),
        ("A<> P.c && y < 9", true),
        ("E[] not P.c", false),
        ("P.a --> P.c", true),
        ("P.b && x <= 1 --> P.c", true),
    ];
    expect(text, &expected);
    for (query, _) in expected {
        let (answer, property, system) = answers(text, &[query]).remove(0);
        assert_eq!((answer.decided, answer.plan.abstraction), (Phase::Retry, Abstraction::Am), "{query}");
        let (asked, options) = ([&property], Options::default());
        let request = Request { proves: true, ..Request::new(&system, &asked, &options) };
        let answer = request.answers(&Limits::default(), &mut ()).remove(0);
        assert_eq!(answer.plan.abstraction, Abstraction::ExtraM, "{query}");
        assert!(matches!(answer.proof, Some(Ok(_))), "{query}: {:?}", answer.proof);
    }
    // A deadlock of the model is found at once.
    expect(&text.replace("x <= 1 }", "x <= 5 }"), &[("A<> P.c", false), ("P.a --> P.c", false)]);
    let (answer, ..) = answers(&text.replace("x <= 1 }", "x <= 5 }"), &["A<> P.c"]).remove(0);
    assert_eq!((answer.decided, answer.plan.abstraction), (Phase::Search, Abstraction::ExtraLuPlus));
}

#[test]
fn a_stopped_search_reports_what_it_has_explored() {
    let process = |name: &str| {
        format!(
            "process {name}() {{ clock x; int[0,9] n; state a {{ x <= 9 }}; init a;
               trans a -> a {{ guard x >= 5; assign x = 0, n = (n + 1) % 10; }}; }}"
        )
    };
    let text = format!("{} {} {} system P, Q, R;", process("P"), process("Q"), process("R"));
    // The clock is in no state above 9, so no run is one of these.
    let queries = ["E<> P.x > 9", "A[] P.x <= 9", "E[] P.n < 9", "A<> P.n == 9", "P.n == 1 --> P.n == 8", "sup: P.n"];
    let loaded = oracle::load(&text, &queries).unwrap();
    for (query, property) in queries.iter().zip(&loaded.properties) {
        for proves in [false, true] {
            let options = Options::default();
            let asked = [property];
            let request = Request { proves, ..Request::new(&loaded.system, &asked, &options) };
            let few = Limits { states: Some(5), ..Limits::default() };
            let polls = Cell::new(0);
            let is_late = || polls.replace(polls.get() + 1) > 0;
            let late = Limits { expired: Some(&is_late), ..Limits::default() };
            for (limits, stop) in [(few, Stop::States), (late, Stop::Time)] {
                let answer = request.answers(&limits, &mut ()).remove(0);
                assert_eq!(answer.verdict, Verdict::Unknown(Reason::Limit(stop)), "{query}");
                let Counts { explored, generated, stored, .. } = answer.counts;
                assert!(explored > 0 && generated > 0 && stored > 0, "{query}: {:?}", answer.counts);
            }
        }
    }
}

#[test]
fn the_least_and_greatest_values() {
    let text = "clock x, y, t; int[0,9] n; process P() { state a { x < 3 }, b { x <= 2 }, c; init a;
                  trans a -> b { guard x > 1; assign x = 0, n = n < 7 ? n + 3 : n; },
                    b -> a { guard x == 2; assign x = 0, y = 4; }; } system P;";
    assert_eq!(values(text, "bounds: x, n, n - 5"), ["0..~3", "0..9", "-5..4"]);
    assert_eq!(values(text, "sup{P.b}: x, n"), ["..2", "..9"]);
    assert_eq!(values(text, "inf{P.b}: y, n"), ["~1..", "3.."]);
    // t is never reset, and a round takes more than three units. y is bounded by a round.
    assert_eq!(values(text, "sup: t"), ["..inf"]);
    assert_eq!(values(text, "sup: y"), ["..~9"]);
    assert_eq!(values(text, "bounds{P.a && n == 3}: t"), ["~3..~8"]);
    assert_eq!(values(text, "bounds{P.c}: x, n"), ["..", ".."]);
    assert_eq!(values(text, "bounds{x - y > 1}: x"), [".."]);
}

#[test]
fn clocks_without_a_bound() {
    // Time diverges in a location, or in a loop, or in a loop that may also take no time. In the
    // last models the clock is bounded, though the run is infinite.
    let text = |inv: &str, guard: &str| {
        format!(
            "clock x, y; process P() {{ state a {{ {inv} }}; init a; trans a -> a {{ guard {guard}; assign y = 0; }}; }} \
             system P;"
        )
    };
    assert_eq!(values(&text("true", "true"), "sup: x, y"), ["..inf", "..inf"]);
    assert_eq!(values(&text("y <= 5", "y == 5"), "sup: x, y"), ["..inf", "..5"]);
    assert_eq!(values(&text("y <= 5", "true"), "sup: x, y"), ["..inf", "..5"]);
    assert_eq!(values(&text("y <= 5 && x < 8", "true"), "sup: x, y"), ["..~8", "..5"]);
    assert_eq!(values(&text("y <= 5", "x <= 90"), "sup: x, y"), ["..95", "..5"]);
    assert_eq!(values(&text("y <= 5 && x - y <= 7", "true"), "sup{y >= 2}: x"), ["..12"]);
}

#[test]
fn values_of_resets_count_if_differences_are_compared() {
    let model = |update: &str, guard: &str| {
        format!(
            "clock x, y; process P() {{ state a, b, c, d; urgent b, c; init a;
               trans a -> b {{ guard y == 7; }}, b -> c {{ assign {update}; }}, c -> d {{ guard {guard}; }}; }} system P;"
        )
    };
    // x - y is -2, and x is 5.
    for (update, guard, truth) in [
        ("x = 5", "x - y < -3", false),
        ("x = 5", "x - y < -1", true),
        ("x = y - 2", "x == 3", false),
        ("x = y - 2", "x == 5", true),
    ] {
        let (answer, ..) = answers(&model(update, guard), &["E<> P.d"]).remove(0);
        assert_eq!(answer.verdict, if truth { Verdict::Satisfied } else { Verdict::NotSatisfied }, "{update}, {guard}");
    }
}

#[test]
fn transitions_hidden_by_urgency_prevent_no_deadlock() {
    // Time stops when x is 3, because of an urgent synchronisation that an invariant forbids.
    let text = "urgent chan c; clock x; process P() { state a, b { x <= 1 }, d; init a;
                  trans a -> b { guard x >= 3; sync c!; }, a -> d { guard x >= 5; }, d -> d { }; }
                process Q() { state a; init a; trans a -> a { sync c?; }; } system P, Q;";
    for (query, truth) in [("A[] not deadlock", false), ("E<> deadlock && x < 1", true), ("E<> x > 3", false)] {
        let (answer, ..) = answers(text, &[query]).remove(0);
        assert_eq!(answer.verdict, if truth { Verdict::Satisfied } else { Verdict::NotSatisfied }, "{query}");
    }
}

#[test]
fn time_passes_in_a_state_that_urgency_splits() {
    // With x = 0 and y = 4 the synchronisation is disabled. It is disabled at all later moments
    // too, so time passes.
    let text = "urgent chan c; clock x, y; process P() { state a, b; init a; trans a -> b { guard y == 4; sync c!; }; }
                process Q() { state a { y <= 4 }, b { x <= 4 }, d; init a;
                  trans a -> b { guard y >= 1; assign x = 0; }, b -> b { guard x > 0; sync c?; }, b -> d { guard x >= 4; },
                        d -> d { }; } system P, Q;";
    for (query, truth) in
        [("A[] not deadlock", true), ("E<> Q.b && P.a && x == 4", true), ("E<> Q.b && deadlock", false)]
    {
        let (answer, ..) = answers(text, &[query]).remove(0);
        assert_eq!(answer.verdict, if truth { Verdict::Satisfied } else { Verdict::NotSatisfied }, "{query}");
    }
}

#[test]
fn bounds_of_a_clock_count_for_clocks_that_it_copies() {
    let text = "clock x, y, z; process P() { state a { y <= 7 }, b; init a;
                  trans a -> b { guard y == 7; assign x = y; }; } system P;";
    for (query, truth) in [
        ("E<> P.b && x == 5", false),
        ("E<> P.b && x == 8", true),
        ("E<> x < z - 4", false),
        ("A[] P.b imply x - z == 0", true),
    ] {
        let (answer, ..) = answers(text, &[query]).remove(0);
        assert_eq!(answer.verdict, if truth { Verdict::Satisfied } else { Verdict::NotSatisfied }, "{query}");
    }
    assert_eq!(values(text, "bounds{P.a}: x, y"), ["0..7", "0..7"]);
    assert_eq!(values(text, "inf{P.b}: x"), ["7.."]);
}
