//! The words of a text: their colours, what completes them, and where they are declared.

use model::names::{DeclaredName, NameTable};
use serde::Serialize;
use syntax::{
    Format, Names, Sources, Span, Tree,
    lexer::{Dialect, Token, lex, reserved},
    source::Fragment,
};

use crate::document::{
    OpenDocument, QUERIES,
    problem::TextPlace,
    view::{View, utf16},
};

/// The most names that are offered at a time.
const MAX_OFFERED: usize = 200;
/// Longer texts are shown without colours.
const MAX_COLOURED: usize = 1 << 20;

/// A name that completes a word.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The name.
    pub name: String,
    /// What it stands for; `keyword` for reserved words.
    pub kind: &'static str,
    /// Its type.
    pub detail: String,
}

/// A name at a position.
#[derive(Debug, Serialize)]
pub struct FoundName {
    name: String,
    kind: &'static str,
    detail: String,
    /// Its declaration; null for predeclared names.
    declared: Option<TextPlace>,
    /// Its uses.
    uses: Vec<TextPlace>,
}

/// Returns the dialect of a fragment; `None` for formats without one.
fn dialect(format: Format, path: &str) -> Option<Dialect> {
    match format {
        _ if path == QUERIES => Some(Dialect::Query),
        Format::Xml if path.is_empty() => None,
        Format::Xml | Format::Xta => Some(Dialect::Model),
        Format::Ta => Some(Dialect::Old),
        Format::Tck => Some(Dialect::Tck),
        Format::Net | Format::Ndr | Format::NetXml => None,
    }
}

/// Returns the number of the template that a fragment belongs to, or that an address is in.
fn template(tree: Option<&Tree>, path: &str, at: u32) -> Option<u32> {
    if let Some((number, _)) = path.strip_prefix("/nta/template[").and_then(|rest| rest.split_once(']')) {
        return number.parse::<u32>().ok()?.checked_sub(1);
    }
    let templates = &tree?.templates;
    templates.iter().position(|t| t.span.start <= at && at <= t.span.end).map(|number| number as u32)
}

/// Returns the tokens of a fragment that have a colour: for each its start and its length in
/// UTF-16, and its class.
pub fn tokens(document: &OpenDocument, path: &str) -> Vec<(usize, usize, &'static str)> {
    let loaded = document.loaded();
    let (Some(fragment), Some(dialect)) = (loaded.fragment(path), dialect(document.format(), path)) else {
        return Vec::new();
    };
    if fragment.text().len() > MAX_COLOURED {
        return Vec::new();
    }
    let table = loaded.names();
    coloured(fragment, dialect, |name, span| {
        table.at(span.start).or_else(|| table.find(template(loaded.tree(), path, span.start), name))
    })
}

/// Returns the tokens of a text that is to become a label of a template, like [`tokens`].
pub fn label_tokens(document: &OpenDocument, template: usize, text: &str) -> Vec<(usize, usize, &'static str)> {
    let dialect = match document.format() {
        Format::Xml | Format::Xta => Dialect::Model,
        Format::Ta => Dialect::Old,
        _ => return Vec::new(),
    };
    let mut sources = Sources::new();
    let file = sources.add_file("", text.chars().take(MAX_COLOURED).collect());
    let table = document.loaded().names();
    coloured(sources.fragment(sources.whole(file)), dialect, |name, _| table.find(u32::try_from(template).ok(), name))
}

/// Returns the tokens of a fragment that have a colour, by what its names are.
fn coloured<'n>(
    fragment: &Fragment,
    dialect: Dialect,
    find: impl Fn(&str, Span) -> Option<&'n DeclaredName>,
) -> Vec<(usize, usize, &'static str)> {
    let base = fragment.span().start;
    let mut interned = Names::default();
    let lexed = lex(fragment, dialect, &mut interned, &mut Vec::new());
    let class = |token: Token, span: Span| match token {
        Token::Name(sym) => find(interned.text(sym), span).map(|known| known.kind.word()),
        Token::Key(_) => Some("keyword"),
        Token::Int(_) | Token::IntMinMagnitude | Token::Wide(_) | Token::Float(_) => Some("number"),
        Token::Text(_) => Some("text"),
        _ => None,
    };
    let words = lexed.tokens.iter().filter_map(|lexeme| Some((lexeme.span, class(lexeme.token, lexeme.span)?)));
    let mut all: Vec<(Span, &str)> = words.chain(lexed.comments.iter().map(|c| (c.span, "comment"))).collect();
    all.sort_by_key(|(span, _)| span.start);
    let mut counter = Counter { text: fragment.text(), byte: 0, units: 0 };
    let measured = all.into_iter().map(|(span, class)| {
        let from = counter.at((span.start - base) as usize);
        (from, counter.at((span.end - base) as usize) - from, class)
    });
    measured.collect()
}

/// Counts UTF-16 along a text.
struct Counter<'t> {
    text: &'t str,
    byte: usize,
    units: usize,
}

impl Counter<'_> {
    /// Returns the units before a byte, which is not before the last one that was asked for.
    fn at(&mut self, byte: usize) -> usize {
        self.units += utf16(&self.text[self.byte..byte], byte - self.byte);
        self.byte = byte;
        self.units
    }
}

