//! Models, and what they are asked.

use std::sync::Arc;

use merkhet::{
    Choices, Document, Limits, Model, Options, Order, Session, Source, Verdict as Found, reading::QueryText,
    settings::Settings, source,
};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyDict,
};
use show::{
    certificates::{self, Problem},
    contents::{Contents, QueryEntry},
    render::Renderer,
    replay,
    shown::{self, Shown},
    states,
    written::{self, DrawingFormat, ModelFormat},
};
use syntax::{Diagnostic, Format, Severity, ast};
use verify::StateSpace;

use crate::{
    classes::{PythonClass, resolver},
    convert::value,
    errors,
    functions::Given,
    options,
    progress::Watcher,
    questions::{self, Asked},
    simulation::NativeSimulation,
    trace::NativeTrace,
    work::{self, Outcome},
};

/// The endings of files that name formats.
const FORMATS: [&str; 8] = ["xml", "xta", "ta", "tck", "net", "ndr", "pnml", "tapn"];

/// How a model is read.
struct Recipe {
    source: Source,
    limits: Limits,
    /// The name and the text of the file of queries beside it.
    beside: Option<(String, Vec<u8>)>,
}

/// A model, as it is asked, and its queries with the names of their texts.
type Opened = (Model, Vec<(String, ast::Query)>);

/// Why a model can't be used.
enum Unopened {
    /// It has mistakes.
    Model(Box<Document>),
    /// The file of queries can't be read.
    Queries(Box<Model>, String, Box<Diagnostic>),
}

impl Recipe {
    fn open(&self) -> Result<Opened, Unopened> {
        let opened = Model::open_within(self.source.clone(), &self.limits);
        let mut model = opened.map_err(|e| Unopened::Model(e.document))?;
        let own = model.loaded.tree.queries.iter().filter(|query| merkhet::is_query(query));
        let mut queries: Vec<_> = own.map(|query| (model.name.clone(), query.clone())).collect();
        if let (true, Some((name, text))) = (queries.is_empty(), &self.beside) {
            let text = source::read(&mut &text[..], name).map_err(|e| Box::new(e.diagnostic()));
            let asked = QueryText { name: name.clone(), is_file: true, text };
            match asked.read(&mut model.sources, &mut model.loaded.tree) {
                Ok(found) => queries.extend(found.into_iter().map(|query| (name.clone(), query))),
                // An empty file of queries may be intended.
                Err(d) if d.is_error() => return Err(Unopened::Queries(Box::new(model), name.clone(), d)),
                Err(_) => {}
            }
        }
        Ok((model, queries))
    }
}

/// A model that was loaded. It never changes: each question is asked to a fork of it.
#[pyclass(frozen, module = "merkhet._merkhet")]
pub struct NativeModel {
    model: Model,
    queries: Vec<(String, ast::Query)>,
    recipe: Recipe,
    /// Whether the laws of lattices are checked on the elements that searches meet.
    checks_laws: bool,
}

impl NativeModel {
    /// Returns a model that can be asked at the same time as this one.
    fn fork(&self, py: Python<'_>) -> PyResult<Model> {
        // Elements of lattices of the user belong to one model, and are forgotten with it.
        if self.model.has_user_lattices() {
            let opened = py.detach(|| self.recipe.open());
            return opened.map(|(model, _)| model).map_err(|why| refused(py, why));
        }
        Ok(py.detach(|| self.model.fork()))
    }

    /// Tests the laws of all lattices.
    fn check_laws(&self, py: Python<'_>) -> PyResult<()> {
        let model = self.fork(py)?;
        let broken = work::run(py, model.stopper(), None, |_| broken_laws(&model))?.whole()?;
        if broken.is_empty() { Ok(()) } else { Err(errors::of_laws(py, &model, &broken)) }
    }
}

/// Returns the laws that lattices violate, on the elements that have been met so far and others.
fn broken_laws(model: &Model) -> Vec<Diagnostic> {
    let mut broken = verify::check_laws(&model.loaded).diagnostics;
    broken.retain(Diagnostic::is_error);
    shown::sort(&mut broken, &model.sources);
    broken
}

