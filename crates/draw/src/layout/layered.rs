//! Layered drawings, after Sugiyama: every edge points down, except those that close cycles; an
//! edge gets a bend in each layer that it crosses, and its label takes the space of a bend.
//!
//! Steps: break cycles and rank the nodes; insert bends; order each layer ([`super::order`]);
//! assign coordinates ([`super::coordinates`]).

use super::{
    Drawing, Extent, Graph, ROUND_SIDE,
    coordinates::{self, LayerExtent},
    order,
};
use crate::{
    figure::RADIUS,
    geometry::{Pt, Rect, Size, distance_to_segment, pt},
    ports,
};

/// The limit on nodes and bends. Larger drawings take too long and are unreadable.
const MAX_VERTICES: usize = 20_000;
/// The width of labels between two layers above which they are staggered.
const MAX_LABELS_WIDTH: f64 = 1100.0;
/// The distance of a label from its edge.
pub(super) const LABEL_GAP: f64 = 5.0;
const BEND: f64 = 9.0;
/// The distance between lines that leave a node side by side.
const PORT_GAP: f64 = 9.0;
/// Half the width of a node without labels.
const NODE_HALF_WIDTH: f64 = RADIUS + 3.0;

/// A node, or the bend of an edge in a layer that it crosses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub layer: usize,
    pub extent: Extent,
    pub is_bend: bool,
}

/// The graph with its bends: every segment connects adjacent layers.
pub(super) struct Layers {
    pub vertices: Vec<Vertex>,
    /// The vertices of each layer, from left to right.
    pub rows: Vec<Vec<usize>>,
    /// Neighbours in the layer above.
    pub up: Vec<Vec<usize>>,
    /// Neighbours in the layer below.
    pub down: Vec<Vec<usize>>,
    /// The bends of each edge from top to bottom.
    pub chains: Vec<Vec<usize>>,
    /// The bend that carries the label of each edge.
    labels: Vec<Option<usize>>,
}

/// The end of a line at a node.
struct LineEnd {
    node: usize,
    /// Whether the line is below the node.
    below: bool,
    /// The other end of the line's last segment.
    toward: Pt,
    edge: usize,
}

/// Draws a connected graph without loops; `None` if it is too large.
pub(super) fn draw(graph: &Graph) -> Option<Drawing> {
    // A depth-first order keeps the flow of an automaton; a breadth-first order gives fewer layers,
    // so that a dense graph may fit.
    let mut layers = [depth_first(graph), breadth_first(graph)].iter().find_map(|o| Layers::new(graph, o))?;
    order::minimise_crossings(&mut layers);
    let x = coordinates::horizontal(&layers);
    let y = coordinates::vertical(&layers, &x);
    let at = (0..graph.nodes.len()).map(|v| pt(x[v], y[layers.vertices[v].layer].line)).collect::<Vec<_>>();
    let mut drawing = Drawing { at, nails: Vec::new(), labels: Vec::new() };
    // Lines from top to bottom; those of edges that point up are reversed at the end.
    let mut lines: Vec<Vec<Pt>> = Vec::with_capacity(graph.links.len());
    for chain in &layers.chains {
        lines.push(chain.iter().flat_map(|&v| y[layers.vertices[v].layer].through(x[v])).collect());
    }
    layers.add_ports(graph, &drawing.at, &y, &mut lines);
    for (i, (link, mut nails)) in graph.links.iter().zip(lines).enumerate() {
        let (a, b) = (drawing.at[link.from], drawing.at[link.to]);
        if a.y > b.y {
            nails.reverse();
        }
        drawing.nails.push(simplified(a, &nails, b));
        drawing.labels.push(layers.labels[i].map(|v| {
            let line = y[layers.vertices[v].layer].line;
            pt(x[v] + LABEL_GAP, line - link.label.h / 2.0)
        }));
    }
    Some(drawing)
}

