//! Queries that the command line names.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use model::{LoweredQuery, Model};
use syntax::{Diagnostic, Sources, Span, Tree, ast::Query, source::FileId};

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

/// The file of queries beside a model: the one of the same name that ends with `.q`.
pub fn beside(model: &Path) -> Option<PathBuf> {
    let file = model.with_extension("q");
    (!input::is_dash(model) && file != model && file.is_file()).then_some(file)
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
        // A query on the command line may have several lines, as in a formula of an XML model.
        let read = if self.is_file { syntax::read_queries } else { syntax::read_query };
        let mut queries = whole(tree, |tree| read(sources, file, tree));
        if !self.is_file && queries.iter().any(|query| !query.problems.is_empty()) {
            self.suggest_several(sources, file, &mut queries);
        }
        if queries.is_empty() {
            let severity = if self.is_file { Diagnostic::warning } else { Diagnostic::error };
            return Err(Box::new(severity("no-query", Span::NONE, "there is no query here".to_owned())));
        }
        Ok(queries)
    }

    /// Says what to do if the text is wrong as one query, and right as several on a line each.
    fn suggest_several(&self, sources: &Sources, file: FileId, queries: &mut [Query]) {
        let lines = syntax::read_queries(sources, file, &mut Tree::default());
        if lines.len() > 1 && lines.iter().all(|query| query.problems.is_empty()) {
            let first = queries.iter_mut().flat_map(|query| &mut query.problems).next();
            if let Some(problem) = first {
                problem.help = vec![format!("-q takes one query; write -q before each of these {}", lines.len())];
            }
        }
    }
}

/// Reads queries to their end, even if a limit was reached: they are short, and there is something
/// to say of each.
pub fn whole<R>(tree: &mut Tree, read: impl FnOnce(&mut Tree) -> R) -> R {
    let signal = std::mem::take(&mut tree.signal);
    let read = read(tree);
    tree.signal = signal;
    read
}

/// The property of a query that stands in a file of evidence, where messages call it `name`.
///
/// # Errors
/// What is wrong with it.
pub fn property(
    text: &str,
    name: &str,
    sources: &mut Sources,
    model: &mut Model,
) -> Result<LoweredQuery, Vec<Diagnostic>> {
    read_one(text, name, syntax::read_query, sources, model)
}

/// The expressions of an option of the command line, which messages call `name`, as a query for
/// their bounds.
///
/// # Errors
/// What is wrong with them.
pub fn values(
    text: &str,
    name: &str,
    sources: &mut Sources,
    model: &mut Model,
) -> Result<LoweredQuery, Vec<Diagnostic>> {
    read_one(text, name, syntax::read_values, sources, model)
}

fn read_one(
    text: &str,
    name: &str,
    read: fn(&Sources, FileId, &mut Tree) -> Vec<Query>,
    sources: &mut Sources,
    model: &mut Model,
) -> Result<LoweredQuery, Vec<Diagnostic>> {
    let wrong = |why: &str| vec![Diagnostic::error("no-query", Span::NONE, why)];
    if text.len() as u64 > u64::from(sources.room()) {
        return Err(wrong("there is no room for this query"));
    }
    let file = sources.add_file(name, text.to_owned());
    let queries = whole(&mut model.tree, |tree| read(sources, file, tree));
    let [query] = &queries[..] else { return Err(wrong("there should be one query here")) };
    model.query(query)
}
