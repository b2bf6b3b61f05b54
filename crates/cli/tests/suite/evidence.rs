//! Certificates and traces in files, with the real binary.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{Run, command, finish, models, run_in, scratch};
use serde_json::Value;

/// Creates a folder with one of the example models, its certificate `c` and its traces `t`.
fn prepared(folder: &str, model: &str) -> PathBuf {
    let folder = scratch(folder);
    for ending in ["xta", "q"] {
        let name = format!("{model}.{ending}");
        fs::copy(models("").join(&name), folder.join(&name)).unwrap();
    }
    let (xta, q) = (format!("{model}.xta"), format!("{model}.q"));
    let run = run_in(&folder, &["verify", &xta, &q, "--certificate", "c", "--trace-file", "t"]);
    assert!(run.status == 0 || run.status == 2, "{run:?}");
    folder
}

const MODEL: &str = "clock x; int n; process P() { state a { x <= 3 }, b; init a; \
                     trans a -> b { guard x >= 1; assign n = 1; }, b -> a { assign x = 0; }; } system P;\n";

/// Writes [`MODEL`] to `m.xta`, and a certificate for it with all kinds of constraints to `c`.
fn certificate(folder: &Path) {
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    let args = ["verify", "m.xta", "-q", "A[] n <= 1", "--certificate", "c", "--abstraction", "extra-m"];
    run_in(folder, &args).succeeds();
}

#[track_caller]
fn says(run: &Run, status: i32, words: &[&str]) {
    assert_eq!(run.status, status, "{run:?}");
    for word in words {
        assert!(run.out.contains(word) || run.err.contains(word), "no {word:?} in {run:?}");
    }
}

