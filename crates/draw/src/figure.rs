//! The complete geometry of a template: given positions, and chosen ones where the model has none.

use syntax::ast::{Endpoint, Template};

use crate::{
    field::Field,
    geometry::{Pt, Rect, Size, along, pt},
    label::{Label, Labels, stacked},
    lines,
    ports::{self, Shape},
};

/// The radius of a location.
pub(crate) const RADIUS: f64 = 12.0;
/// The radius of a branchpoint.
const BRANCHPOINT: f64 = 4.0;
/// The number of nodes and edges beyond which labels are not placed by cost.
pub(crate) const MAX_OPTIMISED: usize = 4000;

/// The known positions of a figure.
pub(crate) struct Placement {
    /// Positions of locations, then branchpoints.
    pub nodes: Vec<Option<Pt>>,
    pub nails: Vec<Vec<Pt>>,
    pub location_labels: Vec<Vec<Option<Pt>>>,
    pub edge_labels: Vec<Vec<Option<Pt>>>,
}

impl Placement {
    /// Creates a placement without positions.
    pub(crate) fn empty(template: &Template, labels: &Labels) -> Placement {
        let unknown = |labels: &[Vec<Label>]| labels.iter().map(|l| vec![None; l.len()]).collect();
        Placement {
            nodes: vec![None; template.locations.len() + template.branchpoints.len()],
            nails: vec![Vec::new(); template.edges.len()],
            location_labels: unknown(&labels.locations),
            edge_labels: unknown(&labels.edges),
        }
    }

    /// Reads the positions from the template.
    pub(crate) fn given(template: &Template, labels: &Labels) -> Placement {
        let find = |layout: &syntax::ast::Layout, labels: &[Label]| {
            let place = |l: &Label| layout.labels.iter().rfind(|p| p.kind == l.kind.xml()).map(|p| p.at.into());
            labels.iter().map(place).collect()
        };
        let layouts = template.locations.iter().map(|l| &l.layout);
        Placement {
            nodes: layouts
                .clone()
                .chain(template.branchpoints.iter().map(|b| &b.layout))
                .map(|l| l.at.map(Pt::from))
                .collect(),
            nails: template.edges.iter().map(|e| e.layout.nails.iter().map(|&p| p.into()).collect()).collect(),
            location_labels: layouts.zip(&labels.locations).map(|(l, labels)| find(l, labels)).collect(),
            edge_labels: template.edges.iter().zip(&labels.edges).map(|(e, l)| find(&e.layout, l)).collect(),
        }
    }
}

/// The positions of all elements of a template.
pub(crate) struct Figure {
    /// Positions of locations, then branchpoints.
    pub nodes: Vec<Pt>,
    /// The bends of each edge.
    pub nails: Vec<Vec<Pt>>,
    /// The upper left corners of the locations' labels.
    pub location_labels: Vec<Vec<Pt>>,
    /// The upper left corners of the edges' labels.
    pub edge_labels: Vec<Vec<Pt>>,
}

/// Returns the nodes at the ends of an edge.
pub(crate) fn ends(template: &Template, edge: usize) -> (usize, usize) {
    let node = |e: Endpoint| match e {
        Endpoint::Location(i) => i as usize,
        Endpoint::Branchpoint(i) => template.locations.len() + i as usize,
    };
    (node(template.edges[edge].source), node(template.edges[edge].target))
}

/// Returns the radius of a node.
pub(crate) fn radius(template: &Template, node: usize) -> f64 {
    if node < template.locations.len() { RADIUS } else { BRANCHPOINT }
}

impl Figure {
    /// Completes a placement.
    pub(crate) fn new(template: &Template, labels: &Labels, mut known: Placement) -> Figure {
        let nodes = fill_nodes(&known.nodes);
        let mut nails = std::mem::take(&mut known.nails);
        let label_centers: Vec<Vec<Pt>> = labels.locations.iter().zip(&known.location_labels).map(centers).collect();
        lines::separate_parallels(template, &nodes, &mut nails);
        lines::open_loops(template, &nodes, &label_centers, &mut nails);
        separate_ends(template, &nodes, &mut nails);
        let mut figure = Figure { nodes, nails, location_labels: Vec::new(), edge_labels: Vec::new() };
        let mut field = figure.field(template);
        if let Some(field) = &mut field {
            let locations = labels.locations.iter().zip(&mut known.location_labels);
            locations.chain(labels.edges.iter().zip(&mut known.edge_labels)).for_each(|(l, at)| settle(l, at, field));
        }
        figure.place_labels(template, labels, known.location_labels, known.edge_labels, field);
        figure
    }

