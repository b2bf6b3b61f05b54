//! The rules of UPPAAL's semantics, each with the smallest model that shows it.

mod common;

use common::{ask, expect, load};
use model::machine::FaultKind;
use oracle::explicit::{Answer, Options, Reason, Time, rows};

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
    // The target's invariant keeps a transition from being taken; nothing else does.
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
    // A variable in the invariant of a process that takes no part.
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
    // In the order in which they are written, also across the participants.
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
    // One committed participant is enough, on either side; two that are committed interleave.
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
    // A committed location without a way out blocks all others for good.
    expect(
        "process P() { state a; commit a; init a; } process Q() { state a, b; init a; trans a -> b { }; } system P, Q;",
        &[("E<> Q.b", false), ("A[] deadlock", true)],
    );
}

#[test]
fn a_broadcast_counts_as_committed_if_one_receiver_is() {
    let model = |guard: &str| {
        format!(
            "broadcast chan c; bool open; process P() {{ state a, b; init a; trans a -> b {{ sync c!; }}; }}
             process Q() {{ state a, b; commit a; init a; trans a -> b {{ {guard} sync c?; }}; }} system P, Q;"
        )
    };
    expect(&model(""), &[("E<> P.b && Q.b", true)]);
    // A receiver that can't take part does not count.
    expect(&model("guard open;"), &[("E<> P.b", false), ("A[] deadlock", true)]);
}

#[test]
fn binary_synchronisation() {
    let decls = "chan c; int n = 1, m;";
    // The sender's update runs first, whatever the order of processes; guards are judged before both.
    let sender = "process S() { state a, b; init a; trans a -> b { guard n == 1; sync c!; assign n = 2; }; }";
    let receiver = "process R() { state a, b; init a; trans a -> b { guard n == 1; sync c?; assign m = n * 10; }; }";
    for system in ["system S, R;", "system R, S;"] {
        expect(
            &format!("{decls} {sender} {receiver} {system}"),
            &[("E<> S.b && R.b && n == 2 && m == 20", true), ("A[] S.b == R.b", true), ("A[] S.b imply m == 20", true)],
        );
    }
    // Two processes, not one with itself; one receiver only, any of them.
    expect(
        "chan c; process P() { state a, b; init a; trans a -> b { sync c!; }, a -> a { sync c?; }; } system P;",
        &[("E<> P.b", false), ("A[] deadlock", true)],
    );
    expect(
        "chan c; process S() { state a, b; init a; trans a -> b { sync c!; }; }
         process R(const int[0,1] i) { state a, b; init a; trans a -> b { sync c?; }; } system S, R;",
        &[
            ("E<> R(0).b", true),
            ("E<> R(1).b", true),
            ("E<> R(0).b && R(1).b", false),
            ("A[] not S.a imply R(0).b || R(1).b", true),
        ],
    );
    // The index of a channel is evaluated before any update.
    expect(
        "chan c[2]; int[0,1] k; process S() { state a, b; init a; trans a -> b { sync c[k]!; assign k = 1; }; }
         process R() { state a, b, d; init a; trans a -> b { sync c[k]?; }, a -> d { sync c[1]?; }; } system S, R;",
        &[("E<> R.b && k == 1", true), ("E<> R.d", false)],
    );
}

#[test]
fn a_broadcast_reaches_all_who_can_receive() {
    let model = "broadcast chan c; int n; process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R(const int[0,2] i) { state a, b, d; init a;
          trans a -> b { guard i < 2; sync c?; }, a -> d { guard i == 1; sync c?; }, a -> b { guard i == 2 && n == 1; sync c?; }; }
        system S, R;";
    expect(
        model,
        &[
            ("A[] S.b imply R(0).b", true),
            ("A[] S.b imply (R(1).b || R(1).d)", true),
            ("E<> R(1).b", true),
            ("E<> R(1).d", true),
            ("A[] R(2).a", true),
            ("E<> R(0).b && S.a", false),
        ],
    );
    // Nobody needs to listen, and the sender is no receiver of its own.
    expect(
        "broadcast chan c; process P() { state a, b, d; init a; trans a -> b { sync c!; }, a -> d { sync c?; }; } system P;",
        &[("E<> P.b", true), ("E<> P.d", false)],
    );
}

