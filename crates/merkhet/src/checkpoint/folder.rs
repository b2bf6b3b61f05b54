//! Checkpoints as files.
//!
//! A checkpoint is a folder of its own, with a number, in the folder that the user names. It is
//! *ready* when it is complete and on the disk, and gets its name when those of all processes of a
//! cluster are ready; then the one before is removed. Each process of a cluster has a folder of its
//! own in the folder that the user names, or on another machine.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
};

use explore::snapshot::{Part, Storage};
use thiserror::Error;

/// The names of checkpoints, before their numbers, of those that may not be complete in other
/// processes, and of the one that is written.
const PREFIX: &str = "checkpoint-";
const READY: &str = "ready-";
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
    /// Its checkpoint is one of several processes, or of one process.
    #[error("`{}` has a checkpoint of {}", .0.display(), if *.1 { "several processes" } else { "one process" })]
    Processes(PathBuf, bool),
}

/// The folder of a process of a cluster, in the folder that the user names.
#[must_use]
pub fn folder_of(folder: &Path, process: usize) -> PathBuf {
    folder.join(format!("process-{process}"))
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
    /// The number of the one that is ready.
    ready: Option<u64>,
    /// Locked as long as this exists.
    _lock: Option<File>,
}

impl FolderStorage {
    /// Opens a folder with a checkpoint, of a process of a cluster or of the only one.
    ///
    /// # Errors
    /// There is none.
    pub fn open(folder: &Path, process: Option<usize>) -> Result<FolderStorage, FolderError> {
        let own = place_of(folder, process);
        let unusable = |e| FolderError::Unusable(own.clone(), e);
        // Without the folder itself, that is what is wrong.
        if let Err(e) = fs::read_dir(folder) {
            return Err(FolderError::Unusable(folder.to_owned(), e));
        }
        if !has_any(&own) {
            refuse_others(folder, process)?;
            return Err(FolderError::Empty(own));
        }
        let lock = lock(&own)?;
        let mut storage = FolderStorage { folder: own.clone(), last: None, ready: None, _lock: lock };
        storage.last = storage.numbers().map_err(unusable)?.into_iter().max();
        Ok(storage)
    }

    /// Opens or creates a folder without a checkpoint, of a process of a cluster or of the only
    /// one.
    ///
    /// # Errors
    /// It has one, or can't be written.
    pub fn create(folder: &Path, process: Option<usize>) -> Result<FolderStorage, FolderError> {
        let own = place_of(folder, process);
        let unusable = |e| FolderError::Unusable(own.clone(), e);
        refuse_others(folder, process)?;
        fs::create_dir_all(&own).map_err(unusable)?;
        let lock = lock(&own)?;
        if !numbers(&own, PREFIX).map_err(unusable)?.is_empty() {
            return Err(FolderError::Taken(own));
        }
        let mut storage = FolderStorage { folder: own.clone(), last: None, ready: None, _lock: lock };
        // Most problems with a folder are found here.
        storage.begin().map_err(unusable)?;
        storage.abandon();
        Ok(storage)
    }

    /// Returns whether a folder has a checkpoint of a process.
    #[must_use]
    pub fn has_checkpoint(folder: &Path, process: Option<usize>) -> bool {
        numbers(&place_of(folder, process), PREFIX).is_ok_and(|numbers| !numbers.is_empty())
    }

    /// Returns whether a folder has nothing of a process that it may go on from: not even a
    /// checkpoint that is ready, which others may have settled.
    #[must_use]
    pub fn is_empty(folder: &Path, process: Option<usize>) -> bool {
        !has_any(&place_of(folder, process))
    }

    /// Removes all checkpoints of a process, and the folders if nothing else is in them.
    ///
    /// # Errors
    /// One can't be removed.
    pub fn remove(folder: &Path, process: Option<usize>) -> io::Result<()> {
        let (own, draft) = (place_of(folder, process), place_of(folder, process).join(DRAFT));
        let _ = fs::remove_dir_all(&draft);
        for prefix in [PREFIX, READY] {
            for number in numbers(&own, prefix)? {
                // There is no checkpoint with some of its files.
                fs::rename(own.join(format!("{prefix}{number}")), &draft)?;
                fs::remove_dir_all(&draft)?;
            }
        }
        let _ = fs::remove_file(own.join(LOCK));
        let _ = fs::remove_dir(&own);
        let _ = fs::remove_dir(folder);
        Ok(())
    }

