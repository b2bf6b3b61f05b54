//! Queries that the command line names.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

use model::{Model, Property};
use syntax::{Diagnostic, Sources, Span, Tree, ast::Query};

use crate::input;

/// Queries that the command line names, before they meet a model.
pub struct Asked {
    /// What messages call them.
    pub name: String,
    /// A file without queries may be what the user wants; `-q ''` is not.
    is_file: bool,
    text: Result<String, Box<Diagnostic>>,
}

/// The queries of files, then those that stand on the command line.
pub fn asked(files: &[PathBuf], texts: &[String], stdin: &mut dyn Read) -> Vec<Asked> {
    let mut all = Vec::new();
    for path in files {
        all.push(Asked { name: input::name(path), is_file: true, text: input::read_text(path, stdin) });
    }
    for (text, number) in texts.iter().zip(1..) {
        all.push(Asked { name: format!("<query {number}>"), is_file: false, text: Ok(text.clone()) });
    }
    all
}

/// The queries of `MODEL.q` beside a model, where UPPAAL keeps them.
pub fn beside(model: &Path) -> Option<Asked> {
    let path = model.with_extension("q");
    let exists = !input::is_dash(model) && path.is_file();
    exists.then(|| Asked { name: input::name(&path), is_file: true, text: input::read_text(&path, &mut io::empty()) })
}

impl Asked {
    /// Reads the queries; their expressions go into the tree. There is at least one.
    ///
    /// # Errors
    /// Says why there is none; it need not be an error.
    pub fn read(&self, sources: &mut Sources, tree: &mut Tree) -> Result<Vec<Query>, Box<Diagnostic>> {
        let text = self.text.clone()?;
        if text.len() as u64 > u64::from(sources.room()) {
            let why = "there is no room for these queries";
            return Err(Box::new(Diagnostic::error("file-too-large", Span::NONE, why)));
        }
        let file = sources.add_file(&self.name, text);
        let queries = syntax::read_queries(sources, file, tree);
        if queries.is_empty() {
            let severity = if self.is_file { Diagnostic::warning } else { Diagnostic::error };
            return Err(Box::new(severity("no-query", Span::NONE, "there is no query here".to_owned())));
        }
        Ok(queries)
    }
}

/// The property of a query that stands in a file of evidence, where messages call it `name`.
///
/// # Errors
/// What is wrong with it.
pub fn property(text: &str, name: &str, sources: &mut Sources, model: &mut Model) -> Result<Property, Vec<Diagnostic>> {
    let wrong = |why: &str| vec![Diagnostic::error("no-query", Span::NONE, why)];
    if text.len() as u64 > u64::from(sources.room()) {
        return Err(wrong("there is no room for this query"));
    }
    let file = sources.add_file(name, text.to_owned());
    let queries = syntax::read_query(sources, file, &mut model.tree);
    let [query] = &queries[..] else { return Err(wrong("there should be one query here")) };
    model.query(query)
}
