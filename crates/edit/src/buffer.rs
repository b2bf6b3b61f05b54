//! A text that is being edited, with what undoes the edits.

use syntax::{Format, source::DecodeError};

use crate::{Encoding, Operation, Patch, Refusal, Source, patch, patch::apply, patches};

/// The limit on the memory of edits that can be undone, in bytes.
const MAX_HISTORY: usize = 1 << 26;

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The number of the text after it.
    pub revision: u64,
    /// The change as patches of the text before it.
    pub patches: Vec<Patch>,
}

/// An edit that can be undone, or done again.
#[derive(Clone, Debug)]
struct Step {
    patches: Vec<Patch>,
    /// Which texts it leads from and to.
    from: u64,
    to: u64,
}

impl Step {
    fn memory(&self) -> usize {
        self.patches.iter().map(|p| p.text.len() + size_of::<Patch>()).sum::<usize>() + size_of::<Step>()
    }
}

/// A text that is being edited.
///
/// Undoing all edits restores the text byte for byte.
#[derive(Clone, Debug)]
pub struct Buffer {
    text: String,
    format: Format,
    encoding: Encoding,
    revision: u64,
    /// What identifies the present text: undoing an edit restores the number as well.
    state: u64,
    next_state: u64,
    saved: u64,
    undo: Vec<Step>,
    redo: Vec<Step>,
    memory: usize,
}

impl Buffer {
    /// Creates a buffer of a text.
    #[must_use]
    pub fn new(text: String, format: Format) -> Buffer {
        Buffer::encoded(text, format, Encoding::Utf8)
    }

    /// Creates a buffer of a file's bytes.
    ///
    /// # Errors
    /// The bytes are not text.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Buffer, DecodeError> {
        let (encoding, text) = Encoding::decode(bytes)?;
        let format = Format::guess(name, &text);
        Ok(Buffer::encoded(text, format, encoding))
    }

    fn encoded(text: String, format: Format, encoding: Encoding) -> Buffer {
        Buffer {
            text,
            format,
            encoding,
            revision: 0,
            state: 0,
            next_state: 1,
            saved: 0,
            undo: Vec::new(),
            redo: Vec::new(),
            memory: 0,
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text with its format.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        Source { text: &self.text, format: self.format }
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// The encoding of the file lacks a character.
    pub fn bytes(&self) -> Result<Vec<u8>, Refusal> {
        self.encoding.encode(&self.text)
    }

    /// Returns the format.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of changes so far, undone ones included.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns whether the text differs from what was saved.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.state != self.saved
    }

    /// Records that the text was saved.
    pub fn mark_saved(&mut self) {
        self.saved = self.state;
    }

    /// Returns whether an edit can be undone.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Returns whether an undone edit can be done again.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Makes an operation.
    ///
    /// # Errors
    /// The operation can't be made on this text.
    pub fn edit(&mut self, operation: &Operation) -> Result<Applied, Refusal> {
        let patches = patches(self.source(), operation)?;
        self.patch(patches)
    }

    /// Applies patches, which are sorted.
    ///
    /// # Errors
    /// The patches do not fit the text.
    pub fn patch(&mut self, patches: Vec<Patch>) -> Result<Applied, Refusal> {
        let text = apply(&self.text, &patches)?;
        if text == self.text {
            return Ok(Applied { revision: self.revision, patches: Vec::new() });
        }
        let step = Step { patches: patch::inverse(&self.text, &patches), from: self.state, to: self.next_state };
        self.text = text;
        self.state = self.next_state;
        self.next_state += 1;
        self.revision += 1;
        self.memory += step.memory();
        self.memory -= self.redo.drain(..).map(|step| step.memory()).sum::<usize>();
        self.undo.push(step);
        self.forget();
        Ok(Applied { revision: self.revision, patches })
    }

    /// Forgets the oldest edits if they take too much memory.
    fn forget(&mut self) {
        let mut forgotten = 0;
        while self.memory > MAX_HISTORY && forgotten + 1 < self.undo.len() {
            self.memory -= self.undo[forgotten].memory();
            forgotten += 1;
        }
        self.undo.drain(..forgotten);
    }

    /// Undoes the last edit; `None` if there is none.
    pub fn undo(&mut self) -> Option<Applied> {
        let step = self.undo.pop()?;
        let state = step.from;
        let (applied, back) = self.take(step);
        self.redo.push(back);
        self.state = state;
        Some(applied)
    }

    /// Does the last undone edit again; `None` if there is none.
    pub fn redo(&mut self) -> Option<Applied> {
        let step = self.redo.pop()?;
        let state = step.to;
        let (applied, back) = self.take(step);
        self.undo.push(back);
        self.state = state;
        Some(applied)
    }

    /// Applies a step. Also returns the step that takes it back.
    fn take(&mut self, step: Step) -> (Applied, Step) {
        self.memory -= step.memory();
        let back = Step { patches: patch::inverse(&self.text, &step.patches), ..step };
        self.memory += back.memory();
        // Steps are the inverses of patches that were applied to exactly this text.
        self.text = apply(&self.text, &step.patches).unwrap_or_else(|_| unreachable!("a step fits its text"));
        self.revision += 1;
        (Applied { revision: self.revision, patches: step.patches }, back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_undone_and_done_again() {
        let mut buffer = Buffer::new("abc".to_owned(), Format::Xta);
        buffer.patch(vec![Patch::insert(1, "X")]).unwrap();
        buffer.patch(vec![Patch::delete(0, 2)]).unwrap();
        buffer.mark_saved();
        assert_eq!((buffer.text(), buffer.is_changed(), buffer.revision()), ("bc", false, 2));
        assert_eq!(buffer.undo().unwrap().patches, [Patch::insert(0, "aX")]);
        assert!(buffer.is_changed());
        buffer.undo().unwrap();
        assert!(buffer.undo().is_none());
        assert_eq!(buffer.text(), "abc");
        buffer.redo().unwrap();
        buffer.redo().unwrap();
        assert!(buffer.redo().is_none() && !buffer.is_changed());
        assert_eq!(buffer.text(), "bc");
        buffer.undo().unwrap();
        buffer.patch(vec![Patch::insert(0, "?")]).unwrap();
        assert!(!buffer.can_redo() && buffer.can_undo() && buffer.is_changed());
        assert!(buffer.patch(vec![Patch::insert(99, "?")]).is_err());
        assert_eq!(buffer.text(), "?aXbc");
    }

    #[test]
    fn history_is_bounded() {
        let mut buffer = Buffer::new(String::new(), Format::Xta);
        let large = "x".repeat(MAX_HISTORY / 4);
        for _ in 0..10 {
            let end = buffer.text().len();
            buffer.patch(vec![Patch { from: 0, to: end, text: large.clone() }, Patch::insert(end, "y")]).unwrap();
            let end = buffer.text().len();
            buffer.patch(vec![Patch::delete(0, end)]).unwrap();
        }
        assert!(buffer.memory <= MAX_HISTORY + large.len() * 2);
        assert!(std::iter::from_fn(|| buffer.undo()).count() < 10);
    }
}
