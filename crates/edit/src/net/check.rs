//! An edit of a net changes what it should, and nothing else.

use std::collections::BTreeMap;

use syntax::{Diagnostic, Sources, read_model};

use super::{ArcKind, Sheet, interval::Bounds, sheets};
use crate::{EditError, EditedText, Item, Node, Operation};

/// What a component means, whatever the order in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Meaning {
    places: BTreeMap<String, Vec<(&'static str, String)>>,
    transitions: BTreeMap<String, Vec<(&'static str, String)>>,
    /// The names of the ends, the kind, and the labels, sorted.
    arcs: Vec<ArcMeaning>,
}

type ArcMeaning = (NamedNode, NamedNode, &'static str, Vec<(&'static str, String)>);
/// Whether a node is a place, and its name.
type NamedNode = (bool, String);

/// Refuses an edit that makes a mistake, or that is read back as something else.
pub(crate) fn check(before: EditedText<'_>, after: EditedText<'_>, operation: &Operation) -> Result<(), EditError> {
    // A query may lose what it is about, but no name of what is still there.
    let is_rename = matches!(operation, Operation::RenameNode { .. });
    let (known, found) = (errors(before, is_rename), errors(after, is_rename));
    if found.len() > known.len() {
        let new = found.iter().find(|d| !known.iter().any(|k| k.message == d.message)).or(found.first());
        let message = new.map_or(String::new(), |d| d.message.clone());
        let refusal = EditError::new(format!("the net would have a mistake: {message}"));
        return Err(match new.and_then(|d| d.help.first()) {
            Some(help) => refusal.help(help.clone()),
            None => refusal,
        });
    }
    let (old, new) = (sheets(before)?, sheets(after)?);
    let moves = matches!(operation, Operation::Move { .. } | Operation::Layout { .. });
    let number = operation.template().unwrap_or_default();
    let touches = old.get(number).is_some_and(|sheet| touches_transport(sheet, operation));
    let mut expected: Vec<Meaning> = old.iter().map(meaning).collect();
    let new: Vec<Meaning> = new.iter().map(meaning).collect();
    if !moves && let (Some(expected), Some(new)) = (expected.get_mut(number), new.get(number)) {
        edit(expected, &old[number], new, operation);
        expected.arcs.sort_unstable();
    }
    if expected != new && !touches {
        return Err(
            EditError::new("the text would be read back as something else").help("make this change in the text")
        );
    }
    Ok(())
}

fn errors(source: EditedText<'_>, with_queries: bool) -> Vec<Diagnostic> {
    let mut sources = Sources::new();
    let file = sources.add_file("", source.text.to_owned());
    let (tree, mut found) = read_model(&mut sources, file, source.format);
    if with_queries {
        found.extend(tree.queries.iter().flat_map(|query| query.problems.iter().cloned()));
    }
    found.retain(Diagnostic::is_error);
    found
}

/// Returns whether an edit is of an arc that is a half of a pair: both change.
fn touches_transport(sheet: &Sheet, operation: &Operation) -> bool {
    let is = |i: &usize| sheet.arcs.get(*i).is_some_and(|arc| arc.kind == ArcKind::Transport);
    match operation {
        Operation::Label { of: Item::Edge(i), .. } | Operation::Connect { edge: i, .. } => is(i),
        Operation::Delete { .. } => (0..sheet.arcs.len()).any(|i| is(&i)),
        _ => false,
    }
}

