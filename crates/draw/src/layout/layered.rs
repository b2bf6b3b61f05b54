//! Layered drawings, after Sugiyama: every edge points down (but for those that close cycles), an edge that passes
//! layers gets a bend in each of them, and so does a label, which thereby has a place of its own.
//!
//! Steps: break cycles and rank the nodes; fill in bends; order each layer ([`super::order`]); place
//! ([`super::coordinates`]).

use super::{
    Drawing, Extent, Graph,
    coordinates::{self, Row},
    order,
};
use crate::{
    figure::RADIUS,
    geometry::{Pt, Rect, Size, distance_to_segment, pt},
};

/// Beyond this many nodes and bends a drawing takes too long, and nobody could read it.
const MOST_VERTICES: usize = 20_000;
/// Labels between two layers that need more room than this are staggered.
const WIDEST: f64 = 1100.0;
/// The distance of a label from its edge.
pub const LABEL_GAP: f64 = 5.0;
const BEND: f64 = 9.0;
/// A node's own half width: further out stand its labels.
const OWN: f64 = RADIUS + 3.0;

/// A node, or the bend of an edge in a layer that it passes.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub layer: usize,
    pub extent: Extent,
    pub is_bend: bool,
}

/// The graph with its bends: every line leads from one layer to the next.
pub struct Layers {
    pub vertices: Vec<Vertex>,
    /// The vertices of each layer, from left to right.
    pub rows: Vec<Vec<usize>>,
    /// Neighbours in the layer above.
    pub up: Vec<Vec<usize>>,
    /// Neighbours in the layer below.
    pub down: Vec<Vec<usize>>,
    /// The bends of each edge from top to bottom.
    pub chains: Vec<Vec<usize>>,
    /// The bend beside which an edge's label stands.
    labels: Vec<Option<usize>>,
}

/// Where a line meets a node.
struct End {
    node: usize,
    /// Whether the line is below the node.
    below: bool,
    /// The other end of the line's last piece.
    toward: Pt,
    edge: usize,
}

/// Draws a connected graph without loops; `None` if it is too large.
pub fn draw(graph: &Graph) -> Option<Drawing> {
    // A depth-first order keeps the flow of an automaton; a breadth-first order gives fewer layers, which may be what
    // makes a dense graph fit.
    let mut layers = [depth_first(graph), breadth_first(graph)].iter().find_map(|o| Layers::new(graph, o))?;
    order::minimise_crossings(&mut layers);
    let x = coordinates::horizontal(&layers);
    let y = coordinates::vertical(&layers, &x);
    let at = (0..graph.nodes.len()).map(|v| pt(x[v], y[layers.vertices[v].layer].line)).collect::<Vec<_>>();
    let mut drawing = Drawing { at, nails: Vec::new(), labels: Vec::new() };
    // The lines from top to bottom, to be turned round at the end where edges lead up.
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

/// Without the nails that a line passes through anyway.
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

/// The nodes such that an edge against the order closes a cycle of a depth-first search.
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

/// The layer of each node, all edges led along `order`: as high as possible first, then nearer to the neighbours.
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
            let Some(most) = below[v].iter().map(|&w| rank[w] - 1).min() else { continue };
            let least = above[v].iter().map(|&u| rank[u] + 1).max().unwrap_or(0);
            // Moving down shortens the edges below and lengthens those above.
            let best = if below[v].len() > above[v].len() { most } else { least };
            changed |= v != graph.root && std::mem::replace(&mut rank[v], best) != best;
        }
        if !changed {
            break;
        }
    }
    let least = rank.iter().min().copied().unwrap_or(0);
    rank.iter().map(|r| r - least).collect()
}

