//! Assigns coordinates to ordered layers.

use super::layered::Layers;
use crate::geometry::{Pt, pt};

const SWEEPS: usize = 30;
/// The least distance between two boxes of a layer.
const GAP: f64 = 14.0;
/// A bend smaller than this is straightened where possible.
const MAX_STRAIGHTENED: f64 = 25.0;

/// Computes the x coordinate of each vertex.
///
/// In sweeps down and up, each layer is fitted to its neighbours: the weighted sum of squared
/// distances is minimised subject to the order and the distances of boxes. Segments between bends
/// have the greatest weight, so that long edges become straight.
pub(super) fn horizontal(layers: &Layers) -> Vec<f64> {
    let mut x = vec![0.0; layers.vertices.len()];
    for row in &layers.rows {
        let mut at = 0.0;
        for (i, &v) in row.iter().enumerate() {
            if i > 0 {
                at += separation(layers, row[i - 1], v);
            }
            x[v] = at;
        }
        row.iter().for_each(|&v| x[v] -= at / 2.0);
    }
    let count = layers.rows.len();
    for sweep in 0..SWEEPS {
        let both = sweep + 6 >= SWEEPS;
        for i in 0..count {
            let down = sweep % 2 == 0;
            let row = &layers.rows[if down { i } else { count - 1 - i }];
            let targets: Vec<(f64, f64)> =
                row.iter().map(|&v| target(layers, &x, v, both || down, both || !down)).collect();
            fit(layers, row, &targets, &mut x);
        }
    }
    straighten(layers, &mut x);
    x
}

fn separation(layers: &Layers, left: usize, right: usize) -> f64 {
    layers.vertices[left].extent.right + GAP + layers.vertices[right].extent.left
}

/// Returns the desired position of a vertex with its weight.
fn target(layers: &Layers, x: &[f64], v: usize, up: bool, down: bool) -> (f64, f64) {
    let above = layers.up[v].iter().filter(|_| up);
    let below = layers.down[v].iter().filter(|_| down);
    let (mut sum, mut weight) = (0.0, 0.0);
    for &w in above.chain(below) {
        let k = match (layers.vertices[v].is_bend, layers.vertices[w].is_bend) {
            (true, true) => 8.0,
            (true, false) | (false, true) => 2.0,
            (false, false) => 1.0,
        };
        sum += k * x[w];
        weight += k;
    }
    if weight == 0.0 { (x[v], 0.01) } else { (sum / weight, weight) }
}

/// Solves least squares with fixed order and distances: isotonic regression by pooling adjacent
/// violators.
fn fit(layers: &Layers, row: &[usize], targets: &[(f64, f64)], x: &mut [f64]) {
    // Pools: (weighted sum, weight, number of vertices).
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    let mut offsets = Vec::with_capacity(row.len());
    let mut offset = 0.0;
    for (i, &(target, weight)) in targets.iter().enumerate() {
        if i > 0 {
            offset += separation(layers, row[i - 1], row[i]);
        }
        offsets.push(offset);
        let mut pool = ((target - offset) * weight, weight, 1);
        while let Some(&(sum, w, n)) = pools.last() {
            if sum / w <= pool.0 / pool.1 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + w, pool.2 + n);
            pools.pop();
        }
        pools.push(pool);
    }
    let mut i = 0;
    for (sum, weight, n) in pools {
        for _ in 0..n {
            x[row[i]] = sum / weight + offsets[i];
            i += 1;
        }
    }
}