/// Removes nails that lie on the line between their neighbours.
fn simplified(a: Pt, nails: &[Pt], b: Pt) -> Vec<Pt> {
    let mut out: Vec<Pt> = Vec::new();
    for (i, &nail) in nails.iter().enumerate() {
        let before = out.last().copied().unwrap_or(a);
        let after = nails.get(i + 1).copied().unwrap_or(b);
        if distance_to_segment(nail, before, after) > 1.5 {
            out.push(nail);
        }
    }
    out
}

/// Returns the nodes in an order in which only back edges of a depth-first search point backwards.
fn depth_first(graph: &Graph) -> Vec<usize> {
    let next = successors(graph);
    let mut seen = vec![false; graph.nodes.len()];
    let mut finished = Vec::with_capacity(seen.len());
    for root in std::iter::once(graph.root).chain(0..seen.len()) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((v, i)) = stack.pop() {
            let Some(&w) = next[v].get(i) else {
                finished.push(v);
                continue;
            };
            stack.push((v, i + 1));
            if !std::mem::replace(&mut seen[w], true) {
                stack.push((w, 0));
            }
        }
    }
    finished.reverse();
    finished
}

fn breadth_first(graph: &Graph) -> Vec<usize> {
    let next = successors(graph);
    let mut seen = vec![false; graph.nodes.len()];
    let mut order: Vec<usize> = Vec::with_capacity(seen.len());
    for root in std::iter::once(graph.root).chain(0..seen.len()) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut from = order.len();
        order.push(root);
        while let Some(&v) = order.get(from) {
            from += 1;
            order.extend(next[v].iter().filter(|&&w| !std::mem::replace(&mut seen[w], true)));
        }
    }
    order
}

fn successors(graph: &Graph) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for link in &graph.links {
        next[link.from].push(link.to);
    }
    next
}

/// Returns the layer of each node when all edges follow `order`: as high as possible, then moved
/// closer to the neighbours.
fn ranks(graph: &Graph, order: &[usize]) -> Vec<usize> {
    let n = graph.nodes.len();
    let mut position = vec![0; n];
    order.iter().enumerate().for_each(|(i, &v)| position[v] = i);
    let (mut above, mut below) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for link in &graph.links {
        let (mut a, mut b) = (link.from, link.to);
        if position[a] > position[b] {
            std::mem::swap(&mut a, &mut b);
        }
        above[b].push(a);
        below[a].push(b);
    }
    let mut rank = vec![0usize; n];
    for &v in order {
        rank[v] = above[v].iter().map(|&u| rank[u] + 1).max().unwrap_or(0);
    }
    for _ in 0..8 {
        let mut changed = false;
        for &v in order.iter().rev() {
            let Some(high) = below[v].iter().map(|&w| rank[w] - 1).min() else { continue };
            let low = above[v].iter().map(|&u| rank[u] + 1).max().unwrap_or(0);
            // Moving down shortens the edges below and lengthens those above.
            let best = if below[v].len() > above[v].len() { high } else { low };
            changed |= v != graph.root && std::mem::replace(&mut rank[v], best) != best;
        }
        if !changed {
            break;
        }
    }
    let low = rank.iter().min().copied().unwrap_or(0);
    rank.iter().map(|r| r - low).collect()
}

