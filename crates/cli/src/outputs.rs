//! The files that a command writes. All commands keep to one policy:
//!
//! - All of them are started before anything else is done, so that a path that can't be written
//!   costs nothing.
//! - A file that the command reads is never written, nor is one file written twice.
//! - A file takes its place when it is whole ([`Draft`]). What was there before is replaced, and
//!   the note says so.

use std::{
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{
    input::is_dash,
    output::{Draft, reason, same_file},
};

/// The files of one command.
pub struct Outputs {
    reads: Vec<PathBuf>,
    started: Vec<PathBuf>,
}

impl Outputs {
    /// For a command that reads these files.
    pub fn new<'a>(reads: impl IntoIterator<Item = &'a Path>) -> Outputs {
        let reads = reads.into_iter().filter(|path| !is_dash(path)).map(Path::to_owned).collect();
        Outputs { reads, started: Vec::new() }
    }

    /// Starts a file.
    ///
    /// # Errors
    /// Why it can't or must not be written.
    pub fn start(&mut self, path: &Path) -> Result<Target, String> {
        let name = path.display();
        if is_dash(path) {
            return Err("the standard output is for the answers; name a file".to_owned());
        }
        self.allow(path)?;
        if self.started.iter().any(|other| same_place(other, path)) {
            return Err(format!("`{name}` can't hold two outputs; name a file for each"));
        }
        let draft = Draft::create(path).map_err(|e| unwritable(path, &e))?;
        self.started.push(path.to_owned());
        Ok(Target { path: path.to_owned(), draft })
    }

    /// Whether a file may be written.
    ///
    /// # Errors
    /// It is read.
    pub fn allow(&self, path: &Path) -> Result<(), String> {
        if self.reads.iter().any(|read| same_file(read, path)) {
            return Err(format!("`{}` is an input of this command; write to another file", path.display()));
        }
        Ok(())
    }
}

/// A file that is being written.
pub struct Target {
    path: PathBuf,
    draft: Draft,
}

impl Target {
    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file into its place. Returns a note about it, in which `what` are its contents.
    ///
    /// # Errors
    /// Says why it can't be written.
    pub fn finish(self, what: &str) -> Result<String, String> {
        let name = self.path.display();
        match self.draft.commit() {
            Ok(true) => Ok(format!("replaced `{name}` with {what}")),
            Ok(false) => Ok(format!("wrote {what} to `{name}`")),
            Err(e) => Err(unwritable(&self.path, &e)),
        }
    }

    /// Why it can't be written.
    pub fn unwritable(&self, e: &io::Error) -> String {
        unwritable(&self.path, e)
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.draft.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

/// Why a file can't be written.
pub fn unwritable(path: &Path, e: &io::Error) -> String {
    let name = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if e.kind() == ErrorKind::NotFound && !folder.exists() => {
            format!("can't write `{name}`: there is no folder `{}`", folder.display())
        }
        _ => format!("can't write `{name}`: {}", reason(e)),
    }
}

/// Whether two paths name one file, which need not exist.
fn same_place(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize().ok(),
        _ => Path::new(".").canonicalize().ok(),
    };
    same_file(a, b) || (a.file_name() == b.file_name() && folder(a).is_some() && folder(a) == folder(b))
}
