//! Computes coordinates for templates that have none.

mod coarse;
mod coordinates;
mod layered;
mod loops;
mod order;
#[cfg(test)]
pub(crate) mod tests;

use syntax::ast::{LabelLayout, Template};

use crate::{
    figure::{Figure, Placement, ends, radius},
    geometry::{Pt, Rect, Size, pt},
    label::{Label, Labels, stacked},
};

/// The extent of a box around its anchor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    pub left: f64,
    pub right: f64,
    pub up: f64,
    pub down: f64,
}

impl Extent {
    fn around(self, at: Pt) -> Rect {
        Rect { min: at - pt(self.left, self.up), max: at + pt(self.right, self.down) }
    }
}

/// An edge between two different nodes.
pub(crate) struct Link {
    pub from: usize,
    pub to: usize,
    pub label: Size,
}

/// A graph to be drawn.
pub(crate) struct Graph {
    pub nodes: Vec<Extent>,
    pub links: Vec<Link>,
    /// The node to be placed on top.
    pub root: usize,
    /// The width of nodes as far as lines can leave them.
    pub sides: Vec<f64>,
}

/// The positions of a graph.
pub(crate) struct Drawing {
    pub at: Vec<Pt>,
    pub nails: Vec<Vec<Pt>>,
    /// The upper left corners of labels; `None` if no space was reserved.
    pub labels: Vec<Option<Pt>>,
}

/// The number of nodes and edges beyond which only [`coarse`] is used.
const MAX_LAYERED: usize = 2000;
/// The width within which lines leave a location.
pub(crate) const ROUND_SIDE: f64 = 32.0;
/// The distance between connected components.
const GAP: f64 = 50.0;

/// Returns whether a template lacks a layout: no location has coordinates, or all of several have
/// the same.
pub(crate) fn is_missing(template: &Template) -> bool {
    let mut places = template.locations.iter().map(|l| l.layout.at);
    let first = places.next().flatten();
    match first {
        None => places.all(|at| at.is_none()),
        Some(_) => template.locations.len() > 1 && places.all(|at| at == first),
    }
}

/// Writes a figure's coordinates into a template: all of them if `all`, else only those of nodes
/// that lack them.
pub(crate) fn write_back(figure: &Figure, labels: &Labels, all: bool, template: &mut Template) {
    let locations = template.locations.len();
    let branchpoints = template.branchpoints.iter_mut().map(|b| &mut b.layout);
    let layouts = template.locations.iter_mut().map(|l| &mut l.layout).chain(branchpoints);
    for (layout, &at) in layouts.zip(&figure.nodes) {
        if all || layout.at.is_none() {
            layout.at = Some(at.into());
        }
    }
    if !all {
        return;
    }
    let written = |labels: &[Label], at: &[Pt]| {
        labels.iter().zip(at).map(|(l, &at)| LabelLayout { kind: l.kind.xml().to_owned(), at: at.into() }).collect()
    };
    for i in 0..locations {
        template.locations[i].layout.labels = written(&labels.locations[i], &figure.location_labels[i]);
    }
    for (i, edge) in template.edges.iter_mut().enumerate() {
        edge.layout.nails = figure.nails[i].iter().map(|&p| p.into()).collect();
        edge.layout.labels = written(&labels.edges[i], &figure.edge_labels[i]);
    }
}

/// Draws a graph without loops in layers, or coarsely if it is too large for that. Also returns the
/// bounding box.
pub(crate) fn place(graph: &Graph) -> (Drawing, Rect) {
    let Some(drawing) = layered::draw(graph) else { return coarsely(graph) };
    let bounds = bounds(graph, &drawing);
    (drawing, bounds)
}

fn coarsely(graph: &Graph) -> (Drawing, Rect) {
    let drawing = coarse::draw(graph);
    let bounds = bounds(graph, &drawing);
    (drawing, bounds)
}

