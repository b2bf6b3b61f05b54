//! Deletion of clauses.

use super::{BINARY, ClauseId, Clauses, Literal, Reason, Sat, Theory};

/// Clauses of at most this many levels are kept permanently.
const MAX_KEPT_LEVELS: u32 = 2;
/// Clauses of at most this many levels are kept while they are used.
const MAX_USED_LEVELS: u32 = 6;

impl<T: Theory> Sat<T> {
    /// Returns whether a clause is the reason of its first literal.
    fn is_reason(&self, id: ClauseId) -> bool {
        let first = self.clauses.literal(id, 0);
        self.value(first) > 0
            && matches!(self.assigned[first.variable()].reason, Reason::Clause(reason) if reason == id)
    }

    /// Deletes half of the learnt clauses that have many levels and were not used recently.
    pub(super) fn reduce(&mut self) {
        self.reductions += 1;
        self.next_reduce = self.conflicts + 2000 + 300 * self.reductions;
        let mut candidates = Vec::new();
        for at in 0..self.learnts.len() {
            let id = self.learnts[at];
            let levels = self.clauses.levels(id);
            if levels <= MAX_KEPT_LEVELS || self.is_reason(id) {
                continue;
            }
            if self.clauses.take_used(id) && levels <= MAX_USED_LEVELS {
                continue;
            }
            candidates.push((levels, self.clauses.len(id), id));
        }
        // The sort is stable: ties are broken by age, so that the search is deterministic.
        candidates.sort_by_key(|(levels, len, _)| std::cmp::Reverse((*levels, *len)));
        for (_, _, id) in candidates.iter().take(candidates.len() / 2) {
            self.clauses.kill(*id);
        }
        self.sweep();
    }

    /// Removes deleted clauses from the lists, and compacts the arena if it is wasteful.
    fn sweep(&mut self) {
        let clauses = &self.clauses;
        self.originals.retain(|id| !clauses.is_dead(*id));
        self.learnts.retain(|id| !clauses.is_dead(*id));
        for list in &mut self.watches {
            list.retain(|w| w.clause == BINARY || !clauses.is_dead(w.clause));
        }
        if self.clauses.is_wasteful() {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut to = Clauses::default();
        for id in self.originals.iter_mut().chain(&mut self.learnts) {
            *id = self.clauses.transfer(*id, &mut to);
        }
        // A copied clause has left its new offset in the old arena.
        for list in &mut self.watches {
            for watch in list.iter_mut().filter(|w| w.clause != BINARY) {
                watch.clause = self.clauses.transferred(watch.clause);
            }
        }
        for literal in &self.trail {
            if let Reason::Clause(id) = &mut self.assigned[literal.variable()].reason {
                *id = self.clauses.transferred(*id);
            }
        }
        self.clauses = to;
    }

    /// Removes satisfied clauses, and false literals from the others. Preconditions: no decisions,
    /// and propagation is complete. Runs only after enough other work, so that its cost is
    /// negligible.
    pub(super) fn simplify(&mut self) {
        debug_assert_eq!(self.level(), 0);
        // A proof refers to clauses as they were added.
        if self.proof.is_some() {
            return;
        }
        if self.trail.len() == self.simplified || self.work < self.simplified_at + 8 * self.clauses.size() as u64 {
            return;
        }
        self.simplified = self.trail.len();
        self.simplified_at = self.work;
        // Facts need no reasons, so no clause must be kept for them.
        for literal in &self.trail {
            self.assigned[literal.variable()].reason = Reason::None;
        }
        for at in 0..self.originals.len() + self.learnts.len() {
            let id = match at.checked_sub(self.originals.len()) {
                None => self.originals[at],
                Some(at) => self.learnts[at],
            };
            let values = &self.values;
            let value = |w: &u32| values[Literal::from_word(*w).index()];
            let words = self.clauses.words_mut(id);
            if words.iter().any(|w| value(w) > 0) {
                self.clauses.kill(id);
                continue;
            }
            // Both watched literals are unassigned, as propagation is complete.
            let mut kept = 2;
            for at in 2..words.len() {
                if value(&words[at]) == 0 {
                    words[kept] = words[at];
                    kept += 1;
                }
            }
            if kept == 2 && words.len() > 2 {
                let (a, b) = (Literal::from_word(words[0]), Literal::from_word(words[1]));
                self.clauses.kill(id);
                self.attach_binary(a, b);
            } else if kept < words.len() {
                self.clauses.truncate(id, kept);
            }
        }
        for variable in 0..self.assigned.len() {
            if self.values[2 * variable] != 0 {
                self.watches[2 * variable] = Vec::new();
                self.watches[2 * variable + 1] = Vec::new();
            }
        }
        for literal in 0..self.watches.len() {
            let values = &self.values;
            self.watches[literal].retain(|w| w.clause != BINARY || values[w.blocker.index()] == 0);
        }
        self.sweep();
    }
}
