//! Templates as data for an editor of drawings.

use std::ops::Range;

use serde::Serialize;
use syntax::{
    Diagnostic, Format, Severity, Sources, Tree,
    ast::{Endpoint, LabelLayout, Layout, Template},
};

use crate::{
    EditedText, Node, Point, net,
    offsets::{Offsets, shown},
    outline::{TextItem, TextLabel, TextTemplate},
    tck, xml, xta,
};

/// A template as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: String,
    /// Whether it has positions of its own.
    pub is_placed: bool,
    /// The index of its initial location.
    pub initial: Option<u32>,
    /// Its locations.
    pub locations: Vec<DrawnLocation>,
    /// Its branchpoints.
    pub branchpoints: Vec<DrawnBranchpoint>,
    /// The places of a net.
    pub places: Vec<DrawnPlace>,
    /// The transitions of a net.
    pub transitions: Vec<DrawnTransition>,
    /// What the format of a net can express; `None` for automata.
    pub net: Option<NetAbilities>,
    /// Its edges, or the arcs of a net.
    pub edges: Vec<DrawnEdge>,
    /// What is wrong with the rest of it.
    pub problems: Vec<Problem>,
}

/// A location as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnLocation {
    /// Its path in XML; empty otherwise.
    pub path: String,
    /// Its name, also if it was generated.
    pub name: String,
    /// Whether it is urgent.
    pub urgent: bool,
    /// Whether it is committed.
    pub committed: bool,
    /// `#rrggbb`, if the model gives a colour.
    pub color: Option<String>,
    /// Its centre.
    pub at: Point,
    /// Its labels.
    pub labels: Vec<DrawnLabel>,
    /// What is wrong with it, besides its labels.
    pub problems: Vec<Problem>,
}

/// A branchpoint as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnBranchpoint {
    /// Its centre.
    pub at: Point,
    /// `#rrggbb`, if the model gives a colour.
    pub color: Option<String>,
}

/// What a format of nets can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NetAbilities {
    /// Whether it has positions.
    pub positions: bool,
    /// The labels of places.
    pub place: &'static [&'static str],
    /// The labels of transitions.
    pub transition: &'static [&'static str],
    /// The labels of arcs.
    pub arc: &'static [&'static str],
    /// The kinds of arcs from places.
    pub kinds: &'static [&'static str],
}

/// A place of a net as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnPlace {
    /// Its name.
    pub name: String,
    /// Its initial number of tokens; empty if there are none.
    pub tokens: String,
    /// Its centre.
    pub at: Point,
    /// Its labels, with its name.
    pub labels: Vec<DrawnLabel>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A transition of a net as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnTransition {
    /// Its name.
    pub name: String,
    /// Whether time stops while it is enabled.
    pub urgent: bool,
    /// Its centre.
    pub at: Point,
    /// Its labels, with its name.
    pub labels: Vec<DrawnLabel>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// An edge as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnEdge {
    /// Its path in XML; empty otherwise.
    pub path: String,
    /// Its source.
    pub source: Node,
    /// Its target.
    pub target: Node,
    /// `false` for edges of the environment in a game.
    pub controllable: bool,
    /// What kind of arc of a net it is: `normal`, `test`, `inhibitor`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// `#rrggbb`, if the model gives a colour.
    pub color: Option<String>,
    /// Its bends.
    pub nails: Vec<Point>,
    /// Whether the bends are nails of the model.
    pub is_nailed: bool,
    /// Its labels.
    pub labels: Vec<DrawnLabel>,
    /// What is wrong with it, besides its labels.
    pub problems: Vec<Problem>,
}

/// A label as it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct DrawnLabel {
    /// `name`, `guard`, …
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Its upper left corner.
    pub at: Point,
    /// Whether the model gives its position.
    pub is_placed: bool,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A diagnostic where it is drawn.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// Whether it is an error, not a warning.
    pub is_error: bool,
    /// The message.
    pub message: String,
    /// Its range in the text of the label, in UTF-16 code units; `0` for other elements.
    pub from: usize,
    /// One past the end of its range.
    pub to: usize,
}

