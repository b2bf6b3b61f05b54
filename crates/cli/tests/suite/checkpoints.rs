//! Checkpoints of the real binary: killed at random moments, stopped by limits and signals, and on
//! a disk that is full. `MERKHET_CASES=100` kills as often.

#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{Run, command, finish, run_in, scratch};

/// Counters that are independent of each other: 7^6 states.
const GRID: &str = "process P(const int[0,5] i) { int[0,6] n; state a; init a; \
    trans a -> a { guard n < 6; assign n++; }, a -> a { guard n == 6; assign n = 0; }; } system P;";
const QUERIES: [&str; 3] =
    ["-qA[] P(0).n + P(1).n < 13", "-qE<> P(0).n == 6 and P(1).n == 6 and P(2).n == 6", "-qsup: P(3).n"];

/// What a search says, without times and memory.
fn said(run: &Run) -> String {
    let is_count = |part: &str| !part.ends_with(" s") && !part.ends_with(" resident") && !part.starts_with("decided");
    let line = |line: &str| line.split("; ").filter(|part| is_count(part)).collect::<Vec<_>>().join("; ");
    run.out.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn verify(folder: &Path, more: &[&str]) -> Run {
    let words = ["verify", "grid.xta", "--stats", "--threads", "1"];
    run_in(folder, &words.iter().chain(&QUERIES).chain(more).collect::<Vec<_>>())
}

/// The options of a run that goes on if it can.
fn kept(folder: &Path) -> Vec<&'static str> {
    let names = fs::read_dir(folder.join("kept")).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let has_one = names.into_iter().any(|name| name.to_string_lossy().starts_with("checkpoint-"));
    let resume: &[&str] = if has_one { &["--resume", "kept"] } else { &[] };
    ["--checkpoint", "kept", "--every", "50ms"].iter().chain(resume).copied().collect()
}

#[test]
fn killed_searches_go_on() {
    let folder = scratch("checkpoints-killed");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = verify(&folder, &[]);
    assert_eq!(wanted.status, 0, "{wanted:?}");
    let kills: u64 = std::env::var("MERKHET_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(6);
    let (mut killed, mut resumed, mut ended) = (0, 0, 0);
    for round in 0..kills {
        let options = kept(&folder);
        resumed += u64::from(options.contains(&"--resume"));
        let words = ["verify", "grid.xta", "--stats", "--threads", "1"];
        let mut child = command(&folder)
            .args(words.iter().chain(&QUERIES).chain(&options))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(15 + round * 7919 % 211));
        // Nothing follows after this signal, wherever the process is.
        let _ = child.kill();
        match child.wait().unwrap().code() {
            None => killed += 1,
            Some(status) => {
                assert_eq!(status, 0);
                ended += 1;
            }
        }
        if round % 3 == 2 {
            let run = verify(&folder, &kept(&folder));
            assert_eq!((run.status, said(&run)), (0, said(&wanted)), "{run:?}");
            assert!(!folder.join("kept").exists(), "nothing is left of a search that has ended");
        }
    }
    println!("{killed} killed, {resumed} had a checkpoint, {ended} ended before");
    assert!(killed > 0);
}

#[test]
fn limits_and_signals_keep_the_state() {
    let folder = scratch("checkpoints-stopped");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = verify(&folder, &[]);
    let stopped = verify(&folder, &["--checkpoint", "kept", "--state-limit", "20000"]);
    assert_eq!(stopped.status, 2, "{stopped:?}");
    assert!(stopped.err.contains("note: to go on, run the same command with --resume kept"), "{stopped:?}");
    // A checkpoint is not overwritten.
    verify(&folder, &["--checkpoint", "kept"])
        .refuses("`kept` has a checkpoint; go on with it by --resume, or remove it");
    verify(&folder, &["--checkpoint", "other", "--resume", "kept"]).refuses("name different folders");
    verify(&folder, &["--resume", "none"]).refuses("--resume: `none`");
    // What differs is named.
    let other = verify(&folder, &["--resume", "kept", "--order", "dfs", "--update", "simple", "-q", "E<> deadlock"]);
    let refused = other.refuses("the option --order is `auto` there, and `dfs` here").err.clone();
    assert!(refused.contains("the option --update is `auto` there, and `simple` here"), "{refused}");
    assert!(refused.contains("query 4 is `E<> deadlock` here, and there is none there"), "{refused}");
    fs::write(folder.join("grid.xta"), GRID.replace("n == 6; assign n = 0", "n == 6; assign n = 1")).unwrap();
    verify(&folder, &["--resume", "kept"]).refuses("the text of the model is another one");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    // Limits may be others. Without --checkpoint the state stays as it is.
    for _ in 0..2 {
        let run = verify(&folder, &["--resume", "kept"]);
        assert_eq!(said(&run), said(&wanted), "{run:?}");
    }
    let again = verify(&folder, &["--resume", "kept", "--checkpoint", "kept", "--state-limit", "40000"]);
    assert_eq!(again.status, 2, "{again:?}");
    // A signal does the same, whenever it comes.
    let words = ["verify", "grid.xta", "--threads", "1", "--checkpoint", "kept", "--resume", "kept"];
    let mut child = command(&folder).args(words.iter().chain(&QUERIES)).stdout(Stdio::null()).spawn().unwrap();
    thread::sleep(Duration::from_millis(60));
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let _ = child.wait().unwrap();
    if folder.join("kept").exists() {
        let run = verify(&folder, &["--resume", "kept", "--checkpoint", "kept"]);
        assert_eq!(said(&run), said(&wanted), "{run:?}");
    }
    assert!(!folder.join("kept").exists());
}

