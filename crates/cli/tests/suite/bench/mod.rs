//! `merkhet bench`: the tables of its suites, and external tools. No test depends on execution
//! times.

mod abstraction;
mod directed;
mod lattice;
mod nets;
mod scale;
#[cfg(unix)]
mod tools;
mod zones;

use std::path::{Path, PathBuf};

use crate::common::{Run, command, finish};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `merkhet bench` where no external tool can be found, except those in a given folder.
fn bench(tools: Option<&Path>, args: &[&str]) -> Run {
    let mut command = command(Path::new("."));
    command.arg("bench").args(args);
    match tools {
        // The tools are scripts, which need a shell and its commands.
        Some(folder) => command.env("PATH", format!("{}:/usr/bin:/bin", folder.display())),
        None => command.env("PATH", ""),
    };
    finish(&mut command, b"")
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {run:?}"))
}

/// Returns the words after a name in a table.
fn words<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name} in {text}")).split_whitespace().collect()
}

/// Returns the words of a line of a table, after a heading.
fn line<'a>(text: &'a str, heading: &str, name: &str) -> Vec<&'a str> {
    let (_, table) = text.split_once(heading).unwrap_or_else(|| panic!("no {heading} in {text}"));
    words(table, name)
}
