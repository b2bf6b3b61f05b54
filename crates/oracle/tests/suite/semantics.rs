//! The rules of UPPAAL's semantics, each with a minimal model.

use crate::common::{ask, expect, load};
use model::machine::FaultKind;
use oracle::explicit::{ExplicitOptions, OracleAnswer, Time, UnknownReason, rows};

#[test]
fn guards_invariants_and_resets() {
    let model = "clock x; process P() { state a { x <= 3 }, b, c; init a;
        trans a -> b { guard x >= 2; assign x = 0; }, b -> c { guard x == 4; }; } system P;";
    expect(
        model,
        &[
            ("E<> P.b", true),
            ("E<> P.c", true),
            ("E<> P.a && x > 3", false),
            ("A[] P.a imply x <= 3", true),
            ("A[] P.c imply x >= 4", true),
            ("E<> P.c && x > 100", true),
            ("A[] P.a imply x < 3", false),
            ("E<> P.b && x == 0", true),
        ],
    );
    assert_eq!(ask(model, "E<> P.c", Time::Regions).length, Some(2));
    assert_eq!(ask(model, "E<> P.a && x == 3", Time::Regions).length, Some(0));
    assert_eq!(ask(model, "A[] x < 7", Time::Regions).length, Some(1));
}

#[test]
fn strict_constraints() {
    let model = "clock x, y; process P() { state a { x < 2 }, b, c; init a;
        trans a -> b { guard x > 1; assign y = 0; }, b -> c { guard y > 0 && x < 2; }; } system P;";
    expect(
        model,
        &[
            ("E<> P.c", true),
            ("E<> P.a && x == 2", false),
            ("E<> P.b && x == 1", false),
            ("A[] P.c imply x - y > 1", true),
            ("E<> P.c && y == 1 && x == 3", false),
            ("E<> P.c && y == 1 && x < 3 && x > 2", true),
        ],
    );
}

#[test]
fn lower_bounds_and_integers_in_invariants() {
    // Only the target's invariant forbids the transition.
    expect(
        "clock x; int n; process P() { state a, b { x >= 2 }, c { n == 1 }, d; init a;
         trans a -> b { }, a -> c { }, a -> c { guard x >= 5; assign n = 1; }, c -> d { assign n = 0; }; } system P;",
        &[
            ("E<> P.b && x == 2", true),
            ("A[] P.b imply x >= 2", true),
            ("A[] P.c imply x >= 5", true),
            ("E<> P.d && n == 0", true),
        ],
    );
    // A variable in the invariant of a process that does not participate.
    expect(
        "int n = 1; process P() { state a; init a; trans a -> a { guard n < 3; assign n = n + 1; }; }
         process Q() { state a { n <= 2 }; init a; } system P, Q;",
        &[("E<> n == 2", true), ("E<> n == 3", false), ("E<> deadlock", true), ("A[] n == 2 imply deadlock", true)],
    );
}

#[test]
fn clocks_are_set_to_numbers_and_to_other_clocks() {
    expect(
        "clock x, y, z; process P() { state a, b, c; init a;
         trans a -> b { guard x == 2; assign y = 5, z = 0; }, b -> c { guard z == 1; assign x = y, y = 0; }; } system P;",
        &[
            ("A[] P.b imply y - z == 5 && x - z == 2", true),
            ("E<> P.c && x == 6 && y == 0", true),
            ("A[] P.c imply x - y == 6", true),
            ("A[] P.c imply z - y == 1", true),
        ],
    );
    // In textual order, also across participants.
    expect(
        "clock x, y; chan c; process P() { state a, b; init a; trans a -> b { guard x == 1; sync c!; assign y = 3, x = y; }; }
         process Q() { state a, b; init a; trans a -> b { sync c?; assign y = x, x = 0; }; } system Q, P;",
        &[("E<> P.b && x == 0 && y == 3", true), ("A[] P.b imply y - x == 3", true)],
    );
}

#[test]
fn a_sum_that_makes_a_clock_negative_is_an_error() {
    let model =
        "clock x, y; process P() { state a { y <= 2 }, b; init a; trans a -> b { guard y == 1; assign x = y - 2; }; }
        system P;";
    let report = ask(model, "E<> P.b", Time::Regions);
    assert!(matches!(report.fault.unwrap().kind, FaultKind::NegativeClock(-1)), "{report:?}");
    expect(
        "clock x, y; process P() { state a { x <= 5 }, b { x <= 5 }; init a; trans a -> b { guard y == 3; assign x = y - 2; }; }
         system P;",
        &[("A[] P.b imply y - x == 2", true), ("E<> P.b && x == 1", true), ("E<> y == 8", false), ("E<> y == 7", true)],
    );
}

