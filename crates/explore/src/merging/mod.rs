//! Covering and joining of states that differ in elements of lattices and zones.
//!
//! A state is covered by one whose elements and zone are greater. Two states may be joined at the price of precision; a
//! [`Strategy`] says which. (Dalsgaard et al., "opaal: a lattice model checker", NFM 2011; merge and stop are the operators of
//! Beyer, Henzinger and Théoduloz, "Configurable software verification", CAV 2007.) What is learned from goals that turn out not to
//! be reachable is in `probe`, and `judge` says which join is to blame.

mod ancestry;
mod cut;
mod guards;
mod judge;
mod orders;
mod probe;
mod strategy;

use model::{Formula, System, machine::Fault};

use crate::{graph::ZoneGraph, store::NodeId, zones::ZoneId};
use ancestry::Ancestry;
use guards::Guards;
pub(crate) use judge::Judgement;
use orders::Orders;
pub use orders::{Disorder, DisorderKind};
use probe::Probe;
pub use strategy::{Places, Strategy, TwoStates, Which};

/// A state that is compared with another one of its group.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The row.
    pub row: &'a [i32],
    /// The elements of lattices in it, one behind the other.
    pub elements: &'a [i32],
    /// The zone.
    pub zone: &'a [i32],
}

/// What decides about covering and joining.
pub struct Merging<'a> {
    orders: Orders<'a>,
    /// What must not be lost; `None`: nothing can be.
    guards: Option<Guards<'a>>,
    strategy: Option<Strategy<'a>>,
    /// How often each group was joined, if that matters.
    joins: Vec<u32>,
    /// How states came to be what they are, and what was learned, if there is refinement.
    ancestry: Option<Ancestry>,
    probe: Option<Probe<'a>>,
    /// Transitions that have to be taken again, since their targets are gone: a state, or the start, and places among its
    /// successors. The last comes first.
    again: Vec<(Option<NodeId>, Vec<u32>)>,
    /// What a lattice did and must not have done.
    disorder: Option<Disorder>,
    /// The join that was found last.
    elements: Vec<i32>,
    zone: Vec<i32>,
    row: Vec<i32>,
    /// Where each number of the elements is in a row.
    slots: Vec<usize>,
}

