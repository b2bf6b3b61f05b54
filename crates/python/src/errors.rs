//! The exceptions of the package.

use merkhet::{Document, Model, OptionsError, settings::SettingError};
use pyo3::{exceptions::PyValueError, prelude::*};
use show::{
    check::{CheckedModel, With},
    render::Renderer,
    shown::{self, Shown},
};
use syntax::{Diagnostic, Sources};

use crate::convert::value;

/// Makes an exception of the package's module `_errors`, with a text and diagnostics.
fn with_diagnostics(py: Python<'_>, class: &str, text: &str, entries: Bound<'_, PyAny>) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let module = py.import("merkhet._errors")?;
        Ok(PyErr::from_value(module.getattr(class)?.call_method1("_of", (text, entries))?))
    };
    make().unwrap_or_else(|error| error)
}

/// A model with mistakes. The text is what `merkhet check` prints.
pub fn of_document(py: Python<'_>, document: Document) -> PyErr {
    let checked = CheckedModel::new(document, &With::default());
    let mut text = Vec::new();
    if let Err(e) = checked.write(&Renderer::new(false), &mut text) {
        return e.into();
    }
    let text = String::from_utf8_lossy(&text).trim_end().to_owned();
    match value(py, &checked.json().diagnostics) {
        Ok(entries) => with_diagnostics(py, "ModelError", &text, entries),
        Err(e) => e,
    }
}

/// A query with mistakes.
pub fn of_query(py: Python<'_>, model: &Model, file: &str, diagnostics: &[Diagnostic]) -> PyErr {
    described(py, "QueryError", model, file, diagnostics)
}

/// A model whose lattices violate their laws.
pub fn of_laws(py: Python<'_>, model: &Model, diagnostics: &[Diagnostic]) -> PyErr {
    described(py, "ModelError", model, &model.name, diagnostics)
}

fn described(py: Python<'_>, class: &str, model: &Model, file: &str, diagnostics: &[Diagnostic]) -> PyErr {
    let (text, entries) = describe(&model.sources, file, diagnostics);
    match value(py, &entries) {
        Ok(entries) => with_diagnostics(py, class, &text, entries),
        Err(e) => e,
    }
}

fn describe(sources: &Sources, file: &str, diagnostics: &[Diagnostic]) -> (String, Vec<show::json::DiagnosticEntry>) {
    let list = [Shown { sources, file, diagnostics }];
    let mut text = Vec::new();
    // A vector takes everything.
    let _ = shown::write(&list, &Renderer::new(false), &mut text);
    (String::from_utf8_lossy(&text).trim_end().to_owned(), shown::entries(&list))
}

/// Options that can't be used for the model.
pub fn of_options(why: &OptionsError) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// An option that is wrong by itself.
pub fn of_setting(why: &SettingError) -> PyErr {
    PyValueError::new_err(why.to_string())
}
