//! Formula engines respect the limits on time and memory for every method and encoding, and one
//! signal ends them.

#![cfg(unix)]

use std::{
    fmt::Write,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{
    command, finish,
    limited::{self, End},
    scratch,
};

/// The wall-clock time for a limit of one second, on a busy machine with a slow build.
const MAX_RUN_TIME: Duration = Duration::from_secs(20);

/// Philosophers with intervals on places or on transitions.
fn philosophers(n: usize, by_place: bool) -> String {
    let mut text = String::from("net p\n");
    for i in 0..n {
        let j = (i + 1) % n;
        let (free, busy) = if by_place { ("", "") } else { ("[0,w[", "[1,2]") };
        writeln!(text, "tr a{i} {free} think{i} fork{i} -> has{i}").unwrap();
        writeln!(text, "tr b{i} {free} has{i} fork{j} -> eat{i}").unwrap();
        writeln!(text, "tr c{i} {busy} eat{i} -> think{i} fork{i} fork{j}").unwrap();
    }
    for i in 0..n {
        let delay = if by_place { "[1,2]" } else { "" };
        writeln!(text, "pl think{i} {delay} (1)\npl fork{i} (1)\npl eat{i} {delay}").unwrap();
    }
    text
}

/// Asserts that a run has an answer, or exits cleanly with the reason why it has none.
fn stops(folder: &Path, words: &[&str], why: &str) -> End {
    let end = limited::run(folder, &[&["verify"], words].concat());
    if end.status.is_none_or(|status| status > 1) {
        end.says(2, &format!("unknown: {why}"));
    }
    end
}

#[test]
fn every_method_keeps_the_time_limit() {
    let folder = scratch("formula-limits");
    fs::write(folder.join("t.net"), philosophers(600, false)).unwrap();
    fs::write(folder.join("p.net"), philosophers(300, true)).unwrap();
    let query = ["-q", "A[] eat3 + eat4 <= 1", "--time-limit", "1"];
    let with = |words: &[&'static str]| [words, &query].concat();
    for words in [
        with(&["t.net", "--engine", "smt"]),
        with(&["t.net", "--method", "induction"]),
        with(&["t.net", "--bound", "100000"]),
        with(&["t.net", "--bound", "100000", "--encoding", "dl-exact", "--no-reduce"]),
        with(&["p.net", "--bound", "100000", "--encoding", "la"]),
        with(&["p.net", "--bound", "100000", "--encoding", "dl", "--replace", "nothing"]),
        with(&["p.net", "--bound", "100000", "--steps", "single"]),
    ] {
        stops(&folder, &words, "the time limit was reached").in_time(1.0);
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The base case has failed, and no solver query is left. This was an infinite loop.
#[test]
fn errors_end_every_method() {
    let folder = scratch("formula-errors");
    let model = "int[0,1] v; process P() { state a, b; init a; trans a -> b { assign v = 2; }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    for words in [["--engine", "smt"], ["--method", "induction"], ["--method", "search"], ["--bound", "1000000"]] {
        let words = [&["m.xta", "-q", "E<> P.b", "--time-limit", "50"][..], &words].concat();
        stops(&folder, &words, "run-time error: value 2 is outside of the range [0,1]");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_memory_limit_is_kept() {
    let folder = scratch("formula-memory");
    fs::write(folder.join("t.net"), philosophers(600, false)).unwrap();
    let words =
        ["t.net", "-q", "A[] eat3 + eat4 <= 1", "--bound", "100000", "--time-limit", "50", "--memory-limit", "60M"];
    let end = limited::run(&folder, &[&["verify"], &words[..]].concat());
    end.says(2, "unknown: the memory limit was reached").within(60 * limited::MEGABYTE);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn one_signal_is_enough() {
    let folder = scratch("formula-signal");
    fs::write(folder.join("t.net"), philosophers(600, false)).unwrap();
    for method in ["induction", "invariant", "search"] {
        let words = ["verify", "t.net", "-q", "A[] eat3 + eat4 <= 1", "--method", method];
        let mut child = command(&folder).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_secs(2));
        Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > MAX_RUN_TIME {
                child.kill().unwrap();
                panic!("{method} does not stop after the signal");
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The solver is not even asked for its version, which took ten seconds regardless of the limits.
#[test]
fn a_solver_that_says_nothing_is_ended_in_time() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("formula-solver");
    let file = folder.join("silent");
    fs::write(&file, "#!/bin/sh\ncat > /dev/null\nsleep 1000\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let model = "process P() { state a, b; init a; trans a -> b { }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    for method in ["induction", "invariant", "search"] {
        let words = ["verify", "m.xta", "-q", "E<> P.b", "--solver", "z3", "--method", method, "--time-limit", "1"];
        let start = Instant::now();
        let run = finish(command(&folder).args(words).env("MERKHET_Z3", &file), b"");
        let took = start.elapsed();
        assert!(run.status == 2 && run.out.contains("the time limit was reached"), "{method}: {run:?}");
        assert!(took < MAX_RUN_TIME, "{method} took {took:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}