/// Returns the drawings of a model that was read from `text`, as the first file of `sources`, with
/// what is wrong with it.
#[must_use]
pub fn drawings(
    text: &str,
    format: Format,
    tree: &Tree,
    sources: &Sources,
    diagnostics: &[Diagnostic],
) -> Vec<Drawing> {
    let outlines = match format {
        Format::Xml => xml::outline(text),
        Format::Xta | Format::Ta => xta::outline(text, format, tree),
        Format::Tck => tck::outline(text, tree),
        _ => Vec::new(),
    };
    let file = tree.file;
    let places = diagnostics.iter().filter_map(|diagnostic| {
        let (of, at) = sources.order(diagnostic.primary.span)?;
        (Some(of) == file).then_some((at as usize, diagnostic))
    });
    let mut problems: Vec<(usize, &Diagnostic)> = places.collect();
    problems.sort_by_key(|(at, _)| *at);
    let drawer = Drawer { tree, sources, problems };
    if tree.net.is_some() {
        let problems: Vec<(usize, Problem)> =
            drawer.problems.iter().map(|(at, d)| (*at, drawer.problem(d, None))).collect();
        return net::drawings(EditedText { text, format }, &problems);
    }
    tree.templates.iter().enumerate().map(|(i, template)| drawer.drawing(template, outlines.get(i))).collect()
}

struct Drawer<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
    /// The diagnostics by their offsets in the file.
    problems: Vec<(usize, &'a Diagnostic)>,
}

