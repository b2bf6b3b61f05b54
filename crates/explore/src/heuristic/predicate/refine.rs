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

/// The greatest number of reasons for the same path that are compared.
const MAX_CHOICES: usize = 8;

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
            let choices = Refiner::new(settings).refined(last);
            let steps = last.steps.clone();
            let Some(best) = farthest(choices, |predicates| make(steps.clone(), predicates)) else { break };
            next = Some(best);
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

/// Returns the table, of several choices of predicates, in which the goal is farthest. Of equal
/// ones it is that with the most predicates, and then the first.
fn farthest<'s>(
    choices: Vec<Predicates>,
    mut make: impl FnMut(Predicates) -> DistanceTable<'s>,
) -> Option<DistanceTable<'s>> {
    let mut best: Option<((bool, u32, usize), DistanceTable<'s>)> = None;
    for predicates in choices {
        let mut table = make(predicates);
        let rank = (table.space.stopped.is_none(), table.length().unwrap_or(u32::MAX), table.predicates.len());
        if best.as_ref().is_none_or(|(other, _)| rank > *other) {
            best = Some((rank, table));
        }
    }
    best.map(|(_, table)| table)
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

    /// Returns choices of predicates that exclude more paths; empty: no path is spurious, or there
    /// is none.
    fn refined(&self, table: &mut DistanceTable<'_>) -> Vec<Predicates> {
        match self.excludes {
            ExcludedPaths::One => self.one(table),
            ExcludedPaths::All => {
                let paths = table.paths(MAX_PATHS);
                // A feasible path makes all others pointless: the length stays.
                let first = |path| self.reasons(table, path).into_iter().next();
                let all = paths.iter().map(first).collect::<Option<Vec<_>>>();
                all.and_then(|all| extended(table, all)).into_iter().collect()
            }
            ExcludedPaths::Relevant => {
                let reasons = self.most_relevant(table);
                choices(table, reasons)
            }
            ExcludedPaths::Perimeter(depth) => {
                let Some(path) = table.path() else { return Vec::new() };
                let reasons = self.before_perimeter(table, &path, depth as usize);
                let before = choices(table, reasons);
                if before.is_empty() { self.one(table) } else { before }
            }
        }
    }

    /// Returns choices of predicates that exclude a shortest path.
    fn one(&self, table: &mut DistanceTable<'_>) -> Vec<Predicates> {
        let Some(path) = table.path() else { return Vec::new() };
        let reasons = self.reasons(table, &path);
        choices(table, reasons)
    }

    /// Returns the reasons why a path is spurious, of which any one is enough.
    fn reasons(&self, table: &mut DistanceTable<'_>, path: &AbstractErrorPath) -> Vec<Reasons> {
        explain(&mut table.steps, &path.steps, &path.target, self.how)
    }

    /// Returns the reasons why a path does not reach the states that are at most `depth` steps away
    /// from its end.
    fn before_perimeter(&self, table: &mut DistanceTable<'_>, path: &AbstractErrorPath, depth: usize) -> Vec<Reasons> {
        let count = path.steps.len().saturating_sub(depth);
        if count == 0 || depth == 0 {
            return Vec::new();
        }
        let target = table.as_target(path.states[count - 1]);
        explain(&mut table.steps, &path.steps[..count], &target, self.how)
    }

    /// Returns the reasons for the shortest path whose predicates are the most relevant: the first
    /// reasons of the most paths have them.
    fn most_relevant(&self, table: &mut DistanceTable<'_>) -> Vec<Reasons> {
        let mut all: Vec<(Vec<Reasons>, Vec<Predicate>)> = Vec::new();
        let mut relevance: HashMap<Predicate, usize> = HashMap::new();
        for path in table.paths(MAX_PATHS) {
            let reasons = self.reasons(table, &path);
            // A feasible path makes all others pointless: the length stays.
            let Some(first) = reasons.first() else { return Vec::new() };
            let new = new_predicates(table, first);
            new.iter().for_each(|predicate| *relevance.entry(*predicate).or_default() += 1);
            all.push((reasons, new));
        }
        let score = |new: &[Predicate]| new.iter().map(|predicate| relevance[predicate]).min().unwrap_or(0);
        let best = all.iter().map(|(_, new)| score(new)).max();
        let first = all.into_iter().find(|(_, new)| Some(score(new)) == best);
        first.map_or_else(Vec::new, |(reasons, _)| reasons)
    }
}

/// Returns the predicates of reasons that a table does not have.
fn new_predicates(table: &mut DistanceTable<'_>, reasons: &Reasons) -> Vec<Predicate> {
    let mut predicates = table.predicates.clone();
    let before = (predicates.integers.len(), predicates.clocks.len());
    reasons.clone().add_to(&mut predicates, &mut table.steps);
    let integers = predicates.integers[before.0..].iter().map(|atom| Predicate::Integers(*atom));
    let clocks = predicates.clocks[before.1..].iter().map(|difference| Predicate::Clocks(*difference));
    integers.chain(clocks).collect()
}

/// Returns the predicates of a table with those of each of several reasons, if they are new.
fn choices(table: &mut DistanceTable<'_>, reasons: Vec<Reasons>) -> Vec<Predicates> {
    reasons.into_iter().filter_map(|reasons| extended(table, vec![reasons])).take(MAX_CHOICES).collect()
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
