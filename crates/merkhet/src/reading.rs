//! Reads texts of queries into the tree of a model.

use model::{LoweredQuery, Model};
use syntax::{Diagnostic, Sources, Span, Tree, ast::Query, source::FileId};

/// A text with queries, before it meets a model.
#[derive(Clone, Debug)]
pub struct QueryText {
    /// What messages call it.
    pub name: String,
    /// Whether it is a file, with one query in each line. Otherwise it is one query, which may have
    /// several lines. A file without queries may be intended; an empty query is not.
    pub is_file: bool,
    /// The text, or why there is none.
    pub text: Result<String, Box<Diagnostic>>,
}

impl QueryText {
    /// Reads the queries; their expressions go into the tree. There is at least one.
    ///
    /// # Errors
    /// Why there is none; that need not be an error.
    pub fn read(&self, sources: &mut Sources, tree: &mut Tree) -> Result<Vec<Query>, Box<Diagnostic>> {
        let text = self.text.clone()?;
        if text.len() as u64 > u64::from(sources.room()) {
            let why = "there is no room for these queries";
            return Err(Box::new(Diagnostic::error("file-too-large", Span::NONE, why)));
        }
        let file = sources.add_file(&self.name, text);
        // A query on its own may have several lines, as in a formula of an XML model.
        let read = if self.is_file { syntax::read_queries } else { syntax::read_query };
        let mut queries = complete(tree, |tree| read(sources, file, tree));
        if !self.is_file && queries.iter().any(|query| !query.problems.is_empty()) {
            suggest_several(sources, file, &mut queries);
        }
        if queries.is_empty() {
            let severity = if self.is_file { Diagnostic::warning } else { Diagnostic::error };
            return Err(Box::new(severity("no-query", Span::NONE, "there is no query here".to_owned())));
        }
        Ok(queries)
    }
}

/// Suggests what to do if the text is wrong as one query, and right as several on a line each.
fn suggest_several(sources: &Sources, file: FileId, queries: &mut [Query]) {
    let lines = syntax::read_queries(sources, file, &mut Tree::default());
    if lines.len() > 1 && lines.iter().all(|query| query.problems.is_empty()) {
        let first = queries.iter_mut().flat_map(|query| &mut query.problems).next();
        if let Some(problem) = first {
            problem.help = vec![format!("-q takes one query; write -q before each of these {}", lines.len())];
        }
    }
}

/// Reads queries to their end even if a limit was reached: they are short, and each is reported.
pub fn complete<R>(tree: &mut Tree, read: impl FnOnce(&mut Tree) -> R) -> R {
    let signal = std::mem::take(&mut tree.signal);
    let read = read(tree);
    tree.signal = signal;
    read
}

/// Reads and checks a text that has to be one query about states. Messages call it `name`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn query(
    text: &str,
    name: &str,
    sources: &mut Sources,
    model: &mut Model,
) -> Result<(Query, LoweredQuery), Vec<Diagnostic>> {
    let query = one(text, name, sources, model)?;
    let lowered = model.query(&query)?;
    Ok((query, lowered))
}

/// Reads a text that has to be one query. Messages call it `name`.
///
/// # Errors
/// Everything that is wrong with it.
pub(crate) fn one(text: &str, name: &str, sources: &mut Sources, model: &mut Model) -> Result<Query, Vec<Diagnostic>> {
    read_one(text, name, syntax::read_query, sources, &mut model.tree)
}

/// Reads a text that has to be one query.
pub(crate) fn read_one(
    text: &str,
    name: &str,
    read: fn(&Sources, FileId, &mut Tree) -> Vec<Query>,
    sources: &mut Sources,
    tree: &mut Tree,
) -> Result<Query, Vec<Diagnostic>> {
    let wrong = |why: &str| vec![Diagnostic::error("no-query", Span::NONE, why)];
    if text.len() as u64 > u64::from(sources.room()) {
        return Err(wrong("there is no room for this query"));
    }
    let file = sources.add_file(name, text.to_owned());
    let mut queries = complete(tree, |tree| read(sources, file, tree));
    match (queries.pop(), queries.is_empty()) {
        (Some(query), true) => Ok(query),
        _ => Err(wrong("there should be one query here")),
    }
}
