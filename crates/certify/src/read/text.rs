//! Words and lines of certificates.

use std::io::{BufRead, Read};

use super::{CertificateReader, MAX_LINE, Malformed, ReadError, ReadResult, VALUE_BITS};
use crate::names::is_plain;

impl<R: BufRead> CertificateReader<R> {
    // Words.

    pub(super) fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub(super) fn spaces(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(' ').len();
    }

    /// Returns whether something follows on this line, after a space.
    pub(super) fn more(&mut self) -> ReadResult<bool> {
        let start = self.at;
        self.spaces();
        if self.at < self.text.len() && self.at == start {
            return self.fail("expected a space".to_owned());
        }
        Ok(self.at < self.text.len())
    }

    /// Reads letters and digits.
    pub(super) fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    pub(super) fn expect_word(&mut self, word: &str) -> ReadResult<()> {
        let start = self.at;
        if self.word() != word {
            self.at = start;
            return self.fail(format!("expected `{word}`"));
        }
        self.spaces();
        Ok(())
    }

    pub(super) fn expect_words(&mut self, words: &[&str]) -> ReadResult<()> {
        words.iter().try_for_each(|word| self.expect_word(word))?;
        self.end_of_line()
    }

    pub(super) fn rest_is(&self, text: &str) -> bool {
        self.text[self.at..].trim_end_matches(' ') == text
    }

    pub(super) fn end_of_line(&mut self) -> ReadResult<()> {
        self.spaces();
        if self.at < self.text.len() {
            return self.fail("expected the end of the line".to_owned());
        }
        Ok(())
    }

    /// Reads a name, quoted or not.
    pub(super) fn name(&mut self, expected: &str) -> ReadResult<String> {
        let rest = &self.text[self.at..];
        if !rest.starts_with('"') {
            let len = rest.find(|c| !is_plain(c)).unwrap_or(rest.len());
            if len == 0 {
                return self.fail(format!("expected {expected}"));
            }
            self.at += len;
            return Ok(rest[..len].to_owned());
        }
        let mut name = String::new();
        let mut chars = rest.char_indices().skip(1);
        while let Some((i, c)) = chars.next() {
            let c = match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(name);
                }
                '\\' => {
                    let escaped = match chars.next().map(|(_, c)| c) {
                        Some(c @ ('"' | '\\')) => Some(c),
                        Some('n') => Some('\n'),
                        Some('r') => Some('\r'),
                        Some('t') => Some('\t'),
                        Some('u') => {
                            let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                            u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4).and_then(char::from_u32)
                        }
                        _ => None,
                    };
                    match escaped {
                        Some(c) => c,
                        None => {
                            self.at += i;
                            return self
                                .fail(r#"expected `\"`, `\\`, `\n`, `\r`, `\t` or `\u` and four digits"#.to_owned());
                        }
                    }
                }
                c => c,
            };
            name.push(c);
        }
        self.at = self.text.len();
        self.fail("expected a quotation mark".to_owned())
    }

    pub(super) fn number(&mut self, expected: &str) -> ReadResult<i64> {
        self.number_of(expected, VALUE_BITS)
    }

    pub(super) fn number_of(&mut self, expected: &str, bits: u32) -> ReadResult<i64> {
        let rest = &self.text[self.at..];
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let len = rest.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match rest[..len].parse::<i64>() {
            Ok(number) if number.unsigned_abs() <= 1 << (bits - 1) => {
                self.at += len;
                Ok(number)
            }
            Err(e)
                if !matches!(e.kind(), std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow) =>
            {
                self.fail(format!("expected {expected}"))
            }
            _ => self.fail(format!("expected {expected}, and no more than {bits} bits")),
        }
    }

    // Lines.

    /// Reads the next line that is not blank.
    pub(super) fn next_filled(&mut self) -> ReadResult<Option<()>> {
        while self.next_line()? {
            if !self.text.trim_end_matches(' ').is_empty() {
                return Ok(Some(()));
            }
        }
        Ok(None)
    }

    pub(super) fn need_line(&mut self, expected: &str) -> ReadResult<()> {
        if self.next_line()? {
            return Ok(());
        }
        self.fail(format!("the certificate breaks off: expected {expected}"))
    }

    /// Reads a line; `false` at the end.
    pub(super) fn next_line(&mut self) -> ReadResult<bool> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        self.at = 0;
        self.line += 1;
        if self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(false);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        } else if bytes.len() as u64 == MAX_LINE {
            return self.fail(format!("this line has more than {} MiB", MAX_LINE >> 20));
        } else {
            // The last line of a complete certificate ends like all others.
            return self.fail("the certificate breaks off: expected the end of the line".to_owned());
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.text = text,
            Err(e) => {
                let valid = e.utf8_error().valid_up_to();
                self.text = String::from_utf8_lossy(&e.as_bytes()[..valid]).into_owned();
                self.at = self.text.len();
                return self.fail("this is not UTF-8 text".to_owned());
            }
        }
        Ok(true)
    }

    pub(super) fn fail<T>(&self, message: String) -> ReadResult<T> {
        let column = self.text[..self.at].chars().count() + 1;
        Err(ReadError::Malformed(Malformed { line: self.line, column, message }))
    }
}
