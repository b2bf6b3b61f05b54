//! What a search that found nothing has stored, as evidence: symbolic states that hold all that can
//! be reached.
//!
//! The states of a cover are closed under plain inclusion, so that a checker needs no abstraction.
//! Stores that cover by aLU are not, hence the search is run with zones that were extrapolated.

use std::collections::HashMap;

use explore::{
    cluster::SentStates,
    store::{NodeId, Stored},
};
use model::system::ClockId;
use zone::Bound;

use crate::reach::Reached;

/// `left - right < bound`, or `<=`; clock 0 is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// The clock that is bounded.
    pub left: usize,
    /// The clock that is subtracted.
    pub right: usize,
    /// The bound.
    pub bound: i64,
    /// `<` instead of `<=`.
    pub strict: bool,
}

/// Symbolic states that hold all states that can be reached, and none of the goal.
pub struct Cover {
    stores: Vec<Box<dyn Stored>>,
    /// The clocks of the system that the clocks of the zones are.
    clocks: Vec<ClockId>,
    /// The states, each with the number of its store, those of one row together.
    nodes: Vec<(usize, NodeId)>,
}

impl Cover {
    /// `sent` are the states of other processes.
    pub(crate) fn new<B: Bound>(reached: Reached<B>, sent: Vec<SentStates>) -> Cover {
        let Reached { stores, clocks, .. } = reached;
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let own = stores.iter().map(|store| store.nodes().collect());
        let lists: Vec<Vec<NodeId>> = own.chain(sent.iter().map(|states| states.nodes().collect())).collect();
        let stores = stores.into_iter().map(|store| Box::new(store) as Box<dyn Stored>);
        let stores = stores.chain(sent.into_iter().map(|states| Box::new(states) as Box<dyn Stored>));
        let stores: Vec<Box<dyn Stored>> = stores.collect();
        // The rows are numbered as they come, so that the order is that of the search.
        let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
        let mut nodes: Vec<(usize, usize, NodeId)> = Vec::new();
        for (at, (store, list)) in stores.iter().zip(lists).enumerate() {
            for node in list {
                store.state(node, &mut row, &mut zone);
                let next = numbers.len();
                let number = *numbers.entry(row.clone()).or_insert(next);
                nodes.push((number, at, node));
            }
        }
        nodes.sort_by_key(|(number, ..)| *number);
        let nodes = nodes.into_iter().map(|(_, at, node)| (at, node)).collect();
        Cover { stores, clocks, nodes }
    }

    /// How many symbolic states there are.
    #[must_use]
    pub fn states(&self) -> usize {
        self.nodes.len()
    }

    /// Calls `visit` with each row and the constraints of a zone, until it fails. Zones of one row
    /// come one after the other.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn try_for_each<E>(&self, mut visit: impl FnMut(&[i32], &[Constraint]) -> Result<(), E>) -> Result<(), E> {
        let (mut row, mut zone) = (Vec::new(), Vec::new());
        let mut constraints = Constraints::new(&self.clocks);
        for &(at, node) in &self.nodes {
            self.stores[at].state(node, &mut row, &mut zone);
            visit(&row, constraints.of(&zone))?;
        }
        Ok(())
    }
}

/// Reads the constraints of zones, without those that follow from others.
pub(crate) struct Constraints<'c> {
    clocks: &'c [ClockId],
    reduced: Vec<i64>,
    list: Vec<Constraint>,
}

impl<'c> Constraints<'c> {
    /// The clocks of the zones are these of the system.
    pub(crate) fn new(clocks: &'c [ClockId]) -> Constraints<'c> {
        Constraints { clocks, reduced: Vec::new(), list: Vec::new() }
    }

    pub(crate) fn of(&mut self, zone: &[i64]) -> &[Constraint] {
        let Constraints { clocks, reduced, list } = self;
        let dim = clocks.len();
        reduced.clear();
        list.clear();
        zone::reduce(zone, dim, reduced);
        let (pairs, _) = reduced.as_chunks::<2>();
        list.extend(pairs.iter().map(|&[at, bound]| Constraint {
            left: clocks[at as usize / dim].0 as usize,
            right: clocks[at as usize % dim].0 as usize,
            bound: zone::value(bound),
            strict: zone::is_strict(bound),
        }));
        list
    }
}
