//! Templates with their locations and edges, events of several processes, and the system line.

use super::{Binding, Decl, Declarator, ExprId, Name, StmtId};
use crate::source::Span;

/// A template.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Declarator>,
    /// Its declarations.
    pub decls: Vec<Decl>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its branchpoints.
    pub branchpoints: Vec<Branchpoint>,
    /// The index of its initial location.
    pub init: Option<u32>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The whole template.
    pub span: Span,
    /// The text of its local declarations, comments included.
    pub body: Span,
}

impl Template {
    /// Returns a template that is still empty.
    pub(crate) fn new(name: Name, span: Span) -> Template {
        Template {
            name,
            params: Vec::new(),
            decls: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            init: None,
            edges: Vec::new(),
            span,
            body: span.after(),
        }
    }
}

/// A location.
#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; generated from the identifier (`_id3`) if the file has none.
    pub name: Name,
    /// Whether the name was generated.
    pub anonymous: bool,
    /// The invariant.
    pub invariant: Option<ExprId>,
    /// The exponential rate, `e` or `e : e`; symbolic analysis ignores it.
    pub rate: Option<(ExprId, Option<ExprId>)>,
    /// Whether it is urgent: time may not pass here.
    pub urgent: bool,
    /// Whether it is committed: the next transition must leave a committed location.
    pub committed: bool,
    /// Labels that queries can refer to; TChecker's only.
    pub labels: Vec<Name>,
    /// The texts of its comment and test-code labels, by kind.
    pub notes: Vec<(String, String)>,
    /// Its layout.
    pub layout: Layout,
    /// The whole location.
    pub span: Span,
}

impl Location {
    /// Returns a location without labels.
    pub(crate) fn new(name: Name, span: Span) -> Location {
        Location {
            name,
            anonymous: false,
            invariant: None,
            rate: None,
            urgent: false,
            committed: false,
            labels: Vec::new(),
            notes: Vec::new(),
            layout: Layout::default(),
            span,
        }
    }
}

/// A branchpoint.
#[derive(Clone, Debug)]
pub struct Branchpoint {
    /// Its name.
    pub name: Name,
    /// Its layout.
    pub layout: Layout,
}

/// The source or target of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The index of a location of the template.
    Location(u32),
    /// The index of a branchpoint of the template.
    Branchpoint(u32),
}

/// The direction of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `c!`
    Send,
    /// `c?`
    Receive,
    /// `c`, as in CSP: either side may send.
    Both,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its source.
    pub source: Endpoint,
    /// Its target.
    pub target: Endpoint,
    /// `false` for edges of the environment in a game; symbolic analysis ignores it.
    pub controllable: bool,
    /// The selected values.
    pub select: Vec<Binding>,
    /// The guard.
    pub guard: Option<ExprId>,
    /// The synchronisation.
    pub sync: Option<(ExprId, Direction)>,
    /// The event, as an index into [`Events::names`]; TChecker's only.
    pub event: Option<u32>,
    /// The update.
    pub update: Option<ExprId>,
    /// The update if it is more than an expression: TChecker's has loops and variables.
    pub program: Option<StmtId>,
    /// The weight of a branch; symbolic analysis ignores it.
    pub probability: Option<ExprId>,
    /// The texts of its comment and test-code labels, by kind.
    pub notes: Vec<(String, String)>,
    /// Its layout.
    pub layout: Layout,
    /// The whole edge.
    pub span: Span,
}

impl Edge {
    /// Returns an edge without labels.
    pub(crate) fn new(source: Endpoint, target: Endpoint, span: Span) -> Edge {
        Edge {
            source,
            target,
            controllable: true,
            select: Vec::new(),
            guard: None,
            sync: None,
            event: None,
            update: None,
            program: None,
            probability: None,
            notes: Vec::new(),
            layout: Layout::default(),
            span,
        }
    }
}

/// A participant `P@a` or `P@a?` of a synchronisation.
#[derive(Clone, Copy, Debug)]
pub struct Participant {
    /// The process, as an index of a template.
    pub process: u32,
    /// The event, as an index into [`Events::names`].
    pub event: u32,
    /// Whether the others may synchronise without it.
    pub weak: bool,
    /// The whole participant.
    pub span: Span,
}

/// `sync:P@a:Q@b?`: a synchronisation vector.
#[derive(Clone, Debug)]
pub struct Synchronisation {
    /// The participants, each process once.
    pub participants: Vec<Participant>,
    /// The whole declaration.
    pub span: Span,
}

/// The events of a TChecker model, which correspond to UPPAAL's channels.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The events.
    pub names: Vec<Name>,
    /// The synchronisation vectors.
    pub syncs: Vec<Synchronisation>,
    /// The location of each process in which it chooses one of several initial locations; empty if
    /// none has several. Queries do not speak of the state in which all processes are there.
    pub starts: Vec<u32>,
}

/// The `system` line.
#[derive(Clone, Debug, Default)]
pub struct SystemLine {
    /// The processes, each with whether `<` precedes it.
    pub processes: Vec<(Name, bool)>,
    /// The whole line; `None` if it is missing.
    pub span: Option<Span>,
}

/// A point of a drawing.
pub type Point = (i32, i32);

/// The position of a label: its kind in the XML, and its coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLayout {
    /// `name`, `invariant`, `guard`, …
    pub kind: String,
    /// Its coordinates.
    pub at: Point,
}

/// The layout of a location or edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The coordinates of a location.
    pub at: Option<Point>,
    /// The nails of an edge.
    pub nails: Vec<Point>,
    /// The positions of the labels.
    pub labels: Vec<LabelLayout>,
    /// `#rrggbb`, if one is given.
    pub color: Option<String>,
}
