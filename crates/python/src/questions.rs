//! Questions to a fork of a model, and what is said about each.

use std::sync::Arc;

use draw::DrawnTrace;
use merkhet::{
    Answer, Event, Model, OptionsError, Query, Reason, Session, Stop, Verdict as Found, certificate,
    reading::QueryText, settings::Settings, user::UserFailure,
};
use pyo3::{prelude::*, types::PyDict};
use serde::Serialize;
use show::{
    answer,
    json::{
        replay::TracedQuery,
        verify::{QueryResult, Verdict},
    },
    render::Renderer,
    shown::{self, Shown},
};
use syntax::{Diagnostic, ast};
use verify::ProofSize;

use crate::{
    convert::value,
    functions,
    progress::Board,
    trace::{self, NativeTrace},
};

/// A query that was read, or not.
pub struct Asked {
    /// What messages call its text.
    file: String,
    /// The text.
    text: String,
    query: Result<ast::Query, Vec<Diagnostic>>,
    /// The query, if it is a predicate.
    goal: Option<Query>,
}

impl Asked {
    /// Returns a query that the tree of the model has.
    pub fn own(file: &str, query: &ast::Query) -> Asked {
        Asked { file: file.to_owned(), text: query.text.clone(), query: Ok(query.clone()), goal: None }
    }

    /// Reads a text, the one with this number, which has to be one query.
    pub fn read(model: &mut Model, text: String, number: usize) -> Asked {
        let file = format!("<query {number}>");
        let asked = QueryText { name: file.clone(), is_file: false, text: Ok(text.clone()) };
        let query = match asked.read(&mut model.sources, &mut model.loaded.tree) {
            Ok(mut found) => Ok(found.swap_remove(0)),
            Err(d) => Err(vec![*d]),
        };
        let query = query.map(|mut query: ast::Query| {
            for d in &mut query.problems {
                if d.help.iter().any(|help| help.starts_with("-q ")) {
                    d.help = vec!["`verify` takes one query, and `verify_all` a list of them".to_owned()];
                }
            }
            query
        });
        Asked { file, text, query, goal: None }
    }

    /// Makes a query of a predicate: whether it holds in some state, or in none.
    pub fn goal(py: Python<'_>, model: &mut Model, name: String, predicate: &Py<PyAny>, exists: bool) -> Asked {
        let goal = functions::goal(py, model, predicate);
        match model.goal(&name, exists, goal) {
            Ok(query) => {
                let written = query.written.clone();
                Asked { file: name, text: written.text.clone(), query: Ok(written), goal: Some(query) }
            }
            Err(why) => Asked { file: name.clone(), text: name, query: Err(why.diagnostics), goal: None },
        }
    }

    fn blank(&self, model: &Model) -> QueryResult {
        match &self.query {
            Ok(query) => answer::blank(&model.sources, &self.file, query),
            Err(_) => answer::unread(&model.sources, &self.file, &self.text),
        }
    }
}

/// A proof as text, with its size.
#[derive(Serialize)]
struct Certificate {
    text: String,
    states: Option<usize>,
    clauses: Option<usize>,
}

impl Certificate {
    fn of(model: &Model, query: &Query, answer: &Answer) -> Option<Certificate> {
        let text = certificate::text(model, query, answer)?;
        let (states, clauses) = match answer.evidence.proof.as_ref()?.as_ref().ok()?.size() {
            ProofSize::States(count) => (Some(count), None),
            ProofSize::Clauses(count) => (None, Some(count)),
        };
        Some(Certificate { text, states, clauses })
    }
}

/// What is said about a query, with what its result in JSON lacks.
pub struct Said {
    result: QueryResult,
    /// The diagnostics as text.
    text: String,
    /// Whether the query is wrong.
    is_refused: bool,
    certificate: Option<Certificate>,
    /// Why there is no certificate, if one is wanted.
    unproved: Option<String>,
    /// What pictures of the trace show.
    drawn: Option<DrawnTrace>,
    /// The function of the user that has failed.
    failure: Option<Arc<UserFailure>>,
}

impl Said {
    fn of(result: QueryResult) -> Said {
        Said {
            result,
            text: String::new(),
            is_refused: false,
            certificate: None,
            unproved: None,
            drawn: None,
            failure: None,
        }
    }

    /// A query without an answer, because work was stopped.
    fn unknown(result: QueryResult, reason: String) -> Said {
        Said::of(QueryResult { answer: Some(Verdict::Unknown), reason: Some(reason), ..result })
    }