/// Forgets what has failed. An exception holds the states that its function has seen, and they hold
/// the system: what refers to itself through Rust is never freed by Python.
fn forget_failures(model: &Model) {
    model.loaded.system.code.failures.begin();
}

fn refused(py: Python<'_>, why: Unopened) -> PyErr {
    match why {
        Unopened::Model(document) => errors::of_document(py, *document),
        Unopened::Queries(model, name, d) => errors::of_query(py, &model, &name, &[*d]),
    }
}

/// The classes of lattices that a model may find by their names, and who imports others.
type GivenClasses<'py> = (Vec<(String, Bound<'py, PyAny>)>, Option<Py<PyAny>>);

/// Reads and checks a model: its name, its text, and its format if that is known.
#[pyfunction]
pub fn open(
    py: Python<'_>,
    named: (String, Vec<u8>, Option<String>),
    constants: Vec<(String, String)>,
    beside: Option<(String, Vec<u8>)>,
    limits: &Bound<'_, PyDict>,
    classes: GivenClasses<'_>,
    checks_laws: bool,
) -> PyResult<NativeModel> {
    let (name, text, format) = named;
    let Settings { limits, .. } = options::read(limits)?;
    let format = format.as_deref().map(named_format).transpose()?;
    let text = match source::read(&mut &text[..], &name) {
        Ok(text) => text,
        Err(e) => return Err(errors::of_document(py, Document::empty(&name, e.diagnostic()))),
    };
    let mut source = Source::text(&name, text);
    if let Some(format) = format {
        // A net may be written in XML, too.
        let guessed = Format::guess(&format!("model.{format}"), source.contents());
        source = source.with_format(guessed);
    }
    for (name, value) in &constants {
        source = source.with_constant(name, value);
    }
    let (classes, importer) = classes;
    for (name, class) in &classes {
        source = source.with_lattice(Arc::new(PythonClass::new(py, name, class)?));
    }
    let source = source.with_resolver(resolver(importer));
    let recipe = Recipe { source, limits, beside };
    let (model, queries) = py.detach(|| recipe.open()).map_err(|why| refused(py, why))?;
    let opened = NativeModel { model, queries, recipe, checks_laws };
    if checks_laws {
        opened.check_laws(py)?;
    }
    Ok(opened)
}

fn named_format(format: &str) -> PyResult<&'static str> {
    FORMATS.iter().copied().find(|known| *known == format).ok_or_else(|| {
        let near = syntax::nearest(format, FORMATS).map(|near| format!("; did you mean `{near}`?"));
        let all = format!("; there are {}", FORMATS.map(|known| format!("`{known}`")).join(", "));
        PyValueError::new_err(format!("there is no format `{format}`{}", near.unwrap_or(all)))
    })
}

#[pymethods]
impl NativeModel {
    /// Returns the name of the model.
    fn name(&self) -> &str {
        &self.model.name
    }

