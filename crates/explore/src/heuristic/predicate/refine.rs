//! Counterexample-guided refinement of predicates.

use super::{
    super::{Budget, Prepared, abstraction::steps::AbstractSteps},
    explain::explain,
    predicates::Predicates,
    table::DistanceTable,
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

/// Builds a table whose predicates exclude spurious errors. Adds the work to `prepared`.
pub(super) fn refine<'s>(
    steps: AbstractSteps<'s>,
    first: Predicates,
    rounds: RefinementRounds,
    once: bool,
    budget: &Budget<'_>,
    prepared: &mut Prepared,
) -> DistanceTable<'s> {
    let mut left = budget.states;
    let mut make = |steps: AbstractSteps<'s>, predicates: Predicates| {
        let table = DistanceTable::new(steps, predicates, once, &Budget { states: left, ..*budget });
        left = left.saturating_sub(table.space.states.all.len());
        prepared.states += table.space.states.all.len();
        table
    };
    let max = if let RefinementRounds::Of(rounds) = rounds { rounds } else { MAX_ROUNDS };
    let mut table = make(steps, first);
    for round in 1..=max {
        // An incomplete space has no shortest path; one without a path proves that the goal is
        // unreachable.
        if table.space.stopped.is_some() {
            break;
        }
        let Some((path, target)) = table.path() else { break };
        let Some(reasons) = explain(&mut table.steps, &path, &target) else { break };
        let mut predicates = table.predicates.clone();
        let mut is_new = false;
        for atom in reasons.atoms {
            is_new |= predicates.add_atom(&mut table.steps, atom);
        }
        for difference in reasons.clocks {
            is_new |= predicates.add_difference(difference);
        }
        for process in reasons.processes {
            is_new |= predicates.locate(process);
        }
        if !is_new {
            break;
        }
        let mut next = make(table.steps.clone(), predicates);
        prepared.rounds = prepared.rounds.max(round);
        let is_longer = next.length().is_none_or(|length| length as usize > path.len());
        if rounds == RefinementRounds::WhileLonger && (!is_longer || next.space.stopped.is_some()) {
            break;
        }
        table = next;
    }
    table
}
