//! Loads models with queries for tests.

use model::{Model, Property};
use syntax::{Diagnostic, Format, Sources};

/// A model and its queries.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// The queries, in their order.
    pub properties: Vec<Property>,
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
    let mut properties = Vec::new();
    for query in queries {
        let query = query.as_ref();
        let file = sources.add_file("query", query.to_owned());
        for parsed in syntax::read_queries(&sources, file, &mut model.tree) {
            properties.push(model.query(&parsed).map_err(|d| format!("{query}: {}", describe(&d)))?);
        }
    }
    Ok(Loaded { model, properties })
}

fn check_errors(diagnostics: &[Diagnostic]) -> Result<(), String> {
    if diagnostics.iter().any(Diagnostic::is_error) { Err(describe(diagnostics)) } else { Ok(()) }
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<&str>>().join("; ")
}
