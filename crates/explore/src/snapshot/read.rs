//! Reads a part of a checkpoint.

use std::io::{self, Read};

use thiserror::Error;
use zone::Bound;

use super::{BLOCK, CHECKSUM, FORMAT, MAGIC, checksum};
use crate::store::NodeId;

/// Why a part of a checkpoint can't be used.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// It can't be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// It is something else.
    #[error("it is not a part of a checkpoint")]
    Foreign,
    /// Another version of the format.
    #[error("it has version {0} of the format, and this merkhet has version {FORMAT}")]
    Format(u32),
    /// It ends too early.
    #[error("it is incomplete")]
    Incomplete,
    /// A block does not have its checksum.
    #[error("it is damaged: the checksum of block {0} is wrong")]
    Checksum(u64),
    /// Something that no search has.
    #[error("it is damaged: {0}")]
    Impossible(&'static str),
}

/// Reads numbers from blocks with checksums.
pub struct PartReader<'r> {
    input: Box<dyn Read + 'r>,
    /// The number of bytes that were not read.
    left: u64,
    block: Vec<u8>,
    at: usize,
    number: u64,
    is_over: bool,
}

impl<'r> PartReader<'r> {
    /// Starts to read a part of so many bytes.
    ///
    /// # Errors
    /// It is not a part, or has another version.
    pub fn new(input: Box<dyn Read + 'r>, length: u64) -> Result<PartReader<'r>, SnapshotError> {
        let mut part = PartReader { input, left: length, block: Vec::new(), at: 0, number: 0, is_over: false };
        let (mut magic, mut version) = ([0; MAGIC.len()], [0; 4]);
        match part.take(&mut magic) {
            Ok(()) if magic == MAGIC => {}
            Err(SnapshotError::Read(e)) => return Err(SnapshotError::Read(e)),
            _ => return Err(SnapshotError::Foreign),
        }
        part.take(&mut version)?;
        match u32::from_le_bytes(version) {
            FORMAT => Ok(part),
            other => Err(SnapshotError::Format(other)),
        }
    }

    fn take(&mut self, out: &mut [u8]) -> Result<(), SnapshotError> {
        let length = out.len() as u64;
        self.left = self.left.checked_sub(length).ok_or(SnapshotError::Incomplete)?;
        self.input.read_exact(out).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => SnapshotError::Incomplete,
            _ => SnapshotError::Read(e),
        })
    }

    /// Reads the next block, which is empty at the end.
    fn next_block(&mut self) -> Result<(), SnapshotError> {
        let mut length = [0; 4];
        self.take(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > BLOCK {
            return Err(SnapshotError::Checksum(self.number));
        }
        let (mut block, mut sum) = (std::mem::take(&mut self.block), [0; CHECKSUM]);
        block.resize(length, 0);
        self.take(&mut block)?;
        self.take(&mut sum)?;
        if sum != checksum(self.number, &block) {
            return Err(SnapshotError::Checksum(self.number));
        }
        (self.block, self.at, self.is_over) = (block, 0, length == 0);
        self.number += 1;
        Ok(())
    }

    /// Reads to the end, and checks that nothing is missing and nothing follows.
    ///
    /// # Errors
    /// It is damaged.
    pub fn check(mut self) -> Result<(), SnapshotError> {
        while !self.is_over {
            self.next_block()?;
        }
        self.at_end()
    }

    /// Ends the part.
    ///
    /// # Errors
    /// It goes on.
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        if self.at < self.block.len() {
            return Err(SnapshotError::Impossible("it is too long"));
        }
        self.next_block()?;
        self.at_end()
    }

    fn at_end(&self) -> Result<(), SnapshotError> {
        if self.is_over && self.left == 0 { Ok(()) } else { Err(SnapshotError::Impossible("it is too long")) }
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, SnapshotError> {
        if self.at == self.block.len() {
            if self.is_over {
                return Err(SnapshotError::Incomplete);
            }
            self.next_block()?;
            if self.is_over {
                return Err(SnapshotError::Incomplete);
            }
        }
        self.at += 1;
        Ok(self.block[self.at - 1])
    }

    /// Reads a natural number.
    ///
    /// # Errors
    /// As for all numbers: the part is damaged, or ends.
    #[inline]
    pub fn number(&mut self) -> Result<u64, SnapshotError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(SnapshotError::Impossible("a number is too large"))
    }

    /// Reads a size.
    ///
    /// # Errors
    /// As for all numbers.
    pub fn size(&mut self) -> Result<usize, SnapshotError> {
        usize::try_from(self.number()?).map_err(|_| SnapshotError::Impossible("a size is too large"))
    }

    /// Reads the length of a list whose items take a byte at least.
    ///
    /// # Errors
    /// So much does not follow.
    pub fn length(&mut self) -> Result<usize, SnapshotError> {
        let length = self.size()?;
        let left = (self.block.len() - self.at) as u64 + self.left;
        if length as u64 > left {
            return Err(SnapshotError::Impossible("a list is longer than the file"));
        }
        Ok(length)
    }

    /// Reads a number below a limit.
    ///
    /// # Errors
    /// It is too large.
    pub(crate) fn below(&mut self, limit: usize, what: &'static str) -> Result<u32, SnapshotError> {
        let number = self.size()?;
        if number < limit { Ok(number as u32) } else { Err(SnapshotError::Impossible(what)) }
    }

    /// Reads an integer.
    ///
    /// # Errors
    /// As for all numbers.
    #[inline]
    pub fn integer(&mut self) -> Result<i64, SnapshotError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads an integer of 32 bits.
    pub(crate) fn small(&mut self) -> Result<i32, SnapshotError> {
        i32::try_from(self.integer()?).map_err(|_| SnapshotError::Impossible("an integer is too large"))
    }

    /// Reads a natural number of 32 bits.
    pub(crate) fn natural(&mut self) -> Result<u32, SnapshotError> {
        u32::try_from(self.number()?).map_err(|_| SnapshotError::Impossible("a number is too large"))
    }

    /// Reads a truth value.
    ///
    /// # Errors
    /// It is none.
    pub fn flag(&mut self) -> Result<bool, SnapshotError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(SnapshotError::Impossible("a flag is neither set nor clear")),
        }
    }

    /// Reads bytes.
    pub(crate) fn bytes(&mut self) -> Result<Vec<u8>, SnapshotError> {
        (0..self.length()?).map(|_| self.byte()).collect()
    }

    /// Reads a text.
    ///
    /// # Errors
    /// It is not valid UTF-8.
    pub fn text(&mut self) -> Result<String, SnapshotError> {
        String::from_utf8(self.bytes()?).map_err(|_| SnapshotError::Impossible("a text is not UTF-8"))
    }

    /// Reads a zone of a dimension, and its tail, of so many bounds together. Its diagonal is that
    /// of zones that are not empty.
    pub(crate) fn zone<B: Bound>(&mut self, dim: usize, area: usize, zone: &mut Vec<B>) -> Result<(), SnapshotError> {
        zone.clear();
        for i in 0..area {
            let bound = self.bound()?;
            if i < dim * dim && i % (dim + 1) == 0 && bound != B::LE_ZERO {
                return Err(SnapshotError::Impossible("a zone is empty"));
            }
            zone.push(bound);
        }
        Ok(())
    }

    /// Reads a bound, in the range of its type.
    pub(crate) fn bound<B: Bound>(&mut self) -> Result<B, SnapshotError> {
        let folded = self.number()?;
        if folded == 0 {
            return Ok(B::INFINITY);
        }
        let number = ((folded - 1) >> 1) as i64 ^ -(((folded - 1) & 1) as i64);
        B::of_widest(number).ok_or(SnapshotError::Impossible("a bound is out of range"))
    }

    /// Reads a list of nodes of a store that has so many.
    pub(crate) fn nodes(&mut self, added: usize) -> Result<Vec<NodeId>, SnapshotError> {
        let length = self.length()?;
        let mut nodes = Vec::with_capacity(length);
        let mut last = 0;
        for _ in 0..length {
            last = self.integer()?.checked_add(last).unwrap_or(-1);
            if !(0..added as i64).contains(&last) {
                return Err(SnapshotError::Impossible("a node is not in the store"));
            }
            nodes.push(NodeId(last as u32));
        }
        Ok(nodes)
    }

    /// Reads a set of indices, of which there are at most so many.
    pub(crate) fn set(&mut self, max: usize) -> Result<Vec<bool>, SnapshotError> {
        const WRONG: SnapshotError = SnapshotError::Impossible("a set has a wrong element");
        let length = self.size()?;
        if length > max {
            return Err(WRONG);
        }
        let mut set = vec![false; length];
        let mut at = 0_usize;
        for _ in 0..self.length()? {
            at = at.checked_add(self.size()?).ok_or(WRONG)?;
            *set.get_mut(at).ok_or(WRONG)? = true;
        }
        Ok(set)
    }
}