#[test]
fn the_examples_have_certificates_and_traces() {
    for model in ["fischer", "fischer_scalar", "bridge", "train_gate", "round_robin"] {
        let folder = prepared(&format!("evidence-{model}"), model);
        let xta = format!("{model}.xta");
        let certified = run_in(&folder, &["certify", &xta, "c"]);
        assert!(certified.succeeds().contains("  proved: satisfied, by "), "{certified:?}");
        let replayed = run_in(&folder, &["replay", &xta, "t"]);
        assert!(replayed.succeeds().contains("  ok: satisfied, by a run with "), "{replayed:?}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4, "no other files");
    }
}

#[test]
fn a_certificate_is_text_that_people_can_read() {
    let folder = scratch("certificate-text");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    let args = ["verify", "m.xta", "-q", "A[] n <= 1", "-q", "E<> P.b && n == 0", "-q", "E<> P.b", "-q", "A[] P.a"];
    let run = run_in(&folder, &[&args[..], &["--certificate", "c", "--abstraction", "extra-m"]].concat());
    let expected = "\
1: A[] n <= 1
  satisfied
  certificate with 3 states

2: E<> P.b && n == 0
  NOT satisfied
  certificate with 3 states

3: E<> P.b
  satisfied
  no certificate: the answer has a trace, which is shown by --trace and --trace-file

4: A[] P.a
  NOT satisfied
  no certificate: the answer has a trace, which is shown by --trace and --trace-file

4 queries: 2 satisfied, 2 not satisfied
";
    assert_eq!((run.status, run.out.as_str()), (1, expected));
    let text = fs::read_to_string(folder.join("c")).unwrap();
    let expected = "\
merkhet certificate 1

query \"A[] n <= 1\"
answer satisfied
proof cover
at P.a
in x<=3
at P.b n=1
in
at P.a n=1
in x<=3
end 3 rows 3 zones

query \"E<> P.b && n == 0\"
answer not satisfied
proof cover
at P.a
in x<=3
at P.b n=1
in
at P.a n=1
in x<=3
end 3 rows 3 zones

end certificate
";
    assert_eq!(text, expected);
    let run = run_in(&folder, &["certify", "m.xta", "c"]);
    let expected = "\
A[] n <= 1
  proved: satisfied, by 3 states in 3 rows, 3 transitions

E<> P.b && n == 0
  proved: not satisfied, by 3 states in 3 rows, 3 transitions

2 queries: 2 proved, 0 refused
";
    assert_eq!(run.succeeds(), expected);
}

#[test]
fn invalid_proofs_are_rejected_with_their_place_in_the_model() {
    let folder = scratch("certificate-refused");
    certificate(&folder);
    let good = fs::read_to_string(folder.join("c")).unwrap();
    for (from, to, words) in [
        ("at P.b n=1\nin\n", "at P.b n=1\n", &["leads out", "P.a with x<=3", "P: a -> b", "P.b n=1 with x>=1"][..]),
        ("in\n", "in x<=9\n", &["leads out", "P.b n=1 with x>9"]),
        ("at P.b n=1", "at P.b n=2", &["leads out"]),
        ("at P.a\nin x<=3", "at P.a\nin x<3", &["an initial state is not in the certificate", "P.a with x==3"]),
        ("n <= 1", "n <= 0", &["should not be reached", "P.b n=1"]),
        ("answer satisfied", "answer not satisfied", &["do not prove that `A[]` is not satisfied"]),
    ] {
        // The counts at the end are adjusted.
        let zones = if to.contains("in") || !from.contains("in\n") { "3 zones" } else { "2 zones" };
        fs::write(folder.join("d"), good.replacen(from, to, 1).replace("3 zones", zones)).unwrap();
        let run = run_in(&folder, &["certify", "m.xta", "d"]);
        says(&run, 1, &["  NOT proved: "]);
        says(&run, 1, words);
    }
    // Redundant states do no harm.
    fs::write(folder.join("d"), good.replace("in\n", "in\nin x<7\n").replace("3 zones", "4 zones")).unwrap();
    run_in(&folder, &["certify", "m.xta", "d"]).succeeds();
    // The model changed.
    fs::write(folder.join("n.xta"), MODEL.replace("x <= 3", "x <= 4")).unwrap();
    says(&run_in(&folder, &["certify", "n.xta", "c"]), 1, &["an initial state is not in the certificate"]);
    fs::write(folder.join("n.xta"), MODEL.replace("int n", "int[0,0] n")).unwrap();
    run_in(&folder, &["certify", "n.xta", "c"]).refuses("c:8:10: 1 is outside of the range [0,0] of `n`");
}

#[test]
fn answers_about_runs_have_certificates_too() {
    let folder = scratch("certificate-runs");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    let args = ["verify", "m.xta", "-q", "A<> P.b", "-q", "E[] x <= 2 && P.a", "-q", "P.a --> P.b", "-q", "A<> n == 2"];
    let run = run_in(&folder, &[&args[..], &["--certificate", "c"]].concat());
    let expected = "\
1: A<> P.b
  satisfied
  certificate with 1 state

2: E[] x <= 2 && P.a
  NOT satisfied
  certificate with 1 state

3: P.a --> P.b
  satisfied
  certificate with 5 states

4: A<> n == 2
  NOT satisfied
  no certificate: the answer has a trace, which is shown by --trace and --trace-file

4 queries: 2 satisfied, 2 not satisfied
";
    assert_eq!((run.status, run.out.as_str()), (1, expected));
    let expected = "\
merkhet certificate 1

query \"A<> P.b\"
answer satisfied
proof ranks
at P.a
rank 0 in x<=3
end 1 row 1 zone

query \"E[] x <= 2 && P.a\"
answer not satisfied
proof ranks
at P.a
rank 0 in x<=3
end 1 row 1 zone

query \"P.a --> P.b\"
answer satisfied
proof cover and ranks
at P.a
in
at P.b n=1
in
at P.a n=1
in
end 3 rows 3 zones
at P.a
rank 0 in
at P.a n=1
rank 0 in
end 2 rows 2 zones

end certificate
";
    let good = fs::read_to_string(folder.join("c")).unwrap();
    assert_eq!(good, expected);
    let run = run_in(&folder, &["certify", "m.xta", "c"]);
    let expected = "\
A<> P.b
  proved: satisfied, by 1 state in 1 row, 1 transition

E[] x <= 2 && P.a
  proved: not satisfied, by 1 state in 1 row, 1 transition

P.a --> P.b
  proved: satisfied, by 5 states in 3 rows, 5 transitions

3 queries: 3 proved, 0 refused
";
    assert_eq!(run.succeeds(), expected);
    for (from, to, words) in [
        (
            "rank 0 in x<=3",
            "rank 0 in x<=2",
            &["the start of a run is not in the certificate", "P.a with x>2 x<=3"][..],
        ),
        ("A<> P.b", "A<> n == 2", &["leads out", "P: a -> b", "P.b n=1"]),
        ("A<> P.b", "A[] P.b", &["ranks prove nothing about a query of this kind"]),
        ("answer satisfied", "answer not satisfied", &["ranks do not prove that `A<>` is not satisfied"]),
    ] {
        fs::write(folder.join("d"), good.replacen(from, to, 1)).unwrap();
        says(&run_in(&folder, &["certify", "m.xta", "d"]), 1, words);
        says(&run_in(&folder, &["certify", "m.xta", "d"]), 1, &["3 queries: 2 proved, 1 refused"]);
    }
    for (from, to, why) in [
        ("rank 0 in", "in", "c:7:1: expected `at`, `rank` or `end`"),
        ("rank 0 in", "rank in", "c:7:6: expected a rank"),
        ("rank 0 in", "rank -1 in", "c:7:6: a rank is not negative"),
        ("rank 0 in", "rank 0", "c:7:8: expected `in`"),
        ("proof ranks", "proof rank", "c:5:7: this kind of proof is not known here"),
        ("proof cover and ranks", "proof cover", "c:27:1: expected `query` or `end certificate`"),
    ] {
        fs::write(folder.join("c"), good.replacen(from, to, 1)).unwrap();
        run_in(&folder, &["certify", "m.xta", "c"]).refuses(why);
    }
    // The model changed: now a run may wait, or deadlock.
    for (model, words) in [
        (MODEL.replace("{ x <= 3 }", ""), &["the start of a run is not in the certificate", "P.a with x>3"]),
        (
            MODEL.replace("guard x >= 1;", "guard x < 1;"),
            &["a run may end in a state of the certificate", "P.a with x>=1 x<=3"],
        ),
    ] {
        fs::write(folder.join("n.xta"), model).unwrap();
        fs::write(folder.join("c"), &good).unwrap();
        says(&run_in(&folder, &["certify", "n.xta", "c"]), 1, words);
    }
}

#[test]
fn a_run_time_error_is_not_a_proof() {
    let folder = scratch("certificate-fault");
    let model = "int[0,1] n; process P() { state a; init a; trans a -> a { assign n++; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let text = "merkhet certificate 1\nquery \"A[] n <= 1\"\nanswer satisfied\nproof cover\nat P.a\nin\nat P.a n=1\nin\n\
                end 2 rows 2 zones\nend certificate\n";
    fs::write(folder.join("c"), text).unwrap();
    let run = run_in(&folder, &["certify", "m.xta", "c"]);
    let words =
        ["run-time error: value 2 is outside of the range [0,1]", "state       P.a n=1", "P: a -> a", "m.xta:1:"];
    says(&run, 1, &words);
}

#[test]
fn malformed_certificates_are_refused_with_their_place() {
    let folder = scratch("certificate-malformed");
    certificate(&folder);
    let good = fs::read_to_string(folder.join("c")).unwrap();
    for (from, to, why) in [
        ("merkhet", "merkhat", "c:1:8: this is not a certificate: expected `merkhet certificate 1`"),
        ("certificate 1", "certificate 2", "c:1:21: version 1 is the only one that is known here, not `2`"),
        ("query", "querry", "c:3:1: expected `query`"),
        ("\"A[] n <= 1\"", "A[] n <= 1", "c:3:7: expected the query in quotation marks"),
        ("n <= 1\"", "n <= 1", "c:3:18: expected a quotation mark"),
        ("n <= 1", "k <= 1", "unknown name `k`"),
        ("n <= 1", "", "error["),
        ("answer satisfied", "answer maybe", "c:4:8: expected `satisfied` or `not satisfied`"),
        (
            "proof cover",
            "proof magic",
            "c:5:7: this kind of proof is not known here; expected `cover`, `ranks`, `cover and ranks`, `invariant` or `marking`",
        ),
        ("at P.a\n", "at P.c\n", "c:6:4: expected a location of process `P`, such as `P.a`, not `P.c`"),
        ("at P.a\n", "at\n", "c:6:3: expected a location of process `P`, such as `P.a`"),
        ("at P.a\n", "", "c:6:1: expected `at` or `end`"),
        ("n=1", "m=1", "c:8:8: there is no variable `m`"),
        ("n=1", "n", "c:8:9: expected `=` and the value of `n`"),
        ("n=1", "n=99999999999", "c:8:10: expected the value of `n`, and no more than 32 bits"),
        // This number has no negation in 64 bits.
        ("n=1", "n=-9223372036854775808", "c:8:10: expected the value of `n`, and no more than 32 bits"),
        ("n=1", "n=40000", "c:8:10: 40000 is outside of the range"),
        ("x<=3", "y<=3", "c:7:4: there is no clock `y`"),
        ("x<=3", "x~3", "c:7:5: expected `<`, `<=`, `==`, `>=` or `>`"),
        ("x<=3", "x<=", "c:7:7: expected a number"),
        ("x<=3", "x<=3x", "c:7:8: expected a space"),
        ("3 rows", "4 rows", "c:12:5: there are 3 rows here, not 4"),
        ("3 zones", "1 zone", "c:12:12: there are 3 zones here, not 1"),
        ("end certificate\n", "end", "c:14:1: the certificate breaks off"),
        ("end certificate\n", "", "the certificate breaks off: expected `query` or `end certificate`"),
        ("end certificate\n", "end certificate\nmore\n", "c:15:1: expected nothing after the end"),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(folder.join("c"), good.replacen(from, to, 1)).unwrap();
        run_in(&folder, &["certify", "m.xta", "c"]).refuses(why);
    }
    fs::write(folder.join("c"), b"merkhet certificate 1\nquery \"\xff\"\n").unwrap();
    run_in(&folder, &["certify", "m.xta", "c"]).refuses("c:2:8: this is not UTF-8 text");
    run_in(&folder, &["certify", "m.xta", "none"]).refuses("can't read `none`");
    run_in(&folder, &["certify", "m.xta", "."]).refuses("can't read `.`");
    run_in(&folder, &["certify", "none", "c"]).refuses("can't read `none`");
    finish(command(&folder).args(["certify", "-", "-"]), b"").refuses("read only once");
}

/// Every missing or changed byte of a certificate is noticed or harmless; nothing crashes.
#[test]
fn corrupted_bytes_never_crash_the_checker() {
    let folder = scratch("certificate-bytes");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    run_in(&folder, &["verify", "m.xta", "-q", "A[] n <= 1", "--certificate", "c"]).succeeds();
    let good = fs::read(folder.join("c")).unwrap();
    for at in (0..good.len()).step_by(3) {
        let mut bytes = good.clone();
        match at % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] = b'"',
            2 => bytes[at] ^= 0x80,
            _ => drop(bytes.remove(at)),
        }
        // `finish` rejects all exit statuses except 0 to 3.
        finish(command(&folder).args(["certify", "m.xta", "-"]), &bytes);
    }
}

