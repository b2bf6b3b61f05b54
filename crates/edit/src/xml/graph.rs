//! Edits of the locations, branchpoints and edges of a template.

use std::collections::{BTreeMap, BTreeSet};

use super::{TEMPLATE, file::XmlFile, tag::Tag};
use crate::{
    EditError, Item, Movable, Node, Placed, Point,
    offsets::{self, shown},
};

/// The elements of a location.
const LOCATION: [&str; 4] = ["name", "label", "urgent", "committed"];
/// The elements of an edge.
const EDGE: [&str; 4] = ["source", "target", "label", "nail"];
/// The labels of a location, in the order in which they are written.
const LOCATION_LABELS: [&str; 5] = ["invariant", "exponentialrate", "testcodeEnter", "testcodeExit", "comments"];
/// The labels of an edge, in the order in which they are written: a selected value is used by the
/// labels after it.
const EDGE_LABELS: [&str; 7] =
    ["select", "guard", "synchronisation", "assignment", "probability", "testcode", "comments"];

/// Returns where UPPAAL puts the name of a location.
fn name_at((x, y): Point) -> Point {
    (x.saturating_sub(10), y.saturating_sub(34))
}

/// The elements of a template, by the numbers that they have in the syntax tree.
pub(super) struct XmlTemplate {
    pub id: usize,
    pub locations: Vec<usize>,
    pub branchpoints: Vec<usize>,
    pub edges: Vec<usize>,
}

