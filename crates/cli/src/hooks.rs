//! Where the commands meet the printers and the drawings.

use syntax::{Sources, Tree};

use crate::args::{DrawingFormat, ModelFormat};

/// A model as text.
pub struct Printed {
    /// The text.
    pub text: String,
    /// What the model has and the text could not hold, such as `layout`.
    pub dropped: Vec<&'static str>,
}

/// Prints a model. The tree is given coordinates first where XML needs some that it has not.
///
/// # Errors
/// Says why it can't be printed.
pub fn print(_: &Sources, _: &mut Tree, format: ModelFormat) -> Result<Printed, String> {
    Err(format!("this build can't write {}", format.name()))
}

/// Draws the templates with these names, or all if there are none.
///
/// # Errors
/// Says why they can't be drawn: there may be no such template.
pub fn draw(_: &Sources, _: &Tree, _templates: &[String], format: DrawingFormat) -> Result<String, String> {
    Err(format!("this build can't draw {format:?} files"))
}