#[test]
fn evidence_files_are_written_whole_or_not_at_all() {
    let folder = scratch("evidence-files");
    fs::write(folder.join("m.xta"), MODEL).unwrap();
    let verify = |args: &[&str]| run_in(&folder, &[&["verify", "m.xta", "-q", "A[] n <= 1"], args].concat());
    verify(&["--certificate", "none/c"]).refuses("can't write `none/c`");
    verify(&["--certificate", "."]).refuses("can't write `.`: it is a directory");
    verify(&["--certificate", "m.xta"]).refuses("`m.xta` is an input of this command");
    verify(&["--trace-file", "./m.xta"]).refuses("`./m.xta` is an input of this command");
    verify(&["--certificate", "-"]).refuses("name a file");
    verify(&["--certificate", "x", "--trace-file", "x"]).refuses("`x` can't hold two outputs");
    let run = verify(&["--trace-file", "t"]);
    assert_eq!(
        (run.succeeds(), run.err.as_str()),
        ("A[] n <= 1\n  satisfied\n\n", "note: `t` was not written: no answer has a trace\n")
    );
    let run = run_in(&folder, &["verify", "m.xta", "-q", "E<> P.b", "--certificate", "c"]);
    assert_eq!(run.err, "note: `c` was not written: no answer has a certificate\n");
    let run = run_in(&folder, &["verify", "m.xta", "-q", "sup: x", "-q", "A<> n == 2", "--certificate", "c"]);
    assert!(run.err.contains("`c` was not written"), "{run:?}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    #[cfg(target_os = "linux")]
    verify(&["--certificate", "/dev/full"]).refuses("can't write `/dev/full`: No space left on device");
}

#[test]
fn joins_and_other_settings_have_certificates_too() {
    let folder = prepared("evidence-settings", "train_gate");
    for settings in [
        &["--update", "join"][..],
        &["--update", "simple", "--abstraction", "extra-lu"],
        &["--order", "dfs", "--abstraction", "extra-m"],
        &["--abstraction", "alu"],
    ] {
        let args = ["verify", "train_gate.xta", "-q", "A[] Gate.waiting <= N", "--certificate", "c"];
        let run = run_in(&folder, &[&args[..], settings].concat());
        assert!(run.succeeds().contains("  certificate with "), "{settings:?} {run:?}");
        run_in(&folder, &["certify", "train_gate.xta", "c"]).succeeds();
    }
}

#[test]
fn meta_variables_count_in_proofs() {
    let folder = scratch("certificate-meta");
    // The search identifies states that differ in `m` only, but the next transition reads it.
    let model = "meta int m; int n; process P() { state a, b; init a; \
                 trans a -> b { select i : int[0,1]; assign m = i; }, b -> a { assign n = m; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let run = run_in(&folder, &["verify", "m.xta", "-q", "A[] n == 0", "--certificate", "c"]);
    says(&run, 1, &["NOT satisfied", "no certificate"]);
    run_in(&folder, &["verify", "m.xta", "-q", "A[] n <= 1", "--certificate", "c"]).succeeds();
    assert!(fs::read_to_string(folder.join("c")).unwrap().contains("at P.b m=1\n"));
    run_in(&folder, &["certify", "m.xta", "c"]).succeeds();
    let run = run_in(&folder, &["verify", "m.xta", "-q", "A<> n == 1", "--certificate", "c"]);
    says(&run, 1, &["NOT satisfied", "no certificate"]);
    let model = model.replace("state a, b;", "state a, b; urgent a, b;").replace("[0,1]", "[1,1]");
    fs::write(folder.join("m.xta"), model).unwrap();
    run_in(&folder, &["verify", "m.xta", "-q", "A<> n == 1", "--certificate", "c"]).succeeds();
    assert!(fs::read_to_string(folder.join("c")).unwrap().contains("at P.b m=1\n"));
    run_in(&folder, &["certify", "m.xta", "c"]).succeeds();
}

/// Stopped clocks, and urgent channels with clock guards, once caused deadlocks to be missed.
#[test]
fn deadlocks_are_found_with_stopped_clocks_and_urgency() {
    let folder = scratch("certificate-deadlock");
    let stopped = "clock x; process P() { state c { x <= 10 }, a { x' == 0 }; init c; \
                   trans c -> a { }, a -> a { guard x >= 3; }; } system P;";
    let urgent = "clock x, y; urgent chan u; process P() { state a, b { y < 0 }, c; init c; \
                  trans c -> a { guard x >= 2 && x <= 4; }, a -> b { guard x >= 1 && x <= 5; sync u!; }, \
                  a -> a { guard x >= 3; }; } process Q() { state d; init d; trans d -> d { sync u?; }; } system P, Q;";
    for model in [stopped, urgent] {
        fs::write(folder.join("m.xta"), model).unwrap();
        let query = ["-q", "A[] not (deadlock && P.a)", "--trace-file", "t"];
        says(&run_in(&folder, &[&["verify", "m.xta"][..], &query].concat()), 1, &["NOT satisfied"]);
        run_in(&folder, &["replay", "m.xta", "t"]).succeeds();
    }
}

#[test]
fn traces_are_replayed_and_corrupted_ones_are_not() {
    let folder = prepared("traces", "train_gate");
    let good: Value = serde_json::from_str(&fs::read_to_string(folder.join("t")).unwrap()).unwrap();
    let replay = |file: &Value| {
        fs::write(folder.join("u"), file.to_string()).unwrap();
        run_in(&folder, &["replay", "train_gate.xta", "u"])
    };
    assert!(replay(&good).succeeds().contains("  ok: satisfied, by a run with 4 transitions\n"));
    let trace = "/traces/0/trace";
    for (place, value, why) in [
        ("/steps/1/delay", Value::from("1/3"), "WRONG: "),
        ("/steps/1/delay", Value::from("100"), "time can't pass: an invariant does not allow it"),
        ("/steps/1/delay", Value::from("-1"), "time does not run backward"),
        ("/steps/1/delay", Value::from("2/2"), "`2/2` is not a time"),
        ("/steps/1/delay", Value::Null, "step 2: the delay is not known"),
        ("/steps/0/edges/0/edge", Value::from(7), "step 1: process `Train(0)` has no edge 7 from `Safe` to `Appr`"),
        ("/steps/0/edges/0/process", Value::from("Train(9)"), "step 1: there is no process `Train(9)`"),
        ("/steps/0/edges/0/sync", Value::from("stop[0]!"), "has no edge 0 from `Safe` to `Appr` with `stop[0]!`"),
        ("/steps/0/changes/0/to", Value::from(2), "step 1: the variables after the transition differ"),
        ("/steps/0/clocks/0/value", Value::from("1"), "step 1: the clocks after the transition differ"),
        ("/start/variables/0/value", Value::from(1), "start: the model starts in another state"),
        ("/end/locations/0/location", Value::from("Safe"), "end: the run ends in another state"),
        ("/length", Value::from(3), "there are 4 steps here, not 3"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(&format!("{trace}{place}")).unwrap() = value;
        says(&replay(&bad), 1, &[why]);
    }
    let mut bad = good.clone();
    let steps = bad.pointer_mut("/traces/0/trace/steps").unwrap().as_array_mut().unwrap();
    steps.swap(0, 1);
    says(&replay(&bad), 1, &["WRONG: step "]);
    for (place, value, status, why) in [
        ("/traces/0/query", Value::from("E<> Train(0).Safe && Train(1).Cross"), 1, "end: the last state is not one"),
        ("/traces/0/query", Value::from("E<> Nobody.here"), 3, "unknown process `Nobody`"),
        ("/traces/0/answer", Value::from("not satisfied"), 1, "a run does not show that `E<>` is not satisfied"),
        ("/traces/0/answer", Value::from("unknown"), 1, "no run-time error follows"),
        ("/traces/0/answer", Value::from("maybe"), 3, "unknown variant `maybe`"),
        ("/version", Value::from(9), 3, "version 1 is the only one"),
        ("/traces", Value::Array(Vec::new()), 3, "there is no trace in this file"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = value;
        says(&replay(&bad), status, &[why]);
    }
    let text = good.to_string();
    for (bad, why) in [
        (text.replace("\"branch\"", "\"brunch\""), "`traces[0].trace.steps[0].edges[0].brunch` is unknown here"),
        (text.replace("\"steps\"", "\"stops\""), "u:1:"),
        (text[..text.len() / 2].to_owned(), "EOF while parsing"),
        (String::new(), "EOF while parsing"),
    ] {
        fs::write(folder.join("u"), bad).unwrap();
        run_in(&folder, &["replay", "train_gate.xta", "u"]).refuses(why);
    }
    run_in(&folder, &["replay", "train_gate.xta", "none"]).refuses("can't read `none`");
}

#[test]
fn a_trace_to_a_run_time_error_is_replayed_too() {
    let folder = scratch("trace-fault");
    let model = "int[0,3] n; process P() { state a; init a; trans a -> a { assign n++; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let run = run_in(&folder, &["verify", "m.xta", "-q", "A[] n <= 3", "--trace-file", "t", "--certificate", "c"]);
    says(&run, 2, &["no certificate: the answer is unknown"]);
    let run = run_in(&folder, &["replay", "m.xta", "t"]);
    assert!(run.succeeds().contains("  ok: a run-time error follows, by a run with 3 transitions\n"), "{run:?}");
    fs::write(folder.join("n.xta"), model.replace("3]", "4]")).unwrap();
    says(&run_in(&folder, &["replay", "n.xta", "t"]), 1, &["end: no run-time error follows"]);
}

#[test]
fn queries_of_several_lines_are_read_back() {
    let folder = scratch("evidence-lines");
    let model = "<nta><declaration>clock x; int n;</declaration><template><name>P</name><location id=\"a\"/><init ref=\"a\"/>\
                 </template><system>system P;</system><queries><query><formula>A[]\n n ==\n 0</formula><comment/></query>\
                 <query><formula>E<> \n x > 2</formula><comment/></query></queries></nta>".replace("<> ", "&lt;&gt; ");
    fs::write(folder.join("m.xml"), model).unwrap();
    run_in(&folder, &["verify", "m.xml", "--certificate", "c", "--trace-file", "t"]).succeeds();
    run_in(&folder, &["certify", "m.xml", "c"]).succeeds();
    run_in(&folder, &["replay", "m.xml", "t"]).succeeds();
}
