//! Models of other people, and stand-ins for them.
//!
//! Tests about real models read `../shared/models` beside the repository, or the folder `models` in
//! that which `MERKHET_SHARED` names. The folder may be absent. Each test therefore reads stand-ins
//! first, which are in `crates/oracle/models` in the same layout, and what it has to leave out is
//! recorded: see [`skip`].

use std::{
    fs,
    io::Write,
    panic::Location,
    path::{Path, PathBuf},
    thread,
};

/// A folder of models.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// The folder.
    pub folder: PathBuf,
    /// Whether the models are those of other people, not stand-ins.
    pub is_shared: bool,
}

impl Corpus {
    /// Returns all files of the folder and of those below it whose names end with one of these
    /// extensions, sorted.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn files(&self, extensions: &[&str]) -> Vec<PathBuf> {
        let found = files(&self.folder, extensions);
        assert!(!found.is_empty(), "{} holds no files {extensions:?}", self.folder.display());
        found
    }
}

/// Returns the folders of this name: the stand-ins, and the shared one if it is present. `""` is
/// the folder of all models. If the shared one is absent, the calling test is recorded as skipped.
///
/// # Panics
/// If there is no stand-in.
#[track_caller]
#[must_use]
pub fn corpora(name: &str) -> Vec<Corpus> {
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
    assert!(stand_in.is_dir(), "{} is absent", stand_in.display());
    let mut found = vec![Corpus { folder: stand_in, is_shared: false }];
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("MERKHET_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("models").join(name);
    if folder.is_dir() {
        found.push(Corpus { folder, is_shared: true });
    } else {
        skip(&format!("{} is absent, only stand-ins were read", folder.display()));
    }
    found
}

/// Records that the calling test was skipped, or a part of it, with a line
/// `SKIPPED: <test>: <why>`. The line is printed to the standard error stream, whether the test's
/// output is captured or not, and appended to the file that `MERKHET_SKIPPED` names.
///
/// # Panics
/// If that file can't be written.
#[track_caller]
pub fn skip(why: &str) {
    let at = Location::caller();
    // The file tells which of the test programs it is.
    let file = at.file().replace('\\', "/");
    let test = match thread::current().name() {
        Some(name) if name != "main" => format!("{file}: {name}"),
        _ => format!("{file}:{}", at.line()),
    };
    let line = format!("SKIPPED: {test}: {why}\n");
    // Only what macros print is captured. A closed stream is no reason to fail.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("MERKHET_SKIPPED") {
        let list = fs::OpenOptions::new().create(true).append(true).open(&path);
        let written = list.and_then(|mut list| list.write_all(line.as_bytes()));
        assert!(written.is_ok(), "{}: {written:?}", Path::new(&path).display());
    }
}

/// Returns all files of a folder and of those below it whose names end with one of these
/// extensions, sorted.
///
/// # Panics
/// If a folder can't be read.
#[must_use]
pub fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map_while(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