    /// Returns its processes, clocks and variables.
    fn contents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value(py, &Contents::new(&self.model.loaded, &self.model.sources, &self.model.name))
    }

    /// Returns its queries.
    fn queries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let entry = |(file, query): &(String, ast::Query)| QueryEntry::new(&self.model.sources, file, query);
        value(py, &self.queries.iter().map(entry).collect::<Vec<_>>())
    }

    /// Returns what is suspicious about it: as data, and as text.
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, String)> {
        let Model { sources, name, loaded, diagnostics, .. } = &self.model;
        let mut all = diagnostics.clone();
        all.extend(loaded.warnings());
        all.retain(|d| d.severity == Severity::Warning);
        shown::sort(&mut all, sources);
        let list = [Shown { sources, file: name, diagnostics: &all }];
        let mut text = Vec::new();
        shown::write(&list, &Renderer::new(false), &mut text)?;
        let entries = value(py, &shown::entries(&list))?;
        Ok((entries, String::from_utf8_lossy(&text).trim_end().to_owned()))
    }

    /// Answers queries, or the model's own. Returns the results, the last formula, and the
    /// exception that has stopped the work.
    #[pyo3(signature = (queries, settings, functions, observer=None))]
    #[allow(clippy::type_complexity)]
    fn ask<'py>(
        &self,
        py: Python<'py>,
        queries: Option<Vec<(String, Option<Py<PyAny>>, bool)>>,
        settings: &Bound<'py, PyDict>,
        functions: Given,
        observer: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Vec<Bound<'py, PyDict>>, Option<String>, Option<Bound<'py, PyAny>>)> {
        let mut settings = options::read(settings)?;
        let mut model = self.fork(py)?;
        functions.add(py, &model, &mut settings.options);
        let asked = match queries {
            None => self.queries.iter().map(|(file, query)| Asked::own(file, query)).collect(),
            Some(queries) => {
                let read = |((text, goal, exists), number)| match goal {
                    Some(predicate) => Asked::goal(py, &mut model, text, &predicate, exists),
                    None => Asked::read(&mut model, text, number),
                };
                queries.into_iter().zip(1..).map(read).collect()
            }
        };
        let (stopper, watcher) = (model.stopper(), observer.map(Watcher));
        let Outcome { value, exception } = work::run(py, stopper, watcher.as_ref(), |board| {
            let said = questions::ask(&mut model, asked, &settings, board);
            // Lattices of the library have been checked when the model was opened.
            let checks = self.checks_laws && model.has_user_lattices();
            (said, if checks { broken_laws(&model) } else { Vec::new() })
        })?;
        forget_failures(&model);
        let (value, broken) = value;
        if exception.is_none() && !broken.is_empty() {
            return Err(errors::of_laws(py, &model, &broken));
        }
        let exception = exception.map(|why| why.into_value(py).into_bound(py).into_any());
        match (value, exception) {
            (Ok((said, script)), exception) => {
                let said = said.into_iter().map(|said| said.into_dict(py)).collect::<PyResult<_>>()?;
                Ok((said, script, exception))
            }
            (Err(_), Some(exception)) => Ok((Vec::new(), None, Some(exception))),
            (Err(why), None) => Err(errors::of_options(&why)),
        }
    }

    /// Checks the claims of a certificate. Returns a result for each.
    fn certify<'py>(&self, py: Python<'py>, text: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut model = self.fork(py)?;
        let mut results = Vec::new();
        let outcome = work::run(py, model.stopper(), None, |_| {
            certificates::judge(text.as_bytes(), "the certificate", &mut model, &mut |_, result, _| {
                results.push(result);
                Ok(())
            })
        })?;
        match outcome.whole()? {
            Ok(()) => results.iter().map(|result| value(py, result)).collect(),
            Err(Problem::Query(name, problems)) => Err(errors::of_query(py, &model, &name, &problems)),
            Err(Problem::Certificate(why)) => Err(PyValueError::new_err(why.to_string())),
            Err(Problem::Output(why)) => Err(why.into()),
            Err(Problem::Stopped(stop)) => Err(PyRuntimeError::new_err(stop.to_string())),
        }
    }

    /// Replays a trace.
    fn replay<'py>(&self, py: Python<'py>, trace: &NativeTrace) -> PyResult<Bound<'py, PyAny>> {
        let mut model = self.fork(py)?;
        let outcome = work::run(py, model.stopper(), None, |_| {
            let query = model.state_query(&trace.traced.query, "the query of the trace")?;
            let (system, property) = model.loaded.system.with(&query);
            Ok(replay::replayed(&system, &trace.traced, &property))
        })?;
        match outcome.whole()? {
            Ok(result) => value(py, &result),
            Err(problems) => {
                let problems: Vec<Diagnostic> = problems;
                Err(errors::of_query(py, &model, "the query of the trace", &problems))
            }
        }
    }

    /// Writes the model in another format. Returns the text, and what the format has no room for.
    fn convert(&self, py: Python<'_>, to: &str) -> PyResult<(String, Vec<&'static str>)> {
        let format = choice::<ModelFormat>("format", to)?;
        written::check(&self.model.loaded.tree, format).map_err(|why| PyValueError::new_err(why.to_string()))?;
        let mut model = self.fork(py)?;
        let printed =
            work::run(py, model.stopper(), None, |_| written::print(&model.sources, &mut model.loaded.tree, format))?;
        let printed = printed.whole()?;
        Ok((printed.text, printed.dropped))
    }

    /// Draws the automata or the net.
    fn graph(&self, py: Python<'_>, format: &str, templates: Vec<String>, automata: bool) -> PyResult<String> {
        let format = choice::<DrawingFormat>("format", format)?;
        let model = self.fork(py)?;
        let drawn = work::run(py, model.stopper(), None, |_| {
            let tree = &model.loaded.tree;
            match tree.net.as_deref().filter(|_| !automata && templates.is_empty()) {
                Some(net) => Ok(written::draw_net(net, format, tree.signal)),
                None => written::draw(&model.sources, tree, &templates, format),
            }
        })?;
        drawn.whole()?.map_err(|why| PyValueError::new_err(why.to_string()))
    }

    /// Explores all symbolic states, or the first ones.
    fn states(&self, py: Python<'_>, settings: &Bound<'_, PyDict>, functions: Given) -> PyResult<NativeSpace> {
        let Settings { options, limits } = options::read(settings)?;
        let mut options = Options { order: options.order.or(Some(Order::Bfs)), refine: false, ..options };
        let mut model = self.fork(py)?;
        functions.add(py, &model, &mut options);
        let explored = work::run(py, model.stopper(), None, |_| {
            Session::new(&mut model).states(None, &options, &limits, &mut ())
        })?;
        forget_failures(&model);
        let answer = explored.whole()?.map_err(|why| errors::of_options(&why))?;
        match (answer.verdict, answer.evidence.states) {
            (verdict, Some(space)) => {
                let reason = match verdict {
                    Found::Unknown(reason) => Some(reason.to_string()),
                    Found::Satisfied | Found::NotSatisfied => None,
                };
                Ok(NativeSpace { model, space, reason })
            }
            (Found::Unknown(reason), None) => Err(PyRuntimeError::new_err(reason.to_string())),
            (_, None) => Err(PyRuntimeError::new_err("there are no states")),
        }
    }

    /// Starts a simulation.
    fn simulate(&self, py: Python<'_>, seed: u64) -> PyResult<NativeSimulation> {
        NativeSimulation::new(self.fork(py)?, seed)
    }
}

