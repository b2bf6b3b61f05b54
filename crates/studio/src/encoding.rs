//! How the text of a file was encoded, so that saving it gives the same bytes.

use syntax::source::{DecodeError, decode};
use thiserror::Error;

/// An encoding of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Marked,
    /// UTF-16, the low byte first, with a byte order mark.
    Utf16Little,
    /// UTF-16, the high byte first, with a byte order mark.
    Utf16Big,
    /// Latin-1, as an XML prolog declares it.
    Latin1,
}

/// Why a file can't be edited here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodingError {
    /// It is not text.
    #[error("it {0}")]
    NotText(DecodeError),
    /// Its bytes can't be restored from its text.
    #[error("its encoding is irregular, so that it could not be saved unchanged")]
    Irregular,
    /// The text has a character that the encoding of the file lacks.
    #[error("`{0}` can't be written in Latin-1, which the file declares as its encoding")]
    NotLatin1(char),
}

impl Encoding {
    /// Decodes the bytes of a file.
    ///
    /// # Errors
    /// They are not text, or could not be written again as they are.
    pub fn read(bytes: &[u8]) -> Result<(String, Encoding), EncodingError> {
        let text = decode(bytes).map_err(EncodingError::NotText)?;
        let encoding = match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Encoding::Utf8Marked,
            [0xFF, 0xFE, ..] => Encoding::Utf16Little,
            [0xFE, 0xFF, ..] => Encoding::Utf16Big,
            _ if bytes == text.as_bytes() => Encoding::Utf8,
            _ => Encoding::Latin1,
        };
        if encoding.write(&text)? == bytes { Ok((text, encoding)) } else { Err(EncodingError::Irregular) }
    }

    /// Encodes a text.
    ///
    /// # Errors
    /// A character can't be encoded.
    pub fn write(self, text: &str) -> Result<Vec<u8>, EncodingError> {
        let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect::<Vec<u8>>()
        };
        Ok(match self {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Utf8Marked => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            Encoding::Utf16Little => utf16([0xFF, 0xFE], u16::to_le_bytes),
            Encoding::Utf16Big => utf16([0xFE, 0xFF], u16::to_be_bytes),
            Encoding::Latin1 => {
                let byte = |c: char| u8::try_from(u32::from(c)).map_err(|_| EncodingError::NotLatin1(c));
                text.chars().map(byte).collect::<Result<_, _>>()?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_restored() {
        let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- \xE9 -->";
        let marked = b"\xEF\xBB\xBFsystem P;\r\n";
        let files: [&[u8]; 5] = [b"", b"clock x;\n", marked, &[0xFF, 0xFE, b'a', 0, 0x3D, 0xD8, 0, 0xDE], latin];
        for bytes in files {
            let (text, encoding) = Encoding::read(bytes).unwrap();
            assert_eq!(encoding.write(&text).unwrap(), bytes);
        }
        let (text, encoding) = Encoding::read(latin).unwrap();
        assert_eq!(encoding.write(&format!("{text}\u{20ac}")), Err(EncodingError::NotLatin1('\u{20ac}')));
        assert_eq!(Encoding::read(&[0xFF, 0xFE, b'a']), Err(EncodingError::Irregular));
        assert!(matches!(Encoding::read(b"\x7fELF\0"), Err(EncodingError::NotText(_))));
    }
}
