//! Edits of TINA's graphical format: a line for each place, transition and edge.

use std::{collections::BTreeMap, ops::Range};

use syntax::net::{ndr::words, tina::quoted};

use super::{
    ArcKind, NetArc, NetEdit, NetNode, Sheet, add_lines, inexpressible, interval::Bounds, line_end, natural, weight,
};
use crate::{EditError, Node, Patch, Point};

/// A word of a line.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    range: Range<usize>,
}

/// A place or a transition.
#[derive(Clone, Debug)]
struct NdrNode {
    line: Range<usize>,
    x: Word,
    y: Word,
    name: Word,
    /// The number of tokens, or the two bounds.
    numbers: Vec<Word>,
}

/// An edge that is an arc.
#[derive(Clone, Debug)]
struct NdrArc {
    line: Range<usize>,
    ends: [Word; 2],
    source: Node,
    target: Node,
    weight: Word,
}

/// A file under change.
pub(super) struct NdrFile<'a> {
    text: &'a str,
    places: Vec<NdrNode>,
    transitions: Vec<NdrNode>,
    /// The numbers of places and transitions, by their names.
    numbers: BTreeMap<(bool, String), usize>,
    arcs: Vec<NdrArc>,
    /// Edges between transitions, which are priorities.
    priorities: Vec<(Range<usize>, [Word; 2])>,
    patches: Vec<Patch>,
}

const SIGNS: [(&str, ArcKind); 5] = [
    ("?-", ArcKind::Inhibitor),
    ("?", ArcKind::Test),
    ("!-", ArcKind::StopwatchInhibitor),
    ("!", ArcKind::Stopwatch),
    ("", ArcKind::Normal),
];

fn split(weight: &str) -> (ArcKind, &str) {
    let found = SIGNS.iter().find_map(|(sign, kind)| Some((*kind, weight.strip_prefix(sign)?)));
    found.unwrap_or((ArcKind::Normal, weight))
}

fn unreadable() -> EditError {
    EditError::new("the net can't be changed as a drawing").help("correct the mistakes in its text first")
}

impl<'a> NdrFile<'a> {
    pub(super) fn read(text: &'a str) -> Result<NdrFile<'a>, EditError> {
        let mut file = NdrFile {
            text,
            places: Vec::new(),
            transitions: Vec::new(),
            numbers: BTreeMap::new(),
            arcs: Vec::new(),
            priorities: Vec::new(),
            patches: Vec::new(),
        };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if !line.trim_start().starts_with('#') {
                let words = words(line)
                    .into_iter()
                    .map(|(text, range)| Word { text, range: start + range.start..start + range.end });
                file.line(start..start + line.trim_end().len(), &words.collect::<Vec<Word>>())?;
            }
        }
        Ok(file)
    }

    fn line(&mut self, line: Range<usize>, words: &[Word]) -> Result<(), EditError> {
        let Some(first) = words.first() else { return Ok(()) };
        let is_number = |word: &Word| word.text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        let node = |numbers: usize| -> Result<NdrNode, EditError> {
            let [_, x, y, name, rest @ ..] = words else { return Err(unreadable()) };
            // The anchor of the name is optional.
            let rest = if rest.first().is_some_and(is_number) { rest } else { rest.get(1..).unwrap_or_default() };
            let numbers = rest.get(..numbers).ok_or_else(unreadable)?.to_vec();
            Ok(NdrNode { line: line.clone(), x: x.clone(), y: y.clone(), name: name.clone(), numbers })
        };
        match &*first.text {
            "p" | "t" => {
                let is_place = first.text == "p";
                let node = node(if is_place { 1 } else { 2 })?;
                let list = if is_place { &mut self.places } else { &mut self.transitions };
                if self.numbers.insert((is_place, node.name.text.clone()), list.len()).is_some() {
                    let message = format!("`{}` is declared on two lines", node.name.text);
                    return Err(EditError::new(message).help("edit the text"));
                }
                list.push(node);
            }
            "e" => {
                let (source, target, weight) = match words.len() {
                    5 => (&words[1], &words[2], &words[3]),
                    9 => (&words[1], &words[4], &words[7]),
                    _ => return Err(unreadable()),
                };
                let ends = [source.clone(), target.clone()];
                let (place, transition) = (|w: &Word| self.find(true, &w.text), |w: &Word| self.find(false, &w.text));
                let joined = match (place(source), transition(target), transition(source), place(target)) {
                    (Some(p), Some(t), ..) => (Node::Place(p), Node::Transition(t)),
                    (_, _, Some(t), Some(p)) => (Node::Transition(t), Node::Place(p)),
                    (_, Some(_), Some(_), _) => {
                        self.priorities.push((line, ends));
                        return Ok(());
                    }
                    _ => return Err(unreadable()),
                };
                let weight = weight.clone();
                self.arcs.push(NdrArc { line, ends, source: joined.0, target: joined.1, weight });
            }
            _ => {}
        }
        Ok(())
    }

