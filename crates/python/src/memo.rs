//! Results of functions that are kept, by the values that the functions have read.
//!
//! A strategy of joining is asked about each new state and each stored one beside it, and often
//! looks at a few variables of both. A function that has read some values and returned something
//! returns the same wherever it finds these values: it reads the same ones there.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// So many sets of places are remembered at most. A function that reads other places again and
/// again is asked each time.
const MAX_PLACES: usize = 8;

/// The greatest number of results that are kept for a set of places.
const MAX_RESULTS: usize = 1 << 20;

/// What was read: an argument of the function, and an integer of its row.
type ReadSlot = (usize, usize);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a function has read in one call.
#[derive(Default)]
pub struct Reads {
    places: Mutex<Vec<ReadSlot>>,
    /// Whether it has looked at more than single values.
    all: AtomicBool,
}

impl Reads {
    /// Notes that some integers of an argument were read.
    pub fn note(&self, argument: usize, slots: Range<usize>) {
        let mut places = locked(&self.places);
        for place in slots.map(|slot| (argument, slot)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }

    /// Notes that everything may matter.
    pub fn note_all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }
}

/// The results for the values of some places.
struct Known {
    places: Vec<ReadSlot>,
    results: HashMap<Box<[i32]>, bool>,
}

/// The values of places in some rows.
fn values(places: &[ReadSlot], rows: &[&[i32]], out: &mut Vec<i32>) {
    out.clear();
    out.extend(places.iter().map(|&(argument, slot)| rows[argument][slot]));
}

/// The results of a function of several states.
#[derive(Default)]
pub struct Memo(Mutex<(Vec<Known>, Vec<i32>)>);

impl Memo {
    /// Returns the result for some rows, if it is known.
    fn find(&self, rows: &[&[i32]]) -> Option<bool> {
        let (all, buffer) = &mut *locked(&self.0);
        all.iter().find_map(|known| {
            values(&known.places, rows, buffer);
            known.results.get(&buffer[..]).copied()
        })
    }

    fn keep(&self, reads: &Reads, rows: &[&[i32]], result: bool) {
        if reads.all.load(Ordering::Relaxed) {
            return;
        }
        let places = locked(&reads.places).clone();
        let (all, buffer) = &mut *locked(&self.0);
        values(&places, rows, buffer);
        let at = all.iter().position(|known| known.places == places).unwrap_or_else(|| {
            all.push(Known { places, results: HashMap::new() });
            all.len() - 1
        });
        if at >= MAX_PLACES {
            all.truncate(MAX_PLACES);
            return;
        }
        if all[at].results.len() >= MAX_RESULTS {
            all[at].results.clear();
        }
        all[at].results.insert(buffer[..].into(), result);
    }

    /// Returns the result for some rows, by asking the function if it is not known. No lock is
    /// held meanwhile. Failures are not kept.
    pub fn get<E>(&self, rows: &[&[i32]], ask: impl FnOnce(&Arc<Reads>) -> Result<bool, E>) -> Result<bool, E> {
        if let Some(result) = self.find(rows) {
            return Ok(result);
        }
        let reads = Arc::default();
        let result = ask(&reads)?;
        self.keep(&reads, rows, result);
        Ok(result)
    }
}
