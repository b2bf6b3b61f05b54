//! `merkhet verify --engine smt`: answers, evidence, options that do not fit, and solvers that
//! fail.

use std::fs;

use crate::common::{Run, command, finish, models, run_in, scratch};

fn verify(words: &[&str]) -> Run {
    run_in(&models(""), &[&["verify"], words].concat())
}

/// All supported queries about the example nets have the expected answers.
#[test]
fn nets_have_the_same_answers() {
    for (net, query, status) in [
        ("nets/philosophers.net", "E<> deadlock", 0),
        ("nets/philosophers.net", "E<> hold1 == 1 && hold2 == 1 && hold3 == 1 && time <= 1", 0),
        ("nets/philosophers.net", "A[] hold1 + hold2 < 2", 1),
        ("nets/crossing.net", "E<> announced == 1 && raising == 1", 0),
        ("nets/race.net", "E<> q1 == 1", 0),
        // No run exists, and a bound does not prove that.
        ("nets/race.net", "E<> q2 == 1", 2),
        ("nets/pipeline.net", "E<> full3 == 1 && time <= 4", 0),
    ] {
        for encoding in ["event", "dl-exact"] {
            for steps in ["single", "forall", "exists"] {
                let words =
                    [net, "-q", query, "--bound", "12", "--encoding", encoding, "--steps", steps, "--trace", "some"];
                let run = verify(&words);
                assert_eq!(run.status, status, "{words:?} {run:?}");
                assert_eq!(run.out.contains("  trace with "), status < 2, "{run:?}");
            }
        }
    }
}

#[test]
fn absence_is_proved_and_certified() {
    let folder = scratch("formulas");
    for (model, query, answer) in [
        ("nets/race.net", "E<> q2 == 1", 1),
        ("nets/race.net", "A[] safe()", 0),
        ("nets/philosophers.net", "A[] eat1 + eat2 + eat3 <= 1", 0),
        ("fischer.xta", "A[] not (P(1).critical && P(2).critical)", 0),
    ] {
        let certificate = folder.join("c").into_os_string().into_string().unwrap();
        let run = verify(&[model, "-q", query, "--engine", "smt", "--certificate", &certificate]);
        assert_eq!(run.status, answer, "{run:?}");
        assert!(run.out.contains("  certificate with ") && run.out.contains(" clause"), "{run:?}");
        let run = run_in(&models(""), &["certify", model, &certificate]);
        assert!(run.succeeds().contains("  proved: "), "{run:?}");
    }
    let run = verify(&["nets/race.net", "-q", "E<> q2 == 1", "--method", "induction", "--stats"]);
    assert!(run.status == 1 && run.out.contains("induction over "), "{run:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_papers_formulas_may_have_solutions_that_are_not_runs() {
    let run = verify(&["nets/race.net", "-q", "E<> q2 == 1 && p1 == 1", "--encoding", "dl", "--bound", "1"]);
    assert!(
        run.status == 2 && run.out.contains("unknown: the formula has a solution that is not a run, after step 1"),
        "{run:?}"
    );
    let run = verify(&[
        "nets/race.net",
        "-q",
        "E<> q1 == 1",
        "--encoding",
        "la",
        "--replace",
        "nothing",
        "--bound",
        "1",
        "--stats",
    ]);
    assert!(run.succeeds().contains("as the paper counts: "), "{run:?}");
}

#[test]
fn options_that_do_not_fit_are_refused() {
    for (words, why) in [
        (&["fischer.xta", "--encoding", "dl"][..], "--encoding is for nets, and the model is none"),
        (&["fischer.xta", "--engine", "zones", "--bound", "3"], "--bound is for formulas; take it with --engine smt"),
        (&["nets/race.net", "--replace", "nothing"], "--replace is for the encodings `la` and `dl`"),
        (&["nets/race.net", "--encoding", "la", "--steps", "single"], "--steps is for the encodings"),
        (&["nets/race.net", "--solver", "yice"], "did you mean `yices`?"),
        (&["nets/race.net", "--method", "invariant", "--bound", "3"], "--bound does not go with --method invariant"),
    ] {
        verify(&[words, &["-q", "E<> deadlock"]].concat()).refuses(why);
    }
    let run = verify(&["fischer.xta", "-q", "A<> P(1).critical", "--engine", "smt"]);
    assert!(run.status == 2 && run.out.contains("formulas do not support liveness queries"), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_solver_that_fails_leaves_the_answer_unknown() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("solvers");
    for (name, script, why, limit) in [
        ("crashes", "exit 1", "z3", "50"),
        ("babbles", "while read line; do echo maybe; done", "z3", "50"),
        ("hangs", "cat > /dev/null", "the time limit was reached", "2"),
    ] {
        let file = folder.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let words =
            ["verify", "nets/race.net", "-q", "E<> q1 == 1", "--bound", "2", "--solver", "z3", "--time-limit", limit];
        let run = finish(command(&models("")).args(words).env("MERKHET_Z3", &file), b"");
        assert!(run.status == 2 && run.out.contains("unknown: ") && run.out.contains(why), "{name}: {run:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_last_question_becomes_a_script() {
    let folder = scratch("script");
    let net = models("").join("nets/race.net").into_os_string().into_string().unwrap();
    let words = ["verify", &net, "-q", "E<> q2 == 1", "--bound", "3", "--smt-lib", "f.smt2"];
    assert_eq!(run_in(&folder, &words).status, 2);
    let script = fs::read_to_string(folder.join("f.smt2")).unwrap();
    assert!(script.starts_with("(set-") && script.contains("QF_RDL") && script.contains("(check-sat)"), "{script}");
    fs::remove_dir_all(folder).unwrap();
    let run = run_in(&models(""), &["list", "solvers"]);
    assert!(run.succeeds().contains("embedded") && run.out.contains("yices"), "{run:?}");
}