    fn find(&self, is_place: bool, name: &str) -> Option<usize> {
        self.numbers.get(&(is_place, name.to_owned())).copied()
    }

    pub(super) fn sheet(&self) -> Sheet {
        let at = |node: &NdrNode| {
            let number = |word: &Word| word.text.parse::<f64>().ok().map(|v| v.clamp(-1e6, 1e6).round() as i32);
            Some((number(&node.x)?, number(&node.y)?))
        };
        let node = |node: &NdrNode, labels| NetNode {
            name: node.name.text.clone(),
            labels,
            at: at(node),
            range: node.line.clone(),
        };
        let place = |p: &NdrNode| {
            let tokens = p.numbers[0].text.clone();
            node(p, if tokens == "0" { Vec::new() } else { vec![("marking", tokens)] })
        };
        let transition = |t: &NdrNode| {
            let bound = |word: &Word| (word.text.trim_start_matches('-').to_owned(), word.text.starts_with('-'));
            let ((low, low_open), (high, high_open)) = (bound(&t.numbers[0]), bound(&t.numbers[1]));
            let is_unbounded = high == "w";
            let high = (!is_unbounded).then_some(high);
            let shown = Bounds { low, low_open, high, high_open: high_open || is_unbounded }.shown();
            node(t, if shown == "[0,w[" { Vec::new() } else { vec![("interval", shown)] })
        };
        let arc = |arc: &NdrArc| {
            let (kind, digits) = split(&arc.weight.text);
            let labels = if digits == "1" { Vec::new() } else { vec![("weight", digits.to_owned())] };
            NetArc { source: arc.source, target: arc.target, labels, kind, range: arc.line.clone() }
        };
        Sheet {
            name: String::new(),
            places: self.places.iter().map(place).collect(),
            transitions: self.transitions.iter().map(transition).collect(),
            arcs: self.arcs.iter().map(arc).collect(),
            abilities: super::NDR,
        }
    }

    fn node(&self, node: Node) -> &NdrNode {
        match node {
            Node::Place(i) => &self.places[i],
            Node::Transition(i) | Node::Location(i) | Node::Branchpoint(i) => &self.transitions[i],
        }
    }

    fn replace(&mut self, word: &Word, text: impl Into<String>) {
        self.patches.push(Patch { from: word.range.start, to: word.range.end, text: text.into() });
    }

    /// Deletes a line with its end.
    fn delete_line(&mut self, line: &Range<usize>) {
        let rest = &self.text[line.end..];
        let end = line.end + rest.find('\n').map_or(rest.len(), |at| at + 1);
        let start = self.text[..line.start].rfind('\n').map_or(0, |at| at + 1);
        self.patches.push(Patch::delete(start, end));
    }

    /// Writes a coordinate as the file does.
    fn number(&self, value: i32) -> String {
        let has_points = self.places.iter().chain(&self.transitions).all(|node| node.x.text.contains('.'));
        if has_points { format!("{value}.0") } else { value.to_string() }
    }

    fn last_node(&self) -> Option<usize> {
        self.places.iter().chain(&self.transitions).map(|node| node.line.end).max()
    }
}

