//! Edits of TINA's textual format, which has no positions.
//!
//! Places and transitions exist by their declarations or by arcs that name them. What an edit would
//! let vanish with an arc is declared.

mod declarations;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use syntax::net::tina::{TinaToken, lexemes, quoted};

use super::{ArcKind, NetArc, NetEdit, NetNode, Sheet, add_lines, inexpressible, interval::Bounds, natural, weight};
use crate::{EditError, Node, Patch, Point};
use declarations::{Declaration, Mention, TinaArc, TinaName, TinaScanner};

/// Names with their numbers.
#[derive(Default)]
struct Numbered {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Numbered {
    fn add(&mut self, name: &str) {
        if !self.numbers.contains_key(name) {
            self.numbers.insert(name.to_owned(), self.names.len());
            self.names.push(name.to_owned());
        }
    }

    fn number(&self, name: &str) -> usize {
        self.numbers.get(name).copied().unwrap_or_default()
    }
}

/// A file under change.
pub(super) struct TinaFile<'a> {
    text: &'a str,
    declarations: Vec<Declaration>,
    labels: Vec<Mention>,
    priorities: Vec<Mention>,
    /// The names of places and of transitions, by their first occurrence.
    places: Numbered,
    transitions: Numbered,
    patches: Vec<Patch>,
}

fn unreadable() -> EditError {
    EditError::new("the net can't be changed as a drawing").help("correct the mistakes in its text first")
}

impl<'a> TinaFile<'a> {
    pub(super) fn read(text: &'a str) -> Result<TinaFile<'a>, EditError> {
        let mut scanner = TinaScanner::new(lexemes(text));
        let mut file = TinaFile {
            text,
            declarations: Vec::new(),
            labels: Vec::new(),
            priorities: Vec::new(),
            places: Numbered::default(),
            transitions: Numbered::default(),
            patches: Vec::new(),
        };
        while *scanner.token() != TinaToken::End {
            let start = scanner.range().start;
            match scanner.keyword().ok_or_else(unreadable)? {
                word @ ("tr" | "pl") => {
                    let declaration = scanner.node(word == "pl").ok_or_else(unreadable)?;
                    file.declarations.push(declaration);
                }
                "net" => {
                    scanner.at += 1;
                    // There are nets called `net`.
                    if scanner.name().is_none() {
                        scanner.at += 1;
                    }
                }
                "pr" => {
                    scanner.at += 1;
                    let first = scanner.names();
                    if !scanner.eat('<') && !scanner.eat('>') {
                        return Err(unreadable());
                    }
                    let names = vec![first, scanner.names()];
                    file.priorities.push(Mention { range: start..scanner.end(), names });
                }
                word => {
                    scanner.at += 1;
                    let names = scanner.names();
                    if word == "lb" {
                        let named = names.into_iter().take(1).collect();
                        file.labels.push(Mention { range: start..scanner.end(), names: vec![named] });
                    }
                }
            }
        }
        file.find_nodes();
        Ok(file)
    }

    fn find_nodes(&mut self) {
        let (mut places, mut transitions) = (Numbered::default(), Numbered::default());
        for declaration in &self.declarations {
            let (own, other) =
                if declaration.is_place { (&mut places, &mut transitions) } else { (&mut transitions, &mut places) };
            own.add(&declaration.name.text);
            declaration.before.iter().chain(&declaration.after).for_each(|arc| other.add(&arc.node.text));
        }
        (self.places, self.transitions) = (places, transitions);
    }

    /// Returns the arcs with their declarations and whether they are after the arrow.
    fn arcs(&self) -> Vec<(&Declaration, &TinaArc, bool)> {
        let of = |d: &'_ Declaration| -> Vec<(usize, bool)> {
            let before = (0..d.before.len()).map(|i| (i, false));
            before.chain((0..d.after.len()).map(|i| (i, true))).collect()
        };
        let all = self.declarations.iter().flat_map(|d| {
            of(d).into_iter().map(move |(i, is_after)| (d, if is_after { &d.after[i] } else { &d.before[i] }, is_after))
        });
        all.collect()
    }

    /// Returns the ends of an arc.
    fn ends(&self, (declaration, arc, is_after): (&Declaration, &TinaArc, bool)) -> (Node, Node) {
        let node = |is_place: bool, name: &str| match is_place {
            true => Node::Place(self.places.number(name)),
            false => Node::Transition(self.transitions.number(name)),
        };
        let own = node(declaration.is_place, &declaration.name.text);
        let other = node(!declaration.is_place, &arc.node.text);
        if is_after { (own, other) } else { (other, own) }
    }

