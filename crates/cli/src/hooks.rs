//! Where the commands meet the printers and the drawings.

use syntax::{Sources, Tree, print::Output};

use crate::args::{DrawingFormat, ModelFormat};

/// Prints a model. The tree is given coordinates first where XML needs some that it has not.
pub fn print(sources: &Sources, tree: &mut Tree, format: ModelFormat) -> Output {
    match format {
        ModelFormat::Xml => {
            draw::layout(tree, sources);
            syntax::print::xml(tree, sources)
        }
        ModelFormat::Xta => syntax::print::xta(tree, sources),
    }
}

/// Draws the templates with these names, or all if there are none.
///
/// # Errors
/// Says why they can't be drawn: there may be no such template.
pub fn draw(sources: &Sources, tree: &Tree, templates: &[String], format: DrawingFormat) -> Result<String, String> {
    match format {
        DrawingFormat::Dot => draw::dot(tree, sources, templates),
        DrawingFormat::Svg => draw::svg(tree, sources, templates),
    }
    .map_err(|e| e.to_string())
}
