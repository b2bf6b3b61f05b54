//! Frames on a connection: their length, a hash that only the other process can make, and bytes.
//!
//! The hash also depends on the number of the frame, so that frames can't be left out, repeated or
//! swapped.

use std::io::{self, Read, Write};

use crate::key::Key;

/// Longer frames are refused. States travel in frames of some kilobytes; a model may be large.
pub(crate) const MAX_FRAME: usize = 256 << 20;

/// The number of bytes of a hash that are sent.
const HASH: usize = 16;

/// One direction of a connection.
pub(crate) struct Seal {
    key: Key,
    frames: u64,
}

impl Seal {
    pub(crate) fn new(key: Key) -> Seal {
        Seal { key, frames: 0 }
    }

    fn next(&mut self, bytes: &[u8]) -> [u8; HASH] {
        let hash = self.key.hash("frame", &[bytes, &self.frames.to_le_bytes()]);
        self.frames += 1;
        std::array::from_fn(|i| hash.as_bytes()[i])
    }

    /// Writes a frame.
    pub(crate) fn write(&mut self, to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        let Some(length) = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= MAX_FRAME) else {
            return Err(io::Error::other("a frame is too long"));
        };
        to.write_all(&length.to_le_bytes())?;
        to.write_all(&self.next(bytes))?;
        to.write_all(bytes)
    }

    /// Reads a frame.
    pub(crate) fn read(&mut self, from: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::other("it has sent something unintelligible"));
        }
        let mut hash = [0; HASH];
        from.read_exact(&mut hash)?;
        let mut bytes = Vec::new();
        from.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // Who learns bytes of the hash from the time this takes can only break the connection.
        if self.next(&bytes) != hash {
            return Err(io::Error::other("it has sent something unintelligible"));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written() {
        let key = Key::new(b"key");
        let (mut write, mut read) = (Seal::new(key.clone()), Seal::new(key.clone()));
        let mut wire = Vec::new();
        for bytes in [&b"one"[..], b"", &[7; 100_000]] {
            write.write(&mut wire, bytes).unwrap();
        }
        let mut from = &wire[..];
        assert_eq!(read.read(&mut from).unwrap(), b"one");
        assert_eq!(read.read(&mut from).unwrap(), b"");
        assert_eq!(read.read(&mut from).unwrap(), [7; 100_000]);
        assert!(read.read(&mut from).is_err());
    }

    #[test]
    fn other_frames_are_refused() {
        let key = Key::new(b"key");
        let mut wire = Vec::new();
        let mut write = Seal::new(key.clone());
        write.write(&mut wire, b"one").unwrap();
        let one = wire.len();
        write.write(&mut wire, b"two").unwrap();
        let refused = |wire: &[u8], key: &Key| Seal::new(key.clone()).read(&mut &*wire).is_err();
        assert!(!refused(&wire, &key));
        assert!(refused(&wire, &Key::new(b"other")));
        assert!(refused(&wire[one..], &key), "the second frame comes first");
        for i in 0..one {
            let mut damaged = wire[..one].to_vec();
            damaged[i] ^= 1;
            assert!(refused(&damaged, &key), "{i}");
            assert!(refused(&wire[..i], &key), "{i}");
        }
    }
}
