//! Checkpoints: the state of a session, kept so that a later one goes on from there.

mod folder;
mod identity;

pub use folder::{FolderError, FolderStorage};
pub(crate) use identity::{check, identity};

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use explore::snapshot::{Journal, JournalError, Part, Storage};
use thiserror::Error;

use crate::Watch;

/// Where the state of a session is kept, and when.
pub struct Checkpoints {
    /// Where.
    pub storage: Box<dyn Storage + Send>,
    /// The time between two checkpoints; `None`: none is written.
    pub every: Option<Duration>,
    /// Whether the session goes on from the last checkpoint.
    pub resumes: bool,
}

/// Why there can be no checkpoints, or why the last one can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The state of such work can't be saved.
    #[error("there are no checkpoints of {0}{1}")]
    Unsaved(String, &'static str),
    /// It can't be read.
    #[error("the checkpoint can't be used: {0}")]
    Unusable(String),
    /// It belongs to something else.
    #[error("the checkpoint belongs to a different search: {0}")]
    Other(String),
}

impl From<JournalError> for CheckpointError {
    fn from(e: JournalError) -> CheckpointError {
        match e {
            JournalError::Other(all) => {
                let all: Vec<String> = all.iter().map(identity::describe).collect();
                CheckpointError::Other(all.join("; "))
            }
            e => CheckpointError::Unusable(e.to_string()),
        }
    }
}

impl Checkpoints {
    /// Begins the journal of a session.
    pub(crate) fn journal(self, identity: Vec<(String, String)>, watch: &'static Watch) -> Journal {
        let Checkpoints { storage, every, .. } = self;
        let last = Arc::new(Mutex::new(Instant::now()));
        let (writes, begun) = (every.is_some(), Arc::clone(&last));
        let wants = move || every.is_some_and(|every| moment(&begun).elapsed() >= every);
        Journal::new(Box::new(Patient { storage, watch, last }), writes, Box::new(wants), identity)
    }
}

/// A storage that takes its time: limits do not end the process while a checkpoint is written, and
/// the next one is due when this one was written long enough ago.
struct Patient {
    storage: Box<dyn Storage + Send>,
    watch: &'static Watch,
    last: Arc<Mutex<Instant>>,
}

fn moment(last: &Mutex<Instant>) -> MutexGuard<'_, Instant> {
    last.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Patient {
    fn ends(&mut self) {
        self.watch.set_busy(false);
        *moment(&self.last) = Instant::now();
    }
}

impl Storage for Patient {
    fn begin(&mut self) -> io::Result<()> {
        self.watch.set_busy(true);
        self.storage.begin()
    }

    fn part(&mut self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.storage.part(name, write)
    }

    fn keep(&mut self, name: &str) -> io::Result<()> {
        self.storage.keep(name)
    }

    fn commit(&mut self) -> io::Result<()> {
        self.storage.commit()?;
        self.ends();
        Ok(())
    }

    fn abandon(&mut self) {
        self.storage.abandon();
        self.ends();
    }

    fn read(&self, name: &str) -> io::Result<Part> {
        self.storage.read(name)
    }
}
