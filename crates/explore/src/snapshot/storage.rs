//! Where checkpoints are kept.

use std::io::{self, Read, Write};

/// A part of a checkpoint, as bytes: one file, if checkpoints are files.
pub struct Part {
    /// The bytes.
    pub bytes: Box<dyn Read>,
    /// Their number.
    pub length: u64,
}

/// Keeps the last checkpoint. A new one takes its place when it is complete: of a cluster, when
/// those of all processes are.
pub trait Storage {
    /// Returns the numbers of the complete checkpoints.
    ///
    /// # Errors
    /// They can't be read, or this can't hold checkpoints at all.
    fn numbers(&self) -> io::Result<Vec<u64>>;

    /// Takes the checkpoint with this number as the last one.
    fn choose(&mut self, number: u64);

    /// Begins a checkpoint, beside the last one. All others are dropped.
    ///
    /// # Errors
    /// There can be none.
    fn begin(&mut self) -> io::Result<()>;

    /// Adds a part with this name, a short one of letters, digits and hyphens. `write` writes its
    /// bytes.
    ///
    /// # Errors
    /// It can't be written.
    fn part(&mut self, name: &str, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()>;

    /// Adds a part of the last checkpoint.
    ///
    /// # Errors
    /// It can't be written.
    fn keep(&mut self, name: &str) -> io::Result<()>;

    /// Completes the checkpoint, which gets a number. The last one stays until this one is settled.
    ///
    /// # Errors
    /// It is not complete.
    fn commit(&mut self, number: u64) -> io::Result<()>;

    /// Lets the complete checkpoint take the place of the last one. It counts, whatever becomes of
    /// the others.
    fn settle(&mut self);

    /// Drops what was begun or completed and is not settled. The last one stays.
    fn abandon(&mut self);

    /// Returns a part of the last checkpoint.
    ///
    /// # Errors
    /// It can't be read.
    fn read(&self, name: &str) -> io::Result<Part>;

    /// A checkpoint is about to be begun, so that the program had better not end now.
    fn hold(&mut self) {}

    /// Nothing more is written for now, whether a checkpoint was begun or not.
    fn release(&mut self) {}
}

/// A place that can't hold checkpoints, and why. The processes of a cluster tell each other.
#[derive(Clone, Debug)]
pub struct Unopened(pub String);

impl Unopened {
    fn error<T>(&self) -> io::Result<T> {
        Err(io::Error::other(self.0.clone()))
    }
}

impl Storage for Unopened {
    fn numbers(&self) -> io::Result<Vec<u64>> {
        self.error()
    }

    fn choose(&mut self, _: u64) {}

    fn begin(&mut self) -> io::Result<()> {
        self.error()
    }

    fn part(&mut self, _: &str, _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.error()
    }

    fn keep(&mut self, _: &str) -> io::Result<()> {
        self.error()
    }

    fn commit(&mut self, _: u64) -> io::Result<()> {
        self.error()
    }

    fn settle(&mut self) {}

    fn abandon(&mut self) {}

    fn read(&self, _: &str) -> io::Result<Part> {
        self.error()
    }
}
