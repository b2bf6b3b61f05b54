//! Labels as in TChecker: `-l a,b` asks for a state in which every one of the labels holds, each in
//! some process.

use syntax::{Diagnostic, Sources, Span, Tree, ast::Query, lexer::is_reserved, nearest};

use crate::reading;

/// What a label of one letter becomes, at most: `label("a") and `.
const LONGEST: u64 = 18;

/// What messages call the list with this number, counted from 1.
pub fn name(number: usize) -> String {
    format!("<labels {number}>")
}

/// The query that a list of labels stands for. Which labels the model has is not known if it was
/// not loaded.
///
/// # Errors
/// The model has no labels, or not these ones: everything that is wrong with the list.
pub fn read(
    list: &str,
    name: &str,
    known: Option<&[String]>,
    sources: &mut Sources,
    tree: &mut Tree,
) -> Result<Query, Vec<Diagnostic>> {
    if !tree.is_tchecker() {
        let why = "labels are for TChecker's models, and this is none";
        let help = "ask for locations: `-q 'E<> Process.location'`";
        return Err(vec![Diagnostic::error("labels", Span::NONE, why).help(help)]);
    }
    if list.len() as u64 * LONGEST > u64::from(sources.room()) {
        let why = "there is no room for these labels";
        return Err(vec![Diagnostic::error("file-too-large", Span::NONE, why)]);
    }
    let file = sources.add_file(name, list.to_owned());
    let whole = sources.fragment(sources.whole(file)).span();
    let known: Option<Vec<&str>> = known.map(|known| known.iter().map(String::as_str).collect());
    let (mut terms, mut problems, mut at) = (Vec::new(), Vec::new(), whole.start);
    for part in list.split(',') {
        let label = part.trim();
        let start = at + (part.len() - part.trim_start().len()) as u32;
        at += part.len() as u32 + 1;
        match term(label, known.as_deref(), Span { start, end: start + label.len() as u32 }) {
            Ok(term) => terms.push(term),
            Err(d) => problems.push(*d),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let file = sources.add_file(name, format!("E<> {}", terms.join(" and ")));
    let query = reading::complete(tree, |tree| syntax::read_queries(sources, file, tree)).into_iter().next();
    query.ok_or_else(|| vec![Diagnostic::error("no-query", Span::NONE, "there is no query here")])
}

/// `label(a)`, or `label("a")` where the label is no name.
fn term(label: &str, known: Option<&[&str]>, span: Span) -> Result<String, Box<Diagnostic>> {
    if label.is_empty() {
        return Err(Box::new(Diagnostic::error("labels", span, "there is no label here")));
    }
    if let Some(known) = known.filter(|known| !known.contains(&label)) {
        let d = Diagnostic::error("unknown-name", span, format!("unknown label `{label}`"));
        return Err(Box::new(match nearest(label, known.iter().copied()) {
            Some(near) => d.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => d.help("no location of the model has a label"),
            None => d.help(format!("the model has {}", some(known))),
        }));
    }
    if label.contains('"') {
        let why = format!("`{label}` can't be asked for, because of the quotation mark in it");
        return Err(Box::new(Diagnostic::error("labels", span, why)));
    }
    let starts = label.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = starts && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_reserved(label);
    Ok(if is_name { format!("label({label})") } else { format!("label(\"{label}\")") })
}

/// The first few of a list.
fn some(labels: &[&str]) -> String {
    let shown: Vec<String> = labels.iter().take(5).map(|label| format!("`{label}`")).collect();
    let more = if labels.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
