//! How the text of a file was encoded, so that it is written as it was read.

use syntax::source::{DecodeError, decode};

use crate::Refusal;

/// The encoding of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-8 with a byte order mark.
    MarkedUtf8,
    /// UTF-16, the low byte first, with a byte order mark.
    Utf16Low,
    /// UTF-16, the high byte first, with a byte order mark.
    Utf16High,
    /// One byte for each character.
    Latin1,
}

impl Encoding {
    /// Decodes the bytes of a file.
    ///
    /// # Errors
    /// The bytes are not text, or another text would be written for them.
    pub fn decode(bytes: &[u8]) -> Result<(Encoding, String), DecodeError> {
        let text = decode(bytes)?;
        let encoding = match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Encoding::MarkedUtf8,
            [0xFF, 0xFE, ..] => Encoding::Utf16Low,
            [0xFE, 0xFF, ..] => Encoding::Utf16High,
            _ if text.as_bytes() == bytes => Encoding::Utf8,
            _ => Encoding::Latin1,
        };
        // An odd byte at the end of UTF-16 is not read.
        if encoding.encode(&text).as_deref() != Ok(bytes) {
            return Err(DecodeError::Utf16);
        }
        Ok((encoding, text))
    }

    /// Encodes a text.
    ///
    /// # Errors
    /// The encoding lacks a character.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Refusal> {
        match self {
            Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
            Encoding::MarkedUtf8 => Ok([&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat()),
            Encoding::Utf16Low => {
                Ok([0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect())
            }
            Encoding::Utf16High => {
                Ok([0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect())
            }
            Encoding::Latin1 => text.chars().map(latin1).collect(),
        }
    }
}

fn latin1(c: char) -> Result<u8, Refusal> {
    u8::try_from(u32::from(c)).map_err(|_| {
        Refusal::new(format!("the file is in Latin-1, which has no character `{c}`"))
            .help("change the encoding in its first line to UTF-8")
    })
}

/// Returns the highest character that an XML file can hold as itself, by the encoding that its first
/// line declares. Others are written as references.
pub(crate) fn highest(text: &str) -> char {
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
    fn files_are_written_as_they_were_read() {
        let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\xE9";
        let files: [&[u8]; 7] =
            [b"", b"a\r\n", "é€".as_bytes(), b"\xEF\xBB\xBFa", b"\xFF\xFEa\0\x3D\xD8\0\xDE", b"\xFE\xFF\0a", latin];
        for bytes in files {
            let (encoding, text) = Encoding::decode(bytes).unwrap();
            assert_eq!(encoding.encode(&text).unwrap(), bytes, "{encoding:?}");
        }
        assert!(Encoding::decode(b"\xFF\xFEa\0b").is_err());
        assert!(Encoding::Latin1.encode("€").is_err());
    }

    #[test]
    fn declared_encodings_are_known() {
        assert_eq!(highest("<?xml version='1.0' encoding='iso-8859-1'?>"), '\u{7F}');
        assert_eq!(highest("<?xml version='1.0' encoding=\"utf-8\"?>"), char::MAX);
        assert_eq!(highest("<nta/>"), char::MAX);
    }
}
