//! Clusters of real processes on this machine: their answers are those of one process, their
//! evidence holds, and nothing is left running, whichever process is killed.

#![cfg(unix)]

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{Run, command, finish, models, run_in, scratch};

/// A network with too many states to explore.
const ENDLESS: &str = "int n[9]; process P(const int[0,8] i) { state a; init a; trans a -> a { assign n[i] = (n[i] + 1) % 99; }; } \
                       system P;";

/// Runs a command in the folder of the examples.
fn run(words: &[&str]) -> Run {
    run_in(&models(""), words)
}

/// The report of `verify`.
fn report(words: &[&str]) -> Value {
    let run = run(&[&["verify", "--format", "json"], words].concat());
    serde_json::from_str(&run.out).unwrap_or_else(|why| panic!("{words:?} {why}: {} {}", run.out, run.err))
}

/// All models of a folder.
fn files(folder: &str) -> Vec<String> {
    let is_model =
        |path: &PathBuf| path.extension().is_some_and(|end| ["xta", "xml", "net", "tck"].iter().any(|e| end == *e));
    let entries = fs::read_dir(models(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries.filter(is_model).map(|path| path.display().to_string()).collect();
    names.sort();
    names
}

#[test]
fn examples_have_the_answers_and_counts_of_one_process() {
    let plain = ["--update", "simple", "--order", "bfs", "--threads", "1", "--state-limit", "4000"];
    let (mut compared, mut counted) = (0, 0);
    for model in ["", "zones", "directed", "lattice", "nets"].into_iter().flat_map(files) {
        let all = report(&[&[&model[..]], &plain[..]].concat());
        for result in all["results"].as_array().unwrap() {
            let query = result["query"].as_str().unwrap();
            let asks_states = ["E<>", "A[]", "sup", "inf", "bounds"].iter().any(|kind| query.starts_with(kind));
            let is_decided = result["answer"].is_string() && result["answer"] != "unknown";
            if !asks_states || !is_decided || query.contains("A<>") {
                continue;
            }
            let words = [&[&model[..], "-q", query], &plain[..]].concat();
            let one = &report(&words)["results"][0];
            let two = &report(&[&words[..], &["--local-processes", "2"]].concat())["results"][0];
            assert_eq!((&one["answer"], &one["value"]), (&two["answer"], &two["value"]), "{model} {query}");
            compared += 1;
            // Where nothing was found, all states were stored.
            let ends = if query.starts_with("A[]") { "satisfied" } else { "not satisfied" };
            if one["answer"] == ends {
                assert_eq!(one["stats"]["stored"], two["stats"]["stored"], "{model} {query}");
                counted += 1;
            }
        }
    }
    assert!(compared > 40 && counted > 15, "{compared} {counted}");
}

#[test]
fn traces_and_certificates_hold() {
    let folder = scratch("cluster_evidence");
    let of = |name: &str| folder.join(name).display().to_string();
    let (traces, proofs) = (of("traces.json"), of("proofs"));
    let query = ["fischer.xta", "-q", "E<> P(1).critical", "-q", "A[] not deadlock"];
    let cluster = ["--local-processes", "3", "--trace", "shortest", "--trace-file", &traces, "--certificate", &proofs];
    let several = report(&[&query[..], &cluster[..]].concat());
    let one = report(&[&query[..], &["--trace", "shortest", "--threads", "1"]].concat());
    let length = |report: &Value| report["results"][0]["trace"]["steps"].as_array().unwrap().len();
    assert_eq!(length(&one), length(&several));
    run(&["replay", "fischer.xta", &traces]).succeeds();
    run(&["certify", "fischer.xta", &proofs]).succeeds();
    // Several queries share a search.
    let queries = ["-q", "E<> P(1).critical", "-q", "E<> P(2).critical", "-q", "A[] not deadlock", "-q", "E<> false"];
    let report = report(&[&["fischer.xta", "--local-processes", "2", "--threads", "2"], &queries[..]].concat());
    let answers: Vec<_> = report["results"].as_array().unwrap().iter().map(|result| &result["answer"]).collect();
    assert_eq!(answers, ["satisfied", "satisfied", "satisfied", "not satisfied"]);
}

#[test]
fn what_can_not_run_on_a_cluster_is_refused_before_it_starts() {
    let refused = |words: &[&str], why: &str| {
        let words = [&["verify", "fischer.xta", "-q", "E<> P(1).critical", "--local-processes", "2"], words].concat();
        run(&words).refuses(why);
    };
    refused(&["--order", "astar"], "directed orders do not run on a cluster");
    refused(&["--heuristic", "hu"], "directed orders do not run on a cluster");
    refused(&["--trace", "fastest"], "searches for short or fastest traces do not run on a cluster");
    refused(&["--engine", "smt"], "formulas do not run on a cluster");
    refused(&["-q", "A<> P(1).critical"], "queries about maximal runs do not run on a cluster");
}

/// The report without what is measured by a clock, or depends on who made the runs.
fn plain(mut report: Value) -> Value {
    for result in report["results"].as_array_mut().unwrap() {
        result.as_object_mut().unwrap().remove("stats");
    }
    report
}

#[test]
fn random_runs_of_several_processes_have_the_answers_of_one() {
    let folder = scratch("cluster_runs");
    let of = |name: &str| folder.join(name).display().to_string();
    let queries = [
        "Pr[<=40](<> P(1).critical)",
        "Pr[<=40; 3000]([] !P(1).critical)",
        "Pr[<=40](<> P(1).critical) >= 0.2",
        "Pr[<=40](<> P(1).critical) >= Pr[<=40](<> P(2).critical)",
        "E[<=40; 300](max: id)",
        "simulate[<=20; 30]{id, P(1).x}",
        "simulate[<=20; 400]{id} : 5 : P(2).critical",
        "Pr[<=40](<> P(1).critical && P(2).critical)",
    ];
    let asked: Vec<&str> = queries.iter().flat_map(|query| ["-q", query]).collect();
    let (traces, plots) = (of("traces.json"), of("plots"));
    for more in
        [&["--certain"][..], &["--splitting", "hff", "--runs", "2000"], &["--trace-file", &traces, "--plot", &plots]]
    {
        let words = [&["fischer.xta"], &asked[..], more, &["--seed", "3"]].concat();
        let one = report(&[&words[..], &["--threads", "1"]].concat());
        let files = || ["traces.json", "plots/query-6.csv"].map(|name| fs::read_to_string(of(name)).ok());
        let written = files();
        assert_eq!(written.iter().all(Option::is_some), more.contains(&"--plot"));
        for cluster in [&["--local-processes", "2"][..], &["--local-processes", "3", "--threads", "2"]] {
            let several = report(&[&words[..], cluster].concat());
            assert_eq!(several["results"][1]["stats"]["threads"], if cluster.len() == 2 { 2 } else { 6 });
            assert_eq!(plain(several), plain(one.clone()), "{more:?} {cluster:?}");
            assert_eq!(files(), written);
        }
    }
    // Models that only random runs can be asked of, beside queries that are refused.
    let ball =
        write(&folder, "ball.xta", "double v; clock x; process P() { state a{x' == 2.5 - x}; init a; } system P;");
    let words = [&ball[..], "-q", "E[<=2; 50](max: x)", "-q", "E<> P.a"];
    assert_eq!(plain(report(&[&words[..], &["--local-processes", "2"]].concat())), plain(report(&words)));
}

/// Writes a file, and returns its path.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join(name), text).unwrap();
    folder.join(name).display().to_string()
}

/// Addresses on this machine where nothing listens.
pub fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

/// Starts a command whose output is read later.
fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = command(folder);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of a process, and returns its exit status and both outputs.
pub fn wait(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn processes_that_the_user_starts_need_a_list_of_hosts_and_a_key() {
    let folder = scratch("cluster_hosts");
    let hosts = write(&folder, "hosts", &addresses(2).join("\n"));
    let key = write(&folder, "key", "a secret of sixteen bytes and more\n");
    let other_key = write(&folder, "other", "another secret of sixteen bytes\n");
    let short_key = write(&folder, "short", "short");
    let with = |key: &str| ["--hosts", &hosts, "--cluster-key", key, "--cluster-wait", "30s"].map(str::to_owned);
    let ask = ["verify", "fischer.xta", "-q", "E<> P(1).critical"];
    let join = |key: &str| {
        let words = with(key);
        let words: Vec<&str> =
            ["verify", "--process", "1"].into_iter().chain(words.iter().map(String::as_str)).collect();
        start(&folder, &words)
    };
    // A process with another key is dropped, and the one with the right key is accepted.
    let wrong = join(&other_key);
    let words = with(&key);
    let words: Vec<&str> = ask.into_iter().chain(["--process", "0"]).chain(words.iter().map(String::as_str)).collect();
    let first = start(&models(""), &words);
    let (status, text) = wait(wrong);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("can't reach process 0"), "{text}");
    let second = join(&key);
    let (status, text) = wait(first);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("  satisfied\n") && text.contains("it does not have the same key"), "{text}");
    assert_eq!(wait(second), (Some(0), String::new()));
    // What is wrong is said before anything is connected.
    let public = write(&folder, "public", "10.1.1.1:4100\n10.1.1.2:4100\n");
    let refused = |words: &[&str], why: &str| _ = run(&[&ask[..], words].concat()).refuses(why);
    refused(&["--hosts", &public, "--process", "0"], "need a shared secret: add `--cluster-key FILE`");
    refused(&["--hosts", &hosts], "add `--process N`");
    refused(&["--hosts", &hosts, "--process", "0", "--cluster-key", &short_key], "less than 16 bytes");
    run(&["verify", "--hosts", &hosts, "--process", "7"]).refuses("there is no process 7");
    run(&["verify", "--hosts", &hosts, "--process", "0"]).refuses("process 0 reads the model");
}

