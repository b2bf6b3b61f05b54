//! Checkpoints as files.
//!
//! A checkpoint is a folder of its own, with a number, in the folder that the user names. It gets
//! its name when it is complete and on the disk; then the one before is removed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use explore::snapshot::{Part, Storage};
use thiserror::Error;

/// The names of checkpoints, before their numbers, and of the one that is written.
const PREFIX: &str = "checkpoint-";
const DRAFT: &str = "draft";
/// The name of the file that whoever uses a folder has locked.
const LOCK: &str = "lock";

/// Why a folder can't hold checkpoints.
#[derive(Debug, Error)]
pub enum FolderError {
    /// There is no such folder, or it can't be used.
    #[error("`{}`: {}", .0.display(), describe(.1))]
    Unusable(PathBuf, io::Error),
    /// There is no checkpoint.
    #[error("there is no checkpoint in `{}`", .0.display())]
    Empty(PathBuf),
    /// There is one already.
    #[error("`{}` has a checkpoint; go on with it by --resume, or remove it", .0.display())]
    Taken(PathBuf),
    /// Another program uses it.
    #[error("`{}` is in use by another run of merkhet", .0.display())]
    InUse(PathBuf),
}

/// The message of an operating system error, without its number.
fn describe(e: &io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Keeps checkpoints in a folder.
#[derive(Debug)]
pub struct FolderStorage {
    folder: PathBuf,
    /// The number of the last checkpoint.
    last: Option<u64>,
    /// Locked as long as this exists.
    _lock: Option<File>,
}

impl FolderStorage {
    /// Opens a folder with a checkpoint.
    ///
    /// # Errors
    /// There is none.
    pub fn open(folder: &Path) -> Result<FolderStorage, FolderError> {
        let unusable = |e| FolderError::Unusable(folder.to_owned(), e);
        if last(folder).map_err(unusable)?.is_none() {
            return Err(FolderError::Empty(folder.to_owned()));
        }
        let lock = lock(folder)?;
        Ok(FolderStorage { folder: folder.to_owned(), last: last(folder).map_err(unusable)?, _lock: lock })
    }

    /// Opens or creates a folder without a checkpoint.
    ///
    /// # Errors
    /// It has one, or can't be written.
    pub fn create(folder: &Path) -> Result<FolderStorage, FolderError> {
        let unusable = |e| FolderError::Unusable(folder.to_owned(), e);
        fs::create_dir_all(folder).map_err(unusable)?;
        let lock = lock(folder)?;
        if last(folder).map_err(unusable)?.is_some() {
            return Err(FolderError::Taken(folder.to_owned()));
        }
        let mut storage = FolderStorage { folder: folder.to_owned(), last: None, _lock: lock };
        // Most problems with a folder are found here.
        storage.begin().map_err(unusable)?;
        storage.abandon();
        Ok(storage)
    }

    /// Returns whether a folder has a checkpoint.
    #[must_use]
    pub fn has_checkpoint(folder: &Path) -> bool {
        last(folder).is_ok_and(|last| last.is_some())
    }

    /// Removes all checkpoints of a folder, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// One can't be removed.
    pub fn remove(folder: &Path) -> io::Result<()> {
        for number in numbers(folder)? {
            fs::remove_dir_all(place(folder, number))?;
        }
        let _ = fs::remove_dir_all(folder.join(DRAFT));
        let _ = fs::remove_file(folder.join(LOCK));
        let _ = fs::remove_dir(folder);
        Ok(())
    }

    fn draft(&self) -> PathBuf {
        self.folder.join(DRAFT)
    }
}

/// Locks a folder, until the file is closed. A folder that can't be written needs no lock.
fn lock(folder: &Path) -> Result<Option<File>, FolderError> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK));
    match file.map(|file| (file.try_lock(), file)) {
        Ok((Err(TryLockError::WouldBlock), _)) => Err(FolderError::InUse(folder.to_owned())),
        // Not all file systems have locks.
        Ok((_, file)) => Ok(Some(file)),
        Err(_) => Ok(None),
    }
}

fn place(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number}"))
}

/// The numbers of the checkpoints in a folder.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        all.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    Ok(all)
}

fn last(folder: &Path) -> io::Result<Option<u64>> {
    Ok(numbers(folder)?.into_iter().max())
}

/// Waits until the entries of a folder are on the disk, where that is possible.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Storage for FolderStorage {
    fn begin(&mut self) -> io::Result<()> {
        let draft = self.draft();
        match fs::remove_dir_all(&draft) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        fs::create_dir(draft)
    }

    fn part(&mut self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let file = OpenOptions::new().write(true).create_new(true).open(self.draft().join(name))?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }

    fn keep(&mut self, name: &str) -> io::Result<()> {
        let last = self.last.ok_or(ErrorKind::NotFound)?;
        let (from, to) = (place(&self.folder, last).join(name), self.draft().join(name));
        // Not all file systems have links.
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop))
    }

    fn commit(&mut self) -> io::Result<()> {
        let (before, number) = (self.last, self.last.map_or(0, |last| last + 1));
        sync(&self.draft())?;
        fs::rename(self.draft(), place(&self.folder, number))?;
        self.last = Some(number);
        // The new one counts, whatever becomes of the old ones.
        let _ = sync(&self.folder);
        for old in numbers(&self.folder).unwrap_or_default().into_iter().filter(|old| Some(*old) <= before) {
            let _ = fs::remove_dir_all(place(&self.folder, old));
        }
        Ok(())
    }

    fn abandon(&mut self) {
        let _ = fs::remove_dir_all(self.draft());
    }

    fn read(&self, name: &str) -> io::Result<Part> {
        let last = self.last.ok_or(ErrorKind::NotFound)?;
        let file = File::open(place(&self.folder, last).join(name))?;
        let length = file.metadata()?.len();
        Ok(Part { bytes: Box::new(io::BufReader::with_capacity(1 << 20, file)), length })
    }
}
