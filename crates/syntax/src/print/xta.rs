//! Prints models as XTA.

use super::{PrintedModel, names::Renames, verbatim::fits_into_braces, writer::Printer};
use crate::{
    ast::{Layout, Query, QueryKind, Tree},
    source::{Sources, Span},
};

pub(super) fn model(tree: &Tree, sources: &Sources) -> PrintedModel {
    let renames = Renames::for_xta(tree);
    let renamed = !renames.is_empty();
    let mut printer = Printer::new(tree, sources, renames);
    let text = printer.text(|p| {
        p.globals();
        if let Some(first) = tree.templates.first()
            && p.comments.is_element(first.span.start)
        {
            let left = p.comments.inside(Span { start: 0, end: first.name.span.start });
            p.space();
            p.comment_lines(left);
        }
        for template in &tree.templates {
            if p.is_over() {
                return;
            }
            p.space();
            p.process(template);
        }
        p.space();
        p.system();
        // Queries that no block can hold become comments, which come first.
        let (blocks, others): (Vec<&Query>, _) = tree.queries.iter().partition(|q| fits_block(q));
        for query in others {
            p.space();
            p.remark_lines(&query.comment);
            p.remark_lines(&query.text);
        }
        for query in blocks {
            p.space();
            p.query_block(query);
        }
    });
    PrintedModel { text: text + "\n", dropped: dropped(tree, renamed) }
}

fn fits_block(query: &Query) -> bool {
    query.kind != QueryKind::Empty && fits_into_braces(&query.text)
}

/// Returns the features of a model that XTA lacks.
fn dropped(tree: &Tree, renamed: bool) -> Vec<&'static str> {
    let has_layout = tree.templates.iter().any(|t| {
        let locations = t.locations.iter().map(|l| &l.layout);
        let edges = t.edges.iter().map(|e| &e.layout);
        let mut layouts = locations.chain(t.branchpoints.iter().map(|b| &b.layout)).chain(edges);
        layouts.any(|l| *l != Layout::default())
    });
    let has = |f: fn(&Query) -> bool| tree.queries.iter().any(f);
    let losses = [
        (has_layout, "layout"),
        (renamed, super::RESERVED_NAMES),
        (has(|q| !q.options.is_empty()), "query options"),
        (has(|q| !q.results.is_empty()), "recorded results"),
        (has(|q| q.expect.as_ref().is_some_and(|e| !e.value.is_empty())), "expected values"),
        (has(|q| q.kind != QueryKind::Empty && !fits_block(q)), "queries with unbalanced braces"),
        (tree.ignored.iter().any(|(name, _)| *name == "live sequence charts"), "live sequence charts"),
    ];
    losses.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect()
}
