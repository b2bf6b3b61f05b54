//! Nets speak as nets: no command shows the automata that represent a net, except those that are
//! asked for them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use oracle::random_nets::{NetFeatures, random_net};
use syntax::net::{Timing, tina};

use crate::common::{command, finish, models, run_in, scratch};

/// Names and words of automata. Nets of these tests do not use them.
const AUTOMATA: [&str; 16] = [
    "_token",
    "_timer",
    "_age",
    "_ready",
    "Wait",
    "Idle",
    ".On",
    ".Off",
    "\"On\"",
    "\"Off\"",
    ".Net",
    "\"Net\"",
    "Contact",
    "template",
    "invariant of",
    "outside of the range",
];

/// Asserts that an output has none of them.
fn check(what: &str, output: &str) {
    for word in AUTOMATA {
        // A summary in JSON has the sizes of the automata as well.
        if let Some(line) = output.lines().find(|line| line.contains(word) && !line.contains("\"templates\":")) {
            panic!("{what} says `{word}`: {line}");
        }
    }
}

/// The examples, nets with second tokens, and random nets of all kinds.
fn nets(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut add = |name: String, text: String| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        files.push(file);
    };
    for entry in fs::read_dir(models("nets")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "net") {
            // Without the queries beside it, which may name clocks of automata.
            add(path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap());
        }
    }
    add("unsafe.net".to_owned(), "pl a [1,2] (1)\npl b [3,3] (1)\ntr t a -> b\n".to_owned());
    let contact = "pl a [1,2] (1)\npl b [3,3] (1)\npl h [4,5] (1)\ntr t a h?-1 -> b\n";
    add("contact.net".to_owned(), contact.to_owned());
    add("many.net".to_owned(), "pl a (1)\ntr t [1,2] a -> a*2\n".to_owned());
    for timing in [Timing::Places, Timing::Transitions, Timing::Untimed] {
        for seed in 0..4 {
            let features = NetFeatures::new(timing);
            add(format!("{}{seed}.net", timing.name()), tina::text(&random_net(seed, &features)));
        }
    }
    files
}

