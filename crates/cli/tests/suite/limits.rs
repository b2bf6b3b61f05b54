//! Limits hold in every command: time is at most the limit plus a second, memory at most one and a
//! half times the limit, and one signal is enough. Without limits, these runs would take hours or
//! all memory.

#![cfg(unix)]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use crate::common::{
    command, finish,
    limited::{MEGABYTE, run, run_by_all_means, start, wait},
    scratch,
};

/// A time limit that is long enough to load the models and to begin with what takes hours.
const SECONDS: f64 = 0.4;
const LIMIT: &str = "0.4";

/// How long a busy machine may take to stop after a signal.
const MAX_STOP_TIME: Duration = Duration::from_secs(20);

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::write(folder.join(name), text).unwrap();
    folder.join(name)
}

/// A network with too many states to explore.
const ENDLESS: &str = "int n[9], m[9]; process P(const int[0,8] i) { state a; init a; trans a -> a { assign n[i] = (n[i] + 1) % 99, m[i] = n[i]; }; } \
                       system P;";

/// A sender, and receivers that may each choose between two edges.
fn broadcast(receivers: usize) -> String {
    format!(
        "broadcast chan c; int[0,1] v[{receivers}];
         process P() {{ state s; init s; trans s -> s {{ sync c!; }}; }}
         process Q(const int[0,{}] i) {{ state s; init s;
           trans s -> s {{ sync c?; assign v[i] = 0; }}, s -> s {{ sync c?; assign v[i] = 1; }}; }}
         system P, Q;",
        receivers - 1
    )
}

/// A certificate of one state, which has 2^40 transitions.
fn endless_certificate() -> String {
    let places = (0..40).map(|i| format!(" Q({i}).s")).collect::<String>();
    let values = (0..40).map(|i| format!(" v[{i}]=0")).collect::<String>();
    format!(
        "merkhet certificate 1\n\nquery \"E<> false\"\nanswer not satisfied\nproof cover\nat P.s{places}{values}\nin\n\
         end 1 row 1 zone\n\nend certificate\n"
    )
}

/// Functions that call each other twice: exponential time without loops.
fn calls(depth: usize) -> String {
    let mut text = "int f0() { return 1; }\n".to_owned();
    for i in 1..=depth {
        writeln!(text, "int f{i}() {{ return (f{}() + f{}()) % 7; }}", i - 1, i - 1).unwrap();
    }
    text
}

/// A network in which `choices` senders of an urgent channel stop time at different moments.
fn urgent(choices: usize) -> String {
    format!(
        "clock x[3]; broadcast chan c0; urgent chan c1;
         process P0() {{ state l0 {{ x[0] < 2 }}, l1; init l0;
           trans l0 -> l1 {{ assign x[1] = 0; }}, l1 -> l0 {{ }},
             l1 -> l0 {{ select s : int[1,{choices}]; guard x[0] <= 1; sync c1!; }}; }}
         process P1() {{ state l0, l1; init l0;
           trans l0 -> l1 {{ sync c0!; assign x[2] = 0; }}, l1 -> l0 {{ guard x[2] - x[0] > 2; sync c1?; }},
             l1 -> l0 {{ }}, l0 -> l1 {{ assign x[0] = 2; }}; }}
         process P2() {{ state l0, l1; urgent l1; init l0;
           trans l0 -> l1 {{ guard x[2] >= x[1]; sync c1?; }}, l0 -> l0 {{ guard x[2] - x[1] > 2; sync c1?; }}; }}
         system P0, P1, P2;"
    )
}

#[test]
fn joined_zones_with_many_urgent_moments_are_certified() {
    let folder = scratch("limits-certify");
    write(&folder, "m.xta", &urgent(12));
    for query in ["A[] not deadlock", "E<> deadlock"] {
        let words = ["verify", "m.xta", "-q", query, "--update", "join", "--certificate", "c"];
        assert!(run(&folder, &words).status.is_some_and(|status| status < 2));
        run(&folder, &["certify", "m.xta", "c"]).says(0, "proved: ");
    }
}

