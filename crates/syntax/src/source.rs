//! Source texts, and the mapping from a [`Span`] to file, line and column.
//!
//! A model is read from *fragments*: a whole `.xta` file is one, and so is every label and
//! declaration inside an XML file, after its entities are decoded. All fragments share one address
//! space of `u32`, so a span is two numbers and needs neither a file nor a label.
//! [`Sources::locate`] maps a span to its fragment (as in the editor of the label), and through the
//! fragment's map to the file (as in `grep -n`).

use std::sync::OnceLock;

use thiserror::Error;

/// A range of text, in the address space of a [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of predeclared items, which do not occur in any text.
    pub const NONE: Span = Span { start: u32::MAX, end: u32::MAX };

    /// Returns the smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self == Span::NONE {
            return other;
        }
        if other == Span::NONE {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the empty span directly after this one, where something is missing.
    #[must_use]
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }
}

/// The id of a file of a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// Line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The position of a fragment in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentPath {
    /// An XPath, as UPPAAL prints it: `/nta/template[2]/transition[4]/label[1]`; empty for plain
    /// text files.
    pub path: String,
    /// A description for people: ``template `Train`, edge `Safe` -> `Appr`, guard``.
    pub what: String,
}

/// A text that is parsed as a unit.
#[derive(Clone, Debug)]
pub struct Fragment {
    base: u32,
    file: FileId,
    text: String,
    /// `(offset here, offset in the file)` at the start of every run that is identical in both.
    map: Vec<(u32, u32)>,
    /// For generated text: the origins of the text from each offset on.
    origins: Vec<(u32, Span)>,
    place: DocumentPath,
    lines: OnceLock<Vec<u32>>,
}

impl Fragment {
    /// The decoded text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its position in the document.
    #[must_use]
    pub fn place(&self) -> &DocumentPath {
        &self.place
    }

    /// Returns the span of the whole fragment.
    #[must_use]
    pub fn span(&self) -> Span {
        Span { start: self.base, end: self.base + self.text.len() as u32 }
    }

    /// Returns `(offset here, offset in the file)` at the start of every run that is identical in
    /// both; empty for the whole text of a file.
    #[must_use]
    pub fn runs(&self) -> &[(u32, u32)] {
        &self.map
    }

    fn position(&self, offset: u32) -> Position {
        let lines = self.lines.get_or_init(|| {
            std::iter::once(0)
                .chain(self.text.bytes().zip(1u32..).filter(|(b, _)| *b == b'\n').map(|(_, at)| at))
                .collect()
        });
        let line = lines.partition_point(|&start| start <= offset) - 1;
        let before = &self.text.as_bytes()[lines[line] as usize..offset as usize];
        // Continuation bytes of UTF-8 are not counted. Summing bytes in short runs that can't
        // overflow is twenty times faster than counting characters; a line may have megabytes.
        let starts = |run: &[u8]| run.iter().map(|b| u8::from(b & 0xC0 != 0x80)).sum::<u8>();
        let column = before.chunks(255).map(|run| u32::from(starts(run))).sum::<u32>() + 1;
        Position { line: line as u32 + 1, column }
    }

    /// Returns the origin of generated text; `None` for other text.
    fn origin(&self, span: Span) -> Option<Span> {
        let at = span.start.checked_sub(self.base)?;
        let run = self.origins.partition_point(|&(here, _)| here <= at).checked_sub(1)?;
        self.origins.get(run).map(|&(_, origin)| origin).filter(|origin| *origin != Span::NONE)
    }

    fn file_offset(&self, offset: u32) -> u32 {
        let run = self.map.partition_point(|&(here, _)| here <= offset).saturating_sub(1);
        self.map.get(run).map_or(offset, |&(here, there)| there + (offset - here))
    }
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    whole: u32,
}

/// A span with its location in fragment and file.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    /// The file's name, as it was given.
    pub file: &'a str,
    /// Line and column in the file.
    pub in_file: Position,
    /// The fragment's position in the document.
    pub place: &'a DocumentPath,
    /// The fragment's text.
    pub text: &'a str,
    /// Line and column of the span's start in the fragment.
    pub start: Position,
    /// Line and column of the span's end in the fragment.
    pub end: Position,
    /// The span as byte offsets into `text`.
    pub range: std::ops::Range<usize>,
}