    pub(super) fn sheet(&self) -> Sheet {
        let empty = |name: &String| NetNode { name: name.clone(), labels: Vec::new(), at: None, range: 0..0 };
        let mut places: Vec<NetNode> = self.places.names.iter().map(empty).collect();
        let mut transitions: Vec<NetNode> = self.transitions.names.iter().map(empty).collect();
        for d in &self.declarations {
            let node = match d.is_place {
                true => &mut places[self.places.number(&d.name.text)],
                false => &mut transitions[self.transitions.number(&d.name.text)],
            };
            if node.range.is_empty() {
                node.range = d.name.range.clone();
            }
            if let Some(tokens) = &d.tokens {
                let tokens = self.text[tokens.start + 1..tokens.end - 1].trim().to_owned();
                node.labels.push(("marking", tokens));
            }
            if let Some(interval) = &d.interval {
                let text = &self.text[interval.clone()];
                let shown = Bounds::read(text).map_or_else(|_| text.to_owned(), |bounds| bounds.shown());
                node.labels.push((if d.is_place { "delay" } else { "interval" }, shown));
            }
            node.labels.dedup();
        }
        let arcs = self.arcs();
        for (d, arc, _) in &arcs {
            let node = match d.is_place {
                true => &mut transitions[self.transitions.number(&arc.node.text)],
                false => &mut places[self.places.number(&arc.node.text)],
            };
            if node.range.is_empty() {
                node.range = arc.node.range.clone();
            }
        }
        let arc = |of: (&Declaration, &TinaArc, bool)| {
            let (source, target) = self.ends(of);
            let labels = if of.1.weight == "1" { Vec::new() } else { vec![("weight", of.1.weight.clone())] };
            NetArc { source, target, labels, kind: of.1.kind, range: of.1.range.clone() }
        };
        let arcs = arcs.into_iter().map(arc).collect();
        Sheet { name: String::new(), places, transitions, arcs, abilities: super::TINA }
    }

    fn named(&self, node: Node) -> (bool, String) {
        match node {
            Node::Place(i) => (true, self.places.names[i].clone()),
            Node::Transition(i) | Node::Location(i) | Node::Branchpoint(i) => {
                (false, self.transitions.names[i].clone())
            }
        }
    }

    fn declarations_of(&self, node: Node) -> Vec<Declaration> {
        let (is_place, name) = self.named(node);
        let is_own = |d: &&Declaration| d.is_place == is_place && d.name.text == name;
        self.declarations.iter().filter(is_own).cloned().collect()
    }

    fn replace(&mut self, range: &Range<usize>, text: impl Into<String>) {
        self.patches.push(Patch { from: range.start, to: range.end, text: text.into() });
    }

    /// Deletes a range with the blanks before it on its line.
    fn delete_word(&mut self, range: &Range<usize>) {
        let start = self.text[..range.start].trim_end_matches([' ', '\t']).len();
        self.patches.push(Patch::delete(start, range.end));
    }

    /// Deletes a declaration, with its lines if nothing else is on them.
    fn delete_lines(&mut self, range: &Range<usize>) {
        let start = self.text[..range.start].trim_end_matches([' ', '\t']).len();
        let is_first = start == 0 || self.text[..start].ends_with('\n');
        let rest = &self.text[range.end..];
        let line = &rest[..rest.find('\n').map_or(rest.len(), |at| at + 1)];
        if is_first && line.trim().is_empty() {
            self.patches.push(Patch::delete(start, range.end + line.len()));
        } else {
            self.patches.push(Patch::delete(range.start, range.end));
        }
    }

    /// Adds declarations after the last one of their kind, or else at the end.
    fn declare(&mut self, is_place: bool, lines: &[String]) {
        let own = self.declarations.iter().filter(|d| d.is_place == is_place).map(|d| d.range.end).max();
        let patch = add_lines(self.text, own, lines);
        self.patches.push(patch);
    }

    /// Declares the nodes that only arcs name which are deleted.
    fn keep(&mut self, gone: &[usize], deleted: &[Node]) {
        let is_deleted =
            |d: &Declaration| deleted.iter().any(|&node| self.named(node) == (d.is_place, d.name.text.clone()));
        let mut kept: BTreeSet<(bool, String)> = BTreeSet::new();
        for d in self.declarations.iter().filter(|d| !is_deleted(d)) {
            kept.insert((d.is_place, d.name.text.clone()));
        }
        let arcs = self.arcs();
        for (_, (d, arc, _)) in arcs.iter().enumerate().filter(|(i, (d, ..))| !gone.contains(i) && !is_deleted(d)) {
            kept.insert((!d.is_place, arc.node.text.clone()));
        }
        let is_lost = |is_place: bool, name: &String| {
            let is_asked = deleted.iter().any(|&node| self.named(node) == (is_place, name.clone()));
            !is_asked && !kept.contains(&(is_place, name.clone()))
        };
        let lines = |is_place: bool| -> Vec<String> {
            let (list, word) = if is_place { (&self.places, "pl") } else { (&self.transitions, "tr") };
            list.names
                .iter()
                .filter(|name| is_lost(is_place, name))
                .map(|name| format!("{word} {}", quoted(name)))
                .collect()
        };
        let lines = [lines(true), lines(false)].concat();
        if !lines.is_empty() {
            let last = self.declarations.iter().filter(|d| !is_deleted(d)).map(|d| d.range.end).max();
            let patch = add_lines(self.text, last, &lines);
            self.patches.push(patch);
        }
    }
}

