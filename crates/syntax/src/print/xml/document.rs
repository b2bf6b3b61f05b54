//! Writes XML elements, indented and escaped.

const HEAD: &str = concat!(
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n",
    "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' ",
    "'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>\n",
);

/// A document under construction.
pub(super) struct XmlOutput {
    out: String,
    depth: usize,
}

type Attributes<'a> = [(&'a str, String)];

impl XmlOutput {
    pub(super) fn new() -> XmlOutput {
        XmlOutput { out: HEAD.to_owned(), depth: 0 }
    }

    /// Creates the inside of a template, to be appended later.
    pub(super) fn inner() -> XmlOutput {
        XmlOutput { out: String::new(), depth: 2 }
    }

    pub(super) fn append(&mut self, inner: XmlOutput) {
        self.out.push_str(&inner.out);
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Writes `<tag …>` on a line.
    pub(super) fn open(&mut self, tag: &str, attributes: &Attributes<'_>) {
        self.start(tag, attributes);
        self.out.push_str(">\n");
        self.depth += 1;
    }

    /// Writes `</tag>` on a line.
    pub(super) fn close(&mut self, tag: &str) {
        self.depth -= 1;
        self.indent();
        self.end(tag);
    }

    /// Writes `<tag …/>` on a line.
    pub(super) fn empty(&mut self, tag: &str, attributes: &Attributes<'_>) {
        self.start(tag, attributes);
        self.out.push_str("/>\n");
    }

    /// Writes `<tag …>text</tag>`.
    pub(super) fn text(&mut self, tag: &str, attributes: &Attributes<'_>, text: &str) {
        self.start(tag, attributes);
        self.out.push('>');
        self.escaped(text, false);
        self.end(tag);
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n('\t', self.depth));
    }

    fn start(&mut self, tag: &str, attributes: &Attributes<'_>) {
        self.indent();
        self.out.push('<');
        self.out.push_str(tag);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            self.escaped(value, true);
            self.out.push('"');
        }
    }

    fn end(&mut self, tag: &str) {
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push_str(">\n");
    }

    fn escaped(&mut self, text: &str, attribute: bool) {
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' if attribute => self.out.push_str("&quot;"),
                // Parsers normalise these to blanks in attributes.
                '\n' if attribute => self.out.push_str("&#10;"),
                '\t' if attribute => self.out.push_str("&#9;"),
                // Parsers normalise both of these, and a single carriage return, to one line break.
                '\r' if rest.as_str().starts_with('\n') => {}
                '\r' => self.out.push_str("&#13;"),
                '\n' | '\t' => self.out.push(c),
                // These characters are illegal in XML.
                '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => self.out.push('\u{FFFD}'),
                _ => self.out.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_escaped() {
        let mut document = XmlOutput::inner();
        document.text("a", &[("b", "\"<\n>'".to_owned())], "x < 1 && y\r\n\r]]>\u{1}\"");
        assert_eq!(
            document.finish(),
            "\t\t<a b=\"&quot;&lt;&#10;&gt;'\">x &lt; 1 &amp;&amp; y\n&#13;]]&gt;\u{FFFD}\"</a>\n"
        );
    }
}
