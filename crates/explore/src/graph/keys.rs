//! Sets of lists of words, which have indices.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::pages::table_bytes;

/// A set of lists of words.
#[derive(Default)]
pub(super) struct KeySet {
    table: HashTable<u32>,
    words: Vec<u64>,
    /// The end of each list.
    ends: Vec<usize>,
}

impl KeySet {
    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        table_bytes(&self.table) + self.words.capacity() * size_of::<u64>() + self.ends.capacity() * size_of::<usize>()
    }

    /// Returns the index of a list, and whether it is new. Indices count from 0.
    #[inline]
    pub(super) fn intern(&mut self, key: &[u64]) -> (u32, bool) {
        let KeySet { table, words, ends } = self;
        let hash_value = hash(key);
        // Lists are short: a call of `memcmp` would cost more than the comparison.
        let is_equal = |i: &u32| {
            let own = list(words, ends, *i);
            own.len() == key.len() && own.iter().zip(key).all(|(a, b)| a == b)
        };
        if let Some(&found) = table.find(hash_value, is_equal) {
            return (found, false);
        }
        let new = ends.len() as u32;
        words.extend_from_slice(key);
        ends.push(words.len());
        table.insert_unique(hash_value, new, |i| hash(list(words, ends, *i)));
        (new, true)
    }
}

#[inline]
fn list<'w>(words: &'w [u64], ends: &[usize], i: u32) -> &'w [u64] {
    let start = if i == 0 { 0 } else { ends[i as usize - 1] };
    &words[start..ends[i as usize]]
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}
