//! Prints whole models as XTA or XML, and pieces of them for messages.
//!
//! Printed text parses to the same tree, and printing that again gives the same text. Comments are
//! not part of the tree's items; they are assigned to items by their positions in the source.

mod comments;
mod decl;
mod expr;
mod initialiser;
mod names;
mod process;
mod query;
mod statistics;
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
pub struct PrintedModel {
    /// The text.
    pub text: String,
    /// Features of the model that the format lacks, such as `layout`; each once.
    pub dropped: Vec<&'static str>,
}

/// The entry of [`PrintedModel::dropped`] for renamed identifiers.
pub const RESERVED_NAMES: &str = "names that it reserves (a `_` was appended)";

/// Prints the model as XTA, in the current syntax.
#[must_use]
pub fn xta(tree: &Tree, sources: &Sources) -> PrintedModel {
    xta::model(tree, sources)
}

/// Prints the model as UPPAAL's XML. Locations without coordinates are placed on a grid.
#[must_use]
pub fn xml(tree: &Tree, sources: &Sources) -> PrintedModel {
    xml::model(tree, sources)
}

/// Prints an expression with minimal parentheses.
#[must_use]
pub fn expression(tree: &Tree, e: ExprId) -> String {
    piece(tree, |p| p.comma(e))
}

/// Prints a statement.
#[must_use]
pub fn statement(tree: &Tree, s: StmtId) -> String {
    piece(tree, |p| p.statement(s))
}

/// Prints a type.
#[must_use]
pub fn type_expression(tree: &Tree, t: TypeId) -> String {
    piece(tree, |p| p.ty(t))
}

/// Prints declarations, one per line.
#[must_use]
pub fn declarations(tree: &Tree, decls: &[Decl]) -> String {
    piece(tree, |p| p.declarations(&decls.iter().collect::<Vec<_>>()))
}

/// Prints a query on one line; the original text if it could not be parsed.
#[must_use]
pub fn query(tree: &Tree, query: &Query) -> String {
    piece(tree, |p| p.query(query))
}

fn piece(tree: &Tree, f: impl FnOnce(&mut Printer<'_>)) -> String {
    Printer::plain(tree).text(f)
}
