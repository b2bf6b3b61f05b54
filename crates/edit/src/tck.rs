//! Edits of TChecker's format: a line for each location and edge, with attributes in braces.

use std::{collections::BTreeSet, ops::Range};

use syntax::{Span, Tree, ast::Template};

use crate::{
    EditError, EditedText, Item, Node, Operation, Patch, arrange,
    outline::{TextItem, TextLabel, TextTemplate},
    rename,
};

/// The attributes of locations and edges that are labels, with the kinds of these.
const LABELS: [(&str, &str); 3] = [("invariant", "invariant"), ("guard", "provided"), ("assignment", "do")];

/// `key: text`
#[derive(Clone, Debug)]
struct Attribute {
    key: Range<usize>,
    /// Without the blanks around it.
    text: Range<usize>,
}

/// `word:field:field{attributes}`
#[derive(Clone, Debug)]
struct TckLine {
    range: Range<usize>,
    fields: Vec<Range<usize>>,
    /// The braces with what is in them.
    braces: Option<Range<usize>>,
    attributes: Vec<Attribute>,
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Returns a range without the blanks around it.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + inside.len() - inside.trim_start().len();
    start..start + inside.trim().len()
}

impl TckLine {
    /// Reads a declaration that starts with a word and has so many fields.
    fn read(text: &str, span: Span, word: &str, fields: usize) -> Option<TckLine> {
        let whole = range(span);
        let declaration = text.get(whole.clone())?;
        let head_end = declaration.find('{').map_or(whole.end, |at| whole.start + at);
        let mut at = whole.start;
        let mut pieces = Vec::new();
        for piece in text[whole.start..head_end].split(':') {
            pieces.push(trimmed(text, at..at + piece.len()));
            at += piece.len() + 1;
        }
        if pieces.len() != fields + 1 || text[pieces[0].clone()] != *word {
            return None;
        }
        pieces.remove(0);
        let mut line = TckLine { range: whole.clone(), fields: pieces, braces: None, attributes: Vec::new() };
        if head_end < whole.end {
            let close = whole.end.checked_sub(1).filter(|&at| text.as_bytes()[at] == b'}')?;
            line.braces = Some(head_end..whole.end);
            let mut at = head_end + 1;
            let mut pieces = text[at..close].split(':').peekable();
            while let Some(key) = pieces.next() {
                let place = trimmed(text, at..at + key.len());
                at += key.len() + 1;
                if place.is_empty() && pieces.peek().is_none() && line.attributes.is_empty() {
                    break;
                }
                let value = pieces.next()?;
                line.attributes.push(Attribute { key: place, text: trimmed(text, at..at + value.len()) });
                at += value.len() + 1;
            }
        }
        Some(line)
    }

    fn attribute(&self, text: &str, key: &str) -> Option<&Attribute> {
        self.attributes.iter().rfind(|a| text[a.key.clone()] == *key)
    }
}

fn location_line(text: &str, span: Span) -> Option<TckLine> {
    TckLine::read(text, span, "location", 2)
}

fn edge_line(text: &str, span: Span) -> Option<TckLine> {
    TckLine::read(text, span, "edge", 4)
}

/// Returns where the elements of each process are.
pub(crate) fn outline(text: &str, tree: &Tree) -> Vec<TextTemplate> {
    let label = |kind: &str, range: Range<usize>| TextLabel {
        kind: kind.to_owned(),
        text: text[range.clone()].to_owned(),
        blanks: 0,
        range,
        at: None,
    };
    let item = |line: Option<TckLine>, span: Span, field: usize, kind: &str| {
        let Some(line) = line else { return TextItem { path: String::new(), range: range(span), labels: Vec::new() } };
        let labels = LABELS.iter().filter_map(|(kind, key)| {
            let attribute = line.attribute(text, key).filter(|a| !a.text.is_empty())?;
            Some(label(kind, attribute.text.clone()))
        });
        let own = line.fields.get(field).map(|range| label(kind, range.clone()));
        TextItem { path: String::new(), range: line.range.clone(), labels: own.into_iter().chain(labels).collect() }
    };
    let template = |t: &Template| TextTemplate {
        range: range(t.span),
        parameters: String::new(),
        declarations: Vec::new(),
        locations: t.locations.iter().map(|l| item(location_line(text, l.span), l.span, 1, "name")).collect(),
        edges: t.edges.iter().map(|e| item(edge_line(text, e.span), e.span, 3, "synchronisation")).collect(),
    };
    tree.templates.iter().map(template).collect()
}

