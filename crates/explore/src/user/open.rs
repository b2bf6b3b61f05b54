//! Open lists of the user.

use model::System;
use rustc_hash::FxHashMap;
use zone::Bound;

use super::{OpenStates, StateView, UserOrder, ask, view::WidenedZone};
use crate::{
    open::{Arrival, OpenList},
    store::NodeId,
};

/// An open list in an order of the user. It makes sure that each state is returned as often as it
/// was added, whatever the user's list returns.
struct UserOpenList<'s> {
    system: &'s System,
    /// `None`: it has failed.
    states: Option<Box<dyn OpenStates>>,
    /// How often each state is in the list.
    open: FxHashMap<u32, u32>,
    count: usize,
}

/// Returns an empty open list in an order of the user.
#[must_use]
pub fn open_list<'s, B: Bound>(system: &'s System, order: &UserOrder) -> Box<dyn OpenList<B> + 's> {
    let states = ask(system, "the order of the user", || (order.0)());
    Box::new(UserOpenList { system, states, open: FxHashMap::default(), count: 0 })
}

impl UserOpenList<'_> {
    /// Returns the next state; `None`: the list of the user fails.
    fn next(&mut self) -> Option<u32> {
        use lattice::user::UserError;
        let UserOpenList { system, states, open, count } = self;
        let states = states.as_mut()?;
        ask(system, "`pop` of the user's order", || match states.pop()? {
            Some(number) if open.get(&number).is_some_and(|count| *count > 0) => Ok(number),
            Some(number) => Err(UserError::new(format!("it returns {number}, which is no open state"))),
            None => Err(UserError::new(format!("it returns nothing, but there are {count} open states"))),
        })
    }
}

impl<B: Bound> OpenList<B> for UserOpenList<'_> {
    fn push(&mut self, state: &Arrival<'_, B>) {
        let zone = WidenedZone::new(state.zone);
        let view = StateView::new(self.system, state.row, Some(&zone));
        let Some(states) = &mut self.states else { return };
        let pushed = ask(self.system, "`push` of the user's order", || states.push(&view, state.node.0));
        if pushed.is_none() {
            self.states = None;
            return;
        }
        *self.open.entry(state.node.0).or_default() += 1;
        self.count += 1;
    }

    fn pop(&mut self) -> Option<NodeId> {
        if self.count == 0 {
            return None;
        }
        let Some(number) = self.next() else {
            // The search is stopped, so it does not end as if no state were open.
            self.states = None;
            return None;
        };
        if let Some(count) = self.open.get_mut(&number) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&number);
            }
        }
        self.count -= 1;
        Some(NodeId(number))
    }

    fn len(&self) -> usize {
        self.count
    }
}
