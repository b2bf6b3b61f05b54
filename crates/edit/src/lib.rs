//! Edits of models as patches of their text, which change nothing else.
//!
//! A model is edited as text, by [`Patch`]es, and as a drawing, by [`Operation`]s. An operation
//! becomes patches too. Comments, indentation, the order of attributes and whatever else is in the
//! file stay as they are, and undoing all edits restores the file byte for byte.
//!
//! ```
//! use edit::{Item, Operation, Source};
//! use syntax::Format;
//!
//! let text = "<nta><template><name>P</name><location id='a'/><init ref='a'/></template><system>system P;</system></nta>";
//! let invariant = Operation::Label {
//!     template: 0,
//!     of: Item::Location(0),
//!     kind: "invariant".to_owned(),
//!     text: "x < 3".to_owned(),
//!     at: None,
//! };
//! let patches = edit::patches(Source { text, format: Format::Xml }, &invariant)?;
//! let edited = edit::apply(text, &patches)?;
//! assert!(edited.contains("<location id='a'><label kind=\"invariant\">x &lt; 3</label></location>"));
//! # Ok::<(), edit::Refusal>(())
//! ```

mod arrange;
mod buffer;
mod drawing;
mod encoding;
mod offsets;
mod operation;
mod outline;
mod parts;
mod patch;
mod refusal;
mod rename;
mod xml;

pub use buffer::{Applied, Buffer};
pub use drawing::{DrawnBranchpoint, DrawnEdge, DrawnLabel, DrawnLocation, Drawing, Problem, drawings};
pub use encoding::Encoding;
pub use offsets::{Offsets, shown};
pub use operation::{Item, Node, Operation, Part, Place, Placed, Point, TextChange};
pub use parts::parts;
pub use patch::{Patch, apply};
pub use refusal::Refusal;

use syntax::Format;

/// A text and its format.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// Its format.
    pub format: Format,
}

/// Returns the patches that an operation makes of a text, sorted.
///
/// # Errors
/// The operation can't be made on this text.
pub fn patches(source: Source<'_>, operation: &Operation) -> Result<Vec<Patch>, Refusal> {
    let patches = match (operation, source.format) {
        (Operation::Text { part: Part::Whole, changes }, _) => return parts::whole(source.text, changes),
        (_, Format::Xml) => xml::patches(source, operation)?,
        _ => return Err(Refusal::new("a text without positions has no drawing to be edited").help("edit its text")),
    };
    let patches = patch::sorted(patches);
    let edited = apply(source.text, &patches)?;
    if source.format == Format::Xml {
        xml::check(&edited)?;
    }
    Ok(patches)
}
