//! Edits of UPPAAL's text formats, which have no positions.

mod outline;

use std::{collections::BTreeSet, ops::Range};

use syntax::{Tree, ast::Template, lexer::Key};

use crate::{EditError, EditedText, Item, Node, Operation, Patch, arrange, rename};
pub(crate) use outline::outline;
use outline::{LABELS, Process, StateItem, TransItem, Written, processes};

/// Returns the patches that an operation makes.
pub(crate) fn patches(source: EditedText<'_>, operation: &Operation) -> Result<Vec<Patch>, EditError> {
    let (_, tree) = arrange::read(source);
    let mut all = processes(source.text, source.format, &tree);
    let mut edit = |number: usize| -> Result<XtaEdit<'_>, EditError> {
        let template = tree.templates.get(number).ok_or_else(|| EditError::absent("template", number))?;
        let process = all[number].take().ok_or_else(|| {
            EditError::new("this process can't be changed as a drawing").help("correct the mistakes in its text first")
        })?;
        Ok(XtaEdit { source, tree: &tree, template, process, number, patches: Vec::new() })
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
            e.connect(*edge, *source, *target)?;
        }
        Operation::Initial { template, location } => {
            e = edit(*template)?;
            e.set_initial(*location)?;
        }
        Operation::Urgent { template, location, on } => {
            e = edit(*template)?;
            e.set_flag(*location, Key::Urgent, *on)?;
        }
        Operation::Committed { template, location, on } => {
            e = edit(*template)?;
            e.set_flag(*location, Key::Commit, *on)?;
        }
        Operation::Label { template, of, kind, text, .. } => {
            e = edit(*template)?;
            e.set_label(*of, kind, text.trim())?;
        }
        Operation::RenameLocation { template, location, name } => {
            e = edit(*template)?;
            e.rename_location(*location, name)?;
        }
        Operation::RenameTemplate { template, name } => {
            e = edit(*template)?;
            rename::legal_template(source, Some(*template), name)?;
            e.patches.extend(rename::template_uses(source, *template, name)?);
            let range = e.process.name.range.clone();
            e.replace(range, name);
        }
        Operation::AddTemplate { name } => {
            rename::legal_template(source, None, name)?;
            let line = line_break(source.text);
            let at = tree.templates.iter().map(|t| t.span.end as usize).max();
            let text = format!("process {name}() {{{line}state L0;{line}init L0;{line}}}");
            return Ok(vec![match at.or(tree.system.span.map(|s| s.start as usize)) {
                Some(at) if tree.templates.is_empty() => Patch::insert(at, format!("{text}{line}{line}")),
                Some(at) => Patch::insert(at, format!("{line}{line}{text}")),
                None => Patch::insert(source.text.len(), format!("{line}{text}{line}")),
            }]);
        }
        Operation::DeleteTemplate { template } => {
            e = edit(*template)?;
            let range = e.process.range.clone();
            e.replace(range, "");
        }
        Operation::AddBranchpoint { .. } | Operation::Text { .. } => {
            return Err(EditError::new("this format has no drawing of its own for that").help("edit the text"));
        }
        Operation::Move { .. } | Operation::Nails { .. } | Operation::Layout { .. } | Operation::Color { .. } => {
            return Err(EditError::new("this format has no positions and no colours")
                .help("convert the model to XML with `merkhet convert -o model.xml` to keep a drawing"));
        }
        Operation::AddQuery { .. } | Operation::Query { .. } | Operation::DeleteQuery { .. } => {
            return Err(EditError::new("the queries of this format are text").help("edit the text"));
        }
        Operation::AddPlace { .. } | Operation::AddTransition { .. } | Operation::RenameNode { .. } => {
            return Err(EditError::no_net());
        }
    }
    Ok(e.patches)
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A process under change.
struct XtaEdit<'a> {
    source: EditedText<'a>,
    tree: &'a Tree,
    template: &'a Template,
    process: Process,
    number: usize,
    patches: Vec<Patch>,
}