#[test]
fn receivers_update_in_the_order_of_the_system_line() {
    let parts = "broadcast chan c; int n = 1;
        process S() { state a, b; init a; trans a -> b { sync c!; assign n = n + 1; }; }
        process D() { state a, b; init a; trans a -> b { guard n == 1; sync c?; assign n = n * 2; }; }
        process I() { state a, b; init a; trans a -> b { guard n == 1; sync c?; assign n = n + 3; }; }";
    for (system, value) in [("D, S, I", 7), ("I, D, S", 10), ("S, I, D", 10), ("D, I, S", 7)] {
        expect(
            &format!("{parts} system {system};"),
            &[(&format!("A[] S.b imply n == {value}"), true), ("E<> S.b", true)],
        );
    }
}

#[test]
fn an_invariant_behind_a_receiver_forbids_the_whole_broadcast() {
    let model = |invariant: &str| {
        format!(
            "broadcast chan c; clock x; process S() {{ state a, b; init a; trans a -> b {{ sync c!; }}; }}
             process R() {{ state a, b {{ {invariant} }}; init a; trans a -> b {{ sync c?; }}; }} system S, R;"
        )
    };
    expect(
        &model("x <= 1"),
        &[("E<> S.b && R.b", true), ("E<> S.b && R.a", false), ("E<> S.a && x > 1 && deadlock", true)],
    );
    expect(&model("false"), &[("E<> S.b", false)]);
    // The invariant is judged after all updates, not between them.
    expect(
        "broadcast chan c; int n; process S() { state a, b { n == 0 }; init a; trans a -> b { sync c!; assign n = 1; }; }
         process R() { state a; init a; trans a -> a { sync c?; assign n = 0; }; } system S, R;",
        &[("E<> S.b", true)],
    );
}

#[test]
fn clock_guards_on_receivers_are_judged_at_the_moment() {
    expect(
        "broadcast chan c; clock x; process S() { state a, b; init a; trans a -> b { sync c!; assign x = 0; }; }
         process R() { state a, b; init a; trans a -> b { guard x > 1 && x < 2; sync c?; }; } system S, R;",
        &[("E<> S.b && R.b", true), ("E<> S.b && R.a", true)],
    );
    // With `x >= 1` from 1 on, the broadcast can't leave the receiver out.
    expect(
        "broadcast chan c; clock x; process S() { state a, b { x >= 1 }; init a; trans a -> b { sync c!; }; }
         process R() { state a, b; init a; trans a -> b { guard x >= 1; sync c?; }; } system S, R;",
        &[("E<> S.b && R.b", true), ("E<> S.b && R.a", false)],
    );
}

#[test]
fn urgent_channels() {
    let model = |decl: &str, receiver: &str, guard: &str| {
        format!(
            "{decl} c; clock x; int n; process S() {{ state a, b; init a; trans a -> b {{ {guard} sync c!; }}; }}
             process R() {{ state a, b; init a; trans {receiver}; }} system S, R;"
        )
    };
    let receives = "a -> b { sync c?; }";
    let quiet = "a -> b { guard n == 1; sync c?; }";
    expect(&model("chan", receives, ""), &[("E<> S.a && x > 0", true)]);
    expect(&model("urgent chan", receives, ""), &[("E<> S.a && x > 0", false), ("E<> S.b && x > 0", true)]);
    // The manual's formula would stop time for a sender alone; its prose, and the tool, do not.
    expect(&model("urgent chan", quiet, ""), &[("E<> S.a && x > 0", true), ("E<> S.b", false), ("A[] deadlock", true)]);
    expect(&model("urgent broadcast chan", quiet, ""), &[("E<> S.a && x > 0", false), ("E<> S.b && R.a", true)]);
    expect(&model("urgent broadcast chan", receives, "guard n == 1;"), &[("E<> S.a && x > 0", true)]);
}

#[test]
fn an_urgent_synchronisation_stops_time_even_if_an_invariant_forbids_it() {
    expect(
        "urgent chan c; clock x; process S() { state a, b { x >= 1 }; init a; trans a -> b { sync c!; }; }
         process R() { state a; init a; trans a -> a { sync c?; }; } system S, R;",
        &[("E<> x > 0", false), ("E<> S.b", false), ("A[] deadlock", true)],
    );
}

