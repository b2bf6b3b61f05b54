//! TChecker and valgrind, by scripts in their place.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use super::{bench, json};
use crate::common::{command, scratch};

/// Creates a folder with a script in place of a tool.
fn tool(folder: &str, name: &str, script: &str) -> PathBuf {
    let folder = scratch(folder);
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Returns the output of `tck-reach`.
fn statistics(stored: u32) -> String {
    format!(
        "cat > \"$(dirname \"$0\")/input\"; echo \"$@\" > \"$(dirname \"$0\")/words\"\n\
         echo COVERED_STATES 1; echo MEMORY_MAX_RSS 2500; echo REACHABLE false; echo RUNNING_TIME_SECONDS 1000\n\
         echo STORED_STATES {stored}; echo VISITED_STATES 4000; echo VISITED_TRANSITIONS 9000"
    )
}

const FISCHER: [&str; 5] = ["zones", "--family", "fischer", "--size", "6"];

#[test]
fn tck_reach_is_given_the_same_model() {
    let folder = tool("tck-same", "tck-reach", &statistics(2378));
    let run = bench(Some(&folder), &[&FISCHER[..], &["--format", "json"]].concat());
    run.succeeds();
    let report = json(&run);
    let there = &report["runs"][0]["tck_reach"];
    assert_eq!(
        (&there["stored"], &there["visited"], &there["transitions"]),
        (&2378.into(), &4000.into(), &9000.into())
    );
    assert_eq!((&there["seconds"], &there["megabytes"]), (&1000.0.into(), &2.5.into()));
    assert_eq!(report["notes"].to_string().matches("tck-reach").count(), 0, "{report}");
    assert_eq!(fs::read_to_string(folder.join("words")).unwrap(), "-a covreach -s bfs\n");
    let input = fs::read_to_string(folder.join("input")).unwrap();
    assert!(input.starts_with("system:fischer_6\n") && input.contains("process:Process6\n"), "{input}");
    // A thousand seconds are many times the time of merkhet.
    let text = bench(Some(&folder), &FISCHER);
    let line = text.succeeds().lines().find(|line| line.contains("tck-reach, here")).unwrap();
    assert!(line.ends_with('x') && line.contains(" 2378 "), "{text:?}");
    let alu = bench(Some(&folder), &[&FISCHER[..], &["--abstraction", "alu", "--order", "dfs"]].concat());
    assert_eq!(fs::read_to_string(folder.join("words")).unwrap(), "-a aLU-covreach -s dfs\n", "{alu:?}");
    let other = bench(Some(&folder), &[&FISCHER[..], &["--abstraction", "extra-m"]].concat());
    assert!(other.succeeds().contains("note: tck-reach has no such abstraction or order"), "{other:?}");
}

#[test]
fn a_tool_with_other_counts_is_a_finding() {
    let folder = tool("tck-other", "tck-reach", &statistics(2379));
    let run = bench(Some(&folder), &FISCHER);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.out.contains("note: fischer 6: merkhet stores 2378 states, and TChecker 2379"), "{run:?}");
}

#[test]
fn a_tool_that_fails_is_not_a_finding() {
    let folder = tool("tck-fails", "tck-reach", "echo 'ERROR: out of memory' >&2; exit 1");
    let run = bench(Some(&folder), &FISCHER);
    let note = "note: fischer 6: tck-reach gave no statistics; it said: ERROR: out of memory\n";
    assert!(run.succeeds().contains(note), "{run:?}");
}

#[test]
fn instructions_are_counted_by_valgrind() {
    let folder = tool(
        "valgrind",
        "valgrind",
        "echo \"$@\" > \"$(dirname \"$0\")/words\"; cat > /dev/null\n\
         echo '==7== Collected : 98000000' >&2",
    );
    let run = bench(Some(&folder), &[&FISCHER[..], &["--instructions", "--format", "json"]].concat());
    run.succeeds();
    let report = json(&run);
    assert_eq!(report["runs"][0]["merkhet"]["million_instructions"], 98.0);
    let words = fs::read_to_string(folder.join("words")).unwrap();
    assert!(words.starts_with("--tool=callgrind --callgrind-out-file=/dev/null "), "{words}");
    assert!(
        words.contains(
            "verify - -q E<> false --progress never --local-time off --threads 1 --abstraction extra-lu-plus"
        ),
        "{words}"
    );
    let text = bench(Some(&folder), &[&FISCHER[..], &["--instructions"]].concat());
    let line = ["2378", "3458", "9132", "392", "4.0x"];
    assert_eq!(super::words(text.succeeds(), "TChecker, recorded"), line, "{text:?}");
}

