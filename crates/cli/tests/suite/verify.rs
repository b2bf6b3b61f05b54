//! Queries and their answers, with the real binary.

use std::{fs, path::Path};

use crate::common::{Run, command, finish, models, run_in, run_with, scratch, ui};
use serde_json::Value;

/// Runs `merkhet verify` in the folder of models.
fn verify(args: &[&str]) -> Run {
    let mut all = vec!["verify"];
    all.extend(args);
    run_in(&models(""), &all)
}

/// Answers queries about a model given as text.
fn verify_text(model: &str, args: &[&str]) -> Run {
    let mut all = vec!["verify", "-"];
    all.extend(args);
    run_with(model.as_bytes(), &all)
}

#[track_caller]
fn ends_with(run: &Run, status: i32, words: &[&str]) {
    assert_eq!(run.status, status, "{run:?}");
    for word in words {
        assert!(run.out.contains(word) || run.err.contains(word), "no {word:?} in {run:?}");
    }
}

/// A counter that eventually leaves its range.
const COUNTER: &str = "int[0,3] n;\nprocess P() { state a; init a; trans a -> a { assign n++; }; }\nsystem P;\n";

#[test]
fn what_has_one_thread_says_so_if_more_are_wanted() {
    let note = "in one thread: ";
    let goal = "-qE<> P(1).critical";
    let alone: [&[&str]; 4] = [
        &[goal, "--order", "greedy"],
        &[goal, "--trace", "fastest"],
        &["-qP(1).request --> P(1).waiting"],
        &[goal, "--engine", "smt"],
    ];
    let shared: [&[&str]; 3] = [&[goal], &[goal, "--order", "auto"], &["-qsup: P(1).x"]];
    for (args, has_note) in alone.map(|args| (args, true)).into_iter().chain(shared.map(|args| (args, false))) {
        let run = verify(&[&["fischer.xta", "--threads", "2"], args].concat());
        assert_eq!(run.out.contains(note), has_note, "{args:?} {run:?}");
        let run = verify(&[&["fischer.xta", "--threads", "1"], args].concat());
        assert!(!run.out.contains(note), "{args:?} {run:?}");
    }
}

#[test]
fn the_example_models_have_the_answers_that_their_files_promise() {
    for (name, summary) in [("fischer", "3 queries: 3 satisfied\n"), ("bridge", "2 queries: 2 satisfied\n")] {
        let run = verify(&[&format!("{name}.xta"), &format!("{name}.q")]);
        assert!(run.succeeds().ends_with(summary), "{run:?}");
    }
    let run = verify(&["fischer_scalar.xta", "fischer_scalar.q"]);
    assert!(run.succeeds().ends_with("3 queries: 3 satisfied\n"), "{run:?}");
    for name in ["fischer-a", "fischer-b", "fischer-c", "hanoi", "cyclic", "dead-ends", "arbiter-tree", "plc"] {
        let run = verify(&[&format!("directed/{name}.xta"), &format!("directed/{name}.q")]);
        assert!(run.succeeds().ends_with("  satisfied\n\n"), "{run:?}");
    }
    let run = verify(&["train_gate.xta", "-q", "A[] Gate.waiting <= N", "-q", "E<> Train(0).Cross && Train(1).Stop"]);
    // The second answer is known first.
    let expected = "2: E<> Train(0).Cross && Train(1).Stop\n  satisfied\n\n1: A[] Gate.waiting <= N\n  satisfied\n\n\
                    2 queries: 2 satisfied\n";
    assert_eq!((run.succeeds(), run.err.as_str()), (expected, ""));
}

