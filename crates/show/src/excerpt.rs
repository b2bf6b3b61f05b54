//! Excerpts of source text for messages.
//!
//! A declaration may have megabytes, a line ten thousand characters. Excerpts are small whatever
//! the text, since the renderer reads every byte of them.

use std::ops::Range;

use syntax::source::Located;

/// The lines that one excerpt may span; the renderer folds those without a label.
const MAX_LINES: u32 = 24;
/// Longer lines are cut around the label.
const MAX_LINE_BYTES: usize = 300;
/// The bytes of a long line that are shown before and after a label, and of the label itself.
const CONTEXT_BYTES: usize = 60;
const MAX_LABEL_BYTES: usize = 80;

/// A piece of text to show.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Whole lines, unless they are too long.
    pub text: String,
    /// The number of the first one.
    pub first_line: usize,
    /// The positions of the labels in `text`, in their order.
    pub labels: Vec<Range<usize>>,
}

/// The text around several labels of one fragment; `None` if it is too long.
pub fn around(labels: &[&Located<'_>]) -> Option<Excerpt> {
    let first = labels.iter().min_by_key(|l| l.range.start)?;
    let last_line = labels.iter().map(|l| last_line(l)).max()?;
    if last_line - first.start.line >= MAX_LINES {
        return None;
    }
    let source = first.text;
    let mut text = String::new();
    // Where each line starts in the source, where it starts in `text`, and how long it is.
    let mut lines = Vec::new();
    let mut at = line_start(source, first.range.start)?;
    for _ in first.start.line..=last_line {
        let end = line_end(source, at)?;
        if !lines.is_empty() {
            text.push('\n');
        }
        let shown = without_return(&source[at..end]);
        lines.push((at, text.len(), shown.len()));
        text.push_str(shown);
        at = (end + 1).min(source.len());
    }
    let translate = |offset: usize| {
        let &(there, here, len) = &lines[lines.partition_point(|&(start, ..)| start <= offset).max(1) - 1];
        here + (offset - there).min(len)
    };
    let labels = labels.iter().map(|l| translate(l.range.start)..translate(end(l))).collect();
    if text.is_empty() || text.ends_with('\n') {
        // The renderer ignores an empty last line.
        text.push(' ');
    }
    Some(Excerpt { text, first_line: first.start.line as usize, labels })
}

/// The text around the beginning of one label, whatever its length.
pub fn at(label: &Located<'_>) -> Excerpt {
    if let Some(excerpt) = around(&[label]) {
        return excerpt;
    }
    let (source, from) = (label.text, label.range.start);
    let left = boundary(source, from.saturating_sub(CONTEXT_BYTES));
    let line = line_start(source, from).filter(|&start| start >= left);
    let left = line.unwrap_or(left);
    let mut text = String::from(if line.is_some() { "" } else { "..." });

    let line = line_end(source, from);
    let to = label.range.end.min(boundary(source, from + MAX_LABEL_BYTES)).min(line.unwrap_or(usize::MAX));
    let right = boundary(source, to + CONTEXT_BYTES);
    let line = line.filter(|&end| end <= right);

    let here = text.len() + from - left;
    text.push_str(without_return(&source[left..line.unwrap_or(right)]));
    let label_at = here.min(text.len())..(here + (to - from)).min(text.len());
    if line.is_none() {
        text.push_str("...");
    }
    Excerpt { text, first_line: label.start.line as usize, labels: vec![label_at] }
}

/// The end of a label. A line break there does not count: it would draw the label into the next
/// line.
fn end(label: &Located<'_>) -> usize {
    label.range.end - usize::from(label.text[label.range.clone()].ends_with('\n'))
}

fn last_line(label: &Located<'_>) -> u32 {
    label.end.line - u32::from(end(label) < label.range.end)
}

/// The last start of a character at or before `offset`.
pub fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The start of the line around `offset`, if it is near.
fn line_start(text: &str, offset: usize) -> Option<usize> {
    let from = offset.saturating_sub(MAX_LINE_BYTES);
    match text.as_bytes()[from..offset].iter().rposition(|b| *b == b'\n') {
        Some(at) => Some(from + at + 1),
        None => (from == 0).then_some(0),
    }
}

/// The end of the line around `offset`, if it is near.
fn line_end(text: &str, offset: usize) -> Option<usize> {
    let to = (offset + MAX_LINE_BYTES).min(text.len());
    match text.as_bytes()[offset..to].iter().position(|b| *b == b'\n') {
        Some(at) => Some(offset + at),
        None => (to == text.len()).then_some(to),
    }
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use syntax::{Sources, Span};

    use super::*;

    /// The excerpt's first line, its text, and what is marked in it.
    fn show(text: &str, range: Range<u32>) -> (usize, String, String) {
        let mut sources = Sources::new();
        sources.add_file("t", text.to_owned());
        let located = sources.locate(Span { start: range.start, end: range.end }).unwrap();
        let excerpt = at(&located);
        let marked = excerpt.text[excerpt.labels[0].clone()].to_owned();
        (excerpt.first_line, excerpt.text, marked)
    }

    #[test]
    fn whole_lines_are_shown_without_their_ends() {
        assert_eq!(show("a\r\nbc d\r\ne", 6..7), (2, "bc d".into(), "d".into()));
        assert_eq!(show("a\nb\nc", 2..4), (2, "b".into(), "b".into()));
        assert_eq!(show("a\nb\nc", 2..5), (2, "b\nc".into(), "b\nc".into()));
        assert_eq!(show("a\r\nb", 1..3), (1, "a".into(), "".into()));
    }

    #[test]
    fn the_end_of_a_text_can_be_shown() {
        assert_eq!(show("", 0..0), (1, " ".into(), "".into()));
        assert_eq!(show("ab", 2..2), (1, "ab".into(), "".into()));
        assert_eq!(show("ab\n", 3..3), (2, " ".into(), "".into()));
    }

    #[test]
    fn long_lines_are_cut_around_the_label() {
        let text = format!("{}\u{e9}foo{}", "x".repeat(5_001), "\u{e9}".repeat(5_000));
        let (line, shown, marked) = show(&text, 5_003..5_006);
        assert_eq!((line, marked.as_str()), (1, "foo"));
        assert!(shown.starts_with("...x") && shown.ends_with("\u{e9}...") && shown.len() < 200, "{shown}");
        let (_, shown, marked) = show(&text, 0..15_000);
        assert!(shown.len() < 200 && marked.len() < 100, "{shown}");
    }

    #[test]
    fn a_label_of_many_lines_is_shown_by_its_first() {
        let text = "{\r\n".repeat(1_000);
        assert_eq!(show(&text, 0..3_000), (1, "{".into(), "{".into()));
        assert_eq!(show(&text, 1..3_000), (1, "{".into(), "".into()));
        assert_eq!(show(&text, 3..3_000), (2, "{".into(), "{".into()));
    }
}
