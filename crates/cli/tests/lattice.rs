//! The models of `models/lattice`.

#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};

use common::{Run, run_in};
use serde_json::Value;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lattice")
}

/// Runs `merkhet verify` on a model with the words of a command line behind it.
fn verify(model: &str, words: &str, more: &[&str]) -> Run {
    let args: Vec<&str> =
        ["verify", model].into_iter().chain(words.split_whitespace()).chain(more.iter().copied()).collect();
    run_in(&models(), &args)
}

const MODELS: [(&str, &str); 7] = [
    ("binary_search.xta", "binary_search.q"),
    ("binary_search_timed.xta", "binary_search_timed.q"),
    ("database.xta", "database.q"),
    ("filter.xta", "filter.q"),
    ("full.xml", "full.q"),
    ("leader.xta", "leader.q"),
    ("users.xta", "users.q"),
];

#[test]
fn all_queries_hold_however_states_meet() {
    for (model, queries) in MODELS {
        for update in ["simple", "cover", "join"] {
            verify(model, &format!("--update {update}"), &[queries]).succeeds();
        }
        let warnings = run_in(&models(), &["check", model, "--queries", queries]);
        assert!(!warnings.succeeds().contains("warning"), "{warnings:?}");
    }
}

#[test]
fn a_goal_is_not_lost_where_less_is_known() {
    // It holds of few databases only, and not of the join with others.
    for words in ["", "--update join", "--update join --no-refine"] {
        verify("users.xta", words, &["-q", "E<> User(0).Idle && users.mustLack(0)"]).succeeds();
    }
}

#[test]
fn joins_make_bounds_greater_and_refinement_makes_them_tight() {
    let bound = |words: &str, cost: i32| verify("filter.xta", words, &["-q", &format!("A[] cost <= {cost}")]).status;
    assert_eq!((bound("", 111), bound("", 110)), (0, 1));
    let naive = "--update join --no-refine";
    assert_eq!((bound(naive, 120), bound(naive, 119), bound(naive, 110)), (0, 2, 1));
    assert_eq!((bound("--update join", 111), bound("--update join", 110)), (0, 1));
    let added = |words: &str| {
        let run = verify("filter.xta", words, &["--stats", "--format", "json", "-q", "A[] cost <= 111"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        report["results"][0]["stats"]["added"].as_u64().unwrap()
    };
    assert_eq!((added("--update simple"), added("--update cover")), (4273, 4273));
    assert!(added("--update join") < 1000);
}

#[test]
fn integers_and_clocks_measure_the_same_time() {
    let sup = |model, query: &str| verify(model, "", &["-q", query]).succeeds().to_owned();
    assert!(sup("binary_search.xta", "sup: cost").contains("cost <= 75\n"));
    assert!(sup("binary_search_timed.xta", "sup{Search.Compare}: time").contains("time <= 75\n"));
}
