//! What is in a model, with the places of its declarations.

use model::{
    Model,
    system::{Process, Shape},
};
use serde::Serialize;
use syntax::{
    Sources, Span, Tree,
    ast::{Decl, Declarator, Name, Query, Template},
};

use crate::json::At;

/// The contents of a model.
#[derive(Serialize)]
pub struct Contents {
    /// The processes, in the order of the system line.
    pub processes: Vec<ProcessEntry>,
    /// The clocks.
    pub clocks: Vec<ClockEntry>,
    /// The variables.
    pub variables: Vec<VariableEntry>,
    /// Whether the model is a Petri net. The rest is about its automata then.
    pub is_net: bool,
}

/// A process.
#[derive(Serialize)]
pub struct ProcessEntry {
    /// Its name: `Gate`, or `Train(3)` for one of a set.
    pub name: String,
    /// The name of its template.
    pub template: String,
    /// The names of its locations.
    pub locations: Vec<String>,
    /// The name of its initial location.
    pub initial: String,
    /// The name of its template.
    pub at: At,
}

/// A clock.
#[derive(Serialize)]
pub struct ClockEntry {
    /// Its name, with process and indices.
    pub name: String,
    /// Its declaration.
    pub at: At,
}

/// A variable.
#[derive(Serialize)]
pub struct VariableEntry {
    /// Its name, with its process.
    pub name: String,
    /// `int`, `bool`, `scalar`, `array`, `struct`, or `lattice`.
    pub kind: &'static str,
    /// The least value of an integer.
    pub least: Option<i32>,
    /// The greatest value of an integer.
    pub greatest: Option<i32>,
    /// Its declaration.
    pub at: At,
}

/// A query.
#[derive(Serialize)]
pub struct QueryEntry {
    /// Its text.
    pub text: String,
    /// Its name, from its comment.
    pub name: Option<String>,
    /// Its place.
    pub at: At,
}

impl QueryEntry {
    /// Returns a query of a text that messages call `file`.
    #[must_use]
    pub fn new(sources: &Sources, file: &str, query: &Query) -> QueryEntry {
        let name = Some(query.name.clone()).filter(|name| !name.is_empty());
        QueryEntry { text: query.text.clone(), name, at: At::new(sources, file, query.span) }
    }
}

impl Contents {
    /// Returns the contents of a model that messages call `file`.
    #[must_use]
    pub fn new(model: &Model, sources: &Sources, file: &str) -> Contents {
        let (tree, system) = (&model.tree, &model.system);
        let place = |name: &str| At::new(sources, file, declaration(tree, &system.processes, name));
        let process = |process: &Process| {
            let first = process.first_location.0 as usize;
            let locations = &system.locations[first..first + process.locations as usize];
            let template = tree.templates.get(process.template as usize);
            ProcessEntry {
                name: process.name.clone(),
                template: template.map_or(String::new(), |template| tree.names.text(template.name.sym).to_owned()),
                locations: locations.iter().map(|location| location.name.to_string()).collect(),
                initial: locations[process.initial as usize].name.to_string(),
                at: At::new(sources, file, template.map_or(Span::NONE, |template| template.name.span)),
            }
        };
        // The first clock is the reference.
        let clocks = system.clocks.iter().skip(1);
        let variables = system.variables.iter().map(|variable| {
            let (kind, range) = match &*variable.shape {
                Shape::Int(least, greatest) => ("int", Some((*least, *greatest))),
                Shape::Bool => ("bool", None),
                Shape::Scalar { .. } => ("scalar", None),
                Shape::Array { .. } => ("array", None),
                Shape::Struct { .. } => ("struct", None),
                Shape::Lattice { .. } => ("lattice", None),
                Shape::Double => ("double", None),
                Shape::Clock | Shape::Channel | Shape::Opaque => ("other", None),
            };
            VariableEntry {
                name: variable.name.clone(),
                kind,
                least: range.map(|(least, _)| least),
                greatest: range.map(|(_, greatest)| greatest),
                at: place(&variable.name),
            }
        });
        Contents {
            processes: system.processes.iter().map(process).collect(),
            clocks: clocks.map(|clock| ClockEntry { name: clock.name.clone(), at: place(&clock.name) }).collect(),
            variables: variables.collect(),
            is_net: tree.net.is_some(),
        }
    }
}

/// Returns where a variable or clock is declared, by its name in reports.
fn declaration(tree: &Tree, processes: &[Process], name: &str) -> Span {
    let owner = processes.iter().find_map(|process| {
        let rest = name.strip_prefix(process.name.as_str())?.strip_prefix('.')?;
        Some((tree.templates.get(process.template as usize)?, rest))
    });
    let base = |name: &str| name.split(['[', '.', '(']).next().unwrap_or_default().to_owned();
    let found = match owner {
        Some((template, rest)) => {
            let name = base(rest);
            let Template { params, decls, .. } = template;
            among(tree, decls, &name).or_else(|| parameter(tree, params, &name))
        }
        None => None,
    };
    let name = base(name);
    let found = found.or_else(|| among(tree, &tree.decls, &name)).or_else(|| among(tree, &tree.system_decls, &name));
    found.map_or(Span::NONE, |name| name.span)
}

fn is_named(tree: &Tree, name: &Name, text: &str) -> bool {
    tree.names.text(name.sym) == text
}

fn among(tree: &Tree, decls: &[Decl], text: &str) -> Option<Name> {
    decls.iter().find_map(|decl| match decl {
        Decl::Var(declarator) if is_named(tree, &declarator.name, text) => Some(declarator.name),
        _ => None,
    })
}

fn parameter(tree: &Tree, params: &[Declarator], text: &str) -> Option<Name> {
    params.iter().map(|param| param.name).find(|name| is_named(tree, name, text))
}
