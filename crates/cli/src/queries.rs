//! Queries from the command line.

use std::path::{Path, PathBuf};

use merkhet::reading::QueryText;
use syntax::Diagnostic;

use crate::input;

/// Reads the text of a file.
pub type ReadFile<'r> = dyn FnMut(&Path) -> Result<String, Box<Diagnostic>> + 'r;

/// The queries of files, then those on the command line.
pub fn texts(files: &[PathBuf], queries: &[String], files_read: &mut ReadFile<'_>) -> Vec<QueryText> {
    let mut all = Vec::new();
    for path in files {
        all.push(QueryText { name: input::name(path), is_file: true, text: files_read(path) });
    }
    for (text, number) in queries.iter().zip(1..) {
        all.push(QueryText { name: format!("<query {number}>"), is_file: false, text: Ok(text.clone()) });
    }
    all
}

/// The file of queries beside a model: the one of the same name that ends with `.q`.
pub fn beside(model: &Path) -> Option<PathBuf> {
    let file = model.with_extension("q");
    (!input::is_dash(model) && file != model && file.is_file()).then_some(file)
}