#[test]
fn verify_keeps_limits() {
    let folder = scratch("limits-verify");
    write(&folder, "m.xta", ENDLESS);
    let query = ["-q", "A[] n[0] == m[0]", "--order", "bfs"];
    let words = |limit: [&'static str; 2]| [&["verify", "m.xta"], &query[..], &limit[..]].concat();
    run(&folder, &words(["--time-limit", LIMIT])).says(2, "unknown: the time limit was reached").in_time(SECONDS);
    run(&folder, &words(["--memory-limit", "30M"])).says(2, "the memory limit was reached").within(30 * MEGABYTE);
    // Queries that share a search share its time limit.
    let shared = ["-q", "A[] n[1] == m[1]", "-q", "A[] n[2] == m[2]", "-q", "A[] n[3] == m[3]"];
    run(&folder, &[&words(["--time-limit", LIMIT]), &shared[..]].concat())
        .says(2, "4 queries: 4 unknown")
        .in_time(SECONDS);
    // Successors that do not fit into memory, and long rows.
    write(&folder, "b.xta", &broadcast(40));
    let words = ["verify", "b.xta", "-q", "E<> false", "--memory-limit", "60M"];
    run(&folder, &words).says(2, "the memory limit was reached").within(60 * MEGABYTE);
    run(&folder, &["verify", "b.xta", "-q", "E<> false", "--time-limit", LIMIT])
        .says(2, "the time limit was reached")
        .in_time(SECONDS);
    write(&folder, "p.xta", "process P(const int[1,6000] i) { state s, t; init s; trans s -> t { }; } system P;");
    // Rows of 6000 processes grow faster than they are counted.
    let words = ["verify", "p.xta", "-q", "E<> P(1).t && P(2).t", "--memory-limit", "60M", "--time-limit", "20"];
    let end = run_by_all_means(&folder, &words);
    assert!(end.status.is_some_and(|status| status <= 2), "{}", end.text);
    end.within(60 * MEGABYTE);
    // Slow guards, with and without loops.
    let slow = "bool slow() { int i = 0; while (i >= 0) { i = (i + 1) % 30000; } return true; }";
    for code in [slow.to_owned(), format!("{} bool slow() {{ return f60() > 9; }}", calls(60))] {
        let process = "process P() { state s; init s; trans s -> s { guard slow(); }; } system P;";
        write(&folder, "g.xta", &format!("{code} {process}"));
        let end = run(&folder, &["verify", "g.xta", "-q", "E<> false", "--time-limit", LIMIT]);
        end.says(2, "unknown: ").in_time(SECONDS);
    }
}

#[test]
fn loading_keeps_limits() {
    let folder = scratch("limits-load");
    // Structs that contain another struct twice.
    let mut structs = "typedef struct { int a; } s0;\n".to_owned();
    for i in 1..=28 {
        writeln!(structs, "typedef struct {{ s{} x; s{} y; }} s{i};", i - 1, i - 1).unwrap();
    }
    for (depth, says) in [(24, "too many numbers in a state"), (28, "a struct is too large")] {
        write(&folder, "s.xta", &format!("{structs} s{depth} v; process P() {{ state s; init s; }} system P;"));
        run(&folder, &["check", "s.xta"]).says(3, says).within(100 * MEGABYTE);
    }
    // Edges, processes, expanded quantifiers, and variables.
    let select = "process P() { int v; state s; init s; trans s -> s { select i : int[1,4000000]; assign v = i % 7; }; } system P;";
    let processes = "process P(const int[1,60000] i) { int a[20]; state s, t; init s; trans s -> t { assign a[3] = i % 9; }; } system P;";
    let quantifier = "clock x[9]; process P() { state s; init s; trans s -> s {
                      guard forall (i : int[0,999]) forall (j : int[0,999]) forall (k : int[0,99]) x[(i + j + k) % 9] > i; }; } system P;";
    let variables = "int v[2000][2000]; process P() { state s; init s; } system P;";
    for text in [select, processes, quantifier, variables] {
        write(&folder, "m.xta", text);
        for command in ["check", "convert", "simulate", "verify", "graph"] {
            let mut words = vec![command, "m.xta", "--memory-limit", "20M", "--time-limit", "90"];
            words.extend(match command {
                "convert" => &["-o", "c.xml"][..],
                "verify" => &["-q", "E<> false"],
                "graph" => &["--states"],
                _ => &[],
            });
            // Counted memory is reported at its place in the model. Other memory is noticed all the
            // same.
            let says = if text == select || text == variables { "the model takes more than 20 MiB" } else { "memory" };
            run(&folder, &words).says(2, says).within(20 * MEGABYTE);
            assert!(!folder.join("c.xml").exists());
        }
    }
    // Slow initial values, with the fixed limit of the evaluator.
    write(&folder, "i.xta", &format!("{} int v = f60(); process P() {{ state s; init s; }} system P;", calls(60)));
    run(&folder, &["check", "i.xta"]).says(3, "no end after");
}