    /// Completes a placement without changing what it has: labels stay where they are, even if
    /// lines cross them.
    pub(crate) fn as_given(template: &Template, labels: &Labels, known: Placement) -> Figure {
        let nodes = fill_nodes(&known.nodes);
        let label_centers: Vec<Vec<Pt>> = labels.locations.iter().zip(&known.location_labels).map(centers).collect();
        let mut nails = known.nails.clone();
        lines::separate_parallels(template, &nodes, &mut nails);
        lines::open_loops(template, &nodes, &label_centers, &mut nails);
        for (drawn, given) in nails.iter_mut().zip(known.nails) {
            if !given.is_empty() {
                *drawn = given;
            }
        }
        let mut figure = Figure { nodes, nails, location_labels: Vec::new(), edge_labels: Vec::new() };
        let mut field = figure.field(template);
        if let Some(field) = &mut field {
            let locations = labels.locations.iter().zip(&known.location_labels);
            for (labels, places) in locations.chain(labels.edges.iter().zip(&known.edge_labels)) {
                let given = labels.iter().zip(places).filter_map(|(l, at)| Some(Rect::at((*at)?, l.size)));
                given.for_each(|place| field.add_box(place));
            }
        }
        figure.place_labels(template, labels, known.location_labels, known.edge_labels, field);
        figure
    }

    /// Returns the polyline of an edge, from centre to centre.
    pub(crate) fn path(&self, template: &Template, edge: usize) -> Vec<Pt> {
        let (a, b) = ends(template, edge);
        let (from, to) = (self.nodes[a], self.nodes[b]);
        let mut path = vec![from];
        path.extend(&self.nails[edge]);
        path.push(to);
        path
    }

    /// Collects the nodes and lines that labels should avoid; `None` if there are too many.
    fn field(&self, template: &Template) -> Option<Field> {
        if self.nodes.len() + self.nails.len() > MAX_OPTIMISED {
            return None;
        }
        let mut field = Field::default();
        for (v, &center) in self.nodes.iter().enumerate() {
            // The square inside the circle is enough: labels may overlap the corners of the
            // bounding box.
            field.add_box(Rect::around(center, radius(template, v) * 0.8));
        }
        for e in 0..self.nails.len() {
            self.path(template, e).windows(2).for_each(|w| field.add_line(w[0], w[1]));
        }
        Some(field)
    }

    fn place_labels(
        &mut self,
        template: &Template,
        labels: &Labels,
        at_locations: Vec<Vec<Option<Pt>>>,
        at_edges: Vec<Vec<Option<Pt>>>,
        mut field: Option<Field>,
    ) {
        for (v, known) in at_locations.into_iter().enumerate() {
            let center = self.nodes[v];
            let candidates = |w, h| around_node(center, w, h);
            self.location_labels.push(place(&labels.locations[v], &known, field.as_mut(), candidates));
        }
        for (e, known) in at_edges.into_iter().enumerate() {
            let path = self.path(template, e);
            let candidates = |w, h| along_path(&path, w, h);
            self.edge_labels.push(place(&labels.edges[e], &known, field.as_mut(), candidates));
        }
    }
}

/// Gives each line its own point at the border of a node.
fn separate_ends(template: &Template, nodes: &[Pt], nails: &mut [Vec<Pt>]) {
    let outlines: Vec<(Pt, Shape)> =
        nodes.iter().enumerate().map(|(v, &at)| (at, Shape::Circle(radius(template, v)))).collect();
    let ends: Vec<(usize, usize)> = (0..nails.len()).map(|e| ends(template, e)).collect();
    let path = |(&(a, b), nails): (&(usize, usize), &Vec<Pt>)| {
        [nodes[a]].into_iter().chain(nails.iter().copied()).chain([nodes[b]]).collect()
    };
    let mut lines: Vec<Vec<Pt>> = ends.iter().zip(&*nails).map(path).collect();
    ports::separate(&outlines, &ends, &mut lines);
    for (nails, line) in nails.iter_mut().zip(lines) {
        *nails = line[1..line.len() - 1].iter().map(|p| p.rounded()).collect();
    }
}

/// Moves labels that lines cross, or that cover others, a little: all labels of an element
/// together, or else one by one. Drops their positions if that does not help. Readable labels are
/// more important than given positions.
fn settle(labels: &[Label], places: &mut [Option<Pt>], field: &mut Field) {
    let given: Vec<(Pt, Size)> = labels.iter().zip(&*places).filter_map(|(l, at)| Some(((*at)?, l.size))).collect();
    let is_free = |by: &Pt| given.iter().all(|&(at, size)| field.free(&[at + *by], size).is_some());
    let boxes: Vec<Rect> = given.iter().map(|&(at, size)| Rect::at(at, size)).collect();
    let clear = boxes.iter().enumerate().all(|(i, a)| boxes[..i].iter().all(|b| a.overlap(b) < 1.0));
    let together = nearby(Pt::default()).into_iter().find(|by| clear && is_free(by));
    for (label, place) in labels.iter().zip(places) {
        let Some(at) = *place else { continue };
        *place = match together {
            Some(by) => Some(at + by),
            None => field.free(&nearby(at), label.size),
        };
        place.iter().for_each(|&at| field.add_box(Rect::at(at, label.size)));
    }
}

