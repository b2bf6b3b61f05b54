//! Traces.

use draw::DrawnTrace;
use merkhet::{Model, pictures};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyType};
use show::{
    json::{
        VERSION,
        replay::{TraceFile, TracedQuery},
    },
    replay,
};

use syntax::Signal;

use crate::convert::value;

/// A trace of a query, with names.
#[pyclass(frozen, eq, module = "merkhet._merkhet")]
pub struct NativeTrace {
    pub traced: TracedQuery,
    /// What pictures show; a trace that was read from text has none.
    pub drawn: Option<DrawnTrace>,
}

impl PartialEq for NativeTrace {
    fn eq(&self, other: &NativeTrace) -> bool {
        self.traced == other.traced
    }
}

/// Returns what pictures of a trace show.
pub fn drawn(model: &Model, trace: &verify::Trace) -> Option<DrawnTrace> {
    // A spurious trace has no times.
    let drawn = trace.is_replayed().then(|| pictures::trace(&model.loaded, trace, pictures::MAX_STEPS))?;
    // The picture may be drawn when the work on the trace has ended.
    Some(DrawnTrace { signal: Signal::default(), ..drawn })
}

#[pymethods]
impl NativeTrace {
    /// Returns the trace as dictionaries and lists.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value(py, &self.traced.trace)
    }

    /// Returns a sequence chart and a timeline, if the trace can be drawn.
    fn pictures(&self, py: Python<'_>) -> Option<(String, String)> {
        let drawn = self.drawn.as_ref()?;
        Some(py.detach(|| (drawn.sequence_chart(), drawn.timeline())))
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
        Ok(file.traces.into_iter().map(|traced| NativeTrace { traced, drawn: None }).collect())
    }
}
