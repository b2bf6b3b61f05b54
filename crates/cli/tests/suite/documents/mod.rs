//! README, manual, ARCHITECTURE and CONTRIBUTING are correct: their console blocks are run, their
//! command lines are parsed, and the files that they name exist.

mod abstraction;
mod commands;
mod console;
mod directed;
mod figures;
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

/// Returns the root of the repository.
fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_owned()
}

/// Returns the chapters of the manual, by their file names.
fn chapters() -> BTreeSet<String> {
    names(&root().join("manual/src")).into_iter().filter(|name| name.ends_with(".md")).collect()
}

/// Returns all documents.
fn documents() -> Vec<Document> {
    let chapters = chapters().into_iter().map(|name| format!("manual/src/{name}"));
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    others.into_iter().chain(chapters).map(|path| Document::read(&root(), &path)).collect()
}

/// Returns the names of the entries of a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Returns whether documents are rewritten where they differ.
fn blesses() -> bool {
    std::env::var_os("MERKHET_BLESS").is_some()
}
