//! Lattices and functions of the user.
//!
//! Everything that decides how states are covered, joined and ordered can be given as a function:
//!
//! - A [`UserClass`] is a class of lattices, which a model finds by `extern Name;` if it was
//!   registered with [`Source::with_lattice`](crate::Source::with_lattice).
//! - [`Functions`], in [`Options::functions`](crate::Options::functions), are a strategy of joining,
//!   a heuristic, and an order.
//! - A [`UserGoal`] is a predicate on states; [`Model::goal`](crate::Model::goal) makes a query of
//!   it.
//! - A [`Guide`](crate::Guide) says which abstract paths are feasible, and which join is undone.
//!
//! All of them may be called by several threads at once. A function that fails ends the work: the
//! verdict is unknown, and [`Reason::User`](crate::Reason::User) has its [`UserError`]. A method that
//! fails where the text of the model calls it is a run-time error of the model, with the run that led
//! there. Apart from goals, and heuristics that are said to be safe, no verdict depends on what
//! functions return.

use std::sync::Arc;

use model::{LoweredQuery, System, code::Predicate};

use crate::{Options, OptionsError};

pub use explore::user::{
    Constraint, KeptState, OpenStates, Place, StateValue, StateView, UserHeuristic, UserJoin, UserOrder,
};
pub use lattice::{
    Resolver, ReturnType, Trend,
    user::{
        Access, ClassArguments, Element, Interface, Protection, UserClass, UserError, UserFailure, UserLattice,
        UserMethod,
    },
};

/// Functions of the user that guide a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// Decides which states are joined. States are joined if it is there.
    pub join: Option<UserJoin>,
    /// Estimates the distance to the goal, besides the heuristics that options name.
    pub heuristic: Option<UserHeuristic>,
    /// The order in which states are explored.
    pub order: Option<UserOrder>,
}

impl Functions {
    /// Returns what messages call the first of them.
    pub(crate) fn first(&self) -> Option<&'static str> {
        let named = [
            (self.join.is_some(), "join strategies"),
            (self.heuristic.is_some(), "heuristics"),
            (self.order.is_some(), "orders"),
        ];
        named.into_iter().find(|(is_there, _)| *is_there).map(|(_, name)| name)
    }

    /// Returns the order that the one of the user replaces.
    pub(crate) fn check_order(&self, options: &Options, is_guided: bool) -> Result<verify::Order, OptionsError> {
        if options.order.is_some() {
            return Err(OptionsError::TwoOrders("--order"));
        }
        if is_guided {
            return Err(OptionsError::TwoOrders("heuristics"));
        }
        Ok(verify::Order::Bfs)
    }
}

/// Decides whether a state is a goal.
type Decides = dyn Fn(&StateView<'_>) -> Result<bool, UserError> + Send + Sync;

/// A predicate of the user on the discrete parts of states.
#[derive(Clone)]
pub struct UserGoal(Arc<Decides>);

impl UserGoal {
    /// Wraps a function.
    pub fn new(function: impl Fn(&StateView<'_>) -> Result<bool, UserError> + Send + Sync + 'static) -> UserGoal {
        UserGoal(Arc::new(function))
    }

    pub(crate) fn lowered(self, system: &System, exists: bool) -> LoweredQuery {
        let own = system.clone();
        let predicate = Predicate::new(move |row| (self.0)(&StateView::discrete(&own, row)));
        system.query_of(predicate, exists)
    }
}

/// Returns whether a model has elements of lattices of the user, which are numbers that only this
/// process knows.
pub(crate) fn has_lattices(system: &System) -> bool {
    system.library.iter().any(|lattice| lattice.0.is_of_user())
}