#[test]
fn all_that_is_wrong_is_said_at_once_and_where() {
    let folder = scratch("cluster_wrong");
    let ask = ["verify", "fischer.xta", "-q", "E<> P(1).critical"];
    let wrong = write(&folder, "wrong", "# hosts\nalpha\n  beta:70000 # too large\ngamma:1\ngamma:1\na b:2\n");
    let more = ["--order", "astar", "--trace", "fastest", "-q", "A<> P(1).critical", "--cluster-key", "no-such-file"];
    let more = [&more[..], &["--checkpoint", "/dev/null/kept", "--trace-file", "/dev/null/traces"]].concat();
    for end in [&["--process", "0"][..], &[]] {
        let refused = run(&[&ask[..], &["--hosts", &wrong], &more, end].concat());
        refused.refuses("");
        let place = |line: usize, column: usize| format!("{wrong}:{line}:{column}");
        let expected = [
            "`alpha` has no port",
            &place(2, 1),
            "write `alpha:4100`",
            "`70000` is not a port",
            &place(3, 8),
            "a port is a number from 1 to 65535",
            "`gamma:1` is the address of another process",
            &place(5, 1),
            "process 2 has it",
            "`a b` is not a host",
            "can't read `no-such-file`",
            "directed orders do not run on a cluster",
            "searches for short or fastest traces do not run",
            "queries about maximal runs do not run",
            "--checkpoint: `/dev/null/kept",
            "/dev/null/traces",
        ];
        for text in expected {
            assert!(refused.err.contains(text), "{text} {}", refused.err);
        }
        assert_eq!(refused.err.contains("which process is this?"), end.is_empty());
    }
    // A process that follows says the same.
    let refused = run(&["verify", "--hosts", &wrong, "--process", "1", "--cluster-key", "no-such-file"]);
    refused.refuses("`alpha` has no port").refuses("`a b` is not a host").refuses("can't read `no-such-file`");
    let one = write(&folder, "one", "alpha:4100\n");
    run(&["cluster", "run", "fischer.xta", "--hosts", &one, "--cluster-key", &one, "--process", "3"])
        .refuses("there is only one process; a cluster has at least two")
        .refuses("makes a secret itself")
        .refuses("`cluster run` is process 0");
}

