//! A linear-time layout for graphs that are too large for [`super::layered`]: rows by distance from
//! the root.

use super::{Drawing, Graph};
use crate::geometry::{Pt, pt};

const GAP: f64 = 30.0;

/// Draws any graph.
pub(super) fn draw(graph: &Graph) -> Drawing {
    let n = graph.nodes.len();
    let mut neighbours = vec![Vec::new(); n];
    for link in &graph.links {
        neighbours[link.from].push(link.to);
        neighbours[link.to].push(link.from);
    }
    // The widest row makes the picture about square.
    let area: f64 = graph.nodes.iter().map(|e| (e.left + e.right + GAP) * (e.up + e.down + GAP)).sum();
    let widest = area.sqrt().max(1000.0);
    let lines = graph.links.len();
    let mut drawing = Drawing { at: vec![Pt::default(); n], nails: vec![Vec::new(); lines], labels: vec![None; lines] };
    let mut seen = vec![false; n];
    let mut top = 0.0;
    let mut ranks: Vec<usize> = Vec::new();
    for root in std::iter::once(graph.root).chain(0..n).filter(|r| *r < n) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        ranks.push(root);
        while !ranks.is_empty() {
            top = row(graph, &ranks, widest, top, &mut drawing.at);
            let here = std::mem::take(&mut ranks);
            for v in here {
                ranks.extend(neighbours[v].iter().filter(|&&w| !std::mem::replace(&mut seen[w], true)));
            }
        }
    }
    drawing
}

/// Places nodes side by side, in several lines if necessary. Returns the top of the next row.
fn row(graph: &Graph, nodes: &[usize], widest: f64, mut top: f64, at: &mut [Pt]) -> f64 {
    let mut from = 0;
    while from < nodes.len() {
        let mut width = 0.0;
        let mut to = from;
        while to < nodes.len() && (to == from || width < widest) {
            width += graph.nodes[nodes[to]].left + graph.nodes[nodes[to]].right + GAP;
            to += 1;
        }
        let line = &nodes[from..to];
        let up = line.iter().map(|&v| graph.nodes[v].up).fold(0.0, f64::max);
        let down = line.iter().map(|&v| graph.nodes[v].down).fold(0.0, f64::max);
        let mut x = 0.0;
        for &v in line {
            x += graph.nodes[v].left;
            at[v] = pt(x, top + up);
            x += graph.nodes[v].right + GAP;
        }
        top += up + down + 2.0 * GAP;
        from = to;
    }
    top
}
