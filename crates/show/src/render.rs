//! Diagnostics as text, in the style of the Rust compiler.

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Padding, Snippet, normalize_untrusted_str, renderer,
};
use syntax::{Diagnostic, Severity, Sources, diagnostic::Label, source::Located};

use crate::excerpt::{self, Excerpt};

/// The length of a message; names of the model may be of any length.
const MAX_TEXT_BYTES: usize = 600;
/// The number of other positions that are shown for one diagnostic.
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

    /// Renders a message without a position.
    pub fn failure(&self, message: &str) -> String {
        let title = Level::ERROR.primary_title(harmless(message));
        self.inner.render(&[Group::with_title(title)]) + "\n"
    }

    /// Renders a diagnostic with an excerpt of the text, and a blank line after it. `file` is named
    /// if it has no position.
    pub fn diagnostic(&self, sources: &Sources, file: &str, d: &Diagnostic) -> String {
        let level = match d.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // The renderer draws additional lines below the first group of a report. An empty first
        // group prevents that.
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
        let mut labels = annotations(AnnotationKind::Primary, &excerpt, 0, &d.primary.text);
        for (&i, n) in near.iter().zip(1..) {
            labels.extend(annotations(AnnotationKind::Context, &excerpt, n, &others[i].0.text));
        }
        let mut body = Group::with_level(level).element(snippet(&excerpt, labels));
        if !d.help.is_empty() {
            body = body.element(Padding).elements(help);
        }
        groups.push(body);
        for (_, (label, at)) in others.iter().enumerate().filter(|(i, _)| !near.contains(i)) {
            let text = if label.text.is_empty() { "see also" } else { &label.text };
            groups.push(heading(Group::with_title(Level::NOTE.secondary_title(harmless(text))), at));
            let excerpt = excerpt::at(at);
            let labels = annotations(AnnotationKind::Primary, &excerpt, 0, "");
            groups.push(Group::with_level(Level::NOTE).element(snippet(&excerpt, labels)));
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

/// The position in the file, and the position in the document as its editor shows it.
fn heading<'a>(group: Group<'a>, at: &Located<'a>) -> Group<'a> {
    let (line, column) = (at.in_file.line as usize, at.in_file.column as usize);
    let group = group.element(Origin::path(one_line(at.file)).line(line).char_column(column));
    if at.place.what.is_empty() {
        return group;
    }
    let place = format!("in {}, line {}, column {}", at.place.what, at.start.line, at.start.column);
    group.element(Level::NOTE.no_name().message(harmless(&place)))
}

/// The marks of a label. A label of several lines is marked line by line: the frame that the
/// renderer would draw around them shifts the text and crosses other labels.
fn annotations<'a>(kind: AnnotationKind, excerpt: &Excerpt, number: usize, text: &str) -> Vec<Annotation<'a>> {
    let label = excerpt.labels[number].clone();
    let mut marks: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = label.start;
    for line in excerpt.text[label.clone()].split('\n') {
        let start = at + line.len() - line.trim_start().len();
        let end = at + line.trim_end().len();
        if start < end {
            marks.push(start..end);
        }
        at += line.len() + 1;
    }
    if marks.is_empty() {
        marks.push(label);
    }
    let last = marks.len() - 1;
    let annotation = |(i, mark): (usize, std::ops::Range<usize>)| {
        let annotation = kind.span(mark);
        // The text of the label comes after the last line.
        if text.is_empty() || i < last { annotation } else { annotation.label(harmless(text)) }
    };
    marks.into_iter().enumerate().map(annotation).collect()
}

fn snippet<'a>(excerpt: &Excerpt, labels: Vec<Annotation<'a>>) -> Snippet<'a, Annotation<'a>> {
    let end = excerpt.text.len();
    Snippet::source(without_obeyed(&excerpt.text))
        .line_start(excerpt.first_line)
        .annotations(labels)
        // Without this the gutter is too narrow if a label ends at the start of a line.
        .annotation(AnnotationKind::Visible.span(end..end))
}

/// The same on one line, for names of files.
pub fn one_line(name: &str) -> String {
    harmless(name).replace('\n', "\u{240a}")
}

/// Whether a terminal might obey a character: C1 control characters (U+009B starts a command as ESC
/// does), and marks of writing direction. The renderer replaces C0 control characters such as ESC
/// itself.
pub fn is_obeyed(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces such characters by others of the same length, so that positions stay valid.
pub fn without_obeyed(text: &str) -> String {
    let harmless = |c: char| match c.len_utf8() {
        _ if !is_obeyed(c) => c,
        2 => '\u{a4}',
        _ => '\u{fffd}',
    };
    text.chars().map(harmless).collect()
}

/// Text without anything that a terminal would obey; lines stay lines.
pub fn unstyled(text: &str) -> String {
    without_obeyed(&normalize_untrusted_str(text))
}

/// Text of the user, of bounded length and without anything that a terminal would obey.
pub fn harmless(text: &str) -> String {
    let text = unstyled(text);
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    // The text after a long name usually matters.
    let (left, right) = (excerpt::boundary(&text, MAX_TEXT_BYTES - 200), excerpt::boundary(&text, text.len() - 200));
    format!("{} ... {}", &text[..left], &text[right..])
}

/// Returns a number with its noun: `1 error`, `2 errors`, `2 queries`.
#[must_use]
pub fn count(n: usize, what: &str) -> String {
    match (n, what) {
        (1, _) => format!("1 {what}"),
        (_, "query") => format!("{n} queries"),
        (_, "process") => format!("{n} processes"),
        _ => format!("{n} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use syntax::{Span, source::DocumentPath};

    use super::*;

    /// The span of `part` in the fragment with this number.
    fn find(sources: &Sources, fragment: usize, part: &str) -> Span {
        let fragment = sources.fragment(fragment);
        let start = fragment.span().start + fragment.text().find(part).unwrap() as u32;
        Span { start, end: start + part.len() as u32 }
    }

    #[track_caller]
    fn check(sources: &Sources, d: &Diagnostic, expected: &str) {
        let found = Renderer::new(false).diagnostic(sources, "m.xml", d);
        assert!(found == format!("{expected}\n\n"), "{found}");
    }

    #[test]
    fn labels_in_other_fragments_become_notes() {
        let mut sources = Sources::new();
        let text = "<d>int n;\nclock x;</d>\n<g>x &lt; n</g>";
        let file = sources.add_file("m.xml", text.to_owned());
        let place = |what: &str| DocumentPath { path: "/p".to_owned(), what: what.to_owned() };
        let d = sources.add_fragment(file, "int n;\nclock x;".to_owned(), vec![(0, 3)], place("declarations"));
        let g = sources.add_fragment(file, "x < n".to_owned(), vec![(0, 26), (2, 28), (3, 32)], place("guard"));
        let diagnostic = Diagnostic::warning("odd", find(&sources, g, "n"), "`n` is odd")
            .label("here")
            .also(find(&sources, g, "x"), "compared with this")
            .also(find(&sources, d, "n;"), "declared here")
            .also(find(&sources, d, "x;"), "")
            .help("change it");
        check(
            &sources,
            &diagnostic,
            "\
warning[odd]: `n` is odd
 --> m.xml:3:11
  = in guard, line 1, column 5
  |
1 | x < n
  | -   ^ here
  | |
  | compared with this
  |
  = help: change it
note: declared here
 --> m.xml:1:8
  = in declarations, line 1, column 5
  |
1 | int n;
  |     ^^
note: see also
 --> m.xml:2:7
  = in declarations, line 2, column 7
  |
2 | clock x;
  |       ^^",
        );
    }

    #[test]
    fn labels_far_apart_become_notes() {
        let mut sources = Sources::new();
        let text = format!("int first;{}int again;", "\n".repeat(998));
        sources.add_file("m.xta", text);
        let d = Diagnostic::error("twice", find(&sources, 0, "again"), "declared twice")
            .also(find(&sources, 0, "first"), "first declared here");
        check(
            &sources,
            &d,
            "\
error[twice]: declared twice
   --> m.xta:999:5
    |
999 | int again;
    |     ^^^^^
note: first declared here
   --> m.xta:1:5
    |
  1 | int first;
    |     ^^^^^",
        );
    }

    #[test]
    fn what_has_no_place_names_the_file() {
        let sources = Sources::new();
        let d = Diagnostic::error("e", Span::NONE, "nothing there").help("look elsewhere");
        check(&sources, &d, "error[e]: nothing there\n--> m.xml\n = help: look elsewhere");
    }

    #[test]
    fn terminals_obey_nothing_that_the_user_wrote() {
        let mut sources = Sources::new();
        sources.add_file("a\x1b]0;b\n.xta", "x \x1b[2J y".to_owned());
        let span = find(&sources, 0, "y");
        let d = Diagnostic::error("e", span, "what is `\x1b[31m`")
            .label("\x07")
            .also(Span { start: 0, end: 1 }, "\x1b")
            .help("not \x1b[5m");
        let text = Renderer::new(false).diagnostic(&sources, "", &d);
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
        assert!(text.contains("--> a\u{241b}]0;b\u{240a}.xta:1:8\n"), "{text}");
    }

    #[test]
    fn long_messages_keep_their_ends() {
        let d = Diagnostic::error("e", Span::NONE, format!("`{}` is no name", "\u{e9}".repeat(100_000)));
        let text = Renderer::new(false).diagnostic(&Sources::new(), "f", &d);
        assert!(text.len() < 800 && text.contains(" ... ") && text.contains("` is no name\n"), "{text}");
    }

    /// A hundred diagnostics in two megabytes, each with a second label at the other end of the
    /// text.
    #[test]
    fn the_length_of_a_text_hardly_matters() {
        for line_break in ["\n", " "] {
            let mut sources = Sources::new();
            let text = format!("int some_variable = 12345;{line_break}").repeat(80_000);
            let end = text.len() as u32;
            sources.add_file("m.xta", text);
            let renderer = Renderer::new(false);
            let start = Instant::now();
            let mut length = 0;
            for i in 0..100 {
                let at = end - 27 * i - 10;
                let d = Diagnostic::error("e", Span { start: at, end: at + 3 }, "wrong")
                    .also(Span { start: i, end: i + 3 }, "also wrong")
                    .also(Span { start: 0, end }, "and all of this");
                length += renderer.diagnostic(&sources, "", &d).len();
            }
            let time = start.elapsed();
            println!("{time:?}");
            // A fifth of a second is the aim; tests run without all optimisations and beside other
            // things.
            assert!(time < Duration::from_secs(20), "{time:?}");
            assert!(length < 100_000, "{length}");
        }
    }
}
