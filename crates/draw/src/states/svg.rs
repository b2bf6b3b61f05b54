//! State spaces as SVG, with the layout of automata.

use std::fmt::Write;

use super::{ArcKind, StateArc, StateGraph, StateNode, StateStyle};
use crate::{
    font::{self, Weight},
    geometry::{Pt, Rect, Size, pt},
    layout::{Drawing, Extent, Graph, Link, place},
    palette::{FAINT, INK, LABEL, LINE as LINE_COLOR, LOCATION, PAPER},
    ports::{self, Shape},
    svg::{MARGIN, Sheet, escaped, number, page},
    text::{self, ASCENT, Breaks, FONT, LINE},
};

/// The distance between the text of a state and its frame.
const PAD: f64 = 7.0;
/// The reach of a loop from its state.
const LOOP: f64 = 26.0;

/// Only very long lines are broken.
const BREAKS: Breaks = Breaks { keep: true, limit: 60 };

/// A state with its size.
struct Framed<'g> {
    node: &'g StateNode,
    lines: Vec<String>,
    size: Size,
    /// The loops with their labels, as lines.
    loops: Vec<(&'g StateArc, Vec<String>)>,
}

impl Framed<'_> {
    /// Returns the frame around the centre.
    fn frame(&self, at: Pt) -> Rect {
        let half = pt(self.size.w / 2.0 + PAD, self.size.h / 2.0 + PAD);
        Rect { min: at - half, max: at + half }
    }

    fn frame_size(&self) -> Size {
        Size { w: self.size.w + 2.0 * PAD, h: self.size.h + 2.0 * PAD }
    }

    /// Returns the extent, including loops.
    fn extent(&self) -> Extent {
        let frame = self.frame(Pt::default());
        let sizes: Vec<Size> = self.loops.iter().map(|(_, lines)| text::extent(lines, Weight::Regular)).collect();
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
    let links = straight.iter().map(|&i| Link {
        from: arcs[i].from,
        to: arcs[i].to,
        label: text::extent(&labels[i], Weight::Regular),
    });
    let layout = Graph {
        nodes: framed.iter().map(Framed::extent).collect(),
        links: links.collect(),
        root: 0,
        sides: framed.iter().map(|state| state.size.w).collect(),
    };
    let (drawing, mut bounds) = place(&layout);
    let lines = routed(&drawing, &framed, &layout.links);
    let mut body = String::new();
    let head = heading(&graph.title, &mut bounds, &mut body);
    let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, MARGIN + head) - bounds.min };
    sheet.out.push_str("<g fill=\"none\">\n");
    for (k, &i) in straight.iter().enumerate() {
        if graph.is_over() {
            break;
        }
        let (color, style) = arc_style(arcs[i].kind);
        sheet.arrow(lines[k].clone(), color, style);
        sheet.out.push('\n');
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
            sheet.text(corner, &labels[i], LABEL, "");
        }
    }
    page((bounds.width() + 2.0 * MARGIN).ceil(), (bounds.height() + head + 2.0 * MARGIN).ceil(), &body)
}

/// Writes the title, if there is one, and makes room for its width. Returns its height.
fn heading(title: &str, bounds: &mut Rect, body: &mut String) -> f64 {
    if title.is_empty() {
        return 0.0;
    }
    let least = font::width(title, FONT, Weight::Bold);
    bounds.max.x = bounds.max.x.max(bounds.min.x + least);
    let (x, y) = (number(MARGIN), number(MARGIN + ASCENT));
    let title = escaped(title);
    let _ = writeln!(body, "<text x=\"{x}\" y=\"{y}\" font-weight=\"bold\" fill=\"{INK}\">{title}</text>");
    LINE + MARGIN / 2.0
}

fn framed<'g>(graph: &'g StateGraph, arcs: &'g [StateArc], labels: &[Vec<String>]) -> Vec<Framed<'g>> {
    let mut framed: Vec<Framed<'g>> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let lines = if graph.is_over() { Vec::new() } else { text::lines(&node.text, BREAKS) };
        let size = text::extent(&lines, Weight::Regular);
        framed.push(Framed { node, lines, size, loops: Vec::new() });
    }
    for (arc, lines) in arcs.iter().zip(labels).filter(|(arc, _)| arc.from == arc.to) {
        framed[arc.from].loops.push((arc, lines.clone()));
    }
    framed
}

fn arc_style(kind: ArcKind) -> (&'static str, &'static str) {
    match kind {
        ArcKind::Step => (LINE_COLOR, "stroke-width=\"1.3\""),
        ArcKind::Join => (LINE_COLOR, "stroke-width=\"2.6\""),
        ArcKind::Covered => (LINE_COLOR, "stroke-width=\"1.1\" stroke-dasharray=\"6 4\""),
        ArcKind::Replaced => (FAINT, "stroke-width=\"1.3\" stroke-dasharray=\"2 3\""),
    }
}

/// Returns the lines from frame to frame.
fn routed(drawing: &Drawing, framed: &[Framed<'_>], links: &[Link]) -> Vec<Vec<Pt>> {
    let nodes: Vec<(Pt, Shape)> =
        framed.iter().zip(&drawing.at).map(|(state, &at)| (at, Shape::Box(state.frame_size()))).collect();
    ports::routed(&nodes, &links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>(), &drawing.nails)
}

/// Draws the loops of a state, on its right.
fn loops(sheet: &mut Sheet<'_>, state: &Framed<'_>, at: Pt) {
    let right = state.frame(at).max.x;
    let total: f64 = state.loops.iter().map(|(_, lines)| text::extent(lines, Weight::Regular).h + 6.0).sum();
    let mut top = at.y - total / 2.0;
    for (arc, lines) in &state.loops {
        let size = text::extent(lines, Weight::Regular);
        let middle = top + size.h / 2.0;
        // However many there are, they start and end at the frame.
        let half = state.size.h / 2.0;
        let near = middle.clamp(at.y - half, at.y + half);
        let (color, style) = arc_style(arc.kind);
        let path = vec![
            pt(right, near - 5.0),
            pt(right + LOOP, middle - 7.0),
            pt(right + LOOP, middle + 7.0),
            pt(right, near + 5.0),
        ];
        sheet.arrow(path, color, style);
        sheet.out.push('\n');
        sheet.text(pt(right + LOOP + 4.0, top), lines, LABEL, "");
        top += size.h + 6.0;
    }
}

fn frame(sheet: &mut Sheet<'_>, state: &Framed<'_>, at: Pt) {
    let (stroke, width, ink) = match state.node.style {
        StateStyle::Plain => (LINE_COLOR, 1.3, INK),
        StateStyle::Joined => (LINE_COLOR, 2.6, INK),
        StateStyle::Removed => (FAINT, 1.0, FAINT),
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
    // One rectangle for each state; initial states have a different colour.
    rectangle(frame, if state.node.is_initial { LOCATION } else { PAPER });
    sheet.text(frame.min + pt(PAD, PAD), &state.lines, ink, "");
}
