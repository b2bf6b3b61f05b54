//! The folder of checkpoints.

use std::{
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use merkhet::{Checkpoints, Ending, FolderError, FolderStorage, Reason, Stop, Storage, Unopened};
use thiserror::Error;

use crate::{
    args::VerifyArgs,
    output::{self, Streams, same_file},
    render::one_line,
    status::Status,
    watch::WATCH,
};

/// A process of an earlier run gives its folder back within this time.
const FREE_AFTER: Duration = Duration::from_secs(10);

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

/// Returns which folder of a process holds its checkpoints. Process 0 of a cluster and the others
/// have a folder each.
fn own(args: &VerifyArgs) -> Option<usize> {
    args.cluster.is_wanted().then_some(0)
}

/// Opens the folder that the command line names, before any work is done.
///
/// # Errors
/// It can't be used.
pub fn open(args: &VerifyArgs) -> Result<Option<Checkpoints>, KeptError> {
    if let (Some(folder), Some(before)) = (&args.checkpoint, &args.resume)
        && before.exists()
        && !same_file(folder, before)
    {
        return Err(KeptError::Folders);
    }
    open_as(args, own(args))
}

/// Opens the folder of a process.
fn open_as(args: &VerifyArgs, process: Option<usize>) -> Result<Option<Checkpoints>, KeptError> {
    let storage = match (&args.checkpoint, &args.resume) {
        (None, None) => return Ok(None),
        (Some(folder), None) => FolderStorage::create(folder, process).map_err(KeptError::Checkpoint)?,
        (_, Some(folder)) => FolderStorage::open(folder, process).map_err(KeptError::Resume)?,
    };
    Ok(Some(kept(args, Box::new(storage))))
}

fn kept(args: &VerifyArgs, storage: Box<dyn Storage + Send>) -> Checkpoints {
    let every = args.checkpoint.as_ref().map(|_| args.every);
    Checkpoints { storage, every, resumes: args.resume.is_some() }
}

/// Opens the folder of another process of a cluster. Process 0 says what is wrong with it. One that
/// was used by a process of an earlier run is free as soon as that has noticed its end.
pub fn join(args: &VerifyArgs, process: usize) -> Option<Checkpoints> {
    let end = Instant::now() + FREE_AFTER;
    loop {
        match open_as(args, Some(process)) {
            Err(KeptError::Checkpoint(FolderError::InUse(_)) | KeptError::Resume(FolderError::InUse(_)))
                if Instant::now() < end && WATCH.stopped().is_none() =>
            {
                thread::sleep(Duration::from_millis(20));
            }
            Ok(opened) => return opened,
            Err(why) => return Some(kept(args, Box::new(Unopened(why.to_string())))),
        }
    }
}

/// Warns that a checkpoint could not be written.
pub fn warn(args: &VerifyArgs, why: &io::Error, streams: &mut Streams<'_>) -> io::Result<()> {
    let rest = if has_one(args) { "the last one is kept" } else { "there is no earlier one" };
    let why = one_line(&output::reason(why));
    writeln!(streams.err, "warning: no checkpoint was written: {why}; the search goes on, and {rest}")?;
    streams.err.flush()
}

fn has_one(args: &VerifyArgs) -> bool {
    let folder = args.checkpoint.as_deref().or(args.resume.as_deref());
    folder.is_some_and(|folder| FolderStorage::has_checkpoint(folder, own(args)))
}

/// Says why an answer is unknown, and where the work can go on if a process was lost.
pub fn reason(args: &VerifyArgs, reason: &Reason) -> String {
    let folder = args.checkpoint.as_deref().or(args.resume.as_deref()).filter(|_| has_one(args));
    match (reason, folder) {
        (Reason::Limit(Stop::Lost(_)), Some(folder)) => format!("{reason}; resume from {}", folder.display()),
        _ => reason.to_string(),
    }
}

/// Removes a folder that was made for work that is refused.
pub fn discard(args: &VerifyArgs) {
    if let Some(folder) = args.checkpoint.as_deref().filter(|folder| FolderStorage::is_empty(folder, own(args))) {
        let _ = FolderStorage::remove(folder, own(args));
    }
}

/// Removes the folder of another process of a cluster: when all queries are answered, or when it
/// was made for nothing.
pub fn leave(args: &VerifyArgs, process: usize, ending: Option<Ending>) {
    if let Some(folder) = &args.checkpoint
        && (ending == Some(Ending::Done) || ending.is_some() && FolderStorage::is_empty(folder, Some(process)))
    {
        let _ = FolderStorage::remove(folder, Some(process));
    }
}

/// Returns whether nothing of the work is left.
pub fn is_done(args: &VerifyArgs, is_resumable: bool, status: Status) -> bool {
    let is_left = |folder: &Path| !FolderStorage::is_empty(folder, own(args));
    let goes_on = is_resumable && args.checkpoint.as_deref().is_some_and(is_left);
    // A file of evidence may be incomplete. Then the answers can be had again.
    !goes_on && status < Status::Wrong
}

/// Removes what processes on this machine have left that ended before they could.
pub fn tidy(args: &VerifyArgs) {
    let others = 1..args.cluster.local_processes.map_or(0, usize::from);
    if let Some(folder) = &args.checkpoint {
        others.for_each(|process| _ = FolderStorage::remove(folder, Some(process)));
    }
}

/// Removes the checkpoint when all queries are answered. Returns a note on how the work can go on
/// otherwise.
pub fn finish(args: &VerifyArgs, is_resumable: bool, status: Status) -> Option<String> {
    let folder = args.checkpoint.as_ref()?;
    if is_done(args, is_resumable, status) {
        let _ = FolderStorage::remove(folder, own(args));
    } else if is_resumable && has_one(args) {
        return Some(format!("to go on, run the same command with --resume {}", folder.display()));
    }
    None
}