impl XtaEdit<'_> {
    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.patches.push(Patch { from: range.start, to: range.end, text: text.to_owned() });
    }

    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.patches.push(Patch::insert(at, text));
    }

    fn state(&self, location: usize) -> Result<StateItem, EditError> {
        self.process.states.get(location).cloned().ok_or_else(|| EditError::absent("location", location))
    }

    /// Returns the name of a node.
    fn name_of(&self, node: Node) -> Result<String, EditError> {
        match node {
            Node::Location(i) => Ok(self.state(i)?.name.text),
            Node::Branchpoint(i) => {
                let found = self.template.branchpoints.get(i).ok_or_else(|| EditError::absent("branchpoint", i))?;
                Ok(self.tree.text(found.name.sym).to_owned())
            }
            Node::Place(_) | Node::Transition(_) => Err(EditError::no_net()),
        }
    }

    /// Returns the number of an edge in the text.
    fn edge(&self, edge: usize) -> Result<usize, EditError> {
        let known = self.process.known_edges(self.template);
        known.get(edge).copied().ok_or_else(|| EditError::absent("edge", edge))
    }

    /// Returns the source of an edge, which may be that of one before it.
    fn source_of(&self, edge: usize) -> String {
        let mut before = self.process.edges[..=edge].iter().rev();
        before.find_map(|e| e.source.as_ref()).map_or(String::new(), |name| name.text.clone())
    }

    fn add_location(&mut self, name: &str) -> Result<(), EditError> {
        let used: BTreeSet<&str> = self.process.states.iter().map(|s| &*s.name.text).collect();
        let fresh = (used.len()..).map(|n| format!("L{n}")).find(|n| !used.contains(&**n)).unwrap_or_default();
        let name = if name.is_empty() { fresh } else { name.to_owned() };
        rename::legal_location(self.source, self.number, None, &name)?;
        if let Some(last) = self.process.states.last() {
            self.insert(last.range.end, format!(", {name}"));
        }
        Ok(())
    }

    fn add_edge(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        if let (Node::Branchpoint(_), Node::Branchpoint(_)) = (source, target) {
            return Err(EditError::new("an edge can't lead from a branchpoint to a branchpoint"));
        }
        let edge = format!("{} -> {} {{ }}", self.name_of(source)?, self.name_of(target)?);
        let line = line_break(self.source.text);
        match self.process.edges.last() {
            Some(last) => self.insert(last.range.end, format!(",{line}{}{edge}", self.indent(last.range.start))),
            None => {
                let close = self.process.range.end - 1;
                let before = if self.source.text[..close].ends_with('\n') { "" } else { line };
                self.insert(close, format!("{before}trans {edge};{line}"));
            }
        }
        Ok(())
    }

    /// Returns the blanks at the start of a line.
    fn indent(&self, at: usize) -> &str {
        let before = &self.source.text[..at];
        let line = &before[before.rfind('\n').map_or(0, |n| n + 1)..];
        &line[..line.len() - line.trim_start().len()]
    }

    fn delete(&mut self, items: &[Item]) -> Result<(), EditError> {
        let (mut states, mut edges) = (BTreeSet::new(), BTreeSet::new());
        let mut names = BTreeSet::new();
        for item in items {
            match *item {
                Item::Location(i) => {
                    names.insert(self.state(i)?.name.text);
                    states.insert(i);
                }
                Item::Edge(i) => drop(edges.insert(self.edge(i)?)),
                Item::Branchpoint(_) => {
                    return Err(EditError::new("branchpoints of this format are text").help("edit the text"));
                }
                Item::Place(_) | Item::Transition(_) => return Err(EditError::no_net()),
            }
        }
        if states.len() == self.process.states.len() {
            return Err(EditError::new("a process needs a location").help("delete the whole template instead"));
        }
        let touches = |(i, edge): (usize, &TransItem)| {
            let is = names.contains(&edge.target.text) || names.contains(&self.source_of(i));
            is.then_some(i)
        };
        edges.extend(self.process.edges.iter().enumerate().filter_map(touches));
        let ranges: Vec<Range<usize>> = self.process.states.iter().map(|s| s.range.clone()).collect();
        self.delete_from_list(&ranges, &states);
        for list in self.process.lists.clone() {
            let gone = list.names.iter().enumerate().filter(|(_, n)| names.contains(&n.text)).map(|(i, _)| i).collect();
            self.delete_names(&list.range, &list.names, &gone);
        }
        self.delete_edges(&edges);
        Ok(())
    }

    /// Deletes names from a list, or the list if none is left.
    fn delete_names(&mut self, list: &Range<usize>, names: &[Written], gone: &BTreeSet<usize>) {
        if gone.len() == names.len() {
            self.delete_line(list);
        } else {
            let ranges: Vec<Range<usize>> = names.iter().map(|n| n.range.clone()).collect();
            self.delete_from_list(&ranges, gone);
        }
    }

    /// Deletes a range, and the blanks and the line break before it.
    fn delete_line(&mut self, range: &Range<usize>) {
        let before = &self.source.text[..range.start];
        let blank = before.trim_end_matches([' ', '\t']);
        let line = blank.strip_suffix('\n').map_or(before.len(), |line| line.strip_suffix('\r').unwrap_or(line).len());
        self.replace(line..range.end, "");
    }

    /// Deletes items of a list with the commas beside them. Some item is left.
    fn delete_from_list(&mut self, items: &[Range<usize>], gone: &BTreeSet<usize>) {
        let first_kept = (0..items.len()).find(|i| !gone.contains(i)).unwrap_or(0);
        for &i in gone {
            // Items before the first that is kept take the comma after them along.
            let range =
                if i < first_kept { items[i].start..items[i + 1].start } else { items[i - 1].end..items[i].end };
            self.replace(range, "");
        }
    }

    fn delete_edges(&mut self, gone: &BTreeSet<usize>) {
        for list in self.process.edge_lists.clone() {
            let numbers: Vec<usize> =
                (0..self.process.edges.len()).filter(|&i| list.contains(&self.process.edges[i].range.start)).collect();
            let within: BTreeSet<usize> =
                numbers.iter().enumerate().filter(|(_, n)| gone.contains(n)).map(|(at, _)| at).collect();
            if within.len() == numbers.len() {
                self.delete_line(&list);
                continue;
            }
            let ranges: Vec<Range<usize>> = numbers.iter().map(|&n| self.process.edges[n].range.clone()).collect();
            self.delete_from_list(&ranges, &within);
            let mut before: Option<String> = None;
            for &n in numbers.iter().filter(|n| !gone.contains(n)) {
                let source = self.source_of(n);
                if self.process.edges[n].source.is_none() && before.as_ref() != Some(&source) {
                    self.insert(self.process.edges[n].range.start, format!("{source} "));
                }
                before = Some(source);
            }
        }
    }

    fn connect(&mut self, edge: usize, source: Option<Node>, target: Option<Node>) -> Result<(), EditError> {
        let edge = self.edge(edge)?;
        let item = self.process.edges[edge].clone();
        if let Some(target) = target {
            let name = self.name_of(target)?;
            self.replace(item.target.range, &name);
        }
        if let Some(source) = source {
            let name = self.name_of(source)?;
            // The edges after it may rely on its source.
            let old = self.source_of(edge);
            if let Some(next) = self.process.edges.get(edge + 1).filter(|next| next.source.is_none()) {
                let at = next.range.start;
                self.insert(at, format!("{old} "));
            }
            match item.source {
                Some(written) => self.replace(written.range, &name),
                None => self.insert(item.range.start, format!("{name} ")),
            }
        }
        Ok(())
    }

    fn list(&self, keyword: Key) -> Option<outline::NameList> {
        self.process.lists.iter().rfind(|list| list.keyword == keyword).cloned()
    }

    fn set_initial(&mut self, location: usize) -> Result<(), EditError> {
        let name = self.state(location)?.name.text;
        match self.list(Key::Init).and_then(|list| list.names.first().cloned()) {
            Some(old) => self.replace(old.range, &name),
            None => self.add_list("init", &name),
        }
        Ok(())
    }

    /// Adds a list of names after the states, where UPPAAL expects it.
    fn add_list(&mut self, keyword: &str, name: &str) {
        let before = |key: &Key| keyword == "init" || keyword == "urgent" && *key == Key::Commit;
        let ends = self.process.lists.iter().filter(|list| before(&list.keyword)).map(|list| list.range.end);
        let at = ends.chain([self.process.state_list.end]).max().unwrap_or_default();
        let indent = self.indent(self.process.state_list.start).to_owned();
        self.insert(at, format!("{}{indent}{keyword} {name};", line_break(self.source.text)));
    }

    fn set_flag(&mut self, location: usize, keyword: Key, on: bool) -> Result<(), EditError> {
        let name = self.state(location)?.name.text;
        let lists: Vec<outline::NameList> =
            self.process.lists.iter().filter(|list| list.keyword == keyword).cloned().collect();
        let has = |list: &outline::NameList| list.names.iter().any(|n| n.text == name);
        match (on, lists.last()) {
            (true, _) if lists.iter().any(has) => {}
            (true, Some(list)) => {
                let end = list.names.last().map_or(list.range.end - 1, |n| n.range.end);
                self.insert(end, format!(", {name}"));
            }
            (true, None) => self.add_list(keyword.text(), &name),
            (false, _) => {
                for list in lists {
                    let gone = list.names.iter().enumerate().filter(|(_, n)| n.text == name).map(|(i, _)| i).collect();
                    self.delete_names(&list.range, &list.names, &gone);
                }
            }
        }
        Ok(())
    }

    fn rename_location(&mut self, location: usize, name: &str) -> Result<(), EditError> {
        if name.is_empty() {
            return Err(EditError::new("locations of this format need a name"));
        }
        rename::legal_location(self.source, self.number, Some(location), name)?;
        self.patches.extend(rename::location_uses(self.source, self.number, location, name)?);
        let old = self.state(location)?.name.text;
        let process = &self.process;
        let states = process.states.iter().map(|s| &s.name);
        let lists = process.lists.iter().flat_map(|list| &list.names);
        let edges = process.edges.iter().flat_map(|e| e.source.iter().chain([&e.target]));
        let uses = states.chain(lists).chain(edges).filter(|written| written.text == old);
        let ranges: Vec<Range<usize>> = uses.map(|written| written.range.clone()).collect();
        ranges.into_iter().for_each(|range| self.replace(range, name));
        Ok(())
    }

    fn set_label(&mut self, of: Item, kind: &str, text: &str) -> Result<(), EditError> {
        let text = &text.replace("\r\n", "\n").replace('\n', line_break(self.source.text));
        match of {
            Item::Location(i) => self.set_location_label(i, kind, text),
            Item::Edge(i) => self.set_edge_label(i, kind, text),
            Item::Branchpoint(_) => Err(EditError::new("branchpoints have no labels")),
            Item::Place(_) | Item::Transition(_) => Err(EditError::no_net()),
        }
    }

    fn set_location_label(&mut self, location: usize, kind: &str, text: &str) -> Result<(), EditError> {
        let kinds = ["invariant", "exponentialrate"];
        let number = kinds.iter().position(|known| *known == kind).ok_or_else(|| unknown(kind, &kinds))?;
        let state = self.state(location)?;
        if let Some(piece) = state.labels.get(number).filter(|piece| !piece.is_empty() && !text.is_empty()) {
            let range = piece.clone();
            self.replace(range, text);
            return Ok(());
        }
        let mut texts: Vec<String> =
            state.labels.iter().map(|piece| self.source.text[piece.clone()].to_owned()).collect();
        texts.resize(texts.len().max(number + 1), String::new());
        text.clone_into(&mut texts[number]);
        while texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        match (state.braces, texts.is_empty()) {
            (None, true) => {}
            (Some(braces), true) => {
                let start = self.source.text[..braces.start].trim_end().len();
                self.replace(start..braces.end, "");
            }
            (Some(braces), false) => self.replace(braces, &format!("{{ {} }}", texts.join("; "))),
            (None, false) => self.insert(state.name.range.end, format!(" {{ {} }}", texts.join("; "))),
        }
        Ok(())
    }

    fn set_edge_label(&mut self, edge: usize, kind: &str, text: &str) -> Result<(), EditError> {
        let kinds = LABELS.map(|(kind, _)| kind);
        let rank_of = |kind: &str| kinds.iter().position(|known| *known == kind);
        let rank = rank_of(kind).ok_or_else(|| unknown(kind, &kinds))?;
        let item = self.process.edges[self.edge(edge)?].clone();
        let own: Vec<_> = item.labels.iter().filter(|label| label.kind == kind).collect();
        match own.last() {
            Some(label) if !text.is_empty() => self.replace(label.text.clone(), text),
            Some(_) => {
                for label in own {
                    let start = self.source.text[..label.range.start].trim_end().len();
                    self.replace(start..label.range.end, "");
                }
            }
            None if text.is_empty() => {}
            None => {
                let before = item.labels.iter().rfind(|label| rank_of(label.kind).is_some_and(|r| r < rank));
                let at = before.map_or(item.braces.start + 1, |label| label.range.end);
                self.insert(at, format!(" {} {text};", LABELS[rank].1));
            }
        }
        Ok(())
    }
}

fn unknown(kind: &str, kinds: &[&str]) -> EditError {
    EditError::new(format!("there are no labels of the kind `{kind}` in this format"))
        .help(format!("the kinds are {}", kinds.join(", ")))
}