impl<'a> Merging<'a> {
    /// Covering, and joining by a strategy if there is one. `trusts`: the model is taken to be monotone, whatever is known of it.
    #[must_use]
    pub fn new(system: &'a System, goal: &Formula, strategy: Option<Strategy<'a>>, trusts: bool) -> Merging<'a> {
        let merged = system.lattices.iter().filter(|v| !v.varies);
        Merging {
            orders: Orders::new(system),
            guards: if trusts { None } else { Guards::new(system, goal) },
            strategy,
            joins: Vec::new(),
            ancestry: None,
            probe: None,
            again: Vec::new(),
            disorder: None,
            elements: Vec::new(),
            zone: Vec::new(),
            row: Vec::new(),
            slots: merged.flat_map(|v| (v.first..v.first + v.width).map(|slot| slot as usize)).collect(),
        }
    }

    /// The same, with refinement: goals that are found through joins are looked at by a graph of the search's kind.
    #[must_use]
    pub fn with_refinement(mut self, graph: ZoneGraph<'a>, goal: &'a Formula) -> Merging<'a> {
        self.ancestry = Some(Ancestry::default());
        self.probe = Some(Probe::new(graph, goal));
        self
    }

    /// Whether states may be joined.
    #[must_use]
    pub fn joins(&self) -> bool {
        self.strategy.is_some()
    }

    /// What a lattice did and must not have done.
    #[must_use]
    pub fn disorder(&self) -> Option<&Disorder> {
        self.disorder.as_ref()
    }

    /// How often something was learned from a goal that is not reachable.
    #[must_use]
    pub fn lessons(&self) -> usize {
        self.probe.as_ref().map_or(0, Probe::lessons)
    }

    fn note<T: Default>(&mut self, result: Result<T, Disorder>) -> T {
        result.unwrap_or_else(|disorder| {
            self.disorder.get_or_insert(disorder);
            T::default()
        })
    }

    /// How elements compare: less or equal, and greater or equal. `wanted` says which matters.
    pub(crate) fn compare(&mut self, a: &[i32], b: &[i32], wanted: (bool, bool)) -> (bool, bool) {
        let result = self.orders.compare(a, b, wanted);
        self.note(result)
    }

    /// Whether something may be lost if a row stands for one with smaller elements.
    pub(crate) fn guards_elements(&self) -> bool {
        self.guards.is_some()
    }

    /// Whether nothing is lost if a row stands for one with smaller elements.
    pub(crate) fn keeps(&mut self, small: &[i32], large: &[i32]) -> bool {
        // A condition that fails is met when the state is explored.
        self.guards.as_mut().is_none_or(|guards| guards.keep(small, large).unwrap_or(false))
    }

    /// Joins two states of a group, if the strategy says so. The result is [`Merging::joined`].
    pub(crate) fn join(&mut self, group: u32, old: Side<'_>, new: Side<'_>) -> bool {
        let Some(strategy) = &mut self.strategy else { return false };
        if !strategy.allows(&self.orders, old, new) {
            return false;
        }
        let widen = strategy.widens(group, &mut self.joins);
        old.elements.clone_into(&mut self.elements);
        let result = self.orders.join(&mut self.elements, new.elements, widen);
        if let Err(disorder) = result {
            self.disorder.get_or_insert(disorder);
            return false;
        }
        old.zone.clone_into(&mut self.zone);
        zone::convex_hull(&mut self.zone, new.zone);
        old.row.clone_into(&mut self.row);
        self.slots.iter().zip(&self.elements).for_each(|(slot, value)| self.row[*slot] = *value);
        let joined = Side { row: &self.row, elements: &self.elements, zone: &self.zone };
        let lost = |guards: &mut Guards<'_>| -> Result<bool, Fault> {
            Ok(!guards.keep(old.row, joined.row)? || !guards.keep(new.row, joined.row)?)
        };
        if self.guards.as_mut().is_some_and(|guards| lost(guards).unwrap_or(true)) {
            return false;
        }
        self.probe.as_mut().is_none_or(|probe| probe.allows(group, old, new, joined))
    }

    /// The join that was found last.
    pub(crate) fn joined(&self) -> Side<'_> {
        Side { row: &self.row, elements: &self.elements, zone: &self.zone }
    }

    /// Counts a join of a group.
    pub(crate) fn count(&mut self, group: u32) {
        if self.strategy.as_ref().is_some_and(Strategy::counts) {
            let group = group as usize;
            if self.joins.len() <= group {
                self.joins.resize(group + 1, 0);
            }
            self.joins[group] += 1;
        }
    }

    /// Whether goals are looked at once more.
    pub(crate) fn refines(&self) -> bool {
        self.probe.is_some()
    }

    /// Transitions of a state, or of the start, that have to be taken again.
    pub(crate) fn next_again(&mut self) -> Option<(Option<NodeId>, Vec<u32>)> {
        self.again.pop()
    }

    /// Whether a state will never be there again.
    pub(crate) fn is_removed(&self, node: NodeId) -> bool {
        self.ancestry.as_ref().is_some_and(|ancestry| ancestry.is_removed(node))
    }

    /// Whether states that are gone are still needed.
    pub(crate) fn remembers(&self) -> bool {
        self.ancestry.is_some()
    }

    /// Notes that a state is gone, since another one stands for it now.
    pub(crate) fn merged(&mut self, old: NodeId, zone: ZoneId, into: NodeId) {
        if let Some(ancestry) = &mut self.ancestry {
            ancestry.merge(old, zone, into);
        }
    }

    /// Notes where a transition has led: to a state that is new, or one that covers what was reached.
    pub(crate) fn arrive(&mut self, from: Option<NodeId>, ordinal: u32, to: NodeId) {
        if let Some(ancestry) = &mut self.ancestry {
            ancestry.arrive(from, ordinal, to);
        }
    }

    /// Notes that a state is expanded; `false`: it was before.
    pub(crate) fn expand(&mut self, node: NodeId) -> bool {
        self.ancestry.as_mut().is_none_or(|ancestry| ancestry.expand(node))
    }
}
