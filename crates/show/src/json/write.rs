//! Writes JSON. Characters that a terminal would obey are escaped.

use std::io::{self, Write};

use serde::Serialize;

use crate::render::is_obeyed;

/// Writes a report that is one document.
///
/// # Errors
/// Those of the stream.
pub fn write(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(Escaping(out), report)?;
    writeln!(out)
}

/// Writes a report on one line.
///
/// # Errors
/// Those of the stream.
pub fn write_line(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(Escaping(out), report)?;
    writeln!(out)
}

/// Writes characters that a terminal would obey as escapes. They occur only in strings, where an
/// escape means the same.
struct Escaping<'a>(&'a mut dyn Write);

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_escaped = |c: char| is_obeyed(c) || c == '\u{7f}';
        // Strings are written in whole characters.
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(is_escaped) => {
                for c in text.chars() {
                    if is_escaped(c) {
                        write!(self.0, "\\u{:04x}", u32::from(c))?;
                    } else {
                        write!(self.0, "{c}")?;
                    }
                }
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_have_nothing_to_obey_and_readers_see_the_same() {
        let text = "a\u{9b}2J\u{85}\u{7f}\r\u{1b} \u{202e}\u{2066}\u{e4}\u{1f600}\"\\";
        let mut out = Vec::new();
        write_line(&[text], &mut out).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(!written.trim_end().contains(|c: char| c.is_control() || is_obeyed(c)), "{written:?}");
        assert!(written.contains("\u{e4}\u{1f600}"), "{written:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&written).unwrap(), [text]);
    }
}
