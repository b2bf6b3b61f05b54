//! TChecker's text format, `.tck`.
//!
//! Its processes become templates with one instance each, so that everything that works on a
//! [`Tree`] works on its models. Features that UPPAAL's languages lack are added to the tree:
//! events and synchronisations of several processes ([`crate::ast::Events`]), labels of locations,
//! and updates with loops.
//!
//! Source: `doc/file-format.md` and the grammars `system.yy` and `program.yy` of TChecker 0.8
//! (<https://github.com/ticktac-project/tchecker>).

mod build;
mod scan;
mod variables;

use crate::{ast::Tree, diagnostic::Diagnostic, problems::Problems, source::Fragment};

/// Reads a model into `tree`, which lacks what could not be parsed.
pub(crate) fn read(fragment: &Fragment, tree: &mut Tree, diagnostics: &mut Vec<Diagnostic>) {
    let mut problems = Problems::new(diagnostics, tree.signal);
    let declarations = scan::scan(fragment, &mut tree.names, &mut problems, &mut tree.lost);
    build::build(fragment, &declarations, tree, &mut problems);
}

/// Returns whether a text is probably in this format: its first declaration is `system:NAME`.
pub(crate) fn is_likely(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.and_then(|line| line.strip_prefix("system")).is_some_and(|rest| rest.trim_start().starts_with(':'))
}
