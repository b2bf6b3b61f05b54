//! Choice between two diagrams, by which operations on sets are defined.

use super::{Diagram, DiagramResult, Diagrams};

/// An operation with its operands.
pub(super) type Key = [u32; 4];

/// The choice, in keys. Regression by one rule has the number of the rule.
const CHOOSE: u32 = u32::MAX;

/// A part of a choice that is left to do.
#[derive(Clone, Copy)]
pub(super) enum ChoiceTask {
    /// To evaluate these operands.
    Evaluate([Diagram; 3]),
    /// To make a node from the last two results.
    Make { level: u32, key: Key },
}

/// Results of operations. A later one replaces an earlier one at the same place.
#[derive(Default)]
pub(super) struct Cache {
    entries: Vec<(Key, Diagram)>,
}

/// The key of no operation.
const NOTHING: Key = [u32::MAX; 4];
/// The least and the greatest number of results.
const MIN_RESULTS: usize = 1 << 12;
const MAX_RESULTS: usize = 1 << 20;

impl Cache {
    fn place(&self, key: &Key) -> usize {
        let mix = |hash: u64, word: &u32| (hash ^ u64::from(*word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
        (key.iter().fold(0, mix) >> 20) as usize & (self.entries.len() - 1)
    }

    pub(super) fn get(&self, key: &Key) -> Option<Diagram> {
        if self.entries.is_empty() {
            return None;
        }
        let (own, result) = &self.entries[self.place(key)];
        (own == key).then_some(*result)
    }

    /// Keeps a result. There are at least twice as many as nodes, up to a limit.
    pub(super) fn put(&mut self, key: Key, result: Diagram, nodes: usize) {
        let least = nodes.saturating_mul(2).clamp(MIN_RESULTS, MAX_RESULTS);
        if self.entries.len() < least {
            let size = least.next_power_of_two();
            let old = std::mem::replace(&mut self.entries, vec![(NOTHING, Diagram::FALSE); size]);
            for (key, result) in old.into_iter().filter(|(key, _)| *key != NOTHING) {
                let place = self.place(&key);
                self.entries[place] = (key, result);
            }
        }
        let place = self.place(&key);
        self.entries[place] = (key, result);
    }

    /// Drops all results.
    pub(super) fn clear(&mut self) {
        self.entries.fill((NOTHING, Diagram::FALSE));
    }
}

impl Diagrams<'_> {
    pub(super) fn keep_result(&mut self, key: Key, result: Diagram) {
        self.cache.put(key, result, self.nodes.len());
    }

    pub(super) fn known_result(&self, key: &Key) -> Option<Diagram> {
        self.cache.get(key)
    }

    /// Returns the intersection of two sets.
    pub(crate) fn and(&mut self, a: Diagram, b: Diagram) -> DiagramResult {
        self.choose(a, b, Diagram::FALSE)
    }

    /// Returns the union of two sets.
    pub(crate) fn or(&mut self, a: Diagram, b: Diagram) -> DiagramResult {
        self.choose(a, Diagram::TRUE, b)
    }

    /// Returns the first set without the second.
    pub(crate) fn without(&mut self, a: Diagram, b: Diagram) -> DiagramResult {
        self.choose(b, Diagram::FALSE, a)
    }

    /// Returns the diagram that is `then` in a set, and `otherwise` outside.
    pub(crate) fn choose(&mut self, set: Diagram, then: Diagram, otherwise: Diagram) -> DiagramResult {
        let (mut tasks, mut results) = (std::mem::take(&mut self.tasks), std::mem::take(&mut self.results));
        tasks.clear();
        results.clear();
        tasks.push(ChoiceTask::Evaluate([set, then, otherwise]));
        let done = self.choose_all(&mut tasks, &mut results);
        let result = results.pop().unwrap_or(Diagram::FALSE);
        (self.tasks, self.results) = (tasks, results);
        done.map(|()| result)
    }

    fn choose_all(&mut self, tasks: &mut Vec<ChoiceTask>, results: &mut Vec<Diagram>) -> DiagramResult<()> {
        while let Some(task) = tasks.pop() {
            match task {
                ChoiceTask::Evaluate([set, mut then, mut otherwise]) => {
                    if then == set {
                        then = Diagram::TRUE;
                    }
                    if otherwise == set {
                        otherwise = Diagram::FALSE;
                    }
                    let simple = match (set, then, otherwise) {
                        (Diagram::TRUE, ..) => Some(then),
                        (Diagram::FALSE, ..) => Some(otherwise),
                        (_, Diagram::TRUE, Diagram::FALSE) => Some(set),
                        _ => (then == otherwise).then_some(then),
                    };
                    let key = [set.0, then.0, otherwise.0, CHOOSE];
                    if let Some(known) = simple.or_else(|| self.cache.get(&key)) {
                        results.push(known);
                        continue;
                    }
                    self.visit()?;
                    let level = self.level(set).min(self.level(then)).min(self.level(otherwise));
                    let parts = [set, then, otherwise].map(|diagram| self.split(diagram, level));
                    tasks.push(ChoiceTask::Make { level, key });
                    tasks.push(ChoiceTask::Evaluate(parts.map(|(_, high)| high)));
                    tasks.push(ChoiceTask::Evaluate(parts.map(|(low, _)| low)));
                }
                ChoiceTask::Make { level, key } => {
                    let Some((high, low)) = results.pop().zip(results.pop()) else { continue };
                    let made = self.node(level, low, high)?;
                    self.keep_result(key, made);
                    results.push(made);
                }
            }
        }
        Ok(())
    }
}
