//! Queries from the command line.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use merkhet::reading::QueryText;

use crate::input;

/// The queries of files, then those on the command line.
pub fn texts(files: &[PathBuf], queries: &[String], stdin: &mut dyn Read) -> Vec<QueryText> {
    let mut all = Vec::new();
    for path in files {
        all.push(QueryText { name: input::name(path), is_file: true, text: input::read_text(path, stdin) });
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
