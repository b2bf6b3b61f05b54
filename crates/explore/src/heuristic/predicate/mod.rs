//! Predicate abstraction of subnetworks, as a pattern database.
//!
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid and Podelski, "Using predicate abstraction to
//! generate heuristic functions in UPPAAL", MoChArt 2006. The network is `split`; for each
//! subnetwork all abstract states from which the goal may be reached are computed backwards
//! (`regress`), and a state is looked up among them (`table`). The estimate is the sum over the
//! subnetworks. It is safe. It is admissible if a transition of several subnetworks counts for its
//! initiator only.
//!
//! In the paper a subnetwork knows nothing of other processes: conditions on variables that they
//! change are dropped ([`OtherProcesses::Unknown`]). It may also know their effects on variables
//! and clocks, at no cost ([`OtherProcesses::Effects`]).

pub mod abstract_states;
mod explain;
mod integers;
mod parts;
mod predicates;
mod refine;
mod regress;
mod split;
mod table;
mod ubtree;

use model::{Formula, System};

use self::{
    parts::Parts,
    predicates::Predicates,
    refine::{RefinementRounds, refine},
    table::DistanceTable,
};
use super::{Budget, Depends, Estimate, EvaluatedState, Evaluator, Prepared, abstraction::steps::AbstractSteps};

/// The source of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateSource {
    /// Guards, invariants and the goal.
    Syntax,
    /// Spurious errors, in this number of rounds.
    Refine(u32),
    /// Both, as long as a round makes the abstract path longer.
    Auto,
}

/// The greatest number of processes of a subnetwork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubnetworkBound {
    /// This number.
    Processes(u32),
    /// All processes.
    All,
    /// As many as make the abstract path much longer.
    Auto,
}

/// The settings of a predicate abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateSettings {
    /// The greatest number of processes of a subnetwork.
    pub bound: SubnetworkBound,
    /// The source of predicates.
    pub source: PredicateSource,
    /// Whether a transition of several subnetworks counts for its initiator only.
    pub once: bool,
    /// What a subnetwork knows of other processes.
    pub others: OtherProcesses,
    /// Which spurious paths a round of refinement excludes.
    pub excludes: ExcludedPaths,
    /// How states are looked up.
    pub lookup: Lookup,
}

/// How a state is looked up among abstract states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// In groups of abstract states at the same locations, once for equal abstractions of states.
    #[default]
    Groups,
    /// In an unlimited branching tree, as in the paper.
    Tree,
}

/// What a subnetwork knows of other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherProcesses {
    /// Nothing: conditions that they may affect are dropped, as in the paper.
    Unknown,
    /// Their effects on variables and clocks, at no cost.
    Effects,
}

/// Which spurious paths a round of refinement excludes. The paper excludes one; its section 5 plans
/// the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExcludedPaths {
    /// One shortest path.
    #[default]
    One,
    /// All shortest paths.
    All,
    /// A shortest path whose predicates exclude the most others.
    Relevant,
    /// One shortest path to the states from which the goal is at most this number of steps away,
    /// unless it is feasible.
    Perimeter(u32),
}

/// Why there are no estimates.
const TOO_MANY: &str = "the network has too many transitions";

/// A larger subnetwork pays off if it makes the abstract path longer by at least this fraction: one
/// in four.
const MIN_GAIN: u32 = 4;

/// The distance in a predicate abstraction.
pub struct PredicateAbstraction<'s> {
    settings: PredicateSettings,
    parts: Vec<SubnetworkTable<'s>>,
    prepared: Prepared,
}

/// The tables of a subnetwork.
struct SubnetworkTable<'s> {
    table: DistanceTable<'s>,
    /// The same without synchronisations with other processes that its processes could do among
    /// themselves. It is not safe, but a good tie breaker.
    alone: Option<DistanceTable<'s>>,
}

