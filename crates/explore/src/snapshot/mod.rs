//! The state of searches as bytes, so that they can go on later.
//!
//! A search is a deterministic function of what it has stored, of its open list and of a few
//! numbers: that is what a snapshot holds. Caches, hash tables and indices are computed anew. What
//! follows from the searches before, such as which probe is tried next, is not saved either: the
//! [`Journal`] has the results of these searches, and the program takes the same way through them
//! again without searching.
//!
//! Bytes are those of a file that may be damaged. Blocks have checksums, and whatever is read is
//! checked before it is used, so that a wrong number is an error and neither a panic nor a large
//! allocation.

mod journal;
mod read;
mod record;
mod storage;
mod write;

use std::fmt::{self, Write as _};

pub use journal::{Identity, IdentityDifference, Journal, JournalError, SavedSearch};
pub use read::{PartReader, SnapshotError};
pub use record::{CallRecord, EndRecord};
pub use storage::{Part, Storage, Unopened};
pub use write::PartWriter;

/// The version of the format. Every change to what is written raises it.
pub const FORMAT: u32 = 3;

/// The start of each part.
const MAGIC: [u8; 16] = *b"merkhet snapshot";
/// The size of a block, except the last one of a part.
const BLOCK: usize = 1 << 18;
/// The number of bytes of a checksum: half of a BLAKE3 hash.
const CHECKSUM: usize = 16;

/// Returns the checksum of a block. Blocks of equal contents have different ones, so that none can
/// take the place of another.
#[must_use]
pub fn checksum(number: u64, block: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(block);
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..CHECKSUM]);
    sum
}

/// Returns a hash of what a value looks like for debugging, which other values do not have.
#[must_use]
pub fn digest(value: &dyn fmt::Debug) -> String {
    struct Hashing(blake3::Hasher);
    impl fmt::Write for Hashing {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut hashing = Hashing(blake3::Hasher::new());
    // Hashing does not fail.
    let _ = write!(hashing, "{value:?}");
    hashing.0.finalize().to_hex().to_string()
}
