//! Which queries are answered.

use std::path::PathBuf;

use syntax::{
    Diagnostic, Sources, Tree,
    ast::{Query, QueryKind},
};

use crate::{
    args::VerifyArgs,
    input::{self, Content},
    labels,
    output::Streams,
    queries,
};

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
pub fn asked(
    args: &VerifyArgs,
    name: &str,
    sources: &mut Sources,
    content: &mut Content,
    streams: &mut Streams<'_>,
) -> Asked {
    let (mut queries, mut problems) = (Vec::new(), Vec::new());
    let (tree, known) = match content {
        Content::Nothing => (&mut Tree::default(), None),
        Content::Tree(tree) => (&mut **tree, None),
        Content::Model(model) => (&mut model.tree, Some(&model.system.labels[..])),
    };
    let mut files = args.queries.clone();
    let (mut beside, mut note) = (None, None);
    if args.queries.is_empty() && args.query.is_empty() && args.labels.is_empty() {
        let own = tree.queries.iter().filter(|query| asks(query));
        queries.extend(own.map(|query| (name.to_owned(), query.clone())));
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
    for asked in queries::asked(&files, &args.query, streams.stdin) {
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
    queries.retain(|(_, query)| asks(query));
    Asked { queries, problems, beside, note }
}

/// Whether there is something to answer or to refuse; editors leave empty queries behind.
fn asks(query: &Query) -> bool {
    query.kind != QueryKind::Empty || !query.problems.is_empty()
}
