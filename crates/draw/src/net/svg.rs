//! Nets as SVG, with the layout of automata.

use std::fmt::Write;

use syntax::{Signal, net::Net};

use super::{ArcStyle, Line, captions, lines};
use crate::{
    geometry::{Pt, Rect, Size, along, pt},
    layout::{Drawing, Extent, Graph, Link, place},
    svg::{EDGE_COLOR, MARGIN, Sheet, clipped, number, page},
    text,
};

/// The radius of a place.
const RADIUS: f64 = 13.0;
/// The size of a transition's bar.
const BAR: Size = Size { w: 30.0, h: 8.0 };
/// The distance between a node and its caption.
const GAP: f64 = 6.0;
/// The radius of the circle at the end of an inhibitor arc.
const END: f64 = 4.0;
/// The style of stopwatch arcs and priorities.
const DOTTED: &str = "stroke-dasharray=\"2 3\"";
const INK: &str = "#202124";
const LABEL_COLOR: &str = "#1a5fb4";
/// The scale of file coordinates: editors place nodes closer together.
const FILE_SCALE: f64 = 1.4;

pub(super) fn write(net: &Net, signal: Signal) -> String {
    let nodes = net.places.len() + net.transitions.len();
    if nodes == 0 {
        return page(2.0 * MARGIN, 2.0 * MARGIN, "");
    }
    let (lines, captions) = (lines(net), captions(net));
    let extents: Vec<Extent> = (0..nodes).map(|v| extent(net, v, &captions[v])).collect();
    if signal.raised().is_some() {
        return String::new();
    }
    let drawing = given(net, &lines).unwrap_or_else(|| arranged(&extents, &lines));
    let mut bounds = Rect::EMPTY;
    for (at, extent) in drawing.at.iter().zip(&extents) {
        bounds.add(*at - pt(extent.left, extent.up));
        bounds.add(*at + pt(extent.right, extent.down));
    }
    drawing.nails.iter().flatten().for_each(|&nail| bounds.add(nail));
    let mut body = String::new();
    let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, MARGIN) - bounds.min };
    sheet.out.push_str("<g fill=\"none\" stroke-width=\"1.3\">\n");
    for (k, line) in lines.iter().enumerate() {
        if signal.raised().is_some() {
            break;
        }
        arc(&mut sheet, net, line, &drawing, k);
    }
    sheet.out.push_str("</g>\n");
    for (v, &at) in drawing.at.iter().enumerate() {
        if signal.raised().is_some() {
            break;
        }
        node(&mut sheet, net, v, at, &captions[v]);
    }
    page((bounds.width() + 2.0 * MARGIN).ceil(), (bounds.height() + 2.0 * MARGIN).ceil(), &body)
}

/// Returns the extent of a node with its caption on the right.
fn extent(net: &Net, v: usize, caption: &[String]) -> Extent {
    let size = text::extent(caption);
    let (w, h) = if v < net.places.len() { (RADIUS, RADIUS) } else { (BAR.w / 2.0, BAR.h / 2.0) };
    let half = h.max(size.h / 2.0);
    Extent { left: w, right: w + GAP + size.w, up: half, down: half }
}

/// Returns the file's coordinates, if all nodes have some.
fn given(net: &Net, lines: &[Line]) -> Option<Drawing> {
    let places = net.places.iter().map(|p| p.at);
    let all = places.chain(net.transitions.iter().map(|t| t.at));
    let at: Option<Vec<Pt>> = all.map(|at| at.map(|p| Pt::from(p) * FILE_SCALE)).collect();
    Some(Drawing { at: at?, nails: vec![Vec::new(); lines.len()], labels: vec![None; lines.len()] })
}

fn arranged(extents: &[Extent], lines: &[Line]) -> Drawing {
    let size = |label: &str| match label {
        "" => Size::default(),
        label => Size { w: text::width(label, text::FONT), h: text::LINE },
    };
    let mut links: Vec<Link> = lines.iter().map(|l| Link { from: l.from, to: l.to, label: size(&l.label) }).collect();
    // Invisible lines connect the components.
    let component = components(extents.len(), lines);
    let others = (1..extents.len()).filter(|&v| component[v] == v);
    links.extend(others.map(|v| Link { from: 0, to: v, label: Size::default() }));
    let (mut drawing, _) = place(&Graph { nodes: extents.to_vec(), links, root: 0 });
    drawing.nails.truncate(lines.len());
    drawing.labels.truncate(lines.len());
    drawing
}

