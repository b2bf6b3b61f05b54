//! Edits of nets in XML: PNML, Romeo's files, and TAPAAL's.

mod arcs;
mod nodes;
mod read;

use std::collections::BTreeMap;

use super::{ArcKind, NetEdit, Sheet, inexpressible};
use crate::{
    EditError, Node, Patch, Point,
    xml::{Tag, XmlFile},
};
use read::{XmlArc, XmlNode};

/// The dialects of nets in XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Pnml,
    Romeo,
    Tapaal,
}

/// A component of a file: its elements.
#[derive(Clone, Debug)]
struct Component {
    /// The element of the net.
    id: usize,
    name: String,
    places: Vec<XmlNode>,
    transitions: Vec<XmlNode>,
    arcs: Vec<XmlArc>,
}

/// A file of nets.
pub(super) struct NetFile<'a> {
    file: XmlFile<'a>,
    dialect: Dialect,
    components: Vec<Component>,
}

impl<'a> NetFile<'a> {
    pub(super) fn sheets(&self) -> Result<Vec<Sheet>, EditError> {
        Ok(self.components.iter().map(|component| self.sheet(component)).collect())
    }

    /// Returns a component for editing.
    pub(super) fn component(mut self, number: usize) -> Result<NetXmlEdit<'a>, EditError> {
        if number >= self.components.len() {
            return Err(EditError::absent("net", number));
        }
        let component = self.components.swap_remove(number);
        let shared = self.shared();
        Ok(NetXmlEdit { file: self.file, dialect: self.dialect, component, shared })
    }

    /// Returns the elements of nodes that components share, by their names.
    fn shared(&self) -> BTreeMap<String, usize> {
        let kinds = ["shared-place", "shared-transition"];
        let all = kinds.into_iter().flat_map(|kind| self.file.children(0, kind));
        all.filter_map(|e| Some((self.file.element(e).attribute("name")?.to_owned(), e))).collect()
    }
}

/// A component under change.
pub(super) struct NetXmlEdit<'a> {
    file: XmlFile<'a>,
    dialect: Dialect,
    component: Component,
    shared: BTreeMap<String, usize>,
}

impl NetXmlEdit<'_> {
    fn node(&self, node: Node) -> &XmlNode {
        match node {
            Node::Place(i) => &self.component.places[i],
            Node::Transition(i) | Node::Location(i) | Node::Branchpoint(i) => &self.component.transitions[i],
        }
    }

    /// Returns an identifier that the file does not use.
    fn fresh_id(&self, letter: &str) -> String {
        let used: Vec<&str> = (0..self.file.len()).filter_map(|e| self.file.element(e).attribute("id")).collect();
        (0..).map(|n: usize| format!("{letter}{n}")).find(|id| !used.contains(&&**id)).unwrap_or_default()
    }

    /// Adds an element after the last one of some kinds, or as the first one.
    fn add_after(&mut self, parent: usize, kinds: &[&str], tag: &Tag) -> Result<(), EditError> {
        let children = &self.file.element(parent).children;
        let is_before = |&&child: &&usize| kinds.contains(&&*self.file.element(child).name);
        let last = children.iter().rfind(is_before).copied();
        self.file.insert_after(parent, last, tag)
    }

    /// Sets the text of `child/text`, or of the child itself, which is made if it is absent.
    fn set_child_text(&mut self, parent: usize, child: &'static str, text: &str) -> Result<(), EditError> {
        match self.file.child(parent, child) {
            Some(found) => {
                let inner = self.file.child(found, "text").unwrap_or(found);
                self.file.set_text(inner, text)
            }
            None => {
                let tag = Tag::with(child, vec![Tag::text("text", text)]).on_one_line();
                self.add_after(parent, &["name", "graphics", "delay", "initialMarking"], &tag)
            }
        }
    }
}

impl NetEdit for NetXmlEdit<'_> {
    fn add(&mut self, is_place: bool, at: Point, name: &str) -> Result<(), EditError> {
        self.add_node(is_place, at, name)
    }

    fn connect(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        self.add_arc(source, target)
    }

    fn reconnect(&mut self, arc: usize, source: Node, target: Node) -> Result<(), EditError> {
        self.set_ends(arc, source, target)
    }

    fn delete(&mut self, nodes: &[Node], arcs: &[usize]) -> Result<(), EditError> {
        for &node in nodes {
            self.delete_node(node)?;
        }
        for &arc in arcs {
            for element in self.component.arcs[arc].elements.clone() {
                self.file.delete(element);
            }
        }
        Ok(())
    }

    fn place(&mut self, node: Node, at: Point) -> Result<(), EditError> {
        self.set_position(self.node(node).element, at)
    }

    fn rename(&mut self, node: Node, name: &str) -> Result<(), EditError> {
        self.rename_node(node, name)
    }

    fn set_node(&mut self, node: Node, kind: &str, text: &str) -> Result<(), EditError> {
        self.set_node_label(node, kind, text)
    }

    fn set_arc(&mut self, arc: usize, kind: &str, text: &str) -> Result<(), EditError> {
        match kind {
            "weight" => self.set_weight(arc, text),
            "ages" => self.set_ages(arc, text),
            "kind" => self.set_kind(arc, ArcKind::of(text)?),
            other => Err(super::unknown_label(other)),
        }
    }

    fn patches(self: Box<Self>) -> Vec<Patch> {
        self.file.patches
    }
}

impl Dialect {
    fn name(self) -> &'static str {
        match self {
            Dialect::Pnml => "PNML",
            Dialect::Romeo => "Romeo's files",
            Dialect::Tapaal => "TAPAAL's files",
        }
    }

    fn refuses(self, what: &str) -> EditError {
        inexpressible(what, self.name())
    }
}
