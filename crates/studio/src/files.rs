//! The served folder: the only files that a page can read and write. `cap_std` keeps every path,
//! symbolic links included, within it.

use std::{
    io::{self, ErrorKind, Read, Write},
    path::{Component, Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};
use cap_tempfile::TempFile;
use merkhet::source::{MAX_BYTES, describe};
use serde::Serialize;
use thiserror::Error;

/// The endings of the files that are listed.
const ENDINGS: [&str; 8] = ["xml", "xta", "ta", "tck", "net", "ndr", "pnml", "tapn"];
/// The most files that are listed, and how far folders are searched.
const MAX_LISTED: usize = 1000;
const MAX_SEEN: usize = 50_000;
const MAX_DEPTH: usize = 6;

/// A folder with models.
pub struct Folder(Dir);

/// Why a file can't be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The path leads out of the folder, or is not a relative path.
    #[error("`{0}` is not within the folder that is served")]
    Outside(String),
    /// It is too large.
    #[error("`{0}` is larger than {limit} MiB", limit = MAX_BYTES >> 20)]
    TooLarge(String),
    /// It is a folder or a device.
    #[error("`{0}` is not a plain file")]
    NotAFile(String),
    /// It exists.
    #[error("`{0}` exists already")]
    Exists(String),
    /// Another program has changed it.
    #[error("`{0}` was changed by another program since it was opened")]
    Changed(String),
    /// The operating system reports an error.
    #[error("`{0}`: {why}", why = describe(.1))]
    Io(String, io::Error),
}

/// A file that can be opened.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    /// Its path within the folder, with `/`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The state of a file when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It does not exist.
    New,
    /// It has bytes with this hash.
    Same(blake3::Hash),
    /// Whatever it is, it is replaced.
    Anything,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// It can't be opened.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Dir::open_ambient_dir(path, ambient_authority()).map(Folder)
    }

    /// Returns the path of a file within the folder, without `.`; no other component is special.
    fn relative(name: &str) -> Result<PathBuf, FileError> {
        let outside = || FileError::Outside(name.to_owned());
        if name.is_empty() || name.len() > 4096 || name.contains(['\0', '\\']) {
            return Err(outside());
        }
        let mut path = PathBuf::new();
        for component in Path::new(name).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                _ => return Err(outside()),
            }
        }
        Ok(path)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It can't be read, is too large, or is outside of the folder.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, FileError> {
        let path = Folder::relative(name)?;
        let fail = |e| failed(name, e);
        // Opening a pipe would wait for its other end.
        let metadata = self.0.metadata(&path).map_err(fail)?;
        if !metadata.is_file() {
            return Err(FileError::NotAFile(name.to_owned()));
        }
        let mut bytes = Vec::new();
        self.0.open(&path).map_err(fail)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
        if bytes.len() as u64 > MAX_BYTES { Err(FileError::TooLarge(name.to_owned())) } else { Ok(bytes) }
    }

    /// Returns whether a file exists.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        Folder::relative(name).is_ok_and(|path| self.0.metadata(path).is_ok_and(|m| m.is_file()))
    }

    /// Writes a file completely or not at all.
    ///
    /// # Errors
    /// It can't be written, is not in the expected state, or is outside of the folder.
    pub fn write(&self, name: &str, bytes: &[u8], expected: Expected) -> Result<(), FileError> {
        let path = Folder::relative(name)?;
        let fail = |e| failed(name, e);
        match self.read(name) {
            Ok(_) if expected == Expected::New => return Err(FileError::Exists(name.to_owned())),
            Ok(now) if matches!(expected, Expected::Same(hash) if blake3::hash(&now) != hash) => {
                return Err(FileError::Changed(name.to_owned()));
            }
            Ok(_) => {}
            Err(FileError::Io(_, e)) if e.kind() == ErrorKind::NotFound => {
                // A link to nowhere would be replaced by the file.
                if self.0.symlink_metadata(&path).is_ok() {
                    return Err(FileError::NotAFile(name.to_owned()));
                }
            }
            Err(e) => return Err(e),
        }
        // What a link names within the folder is written, not the link itself.
        let path =
            if self.0.symlink_metadata(&path).is_ok() { self.0.canonicalize(&path).map_err(fail)? } else { path };
        let (parent, file) = (path.parent().unwrap_or(Path::new("")), path.file_name());
        let file = file.ok_or_else(|| FileError::NotAFile(name.to_owned()))?;
        let dir = if parent.as_os_str().is_empty() { self.0.try_clone() } else { self.0.open_dir(parent) };
        let dir = dir.map_err(fail)?;
        let permissions = dir.metadata(file).map(|metadata| metadata.permissions());
        let mut draft = TempFile::new(&dir).map_err(fail)?;
        draft.write_all(bytes).map_err(fail)?;
        if let Ok(permissions) = permissions {
            draft.as_file().set_permissions(permissions).map_err(fail)?;
        }
        draft.as_file().sync_all().map_err(fail)?;
        draft.replace(file).map_err(fail)
    }

    /// Lists the models in the folder and below, by path.
    #[must_use]
    pub fn list(&self) -> Vec<ListedFile> {
        let (mut found, mut seen) = (Vec::new(), 0);
        let mut open = vec![(PathBuf::new(), 0)];
        // The nearest folders come first.
        while !open.is_empty() {
            let (path, depth) = open.remove(0);
            let at = if depth == 0 { Path::new(".") } else { &path };
            let Ok(entries) = self.0.read_dir(at) else { continue };
            for entry in entries.flatten() {
                seen += 1;
                let name = entry.file_name();
                let Some(text) = name.to_str().filter(|text| !text.starts_with('.')) else { continue };
                let Ok(kind) = entry.file_type() else { continue };
                let within = path.join(&name);
                if kind.is_dir() && depth < MAX_DEPTH && text != "target" && text != "node_modules" {
                    open.push((within, depth + 1));
                } else if kind.is_file() && ends_like_a_model(text) && found.len() < MAX_LISTED {
                    let path = within.to_string_lossy().replace('\\', "/");
                    found.push(ListedFile { path, bytes: entry.metadata().map_or(0, |metadata| metadata.len()) });
                }
            }
            if found.len() >= MAX_LISTED || seen >= MAX_SEEN {
                break;
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }
}

/// Returns whether a name ends as those of models do.
pub fn ends_like_a_model(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

fn failed(name: &str, e: io::Error) -> FileError {
    // What `cap_std` says about paths that lead out of the folder.
    if e.kind() == ErrorKind::PermissionDenied && e.raw_os_error().is_none() || e.raw_os_error() == Some(18) {
        FileError::Outside(name.to_owned())
    } else {
        FileError::Io(name.to_owned(), e)
    }
}
