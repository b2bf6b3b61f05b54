//! Deciding, backing out, starting anew.

use super::{Literal, Reason, Sat, Theory};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Values for all variables.
    Satisfiable,
    /// There are none.
    Unsatisfiable,
    /// It was told to stop.
    Stopped,
}

/// How many decisions and conflicts to make before asking whether to stop.
const PATIENCE: u32 = 1000;

impl<T: Theory> Sat<T> {
    /// Looks for values of all variables under which all clauses, the theory and the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Literal], stop: &dyn Fn() -> bool) -> Verdict {
        self.core.clear();
        self.cancel(0);
        if !self.consistent {
            return Verdict::Unsatisfiable;
        }
        if !self.propagate() {
            self.consistent = false;
            return Verdict::Unsatisfiable;
        }
        self.simplify();
        let mut patience = 0;
        loop {
            if !self.propagate() {
                self.conflicts += 1;
                if self.level() == 0 {
                    self.consistent = false;
                    return Verdict::Unsatisfiable;
                }
                self.learn();
                continue;
            }
            patience += 1;
            if patience >= PATIENCE {
                patience = 0;
                if stop() {
                    self.cancel(0);
                    return Verdict::Stopped;
                }
            }
            let depth = assumptions.len() as u32;
            if self.wants_restart() && self.level() > depth {
                self.next_restart = self.conflicts + 2;
                self.cancel(depth);
                if depth == 0 {
                    self.simplify();
                }
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
                        self.blame(assumption);
                        return Verdict::Unsatisfiable;
                    }
                }
                continue;
            }
            match self.next_decision() {
                Some(literal) => self.decide(literal),
                None => return Verdict::Satisfiable,
            }
        }
    }

    fn next_decision(&mut self) -> Option<Literal> {
        loop {
            let variable = self.heap.pop()?;
            if self.values[2 * variable as usize] == 0 {
                return Some(Literal::new(variable, self.phases[variable as usize]));
            }
        }
    }

    fn wants_restart(&self) -> bool {
        self.conflicts >= self.next_restart && self.fast.get() > 1.1 * self.slow.get()
    }

    fn learn(&mut self) {
        let (back, levels) = self.analyze();
        self.fast.add(f64::from(levels));
        self.slow.add(f64::from(levels));
        self.cancel(back);
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
        self.heap.decay(0.95);
    }
}
