//! Places and transitions in XML.

use super::{Dialect, NetXmlEdit, read::merkhet_element};
use crate::{
    EditError, Node, Patch, Point,
    net::{interval::Bounds, natural},
    rename::legal_word,
    xml::Tag,
};

/// The namespace of intervals.
const MATHML: &str = "http://www.w3.org/1998/Math/MathML";

impl NetXmlEdit<'_> {
    pub(super) fn add_node(&mut self, is_place: bool, at: Point, name: &str) -> Result<(), EditError> {
        let kind = if is_place { "place" } else { "transition" };
        let graphics = || Tag::with("graphics", vec![Tag::empty("position").at(at)]).on_one_line();
        let (parent, tag) = match self.dialect {
            Dialect::Pnml => {
                let list = if is_place { &self.component.places } else { &self.component.transitions };
                let has_identifiers = list.iter().any(|node| !node.is_named);
                let id =
                    if has_identifiers { name.to_owned() } else { self.fresh_id(if is_place { "p" } else { "t" }) };
                if has_identifiers {
                    self.legal_id(&id)?;
                }
                let name = Tag::with("name", vec![Tag::text("text", name)]).on_one_line();
                let last = self.component.transitions.last().or(self.component.places.last());
                let pages = self.file.children(self.component.id, "page");
                // Where the others are, if there is something already.
                let parent = last
                    .and_then(|node| self.file.parent(node.element))
                    .or(pages.first().copied())
                    .unwrap_or(self.component.id);
                let inside = if has_identifiers { vec![graphics()] } else { vec![name, graphics()] };
                (parent, Tag::with(kind, inside).attribute("id", id))
            }
            Dialect::Romeo => {
                let list = if is_place { &self.component.places } else { &self.component.transitions };
                let last = list.iter().filter_map(|node| node.id.parse::<u64>().ok()).max().unwrap_or(0);
                let tag = Tag::with(kind, vec![graphics()])
                    .attribute("id", last.saturating_add(1))
                    .attribute("identifier", name)
                    .attribute("label", name);
                let tag = if is_place { tag.attribute("initialMarking", 0) } else { tag };
                (self.component.id, tag.attribute("eft", 0).attribute("lft", "inf"))
            }
            Dialect::Tapaal => {
                legal_word(name)?;
                let id =
                    if self.is_used(name) { self.fresh_id(if is_place { "p" } else { "t" }) } else { name.to_owned() };
                let tag = Tag::empty(kind).attribute("id", id).attribute("name", name);
                let tag = if is_place {
                    tag.attribute("initialMarking", 0).attribute("invariant", "< inf")
                } else {
                    tag.attribute("urgent", "false").attribute("priority", 0)
                };
                (self.component.id, tag.attribute("positionX", at.0).attribute("positionY", at.1))
            }
        };
        let before: &[&str] = if is_place { &["place"] } else { &["place", "transition"] };
        let has = |kind: &str| self.file.child(parent, kind).is_some();
        let fallback = ["name", "toolspecific", "graphics", "declaration", "place"];
        if before.iter().any(|kind| has(kind)) {
            self.add_after(parent, before, &tag)
        } else {
            self.add_after(parent, &fallback, &tag)
        }
    }

    /// Refuses what is not a new identifier.
    fn legal_id(&self, id: &str) -> Result<(), EditError> {
        legal_word(id)?;
        if self.is_used(id) {
            return Err(
                EditError::new(format!("the file has the identifier `{id}` already")).help("choose another name")
            );
        }
        Ok(())
    }

    /// Renames a node whose name is its identifier.
    fn rename_id(&mut self, old: &str, new: &str) -> Result<(), EditError> {
        self.legal_id(new)?;
        for element in 0..self.file.len() {
            for key in ["id", "source", "target", "transition", "ref"] {
                if self.file.element(element).attribute(key) == Some(old) {
                    self.file.set_attribute(element, key, new)?;
                }
            }
            if self.file.element(element).name == "before" && self.file.content(element).trim() == old {
                self.file.set_text(element, new)?;
            }
        }
        Ok(())
    }

    fn is_used(&self, id: &str) -> bool {
        (0..self.file.len()).any(|e| self.file.element(e).attribute("id") == Some(id))
    }

    pub(super) fn set_position(&mut self, element: usize, at: Point) -> Result<(), EditError> {
        let graphics = self.file.child(element, "graphics");
        let position = graphics.and_then(|graphics| self.file.child(graphics, "position"));
        let has_attributes = self.file.element(element).attribute("positionX").is_some();
        let names = match (position, graphics) {
            (Some(_), _) => ["x", "y"],
            (None, _) if has_attributes || self.dialect == Dialect::Tapaal => ["positionX", "positionY"],
            (None, Some(graphics)) => return self.file.insert_after(graphics, None, &Tag::empty("position").at(at)),
            (None, None) => {
                let tag = Tag::with("graphics", vec![Tag::empty("position").at(at)]).on_one_line();
                return self.add_after(element, &["name"], &tag);
            }
        };
        let holder = position.unwrap_or(element);
        for (name, value) in names.into_iter().zip([at.0, at.1]) {
            let old = self.file.element(holder).attribute(name);
            let is_same = old.and_then(|old| old.trim().parse::<f64>().ok()).is_some_and(|old| old == f64::from(value));
            // TINA and TAPAAL write numbers with a point.
            let has_point = old.is_some_and(|old| old.contains('.'));
            if !is_same {
                let value = if has_point { format!("{value}.0") } else { value.to_string() };
                self.file.set_attribute(holder, name, &value)?;
            }
        }
        Ok(())
    }

    pub(super) fn delete_node(&mut self, node: Node) -> Result<(), EditError> {
        let known = self.node(node).clone();
        if self.dialect == Dialect::Tapaal && self.shared.contains_key(&known.name) {
            return Err(EditError::new(format!("`{}` is shared by components", known.name)).help("edit the text"));
        }
        self.file.delete(known.element);
        known.references.iter().for_each(|&reference| self.file.delete(reference));
        if self.dialect == Dialect::Pnml && matches!(node, Node::Transition(_)) {
            let others = self.component.transitions.iter().filter(|t| t.element != known.element);
            let tools = others.filter_map(|t| merkhet_element(&self.file, t.element));
            let before: Vec<usize> = tools
                .flat_map(|tool| self.file.children(tool, "before"))
                .filter(|&b| self.file.content(b).trim() == known.id)
                .collect();
            before.into_iter().for_each(|element| self.file.delete(element));
        }
        Ok(())
    }

    pub(super) fn rename_node(&mut self, node: Node, name: &str) -> Result<(), EditError> {
        let known = self.node(node).clone();
        let element = known.element;
        if !known.is_named && self.dialect != Dialect::Romeo {
            self.rename_id(&known.id, name)?;
            return match self.dialect {
                Dialect::Tapaal => self.rename_in_queries(&known.name, name, matches!(node, Node::Place(_))),
                _ => Ok(()),
            };
        }
        match self.dialect {
            Dialect::Pnml => self.set_child_text(element, "name", name),
            Dialect::Romeo => {
                let has =
                    |key: &str| self.file.element(element).attribute(key).is_some_and(|old| old.trim() == known.name);
                let keys: Vec<&str> = ["label", "identifier"].into_iter().filter(|key| has(key)).collect();
                for key in if keys.is_empty() { vec!["label"] } else { keys } {
                    self.file.set_attribute(element, key, name)?;
                }
                Ok(())
            }
            Dialect::Tapaal => {
                legal_word(name)?;
                if self.shared.contains_key(&known.name) || self.shared.contains_key(name) {
                    return Err(
                        EditError::new("names that components share are not changed here").help("edit the text")
                    );
                }
                self.file.set_attribute(element, "name", name)?;
                self.rename_in_queries(&known.name, name, matches!(node, Node::Place(_)))
            }
        }
    }

    /// Renames a place or a transition in the queries of a file.
    fn rename_in_queries(&mut self, old: &str, new: &str, is_place: bool) -> Result<(), EditError> {
        let component = self.component.name.clone();
        let has_several = self.file.children(0, "net").len() > 1;
        let qualified = format!("{component}.{old}");
        let is_meant = |word: &str| word == qualified || (word == old && !has_several);
        let replaced = |word: &str| word.strip_suffix(old).map(|before| format!("{before}{new}")).unwrap_or_default();
        for query in self.file.children(0, "query") {
            if is_place && let Some(text) = self.file.element(query).attribute("query").map(str::to_owned) {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
                let mut out = String::new();
                let mut rest = &*text;
                while let Some(start) = rest.find(is_word) {
                    out.push_str(&rest[..start]);
                    let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |len| start + len);
                    let word = &rest[start..end];
                    out.push_str(&if is_meant(word) { replaced(word) } else { word.to_owned() });
                    rest = &rest[end..];
                }
                out.push_str(rest);
                self.file.set_attribute(query, "query", &out)?;
            }
            let tag = if is_place { "place" } else { "transition" };
            let mut open = vec![query];
            while let Some(element) = open.pop() {
                open.extend(&self.file.element(element).children);
                let text = self.file.content(element).trim().to_owned();
                if self.file.element(element).name == tag && is_meant(&text) {
                    self.file.set_text(element, &replaced(&text))?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn set_node_label(&mut self, node: Node, kind: &str, text: &str) -> Result<(), EditError> {
        let known = self.node(node).clone();
        let element = known.element;
        match (kind, self.dialect) {
            ("marking", dialect) => {
                let tokens = natural(text, 0, "the number of tokens")?.to_string();
                let shared = self.shared.get(&known.name).copied();
                let holder = shared.unwrap_or(element);
                if [holder, element].iter().any(|&e| self.has_colours(e)) {
                    return Err(EditError::new("the tokens of this place have colours").help("edit them in the text"));
                }
                match dialect {
                    Dialect::Pnml => self.set_number(element, "initialMarking", &tokens),
                    Dialect::Romeo | Dialect::Tapaal => self.file.set_attribute(holder, "initialMarking", &tokens),
                }
            }
            ("delay", Dialect::Pnml) => match (merkhet_element(&self.file, element), text) {
                (None, "") => Ok(()),
                (Some(tool), text) => self.set_delay(tool, text),
                (None, text) => {
                    let tag = Tag::with("toolspecific", vec![interval_tag(&Bounds::read(text)?.numbers()?)])
                        .attribute("tool", "merkhet")
                        .attribute("version", 1);
                    self.add_after(element, &["name", "graphics", "initialMarking"], &tag.on_one_line())
                }
            },
            ("interval", Dialect::Pnml) => self.set_delay(element, text),
            ("interval", Dialect::Romeo) => {
                let bounds = Bounds::read(if text.is_empty() { "[0,w[" } else { text })?.numbers()?;
                if bounds.low_open || (bounds.high_open && bounds.high.is_some()) {
                    return Err(self.dialect.refuses("strict bounds"));
                }
                self.file.set_attribute(element, "eft", &bounds.low)?;
                self.file.set_attribute(element, "lft", bounds.high.as_deref().unwrap_or("inf"))
            }
            ("invariant", Dialect::Tapaal) => {
                let bare: String = text.split_whitespace().collect();
                let (sign, bound) = match bare.strip_prefix("<=") {
                    Some(bound) => ("<=", bound),
                    None if bare.is_empty() => ("<", "inf"),
                    None => (
                        "<",
                        bare.strip_prefix('<').ok_or_else(|| {
                            EditError::new(format!("`{text}` is not a limit on ages")).help("write `<= 5` or `< 5`")
                        })?,
                    ),
                };
                let holder = self.shared.get(&known.name).copied().unwrap_or(element);
                self.file.set_attribute(holder, "invariant", &format!("{sign} {bound}"))
            }
            ("urgent", Dialect::Tapaal) => {
                let value = match text {
                    "" | "false" => "false",
                    "true" => "true",
                    _ => return Err(EditError::new("`urgent` is `true` or `false`")),
                };
                self.file.set_attribute(element, "urgent", value)
            }
            ("delay", dialect) => Err(dialect.refuses("intervals on places")),
            ("interval", dialect) => Err(dialect.refuses("intervals on transitions")),
            ("invariant", dialect) => Err(dialect.refuses("limits on the ages of tokens")),
            (_, dialect) => Err(dialect.refuses("urgent transitions")),
        }
    }

    pub(super) fn has_colours(&self, element: usize) -> bool {
        ["hlinitialMarking", "hlinscription"].iter().any(|child| self.file.child(element, child).is_some())
    }

    /// Sets a number, which editors may write with the colour of plain tokens before it.
    pub(super) fn set_number(&mut self, element: usize, child: &'static str, number: &str) -> Result<(), EditError> {
        let old = self.file.child(element, child).map(|found| {
            let inner = self.file.child(found, "text").unwrap_or(found);
            self.file.content(inner).trim().to_owned()
        });
        match old {
            Some(old) if old.starts_with("Default,") => {
                self.set_child_text(element, child, &format!("Default,{number}"))
            }
            _ => self.set_child_text(element, child, number),
        }
    }

    fn set_delay(&mut self, parent: usize, text: &str) -> Result<(), EditError> {
        let delay = self.file.child(parent, "delay");
        if text.is_empty() {
            delay.into_iter().for_each(|delay| self.file.delete(delay));
            return Ok(());
        }
        let bounds = Bounds::read(text)?.numbers()?;
        let Some(interval) = delay.and_then(|delay| self.file.child(delay, "interval")) else {
            delay.into_iter().for_each(|delay| self.file.delete(delay));
            return self.add_after(parent, &["name", "graphics", "label"], &interval_tag(&bounds));
        };
        self.file.set_attribute(interval, "closure", closure(&bounds))?;
        let [low, high] = self.file.element(interval).children[..] else {
            return Err(EditError::new("the interval does not have two bounds").help("edit the text"));
        };
        self.file.set_text(low, &bounds.low)?;
        let is_number = self.file.element(high).name == "cn";
        match &bounds.high {
            Some(bound) if is_number => self.file.set_text(high, bound),
            Some(bound) => self.replace_bound(high, "cn", bound),
            None if is_number => self.replace_bound(high, "ci", "infty"),
            None => Ok(()),
        }
    }

    /// Replaces a bound by an element of another name, with the prefix of its namespace.
    fn replace_bound(&mut self, element: usize, name: &str, text: &str) -> Result<(), EditError> {
        let whole = self.file.element(element).whole;
        let (from, to) = (whole.start as usize, whole.end as usize);
        let tag = &self.file.text[from + 1..to];
        let end = tag.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(0);
        let prefix = tag[..end].split_once(':').map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
        let text = format!("<{prefix}{name}>{text}</{prefix}{name}>");
        self.file.patches.push(Patch { from, to, text });
        Ok(())
    }
}

fn closure(bounds: &Bounds) -> &'static str {
    match (bounds.low_open, bounds.high_open) {
        (false, false) => "closed",
        (true, true) => "open",
        (true, false) => "open-closed",
        (false, true) => "closed-open",
    }
}

fn interval_tag(bounds: &Bounds) -> Tag {
    let high = match &bounds.high {
        Some(high) => Tag::text("cn", high.clone()),
        None => Tag::text("ci", "infty"),
    };
    let interval = Tag::with("interval", vec![Tag::text("cn", bounds.low.clone()), high])
        .attribute("xmlns", MATHML)
        .attribute("closure", closure(bounds));
    Tag::with("delay", vec![interval]).on_one_line()
}
