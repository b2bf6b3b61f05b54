//! Traces.

use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};
use report::{
    json::{
        VERSION,
        replay::{TraceFile, TracedQuery},
    },
    replay,
};

use crate::convert::value;

/// A trace of a query, with names.
#[pyclass(frozen, eq, module = "merkhet._merkhet", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq)]
pub struct NativeTrace {
    pub traced: TracedQuery,
}

#[pymethods]
impl NativeTrace {
    /// Returns the trace as dictionaries and lists.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value(py, &self.traced.trace)
    }

    /// Returns the text of the query.
    fn query(&self) -> &str {
        &self.traced.query
    }

    /// Returns the text of a file for `merkhet replay`.
    fn text(&self, model: &str) -> PyResult<String> {
        let file = TraceFile { version: VERSION, model: model.to_owned(), traces: vec![self.traced.clone()] };
        let text = serde_json::to_string_pretty(&file).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(text + "\n")
    }

    /// Reads the text of a file that `merkhet verify --trace-file` wrote.
    #[classmethod]
    fn read(_: &Bound<'_, PyType>, text: &str) -> PyResult<Vec<NativeTrace>> {
        let file = replay::parse(text).map_err(|malformed| PyValueError::new_err(malformed.message))?;
        Ok(file.traces.into_iter().map(|traced| NativeTrace { traced }).collect())
    }
}