/// Removes small bends that averaging leaves: edges, and nodes with one of their bends, are aligned
/// where there is room.
fn straighten(layers: &Layers, x: &mut [f64]) {
    let mut place = vec![0; layers.vertices.len()];
    layers.rows.iter().for_each(|row| row.iter().enumerate().for_each(|(i, &v)| place[v] = i));
    let room = |x: &[f64], v: usize| {
        let row = &layers.rows[layers.vertices[v].layer];
        let i = place[v];
        let low = if i > 0 { x[row[i - 1]] + separation(layers, row[i - 1], v) } else { f64::NEG_INFINITY };
        let high = row.get(i + 1).map_or(f64::INFINITY, |&w| x[w] - separation(layers, v, w));
        (low, high)
    };
    for _ in 0..3 {
        for chain in &layers.chains {
            let mut from = 0;
            while from < chain.len() {
                // The longest run from here that fits on one line.
                let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
                let mut to = from;
                while let Some(&v) = chain.get(to) {
                    let (l, m) = room(x, v);
                    if low.max(l) > high.min(m) {
                        break;
                    }
                    (low, high) = (low.max(l), high.min(m));
                    to += 1;
                }
                if to > from {
                    align(layers, &chain[from..to], low, high, x);
                }
                // Rounding may leave a vertex no room at all; then it stays.
                from = to.max(from + 1);
            }
        }
        for &v in layers.rows.iter().flatten().filter(|&&v| !layers.vertices[v].is_bend) {
            let (low, high) = room(x, v);
            let fits = |w: &f64| *w >= low && *w <= high && (w - x[v]).abs() < MAX_STRAIGHTENED;
            let neighbours = layers.up[v].iter().chain(&layers.down[v]).map(|&w| x[w]).filter(fits);
            let nearest = neighbours.min_by(|a, b| (a - x[v]).abs().total_cmp(&(b - x[v]).abs()));
            // A node with a single upper neighbour is aligned with it.
            let above = Some(&layers.up[v]).filter(|up| up.len() == 1).map(|up| x[up[0]]).filter(fits);
            if let Some(to) = above.or(nearest) {
                x[v] = to;
            }
        }
    }
}

/// Aligns a run of bends with the vertex above or below it, if that is close.
fn align(layers: &Layers, run: &[usize], low: f64, high: f64, x: &mut [f64]) {
    let mean = run.iter().map(|&v| x[v]).sum::<f64>() / run.len() as f64;
    let ends = [layers.up[run[0]][0], layers.down[run[run.len() - 1]][0]];
    let near = ends.iter().map(|&e| x[e]).find(|e| *e >= low && *e <= high && (e - mean).abs() < MAX_STRAIGHTENED);
    let to = near.unwrap_or(mean.clamp(low, high));
    run.iter().for_each(|&v| x[v] = to);
}

/// The vertical extent of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerExtent {
    /// The y coordinate of its vertices.
    pub line: f64,
    /// The extent above this line.
    pub up: f64,
    /// The extent below this line.
    pub down: f64,
}

impl LayerExtent {
    /// Returns a vertical segment through the layer, which crosses nothing in it.
    pub(super) fn through(&self, x: f64) -> [Pt; 2] {
        [pt(x, self.line - self.up), pt(x, self.line + self.down)]
    }
}

/// Computes the vertical extent of each layer. Layers with long horizontal lines between them are
/// farther apart, so that lines are not too flat.
pub(super) fn vertical(layers: &Layers, x: &[f64]) -> Vec<LayerExtent> {
    let mut rows: Vec<LayerExtent> = Vec::with_capacity(layers.rows.len());
    for (i, row) in layers.rows.iter().enumerate() {
        let up = row.iter().map(|&v| layers.vertices[v].extent.up).fold(0.0, f64::max);
        let down = row.iter().map(|&v| layers.vertices[v].extent.down).fold(0.0, f64::max);
        let line = match rows.last() {
            Some(last) => {
                let widest = layers.rows[i - 1]
                    .iter()
                    .flat_map(|&v| layers.down[v].iter().map(move |&w| (x[v] - x[w]).abs()))
                    .fold(0.0, f64::max);
                last.line + last.down + (widest * 0.15).clamp(20.0, 90.0) + up
            }
            None => up,
        };
        rows.push(LayerExtent { line, up, down });
    }
    rows
}
