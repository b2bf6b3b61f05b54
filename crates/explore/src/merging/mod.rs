//! Covering and joining of states that differ in elements of lattices and zones.
//!
//! A state is covered by one whose elements and zone are greater. Two states may be joined at the
//! price of precision; a [`JoinStrategy`] decides which. (Dalsgaard et al., "opaal: a lattice model
//! checker", NFM 2011; merge and stop are the operators of Beyer, Henzinger and Théoduloz,
//! "Configurable software verification", CAV 2007.) Refinements by unreachable goal states are in
//! `probe`, `judge` finds the join that is to blame, `blame` describes it, and a `guide` of the
//! user may choose another.

mod ancestry;
mod blame;
mod cut;
mod guide;
mod judge;
mod mark;
mod orders;
mod probe;
mod snapshot;
mod split;
mod strategy;

use model::{System, system::EdgeId};
use zone::Bound;

use crate::{
    batch::Batch,
    goal::BoxedGoal,
    graph::{RunError, ZoneGraph},
    heuristic::Failures,
    store::NodeId,
    transitions::{SymbolicTrace, Transitions},
    zones::ZoneId,
};
use ancestry::Ancestry;
pub(crate) use blame::Remedy;
pub use blame::{Blame, SpuriousPath};
pub use guide::{AbstractPath, Guide, PathState, SharedGuide};
pub(crate) use judge::Judgement;
pub(crate) use mark::{ElementKey, ElementMark};
use orders::Orders;
pub use orders::{Disorder, DisorderKind};
use probe::Probe;
use split::Splits;
pub use split::can_split;
pub use strategy::{JoinLocations, JoinStrategy, TwoStates, Which};

/// The elements of a state, and the values of its join conditions.
pub(crate) type ElementValues<'a> = (&'a [i32], &'a [i32]);

/// A state that is joined with another one of its group.
#[derive(Clone, Copy)]
pub(crate) struct JoinOperand<'a, B> {
    /// Its elements of lattices, concatenated.
    pub elements: &'a [i32],
    /// The result of [`Merging::values`].
    pub values: &'a [i32],
    pub zone: &'a [B],
}

/// The join of two states.
pub(crate) struct Joined<'a, B> {
    pub row: &'a [i32],
    pub elements: &'a [i32],
    pub values: &'a [i32],
    pub zone: &'a [B],
}

/// Called with the trace to a reachable goal state. Returns whether the goal has shrunk.
pub(crate) type Raise<'a, B> = dyn FnMut(&SymbolicTrace<B>) -> bool + Send + 'a;

/// The policy of covering and joining.
pub struct Merging<'a, B = i32> {
    orders: Orders<'a>,
    /// Edges whose guards may be lost when elements grow. If there are any, wide states, which
    /// represent all smaller ones, are distinguished from others. Joins are wide.
    splits: Option<Splits<'a>>,
    /// Which states are wide.
    wide: Vec<bool>,
    strategy: Option<JoinStrategy<'a>>,
    /// The number of joins in each group, if there is widening.
    joins: Vec<u32>,
    /// The ancestry of states and the refinements, if joins are refined.
    ancestry: Option<Ancestry>,
    probe: Option<Probe<'a, B>>,
    /// Whether joins are undone that led to an unreachable goal state; else the search ends there.
    undoes: bool,
    /// The number of states that were removed.
    undone: usize,
    /// What the user says about paths to goal states.
    guide: Option<SharedGuide>,
    raise: Option<Box<Raise<'a, B>>>,
    /// A stack of transitions that have to be taken again because their targets were removed: a
    /// state, or `None` for the initial states, and ordinals of its successors.
    again: Vec<(Option<NodeId>, Vec<u32>)>,
    /// A violation of the laws by a lattice.
    disorder: Option<Disorder>,
    /// Buffers for the last join.
    elements: Vec<i32>,
    zone: Vec<B>,
    row: Vec<i32>,
    joined_values: Vec<i32>,
    /// The rows of both states, if a function of the user or the probe looks at them.
    sides: [Vec<i32>; 2],
    /// The slots of the row that are elements.
    slots: Vec<usize>,
}

