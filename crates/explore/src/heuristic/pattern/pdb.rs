//! The pattern database heuristic. Safe and admissible.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
};
use zone::Bound;

use model::{Formula, System};
use rustc_hash::FxBuildHasher;

use super::{
    super::{
        Budget, Depends, Estimate, EvaluatedState, Evaluator, PathPosition, Prepared, hl::Hl, hu::Hu,
        relaxed::RelaxationSettings,
    },
    choice::PatternChoice,
    keep::Pattern,
    ladder::Ladder,
    layer_search::{CoverPolicy, Until},
    network::PatternNetwork,
    rows::PatternRows,
};

/// A pattern database.
pub struct Pdb<'s> {
    ladder: Ladder<'s>,
    ties: Option<Ties>,
    /// The heuristic that is used instead.
    instead: Option<Hl>,
    prepared: Prepared,
}

const SPENT: &str = "the budget of abstract states is spent";
const LATE: &str = "the time is over";
const TOO_MANY: &str = "there are too many steps";
const NO_BETTER: &str = "hl says as much, and is used instead";

impl<'s> Pdb<'s> {
    /// Creates the database of a pattern, which is explored completely: first without clocks, then
    /// with them.
    #[must_use]
    pub fn new(system: &'s System, goal: &Formula, pattern: &Pattern, budget: &Budget<'_>) -> Pdb<'s> {
        let mut ladder = Ladder::new(system, goal);
        let mut stopped = Some(TOO_MANY);
        if let Some(steps) = PatternNetwork::new(system, goal).steps(pattern) {
            let clocks = steps.subnetwork.clocks.clone();
            let rows = ladder.add_rows(PatternRows::new(steps));
            let with_clocks = (clocks.len() > 1).then_some(clocks);
            let mut is_done = true;
            for clocks in [Some(vec![0]), with_clocks].into_iter().flatten() {
                let Some(mut search) = ladder.search(rows, clocks, CoverPolicy::More) else { continue };
                let left = budget.states.saturating_sub(ladder.states);
                is_done &= ladder.explore(&mut search, Until::All, &|_| left, budget);
                ladder.add(search);
            }
            stopped = if is_done { None } else { Some(if budget.is_over() { LATE } else { SPENT }) };
        }
        let prepared =
            Prepared { states: ladder.states, lengths: vec![ladder.length()], stopped, ..Prepared::default() };
        Pdb { ladder, ties: None, instead: None, prepared }
    }

    /// Creates a database of automatically chosen patterns; see `choice`. Ties are broken by h^U,
    /// which knows what patterns leave out. If h^L is at least as informed in the initial state, it
    /// is used instead.
    #[must_use]
    pub fn chosen(system: &'s System, goal: &Formula, budget: &Budget<'_>) -> Pdb<'s> {
        let choice = PatternChoice::new(system, goal, budget);
        let mut stopped = choice.is_over().then(|| if budget.is_over() { LATE } else { SPENT });
        let (ladder, rounds) = (choice.ladder, choice.rounds);
        let mut instead = None;
        if let Some(length) = ladder.length() {
            let mut hl = Hl::new(system, goal, RelaxationSettings::default());
            let zone = vec![i32::LE_ZERO; system.clocks.len() * system.clocks.len()];
            let guess = hl.evaluate(EvaluatedState {
                row: &system.initial,
                zone: &zone,
                edges: &[],
                path: PathPosition::default(),
            });
            if guess.is_none_or(|guess| guess.value >= length) {
                instead = Some(hl);
                stopped = stopped.or(Some(NO_BETTER));
            }
        }
        let ties = instead.is_none().then(|| Ties::new(system, goal));
        let lengths = vec![ladder.length()];
        let prepared = Prepared { states: ladder.states, rounds, lengths, stopped, ..Prepared::default() };
        Pdb { ladder, ties, instead, prepared }
    }
}

impl Evaluator for Pdb<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        if let Some(instead) = &mut self.instead {
            return instead.evaluate(state);
        }
        let value = self.ladder.distance(state.row, state.zone)?;
        Some(Estimate { value, tie: self.ties.as_mut().map_or(0, |ties| ties.of(state)) })
    }

    fn is_admissible(&self) -> bool {
        true
    }

    fn depends(&self) -> Depends {
        if self.instead.is_none() && self.ladder.has_clocks() { Depends::Zone } else { Depends::Row }
    }

    fn prepared(&self) -> Option<Prepared> {
        Some(self.prepared.clone())
    }
}

/// A tie breaker by h^U.
struct Ties {
    plans: Hu,
    /// Cached values, by a hash of the row. Collisions are harmless.
    known: HashMap<u64, u32, FxBuildHasher>,
}

impl Ties {
    fn new(system: &System, goal: &Formula) -> Ties {
        Ties { plans: Hu::new(system, goal, RelaxationSettings::default()), known: HashMap::default() }
    }

    fn of(&mut self, state: EvaluatedState<'_>) -> u32 {
        let mut hasher = FxBuildHasher.build_hasher();
        state.row.hash(&mut hasher);
        let plans = &mut self.plans;
        let known = self.known.entry(std::hash::Hasher::finish(&hasher));
        *known.or_insert_with(|| plans.evaluate(state).map_or(u32::MAX, |guess| guess.value))
    }
}
