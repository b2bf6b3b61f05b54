//! Loads models with queries for tests.

use std::{fs, path::Path};

use model::{LoweredQuery, Model, Property, System};
use syntax::{Diagnostic, FileId, Format, Sources};

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

/// Reads a Petri net in TINA's format or in XML, with queries.
///
/// # Errors
/// The diagnostics.
pub fn load_net<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, LoadError> {
    read(text, if text.starts_with('<') { Format::NetXml } else { Format::Net }, queries)
}

fn read<Q: AsRef<str>>(text: &str, format: Format, queries: &[Q]) -> Result<Loaded, LoadError> {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    let read = lower(sources, file, format, Warnings::Accepted);
    let (mut sources, mut model) = read.map_err(|(_, errors)| LoadError::Model(errors))?;
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

/// Reads a model from text. Not even warnings are expected of what the parser reads.
///
/// # Errors
/// The diagnostics, and the text that they are about.
pub fn read_model(text: &str, format: Format) -> Result<(Sources, Model), (Sources, Vec<Diagnostic>)> {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    lower(sources, file, format, Warnings::Refused)
}

/// Reads a model from a file, whose name says the format.
///
/// # Errors
/// All errors, and the text that they are about.
///
/// # Panics
/// If the file can't be read, or is not text.
pub fn read_file(path: &Path) -> Result<(Sources, Model), (Sources, Vec<Diagnostic>)> {
    let name = path.to_string_lossy();
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = syntax::source::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let format = Format::guess(&name, &text);
    let mut sources = Sources::new();
    let file = sources.add_file(&name, text);
    lower(sources, file, format, Warnings::Accepted)
}

/// Reads a model from a file, and those queries in the file beside it with the ending `q` that can
/// be answered, each with the system that has its code. Returns `None` if the model has errors or
/// unsupported features, or without such a file.
///
/// # Panics
/// If the model's file can't be read, or is not text.
#[must_use]
pub fn queries_beside(path: &Path) -> Option<Vec<(System, Property)>> {
    let queries = fs::read_to_string(path.with_extension("q")).ok()?;
    let (mut sources, mut model) = read_file(path).ok().filter(|(_, model)| model.unsupported().is_empty())?;
    let file = sources.add_file("queries", queries);
    let parsed = syntax::read_queries(&sources, file, &mut model.tree);
    let lowered: Vec<_> = parsed.iter().filter_map(|query| model.query(query).ok()).collect();
    Some(lowered.iter().map(|query| model.system.with(query)).collect())
}

/// What becomes of warnings of the parser.
#[derive(PartialEq)]
enum Warnings {
    Accepted,
    Refused,
}

/// Checks and lowers a model that was added to the sources. All errors are found: those of the
/// parser and those after it.
fn lower(
    mut sources: Sources,
    file: FileId,
    format: Format,
    warnings: Warnings,
) -> Result<(Sources, Model), (Sources, Vec<Diagnostic>)> {
    let (tree, mut diagnostics) = syntax::read_model(&mut sources, file, format);
    if warnings == Warnings::Refused && !diagnostics.is_empty() {
        return Err((sources, diagnostics));
    }
    let (model, more) = match model::load(tree) {
        Ok((model, more)) => (Some(model), more),
        Err((_, more)) => (None, more),
    };
    diagnostics.extend(more);
    match model {
        Some(model) if !diagnostics.iter().any(Diagnostic::is_error) => Ok((sources, model)),
        _ => {
            diagnostics.retain(Diagnostic::is_error);
            Err((sources, diagnostics))
        }
    }
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<&str>>().join("; ")
}