#[test]
fn a_process_that_does_not_come_leaves_queries_unknown() {
    let folder = scratch("cluster_absent");
    let hosts = write(&folder, "hosts", &addresses(2).join("\n"));
    let words =
        ["fischer.xta", "-q", "E<> P(1).critical", "--hosts", &hosts, "--process", "0", "--cluster-wait", "0.2"];
    let absent = run(&[&["verify"], &words[..]].concat());
    assert_eq!((absent.status, absent.err.as_str()), (2, ""), "{absent:?}");
    assert!(absent.out.contains("  unknown: process 1 did not connect\n"), "{absent:?}");
    let report = report(&words);
    assert_eq!(report["results"][0]["reason"], "process 1 did not connect");
    // Nor is it wrong usage if process 0 is not there.
    let alone = run(&["verify", "--hosts", &hosts, "--process", "1", "--cluster-wait", "0.2"]);
    assert_eq!((alone.status, alone.err.contains("can't reach process 0")), (2, true), "{alone:?}");
}

#[test]
fn processes_with_different_lists_of_hosts_do_not_work_together() {
    let folder = scratch("cluster_lists");
    let list = addresses(3);
    let hosts = write(&folder, "hosts", &list[..2].join("\n"));
    let other = write(&folder, "other", &[&list[0], &list[2]].map(String::as_str).join("\n"));
    let words = ["verify", "fischer.xta", "-q", "E<> P(1).critical", "--process", "0", "--cluster-wait", "3"];
    let first = start(&models(""), &[&words[..], &["--hosts", &hosts]].concat());
    let second = start(&folder, &["verify", "--process", "1", "--hosts", &other]);
    let (status, text) = wait(second);
    assert_eq!(status, Some(3), "{text}");
    assert!(text.contains("its list of hosts is another one; all processes need the same"), "{text}");
    let (status, text) = wait(first);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("was dropped: its list of hosts is another one"), "{text}");
    assert!(text.contains("unknown: process 1 did not connect"), "{text}");
}

