//! What can be done to a model, as data.

use serde::{Deserialize, Serialize};

/// A point of a drawing.
pub type Point = (i32, i32);

/// A node of a template, by its number among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// A location.
    Location(usize),
    /// A branchpoint.
    Branchpoint(usize),
    /// A place of a net.
    Place(usize),
    /// A transition of a net.
    Transition(usize),
}

/// An element of a template, by its number among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Item {
    /// A location.
    Location(usize),
    /// A branchpoint.
    Branchpoint(usize),
    /// A place of a net.
    Place(usize),
    /// A transition of a net.
    Transition(usize),
    /// An edge, or an arc of a net.
    Edge(usize),
}

impl Item {
    /// Returns the node that it is.
    pub(crate) fn node(self) -> Option<Node> {
        match self {
            Item::Location(i) => Some(Node::Location(i)),
            Item::Branchpoint(i) => Some(Node::Branchpoint(i)),
            Item::Place(i) => Some(Node::Place(i)),
            Item::Transition(i) => Some(Node::Transition(i)),
            Item::Edge(_) => None,
        }
    }
}

impl From<Node> for Item {
    fn from(node: Node) -> Item {
        match node {
            Node::Location(i) => Item::Location(i),
            Node::Branchpoint(i) => Item::Branchpoint(i),
            Node::Place(i) => Item::Place(i),
            Node::Transition(i) => Item::Transition(i),
        }
    }
}

/// Something that has a position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Movable {
    /// A location.
    Location(usize),
    /// A branchpoint.
    Branchpoint(usize),
    /// A place of a net.
    Place(usize),
    /// A transition of a net.
    Transition(usize),
    /// A nail: the edge, and the number of the nail.
    Nail(usize, usize),
    /// A label of a location: `name`, `invariant`, …
    LocationLabel(usize, String),
    /// A label of an edge: `guard`, …
    EdgeLabel(usize, String),
}

/// A new position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// What is placed.
    pub item: Movable,
    /// Where.
    pub at: Point,
}

