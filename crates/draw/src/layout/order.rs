//! Orders the vertices of each layer to reduce crossings, by barycentres and by swapping
//! neighbours.

use super::layered::Layers;

const SWEEPS: usize = 24;
/// Swapping neighbours considers every pair of their lines; it is skipped beyond this many
/// vertices.
const MAX_FOR_SWAPS: usize = 3000;

/// Reorders the rows and keeps the best order found.
pub(super) fn minimise_crossings(layers: &mut Layers) {
    let mut position = vec![0; layers.vertices.len()];
    let note = |rows: &[Vec<usize>], position: &mut Vec<usize>| {
        rows.iter().for_each(|row| row.iter().enumerate().for_each(|(i, &v)| position[v] = i));
    };
    note(&layers.rows, &mut position);
    let mut best = (crossings(layers, &position), layers.rows.clone());
    let mut idle = 0;
    for sweep in 0..SWEEPS {
        if best.0 == 0 || idle == 6 {
            break;
        }
        let down = sweep % 2 == 0;
        let count = layers.rows.len();
        for i in 0..count {
            let row = if down { i } else { count - 1 - i };
            let neighbours = if down { &layers.up } else { &layers.down };
            by_barycentre(&mut layers.rows[row], neighbours, &mut position);
        }
        if layers.vertices.len() <= MAX_FOR_SWAPS {
            swap_neighbours(layers, &mut position);
        }
        let now = crossings(layers, &position);
        idle += 1;
        if now < best.0 {
            best = (now, layers.rows.clone());
            idle = 0;
        }
    }
    layers.rows = best.1;
}

/// Sorts a row by the mean position of neighbours; vertices without neighbours keep their
/// positions.
fn by_barycentre(row: &mut [usize], neighbours: &[Vec<usize>], position: &mut [usize]) {
    let slots: Vec<usize> = (0..row.len()).filter(|&i| !neighbours[row[i]].is_empty()).collect();
    let mut movable: Vec<(f64, usize)> = slots
        .iter()
        .map(|&i| {
            let all = &neighbours[row[i]];
            let sum: usize = all.iter().map(|&u| position[u]).sum();
            (sum as f64 / all.len() as f64, row[i])
        })
        .collect();
    // A stable sort, so that vertices with equal means keep their order.
    movable.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (&slot, (_, v)) in slots.iter().zip(movable) {
        row[slot] = v;
    }
    row.iter().enumerate().for_each(|(i, &v)| position[v] = i);
}

fn swap_neighbours(layers: &mut Layers, position: &mut [usize]) {
    for _ in 0..4 {
        let mut improved = false;
        for row in &mut layers.rows {
            for i in 1..row.len() {
                let (a, b) = (row[i - 1], row[i]);
                let cost = |a: usize, b: usize| {
                    pairs(&layers.up[a], &layers.up[b], position) + pairs(&layers.down[a], &layers.down[b], position)
                };
                if cost(b, a) < cost(a, b) {
                    row.swap(i - 1, i);
                    position[a] = i;
                    position[b] = i - 1;
                    improved = true;
                }
            }
        }
        if !improved {
            break;
        }
    }
}

/// Counts the crossings of lines to `left` with lines to `right`, if their vertices are in this
/// order.
fn pairs(left: &[usize], right: &[usize], position: &[usize]) -> usize {
    left.iter().map(|&l| right.iter().filter(|&&r| position[r] < position[l]).count()).sum()
}

/// Counts all crossings as inversions between adjacent layers.
fn crossings(layers: &Layers, position: &[usize]) -> usize {
    let mut total = 0;
    for (row, next) in layers.rows.iter().zip(layers.rows.iter().skip(1)) {
        // A Fenwick tree over the positions of the next layer.
        let mut tree = vec![0usize; next.len() + 1];
        let mut added = 0;
        for &v in row {
            let mut ends: Vec<usize> = layers.down[v].iter().map(|&w| position[w]).collect();
            ends.sort_unstable();
            for &end in &ends {
                let (mut i, mut not_right) = (end + 1, 0);
                while i > 0 {
                    not_right += tree[i];
                    i &= i - 1;
                }
                total += added - not_right;
            }
            for end in ends {
                let mut i = end + 1;
                while i < tree.len() {
                    tree[i] += 1;
                    i += i & i.wrapping_neg();
                }
                added += 1;
            }
        }
    }
    total
}
