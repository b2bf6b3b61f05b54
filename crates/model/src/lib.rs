//! Tree to system: what the command line relies on, until the real crate is there.

use syntax::{Diagnostic, Tree, ast};

/// A checked and lowered network.
#[derive(Debug)]
pub struct System;

/// A checked query.
#[derive(Debug)]
pub struct Property;

/// A model that can be explored.
#[derive(Debug)]
pub struct Model {
    /// What was read.
    pub tree: Tree,
    /// What it means.
    pub system: System,
}

/// Checks and lowers. The diagnostics hold errors and warnings; a model is there iff none is an error.
///
/// # Errors
/// The tree, and what is wrong with it.
#[allow(clippy::type_complexity, clippy::result_large_err)]
pub fn load(tree: Tree) -> Result<(Model, Vec<Diagnostic>), (Tree, Vec<Diagnostic>)> {
    Ok((Model { tree, system: System }, Vec::new()))
}

impl Model {
    /// Checks a query that was read into `self.tree`; the diagnostics say what is wrong with it.
    ///
    /// # Errors
    /// What is wrong with the query.
    pub fn query(&mut self, query: &ast::Query) -> Result<Property, Vec<Diagnostic>> {
        match query.kind {
            ast::QueryKind::Unsupported(what) => {
                Err(vec![Diagnostic::error("unsupported", query.span, format!("{what} is not supported"))])
            }
            _ => Ok(Property),
        }
    }
}

/// Whether a feature of the language has a meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It has.
    Yes,
    /// It is read, and changes no answer.
    Ignored,
    /// A model that uses it is refused.
    No,
}

/// A feature of the language.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// Whether it has a meaning here.
    pub support: Support,
    /// What it is, or why it is not supported.
    pub note: &'static str,
}

/// The features of UPPAAL's language.
pub const FEATURES: &[Feature] = &[
    Feature { name: "clocks", support: Support::Yes, note: "real-valued, compared with integers" },
    Feature { name: "probabilities", support: Support::Ignored, note: "weights of branches do not matter here" },
    Feature { name: "games", support: Support::No, note: "control queries and strategies" },
];