#[test]
fn urgent_and_committed_locations_stop_time() {
    for kind in ["urgent", "commit"] {
        expect(
            &format!(
                "clock x; process P() {{ state a, b, c; {kind} b; init a;
                 trans a -> b {{ guard x <= 2; assign x = 0; }}, b -> c {{ }}; }}
                 process Q() {{ state s; init s; }} system P, Q;"
            ),
            &[("E<> P.b", true), ("A[] P.b imply x == 0", true), ("E<> P.c && x == 1", true)],
        );
    }
}

#[test]
fn a_committed_location_goes_first() {
    let model = |kind: &str| {
        format!(
            "int n; process P() {{ state a, b; {kind} a; init a; trans a -> b {{ assign n = 1; }}; }}
             process Q() {{ state a, b; init a; trans a -> b {{ guard n == 0; }}; }} system P, Q;"
        )
    };
    expect(&model("urgent"), &[("E<> Q.b", true)]);
    expect(&model("commit"), &[("E<> Q.b", false)]);
    // One committed participant is enough, on either side; two committed processes interleave.
    expect(
        "chan c; int n; process P() { state a, b; commit a; init a; trans a -> b { sync c?; }; }
         process Q() { state a, b; init a; trans a -> b { sync c!; }; }
         process R() { state a, b; init a; trans a -> b { sync c!; }; }
         process S() { state a, b; init a; trans a -> b { sync c?; }; }
         process T() { state a, b; commit a; init a; trans a -> b { assign n = n * 2; }; }
         system P, Q, R, S, T;",
        &[
            ("E<> P.b && Q.b && T.a", true),
            ("E<> P.b && R.b && T.a", true),
            ("E<> T.b && P.a", true),
            ("E<> S.b && (P.a || T.a)", false),
            ("E<> S.b", true),
        ],
    );
    // A committed location without outgoing edges blocks all others permanently.
    expect(
        "process P() { state a; commit a; init a; } process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
        &[("E<> Q.b", false), ("A[] deadlock", true)],
    );
}

#[test]
fn deadlocks() {
    // A delay enables a transition, or does not.
    expect(
        "clock x; process P() { state a, b; init a; trans a -> b { guard x == 2; }; } system P;",
        &[
            ("E<> P.a && x <= 2 && deadlock", false),
            ("E<> P.a && x > 2 && not deadlock", false),
            ("E<> P.a && deadlock", true),
            ("A[] P.b imply deadlock", true),
            ("A[] not deadlock", false),
        ],
    );
    // An invariant may forbid the delay or the transition.
    expect(
        "clock x; process P() { state a { x <= 1 }, b; init a; trans a -> b { guard x >= 2; }; } system P;",
        &[("A[] deadlock", true)],
    );
    expect(
        "clock x; process P() { state a, b { x <= 1 }; init a; trans a -> b { guard x >= 1; }; } system P;",
        &[("E<> P.a && x <= 1 && deadlock", false), ("E<> P.a && x > 1 && deadlock", true)],
    );
    // Time is stopped by a location, by an urgent channel, or by an invariant.
    for kind in ["urgent", "commit"] {
        expect(
            &format!(
                "clock x; process P() {{ state a, b; {kind} a; init a; trans a -> b {{ guard x >= 1; }}; }} system P;"
            ),
            &[("A[] deadlock", true)],
        );
    }
    expect(
        "clock x; process P() { state a { x < 1 }, b; init a; trans a -> b { guard x >= 1; }; } system P;",
        &[("A[] deadlock", true), ("E<> x > 0", true), ("E<> x >= 1", false)],
    );
    // A self-loop is not a deadlock.
    expect("process P() { state a; init a; trans a -> a { }; } system P;", &[("A[] not deadlock", true)]);
    // A receiver without a sender is a deadlock.
    expect("chan c; process P() { state a; init a; trans a -> a { sync c?; }; } system P;", &[("A[] deadlock", true)]);
}

#[test]
fn deadlocks_between_ticks() {
    let model =
        "clock x; process P() { state a { x <= 1 }, b; init a; trans a -> b { guard x > 0 && x < 1; }; } system P;";
    assert_eq!(ask(model, "A[] P.a && x < 1 imply not deadlock", Time::Regions).answer, OracleAnswer::Satisfied);
    assert_eq!(ask(model, "E<> P.a && x < 1 && deadlock", Time::Ticks(1)).answer, OracleAnswer::NotSatisfied);
    assert_eq!(ask(model, "E<> P.a && x == 1 && deadlock", Time::Ticks(1)).answer, OracleAnswer::Satisfied);
    assert_eq!(ask(model, "E<> P.b", Time::Ticks(1)).answer, OracleAnswer::NotSatisfied);
    assert_eq!(ask(model, "E<> P.b", Time::Ticks(2)).answer, OracleAnswer::Satisfied);
}