/// Returns for each node the first node of its component.
fn components(nodes: usize, lines: &[Line]) -> Vec<usize> {
    let mut component: Vec<usize> = (0..nodes).collect();
    let find = |component: &mut Vec<usize>, mut v: usize| {
        while component[v] != v {
            component[v] = component[component[v]];
            v = component[v];
        }
        v
    };
    for line in lines {
        let (a, b) = (find(&mut component, line.from), find(&mut component, line.to));
        component[a.max(b)] = a.min(b);
    }
    (0..nodes).map(|v| find(&mut component, v)).collect()
}

fn arc(sheet: &mut Sheet<'_>, net: &Net, line: &Line, drawing: &Drawing, k: usize) {
    let (a, b) = (drawing.at[line.from], drawing.at[line.to]);
    let whole: Vec<Pt> = [a].into_iter().chain(drawing.nails[k].iter().copied()).chain([b]).collect();
    let reach = |v: usize| if v < net.places.len() { RADIUS } else { BAR.h };
    let mut path = clipped(&whole, reach(line.from), reach(line.to));
    match line.kind {
        ArcStyle::Plain => sheet.arrow(path, EDGE_COLOR, ""),
        ArcStyle::Test => sheet.arrow(path, EDGE_COLOR, "stroke-dasharray=\"5 3\""),
        ArcStyle::Transport => sheet.arrow(path, EDGE_COLOR, "stroke-width=\"2.6\""),
        ArcStyle::Stopwatch | ArcStyle::Priority => sheet.arrow(path, EDGE_COLOR, DOTTED),
        ArcStyle::Inhibitor | ArcStyle::StopwatchInhibitor => {
            let tip = path.pop().unwrap_or_default();
            let before = path.last().copied().unwrap_or(tip);
            let direction = (tip - before).unit();
            path.push(tip - direction * (2.0 * END));
            let is_dotted = line.kind == ArcStyle::StopwatchInhibitor;
            sheet.line(&path, EDGE_COLOR, if is_dotted { DOTTED } else { "" });
            sheet.circle(tip - direction * END, END, &format!("fill=\"#ffffff\" stroke=\"{EDGE_COLOR}\""));
        }
    }
    sheet.out.push('\n');
    if !line.label.is_empty() {
        let corner = drawing.labels[k].unwrap_or_else(|| along(&whole, 0.5).0 + pt(4.0, -text::LINE));
        sheet.text(corner, std::slice::from_ref(&line.label), LABEL_COLOR, "");
    }
}

fn node(sheet: &mut Sheet<'_>, net: &Net, v: usize, at: Pt, caption: &[String]) {
    let half = match net.places.get(v) {
        Some(place) => {
            sheet.circle(at, RADIUS, &format!("fill=\"#ffffff\" stroke=\"{EDGE_COLOR}\" stroke-width=\"1.3\""));
            match place.tokens {
                0 => {}
                1 => sheet.circle(at, 4.0, &format!("fill=\"{INK}\"")),
                n => {
                    let p = at + sheet.offset + pt(0.0, 4.0);
                    let (x, y) = (number(p.x), number(p.y));
                    let _ = write!(
                        sheet.out,
                        "<text x=\"{x}\" y=\"{y}\" font-size=\"11\" text-anchor=\"middle\" fill=\"{INK}\">{n}</text>"
                    );
                }
            }
            RADIUS
        }
        None => {
            let corner = at + sheet.offset - pt(BAR.w / 2.0, BAR.h / 2.0);
            let _ = write!(
                sheet.out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{EDGE_COLOR}\"/>",
                number(corner.x),
                number(corner.y),
                BAR.w,
                BAR.h
            );
            BAR.w / 2.0
        }
    };
    sheet.out.push('\n');
    let size = text::extent(caption);
    sheet.text(at + pt(half + GAP, -size.h / 2.0), caption, INK, "");
}