/// Returns how many states are stored for the deadlocks of Fischer's protocol with this many
/// processes.
fn stored(processes: u32, symmetry: &str) -> usize {
    let model = fs::read_to_string(models("").join("fischer_scalar.xta")).unwrap();
    let folder = scratch(&format!("symmetry-{processes}-{symmetry}"));
    fs::write(folder.join("f.xta"), model.replace("N = 4", &format!("N = {processes}"))).unwrap();
    let words = ["verify", "f.xta", "-q", "A[] not deadlock", "--symmetry", symmetry, "--format", "json"];
    let run = run_in(&folder, &words);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let result = &report["results"][0];
    assert_eq!((&result["answer"], &result["stats"]["symmetry"]), (&"satisfied".into(), &(symmetry == "on").into()));
    result["stats"]["stored"].as_u64().unwrap() as usize
}

#[test]
fn scalars_are_not_distinguished() {
    let with: Vec<usize> = (2..7).map(|n| stored(n, "on")).collect();
    assert_eq!(with, [13, 29, 54, 90, 139]);
    let without: Vec<usize> = (2..6).map(|n| stored(n, "off")).collect();
    assert_eq!(without, [26, 150, 920, 6280]);
    // Traces are runs of the original model, and the output says so.
    let text = fs::read_to_string(models("").join("fischer_scalar.xta")).unwrap().replace("x > K", "x > 0");
    let folder = scratch("symmetry-trace");
    fs::write(folder.join("f.xta"), text).unwrap();
    let query = "E<> exists (i : pid_t) exists (j : pid_t) (i != j && P(i).critical && P(j).critical)";
    let words = ["verify", "f.xta", "-q", query, "--stats", "--trace", "shortest", "--trace-file", "t"];
    let run = run_in(&folder, &words);
    assert!(run.succeeds().contains("; with symmetry reduction\n"), "{run:?}");
    assert!(run.out.contains("  trace with 6 transitions\n"), "{run:?}");
    let replayed = run_in(&folder, &["replay", "f.xta", "t"]);
    assert!(replayed.succeeds().contains("  ok: satisfied, by a run with "), "{replayed:?}");
}

/// A query that distinguishes scalars needs more states. The other queries do not.
#[test]
fn no_query_costs_another_one_states() {
    let query = "A[] forall (i : pid_t) 6 / (P(i).critical ? 2 : 3) < 4";
    for queries in [["A[] not deadlock", query], [query, "A[] not deadlock"]] {
        let run = verify(&["fischer_scalar.xta", "-q", queries[0], "-q", queries[1], "--format", "json"]);
        let report: Value = serde_json::from_str(run.succeeds()).unwrap();
        for (result, asked) in report["results"].as_array().unwrap().iter().zip(queries) {
            let (stored, symmetry) = if asked == query { (356, false) } else { (54, true) };
            assert_eq!(result["stats"]["stored"], stored, "{asked}: {result}");
            assert_eq!(result["stats"]["symmetry"], symmetry, "{asked}: {result}");
        }
    }
}

#[test]
fn every_setting_gives_the_same_answers() {
    let check = |order: &str, abstraction: &str, update: &str| {
        let settings = ["--order", order, "--abstraction", abstraction, "--update", update, "--seed", "7"];
        let run = verify(&[&["fischer.xta", "fischer.q"][..], &settings].concat());
        assert!(run.succeeds().ends_with("3 queries: 3 satisfied\n"), "{run:?}");
    };
    for order in ["bfs", "dfs", "random-dfs"] {
        for abstraction in ["auto", "alu", "extra-lu-plus", "extra-lu", "extra-m"] {
            check(order, abstraction, "cover");
        }
        // Without covering, termination needs extrapolated zones.
        for abstraction in ["extra-lu-plus", "extra-lu", "extra-m"] {
            check(order, abstraction, "simple");
        }
    }
}

