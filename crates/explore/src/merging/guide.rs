//! What the user says about paths to goal states that were found through joins.
//!
//! The functions of a [`Guide`] are those that the paper on opaal leaves to the user: whether an
//! abstract path is feasible, and which of its states is split. They guide refinement and decide no
//! verdict. A path that is called feasible counts only if the model has a run along it. A path that
//! is called infeasible has a join undone, after which the goal is found again if it is reachable;
//! a path without joins is not subject to the guide at all.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use lattice::user::UserError;
use model::{System, system::EdgeId};

use crate::{
    store::NodeId,
    user::{self, StateView},
};

/// A state of an abstract path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathState {
    /// The edges of the transition to it; none for an initial state.
    pub edges: Vec<EdgeId>,
    /// The row that the transition leads to.
    pub reached: Vec<i32>,
    /// The row that was stored: a greater one if the state was joined with others.
    pub row: Vec<i32>,
    /// Whether the state was joined with others, by elements or zones.
    pub is_joined: bool,
    pub(super) node: Option<NodeId>,
}

/// A path to a goal state through states that may be joined.
#[derive(Clone, Copy, Debug)]
pub struct AbstractPath<'p> {
    /// The system.
    pub system: &'p System,
    /// The states, from an initial one to the goal.
    pub states: &'p [PathState],
}

impl<'p> AbstractPath<'p> {
    /// Returns a state as it was stored: a greater one than its transition leads to, if it was
    /// joined with others.
    #[must_use]
    pub fn stored(&self, number: usize) -> Option<StateView<'p>> {
        self.states.get(number).map(|state| StateView::discrete(self.system, &state.row))
    }

    /// Returns the state that a transition leads to.
    #[must_use]
    pub fn reached(&self, number: usize) -> Option<StateView<'p>> {
        self.states.get(number).map(|state| StateView::discrete(self.system, &state.reached))
    }
}

/// Guides refinement. Both functions are optional.
pub trait Guide: Send {
    /// Returns whether a path is feasible; `None`: the search finds out itself, which is the
    /// default.
    ///
    /// # Errors
    /// It fails. The search stops, without a verdict.
    fn is_feasible(&mut self, path: &AbstractPath<'_>) -> Result<Option<bool>, UserError> {
        let _ = path;
        Ok(None)
    }

    /// Returns which state of an infeasible path is split, by its index in the path. It must be
    /// joined. `None`: the last one without whose join the path does not lead to the goal, or the
    /// last joined one if the path was called infeasible. This is the default.
    ///
    /// # Errors
    /// It fails. The search stops, without a verdict.
    fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
        let _ = path;
        Ok(None)
    }
}

/// A guide that several searches share. Two are equal if they are the same.
#[derive(Clone)]
pub struct SharedGuide(Arc<Mutex<dyn Guide>>);

impl SharedGuide {
    /// Shares a guide.
    #[must_use]
    pub fn new(guide: impl Guide + 'static) -> SharedGuide {
        SharedGuide(Arc::new(Mutex::new(guide)))
    }

    /// Calls the guide. If it fails, the search is stopped.
    pub(super) fn ask<R>(
        &self,
        system: &System,
        question: impl FnOnce(&mut dyn Guide) -> Result<Option<R>, UserError>,
    ) -> Option<R> {
        let mut guide = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        user::ask(system, "the guide of the user", || question(&mut *guide)).flatten()
    }
}

impl PartialEq for SharedGuide {
    fn eq(&self, other: &SharedGuide) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedGuide {}

impl fmt::Debug for SharedGuide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedGuide")
    }
}
