//! The secret that the processes of a cluster share.

use std::fmt;

/// The number of bytes of hashes and random numbers.
pub(crate) const LENGTH: usize = 32;

/// A shared secret. It is never sent.
#[derive(Clone)]
pub struct Key([u8; LENGTH]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// Makes a key of the bytes of a file.
    #[must_use]
    pub fn new(secret: &[u8]) -> Key {
        Key(blake3::derive_key("merkhet 2026-11 cluster key", secret))
    }

    /// Makes a key that nobody knows, and its secret for those who are to know it.
    ///
    /// # Errors
    /// The operating system has no random numbers.
    pub fn random() -> Result<(Key, String), getrandom::Error> {
        let mut secret = [0; LENGTH];
        getrandom::fill(&mut secret)?;
        let secret = blake3::Hash::from(secret).to_hex().to_string();
        Ok((Key::new(secret.as_bytes()), secret))
    }

    /// Returns the hash of bytes for a purpose. Only who knows the key can compute it.
    ///
    /// What says where the parts end follows them: a long first part is hashed fastest at the
    /// start.
    pub(crate) fn hash(&self, purpose: &str, bytes: &[&[u8]]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        let parts = || bytes.iter().copied().chain([purpose.as_bytes()]);
        parts().for_each(|part| _ = hasher.update(part));
        parts().for_each(|part| _ = hasher.update(&(part.len() as u64).to_le_bytes()));
        hasher.update(&(bytes.len() as u64).to_le_bytes()).finalize()
    }

    /// Makes a key for one purpose.
    pub(crate) fn derived(&self, purpose: &str, bytes: &[&[u8]]) -> Key {
        Key(*self.hash(purpose, bytes).as_bytes())
    }
}
