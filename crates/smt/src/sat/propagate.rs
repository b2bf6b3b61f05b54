//! Unit propagation and theory propagation.

use super::{BINARY, Consistency, Literal, Reason, Sat, Theory, Watcher};

/// The number of assertions in the theory between calls of `stop`.
const STOP_INTERVAL: usize = 64;

impl<T: Theory> Sat<T> {
    /// Propagates all consequences. On a conflict, stores the literals of a false clause in
    /// `conflict` and returns `false`. If `stop` says so, sets `stopped` and returns `true` before
    /// all consequences are known; the next call continues.
    pub(super) fn propagate(&mut self, stop: &dyn Fn() -> bool) -> bool {
        loop {
            if !self.propagate_clauses() {
                return false;
            }
            let Some(&literal) = self.trail.get(self.theory_head) else { return self.check_theory(stop) };
            self.theory_head += 1;
            if self.is_atom[literal.variable()] {
                if !self.assert_in_theory(literal) {
                    return false;
                }
                // With many reals, one assertion may take a millisecond.
                if self.asserted.is_multiple_of(STOP_INTERVAL) && stop() {
                    self.stopped = true;
                    return true;
                }
            }
        }
    }

    /// Runs the final check of the theory.
    fn check_theory(&mut self, stop: &dyn Fn() -> bool) -> bool {
        self.conflict.clear();
        match self.theory.check(&mut self.conflict, stop) {
            Consistency::Consistent => true,
            Consistency::Inconsistent => {
                self.conflict.iter_mut().for_each(|l| *l = !*l);
                false
            }
            Consistency::Stopped => {
                self.stopped = true;
                true
            }
        }
    }

    fn assert_in_theory(&mut self, literal: Literal) -> bool {
        self.implied.clear();
        self.asserted += 1;
        if !self.theory.assert(literal, &self.values, &mut self.implied) {
            self.conflict.clear();
            self.conflict.extend(self.implied.reasons.iter().map(|l| !*l));
            return false;
        }
        let mut from = 0;
        for at in 0..self.implied.literals.len() {
            let (literal, to) = self.implied.literals[at];
            let reasons = &self.implied.reasons[from..to as usize];
            from = to as usize;
            match self.values[literal.index()] {
                0 => {
                    let start = self.explanations.len() as u32;
                    self.explanations.extend(reasons.iter().map(|l| !*l));
                    let end = self.explanations.len() as u32;
                    self.enqueue(literal, Reason::Theory(start, end));
                }
                1 => {}
                _ => {
                    self.conflict.clear();
                    self.conflict.push(literal);
                    self.conflict.extend(reasons.iter().map(|l| !*l));
                    return false;
                }
            }
        }
        true
    }

    fn propagate_clauses(&mut self) -> bool {
        while let Some(&holds) = self.trail.get(self.head) {
            self.head += 1;
            let falsified = !holds;
            let mut list = std::mem::take(&mut self.watches[holds.index()]);
            let (mut read, mut write) = (0, 0);
            let mut fine = true;
            'watches: while read < list.len() {
                let watch = list[read];
                read += 1;
                let known = self.values[watch.blocker.index()];
                if known > 0 {
                    list[write] = watch;
                    write += 1;
                    continue;
                }
                if watch.clause == BINARY {
                    list[write] = watch;
                    write += 1;
                    if known < 0 {
                        self.conflict.clear();
                        self.conflict.extend([watch.blocker, falsified]);
                        fine = false;
                        break;
                    }
                    self.enqueue(watch.blocker, Reason::Binary(falsified));
                    continue;
                }
                let words = self.clauses.words_mut(watch.clause);
                // The false literal becomes the second one.
                let first = Literal::from_word(words[0] ^ words[1] ^ falsified.word());
                words[0] = first.word();
                words[1] = falsified.word();
                let here = Watcher { blocker: first, clause: watch.clause };
                if self.values[first.index()] > 0 {
                    list[write] = here;
                    write += 1;
                    continue;
                }
                for at in 2..words.len() {
                    let other = Literal::from_word(words[at]);
                    if self.values[other.index()] >= 0 {
                        words[1] = other.word();
                        words[at] = falsified.word();
                        self.watches[(!other).index()].push(here);
                        continue 'watches;
                    }
                }
                list[write] = here;
                write += 1;
                if self.values[first.index()] < 0 {
                    self.conflict.clear();
                    self.conflict.extend(self.clauses.words(watch.clause).iter().map(|w| Literal::from_word(*w)));
                    self.touch(watch.clause);
                    fine = false;
                    break;
                }
                self.enqueue(first, Reason::Clause(watch.clause));
            }
            self.work += read as u64;
            if write < read {
                list.copy_within(read.., write);
                list.truncate(list.len() - (read - write));
            }
            self.watches[holds.index()] = list;
            if !fine {
                return false;
            }
        }
        true
    }
}