/// A limit that is reached before the model is loaded is the answer to every query, in every
/// format, and it is explained once.
#[test]
fn a_limit_reached_while_loading_is_an_answer() {
    let folder = scratch("limits-answer");
    // This memory is counted, so the result does not depend on the speed of the machine.
    let select = "process P() { int v; state s; init s; trans s -> s { select i : int[1,4000000]; assign v = i % 7; }; } system P;";
    write(&folder, "m.xta", select);
    write(&folder, "q", "E<> P.s\nA[] true\n");
    write(&folder, "t", "{}");
    let why = "the memory limit was reached while the model was loaded";
    let verify = ["verify", "m.xta", "q", "--memory-limit", "20M"];
    for format in ["text", "json", "junit", "sarif"] {
        let end = run(&folder, &[&verify[..], &["--format", format]].concat());
        end.says(2, why);
        assert!(end.text.matches(why).count() >= 2, "{}", end.text);
        // The place is reported once: JUnit has no field for it.
        let notes = end.text.matches("the model takes more than 20 MiB").count();
        assert_eq!(notes, usize::from(format != "junit"), "{}", end.text);
    }
    run(&folder, &[&verify[..], &["-q", "E<> ("]].concat()).says(3, "3 queries: 2 unknown, 1 refused");
    let proof = run(&folder, &[&verify[..], &["--certificate", "c", "--trace-file", "d"]].concat());
    proof.says(2, "no certificate: the model was not loaded").says(2, "`c` was not written");
    for (words, says) in [
        (&["check", "m.xta", "-q", "E<> P.s"][..], "m.xta: unknown: the memory limit was reached"),
        (&["check", "m.xta", "-q", "E<> P.s", "--format", "json"], "\"code\": \"memory-limit\""),
        (&["convert", "m.xta", "-o", "x.xml"], "the memory limit was reached"),
        (&["graph", "m.xta", "--states"], "the memory limit was reached"),
        (&["simulate", "m.xta"], "the memory limit was reached"),
        (&["simulate", "m.xta", "--format", "json"], why),
        (&["replay", "m.xta", "t"], "the memory limit was reached"),
        (&["replay", "m.xta", "t", "--format", "json"], why),
        (&["certify", "m.xta", "t"], "the memory limit was reached"),
        (&["certify", "m.xta", "t", "--format", "json"], why),
    ] {
        let end = run(&folder, &[words, &["--memory-limit", "20M"]].concat());
        end.says(2, says);
        assert_eq!(end.text.matches("the model takes more than 20 MiB").count(), 1, "{words:?}: {}", end.text);
    }
    // A limit of zero seconds is reached while the model is loaded, or after that.
    write(&folder, "e.xta", ENDLESS);
    for format in ["text", "json", "junit", "sarif"] {
        let words = ["verify", "e.xta", "-q", "A[] n[0] == m[0]", "-q", "A[] n[1] == m[1]", "--time-limit", "0"];
        let end = run(&folder, &[&words[..], &["--format", format]].concat());
        end.says(2, "the time limit was reached");
        assert!(end.text.matches("the time limit was reached").count() >= 2, "{}", end.text);
    }
    write(&folder, "n", "A[] n[0] == m[0]\n");
    run(&folder, &["verifyta", "--time-limit", "0", "e.xta", "n"])
        .says(2, "The verification was given up: the time limit was reached");
    for words in [
        &["check", "e.xta"][..],
        &["convert", "e.xta", "--to", "xml", "-o", "-"],
        &["simulate", "e.xta", "--random", "3"],
    ] {
        let end = run(&folder, &[words, &["--time-limit", "0"]].concat());
        assert!(end.status == Some(0) || end.status == Some(2), "{words:?}: {}", end.text);
        assert_eq!(end.status == Some(2), end.text.contains("the time limit was reached"), "{words:?}: {}", end.text);
    }
}

