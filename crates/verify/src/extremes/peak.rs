//! A greatest value that several workers find.

use std::sync::{Mutex, PoisonError};

/// The greatest value that the workers of a search have found.
pub(super) struct Peak<T>(Mutex<Option<T>>);

impl<T> Default for Peak<T> {
    fn default() -> Peak<T> {
        Peak(Mutex::new(None))
    }
}

impl<T: Ord + Copy> Peak<T> {
    /// Notes a value. `own` is the greatest that this worker has found before.
    pub(super) fn raise(&self, value: T, own: &mut Option<T>) {
        if *own < Some(value) {
            *own = Some(value);
            let mut peak = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *peak = (*peak).max(*own);
        }
    }

    pub(super) fn get(&self) -> Option<T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
