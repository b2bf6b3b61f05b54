//! Factors: small transition systems whose product is the network.
//!
//! A label has a set of hops in a factor, and labels with equal hops form a group. A label without
//! a group has a self-loop in every state, which is implicit; but in a committed state only labels
//! that leave a committed location can be taken.

use std::collections::VecDeque;

/// A transition from one state of a factor to another.
pub(crate) type Hop = (u32, u32);

/// State numbers are less. Greater numbers encode pruned states: the round, and whether they were
/// reached.
const FIRST_PRUNED: u32 = 1 << 31;

/// Returns the number of a state that is pruned in a round because no path leads from there to the
/// goal.
pub(super) fn gone(round: u32) -> u32 {
    unreached(round) + 1
}

/// Returns the number of a state that is pruned in a round because no path from the start leads
/// there.
pub(crate) fn unreached(round: u32) -> u32 {
    FIRST_PRUNED + 2 * round.min(FIRST_PRUNED / 2 - 1)
}

/// Returns whether a number is that of a kept state.
pub(crate) fn is_state(number: u32) -> bool {
    number < FIRST_PRUNED
}

/// Returns whether a number is that of a pruned state from which no path leads to the goal.
pub(crate) fn is_gone(number: u32) -> bool {
    !is_state(number) && number % 2 == 1
}

/// The distance of a dead end.
pub(crate) const DEAD_END: u32 = u32::MAX;

/// A transition system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Factor {
    /// For each state the disjuncts of the goal that it satisfies, one bit each.
    pub goals: Vec<u64>,
    /// Whether each state is committed: only labels that leave a committed location can be taken.
    pub committed: Vec<bool>,
    /// The initial states, one for each initial row of the network.
    pub starts: Vec<u32>,
    /// The hops of each group of labels, in order.
    pub groups: Vec<Vec<Hop>>,
    /// The distance of each state to the goal.
    pub distances: Vec<u32>,
    /// The index of its table in the cascade.
    pub node: usize,
}

/// A list for each state, flat.
pub(crate) struct StateLists<T> {
    starts: Vec<u32>,
    all: Vec<T>,
}

impl<T: Copy + Default> StateLists<T> {
    /// Creates lists from pairs of a state and an item, in the order of the pairs.
    pub(crate) fn new(states: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> StateLists<T> {
        let mut starts = vec![0_u32; states + 1];
        pairs.clone().for_each(|(state, _)| starts[state as usize + 1] += 1);
        for i in 0..states {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut all = vec![T::default(); starts[states] as usize];
        for (state, item) in pairs {
            all[next[state as usize] as usize] = item;
            next[state as usize] += 1;
        }
        StateLists { starts, all }
    }

    /// Returns the list of a state.
    pub(crate) fn of(&self, state: u32) -> &[T] {
        &self.all[self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize]
    }
}

impl Factor {
    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.goals.len()
    }

    /// Returns the number of hops.
    pub(crate) fn hops(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// Returns for each state the group and the target of each hop, sorted by group.
    pub(crate) fn leaving(&self) -> StateLists<(u32, u32)> {
        let all = (0..).zip(&self.groups);
        StateLists::new(self.len(), all.flat_map(|(group, hops)| hops.iter().map(move |hop| (hop.0, (group, hop.1)))))
    }

    /// Returns for each state the sources of its incoming hops.
    pub(crate) fn entering(&self) -> StateLists<u32> {
        StateLists::new(self.len(), self.groups.iter().flatten().map(|hop| (hop.1, hop.0)))
    }

    /// Returns whether some states do not satisfy all disjuncts of the goal.
    pub(crate) fn is_about_goal(&self, all: u64) -> bool {
        self.goals.iter().any(|goals| *goals != all)
    }

    /// Returns the self-loops of labels without a group.
    pub(crate) fn stays(&self, is_committed: bool) -> impl Iterator<Item = Hop> {
        let can = move |state: &u32| is_committed || !self.committed[*state as usize];
        (0..self.len() as u32).filter(can).map(|state| (state, state))
    }

    /// Returns whether hops are the self-loops of labels without a group.
    pub(crate) fn is_still(&self, hops: &[Hop], is_committed: bool) -> bool {
        hops.iter().copied().eq(self.stays(is_committed))
    }

    /// Computes the distances to the goal.
    pub(crate) fn measure(&mut self) {
        let entering = self.entering();
        self.distances = vec![DEAD_END; self.len()];
        let mut open: VecDeque<u32> = (0..self.len() as u32).filter(|s| self.goals[*s as usize] != 0).collect();
        open.iter().for_each(|s| self.distances[*s as usize] = 0);
        while let Some(at) = open.pop_front() {
            let next = self.distances[at as usize] + 1;
            for &from in entering.of(at) {
                if self.distances[from as usize] == DEAD_END {
                    self.distances[from as usize] = next;
                    open.push_back(from);
                }
            }
        }
    }

    /// Computes the distances, and prunes states that are on no path from the start to the goal.
    /// Returns the new number of each state; `None`: nothing is pruned.
    pub(crate) fn prune(&mut self, round: u32) -> Option<Vec<u32>> {
        self.measure();
        let leaving = self.leaving();
        let mut reached = vec![false; self.len()];
        let mut open: Vec<u32> = Vec::new();
        for &start in self.starts.iter().filter(|start| is_state(**start)) {
            if !std::mem::replace(&mut reached[start as usize], true) {
                open.push(start);
            }
        }
        while let Some(at) = open.pop() {
            for &(_, to) in leaving.of(at) {
                if !std::mem::replace(&mut reached[to as usize], true) {
                    open.push(to);
                }
            }
        }
        let mut count = 0;
        let mut map = vec![unreached(round); self.len()];
        for state in (0..self.len()).filter(|state| reached[*state]) {
            map[state] = gone(round);
            if self.distances[state] != DEAD_END {
                map[state] = count;
                count += 1;
            }
        }
        ((count as usize) < self.len()).then_some(map)
    }

    /// Merges states with equal new numbers.
    pub(crate) fn merge(&mut self, map: &[u32]) {
        let count = map.iter().filter(|to| is_state(**to)).max().map_or(0, |max| *max as usize + 1);
        let (mut goals, mut committed) = (vec![0; count], vec![true; count]);
        for (state, &to) in map.iter().enumerate().filter(|(_, to)| is_state(**to)) {
            goals[to as usize] |= self.goals[state];
            committed[to as usize] &= self.committed[state];
        }
        (self.goals, self.committed) = (goals, committed);
        for start in self.starts.iter_mut().filter(|start| is_state(**start)) {
            *start = map[*start as usize];
        }
        for hops in &mut self.groups {
            hops.iter_mut().for_each(|hop| *hop = (map[hop.0 as usize], map[hop.1 as usize]));
            hops.retain(|hop| is_state(hop.0) && is_state(hop.1));
            hops.sort_unstable();
            hops.dedup();
        }
        self.measure();
    }
}