impl NetEdit for NdrFile<'_> {
    fn add(&mut self, is_place: bool, at: Point, name: &str) -> Result<(), EditError> {
        let (x, y, name) = (self.number(at.0), self.number(at.1), quoted(name));
        let line = if is_place { format!("p {x} {y} {name} 0 n") } else { format!("t {x} {y} {name} 0 w n") };
        let patch = match self.last_node() {
            Some(last) => add_lines(self.text, Some(last), &[line]),
            None => Patch::insert(0, format!("{line}{}", line_end(self.text))),
        };
        self.patches.push(patch);
        Ok(())
    }

    fn connect(&mut self, source: Node, target: Node) -> Result<(), EditError> {
        let line = format!("e {} {} 1 n", quoted(&self.node(source).name.text), quoted(&self.node(target).name.text));
        let last = self.arcs.iter().map(|arc| arc.line.end).chain(self.last_node()).max();
        self.patches.push(add_lines(self.text, last, &[line]));
        Ok(())
    }

    fn reconnect(&mut self, arc: usize, source: Node, target: Node) -> Result<(), EditError> {
        let arc = self.arcs[arc].clone();
        let nodes = [(source, arc.source), (target, arc.target)];
        let declared = |node: Node| self.node(node).line.start;
        if nodes.iter().any(|(node, _)| declared(*node) > arc.line.start) {
            return Err(
                EditError::new("the node is declared after this arc").help("delete the arc, and add another one")
            );
        }
        for (word, (new, old)) in arc.ends.iter().zip(nodes) {
            if new != old {
                let name = quoted(&self.node(new).name.text);
                self.replace(word, name);
            }
        }
        Ok(())
    }

    fn delete(&mut self, nodes: &[Node], arcs: &[usize]) -> Result<(), EditError> {
        let mut lines: Vec<Range<usize>> = nodes.iter().map(|&node| self.node(node).line.clone()).collect();
        lines.extend(arcs.iter().map(|&i| self.arcs[i].line.clone()));
        let gone: Vec<String> = nodes
            .iter()
            .filter(|node| matches!(node, Node::Transition(_)))
            .map(|&node| self.node(node).name.text.clone())
            .collect();
        let names = |ends: &[Word; 2]| ends.iter().any(|end| gone.contains(&end.text));
        lines.extend(self.priorities.iter().filter(|(_, ends)| names(ends)).map(|(line, _)| line.clone()));
        lines.iter().for_each(|line| self.delete_line(line));
        Ok(())
    }

    fn place(&mut self, node: Node, at: Point) -> Result<(), EditError> {
        let NdrNode { x, y, .. } = self.node(node).clone();
        for (word, value) in [(x, at.0), (y, at.1)] {
            if word.text.parse::<f64>().ok() != Some(f64::from(value)) {
                let text = if word.text.contains('.') { format!("{value}.0") } else { value.to_string() };
                self.replace(&word, text);
            }
        }
        Ok(())
    }

    fn rename(&mut self, node: Node, name: &str) -> Result<(), EditError> {
        let own = self.node(node).name.clone();
        let arcs = self.arcs.iter().flat_map(|arc| arc.ends.iter().zip([arc.source, arc.target]));
        let mut words: Vec<Word> = arcs.filter(|(_, end)| *end == node).map(|(word, _)| word.clone()).collect();
        if matches!(node, Node::Transition(_)) {
            let ends = self.priorities.iter().flat_map(|(_, ends)| ends);
            words.extend(ends.filter(|end| end.text == own.text).cloned());
        }
        words.push(own);
        words.iter().for_each(|word| self.replace(word, quoted(name)));
        Ok(())
    }

    fn set_node(&mut self, node: Node, kind: &str, text: &str) -> Result<(), EditError> {
        let numbers = self.node(node).numbers.clone();
        match kind {
            "marking" => {
                let tokens = natural(text, 0, "the number of tokens")?;
                self.replace(&numbers[0], tokens.to_string());
            }
            "interval" => {
                let bounds = Bounds::read(if text.is_empty() { "[0,w[" } else { text })?.numbers()?;
                let low = format!("{}{}", if bounds.low_open { "-" } else { "" }, bounds.low);
                let high = match &bounds.high {
                    Some(high) => format!("{}{high}", if bounds.high_open { "-" } else { "" }),
                    None => "w".to_owned(),
                };
                for (word, new) in numbers.iter().zip([low, high]) {
                    if word.text != new {
                        self.replace(word, new);
                    }
                }
            }
            "delay" => return Err(inexpressible("intervals on places", "this format")),
            _ => return Err(inexpressible("ages of tokens", "this format")),
        }
        Ok(())
    }

    fn set_arc(&mut self, arc: usize, kind: &str, text: &str) -> Result<(), EditError> {
        let word = self.arcs[arc].weight.clone();
        let (old, digits) = split(&word.text);
        let sign = |kind: ArcKind| SIGNS.iter().find(|(_, known)| *known == kind).map(|(sign, _)| *sign);
        let new = match kind {
            "weight" => format!("{}{}", sign(old).unwrap_or(""), weight(text)?),
            "kind" => {
                let sign = sign(ArcKind::of(text)?).ok_or_else(|| inexpressible("transport arcs", "this format"))?;
                format!("{sign}{digits}")
            }
            "ages" => return Err(inexpressible("intervals on arcs", "this format")),
            other => return Err(super::unknown_label(other)),
        };
        self.replace(&word, new);
        Ok(())
    }

    fn patches(self: Box<Self>) -> Vec<Patch> {
        self.patches
    }
}
