//! Arcs in XML.

use super::{Dialect, NetXmlEdit};
use crate::{
    EditError, Node,
    net::{ArcKind, interval::Bounds, weight},
    xml::Tag,
};

impl NetXmlEdit<'_> {
    pub(super) fn add_arc(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        let (from, to) = (self.node(source).clone(), self.node(target).clone());
        let is_input = matches!(source, Node::Place(_));
        let net = self.component.id;
        let tag = match self.dialect {
            Dialect::Pnml => {
                let tag = Tag::empty("arc").attribute("id", self.fresh_id("a"));
                let tag = tag.attribute("source", &from.id).attribute("target", &to.id);
                // Arcs are on the page of their source.
                let page = self.file.parent(from.element).unwrap_or(net);
                return self.add_after(page, &["place", "transition", "arc"], &tag);
            }
            Dialect::Romeo => {
                let (place, transition) = if is_input { (from, to) } else { (to, from) };
                let kind = if is_input { "PlaceTransition" } else { "TransitionPlace" };
                let tag = Tag::empty("arc").attribute("place", &place.id).attribute("transition", &transition.id);
                tag.attribute("type", kind).attribute("weight", 1)
            }
            Dialect::Tapaal => {
                let has = |kind: &str| self.file.child(net, kind).is_some();
                // The engines have an element for each type of arc.
                let is_of_engine = !has("arc") && (has("inputArc") || has("outputArc"));
                let inscription = if is_input { "[0,inf)" } else { "1" };
                let (name, kind) = match (is_of_engine, is_input) {
                    (true, true) => ("inputArc", None),
                    (true, false) => ("outputArc", None),
                    (false, true) => ("arc", Some("timed")),
                    (false, false) => ("arc", Some("normal")),
                };
                let mut tag = Tag::empty(name);
                if !is_of_engine {
                    tag = tag.attribute("id", self.fresh_id("A"));
                }
                tag =
                    tag.attribute("inscription", inscription).attribute("source", &from.id).attribute("target", &to.id);
                if let Some(kind) = kind {
                    tag = tag.attribute("type", kind);
                }
                tag.attribute("weight", 1)
            }
        };
        let kinds = ["place", "transition", "arc", "inputArc", "outputArc", "inhibitorArc", "transportArc"];
        self.add_after(net, &kinds, &tag)
    }

    pub(super) fn set_ends(&mut self, arc: usize, source: Node, target: Node) -> Result<(), EditError> {
        let known = self.component.arcs[arc].clone();
        let (from, to) = (self.node(source).id.clone(), self.node(target).id.clone());
        let element = known.elements[0];
        let turns = matches!(known.source, Node::Place(_)) != matches!(source, Node::Place(_));
        if known.kind == ArcKind::Transport || (turns && self.dialect == Dialect::Tapaal) {
            return Err(EditError::new("this arc is written in another way at other ends")
                .help("delete it, and add another one"));
        }
        if self.dialect == Dialect::Romeo {
            let is_input = matches!(source, Node::Place(_));
            let (place, transition) = if is_input { (from, to) } else { (to, from) };
            self.file.set_attribute(element, "place", &place)?;
            self.file.set_attribute(element, "transition", &transition)?;
            if turns {
                let kind = if is_input { "PlaceTransition" } else { "TransitionPlace" };
                self.file.set_attribute(element, "type", kind)?;
            }
            return Ok(());
        }
        // An end that stays may be named by a reference on its page.
        for (name, old, new, id) in [("source", known.source, source, from), ("target", known.target, target, to)] {
            if old != new {
                self.file.set_attribute(element, name, &id)?;
            }
        }
        Ok(())
    }

    pub(super) fn set_weight(&mut self, arc: usize, text: &str) -> Result<(), EditError> {
        let known = self.component.arcs[arc].clone();
        if known.elements.iter().any(|&element| self.has_colours(element)) {
            return Err(EditError::new("this arc moves tokens with colours").help("edit it in the text"));
        }
        let is_constant = self.dialect == Dialect::Tapaal && text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let number = if is_constant { text.to_owned() } else { weight(text)?.to_string() };
        for element in known.elements {
            let this = self.file.element(element);
            match self.dialect {
                Dialect::Pnml if number == "1" && self.file.child(element, "inscription").is_none() => {}
                Dialect::Pnml => self.set_number(element, "inscription", &number)?,
                Dialect::Romeo => self.file.set_attribute(element, "weight", &number)?,
                Dialect::Tapaal => {
                    let is_inscription =
                        |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with(['[', '(']);
                    let key = match this.attribute("weight").is_none()
                        && this.attribute("inscription").is_some_and(is_inscription)
                    {
                        true => "inscription",
                        false => "weight",
                    };
                    self.file.set_attribute(element, key, &number)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn set_ages(&mut self, arc: usize, text: &str) -> Result<(), EditError> {
        let known = self.component.arcs[arc].clone();
        if self.dialect != Dialect::Tapaal {
            return Err(self.dialect.refuses("intervals on arcs"));
        }
        if known.kind == ArcKind::Inhibitor {
            return Err(EditError::new("inhibitor arcs have no intervals"));
        }
        if known.kind == ArcKind::Normal && matches!(known.source, Node::Transition(_)) {
            return Err(EditError::new("new tokens have the age 0").help("intervals are on arcs from places"));
        }
        let bounds = Bounds::read(if text.is_empty() { "[0,inf)" } else { text })?.with_parentheses();
        for element in known.elements {
            let old = self.file.element(element).attribute("inscription").unwrap_or_default();
            // The number of a transport arc follows the interval.
            let new = match old.rsplit_once(':') {
                Some((_, number)) => format!("{bounds}:{number}"),
                None => bounds.clone(),
            };
            self.file.set_attribute(element, "inscription", &new)?;
        }
        Ok(())
    }

    pub(super) fn set_kind(&mut self, arc: usize, kind: ArcKind) -> Result<(), EditError> {
        let known = self.component.arcs[arc].clone();
        let element = known.elements[0];
        if known.kind == kind {
            return Ok(());
        }
        if known.kind == ArcKind::Transport || kind == ArcKind::Transport {
            return Err(EditError::new("a transport arc is a pair of arcs").help("edit the text"));
        }
        match self.dialect {
            Dialect::Pnml => self.set_pnml_kind(element, kind),
            Dialect::Romeo => {
                let name = match kind {
                    ArcKind::Normal => "PlaceTransition",
                    ArcKind::Test => "read",
                    ArcKind::Inhibitor => "logicalInhibitor",
                    _ => return Err(self.dialect.refuses("stopwatch arcs")),
                };
                self.file.set_attribute(element, "type", name)
            }
            Dialect::Tapaal => {
                if self.file.element(element).name != "arc" {
                    return Err(EditError::new("this file has another element for such arcs").help("edit the text"));
                }
                let name = match kind {
                    ArcKind::Normal => "timed",
                    ArcKind::Inhibitor => "tapnInhibitor",
                    ArcKind::Test => return Err(self.dialect.refuses("test arcs")),
                    _ => return Err(self.dialect.refuses("stopwatch arcs")),
                };
                self.file.set_attribute(element, "type", name)
            }
        }
    }

    /// Says the kind of an arc where the file says it.
    fn set_pnml_kind(&mut self, element: usize, kind: ArcKind) -> Result<(), EditError> {
        if let Some(ty) = self.file.child(element, "type") {
            return match self.file.element(ty).attribute("value") {
                _ if kind == ArcKind::Normal => {
                    self.file.delete(ty);
                    Ok(())
                }
                Some(_) => self.file.set_attribute(ty, "value", kind.name()),
                None => self.file.set_text(ty, kind.name()),
            };
        }
        if self.file.child(element, "arctype").is_some() {
            return self.set_child_text(element, "arctype", kind.name());
        }
        if self.file.element(element).attribute("type").is_some() {
            return self.file.set_attribute(element, "type", kind.name());
        }
        let tag = Tag::empty("type").attribute("value", kind.name());
        self.add_after(element, &["name", "graphics", "inscription"], &tag)
    }
}
