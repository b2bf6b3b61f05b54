//! States as functions of Python see them.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use merkhet::user::{KeptState, StateValue, StateView, UserError, VariablePlace};
use model::System;
use pyo3::{
    exceptions::PyKeyError,
    prelude::*,
    types::{PyDict, PyList},
};

use crate::{classes, memo::Reads};

/// The names of a model, by which functions read states.
pub struct Names {
    system: Arc<System>,
    /// The places that were asked for. Few are, and often.
    places: RwLock<HashMap<String, VariablePlace>>,
}

impl Names {
    /// Returns the names of a system.
    pub fn new(system: &System) -> Arc<Names> {
        Arc::new(Names { system: Arc::new(system.clone()), places: RwLock::default() })
    }

    fn place(&self, name: &str) -> Option<VariablePlace> {
        if let Some(place) = self.places.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Some(place.clone());
        }
        let place = VariablePlace::find(&self.system, name)?;
        self.places.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), place.clone());
        Some(place)
    }
}

/// A state that a function looks at. Values are read when they are asked for.
#[pyclass(frozen, eq, hash, name = "StateView", module = "merkhet")]
pub struct NativeState {
    names: Arc<Names>,
    kept: KeptState,
    /// Where is noted what the function reads, and which of its arguments this is.
    reads: Option<(Arc<Reads>, usize)>,
}

impl PartialEq for NativeState {
    fn eq(&self, other: &NativeState) -> bool {
        self.note_all();
        other.note_all();
        self.kept == other.kept
    }
}

impl std::hash::Hash for NativeState {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.note_all();
        self.kept.hash(state);
    }
}

impl NativeState {
    /// Copies what a view shows.
    pub fn new(names: &Arc<Names>, view: &StateView<'_>) -> NativeState {
        NativeState { names: Arc::clone(names), kept: view.keep(), reads: None }
    }

    /// Has noted what is read of this argument of a function.
    pub fn watched(self, reads: &Arc<Reads>, argument: usize) -> NativeState {
        NativeState { reads: Some((Arc::clone(reads), argument)), ..self }
    }

    fn view(&self) -> StateView<'_> {
        self.kept.view(&self.names.system)
    }

    fn note(&self, slots: Range<usize>) {
        if let Some((reads, argument)) = &self.reads {
            reads.note(*argument, slots);
        }
    }

    fn note_all(&self) {
        if let Some((reads, _)) = &self.reads {
            reads.note_all();
        }
    }
}

/// Returns the exception that an element has raised.
fn raised(py: Python<'_>, error: &UserError) -> PyErr {
    let exception = error.payload.as_ref().and_then(|payload| payload.downcast_ref::<PyErr>());
    exception.map_or_else(|| PyKeyError::new_err(error.message.clone()), |exception| exception.clone_ref(py))
}

fn read<'py>(py: Python<'py>, value: StateValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        StateValue::Int(number) => number.into_pyobject(py)?.into_any(),
        StateValue::Bool(holds) => holds.into_pyobject(py)?.to_owned().into_any(),
        StateValue::Element(element) => classes::object(py, &element).map_err(|error| raised(py, &error))?,
        StateValue::Lattice(_, text) => text.into_pyobject(py)?.into_any(),
        StateValue::Array(first, all) => {
            let all = all.into_iter().map(|value| read(py, value)).collect::<PyResult<Vec<_>>>()?;
            if first == 0 {
                return Ok(PyList::new(py, all)?.into_any());
            }
            let dict = PyDict::new(py);
            for (index, value) in (first..).zip(all) {
                dict.set_item(index, value)?;
            }
            dict.into_any()
        }
        StateValue::Struct(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, read(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

#[pymethods]
impl NativeState {
    /// The value of a variable, `x` or `P(1).a[2]`; for the name of a process, its location.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let view = self.view();
        if let Some(place) = self.names.place(name) {
            self.note(place.slots());
            return read(py, view.at(&place).map_err(|error| raised(py, &error))?);
        }
        let (processes, variables) = (&self.names.system.processes, &self.names.system.variables);
        if let Some(process) = processes.iter().position(|process| process.name == name) {
            self.note(process..process + 1);
        }
        match view.location(name) {
            Some(location) => Ok(location.into_pyobject(py)?.into_any()),
            None => {
                let known = variables.iter().map(|variable| variable.name.as_str());
                let known = known.chain(processes.iter().map(|process| process.name.as_str()));
                let near =
                    syntax::nearest(name, known).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                Err(PyKeyError::new_err(format!("there is no variable and no process `{name}`{near}")))
            }
        }
    }

    /// The location of each process.
    #[getter]
    fn locations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.note(0..self.names.system.processes.len());
        for (process, location) in self.view().locations() {
            dict.set_item(process, location)?;
        }
        Ok(dict)
    }

    /// The names of all variables.
    #[getter]
    fn variables(&self) -> Vec<String> {
        self.view().variables().map(str::to_owned).collect()
    }

    /// The constraints of the zone: a clock, a clock that is subtracted from it, a bound, and
    /// whether the difference is less than it. `None` is a clock that is always 0.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn zone(&self) -> Option<Vec<(Option<String>, Option<String>, i64, bool)>> {
        self.note_all();
        let name = |clock: Option<&str>| clock.map(str::to_owned);
        let all = self.view().zone()?;
        Some(all.iter().map(|c| (name(c.left), name(c.right), c.bound, c.is_strict)).collect())
    }

    fn __repr__(&self) -> String {
        let view = self.view();
        self.note(0..self.names.system.processes.len());
        let locations = view.locations().map(|(process, location)| format!("{process}.{location}"));
        format!("<state {}>", locations.collect::<Vec<_>>().join(", "))
    }
}
