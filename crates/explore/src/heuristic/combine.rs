//! The maximum of several heuristics, or their sum. Safe if all are; the maximum is admissible if
//! all are.

use model::system::EdgeId;

use super::{Depends, Estimate, EvaluatedState, Evaluator, Failures, Prepared};

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Combination {
    Max,
    Sum,
}

/// Several heuristics as one.
pub struct Combined<'s> {
    how: Combination,
    parts: Vec<Box<dyn Evaluator + 's>>,
}

impl<'s> Combined<'s> {
    /// Creates the combination of heuristics.
    #[must_use]
    pub fn new(how: Combination, parts: Vec<Box<dyn Evaluator + 's>>) -> Combined<'s> {
        Combined { how, parts }
    }
}

impl Evaluator for Combined<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let mut all = Estimate::default();
        for part in &mut self.parts {
            let own = part.evaluate(state)?;
            let value = if self.how == Combination::Max {
                all.value.max(own.value)
            } else {
                all.value.saturating_add(own.value)
            };
            all = Estimate { value, tie: all.tie.saturating_add(own.tie) };
        }
        Some(all)
    }
    fn is_safe(&self) -> bool {
        self.parts.iter().all(|part| part.is_safe())
    }
    fn is_admissible(&self) -> bool {
        self.how == Combination::Max && self.parts.iter().all(|part| part.is_admissible())
    }
    fn depends(&self) -> Depends {
        self.parts.iter().map(|part| part.depends()).max().unwrap_or(Depends::Row)
    }
    fn takes_last(&self) -> bool {
        self.parts.iter().all(|part| part.takes_last())
    }
    fn prepared(&self) -> Option<Prepared> {
        let mut all: Option<Prepared> = None;
        for own in self.parts.iter().filter_map(|part| part.prepared()) {
            all.get_or_insert_with(Prepared::default).add(own);
        }
        all
    }
    fn failures(&self) -> Failures {
        let mut all = Failures::default();
        self.parts.iter().for_each(|part| all.join(&part.failures()));
        all
    }
    fn helpful(&mut self, state: EvaluatedState<'_>, out: &mut Vec<EdgeId>) {
        out.clear();
        let mut own = Vec::new();
        for part in &mut self.parts {
            part.helpful(state, &mut own);
            out.append(&mut own);
        }
    }
}