/// Returns the value of a table with a name.
fn choice<T: Choices>(what: &str, name: &str) -> PyResult<T> {
    T::named(name).ok_or_else(|| {
        let names = T::ALL.iter().map(|choice| choice.name);
        let near = syntax::nearest(name, names.clone()).map(|near| format!("; did you mean `{near}`?"));
        let all = || format!("; there are {}", names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
        PyValueError::new_err(format!("there is no {what} `{name}`{}", near.unwrap_or_else(all)))
    })
}

/// Symbolic states that were explored.
#[pyclass(frozen, module = "merkhet._merkhet")]
pub struct NativeSpace {
    /// Owns the signal that drawing polls.
    model: Model,
    space: StateSpace,
    /// Why there are more states; `None`: these are all.
    reason: Option<String>,
}

#[pymethods]
impl NativeSpace {
    /// Returns the states and transitions.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        value(py, &states::named(&self.model.loaded.system, &self.space))
    }

    /// Returns why there are more states, if there are.
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Draws them.
    fn graph(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = choice::<DrawingFormat>("format", format)?;
        let drawn = work::run(py, self.model.stopper(), None, |_| {
            let graph = states::graph(&self.model.loaded.system, &self.space);
            match format {
                DrawingFormat::Dot => graph.dot(),
                DrawingFormat::Svg => graph.svg(),
            }
        })?;
        let whole = drawn.whole();
        if whole.is_err() {
            self.model.stopper().reset();
        }
        whole
    }
}