#[test]
fn the_other_commands_keep_limits() {
    let folder = scratch("limits-others");
    write(&folder, "m.xta", ENDLESS);
    write(&folder, "b.xta", &broadcast(40));
    write(&folder, "q", "A[] n[0] == m[0]\n");
    write(&folder, "c", &endless_certificate());
    let limited = |words: &[&str]| {
        run(&folder, &[words, &["--time-limit", LIMIT]].concat())
            .says(2, "the time limit was reached")
            .in_time(SECONDS);
        run(&folder, &[words, &["--memory-limit", "16M"]].concat())
            .says(2, "the memory limit was reached")
            .within(16 * MEGABYTE);
    };
    limited(&["certify", "b.xta", "c"]);
    limited(&["graph", "m.xta", "--states", "--state-limit", "100000000"]);
    limited(&["verifyta", "m.xta", "q"]);
    // Priorities and joins compute all successors of a state at once.
    let priorities = broadcast(40).replace("broadcast chan c;", "broadcast chan c; chan d; chan priority d < c;");
    write(&folder, "p.xta", &priorities);
    limited(&["verify", "p.xta", "-q", "E<> false"]);
    limited(&["verify", "p.xta", "-q", "A<> false"]);
    limited(&["verify", "b.xta", "-q", "E<> false", "--update", "join"]);
}

/// Slow phases of each command other than the search.
#[test]
fn every_phase_keeps_the_time_limit() {
    let folder = scratch("limits-phases");
    // Laws of lattices of the library, and of one that the model defines.
    write(&folder, "zones.xta", "extern Z = Zone(31); Z z; process P() { state s; init s; } system P;");
    let slow = "typedef struct { int[0,9] a; int[0,9] b; int[0,9] c; } S;
        bool below(S x, S y) { int i = 0; while (i < 9000) { i++; } return x.a <= y.a && x.b <= y.b && x.c <= y.c; }
        S both(S x, S y) { S z; z.a = x.a >? y.a; z.b = x.b >? y.b; z.c = x.c >? y.c; return z; }
        extern L = Lattice(S, below, both); L z; process P() { state s; init s; } system P;";
    write(&folder, "own.xta", slow);
    for model in ["zones.xta", "own.xta"] {
        let end = run(&folder, &["check", model, "--laws", "--time-limit", LIMIT]);
        end.says(2, &format!("{model}: unknown: the time limit was reached")).in_time(SECONDS);
        assert!(!end.text.contains("lattice-law"), "{}", end.text);
    }
    // Large models: reading, checking, drawing and writing them.
    let mut large = "int v; clock x;\nprocess P() {\nstate s0".to_owned();
    let states = 150_000;
    (1..states).for_each(|i| write!(large, ", s{i}").unwrap());
    large.push_str(";\ninit s0;\ntrans\n");
    for i in 0..states {
        let (from, to) = (i, (i * 7 + 1) % states);
        let comma = if i > 0 { ",\n" } else { "" };
        write!(
            large,
            "{comma}s{from} -> s{to} {{ guard v < {} && x >= {}; assign v = (v + {i}) % 99; }}",
            i % 90,
            i % 50
        )
        .unwrap();
    }
    large.push_str(";\n}\nsystem P;\n");
    write(&folder, "large.xta", &large);
    for limit in [0.2, 1.5] {
        for words in [
            &["check", "large.xta"][..],
            &["graph", "large.xta", "-o", "x.svg"],
            &["graph", "large.xta", "-o", "x.dot"],
            &["convert", "large.xta", "-o", "x.xml"],
            &["verify", "large.xta", "-q", "E<> P.s77777 && v == 98"],
        ] {
            let text = limit.to_string();
            let end = run(&folder, &[words, &["--time-limit", &text]].concat());
            end.in_time(limit);
            // A fast machine finishes.
            let stopped = end.status == Some(2) && end.text.contains("the time limit was reached");
            assert!(stopped || end.status.is_some_and(|status| status < 2), "{words:?}: {}", end.text);
            let is_there = ["x.svg", "x.dot", "x.xml"].map(|name| fs::remove_file(folder.join(name)).is_ok());
            assert!(!stopped || is_there == [false; 3], "{words:?} has written a file");
        }
    }
    // A state space that is fast to explore and slow to draw.
    let counters = "int[0,99] n[3]; process P(const int[0,2] i) { state a; init a;
                    trans a -> a { guard n[i] < 60; assign n[i]++; }; } system P;";
    write(&folder, "counters.xta", counters);
    let words = ["graph", "counters.xta", "--states", "--state-limit", "1000000", "-o", "x.svg", "--time-limit", "1.5"];
    run(&folder, &words).in_time(1.5);
}

