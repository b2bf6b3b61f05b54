//! Counterexample-guided refinement of predicates.

use std::collections::HashMap;

use super::{
    super::{Budget, Prepared, abstraction::steps::AbstractSteps},
    ExcludedPaths, PredicateSettings, PredicateSource,
    explain::{Explanation, Reasons, explain},
    predicates::{Predicate, Predicates},
    table::{AbstractErrorPath, DistanceTable},
};

/// When refinement ends, unless no spurious path is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefinementRounds {
    /// After this number of rounds.
    Of(u32),
    /// With the first round in which the shortest abstract path does not become longer; that round
    /// is undone.
    WhileLonger,
}

/// The greatest number of rounds of [`RefinementRounds::WhileLonger`].
const MAX_ROUNDS: u32 = 64;

/// The greatest number of shortest paths that are compared, or excluded at once.
const MAX_PATHS: usize = 64;

/// The greatest number of abstractions that one round builds.
const MAX_TRIES: usize = 32;

/// Builds a table whose predicates exclude spurious errors. Adds the work to `prepared`.
pub(super) fn refine<'s>(
    steps: AbstractSteps<'s>,
    first: Predicates,
    rounds: RefinementRounds,
    settings: &PredicateSettings,
    budget: &Budget<'_>,
    prepared: &mut Prepared,
) -> DistanceTable<'s> {
    let mut left = budget.states;
    let mut make = |steps: AbstractSteps<'s>, predicates: Predicates| {
        let table = DistanceTable::new(steps, predicates, settings, &Budget { states: left, ..*budget });
        left = left.saturating_sub(table.space.states.all.len());
        prepared.states += table.space.states.all.len();
        table
    };
    let max = if let RefinementRounds::Of(rounds) = rounds { rounds } else { MAX_ROUNDS };
    // All shortest paths may take several abstractions.
    let tries = if settings.excludes == ExcludedPaths::All { MAX_TRIES } else { 1 };
    let mut table = make(steps, first);
    for round in 1..=max {
        let length = table.length();
        let mut next: Option<DistanceTable<'s>> = None;
        for _ in 0..tries {
            let last = next.as_mut().unwrap_or(&mut table);
            // An incomplete space has no shortest path; one without a path proves that the goal is
            // unreachable.
            if last.space.stopped.is_some() || last.length() > length {
                break;
            }
            let Some(predicates) = Refiner::new(settings).refined(last) else { break };
            let steps = last.steps.clone();
            next = Some(make(steps, predicates));
        }
        let Some(mut next) = next else { break };
        prepared.rounds = prepared.rounds.max(round);
        let is_longer = next.length().is_none_or(|next| length.is_some_and(|length| next > length));
        if rounds == RefinementRounds::WhileLonger && (!is_longer || next.space.stopped.is_some()) {
            break;
        }
        table = next;
    }
    table
}

/// Chooses paths, and predicates that exclude them.
struct Refiner {
    excludes: ExcludedPaths,
    how: Explanation,
}

impl Refiner {
    fn new(settings: &PredicateSettings) -> Refiner {
        // Syntax alone is never refined; `Auto` ends with a round that excludes too little.
        let how = match settings.source {
            PredicateSource::Refine(_) => Explanation::Inequality,
            PredicateSource::Syntax | PredicateSource::Auto => Explanation::Condition,
        };
        Refiner { excludes: settings.excludes, how }
    }

    /// Returns predicates that exclude more paths; `None`: no path is spurious, or there is none.
    fn refined(&self, table: &mut DistanceTable<'_>) -> Option<Predicates> {
        match self.excludes {
            ExcludedPaths::One => self.one(table),
            ExcludedPaths::All => {
                let paths = table.paths(MAX_PATHS);
                // A feasible path makes all others pointless: the length stays.
                let all = paths.iter().map(|path| self.reasons(table, path)).collect::<Option<Vec<_>>>()?;
                extended(table, all)
            }
            ExcludedPaths::Relevant => {
                let reasons = self.most_relevant(table)?;
                extended(table, vec![reasons])
            }
            ExcludedPaths::Perimeter(depth) => {
                let path = table.path()?;
                let before = self.before_perimeter(table, &path, depth as usize);
                before.and_then(|reasons| extended(table, vec![reasons])).or_else(|| self.one(table))
            }
        }
    }

    /// Returns predicates that exclude a shortest path.
    fn one(&self, table: &mut DistanceTable<'_>) -> Option<Predicates> {
        let path = table.path()?;
        let reasons = self.reasons(table, &path)?;
        extended(table, vec![reasons])
    }

    /// Returns the reasons why a path is spurious.
    fn reasons(&self, table: &mut DistanceTable<'_>, path: &AbstractErrorPath) -> Option<Reasons> {
        explain(&mut table.steps, &path.steps, &path.target, self.how)
    }

    /// Returns the reasons why a path does not reach the states that are at most `depth` steps away
    /// from its end.
    fn before_perimeter(
        &self,
        table: &mut DistanceTable<'_>,
        path: &AbstractErrorPath,
        depth: usize,
    ) -> Option<Reasons> {
        let count = path.steps.len().checked_sub(depth).filter(|count| *count > 0 && depth > 0)?;
        let target = table.as_target(path.states[count - 1]);
        explain(&mut table.steps, &path.steps[..count], &target, self.how)
    }

    /// Returns the reasons of the shortest path whose predicates are the most relevant: they are
    /// among the reasons of the most paths.
    fn most_relevant(&self, table: &mut DistanceTable<'_>) -> Option<Reasons> {
        let paths = table.paths(MAX_PATHS);
        let all: Vec<Reasons> = paths.iter().map(|path| self.reasons(table, path)).collect::<Option<_>>()?;
        let mut new: Vec<Vec<Predicate>> = Vec::new();
        let mut relevance: HashMap<Predicate, usize> = HashMap::new();
        for reasons in &all {
            let mut predicates = table.predicates.clone();
            let before = (predicates.integers.len(), predicates.clocks.len());
            reasons.clone().add_to(&mut predicates, &mut table.steps);
            let integers = predicates.integers[before.0..].iter().map(|atom| Predicate::Integers(*atom));
            let clocks = predicates.clocks[before.1..].iter().map(|difference| Predicate::Clocks(*difference));
            let own: Vec<Predicate> = integers.chain(clocks).collect();
            own.iter().for_each(|predicate| *relevance.entry(*predicate).or_default() += 1);
            new.push(own);
        }
        let score = |own: &Vec<Predicate>| own.iter().map(|predicate| relevance[predicate]).min().unwrap_or(0);
        let best = new.iter().map(score).max()?;
        let first = new.iter().position(|own| score(own) == best)?;
        all.into_iter().nth(first)
    }
}

/// Returns the predicates of a table and more; `None`: no other is new.
fn extended(table: &mut DistanceTable<'_>, more: Vec<Reasons>) -> Option<Predicates> {
    let mut predicates = table.predicates.clone();
    let mut is_new = false;
    for reasons in more {
        is_new |= reasons.add_to(&mut predicates, &mut table.steps);
    }
    is_new.then_some(predicates)
}