#[test]
fn a_violated_property_has_a_trace() {
    let run = verify(&["train_gate.xta", "-q", "A[] Gate.waiting < 2", "--trace", "some", "--order", "bfs", "--stats"]);
    ends_with(
        &run,
        1,
        &[
            "A[] Gate.waiting < 2\n  NOT satisfied\n  explored ",
            "\n\n  trace with 2 transitions\n  start\n    Train(0).Safe, ",
            "    Train(0): Safe -> Appr  [appr[0]!]\n    Gate: Free -> Occupied  [appr[0]?]\n",
            "      Gate.waiting: 0 -> 1\n",
            "  end",
            "    Gate.waiting = 2, Gate.queue[1] = 1\n",
        ],
    );
    let quiet = verify(&["train_gate.xta", "-q", "A[] Gate.waiting < 2"]);
    assert_eq!((quiet.status, quiet.out.as_str()), (1, "A[] Gate.waiting < 2\n  NOT satisfied\n\n"));
}

#[test]
fn infinite_runs_and_bounds_are_reported() {
    let model = "clock x; int n; process P() { state a { x <= 2 }, b { x <= 1 }; init a;
                   trans a -> b { guard x >= 1; assign x = 0, n = 1; }, b -> b { guard x == 1; assign x = 0; }; } system P;";
    let run = verify_text(model, &["-q", "A<> x > 2", "--trace", "some"]);
    ends_with(&run, 1, &["A<> x > 2\n  NOT satisfied\n", "    P: b -> b\n", "  and so on: cycle from step 2\n\n"]);
    let run = verify_text(model, &["-q", "P.a && x > 1 --> P.a && x == 0", "--trace", "some"]);
    ends_with(&run, 1, &["  NOT satisfied\n", "cycle from step"]);
    let stuck = "clock x; process P() { state a { x < 2 }; init a; } system P;";
    ends_with(
        &verify_text(stuck, &["-q", "E[] x < 2", "--trace", "some"]),
        0,
        &["and then deadlock: no transition is possible\n"],
    );
    let run = verify_text(model, &["-q", "sup{P.a}: x, n", "-q", "inf: x  -  0 == 0 ? 1 : 2", "-q", "bounds: n"]);
    ends_with(&run, 3, &["  satisfied\n    x <= 2\n    n <= 0\n", "bounds: n\n  satisfied\n    0 <= n <= 1\n"]);
    let run = verify_text(model, &["-q", "sup{n > 5}: x"]);
    ends_with(&run, 0, &["  satisfied\n    no state satisfies the condition\n"]);
    let run = verify_text("clock x; process P() { state a; init a; } system P;", &["-q", "sup: x"]);
    ends_with(&run, 0, &["    x < inf\n"]);
}

#[test]
fn limits_make_answers_unknown() {
    let query = ["train_gate.xta", "-q", "A[] Gate.waiting <= N"];
    for (limit, value, why) in [
        ("--state-limit", "10", "unknown: the state limit was reached"),
        ("--memory-limit", "1", "unknown: the memory limit was reached"),
    ] {
        let mut args = query.to_vec();
        args.extend([limit, value]);
        ends_with(&verify(&args), 2, &[why]);
    }
    // The time limit may be reached before the model is read, which counts too.
    let mut args = query.to_vec();
    args.extend(["--time-limit", "0"]);
    let run = verify(&args);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(format!("{}{}", run.out, run.err).contains("the time limit was reached"), "{run:?}");
    let mut args = query.to_vec();
    args.extend(["--time-limit", "5m", "--memory-limit", "4G", "--state-limit", "100000"]);
    verify(&args).succeeds();
}

#[test]
fn errors_and_violations_outweigh_unknown_answers() {
    let (yes, no, wrong) = ("E<> Gate.Occupied", "A[] Gate.Free", "E<> Gate.Nowhere");
    let both = verify(&["train_gate.xta", "-q", yes, "-q", no]);
    ends_with(&both, 1, &["2 queries: 1 satisfied, 1 not satisfied\n"]);
    let all = verify(&["train_gate.xta", "-q", wrong, "-q", yes, "-q", no, "-q", "E<> ("]);
    ends_with(&all, 3, &["  refused\n", "--> <query 1>:1:", "4 queries: 1 satisfied, 1 not satisfied, 2 refused\n"]);
    let place = |text: &str| all.out.find(text).unwrap();
    assert!(place(wrong) < place(yes) && place(yes) < place(no), "{all:?}");
    let missing = verify(&["train_gate.xta", "none.q", "-q", yes]);
    ends_with(&missing, 3, &["can't read `none.q`", "  satisfied\n"]);
}