#[test]
fn clock_guards_on_urgent_channels() {
    let model = |guard: &str| {
        format!(
            "urgent broadcast chan c; clock x; process S() {{ state a, b; init a; trans a -> b {{ guard {guard}; sync c!; }}; }}
             system S;"
        )
    };
    // Time passes up to the moment at which the guard holds, and not beyond.
    expect(&model("x >= 3"), &[("E<> S.b && x == 3", true), ("E<> S.a && x > 3", false), ("E<> S.a && x == 3", true)]);
    expect(&model("x <= 3"), &[("E<> S.a && x > 0", false)]);
    // There is no first moment after 3, so time can't get past it: any delay would have missed some.
    expect(
        &model("x > 3"),
        &[("E<> S.a && x == 3", true), ("E<> x > 3", false), ("E<> S.b", false), ("E<> deadlock", true)],
    );
    // Who comes after the interval may wait.
    expect(
        "urgent broadcast chan c; clock x; process S() { state w, a, b; init w;
           trans w -> a { guard x > 2; }, a -> b { guard x >= 1 && x <= 2; sync c!; }; } system S;",
        &[("E<> S.a && x == 5", true), ("E<> S.b", false)],
    );
}

#[test]
fn priorities_of_channels() {
    let model = |priority: &str| {
        format!(
            "broadcast chan a, b; {priority} process P() {{ state s, t, u, v; init s;
               trans s -> t {{ sync a!; }}, s -> u {{ sync b!; }}, s -> v {{ }}; }} system P;"
        )
    };
    expect(&model(""), &[("E<> P.t", true), ("E<> P.u", true), ("E<> P.v", true)]);
    expect(&model("chan priority a < default < b;"), &[("E<> P.t", false), ("E<> P.u", true), ("E<> P.v", false)]);
    expect(&model("chan priority a < b;"), &[("E<> P.t", false), ("E<> P.u", true), ("E<> P.v", false)]);
    expect(&model("chan priority a < default;"), &[("E<> P.t", false), ("E<> P.u", true), ("E<> P.v", true)]);
}

#[test]
fn priorities_of_processes() {
    let parts = "chan c; int n;
        process Low() { state a, b; init a; trans a -> b { sync c!; assign n = 1; }; }
        process Mid() { state a, b; init a; trans a -> b { guard n == 0; }; }
        process High() { state a, b; init a; trans a -> b { sync c?; }; }";
    // A synchronisation has the highest priority of its processes.
    expect(&format!("{parts} system Low < Mid < High;"), &[("E<> Mid.b", false), ("E<> Low.b", true)]);
    expect(&format!("{parts} system Low, High < Mid;"), &[("A[] Low.b imply Mid.b", true), ("E<> Low.b", true)]);
    // The channel counts before the processes.
    expect(
        &format!("{} system Low < Mid < High;", parts.replacen("int n;", "int n; chan priority c < default;", 1)),
        &[("A[] Low.b imply Mid.b", true), ("E<> Low.b", true)],
    );
}

#[test]
fn priorities_block_only_while_the_other_transition_exists() {
    // Not time; not before its guard holds; not if an invariant forbids it.
    expect(
        "broadcast chan hi; chan priority default < hi; clock x; process P() { state s, t, u; init s;
           trans s -> t { guard x > 2 && x <= 4; sync hi!; }, s -> u { }; } system P;",
        &[
            ("E<> P.u && x == 2", true),
            ("A[] P.s imply x <= 4", false),
            ("E<> P.t && x == 3", true),
            ("E<> P.s && x == 9", true),
        ],
    );
    let race = |invariant: &str| {
        format!(
            "broadcast chan hi; chan priority default < hi; clock x, y; process P() {{ state s, t {{ {invariant} }}, u; init s;
               trans s -> t {{ guard x > 2 && x <= 4; sync hi!; }}, s -> u {{ assign y = 0; }}; }} system P;"
        )
    };
    expect(&race("true"), &[("E<> P.u && x - y > 2 && x - y <= 4", false), ("E<> P.u && x - y > 4", true)]);
    expect(&race("y <= 3"), &[("E<> P.u && x - y > 2 && x - y <= 3", false), ("E<> P.u && x - y > 3", true)]);
    // A committed location elsewhere takes the transition out of the race.
    expect(
        "broadcast chan hi; chan priority default < hi; process P() { state s, t; init s; trans s -> t { sync hi!; }; }
         process Q() { state s, t; commit s; init s; trans s -> t { }; } system P, Q;",
        &[("E<> Q.t && P.s", true), ("E<> P.t && Q.s", false)],
    );
}

#[test]
fn deadlocks() {
    // Waiting helps, or does not.
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
    // An invariant may forbid to wait long enough, or to arrive.
    expect(
        "clock x; process P() { state a { x <= 1 }, b; init a; trans a -> b { guard x >= 2; }; } system P;",
        &[("A[] deadlock", true)],
    );
    expect(
        "clock x; process P() { state a, b { x <= 1 }; init a; trans a -> b { guard x >= 1; }; } system P;",
        &[("E<> P.a && x <= 1 && deadlock", false), ("E<> P.a && x > 1 && deadlock", true)],
    );
    // Time that is stopped: by a location, by an urgent channel, by an invariant.
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
    // A loop is enough.
    expect("process P() { state a; init a; trans a -> a { }; } system P;", &[("A[] not deadlock", true)]);
    // A receiver without a sender is not.
    expect("chan c; process P() { state a; init a; trans a -> a { sync c?; }; } system P;", &[("A[] deadlock", true)]);
}

