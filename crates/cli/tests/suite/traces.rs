//! Every trace that is shown or written can be replayed, or is reported as spurious.

use std::{collections::BTreeMap, fs, path::Path};

use crate::common::{Run, run_in, scratch};
use oracle::random::{self, Rng};
use serde_json::Value;

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[track_caller]
fn says(run: &Run, status: i32, words: &[&str]) {
    assert_eq!(run.status, status, "{run:?}");
    for word in words {
        assert!(run.out.contains(word) || run.err.contains(word), "no {word:?} in {run:?}");
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in {text:?}"))
}

/// The outcomes of the traces of some queries: `ok`, `spurious`, or a path without a trace.
type Seen = BTreeMap<String, usize>;

/// Answers queries about `m.xta`, and replays every trace.
fn examine(folder: &Path, queries: &[String], options: &[&str], seen: &mut Seen) -> Result<(), String> {
    let _ = fs::remove_file(folder.join("t"));
    fs::write(folder.join("q"), queries.join("\n")).unwrap();
    let mut args = vec!["verify", "m.xta", "q", "--trace-file", "t", "--state-limit", "4000", "--format", "json"];
    args.extend(options);
    let run = run_in(folder, &args);
    if run.status > 2 {
        return Err(format!("{args:?}: {run:?}"));
    }
    let mut shown = 0;
    for result in json(&run.out)["results"].as_array().unwrap() {
        let (trace, answer) = (&result["trace"], &result["answer"]);
        if result["note"].as_str().is_some_and(|note| note.contains("no trace:")) {
            *seen.entry(format!("no trace for {}", kind(result))).or_default() += 1;
        }
        if trace.is_null() {
            continue;
        }
        shown += 1;
        let spurious = trace["spurious"] == true;
        if spurious != trace["last_delay"].is_null() || spurious && answer != "unknown" {
            return Err(format!("{args:?}: {result}"));
        }
    }
    if shown == 0 {
        return Ok(());
    }
    let replayed = run_in(folder, &["replay", "m.xta", "t", "--format", "json"]);
    let results = json(&replayed.out)["results"].clone();
    if results.as_array().unwrap().len() != shown {
        return Err(format!("{args:?}: {shown} traces, but {replayed:?}"));
    }
    for result in results.as_array().unwrap() {
        let outcome = result["outcome"].as_str().unwrap();
        if outcome != "ok" && outcome != "spurious" {
            return Err(format!("{args:?}: {result}"));
        }
        *seen.entry(format!("{outcome} for {}, {}", kind(result), result["answer"])).or_default() += 1;
    }
    Ok(())
}

/// `E<>`, `E[]`, …
fn kind(result: &Value) -> &str {
    let query = result["query"].as_str().unwrap();
    if query.contains("-->") { "-->" } else { query.split_whitespace().next().unwrap() }
}

#[test]
fn traces_of_random_networks_replay() {
    let folder = scratch("traces-random");
    let (mut seen, mut wrong) = (Seen::new(), Vec::new());
    let everything =
        random::NetworkFeatures { stopwatches: true, faults: true, liveness: true, ..random::NetworkFeatures::all() };
    let kinds = ["some", "short", "shortest", "fastest"];
    for seed in oracle::seeds(0..cases()) {
        let mut rng = Rng::new(seed ^ 0x7ace);
        let options = random::NetworkFeatures { liveness: true, ..everything.some(&mut rng) };
        let net = random::network(seed, &options);
        let (text, mut queries) = (net.text(), net.queries());
        // An update that leaves a range fails here too.
        if text.split("process").next().is_some_and(|globals| globals.contains(" v0")) {
            queries.push("sup: v0".to_owned());
        }
        fs::write(folder.join("m.xta"), &text).unwrap();
        let mut options = vec!["--trace", kinds[seed as usize % 4]];
        if seed % 5 == 4 {
            options.extend(["--update", "join"]);
        }
        if let Err(why) = examine(&folder, &queries, &options, &mut seen) {
            wrong.push(format!("seed {seed}\n{text}\n{why}"));
        }
    }
    println!("{seen:#?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    assert!(
        ["E<>", "A[]", "E[]", "A<>", "-->"].iter().all(|k| seen.keys().any(|s| s.starts_with(&format!("ok for {k},"))))
    );
}

#[test]
fn delays_that_converge_are_found() {
    let folder = scratch("traces-converge");
    let mut seen = Seen::new();
    for (invariant, guard, update) in [
        ("x < 1", "true", "x = 0"),
        ("x < 1", "true", "y = 1"),
        ("x < 1", "y > 0", "y = 0"),
        ("x < 1", "x > 0", "x = 0"),
        ("x <= 1 && y < 3", "x > 0 && x < 1", "x = 0"),
        ("x < 2", "y > 0 && y < 1 && n < 90", "y = 0, n = n + 1"),
    ] {
        let model = format!(
            "clock x, y; int[0,90] n; process P() {{ state l {{ {invariant} }}; init l; \
             trans l -> l {{ guard {guard}; assign {update}; }}; }} system P;"
        );
        fs::write(folder.join("m.xta"), &model).unwrap();
        let queries = [
            "x > 0 --> false",
            "y > 0 --> x > 7",
            "x > 0 && x < 1 --> n == 91",
            "E[] x < 2",
            "A<> y > 9",
            "E<> n == 90",
            "E<> x > 0 && y > 0 && x < 1",
            "A[] x == 0",
            "A<> x > 5 && y > 5",
            "n > 60 --> n < 3",
        ];
        let queries: Vec<String> = queries.iter().map(|q| (*q).to_owned()).collect();
        for kind in ["some", "short", "shortest", "fastest"] {
            examine(&folder, &queries, &["--trace", kind], &mut seen).unwrap();
        }
    }
    println!("{seen:#?}");
    assert!(seen.keys().all(|outcome| outcome.starts_with("ok")), "{seen:#?}");
}

#[test]
fn clock_differences_may_be_large() {
    let folder = scratch("traces-far");
    let mut seen = Seen::new();
    for seed in oracle::seeds(0..8) {
        let mut rng = Rng::new(seed);
        // Rounds of almost 2^27 units; after 40 of them differences have more than 32 bits.
        let period = (1 << 27) - 1 - *rng.pick(&[0, 1, 5, 1000]);
        let rounds = *rng.pick(&[33, 40, 70]);
        let reset = *rng.pick(&["z = 0", "z = y", "z = 7", "w = 0"]);
        let urgent = if rng.chance(50) { "urgent " } else { "" };
        let model = format!(
            "clock x, y, z, w; int[0,{rounds}] n; {urgent}chan c;
             process P() {{ state a {{ y <= {period} }}, b; init a;
               trans a -> a {{ guard y >= {period} && n < {rounds}; assign y = 0, n = n + 1; }},
                     a -> a {{ guard y == 3 && n % 3 == 1; assign {reset}; }},
                     a -> b {{ guard n == {rounds}; sync c!; }}; }}
             process Q() {{ state a; init a; trans a -> a {{ sync c?; }}; }} system P, Q;"
        );
        fs::write(folder.join("m.xta"), &model).unwrap();
        let queries = [
            format!("E<> n == {rounds}"),
            "E<> P.b".to_owned(),
            "A[] not P.b".to_owned(),
            "A<> n == 0 && P.b".to_owned(),
            "n == 3 --> P.b && n == 0".to_owned(),
            "E[] x >= z - 9".to_owned(),
            "E<> P.b && deadlock".to_owned(),
        ];
        examine(&folder, &queries, &["--trace", "some"], &mut seen).unwrap();
    }
    println!("{seen:#?}");
    assert!(seen.keys().all(|outcome| outcome.starts_with("ok")), "{seen:#?}");
}

#[test]
fn undecided_replays_are_unknown() {
    let folder = scratch("traces-digits");
    let model = "clock x; process P() { state a; init a; trans a -> a { guard x > 0; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    run_in(&folder, &["verify", "m.xta", "-q", "E<> x > 3", "--trace-file", "t"]).succeeds();
    let mut file = json(&fs::read_to_string(folder.join("t")).unwrap());
    let trace = file.pointer_mut("/traces/0/trace").unwrap();
    let edge = json(r#"{"process":"P","source":"a","target":"a","sync":null,"edge":0,"branch":null,"select":[]}"#);
    let step = |delay: &str| {
        Value::from_iter([
            ("delay".to_owned(), Value::from(delay)),
            ("edges".to_owned(), Value::Array(vec![edge.clone()])),
            ("changes".to_owned(), Value::Array(Vec::new())),
            ("clocks".to_owned(), Value::Null),
        ])
    };
    // The sum of these has a denominator of 126 bits.
    trace["steps"] = Value::Array(vec![step("1/9223372036854775807"), step("1/9223372036854775783")]);
    trace["length"] = Value::from(2);
    fs::write(folder.join("u"), file.to_string()).unwrap();
    says(&run_in(&folder, &["replay", "m.xta", "u"]), 2, &["unknown: step 2: times have too many digits"]);
    let replayed = run_in(&folder, &["replay", "m.xta", "u", "--format", "json"]);
    let replayed = &json(&replayed.out)["results"][0];
    assert_eq!(
        (&replayed["outcome"], &replayed["ok"], &replayed["step"]),
        (&"unknown".into(), &false.into(), &2.into())
    );
}

#[test]
fn spurious_traces_say_so() {
    let folder = scratch("traces-spurious");
    // In `b`, m - n is the value of s, which no zone expresses.
    let model = "clock m, n, s; process P() { state a, b { s' == 0 }, c; init a; trans a -> b { guard s <= 10; assign n = 0; }, \
                 b -> c { guard s == 2 && m - n == 7; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let run = run_in(&folder, &["verify", "m.xta", "-q", "E<> P.c", "--trace", "some", "--trace-file", "t"]);
    says(
        &run,
        2,
        &["may be unreachable, because of stopwatches", "spurious trace with 2 transitions: not a run of the model"],
    );
    let file = json(&fs::read_to_string(folder.join("t")).unwrap());
    assert_eq!(file["traces"][0]["trace"]["spurious"], true);
    let replayed = run_in(&folder, &["replay", "m.xta", "t"]);
    says(&replayed, 2, &["  spurious trace: not a run of the model\n"]);
    let replayed = run_in(&folder, &["replay", "m.xta", "t", "--format", "json"]);
    assert_eq!(json(&replayed.out)["results"][0]["outcome"], "spurious");
    let script = crate::common::finish(crate::common::command(&folder).args(["simulate", "m.xta"]), b"load t\n");
    assert!(format!("{script:?}").contains("trace 1 of `t` is spurious: not a run of the model"), "{script:?}");
}

#[test]
fn an_initial_state_that_violates_an_invariant_is_not_skipped() {
    let folder = scratch("traces-start");
    let says_it = "the initial state violates the invariant of `a`";
    for (declaration, invariant) in [
        ("int v = 0; clock x;", "v > 0 && x <= 5"),
        ("int v = 2; clock x;", "x >= v"),
        ("clock x = 4;", "x < 4"),
        ("clock c[2]; int i = 1;", "c[i] > 0"),
        ("int v; clock x; bool bad() { return v > 3; }", "bad() && x <= 5"),
    ] {
        let model = format!(
            "{declaration} process P() {{ state a {{ {invariant} }}, b; init a; trans a -> b {{ }}; }} system P;\n"
        );
        fs::write(folder.join("m.xta"), &model).unwrap();
        fs::write(folder.join("q"), "E<> true\n").unwrap();
        says(&run_in(&folder, &["check", "m.xta"]), 0, &[says_it]);
        for engine in ["zones", "smt"] {
            for (query, status) in [("E<> true", 1), ("A[] false", 0), ("E<> P.b", 1)] {
                let run = run_in(&folder, &["verify", "m.xta", "-q", query, "--engine", engine, "--certificate", "c"]);
                says(&run, status, &[says_it]);
                run_in(&folder, &["certify", "m.xta", "c"]).succeeds();
            }
        }
        for (query, status) in [("E[] true", 1), ("A<> false", 0), ("true --> false", 0), ("sup: 1", 0)] {
            let run = run_in(&folder, &["verify", "m.xta", "-q", query, "--format", "json"]);
            says(&run, status, &[says_it]);
            assert_eq!(json(&run.out)["diagnostics"][0]["code"], "violated-invariant", "{run:?}");
        }
        says(&run_in(&folder, &["verifyta", "m.xta", "q"]), 3, &["The initial state violates the invariant of `a`"]);
        says(&run_in(&folder, &["simulate", "m.xta"]), 3, &["the initial state violates"]);
        says(&run_in(&folder, &["graph", "--states", "m.xta"]), 0, &[says_it]);
    }
}
