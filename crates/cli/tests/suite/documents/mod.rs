//! README, manual, ARCHITECTURE and CONTRIBUTING say what is true: their console blocks are run,
//! their command lines are parsed, and what they name exists.

mod commands;
mod console;
mod invariants;
mod links;
mod map;
mod markdown;
mod sources;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use markdown::Document;

/// The root of the repository.
fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_owned()
}

/// The chapters of the manual, by the names of their files.
fn chapters() -> BTreeSet<String> {
    names(&root().join("manual/src")).into_iter().filter(|name| name.ends_with(".md")).collect()
}

/// All documents.
fn documents() -> Vec<Document> {
    let chapters = chapters().into_iter().map(|name| format!("manual/src/{name}"));
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    others.into_iter().chain(chapters).map(|path| Document::read(&root(), &path)).collect()
}

/// The names of what a folder holds.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Whether documents are rewritten where they differ from what is found.
fn blesses() -> bool {
    std::env::var_os("MERKHET_BLESS").is_some()
}
