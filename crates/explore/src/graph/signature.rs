//! Signatures of locations: the part of a row that matters to zones, in few bits.

use std::collections::HashMap;

use model::System;
use zone::Bound;

use super::prepared::{DifferenceBound, PreparedSystem};
use crate::bounds::{ClockBounds, Compared};

/// The signatures of all locations.
pub(super) struct Signatures {
    /// The number of words of a row's signature.
    pub words: usize,
    /// The processes that have locations with different signatures.
    pub processes: Vec<SignedProcess>,
    /// The signature of each location, shifted to the bits of its process.
    pub of: Vec<u64>,
}

/// A process whose location matters to zones.
pub(super) struct SignedProcess {
    pub process: u32,
    /// Its first location.
    pub first: u32,
    /// The index of the word with its bits.
    pub word: u32,
}

/// The properties of a location that matter to zones: constant bounds, and the clocks that it
/// compares.
type LocationKey<'l, B> = (&'l [DifferenceBound<B>], &'l [Compared<B>]);

impl Signatures {
    pub(super) fn new<B: Bound>(
        system: &System,
        prepared: &PreparedSystem<'_, B>,
        bounds: Option<&ClockBounds<B>>,
    ) -> Signatures {
        let mut processes = Vec::new();
        let mut of = vec![0; system.locations.len()];
        let (mut word, mut used) = (0, 0);
        for (p, process) in system.processes.iter().enumerate() {
            let first = process.first_location.0 as usize;
            let mut numbers: HashMap<LocationKey<'_, B>, u64> = HashMap::new();
            for (at, own) in of[first..first + process.locations as usize].iter_mut().enumerate() {
                let limits = prepared.constant(prepared.locations[first + at].limits);
                let compared = bounds.map_or(&[][..], |b| b.compared(first + at));
                let next = numbers.len() as u64;
                *own = *numbers.entry((limits, compared)).or_insert(next);
            }
            let bits = 64 - (numbers.len() as u64 - 1).leading_zeros();
            if bits == 0 {
                continue;
            }
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            for own in &mut of[first..first + process.locations as usize] {
                *own <<= used;
            }
            used += bits;
            processes.push(SignedProcess { process: p as u32, first: first as u32, word });
        }
        Signatures { words: if processes.is_empty() { 0 } else { word as usize + 1 }, processes, of }
    }
}
