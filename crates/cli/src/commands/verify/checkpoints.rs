//! The folder of checkpoints.

use std::io;

use merkhet::{Checkpoints, FolderError, FolderStorage};
use thiserror::Error;

use crate::{
    args::VerifyArgs,
    output::{Streams, reason, same_file},
    status::Status,
};

/// Why there can be no checkpoints.
#[derive(Debug, Error)]
pub enum KeptError {
    #[error("--checkpoint: {0}")]
    Checkpoint(FolderError),
    #[error("--resume: {0}")]
    Resume(FolderError),
    #[error("--checkpoint and --resume name different folders; checkpoints go on in the same one")]
    Folders,
}

/// Opens the folder that the command line names, before any work is done.
///
/// # Errors
/// It can't be used.
pub fn open(args: &VerifyArgs) -> Result<Option<Checkpoints>, KeptError> {
    let storage = match (&args.checkpoint, &args.resume) {
        (None, None) => return Ok(None),
        (Some(folder), None) => FolderStorage::create(folder).map_err(KeptError::Checkpoint)?,
        (None, Some(folder)) => FolderStorage::open(folder).map_err(KeptError::Resume)?,
        (Some(folder), Some(before)) => {
            let storage = FolderStorage::open(before).map_err(KeptError::Resume)?;
            if !same_file(folder, before) {
                return Err(KeptError::Folders);
            }
            storage
        }
    };
    let every = args.checkpoint.as_ref().map(|_| args.every);
    Ok(Some(Checkpoints { storage: Box::new(storage), every, resumes: args.resume.is_some() }))
}

/// Warns that a checkpoint could not be written.
pub fn warn(args: &VerifyArgs, why: &io::Error, streams: &mut Streams<'_>) -> io::Result<()> {
    let has_one = args.checkpoint.as_deref().is_some_and(FolderStorage::has_checkpoint);
    let rest = if has_one { "the last one is kept" } else { "there is no earlier one" };
    let why = reason(why);
    writeln!(streams.err, "warning: no checkpoint was written: {why}; the search goes on, and {rest}")?;
    streams.err.flush()
}

/// Removes a folder that was made for work that is refused.
pub fn discard(args: &VerifyArgs) {
    if let Some(folder) = args.checkpoint.as_deref().filter(|folder| !FolderStorage::has_checkpoint(folder)) {
        let _ = FolderStorage::remove(folder);
    }
}

/// Removes the checkpoint when all queries are answered. Returns a note on how the work can go on
/// otherwise.
pub fn finish(args: &VerifyArgs, is_resumable: bool, status: Status) -> Option<String> {
    let folder = args.checkpoint.as_ref()?;
    if is_resumable && FolderStorage::has_checkpoint(folder) {
        return Some(format!("to go on, run the same command with --resume {}", folder.display()));
    }
    // A file of evidence may be incomplete. Then the answers can be had again.
    if status < Status::Wrong {
        let _ = FolderStorage::remove(folder);
    }
    None
}
