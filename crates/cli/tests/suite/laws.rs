//! `merkhet check --laws`, and the errors of searches with invalid lattices.

use crate::common::{models, run_in, run_with};
use serde_json::Value;

/// Returns the example with a part of its text replaced.
fn region(old: &str, new: &str) -> String {
    let text = std::fs::read_to_string(models("lattice").join("region.xta")).unwrap();
    assert!(text.contains(old), "{old}");
    text.replace(old, new)
}

#[test]
fn a_good_lattice_passes() {
    let run = run_in(&models("lattice"), &["check", "--laws", "--deny-warnings", "region.xta"]);
    assert_eq!(
        run.succeeds(),
        "region.xta: position: Region: the laws hold on all 100 elements\n\
         region.xta: guards, invariants and updates: 4 depend on elements, all are monotone\n\
         region.xta: ok: 1 template, 1 process, 0 clocks, 0 queries\n"
    );
    let run = run_in(&models("lattice").join(".."), &["check", "--laws", "fischer.xta"]);
    assert!(run.succeeds().starts_with("fischer.xta: there are no lattices\n"), "{run:?}");
}

#[test]
fn a_wrong_join_is_an_error() {
    let text = region("a.high >? b.high", "a.high <? b.high");
    let run = run_with(text.as_bytes(), &["check", "--laws", "-"]);
    run.refuses(
        "error[lattice-law]: `Region` is no lattice: the join of (low = 0, high = 0) and (low = 0, high = 1) is (low = 0, high = 0), \
         which is not above both",
    );
    assert!(run.out.contains("extern Region = Lattice(Box, inside, around);"), "{run:?}");
    assert!(run.out.contains("<stdin>: position: Region: 1 law does not hold\n"), "{run:?}");
    // The laws are only checked on request.
    run_with(text.as_bytes(), &["check", "-"]).succeeds();
}

#[test]
fn searches_notice_a_wrong_lattice() {
    let query = ["-q", "A[] position.low <= 9", "--update", "join", "--monotone", "assume"];
    let text = region("a.high >? b.high", "a.high <? b.high");
    let args = [&["verify", "-"][..], &query].concat();
    let run = run_with(text.as_bytes(), &args);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.out.contains("the values of `position` are no lattice: the join of "), "{run:?}");
    let text = region("b.low <= a.low && a.high <= b.high", "b.low <= 9");
    let run = run_with(text.as_bytes(), &args);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.out.contains("differ, and each is less than or equal to the other"), "{run:?}");
}

#[test]
fn non_monotone_code_is_a_warning() {
    let run = run_in(&models("lattice"), &["check", "--laws", "taint.xta"]);
    assert!(
        run.succeeds().contains("warning[not-monotone]: this guard is lost where an element is greater"),
        "{run:?}"
    );
    assert!(
        run.out.contains("^^^^^^^^^^^^ it holds where `data` is (secret = 0, foreign = 0), and not where"),
        "{run:?}"
    );
    assert!(run.out.contains("taint.xta: guards, invariants and updates: 4 depend on elements, 1 is not monotone\n"));
    run_in(&models("lattice"), &["check", "--laws", "--deny-warnings", "taint.xta"]).refuses("warning[not-monotone]");
}

#[test]
fn the_laws_as_json() {
    let run = run_in(&models("lattice"), &["check", "--laws", "--format", "json", "taint.xta", "region.xta"]);
    let report: Value = serde_json::from_str(run.succeeds()).unwrap();
    let laws = &report["files"][0]["laws"];
    assert_eq!((&laws["dependent"], &laws["not_monotone"]), (&4.into(), &1.into()));
    assert_eq!(laws["lattices"][0]["variables"], serde_json::json!(["data"]));
    assert_eq!(report["files"][0]["diagnostics"][0]["code"], "not-monotone");
    assert_eq!(report["files"][1]["laws"]["lattices"][0]["elements"], 100);
}

#[test]
fn the_examples_have_answers() {
    for name in ["region", "taint"] {
        for update in ["simple", "cover", "join"] {
            let (model, queries) = (format!("{name}.xta"), format!("{name}.q"));
            run_in(&models("lattice"), &["verify", &model, &queries, "--update", update]).succeeds();
        }
    }
}
