//! Predicate abstraction of parts of the network, as a pattern database.
//!
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid and Podelski, "Using predicate abstraction to
//! generate heuristic functions in UPPAAL", MoChArt 2006. The network is `split`; for each part all
//! abstract states are found from which the goal may be reached, backwards (`regress`), and a state
//! is looked up among them (`table`). The sum over the parts is the guess. It is safe, and
//! admissible but for transitions of several parts, which each of them counts; if they count for
//! whoever starts them only, it is admissible.
//!
//! It differs from the paper in what a part knows of the others. There, conditions on variables
//! that others change are dropped. Here it is not known where others are, but what they do to
//! variables and clocks is, and costs nothing.

pub mod abstract_states;
mod explain;
mod integers;
mod predicates;
mod refine;
mod regress;
mod split;
mod table;

use model::{Formula, System, symbolic::Symbolic};

use self::{
    predicates::Predicates,
    refine::{RefinementRounds, refine},
    split::NetworkSplit,
    table::DistanceTable,
};
use super::{
    Budget, Depends, Estimate, EvaluatedState, Evaluator, Prepared,
    abstraction::{
        steps::AbstractSteps,
        subnetwork::{Subnetwork, writes},
    },
};

/// Where predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateSource {
    /// From guards, invariants and the goal.
    Syntax,
    /// From spurious errors, in so many rounds.
    Refine(u32),
    /// From both, in as many rounds as make the abstract way longer.
    Auto,
}

/// How many processes are in one part at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubnetworkBound {
    /// So many.
    Processes(u32),
    /// All of them.
    All,
    /// As many as make the abstract way much longer.
    Auto,
}

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateSettings {
    /// How many processes are in one part at most.
    pub bound: SubnetworkBound,
    /// Where predicates come from.
    pub source: PredicateSource,
    /// Whether a transition of several parts counts for whoever starts it only.
    pub once: bool,
}

/// A larger part must make the abstract way longer by one in so many, or it does not pay.
const WORTH: u32 = 4;

/// The distance in a predicate abstraction.
pub struct PredicateAbstraction<'s> {
    settings: PredicateSettings,
    parts: Vec<SubnetworkTable<'s>>,
    prepared: Prepared,
}

/// A part.
struct SubnetworkTable<'s> {
    table: DistanceTable<'s>,
    /// The same without what others take part in, where its processes could do that among
    /// themselves. It is not safe, but says more about which of several states that seem as near is
    /// nearer.
    alone: Option<DistanceTable<'s>>,
}