#[test]
fn cluster_run_starts_processes_by_a_program_like_ssh() {
    let folder = scratch("cluster_run");
    let hosts = write(&folder, "hosts", &addresses(3).join("\n"));
    // It notes where it was asked to run a command, and runs it here.
    let ssh = write(&folder, "ssh", "#!/bin/sh\necho $1 >> \"${0%/*}/asked\"\nshift\nexec \"$@\"\n");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let binary = env!("CARGO_BIN_EXE_merkhet");
    let words =
        ["cluster", "run", "fischer.xta", "--hosts", &hosts, "--ssh", &ssh, "--remote", binary, "--threads", "1"];
    let run_it = |rest: &[&str]| run(&[&words[..], rest].concat());
    let text = run_it(&["-q", "A[] not deadlock", "--stats"]).succeeds().to_owned();
    assert!(text.contains("  satisfied\n") && text.contains("in 3 threads"), "{text}");
    assert_eq!(fs::read_to_string(folder.join("asked")).unwrap(), "127.0.0.1\n127.0.0.1\n");
    run_it(&["--cluster-key", &hosts]).refuses("makes a secret itself");
    let words = ["cluster", "run", "fischer.xta", "--hosts", &hosts, "--ssh", "false", "-q", "A[] true"];
    let ended = run(&words);
    assert_eq!((ended.status, ended.out.contains("has ended before it was connected")), (2, true), "{ended:?}");
    run(&["cluster", "run", "fischer.xta"]).refuses("add `--hosts FILE`");
    run(&["cluster", "join"]).refuses("this command is for `merkhet cluster run`");
}

