//! The search loop: decisions, backtracking, restarts.

use super::{DecisionMark, Literal, Reason, Sat, Theory};

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchResult {
    /// There is a satisfying assignment.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// The search was interrupted.
    Stopped,
}

/// The number of decisions and conflicts between calls of `stop`.
const STOP_INTERVAL: u32 = 1000;

/// The decay factor of activities.
const DECAY: f64 = 0.9;

impl<T: Theory> Sat<T> {
    /// Searches for an assignment that satisfies all clauses, the theory and the assumptions.
    pub(crate) fn solve(&mut self, assumptions: &[Literal], stop: &dyn Fn() -> bool) -> SearchResult {
        self.core.clear();
        self.backtrack(0);
        if !self.consistent {
            return SearchResult::Unsatisfiable;
        }
        self.stopped = false;
        if !self.propagate(stop) {
            self.refute();
            self.consistent = false;
            return SearchResult::Unsatisfiable;
        }
        if self.stopped {
            return SearchResult::Stopped;
        }
        self.simplify();
        let mut since_stop = 0;
        loop {
            if !self.propagate(stop) {
                self.conflicts += 1;
                if self.level() == 0 {
                    self.refute();
                    self.consistent = false;
                    return SearchResult::Unsatisfiable;
                }
                self.learn();
                continue;
            }
            since_stop += 1;
            if since_stop >= STOP_INTERVAL {
                since_stop = 0;
                self.stopped |= stop();
            }
            if self.stopped {
                self.backtrack(0);
                return SearchResult::Stopped;
            }
            let depth = assumptions.len() as u32;
            if self.level() > depth && self.mode.is_restart_due(self.conflicts) {
                self.restart(depth);
                continue;
            }
            if self.conflicts >= self.next_reduce {
                self.reduce();
            }
            if self.level() < depth {
                let assumption = assumptions[self.level() as usize];
                match self.value(assumption) {
                    0 => self.decide(assumption),
                    1 => self.open_level(),
                    _ => {
                        self.analyze_final(assumption);
                        return SearchResult::Unsatisfiable;
                    }
                }
                continue;
            }
            match self.next_decision() {
                Some(literal) => self.decide(literal),
                None => return SearchResult::Satisfiable,
            }
        }
    }

    /// Records that a conflict without decisions is a contradiction.
    fn refute(&mut self) {
        if self.proof.is_some() {
            let conflict = self.conflict.clone();
            self.derive(&conflict, &[]);
        }
    }

    fn next_decision(&mut self) -> Option<Literal> {
        loop {
            let variable = self.heap.pop()?;
            if self.values[2 * variable as usize] == 0 {
                return Some(Literal::new(variable, self.phase(variable)));
            }
        }
    }

    /// Chooses the value of a decision variable.
    fn phase(&self, variable: u32) -> bool {
        let opinion = if self.is_atom[variable as usize] { self.theory.phase(variable) } else { None };
        opinion.unwrap_or(match self.target[variable as usize] {
            0 => self.phases[variable as usize],
            target => target > 0,
        })
    }

    fn restart(&mut self, depth: u32) {
        if self.mode.restart(self.conflicts, self.work) {
            self.best = 0;
            self.target.fill(0);
        }
        let keep = self.reusable().max(depth);
        self.backtrack(keep);
        if keep == 0 {
            self.simplify();
        }
    }

    /// Returns the highest level whose decisions would be repeated after a restart (van der Tak,
    /// Ramos and Heule 2011).
    fn reusable(&mut self) -> u32 {
        let next = loop {
            let Some(variable) = self.heap.peek() else { return self.level() };
            if self.values[2 * variable as usize] == 0 {
                break self.heap.activity(variable);
            }
            self.heap.pop();
        };
        let again = |mark: &&DecisionMark| {
            let decision = self.trail.get(mark.trail).map(|l| self.heap.activity(l.variable() as u32));
            decision.is_some_and(|activity| activity > next)
        };
        self.marks.iter().take_while(again).count() as u32
    }

    /// Saves the assignment up to the last decision if it is the longest so far: it had no
    /// conflict.
    fn save_target(&mut self) {
        let fine = self.marks.last().map_or(0, |mark| mark.trail);
        if self.mode.is_stable() && fine > self.best {
            self.best = fine;
            for literal in &self.trail[..fine] {
                self.target[literal.variable()] = if literal.is_negated() { -1 } else { 1 };
            }
        }
    }

    fn learn(&mut self) {
        self.save_target();
        let (back, levels) = self.analyze();
        if self.proof.is_some() {
            let (conflict, learnt) = (std::mem::take(&mut self.conflict), std::mem::take(&mut self.learnt));
            self.derive(&conflict, &learnt);
            (self.conflict, self.learnt) = (conflict, learnt);
        }
        self.mode.learnt(levels);
        self.backtrack(back);
        let first = self.learnt[0];
        match self.learnt.as_slice() {
            [only] => {
                let only = *only;
                self.enqueue(only, Reason::None);
            }
            [a, b] => {
                let (a, b) = (*a, *b);
                self.attach_binary(a, b);
                self.enqueue(a, Reason::Binary(b));
            }
            _ => {
                let id = self.clauses.add(&self.learnt, true, levels);
                self.learnts.push(id);
                self.attach(id);
                self.enqueue(first, Reason::Clause(id));
            }
        }
        self.heap.decay(DECAY);
    }
}