/// All texts of one run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<File>,
    fragments: Vec<Fragment>,
    next: u32,
}

impl Sources {
    /// Creates an empty collection.
    #[must_use]
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file; its whole text becomes a fragment.
    pub fn add_file(&mut self, name: &str, text: String) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(File { name: name.to_owned(), whole: self.fragments.len() as u32 });
        self.push(id, text, Vec::new(), DocumentPath::default());
        id
    }

    /// Adds a decoded range of `file`; `map` holds `(offset in text, offset in the file)` at the
    /// start of each run.
    pub fn add_fragment(&mut self, file: FileId, text: String, map: Vec<(u32, u32)>, place: DocumentPath) -> usize {
        self.push(file, text, map, place)
    }

    /// Adds text that was generated from `file`. `origins` holds offsets in the text with the spans
    /// that the text stems from, from there on; diagnostics are shown at these spans.
    pub(crate) fn add_generated(&mut self, file: FileId, text: String, origins: Vec<(u32, Span)>) -> usize {
        let fragment = self.push(file, text, Vec::new(), DocumentPath::default());
        self.fragments[fragment].origins = origins;
        fragment
    }

    fn push(&mut self, file: FileId, text: String, map: Vec<(u32, u32)>, place: DocumentPath) -> usize {
        let base = self.next;
        // One address more than the length of the text, so that its end is unique.
        self.next = base.saturating_add(text.len() as u32).saturating_add(1);
        self.fragments.push(Fragment { base, file, text, map, origins: Vec::new(), place, lines: OnceLock::new() });
        self.fragments.len() - 1
    }

    /// Returns the number of bytes that still fit into the address space.
    #[must_use]
    pub fn room(&self) -> u32 {
        (u32::MAX - 1).saturating_sub(self.next)
    }

    /// Returns the file in which a span starts, and the offset there, which is the reading order.
    /// `None` for [`Span::NONE`].
    #[must_use]
    pub fn order(&self, span: Span) -> Option<(FileId, u32)> {
        if span == Span::NONE {
            return None;
        }
        let index = self.fragments.partition_point(|f| f.base <= span.start).checked_sub(1)?;
        let fragment = &self.fragments[index];
        if let Some(origin) = fragment.origin(span) {
            return self.order(origin);
        }
        Some((fragment.file, fragment.file_offset(span.start - fragment.base)))
    }

    /// Returns a fragment by its index.
    #[must_use]
    pub fn fragment(&self, index: usize) -> &Fragment {
        &self.fragments[index]
    }

    /// Returns the fragments of a file in the order in which they were added. The first one is its
    /// whole text.
    pub fn fragments(&self, file: FileId) -> impl Iterator<Item = &Fragment> {
        self.fragments.iter().filter(move |fragment| fragment.file == file && fragment.origins.is_empty())
    }

    /// Returns the index of the fragment that is the whole of `file`.
    #[must_use]
    pub fn whole(&self, file: FileId) -> usize {
        self.files[file.0 as usize].whole as usize
    }

    /// Returns the fragment of an address.
    #[must_use]
    pub(crate) fn fragment_at(&self, at: u32) -> Option<&Fragment> {
        let index = self.fragments.partition_point(|f| f.base <= at).checked_sub(1)?;
        Some(&self.fragments[index]).filter(|f| at <= f.span().end)
    }

    /// Returns the name of `file`.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// Returns the text of a span; empty for [`Span::NONE`].
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        // `locate` would count lines and columns, which is slow for long lines.
        self.piece(span).map_or("", |(fragment, range)| &fragment.text[range])
    }

    /// Returns the fragment of a span, and its range in the fragment's text.
    fn piece(&self, span: Span) -> Option<(&Fragment, std::ops::Range<usize>)> {
        if span == Span::NONE {
            return None;
        }
        let index = self.fragments.partition_point(|f| f.base <= span.start).checked_sub(1)?;
        let fragment = &self.fragments[index];
        let len = fragment.text.len() as u32;
        let floor = |mut at: u32| {
            at = at.min(len);
            while !fragment.text.is_char_boundary(at as usize) {
                at -= 1;
            }
            at
        };
        let start = floor(span.start - fragment.base);
        let end = floor(span.end.saturating_sub(fragment.base)).max(start);
        Some((fragment, start as usize..end as usize))
    }

    /// Maps a span to its fragment and file; `None` for [`Span::NONE`].
    #[must_use]
    pub fn locate(&self, span: Span) -> Option<Located<'_>> {
        let (fragment, range) = self.piece(span)?;
        if let Some(origin) = fragment.origin(span) {
            return self.locate(origin);
        }
        let (start, end) = (range.start as u32, range.end as u32);
        let file = &self.files[fragment.file.0 as usize];
        let whole = &self.fragments[file.whole as usize];
        let raw = fragment.file_offset(start).min(whole.text.len() as u32);
        Some(Located {
            file: &file.name,
            in_file: whole.position(raw),
            place: &fragment.place,
            text: &fragment.text,
            start: fragment.position(start),
            end: fragment.position(end),
            range,
        })
    }
}

