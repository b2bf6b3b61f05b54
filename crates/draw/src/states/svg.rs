//! State spaces as SVG, in the same layers as automata.

use std::fmt::Write;

use super::{ArcKind, Look, StateArc, StateGraph, StateNode};
use crate::{
    geometry::{Pt, Rect, Size, pt},
    layout::{Drawing, Extent, Graph, Link, place},
    svg::{EDGE_COLOR, MARGIN, Sheet, number, page},
    text::{self, Breaks},
};

/// Between the text of a state and its frame.
const PAD: f64 = 7.0;
/// How far a loop reaches from its state.
const LOOP: f64 = 26.0;
const GREY: &str = "#9aa0a6";
const INK: &str = "#202124";
const LABEL_COLOR: &str = "#1a5fb4";

/// Lines stay as they are unless they are very long.
const BREAKS: Breaks = Breaks { keep: true, limit: 60 };

/// A state with its measures.
struct Framed<'g> {
    node: &'g StateNode,
    lines: Vec<String>,
    size: Size,
    /// The labels of transitions that lead back to it, each as lines.
    loops: Vec<(&'g StateArc, Vec<String>)>,
}

impl Framed<'_> {
    /// The frame, around the centre.
    fn frame(&self, at: Pt) -> Rect {
        let half = pt(self.size.w / 2.0 + PAD, self.size.h / 2.0 + PAD);
        Rect { min: at - half, max: at + half }
    }

    /// The room that it needs, loops included.
    fn extent(&self) -> Extent {
        let frame = self.frame(Pt::default());
        let sizes: Vec<Size> = self.loops.iter().map(|(_, lines)| text::extent(lines)).collect();
        let widest = sizes.iter().map(|size| size.w).fold(0.0, f64::max);
        let beside = if self.loops.is_empty() { 0.0 } else { LOOP + 4.0 + widest };
        let half = frame.max.y.max(sizes.iter().map(|size| size.h + 6.0).sum::<f64>() / 2.0);
        Extent { left: frame.max.x, right: frame.max.x + beside, up: half, down: half }
    }
}

pub(super) fn write(graph: &StateGraph) -> String {
    if graph.nodes.is_empty() {
        return page(2.0 * MARGIN, 2.0 * MARGIN, "");
    }
    let arcs = graph.bundled();
    let label = |arc: &StateArc| if graph.is_over() { Vec::new() } else { text::lines(&arc.label, BREAKS) };
    let labels: Vec<Vec<String>> = arcs.iter().map(label).collect();
    let framed = framed(graph, &arcs, &labels);
    if graph.is_over() {
        return String::new();
    }
    let straight: Vec<usize> = (0..arcs.len()).filter(|&i| arcs[i].from != arcs[i].to).collect();
    let links = straight.iter().map(|&i| Link { from: arcs[i].from, to: arcs[i].to, label: text::extent(&labels[i]) });
    let layout = Graph { nodes: framed.iter().map(Framed::extent).collect(), links: links.collect(), root: 0 };
    let (drawing, bounds) = place(&layout);
    let mut body = String::new();
    let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, MARGIN) - bounds.min };
    sheet.out.push_str("<g fill=\"none\">\n");
    for (k, &i) in straight.iter().enumerate() {
        if graph.is_over() {
            break;
        }
        link(&mut sheet, &arcs[i], &drawing, k, &framed);
    }
    for (state, &at) in framed.iter().zip(&drawing.at) {
        loops(&mut sheet, state, at);
    }
    sheet.out.push_str("</g>\n");
    for (state, &at) in framed.iter().zip(&drawing.at) {
        if graph.is_over() {
            break;
        }
        frame(&mut sheet, state, at);
    }
    for (k, &i) in straight.iter().enumerate() {
        if let Some(corner) = drawing.labels[k] {
            sheet.text(corner, &labels[i], LABEL_COLOR, "");
        }
    }
    page((bounds.width() + 2.0 * MARGIN).ceil(), (bounds.height() + 2.0 * MARGIN).ceil(), &body)
}

fn framed<'g>(graph: &'g StateGraph, arcs: &'g [StateArc], labels: &[Vec<String>]) -> Vec<Framed<'g>> {
    let mut framed: Vec<Framed<'g>> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let lines = if graph.is_over() { Vec::new() } else { text::lines(&node.text, BREAKS) };
        let size = text::extent(&lines);
        framed.push(Framed { node, lines, size, loops: Vec::new() });
    }
    for (arc, lines) in arcs.iter().zip(labels).filter(|(arc, _)| arc.from == arc.to) {
        framed[arc.from].loops.push((arc, lines.clone()));
    }
    framed
}

