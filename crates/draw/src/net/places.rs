//! Where an editor draws the elements of a net.

use std::collections::BTreeMap;

use super::{
    ArcStyle, Line,
    svg::{arranged, plain, texts},
};
use crate::{
    geometry::{Pt, Size, pt},
    layout::{Drawing, Extent},
    ports::Shape,
    text,
};

/// The radius of a place, and half of the side of a transition, in an editor.
const RADIUS: f64 = 12.0 * SCALE;
/// What texts are measured in, by the size that an editor gives them.
const SCALE: f64 = text::FONT / 13.0;
/// The distance between a node and its caption.
const GAP: f64 = 6.0 * SCALE;
/// The distance of lines between the same nodes.
const APART: f64 = 26.0 * SCALE;
/// The most nodes of a net whose lines avoid nodes.
const MAX_AVOIDED: usize = 1000;
/// The distance between a line and its label.
const ASIDE: f64 = 3.0;

/// A place or a transition to be drawn.
#[derive(Clone, Debug)]
pub struct NetShape {
    /// Whether it is a place.
    pub is_place: bool,
    /// The lines beside it.
    pub caption: Vec<String>,
    /// Its centre, if it is given.
    pub at: Option<(i32, i32)>,
}

/// An arc to be drawn.
#[derive(Clone, Debug)]
pub struct NetLine {
    /// The number of the node where it begins.
    pub from: usize,
    /// The number of the node where it ends.
    pub to: usize,
    /// The text at it.
    pub label: String,
}

/// Where the elements of a net are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetLayout {
    /// Whether all nodes are where they were given.
    pub is_placed: bool,
    /// The centres of the nodes.
    pub nodes: Vec<(i32, i32)>,
    /// The upper left corners of their captions.
    pub captions: Vec<(i32, i32)>,
    /// The bends of the lines.
    pub bends: Vec<Vec<(i32, i32)>>,
    /// The upper left corners of the labels of lines that have one.
    pub labels: Vec<Option<(i32, i32)>>,
}

/// Returns where an editor draws a net: at the positions that are given if all are, or else by the
/// automatic layout.
#[must_use]
pub fn net_layout(nodes: &[NetShape], lines: &[NetLine]) -> NetLayout {
    if nodes.is_empty() {
        return NetLayout { is_placed: true, ..NetLayout::default() };
    }
    let shape = |node: &NetShape| match node.is_place {
        true => Shape::Circle(RADIUS),
        false => Shape::Box(Size { w: 2.0 * RADIUS, h: 2.0 * RADIUS }),
    };
    let shapes: Vec<Shape> = nodes.iter().map(shape).collect();
    let lines: Vec<Line> = lines
        .iter()
        .map(|line| Line { from: line.from, to: line.to, kind: ArcStyle::Plain, label: line.label.clone() })
        .collect();
    let given: Option<Vec<Pt>> = nodes.iter().map(|node| node.at.map(|at| Pt::from(at) * SCALE)).collect();
    let is_placed = given.is_some();
    let mut drawing = match given {
        Some(at) => Drawing { nails: apart(&at, &lines), at, labels: Vec::new() },
        None => {
            let extent = |node: &NetShape| {
                let size = plain(&node.caption);
                let half = RADIUS.max(size.h / 2.0);
                Extent { left: RADIUS, right: RADIUS + GAP + size.w, up: half, down: half }
            };
            let extents: Vec<Extent> = nodes.iter().map(extent).collect();
            arranged(&extents, &shapes, &lines)
        }
    };
    // As an editor draws the lines: from centre to centre.
    let path = |(line, nails): (&Line, &Vec<Pt>)| -> Vec<Pt> {
        let ends = [drawing.at[line.from], drawing.at[line.to]];
        [ends[0]].into_iter().chain(nails.iter().copied()).chain([ends[1]]).collect()
    };
    let paths: Vec<Vec<Pt>> = lines.iter().zip(&drawing.nails).map(path).collect();
    drawing.labels = lines.iter().zip(&paths).map(|(line, path)| beside(line, path)).collect();
    let outlines: Vec<(Pt, Shape)> = drawing.at.iter().copied().zip(shapes).collect();
    let captions: Vec<Vec<String>> = nodes.iter().map(|node| node.caption.clone()).collect();
    let texts = texts(&outlines, &captions, &lines, &paths, &drawing);
    // The layout begins anywhere.
    let corner = match is_placed {
        true => pt(0.0, 0.0),
        false => drawing.at.iter().fold(pt(f64::MAX, f64::MAX), |a, b| pt(a.x.min(b.x), a.y.min(b.y))) - pt(60.0, 60.0),
    };
    let point = |at: Pt| {
        let at = (at - corner) * (1.0 / SCALE);
        (at.x.round() as i32, at.y.round() as i32)
    };
    NetLayout {
        is_placed,
        nodes: drawing.at.iter().map(|&at| point(at)).collect(),
        captions: texts.captions.iter().map(|&at| point(at)).collect(),
        bends: drawing.nails.iter().map(|nails| nails.iter().map(|&at| point(at)).collect()).collect(),
        labels: texts.weights.iter().map(|at| at.map(point)).collect(),
    }
}

