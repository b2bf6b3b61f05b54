//! `verify -l`: queries in the style of TChecker.

use std::fs;

use crate::common::{Run, run_in, run_with, scratch};

const MODEL: &str = "system:two\nevent:tau\n\
    process:P\nclock:1:x\nlocation:P:a{initial: : labels: start, here}\nlocation:P:b{labels: end}\n\
    edge:P:a:b:tau{provided: x>=2}\n\
    process:Q\nclock:1:y\nlocation:Q:c{initial: : invariant: y<=1}\nlocation:Q:d{labels: here,odd-name,process}\n\
    edge:Q:c:d:tau{provided: y<=1}\n";

fn ask(args: &[&str]) -> Run {
    run_with(MODEL.as_bytes(), &[&["verify", "-"][..], args].concat())
}

#[test]
fn all_labels_hold_at_once() {
    // P is at b from 2 on, and Q leaves c before 1 has passed. The labels are in different
    // processes.
    for (labels, query, found) in [
        ("start", "E<> label(start)", true),
        ("end,here", "E<> label(end) and label(here)", true),
        ("start,end", "E<> label(start) and label(end)", false),
        (" end , odd-name", "E<> label(end) and label(\"odd-name\")", true),
        ("process", "E<> label(\"process\")", true),
    ] {
        let run = ask(&["-l", labels]);
        let word = if found { "satisfied" } else { "NOT satisfied" };
        assert_eq!((run.status, run.out), (i32::from(!found), format!("{query}\n  {word}\n\n")), "{labels}");
    }
}

#[test]
fn each_option_is_one_query_after_the_others() {
    let run = ask(&["--labels", "start", "-l", "start,end", "-q", "A[] P.a or P.b"]);
    assert_eq!(run.status, 1, "{run:?}");
    let mut queries: Vec<&str> =
        run.out.lines().filter(|line| line.contains(": ") && line.contains(['A', 'E'])).collect();
    queries.sort_unstable();
    assert_eq!(queries, ["1: A[] P.a or P.b", "2: E<> label(start)", "3: E<> label(start) and label(end)"]);
    let json = ask(&["-l", "end", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(json.succeeds()).unwrap();
    assert_eq!(report["results"][0]["query"], "E<> label(end)");
}

#[test]
fn every_wrong_label_is_shown_where_it_stands() {
    let run = ask(&["-l", "strat,end,zebra,"]);
    run.refuses("error[unknown-name]: unknown label `strat`\n --> <labels 1>:1:1\n");
    run.refuses("did you mean `start`?");
    run.refuses("unknown label `zebra`\n --> <labels 1>:1:11\n");
    run.refuses("the model has `start`, `here`, `end`, `odd-name`, `process`");
    run.refuses("error[labels]: there is no label here\n --> <labels 1>:1:17\n");
    assert_eq!(run.out, "", "nothing is answered");
    // A closing parenthesis in a label does not change the query.
    ask(&["-l", "end) or label(start"]).refuses("unknown label `end) or label(start`");
    ask(&["-l", ""]).refuses("there is no label here");
    // The other queries are answered.
    let run = ask(&["-l", "nowhere", "-l", "end"]);
    run.refuses("unknown label `nowhere`");
    assert_eq!(run.out, "E<> label(end)\n  satisfied\n\n");
}

#[test]
fn only_models_of_tchecker_have_labels() {
    let folder = scratch("labels");
    fs::write(folder.join("m.xta"), "process P() { state a; init a; } system P;").unwrap();
    let run = run_in(&folder, &["verify", "m.xta", "-l", "a"]);
    run.refuses("labels are for TChecker's models, and this is none").refuses("-q 'E<> Process.location'");
    let none = "system:one\nevent:tau\nprocess:P\nlocation:P:a{initial:}\n";
    run_with(none.as_bytes(), &["verify", "-", "-l", "a"]).refuses("no location of the model has a label");
    let json = run_in(&folder, &["verify", "m.xta", "-l", "a", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.status, &report["diagnostics"][0]["code"]), (3, &"labels".into()));
}
