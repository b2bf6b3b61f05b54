//! Queries about maximal runs.

use crate::common::{ask, expect};
use oracle::explicit::{OracleAnswer, Time, UnknownReason};

#[test]
fn infinite_delays() {
    let model = |invariant: &str| {
        format!(
            "clock x; process P() {{ state a {{ {invariant} }}, b; init a; trans a -> b {{ guard x >= 1; }}; }} system P;"
        )
    };
    expect(&model("true"), &[("A<> P.b", false), ("E[] P.a", true), ("P.a --> P.b", false), ("P.b --> P.b", true)]);
    expect(&model("x <= 2"), &[("A<> P.b", true), ("E[] P.a", false), ("P.a --> P.b", true)]);
    // No last moment exists, but time stops; the edge must be taken before.
    expect(&model("x < 2"), &[("A<> P.b", true), ("E[] P.a", false)]);
}

#[test]
fn stopped_time() {
    // The run may miss the edge and end where time stops.
    for (invariant, open) in [("x <= 2", false), ("x < 2", true)] {
        expect(
            &format!(
                "clock x; process P() {{ state a {{ {invariant} }}, b; init a; trans a -> b {{ guard x <= 1; }}; }} system P;"
            ),
            &[
                ("A<> P.b", false),
                ("E[] P.a", true),
                ("A<> x > 1", true),
                ("A<> x > 2", false),
                ("E[] P.a && x < 2", open),
            ],
        );
    }
    // Nothing is possible in an urgent location: the run ends there.
    expect(
        "clock x; process P() { state a, b; urgent a; init a; trans a -> b { guard x >= 1; }; } system P;",
        &[("E[] P.a", true), ("A<> P.b", false)],
    );
    // A run may not stay where time is stopped and a transition is possible.
    expect("process P() { state a, b; urgent a; init a; trans a -> b { }; } system P;", &[("A<> P.b", true)]);
    expect(
        "urgent broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;",
        &[("A<> P.b", true), ("E[] P.a", false)],
    );
}

#[test]
fn clock_formulas_become_true_during_delays() {
    expect(
        "clock x; process P() { state a { x <= 5 }, b; init a; trans a -> b { guard x >= 3; assign x = 0; }; } system P;",
        &[
            ("A<> x >= 3", true),
            ("A<> P.a && x > 3", false),
            ("A<> x == 2", true),
            ("A<> x > 2 && x < 3", true),
            ("E[] x <= 3", false),
            ("P.a && x > 1 --> P.b", true),
            ("P.a && x == 4 --> P.b && x == 0", true),
            ("P.b --> x > 100", true),
            ("P.b --> P.a", false),
            ("P.a && x == 3 --> P.b && x == 1", true),
        ],
    );
}

#[test]
fn zeno_runs_count() {
    expect(
        "clock x; int n; process P() { state a { x <= 1 }, b; init a;
           trans a -> a { assign n = 1 - n; }, a -> b { guard x == 1; }; } system P;",
        &[("A<> P.b", false), ("E[] x == 0", true), ("A<> n == 1", false), ("n == 1 --> n == 0", false)],
    );
    // A loop that takes time need not be left: fairness is not assumed.
    expect(
        "clock x; process P() { state a { x <= 1 }, b; init a;
           trans a -> a { guard x == 1; assign x = 0; }, a -> b { guard x == 1; }; } system P;",
        &[("A<> P.b", false), ("A<> x == 1", true)],
    );
}

#[test]
fn formulas_of_the_initial_state() {
    expect(
        "process P() { state a, b; init a; trans a -> b { }; } system P;",
        &[
            ("A<> P.a", true),
            ("P.a --> P.a", true),
            ("P.b --> P.b", true),
            ("E[] P.b", false),
            ("E[] true", true),
            ("A<> false", false),
        ],
    );
}

#[test]
fn liveness_needs_regions() {
    let text = "process P() { state a; init a; } system P;";
    assert_eq!(ask(text, "E[] P.a", Time::Ticks(1)).answer, OracleAnswer::Unknown(UnknownReason::Ticks));
}
