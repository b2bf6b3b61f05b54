//! The symbolic pattern database heuristic. Safe and admissible.

use model::{Formula, System};

use super::{
    super::{
        super::{Budget, Depends, Estimate, EvaluatedState, Evaluator, Prepared, abstraction::steps::AbstractSteps},
        keep::Pattern,
        network::PatternNetwork,
    },
    encoding::Encoding,
    order::orders,
    regression::{Distances, FAR, regress},
    rules::BitRules,
};
use crate::diagram::{DiagramLimits, DiagramStop, Diagrams};

/// The number of nodes that may take the place of one abstract state.
const NODES: usize = 8;
/// The number of visited nodes that may take the place of one abstract state.
const VISITS: usize = 1000;
/// An order that is not the last has one in this number of the budget.
const SHARE: usize = 8;

const NODES_SPENT: &str = "the budget of nodes is spent";
const WORK_SPENT: &str = "the budget of visited nodes is spent";
const LATE: &str = "the time is over";
const TOO_MANY: &str = "there are too many steps";
const RELAXED: &str = "an expression has too many values, and is ignored";

/// A symbolic pattern database.
pub struct SymbolicPdb {
    /// The distances and the bits of rows; `None`: they are unknown.
    distances: Option<(Distances, Encoding)>,
    prepared: Prepared,
}

impl SymbolicPdb {
    /// Creates the database of a pattern. Clocks are ignored.
    #[must_use]
    pub fn new(system: &System, goal: &Formula, pattern: &Pattern, budget: &Budget<'_>) -> SymbolicPdb {
        let pattern = Pattern { clocks: vec![false; system.clocks.len()], ..pattern.clone() };
        match PatternNetwork::new(system, goal).steps(&pattern) {
            Some(steps) => SymbolicPdb::of_steps(&steps, budget),
            None => SymbolicPdb::unknown(0, TOO_MANY),
        }
    }

    /// Creates the database of the steps of a pattern. Orders are tried until one fits: all but the
    /// last with a share of the budget.
    fn of_steps(steps: &AbstractSteps<'_>, budget: &Budget<'_>) -> SymbolicPdb {
        let is_over = || budget.is_over();
        let nodes = budget.states.saturating_mul(NODES);
        let work = budget.states.saturating_mul(VISITS);
        let all = DiagramLimits { nodes, work, is_over: &is_over };
        let share = DiagramLimits { nodes: nodes / SHARE, work: work / SHARE, ..all };
        let mut orders = orders(steps);
        let last = orders.pop().unwrap_or_default();
        let mut peak = 0;
        let mut best: Option<SymbolicPdb> = None;
        for (order, limits) in orders.iter().map(|order| (order, share)).chain([(&last, all)]) {
            let made = SymbolicPdb::of_order(steps, order, limits);
            peak = peak.max(made.prepared.nodes);
            let is_done = matches!(made.prepared.stopped, None | Some(RELAXED | LATE));
            if is_done || best.as_ref().is_none_or(|best| made.beyond() >= best.beyond()) {
                best = Some(made);
            }
            if is_done {
                break;
            }
        }
        let mut best = best.unwrap_or_else(|| SymbolicPdb::unknown(0, NODES_SPENT));
        best.prepared.nodes = peak;
        best
    }

    /// Creates the database for an order of slots.
    fn of_order(steps: &AbstractSteps<'_>, order: &[u32], limits: DiagramLimits<'_>) -> SymbolicPdb {
        let mut diagrams = Diagrams::new(limits);
        let encoding = Encoding::new(steps.system, order);
        let rules = match BitRules::new(steps, &encoding, &mut diagrams) {
            Ok(rules) => rules,
            Err(stop) => return SymbolicPdb::unknown(diagrams.peak(), reason(stop)),
        };
        let relaxes = rules.relaxes;
        let distances = regress(&mut diagrams, rules);
        let stopped = distances.stop.map(reason).or(relaxes.then_some(RELAXED));
        let mut made = SymbolicPdb {
            distances: Some((distances, encoding)),
            prepared: Prepared { nodes: diagrams.peak(), stopped, ..Prepared::default() },
        };
        made.prepared.lengths = vec![made.distance(&steps.system.initial)];
        made
    }

    /// Returns the least distance of states that were not reached; `None`: it is unknown.
    fn beyond(&self) -> Option<u32> {
        self.distances.as_ref().and_then(|(distances, _)| distances.beyond)
    }

    fn unknown(nodes: usize, why: &'static str) -> SymbolicPdb {
        let prepared = Prepared { nodes, lengths: vec![Some(0)], stopped: Some(why), ..Prepared::default() };
        SymbolicPdb { distances: None, prepared }
    }

    /// Returns a lower bound on the distance of a row to the goal; `None`: it is a dead end.
    fn distance(&self, row: &[i32]) -> Option<u32> {
        let Some((distances, encoding)) = &self.distances else { return Some(0) };
        if !encoding.encodes(row) {
            return Some(0);
        }
        match distances.numbers.look_up(|level| encoding.bit(row, level)) {
            FAR => distances.beyond,
            distance => Some(distance),
        }
    }
}

fn reason(stop: DiagramStop) -> &'static str {
    match stop {
        DiagramStop::Nodes => NODES_SPENT,
        DiagramStop::Work => WORK_SPENT,
        DiagramStop::Signal => LATE,
    }
}

impl Evaluator for SymbolicPdb {
    fn evaluate(&mut self, state: EvaluatedState<'_>) -> Option<Estimate> {
        self.distance(state.row).map(Estimate::from)
    }

    fn depends(&self) -> Depends {
        Depends::Row
    }

    fn is_safe(&self) -> bool {
        true
    }

    fn is_admissible(&self) -> bool {
        true
    }

    fn prepared(&self) -> Option<Prepared> {
        Some(self.prepared.clone())
    }
}
