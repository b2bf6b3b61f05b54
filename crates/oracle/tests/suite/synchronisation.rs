//! Channels of all kinds, and priorities.

use crate::common::expect;

#[test]
fn binary_synchronisation() {
    let decls = "chan c; int n = 1, m;";
    // The sender's update runs first, whatever the order of processes; guards are evaluated before
    // both.
    let sender = "process S() { state a, b; init a; trans a -> b { guard n == 1; sync c!; assign n = 2; }; }";
    let receiver = "process R() { state a, b; init a; trans a -> b { guard n == 1; sync c?; assign m = n * 10; }; }";
    for system in ["system S, R;", "system R, S;"] {
        expect(
            &format!("{decls} {sender} {receiver} {system}"),
            &[("E<> S.b && R.b && n == 2 && m == 20", true), ("A[] S.b == R.b", true), ("A[] S.b imply m == 20", true)],
        );
    }
    // Two processes participate, never one with itself; exactly one receiver does, any of them.
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
fn a_broadcast_reaches_all_enabled_receivers() {
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
    // No receiver is needed, and the sender does not receive its own broadcast.
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
fn a_target_invariant_of_a_receiver_forbids_the_broadcast() {
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
    // The invariant is evaluated after all updates, not between them.
    expect(
        "broadcast chan c; int n; process S() { state a, b { n == 0 }; init a; trans a -> b { sync c!; assign n = 1; }; }
         process R() { state a; init a; trans a -> a { sync c?; assign n = 0; }; } system S, R;",
        &[("E<> S.b", true)],
    );
}

#[test]
fn clock_guards_on_receivers_are_evaluated_at_the_broadcast() {
    expect(
        "broadcast chan c; clock x; process S() { state a, b; init a; trans a -> b { sync c!; assign x = 0; }; }
         process R() { state a, b; init a; trans a -> b { guard x > 1 && x < 2; sync c?; }; } system S, R;",
        &[("E<> S.b && R.b", true), ("E<> S.b && R.a", true)],
    );
    // With `x >= 1`, from 1 on, the broadcast can't leave the receiver out.
    expect(
        "broadcast chan c; clock x; process S() { state a, b { x >= 1 }; init a; trans a -> b { sync c!; }; }
         process R() { state a, b; init a; trans a -> b { guard x >= 1; sync c?; }; } system S, R;",
        &[("E<> S.b && R.b", true), ("E<> S.b && R.a", false)],
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
    // A receiver that can't participate does not count.
    expect(&model("guard open;"), &[("E<> P.b", false), ("A[] deadlock", true)]);
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
    // No first moment after 3 exists, so time can't pass beyond it.
    expect(
        &model("x > 3"),
        &[("E<> S.a && x == 3", true), ("E<> x > 3", false), ("E<> S.b", false), ("E<> deadlock", true)],
    );
    // After the interval, time may pass again.
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
    // The priority of the channel is compared before those of the processes.
    expect(
        &format!("{} system Low < Mid < High;", parts.replacen("int n;", "int n; chan priority c < default;", 1)),
        &[("A[] Low.b imply Mid.b", true), ("E<> Low.b", true)],
    );
}

#[test]
fn priorities_block_only_while_the_other_transition_exists() {
    // They do not block delays, nor before the guard holds, nor if an invariant forbids the
    // transition.
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
    // A committed location elsewhere disables the transition of higher priority.
    expect(
        "broadcast chan hi; chan priority default < hi; process P() { state s, t; init s; trans s -> t { sync hi!; }; }
         process Q() { state s, t; commit s; init s; trans s -> t { }; } system P, Q;",
        &[("E<> Q.t && P.s", true), ("E<> P.t && Q.s", false)],
    );
}