#[test]
fn selects_branches_and_hooks() {
    expect(
        "int n, m, k; before_update { k = k + 1 } after_update { m = n }
         process P() { state a, b, d; branchpoint f; init a;
           trans a -> f { select i : int[0,2]; guard i != 1 && k == 0; assign n = i; },
                 f -> b { assign n = n + 10; probability 0; }, f -> d { probability 1; }; } system P;",
        &[
            ("E<> P.b && n == 12", true),
            ("E<> P.b && n == 10", true),
            ("E<> n == 11", false),
            ("E<> P.d && n == 2", true),
            ("A[] m == n", true),
            ("A[] P.a == (k == 0)", true),
        ],
    );
}

#[test]
fn meta_variables_do_not_distinguish_states() {
    let text = "meta int m; int n; process P() { state a; init a; trans a -> a { guard m < 30000; assign m = m + 1, n = 1 - n; }; }
         system P;";
    let loaded = load::<&str>(text, &[]);
    let found = rows(&loaded.system, ExplicitOptions::default());
    assert_eq!(found.missing, None);
    assert_eq!(found.rows.into_iter().collect::<Vec<_>>(), [vec![0, 0], vec![0, 1]]);
}

#[test]
fn run_time_errors_end_a_verification() {
    let text =
        "int[0,2] n; process P() { state a, b; init a; trans a -> a { assign n = n + 1; }, a -> b { guard n == 2; }; }
         system P;";
    let report = ask(text, "E<> n == 3", Time::Regions);
    let fault = report.fault.unwrap();
    assert_eq!(report.answer, OracleAnswer::Unknown(UnknownReason::Fault(fault)));
    assert_eq!(fault.kind, FaultKind::Range { value: 3, low: 0, high: 2 });
    // A goal that is reached before the error is found.
    assert_eq!(ask(text, "E<> n == 2", Time::Regions).answer, OracleAnswer::Satisfied);
    // A guard that need not be evaluated does not fail.
    expect(
        "int a[2]; int i = 5; process P() { state s, t; commit s; init s; trans s -> t { assign i = 0; }; }
         process Q() { state s, t; init s; trans s -> t { guard a[i] == 0; }; } system P, Q;",
        &[("E<> Q.t", true)],
    );
    // An error in a formula.
    let report = ask("int a[2]; int i = 5; process P() { state s; init s; } system P;", "E<> a[i] == 0", Time::Regions);
    assert!(matches!(report.answer, OracleAnswer::Unknown(UnknownReason::Fault(_))), "{report:?}");
}

#[test]
fn there_is_no_initial_state_that_violates_an_invariant() {
    let text = "clock x; process P() { state a { x >= 1 }; init a; } system P;";
    assert_eq!(ask(text, "E<> true", Time::Regions).answer, OracleAnswer::Unknown(UnknownReason::NoInitialState));
}

#[test]
fn stopwatches() {
    let text = "clock x, y; process P() { state a { x' == 0 && y <= 3 }, b { x <= 2 }; init a;
        trans a -> b { guard y >= 1; }, b -> a { guard y >= 3; }; } system P;";
    assert_eq!(ask(text, "E<> P.b", Time::Regions).answer, OracleAnswer::Unknown(UnknownReason::Stopwatches));
    for (query, found) in [
        ("E<> P.b && x == 0 && y == 3", true),
        ("E<> P.b && x == 2 && y == 5", true),
        ("E<> P.b && x == 2 && y == 2", false),
        ("E<> P.a && x > 0", true),
        ("E<> P.a && x == 2 && y == 3", true),
        ("E<> P.a && y > 3", false),
        ("E<> P.b && y > 5", false),
    ] {
        let wanted = if found { OracleAnswer::Satisfied } else { OracleAnswer::NotSatisfied };
        for k in [1, 2, 4] {
            assert_eq!(ask(text, query, Time::Ticks(k)).answer, wanted, "{query}");
        }
    }
    // One process is enough to stop a clock.
    let text = "clock x, y; process P() { state a { x' == 0 }; init a; } process Q() { state a { x' == 1 }; init a; } system P, Q;";
    assert_eq!(ask(text, "A[] x == 0", Time::Ticks(1)).answer, OracleAnswer::Satisfied);
    // An illegal rate.
    let text = "clock x; int n = 2; process P() { state a { x' == n }; init a; } system P;";
    let report = ask(text, "E<> x == 1", Time::Ticks(1));
    assert!(matches!(report.fault.unwrap().kind, FaultKind::Unsupported));
}
