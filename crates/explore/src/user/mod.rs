//! Functions of the user: which states are joined, how far a state is from the goal, and which
//! state is explored next.
//!
//! A function that fails has the search stopped ([`Failures::stop`]), and no verdict is drawn. What
//! the functions return changes the order of states and which of them are joined, and never the
//! verdict, except that a heuristic which is said to be safe may drop states.
//!
//! [`Failures::stop`]: lattice::user::Failures::stop

mod open;
mod view;

use std::{fmt, sync::Arc};

use lattice::user::{UserError, UserFailure, guarded};
use model::System;

pub use open::open_list;
pub(crate) use view::WidenedZone;
pub use view::{Constraint, KeptState, StateValue, StateView, VariablePlace};

/// Calls a function of the user. If it fails, the search is stopped.
pub(crate) fn ask<R>(
    system: &System,
    function: &'static str,
    call: impl FnOnce() -> Result<R, UserError>,
) -> Option<R> {
    match guarded(call) {
        Ok(result) => Some(result),
        Err(error) => {
            let failure = UserFailure { function: function.to_owned(), arguments: Vec::new(), error };
            system.code.failures.stop(failure);
            None
        }
    }
}

/// Decides by two states and their join.
type WithJoin = dyn Fn(&StateView<'_>, &StateView<'_>, &StateView<'_>) -> Result<bool, UserError> + Send + Sync;

/// Decides by two states.
type WithoutJoin = dyn Fn(&StateView<'_>, &StateView<'_>) -> Result<bool, UserError> + Send + Sync;

/// How it is decided whether two states are joined.
pub(crate) enum Decide {
    With(Box<WithJoin>),
    Without(Box<WithoutJoin>),
}

/// Decides whether two states are joined. Two are equal if they are the same.
#[derive(Clone)]
pub struct UserJoin(pub(crate) Arc<Decide>);

impl UserJoin {
    /// Wraps a function of the stored state, the new one, and their join.
    pub fn new(
        function: impl Fn(&StateView<'_>, &StateView<'_>, &StateView<'_>) -> Result<bool, UserError> + Send + Sync + 'static,
    ) -> UserJoin {
        UserJoin(Arc::new(Decide::With(Box::new(function))))
    }

    /// Wraps a function of the stored state and the new one. Their join is computed only if it is
    /// allowed.
    pub fn of_two(
        function: impl Fn(&StateView<'_>, &StateView<'_>) -> Result<bool, UserError> + Send + Sync + 'static,
    ) -> UserJoin {
        UserJoin(Arc::new(Decide::Without(Box::new(function))))
    }
}

/// Estimates the distance from a state to the goal; `None`: no path leads there.
type Estimates = dyn Fn(&StateView<'_>) -> Result<Option<u64>, UserError> + Send + Sync;

/// Estimates distances to the goal. Two are equal if they are the same.
#[derive(Clone)]
pub struct UserHeuristic {
    pub(crate) function: Arc<Estimates>,
    /// Whether states from which it sees no path are dropped.
    pub is_safe: bool,
    /// Whether it never overestimates.
    pub is_admissible: bool,
}

impl UserHeuristic {
    /// Wraps a function that returns the estimated number of transitions to the goal; `None`: no
    /// path leads there.
    pub fn new(
        function: impl Fn(&StateView<'_>) -> Result<Option<u64>, UserError> + Send + Sync + 'static,
    ) -> UserHeuristic {
        UserHeuristic { function: Arc::new(function), is_safe: false, is_admissible: false }
    }

    /// Says that no path leads to the goal where the function says so: such states are dropped, and
    /// the verdict rests on it. Otherwise they come last.
    #[must_use]
    pub fn safe(self) -> UserHeuristic {
        UserHeuristic { is_safe: true, ..self }
    }

    /// Says that the function never overestimates, so that A* finds shortest paths.
    #[must_use]
    pub fn admissible(self) -> UserHeuristic {
        UserHeuristic { is_admissible: true, ..self }
    }
}

/// The open states of a search, in an order of the user.
pub trait OpenStates: Send {
    /// Adds a state. Its number is what [`OpenStates::pop`] returns.
    ///
    /// # Errors
    /// It fails.
    fn push(&mut self, state: &StateView<'_>, number: u32) -> Result<(), UserError>;

    /// Removes a state that was added and returns its number; `None`: there is none.
    ///
    /// # Errors
    /// It fails.
    fn pop(&mut self) -> Result<Option<u32>, UserError>;
}

/// Makes the open states of a search.
type Opens = dyn Fn() -> Result<Box<dyn OpenStates>, UserError> + Send + Sync;

/// An order of the user. Two are equal if they are the same.
#[derive(Clone)]
pub struct UserOrder(pub(crate) Arc<Opens>);

impl UserOrder {
    /// Wraps a function that is called once for each search.
    pub fn new(function: impl Fn() -> Result<Box<dyn OpenStates>, UserError> + Send + Sync + 'static) -> UserOrder {
        UserOrder(Arc::new(function))
    }
}

impl PartialEq for UserJoin {
    fn eq(&self, other: &UserJoin) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for UserHeuristic {
    fn eq(&self, other: &UserHeuristic) -> bool {
        Arc::ptr_eq(&self.function, &other.function)
            && (self.is_safe, self.is_admissible) == (other.is_safe, other.is_admissible)
    }
}

impl PartialEq for UserOrder {
    fn eq(&self, other: &UserOrder) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for UserJoin {}
impl Eq for UserHeuristic {}
impl Eq for UserOrder {}

impl fmt::Debug for UserJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserJoin")
    }
}

impl fmt::Debug for UserHeuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserHeuristic")
    }
}

impl fmt::Debug for UserOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserOrder")
    }
}