#[test]
fn damaged_files_are_named() {
    let folder = scratch("checkpoints-damaged");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    verify(&folder, &["--checkpoint", "kept", "--state-limit", "20000"]);
    let mut entries = fs::read_dir(folder.join("kept")).unwrap().map(|entry| entry.unwrap().path());
    let last = entries.find(|path| path.is_dir()).unwrap();
    let mut names: Vec<_> = fs::read_dir(&last).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() >= 2, "{names:?}");
    for path in names {
        let whole = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 4;
        fs::write(&path, damaged).unwrap();
        let run = verify(&folder, &["--resume", "kept"]);
        run.refuses(&format!(
            "error: the checkpoint can't be used: the part `{name}`: it is damaged: the checksum of block"
        ));
        fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        verify(&folder, &["--resume", "kept"]).refuses(&format!("the part `{name}`: it is incomplete"));
        fs::remove_file(&path).unwrap();
        verify(&folder, &["--resume", "kept"]).refuses(&format!("the part `{name}`: No such file"));
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn work_without_checkpoints_is_refused_at_once() {
    let folder = scratch("checkpoints-refused");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let refused = |options: &[&str], why: &str| {
        let words = ["verify", "grid.xta", "--checkpoint", "kept"];
        let run = run_in(&folder, &words.iter().chain(options).collect::<Vec<_>>());
        run.refuses(&format!("error: there are no checkpoints of {why}"));
        assert!(run.out.is_empty(), "{run:?}");
    };
    refused(&["-qE<> P(0).n == 6", "--order", "greedy"], "searches in the order `greedy`; take bfs, dfs,");
    refused(&["-qE<> P(0).n == 6", "--trace", "some"], "searches in the order `auto`, which --trace implies");
    refused(&["-qE<> P(0).n == 6", "--trace", "short"], "searches for a short trace");
    refused(&["-qE<> P(0).n == 6", "--engine", "smt"], "work on formulas");
    refused(&["-qE<> P(0).n == 6", "-qA<> P(0).n == 6"], "queries about whole runs, such as `A<> P(0).n == 6`");
}

#[test]
fn a_full_disk_ends_no_search() {
    let folder = scratch("checkpoints-full");
    fs::write(folder.join("grid.xta"), GRID).unwrap();
    let wanted = verify(&folder, &[]);
    // No file may be larger than 8 blocks of 512 bytes, as if the disk were full then.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let words = ["verify", "grid.xta", "--stats", "--threads", "1", "--checkpoint", "kept", "--every", "1ms"];
    let mut shell = Command::new("sh");
    shell.current_dir(&folder).args(["-c", script, "sh", env!("CARGO_BIN_EXE_merkhet")]);
    let run = finish(shell.args(words.iter().chain(&QUERIES)), b"");
    assert_eq!((run.status, said(&run)), (0, said(&wanted)), "{run:?}");
    let warning = "warning: no checkpoint was written: File too large; the search goes on, and there is no earlier one";
    assert_eq!(run.err.matches(warning).count(), 1, "{run:?}");
}

/// A goal that is so slow to evaluate that a limit stops the search within it.
const SLOW: &str = "int[0,100] i = 0;
bool reached(int k) {
    int[0,9000000] j;
    int s = 0;
    for (j = 0; j < 1000000; j = j + 1) { s = (s + j) % 7; }
    return k == 40 && s >= 0;
}
process P() { state a; init a; trans a -> a { guard i < 60; assign i = i + 1; }; }
p = P();
system p;
";

#[test]
fn states_on_which_a_search_was_stopped_are_judged_when_it_goes_on() {
    let folder = scratch("checkpoints-slow");
    fs::write(folder.join("slow.xta"), SLOW).unwrap();
    for more in [&[][..], &["--threads", "2"]] {
        let words = ["verify", "slow.xta", "-q", "E<> reached(i)", "--order", "bfs", "--checkpoint", "kept"];
        let words = [&words, more].concat();
        let (mut rounds, mut resume) = (0, &[][..]);
        let run = loop {
            let run = run_in(&folder, &[&words, resume, &["--time-limit", "0.3"]].concat());
            if run.status != 2 || rounds == 100 {
                break run;
            }
            (rounds, resume) = (rounds + 1, &["--resume", "kept"][..]);
        };
        assert_eq!((run.status, run.out.contains("  satisfied")), (0, true), "{rounds} {more:?} {run:?}");
    }
}

#[test]
fn a_folder_is_used_by_one_run_at_a_time() {
    let folder = scratch("checkpoints-locked");
    fs::write(folder.join("slow.xta"), SLOW.replace("1000000", "9000000")).unwrap();
    let words = ["verify", "slow.xta", "-q", "E<> reached(i)", "--order", "bfs", "--checkpoint", "kept"];
    let mut child = command(&folder).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !folder.join("kept").join("lock").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(50));
    let second = run_in(&folder, &words);
    second.refuses("`kept` is in use by another run of merkhet");
    let _ = child.kill();
    let _ = child.wait();
    // What is refused leaves nothing behind.
    let refused = run_in(&folder, &["verify", "slow.xta", "-qE<> p.a", "--order", "greedy", "--checkpoint", "other"]);
    assert_eq!((refused.status, folder.join("other").exists()), (3, false), "{refused:?}");
}
