//! Writes a part of a checkpoint.

use std::io::{self, Write};

use zone::Bound;

use super::{BLOCK, FORMAT, MAGIC, checksum};
use crate::store::NodeId;

/// Writes numbers in blocks with checksums. An error of the stream is reported at the end.
pub struct PartWriter<'w> {
    out: &'w mut dyn Write,
    block: Vec<u8>,
    number: u64,
    /// A hash of the checksums of all blocks.
    sums: blake3::Hasher,
    result: io::Result<()>,
}

impl<'w> PartWriter<'w> {
    /// Starts a part.
    pub fn new(out: &'w mut dyn Write) -> PartWriter<'w> {
        let result = out.write_all(&MAGIC).and_then(|()| out.write_all(&FORMAT.to_le_bytes()));
        PartWriter { out, block: Vec::with_capacity(BLOCK + 16), number: 0, sums: blake3::Hasher::new(), result }
    }

    /// Ends the part with an empty block, and returns a hash of it.
    ///
    /// # Errors
    /// The first error of the stream.
    pub(crate) fn finish(mut self) -> io::Result<blake3::Hash> {
        if !self.block.is_empty() {
            self.end_block();
        }
        self.end_block();
        self.result.map(|()| self.sums.finalize())
    }

    /// Returns whether the stream has failed, so that the rest need not be written.
    #[must_use]
    pub(crate) fn has_failed(&self) -> bool {
        self.result.is_err()
    }

    fn end_block(&mut self) {
        if self.result.is_ok() {
            let sum = checksum(self.number, &self.block);
            self.sums.update(&sum);
            let length = (self.block.len() as u32).to_le_bytes();
            self.result = [&length[..], &self.block, &sum].into_iter().try_for_each(|bytes| self.out.write_all(bytes));
        }
        self.number += 1;
        self.block.clear();
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.block.push(byte);
        if self.block.len() == BLOCK {
            self.end_block();
        }
    }

    /// Writes a natural number: seven bits in a byte, the lowest first.
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// Writes a size.
    #[inline]
    pub fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    /// Writes an integer, small ones in few bytes.
    #[inline]
    pub fn integer(&mut self, integer: i64) {
        self.number((integer << 1 ^ integer >> 63) as u64);
    }

    /// Writes a truth value.
    pub fn flag(&mut self, flag: bool) {
        self.byte(u8::from(flag));
    }

    /// Writes bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes a number that may be absent.
    pub(crate) fn optional(&mut self, number: Option<u64>) {
        self.flag(number.is_some());
        if let Some(number) = number {
            self.number(number);
        }
    }

    /// Writes the bounds of a zone.
    pub(crate) fn zone<B: Bound>(&mut self, zone: &[B]) {
        for &bound in zone {
            self.bound(bound);
        }
    }

    /// Writes a number of the size of a bound.
    #[inline]
    pub(crate) fn bound<B: Bound>(&mut self, bound: B) {
        // Many bounds are infinite.
        if bound == B::INFINITY {
            return self.byte(0);
        }
        let bound: i64 = bound.into();
        let folded = (bound << 1 ^ bound >> 63) as u64;
        // A finite bound of 64 bits has at most 63.
        self.number(folded + 1);
    }

    /// Writes a list of nodes.
    pub(crate) fn nodes<'n>(&mut self, nodes: impl ExactSizeIterator<Item = &'n NodeId>) {
        self.size(nodes.len());
        let mut last = 0;
        for node in nodes {
            self.integer(i64::from(node.0) - last);
            last = node.0.into();
        }
    }

    /// Writes a set of indices.
    pub(crate) fn set(&mut self, set: &[bool]) {
        self.size(set.len());
        self.size(set.iter().filter(|is| **is).count());
        let mut last = 0;
        for i in (0..set.len()).filter(|i| set[*i]) {
            self.size(i - last);
            last = i;
        }
    }
}