#[test]
fn no_command_shows_the_automata_of_a_net() {
    let folder = scratch("net-words");
    let queries = ["E<> deadlock", "A[] not deadlock", "E<> time >= 3", "A<> time > 2", "A[] safe()"];
    let asked: Vec<&str> = queries.iter().flat_map(|query| ["-q", query]).collect();
    let limits = ["--time-limit", "20s", "--state-limit", "2000"];
    for net in nets(&folder) {
        let net = net.to_str().unwrap();
        let run = |words: &[&str]| {
            let run = run_in(&folder, words);
            check(&format!("{words:?}"), &run.out);
            check(&format!("{words:?}"), &run.err);
            run
        };
        run(&["check", net]);
        run(&["check", net, "--format", "json", "-q", "E<> nothing == 1"]);
        for more in
            [&["--trace", "short", "--stats"][..], &["--format", "json", "--trace", "some"], &["--format", "junit"]]
        {
            run(&[&["verify", net], &asked[..], &limits, more].concat());
        }
        let files = ["--certificate", "c", "--trace-file", "t", "--smt-lib", "s"];
        run(&[&["verify", net], &asked[..], &limits, &files[..4]].concat());
        run(&["verify", net, "-q", "E<> deadlock", "--engine", "smt", "--bound", "4", "--smt-lib", "s"]);
        for file in ["c", "t"] {
            check(file, &fs::read_to_string(folder.join(file)).unwrap_or_default());
        }
        run(&["certify", net, "c"]);
        run(&["replay", net, "t"]);
        let interactive = b"state\n1\ntrace\nbreak deadlock\nrun until time >= 5\nshow time\nundo\nhelp\n";
        for format in ["text", "json"] {
            run(&["simulate", net, "--random", "20", "--seed", "7", "--format", format]);
            let commands = finish(command(&folder).args(["simulate", net, "--format", format]), interactive);
            check(&format!("simulate {net}"), &(commands.out + &commands.err));
        }
        for format in ["svg", "dot"] {
            run(&["graph", net, "--format", format]);
            run(&["graph", net, "--states", "--state-limit", "20", "--format", format]);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn summaries_count_places_and_transitions() {
    let run = run_in(&models("nets"), &["check", "crossing.net", "race.net"]);
    assert_eq!(
        run.succeeds(),
        "crossing.net: ok: 9 places, 7 transitions, 18 arcs, T-time, 0 queries\n\
         race.net: ok: 5 places, 2 transitions, 6 arcs, P-time, 0 queries\n"
    );
    let run = run_in(&models("nets"), &["check", "race.net", "--format", "json"]);
    assert!(run.succeeds().contains("\"time\": \"P-time\""), "{run:?}");
}

#[test]
fn second_tokens_are_named() {
    let folder = scratch("net-words-second");
    fs::write(folder.join("n.net"), "pl a [1,2] (1)\npl b [3,3] (1)\ntr t a -> b\n").unwrap();
    fs::write(folder.join("m.net"), "pl a (1)\ntr t a -> a*200\n").unwrap();
    let run = run_in(&folder, &["verify", "n.net", "-q", "E<> b == 7"]);
    assert!(run.status == 2 && run.out.contains("place `b` gets a second token"), "{run:?}");
    let run = run_in(&folder, &["verify", "m.net", "-q", "E<> a == 777"]);
    assert!(run.status == 2 && run.out.contains("place `a` gets 399 tokens, more than its limit of 255"), "{run:?}");
    let run = run_in(&folder, &["simulate", "n.net", "--random", "5"]);
    assert!(run.out.contains("place `b` gets a second token"), "{run:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn ages_are_asked_for_in_words_of_nets() {
    let verify = |net: &str, query: &str| run_in(&models("nets"), &["verify", net, "-q", query]);
    assert_eq!(verify("race.net", "E<> age(p2) >= 1 && available(p1)").status, 0);
    assert_eq!(verify("race.net", "E<> available(p1) && age(p1) > 1 && p1 == 1").status, 1);
    assert_eq!(verify("crossing.net", "A[] near == 1 imply age(enter) <= 7").status, 0);
    verify("race.net", "E<> age(p3) > 1").refuses("unknown place or transition `p3`");
    verify("race.net", "E<> age(t1) > 1").refuses("`t1` has no age");
    verify("race.net", "E<> age(1) > 1").refuses("needs the name of a place or transition");
    verify("race.net", "E<> age(p1, p2) > 1").refuses("`age` needs one place or transition");
    verify("race.net", "E<> p2_tokn > 1").refuses("unknown name `p2_tokn`");
    assert!(!verify("race.net", "E<> p2_tokn > 1").err.contains("p2_token"));
}

#[test]
fn traces_in_json_have_markings_and_firings() {
    let run =
        run_in(&models("nets"), &["verify", "race.net", "-q", "E<> q1 == 1", "--trace", "short", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(run.succeeds()).unwrap();
    let trace = &report["results"][0]["trace"];
    assert_eq!(trace["start"]["marking"][0]["place"], "p1");
    assert_eq!(trace["start"]["marking"][0]["available"], false);
    assert_eq!(trace["start"]["marking"][0]["age"], "0");
    assert_eq!(trace["start"]["time"], "0");
    assert_eq!(trace["steps"][0]["becomes_available"], "p1");
    assert_eq!(trace["steps"][1]["fires"], "t1");
    assert_eq!(trace["end"]["marking"][1]["place"], "q1");
}

#[test]
fn the_first_states_are_drawn() {
    let folder = scratch("net-words-states");
    let net = models("nets").join("philosophers.net");
    let words = ["graph", net.to_str().unwrap(), "--states", "--state-limit", "5", "-o", "s.svg"];
    let run = run_in(&folder, &words);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("note: the drawing has the first 5 states; there are more"), "{run:?}");
    let svg = fs::read_to_string(folder.join("s.svg")).unwrap();
    assert!(svg.contains("the first 5 states; there are more</text>"), "{svg}");
    assert_eq!(svg.matches("<rect x=").count(), 5, "{svg}");
    assert!(svg.contains("fork1, fork2, fork3"), "{svg}");
    let run = run_in(&folder, &["graph", net.to_str().unwrap(), "--states", "--state-limit", "1"]);
    assert!(run.err.contains("the first state; there are more"), "{run:?}");
    // All states are drawn without a note.
    let race = models("nets").join("race.net");
    let run = run_in(&folder, &["graph", race.to_str().unwrap(), "--states", "--format", "dot"]);
    assert!(run.err.is_empty() && run.succeeds().contains("t1"), "{run:?}");
    fs::remove_dir_all(folder).unwrap();
}
