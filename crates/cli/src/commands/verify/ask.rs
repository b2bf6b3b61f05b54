//! Which queries are answered.

use std::path::PathBuf;

use merkhet::{Document, is_query, labels};
use syntax::{Diagnostic, Tree, ast::Query};

use crate::{args::VerifyArgs, input, output::Streams, queries};

/// Something, and the file that it is about.
pub type In<T> = (String, T);

/// The queries to answer.
pub struct Asked {
    pub queries: Vec<In<Query>>,
    /// What is wrong with the files that should hold some.
    pub problems: Vec<In<Diagnostic>>,
    /// The file beside the model that they were read from.
    pub beside: Option<PathBuf>,
    /// What the user may not expect about where they are from.
    pub note: Option<String>,
}

/// Finds the queries to answer: those that the command line names, else those inside the model,
/// else those of the file beside it.
pub fn asked(args: &VerifyArgs, document: &mut Document, streams: &mut Streams<'_>) -> Asked {
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    let Document { name, sources, content, .. } = document;
    let mut nothing = Tree::default();
    let (tree, known) = input::tree_mut(content).unwrap_or((&mut nothing, None));
    let mut files = args.queries.clone();
    let (mut beside, mut note) = (None, None);
    if args.queries.is_empty() && args.query.is_empty() && args.labels.is_empty() {
        let own = tree.queries.iter().filter(|query| is_query(query));
        queries.extend(own.map(|query| (name.clone(), query.clone())));
        match queries::beside(&args.model) {
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
    for asked in queries::texts(&files, &args.query, streams.stdin) {
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
    Asked { queries, problems, beside, note }
}