fn look(kind: ArcKind) -> (&'static str, &'static str) {
    match kind {
        ArcKind::Step => (EDGE_COLOR, "stroke-width=\"1.3\""),
        ArcKind::Join => (EDGE_COLOR, "stroke-width=\"2.6\""),
        ArcKind::Covered => (EDGE_COLOR, "stroke-width=\"1.1\" stroke-dasharray=\"6 4\""),
        ArcKind::Replaced => (GREY, "stroke-width=\"1.3\" stroke-dasharray=\"2 3\""),
    }
}

fn link(sheet: &mut Sheet<'_>, arc: &StateArc, drawing: &Drawing, k: usize, framed: &[Framed<'_>]) {
    let (a, b) = (drawing.at[arc.from], drawing.at[arc.to]);
    let path: Vec<Pt> = [a].into_iter().chain(drawing.nails[k].iter().copied()).chain([b]).collect();
    let mut path = outside(&path, &framed[arc.from].frame(a));
    path.reverse();
    let mut path = outside(&path, &framed[arc.to].frame(b));
    path.reverse();
    let (color, style) = look(arc.kind);
    sheet.arrow(path, color, style);
    sheet.out.push('\n');
}

/// A path that starts in a frame, from where it leaves it.
fn outside(path: &[Pt], frame: &Rect) -> Vec<Pt> {
    let inside = |p: &Pt| (frame.min.x..=frame.max.x).contains(&p.x) && (frame.min.y..=frame.max.y).contains(&p.y);
    // The last piece that starts inside leaves the frame, unless the other end is inside as well.
    let Some(first) = path.iter().position(|p| !inside(p)).filter(|first| *first > 0) else { return path.to_vec() };
    let (a, b) = (path[first - 1], path[first]);
    let length = (b - a).length();
    let within = frame.length_inside(a, b);
    let mut out = vec![if length > 0.0 { a + (b - a) * (within / length) } else { a }];
    out.extend_from_slice(&path[first..]);
    out
}

/// Transitions that lead back to their state, on its right.
fn loops(sheet: &mut Sheet<'_>, state: &Framed<'_>, at: Pt) {
    let right = state.frame(at).max.x;
    let total: f64 = state.loops.iter().map(|(_, lines)| text::extent(lines).h + 6.0).sum();
    let mut top = at.y - total / 2.0;
    for (arc, lines) in &state.loops {
        let size = text::extent(lines);
        let middle = top + size.h / 2.0;
        // However many there are, they start and end at the frame.
        let half = state.size.h / 2.0;
        let near = middle.clamp(at.y - half, at.y + half);
        let (color, style) = look(arc.kind);
        let path = vec![
            pt(right, near - 5.0),
            pt(right + LOOP, middle - 7.0),
            pt(right + LOOP, middle + 7.0),
            pt(right, near + 5.0),
        ];
        sheet.arrow(path, color, style);
        sheet.out.push('\n');
        sheet.text(pt(right + LOOP + 4.0, top), lines, LABEL_COLOR, "");
        top += size.h + 6.0;
    }
}

fn frame(sheet: &mut Sheet<'_>, state: &Framed<'_>, at: Pt) {
    let (stroke, width, ink) = match state.node.look {
        Look::Plain => (EDGE_COLOR, 1.3, INK),
        Look::Joined => (EDGE_COLOR, 2.6, INK),
        Look::Gone => (GREY, 1.0, GREY),
    };
    let frame = state.frame(at);
    let mut rectangle = |rect: Rect, fill: &str| {
        let corner = rect.min + sheet.offset;
        let _ = writeln!(
            sheet.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{fill}\" stroke=\"{stroke}\" \
             stroke-width=\"{width}\"/>",
            number(corner.x),
            number(corner.y),
            number(rect.width()),
            number(rect.height())
        );
    };
    // One rectangle for each state: an initial one has another colour.
    rectangle(frame, if state.node.is_initial { "#e3edf7" } else { "#ffffff" });
    sheet.text(frame.min + pt(PAD, PAD), &state.lines, ink, "");
}
