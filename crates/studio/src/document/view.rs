//! A piece of a file as a page shows and edits it: decoded, and with `\n` at the end of lines.

use syntax::source::Fragment;

use super::patch::Patch;

/// How a piece of text is written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// As it is.
    Plain,
    /// As it is, in a section of XML that needs no escapes.
    Raw,
    /// By other characters: an entity, or the end of a line.
    Otherwise,
}

/// A run of text in one notation.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Its start in the view.
    at: usize,
    /// Its length there.
    len: usize,
    /// Where it is in the file.
    from: usize,
    to: usize,
    written: Written,
}

/// A text that can be edited, with the places of its pieces in the file. Offsets are bytes.
#[derive(Clone, Debug)]
pub struct View {
    text: String,
    pieces: Vec<Piece>,
    /// Whether `<` and `&` are escaped.
    is_xml: bool,
    /// The end of lines in the file.
    line_end: &'static str,
}

impl View {
    /// Creates the view of a fragment of a file.
    #[must_use]
    pub fn new(file: &str, fragment: &Fragment) -> View {
        let is_xml = !fragment.runs().is_empty();
        let mut view = View { text: String::new(), pieces: Vec::new(), is_xml, line_end: line_end(file) };
        let (text, whole) = (fragment.text(), [(0, 0)]);
        let runs = if is_xml { fragment.runs() } else { &whole };
        for (i, &(start, from)) in runs.iter().enumerate() {
            let end = runs.get(i + 1).map_or(text.len(), |next| next.0 as usize);
            let (run, from) = (&text[start as usize..end], from as usize);
            let is_raw = is_xml && file[..from].ends_with("<![CDATA[");
            if is_xml && !is_raw && file[from..].starts_with('&') {
                let to = file[from..].find(';').map_or(from, |len| from + len + 1);
                view.push(run, from, to, Written::Otherwise);
            } else {
                view.push_lines(run, from, if is_raw { Written::Raw } else { Written::Plain });
            }
        }
        view
    }