impl Drawer<'_> {
    fn drawing(&self, template: &Template, outline: Option<&TextTemplate>) -> Drawing {
        let layouts = draw::layouts(self.tree, self.sources, template);
        let name = |i: usize| self.tree.text(template.locations[i].name.sym).to_owned();
        let locations: Vec<DrawnLocation> = (template.locations.iter().zip(&layouts.locations).enumerate())
            .map(|(i, (location, layout))| {
                let text = outline.and_then(|o| o.locations.get(i));
                let at = layout.at.unwrap_or_default();
                let beside = (at.0.saturating_add(16), at.1.saturating_sub(8));
                let labels = self.labels(text, &location.layout, layout, beside);
                DrawnLocation {
                    path: path_of(text),
                    name: name(i),
                    urgent: location.urgent,
                    committed: location.committed,
                    color: location.layout.color.clone(),
                    at,
                    problems: self.besides(text),
                    labels,
                }
            })
            .collect();
        let branchpoint = |(b, layout): (&syntax::ast::Branchpoint, &Layout)| DrawnBranchpoint {
            at: layout.at.unwrap_or_default(),
            color: b.layout.color.clone(),
        };
        let branchpoints: Vec<DrawnBranchpoint> =
            template.branchpoints.iter().zip(&layouts.branchpoints).map(branchpoint).collect();
        let edges = (template.edges.iter().zip(&layouts.edges).enumerate())
            .map(|(i, (edge, layout))| {
                let text = outline.and_then(|o| o.edges.get(i));
                let [source, target] = [edge.source, edge.target].map(node);
                let center = |node| match node {
                    Node::Location(i) => locations[i].at,
                    Node::Branchpoint(i) => branchpoints[i].at,
                    Node::Place(_) | Node::Transition(_) => (0, 0),
                };
                let path: Vec<Point> =
                    [center(source)].into_iter().chain(layout.nails.iter().copied()).chain([center(target)]).collect();
                DrawnEdge {
                    path: path_of(text),
                    source,
                    target,
                    controllable: edge.controllable,
                    kind: None,
                    color: edge.layout.color.clone(),
                    nails: layout.nails.clone(),
                    is_nailed: !edge.layout.nails.is_empty(),
                    labels: self.labels(text, &edge.layout, layout, middle(&path)),
                    problems: self.besides(text),
                }
            })
            .collect();
        Drawing {
            name: self.tree.text(template.name.sym).to_owned(),
            parameters: outline.map_or(String::new(), |o| shown(&o.parameters).into_owned()),
            is_placed: !draw::is_unplaced(template),
            initial: template.init,
            problems: outline.map_or(Vec::new(), |o| self.rest(o)),
            locations,
            branchpoints,
            places: Vec::new(),
            transitions: Vec::new(),
            net: None,
            edges,
        }
    }

    /// Returns the labels of an element. Those that can't be read have no place in the layout.
    fn labels(&self, text: Option<&TextItem>, given: &Layout, drawn: &Layout, mut beside: Point) -> Vec<DrawnLabel> {
        let find =
            |layout: &Layout, kind: &str| layout.labels.iter().rfind(|l: &&LabelLayout| l.kind == kind).map(|l| l.at);
        let mut label = |text: &TextLabel| {
            let own = text.at.or_else(|| find(given, &text.kind));
            let at = own.or_else(|| find(drawn, &text.kind)).unwrap_or_else(|| {
                beside.1 = beside.1.saturating_add(16);
                beside
            });
            let problems = self.problems_in(&text.range);
            DrawnLabel {
                kind: text.kind.clone(),
                text: shown(&text.text).into_owned(),
                at,
                is_placed: own.is_some(),
                problems: problems.iter().map(|(_, d)| self.problem(d, Some(text))).collect(),
            }
        };
        text.map_or(Vec::new(), |item| item.labels.iter().map(&mut label).collect())
    }

    /// Returns the diagnostics that begin in a range of the file.
    fn problems_in(&self, range: &Range<usize>) -> &[(usize, &Diagnostic)] {
        let start = self.problems.partition_point(|(at, _)| *at < range.start);
        let end = self.problems.partition_point(|(at, _)| *at < range.end);
        &self.problems[start..end.max(start)]
    }

    /// Returns the diagnostics of an element outside of its labels.
    fn besides(&self, item: Option<&TextItem>) -> Vec<Problem> {
        let Some(item) = item else { return Vec::new() };
        let is_outside = |at: usize| !item.labels.iter().any(|label| label.range.contains(&at));
        let found = self.problems_in(&item.range).iter().filter(|(at, _)| is_outside(*at));
        found.map(|(_, d)| self.problem(d, None)).collect()
    }

    /// Returns the diagnostics of a template outside of its drawing and its declarations.
    fn rest(&self, template: &TextTemplate) -> Vec<Problem> {
        let items = template.locations.iter().chain(&template.edges);
        let ranges: Vec<&Range<usize>> = items.map(|item| &item.range).chain(&template.declarations).collect();
        let is_outside = |at: usize| !ranges.iter().any(|range| range.contains(&at));
        let found = self.problems_in(&template.range).iter().filter(|(at, _)| is_outside(*at));
        found.map(|(_, d)| self.problem(d, None)).collect()
    }

    fn problem(&self, diagnostic: &Diagnostic, label: Option<&TextLabel>) -> Problem {
        let located = self.sources.locate(diagnostic.primary.span);
        let (from, to) = match (label, located) {
            (Some(label), Some(located)) => {
                // A label of XML is a fragment of its own, one of a text file is a part of it.
                let start = if located.place.path.is_empty() { label.range.start } else { label.blanks };
                let offsets = Offsets::new(&label.text);
                let unit = |at: usize| offsets.units(at.saturating_sub(start));
                (unit(located.range.start), unit(located.range.end))
            }
            _ => (0, 0),
        };
        let is_error = diagnostic.severity == Severity::Error;
        Problem { is_error, message: diagnostic.message.clone(), from, to }
    }
}

fn path_of(item: Option<&TextItem>) -> String {
    item.map_or(String::new(), |item| item.path.clone())
}

fn node(end: Endpoint) -> Node {
    match end {
        Endpoint::Location(i) => Node::Location(i as usize),
        Endpoint::Branchpoint(i) => Node::Branchpoint(i as usize),
    }
}

/// Returns the middle of a polyline, by its segments.
fn middle(path: &[Point]) -> Point {
    let at = (path.len() - 1) / 2;
    let (a, b) = (path[at], path[(at + 1).min(path.len() - 1)]);
    let half = |a: i32, b: i32| ((i64::from(a) + i64::from(b)) / 2) as i32;
    (half(a.0, b.0), half(a.1, b.1))
}
