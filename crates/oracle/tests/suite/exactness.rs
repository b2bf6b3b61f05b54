//! Regions and ticks differ where expected, and bounds on clock values lose nothing.

use crate::common::{ask, expect, load};
use oracle::explicit::{ExplicitOptions, OracleAnswer, Time, UnknownReason, check, rows, ticks_are_exact};

/// Each iteration of the loop needs a larger fraction than the one before. N iterations thus need
/// more than N moments in a time unit, with two clocks only: no granularity that depends on the
/// number of clocks is sufficient.
#[test]
fn no_fixed_granularity_is_fine_enough() {
    let text = "clock x, y; int[0,8] n; process P() { state a, b; init a;
        trans a -> b { guard x < 1 && y > 0 && n == 0; assign y = 0, n = 1; },
              b -> a { guard x == 1; assign x = 0; },
              a -> b { guard x < 1 && y > 1 && n > 0 && n < 8; assign y = 0, n = n + 1; }; } system P;";
    let query = "E<> n == 8";
    assert_eq!(ask(text, query, Time::Regions).answer, OracleAnswer::Satisfied);
    assert_eq!(ask(text, query, Time::Ticks(6)).answer, OracleAnswer::NotSatisfied);
    assert_eq!(ask(text, query, Time::Ticks(8)).answer, OracleAnswer::NotSatisfied);
    assert_eq!(ask(text, query, Time::Ticks(9)).answer, OracleAnswer::Satisfied);
    assert_eq!(ask(text, query, Time::Regions).length, Some(15));
}

/// Three stays of half a time unit each.
#[test]
fn stopwatches_need_finer_ticks_than_integers() {
    let text = "clock x, y, z; process P() { state a { z' == 0 }, b { x' == 0 }, c { y' == 0 }, d; urgent d; init a;
        trans a -> b { }, b -> c { }, c -> d { guard x == 1 && y == 1 && z == 1; }; } system P;";
    assert_eq!(ask(text, "E<> P.d", Time::Ticks(1)).answer, OracleAnswer::NotSatisfied);
    assert_eq!(ask(text, "E<> P.d", Time::Ticks(2)).answer, OracleAnswer::Satisfied);
}

#[test]
fn strict_constraints_make_ticks_inexact() {
    let cases = [
        ("clock x;", "guard x >= 1;", "E<> P.b", true),
        ("clock x;", "guard x > 1;", "E<> P.b", false),
        ("clock x;", "guard x >= 1;", "E<> P.b && x <= 2", true),
        ("clock x;", "guard x >= 1;", "E<> P.b && x < 2", false),
        ("clock x;", "guard x >= 1;", "A[] P.b imply x > 0", true),
        ("clock x;", "guard x >= 1;", "A[] P.b imply x >= 1", false),
        ("clock x;", "guard x >= 1;", "A[] not deadlock", false),
        ("clock x;", "guard x >= 1;", "A<> P.b", false),
        ("clock x; urgent broadcast chan c;", "sync c!;", "E<> P.b", true),
        ("clock x; urgent broadcast chan c;", "guard x >= 1; sync c!;", "E<> P.b", false),
        ("clock x; broadcast chan c;", "guard x >= 1; sync c!;", "E<> P.b", true),
        ("clock x; broadcast chan c;", "guard x >= 1; sync c?;", "E<> P.b", false),
        ("clock x; chan c; chan priority c < default;", "guard x >= 1;", "E<> P.b", false),
    ];
    for (decls, labels, query, exact) in cases {
        let text = format!("{decls} process P() {{ state a, b; init a; trans a -> b {{ {labels} }}; }} system P;");
        let loaded = load(&text, &[query]);
        assert_eq!(ticks_are_exact(&loaded.system, Some(&loaded.properties[0])), exact, "{text} {query}");
    }
}

/// A difference may matter after both clocks have exceeded all constants that they are compared
/// with.
#[test]
fn differences_are_kept_above_all_bounds() {
    let text = "clock x, y, z; process P() { state a, b, c, d, e, f; init a;
        trans a -> b { guard x == 2; assign y = 0; }, b -> c { guard z >= 9; assign z = 0; },
              c -> d { guard z >= 7 && x - y <= 2; }, c -> e { guard z >= 7 && x - y > 2; },
              c -> f { guard z >= 7 && x - y < 2; }; } system P;";
    expect(text, &[("E<> P.d", true), ("E<> P.e", false), ("E<> P.f", false), ("E<> P.d && z - y < -3", true)]);
    // A clock is set to a number while another clock is above all bounds.
    let text = "clock x, y; process P() { state a, b, c, d; init a;
        trans a -> b { guard y >= 1; assign x = 6; }, b -> c { guard x - y == -1; }, b -> d { guard x - y == -2; }; } system P;";
    expect(text, &[("E<> P.c", true), ("E<> P.d", true), ("E<> P.c && x == 6 && y == 7", true)]);
}