    fn refused(asked: &Asked, model: &Model, problems: &[Diagnostic]) -> Said {
        if let Some(stop) = Stop::of_errors(problems) {
            return Said::unknown(asked.blank(model), format!("{stop} while the query was loaded"));
        }
        let mut said = Said::of(asked.blank(model));
        said.is_refused = true;
        said.result.reason = Some("the query is refused".to_owned());
        said.describe(model, &asked.file, problems);
        said
    }

    fn describe(&mut self, model: &Model, file: &str, diagnostics: &[Diagnostic]) {
        let list = [Shown { sources: &model.sources, file, diagnostics }];
        let mut text = Vec::new();
        // A vector takes everything.
        let _ = shown::write(&list, &Renderer::new(false), &mut text);
        self.text = String::from_utf8_lossy(&text).trim_end().to_owned();
        self.result.diagnostics = shown::entries(&list);
    }

    /// Returns the dictionary from which the package makes a result.
    pub fn into_dict(mut self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let traced = self.result.trace.take().map(|trace| {
            let (query, reason) = (self.result.query.clone(), self.result.reason.clone());
            let answer = self.result.answer.unwrap_or(Verdict::Unknown);
            NativeTrace { traced: TracedQuery { query, answer, reason, trace }, drawn: self.drawn }
        });
        let dict = value(py, &self.result)?.cast_into::<PyDict>()?;
        dict.set_item("trace", traced.map(|trace| Py::new(py, trace)).transpose()?)?;
        dict.set_item("certificate", self.certificate.map(|certificate| value(py, &certificate)).transpose()?)?;
        dict.set_item("unproved", self.unproved)?;
        if let Some(failure) = self.failure {
            let exception = failure.error.payload.as_ref().and_then(|payload| payload.downcast_ref::<PyErr>());
            let exception = exception.map(|exception| exception.clone_ref(py).into_value(py));
            dict.set_item("failure", (&failure.function, &failure.arguments, &failure.error.message, exception))?;
        }
        dict.set_item("text", self.text)?;
        dict.set_item("refused", self.is_refused)?;
        Ok(dict)
    }
}

/// Asks a fork of a model. Returns what is said about each query, and the last formula.
///
/// # Errors
/// The options can't be used for the model.
pub fn ask(
    model: &mut Model,
    asked: Vec<Asked>,
    settings: &Settings,
    board: &Board,
) -> Result<(Vec<Said>, Option<String>), OptionsError> {
    let mut said: Vec<Option<Said>> = asked.iter().map(|_| None).collect();
    let (mut checked, mut numbers): (Vec<Query>, Vec<usize>) = (Vec::new(), Vec::new());
    for (number, one) in asked.iter().enumerate() {
        let known = one.goal.clone().map(Ok);
        match known.unwrap_or_else(|| one.query.clone().and_then(|query| model.check(query))) {
            Ok(query) => {
                checked.push(query);
                numbers.push(number);
            }
            Err(problems) => said[number] = Some(Said::refused(one, model, &problems)),
        }
    }
    let Settings { options, limits } = settings;
    let mut session = Session::new(model);
    let queries: Vec<&Query> = checked.iter().collect();
    session.ask_all(&queries, options, limits, &mut |event: Event<'_>| {
        board.pin(&event, &numbers);
        if let Event::Answer { number, answer, model } = event {
            let (query, number) = (&checked[number], numbers[number]);
            let file = &asked[number].file;
            let certificate = Certificate::of(model, query, &answer);
            let failure = match &answer.verdict {
                Found::Unknown(Reason::User(failure, _)) => Some(Arc::clone(failure)),
                _ => None,
            };
            let drawn = answer.evidence.trace.as_ref().and_then(|trace| trace::drawn(model, trace));
            let named = answer::named(model, (file, &query.written), options, *answer);
            let unproved = named.proof.and_then(Result::err).map(|why| why.to_string());
            let mut one = Said { certificate, unproved, drawn, failure, ..Said::of(named.result) };
            one.describe(model, file, &named.diagnostics);
            said[number] = Some(one);
        }
    })?;
    let script = session.script().map(str::to_owned);
    let rest = |(said, asked): (Option<Said>, &Asked)| {
        said.unwrap_or_else(|| Said::unknown(asked.blank(model), Stop::Interrupted.to_string()))
    };
    Ok((said.into_iter().zip(&asked).map(rest).collect(), script))
}
