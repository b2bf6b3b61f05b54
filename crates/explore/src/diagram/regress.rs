//! Regression: the states from which a simultaneous assignment leads into a set.
//!
//! The new value of a bit is a function of all old bits, so that no second copy of the bits is
//! needed: what is set to a constant is a cofactor, and other values are composed.

use super::{Diagram, DiagramResult, Diagrams, operate::Key};

/// The new value of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Assigned {
    /// A function of the old bits.
    Value(Diagram),
    /// Either value.
    Any,
}

/// A simultaneous assignment to the bits of some levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Assignment {
    /// The levels in order, with their new values.
    pub bits: Vec<(u32, Assigned)>,
}

impl Assignment {
    fn get(&self, level: u32) -> Option<Assigned> {
        self.bits.binary_search_by_key(&level, |(own, _)| *own).ok().map(|at| self.bits[at].1)
    }
}

/// A part of a regression that is left to do.
enum RegressionTask {
    /// To evaluate a guard and a set.
    Evaluate(Diagram, Diagram),
    /// To make a node from the last two results.
    Make { level: u32, key: Key },
    /// To unite the last two results.
    Unite { key: Key },
}

impl Diagrams<'_> {
    /// Returns the states in `guard` from which an assignment leads into `set`. Different assignments
    /// have different numbers.
    pub(crate) fn regress(
        &mut self,
        guard: Diagram,
        assignment: &Assignment,
        number: u32,
        set: Diagram,
    ) -> DiagramResult {
        let mut tasks = vec![RegressionTask::Evaluate(guard, set)];
        let mut results = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                RegressionTask::Evaluate(guard, set) => {
                    if let Some(known) = self.regress_one(guard, assignment, number, set, &mut tasks)? {
                        results.push(known);
                    }
                }
                RegressionTask::Make { level, key } => {
                    let Some((high, low)) = results.pop().zip(results.pop()) else { continue };
                    // Functions may depend on bits above.
                    let made = if level < self.level(low).min(self.level(high)) {
                        self.node(level, low, high)?
                    } else {
                        let bit = self.node(level, Diagram::FALSE, Diagram::TRUE)?;
                        self.choose(bit, high, low)?
                    };
                    self.keep_result(key, made);
                    results.push(made);
                }
                RegressionTask::Unite { key } => {
                    let Some((high, low)) = results.pop().zip(results.pop()) else { continue };
                    let made = self.or(low, high)?;
                    self.keep_result(key, made);
                    results.push(made);
                }
            }
        }
        Ok(results.pop().unwrap_or(Diagram::FALSE))
    }

    /// Returns the result for a guard and a set if it is simple or known, and else adds tasks.
    fn regress_one(
        &mut self,
        guard: Diagram,
        assignment: &Assignment,
        number: u32,
        mut set: Diagram,
        tasks: &mut Vec<RegressionTask>,
    ) -> DiagramResult<Option<Diagram>> {
        let (level, assigned) = loop {
            if guard == Diagram::FALSE || set == Diagram::FALSE {
                return Ok(Some(Diagram::FALSE));
            }
            if set == Diagram::TRUE {
                return Ok(Some(guard));
            }
            let level = self.level(set);
            // The old value of the bit matters to the guard, the new one to the set.
            let assigned = if level <= self.level(guard) { assignment.get(level) } else { None };
            match assigned {
                Some(Assigned::Value(Diagram::TRUE)) => set = self.get(set).high,
                Some(Assigned::Value(Diagram::FALSE)) => set = self.get(set).low,
                _ => break (level.min(self.level(guard)), assigned),
            }
        };
        let key = [guard.0, set.0, 0, number];
        if let Some(known) = self.known_result(&key) {
            return Ok(Some(known));
        }
        self.visit()?;
        let (low, high) = self.split(set, level);
        let (guards, task) = match assigned {
            None => (self.split(guard, level), RegressionTask::Make { level, key }),
            Some(Assigned::Any) => ((guard, guard), RegressionTask::Unite { key }),
            Some(Assigned::Value(bit)) => {
                let (unset, set) = (self.without(guard, bit)?, self.and(guard, bit)?);
                ((unset, set), RegressionTask::Unite { key })
            }
        };
        tasks.push(task);
        tasks.push(RegressionTask::Evaluate(guards.1, high));
        tasks.push(RegressionTask::Evaluate(guards.0, low));
        Ok(None)
    }
}