/// Returns the bend of a line that would cross another node.
fn around(at: &[Pt], line: &Line) -> Vec<Pt> {
    if at.len() > MAX_AVOIDED {
        return Vec::new();
    }
    let (a, b) = (at[line.from], at[line.to]);
    let along = b - a;
    let square = along.x * along.x + along.y * along.y;
    let side = normal(along);
    let hit = (0..at.len()).filter(|&v| v != line.from && v != line.to).find_map(|v| {
        let to = at[v] - a;
        let share = (to.x * along.x + to.y * along.y) / square.max(1.0);
        let away = to.x * side.x + to.y * side.y;
        (0.0 < share && share < 1.0 && away.abs() < RADIUS + 3.0).then_some((v, away))
    });
    // On the side where there is more room.
    hit.map(|(v, away)| at[v] + side * (if away > 0.0 { -2.5 * RADIUS } else { 2.5 * RADIUS })).into_iter().collect()
}

/// Returns bends for lines between the same nodes, which would coincide.
fn apart(at: &[Pt], lines: &[Line]) -> Vec<Vec<Pt>> {
    let mut groups: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (i, line) in lines.iter().enumerate() {
        groups.entry((line.from.min(line.to), line.from.max(line.to))).or_default().push(i);
    }
    let mut bends: Vec<Vec<Pt>> = lines.iter().map(|line| around(at, line)).collect();
    for ((a, b), group) in groups.into_iter().filter(|(_, group)| group.len() > 1) {
        let (middle, side) = ((at[a] + at[b]) * 0.5, normal(at[b] - at[a]));
        for (k, &i) in group.iter().enumerate().filter(|(_, i)| bends[**i].is_empty()).collect::<Vec<_>>() {
            let aside = (k as f64 - (group.len() as f64 - 1.0) / 2.0) * APART;
            bends[i] = vec![middle + side * aside];
        }
    }
    bends
}

/// Returns a direction of length 1 that is at a right angle.
fn normal(along: Pt) -> Pt {
    let length = along.x.hypot(along.y).max(1.0);
    pt(-along.y / length, along.x / length)
}

/// Returns the upper left corner of the label of a line, which is above the middle of its path.
fn beside(line: &Line, path: &[Pt]) -> Option<Pt> {
    if line.label.is_empty() || path.len() < 2 {
        return None;
    }
    let i = (path.len() - 1) / 2;
    // A path with one bend has its middle there.
    let (a, b, middle) = match path {
        [a, bend, b] => (*a, *b, *bend),
        _ => (path[i], path[i + 1], (path[i] + path[i + 1]) * 0.5),
    };
    let size = plain(std::slice::from_ref(&line.label));
    let side = normal(b - a);
    let side = if side.y > 0.0 { side * -1.0 } else { side };
    let extent = side.x.abs() * size.w / 2.0 + side.y.abs() * size.h / 2.0;
    Some(middle + side * (extent + ASIDE) - pt(size.w / 2.0, size.h / 2.0))
}
