//! Diagnostics as text, in the style of the Rust compiler.

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Padding, Snippet, normalize_untrusted_str, renderer,
};
use syntax::{Diagnostic, Severity, Sources, diagnostic::Label, source::Located};

use crate::excerpt::{self, Excerpt};

/// Texts that hold names of the user's may be of any length.
const MAX_TEXT: usize = 600;
/// How many other places are shown for one diagnostic.
const MAX_PLACES: usize = 8;

/// Turns diagnostics into text.
pub struct Renderer {
    inner: annotate_snippets::Renderer,
}

impl Renderer {
    /// With or without colour.
    pub fn new(color: bool) -> Renderer {
        let inner = if color { annotate_snippets::Renderer::styled() } else { annotate_snippets::Renderer::plain() };
        Renderer { inner: inner.term_width(renderer::DEFAULT_TERM_WIDTH) }
    }

    /// A message that is about no text at all.
    pub fn failure(&self, message: &str) -> String {
        let title = Level::ERROR.primary_title(harmless(message));
        self.inner.render(&[Group::with_title(title)]) + "\n"
    }

    /// A diagnostic with the text that it is about, and a blank line behind it. `file` is named if there is no such text.
    pub fn diagnostic(&self, sources: &Sources, file: &str, d: &Diagnostic) -> String {
        let level = match d.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // The renderer treats the first group of a report specially: it draws lines of its own below it. Where an empty
        // one stands first, the groups below look as they are put together here.
        let mut groups = vec![Group::with_level(level.clone())];
        let title = level.clone().primary_title(harmless(&d.message)).id(d.code);
        let help = d.help.iter().map(|text| Level::HELP.message(harmless(text)));

        let Some(at) = sources.locate(d.primary.span) else {
            groups.push(Group::with_title(title).element(Origin::path(one_line(file))).elements(help));
            return self.finish(&groups);
        };
        let others: Vec<(&Label, Located<'_>)> =
            d.others.iter().take(MAX_PLACES).filter_map(|o| Some((o, sources.locate(o.span)?))).collect();
        let (near, excerpt) = beside(&at, &others);

        groups.push(heading(Group::with_title(title), &at));
        let mut labels = vec![annotation(AnnotationKind::Primary, &excerpt, 0, &d.primary.text)];
        labels.extend(
            near.iter().zip(1..).map(|(&i, n)| annotation(AnnotationKind::Context, &excerpt, n, &others[i].0.text)),
        );
        let mut body = Group::with_level(level).element(snippet(&excerpt, labels));
        if !d.help.is_empty() {
            body = body.element(Padding).elements(help);
        }
        groups.push(body);
        for (_, (label, at)) in others.iter().enumerate().filter(|(i, _)| !near.contains(i)) {
            let text = if label.text.is_empty() { "see also" } else { &label.text };
            groups.push(heading(Group::with_title(Level::NOTE.secondary_title(harmless(text))), at));
            let excerpt = excerpt::at(at);
            let label = annotation(AnnotationKind::Primary, &excerpt, 0, "");
            groups.push(Group::with_level(Level::NOTE).element(snippet(&excerpt, vec![label])));
        }
        self.finish(&groups)
    }

    fn finish(&self, groups: &[Group<'_>]) -> String {
        let text = self.inner.render(groups);
        format!("{}\n\n", text.trim_start_matches('\n'))
    }
}

/// The other labels that are shown in the same excerpt, by their numbers, and that excerpt.
fn beside(at: &Located<'_>, others: &[(&Label, Located<'_>)]) -> (Vec<usize>, Excerpt) {
    let near: Vec<usize> = (0..others.len()).filter(|&i| std::ptr::eq(others[i].1.text, at.text)).collect();
    let mut all = vec![at];
    all.extend(near.iter().map(|&i| &others[i].1));
    match excerpt::around(&all) {
        Some(excerpt) => (near, excerpt),
        None => (Vec::new(), excerpt::at(at)),
    }
}

/// Where to look: the place in the file, and the place in the document as its editor shows it.
fn heading<'a>(group: Group<'a>, at: &Located<'a>) -> Group<'a> {
    let (line, column) = (at.in_file.line as usize, at.in_file.column as usize);
    let group = group.element(Origin::path(one_line(at.file)).line(line).char_column(column));
    if at.place.what.is_empty() {
        return group;
    }
    let place = format!("in {}, line {}, column {}", at.place.what, at.start.line, at.start.column);
    group.element(Level::NOTE.no_name().message(harmless(&place)))
}

fn annotation<'a>(kind: AnnotationKind, excerpt: &Excerpt, number: usize, text: &str) -> Annotation<'a> {
    let annotation = kind.span(excerpt.labels[number].clone());
    if text.is_empty() { annotation } else { annotation.label(harmless(text)) }
}

fn snippet<'a>(excerpt: &Excerpt, labels: Vec<Annotation<'a>>) -> Snippet<'a, Annotation<'a>> {
    let end = excerpt.text.len();
    Snippet::source(excerpt.text.clone())
        .line_start(excerpt.first_line)
        .annotations(labels)
        // Without this the gutter is too narrow where a label ends at the start of a line.
        .annotation(AnnotationKind::Visible.span(end..end))
}

/// The same for names of files, which stand in lines that have a form.
fn one_line(name: &str) -> String {
    harmless(name).replace('\n', "\u{240a}")
}

/// Text of the user's, of bounded length and without anything that a terminal would obey.
fn harmless(text: &str) -> String {
    let text = normalize_untrusted_str(text);
    if text.len() <= MAX_TEXT {
        return text;
    }
    format!("{}...", &text[..excerpt::boundary(&text, MAX_TEXT)])
}
