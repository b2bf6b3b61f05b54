//! What the printers and the drawings of other crates look like to the commands.

use syntax::{Sources, Tree};

use crate::args::{DrawingFormat, ModelFormat};

/// A model as text.
pub struct Printed {
    /// The text.
    pub text: String,
    /// What the format has no words for, as whole sentences without a full stop.
    pub lost: Vec<String>,
}

/// Prints a model.
///
/// # Errors
/// Says why it can't be printed.
pub fn print(_: &Sources, _: &Tree, format: ModelFormat) -> Result<Printed, String> {
    Err(format!("this build can't write {format:?} files"))
}

/// Draws the templates with these numbers.
///
/// # Errors
/// Says why they can't be drawn.
pub fn draw(_: &Sources, _: &Tree, _templates: &[usize], format: DrawingFormat) -> Result<String, String> {
    Err(format!("this build can't draw {format:?} files"))
}
