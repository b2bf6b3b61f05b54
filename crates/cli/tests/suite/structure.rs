//! What `ARCHITECTURE.md` promises about the crates, as far as a program can see it. That libraries
//! touch no files, clocks or processes is seen by clippy (`clippy.toml`).

use std::{collections::BTreeSet, fs, path::PathBuf};

/// Each crate with the crates of the workspace that it is built from. A line here is a decision: an
/// arrow more is an arrow to explain.
const DIRECTIONS: [(&str, &[&str]); 14] = [
    ("syntax", &[]),
    ("zone", &[]),
    ("smt", &[]),
    ("lattice", &["zone"]),
    ("draw", &["syntax"]),
    ("model", &["lattice", "syntax"]),
    ("explore", &["lattice", "model", "zone"]),
    ("bounded", &["model", "smt"]),
    ("verify", &["bounded", "explore", "lattice", "model", "smt", "syntax", "zone"]),
    ("certify", &["model"]),
    ("oracle", &["model", "syntax"]),
    ("bench", &["explore", "model", "syntax", "verify", "zone"]),
    ("campaign", &["explore", "model", "oracle", "syntax", "verify"]),
    ("cli", &["bench", "bounded", "certify", "draw", "explore", "lattice", "model", "smt", "syntax", "verify", "zone"]),
];

fn crates() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The crates of the workspace that a crate names under `[dependencies]`.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[dependencies]\n").unwrap();
    let section = rest.split("\n[").next().unwrap_or_default();
    let known = |name: &&str| DIRECTIONS.iter().any(|(known, _)| known == name);
    section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).filter(known).map(str::to_owned).collect()
}

#[test]
fn crates_depend_on_each_other_in_one_direction() {
    let listed: BTreeSet<&str> = DIRECTIONS.iter().map(|(name, _)| *name).collect();
    let present = fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let present: BTreeSet<String> = present.filter(|name| crates().join(name).join("Cargo.toml").exists()).collect();
    assert_eq!(present.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed, "crates and their list differ");
    for (i, (name, expected)) in DIRECTIONS.iter().enumerate() {
        let found = dependencies(name);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), *expected, "`{name}` depends on these");
        let earlier: Vec<&str> = DIRECTIONS[..i].iter().map(|(name, _)| *name).collect();
        assert!(expected.iter().all(|name| earlier.contains(name)), "`{name}` stands before what it depends on");
    }
}
