//! A greatest value that several workers find.

use std::{
    cmp::Reverse,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use explore::snapshot::SnapshotError;
use zone::Bound;

use crate::resume::Findings;

/// The greatest value that the workers of a search have found.
pub(super) struct Peak<T> {
    value: Mutex<Option<T>>,
    /// The value as an integer of a checkpoint, and back.
    number: fn(T) -> i64,
    of: fn(i64) -> Option<T>,
}

impl<B: Bound> Peak<B> {
    /// Of bounds.
    pub(super) fn of_bounds() -> Peak<B> {
        Peak { value: Mutex::new(None), number: Bound::widest, of: B::of_widest }
    }
}

impl Peak<i32> {
    /// Of integers.
    pub(super) fn of_integers() -> Peak<i32> {
        Peak { value: Mutex::new(None), number: i64::from, of: |number| i32::try_from(number).ok() }
    }
}

impl Peak<Reverse<i32>> {
    /// Of integers, of which the least counts.
    pub(super) fn of_least() -> Peak<Reverse<i32>> {
        let of = |number| i32::try_from(number).ok().map(Reverse);
        Peak { value: Mutex::new(None), number: |Reverse(value)| value.into(), of }
    }
}

impl<T: Ord + Copy> Findings for Peak<T> {
    fn save(&self) -> Vec<i64> {
        self.get().map(self.number).into_iter().collect()
    }

    fn load(&self, numbers: &[i64]) -> Result<(), SnapshotError> {
        match *numbers {
            [] => self.set(None),
            [number] => self.set(Some((self.of)(number).ok_or(WRONG_VALUE)?)),
            _ => return Err(WRONG_VALUE),
        }
        Ok(())
    }
}

const WRONG_VALUE: SnapshotError = SnapshotError::Impossible("a value is out of range");

/// The values of several integers. Both lists have a peak for each.
pub(super) struct Values<'p> {
    pub greatest: &'p [Peak<i32>],
    pub least: &'p [Peak<Reverse<i32>>],
}

impl Findings for Values<'_> {
    fn save(&self) -> Vec<i64> {
        let pairs = self.greatest.iter().zip(self.least);
        let numbers = |(greatest, least): (&Peak<i32>, &Peak<Reverse<i32>>)| match (greatest.get(), least.get()) {
            (Some(high), Some(Reverse(low))) => [1, high.into(), low.into()],
            _ => [0; 3],
        };
        pairs.flat_map(numbers).collect()
    }

    fn load(&self, numbers: &[i64]) -> Result<(), SnapshotError> {
        let (values, rest) = numbers.as_chunks::<3>();
        if !rest.is_empty() || values.len() > self.greatest.len() {
            return Err(WRONG_VALUE);
        }
        for ((greatest, least), [is_known, high, low]) in self.greatest.iter().zip(self.least).zip(values) {
            let known = |value: &i64| Vec::from_iter((*is_known != 0).then_some(*value));
            greatest.load(&known(high))?;
            least.load(&known(low))?;
        }
        Ok(())
    }
}

/// The greatest value of a clock, and whether it has no bound.
pub(super) struct ClockPeak<'p, B>(pub &'p Peak<B>, pub &'p AtomicBool);

impl<B: Bound> Findings for ClockPeak<'_, B> {
    fn save(&self) -> Vec<i64> {
        let mut numbers = vec![i64::from(self.1.load(Ordering::Relaxed))];
        numbers.extend(self.0.save());
        numbers
    }

    fn load(&self, numbers: &[i64]) -> Result<(), SnapshotError> {
        let (infinite, value) = numbers.split_first().ok_or(WRONG_VALUE)?;
        self.1.store(*infinite != 0, Ordering::Relaxed);
        self.0.load(value)
    }
}

impl<T: Ord + Copy> Peak<T> {
    /// Notes a value. `own` is the greatest that this worker has found before.
    pub(super) fn raise(&self, value: T, own: &mut Option<T>) {
        if *own < Some(value) {
            *own = Some(value);
            let mut peak = self.value.lock().unwrap_or_else(PoisonError::into_inner);
            *peak = (*peak).max(*own);
        }
    }

    /// Sets what the workers of all processes have found, or of an earlier run.
    pub(super) fn set(&self, value: Option<T>) {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner) = value;
    }

    pub(super) fn get(&self) -> Option<T> {
        *self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
