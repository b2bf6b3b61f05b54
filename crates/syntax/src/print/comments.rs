//! Assigns comments to printed items.
//!
//! Comments are assigned by position, and each only once: those between the end of the previous
//! item and the start of an item *lead* it, those on the line where it ends *trail* it. Items need
//! not be printed in the order of the source. Unassigned comments are printed at the end of the
//! enclosing block or section.

use std::collections::BTreeMap;

use crate::{
    ast::{Decl, Declarator, Tree, TypeKind},
    lexer::Comment,
    source::{Sources, Span},
};

/// The comments that are not printed yet.
pub(super) struct Comments<'a> {
    sources: Option<&'a Sources>,
    left: BTreeMap<u32, &'a Comment>,
    /// The starts and ends of the tree's items, sorted.
    marks: Vec<u32>,
}

impl<'a> Comments<'a> {
    /// Creates an empty collection without sources.
    pub(super) fn none() -> Comments<'a> {
        Comments { sources: None, left: BTreeMap::new(), marks: Vec::new() }
    }

    /// Collects all comments of `tree`.
    pub(super) fn new(tree: &'a Tree, sources: &'a Sources) -> Comments<'a> {
        let left = tree.comments.iter().map(|c| (c.span.start, c)).collect();
        Comments { sources: Some(sources), left, marks: marks(tree) }
    }

    /// Takes the comments before `at`, back to the end of the previous item.
    pub(super) fn leading(&mut self, at: u32) -> Vec<&'a Comment> {
        let span = self.before(at);
        self.inside(span)
    }

    /// Returns the text between the previous item and `at`.
    pub(super) fn before(&self, at: u32) -> Span {
        let mark = self.marks.partition_point(|&mark| mark < at).checked_sub(1).map_or(0, |i| self.marks[i]);
        Span { start: mark.max(self.fragment(at).start), end: at }
    }

    /// Takes the comments that start inside of `span`.
    pub(super) fn inside(&mut self, span: Span) -> Vec<&'a Comment> {
        if span.start >= span.end {
            return Vec::new();
        }
        let starts: Vec<u32> = self.left.range(span.start..span.end).map(|(&start, _)| start).collect();
        starts.iter().filter_map(|start| self.left.remove(start)).collect()
    }

    /// Returns whether a comment starts inside of `span`.
    pub(super) fn any(&self, span: Span) -> bool {
        span.start < span.end && self.left.range(span.start..span.end).next().is_some()
    }

    /// Takes the comments after `end` on its line, up to the next item.
    pub(super) fn trailing(&mut self, end: u32) -> Vec<&'a Comment> {
        let fragment = self.fragment(end);
        let next = self.marks.partition_point(|&mark| mark <= end);
        let limit = self.marks.get(next).copied().unwrap_or(u32::MAX).min(fragment.end);
        if end >= limit {
            return Vec::new();
        }
        let mut at = end;
        let mut found = Vec::new();
        for (&start, &comment) in self.left.range(end..limit) {
            if self.text(Span { start: at, end: start }).contains('\n') {
                break;
            }
            found.push(comment);
            at = comment.span.end;
        }
        for comment in &found {
            self.left.remove(&comment.span.start);
        }
        found
    }

    /// Takes the comments of a head such as `if (…)`: those before its last `)`, and those after
    /// it.
    pub(super) fn head(&mut self, head: Span) -> (Vec<&'a Comment>, Vec<&'a Comment>) {
        let mut inner = self.inside(head);
        let mut end = head.end;
        let mut split = inner.len();
        while let Some(last) = split.checked_sub(1) {
            if self.text(Span { start: inner[last].span.end, end }).contains(')') {
                break;
            }
            end = inner[last].span.start;
            split = last;
        }
        let trailing = inner.split_off(split);
        (inner, trailing)
    }

    /// Takes all remaining comments.
    pub(super) fn rest(&mut self) -> Vec<&'a Comment> {
        std::mem::take(&mut self.left).into_values().collect()
    }

    /// Returns the fragment around `at`; empty if there is none.
    pub(super) fn fragment(&self, at: u32) -> Span {
        let nowhere = Span { start: at, end: at };
        self.sources.and_then(|s| s.fragment_at(at)).map_or(nowhere, |f| f.span())
    }

    /// Returns whether the source has a blank line before `at`, or before the keyword of the item
    /// there.
    pub(super) fn blank_before(&self, at: u32) -> bool {
        let fragment = self.fragment(at);
        if self.is_element(at) {
            return false;
        }
        let before = self.text(Span { start: fragment.start, end: at });
        let head = before.trim_end();
        let update = || head.strip_suffix('{')?.trim_end().strip_suffix("_update");
        let update = update().and_then(|head| head.strip_suffix("before").or(head.strip_suffix("after")));
        let word = head.strip_suffix("typedef").or(head.strip_suffix("branchpoint"));
        let before = word.or(update).unwrap_or(before);
        let blanks = &before[before.trim_end().len()..];
        blanks.bytes().filter(|b| *b == b'\n').count() > 1
    }

    /// Returns the indentation of the line of `at`.
    pub(super) fn indentation(&self, at: u32) -> &'a str {
        let before = self.text(Span { start: self.fragment(at).start, end: at });
        let line = before.rsplit('\n').next().unwrap_or("");
        &line[..line.len() - line.trim_start().len()]
    }

    /// Returns whether an XML element starts at `at`, and not a text of the model's language.
    pub(super) fn is_element(&self, at: u32) -> bool {
        self.text(Span { start: at, end: self.fragment(at).end }).starts_with('<')
    }

    /// Returns the text of a span.
    pub(super) fn text(&self, span: Span) -> &'a str {
        let Some(fragment) = self.sources.and_then(|s| s.fragment_at(span.start)) else { return "" };
        let base = fragment.span().start;
        let range = (span.start - base) as usize..span.end.saturating_sub(base) as usize;
        fragment.text().get(range).unwrap_or("")
    }
}

