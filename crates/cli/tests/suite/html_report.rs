//! `merkhet report` answers as `merkhet verify` does, and writes a page about it.

use std::fs;

use crate::common::{Run, run_in, scratch};

const MODEL: &str = "clock x; int[0,4000] n; process P() { state a { x <= 2 }, b; init a; \
                     trans a -> b { guard x >= 1; assign n++; }, b -> a { assign x = 0; }; } system P;";

/// Runs both commands with the same words.
fn both(folder: &std::path::Path, words: &str) -> (Run, Run) {
    let words: Vec<&str> = words.split(' ').collect();
    let verify: Vec<&str> = ["verify", "m.xta"].into_iter().chain(words.clone()).collect();
    let report: Vec<&str> = ["report", "m.xta", "-o", "r.html"].into_iter().chain(words).collect();
    let _ = fs::remove_file(folder.join("r.html"));
    (run_in(folder, &verify), run_in(folder, &report))
}

#[test]
fn output_and_status_are_those_of_verify() {
    let folder = scratch("html-report");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    fs::write(folder.join("good.q"), "// It can be reached.\nE<> P.b\n").unwrap();
    fs::write(folder.join("bad.q"), "E<> P.b\nA[] n == 0\nE<> Q.c\n").unwrap();
    fs::write(folder.join("unknown.q"), "A[] n < 3000\n").unwrap();
    for (words, status, facts) in [
        ("good.q", 0, &["It can be reached.", "satisfied", "Trace with 1 step", "explored"][..]),
        ("bad.q", 3, &["refused", "unknown-name", "not satisfied", "Q.c"]),
        ("unknown.q --state-limit 5", 2, &["unknown", "limit"]),
        ("good.q --engine smt --bound 3 --trace some", 0, &["satisfied", "Trace with 1 step"]),
        ("good.q --certificate c --format json", 0, &["satisfied"]),
    ] {
        let (verify, report) = both(&folder, words);
        assert_eq!(verify.status, report.status, "{words}: {verify:?} {report:?}");
        assert_eq!(report.status, status, "{words}: {report:?}");
        if !words.contains("json") {
            assert_eq!(verify.out, report.out, "{words}");
        }
        assert!(report.err.contains("note: wrote the report to `r.html`"), "{words}: {report:?}");
        let html = fs::read_to_string(folder.join("r.html")).unwrap();
        for fact in facts {
            assert!(html.contains(fact), "{words}: no {fact:?}");
        }
        assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"), "{words}");
    }
}

#[test]
fn a_model_with_errors_has_no_report() {
    let folder = scratch("html-report-refused");
    fs::write(folder.join("m.xta"), "process P() { state a; } system P;").unwrap();
    let (_, report) = both(&folder, "-q true");
    assert_eq!(report.status, 3, "{report:?}");
    assert!(!folder.join("r.html").exists());
    run_in(&folder, &["report", "m.xta"]).refuses("--output");
    run_in(&folder, &["report", "m.xta", "-o", "m.xta"]).refuses("");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    run_in(&folder, &["report", "m.xta", "-q", "E<> P.b", "-o", "m.xta"]).refuses("is an input of this command");
    run_in(&folder, &["report", "m.xta", "-q", "E<> P.b", "-o", "-"]).refuses("the standard output is for the answers");
    run_in(&folder, &["report", "m.xta", "-q", "E<> P.b", "-o", "r", "--trace-file", "r"]).refuses("two outputs");
    assert!(!folder.join("r").exists());
}

/// Names in nets, comments and files may be anything.
#[test]
fn names_of_models_are_text() {
    let folder = scratch("html-report-names");
    let bad = "<img src=x onerror=alert(1)>";
    let net = format!("net {{{bad}}}\ntr {{{bad}t}} [1,2] {{{bad}p}} -> {{{bad}q}}\npl {{{bad}p}} (1)\n");
    fs::write(folder.join("n.net"), net).unwrap();
    fs::write(folder.join("q.q"), format!("// {bad} \"quoted\" ]]>\nE<> deadlock\n")).unwrap();
    let run = run_in(&folder, &["report", "n.net", "q.q", "-o", "r.html"]);
    assert!(run.status <= 1, "{run:?}");
    let html = fs::read_to_string(folder.join("r.html")).unwrap();
    assert!(!html.contains("<img"), "a name is an element");
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "names are shown");
}

/// A limit on time leaves a page with what is known.
#[test]
fn a_limit_leaves_a_report() {
    let folder = scratch("html-report-limit");
    let endless = "int n[9]; int[0,1] m; process P(const int[0,8] i) { state a; init a; \
                   trans a -> a { assign n[i] = (n[i] + 1) % 99, m = n[0] > n[8]; }; } system P;";
    fs::write(folder.join("m.xta"), endless).unwrap();
    let (_, report) = both(&folder, "-q A[]n[0]+n[1]+n[2]+n[3]+n[4]+n[5]+n[6]+n[7]+n[8]<999 --time-limit 0.3");
    assert_eq!(report.status, 2, "{report:?}");
    let html = fs::read_to_string(folder.join("r.html")).unwrap();
    assert!(html.contains("unknown") && html.contains("time limit"), "{html}");
}