impl Layers {
    fn new(graph: &Graph, order: &[usize]) -> Option<Layers> {
        let ranks = ranks(graph, order);
        let bands = ranks.iter().max().map_or(0, |r| r + 1);
        let stagger = stagger(graph, &ranks, bands);
        let stride = stagger + 1;
        let bends: usize = graph.links.iter().map(|l| ranks[l.from].abs_diff(ranks[l.to]) * stride).sum();
        if graph.nodes.len() + bends > MAX_VERTICES {
            return None;
        }
        let vertex =
            |(extent, rank): (&Extent, &usize)| Vertex { layer: rank * stride, extent: *extent, is_bend: false };
        let mut layers = Layers {
            vertices: graph.nodes.iter().zip(&ranks).map(vertex).collect(),
            rows: vec![Vec::new(); (bands.max(1) - 1) * stride + 1],
            up: vec![Vec::new(); graph.nodes.len()],
            down: vec![Vec::new(); graph.nodes.len()],
            chains: Vec::new(),
            labels: Vec::new(),
        };
        let mut labels_in_band = vec![0; bands];
        for link in &graph.links {
            let (a, b) = if ranks[link.from] < ranks[link.to] { (link.from, link.to) } else { (link.to, link.from) };
            let band = (ranks[a] + ranks[b] - 1) / 2;
            let label_layer = band * stride + 1 + labels_in_band[band] % stagger;
            labels_in_band[band] += usize::from(link.label.w > 0.0);
            layers.chain(a, b, label_layer, link.label);
        }
        layers.fill_rows(graph.root);
        Some(layers)
    }

    /// Routes lines that would cross neighbours of their node vertically out of the layer, with
    /// some distance between those of one node.
    fn add_ports(&self, graph: &Graph, at: &[Pt], y: &[LayerExtent], lines: &mut [Vec<Pt>]) {
        let mut ends: Vec<LineEnd> = Vec::with_capacity(2 * lines.len());
        for (edge, (link, line)) in graph.links.iter().zip(lines.iter()).enumerate() {
            let (upper, lower) =
                if at[link.from].y < at[link.to].y { (link.from, link.to) } else { (link.to, link.from) };
            let toward = line.first().copied().unwrap_or(at[lower]);
            ends.push(LineEnd { node: upper, below: true, toward, edge });
            let toward = line.last().copied().unwrap_or(at[upper]);
            ends.push(LineEnd { node: lower, below: false, toward, edge });
        }
        ends.sort_by(|a, b| a.node.cmp(&b.node).then(a.below.cmp(&b.below)).then(a.toward.x.total_cmp(&b.toward.x)));
        for ends in ends.chunk_by(|a, b| a.node == b.node) {
            let yields = self.labels_fit(at, ends);
            for group in ends.chunk_by(|a, b| a.below == b.below) {
                for (end, x) in self.ports(graph, at, group, yields) {
                    let row = y[self.vertices[end.node].layer];
                    // Far enough for the arrow head.
                    let far = |extent: f64| (extent + 3.0).max(RADIUS + 15.0);
                    if end.below {
                        lines[end.edge].insert(0, pt(x, row.line + far(row.down)));
                    } else {
                        lines[end.edge].push(pt(x, row.line - far(row.up)));
                    }
                }
            }
        }
    }

