//! Signatures of locations: the part of a row that matters to zones, in few bits.

use std::collections::HashMap;

use model::{
    System,
    system::{Edge, EdgeId},
};
use zone::Bound;

use super::prepared::{DifferenceBound, PreparedSystem};
use crate::bounds::{ClockBounds, Compared};

/// The signatures of all locations.
pub(super) struct Signatures {
    /// The number of words of a row's signature, at least one.
    words: usize,
    /// The processes that have locations with different signatures.
    processes: Vec<SignedProcess>,
    /// The signature of each location, shifted to the bits of its process.
    of: Vec<u64>,
    /// The word of each edge's process, and what changes in it when the edge is taken.
    turns: Vec<(u32, u64)>,
}

/// A process whose location matters to zones.
struct SignedProcess {
    process: u32,
    /// Its first location.
    first: u32,
    /// The index of the word with its bits.
    word: u32,
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
        let mut words = vec![0; system.processes.len()];
        processes.iter().for_each(|p| words[p.process as usize] = p.word);
        let turn = |e: &Edge| (words[e.process.0 as usize], of[e.source.0 as usize] ^ of[e.target.0 as usize]);
        let turns = system.edges.iter().map(turn).collect();
        Signatures { words: word as usize + 1, processes, of, turns }
    }

    /// Computes the signature of a row.
    pub(super) fn of_row(&self, row: &[i32], out: &mut Vec<u64>) {
        let own = |p: &SignedProcess| self.of[p.first as usize + row[p.process as usize] as usize];
        if let (1, [out]) = (self.words, &mut out[..]) {
            *out = self.processes.iter().fold(0, |all, p| all | own(p));
            return;
        }
        out.clear();
        out.resize(self.words, 0);
        for p in &self.processes {
            out[p.word as usize] |= own(p);
        }
    }

    /// Returns whether a signature is that of a row: for assertions.
    pub(super) fn is_of(&self, row: &[i32], signature: &[u64]) -> bool {
        let mut own = Vec::new();
        self.of_row(row, &mut own);
        own == signature
    }

    /// Computes the signature after a transition from that before it.
    #[inline]
    pub(super) fn after(&self, before: &[u64], edges: &[EdgeId], out: &mut Vec<u64>) {
        if let ([before], [out]) = (before, &mut out[..]) {
            *out = edges.iter().fold(*before, |all, e| all ^ self.turns[e.0 as usize].1);
            return;
        }
        out.clear();
        out.extend_from_slice(before);
        for e in edges {
            let (word, change) = self.turns[e.0 as usize];
            out[word as usize] ^= change;
        }
    }
}
