//! Edits of models as patches of their text, which change nothing else.
//!
//! An editor of drawings has [`drawings`] as data, and changes them by [`Operation`]s, which become
//! [`Patch`]es of the text. Comments, indentation, the order of attributes and whatever else is in
//! the file stay as they are. Automata and Petri nets are edited alike.
//!
//! ```
//! use edit::{Item, Operation};
//! use syntax::Format;
//!
//! let text = "<nta><template><name>P</name><location id='a'/><init ref='a'/></template>\
//!     <system>system P;</system></nta>";
//! let invariant = Operation::Label {
//!     template: 0,
//!     of: Item::Location(0),
//!     kind: "invariant".to_owned(),
//!     text: "x < 3".to_owned(),
//!     at: None,
//! };
//! let patches = edit::apply(text, Format::Xml, &invariant)?;
//! let edited = edit::patched(text, &patches)?;
//! assert!(edited.contains("<location id='a'><label kind=\"invariant\">x &lt; 3</label></location>"));
//! # Ok::<(), edit::EditError>(())
//! ```

mod arrange;
mod drawing;
mod error;
mod label;
mod net;
mod offsets;
mod operation;
mod outline;
mod patch;
mod rename;
mod tck;
mod xml;
mod xta;

pub use drawing::{
    Drawing, DrawnBranchpoint, DrawnEdge, DrawnLabel, DrawnLocation, DrawnPlace, DrawnTransition, NetAbilities,
    Problem, drawings,
};
pub use error::EditError;
pub use operation::{Item, Movable, Node, Operation, Placed, Point};
pub use patch::{Patch, patched};
pub use rename::legal_name;

use syntax::Format;

/// A text and its format.
#[derive(Clone, Copy, Debug)]
struct EditedText<'a> {
    text: &'a str,
    format: Format,
}

/// Returns the patches that an operation makes of a text, sorted.
///
/// # Errors
/// The operation can't be made on this text.
pub fn apply(text: &str, format: Format, operation: &Operation) -> Result<Vec<Patch>, EditError> {
    let source = EditedText { text, format };
    let patches = match format {
        Format::Xml => xml::patches(source, operation)?,
        Format::Xta | Format::Ta => xta::patches(source, operation)?,
        Format::Tck => tck::patches(source, operation)?,
        Format::Net | Format::Ndr | Format::NetXml => net::patches(source, operation)?,
    };
    let patches = patch::sorted(patches);
    let edited = EditedText { text: &patched(text, &patches)?, format };
    match format {
        Format::Xml => xml::check(edited.text)?,
        Format::Net | Format::Ndr | Format::NetXml => net::check(source, edited, operation)?,
        _ => label::check(source, edited, operation)?,
    }
    Ok(patches)
}