fn meaning(sheet: &Sheet) -> Meaning {
    let labels = |labels: &[(&'static str, String)]| {
        let mut all: Vec<_> = labels
            .iter()
            .map(|(kind, text)| (*kind, normal(kind, text)))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        all.sort_unstable();
        all
    };
    let nodes = |list: &[super::NetNode]| list.iter().map(|n| (n.name.clone(), labels(&n.labels))).collect();
    let mut arcs: Vec<ArcMeaning> = (sheet.arcs.iter())
        .map(|arc| (named(sheet, arc.source), named(sheet, arc.target), arc.kind.name(), labels(&arc.labels)))
        .collect();
    arcs.sort_unstable();
    Meaning { places: nodes(&sheet.places), transitions: nodes(&sheet.transitions), arcs }
}

fn named(sheet: &Sheet, node: Node) -> NamedNode {
    let is_place = matches!(node, Node::Place(_));
    (is_place, sheet.node(node).map_or(String::new(), |node| node.name.clone()))
}

/// Returns the text of a label in one form; empty if it says what holds without it.
fn normal(kind: &str, text: &str) -> String {
    match kind {
        "interval" | "delay" | "ages" => match Bounds::read(text) {
            Ok(bounds) if bounds.shown() == "[0,w[" && kind != "delay" => String::new(),
            Ok(bounds) => bounds.shown(),
            Err(_) => text.to_owned(),
        },
        "marking" | "weight" => {
            let default = if kind == "weight" { "1" } else { "0" };
            let digits = text.trim_start_matches('0');
            let shown = if digits.is_empty() && !text.is_empty() { "0" } else { digits };
            if shown == default { String::new() } else { shown.to_owned() }
        }
        "invariant" => {
            let text: String = text.split_whitespace().collect();
            if text == "<inf" { String::new() } else { text }
        }
        "urgent" if matches!(text, "false" | "0") => String::new(),
        _ => text.to_owned(),
    }
}

/// Makes an edit of the meaning. What the edit chooses itself is taken from the new one.
fn edit(meaning: &mut Meaning, old: &Sheet, new: &Meaning, operation: &Operation) {
    let set = |labels: &mut Vec<(&'static str, String)>, kind: &str, text: &str| {
        let known = ["marking", "delay", "invariant", "interval", "urgent", "weight", "ages"];
        let Some(kind) = known.into_iter().find(|known| *known == kind) else { return };
        labels.retain(|(other, _)| *other != kind);
        let text = normal(kind, text.trim());
        if !text.is_empty() {
            labels.push((kind, text));
            labels.sort_unstable();
        }
    };
    // The number of an arc is that of the written one.
    let written = |i: usize| {
        let arc = &old.arcs[i];
        let single = Sheet { arcs: vec![arc.clone()], ..old.clone() };
        self::meaning(&single).arcs.remove(0)
    };
    let position = |list: &[ArcMeaning], arc: &ArcMeaning| list.iter().position(|other| other == arc);
    match operation {
        Operation::AddPlace { name, .. } | Operation::AddTransition { name, .. } => {
            let is_place = matches!(operation, Operation::AddPlace { .. });
            let (own, other) = if is_place {
                (&mut meaning.places, &new.places)
            } else {
                (&mut meaning.transitions, &new.transitions)
            };
            let chosen = other
                .iter()
                .find(|(known, _)| if name.is_empty() { !own.contains_key(*known) } else { *known == name });
            if let Some((name, labels)) = chosen {
                own.insert(name.clone(), labels.clone());
            }
        }
        Operation::AddEdge { source, target, .. } => {
            meaning.arcs.push((named(old, *source), named(old, *target), ArcKind::Normal.name(), Vec::new()));
        }
        Operation::Connect { edge, source, target, .. } => {
            let mut arc = written(*edge);
            if let Some(at) = position(&meaning.arcs, &arc) {
                source.iter().for_each(|&node| arc.0 = named(old, node));
                target.iter().for_each(|&node| arc.1 = named(old, node));
                meaning.arcs[at] = arc;
            }
        }
        Operation::Delete { items, .. } => {
            let gone: Vec<NamedNode> = items.iter().filter_map(|item| Some(named(old, item.node()?))).collect();
            for (is_place, name) in &gone {
                if *is_place { &mut meaning.places } else { &mut meaning.transitions }.remove(name);
            }
            meaning.arcs.retain(|arc| !gone.contains(&arc.0) && !gone.contains(&arc.1));
            let mut arcs: Vec<usize> =
                items.iter().filter_map(|i| if let Item::Edge(i) = i { Some(*i) } else { None }).collect();
            arcs.sort_unstable();
            arcs.dedup();
            for i in arcs {
                if let Some(at) = position(&meaning.arcs, &written(i)) {
                    meaning.arcs.remove(at);
                }
            }
        }
        Operation::RenameNode { node, name, .. } => {
            let before = named(old, *node);
            let after = (before.0, name.clone());
            let list = if before.0 { &mut meaning.places } else { &mut meaning.transitions };
            if let Some(labels) = list.remove(&before.1) {
                list.insert(name.clone(), labels);
            }
            for arc in &mut meaning.arcs {
                for end in [&mut arc.0, &mut arc.1] {
                    if *end == before {
                        *end = after.clone();
                    }
                }
            }
        }
        Operation::Label { of: Item::Edge(i), kind, text, .. } => {
            let mut arc = written(*i);
            if let Some(at) = position(&meaning.arcs, &arc) {
                match ArcKind::of(text.trim()) {
                    Ok(new) if kind == "kind" => arc.2 = new.name(),
                    _ => set(&mut arc.3, kind, text),
                }
                meaning.arcs[at] = arc;
            }
        }
        Operation::Label { of, kind, text, .. } => {
            let Some((is_place, name)) = of.node().map(|node| named(old, node)) else { return };
            let list = if is_place { &mut meaning.places } else { &mut meaning.transitions };
            if let Some(labels) = list.get_mut(&name) {
                set(labels, kind, text);
            }
        }
        _ => {}
    }
}