#[test]
fn deadlocks_between_ticks() {
    let model =
        "clock x; process P() { state a { x <= 1 }, b; init a; trans a -> b { guard x > 0 && x < 1; }; } system P;";
    assert_eq!(ask(model, "A[] P.a && x < 1 imply not deadlock", Time::Regions).answer, Answer::Satisfied);
    assert_eq!(ask(model, "E<> P.a && x < 1 && deadlock", Time::Ticks(1)).answer, Answer::NotSatisfied);
    assert_eq!(ask(model, "E<> P.a && x == 1 && deadlock", Time::Ticks(1)).answer, Answer::Satisfied);
    assert_eq!(ask(model, "E<> P.b", Time::Ticks(1)).answer, Answer::NotSatisfied);
    assert_eq!(ask(model, "E<> P.b", Time::Ticks(2)).answer, Answer::Satisfied);
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
fn meta_variables_do_not_tell_states_apart() {
    let text = "meta int m; int n; process P() { state a; init a; trans a -> a { guard m < 30000; assign m = m + 1, n = 1 - n; }; }
         system P;";
    let loaded = load::<&str>(text, &[]);
    let found = rows(&loaded.model.system, Options::default());
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
    assert_eq!(report.answer, Answer::Unknown(Reason::Fault(fault)));
    assert_eq!(fault.kind, FaultKind::Range { value: 3, low: 0, high: 2 });
    // What is found before has been found.
    assert_eq!(ask(text, "E<> n == 2", Time::Regions).answer, Answer::Satisfied);
    // A guard that nobody needs to look at does not fail.
    expect(
        "int a[2]; int i = 5; process P() { state s, t; commit s; init s; trans s -> t { assign i = 0; }; }
         process Q() { state s, t; init s; trans s -> t { guard a[i] == 0; }; } system P, Q;",
        &[("E<> Q.t", true)],
    );
    // In a formula.
    let report = ask("int a[2]; int i = 5; process P() { state s; init s; } system P;", "E<> a[i] == 0", Time::Regions);
    assert!(matches!(report.answer, Answer::Unknown(Reason::Fault(_))), "{report:?}");
}

#[test]
fn an_initial_state_that_violates_an_invariant_is_no_state() {
    let text = "clock x; process P() { state a { x >= 1 }; init a; } system P;";
    assert_eq!(ask(text, "E<> true", Time::Regions).answer, Answer::Unknown(Reason::NoInitialState));
}

#[test]
fn stopwatches() {
    let text = "clock x, y; process P() { state a { x' == 0 && y <= 3 }, b { x <= 2 }; init a;
        trans a -> b { guard y >= 1; }, b -> a { guard y >= 3; }; } system P;";
    assert_eq!(ask(text, "E<> P.b", Time::Regions).answer, Answer::Unknown(Reason::Stopwatches));
    for (query, found) in [
        ("E<> P.b && x == 0 && y == 3", true),
        ("E<> P.b && x == 2 && y == 5", true),
        ("E<> P.b && x == 2 && y == 2", false),
        ("E<> P.a && x > 0", true),
        ("E<> P.a && x == 2 && y == 3", true),
        ("E<> P.a && y > 3", false),
        ("E<> P.b && y > 5", false),
    ] {
        let wanted = if found { Answer::Satisfied } else { Answer::NotSatisfied };
        for k in [1, 2, 4] {
            assert_eq!(ask(text, query, Time::Ticks(k)).answer, wanted, "{query}");
        }
    }
    // One process is enough to stop a clock.
    let text = "clock x, y; process P() { state a { x' == 0 }; init a; } process Q() { state a { x' == 1 }; init a; } system P, Q;";
    assert_eq!(ask(text, "A[] x == 0", Time::Ticks(1)).answer, Answer::Satisfied);
    // A rate that is no rate.
    let text = "clock x; int n = 2; process P() { state a { x' == n }; init a; } system P;";
    let report = ask(text, "E<> x == 1", Time::Ticks(1));
    assert!(matches!(report.fault.unwrap().kind, FaultKind::Unsupported));
}
