//! Conflict analysis.

use super::{Assigned, ClauseId, Literal, Reason, Sat, Theory};

/// Marks of a variable during conflict analysis.
const SEEN: u8 = 1;
const REDUNDANT: u8 = 2;
const NEEDED: u8 = 3;

impl<T: Theory> Sat<T> {
    /// Returns a false literal that implies a literal, by its index in the reason.
    #[inline]
    fn antecedent(&self, literal: Literal, reason: Reason, at: u32) -> Option<Literal> {
        match reason {
            Reason::None => None,
            Reason::Binary(other) => (at == 0).then_some(other),
            Reason::Clause(id) => {
                debug_assert_eq!(self.clauses.literal(id, 0), literal);
                let at = at as usize + 1;
                (at < self.clauses.len(id)).then(|| self.clauses.literal(id, at))
            }
            Reason::Theory(from, to) => (from + at < to).then(|| self.explanations[(from + at) as usize]),
        }
    }

    /// Marks a learnt clause as used.
    pub(super) fn touch(&mut self, id: ClauseId) {
        if self.clauses.is_learnt(id) {
            let levels = if self.clauses.levels(id) > 2 {
                self.stamp += 1;
                let mut count = 0;
                for word in self.clauses.words(id) {
                    let level = self.assigned[Literal::from_word(*word).variable()].level as usize;
                    if self.level_stamps[level] != self.stamp {
                        self.level_stamps[level] = self.stamp;
                        count += 1;
                    }
                }
                count
            } else {
                2
            };
            self.clauses.touch(id, levels);
        }
    }

    fn count_levels(&mut self) -> u32 {
        self.stamp += 1;
        let mut count = 0;
        for literal in &self.learnt {
            let level = self.assigned[literal.variable()].level as usize;
            if self.level_stamps[level] != self.stamp {
                self.level_stamps[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    fn visit(&mut self, literal: Literal, open: &mut u32) {
        let variable = literal.variable();
        let level = self.assigned[variable].level;
        if self.seen[variable] != 0 || level == 0 {
            return;
        }
        self.seen[variable] = SEEN;
        self.to_clear.push(literal);
        self.heap.bump(variable as u32);
        if level == self.level() {
            *open += 1;
        } else {
            self.learnt.push(literal);
        }
    }

    /// Learns a clause from a conflict. Returns the level to which the search backtracks, where the
    /// first literal is implied, and the number of levels in the clause.
    pub(super) fn analyze(&mut self) -> (u32, u32) {
        self.learnt.clear();
        let mut open = 0;
        let conflict = std::mem::take(&mut self.conflict);
        for literal in &conflict {
            self.visit(*literal, &mut open);
        }
        self.conflict = conflict;
        let mut at = self.trail.len();
        let first = loop {
            at -= 1;
            let literal = self.trail[at];
            if self.seen[literal.variable()] == 0 {
                continue;
            }
            open -= 1;
            if open == 0 {
                break !literal;
            }
            let reason = self.assigned[literal.variable()].reason;
            if let Reason::Clause(id) = reason {
                self.touch(id);
            }
            let mut part = 0;
            while let Some(other) = self.antecedent(literal, reason, part) {
                part += 1;
                self.visit(other, &mut open);
            }
        };
        self.learnt.push(first);
        let last = self.learnt.len() - 1;
        self.learnt.swap(0, last);
        self.minimize();
        for literal in self.to_clear.drain(..) {
            self.seen[literal.variable()] = 0;
        }
        let levels = self.count_levels();
        // The second watched literal is the one that was assigned last.
        let mut back = 0;
        for at in 1..self.learnt.len() {
            let level = self.assigned[self.learnt[at].variable()].level;
            if level > back {
                back = level;
                self.learnt.swap(1, at);
            }
        }
        (back, levels)
    }

    /// Removes literals that are implied by others of the clause.
    fn minimize(&mut self) {
        self.stamp += 1;
        for literal in &self.learnt {
            self.level_stamps[self.assigned[literal.variable()].level as usize] = self.stamp;
        }
        let mut learnt = std::mem::take(&mut self.learnt);
        let mut kept = 1;
        for at in 1..learnt.len() {
            let literal = learnt[at];
            if matches!(self.assigned[literal.variable()].reason, Reason::None) || !self.is_redundant(literal) {
                learnt[kept] = literal;
                kept += 1;
            }
        }
        learnt.truncate(kept);
        self.learnt = learnt;
    }

    /// Returns whether a false literal is implied by visited ones, transitively through reasons.
    fn is_redundant(&mut self, literal: Literal) -> bool {
        self.stack.clear();
        self.stack.push((literal, 0));
        while let Some(&(literal, at)) = self.stack.last() {
            let variable = literal.variable();
            let reason = self.assigned[variable].reason;
            let Some(other) = self.antecedent(!literal, reason, at) else {
                // All its antecedents are implied.
                self.stack.pop();
                if self.seen[variable] == 0 {
                    self.seen[variable] = REDUNDANT;
                    self.to_clear.push(literal);
                }
                continue;
            };
            if let Some(top) = self.stack.last_mut() {
                top.1 += 1;
            }
            let variable = other.variable();
            let Assigned { level, reason } = self.assigned[variable];
            if level == 0 || matches!(self.seen[variable], SEEN | REDUNDANT) {
                continue;
            }
            let hopeless = matches!(reason, Reason::None)
                || self.seen[variable] == NEEDED
                || self.level_stamps[level as usize] != self.stamp;
            if hopeless {
                while let Some((literal, _)) = self.stack.pop() {
                    if self.seen[literal.variable()] == 0 {
                        self.seen[literal.variable()] = NEEDED;
                        self.to_clear.push(literal);
                    }
                }
                return false;
            }
            self.stack.push((other, 0));
        }
        true
    }

    /// Collects the assumptions that imply the negation of an assumption, and the assumption
    /// itself.
    pub(super) fn analyze_final(&mut self, assumption: Literal) {
        self.core.clear();
        self.core.push(assumption);
        if self.level() == 0 || self.assigned[assumption.variable()].level == 0 {
            return;
        }
        self.seen[assumption.variable()] = SEEN;
        let bottom = self.marks[0].trail;
        for at in (bottom..self.trail.len()).rev() {
            let literal = self.trail[at];
            let variable = literal.variable();
            if self.seen[variable] == 0 {
                continue;
            }
            self.seen[variable] = 0;
            let reason = self.assigned[variable].reason;
            if matches!(reason, Reason::None) {
                // All decisions are assumptions.
                if literal != assumption {
                    self.core.push(literal);
                }
            } else {
                let mut part = 0;
                while let Some(other) = self.antecedent(literal, reason, part) {
                    part += 1;
                    if self.assigned[other.variable()].level > 0 {
                        self.seen[other.variable()] = SEEN;
                    }
                }
            }
        }
    }
}