impl<'a, B: Bound> Merging<'a, B> {
    /// Creates a policy of covering by some of the variables in [`model::Network::lattices`], and
    /// of joining by a strategy if there is one.
    #[must_use]
    pub fn new(system: &'a System, merged: &[usize], strategy: Option<JoinStrategy<'a>>) -> Merging<'a, B> {
        Merging {
            orders: Orders::new(system, merged),
            splits: None,
            wide: Vec::new(),
            strategy,
            joins: Vec::new(),
            ancestry: None,
            probe: None,
            undoes: false,
            undone: 0,
            guide: None,
            raise: None,
            again: Vec::new(),
            disorder: None,
            elements: Vec::new(),
            zone: Vec::new(),
            row: Vec::new(),
            joined_values: Vec::new(),
            sides: Default::default(),
            slots: merged_slots(system, merged).collect(),
        }
    }

    /// Takes transitions from smaller elements too if their guards may be lost when elements grow.
    #[must_use]
    pub fn with_splits(mut self, system: &'a System, merged: &[usize]) -> Merging<'a, B> {
        self.splits = Splits::new(system, merged);
        self
    }

    /// Lets goal states that are found through joins be probed in a graph like that of the search.
    /// One that is unreachable ends the search, unless there is refinement as well.
    #[must_use]
    pub fn with_probe(mut self, graph: ZoneGraph<'a, B>, goal: BoxedGoal<'a, B>) -> Merging<'a, B> {
        self.ancestry = Some(Ancestry::default());
        self.probe = Some(Probe::new(graph, goal));
        self
    }

    /// Adds refinement: joins that led to unreachable goal states are undone. A guide may choose.
    #[must_use]
    pub fn with_refinement(mut self, guide: Option<SharedGuide>) -> Merging<'a, B> {
        self.undoes = true;
        self.guide = guide;
        self
    }

    /// Lets the search continue after reachable goal states: `raise` is called with the trace to
    /// one, and shrinks the goal.
    #[must_use]
    pub fn with_climbing(mut self, raise: Box<Raise<'a, B>>) -> Merging<'a, B> {
        self.raise = Some(raise);
        self
    }

    /// Returns whether states may be joined.
    #[must_use]
    pub(crate) fn joins(&self) -> bool {
        self.strategy.is_some()
    }

    /// Returns a violation of the laws by a lattice.
    #[must_use]
    pub(crate) fn disorder(&self) -> Option<&Disorder> {
        self.disorder.as_ref()
    }

    /// Returns the number of refinements.
    #[must_use]
    pub(crate) fn refinements(&self) -> usize {
        self.probe.as_ref().map_or(0, Probe::refinements)
    }

    /// Computes the values that decide about covering and joining: those of the strategy's
    /// condition in a row, and whether the state is wide, if that matters.
    pub(crate) fn values(&mut self, row: &[i32], is_wide: bool, out: &mut Vec<i32>) {
        values(self.strategy.as_mut(), self.splits.is_some().then_some(is_wide), row, out);
    }

    /// Returns whether values are those of a wide state.
    fn is_wide_by(&self, values: &[i32]) -> bool {
        self.splits.is_some() && values.last() == Some(&1)
    }

    /// Returns whether a node is wide.
    pub(crate) fn is_wide(&self, node: NodeId) -> bool {
        self.wide.get(node.0 as usize).is_some_and(|is| *is)
    }

    /// Stores whether a new node is wide, by its values.
    pub(crate) fn note(&mut self, node: NodeId, values: &[i32]) {
        if self.is_wide_by(values) {
            self.wide.resize(node.0 as usize + 1, false);
            self.wide[node.0 as usize] = true;
        }
    }

    /// Adds the successors that a state has for smaller elements only.
    ///
    /// # Errors
    /// A run-time error of the model.
    pub(crate) fn split(
        &mut self,
        node: NodeId,
        graph: &mut ZoneGraph<'_, B>,
        row: &[i32],
        zone: &[B],
        out: &mut Batch<B>,
    ) -> Result<(), RunError> {
        let is_wide = self.is_wide(node);
        match &mut self.splits {
            Some(splits) if is_wide => splits.successors(graph, row, zone, None, out),
            _ => Ok(()),
        }
    }

    /// Returns whether too many elements had to be tried in guards.
    pub(crate) fn gives_up(&self) -> bool {
        self.splits.as_ref().is_some_and(|splits| splits.too_many)
    }

    /// Returns whether a state may cover another of its group, as far as elements decide.
    #[inline]
    pub(crate) fn is_below(&mut self, small: ElementValues<'_>, large: ElementValues<'_>) -> bool {
        if self.splits.is_some() && !self.is_wide_by(large.1) {
            return small.0 == large.0 && !self.is_wide_by(small.1);
        }
        match self.orders.leq(small.0, large.0) {
            Ok(is) => is,
            Err(disorder) => {
                self.disorder.get_or_insert(disorder);
                false
            }
        }
    }

    /// Returns the first member of a group, starting at an index, that may be above a state, or
    /// below it.
    pub(crate) fn next(&self, elements: &[i32], all: &[i32], from: usize, above: bool) -> usize {
        self.orders.next(elements, all, from, above)
    }

    /// Returns the key of elements for an index; `None`: none of their integers has an order.
    pub(crate) fn key(&self, elements: &[i32]) -> Option<ElementKey> {
        self.orders.key(elements)
    }

    /// Returns the expressions of the strategy that have failed.
    pub(crate) fn failures(&self) -> Failures {
        self.strategy.as_ref().map_or(Failures::default(), JoinStrategy::failures)
    }

    /// Announces the values of a state that is compared with many others.
    pub(crate) fn consider(&mut self, values: &[i32]) {
        if let Some(strategy) = &mut self.strategy {
            strategy.consider(values);
        }
    }

    /// Returns whether the strategy allows joining a state with the announced one, as far as
    /// discrete parts decide.
    #[inline]
    pub(crate) fn may_join(&mut self, row: &[i32], old: ElementValues<'_>, new: ElementValues<'_>) -> bool {
        self.strategy.as_mut().is_some_and(|strategy| strategy.allows(&self.orders, row, old, new))
    }

    /// Joins two states of a group, unless zones differ that must not be joined or a refinement
    /// forbids it. `row` is that of one of them.
    pub(crate) fn join(
        &mut self,
        group: u32,
        row: &[i32],
        old: JoinOperand<'_, B>,
        new: JoinOperand<'_, B>,
    ) -> Option<Joined<'_, B>> {
        let strategy = self.strategy.as_ref()?;
        if !strategy.zones && old.zone != new.zone {
            return None;
        }
        let is_probed = self.probe.as_ref().is_some_and(Probe::has_learned);
        if strategy.function.is_some() || is_probed {
            for (side, operand) in self.sides.iter_mut().zip([old, new]) {
                row.clone_into(side);
                self.slots.iter().zip(operand.elements).for_each(|(slot, value)| side[*slot] = *value);
            }
        }
        if !strategy.is_allowed_before([(&self.sides[0], old.zone), (&self.sides[1], new.zone)]) {
            return None;
        }
        old.elements.clone_into(&mut self.elements);
        if let Err(disorder) = self.orders.join(&mut self.elements, new.elements, strategy.widens(group, &self.joins)) {
            self.disorder.get_or_insert(disorder);
            return None;
        }
        old.zone.clone_into(&mut self.zone);
        zone::convex_hull(&mut self.zone, new.zone);
        row.clone_into(&mut self.row);
        self.slots.iter().zip(&self.elements).for_each(|(slot, value)| self.row[*slot] = *value);
        let wide = [old, new].map(|side| self.is_wide_by(side.values));
        let is_wide = self.splits.is_some() && (wide[0] || wide[1] || old.elements != new.elements);
        let (row, mut values) = (std::mem::take(&mut self.row), std::mem::take(&mut self.joined_values));
        self.values(&row, is_wide, &mut values);
        (self.row, self.joined_values) = (row, values);
        let strategy = self.strategy.as_mut()?;
        if !strategy.allows_join(old.values, new.values, &self.joined_values) {
            return None;
        }
        let joined = (&self.row[..], &self.zone[..]);
        if !strategy.is_allowed_after([(&self.sides[0], old.zone), (&self.sides[1], new.zone), joined]) {
            return None;
        }
        if let Some(probe) = self.probe.as_mut().filter(|_| is_probed) {
            let part = |i: usize, zone| probe::ProbeState { row: &self.sides[i], zone, is_wide: wide[i] };
            let joined = probe::ProbeState { row: &self.row, zone: &self.zone, is_wide };
            if !probe.allows(self.splits.as_mut(), group, [part(0, old.zone), part(1, new.zone)], joined) {
                return None;
            }
        }
        Some(Joined { row: &self.row, elements: &self.elements, values: &self.joined_values, zone: &self.zone })
    }

    /// Counts a join in a group.
    pub(crate) fn count(&mut self, group: u32) {
        if self.strategy.as_ref().is_some_and(JoinStrategy::counts) {
            let group = group as usize;
            if self.joins.len() <= group {
                self.joins.resize(group + 1, 0);
            }
            self.joins[group] += 1;
        }
    }

    /// Returns the number of states that were removed when joins were undone, and the number of
    /// successors that were computed to judge paths.
    pub(crate) fn work(&self) -> (usize, usize) {
        (self.undone, self.probe.as_ref().map_or(0, |probe| probe.work))
    }

    /// Returns whether goal states are probed.
    pub(crate) fn probes(&self) -> bool {
        self.probe.is_some()
    }

    /// Returns whether joins are undone.
    pub(crate) fn undoes(&self) -> bool {
        self.undoes
    }

    /// Handles a reachable goal state. Returns whether the search continues.
    pub(crate) fn goes_on(&mut self, path: &[u32]) -> bool {
        let (Some(raise), Some(probe)) = (&mut self.raise, &mut self.probe) else { return false };
        probe.graph().follow(path).is_some_and(|trace| raise(&trace))
    }

    /// Returns transitions of a state, or initial ones, that have to be taken again.
    pub(crate) fn next_again(&mut self) -> Option<(Option<NodeId>, Vec<u32>)> {
        self.again.pop()
    }

    /// Puts transitions back that could not be taken again.
    pub(crate) fn again_later(&mut self, from: Option<NodeId>, ordinals: Vec<u32>) {
        self.again.push((from, ordinals));
    }

    /// Returns whether a state was removed permanently.
    pub(crate) fn is_removed(&self, node: NodeId) -> bool {
        self.ancestry.as_ref().is_some_and(|ancestry| ancestry.is_removed(node))
    }

    /// Returns whether removed states are still needed.
    pub(crate) fn remembers(&self) -> bool {
        self.ancestry.is_some()
    }

    /// Records that a state was removed because another one covers it.
    pub(crate) fn merged(&mut self, old: NodeId, zone: ZoneId, into: NodeId) {
        if let Some(ancestry) = &mut self.ancestry {
            ancestry.merge(old, zone, into);
        }
    }

    /// Records the target of a transition: a new state, or one that covers it.
    pub(crate) fn arrive(&mut self, from: Option<NodeId>, ordinal: u32, to: NodeId) {
        if let Some(ancestry) = self.ancestry.as_mut().filter(|_| self.undoes) {
            ancestry.arrive(from, ordinal, to);
        }
    }

    /// Marks a state as expanded. Returns `false` if it was expanded before.
    pub(crate) fn expand(&mut self, node: NodeId) -> bool {
        self.ancestry.as_mut().filter(|_| self.undoes).is_none_or(|ancestry| ancestry.expand(node))
    }
}

/// Returns the slots of the row that are elements by which states may cover each other and be
/// joined.
pub(crate) fn merged_slots(system: &System, merged: &[usize]) -> impl Iterator<Item = usize> {
    merged.iter().map(|i| &system.lattices[*i]).flat_map(|v| v.first as usize..(v.first + v.width) as usize)
}

/// Returns whether the process of an edge is at its source.
fn is_at(system: &System, row: &[i32], edge: EdgeId) -> bool {
    let edge = &system.edges[edge.0 as usize];
    system.location(row, edge.process) == edge.source
}

/// Computes the values that decide about covering and joining: those of the strategy's condition in
/// a row, and whether the state is wide, if that matters.
fn values(strategy: Option<&mut JoinStrategy<'_>>, is_wide: Option<bool>, row: &[i32], out: &mut Vec<i32>) {
    out.clear();
    if let Some(strategy) = strategy {
        strategy.values(row, out);
    }
    out.extend(is_wide.map(i32::from));
}
