//! Text as it is written into XML.

use crate::EditError;

/// How a file writes text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Its line breaks.
    pub line: &'static str,
    /// The highest character that is written as itself.
    highest: char,
}

impl Style {
    /// Returns the style of a file.
    pub(super) fn of(text: &str) -> Style {
        let is_windows = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
        Style { line: if is_windows { "\r\n" } else { "\n" }, highest: highest(text) }
    }

    /// Escapes the text of an element.
    pub(super) fn text(self, text: &str) -> Result<String, EditError> {
        self.escaped(text, false)
    }

    /// Escapes the value of an attribute, for any quotes.
    pub(super) fn value(self, text: &str) -> Result<String, EditError> {
        self.escaped(text, true)
    }

    /// Returns a text as it is written into a CDATA section; `None` if it can't be.
    pub(super) fn verbatim(self, text: &str) -> Result<Option<String>, EditError> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            legal(c)?;
            match c {
                '\r' if rest.as_str().starts_with('\n') => {}
                '\n' => out.push_str(self.line),
                c if c == '\r' || c > self.highest => return Ok(None),
                c => out.push(c),
            }
        }
        Ok(Some(out))
    }

    fn escaped(self, text: &str, is_value: bool) -> Result<String, EditError> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            legal(c)?;
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' if is_value => out.push_str("&quot;"),
                '\'' if is_value => out.push_str("&apos;"),
                // Readers make one line break of both.
                '\r' if rest.as_str().starts_with('\n') => {}
                '\n' if !is_value => out.push_str(self.line),
                '\t' if !is_value => out.push(c),
                c if matches!(c, '\r' | '\n' | '\t') || c > self.highest => {
                    out.push_str(&format!("&#{};", u32::from(c)));
                }
                c => out.push(c),
            }
        }
        Ok(out)
    }
}

/// Refuses characters that XML can't express.
fn legal(c: char) -> Result<(), EditError> {
    let is_illegal = (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    if is_illegal {
        let message = format!("an XML file can't contain the character U+{:04X}", u32::from(c));
        return Err(EditError::new(message).help("delete it from the text"));
    }
    Ok(())
}

/// Returns the highest character that an XML file can hold as itself, by the encoding that its first
/// line declares. Others are written as references.
fn highest(text: &str) -> char {
    let Some(prolog) = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) else { return char::MAX };
    let prolog = prolog.0.to_ascii_lowercase();
    let Some((_, encoding)) = prolog.split_once("encoding") else { return char::MAX };
    let encoding = encoding.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\''));
    let known = ["iso-8859", "windows-125", "latin", "us-ascii", "ascii"];
    // These encodings agree with ASCII only.
    if known.iter().any(|name| encoding.starts_with(name)) { '\u{7F}' } else { char::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_encodings_are_known() {
        assert_eq!(highest("<?xml version='1.0' encoding='iso-8859-1'?>"), '\u{7F}');
        assert_eq!(highest("<?xml version='1.0' encoding=\"utf-8\"?>"), char::MAX);
        assert_eq!(highest("<nta/>"), char::MAX);
    }

    #[test]
    fn texts_are_escaped() {
        let style = Style::of("<a>\r\n</a>");
        assert_eq!(style.text("a<b && c]]>'\"\n\r\n\r\té").unwrap(), "a&lt;b &amp;&amp; c]]&gt;'\"\r\n\r\n&#13;\té");
        assert_eq!(style.value("<'\"\n\té").unwrap(), "&lt;&apos;&quot;&#10;&#9;é");
        assert_eq!(Style::of("<?xml encoding='us-ascii'?>\n").text("\né€").unwrap(), "\n&#233;&#8364;");
        for illegal in ["\0", "\u{1}", "\u{1F}", "\u{FFFF}"] {
            assert!(style.text(illegal).is_err() && style.value(illegal).is_err());
        }
    }
}
