//! Command lines that are not run must still be valid: those in `sh` blocks, and those in
//! backquotes.
//!
//! Each is given to the command-line parser with `--help` at its end. Words and values are parsed
//! from left to right, so errors are reported before the help is printed. Nothing is read, searched
//! or written.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use super::{documents, markdown::Document};
use crate::common::{command, finish, run_in, scratch};

/// Replaces the binary. No other program is available.
const STAND_IN: &str = r#"#!/bin/sh
if said=$("$REAL" "$@" --help 2>&1 >/dev/null); then
    echo "right" >>"$LOG"
else
    echo "merkhet $*: $said" >>"$LOG"
fi
"#;

/// Returns the parser's message for each call of merkhet in a script.
fn verdicts(name: &str, script: &str) -> Vec<String> {
    let folder: PathBuf = scratch(&format!("commands-{name}"));
    fs::create_dir(folder.join("bin")).unwrap();
    let stand_in = folder.join("bin/merkhet");
    fs::write(&stand_in, STAND_IN).unwrap();
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    let log = folder.join("log");
    fs::write(&log, "").unwrap();
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{script}\nexit 0\n")).current_dir(&folder);
    shell.env("PATH", folder.join("bin")).env("LOG", &log).env("REAL", env!("CARGO_BIN_EXE_merkhet"));
    finish(&mut shell, b"");
    fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect()
}

fn check(name: &str, path: &str, calls: &[String]) {
    let verdicts = verdicts(name, &calls.join("\n"));
    let wrong: Vec<&String> = verdicts.iter().filter(|verdict| *verdict != "right").collect();
    assert!(wrong.is_empty(), "{path}: {wrong:#?}");
    let expected = calls.iter().filter(|line| line.trim_start().starts_with("merkhet ")).count();
    assert!(verdicts.len() >= expected, "{path}: the shell does not understand all of {calls:#?}");
}

/// Returns a file name for a path.
fn plain(path: &str) -> String {
    path.replace(['/', '.'], "-")
}

#[test]
fn commands_of_sh_blocks_are_parsed() {
    for document in documents() {
        let blocks = document.blocks_in("sh").into_iter();
        let lines: Vec<String> = blocks.flat_map(|block| document.lines[block.start..block.end].to_vec()).collect();
        if !lines.is_empty() {
            check(&format!("sh-{}", plain(&document.path)), &document.path, &lines);
        }
    }
}

#[test]
fn commands_in_backquotes_are_parsed() {
    for document in documents() {
        // A span with `…` or brackets is a pattern of commands, not a command.
        let is_call = |code: &String| code.starts_with("merkhet ") && !code.contains(['…', '[']);
        let calls: Vec<String> = document.code().into_iter().filter(is_call).collect();
        if !calls.is_empty() {
            check(&format!("code-{}", plain(&document.path)), &document.path, &calls);
        }
    }
}

#[test]
fn options_in_backquotes_exist() {
    let mut known = BTreeSet::new();
    let commands =
        ["verify", "certify", "replay", "simulate", "serve", "check", "convert", "graph", "list", "verifyta"];
    let benches = ["zones", "directed", "abstraction", "lattice", "nets", "kernels", "scale"];
    let calls = commands.iter().map(|name| vec![*name]).chain(benches.iter().map(|name| vec!["bench", *name]));
    let calls = calls.chain([vec!["cluster", "run"]]);
    for mut call in calls {
        call.push("--help");
        let help = run_in(&scratch("options"), &call);
        let words = help.succeeds().split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        known.extend(words.filter(|word| word.starts_with("--")).map(str::to_owned));
    }
    known.insert("--version".to_owned());
    let of_users = |document: &Document| document.path == "README.md" || document.path.starts_with("manual");
    for document in documents().iter().filter(|document| of_users(document)) {
        let is_option =
            |code: &&String| code.strip_prefix("--").is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        for code in document.code().iter().filter(is_option) {
            let option = code.split([' ', '=', '|', ',']).next().unwrap();
            assert!(known.contains(option), "{}: unknown option `{option}`", document.path);
        }
    }
}

#[test]
fn invalid_commands_are_found() {
    let script = "merkhet verify m.xta --order dfs > out\nmerkhet verify m.xta --order sideways\nif true; then merkhet chekc; fi\ncargo x";
    let found = verdicts("wrong", script);
    assert_eq!(found[0], "right");
    assert!(found[1].contains("sideways"), "{found:?}");
    assert!(found.iter().any(|line| line.contains("chekc")), "{found:?}");
    assert!(finish(command(&scratch("verify-help")).args(["verify", "m.xta", "--help"]), b"").status == 0);
}
