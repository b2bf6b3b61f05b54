//! Lists of rows of one length in pages. A long list grows without being copied and without spare
//! capacity.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Returns the size in bytes of a hash table of integers: each with a byte of its hash, and one in
/// eight buckets empty.
pub(crate) fn table_bytes(table: &HashTable<u32>) -> usize {
    table.capacity() * 5 * 8 / 7
}

/// Returns a hash of integers, two of them at a time.
pub(crate) fn hash_integers(integers: &[i32]) -> u64 {
    let mut hasher = FxHasher::default();
    let (pairs, rest) = integers.as_chunks::<2>();
    pairs.iter().for_each(|[a, b]| hasher.write_u64(u64::from(*a as u32) << 32 | u64::from(*b as u32)));
    rest.iter().for_each(|integer| hasher.write_i32(*integer));
    hasher.finish()
}

/// The approximate size of a page in bytes.
const PAGE: usize = 1 << 18;

/// A list of rows of one length.
pub(crate) struct Pages<T> {
    width: usize,
    /// The binary logarithm of the number of rows in a page.
    shift: u32,
    pages: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> Pages<T> {
    /// Creates an empty list of rows of `width` values.
    pub(crate) fn new(width: usize) -> Pages<T> {
        let rows = (PAGE / (width * size_of::<T>()).max(1)).max(1);
        Pages { width, shift: rows.ilog2(), pages: Vec::new(), len: 0 }
    }

    /// Returns the number of values of a row.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        // All pages but the last are full, and the first grows by doubling.
        let full = self.pages.len().saturating_sub(1) << self.shift;
        full * self.width * size_of::<T>() + self.pages.last().map_or(0, |p| p.capacity() * size_of::<T>())
    }

    /// Adds a row and returns its index.
    #[inline]
    pub(crate) fn push(&mut self, row: &[T]) -> usize {
        debug_assert_eq!(row.len(), self.width);
        self.last_page().extend_from_slice(row);
        self.len += 1;
        self.len - 1
    }

    /// Adds a row of length one and returns its index.
    #[inline]
    pub(crate) fn push_item(&mut self, item: T) -> usize {
        debug_assert_eq!(self.width, 1);
        self.last_page().push(item);
        self.len += 1;
        self.len - 1
    }

    /// Returns the page to which the next row belongs.
    #[inline]
    fn last_page(&mut self) -> &mut Vec<T> {
        let page = self.len >> self.shift;
        if page == self.pages.len() {
            // A short list takes little memory; a long one is not copied.
            let rows = if self.pages.is_empty() { 0 } else { 1 << self.shift };
            self.pages.push(Vec::with_capacity(rows * self.width));
        }
        &mut self.pages[page]
    }

    /// Returns a row.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> &[T] {
        let at = (number & ((1 << self.shift) - 1)) * self.width;
        &self.pages[number >> self.shift][at..at + self.width]
    }

    /// Returns a mutable row.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> &mut [T] {
        let at = (number & ((1 << self.shift) - 1)) * self.width;
        &mut self.pages[number >> self.shift][at..at + self.width]
    }
}

impl<T> Pages<T> {
    /// Returns the value of a row of length one.
    #[inline]
    pub(crate) fn item(&self, number: usize) -> &T {
        &self.pages[number >> self.shift][number & ((1 << self.shift) - 1)]
    }

    /// Returns the mutable value of a row of length one.
    #[inline]
    pub(crate) fn item_mut(&mut self, number: usize) -> &mut T {
        &mut self.pages[number >> self.shift][number & ((1 << self.shift) - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::Pages;

    #[test]
    fn rows_come_back_across_pages() {
        let mut pages = Pages::new(3);
        for i in 0..200_000u64 {
            assert_eq!(pages.push(&[i, i + 1, i + 2]), i as usize);
        }
        pages.get_mut(199_999)[1] = 7;
        assert_eq!(pages.len(), 200_000);
        assert_eq!(pages.get(199_999), [199_999, 7, 200_001]);
        for i in (0..199_999u64).step_by(977) {
            assert_eq!(pages.get(i as usize), [i, i + 1, i + 2]);
        }
        assert!(pages.bytes() >= 200_000 * 24 && pages.bytes() < 200_000 * 24 + (1 << 19));
    }

    #[test]
    fn rows_without_values() {
        let mut pages = Pages::<u8>::new(0);
        pages.push(&[]);
        pages.push(&[]);
        assert_eq!((pages.get(1), pages.len()), (&[][..], 2));
    }
}
