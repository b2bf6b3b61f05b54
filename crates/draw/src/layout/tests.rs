//! Properties of every automatic layout.

use syntax::{Format, Sources, Tree};

use super::{arrange, is_missing};
use crate::{
    COMPACT,
    figure::{Figure, RADIUS},
    geometry::Rect,
    label::Labels,
};

/// Returns a process with `n` locations and the given edges; every third location and every second
/// edge has labels.
fn model(n: usize, edges: &[(usize, usize)]) -> (Sources, Tree) {
    let states: Vec<String> =
        (0..n).map(|i| if i % 3 == 0 { format!("l{i} {{ x <= {i} }}") } else { format!("l{i}") }).collect();
    let edges: Vec<String> = edges
        .iter()
        .enumerate()
        .map(|(i, (a, b))| match i % 2 {
            0 => format!("l{a} -> l{b} {{ guard x >= {a} && y < {b}; sync c!; assign x = 0, y = {i}; }}"),
            _ => format!("l{a} -> l{b} {{ }}"),
        })
        .collect();
    let trans = if edges.is_empty() { String::new() } else { format!("trans {};", edges.join(", ")) };
    let text = format!(
        "clock x, y; chan c; process P() {{ state {}; init l0; {trans} }} system P;",
        if states.is_empty() { "l0".to_owned() } else { states.join(", ") }
    );
    let mut sources = Sources::new();
    let file = sources.add_file("m.xta", text);
    let (tree, diagnostics) = syntax::read_model(&mut sources, file, Format::Xta);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    (sources, tree)
}

/// Returns a deterministic source of numbers below its argument.
pub(crate) fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |n| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    }
}

fn random(n: usize, m: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut next = numbers(seed);
    (0..m).map(|_| (next(n), next(n))).collect()
}

/// Lays a model out, checks the properties of every layout, and returns the figure.
fn check(n: usize, edges: &[(usize, usize)]) -> (Labels, Figure) {
    let (sources, tree) = model(n, edges);
    let template = &tree.templates[0];
    assert!(is_missing(template));
    let labels = Labels::of(&tree, &sources, template, COMPACT);
    let figure = Figure::new(template, &labels, arrange(template, &labels));
    let again = Figure::new(template, &labels, arrange(template, &labels));
    assert_eq!(figure.nodes, again.nodes);
    assert_eq!(figure.nails, again.nails);
    assert_eq!(figure.edge_labels, again.edge_labels);
    assert_eq!(figure.location_labels, again.location_labels);

    let mut places: Vec<(i64, i64)> = figure.nodes.iter().map(|p| (p.x as i64, p.y as i64)).collect();
    places.sort_unstable();
    let all = places.len();
    places.dedup();
    assert_eq!(places.len(), all, "two nodes have the same position");
    let points = figure.nodes.iter().chain(figure.nails.iter().flatten());
    let points = points.chain(figure.edge_labels.iter().chain(&figure.location_labels).flatten());
    assert!(points.into_iter().all(|p| p.x.is_finite() && p.y.is_finite()));
    let mut paths: Vec<String> = (0..template.edges.len())
        .filter(|&e| edges[e].0 <= edges[e].1)
        .map(|e| format!("{:?}", figure.path(template, e)))
        .collect();
    paths.sort_unstable();
    let all = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), all, "two edges have the same line");
    (labels, figure)
}

/// Returns the boxes of labels, each reduced by a pixel on all sides, because positions are
/// rounded.
fn boxes(labels: &Labels, figure: &Figure) -> Vec<Rect> {
    let edges = labels.edges.iter().zip(&figure.edge_labels);
    edges.flat_map(|(l, p)| l.iter().zip(p)).map(|(l, &p)| Rect::at(p, l.size).grown(-1.0)).collect()
}

fn check_room(n: usize, edges: &[(usize, usize)]) {
    let (labels, figure) = check(n, edges);
    let boxes = boxes(&labels, &figure);
    for (i, a) in boxes.iter().enumerate() {
        let covered = boxes[..i].iter().find(|b| a.overlap(b) > 0.0);
        assert!(covered.is_none(), "labels of edges cover each other: {a:?} {covered:?}");
        let on_node = figure.nodes.iter().any(|&v| a.overlap(&Rect::around(v, RADIUS)) > 0.0);
        assert!(!on_node, "a label covers a location");
    }
    for (i, &v) in figure.nodes.iter().enumerate() {
        assert!(figure.nodes[..i].iter().all(|&w| (v - w).length() > 2.0 * RADIUS), "locations overlap");
    }
}

#[test]
fn small_graphs_have_no_overlaps() {
    check_room(0, &[]);
    check_room(1, &[]);
    check_room(1, &[(0, 0), (0, 0), (0, 0)]);
    check_room(3, &[[(0, 0); 12].as_slice(), &[(1, 1); 40], &[(0, 1), (1, 2), (2, 0)]].concat());
    check_room(2, &[(0, 1), (0, 1), (1, 0), (0, 1), (0, 0), (1, 1)]);
    check_room(3, &[(0, 1), (1, 2), (2, 0)]);
    check_room(7, &[(0, 1), (2, 3), (3, 2), (5, 5)]);
    // Locations with edges to the initial one, and unreachable ones.
    check_room(6, &[(3, 0), (4, 3), (5, 1), (0, 1), (2, 1)]);
    check_room(40, &(1..40).map(|i| (0, i)).collect::<Vec<_>>());
    check_room(60, &(1..60).map(|i| (i - 1, i)).collect::<Vec<_>>());
    check_room(8, &(0..64).map(|i| (i / 8, i % 8)).collect::<Vec<_>>());
}

#[test]
fn random_graphs_have_no_overlaps() {
    for seed in 0..12 {
        check_room(12, &random(12, 22, seed));
        check_room(30, &random(30, 60, seed));
    }
}

#[test]
fn large_graphs_are_drawn_coarsely_but_completely() {
    check(300, &random(300, 700, 1));
    check(500, &random(500, 2000, 2));
    check(3000, &(1..3000).map(|i| (i / 2, i)).collect::<Vec<_>>());
    check(30_000, &(1..30_000).map(|i| (i - 1, i)).collect::<Vec<_>>());
    check(2, &(0..3000).map(|i| (i % 2, (i / 2) % 2)).collect::<Vec<_>>());
}