/// Fischer's protocol, whose safety rests on one strict guard.
#[test]
fn one_strict_guard_decides() {
    let fischer = |guard: &str| {
        format!(
            "const int K = 2; int[0,2] id; process P(const int[1,2] me) {{ clock x; state idle, req {{ x <= K }}, wait, cs; init idle;
               trans idle -> req {{ guard id == 0; assign x = 0; }}, req -> wait {{ guard x <= K; assign x = 0, id = me; }},
                     wait -> req {{ guard id == 0; assign x = 0; }}, wait -> cs {{ guard {guard} && id == me; }},
                     cs -> idle {{ assign id = 0; }}; }} system P;"
        )
    };
    let queries = |safe| [("A[] not (P(1).cs && P(2).cs)", safe), ("E<> P(2).cs", true), ("A[] not deadlock", true)];
    expect(&fischer("x > K"), &queries(true));
    expect(&fischer("x >= K"), &queries(false));
}

#[test]
fn bounds_in_variables_are_found_during_the_search() {
    // The range allows 32767; the values stay small.
    let text = "clock x; int n = 3; process P() { state a { x <= n }, b; init a;
        trans a -> a { guard x == n && n < 6; assign n = n + 1, x = 0; }, a -> b { guard x >= n && n == 6; }; } system P;";
    expect(text, &[("E<> P.b", true), ("A[] P.b imply x >= 6", true), ("E<> P.a && x > 6", false)]);
    let loaded = load(text, &["E<> P.b"]);
    let report = check(&loaded.system, &loaded.properties[0], ExplicitOptions::default());
    assert!(report.states < 100, "{}", report.states);
}

#[test]
fn limits() {
    let text = "int n; process P() { state a; init a; trans a -> a { guard n < 1000; assign n = n + 1; }; } system P;";
    let loaded = load(text, &["E<> n == 1001", "E<> n == 5", "A[] n < 7"]);
    let options = ExplicitOptions { states: 100, ..ExplicitOptions::default() };
    let answer = |i: usize| check(&loaded.system, &loaded.properties[i], options);
    assert_eq!(answer(0).answer, OracleAnswer::Unknown(UnknownReason::States));
    assert_eq!((answer(1).answer, answer(1).length), (OracleAnswer::Satisfied, Some(5)));
    assert_eq!((answer(2).answer, answer(2).length), (OracleAnswer::NotSatisfied, Some(7)));
    assert_eq!(rows(&loaded.system, options).missing, Some(UnknownReason::States));
    // No finite relation exists for unbounded clocks that are set to another clock minus a number.
    let text =
        "clock x, y; process P() { state a; init a; trans a -> a { guard x >= 3; assign x = y - 1; }; } system P;";
    let loaded = load(text, &["E<> x > y"]);
    assert_eq!(
        check(&loaded.system, &loaded.properties[0], options).answer,
        OracleAnswer::Unknown(UnknownReason::States)
    );
}

/// Receivers of a broadcast combine their edges: one state has more transitions than the limit. So
/// its successors are unknown, but the states before it count.
#[test]
fn many_transitions_count_as_many_states() {
    let receivers = |count: usize| {
        format!(
            "broadcast chan b; int[0,1] n; process S() {{ state a; init a; trans a -> a {{ guard n == 1; sync b!; }},
               a -> a {{ assign n = 1; }}; }}
             process R(const int[1,{count}] id) {{ state a; init a; trans a -> a {{ select s : int[0,9]; sync b?; }}; }} system S, R;"
        )
    };
    for (count, complete) in [(2, true), (12, false)] {
        let loaded = load(&receivers(count), &["E<> n == 1", "A[] n == 0 || n == 1"]);
        let options = ExplicitOptions { states: 100, ..ExplicitOptions::default() };
        let [found, all] = [0, 1].map(|i| check(&loaded.system, &loaded.properties[i], options));
        assert_eq!((found.answer, found.complete), (OracleAnswer::Satisfied, complete));
        let unknown = OracleAnswer::Unknown(UnknownReason::States);
        assert_eq!((all.answer, all.complete), (if complete { OracleAnswer::Satisfied } else { unknown }, complete));
    }
}
