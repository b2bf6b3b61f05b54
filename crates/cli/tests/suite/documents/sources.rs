//! The source files of the workspace as text, for the tests of invariants.

use std::{collections::BTreeSet, fs, path::Path};

use super::{names, root};

/// A source file.
pub struct SourceFile {
    /// Its path from the root of the repository.
    pub path: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl SourceFile {
    /// Returns a line as `path:number: text`, for reports.
    pub fn quote(&self, index: usize) -> String {
        format!("{}:{}: {}", self.path, index + 1, self.lines[index].trim())
    }
}

/// Returns the names of all crates.
pub fn crates() -> BTreeSet<String> {
    names(&root().join("crates"))
}

/// Returns all Rust files of a folder of a crate, sorted by their paths.
pub fn files(name: &str, folder: &str) -> Vec<SourceFile> {
    let mut files = Vec::new();
    collect(&root().join("crates").join(name).join(folder), &mut files);
    files
}

fn collect(folder: &Path, files: &mut Vec<SourceFile>) {
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            if name != "target" {
                collect(&path, files);
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let path = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            files.push(SourceFile { path, lines: text.lines().map(str::to_owned).collect() });
        }
    }
}

/// Returns the sources of a crate with blank lines in place of tests and comments.
pub fn code(name: &str) -> Vec<SourceFile> {
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.contains("/src/tests/") || path.contains("/tests/");
    let mut files: Vec<SourceFile> = files(name, "src").into_iter().filter(|file| !is_test(&file.path)).collect();
    for file in &mut files {
        let mut in_tests = false;
        for i in 0..file.lines.len() {
            let line = &file.lines[i];
            let begins = line == "#[cfg(test)]" && file.lines.get(i + 1).is_some_and(|next| next.ends_with('{'));
            let ends = in_tests && line == "}";
            in_tests = (in_tests || begins) && !ends;
            if in_tests || ends || line.trim_start().starts_with("//") {
                file.lines[i].clear();
            }
        }
    }
    files
}

/// Returns the identifiers in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