/// Returns the offsets that separate comments of different items.
fn marks(tree: &Tree) -> Vec<u32> {
    let mut spans: Vec<Span> = Vec::new();
    spans.extend(tree.exprs.iter().map(|e| e.span));
    spans.extend(tree.stmts.iter().map(|s| s.span));
    for ty in &tree.types {
        spans.push(ty.span);
        if let TypeKind::Struct(fields) = &ty.kind {
            spans.extend(names(fields));
        }
    }
    for stmt in &tree.stmts {
        if let crate::ast::StmtKind::Block(decls, _) = &stmt.kind {
            spans.extend(decls.iter().flat_map(decl_spans));
        }
    }
    let local = tree.templates.iter().flat_map(|t| &t.decls);
    spans.extend(tree.decls.iter().chain(&tree.system_decls).chain(local).flat_map(decl_spans));
    for template in &tree.templates {
        spans.extend([template.span, template.body, template.name.span]);
        spans.extend(names(&template.params));
        spans.extend(template.locations.iter().flat_map(|l| [l.span, l.name.span]));
        spans.extend(template.branchpoints.iter().map(|b| b.name.span));
        for edge in &template.edges {
            spans.push(edge.span);
            spans.extend(edge.select.iter().map(|b| b.name.span));
        }
    }
    spans.extend(tree.system.span);
    spans.extend(tree.ignored.iter().map(|(_, span)| *span));
    let mut marks: Vec<u32> = spans.iter().flat_map(|s| [s.start, s.end]).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

fn names(declarators: &[Declarator]) -> impl Iterator<Item = Span> {
    declarators.iter().map(|d| d.name.span)
}

fn decl_spans(decl: &Decl) -> Vec<Span> {
    match decl {
        Decl::Var(d) | Decl::Typedef(d) => vec![d.name.span],
        Decl::Function(f) => names(&f.params).chain([f.span]).collect(),
        Decl::Instantiation(i) => names(&i.params).chain([i.span]).collect(),
        Decl::ChanPriority(_, span) | Decl::Import(_, _, span) | Decl::Dynamic(_, _, span) => vec![*span],
        Decl::Extern(e) => vec![e.span],
        Decl::BeforeUpdate(_) | Decl::AfterUpdate(_) => Vec::new(),
    }
}