#[test]
#[cfg(target_os = "linux")]
fn progress_and_statistics_are_those_of_all_processes() {
    let folder = scratch("cluster_progress");
    write(&folder, "endless.xta", ENDLESS);
    let words = ["verify", "endless.xta", "-q", "E<> false", "--local-processes", "3", "--threads", "2"];
    let run = finish(command(&folder).args(words).args(["--progress", "json", "--time-limit", "3"]), b"");
    let last = run.err.lines().rfind(|line| line.starts_with('{')).unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    let workers = last["search"]["workers"].as_array().unwrap();
    let processes: Vec<_> = workers.iter().map(|worker| worker["process"].as_u64().unwrap()).collect();
    assert_eq!(processes, [0, 0, 1, 1, 2, 2]);
    assert!(workers.iter().all(|worker| worker["explored"].as_u64() > Some(0)), "{last}");
    let sum = |name: &str| workers.iter().map(|worker| worker[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(last["search"]["explored"].as_u64(), Some(sum("explored")));
    assert!(sum("packets_sent") > 0 && sum("packets_received") > 0);
    // Each process takes more memory than its states, and what is counted is that of all.
    assert!(last["resident_bytes"].as_u64() > Some(sum("bytes")), "{last}");
    let resident = |more: &[&str]| {
        let words = [&["fischer.xta", "-q", "A[] not deadlock"], more].concat();
        report(&words)["results"][0]["stats"]["peak_resident_bytes"].as_u64().unwrap()
    };
    let (one, three) = (resident(&["--threads", "1"]), resident(&["--local-processes", "3"]));
    assert!(three > 2 * one, "{one} {three}");
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
pub fn children(of: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let pid = |name: std::ffi::OsString| name.to_str()?.parse::<u32>().ok();
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        after_name.split(' ').nth(1) == Some(&of.to_string())
    };
    let mut list: Vec<u32> = entries.filter_map(|entry| pid(entry.file_name())).filter(is_child).collect();
    list.sort_unstable();
    list
}

/// Waits until something is the case.
#[cfg(target_os = "linux")]
pub fn wait_until(is: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns whether a process runs.
#[cfg(target_os = "linux")]
pub fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A process that has ended is there until someone asks how.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[cfg(target_os = "linux")]
pub fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// Starts three processes that search, and returns process 0 and the numbers of the others.
#[cfg(target_os = "linux")]
fn searching(folder: &Path) -> (Child, Vec<u32>) {
    write(folder, "endless.xta", ENDLESS);
    let words = [
        "verify",
        "endless.xta",
        "-q",
        "E<> false",
        "--local-processes",
        "3",
        "--progress",
        "always",
        "--order",
        "dfs",
    ];
    let mut child = start(folder, &words);
    // Progress shows that the search has begun.
    let mut err = child.stderr.take().unwrap();
    let mut byte = [0];
    std::io::Read::read_exact(&mut err, &mut byte).unwrap();
    child.stderr = Some(err);
    let others = children(child.id());
    assert_eq!(others.len(), 2);
    (child, others)
}

#[test]
#[cfg(target_os = "linux")]
fn a_cluster_that_loses_a_process_ends_at_once() {
    for lost in [1, 2] {
        let folder = scratch(&format!("cluster_loses_{lost}"));
        let (child, others) = searching(&folder);
        let start = Instant::now();
        kill(others[lost - 1]);
        let (status, text) = wait(child);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains(&format!("  unknown: process {lost} was lost\n")), "{text}");
        assert!(start.elapsed() < Duration::from_secs(20));
        wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");
    }
}

/// Starts three processes of which each makes a run that takes minutes, and returns process 0 and
/// the numbers of the others.
#[cfg(target_os = "linux")]
fn making_runs(folder: &Path) -> (Child, Vec<u32>) {
    let model = "int n; process P() { state a{; 1}; init a; trans a -> a { assign n = 1 - n; }; } system P;";
    write(folder, "fast.xta", model);
    let words = ["verify", "fast.xta", "-q", "Pr[<=1000000000](<> n > 1)", "--local-processes", "3"];
    let child = start(folder, &words);
    // The time that a process has used, in hundredths of a second.
    let used = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        after_name.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0_u64)
    };
    wait_until(|| children(child.id()).iter().filter(|pid| used(pid) > 20).count() == 2, "the others don't make runs");
    let others = children(child.id());
    (child, others)
}

#[test]
#[cfg(target_os = "linux")]
fn processes_that_make_runs_end_whatever_happens() {
    let folder = scratch("cluster_ends_runs");
    let (child, others) = making_runs(&folder);
    kill(others[1]);
    let (status, text) = wait(child);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("  unknown: process 2 was lost\n"), "{text}");
    wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");

    let (mut child, others) = making_runs(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");

    let (child, others) = making_runs(&folder);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let (status, text) = wait(child);
    assert!(status == Some(2) && text.contains("  unknown: interrupted\n"), "{text}");
    wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");

    // Limits are those of each query, and the next one is answered.
    let queries = ["-q", "Pr[<=1000000000](<> n > 1)", "-q", "Pr[<=10; 1000](<> n == 1)"];
    let words = [&["verify", "fast.xta", "--local-processes", "3", "--time-limit", "3"], &queries[..]].concat();
    let (status, text) = wait(start(&folder, &words));
    assert!(status == Some(2) && text.contains("  unknown: the time limit was reached\n"), "{text}");
    assert!(text.contains("of 1000 runs"), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn processes_end_themselves_without_process_0() {
    let folder = scratch("cluster_leaderless");
    let (mut child, others) = searching(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_and_limits_end_all_processes() {
    let folder = scratch("cluster_limits");
    let (child, others) = searching(&folder);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let (status, text) = wait(child);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("unknown: interrupted"), "{text}");
    wait_until(|| !others.iter().any(|pid| runs(*pid)), "processes are left");
    for (limit, value, says) in [("--time-limit", "2", "time"), ("--state-limit", "5000", "state")] {
        let words =
            ["verify", "endless.xta", "-q", "E<> false", "-q", "A[] true", "--local-processes", "2", limit, value];
        let run = finish(command(&folder).args(words), b"");
        assert_eq!(run.status, 2, "{}", run.err);
        assert!(run.out.contains(&format!("unknown: the {says} limit was reached")), "{}", run.out);
    }
}
