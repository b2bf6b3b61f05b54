//! Checkpoints of clusters of real processes on this machine: one of them is killed at a random
//! moment, or all are. `MERKHET_CASES=100` kills as often.

#![cfg(target_os = "linux")]

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    cluster::{addresses, children, runs, wait, write},
    common::{Run, command, finish, run_in, scratch},
};

/// Counters that are independent of each other: 7^6 states.
const GRID: &str = "process P(const int[0,5] i) { int[0,6] n; state a; init a; \
    trans a -> a { guard n < 6; assign n++; }, a -> a { guard n == 6; assign n = 0; }; } system P;";
/// All but one of these look at all states.
const QUERIES: [&str; 3] = ["-qA[] P(0).n + P(1).n < 13", "-qsup: P(3).n", "-qE<> P(0).n == 6 and P(1).n == 6"];

/// The words of a run by three processes.
fn words<'w>(more: &[&'w str]) -> Vec<&'w str> {
    let words = ["verify", "grid.xta", "--update", "simple", "--order", "bfs", "--local-processes", "3"];
    [&words, &QUERIES[..], more].concat()
}

/// What a run in JSON says, without times, memory, and counts that depend on timing.
fn said(run: &Run) -> Value {
    let report: Value = serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{why}: {run:?}"));
    let one = |result: &Value| {
        let counts = ["explored", "generated", "added", "stored"].map(|name| &result["stats"][name]);
        let is_exhausted = !result["query"].as_str().unwrap().starts_with("E<>");
        json!([
            result["query"],
            result["answer"],
            result["value"],
            if is_exhausted { json!(counts) } else { Value::Null }
        ])
    };
    report["results"].as_array().unwrap().iter().map(one).collect()
}

/// The options of a run that goes on if it can. Whichever process has settled its checkpoint, all
/// have completed theirs.
fn kept(folder: &Path) -> Vec<&'static str> {
    let names = |place: &Path| fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_checkpoint = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with("checkpoint-");
    let has_one = names(&folder.join("kept")).any(|process| names(&process).any(|path| is_checkpoint(&path)));
    let resume: &[&str] = if has_one { &["--resume", "kept"] } else { &[] };
    [&["--checkpoint", "kept", "--every", "50ms"], resume].concat()
}

fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = command(folder);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn killed_clusters_go_on() {
    let folder = scratch("cluster-checkpoints-killed");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = run_in(&folder, &words(&["--format", "json"]));
    assert_eq!(wanted.status, 0, "{wanted:?}");
    let kills: u64 = std::env::var("MERKHET_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4);
    let (mut killed, mut lost, mut resumed, mut ended, mut said_where) = (0, 0, 0, 0, 0);
    for round in 0..kills {
        let options = kept(&folder);
        let resumes = options.contains(&"--resume");
        resumed += u64::from(resumes);
        let child = start(&folder, &words(&options));
        // Processes take some time to find each other, and less than a second to search.
        thread::sleep(Duration::from_millis(40 + round * 7919 % 700));
        let others = children(child.id());
        let number = (round % 3) as usize;
        let victim = if number == 0 { Some(child.id()) } else { others.get(number - 1).copied() };
        let victim = victim.filter(|pid| runs(*pid));
        let _ = victim.map(|pid| Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status());
        let (status, text) = wait(child);
        match status {
            None | Some(0) if text.contains("3 queries: 3 satisfied") => {
                // It was killed after the answers, or not at all. Not all may have cleaned up.
                let _ = fs::remove_dir_all(folder.join("kept"));
                ended += 1;
            }
            None => killed += 1,
            Some(2) => {
                // While processes connect, one that can't reach it may end first.
                assert!(text.contains("unknown: process "), "{text}");
                said_where += u64::from(text.contains("was lost; resume from kept"));
                lost += 1;
            }
            other => panic!("{other:?} {text}"),
        }
        if round % 4 == 3 {
            let run = run_in(&folder, &words(&[&kept(&folder)[..], &["--format", "json"]].concat()));
            assert_eq!(run.status, 0, "{run:?}");
            assert_eq!(said(&run), said(&wanted), "{run:?}");
            assert!(!folder.join("kept").exists(), "nothing is left of a search that has ended");
        }
    }
    println!(
        "{killed} killed, {lost} lost a process ({said_where} with a checkpoint), {ended} ended before, {resumed} resumed"
    );
    assert!(killed + lost > 0);
}

#[test]
fn limits_and_signals_keep_the_state_of_all() {
    let folder = scratch("cluster-checkpoints-stopped");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = run_in(&folder, &words(&["--format", "json"]));
    let verify = |more: &[&str]| run_in(&folder, &words(more));
    let stopped = verify(&["--checkpoint", "kept", "--state-limit", "20000"]);
    assert_eq!(stopped.status, 2, "{stopped:?}");
    assert!(stopped.err.contains("note: to go on, run the same command with --resume kept"), "{stopped:?}");
    // Without --checkpoint the state stays as it is.
    for _ in 0..2 {
        let run = verify(&["--resume", "kept", "--format", "json"]);
        assert_eq!(said(&run), said(&wanted), "{run:?}");
    }
    // What differs is named, and nothing else is used.
    verify(&["--checkpoint", "kept"]).refuses("`kept/process-0` has a checkpoint; go on with it by --resume");
    verify(&["--resume", "none"]).refuses("--resume: `none`");
    let alone = ["verify", "grid.xta", "--update", "simple", "--order", "bfs", "--threads", "1"];
    let alone = |more: &[&str]| run_in(&folder, &[&alone[..], &QUERIES, more].concat());
    alone(&["--resume", "kept"]).refuses("`kept` has a checkpoint of several processes");
    alone(&["--checkpoint", "kept"]).refuses("`kept` has a checkpoint of several processes");
    alone(&["--checkpoint", "one", "--state-limit", "2000"]);
    verify(&["--resume", "one"]).refuses("`one` has a checkpoint of one process");
    let two = ["verify", "grid.xta", "--update", "simple", "--order", "bfs", "--local-processes", "2"];
    let run = run_in(&folder, &[&two[..], &QUERIES, &["--resume", "kept"]].concat());
    run.refuses("the number of processes is `3` there, and `2` here");
    let threads = verify(&["--resume", "kept", "--threads", "2"]);
    threads.refuses("the number of threads of each process is `1 + 1 + 1` there, and `2 + 2 + 2` here");
    verify(&["--resume", "kept", "-q", "E<> deadlock"]).refuses("query 4 is `E<> deadlock` here");
    // A signal does the same, whenever it comes.
    for millis in [150, 250, 350] {
        let child = start(&folder, &words(&["--checkpoint", "kept", "--resume", "kept"]));
        thread::sleep(Duration::from_millis(millis));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let (status, text) = wait(child);
        assert!(matches!(status, Some(0 | 2)), "{status:?} {text}");
        if status == Some(0) {
            break;
        }
    }
    if folder.join("kept").exists() {
        let run = verify(&["--resume", "kept", "--checkpoint", "kept", "--format", "json"]);
        assert_eq!(said(&run), said(&wanted), "{run:?}");
    }
    assert!(!folder.join("kept").exists());
}

#[test]
fn a_part_that_is_damaged_absent_or_foreign_is_named_with_its_process() {
    let folder = scratch("cluster-checkpoints-damaged");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let verify = |more: &[&str]| run_in(&folder, &words(more));
    verify(&["--checkpoint", "kept", "--state-limit", "20000"]);
    let last = |process: usize| {
        let mut all = fs::read_dir(folder.join(format!("kept/process-{process}"))).unwrap().map(|e| e.unwrap().path());
        all.find(|path| path.is_dir()).unwrap()
    };
    for process in [0, 2] {
        for name in ["journal", "group-0-search-0-part-0"] {
            let path = last(process).join(name);
            let whole = fs::read(&path).unwrap();
            let mut damaged = whole.clone();
            damaged[whole.len() / 2] ^= 4;
            fs::write(&path, damaged).unwrap();
            let of = if process == 0 { "the checkpoint can't be used" } else { "process 2" };
            verify(&["--resume", "kept"]).refuses(&format!("{of}: the part `{name}`: it is damaged: the checksum"));
            fs::write(&path, whole).unwrap();
        }
    }
    // The part of another search, although it has the same number and is not damaged.
    run_in(&folder, &words(&["--checkpoint", "other", "--state-limit", "10000"]));
    let (own, other) = (folder.join("kept/process-1"), folder.join("other/process-1"));
    fs::rename(&own, folder.join("own")).unwrap();
    fs::rename(&other, &own).unwrap();
    verify(&["--resume", "kept"]).refuses("the processes have parts of different checkpoints");
    fs::remove_dir_all(&own).unwrap();
    verify(&["--resume", "kept"]).refuses("process 1: --resume: there is no checkpoint in `kept/process-1`");
    fs::rename(folder.join("own"), &own).unwrap();
    assert_eq!(verify(&["--resume", "kept"]).status, 0);
    // Process 0 says as well what another one can't do.
    fs::remove_dir_all(folder.join("kept/process-0")).unwrap();
    verify(&["--checkpoint", "kept"]).refuses("process 1: --checkpoint: `kept/process-1` has a checkpoint");
    assert!(!folder.join("kept/process-0").exists());
    assert!(own.exists());
}

#[test]
fn a_full_disk_of_one_process_ends_no_search() {
    let folder = scratch("cluster-checkpoints-full");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = run_in(&folder, &words(&["--format", "json"]));
    // No file may be larger than 8 blocks of 512 bytes, as if the disk were full then.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let mut shell = Command::new("sh");
    shell.current_dir(&folder).args(["-c", script, "sh", env!("CARGO_BIN_EXE_merkhet")]);
    let run = finish(shell.args(words(&["--checkpoint", "kept", "--every", "20ms", "--format", "json"])), b"");
    assert_eq!((run.status, said(&run)), (0, said(&wanted)), "{run:?}");
    // The first one may be small enough, and that of either process may be too large.
    assert_eq!(run.err.matches("warning: no checkpoint was written: ").count(), 1, "{run:?}");
    assert!(run.err.contains("File too large; the search goes on, and "), "{run:?}");
    assert!(!folder.join("kept").exists());
}

#[test]
fn each_process_may_have_its_own_folder() {
    let folder = scratch("cluster-checkpoints-folders");
    let grid = write(&folder, "grid.xta", GRID);
    let hosts = write(&folder, "hosts", &addresses(2).join("\n"));
    let run = |own: [&str; 2], resumes: bool, more: &[&str]| {
        let kept = |name: &str| folder.join(name).display().to_string();
        let process = |number: &'static str, folder: &str, words: &[&str]| {
            let place = kept(folder);
            let mut all = [&["verify", "--hosts", &hosts, "--process", number], words].concat();
            all.extend(["--checkpoint", &place].iter().filter(|_| !folder.is_empty()));
            all.extend(["--resume", &place].iter().filter(|_| resumes && !folder.is_empty()));
            start(&crate::common::models(""), &all)
        };
        let second = process("1", own[1], &[]);
        let asked = [&[grid.as_str(), QUERIES[0], "--update", "simple", "--threads", "1"], more].concat();
        let first = process("0", own[0], &asked);
        let (status, text) = wait(first);
        let (other, said) = wait(second);
        assert_eq!((other, &*said), (Some(0), ""), "{text}");
        (status, text)
    };
    let (status, text) = run(["a", "b"], false, &["--state-limit", "20000"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(folder.join("a/process-0").exists() && folder.join("b/process-1").exists());
    assert!(!folder.join("a/process-1").exists());
    let (status, text) = run(["a", "b"], true, &[]);
    assert_eq!(status, Some(0), "{text}");
    assert!(!folder.join("a").exists() && !folder.join("b").exists());
}