/// Writes an arc.
fn written(name: &str, kind: ArcKind, weight: &str) -> String {
    let name = quoted(name);
    match kind {
        ArcKind::Normal | ArcKind::Transport if weight == "1" => name,
        ArcKind::Normal | ArcKind::Transport => format!("{name}*{weight}"),
        ArcKind::Test => format!("{name}?{weight}"),
        ArcKind::Inhibitor => format!("{name}?-{weight}"),
        ArcKind::Stopwatch => format!("{name}!{weight}"),
        ArcKind::StopwatchInhibitor => format!("{name}!-{weight}"),
    }
}

impl TinaFile<'_> {
    /// Writes an arc into the declaration of its transition.
    fn write_arc(&mut self, source: Node, target: Node, kind: ArcKind, weight: &str) {
        let (transition, place, is_input) = match source {
            Node::Place(_) => (target, source, true),
            _ => (source, target, false),
        };
        let arc = written(&self.named(place).1, kind, weight);
        let patch = match self.declarations_of(transition).first() {
            None => {
                let name = quoted(&self.named(transition).1);
                let line = if is_input { format!("tr {name} {arc} ->") } else { format!("tr {name} -> {arc}") };
                self.declare(false, &[line]);
                return;
            }
            Some(d) if is_input => {
                let at = d.before.last().map_or(d.head, |last| last.range.end);
                Patch::insert(at, if d.arrow.is_some() { format!(" {arc}") } else { format!(" {arc} ->") })
            }
            Some(d) => match &d.arrow {
                Some(arrow) => {
                    Patch::insert(d.after.last().map_or(arrow.end, |last| last.range.end), format!(" {arc}"))
                }
                None => Patch::insert(d.head, format!(" -> {arc}")),
            },
        };
        self.patches.push(patch);
    }
}

