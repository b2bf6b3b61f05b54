//! Expressions in `--heuristic` that fail when a search evaluates them, and ties between estimates.

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use crate::common::{Run, run_in, scratch};

/// A counter with 12 discrete states. The process is in `b` if the number is odd.
const COUNTER: &str = "int[0,11] n; int a[3] = {1, 2, 3};
int[0,1] bit(int v) { return v; }
process P() {
  state a, b; init a;
  trans a -> b { guard n % 2 == 0; assign n = n + 1; }, b -> a { assign n = (n + 1) % 12; };
}
system P;
";

/// Expressions, the number of the 12 states in which they fail, a part of each of their messages,
/// and the text that is underlined.
const FAILING: [(&str, usize, &str, &str); 6] = [
    ("1 / (n % 2)", 6, "division by zero", "1 / (n % 2)"),
    ("7 % n", 1, "division by zero", "7 % n"),
    ("a[n]", 9, "is outside of the array, whose indices are 0 to 2", "n"),
    ("10 - a[n - 1]", 9, "is outside of the array, whose indices are 0 to 2", "n - 1"),
    ("1 << (n - 3)", 3, "shift or exponent -", "1 << (n - 3)"),
    ("bit(n)", 10, "is outside of the range [0,1]", "v"),
];

/// A query that no state satisfies, so that all states are evaluated.
const NOWHERE: &str = "E<> n == 5 && P.a";

fn verify(model: &str, heuristic: &str, order: &str, format: &str) -> Run {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let folder = scratch(&format!("heuristics-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    fs::write(folder.join("m.xta"), model).unwrap();
    let options = ["--order", order, "--heuristic", heuristic, "--seed", "1", "--format", format];
    let run = run_in(&folder, &[&["verify", "m.xta", "-q", NOWHERE][..], &options].concat());
    fs::remove_dir_all(folder).unwrap();
    run
}

#[test]
fn ties_that_no_paper_breaks_are_named_and_can_be_left_to_age() {
    let folder = scratch("heuristics-ties");
    let list = run_in(&folder, &["list", "heuristics"]);
    let line = |name: &str| list.succeeds().lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
    for name in ["hl", "pa-refine", "merge", "zone-pdb"] {
        assert!(line(name).contains("; ties of `greedy`: "), "{}", line(name));
    }
    assert!(!line("hu").contains("ties"), "{}", line("hu"));
    // Whether one of two processes is nearer to the goal decides ties alone: h^L is a maximum.
    let generated = |ties: &[&str]| {
        let words = ["bench", "directed", "--row", "FB5", "--table", "1", "--format", "json"];
        let report: Value = serde_json::from_str(run_in(&folder, &[&words[..], ties].concat()).succeeds()).unwrap();
        let runs = report["models"][0]["runs"].as_array().unwrap().clone();
        let run =
            runs.iter().find(|run| run["configuration"] == "greedy-hl" && run["abstraction"] == "extra-lu").unwrap();
        (run["ties"].as_str().unwrap().to_owned(), run["merkhet"]["generated"].as_u64().unwrap())
    };
    let (papers, ours) = (generated(&[]), generated(&["--ties", "auto"]));
    assert_eq!((papers.0.as_str(), ours.0.as_str()), ("youngest", "auto"));
    assert!(ours.1 * 10 < papers.1, "{ours:?} {papers:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn failures_are_counted_with_their_places_and_change_no_verdict() {
    for (expression, times, message, blamed) in FAILING {
        for (shape, order) in [
            ("user(E)", "greedy"),
            ("user(E)", "astar"),
            ("user(E)", "local"),
            ("user(E)", "auto"),
            ("max(user(E),hamming)", "greedy"),
            ("sum(hamming,max(user(E)))", "astar"),
            ("hamming,user(E)", "local"),
        ] {
            let heuristic = shape.replace('E', expression);
            let run = verify(COUNTER, &heuristic, order, "json");
            assert_eq!(run.status, 1, "{heuristic} {order}: {run:?}");
            let report: Value = serde_json::from_str(&run.out).unwrap();
            let result = &report["results"][0];
            assert_eq!(result["stats"]["heuristic_failures"], times, "{heuristic} {order}: {result:#}");
            let [warning] = &result["diagnostics"].as_array().unwrap()[..] else { panic!("{heuristic}: {result:#}") };
            assert_eq!((&warning["code"], &warning["severity"]), (&"heuristic-failed".into(), &"warning".into()));
            let text = warning["message"].as_str().unwrap();
            let often = if times == 1 { "failed once: ".to_owned() } else { format!("failed {times} times; ") };
            assert!(text.contains(&often) && text.contains(message), "{heuristic} {order}: {text}");
            let source = if warning["file"] == "<heuristic>" { expression } else { COUNTER };
            let line = source.lines().nth(warning["line"].as_u64().unwrap() as usize - 1).unwrap();
            let column = |name: &str| warning[name].as_u64().unwrap() as usize - 1;
            assert_eq!(&line[column("column")..column("end_column")], blamed, "{heuristic} {order}");
            assert!(warning["help"][0].as_str().unwrap().contains("the verdict does not depend on it"), "{warning}");
        }
    }
}

#[test]
fn each_expression_that_fails_has_its_warning_and_others_have_none() {
    let run = verify(COUNTER, "sum(user(1 / n),user(a[n]),user(n))", "greedy", "text");
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(run.out.matches("warning[heuristic-failed]").count(), 2, "{run:?}");
    assert!(run.out.contains("failed once: division by zero") && run.out.contains("failed 9 times"), "{run:?}");

    let fine = verify(COUNTER, "sum(user(12 / (n + 1)),user(a[n % 3]),hl)", "greedy", "text");
    assert!(fine.status == 1 && !fine.out.contains("warning"), "{fine:?}");

    // A heuristic that the model declares is an expression like others.
    let declared = COUNTER.replace("process P()", "int heuristic() { return 1 / n; }\nprocess P()");
    let run = verify(&declared, "user", "greedy", "text");
    assert!(run.out.contains("failed once: division by zero") && run.out.contains("m.xta:3:"), "{run:?}");
}

#[test]
fn reports_for_ci_have_the_warning_and_count_no_failure() {
    let junit = verify(COUNTER, "user(1 / n)", "greedy", "junit");
    assert!(junit.out.contains("&lt;heuristic&gt;:1:1: warning: the heuristic failed once"), "{junit:?}");
    let sarif = verify(COUNTER, "user(1 / n)", "greedy", "sarif");
    let log: Value = serde_json::from_str(&sarif.out).unwrap();
    let rules: Vec<&Value> = log["runs"][0]["results"].as_array().unwrap().iter().map(|r| &r["ruleId"]).collect();
    assert_eq!(rules, ["heuristic-failed", "query-not-satisfied"], "{log:#}");
}

#[test]
fn expressions_that_are_wrong_are_refused_with_the_name_that_was_meant() {
    for (heuristic, why) in [
        ("user(nn)", "unknown name `nn`; did you mean `n`?"),
        ("user()", "`user()` lacks an expression; write `user(EXPRESSION)`"),
        ("user(n, 2)", "`n, 2` is not one integer expression"),
        ("user(1 +)", "expected an expression"),
        ("user(n = 1)", "--heuristic: "),
    ] {
        verify(COUNTER, heuristic, "greedy", "text").refuses(why);
    }
}
