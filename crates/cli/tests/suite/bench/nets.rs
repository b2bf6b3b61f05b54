//! Sizes of formulas, and other tools for nets.

#[cfg(unix)]
use std::fs;

use super::{bench, line};
#[cfg(unix)]
use crate::common::scratch;

#[test]
fn sizes_of_formulas_are_compared_with_the_papers() {
    let run = bench(None, &["nets", "--table", "1", "--size", "2", "--steps", "1", "--steps", "5"]);
    let text = run.succeeds();
    assert_eq!(line(text, "are replaced\n", "variables").join(" "), "| 292469 3815 242 | 292859 3442 56", "{text}");
    assert_eq!(line(text, "are replaced\n", "paper").join(" "), "| 292469 3815 | 292859 3442", "{text}");
    assert!(text.contains("Of 8 numbers of variables 8 are the paper's"), "{text}");
    assert!(text.contains("as many constraints as in the paper in 4 of 4 formulas"), "{text}");
}

#[cfg(unix)]
#[test]
fn other_tools_for_nets_are_run_and_missing_ones_named() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("bench-net-tools");
    let program = |name: &str, script: &str| {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("tina", "echo '# abstraction count props psets dead live #'; echo '# states 77 5 5 1 0 #'");
    program("romeo-cli", "echo 'cannot read this' >&2");
    let args = ["nets", "--tools", "--family", "philosophers", "--size", "3", "--time-limit", "20"];
    let run = bench(Some(&folder), &args);
    let text = &run.out;
    assert_eq!(run.status, 2, "one tool gave no answer: {run:?}");
    assert!(text.contains("philosophers 3, `E<> deadlock`, tina: 77 states"), "{text}");
    assert!(text.contains("romeo-cli: gave no answer; it said: cannot read this"), "{text}");
    assert!(text.contains("not run: `verifytapn` (TAPAAL), `verifydtapn` (TAPAAL, discrete time)"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("philosophers 3") && line.ends_with(" satisfied")), "{text}");
}
