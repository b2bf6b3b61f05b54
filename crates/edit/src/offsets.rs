//! Offsets as browsers count them.
//!
//! A browser counts code units of UTF-16, and a line break is one character whatever the file has.
//! [`shown`] is the text as a browser shows it, and [`Offsets`] relates both.

use std::borrow::Cow;

use crate::Patch;

/// The distance of known offsets, in bytes.
const STEP: usize = 256;

/// Returns a text with line feeds for line breaks.
#[must_use]
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// Returns the range of a text that must be replaced, and by what, so that it is shown as `new`;
/// `None` if it is already.
pub(crate) fn change(text: &str, new: &str) -> Option<(usize, usize, String)> {
    let patch = Patch::between(0, &shown(text), new)?;
    Some((written(text, patch.from), written(text, patch.to), patch.text))
}

/// Returns the offset of a character in a text by its offset in the text as it is shown.
fn written(text: &str, at: usize) -> usize {
    if !text.contains("\r\n") {
        return at;
    }
    let mut left = at;
    let mut rest = text;
    // Whole lines first.
    while let Some(line) = rest.find("\r\n") {
        if left <= line {
            break;
        }
        left -= line + 1;
        rest = &rest[line + 2..];
    }
    text.len() - rest.len() + left
}

/// Converts offsets in bytes of a text to UTF-16 code units of the same text as it is [`shown`].
#[derive(Clone, Debug)]
pub(crate) struct Offsets<'a> {
    text: &'a str,
    /// Offsets of some characters in bytes and in code units; empty if they are the same.
    marks: Vec<(usize, usize)>,
}

/// Enumerates the characters of a text with their lengths in code units.
fn units(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut next = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = next.next()?;
        let is_hidden = c == '\r' && next.peek() == Some(&'\n');
        Some((c, if is_hidden { 0 } else { c.len_utf16() }))
    })
}

impl<'a> Offsets<'a> {
    /// Creates the conversion for a text.
    pub(crate) fn new(text: &'a str) -> Offsets<'a> {
        let mut marks = Vec::new();
        if !text.is_ascii() || text.contains('\r') {
            let (mut at, mut count, mut next) = (0, 0, 0);
            for (c, length) in units(text) {
                if at >= next {
                    marks.push((at, count));
                    next = at + STEP;
                }
                at += c.len_utf8();
                count += length;
            }
        }
        Offsets { text, marks }
    }

    /// Returns an offset in code units. One within a character is that of its start, and one after
    /// the end is that of the end.
    pub(crate) fn units(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        let Some(mark) = self.marks.partition_point(|&(at, _)| at <= byte).checked_sub(1) else { return byte };
        let (mut at, mut count) = self.marks[mark];
        for (c, length) in units(&self.text[at..]) {
            if at + c.len_utf8() > byte {
                break;
            }
            at += c.len_utf8();
            count += length;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_keep_line_breaks() {
        assert_eq!(change("a\r\nb\r\nc", "a\nb\nc"), None);
        assert_eq!(change("a\r\nb\r\nc", "a\nX\nc"), Some((3, 4, "X".to_owned())));
        assert_eq!(change("a\r\nb\r\nc", "a\nc"), Some((3, 6, String::new())));
        assert_eq!(change("a\r\n", "ab"), Some((1, 3, "b".to_owned())));
    }

    #[test]
    fn offsets_are_those_of_browsers() {
        let long = "é\u{1F600}a\r\n\r".repeat(300);
        for text in ["", "plain", "aé\u{1F600}b\r\n", "\r\n\r\n", "\r", &long] {
            let offsets = Offsets::new(text);
            for (at, _) in text.char_indices() {
                // A line break ends after its line feed.
                let before =
                    text[..at].strip_suffix('\r').filter(|_| text[at..].starts_with('\n')).unwrap_or(&text[..at]);
                assert_eq!(offsets.units(at), shown(before).encode_utf16().count(), "{text:?} at {at}");
            }
            assert_eq!(offsets.units(text.len() + 9), shown(text).encode_utf16().count());
        }
    }
}