/// Returns the patches that an operation makes.
pub(crate) fn patches(source: EditedText<'_>, operation: &Operation) -> Result<Vec<Patch>, EditError> {
    let (_, tree) = arrange::read(source);
    let edit = |number: usize| -> Result<TckEdit<'_>, EditError> {
        let template = tree.templates.get(number).ok_or_else(|| EditError::absent("process", number))?;
        Ok(TckEdit { source, tree: &tree, template, number, patches: Vec::new() })
    };
    let mut e;
    match operation {
        Operation::AddLocation { template, name, .. } => {
            e = edit(*template)?;
            e.add_location(name)?;
        }
        Operation::AddEdge { template, source, target, .. } => {
            e = edit(*template)?;
            e.add_edge(*source, *target)?;
        }
        Operation::Delete { template, items } => {
            e = edit(*template)?;
            e.delete(items)?;
        }
        Operation::Connect { template, edge, source, target } => {
            e = edit(*template)?;
            let line = e.edge(*edge)?;
            for (field, end) in [(1, source), (2, target)] {
                if let Some(end) = end {
                    let name = e.name_of(*end)?;
                    e.replace(line.fields[field].clone(), &name);
                }
            }
        }
        Operation::Initial { template, location } => {
            e = edit(*template)?;
            let chosen = e.location(*location)?.range;
            for line in e.locations() {
                e.set_attribute(&line, "initial", (line.range == chosen).then_some(""));
            }
        }
        Operation::Urgent { template, location, on } => {
            e = edit(*template)?;
            let line = e.location(*location)?;
            e.set_attribute(&line, "urgent", on.then_some(""));
        }
        Operation::Committed { template, location, on } => {
            e = edit(*template)?;
            let line = e.location(*location)?;
            e.set_attribute(&line, "committed", on.then_some(""));
        }
        Operation::Label { template, of, kind, text, .. } => {
            e = edit(*template)?;
            e.set_label(*of, kind, text.trim())?;
        }
        Operation::RenameLocation { template, location, name } => {
            e = edit(*template)?;
            e.rename(*location, name)?;
        }
        Operation::RenameTemplate { template, name } => {
            e = edit(*template)?;
            rename::legal_template(source, Some(*template), name)?;
            e.rename_process(name)?;
        }
        Operation::Move { .. } | Operation::Nails { .. } | Operation::Layout { .. } | Operation::Color { .. } => {
            return Err(EditError::new("this format has no positions and no colours")
                .help("convert the model to XML with `merkhet convert -o model.xml` to keep a drawing"));
        }
        _ => return Err(EditError::new("this format has no drawing of its own for that").help("edit the text")),
    }
    Ok(e.patches)
}

/// A process under change.
struct TckEdit<'a> {
    source: EditedText<'a>,
    tree: &'a Tree,
    template: &'a Template,
    number: usize,
    patches: Vec<Patch>,
}

