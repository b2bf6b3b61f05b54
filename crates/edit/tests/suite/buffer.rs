//! A text under change.

use edit::{EditError, Operation, Patch, apply, patched};
use syntax::Format;

/// A model's text, and the texts before it.
pub struct Buffer {
    pub text: String,
    pub format: Format,
    before: Vec<String>,
}

impl Buffer {
    pub fn new(text: &str, format: Format) -> Buffer {
        Buffer { text: text.to_owned(), format, before: Vec::new() }
    }

    /// Makes an operation.
    pub fn edit(&mut self, operation: &Operation) -> Result<Vec<Patch>, EditError> {
        let patches = apply(&self.text, self.format, operation)?;
        let edited = patched(&self.text, &patches).unwrap();
        self.before.push(std::mem::replace(&mut self.text, edited));
        Ok(patches)
    }

    /// Goes back to the text before the last operation.
    pub fn undo(&mut self) -> bool {
        let before = self.before.pop();
        let is = before.is_some();
        self.text = before.unwrap_or_else(|| self.text.clone());
        is
    }
}