impl<'s> PredicateAbstraction<'s> {
    /// Creates the heuristic for a system and a goal.
    #[must_use]
    pub fn new(
        system: &'s System,
        goal: &Formula,
        settings: PredicateSettings,
        budget: &Budget<'_>,
    ) -> PredicateAbstraction<'s> {
        let mut made = PredicateAbstraction { settings, parts: Vec::new(), prepared: Prepared::default() };
        let Some(mut parts) = Parts::new(system, goal, settings.others) else {
            made.prepared.stopped = Some(TOO_MANY);
            return made;
        };
        let bound = match settings.bound {
            SubnetworkBound::Processes(bound) => bound as usize,
            SubnetworkBound::All => system.processes.len(),
            SubnetworkBound::Auto => {
                made.grow(&mut parts, system.processes.len(), budget);
                return made;
            }
        };
        let split = parts.split.parts(bound);
        made.add_all(&mut parts, &split, budget);
        made
    }

    /// Adds subnetworks, each within the rest of the budget.
    fn add_all(&mut self, parts: &mut Parts<'s, '_>, split: &[Vec<bool>], budget: &Budget<'_>) {
        for watched in split {
            let Some(own) = parts.steps(watched) else {
                self.prepared.stopped = Some(TOO_MANY);
                continue;
            };
            // A subnetwork in which the goal holds everywhere is useless.
            if own.targets.iter().any(|t| t.conditions.is_empty() && t.clocks.is_empty()) {
                continue;
            }
            let alone = parts.alone(watched, &own);
            let left = Budget { states: budget.states.saturating_sub(self.prepared.states), ..*budget };
            self.add(own, alone, &left);
        }
    }

    fn add(&mut self, mut steps: AbstractSteps<'s>, alone: Option<AbstractSteps<'s>>, budget: &Budget<'_>) {
        let (predicates, rounds) = match self.settings.source {
            PredicateSource::Syntax => (Predicates::of_syntax(&mut steps), RefinementRounds::Of(0)),
            PredicateSource::Refine(rounds) => (Predicates::default(), RefinementRounds::Of(rounds)),
            PredicateSource::Auto => (Predicates::of_syntax(&mut steps), RefinementRounds::WhileLonger),
        };
        let mut table = refine(steps, predicates, rounds, &self.settings, budget, &mut self.prepared);
        let alone = alone.map(|alone| {
            // Terms have the same ids as in the table.
            let alone = AbstractSteps { terms: table.steps.terms.clone(), ..alone };
            let table = DistanceTable::new(alone, table.predicates.clone(), &self.settings, budget);
            self.prepared.states += table.space.states.all.len();
            table
        });
        let lengths = vec![table.length()];
        let (predicates, stopped) = (table.predicates.len(), table.space.stopped);
        self.prepared.add(Prepared { predicates, lengths, stopped, ..Prepared::default() });
        self.parts.push(SubnetworkTable { table, alone });
    }

    /// Enlarges subnetworks as long as that pays off.
    fn grow(&mut self, parts: &mut Parts<'s, '_>, count: usize, budget: &Budget<'_>) {
        let mut last: Option<Vec<Vec<bool>>> = None;
        for bound in 2.min(count)..=count {
            let split = parts.split.parts(bound);
            if last.as_ref() == Some(&split) {
                continue;
            }
            let mut next = PredicateAbstraction { parts: Vec::new(), prepared: Prepared::default(), ..*self };
            let left = Budget { states: budget.states.saturating_sub(self.prepared.states), ..*budget };
            next.add_all(parts, &split, &left);
            let spent = self.prepared.states + next.prepared.states;
            let (before, after) = (self.total(), next.total());
            let is_first = last.is_none();
            last = Some(split);
            let pays =
                after.is_none_or(|after| before.is_some_and(|before| after >= before + before.div_ceil(MIN_GAIN)));
            if is_first || pays && next.prepared.stopped.is_none() {
                *self = next;
                self.prepared.states = spent;
            } else {
                self.prepared.states = spent;
                break;
            }
        }
    }

    /// Returns the sum of the lengths of abstract paths; `None`: a subnetwork has none.
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
