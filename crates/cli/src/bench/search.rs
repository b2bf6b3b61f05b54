//! One search through a whole state space.

use explore::search::{Limits, Observer};
use model::{Model, Property};
use syntax::{Diagnostic, Format, Sources};
use verify::{Answer, Options};

/// A model with a property that never holds, so that everything has to be looked at.
pub struct Space {
    model: Model,
    property: Property,
}

impl Space {
    /// Reads a model of TChecker's.
    ///
    /// # Errors
    /// Says what is wrong with the text. That should not be: it was written here.
    pub fn read(text: &str) -> Result<Space, String> {
        let mut sources = Sources::new();
        let file = sources.add_file("model.tck", text.to_owned());
        let (tree, problems) = syntax::read_model(&mut sources, file, Format::Tck);
        refuse(&problems)?;
        let mut model = match model::load(tree) {
            Ok((model, _)) => model,
            Err((_, problems)) => return refuse(&problems).and(Err("it can't be lowered".to_owned())),
        };
        let file = sources.add_file("query", "E<> false".to_owned());
        let query = syntax::read_queries(&sources, file, &mut model.tree).into_iter().next();
        let query = query.ok_or_else(|| "there is no query".to_owned())?;
        match model.query(&query) {
            Ok(property) => Ok(Space { model, property }),
            Err(problems) => refuse(&problems).and(Err("it has no such query".to_owned())),
        }
    }

    /// How many clocks the model has, without the one that is always 0.
    pub fn clocks(&self) -> usize {
        self.model.system.clocks.len() - 1
    }

    /// Explores it.
    pub fn explore(&self, options: &Options, limits: &Limits<'_>, observer: &mut dyn Observer) -> Answer {
        verify::answer(&self.model.system, &self.property, options, limits, observer)
    }
}

fn refuse(problems: &[Diagnostic]) -> Result<(), String> {
    match problems.iter().find(|d| d.is_error()) {
        Some(d) => Err(d.message.clone()),
        None => Ok(()),
    }
}