/// The reason why the bytes of a file are not text. The messages continue a sentence that begins
/// with the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes contain a zero, as in a binary file.
    #[error("is not a text file: it has a zero byte at offset {0}")]
    Binary(usize),
    /// The bytes are not UTF-8 from an offset on.
    #[error("is not valid UTF-8: wrong byte at offset {0}")]
    Utf8(usize),
    /// The byte order mark is that of UTF-16, and the rest is not UTF-16.
    #[error("starts like UTF-16 text but is not valid UTF-16")]
    Utf16,
}

/// Decodes the bytes of a file: UTF-8 and UTF-16 by their byte order marks, else UTF-8, else
/// Latin-1 if an XML prolog declares it.
///
/// # Errors
/// The bytes are not text.
pub fn decode(bytes: &[u8]) -> Result<String, DecodeError> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return utf8(rest),
        [0xFF, 0xFE, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    utf8(bytes).or_else(|error| {
        let prolog = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_ascii_lowercase();
        let latin = ["iso-8859-1", "iso-8859-15", "windows-1252", "latin1", "us-ascii"];
        let binary = bytes.contains(&0);
        let looks_xml = prolog.trim_start().starts_with('<');
        if !binary && looks_xml && latin.iter().any(|name| prolog.contains(name)) {
            return Ok(bytes.iter().map(|b| char::from(*b)).collect());
        }
        Err(error)
    })
}

fn utf8(bytes: &[u8]) -> Result<String, DecodeError> {
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(DecodeError::Binary(at));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| DecodeError::Utf8(e.valid_up_to()))?;
    Ok(text.to_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, DecodeError> {
    let units = bytes.chunks(2).map(|c| unit([c[0], *c.get(1).unwrap_or(&0)]));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| DecodeError::Utf16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_map_to_the_file_through_entities() {
        let mut sources = Sources::new();
        let file = sources.add_file("m.xml", "<a>\n x &lt; 5</a>".to_owned());
        // "\n x < 5": the entity starts at 4 here and at 7 in the file, the run after it at 5 and
        // 11.
        let f =
            sources.add_fragment(file, "\n x < 5".to_owned(), vec![(0, 3), (4, 7), (5, 11)], DocumentPath::default());
        let base = sources.fragment(f).span().start;
        let five = sources.locate(Span { start: base + 6, end: base + 7 }).unwrap();
        assert_eq!(&five.text[five.range.clone()], "5");
        assert_eq!(five.start, Position { line: 2, column: 6 });
        assert_eq!(five.in_file, Position { line: 2, column: 9 });
        assert_eq!(sources.order(Span { start: base + 6, end: base + 7 }), Some((file, 12)));
        assert_eq!(sources.order(Span::NONE), None);
    }

    #[test]
    fn decoding_uses_marks_and_rejects_binaries() {
        assert_eq!(decode(b"\xEF\xBB\xBFab").unwrap(), "ab");
        assert_eq!(decode(&[0xFF, 0xFE, b'a', 0]).unwrap(), "a");
        assert_eq!(decode(b"<?xml encoding=\"ISO-8859-1\"?>\xE9").unwrap().chars().last(), Some('\u{e9}'));
        assert_eq!(decode(b"\x7fELF\0\0"), Err(DecodeError::Binary(4)));
        assert_eq!(decode(b"ab\xff"), Err(DecodeError::Utf8(2)));
        assert_eq!(decode(&[0xFF, 0xFE, 0, 0xD8]), Err(DecodeError::Utf16));
    }
}