impl Layers {
    fn new(graph: &Graph, order: &[usize]) -> Option<Layers> {
        let ranks = ranks(graph, order);
        let bands = ranks.iter().max().map_or(0, |r| r + 1);
        let stagger = stagger(graph, &ranks, bands);
        let stride = stagger + 1;
        let bends: usize = graph.links.iter().map(|l| ranks[l.from].abs_diff(ranks[l.to]) * stride).sum();
        if graph.nodes.len() + bends > MOST_VERTICES {
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

    /// Leads lines that would cross what stands beside the nodes of their layer straight out of the layer first, those
    /// of one node a little apart.
    fn add_ports(&self, graph: &Graph, at: &[Pt], y: &[Row], lines: &mut [Vec<Pt>]) {
        let mut ends: Vec<End> = Vec::with_capacity(2 * lines.len());
        for (edge, (link, line)) in graph.links.iter().zip(lines.iter()).enumerate() {
            let (upper, lower) =
                if at[link.from].y < at[link.to].y { (link.from, link.to) } else { (link.to, link.from) };
            let toward = line.first().copied().unwrap_or(at[lower]);
            ends.push(End { node: upper, below: true, toward, edge });
            let toward = line.last().copied().unwrap_or(at[upper]);
            ends.push(End { node: lower, below: false, toward, edge });
        }
        ends.sort_by(|a, b| a.node.cmp(&b.node).then(a.below.cmp(&b.below)).then(a.toward.x.total_cmp(&b.toward.x)));
        for ends in ends.chunk_by(|a, b| a.node == b.node) {
            let yields = self.labels_can_yield(at, ends);
            let needed: Vec<&End> = ends.iter().filter(|end| self.crosses(at, end, yields)).collect();
            for group in needed.chunk_by(|a, b| a.below == b.below) {
                let spread = (9.0 * (group.len() as f64 - 1.0)).min(32.0);
                for (i, end) in group.iter().enumerate() {
                    // More to the left, because loops stand on the right.
                    let x = at[end.node].x + spread * (i as f64 / (group.len().max(2) - 1) as f64 - 0.65);
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

    /// Whether a node's labels find a place on its right that no line at the node crosses: in the middle, above or below.
    fn labels_can_yield(&self, at: &[Pt], ends: &[End]) -> bool {
        let node = ends[0].node;
        let extent = self.vertices[node].extent;
        let mut beside = extent.around(at[node]);
        beside.min.x = at[node].x + OWN;
        let half = beside.height() / 2.0 + 1.0;
        extent.left < OWN
            && [0.0, -half, half].iter().any(|&by| {
                let shifted = Rect { min: beside.min + pt(0.0, by), max: beside.max + pt(0.0, by) };
                shifted.is_empty() || ends.iter().all(|end| shifted.length_inside(at[node], end.toward) == 0.0)
            })
    }

    /// Whether a line from a node would cross what stands beside the nodes of its layer.
    fn crosses(&self, at: &[Pt], end: &End, labels_yield: bool) -> bool {
        self.rows[self.vertices[end.node].layer].iter().filter(|&&v| !self.vertices[v].is_bend).any(|&v| {
            let mut all = self.vertices[v].extent.around(at[v]);
            if v == end.node {
                if labels_yield {
                    return false;
                }
                // The node itself is where the line starts; only one side can be in its way.
                if end.toward.x > at[v].x {
                    all.min.x = at[v].x + OWN;
                } else {
                    all.max.x = at[v].x - OWN;
                }
            }
            !all.is_empty() && all.length_inside(at[end.node], end.toward) > 0.0
        })
    }

    /// Adds the bends of an edge from `a` down to `b`.
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

    /// A first order: depth-first, so that what hangs together stands together.
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

/// How many layers the labels between two ranks need, so that the drawing does not become too wide.
fn stagger(graph: &Graph, ranks: &[usize], bands: usize) -> usize {
    let mut widths = vec![0.0f64; bands];
    for link in graph.links.iter().filter(|l| l.label.w > 0.0) {
        widths[(ranks[link.from] + ranks[link.to] - 1) / 2] += link.label.w + BEND + LABEL_GAP;
    }
    let widest = widths.iter().copied().fold(0.0, f64::max);
    ((widest / WIDEST).ceil() as usize).clamp(1, 5)
}
