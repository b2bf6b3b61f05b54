//! Results of long conditions, by what they read.
//!
//! A condition changes nothing, so its result depends on the numbers that it reads. Transitions
//! write few of them: the guards of a state mostly have the results that they had in the state
//! before, or in a neighbour of it.

use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::{System, code::Pc, symmetry::touched};

/// The number of results that are kept for each condition.
const ENTRIES: usize = 8;
/// The greatest number of integers that a condition may read.
const MAX_READ: usize = 128;
/// The number of lookups after which one that seldom helps is given up.
const TRIAL: u32 = 1 << 10;

/// Results of a condition.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The ranges of the row that it reads; none if results are not kept.
    ranges: Vec<(u32, u32)>,
    /// The number of integers in them.
    width: usize,
    /// The integers of the entries, and their results.
    read: Vec<i32>,
    results: [Option<bool>; ENTRIES],
    lookups: u32,
    hits: u32,
    /// The integers that are looked up, and their entry.
    sought: Vec<i32>,
    entry: usize,
}

impl Known {
    /// Prepares a condition.
    pub(super) fn new(system: &System, pc: u32) -> Known {
        let (slots, _) = touched(system, Pc(pc));
        let row = system.initial.len() as u32;
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for slot in slots.iter().copied().filter(|slot| *slot < row) {
            match ranges.last_mut() {
                Some((_, end)) if *end == slot => *end += 1,
                _ => ranges.push((slot, slot + 1)),
            }
        }
        let width = ranges.iter().map(|(first, end)| (end - first) as usize).sum();
        if width > MAX_READ {
            ranges.clear();
        }
        let read = if ranges.is_empty() { Vec::new() } else { vec![0; ENTRIES * width] };
        Known { ranges, width, read, results: [None; ENTRIES], lookups: 0, hits: 0, sought: Vec::new(), entry: 0 }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Known>() + (self.read.capacity() + self.width) * size_of::<i32>()
    }

    /// Returns the result for a row, if it is known.
    pub(super) fn look_up(&mut self, row: &[i32]) -> Option<bool> {
        if self.ranges.is_empty() {
            return None;
        }
        self.sought.clear();
        for &(first, end) in &self.ranges {
            self.sought.extend_from_slice(&row[first as usize..end as usize]);
        }
        let mut hasher = FxHasher::default();
        let (pairs, rest) = self.sought.as_chunks::<2>();
        for pair in pairs {
            hasher.write_u64(u64::from(pair[0] as u32) << 32 | u64::from(pair[1] as u32));
        }
        rest.iter().for_each(|number| hasher.write_i32(*number));
        let hash = hasher.finish();
        self.entry = (hash ^ hash >> 32) as usize % ENTRIES;
        self.lookups += 1;
        if self.lookups == TRIAL {
            if self.hits < TRIAL / 2 {
                (self.ranges, self.read, self.sought) = (Vec::new(), Vec::new(), Vec::new());
                return None;
            }
            (self.lookups, self.hits) = (0, 0);
        }
        let known =
            self.results[self.entry].filter(|_| self.read[self.entry * self.width..][..self.width] == self.sought);
        self.hits += u32::from(known.is_some());
        known
    }

    /// Keeps the result for the row that was looked up last.
    pub(super) fn keep(&mut self, result: bool) {
        if !self.ranges.is_empty() {
            self.read[self.entry * self.width..][..self.width].copy_from_slice(&self.sought);
            self.results[self.entry] = Some(result);
        }
    }
}