/// Returns a position and those around it, the nearest first.
fn nearby(at: Pt) -> Vec<Pt> {
    let mut out = vec![at];
    for distance in [4.0, 8.0, 13.0, 19.0, 26.0, 34.0] {
        for step in 0..12 {
            let angle = f64::from(step) * std::f64::consts::TAU / 12.0;
            out.push((at + pt(angle.cos(), angle.sin()) * distance).rounded());
        }
    }
    out
}

/// Places the labels of one element: labels with positions there, the others as one block.
fn place(
    labels: &[Label],
    known: &[Option<Pt>],
    field: Option<&mut Field>,
    candidates: impl FnOnce(f64, f64) -> Vec<Pt>,
) -> Vec<Pt> {
    let open: Vec<Label> = labels.iter().zip(known).filter(|(_, k)| k.is_none()).map(|(l, _)| l.clone()).collect();
    let mut corner = Pt::default();
    if !open.is_empty() {
        let size = stacked(&open);
        let corners = candidates(size.w, size.h);
        let best = match &field {
            Some(field) => field.free(&corners, size).or_else(|| field.best(&corners, size)),
            None => corners.first().copied(),
        };
        if let Some(at) = best {
            corner = at.rounded();
            field.into_iter().for_each(|f| f.add_box(Rect::at(corner, size)));
        }
    }
    let mut next = |label: &Label| {
        let at = corner;
        corner.y += label.size.h;
        at
    };
    labels.iter().zip(known).map(|(label, known)| known.unwrap_or_else(|| next(label))).collect()
}

/// Returns the centres of the labels with known positions.
fn centers((labels, places): (&Vec<Label>, &Vec<Option<Pt>>)) -> Vec<Pt> {
    let center = |(label, place): (&Label, &Option<Pt>)| place.map(|p| p + pt(label.size.w, label.size.h) * 0.5);
    labels.iter().zip(places).filter_map(center).collect()
}

/// Returns candidate positions for a block of labels at a location, best first.
fn around_node(c: Pt, w: f64, h: f64) -> Vec<Pt> {
    around(c, Size { w: 2.0 * RADIUS, h: 2.0 * RADIUS }, Size { w, h })
}

/// Returns candidate positions for a text at a node of this size, best first: beside it, then
/// farther away.
pub(crate) fn around(c: Pt, node: Size, text: Size) -> Vec<Pt> {
    let Size { w, h } = text;
    let mut out = Vec::new();
    for away in [0.0, 7.0, 15.0, 25.0, 40.0, 60.0] {
        let (near, level) = (node.w / 2.0 + 5.0 + away, node.h / 2.0 + 5.0 + away);
        let (right, below) = (node.w * 0.35 + 2.0 + away, node.h * 0.35 + 2.0 + away);
        out.extend([
            pt(c.x + near, c.y - h / 2.0),
            pt(c.x - near - w, c.y - h / 2.0),
            pt(c.x + right, c.y - below - h),
            pt(c.x + right, c.y + below),
            pt(c.x - right - w, c.y - below - h),
            pt(c.x - right - w, c.y + below),
            pt(c.x - w / 2.0, c.y - level - h),
            pt(c.x - w / 2.0, c.y + level),
            pt(c.x + near, c.y - h - 1.0),
            pt(c.x + near, c.y + 1.0),
            pt(c.x - near - w, c.y - h - 1.0),
            pt(c.x - near - w, c.y + 1.0),
        ]);
    }
    out
}

/// Returns candidate positions for a block of labels at an edge, best first: near the middle, and
/// beside the line.
pub(crate) fn along_path(path: &[Pt], w: f64, h: f64) -> Vec<Pt> {
    let mut out = Vec::new();
    for away in [0.0, 7.0, 15.0, 25.0, 40.0, 60.0] {
        for share in [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9] {
            let (p, d) = along(path, share);
            let (right, left) = (p.x + 5.0 + away, p.x - 5.0 - away - w);
            let (above, below) = (p.y - h - 3.0 - away, p.y + 3.0 + away);
            let beside = [pt(right, p.y - h / 2.0), pt(left, p.y - h / 2.0)];
            let over = [pt(p.x - w / 2.0, above), pt(p.x - w / 2.0, below)];
            // A slanted line leaves room at two opposite corners.
            let corners =
                if d.x * d.y > 0.0 { [pt(right, above), pt(left, below)] } else { [pt(right, below), pt(left, above)] };
            if d.y.abs() > 0.95 {
                out.extend(beside);
            } else if d.y.abs() < 0.2 {
                out.extend(over);
            } else {
                out.extend(corners);
            }
        }
    }
    out
}

/// Places nodes without positions in a row below the others.
fn fill_nodes(known: &[Option<Pt>]) -> Vec<Pt> {
    let mut bounds = Rect::EMPTY;
    known.iter().flatten().for_each(|&p| bounds.add(p));
    let mut next = if bounds.is_empty() { Pt::default() } else { pt(bounds.min.x, bounds.max.y + 100.0) };
    let mut fill = || {
        let at = next;
        next.x += 120.0;
        at
    };
    known.iter().map(|k| k.unwrap_or_else(&mut fill)).collect()
}
