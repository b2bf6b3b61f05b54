//! Loads models with queries for tests.

use model::{LoweredQuery, Model, Property, System};
use syntax::{Diagnostic, Format, Sources};

/// A model and its queries.
#[derive(Debug)]
pub struct Loaded {
    /// The texts of the model and of the queries.
    pub sources: Sources,
    /// The model.
    pub model: Model,
    /// The queries, in their order.
    pub queries: Vec<LoweredQuery>,
    /// The system with the code of all queries.
    pub system: System,
    /// The queries as they are asked of that system.
    pub properties: Vec<Property>,
}

impl Loaded {
    /// The model's system with the code of some queries, by their numbers, and these queries.
    #[must_use]
    pub fn with(&self, numbers: &[usize]) -> (System, Vec<Property>) {
        self.model.system.with_all(&numbers.iter().map(|i| &self.queries[*i]).collect::<Vec<_>>())
    }

    /// The same for one query, and for nothing else.
    #[must_use]
    pub fn alone(&self, number: usize) -> (System, Property) {
        self.model.system.with(&self.queries[number])
    }

    /// All queries.
    #[must_use]
    pub fn lowered(&self) -> Vec<&LoweredQuery> {
        self.queries.iter().collect()
    }
}

/// Reads a model from XTA text, with queries.
///
/// # Errors
/// The diagnostics, as text.
pub fn load<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, String> {
    read(text, Format::Xta, queries)
}

/// Reads a model in TChecker's format, with queries.
///
/// # Errors
/// The diagnostics, as text.
pub fn load_tck<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, String> {
    read(text, Format::Tck, queries)
}

/// Reads a Petri net in TINA's format, with queries.
///
/// # Errors
/// The diagnostics, as text.
pub fn load_net<Q: AsRef<str>>(text: &str, queries: &[Q]) -> Result<Loaded, String> {
    read(text, Format::Net, queries)
}

fn read<Q: AsRef<str>>(text: &str, format: Format, queries: &[Q]) -> Result<Loaded, String> {
    let mut sources = Sources::new();
    let file = sources.add_file("model", text.to_owned());
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, format);
    check_errors(&diagnostics)?;
    let (mut model, diagnostics) = model::load(tree).map_err(|(_, d)| describe(&d))?;
    check_errors(&diagnostics)?;
    if !model.unsupported().is_empty() {
        return Err(describe(model.unsupported()));
    }
    let mut lowered = Vec::new();
    for query in queries {
        let query = query.as_ref();
        let file = sources.add_file("query", query.to_owned());
        for parsed in syntax::read_queries(&sources, file, &mut model.tree) {
            lowered.push(model.query(&parsed).map_err(|d| format!("{query}: {}", describe(&d)))?);
        }
    }
    let (system, properties) = model.system.with_all(&lowered.iter().collect::<Vec<_>>());
    Ok(Loaded { sources, model, queries: lowered, system, properties })
}

fn check_errors(diagnostics: &[Diagnostic]) -> Result<(), String> {
    if diagnostics.iter().any(Diagnostic::is_error) { Err(describe(diagnostics)) } else { Ok(()) }
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<&str>>().join("; ")
}
