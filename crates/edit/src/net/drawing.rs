//! Nets as data for an editor.

use std::ops::Range;

use draw::{NetLine, NetShape};

use super::{NetNode, Sheet, sheets};
use crate::{
    EditedText, Node, Point,
    drawing::{Drawing, DrawnEdge, DrawnLabel, DrawnPlace, DrawnTransition, Problem},
};

/// The height of a line of text.
const LINE: i32 = 15;

/// Returns the drawings of the components of a net; none if it can't be read. `problems` are those
/// with their offsets in the file.
pub(crate) fn drawings(source: EditedText<'_>, problems: &[(usize, Problem)]) -> Vec<Drawing> {
    let sheets = sheets(source).unwrap_or_default();
    let is_single = sheets.len() == 1;
    sheets.iter().map(|sheet| drawing(sheet, problems, is_single)).collect()
}

/// Returns the positions at which nodes are drawn, places first.
pub(super) fn positions(sheet: &Sheet) -> Vec<Point> {
    layout(sheet).nodes
}

fn layout(sheet: &Sheet) -> draw::NetLayout {
    let node = |is_place: bool| {
        move |node: &NetNode| NetShape {
            is_place,
            caption: caption(node).into_iter().map(|(_, text)| text).collect(),
            at: node.at,
        }
    };
    let places = sheet.places.iter().map(node(true));
    let nodes: Vec<NetShape> = places.chain(sheet.transitions.iter().map(node(false))).collect();
    let number = |node: Node| match node {
        Node::Place(i) => i,
        Node::Transition(i) | Node::Location(i) | Node::Branchpoint(i) => sheet.places.len() + i,
    };
    let line = |arc: &super::NetArc| {
        let label = arc.labels.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
        NetLine { from: number(arc.source), to: number(arc.target), label }
    };
    let lines: Vec<NetLine> = sheet.arcs.iter().map(line).collect();
    draw::net_layout(&nodes, &lines)
}

/// Returns the labels that are drawn beside a node: its name, and what is said about time.
fn caption(node: &NetNode) -> Vec<(&'static str, String)> {
    let timed = node.labels.iter().filter(|(kind, _)| !matches!(*kind, "marking" | "urgent")).cloned();
    std::iter::once(("name", node.name.clone())).chain(timed).collect()
}

fn drawing(sheet: &Sheet, problems: &[(usize, Problem)], is_single: bool) -> Drawing {
    let layout = layout(sheet);
    let within = |range: &Range<usize>| -> Vec<Problem> {
        problems.iter().filter(|(at, _)| range.contains(at)).map(|(_, problem)| problem.clone()).collect()
    };
    let value = |node: &NetNode, kind: &str| Sheet::label(&node.labels, kind).to_owned();
    let labels = |node: &NetNode, at: Point| -> Vec<DrawnLabel> {
        let line = |(i, (kind, text)): (usize, (&'static str, String))| DrawnLabel {
            kind: kind.to_owned(),
            text,
            at: (at.0, at.1.saturating_add(i as i32 * LINE)),
            is_placed: false,
            problems: Vec::new(),
        };
        // Tokens are drawn in the place.
        let marking = Some(value(node, "marking")).filter(|text| !text.is_empty()).map(|text| ("marking", text));
        caption(node).into_iter().chain(marking).enumerate().map(line).collect()
    };
    let places = sheet.places.iter().enumerate().map(|(i, place)| DrawnPlace {
        name: place.name.clone(),
        tokens: value(place, "marking"),
        at: layout.nodes[i],
        labels: labels(place, layout.captions[i]),
        problems: within(&place.range),
    });
    let first = sheet.places.len();
    let transitions = sheet.transitions.iter().enumerate().map(|(i, t)| DrawnTransition {
        name: t.name.clone(),
        urgent: value(t, "urgent") == "true",
        at: layout.nodes[first + i],
        labels: labels(t, layout.captions[first + i]),
        problems: within(&t.range),
    });
    let places: Vec<DrawnPlace> = places.collect();
    let transitions: Vec<DrawnTransition> = transitions.collect();
    let edges = sheet.arcs.iter().enumerate().map(|(i, arc)| {
        let mut at = layout.labels[i].unwrap_or_default();
        let label = |(kind, text): &(&'static str, String)| {
            let label =
                DrawnLabel { kind: (*kind).to_owned(), text: text.clone(), at, is_placed: false, problems: Vec::new() };
            at.1 = at.1.saturating_add(LINE);
            label
        };
        DrawnEdge {
            path: String::new(),
            source: arc.source,
            target: arc.target,
            controllable: true,
            kind: Some(arc.kind.name()),
            color: None,
            nails: layout.bends[i].clone(),
            is_nailed: false,
            labels: arc.labels.iter().map(label).collect(),
            problems: within(&arc.range),
        }
    });
    let edges: Vec<DrawnEdge> = edges.collect();
    let inside: Vec<&Range<usize>> = (sheet.places.iter().chain(&sheet.transitions).map(|node| &node.range))
        .chain(sheet.arcs.iter().map(|arc| &arc.range))
        .collect();
    let rest = problems.iter().filter(|(at, _)| is_single && !inside.iter().any(|range| range.contains(at)));
    Drawing {
        name: sheet.name.clone(),
        parameters: String::new(),
        is_placed: layout.is_placed,
        initial: None,
        locations: Vec::new(),
        branchpoints: Vec::new(),
        places,
        transitions,
        net: Some(sheet.abilities),
        edges,
        problems: rest.map(|(_, problem)| problem.clone()).collect(),
    }
}
