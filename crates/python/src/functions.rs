//! Functions of Python that guide a search.

use std::sync::Arc;

use merkhet::{
    AbstractPath, Guide, Model, Options, SharedGuide,
    user::{OpenStates, StateView, UserError, UserGoal, UserHeuristic, UserJoin, UserOrder},
};
use pyo3::{
    prelude::*,
    types::{PyDict, PyList, PyTuple},
};

use crate::{
    classes::{call, nonsense, truth},
    memo::Memo,
    states::{Names, NativeState},
};

/// The functions that are given besides options.
#[derive(FromPyObject, Default)]
#[pyo3(from_item_all)]
pub struct Given {
    join: Option<Py<PyAny>>,
    /// Whether the strategy takes two states, not their join as well.
    of_two: bool,
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
        let names = Names::new(&model.loaded.system);
        if let Some(function) = &self.join {
            let (function, names, memo) = (function.clone_ref(py), Arc::clone(&names), Memo::default());
            options.functions.join = Some(if self.of_two {
                UserJoin::of_two(move |stored, new| decide(&function, &names, &memo, [stored, new]))
            } else {
                UserJoin::new(move |stored, new, joined| decide(&function, &names, &memo, [stored, new, joined]))
            });
        }
        if let Some(function) = &self.heuristic {
            let (function, names) = (function.clone_ref(py), Arc::clone(&names));
            let heuristic = UserHeuristic::new(move |view| {
                call(|py| {
                    let found = function.bind(py).call1((NativeState::new(&names, view),))?;
                    let wrong = |_| nonsense(&found, "the heuristic", "a number from 0 on, or None");
                    if found.is_none() { Ok(None) } else { found.extract().map(Some).map_err(wrong) }
                })
            });
            let heuristic = if self.safe { heuristic.safe() } else { heuristic };
            options.functions.heuristic = Some(if self.admissible { heuristic.admissible() } else { heuristic });
        }
        if let Some(class) = &self.order {
            let (class, names) = (class.clone_ref(py), Arc::clone(&names));
            options.functions.order = Some(UserOrder::new(move || {
                let list = call(|py| Ok(class.bind(py).call0()?.unbind()))?;
                Ok(Box::new(Open { list, names: Arc::clone(&names) }))
            }));
        }
        if self.feasible.is_some() || self.split.is_some() {
            let copy = |function: &Option<Py<PyAny>>| function.as_ref().map(|function| function.clone_ref(py));
            let guide = PythonGuide { feasible: copy(&self.feasible), split: copy(&self.split), names };
            options.guide = Some(SharedGuide::new(guide));
        }
    }
}

/// Asks a strategy whether states are joined.
fn decide<const N: usize>(
    function: &Py<PyAny>,
    names: &Arc<Names>,
    memo: &Memo,
    views: [&StateView<'_>; N],
) -> Result<bool, UserError> {
    memo.get(&views.map(StateView::row), |reads| {
        call(|py| {
            let mut states = Vec::with_capacity(N);
            for (number, view) in views.into_iter().enumerate() {
                states.push(Bound::new(py, NativeState::new(names, view).watched(reads, number))?);
            }
            truth(&function.bind(py).call1(PyTuple::new(py, states)?)?, "the strategy of joining")
        })
    })
}

/// Makes a goal of a predicate.
pub fn goal(py: Python<'_>, model: &Model, predicate: &Py<PyAny>) -> UserGoal {
    let (function, names) = (predicate.clone_ref(py), Names::new(&model.loaded.system));
    UserGoal::new(move |view| {
        call(|py| truth(&function.bind(py).call1((NativeState::new(&names, view),))?, "the goal"))
    })
}

/// The open states of an order of the user.
struct Open {
    list: Py<PyAny>,
    names: Arc<Names>,
}

impl OpenStates for Open {
    fn push(&mut self, state: &StateView<'_>, number: u32) -> Result<(), UserError> {
        call(|py| {
            let state = NativeState::new(&self.names, state);
            self.list.bind(py).call_method1("push", (state, number)).map(|_| ())
        })
    }

    fn pop(&mut self) -> Result<Option<u32>, UserError> {
        call(|py| {
            let popped = self.list.bind(py).call_method0("pop")?;
            popped.extract().map_err(|_| nonsense(&popped, "`pop`", "the number of a state, or None"))
        })
    }
}

/// What functions say about abstract paths.
struct PythonGuide {
    feasible: Option<Py<PyAny>>,
    split: Option<Py<PyAny>>,
    names: Arc<Names>,
}

impl PythonGuide {
    /// Returns the path as a list of its states: what each transition leads to, what was stored,
    /// and whether it was joined.
    fn path<'py>(&self, py: Python<'py>, path: &AbstractPath<'_>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for (number, state) in path.states.iter().enumerate() {
            let (Some(reached), Some(stored)) = (path.reached(number), path.stored(number)) else { continue };
            let entry = PyDict::new(py);
            entry.set_item("reached", NativeState::new(&self.names, &reached))?;
            entry.set_item("stored", NativeState::new(&self.names, &stored))?;
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
            said.extract().map_err(|_| nonsense(&said, "the choice of a join", "the number of a state, or None"))
        })
    }
}