    fn draft(&self) -> PathBuf {
        self.folder.join(DRAFT)
    }

    fn place(&self, prefix: &str, number: u64) -> PathBuf {
        self.folder.join(format!("{prefix}{number}"))
    }

    /// Returns where the last checkpoint is.
    fn last_place(&self) -> io::Result<PathBuf> {
        let last = self.last.ok_or(ErrorKind::NotFound)?;
        let settled = self.place(PREFIX, last);
        Ok(if settled.is_dir() { settled } else { self.place(READY, last) })
    }

    /// Removes checkpoints but those that are to be kept. It does not matter if some stay.
    fn remove_all_but(&self, prefix: &str, kept: &[Option<u64>]) {
        for number in numbers(&self.folder, prefix).unwrap_or_default() {
            if !kept.contains(&Some(number)) {
                let _ = fs::remove_dir_all(self.place(prefix, number));
            }
        }
    }
}

fn place_of(folder: &Path, process: Option<usize>) -> PathBuf {
    process.map_or_else(|| folder.to_owned(), |process| folder_of(folder, process))
}

/// Returns whether there are complete checkpoints in a folder.
fn has_any(folder: &Path) -> bool {
    [PREFIX, READY].iter().any(|prefix| numbers(folder, prefix).is_ok_and(|numbers| !numbers.is_empty()))
}

/// Refuses a folder with checkpoints of one process for several, and the other way round.
fn refuse_others(folder: &Path, process: Option<usize>) -> Result<(), FolderError> {
    let is_other = if process.is_some() { has_any(folder) } else { has_any(&folder_of(folder, 0)) };
    if is_other { Err(FolderError::Processes(folder.to_owned(), process.is_none())) } else { Ok(()) }
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

/// The numbers of the checkpoints in a folder whose names begin like this.
fn numbers(folder: &Path, prefix: &str) -> io::Result<Vec<u64>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(prefix));
        all.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    Ok(all)
}

/// Waits until the entries of a folder are on the disk, where that is possible.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Storage for FolderStorage {
    fn numbers(&self) -> io::Result<Vec<u64>> {
        Ok([numbers(&self.folder, PREFIX)?, numbers(&self.folder, READY)?].concat())
    }

    fn choose(&mut self, number: u64) {
        self.last = Some(number);
    }

    fn begin(&mut self) -> io::Result<()> {
        // What is newer than the last one is not complete in all processes.
        [PREFIX, READY].iter().for_each(|prefix| self.remove_all_but(prefix, &[self.last]));
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
        let (from, to) = (self.last_place()?.join(name), self.draft().join(name));
        // Not all file systems have links.
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop))
    }

    fn commit(&mut self, number: u64) -> io::Result<()> {
        sync(&self.draft())?;
        fs::rename(self.draft(), self.place(READY, number))?;
        self.ready = Some(number);
        sync(&self.folder)
    }

    fn settle(&mut self) {
        let Some(number) = self.ready.take() else { return };
        // If it can't get its name, it is found by the other one.
        let _ = fs::rename(self.place(READY, number), self.place(PREFIX, number));
        let _ = sync(&self.folder);
        self.last = Some(number);
        [PREFIX, READY].iter().for_each(|prefix| self.remove_all_but(prefix, &[self.last]));
    }

    fn abandon(&mut self) {
        let _ = fs::remove_dir_all(self.draft());
        if let Some(number) = self.ready.take() {
            let _ = fs::remove_dir_all(self.place(READY, number));
        }
    }

    fn read(&self, name: &str) -> io::Result<Part> {
        let file = File::open(self.last_place()?.join(name))?;
        let length = file.metadata()?.len();
        Ok(Part { bytes: Box::new(io::BufReader::with_capacity(1 << 20, file)), length })
    }
}
