//! Corrects lines that would be invisible: overlapping straight edges, and loops without nails.

use std::f64::consts::{FRAC_PI_2, TAU};

use rustc_hash::FxHashMap;
use syntax::ast::Template;

use crate::{
    figure::{RADIUS, ends},
    geometry::{Pt, pt},
};

/// Half the angle of a loop.
const SPREAD: f64 = 0.3;
/// The number of lines at a node from which gaps between them are not searched for.
const MAX_LINES_FOR_GAPS: usize = 200;

/// Bends straight edges between the same two nodes apart.
pub(crate) fn separate_parallels(template: &Template, nodes: &[Pt], nails: &mut [Vec<Pt>]) {
    let mut groups: FxHashMap<(usize, usize), Vec<usize>> = FxHashMap::default();
    for e in (0..nails.len()).filter(|&e| nails[e].is_empty()) {
        let (a, b) = ends(template, e);
        if a != b {
            groups.entry((a.min(b), a.max(b))).or_default().push(e);
        }
    }
    for ((a, b), edges) in groups.into_iter().filter(|(_, edges)| edges.len() > 1) {
        let (from, to) = (nodes[a], nodes[b]);
        let side = (to - from).unit().rotated();
        let apart = ((to - from).length() / 6.0).clamp(10.0, 28.0);
        for (i, &e) in edges.iter().enumerate() {
            let offset = (i as f64 - (edges.len() - 1) as f64 / 2.0) * apart;
            nails[e].push(((from + to) * 0.5 + side * offset).rounded());
        }
    }
}

/// Draws loops without nails into the widest gap between the lines and labels at their node.
pub(crate) fn open_loops(template: &Template, nodes: &[Pt], labels: &[Vec<Pt>], nails: &mut [Vec<Pt>]) {
    for (e, nails) in nails.iter_mut().enumerate() {
        let (a, b) = ends(template, e);
        // A loop with one nail would overlap itself.
        if let (true, [nail]) = (a == b, &nails[..]) {
            let side = (*nail - nodes[a]).unit().rotated() * 9.0;
            *nails = vec![*nail - side, *nail + side];
        }
    }
    let bare: Vec<usize> = (0..nails.len())
        .filter(|&e| {
            let (a, b) = ends(template, e);
            // Nails inside the circle are invisible.
            a == b && nails[e].iter().all(|&n| (n - nodes[a]).length() < RADIUS * 1.2)
        })
        .collect();
    let mut angles: FxHashMap<usize, Vec<f64>> = FxHashMap::default();
    for &e in &bare {
        nails[e].clear();
        let node = ends(template, e).0;
        let labels = labels.get(node).into_iter().flatten();
        angles.entry(node).or_insert_with(|| labels.map(|&p| angle(p - nodes[node])).collect());
    }
    if bare.is_empty() {
        return;
    }
    for (e, nails) in nails.iter().enumerate() {
        let (a, b) = ends(template, e);
        let (first, last) = (nails.first().copied(), nails.last().copied());
        if a == b && first.is_none() {
            continue;
        }
        for (node, toward) in [(a, first.unwrap_or(nodes[b])), (b, last.unwrap_or(nodes[a]))] {
            angles.entry(node).and_modify(|list| list.push(angle(toward - nodes[node])));
        }
    }
    for e in bare {
        let node = ends(template, e).0;
        let list = angles.entry(node).or_default();
        let middle =
            if list.len() < MAX_LINES_FOR_GAPS { widest_gap(list) } else { (list.len() as f64 * 2.4).rem_euclid(TAU) };
        let turn = |by: f64| nodes[node] + pt((middle + by).cos(), (middle + by).sin()) * (RADIUS + 32.0);
        nails[e] = vec![turn(-SPREAD).rounded(), turn(SPREAD).rounded()];
        list.extend([middle - SPREAD, middle + SPREAD].map(|a| a.rem_euclid(TAU)));
    }
}

fn angle(d: Pt) -> f64 {
    d.y.atan2(d.x).rem_euclid(TAU)
}

/// Returns the middle of the widest gap between angles; upwards if there are none.
fn widest_gap(angles: &mut [f64]) -> f64 {
    angles.sort_by(f64::total_cmp);
    let next = angles.iter().skip(1).copied().chain(angles.first().map(|a| a + TAU));
    let mut best = (0.0, -FRAC_PI_2);
    for (&a, b) in angles.iter().zip(next) {
        if b - a > best.0 + 1e-6 {
            best = (b - a, (a + b) / 2.0);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_gap_may_contain_angle_zero() {
        assert_eq!(widest_gap(&mut []), -FRAC_PI_2);
        let near = |a: f64, b: f64| (a - b).cos() > 1.0 - 1e-9;
        assert!(near(widest_gap(&mut [1.0]), 1.0 + TAU / 2.0));
        assert!(near(widest_gap(&mut [5.5, 1.0, 2.0, 3.0]), 4.25));
        assert!(near(widest_gap(&mut [4.0, 2.0, 3.0]), 3.0 + TAU / 2.0));
    }
}
