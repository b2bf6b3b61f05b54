//! Where checkpoints are kept.

use std::io::{self, Read, Write};

/// A part of a checkpoint, as bytes: one file, if checkpoints are files.
pub struct Part {
    /// The bytes.
    pub bytes: Box<dyn Read>,
    /// Their number.
    pub length: u64,
}

/// Keeps the last checkpoint. A new one takes its place when it is complete.
pub trait Storage {
    /// Begins a checkpoint, beside the last one.
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

    /// Ends the checkpoint, which takes the place of the last one.
    ///
    /// # Errors
    /// The last one stays.
    fn commit(&mut self) -> io::Result<()>;

    /// Drops what was begun. The last one stays.
    fn abandon(&mut self);

    /// Returns a part of the last checkpoint.
    ///
    /// # Errors
    /// It can't be read.
    fn read(&self, name: &str) -> io::Result<Part>;
}