impl<'s> PredicateAbstraction<'s> {
    /// For a system and a goal.
    #[must_use]
    pub fn new(
        system: &'s System,
        goal: &Formula,
        settings: PredicateSettings,
        budget: &Budget<'_>,
    ) -> PredicateAbstraction<'s> {
        let mut made = PredicateAbstraction { settings, parts: Vec::new(), prepared: Prepared::default() };
        let mut symbolic = Symbolic::new(system);
        let part = Subnetwork::new(system, &writes(system, &mut symbolic), vec![true; system.processes.len()]);
        let Some(steps) = AbstractSteps::new(system, &mut symbolic, part, goal) else {
            made.prepared.stopped = Some("the network has too many transitions");
            return made;
        };
        let split = NetworkSplit::new(system, &mut symbolic, goal);
        match settings.bound {
            SubnetworkBound::Processes(bound) => made.add_all(&steps, &split.parts(bound as usize), budget),
            SubnetworkBound::All => made.add_all(&steps, &split.parts(system.processes.len()), budget),
            SubnetworkBound::Auto => made.grow(&steps, &split, budget),
        }
        made
    }

    /// Adds parts, each within what is left of the budget.
    fn add_all(&mut self, steps: &AbstractSteps<'s>, parts: &[Vec<bool>], budget: &Budget<'_>) {
        for watched in parts {
            let own = steps.watch(watched, false);
            // A part in which the goal is everywhere says nothing.
            if own.targets.iter().any(|t| t.conditions.is_empty() && t.clocks.is_empty()) {
                continue;
            }
            let alone = steps.watch(watched, true);
            let left = Budget { states: budget.states.saturating_sub(self.prepared.states), ..*budget };
            self.add(own, alone, &left);
        }
    }

    fn add(&mut self, mut steps: AbstractSteps<'s>, alone: AbstractSteps<'s>, budget: &Budget<'_>) {
        let (predicates, rounds) = match self.settings.source {
            PredicateSource::Syntax => (Predicates::of_syntax(&mut steps), RefinementRounds::Of(0)),
            PredicateSource::Refine(rounds) => (Predicates::default(), RefinementRounds::Of(rounds)),
            PredicateSource::Auto => (Predicates::of_syntax(&mut steps), RefinementRounds::WhileLonger),
        };
        let has_less = alone.steps.len() < steps.steps.len();
        let mut table = refine(steps, predicates, rounds, self.settings.once, budget, &mut self.prepared);
        let alone = has_less.then(|| {
            // Terms have the numbers that they have in the table.
            let alone = AbstractSteps { terms: table.steps.terms.clone(), ..alone };
            let table = DistanceTable::new(alone, table.predicates.clone(), self.settings.once, budget);
            self.prepared.states += table.space.cells.all.len();
            table
        });
        let lengths = vec![table.length()];
        let (predicates, stopped) = (table.predicates.len(), table.space.stopped);
        self.prepared.add(Prepared { predicates, lengths, stopped, ..Prepared::default() });
        self.parts.push(SubnetworkTable { table, alone });
    }

    /// Makes parts larger as long as that pays.
    fn grow(&mut self, steps: &AbstractSteps<'s>, split: &NetworkSplit<'_>, budget: &Budget<'_>) {
        let count = steps.system.processes.len();
        let mut last: Option<Vec<Vec<bool>>> = None;
        for bound in 2.min(count)..=count {
            let parts = split.parts(bound);
            if last.as_ref() == Some(&parts) {
                continue;
            }
            let mut next = PredicateAbstraction { parts: Vec::new(), prepared: Prepared::default(), ..*self };
            let left = Budget { states: budget.states.saturating_sub(self.prepared.states), ..*budget };
            next.add_all(steps, &parts, &left);
            let spent = self.prepared.states + next.prepared.states;
            let (before, after) = (self.total(), next.total());
            let is_first = last.is_none();
            last = Some(parts);
            let pays = after.is_none_or(|after| before.is_some_and(|before| after >= before + before.div_ceil(WORTH)));
            if is_first || pays && next.prepared.stopped.is_none() {
                *self = next;
                self.prepared.states = spent;
            } else {
                self.prepared.states = spent;
                break;
            }
        }
    }

    /// The length of the abstract way in all parts; `None`: in one of them there is none.
    fn total(&self) -> Option<u32> {
        self.prepared.lengths.iter().try_fold(0_u32, |sum, length| Some(sum.saturating_add((*length)?)))
    }
}

impl Evaluator for PredicateAbstraction<'_> {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        let mut all = Estimate::default();
        for part in &mut self.parts {
            all.value = all.value.saturating_add(part.table.distance(state.row, state.zone)?);
            if let Some(alone) = &mut part.alone {
                all.tie = all.tie.saturating_add(alone.distance(state.row, state.zone).unwrap_or(u32::MAX));
            }
        }
        Some(all)
    }
    fn is_safe(&self) -> bool {
        true
    }
    fn is_admissible(&self) -> bool {
        self.settings.once || self.parts.len() < 2
    }
    fn depends(&self) -> Depends {
        let clocks = self.parts.iter().any(|part| !part.table.predicates.clocks.is_empty());
        if clocks { Depends::Zone } else { Depends::Row }
    }
    fn takes_last(&self) -> bool {
        true
    }
    fn prepared(&self) -> Option<Prepared> {
        Some(self.prepared.clone())
    }
}