/// Returns what completes the word at the end of a text, which is before the caret in a fragment.
pub fn complete(document: &OpenDocument, path: &str, at: usize, before: &str) -> Vec<Offer> {
    let loaded = document.loaded();
    let start =
        before.rfind(|c: char| !is_word(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let prefix = before[start..].to_lowercase();
    let (table, position) = (loaded.names(), address(document, path, at));
    let within = template(loaded.tree(), path, position.unwrap_or(0));
    let mut offers = match before[..start].strip_suffix('.') {
        Some(owner) => members(document, table, &owner[owner.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1)..]),
        None => {
            let words = dialect(document.format(), path).or(Some(Dialect::Query)).into_iter().flat_map(reserved);
            let keyword = |word: &'static str| Offer { name: word.to_owned(), kind: "keyword", detail: String::new() };
            let locals = position.into_iter().flat_map(|at| table.local(surrounding(loaded.tree(), at)));
            let names = locals.chain(table.visible(within)).map(offer);
            let processes = document.checked().map_or_else(Vec::new, |model| {
                let names = model.loaded.system.processes.iter().map(|process| process.name.clone());
                let process = |name| Offer { name, kind: "template", detail: "process".to_owned() };
                if path == QUERIES { names.map(process).collect() } else { Vec::new() }
            });
            processes.into_iter().chain(names).chain(words.map(keyword)).collect()
        }
    };
    offers.retain(|offer| offer.name.to_lowercase().starts_with(&prefix) && offer.name.to_lowercase() != prefix);
    offers.sort_by(|a, b| (a.kind == "keyword", &a.name).cmp(&(b.kind == "keyword", &b.name)));
    offers.dedup_by(|a, b| a.name == b.name);
    offers.truncate(MAX_OFFERED);
    offers
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

fn offer(name: &DeclaredName) -> Offer {
    Offer { name: name.name.clone(), kind: name.kind.word(), detail: name.ty.clone() }
}

/// Returns the locations and variables of a process.
fn members(document: &OpenDocument, table: &NameTable, owner: &str) -> Vec<Offer> {
    let tree = document.loaded().tree();
    let by_name = |tree: &Tree| tree.templates.iter().position(|t| tree.text(t.name.sym) == owner);
    let of_process = document.checked().and_then(|model| {
        let processes = &model.loaded.system.processes;
        processes.iter().find(|process| process.name == owner).map(|process| process.template as usize)
    });
    let number = of_process.or_else(|| tree.and_then(by_name)).map(|number| number as u32);
    table.visible(number).filter(|name| name.template.is_some() && name.template == number).map(offer).collect()
}

/// Returns the range in which names that are local to an address are declared.
fn surrounding(tree: Option<&Tree>, at: u32) -> Span {
    let body = tree.into_iter().flat_map(|tree| &tree.templates).find(|t| t.span.start <= at && at <= t.span.end);
    Span { start: body.map_or(0, |template| template.span.start), end: at }
}

/// Returns the address of an offset in a fragment.
fn address(document: &OpenDocument, path: &str, at: usize) -> Option<u32> {
    let fragment = document.loaded().fragment(path)?;
    let view = View::new(document.text_of(path)?, fragment);
    let byte = view.byte(at)?;
    Some(fragment.span().start + written(fragment, byte) as u32)
}

/// Returns the byte of a fragment that a byte of its view shows.
fn written(fragment: &Fragment, byte: usize) -> usize {
    let mut left = byte;
    for (at, c) in fragment.text().char_indices() {
        if left == 0 {
            return at;
        }
        let is_folded = c == '\r' && fragment.text()[at + 1..].starts_with('\n');
        left = left.saturating_sub(if is_folded { 0 } else { c.len_utf8() });
    }
    fragment.text().len()
}

/// Returns the word at a position: its address and its text.
fn word_at<'d>(document: &'d OpenDocument, path: &str, at: usize) -> Option<(u32, &'d str)> {
    let fragment = document.loaded().fragment(path)?;
    let (text, base) = (fragment.text(), fragment.span().start);
    let at = (address(document, path, at)? - base) as usize;
    let start = text[..at].rfind(|c| !is_word(c)).map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(|c| !is_word(c)).map_or(text.len(), |len| at + len);
    Some((base + start as u32, &text[start..end]))
}

/// Returns the name that the checker has found at a position.
pub fn named<'d>(document: &'d OpenDocument, path: &str, at: usize) -> Option<&'d DeclaredName> {
    let (begin, _) = word_at(document, path, at)?;
    document.loaded().names().at(begin)
}

/// Returns the name at a position, with its declaration and uses.
pub fn find(document: &OpenDocument, path: &str, at: usize) -> Option<FoundName> {
    let loaded = document.loaded();
    let (begin, word) = word_at(document, path, at)?;
    let table = loaded.names();
    let name = table.at(begin).or_else(|| table.find(template(loaded.tree(), path, begin), word))?;
    let beside = document.beside();
    let place = |span: Span| TextPlace::of(loaded.sources(), span, beside.as_deref());
    Some(FoundName {
        name: name.name.clone(),
        kind: name.kind.word(),
        detail: name.ty.clone(),
        declared: place(name.span),
        uses: table.uses(name.span).iter().filter_map(|span| place(*span)).collect(),
    })
}
