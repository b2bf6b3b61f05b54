//! The files that a command writes. All commands follow one policy:
//!
//! - All of them are started before any work, so that a path that can't be written costs nothing.
//! - A file that the command reads is never written, nor is one file written twice.
//! - A file gets its name when it is complete ([`DraftFile`]). An existing file is replaced, and a
//!   note says so.

use std::{
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{
    input::is_dash,
    output::{DraftFile, reason, same_file},
};

/// Why a file can't be written.
#[derive(Debug, Error)]
pub enum OutputError {
    #[error("the standard output is for the answers; name a file")]
    StandardOutput,
    #[error("`{}` is an input of this command; write to another file", .0.display())]
    Input(PathBuf),
    #[error("`{}` can't hold two outputs; name a file for each", .0.display())]
    Twice(PathBuf),
    #[error("can't write `{}`: there is no folder `{}`", file.display(), folder.display())]
    NoFolder { file: PathBuf, folder: PathBuf },
    #[error("can't write `{}`: {}", .0.display(), reason(.1))]
    Write(PathBuf, io::Error),
}

impl OutputError {
    /// The error of the operating system, with the path of the file.
    pub fn write(path: &Path, e: io::Error) -> OutputError {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder {
            Some(folder) if e.kind() == ErrorKind::NotFound && !folder.exists() => {
                OutputError::NoFolder { file: path.to_owned(), folder: folder.to_owned() }
            }
            _ => OutputError::Write(path.to_owned(), e),
        }
    }
}

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
    /// It can't or must not be written.
    pub fn start(&mut self, path: &Path) -> Result<Target, OutputError> {
        if is_dash(path) {
            return Err(OutputError::StandardOutput);
        }
        self.allow(path)?;
        if self.started.iter().any(|other| same_place(other, path)) {
            return Err(OutputError::Twice(path.to_owned()));
        }
        let draft = DraftFile::create(path).map_err(|e| OutputError::write(path, e))?;
        self.started.push(path.to_owned());
        Ok(Target { path: path.to_owned(), draft })
    }

    /// Whether a file may be written.
    ///
    /// # Errors
    /// The command reads it.
    pub fn allow(&self, path: &Path) -> Result<(), OutputError> {
        if self.reads.iter().any(|read| same_file(read, path)) {
            return Err(OutputError::Input(path.to_owned()));
        }
        Ok(())
    }
}

/// A file that is being written.
pub struct Target {
    path: PathBuf,
    draft: DraftFile,
}

impl Target {
    /// Its final path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its final name. Returns a note, in which `what` describes the contents.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn finish(self, what: &str) -> Result<String, OutputError> {
        let name = self.path.display();
        match self.draft.commit() {
            Ok(true) => Ok(format!("replaced `{name}` with {what}")),
            Ok(false) => Ok(format!("wrote {what} to `{name}`")),
            Err(e) => Err(OutputError::write(&self.path, e)),
        }
    }

    /// The error of the operating system, with the path of the file.
    pub fn error(&self, e: io::Error) -> OutputError {
        OutputError::write(&self.path, e)
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

/// Whether two paths name one file, which need not exist.
fn same_place(a: &Path, b: &Path) -> bool {
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize().ok(),
        _ => Path::new(".").canonicalize().ok(),
    };
    same_file(a, b) || (a.file_name() == b.file_name() && folder(a).is_some() && folder(a) == folder(b))
}
