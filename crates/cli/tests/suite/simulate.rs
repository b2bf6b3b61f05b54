//! `merkhet simulate` with scripts on its standard input.

use std::{fs, path::Path};

use crate::common::{Run, command, finish, run_in, scratch, ui};

/// Runs a script on a model.
fn simulate(folder: &Path, args: &[&str], script: &[&str]) -> Run {
    finish(command(folder).arg("simulate").args(args), script.join("\n").as_bytes())
}

/// Writes a model, runs a script on it, and checks that the output contains these lines in this
/// order.
#[track_caller]
fn shows(name: &str, model: &str, script: &[&str], lines: &[&str]) {
    let folder = scratch(&format!("simulate-{name}"));
    let file = if model.starts_with("system:") { "m.tck" } else { "m.xta" };
    fs::write(folder.join(file), model).unwrap();
    let run = simulate(&folder, &[file], script);
    let mut rest = run.succeeds().lines().map(str::trim);
    for line in lines {
        assert!(rest.any(|found| found == *line), "{line:?} is missing or misplaced in {run:?}");
    }
}

/// Compares a transcript with `NAME.out`. With `MERKHET_BLESS=1` in the environment it is written
/// instead.
fn transcript(name: &str, model: &str, script: &[&str]) {
    let run = simulate(&ui(), &[model, "--seed", "5"], script);
    let script = script.iter().map(|line| format!("> {line}\n")).collect::<String>();
    let found = format!("{script}--- stdout\n{}--- stderr\n{}exit status {}\n", run.out, run.err, run.status);
    let file = ui().join(format!("{name}.out"));
    if std::env::var_os("MERKHET_BLESS").is_some() {
        fs::write(&file, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{} differs from:\n{found}", file.display());
}

#[test]
fn a_failing_index_is_reported_once_for_all_channels() {
    for channels in [2, 3, 40] {
        let model = format!(
            "chan c[{channels}]; int i = 7;
             process P() {{ state a, b; init a; trans a -> b {{ sync c[i * 9]!; }}, a -> b {{ guard 1 / (i - 7) == 1; sync c[1]!; }}; }}
             process Q(const int[0,1] k) {{ state a, b; init a; trans a -> b {{ select j : int[0,1]; sync c[j - 5 + k]?; }}; }}
             system P, Q;"
        );
        let folder = scratch(&format!("simulate-channels-{channels}"));
        fs::write(folder.join("m.xta"), model).unwrap();
        let run = simulate(&folder, &["m.xta"], &[]);
        let errors: Vec<&str> = run.succeeds().lines().filter(|line| line.contains("run-time error at")).collect();
        let index = |at: &str, index: i32| {
            let last = channels - 1;
            format!(
                "  run-time error at any time: {at}: index {index} is outside of the array, whose indices are 0 to {last}, at "
            )
        };
        let blamed = |start: &str| errors.iter().filter(|line| line.starts_with(start)).count();
        assert_eq!(blamed(&index("P: a -> b", 63)), 1, "{run:?}");
        assert_eq!(blamed("  run-time error at any time: P: a -> b [c[1]!]: division by zero"), 1, "{run:?}");
        for (k, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert!(blamed(&index(&format!("Q({k}): a -> b ({j})"), j - 5 + k)) <= 1, "{run:?}");
        }
        assert!(errors.len() <= 6, "{run:?}");
    }
}

#[test]
fn a_session() {
    let script = [
        "1 @ 7/2",
        "1",
        "undo",
        "2",
        "redo",
        "undo 2",
        "next",
        "goto 1",
        "delay 1.5",
        "show x",
        "show Lamp.low and x > 1",
        "trace",
        "break Lamp.bright and x > 2",
        "run",
        "breaks",
        "delete 1",
        "random 2",
        "state",
        "quit",
        "unread",
    ];
    transcript("simulate", "lamp.xta", &script);
}

#[test]
fn mistakes_do_not_end_a_session() {
    let script = [
        "1 1",
        "stat",
        "7",
        "1 @",
        "2 @ 1",
        "delay x",
        "undo 9",
        "next",
        "goto 4",
        "run",
        "delete 1",
        "break y > 3",
        "break",
        "break x > 3 &&",
        "break a --> b",
        "show Lamp",
        "run till x",
        "save",
        "save lamp.xta",
        "save no/such/folder",
        "load missing.json",
        "load lamp.xta",
        "random 100001",
        "show 1",
        "state",
    ];
    transcript("simulate_mistakes", "lamp.xta", &script);
}

#[test]
fn broadcasts_include_all_enabled_receivers() {
    let model = "clock x; broadcast chan c; process P() { state a; init a; trans a -> a { sync c!; }; } \
                 process Q() { state b, d; init b; trans b -> d { guard x >= 2 && x < 5; sync c?; }; } system P, Q;";
    let alone = "2  after 0..<2 or >=5  P: a -> a [c!]";
    shows("broadcast", model, &["1", "quit"], &["1  after 2..<5         P: a -> a [c!], Q: b -> d [c?]", alone]);
    shows("broadcast", model, &["2 @ 3/2"], &["move 1: after 3/2: P: a -> a [c!]"]);
}

#[test]
fn time_is_limited_and_locked() {
    let strict = "clock x; process P() { state a { x < 3 }, b; init a; trans a -> b { guard x > 1; }; } system P;";
    shows(
        "strict",
        strict,
        &["delay 2", "1", "undo", "undo", "1"],
        &[
            "time may pass for less than 3 (invariant of P.a)",
            "1  after >1..<3  P: a -> b",
            "move 1: 2 passes",
            "1  after 0..<1  P: a -> b",
            "move 1: after 3/2: P: a -> b",
            "deadlock: no transition is possible, now or later",
        ],
    );
    let locked = "clock x; process P() { state a { x <= 3 }; init a; trans a -> a { guard x > 4; }; } system P;";
    let lock = "deadlock and time-lock: no transition is possible, now or later";
    shows(
        "lock",
        locked,
        &["delay 3"],
        &["time may pass for at most 3 (invariant of P.a)", lock, "time may not pass (invariant of P.a)", lock],
    );
    let urgent = "clock x; urgent chan u; process P() { state a; init a; trans a -> a { guard x >= 2; sync u!; }; } \
                  process Q() { state b, c; urgent c; init b; trans b -> c { sync u?; }; } system P, Q;";
    shows(
        "urgent",
        urgent,
        &["1"],
        &[
            "time may pass for at most 2 (u is urgent)",
            "1  after 2  P: a -> a [u!], Q: b -> c [u?]",
            "time may not pass (Q.c is urgent)",
        ],
    );
    let stopped = "clock x, y; process P() { state a { x' == 0 && y <= 5 }, b; init a; \
                   trans a -> b { guard x >= 1; }, a -> b { guard y >= 4; }; } system P;";
    shows(
        "stopped",
        stopped,
        &["delay 3", "1"],
        &["1  after 4..5  P: a -> b", "x = 0, y = 3", "1  after 1..2  P: a -> b"],
    );
}

#[test]
fn priorities_and_hooks_count() {
    let model = "clock x; chan priority default < h; chan h; int n; before_update { n = 5 } after_update { n = n * 2 } \
                 process P() { state a, b, c; init a; trans a -> b { assign n = n + 1; }, a -> c { guard x >= 3; sync h!; }; } \
                 process Q() { state d; init d; trans d -> d { sync h?; }; } system P, Q;";
    let lines = ["1  after 0..<3  P: a -> b", "2  after >=3    P: a -> c [h!], Q: d -> d [h?]", "n: 0 -> 12"];
    shows(
        "priorities",
        &model.replace("chan priority default < h; chan h;", "chan h; chan priority default < h;"),
        &["1"],
        &lines,
    );
}

#[test]
fn run_time_errors_are_reported() {
    let model = "clock x; int[0,1] n; int a[2]; process P() { state p; init p; \
                 trans p -> p { guard x >= 1; assign n++, x = 0; }; } system P;";
    shows(
        "fault",
        model,
        &["1", "random 5"],
        &[
            "move 1: after 1: P: p -> p",
            "no transition is possible without a run-time error",
            "run-time error after >=1: P: p -> p: value 2 is outside of the range [0,1], at m.xta:1:99",
            "run-time error: value 2 is outside of the range [0,1]",
        ],
    );
    let guard = "clock x; int[0,5] n = 2; int a[2]; process P() { state p; init p; trans p -> p { guard a[n] == 0; }, \
                 p -> p { assign n = 0; }; } system P;";
    let line = "run-time error at any time: P: p -> p: index 2 is outside of the array, whose indices are 0 to 1, at m.xta:1:90";
    shows("fault", guard, &["state"], &["no transition is possible without a run-time error", line]);
    let folder = scratch("simulate-initial");
    fs::write(folder.join("m.xta"), "clock x; process P() { state a { x > 1 }; init a; } system P;").unwrap();
    simulate(&folder, &["m.xta"], &[]).refuses("the initial state violates an invariant");
}

#[test]
fn tcheckers_vectors_are_steps() {
    let model = "system:two\nevent:go\nevent:tau\nprocess:P\nclock:1:x\nlocation:P:a{initial:}\nlocation:P:b{}\n\
                 edge:P:a:b:go{provided: x>=2 : do: x=0}\nprocess:Q\nlocation:Q:c{initial:}\nlocation:Q:d{}\n\
                 edge:Q:c:d:go{}\nsync:P@go:Q@go\n";
    let folder = scratch("simulate-tck");
    fs::write(folder.join("m.tck"), model).unwrap();
    let run = simulate(&folder, &["m.tck"], &["1 @ 5/2", "break P.b", "save t"]);
    assert!(run.succeeds().contains("  1  after >=2  P: a -> b [@go], Q: c -> d [@go]\n"), "{run:?}");
    let run = run_in(&folder, &["replay", "m.tck", "t"]);
    assert!(run.succeeds().contains("E<> P.b\n  ok: satisfied, by a run with 1 transition\n"), "{run:?}");
}

#[test]
fn traces_of_verify_are_played_and_saved_again() {
    let folder = scratch("simulate-trace");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/train_gate.xta");
    fs::copy(model, folder.join("m.xta")).unwrap();
    let queries = [
        "-q",
        "E<> Train(1).Cross && Train(2).Stop",
        "-q",
        "E<> Train(0).Cross && Train(0).x > 4",
        "--trace-file",
        "t",
    ];
    run_in(&folder, &[&["verify", "m.xta"][..], &queries].concat()).succeeds();
    let run = simulate(
        &folder,
        &["m.xta", "--trace", "t"],
        &["next 2", "load t 2", "goto end", "show Train(0).x > 4", "save u"],
    );
    assert!(
        run.succeeds().contains(" for E<> Train(1).Cross && Train(2).Stop (trace 1 of 2); `next` makes them\n"),
        "{run:?}"
    );
    assert!(run.out.contains("Train(0).x > 4 = true\n"), "{run:?}");
    assert!(run_in(&folder, &["replay", "m.xta", "u"]).succeeds().contains("E<> true\n  ok: "));
    simulate(&folder, &["m.xta", "--trace", "t"], &["load t 3"])
        .refuses("there is no trace 3 in `t`, which has 2 traces");
    let text = fs::read_to_string(folder.join("t")).unwrap();
    fs::write(folder.join("bad"), text.replacen("\"delay\": \"0\"", "\"delay\": \"1\"", 1)).unwrap();
    simulate(&folder, &["m.xta", "--trace", "bad"], &[]).refuses("is not a run of this model: step ");
    simulate(&folder, &["m.xta", "--trace", "m.xta"], &[]).refuses("m.xta:1:");
}

#[test]
fn random_runs_depend_on_the_seed_alone() {
    let run =
        |seed: &str| run_in(&ui(), &["simulate", "lamp.xta", "--random", "40", "--seed", seed]).succeeds().to_owned();
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
    assert_eq!(run("3").lines().filter(|line| line.starts_with("move ")).count(), 40);
    let model = fs::read(ui().join("lamp.xta")).unwrap();
    let piped = finish(command(&ui()).args(["simulate", "-", "--random", "40", "--seed", "1"]), &model);
    assert_eq!(piped.succeeds(), run("1"));
    simulate(&ui(), &["-"], &[]).refuses("the standard input is for the commands");
}

#[test]
fn odd_input_is_refused_line_by_line() {
    let long = "x".repeat(100_000);
    let script = [b"\xff\xfe\n".as_slice(), long.as_bytes(), b"\n# fine\n\n   \nshow x\n"].concat();
    let run = finish(command(&ui()).args(["simulate", "lamp.xta"]), &script);
    run.refuses("line 1: the line is not UTF-8 text").refuses("line 2: the line is too long");
    assert!(run.out.ends_with("x = 0\n"), "{run:?}");
    simulate(&ui(), &["broken.xta"], &["state"]).refuses("error");
}

/// Long runs are summarised, so that little is left to do when a limit ends them; `trace` reports
/// all steps.
#[test]
fn long_runs_are_summarised() {
    let run = simulate(&ui(), &["lamp.xta", "--format", "json"], &["random 1500", "trace"]);
    let lines: Vec<serde_json::Value> =
        run.succeeds().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, random, trace] = &lines[..] else { panic!("{} lines", lines.len()) };
    let moves = |line: &serde_json::Value| line["moves"].as_array().unwrap().len();
    assert_eq!((moves(random), &random["hidden"]), (1000, &500.into()));
    assert_eq!(random["moves"][0]["number"], 501);
    assert_eq!((moves(trace), &trace["hidden"]), (1500, &0.into()));
}

/// Ctrl-C ends a run, not the program.
#[cfg(unix)]
#[test]
fn an_interrupt_leads_back_to_the_commands() {
    use std::{
        io::{Read, Write},
        process::{Command, Stdio},
        thread,
        time::Duration,
    };
    let folder = scratch("simulate-interrupt");
    // Every step takes a while.
    let model = "int n; void work() { int[0,300000] i; for (i = 0; i < 300000; i++) { n = i % 7; } } \
                 process P() { state a; init a; trans a -> a { assign work(); }; } system P;";
    fs::write(folder.join("m.xta"), model).unwrap();
    let mut child = command(&folder);
    child.args(["simulate", "m.xta"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    // The first answer arrives after the handler is installed.
    let mut first = [0; 16];
    stdout.read_exact(&mut first).unwrap();
    writeln!(stdin, "random 100000").unwrap();
    thread::sleep(Duration::from_secs(1));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    write!(stdin, "show 6 * 7\nquit\n").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(rest.contains("\ninterrupted\n") && rest.ends_with("6 * 7 = 42\n"), "{rest}");
}