impl NetEdit for TinaFile<'_> {
    fn add(&mut self, is_place: bool, _at: Point, name: &str) -> Result<(), EditError> {
        let word = if is_place { "pl" } else { "tr" };
        self.declare(is_place, &[format!("{word} {}", quoted(name))]);
        Ok(())
    }

    fn connect(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        self.write_arc(source, target, ArcKind::Normal, "1");
        Ok(())
    }

    fn reconnect(&mut self, arc: usize, source: Node, target: Node) -> Result<(), EditError> {
        let (range, kind, weight) = {
            let (_, arc, _) = self.arcs()[arc];
            (arc.range.clone(), arc.kind, arc.weight.clone())
        };
        self.delete_word(&range);
        self.keep(&[arc], &[]);
        self.write_arc(source, target, kind, &weight);
        Ok(())
    }

    fn delete(&mut self, nodes: &[Node], arcs: &[usize]) -> Result<(), EditError> {
        let names: BTreeSet<(bool, String)> = nodes.iter().map(|&node| self.named(node)).collect();
        let is_deleted = |d: &Declaration| names.contains(&(d.is_place, d.name.text.clone()));
        let whole: Vec<Range<usize>> =
            self.declarations.iter().filter(|d| is_deleted(d)).map(|d| d.range.clone()).collect();
        let all = self.arcs();
        let ranges: Vec<Range<usize>> = arcs
            .iter()
            .map(|&i| all[i])
            .filter(|(d, ..)| !is_deleted(d))
            .map(|(_, arc, _)| arc.range.clone())
            .collect();
        whole.iter().for_each(|range| self.delete_lines(range));
        ranges.iter().for_each(|range| self.delete_word(range));
        // Labels may be of a place or a transition.
        let is_named = |name: &str| names.iter().any(|(_, known)| known == name);
        let has = |is_place: bool, name: &str| {
            let list = if is_place { &self.places } else { &self.transitions };
            list.numbers.contains_key(name) && !names.contains(&(is_place, name.to_owned()))
        };
        let labels: Vec<Range<usize>> = (self.labels.iter())
            .filter(|label| {
                label.names[0].iter().any(|n| is_named(&n.text) && !has(true, &n.text) && !has(false, &n.text))
            })
            .map(|label| label.range.clone())
            .collect();
        labels.iter().for_each(|range| self.delete_lines(range));
        for priority in self.priorities.clone() {
            let is_gone = |name: &TinaName| names.contains(&(false, name.text.clone()));
            if priority.names.iter().any(|list| list.iter().all(is_gone)) {
                self.delete_lines(&priority.range);
            } else {
                let gone: Vec<Range<usize>> =
                    priority.names.iter().flatten().filter(|n| is_gone(n)).map(|n| n.range.clone()).collect();
                for range in gone {
                    // The keyword before stays apart from what is after it.
                    let rest = &self.text[range.end..];
                    let end = range.end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
                    self.patches.push(Patch::delete(range.start, end));
                }
            }
        }
        self.keep(arcs, nodes);
        Ok(())
    }

    fn place(&mut self, _node: Node, _at: Point) -> Result<(), EditError> {
        Err(EditError::new("this format has no positions")
            .help("convert the net with `merkhet convert -o net.pnml` to keep a drawing"))
    }

    fn rename(&mut self, node: Node, name: &str) -> Result<(), EditError> {
        let (is_place, old) = self.named(node);
        let mut found: Vec<Range<usize>> = Vec::new();
        for d in &self.declarations {
            if d.is_place == is_place && d.name.text == old {
                found.push(d.name.range.clone());
            }
            let arcs = d.before.iter().chain(&d.after).filter(|arc| d.is_place != is_place && arc.node.text == old);
            found.extend(arcs.map(|arc| arc.node.range.clone()));
        }
        // A label is of the transition, if a place has the same name.
        let has_both = self.places.numbers.contains_key(&old) && self.transitions.numbers.contains_key(&old);
        let labels = self.labels.iter().flat_map(|label| &label.names[0]).filter(|_| !has_both || !is_place);
        found.extend(labels.filter(|n| n.text == old).map(|n| n.range.clone()));
        if !is_place {
            let names = self.priorities.iter().flat_map(|priority| priority.names.iter().flatten());
            found.extend(names.filter(|n| n.text == old).map(|n| n.range.clone()));
        }
        found.iter().for_each(|range| self.replace(range, quoted(name)));
        Ok(())
    }

    fn set_node(&mut self, node: Node, kind: &str, text: &str) -> Result<(), EditError> {
        let (is_place, name) = self.named(node);
        let (value, is_tokens) = match kind {
            "marking" => {
                let tokens = natural(text, 0, "the number of tokens")?;
                (if tokens == 0 { String::new() } else { format!("({tokens})") }, true)
            }
            "interval" | "delay" if text.is_empty() => (String::new(), false),
            "interval" | "delay" => (Bounds::read(text)?.numbers()?.shown(), false),
            _ => return Err(inexpressible("ages of tokens", "this format")),
        };
        let declarations = self.declarations_of(node);
        let has = |d: &&Declaration| if is_tokens { d.tokens.is_some() } else { d.interval.is_some() };
        let having: Vec<&Declaration> = declarations.iter().filter(has).collect();
        match (having[..].first(), declarations.first()) {
            (Some(_), _) if having.len() > 1 => {
                return Err(EditError::new("several declarations say that of this node").help("edit the text"));
            }
            (Some(d), _) => {
                let range = if is_tokens { d.tokens.clone() } else { d.interval.clone() }.unwrap_or_default();
                if value.is_empty() { self.delete_word(&range) } else { self.replace(&range, value) }
            }
            (None, _) if value.is_empty() => {}
            (None, Some(d)) => self.patches.push(Patch::insert(d.head, format!(" {value}"))),
            (None, None) => {
                let word = if is_place { "pl" } else { "tr" };
                self.declare(is_place, &[format!("{word} {} {value}", quoted(&name))]);
            }
        }
        Ok(())
    }

    fn set_arc(&mut self, arc: usize, kind: &str, text: &str) -> Result<(), EditError> {
        let (range, name, old, digits) = {
            let (_, arc, _) = self.arcs()[arc];
            (arc.range.clone(), arc.node.clone(), arc.kind, arc.weight.clone())
        };
        let new = match kind {
            "weight" => written(&name.text, old, &weight(text)?.to_string()),
            "kind" => match ArcKind::of(text)? {
                ArcKind::Transport => return Err(inexpressible("transport arcs", "this format")),
                kind => written(&name.text, kind, &digits),
            },
            "ages" => return Err(inexpressible("intervals on arcs", "this format")),
            other => return Err(super::unknown_label(other)),
        };
        // The name stays as it is written.
        let new = &new[quoted(&name.text).len()..];
        let rest = name.range.end..range.end;
        if self.text[rest.clone()] != *new {
            self.replace(&rest, new);
        }
        Ok(())
    }

    fn patches(self: Box<Self>) -> Vec<Patch> {
        self.patches
    }
}