#[test]
fn without_queries_there_is_nothing_to_do() {
    let model = fs::read_to_string(models("").join("train_gate.xta")).unwrap();
    verify_text(&model, &[]).refuses("there is no query to answer");
    verify(&["train_gate.xta", "-q", ""]).refuses("there is no query here");
    let run = run_in(&ui(), &["verify", "lamp.xml"]);
    assert_ne!(run.status, 3, "the model contains queries: {run:?}");
    finish(command(&models("")).args(["verify", "-", "-"]), b"").refuses("read only once");
}

#[test]
fn a_wrong_model_has_no_answers() {
    let run = run_in(&ui(), &["verify", "broken.xta", "-q", "E<> true"]);
    run.refuses("error[");
    assert_eq!(run.out, "");
    let run = run_in(&ui(), &["verify", "broken.xta", "-q", "E<> true", "--format", "json"]);
    assert_eq!(run.status, 3);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["results"], serde_json::json!([]));
    assert!(!report["diagnostics"].as_array().unwrap().is_empty());
}

#[test]
fn a_model_with_unsupported_parts_has_no_answers() {
    let model = "process P() { hybrid clock h; clock x; state a { h' == 2 && x' == 3 }; init a; } system P;";
    let checked = run_with(model.as_bytes(), &["check", "-"]);
    let run = verify_text(model, &["-q", "E<> true"]);
    assert_eq!((run.status, run.out.as_str()), (3, ""), "{run:?}; {checked:?}");
}

#[test]
fn a_run_time_error_shows_its_place() {
    let run = verify_text(COUNTER, &["-q", "A[] n <= 3", "--trace", "some"]);
    ends_with(
        &run,
        2,
        &[
            "  unknown: run-time error: value 4 is outside of the range [0,3]\n",
            "error[run-time-error]: value 4 is outside of the range [0,3]\n",
            "<stdin>:2:",
            "  trace with 3 transitions\n",
            "      n: 2 -> 3\n",
        ],
    );
}

