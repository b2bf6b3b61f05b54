//! One search for a property.

use explore::search::Limits;
use model::{Model, Property, System};
use syntax::{Diagnostic, Format, Sources};
use verify::{Answer, Observer, Options};

/// A model with something to look for in it.
pub struct Space {
    sources: Sources,
    model: Model,
    /// The model's system with the code of the query, and of what was read beside it.
    system: System,
    property: Property,
}

/// How much there is of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Processes.
    pub automata: usize,
    /// Clocks, without the one that is always 0.
    pub clocks: usize,
    /// Variables; an array is one.
    pub variables: usize,
}

impl Space {
    /// Reads a model of TChecker's. The property never holds, so that everything has to be looked
    /// at.
    ///
    /// # Errors
    /// Says what is wrong with the text. That should not be: it was written here.
    pub fn read(text: &str) -> Result<Space, String> {
        Space::with_query("model.tck", text, "E<> false")
    }

    /// Reads a model and a query about what can be reached; the ending of the name says what
    /// language it is in.
    ///
    /// # Errors
    /// Says what is wrong with one of them.
    pub fn with_query(name: &str, text: &str, query: &str) -> Result<Space, String> {
        let mut sources = Sources::new();
        let file = sources.add_file(name, text.to_owned());
        let (tree, problems) = syntax::read_model(&mut sources, file, Format::guess(name, text));
        refuse(&problems, &sources)?;
        let mut model = match model::load(tree) {
            Ok((model, _)) => model,
            Err((_, problems)) => return refuse(&problems, &sources).and(Err("it can't be lowered".to_owned())),
        };
        if let Some(problem) = model.unsupported().first() {
            return Err(place(problem, &sources));
        }
        let file = sources.add_file("the query", query.to_owned());
        let queries = syntax::read_queries(&sources, file, &mut model.tree);
        let [query] = &queries[..] else {
            return Err(format!("there should be one query, and there are {}", queries.len()));
        };
        let query = match model.query(query) {
            Ok(query) => query,
            Err(problems) => return refuse(&problems, &sources).and(Err("it has no such query".to_owned())),
        };
        match model.system.with(&query) {
            (system, property @ (Property::Possibly(_) | Property::Invariantly(_))) => {
                Ok(Space { sources, model, system, property })
            }
            _ => Err("its query should begin with E<> or A[]".to_owned()),
        }
    }

    /// The model with its text, for whoever reads expressions about it, and the system that their
    /// code is added to.
    pub fn parts_mut(&mut self) -> (&mut Sources, &mut Model, &mut System) {
        (&mut self.sources, &mut self.model, &mut self.system)
    }

    /// How many clocks the model has, without the one that is always 0.
    pub fn clocks(&self) -> usize {
        self.size().clocks
    }

    /// How much there is of the model.
    pub fn size(&self) -> Size {
        let system = &self.system;
        let clocks = system.clocks.len() - 1;
        Size { automata: system.processes.len(), clocks, variables: system.variables.len() }
    }

    /// Explores it.
    pub fn explore(&self, options: &Options, limits: &Limits<'_>, observer: &mut dyn Observer) -> Answer {
        verify::answer(&self.system, &self.property, options, limits, observer)
    }
}

fn refuse(problems: &[Diagnostic], sources: &Sources) -> Result<(), String> {
    match problems.iter().find(|d| d.is_error()) {
        Some(problem) => Err(place(problem, sources)),
        None => Ok(()),
    }
}

/// What a diagnostic says, and where.
fn place(problem: &Diagnostic, sources: &Sources) -> String {
    match sources.locate(problem.primary.span) {
        Some(at) => format!("line {} of {}: {}", at.in_file.line, at.file, problem.message),
        None => problem.message.clone(),
    }
}