    /// Returns the lines on one side of a node that would cross its neighbours, each with the x
    /// coordinate at which it leaves the layer.
    fn ports<'e>(&self, graph: &Graph, at: &[Pt], ends: &'e [LineEnd], labels_yield: bool) -> Vec<(&'e LineEnd, f64)> {
        let needed = |end: &&LineEnd| self.crosses(at, end, labels_yield);
        let (center, side) = (at[ends[0].node].x, graph.sides[ends[0].node]);
        if side > ROUND_SIDE {
            // Below or above a box, as close to the other end as possible.
            let (low, high) = (center - side / 2.0, center + side / 2.0);
            let wanted: Vec<f64> = ends.iter().map(|end| end.toward.x.clamp(low, high)).collect();
            let all = ends.iter().zip(ports::spread(&wanted, PORT_GAP, low, high));
            return all.filter(|(end, _)| needed(end)).collect();
        }
        let few: Vec<&LineEnd> = ends.iter().filter(needed).collect();
        let (last, spread) = (few.len().max(2) as f64 - 1.0, (PORT_GAP * (few.len() as f64 - 1.0)).min(side));
        // To the left of a location, because its loops are on the right.
        few.into_iter().enumerate().map(|(i, end)| (end, center + spread * (i as f64 / last - 0.65))).collect()
    }

    /// Returns whether a node's labels fit on its right without crossing its lines: in the middle,
    /// above or below.
    fn labels_fit(&self, at: &[Pt], ends: &[LineEnd]) -> bool {
        let node = ends[0].node;
        let extent = self.vertices[node].extent;
        let mut beside = extent.around(at[node]);
        beside.min.x = at[node].x + NODE_HALF_WIDTH;
        let half = beside.height() / 2.0 + 1.0;
        extent.left < NODE_HALF_WIDTH
            && [0.0, -half, half].iter().any(|&by| {
                let shifted = Rect { min: beside.min + pt(0.0, by), max: beside.max + pt(0.0, by) };
                shifted.is_empty() || ends.iter().all(|end| shifted.length_inside(at[node], end.toward) == 0.0)
            })
    }

    /// Returns whether a line from a node would cross its neighbours in the layer.
    fn crosses(&self, at: &[Pt], end: &LineEnd, labels_yield: bool) -> bool {
        self.rows[self.vertices[end.node].layer].iter().filter(|&&v| !self.vertices[v].is_bend).any(|&v| {
            let mut all = self.vertices[v].extent.around(at[v]);
            if v == end.node {
                if labels_yield {
                    return false;
                }
                // Only the labels of the node itself on the line's side can be crossed.
                if end.toward.x > at[v].x {
                    all.min.x = at[v].x + NODE_HALF_WIDTH;
                } else {
                    all.max.x = at[v].x - NODE_HALF_WIDTH;
                }
            }
            !all.is_empty() && all.length_inside(at[end.node], end.toward) > 0.0
        })
    }

    /// Inserts the bends of an edge from `a` down to `b`.
    fn chain(&mut self, a: usize, b: usize, label_layer: usize, label: Size) {
        let mut chain = Vec::new();
        let mut label_at = None;
        let mut last = a;
        for layer in self.vertices[a].layer + 1..self.vertices[b].layer {
            let mut extent = Extent { left: BEND, right: BEND, up: 0.0, down: 0.0 };
            if layer == label_layer {
                label_at = Some(self.vertices.len());
                extent = Extent {
                    right: if label.w > 0.0 { LABEL_GAP + label.w } else { BEND },
                    up: label.h / 2.0,
                    down: label.h / 2.0,
                    ..extent
                };
            }
            let v = self.vertices.len();
            self.vertices.push(Vertex { layer, extent, is_bend: true });
            self.up.push(vec![last]);
            self.down.push(Vec::new());
            self.down[last].push(v);
            chain.push(v);
            last = v;
        }
        self.down[last].push(b);
        self.up[b].push(last);
        self.chains.push(chain);
        self.labels.push(label_at);
    }

    /// Sets the initial order: depth-first, so that connected vertices are close to each other.
    fn fill_rows(&mut self, root: usize) {
        let mut seen = vec![false; self.vertices.len()];
        for start in std::iter::once(root).chain(0..self.vertices.len()) {
            let mut stack = vec![start];
            while let Some(v) = stack.pop() {
                if std::mem::replace(&mut seen[v], true) {
                    continue;
                }
                self.rows[self.vertices[v].layer].push(v);
                stack.extend(self.up[v].iter().rev().filter(|&&w| !seen[w]));
                stack.extend(self.down[v].iter().rev().filter(|&&w| !seen[w]));
            }
        }
    }
}

/// Returns the number of layers for the labels between two ranks that keeps the drawing narrow.
fn stagger(graph: &Graph, ranks: &[usize], bands: usize) -> usize {
    let mut widths = vec![0.0f64; bands];
    for link in graph.links.iter().filter(|l| l.label.w > 0.0) {
        widths[(ranks[link.from] + ranks[link.to] - 1) / 2] += link.label.w + BEND + LABEL_GAP;
    }
    let widest = widths.iter().copied().fold(0.0, f64::max);
    ((widest / MAX_LABELS_WIDTH).ceil() as usize).clamp(1, 5)
}