#[test]
fn an_interrupted_run_ends_its_tools() {
    let folder = tool("tck-sleeps", "tck-reach", "echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 1000");
    let mut child = command(Path::new("."))
        .arg("bench")
        .args(FISCHER)
        .env("PATH", format!("{}:/usr/bin:/bin", folder.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = loop {
        // The file exists before the number is written to it.
        match fs::read_to_string(folder.join("pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
            _ if child.try_wait().unwrap().is_some() => panic!("it ended too early"),
            _ => sleep(Duration::from_millis(10)),
        }
    };
    let alive = || Command::new("kill").args(["-0", &pid]).stderr(Stdio::null()).status().unwrap().success();
    assert!(alive());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{out}");
    assert!(out.contains("note: fischer 6: tck-reach interrupted"), "{out}");
    assert!(!alive(), "{pid} still runs");
}

#[test]
fn figures_are_recorded_and_compared() {
    let count = "cat > /dev/null; echo '==1== Collected : '$(cat \"$(dirname \"$0\")/count\") >&2";
    let folder = tool("recorded-figures", "valgrind", count);
    let file = folder.join("figures.tsv").display().to_string();
    let family = ["zones", "--family", "corsso", "--size", "2"];
    let zones = |instructions: &str, options: &[&str]| {
        fs::write(folder.join("count"), instructions).unwrap();
        bench(Some(&folder), &[&family[..], options].concat())
    };
    zones("9000000", &["--record", &file]).succeeds();
    let recorded = fs::read_to_string(&file).unwrap();
    let line = recorded.lines().last().unwrap();
    assert!(recorded.starts_with("# merkhet") && line.starts_with("corsso 2\t573\t1480\t9.000\t"), "{recorded}");
    assert!(!zones("9100000", &["--compare", &file]).succeeds().contains("corsso 2 costs"));
    let slow = zones("9500000", &["--compare", &file]);
    assert_eq!(slow.status, 1, "{slow:?}");
    assert!(
        slow.out.contains("note: corsso 2 costs more than recorded: instructions +5.6 %, bytes +0.0 %"),
        "{slow:?}"
    );
    zones("9500000", &["--compare", &file, "--tolerance", "6"]).succeeds();
    let fast = zones("4500000", &["--compare", &file]);
    assert!(fast.succeeds().contains("corsso 2 costs less than recorded: instructions -50.0 %"), "{fast:?}");
    fs::write(&file, recorded.replace("\t573\t", "\t572\t")).unwrap();
    let other = zones("9000000", &["--compare", &file]);
    assert_eq!(other.status, 1, "{other:?}");
    assert!(other.out.contains("573 states and 1480 transitions, and 572 and 1480 are recorded"), "{other:?}");
    fs::write(&file, "corsso 2\t573\nfischer 3\t1\t1\t-4\t1\n").unwrap();
    let wrong = zones("9000000", &["--compare", &file]);
    wrong.refuses("figures.tsv`, line 1: there should be 5 fields with tabs between them, and there are 2");
    wrong.refuses("figures.tsv`, line 2: `-4` is no positive number");
}

#[test]
fn public_models_are_explored_up_to_a_number_of_states() {
    for corpus in oracle::corpora("uppaal").iter().filter(|corpus| corpus.is_shared) {
        let folder = corpus.folder.display().to_string();
        let run = bench(None, &["zones", "--family", "corsso", "--size", "2", "--models", &folder, "--format", "json"]);
        run.succeeds();
        let report = json(&run);
        let models = report["models"].as_array().unwrap();
        assert_eq!(models.len(), 8);
        for model in models {
            assert!(model["merkhet"]["stored"].as_u64() >= model["limit"].as_u64(), "{model}");
            assert!(model["merkhet"]["bytes_per_transition"].is_number(), "{model}");
        }
    }
    bench(None, &["zones", "--models", "no-such-folder"]).refuses("no-such-folder");
}
