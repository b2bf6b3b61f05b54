//! The selection of queries to answer.

use std::path::PathBuf;

use merkhet::{Document, is_query, labels};
use syntax::{Diagnostic, Tree, ast::Query};

use crate::{
    args::VerifyArgs,
    input,
    queries::{self, ReadFile},
};

/// Something, and the file that it is about.
pub type InFile<T> = (String, T);

/// The queries to answer.
pub struct SelectedQueries {
    pub queries: Vec<InFile<Query>>,
    /// The errors of files of queries.
    pub problems: Vec<InFile<Diagnostic>>,
    /// The file beside the model that they were read from.
    pub beside: Option<PathBuf>,
    /// A note on the source of the queries.
    pub note: Option<String>,
}

/// Finds the queries to answer: those that the command line names, else those inside the model,
/// else those of the file beside it.
pub fn select_queries(args: &VerifyArgs, document: &mut Document, read: &mut ReadFile<'_>) -> SelectedQueries {
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    let Document { name, sources, content, .. } = document;
    let mut nothing = Tree::default();
    let (tree, known) = input::tree_mut(content).unwrap_or((&mut nothing, None));
    let mut files = args.queries.clone();
    let (mut beside, mut note) = (None, None);
    if args.queries.is_empty() && args.query.is_empty() && args.labels.is_empty() {
        let own = tree.queries.iter().filter(|query| is_query(query));
        queries.extend(own.map(|query| (name.clone(), query.clone())));
        match args.model.as_deref().and_then(queries::beside) {
            Some(file) if queries.is_empty() => {
                note = Some(format!("queries from `{}`", input::name(&file)));
                files.push(file.clone());
                beside = Some(file);
            }
            Some(file) => {
                let file = input::name(&file);
                note = Some(format!("queries from the model; to answer those of `{file}`, name that file"));
            }
            None => {}
        }
    }
    for asked in queries::texts(&files, &args.query, read) {
        match asked.read(sources, tree) {
            Ok(found) => queries.extend(found.into_iter().map(|query| (asked.name.clone(), query))),
            Err(d) => problems.push((asked.name, *d)),
        }
    }
    for (list, number) in args.labels.iter().zip(1..) {
        let name = labels::name(number);
        match labels::read(list, &name, known, sources, tree) {
            Ok(query) => queries.push((name, query)),
            Err(found) => problems.extend(found.into_iter().map(|d| (name.clone(), d))),
        }
    }
    queries.retain(|(_, query)| is_query(query));
    SelectedQueries { queries, problems, beside, note }
}
