//! Rows of one length in pages, so that a long list grows without being copied and without room to
//! spare.

use hashbrown::HashTable;

/// How many bytes a table of numbers takes: each with a byte of its hash, and one in eight places
/// is empty.
pub(crate) fn table_bytes(table: &HashTable<u32>) -> usize {
    table.capacity() * 5 * 8 / 7
}

/// About how many bytes a page takes.
const PAGE: usize = 1 << 18;

/// A list of rows of one length.
pub(crate) struct Pages<T> {
    width: usize,
    /// Rows in a page: two to the power of this.
    shift: u32,
    pages: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> Pages<T> {
    /// An empty list of rows of `width` values.
    pub(crate) fn new(width: usize) -> Pages<T> {
        let rows = (PAGE / (width * size_of::<T>()).max(1)).max(1);
        Pages { width, shift: rows.ilog2(), pages: Vec::new(), len: 0 }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        // All pages but the last are full, and the first grows by doubling.
        let full = self.pages.len().saturating_sub(1) << self.shift;
        full * self.width * size_of::<T>() + self.pages.last().map_or(0, |p| p.capacity() * size_of::<T>())
    }

    /// Adds a row; returns its number.
    pub(crate) fn push(&mut self, row: &[T]) -> usize {
        debug_assert_eq!(row.len(), self.width);
        let number = self.len;
        if number >> self.shift == self.pages.len() {
            // A small list takes little room; a long one is not copied.
            let rows = if self.pages.is_empty() { 0 } else { 1 << self.shift };
            self.pages.push(Vec::with_capacity(rows * self.width));
        }
        self.pages[number >> self.shift].extend_from_slice(row);
        self.len += 1;
        number
    }

    /// A row.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> &[T] {
        let at = (number & ((1 << self.shift) - 1)) * self.width;
        &self.pages[number >> self.shift][at..at + self.width]
    }

    /// A row, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: usize) -> &mut [T] {
        let at = (number & ((1 << self.shift) - 1)) * self.width;
        &mut self.pages[number >> self.shift][at..at + self.width]
    }
}

impl<T> Pages<T> {
    /// The value of a row of one.
    #[inline]
    pub(crate) fn item(&self, number: usize) -> &T {
        &self.pages[number >> self.shift][number & ((1 << self.shift) - 1)]
    }

    /// The value of a row of one, to be changed.
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
