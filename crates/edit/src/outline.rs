//! Where the elements of a drawing are in the text, whatever the format.

use std::ops::Range;

use crate::Point;

/// A label in the text.
#[derive(Clone, Debug)]
pub(crate) struct TextLabel {
    /// `name`, `guard`, …
    pub kind: String,
    /// Its text without the blanks around it.
    pub text: String,
    /// How many bytes of blanks are before it.
    pub blanks: usize,
    /// Its place in the file.
    pub range: Range<usize>,
    /// Its coordinates, if it has any.
    pub at: Option<Point>,
}

/// A location or an edge in the text.
#[derive(Clone, Debug)]
pub(crate) struct TextItem {
    /// Its path in XML, as in diagnostics.
    pub path: String,
    /// Its place in the file.
    pub range: Range<usize>,
    /// Its labels, as they are written. The name of a location is one.
    pub labels: Vec<TextLabel>,
}

/// A template in the text. The numbers of elements are those in the syntax tree.
#[derive(Clone, Debug)]
pub(crate) struct TextTemplate {
    /// Its place in the file.
    pub range: Range<usize>,
    /// Its parameters.
    pub parameters: String,
    /// The places of its parameters and declarations.
    pub declarations: Vec<Range<usize>>,
    /// Its locations.
    pub locations: Vec<TextItem>,
    /// Its edges.
    pub edges: Vec<TextItem>,
}