/// An edit of a model. Elements are named by their numbers in the syntax tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// Adds a location.
    AddLocation {
        /// The template.
        template: usize,
        /// Its position.
        at: Point,
        /// Its name; none if it is empty.
        #[serde(default)]
        name: String,
    },
    /// Adds a branchpoint.
    AddBranchpoint {
        /// The template.
        template: usize,
        /// Its position.
        at: Point,
    },
    /// Adds a place to a net.
    AddPlace {
        /// The component.
        template: usize,
        /// Its position.
        at: Point,
        /// Its name; one is chosen if it is empty.
        #[serde(default)]
        name: String,
    },
    /// Adds a transition to a net.
    AddTransition {
        /// The component.
        template: usize,
        /// Its position.
        at: Point,
        /// Its name; one is chosen if it is empty.
        #[serde(default)]
        name: String,
    },
    /// Adds an edge, or an arc of a net.
    AddEdge {
        /// The template.
        template: usize,
        /// Its source.
        source: Node,
        /// Its target.
        target: Node,
        /// Its nails.
        #[serde(default)]
        nails: Vec<Point>,
    },
    /// Deletes elements, and the edges of the nodes among them.
    Delete {
        /// The template.
        template: usize,
        /// The elements.
        items: Vec<Item>,
    },
    /// Moves elements, nails and labels.
    Move {
        /// The template.
        template: usize,
        /// The new positions.
        places: Vec<Placed>,
    },
    /// Replaces the nails of an edge.
    Nails {
        /// The template.
        template: usize,
        /// The edge.
        edge: usize,
        /// Its nails.
        nails: Vec<Point>,
    },
    /// Changes the ends of an edge.
    Connect {
        /// The template.
        template: usize,
        /// The edge.
        edge: usize,
        /// Its new source, if it changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<Node>,
        /// Its new target, if it changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Node>,
    },
    /// Makes a location the initial one.
    Initial {
        /// The template.
        template: usize,
        /// The location.
        location: usize,
    },
    /// Sets whether a location is urgent.
    Urgent {
        /// The template.
        template: usize,
        /// The location.
        location: usize,
        /// Whether it is.
        on: bool,
    },
    /// Sets whether a location is committed.
    Committed {
        /// The template.
        template: usize,
        /// The location.
        location: usize,
        /// Whether it is.
        on: bool,
    },
    /// Sets the colour of elements.
    Color {
        /// The template.
        template: usize,
        /// The elements.
        items: Vec<Item>,
        /// `#rrggbb`; none if it is empty.
        color: String,
    },
    /// Sets the text of a label; an empty text deletes it.
    Label {
        /// The template.
        template: usize,
        /// The location or edge, or the element of a net.
        of: Item,
        /// The kind: `invariant`, `guard`, …; in nets `marking`, `interval`, `weight`, …
        kind: String,
        /// The text.
        text: String,
        /// The position of a new label.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Point>,
    },
    /// Renames a location, in queries as well.
    RenameLocation {
        /// The template.
        template: usize,
        /// The location.
        location: usize,
        /// Its name; none if it is empty.
        name: String,
    },
    /// Renames a place or a transition of a net, in queries of the file as well.
    RenameNode {
        /// The component.
        template: usize,
        /// The place or transition.
        node: Node,
        /// Its name.
        name: String,
    },
    /// Renames a template, in the system declarations and in queries as well.
    RenameTemplate {
        /// The template.
        template: usize,
        /// Its name.
        name: String,
    },
    /// Adds a template with one location.
    AddTemplate {
        /// Its name.
        name: String,
    },
    /// Deletes a template.
    DeleteTemplate {
        /// The template.
        template: usize,
    },
    /// Computes the positions of everything in a template.
    Layout {
        /// The template.
        template: usize,
    },
    /// Sets the text of an element, which is created if the file lacks it.
    Text {
        /// `/nta/declaration`, `/nta/system`, `/nta/template[1]/declaration` or
        /// `/nta/template[1]/parameter`.
        path: String,
        /// Its text.
        text: String,
    },
    /// Adds a query.
    AddQuery {
        /// The number that it will have; at the end if there are fewer.
        #[serde(default = "at_the_end")]
        at: usize,
        /// Its formula.
        formula: String,
        /// The remark on it.
        #[serde(default)]
        comment: String,
    },
    /// Changes a query. Its recorded results and its options stay.
    Query {
        /// The query.
        query: usize,
        /// Its formula, if it changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        formula: Option<String>,
        /// The remark on it, if it changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// Deletes a query.
    DeleteQuery {
        /// The query.
        query: usize,
    },
}

impl Operation {
    /// Returns the template, or the component of a net, that is changed; `None` if it is not a
    /// single one.
    pub(crate) fn template(&self) -> Option<usize> {
        match self {
            Operation::AddLocation { template, .. }
            | Operation::AddBranchpoint { template, .. }
            | Operation::AddPlace { template, .. }
            | Operation::AddTransition { template, .. }
            | Operation::AddEdge { template, .. }
            | Operation::Delete { template, .. }
            | Operation::Move { template, .. }
            | Operation::Nails { template, .. }
            | Operation::Connect { template, .. }
            | Operation::Initial { template, .. }
            | Operation::Urgent { template, .. }
            | Operation::Committed { template, .. }
            | Operation::Color { template, .. }
            | Operation::Label { template, .. }
            | Operation::RenameLocation { template, .. }
            | Operation::RenameNode { template, .. }
            | Operation::RenameTemplate { template, .. }
            | Operation::DeleteTemplate { template, .. }
            | Operation::Layout { template, .. } => Some(*template),
            Operation::AddTemplate { .. }
            | Operation::Text { .. }
            | Operation::AddQuery { .. }
            | Operation::Query { .. }
            | Operation::DeleteQuery { .. } => None,
        }
    }
}

fn at_the_end() -> usize {
    usize::MAX
}
