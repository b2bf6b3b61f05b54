//! One search for a property.

use explore::search::Limits;
use model::{Model, Property, System};
use syntax::{Diagnostic, Format, Sources};
use thiserror::Error;
use verify::{Answer, Observer, Options};

/// Why a model can't be explored.
#[derive(Debug, Error)]
pub enum SpaceError {
    /// The text has an error.
    #[error("line {line} of {file}: {message}")]
    Text {
        /// The line, counted from 1.
        line: u32,
        /// The model or the query.
        file: String,
        /// The message of the diagnostic.
        message: String,
    },
    /// The model has an error that belongs to no line.
    #[error("{0}")]
    Model(String),
    /// The model can't be lowered.
    #[error("it can't be lowered")]
    NotLowered,
    /// There is not exactly one query.
    #[error("there should be one query, and there are {0}")]
    Queries(usize),
    /// The query does not fit the model.
    #[error("it has no such query")]
    NoQuery,
    /// The query is not about reachability.
    #[error("its query should begin with E<> or A[]")]
    QueryKind,
}

/// A model and a reachability query.
pub struct Space {
    sources: Sources,
    model: Model,
    /// The model's system with the code of the query and of other expressions.
    system: System,
    property: Property,
}

/// The size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Processes.
    pub automata: usize,
    /// Clocks, without the reference clock.
    pub clocks: usize,
    /// Variables; an array is one.
    pub variables: usize,
}

impl Space {
    /// Reads a model in TChecker's format. The goal is never reached, so that all states are
    /// explored.
    ///
    /// # Errors
    /// The text is wrong, which is a defect: it is built in.
    pub fn read(text: &str) -> Result<Space, SpaceError> {
        Space::with_query("model.tck", text, "E<> false")
    }

    /// Reads a model and a reachability query. The ending of the name selects the language.
    ///
    /// # Errors
    /// One of them is wrong.
    pub fn with_query(name: &str, text: &str, query: &str) -> Result<Space, SpaceError> {
        let mut sources = Sources::new();
        let file = sources.add_file(name, text.to_owned());
        let (tree, problems) = syntax::read_model(&mut sources, file, Format::guess(name, text));
        refuse(&problems, &sources)?;
        let mut model = match model::load(tree) {
            Ok((model, _)) => model,
            Err((_, problems)) => return refuse(&problems, &sources).and(Err(SpaceError::NotLowered)),
        };
        if let Some(problem) = model.unsupported().first() {
            return Err(located(problem, &sources));
        }
        let file = sources.add_file("the query", query.to_owned());
        let queries = syntax::read_queries(&sources, file, &mut model.tree);
        let [query] = &queries[..] else {
            return Err(SpaceError::Queries(queries.len()));
        };
        let query = match model.query(query) {
            Ok(query) => query,
            Err(problems) => return refuse(&problems, &sources).and(Err(SpaceError::NoQuery)),
        };
        match model.system.with(&query) {
            (system, property @ Property::State { .. }) => Ok(Space { sources, model, system, property }),
            _ => Err(SpaceError::QueryKind),
        }
    }

    /// The model with its text, to read expressions about it, and the system that gets their code.
    pub fn parts_mut(&mut self) -> (&mut Sources, &mut Model, &mut System) {
        (&mut self.sources, &mut self.model, &mut self.system)
    }

    /// How many clocks the model has, without the reference clock.
    pub fn clocks(&self) -> usize {
        self.size().clocks
    }

    /// The size of the model.
    pub fn size(&self) -> Size {
        let system = &self.system;
        let clocks = system.clocks.len() - 1;
        Size { automata: system.processes.len(), clocks, variables: system.variables.len() }
    }

    /// Explores the states of the model.
    pub fn explore(&self, options: &Options, limits: &Limits<'_>, observer: &mut dyn Observer) -> Answer {
        verify::answer(&self.system, &self.property, options, limits, observer)
    }
}

fn refuse(problems: &[Diagnostic], sources: &Sources) -> Result<(), SpaceError> {
    match problems.iter().find(|d| d.is_error()) {
        Some(problem) => Err(located(problem, sources)),
        None => Ok(()),
    }
}

/// A diagnostic with the line that it is about.
fn located(problem: &Diagnostic, sources: &Sources) -> SpaceError {
    let message = problem.message.clone();
    match sources.locate(problem.primary.span) {
        Some(at) => SpaceError::Text { line: at.in_file.line, file: at.file.to_owned(), message },
        None => SpaceError::Model(message),
    }
}
