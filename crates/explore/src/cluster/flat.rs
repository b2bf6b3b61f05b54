//! Flat bytes: what processes send each other, and how it is read without trust.

use zone::Bound;

/// Bytes that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Writes numbers and lists as bytes, in little-endian order.
#[derive(Clone, Debug, Default)]
pub struct FlatWriter(pub Vec<u8>);

impl FlatWriter {
    /// Adds a byte.
    pub fn byte(&mut self, value: u8) -> &mut FlatWriter {
        self.0.push(value);
        self
    }

    /// Adds a number.
    pub fn number(&mut self, value: u64) -> &mut FlatWriter {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds a small number.
    pub fn small(&mut self, value: u32) -> &mut FlatWriter {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Adds bytes, with their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut FlatWriter {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds small numbers, with their number.
    pub fn smalls(&mut self, values: &[u32]) -> &mut FlatWriter {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
        self
    }

    /// Adds integers, with their number.
    pub fn integers(&mut self, values: &[i32]) -> &mut FlatWriter {
        self.number(values.len() as u64);
        self.0.reserve(values.len() * 4);
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
        self
    }

    /// Adds integers, with their number, in one byte each if all fit.
    pub(crate) fn packed(&mut self, values: &[i32]) -> &mut FlatWriter {
        let fit = values.iter().all(|value| i8::try_from(*value).is_ok());
        self.byte(fit.into());
        if !fit {
            return self.integers(values);
        }
        self.number(values.len() as u64);
        self.0.extend(values.iter().map(|value| *value as u8));
        self
    }

    /// Adds short integers, with their number.
    pub(crate) fn shorts(&mut self, values: &[i16]) -> &mut FlatWriter {
        self.number(values.len() as u64);
        self.0.reserve(values.len() * 2);
        values.iter().for_each(|value| self.0.extend_from_slice(&value.to_le_bytes()));
        self
    }

    /// Adds bounds of zones, with their number.
    pub(crate) fn bounds<B: Bound>(&mut self, values: &[B]) -> &mut FlatWriter {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.0.extend_from_slice(&value.widest().to_le_bytes()));
        self
    }
}

/// Reads what a [`FlatWriter`] has written.
#[derive(Clone, Copy, Debug)]
pub struct FlatReader<'f>(&'f [u8]);

impl<'f> FlatReader<'f> {
    /// Starts to read.
    #[must_use]
    pub fn new(bytes: &'f [u8]) -> FlatReader<'f> {
        FlatReader(bytes)
    }

    fn take(&mut self, count: usize) -> Result<&'f [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    /// Reads a list of items of `N` bytes.
    fn list<const N: usize, T>(&mut self, item: impl Fn([u8; N]) -> T) -> Result<Vec<T>, Malformed> {
        let bytes = self.count()?.checked_mul(N).ok_or(Malformed)?;
        let (items, _) = self.take(bytes)?.as_chunks::<N>();
        Ok(items.iter().map(|bytes| item(*bytes)).collect())
    }

    /// Reads a byte.
    ///
    /// # Errors
    /// There is none.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// There is none.
    pub fn number(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a number of things.
    ///
    /// # Errors
    /// There is none, or it is larger than numbers of things can be.
    pub fn count(&mut self) -> Result<usize, Malformed> {
        self.number()?.try_into().map_err(|_| Malformed)
    }

    /// Reads a small number.
    ///
    /// # Errors
    /// There is none.
    pub fn small(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// There are fewer.
    pub fn bytes(&mut self) -> Result<&'f [u8], Malformed> {
        let count = self.count()?;
        self.take(count)
    }

    /// Reads small numbers.
    ///
    /// # Errors
    /// There are fewer.
    pub fn smalls(&mut self) -> Result<Vec<u32>, Malformed> {
        self.list(u32::from_le_bytes)
    }

    /// Reads integers.
    ///
    /// # Errors
    /// There are fewer.
    pub fn integers(&mut self) -> Result<Vec<i32>, Malformed> {
        self.list(i32::from_le_bytes)
    }

    pub(crate) fn packed(&mut self) -> Result<Vec<i32>, Malformed> {
        match self.byte()? {
            0 => self.integers(),
            1 => self.list(|[byte]: [u8; 1]| i32::from(byte as i8)),
            _ => Err(Malformed),
        }
    }

    pub(crate) fn shorts(&mut self) -> Result<Vec<i16>, Malformed> {
        self.list(i16::from_le_bytes)
    }

    pub(crate) fn bounds<B: Bound>(&mut self) -> Result<Vec<B>, Malformed> {
        let bounds = self.list(|bytes| B::of_widest(i64::from_le_bytes(bytes)))?;
        bounds.into_iter().collect::<Option<_>>().ok_or(Malformed)
    }

    /// Checks that everything was read.
    ///
    /// # Errors
    /// Something is left.
    pub fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let mut out = FlatWriter::default();
        out.byte(7).number(u64::MAX).small(5).bytes(b"abc").smalls(&[1, 2]).integers(&[-1, i32::MIN]);
        out.packed(&[-128, 127]).packed(&[128, -1]);
        out.shorts(&[-3]).bounds(&[i64::INFINITY, -4]);
        let mut read = FlatReader::new(&out.0);
        assert_eq!((read.byte(), read.number(), read.small()), (Ok(7), Ok(u64::MAX), Ok(5)));
        assert_eq!((read.bytes(), read.smalls()), (Ok(&b"abc"[..]), Ok(vec![1, 2])));
        assert_eq!(read.integers(), Ok(vec![-1, i32::MIN]));
        assert_eq!((read.packed(), read.packed()), (Ok(vec![-128, 127]), Ok(vec![128, -1])));
        assert_eq!(read.shorts(), Ok(vec![-3]));
        let bounds = read;
        assert_eq!((read.bounds(), read.end()), (Ok(vec![i64::INFINITY, -4]), Ok(())));
        assert_eq!({ bounds }.bounds(), Ok(vec![i32::INFINITY, -4]));
        for end in 0..out.0.len() {
            let mut read = FlatReader::new(&out.0[..end]);
            let all = |read: &mut FlatReader<'_>| {
                read.byte()?;
                read.number()?;
                read.small()?;
                read.bytes()?;
                read.smalls()?;
                read.integers()?;
                read.packed()?;
                read.packed()?;
                read.shorts()?;
                read.bounds::<i64>()
            };
            assert_eq!(all(&mut read), Err(Malformed), "{end}");
        }
    }

    #[test]
    fn lengths_that_are_too_large_are_refused() {
        let mut out = FlatWriter::default();
        out.number(u64::MAX / 2);
        assert_eq!(FlatReader::new(&out.0).integers(), Err(Malformed));
        assert_eq!(FlatReader::new(&out.0).bytes(), Err(Malformed));
        let mut out = FlatWriter::default();
        out.bounds(&[i64::INFINITY + 1]);
        assert_eq!(FlatReader::new(&out.0).bounds::<i64>(), Err(Malformed));
        let mut out = FlatWriter::default();
        out.bounds(&[1_i64 << 40]);
        assert_eq!(FlatReader::new(&out.0).bounds::<i32>(), Err(Malformed));
    }
}
