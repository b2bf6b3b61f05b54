//! Loads models with queries for tests.

use model::{LoweredQuery, Model, Property, System};
use syntax::{Diagnostic, Format, Sources};

/// The diagnostics of a model or a query that was not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Diagnostics of the model.
    #[error("{}", describe(.0))]
    Model(Vec<Diagnostic>),
    /// Diagnostics of a query.
    #[error("{query}: {}", describe(diagnostics))]
    Query {
        /// The query.
        query: String,
        /// Its diagnostics.
        diagnostics: Vec<Diagnostic>,
    },
}

impl From<LoadError> for String {
    fn from(error: LoadError) -> String {
        error.to_string()
    }
}

/// A model and its queries.
#[derive(Debug)]
pub struct Loaded {
    /// The texts of the model and of the queries.
    pub sources: Sources,
    /// The model.
    pub model: Model,
    /// The queries in order.
    pub queries: Vec<LoweredQuery>,
    /// The system with the code of all queries.
    pub system: System,
    /// The queries as properties of that system.
    pub properties: Vec<Property>,
}

impl Loaded {
    /// Returns the system of the model with the code of some queries, by their numbers, and these
    /// queries.
    #[must_use]
    pub fn with(&self, numbers: &[usize]) -> (System, Vec<Property>) {
        self.model.system.with_all(&numbers.iter().map(|i| &self.queries[*i]).collect::<Vec<_>>())
    }

    /// Does the same for a single query.
    #[must_use]
    pub fn alone(&self, number: usize) -> (System, Property) {
        self.model.system.with(&self.queries[number])
    }

    /// Returns all queries.
    #[must_use]
    pub fn lowered(&self) -> Vec<&LoweredQuery> {
        self.queries.iter().collect()
    }
}

/// Reads a model from XTA text, with queries.
///
/// # Errors
/// The diagnostics.
pub fn load<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, LoadError> {
    read(text, Format::Xta, queries)
}

/// Reads a model in TChecker's format, with queries.
///
/// # Errors
/// The diagnostics.
pub fn load_tck<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, LoadError> {
    read(text, Format::Tck, queries)
}

/// Reads a Petri net in TINA's format, with queries.
///
/// # Errors
/// The diagnostics.
pub fn load_net<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, LoadError> {
    read(text, Format::Net, queries)
}

fn read<Q: AsRef<str>>(text: &str, format: Format, queries: &[Q]) -> Result<Loaded, LoadError> {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
    check_errors(&diagnostics)?;
    let (mut model, diagnostics) = model::load(tree).map_err(|(_, diagnostics)| LoadError::Model(diagnostics))?;
    check_errors(&diagnostics)?;
    if !model.unsupported().is_empty() {
        return Err(LoadError::Model(model.unsupported().to_vec()));
    }
    let mut lowered = Vec::new();
    for query in queries {
        let query = query.as_ref();
        let file = sources.add_file("query", query.to_owned());
        for parsed in syntax::read_queries(&sources, file, &mut model.tree) {
            let refused = |diagnostics| LoadError::Query { query: query.to_owned(), diagnostics };
            lowered.push(model.query(&parsed).map_err(refused)?);
        }
    }
    let (system, properties) = model.system.with_all(&lowered.iter().collect::<Vec<_>>());
    Ok(Loaded { sources, model, queries: lowered, system, properties })
}

fn check_errors(diagnostics: &[Diagnostic]) -> Result<(), LoadError> {
    if diagnostics.iter().any(Diagnostic::is_error) { Err(LoadError::Model(diagnostics.to_vec())) } else { Ok(()) }
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<&str>>().join("; ")
}
