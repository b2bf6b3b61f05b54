//! Shrinking: merges similar states, more precisely near the goal.
//!
//! The partition starts with one block for each distance, and is refined by the targets of labels.
//! If it becomes stable, blocks consist of bisimilar states, and shrinking is exact. If there are
//! too many blocks before that, blocks near the goal are precise and others are coarse.
//!
//! Dräger, Finkbeiner and Podelski, "Directed model checking with distance-preserving
//! abstractions", SPIN 2006; Nissim, Hoffmann and Helmert, "Computing perfect heuristics in
//! polynomial time", IJCAI 2011.

use std::collections::BTreeSet;

use super::factor::{Factor, StateLists};

/// The signature of a state: its disjuncts of the goal, whether it is committed, and the target
/// blocks of label groups.
type StateSignature = (u64, bool, Vec<(u32, u32)>);

/// Returns the block of each state in a partition of at most `max` blocks; `None`: each state has
/// its own.
pub(super) fn blocks(factor: &Factor, max: usize) -> Option<Vec<u32>> {
    let mut partition = Partition::new(factor, max.max(1));
    partition.refine();
    (partition.members.len() < factor.len()).then_some(partition.block)
}

struct Partition<'f> {
    factor: &'f Factor,
    max: usize,
    leaving: StateLists<(u32, u32)>,
    entering: StateLists<u32>,
    block: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// The distance of each block.
    distances: Vec<u32>,
    /// The blocks that may be unstable, the nearest first.
    open: BTreeSet<(u32, u32)>,
}

impl<'f> Partition<'f> {
    /// Creates one block for each distance; the greatest ones share a block if there are too many.
    fn new(factor: &'f Factor, max: usize) -> Partition<'f> {
        let mut distances = factor.distances.clone();
        distances.sort_unstable();
        distances.dedup();
        distances.truncate(max);
        let block_of = |distance: &u32| distances.partition_point(|d| d <= distance).saturating_sub(1) as u32;
        let block: Vec<u32> = factor.distances.iter().map(block_of).collect();
        let mut members = vec![Vec::new(); distances.len()];
        block.iter().zip(0..).for_each(|(block, state)| members[*block as usize].push(state));
        let open = distances.iter().copied().zip(0..).collect();
        let (leaving, entering) = (factor.leaving(), factor.entering());
        Partition { factor, max, leaving, entering, block, members, distances, open }
    }

    fn refine(&mut self) {
        while let Some((_, block)) = self.open.pop_first() {
            self.split(block);
        }
    }

    fn signature(&self, state: u32) -> StateSignature {
        let mut ends: Vec<(u32, u32)> =
            self.leaving.of(state).iter().map(|(group, to)| (*group, self.block[*to as usize])).collect();
        ends.sort_unstable();
        ends.dedup();
        (self.factor.goals[state as usize], self.factor.committed[state as usize], ends)
    }

    /// Splits a block by signatures; the largest piece keeps its number. If there would be too many
    /// blocks, refinement ends.
    fn split(&mut self, block: u32) {
        let all = std::mem::take(&mut self.members[block as usize]);
        let mut signed: Vec<(StateSignature, u32)> =
            all.into_iter().map(|state| (self.signature(state), state)).collect();
        signed.sort_unstable();
        let states = |piece: &[(StateSignature, u32)]| piece.iter().map(|(_, state)| *state).collect::<Vec<u32>>();
        let mut pieces: Vec<Vec<u32>> = signed.chunk_by(|a, b| a.0 == b.0).map(states).collect();
        if self.members.len() + pieces.len() - 1 > self.max {
            self.members[block as usize] = pieces.concat();
            self.open.clear();
            return;
        }
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        self.members[block as usize] = pieces.remove(0);
        let first = self.members.len();
        for piece in pieces {
            let number = self.members.len() as u32;
            piece.iter().for_each(|state| self.block[*state as usize] = number);
            self.distances.push(self.distances[block as usize]);
            self.members.push(piece);
        }
        for state in self.members[first..].iter().flatten() {
            for from in self.entering.of(*state) {
                let before = self.block[*from as usize];
                self.open.insert((self.distances[before as usize], before));
            }
        }
    }
}