#[test]
fn clocks_of_traces_follow_the_updates() {
    let model = "clock x, y = 5; process P() { state a, b, c; init a; \
                 trans a -> b { guard x > 1; assign x = 3; }, b -> c { assign y = x; }; } system P;";
    let run = verify_text(model, &["-q", "E<> P.c", "--trace", "some", "--format", "json"]);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let trace = &report["results"][0]["trace"];
    assert_eq!(trace["length"], 2);
    assert_eq!(trace["start"]["clocks"][1], serde_json::json!({"name": "y", "value": "5"}));
    // The simplest moment after 1.
    assert_eq!(trace["steps"][0]["delay"], "2");
    assert_eq!(trace["steps"][0]["clocks"].to_string(), r#"[{"name":"x","value":"3"},{"name":"y","value":"7"}]"#);
    assert_eq!(trace["steps"][1]["clocks"][0]["value"], trace["steps"][1]["clocks"][1]["value"]);
}

#[test]
fn answers_are_coloured_on_demand() {
    let run = verify(&["fischer.xta", "-q", "E<> P(1).critical", "--color", "always"]);
    assert!(run.succeeds().contains("\x1b[1m\x1b[32msatisfied\x1b[0m"), "{run:?}");
}

#[test]
fn progress_is_for_terminals() {
    let folder = scratch("progress");
    // A state space that is not exhausted, so that there is progress to report.
    let model = "clock x[6]; int[0,99] n[9]; process P(const int[0,8] i) { state a; init a; \
                 trans a -> a { guard n[i] < 99; assign n[i]++; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let run = |when: &str| {
        let args = ["verify", "m.xta", "-q", "A[] true", "--time-limit", "3", "--progress", when, "--stats"];
        run_in(&folder, &args)
    };
    let silent = run("auto");
    ends_with(&silent, 2, &["unknown: the time limit was reached", "explored "]);
    assert_eq!(silent.err, "");
    ends_with(&run("always"), 2, &[" states explored (", " waiting, "]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_reports_its_results() {
    use std::{
        io::Read,
        process::{Command, Stdio},
    };
    let model = scratch("interrupt").join("m.xta");
    let text = "int n[6], m[6]; process P(const int[0,5] i) { state a; init a; trans a -> a { assign n[i] = (n[i] + 1) % 99, m[i] = n[i]; }; } \
                system P;";
    fs::write(&model, text).unwrap();
    let mut child = command(Path::new("."))
        .arg("verify")
        .arg(&model)
        .args(["-q", "A[] n[0] == m[0]", "--stats", "--memory-limit", "4G", "--progress", "always"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line of progress shows that the search runs, however slow the machine is.
    let mut err = child.stderr.take().unwrap();
    assert_eq!(err.read(&mut [0; 64]).unwrap().min(1), 1);
    std::thread::spawn(move || std::io::copy(&mut err, &mut std::io::sink()));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{out}");
    assert!(out.contains("unknown: interrupted\n  explored "), "{out}");
}

#[test]
fn options_are_listed() {
    for (topic, name) in [("orders", "random-dfs"), ("abstractions", "extra-lu-plus"), ("updates", "join")] {
        let text = run_with(b"", &["list", topic]);
        let json = run_with(b"", &["list", topic, "--format", "json"]);
        let json: Value = serde_json::from_str(json.succeeds()).unwrap();
        let rows = json["values"].as_array().unwrap();
        assert_eq!(rows.len(), text.succeeds().lines().count());
        assert!(rows.iter().any(|row| row["name"] == name) && rows.iter().all(|row| row["note"] != ""), "{json}");
    }
}

#[test]
fn the_bridge_is_crossed_in_an_hour() {
    let run = verify(&["bridge.xta", "bridge.q", "--trace", "some", "--format", "json"]);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let trace = &report["results"][0]["trace"];
    assert_eq!(trace["end"]["clocks"][0], serde_json::json!({"name": "time", "value": "60"}));
    let delays = trace["steps"].as_array().unwrap().iter().map(|step| &step["delay"]).chain([&trace["last_delay"]]);
    assert_eq!(delays.map(|delay| delay.as_str().unwrap().parse::<u32>().unwrap()).sum::<u32>(), 60);
    assert!(report["results"][1]["trace"].is_null());
}

#[test]
fn heuristics_direct_a_search() {
    for (heuristic, more) in
        [("hu", "--helpful"), ("max(hl,dl)", "--useless"), ("user(4 - Gate.waiting),hff(jump)", "--stats")]
    {
        let args = ["train_gate.xta", "-q", "E<> Gate.waiting == 4", "--heuristic", heuristic, more];
        let run = verify(&args);
        assert_eq!(run.status, 0, "{heuristic}: {run:?}");
    }
    let length = |trace: &str| {
        let run = verify(&["train_gate.xta", "-q", "E<> Gate.waiting == 4", "--format", "json", "--trace", trace]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        report["results"][0]["trace"]["length"].as_u64().unwrap()
    };
    assert!(length("shortest") <= length("short") && length("short") <= length("some"));
}

#[test]
fn wrong_heuristics_are_refused() {
    for (args, message) in [
        (&["--heuristic", "hk"][..], "did you mean `hl`"),
        (&["--heuristic", "user(cuont)"], "unknown name `cuont`"),
        (&["--heuristic", "user"], "declares no integer variable or function `heuristic`"),
        (&["--heuristic", "hl", "--order", "bfs"], "the order `bfs` has no use for a heuristic"),
        (&["--heuristic", "user(Gate.waiting++)"], "a heuristic may only read"),
        (&["--heuristic-table", "0"], "0 is not in 1..=1073741824"),
        (&["--join", "at(Train.Safe)"], "name one process, such as `Train(0).Safe`"),
        (&["--join", "if(w.waiting == 0)"], "the states are called `x` (stored), `y` (new) and `z` (their join)"),
    ] {
        let run = verify(&[&["train_gate.xta", "-q", "E<> Gate.Occupied"], args].concat());
        assert!(run.status == 3 && run.err.contains(message) && run.out.is_empty(), "{args:?}: {run:?}");
    }
}

/// If a condition of `--join` fails, nothing is joined, and the failure is reported.
#[test]
fn failing_conditions_of_joins_are_reported() {
    let folder = scratch("join-failures");
    let model = "int g = 1; clock x, y; process P() { state a, b; init a; trans a -> b { guard x < 1; assign y = 0; },
        a -> b { guard x > 5; assign y = 0; }, b -> a { guard x - y > 1; assign x = 0; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    for (condition, fails) in
        [("if(1/(x.g - 1) == 1)", true), ("if(1/(x.g - y.g) == 1)", true), ("if(x.g == 1)", false)]
    {
        let run =
            run_in(&folder, &["verify", "m.xta", "-q", "A[] g < 2", "--abstraction", "none", "--join", condition]);
        assert!(run.out.contains("satisfied"), "{run:?}");
        let messages =
            ["warning[join-failed]: the condition of --join failed", "division by zero", "the states were not joined"];
        assert_eq!(messages.iter().all(|text| run.out.contains(text)), fails, "{condition}: {run:?}");
    }
}

#[test]
fn a_search_without_caches_says_so() {
    let args = ["zones/fischer.xta", "-D", "N=7", "-q", "E<> false", "--order", "bfs", "--threads", "1", "--stats"];
    let peak = |limit: Option<u64>| {
        let limit = limit.map(|bytes| ["--memory-limit".to_owned(), bytes.to_string()]);
        let all: Vec<&str> = args.into_iter().chain(limit.iter().flatten().map(String::as_str)).collect();
        let text = verify(&all);
        let report: Value = serde_json::from_str(&verify(&[&all[..], &["--format", "json"]].concat()).out).unwrap();
        let result = report["results"][0].clone();
        assert!(result["stats"]["peak_resident_bytes"].as_u64() > result["stats"]["peak_bytes"].as_u64(), "{result}");
        let note = "the limit on memory was near: the search went on without caches";
        assert_eq!(text.out.contains(note), result["note"] == note, "{text:?}");
        assert_eq!(result["note"] == note, limit.is_some(), "{text:?}");
        assert_eq!(result["answer"], "not satisfied", "{text:?}");
        result["stats"]["peak_bytes"].as_u64().unwrap()
    };
    let free = peak(None);
    // With its caches, the search would take more.
    assert!(peak(Some(free * 9 / 10)) < free);
}

#[test]
fn strategies_in_threads_say_which_one_decided() {
    let args = ["directed/plc.xta", "--order", "auto", "--threads", "6", "--stats", "--trace", "some"];
    let run = verify(&[&args[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let result = &report["results"][0];
    let strategy = result["stats"]["strategy"].as_str().unwrap();
    assert_eq!(result["stats"]["threads"], 6);
    // Its name is the options that repeat it in one thread.
    let words: Vec<&str> = strategy.split(' ').collect();
    let again = verify(&[&["directed/plc.xta", "--threads", "1", "--format", "json"], &words[..]].concat());
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(again["results"][0]["answer"], result["answer"]);
    assert_eq!(again["results"][0]["stats"]["strategy"], Value::Null);
    assert!(verify(&args).out.contains("; in 6 threads; decided by --order "));
}