/// Ten thousand philosophers: reading the net, generating its automata, reading, checking and
/// lowering them, reducing the net, and generating formulas take seconds each.
#[test]
fn large_nets_keep_the_time_limit() {
    let folder = scratch("limits-net");
    let mut net = String::from("net p\n");
    let n = 10_000;
    for i in 0..n {
        let j = (i + 1) % n;
        writeln!(net, "tr a{i} [0,w[ think{i} fork{i} -> has{i}\ntr b{i} [0,w[ has{i} fork{j} -> eat{i}").unwrap();
        writeln!(net, "tr c{i} [1,2] eat{i} -> think{i} fork{i} fork{j}\npl think{i} (1)\npl fork{i} (1)").unwrap();
    }
    write(&folder, "p.net", &net);
    for limit in [0.3, 1.2, 3.0] {
        let text = limit.to_string();
        let words = ["verify", "p.net", "-q", "A[] eat3 + eat4 <= 1", "--engine", "smt", "--time-limit", &text];
        run(&folder, &words).says(2, "unknown: the time limit was reached").in_time(limit);
    }
}

/// Limits apply to replaying a trace, too.
#[test]
fn replay_keeps_limits() {
    let folder = scratch("limits-replay");
    // Each step of the trace is slow to replay, but fast to find.
    let slow = "int n;
                bool slow() { int i, j; while (j < 20) { i = 0; while (i < 20000) { i++; } j++; } return true; }
                process P() { state a; init a; trans a -> a { guard slow(); assign n = (n + 1) % 3000; }; } system P;";
    let quick = slow.replace("j < 20", "j < 0");
    write(&folder, "m.xta", &quick);
    let words = ["verify", "m.xta", "-q", "E<> n == 2999", "--trace-file", "t.json"];
    assert_eq!(finish(command(&folder).args(words), b"").status, 0);
    write(&folder, "m.xta", slow);
    for format in ["text", "json"] {
        let words = ["replay", "m.xta", "t.json", "--format", format, "--time-limit", LIMIT];
        run(&folder, &words).says(2, "the time limit was reached").in_time(SECONDS);
    }
    let words = ["simulate", "m.xta", "--random", "100000", "--time-limit", LIMIT];
    run(&folder, &words).says(2, "the time limit was reached").in_time(SECONDS);
    let words = ["replay", "m.xta", "t.json", "--memory-limit", "16M", "--time-limit", LIMIT];
    run(&folder, &words).within(16 * MEGABYTE);
}

/// A clock difference that is compared with a variable is compared with each of its values, and
/// zones are split at each.
#[test]
fn differences_and_large_ranges_keep_limits() {
    let folder = scratch("limits-differences");
    let with = |range: &str| {
        let text = format!(
            "clock x, y; {range} v; process P() {{ state a, b; init a;
               trans a -> a {{ guard v < 3; assign v++, y = 0; }}, a -> b {{ guard x - y <= v && v == 3; }}; }} system P;"
        );
        write(&folder, "m.xta", &text);
    };
    with("int[0,20]");
    run(&folder, &["verify", "m.xta", "-q", "E<> P.b"]).says(0, "satisfied");
    // Too many zones to explore, and then too many even to list.
    with("int");
    let words = ["verify", "m.xta", "-q", "E<> P.b", "-q", "E[] P.a", "--time-limit", LIMIT, "--memory-limit", "100M"];
    run(&folder, &words).in_time(2.0).within(100 * MEGABYTE);
    with("int[-3000000,3000000]");
    for query in ["E<> P.b", "A<> P.b"] {
        run(&folder, &["verify", "m.xta", "-q", query]).says(2, "which is too many for zones");
    }
    run(&folder, &["graph", "m.xta", "--states"]).says(2, "which is too many for zones");
}

#[test]
fn one_signal_is_enough() {
    let folder = scratch("limits-signal");
    write(&folder, "m.xta", ENDLESS);
    write(&folder, "b.xta", &broadcast(40));
    write(&folder, "q", "A[] n[0] == m[0]\n");
    let commands: [&[&str]; 7] = [
        &["verify", "m.xta", "-q", "A[] n[0] == m[0]"],
        &["verify", "b.xta", "-q", "E<> false", "--memory-limit", "4G"],
        &["verifyta", "m.xta", "q"],
        &["graph", "m.xta", "--states", "--state-limit", "100000000"],
        &["simulate", "m.xta"],
        &["check", "z.xta", "--laws"],
        &["certify", "b.xta", "c"],
    ];
    write(&folder, "z.xta", "extern Z = Zone(31); Z z; process P() { state s; init s; } system P;");
    write(&folder, "c", &endless_certificate());
    for words in commands {
        for signal in ["-INT", "-TERM"] {
            let child = start(&folder, words);
            thread::sleep(Duration::from_millis(300));
            assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
            let end = wait(&folder, child);
            assert!(end.time < MAX_STOP_TIME, "{words:?} {signal}: {:?}", end.time);
        }
    }
}