    /// Creates the view of a fragment that the file does not have.
    #[must_use]
    pub fn empty(file: &str) -> View {
        View { text: String::new(), pieces: Vec::new(), is_xml: true, line_end: line_end(file) }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    fn push(&mut self, text: &str, from: usize, to: usize, written: Written) {
        if !text.is_empty() {
            self.pieces.push(Piece { at: self.text.len(), len: text.len(), from, to, written });
            self.text.push_str(text);
        }
    }

    fn push_lines(&mut self, run: &str, from: usize, written: Written) {
        let mut at = 0;
        for (end, _) in run.match_indices("\r\n") {
            self.push(&run[at..end], from + at, from + end, written);
            self.push("\n", from + end, from + end + 2, Written::Otherwise);
            at = end + 2;
        }
        self.push(&run[at..], from + at, from + run.len(), written);
    }

    /// Returns the patches of the file that replace a range of the view, or `None` if the view is
    /// empty, so that it has no place in the file.
    #[must_use]
    pub fn replace(&self, from: usize, to: usize, text: &str) -> Option<Vec<Patch>> {
        let text = text.replace("\r\n", "\n").replace('\n', self.line_end);
        if from == to {
            let (at, written) = self.insertion(from)?;
            return Some(vec![Patch { from: at, to: at, text: self.written(&text, written) }]);
        }
        let mut patches: Vec<Patch> = Vec::new();
        for piece in self.pieces.iter().filter(|piece| piece.at < to && from < piece.at + piece.len) {
            let (start, end) = (from.max(piece.at) - piece.at, to.min(piece.at + piece.len) - piece.at);
            let (start, end) = match piece.written {
                Written::Otherwise => (piece.from, piece.to),
                _ => (piece.from + start, piece.from + end),
            };
            match patches.last_mut().filter(|last| last.to == start) {
                Some(last) => last.to = end,
                None => {
                    let text = if patches.is_empty() { self.written(&text, self.around(piece)) } else { String::new() };
                    patches.push(Patch { from: start, to: end, text });
                }
            }
        }
        Some(patches)
    }

    /// Returns the byte of the file that a byte of the view shows, or its end.
    #[must_use]
    pub fn in_file(&self, byte: usize) -> Option<usize> {
        let inside = |piece: &&Piece| piece.at <= byte && byte < piece.at + piece.len;
        match self.pieces.iter().find(inside) {
            Some(piece) => Some(piece.from + (byte - piece.at)),
            None => self.pieces.last().map(|piece| piece.to),
        }
    }

    /// Where text is inserted: after the piece before, if that is written as it is.
    fn insertion(&self, at: usize) -> Option<(usize, Written)> {
        let next = self.pieces.partition_point(|piece| piece.at + piece.len < at);
        let piece = self.pieces.get(next)?;
        let inside = at - piece.at;
        Some(match piece.written {
            Written::Otherwise if inside == 0 => (piece.from, self.around(piece)),
            Written::Otherwise => (piece.to, self.around(piece)),
            written => (piece.from + inside, written),
        })
    }

    /// Returns the notation of the text beside a piece.
    fn around(&self, piece: &Piece) -> Written {
        if piece.written != Written::Otherwise {
            return piece.written;
        }
        let beside = |other: &&Piece| other.to == piece.from || other.from == piece.to;
        let raw = self.pieces.iter().filter(beside).any(|other| other.written == Written::Raw);
        if raw { Written::Raw } else { Written::Plain }
    }

    fn written(&self, text: &str, written: Written) -> String {
        match (self.is_xml, written) {
            (false, _) => text.to_owned(),
            (true, Written::Raw) => text.replace("]]>", "]]]]><![CDATA[>"),
            (true, _) => text.replace('&', "&amp;").replace('<', "&lt;").replace("]]>", "]]&gt;"),
        }
    }

    /// Returns the byte of an offset in UTF-16; `None` if it is not between two characters.
    #[must_use]
    pub fn byte(&self, utf16: usize) -> Option<usize> {
        let mut units = 0;
        for (byte, c) in self.text.char_indices() {
            if units >= utf16 {
                return (units == utf16).then_some(byte);
            }
            units += c.len_utf16();
        }
        (units == utf16).then_some(self.text.len())
    }
}

/// Returns the offset in UTF-16 of a byte of a text, in which `\r\n` counts as one.
#[must_use]
pub fn utf16(text: &str, byte: usize) -> usize {
    let before = &text[..byte];
    before.encode_utf16().count() - before.matches("\r\n").count()
}

/// Returns the end of lines that a file has.
fn line_end(file: &str) -> &'static str {
    match file.find('\n') {
        Some(at) if file[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use syntax::{Format, Sources};

    use super::*;
    use crate::document::patch;

    /// The views of the fragments of a model.
    fn views(text: &str, format: Format) -> Vec<View> {
        let mut sources = Sources::new();
        let file = sources.add_file("m", text.to_owned());
        syntax::read_model(&mut sources, file, format);
        sources.fragments(file).skip(usize::from(format == Format::Xml)).map(|f| View::new(text, f)).collect()
    }

    fn edited(text: &str, at: std::ops::Range<usize>, by: &str) -> String {
        let view = views(text, Format::Xml).remove(0);
        let mut edited = text.to_owned();
        patch::apply(&mut edited, &view.replace(at.start, at.end, by).unwrap());
        let mut expected = view.text().to_owned();
        expected.replace_range(at, by);
        assert_eq!(views(&edited, Format::Xml)[0].text(), expected);
        edited
    }

    #[test]
    fn edits_are_escaped_and_change_nothing_else() {
        let text = "<nta><declaration>int a;\r\n// x &lt; y<!-- c --> z\r\n</declaration><system/></nta>";
        assert_eq!(views(text, Format::Xml)[0].text(), "int a;\n// x < y z\n");
        assert!(edited(text, 4..5, "b&c").contains("int b&amp;c;\r\n// x &lt; y<!--"));
        assert!(edited(text, 6..6, "\nint d;").contains("int a;\r\nint d;\r\n// x"));
        assert!(edited(text, 12..13, ">").contains("// x > y<!-- c --> z"));
        assert!(edited(text, 12..12, "<").contains("// x &lt;&lt; y"));
        assert!(edited(text, 13..13, "<").contains("// x &lt;&lt; y"));
        // Over the comment, which stays.
        assert!(edited(text, 14..16, "Q").contains("// x &lt; Q<!-- c -->z"));
        assert!(edited(text, 0..18, "q").contains("<declaration>q<!-- c --></declaration>"));
    }

    #[test]
    fn sections_without_escapes_stay_so() {
        let text = "<nta><declaration><![CDATA[a < b\n]]>c</declaration><system/></nta>";
        assert!(edited(text, 2..3, "&<").contains("[CDATA[a &< b\n]]>c"));
        assert!(edited(text, 6..6, "]]>").contains("]]]]><![CDATA[>]]>c"));
        assert!(edited(text, 4..7, "x").contains("[CDATA[a < x]]></declaration>"));
    }

    #[test]
    fn offsets_count_what_browsers_count() {
        let text = "// \u{1d54f}\r\nint a;";
        let view = views(text, Format::Xta).remove(0);
        assert_eq!(view.byte(3), Some(3));
        assert_eq!(view.byte(4), None);
        assert_eq!(view.byte(5), Some(7));
        assert_eq!(view.byte(6), Some(8));
        assert_eq!(view.byte(99), None);
        assert_eq!(utf16(text, 9), 6);
        assert_eq!(view.replace(8, 8, "\n").unwrap(), [Patch { from: 9, to: 9, text: "\r\n".to_owned() }]);
    }
}
