//! Parsers and printers for UPPAAL's XML, XTA, TA and query languages, TChecker's format and Petri
//! nets, with diagnostics that refer to the text.
//!
//! ```
//! let mut sources = syntax::Sources::new();
//! let text = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x >= 2; }; } system P;";
//! let file = sources.add_file("p.xta", text.to_owned());
//! let (tree, diagnostics) = syntax::read_model(&mut sources, file, syntax::Format::Xta);
//! assert!(diagnostics.is_empty());
//! assert_eq!(tree.templates[0].locations.len(), 2);
//! let guard = tree.templates[0].edges[0].guard.unwrap();
//! assert_eq!(syntax::print::expression(&tree, guard), "x >= 2");
//! ```

pub mod ast;
pub mod diagnostic;
pub mod lexer;
mod names;
pub mod net;
mod operator;
mod parser;
pub mod print;
mod problems;
pub mod source;
mod stop;
mod tck;
pub mod xml;

pub use ast::Tree;
pub use diagnostic::{Diagnostic, Severity, nearest};
use lexer::Dialect;
pub use names::{Names, Sym, word};
use parser::{Parser, QueryLayout, Section};
pub use source::{DocumentPath, FileId, Sources, Span};
pub use stop::{Alarm, Signal, Stop};

/// Runs a recursive step with enough stack for trees of [`ast::MAX_HEIGHT`], on any thread.
pub fn grow<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, f)
}

/// The formats of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// UPPAAL's XML.
    Xml,
    /// UPPAAL's text format.
    Xta,
    /// UPPAAL's text format before version 3.4.
    Ta,
    /// TChecker's text format.
    Tck,
    /// TINA's text format of Petri nets.
    Net,
    /// TINA's format of Petri nets with coordinates.
    Ndr,
    /// Petri nets in XML: PNML, and Romeo's and TAPAAL's files.
    NetXml,
}

impl Format {
    /// Guesses the format of a file from its extension, or else from the start of its text.
    #[must_use]
    pub fn guess(name: &str, text: &str) -> Format {
        let ending = name.rsplit_once('.').map_or("", |(_, e)| e).to_ascii_lowercase();
        match ending.as_str() {
            // Romeo's files have this extension as well.
            "xml" if net::is_xml(text) => Format::NetXml,
            "xml" => Format::Xml,
            "xta" => Format::Xta,
            "ta" => Format::Ta,
            "tck" => Format::Tck,
            "net" => Format::Net,
            "ndr" => Format::Ndr,
            "pnml" | "tapn" => Format::NetXml,
            _ if tck::is_likely(text) => Format::Tck,
            _ if net::is_tina(text) => Format::Net,
            _ if net::is_xml(text) => Format::NetXml,
            _ if text.trim_start().starts_with('<') => Format::Xml,
            _ => Format::Xta,
        }
    }
}

/// Reads a model. The tree is usable whatever the diagnostics are; it lacks what could not be
/// parsed.
pub fn read_model(sources: &mut Sources, file: FileId, format: Format) -> (Tree, Vec<Diagnostic>) {
    read_model_until(sources, file, format, Signal::default())
}

/// Reads a model until the signal is raised, which is then the only error. All work on the tree
/// polls the same signal.
pub fn read_model_until(
    sources: &mut Sources,
    file: FileId,
    format: Format,
    signal: Signal,
) -> (Tree, Vec<Diagnostic>) {
    let mut tree = Tree { file: Some(file), old: format == Format::Ta, signal, ..Tree::default() };
    let mut diagnostics = Vec::new();
    match format {
        Format::Xml => xml::read(sources, file, &mut tree, &mut diagnostics),
        Format::Xta | Format::Ta => read_text(sources, file, format, &mut tree, &mut diagnostics),
        Format::Tck => tck::read(sources.fragment(sources.whole(file)), &mut tree, &mut diagnostics),
        Format::Net | Format::Ndr | Format::NetXml => net::read(sources, file, format, &mut tree, &mut diagnostics),
    }
    if let Some(stop) = signal.raised() {
        diagnostics = vec![stop.while_loading(Span::NONE)];
    }
    (tree, diagnostics)
}

fn read_text(sources: &mut Sources, file: FileId, format: Format, tree: &mut Tree, diagnostics: &mut Vec<Diagnostic>) {
    let dialect = if format == Format::Ta { Dialect::Old } else { Dialect::Model };
    let whole = sources.whole(file);
    let mut parser = Parser::new(tree, diagnostics, sources.fragment(whole), dialect);
    parser.section(Section::System);
    parser.finish();
    if tree.system.span.is_none() && !diagnostics.iter().any(Diagnostic::is_error) {
        let end = sources.fragment(whole).span().after();
        diagnostics.push(
            Diagnostic::error("no-system", end, "the model has no `system` line")
                .help("name the processes that run: `system P, Q;`"),
        );
    }
    let blocks = std::mem::take(&mut tree.query_blocks);
    // Queries are a different language, so diagnostics and comments of the model's lexer inside
    // query blocks are dropped.
    let in_block = |span: Span| {
        let next = blocks.partition_point(|b| b.end <= span.start);
        blocks.get(next).is_some_and(|b| b.start <= span.start)
    };
    diagnostics.retain(|d| !in_block(d.primary.span));
    tree.comments.retain(|c| !in_block(c.span));
    for block in blocks {
        let text = sources.text(block);
        let Some((head, rest)) = text.split_once('{') else { continue };
        let body = rest.trim_end().strip_suffix('}').unwrap_or(rest).to_owned();
        let from = block.start - sources.fragment(whole).span().start + head.len() as u32 + 1;
        let fragment = sources.add_fragment(file, body, vec![(0, from)], DocumentPath::default());
        let queries = parser::parse_queries(tree, sources.fragment(fragment), QueryLayout::Lines);
        tree.queries.extend(queries);
    }
}

/// Adds declarations and processes to a model, after its own. What is wrong with them is shown at
/// `origin`.
pub fn extend(sources: &mut Sources, tree: &mut Tree, text: String, origin: Span) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Some(file) = tree.file else { return diagnostics };
    if text.len() as u64 > u64::from(sources.room()) {
        diagnostics.push(Diagnostic::error("too-large", origin, "the model is too large"));
        return diagnostics;
    }
    let fragment = sources.add_generated(file, text, vec![(0, origin)]);
    let own = std::mem::take(&mut tree.system);
    let mut parser = Parser::new(tree, &mut diagnostics, sources.fragment(fragment), Dialect::Model);
    parser.section(Section::System);
    parser.finish();
    let added = std::mem::replace(&mut tree.system, own);
    tree.system.processes.extend(added.processes);
    diagnostics
}

/// Reads a query file with one query per line. Syntax errors are stored in the queries.
pub fn read_queries(sources: &Sources, file: FileId, tree: &mut Tree) -> Vec<ast::Query> {
    parser::parse_queries(tree, sources.fragment(sources.whole(file)), QueryLayout::Lines)
}

/// Reads a text that is one query, on any number of lines. Syntax errors are stored in the query.
pub fn read_query(sources: &Sources, file: FileId, tree: &mut Tree) -> Vec<ast::Query> {
    parser::parse_queries(tree, sources.fragment(sources.whole(file)), QueryLayout::Whole)
}

/// Reads a text that is a list of expressions, as a query for their least upper bounds.
pub fn read_values(sources: &Sources, file: FileId, tree: &mut Tree) -> Vec<ast::Query> {
    parser::parse_queries(tree, sources.fragment(sources.whole(file)), QueryLayout::Values)
}