impl XmlFile<'_> {
    /// Returns the elements of a template.
    pub(super) fn template(&self, number: usize) -> Result<XmlTemplate, EditError> {
        let id = *self.children(0, "template").get(number).ok_or_else(|| EditError::absent("template", number))?;
        // As in the reader: locations without an identifier, and edges between unknown nodes, are
        // not in the tree.
        let named = |tag, blank: bool| {
            let has_id = |&e: &usize| self.element(e).attribute("id").is_some_and(|id| blank || !id.trim().is_empty());
            self.children(id, tag).into_iter().filter(has_id).collect::<Vec<usize>>()
        };
        let (locations, branchpoints) = (named("location", false), named("branchpoint", true));
        let known: BTreeSet<&str> =
            locations.iter().chain(&branchpoints).filter_map(|&e| self.element(e).attribute("id")).collect();
        let ends = |&edge: &usize| {
            ["source", "target"].iter().all(|end| self.reference(edge, end).is_some_and(|id| known.contains(id)))
        };
        let edges = self.children(id, "transition").into_iter().filter(ends).collect();
        Ok(XmlTemplate { id, locations, branchpoints, edges })
    }

    /// Returns the `ref` of a child.
    fn reference(&self, parent: usize, child: &str) -> Option<&str> {
        self.element(self.child(parent, child)?).attribute("ref")
    }

    /// Returns identifiers that the file does not use.
    pub(super) fn fresh_ids(&self) -> impl Iterator<Item = String> + use<> {
        // An edge may refer to a location that is absent: a new one must not come into its place.
        let all = |key| (0..self.len()).filter_map(move |e| self.element(e).attribute(key));
        let used: BTreeSet<String> = all("id").chain(all("ref")).map(str::to_owned).collect();
        let numbers = used.iter().filter_map(|id| id.strip_prefix("id")?.parse::<u64>().ok());
        let next = numbers.filter(|n| *n < 1 << 53).max().map_or(0, |n| n + 1);
        (next..).map(|n| format!("id{n}")).filter(move |id| !used.contains(id))
    }

    fn fresh_id(&self) -> String {
        self.fresh_ids().next().unwrap_or_default()
    }

    pub(super) fn add_location(&mut self, template: &XmlTemplate, at: Point, name: &str) -> Result<(), EditError> {
        let name = match name {
            "" => Vec::new(),
            name => vec![Tag::text("name", name).at(name_at(at))],
        };
        let tag = Tag::with("location", name).attribute("id", self.fresh_id()).at(at);
        self.insert(template.id, &TEMPLATE, &tag)
    }

    pub(super) fn add_branchpoint(&mut self, template: &XmlTemplate, at: Point) -> Result<(), EditError> {
        let tag = Tag::with("branchpoint", Vec::new()).attribute("id", self.fresh_id()).at(at);
        self.insert(template.id, &TEMPLATE, &tag)
    }

    pub(super) fn add_edge(&mut self, t: &XmlTemplate, ends: [Node; 2], nails: &[Point]) -> Result<(), EditError> {
        if let [Node::Branchpoint(_), Node::Branchpoint(_)] = ends {
            return Err(EditError::new("an edge can't lead from a branchpoint to a branchpoint"));
        }
        let mut inside = Vec::new();
        for (name, end) in ["source", "target"].into_iter().zip(ends) {
            inside.push(Tag::empty(name).attribute("ref", self.id_of(t, end)?));
        }
        inside.extend(nails.iter().map(|&nail| Tag::empty("nail").at(nail)));
        let mut tag = Tag::with("transition", inside);
        // Since version 5, UPPAAL gives identifiers to edges as well.
        if t.edges.iter().any(|&e| self.element(e).attribute("id").is_some()) {
            tag = tag.attribute("id", self.fresh_id());
        }
        self.insert(t.id, &TEMPLATE, &tag)
    }

    fn node(&self, t: &XmlTemplate, node: Node) -> Result<usize, EditError> {
        self.item(t, node.into())
    }

    fn item(&self, t: &XmlTemplate, item: Item) -> Result<usize, EditError> {
        let (list, what, i) = match item {
            Item::Location(i) => (&t.locations, "location", i),
            Item::Branchpoint(i) => (&t.branchpoints, "branchpoint", i),
            Item::Edge(i) => (&t.edges, "edge", i),
            Item::Place(_) | Item::Transition(_) => return Err(EditError::no_net()),
        };
        list.get(i).copied().ok_or_else(|| EditError::absent(what, i))
    }

    fn id_of(&self, t: &XmlTemplate, node: Node) -> Result<String, EditError> {
        let id = self.node(t, node)?;
        Ok(self.element(id).attribute("id").unwrap_or_default().to_owned())
    }

    /// Deletes elements, and the edges at nodes among them.
    pub(super) fn delete_items(&mut self, t: &XmlTemplate, items: &[Item]) -> Result<(), EditError> {
        let mut deleted = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for &item in items {
            let element = self.item(t, item)?;
            deleted.insert(element);
            if !matches!(item, Item::Edge(_)) {
                ids.insert(self.element(element).attribute("id").unwrap_or_default().to_owned());
            }
        }
        for edge in self.children(t.id, "transition") {
            if ["source", "target"].iter().any(|end| self.reference(edge, end).is_some_and(|id| ids.contains(id))) {
                deleted.insert(edge);
            }
        }
        if let Some(init) = self.child(t.id, "init")
            && self.element(init).attribute("ref").is_some_and(|id| ids.contains(id))
        {
            deleted.insert(init);
        }
        deleted.into_iter().for_each(|element| self.delete(element));
        Ok(())
    }

    /// Sets positions. Labels that a location or an edge lacks are ignored if `leniently`.
    pub(super) fn place(&mut self, t: &XmlTemplate, places: &[Placed], leniently: bool) -> Result<(), EditError> {
        // The last position counts.
        let places: BTreeMap<&Movable, Point> = places.iter().map(|p| (&p.item, p.at)).collect();
        for (place, at) in places {
            let element = match place {
                Movable::Location(i) => self.item(t, Item::Location(*i))?,
                Movable::Branchpoint(i) => self.item(t, Item::Branchpoint(*i))?,
                Movable::Place(_) | Movable::Transition(_) => return Err(EditError::no_net()),
                Movable::Nail(edge, nail) => {
                    let nails = self.nails_of(self.item(t, Item::Edge(*edge))?);
                    *nails.get(*nail).ok_or_else(|| EditError::absent("nail", *nail))?
                }
                Movable::LocationLabel(i, kind) | Movable::EdgeLabel(i, kind) => {
                    let is_location = matches!(place, Movable::LocationLabel(..));
                    let owner = self.item(t, if is_location { Item::Location(*i) } else { Item::Edge(*i) })?;
                    match self.label(owner, kind) {
                        Some(label) => label,
                        None if leniently => continue,
                        None => return Err(EditError::new(format!("there is no label `{kind}` to be moved"))),
                    }
                }
            };
            self.set_position(element, at)?;
        }
        Ok(())
    }

    fn set_position(&mut self, element: usize, at: Point) -> Result<(), EditError> {
        self.set_attribute(element, "x", &at.0.to_string())?;
        self.set_attribute(element, "y", &at.1.to_string())
    }

    /// Returns the last label of a kind, which is the one that counts; the name of a location is
    /// one.
    fn label(&self, owner: usize, kind: &str) -> Option<usize> {
        if kind == "name" {
            return self.child(owner, "name");
        }
        self.labels(owner, kind).last().copied()
    }

    fn labels(&self, owner: usize, kind: &str) -> Vec<usize> {
        let mut labels = self.children(owner, "label");
        labels.retain(|&l| self.element(l).attribute("kind") == Some(kind));
        labels
    }

    /// Returns the nails that have coordinates.
    fn nails_of(&self, edge: usize) -> Vec<usize> {
        let mut nails = self.children(edge, "nail");
        nails.retain(|&nail| self.position(nail).is_some());
        nails
    }

    /// Returns the coordinates of an element.
    pub(super) fn position(&self, element: usize) -> Option<Point> {
        let read = |key: &str| self.element(element).attribute(key).and_then(|v| v.trim().parse::<f64>().ok());
        Some((read("x")? as i32, read("y")? as i32))
    }

    /// Replaces the nails of an edge. Those that stay are not touched.
    pub(super) fn set_nails(&mut self, t: &XmlTemplate, edge: usize, nails: &[Point]) -> Result<(), EditError> {
        let edge = self.item(t, Item::Edge(edge))?;
        let elements = self.nails_of(edge);
        let old: Vec<Option<Point>> = elements.iter().map(|&nail| self.position(nail)).collect();
        let same = |(old, new): &(&Option<Point>, &Point)| **old == Some(**new);
        let prefix = old.iter().zip(nails).take_while(same).count();
        let rest = old[prefix..].iter().rev().zip(nails[prefix..].iter().rev());
        let suffix = rest.take_while(same).count();
        let before = &elements[prefix..elements.len() - suffix];
        let after = &nails[prefix..nails.len() - suffix];
        for (&element, &at) in before.iter().zip(after) {
            self.set_position(element, at)?;
        }
        for &element in before.iter().skip(after.len()) {
            self.delete(element);
        }
        let last = before.last().or(prefix.checked_sub(1).and_then(|i| elements.get(i)));
        for &at in after.iter().skip(before.len()) {
            let tag = Tag::empty("nail").at(at);
            match (last, elements.first()) {
                (Some(&last), _) => self.insert_after(edge, Some(last), &tag)?,
                // Before the first nail: after the element before it.
                (None, Some(&first)) => {
                    let children = &self.element(edge).children;
                    let sibling = children.iter().take_while(|&&c| c != first).last().copied();
                    self.insert_after(edge, sibling, &tag)?;
                }
                (None, None) => self.insert(edge, &EDGE, &tag)?,
            }
        }
        Ok(())
    }

    pub(super) fn connect(&mut self, t: &XmlTemplate, edge: usize, ends: [Option<Node>; 2]) -> Result<(), EditError> {
        let element = self.item(t, Item::Edge(edge))?;
        for (name, end) in ["source", "target"].into_iter().zip(ends) {
            let (Some(end), Some(child)) = (end, self.child(element, name)) else { continue };
            let id = self.id_of(t, end)?;
            self.set_attribute(child, "ref", &id)?;
        }
        Ok(())
    }

    pub(super) fn set_initial(&mut self, t: &XmlTemplate, location: usize) -> Result<(), EditError> {
        let id = self.id_of(t, Node::Location(location))?;
        match self.child(t.id, "init") {
            Some(init) => self.set_attribute(init, "ref", &id),
            None => self.insert(t.id, &TEMPLATE, &Tag::empty("init").attribute("ref", id)),
        }
    }

    /// Adds or deletes `<urgent/>` or `<committed/>`.
    pub(super) fn set_flag(
        &mut self,
        t: &XmlTemplate,
        location: usize,
        flag: &'static str,
        on: bool,
    ) -> Result<(), EditError> {
        let element = self.item(t, Item::Location(location))?;
        let flags = self.children(element, flag);
        if on && flags.is_empty() {
            return self.insert(element, &LOCATION, &Tag::empty(flag));
        }
        if !on {
            flags.into_iter().for_each(|flag| self.delete(flag));
        }
        Ok(())
    }

    pub(super) fn set_color(&mut self, t: &XmlTemplate, items: &[Item], color: &str) -> Result<(), EditError> {
        let is_color =
            color.strip_prefix('#').is_some_and(|c| c.len() == 6 && c.bytes().all(|b| b.is_ascii_hexdigit()));
        if !color.is_empty() && !is_color {
            return Err(EditError::new(format!("`{color}` is not a colour")).help("write it like `#a0c0ff`"));
        }
        for &item in items.iter().collect::<BTreeSet<_>>() {
            let element = self.item(t, item)?;
            match color {
                "" => self.delete_attribute(element, "color")?,
                color => self.set_attribute(element, "color", color)?,
            }
        }
        Ok(())
    }

    /// Sets the text of a label.
    pub(super) fn set_label(
        &mut self,
        t: &XmlTemplate,
        of: Item,
        kind: &str,
        text: &str,
        at: Option<Point>,
    ) -> Result<(), EditError> {
        let (kinds, order): (&[&str], &[&str]) = match of {
            Item::Location(_) => (&LOCATION_LABELS, &LOCATION),
            Item::Edge(_) => (&EDGE_LABELS, &EDGE),
            Item::Branchpoint(_) => return Err(EditError::new("branchpoints have no labels")),
            Item::Place(_) | Item::Transition(_) => return Err(EditError::no_net()),
        };
        let Some(rank) = kinds.iter().position(|known| *known == kind) else {
            return Err(EditError::new(format!("there are no labels of the kind `{kind}`"))
                .help(format!("the kinds are {}", kinds.join(", "))));
        };
        let owner = self.item(t, of)?;
        let text = text.trim();
        if text.is_empty() {
            self.labels(owner, kind).into_iter().for_each(|label| self.delete(label));
            return Ok(());
        }
        if let Some(label) = self.label(owner, kind) {
            return self.set_text(label, text);
        }
        let tag = Tag::text("label", text).attribute("kind", kind).maybe_at(at);
        let rank_of =
            |label: usize| kinds.iter().position(|known| self.element(label).attribute("kind") == Some(known));
        let labels = self.children(owner, "label");
        match labels.iter().rfind(|&&label| rank_of(label).is_some_and(|r| r <= rank)) {
            Some(&before) => self.insert_after(owner, Some(before), &tag),
            None if labels.is_empty() => self.insert(owner, order, &tag),
            None => {
                let children = &self.element(owner).children;
                let sibling = children.iter().take_while(|&&c| c != labels[0]).last().copied();
                self.insert_after(owner, sibling, &tag)
            }
        }
    }

    /// Sets the name of a location; an empty one deletes it.
    pub(super) fn rename_location(&mut self, t: &XmlTemplate, location: usize, name: &str) -> Result<(), EditError> {
        let element = self.item(t, Item::Location(location))?;
        match self.child(element, "name") {
            Some(old) if name.is_empty() => {
                self.delete(old);
                Ok(())
            }
            Some(old) => self.set_text(old, name),
            None if name.is_empty() => Ok(()),
            None => {
                let at = self.position(element).map(name_at);
                self.insert(element, &LOCATION, &Tag::text("name", name).maybe_at(at))
            }
        }
    }

    pub(super) fn rename_template(&mut self, t: &XmlTemplate, name: &str) -> Result<(), EditError> {
        match self.child(t.id, "name") {
            Some(old) => self.set_text(old, name),
            None => self.insert(t.id, &TEMPLATE, &Tag::text("name", name)),
        }
    }

    /// Replaces the text of an element, without the blanks around it, where it differs.
    pub(crate) fn set_text(&mut self, element: usize, text: &str) -> Result<(), EditError> {
        let old = self.content(element).to_owned();
        let trimmed = old.trim();
        let start = if trimmed.is_empty() { 0 } else { old.len() - old.trim_start().len() };
        self.set_range(element, start, trimmed, text)
    }

    /// Replaces the whole text of an element where it differs.
    pub(super) fn replace_whole(&mut self, element: usize, text: &str) -> Result<(), EditError> {
        let old = self.content(element).to_owned();
        self.set_range(element, 0, &old, text)
    }

    fn set_range(&mut self, element: usize, start: usize, old: &str, new: &str) -> Result<(), EditError> {
        match offsets::change(old, &shown(new)) {
            Some((from, to, new)) => self.replace_text(element, start + from, start + to, &new),
            None => Ok(()),
        }
    }
}