impl<'a> TckEdit<'a> {
    fn text(&self, range: &Range<usize>) -> &'a str {
        &self.source.text[range.clone()]
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.patches.push(Patch { from: range.start, to: range.end, text: text.to_owned() });
    }

    fn locations(&self) -> Vec<TckLine> {
        self.template.locations.iter().filter_map(|l| location_line(self.source.text, l.span)).collect()
    }

    fn edges(&self) -> Vec<TckLine> {
        self.template.edges.iter().filter_map(|e| edge_line(self.source.text, e.span)).collect()
    }

    fn location(&self, i: usize) -> Result<TckLine, EditError> {
        let found = self.template.locations.get(i).ok_or_else(|| EditError::absent("location", i))?;
        location_line(self.source.text, found.span).ok_or_else(generated)
    }

    fn edge(&self, i: usize) -> Result<TckLine, EditError> {
        let found = self.template.edges.get(i).ok_or_else(|| EditError::absent("edge", i))?;
        edge_line(self.source.text, found.span).ok_or_else(generated)
    }

    fn name_of(&self, node: Node) -> Result<String, EditError> {
        match node {
            Node::Location(i) => Ok(self.text(&self.location(i)?.fields[1]).to_owned()),
            Node::Branchpoint(_) => Err(EditError::new("this format has no branchpoints")),
            Node::Place(_) | Node::Transition(_) => Err(EditError::no_net()),
        }
    }

    /// Adds a line after another declaration.
    fn add_line(&mut self, after: usize, line: &str) {
        let rest = &self.source.text[after..];
        let at = after + rest.find('\n').unwrap_or(rest.len());
        let at = if self.source.text[..at].ends_with('\r') { at - 1 } else { at };
        let end = if self.source.text.contains("\r\n") { "\r\n" } else { "\n" };
        self.patches.push(Patch::insert(at, format!("{end}{line}")));
    }

    fn process(&self) -> &str {
        self.tree.text(self.template.name.sym)
    }

    fn add_location(&mut self, name: &str) -> Result<(), EditError> {
        let used: BTreeSet<&str> = self.locations().iter().map(|l| self.text(&l.fields[1])).collect();
        let fresh = (used.len()..).map(|n| format!("L{n}")).find(|n| !used.contains(&**n)).unwrap_or_default();
        let name = if name.is_empty() { fresh } else { name.to_owned() };
        rename::legal_location(self.source, self.number, None, &name)?;
        let after = self.locations().last().map_or(self.template.span.end as usize, |line| line.range.end);
        let line = format!("location:{}:{name}", self.process());
        self.add_line(after, &line);
        Ok(())
    }

    fn add_edge(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        let events = self.tree.events.as_ref().map_or(&[][..], |events| &events.names);
        let names: Vec<&str> = events.iter().map(|name| self.tree.text(name.sym)).collect();
        // Edges need an event. The one for steps that nobody listens to is usually called so.
        let event = names.iter().find(|name| **name == "tau").or(names.first()).ok_or_else(|| {
            EditError::new("edges of this format need an event, and the model has none")
                .help("declare one: `event:tau`")
        })?;
        let line = format!("edge:{}:{}:{}:{event}", self.process(), self.name_of(source)?, self.name_of(target)?);
        let last =
            self.edges().last().or(self.locations().last()).map_or(self.template.span.end as usize, |l| l.range.end);
        self.add_line(last, &line);
        Ok(())
    }

    fn delete(&mut self, items: &[Item]) -> Result<(), EditError> {
        let mut lines = BTreeSet::new();
        let mut names = BTreeSet::new();
        for item in items {
            let line = match *item {
                Item::Location(i) => {
                    let line = self.location(i)?;
                    names.insert(self.text(&line.fields[1]));
                    line
                }
                Item::Edge(i) => self.edge(i)?,
                Item::Branchpoint(_) => return Err(EditError::new("this format has no branchpoints")),
                Item::Place(_) | Item::Transition(_) => return Err(EditError::no_net()),
            };
            lines.insert((line.range.start, line.range.end));
        }
        for edge in self.edges() {
            if names.contains(self.text(&edge.fields[1])) || names.contains(self.text(&edge.fields[2])) {
                lines.insert((edge.range.start, edge.range.end));
            }
        }
        for (start, end) in lines {
            // A comment after the declaration stays.
            let rest = &self.source.text[end..];
            let line = &rest[..rest.find('\n').map_or(rest.len(), |at| at + 1)];
            let is_first = self.source.text[..start].trim_end_matches([' ', '\t']).ends_with('\n') || start == 0;
            let end = if line.trim().is_empty() && is_first { end + line.len() } else { end };
            self.replace(start..end, "");
        }
        Ok(())
    }

    /// Sets or deletes an attribute.
    fn set_attribute(&mut self, line: &TckLine, key: &str, value: Option<&str>) {
        let text = self.source.text;
        let old = line.attribute(text, key).cloned();
        let written = |value: &str| if value.is_empty() { format!("{key}:") } else { format!("{key}: {value}") };
        match (old, value, line.braces.clone()) {
            (Some(old), Some(value), _) if self.text(&old.text) != value => self.replace(old.text, value),
            (Some(_), Some(_), _) | (None, None, _) => {}
            (None, Some(value), Some(braces)) => {
                let end = match line.attributes.last() {
                    Some(last) => last.text.end,
                    None => braces.start + 1,
                };
                let separator = if line.attributes.is_empty() { "" } else { " : " };
                self.patches.push(Patch::insert(end, format!("{separator}{}", written(value))));
            }
            (None, Some(value), None) => {
                self.patches.push(Patch::insert(line.range.end, format!("{{{}}}", written(value))));
            }
            (Some(_), None, braces) => {
                let kept: Vec<String> = line
                    .attributes
                    .iter()
                    .filter(|a| text[a.key.clone()] != *key)
                    .map(|a| text[a.key.start..a.text.end.max(a.key.end)].trim_end().to_owned())
                    .collect();
                let kept: Vec<String> = kept.into_iter().map(|a| if a.contains(':') { a } else { a + ":" }).collect();
                if let Some(braces) = braces {
                    let new = if kept.is_empty() { String::new() } else { format!("{{{}}}", kept.join(" : ")) };
                    self.replace(braces, &new);
                }
            }
        }
    }

    fn set_label(&mut self, of: Item, kind: &str, text: &str) -> Result<(), EditError> {
        let known = |kinds: &[&str]| {
            EditError::new(format!("there are no labels of the kind `{kind}` in this format"))
                .help(format!("the kinds are {}", kinds.join(", ")))
        };
        match (of, kind) {
            (Item::Location(i), "invariant") => {
                let line = self.location(i)?;
                self.set_attribute(&line, "invariant", Some(text).filter(|text| !text.is_empty()));
            }
            (Item::Edge(i), "guard" | "assignment") => {
                let line = self.edge(i)?;
                let key = if kind == "guard" { "provided" } else { "do" };
                self.set_attribute(&line, key, Some(text).filter(|text| !text.is_empty()));
            }
            (Item::Edge(i), "synchronisation") => {
                let line = self.edge(i)?;
                rename::legal_word(text)?;
                self.replace(line.fields[3].clone(), text);
            }
            (Item::Location(_), _) => return Err(known(&["invariant"])),
            (Item::Edge(_), _) => return Err(known(&["guard", "synchronisation", "assignment"])),
            (Item::Branchpoint(_), _) => return Err(EditError::new("branchpoints have no labels")),
            (Item::Place(_) | Item::Transition(_), _) => return Err(EditError::no_net()),
        }
        Ok(())
    }

    fn rename_process(&mut self, name: &str) -> Result<(), EditError> {
        let declared = TckLine::read(self.source.text, self.template.span, "process", 1).ok_or_else(generated)?;
        let old = self.process().to_owned();
        let lines = self.locations().into_iter().chain(self.edges());
        let mut places: Vec<Range<usize>> = lines.map(|line| line.fields[0].clone()).collect();
        places.push(declared.fields[0].clone());
        places.extend(synchronised(self.source.text));
        places.retain(|range| self.text(range) == old);
        places.into_iter().for_each(|range| self.replace(range, name));
        Ok(())
    }

    fn rename(&mut self, location: usize, name: &str) -> Result<(), EditError> {
        if name.is_empty() {
            return Err(EditError::new("locations of this format need a name"));
        }
        rename::legal_location(self.source, self.number, Some(location), name)?;
        let line = self.location(location)?;
        let old = self.text(&line.fields[1]).to_owned();
        self.replace(line.fields[1].clone(), name);
        for edge in self.edges() {
            for field in &edge.fields[1..3] {
                if self.text(field) == old {
                    self.replace(field.clone(), name);
                }
            }
        }
        Ok(())
    }
}

/// Returns where processes are named in the synchronisations: before each `@`.
fn synchronised(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let code = line.split('#').next().unwrap_or_default();
        if code.trim_start().split(':').next().is_some_and(|word| word.trim() == "sync") {
            for (sign, _) in code.match_indices('@') {
                let before = code[..sign].rfind(':').map_or(0, |colon| colon + 1);
                found.push(trimmed(text, start + before..start + sign));
            }
        }
    }
    found
}

fn generated() -> EditError {
    EditError::new("this element is not in the text: it chooses among several initial locations")
        .help("edit the initial locations themselves")
}
