//! Functions of Python that guide a search.

use std::sync::Arc;

use merkhet::{
    AbstractPath, Guide, Model, Options, SharedGuide,
    user::{OpenStates, StateView, UserError, UserGoal, UserHeuristic, UserJoin, UserOrder},
};
use model::System;
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyList},
};

use crate::{
    classes::{call, truth},
    states::NativeState,
};

/// The functions that are given besides options.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub struct Given {
    join: Option<Py<PyAny>>,
    heuristic: Option<Py<PyAny>>,
    safe: bool,
    admissible: bool,
    order: Option<Py<PyAny>>,
    feasible: Option<Py<PyAny>>,
    split: Option<Py<PyAny>>,
}

impl Given {
    /// Adds the functions to options for a model.
    pub fn add(&self, py: Python<'_>, model: &Model, options: &mut Options) {
        let system = Arc::new(model.loaded.system.clone());
        let state = |view: &StateView<'_>, system: &Arc<System>| NativeState::new(system, view);
        if let Some(function) = &self.join {
            let (function, system) = (function.clone_ref(py), Arc::clone(&system));
            options.functions.join = Some(UserJoin::new(move |stored, new, joined| {
                call(|py| {
                    let views = (state(stored, &system), state(new, &system), state(joined, &system));
                    // A strategy of two states does not look at their join.
                    truth(&function.bind(py).call1(views)?, "the strategy of joining")
                })
            }));
        }
        if let Some(function) = &self.heuristic {
            let (function, system) = (function.clone_ref(py), Arc::clone(&system));
            let heuristic = UserHeuristic::new(move |view| {
                call(|py| {
                    let found = function.bind(py).call1((state(view, &system),))?;
                    let wrong = |_| PyTypeError::new_err("the heuristic returns neither a number from 0 on nor None");
                    if found.is_none() { Ok(None) } else { found.extract().map(Some).map_err(wrong) }
                })
            });
            let heuristic = if self.safe { heuristic.safe() } else { heuristic };
            options.functions.heuristic = Some(if self.admissible { heuristic.admissible() } else { heuristic });
        }
        if let Some(class) = &self.order {
            let (class, system) = (class.clone_ref(py), Arc::clone(&system));
            options.functions.order = Some(UserOrder::new(move || {
                let list = call(|py| Ok(class.bind(py).call0()?.unbind()))?;
                Ok(Box::new(Open { list, system: Arc::clone(&system) }))
            }));
        }
        if self.feasible.is_some() || self.split.is_some() {
            let copy = |function: &Option<Py<PyAny>>| function.as_ref().map(|function| function.clone_ref(py));
            let guide = PythonGuide { feasible: copy(&self.feasible), split: copy(&self.split), system };
            options.guide = Some(SharedGuide::new(guide));
        }
    }
}

/// Makes a goal of a predicate.
pub fn goal(py: Python<'_>, model: &Model, predicate: &Py<PyAny>) -> UserGoal {
    let (function, system) = (predicate.clone_ref(py), Arc::new(model.loaded.system.clone()));
    UserGoal::new(move |view| {
        call(|py| truth(&function.bind(py).call1((NativeState::new(&system, view),))?, "the goal"))
    })
}

/// The open states of an order of the user.
struct Open {
    list: Py<PyAny>,
    system: Arc<System>,
}

impl OpenStates for Open {
    fn push(&mut self, state: &StateView<'_>, number: u32) -> Result<(), UserError> {
        call(|py| {
            let state = NativeState::new(&self.system, state);
            self.list.bind(py).call_method1("push", (state, number)).map(|_| ())
        })
    }

    fn pop(&mut self) -> Result<Option<u32>, UserError> {
        call(|py| {
            let popped = self.list.bind(py).call_method0("pop")?;
            let wrong = |_| PyTypeError::new_err("`pop` returns neither the number of a state nor None");
            popped.extract().map_err(wrong)
        })
    }
}

/// What functions say about abstract paths.
struct PythonGuide {
    feasible: Option<Py<PyAny>>,
    split: Option<Py<PyAny>>,
    system: Arc<System>,
}

impl PythonGuide {
    /// Returns the path as a list of its states: what each transition leads to, what was stored,
    /// and whether it was joined.
    fn path<'py>(&self, py: Python<'py>, path: &AbstractPath<'_>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for (number, state) in path.states.iter().enumerate() {
            let (Some(reached), Some(stored)) = (path.reached(number), path.stored(number)) else { continue };
            let entry = PyDict::new(py);
            entry.set_item("reached", NativeState::new(&self.system, &reached))?;
            entry.set_item("stored", NativeState::new(&self.system, &stored))?;
            entry.set_item("joined", state.is_joined)?;
            list.append(py.import("merkhet._lattices")?.getattr("PathState")?.call((), Some(&entry))?)?;
        }
        Ok(list)
    }
}

impl Guide for PythonGuide {
    fn is_feasible(&mut self, path: &AbstractPath<'_>) -> Result<Option<bool>, UserError> {
        let Some(function) = &self.feasible else { return Ok(None) };
        call(|py| {
            let said = function.bind(py).call1((self.path(py, path)?,))?;
            if said.is_none() { Ok(None) } else { truth(&said, "the test of feasibility").map(Some) }
        })
    }

    fn split_state(&mut self, path: &AbstractPath<'_>) -> Result<Option<usize>, UserError> {
        let Some(function) = &self.split else { return Ok(None) };
        call(|py| {
            let said = function.bind(py).call1((self.path(py, path)?,))?;
            let wrong = |_| PyTypeError::new_err("the choice of a join returns neither the number of a state nor None");
            said.extract().map_err(wrong)
        })
    }
}
