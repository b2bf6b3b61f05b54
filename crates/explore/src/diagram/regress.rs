//! Regression: the states from which simultaneous assignments lead into a set.
//!
//! The new value of a bit is a function of all old bits, so that no second copy of the bits is
//! needed: what is set to a constant is a cofactor, and other values are composed.
//!
//! All rules are applied in one pass. A rule begins at the first level that concerns it; the part
//! of the set above is visited once for all rules that begin below.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::{Diagram, DiagramResult, Diagrams, END, operate::Key};

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
pub(crate) struct BitAssignment {
    /// The levels in order, with their new values.
    pub bits: Vec<(u32, Assigned)>,
}

impl BitAssignment {
    fn get(&self, level: u32) -> Option<Assigned> {
        self.bits.binary_search_by_key(&level, |(own, _)| *own).ok().map(|at| self.bits[at].1)
    }
}

/// An assignment that is possible in a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitRule {
    guard: Diagram,
    assignment: BitAssignment,
    /// The first level that concerns it, and the last that it assigns.
    first: u32,
    last: u32,
}

impl BitRule {
    /// Returns all diagrams.
    pub(crate) fn diagrams(&mut self) -> impl Iterator<Item = &mut Diagram> {
        let bits = self.assignment.bits.iter_mut().filter_map(|(_, bit)| match bit {
            Assigned::Value(bit) => Some(bit),
            Assigned::Any => None,
        });
        std::iter::once(&mut self.guard).chain(bits)
    }
}

/// A part of the regression by one rule that is left to do.
enum RuleTask {
    /// To evaluate a guard and a set.
    Evaluate(Diagram, Diagram),
    /// To make a node from the last two results.
    Make { level: u32, key: Key },
    /// To unite the last two results.
    Unite { key: Key },
}

/// A part of the regression by all rules that is left to do.
enum RulesTask {
    /// To evaluate a set, with all rules from an index.
    Evaluate(Diagram, usize),
    /// To make a node from the last two results, and to unite it with those of rules that begin
    /// above.
    Make { level: u32, above: Diagram, key: (Diagram, usize) },
}

impl Diagrams<'_> {
    /// Makes rules. They are sorted by their first levels.
    pub(crate) fn rules(&self, rules: impl Iterator<Item = (Diagram, BitAssignment)>) -> Vec<BitRule> {
        let make = |(guard, assignment): (Diagram, BitAssignment)| {
            let of_bit = |(level, assigned): &(u32, Assigned)| match assigned {
                Assigned::Value(bit) => self.level(*bit).min(*level),
                Assigned::Any => *level,
            };
            let first = assignment.bits.iter().map(of_bit).fold(self.level(guard), u32::min);
            let last = assignment.bits.last().map_or(0, |(level, _)| *level);
            BitRule { guard, assignment, first, last }
        };
        let mut rules: Vec<BitRule> = rules.map(make).collect();
        rules.sort_by_key(|rule| rule.first);
        rules
    }

    /// Returns the states from which a rule leads into `set`. The rules are always the same.
    pub(crate) fn predecessors(&mut self, rules: &[BitRule], set: Diagram) -> DiagramResult {
        let mut tasks = vec![RulesTask::Evaluate(set, 0)];
        let mut results = Vec::new();
        // One of these results is worth more than one in the cache: it stands for many rules.
        let mut known: HashMap<(Diagram, usize), Diagram, FxBuildHasher> = HashMap::default();
        while let Some(task) = tasks.pop() {
            match task {
                RulesTask::Evaluate(set, from) => {
                    let key = (set, from);
                    let simple = (set == Diagram::FALSE || from == rules.len()).then_some(Diagram::FALSE);
                    if let Some(result) = simple.or_else(|| known.get(&key).copied()) {
                        results.push(result);
                        continue;
                    }
                    self.visit()?;
                    let level = self.level(set);
                    let to = from + rules[from..].partition_point(|rule| rule.first <= level);
                    let mut above = Diagram::FALSE;
                    for (number, rule) in rules.iter().enumerate().take(to).skip(from) {
                        let before = self.regress(rule, number as u32, set)?;
                        above = self.or(before, above)?;
                    }
                    if level == END {
                        known.insert(key, above);
                        results.push(above);
                        continue;
                    }
                    let (low, high) = self.split(set, level);
                    tasks.push(RulesTask::Make { level, above, key });
                    tasks.push(RulesTask::Evaluate(high, to));
                    tasks.push(RulesTask::Evaluate(low, to));
                }
                RulesTask::Make { level, above, key } => {
                    let Some((high, low)) = results.pop().zip(results.pop()) else { continue };
                    let below = self.node(level, low, high)?;
                    let made = self.or(below, above)?;
                    known.insert(key, made);
                    results.push(made);
                }
            }
        }
        Ok(results.pop().unwrap_or(Diagram::FALSE))
    }

    /// Returns the states from which one rule leads into `set`.
    fn regress(&mut self, rule: &BitRule, number: u32, set: Diagram) -> DiagramResult {
        let mut tasks = vec![RuleTask::Evaluate(rule.guard, set)];
        let mut results = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                RuleTask::Evaluate(guard, set) => {
                    if let Some(known) = self.regress_one(rule, number, guard, set, &mut tasks)? {
                        results.push(known);
                    }
                }
                RuleTask::Make { level, key } => {
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
                RuleTask::Unite { key } => {
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
        rule: &BitRule,
        number: u32,
        guard: Diagram,
        mut set: Diagram,
        tasks: &mut Vec<RuleTask>,
    ) -> DiagramResult<Option<Diagram>> {
        let (level, assigned) = loop {
            if guard == Diagram::FALSE || set == Diagram::FALSE {
                return Ok(Some(Diagram::FALSE));
            }
            let level = self.level(set);
            if level > rule.last {
                return self.and(guard, set).map(Some);
            }
            // The old value of the bit matters to the guard, the new one to the set.
            let assigned = if level <= self.level(guard) { rule.assignment.get(level) } else { None };
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
            None => (self.split(guard, level), RuleTask::Make { level, key }),
            Some(Assigned::Any) => ((guard, guard), RuleTask::Unite { key }),
            Some(Assigned::Value(bit)) => {
                let (unset, set) = (self.without(guard, bit)?, self.and(guard, bit)?);
                ((unset, set), RuleTask::Unite { key })
            }
        };
        tasks.push(task);
        tasks.push(RuleTask::Evaluate(guards.1, high));
        tasks.push(RuleTask::Evaluate(guards.0, low));
        Ok(None)
    }
}
