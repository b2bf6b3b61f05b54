//! Tree to text: whole models as XTA or XML, and pieces of them for messages.
//!
//! What is printed reads back to the same tree, and printing that once more gives the same text. Comments are no part
//! of what they speak of; those that belong to what is being printed are found by their places in the source.

mod comments;
mod decl;
mod expr;
mod initialiser;
mod names;
mod process;
mod query;
mod stmt;
mod system;
mod verbatim;
mod writer;
mod xml;
mod xta;

use crate::{
    ast::{Decl, ExprId, Query, StmtId, Tree, TypeId},
    source::Sources,
};
use writer::Printer;

/// A printed model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub text: String,
    /// What the model has and the text could not hold, such as `layout`; each kind once.
    pub dropped: Vec<&'static str>,
}

/// What [`Output::dropped`] says where names had to be changed.
pub const RESERVED_NAMES: &str = "names that it reserves (a `_` was appended)";

/// The model as XTA, in the syntax of today.
#[must_use]
pub fn xta(tree: &Tree, sources: &Sources) -> Output {
    xta::model(tree, sources)
}

/// The model as UPPAAL's XML. Locations without coordinates are put on a grid.
#[must_use]
pub fn xml(tree: &Tree, sources: &Sources) -> Output {
    xml::model(tree, sources)
}

/// An expression, with no more parentheses than it needs.
#[must_use]
pub fn expression(tree: &Tree, e: ExprId) -> String {
    piece(tree, |p| p.comma(e))
}

/// A statement.
#[must_use]
pub fn statement(tree: &Tree, s: StmtId) -> String {
    piece(tree, |p| p.statement(s))
}

/// A type.
#[must_use]
pub fn type_expression(tree: &Tree, t: TypeId) -> String {
    piece(tree, |p| p.ty(t))
}

/// Declarations, one to a line.
#[must_use]
pub fn declarations(tree: &Tree, decls: &[Decl]) -> String {
    piece(tree, |p| p.declarations(&decls.iter().collect::<Vec<_>>()))
}

/// A query on one line; the user's own words where it could not be read.
#[must_use]
pub fn query(tree: &Tree, query: &Query) -> String {
    piece(tree, |p| p.query(query))
}

fn piece(tree: &Tree, f: impl FnOnce(&mut Printer<'_>)) -> String {
    Printer::plain(tree).text(f)
}
