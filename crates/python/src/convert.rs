//! Values of Rust as values of Python, and back.

use model::Ratio;
use pyo3::{exceptions::PyValueError, prelude::*};
use serde::Serialize;

/// Returns a value that reports can hold as dictionaries, lists, numbers and text.
pub fn value<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// Returns an exact number: an `int`, a `Fraction`, or anything with a numerator and a denominator.
pub fn ratio(number: &Bound<'_, PyAny>) -> PyResult<Ratio> {
    let part = |name: &str| -> PyResult<i64> { number.getattr(name)?.extract() };
    let (numerator, denominator) = (part("numerator")?, part("denominator")?);
    Ratio::new(numerator, denominator).ok_or_else(|| PyValueError::new_err("the number has too many digits"))
}
