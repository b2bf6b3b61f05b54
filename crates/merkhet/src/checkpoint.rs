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

use explore::{
    cluster::Cluster,
    snapshot::{Journal, JournalError, Part, Storage},
};
use model::Stop;
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
    /// Another process of the cluster can't keep checkpoints, or use its last one.
    #[error("process {0}: {1}")]
    Process(usize, String),
    /// A limit was reached before the work began.
    #[error("{0}")]
    Stopped(Stop),
}

impl From<JournalError> for CheckpointError {
    fn from(e: JournalError) -> CheckpointError {
        match e {
            JournalError::Other(all) => {
                let all: Vec<String> = all.iter().map(identity::describe).collect();
                CheckpointError::Other(all.join("; "))
            }
            JournalError::Process(number, why) => CheckpointError::Process(number, why.to_string()),
            JournalError::Stopped(stop) => CheckpointError::Stopped(stop),
            e => CheckpointError::Unusable(e.to_string()),
        }
    }
}

impl Checkpoints {
    /// Begins the journal of a session.
    pub(crate) fn journal(
        self,
        identity: Vec<(String, String)>,
        cluster: Option<Cluster>,
        watch: &'static Watch,
    ) -> Journal {
        let Checkpoints { storage, every, .. } = self;
        let last = Arc::new(Mutex::new(Instant::now()));
        let (writes, begun) = (every.is_some(), Arc::clone(&last));
        let wants = move || every.is_some_and(|every| moment(&begun).elapsed() >= every);
        let journal = Journal::new(Box::new(Patient { storage, watch, last }), writes, Box::new(wants), identity);
        match cluster {
            Some(cluster) => journal.of_process(cluster),
            None => journal,
        }
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

impl Storage for Patient {
    fn numbers(&self) -> io::Result<Vec<u64>> {
        self.storage.numbers()
    }

    fn choose(&mut self, number: u64) {
        self.storage.choose(number);
    }

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

    fn commit(&mut self, number: u64) -> io::Result<()> {
        self.storage.commit(number)
    }

    fn settle(&mut self) {
        self.storage.settle();
        *moment(&self.last) = Instant::now();
    }

    fn abandon(&mut self) {
        self.storage.abandon();
        *moment(&self.last) = Instant::now();
    }

    fn read(&self, name: &str) -> io::Result<Part> {
        self.storage.read(name)
    }

    fn hold(&mut self) {
        self.watch.set_busy(true);
    }

    fn release(&mut self) {
        self.watch.set_busy(false);
    }
}