/// Computes a layout from scratch.
pub(crate) fn arrange(template: &Template, labels: &Labels) -> Placement {
    let n = template.locations.len() + template.branchpoints.len();
    let mut placement = Placement::empty(template, labels);
    let loops = loops(template, n);
    let extents: Vec<Extent> = (0..n).map(|v| extent(v, template, labels, &loops[v])).collect();
    let straight: Vec<usize> = (0..template.edges.len())
        .filter(|&e| {
            let (a, b) = ends(template, e);
            a != b
        })
        .collect();
    let component = components(template, n, &straight);
    let mut graphs: Vec<(Vec<usize>, Vec<usize>)> =
        vec![Default::default(); component.iter().max().map_or(0, |p| p + 1)];
    let mut number = vec![0; n];
    for v in 0..n {
        number[v] = graphs[component[v]].0.len();
        graphs[component[v]].0.push(v);
    }
    straight.iter().for_each(|&e| graphs[component[ends(template, e).0]].1.push(e));
    let init = template.init.map(|i| i as usize).filter(|i| *i < template.locations.len());
    let large = n + template.edges.len() > MAX_LAYERED;
    let mut drawings = Vec::with_capacity(graphs.len());
    for (nodes, edges) in &graphs {
        let graph = Graph {
            nodes: nodes.iter().map(|&v| extents[v]).collect(),
            links: edges
                .iter()
                .map(|&e| {
                    let (a, b) = ends(template, e);
                    Link { from: number[a], to: number[b], label: stacked(&labels.edges[e]) }
                })
                .collect(),
            root: init.filter(|&i| nodes.binary_search(&i).is_ok()).map_or(0, |i| number[i]),
            sides: vec![ROUND_SIDE; nodes.len()],
        };
        drawings.push(if large { coarsely(&graph) } else { place(&graph) });
    }
    for (i, corner) in pack(&drawings).into_iter().enumerate() {
        let (drawing, bounds) = &drawings[i];
        let shift = corner - bounds.min;
        let (nodes, edges) = &graphs[i];
        for (&v, &at) in nodes.iter().zip(&drawing.at) {
            placement.nodes[v] = Some((at + shift).rounded());
        }
        for (k, &e) in edges.iter().enumerate() {
            placement.nails[e] = drawing.nails[k].iter().map(|&p| (p + shift).rounded()).collect();
            let block = drawing.labels[k].map(|p| (p + shift).rounded());
            placement.edge_labels[e] = stack(block, &labels.edges[e]);
        }
    }
    for (v, loops) in loops.iter().enumerate() {
        if let Some(center) = placement.nodes[v] {
            loops::place(v, center, loops, labels, own_text(v, labels), &mut placement);
        }
    }
    placement
}

/// Returns the positions of vertically stacked labels.
fn stack(corner: Option<Pt>, labels: &[Label]) -> Vec<Option<Pt>> {
    let mut top = 0.0;
    let mut place = |label: &Label| {
        let at = corner.map(|c| c + pt(0.0, top));
        top += label.size.h;
        at
    };
    labels.iter().map(&mut place).collect()
}

/// Returns the loops of each node.
fn loops(template: &Template, n: usize) -> Vec<Vec<usize>> {
    let mut loops = vec![Vec::new(); n];
    for e in 0..template.edges.len() {
        let (a, b) = ends(template, e);
        if a == b {
            loops[a].push(e);
        }
    }
    loops
}

/// Returns the size of a node's labels.
fn own_text(v: usize, labels: &Labels) -> Size {
    labels.locations.get(v).map_or(Size::default(), |l| stacked(l))
}

/// Returns the extent of a node: its labels are on the right, or on the left if there are loops.
fn extent(v: usize, template: &Template, labels: &Labels, loops: &[usize]) -> Extent {
    let text = own_text(v, labels);
    if !loops.is_empty() {
        return loops::extent(loops, labels, text);
    }
    let r = radius(template, v);
    let half = (text.h / 2.0).max(r);
    Extent { left: r, right: if text.w > 0.0 { r + 6.0 + text.w } else { r }, up: half, down: half }
}

/// Returns the connected component of each node, numbered in the order of their first nodes.
fn components(template: &Template, n: usize, edges: &[usize]) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); n];
    for &e in edges {
        let (a, b) = ends(template, e);
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let mut component = vec![usize::MAX; n];
    let mut next = 0;
    for start in 0..n {
        if component[start] != usize::MAX {
            continue;
        }
        component[start] = next;
        let mut stack = vec![start];
        while let Some(v) = stack.pop() {
            for &w in &neighbours[v] {
                if component[w] == usize::MAX {
                    component[w] = next;
                    stack.push(w);
                }
            }
        }
        next += 1;
    }
    component
}

fn bounds(graph: &Graph, drawing: &Drawing) -> Rect {
    let mut all = Rect::EMPTY;
    for (extent, &at) in graph.nodes.iter().zip(&drawing.at) {
        all.join(extent.around(at));
    }
    drawing.nails.iter().flatten().for_each(|&p| all.add(p));
    for (link, corner) in graph.links.iter().zip(&drawing.labels) {
        corner.iter().for_each(|&c| all.join(Rect::at(c, link.label)));
    }
    all
}

/// Packs components into shelves. Returns the upper left corner of each.
fn pack(drawings: &[(Drawing, Rect)]) -> Vec<Pt> {
    let area: f64 = drawings.iter().map(|(_, b)| (b.width() + GAP) * (b.height() + GAP)).sum();
    let widest = drawings.iter().map(|(_, b)| b.width()).fold((area * 2.0).sqrt().max(600.0), f64::max);
    let (mut x, mut y, mut tallest) = (0.0, 0.0, 0.0f64);
    let mut corners = Vec::with_capacity(drawings.len());
    for (_, b) in drawings {
        if x > 0.0 && x + b.width() > widest {
            x = 0.0;
            y += tallest + GAP;
            tallest = 0.0;
        }
        corners.push(pt(x, y));
        x += b.width() + GAP;
        tallest = tallest.max(b.height());
    }
    corners
}
