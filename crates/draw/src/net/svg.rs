//! Nets as SVG, with the layout of automata.

use std::fmt::Write;

use syntax::{Signal, net::Net};

use super::{ArcStyle, Line, Marking, captions, lines};
use crate::{
    field::Field,
    figure::{MAX_OPTIMISED, along_path, around},
    font::{self, Weight},
    geometry::{Pt, Rect, Size, pt},
    layout::{Drawing, Extent, Graph, Link, ROUND_SIDE, place},
    palette::{ACTIVE_LINE, INK, LABEL, LINE as LINE_COLOR, PAPER},
    ports::{self, Shape},
    svg::{MARGIN, Sheet, number, page},
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
/// The scale of file coordinates: editors place nodes closer together.
const FILE_SCALE: f64 = 1.4;

pub(super) fn write(net: &Net, marking: Option<&Marking>, signal: Signal) -> String {
    let nodes = net.places.len() + net.transitions.len();
    if nodes == 0 {
        return page(2.0 * MARGIN, 2.0 * MARGIN, "");
    }
    let (lines, captions) = (lines(net), captions(net));
    let extents: Vec<Extent> = (0..nodes).map(|v| extent(net, v, &captions[v])).collect();
    if signal.raised().is_some() {
        return String::new();
    }
    let shapes: Vec<Shape> = (0..nodes).map(|v| shape(net, v)).collect();
    let drawing = given(net, &lines).unwrap_or_else(|| arranged(&extents, &shapes, &lines));
    let outlines: Vec<(Pt, Shape)> = drawing.at.iter().copied().zip(shapes.iter().copied()).collect();
    let ends: Vec<(usize, usize)> = lines.iter().map(|line| (line.from, line.to)).collect();
    let routes = ports::routed(&outlines, &ends, &drawing.nails);
    let texts = texts(&outlines, &captions, &lines, &routes, &drawing);
    let mut bounds = Rect::EMPTY;
    for (at, extent) in drawing.at.iter().zip(&extents) {
        bounds.add(*at - pt(extent.left, extent.up));
        bounds.add(*at + pt(extent.right, extent.down));
    }
    texts.captions.iter().zip(&captions).for_each(|(&at, lines)| bounds.join(Rect::at(at, plain(lines))));
    for (line, at) in lines.iter().zip(&texts.weights) {
        at.iter().for_each(|&at| bounds.join(Rect::at(at, plain(std::slice::from_ref(&line.label)))));
    }
    routes.iter().flatten().for_each(|&bend| bounds.add(bend));
    let mut body = String::new();
    let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, MARGIN) - bounds.min };
    sheet.out.push_str("<g fill=\"none\" stroke-width=\"1.3\">\n");
    for (k, line) in lines.iter().enumerate() {
        if signal.raised().is_some() {
            break;
        }
        arc(&mut sheet, line, routes[k].clone(), texts.weights[k]);
    }
    sheet.out.push_str("</g>\n");
    for (v, &at) in drawing.at.iter().enumerate() {
        if signal.raised().is_some() {
            break;
        }
        node(&mut sheet, net, marking, v, at);
        sheet.text(texts.captions[v], &captions[v], INK, "");
    }
    page((bounds.width() + 2.0 * MARGIN).ceil(), (bounds.height() + 2.0 * MARGIN).ceil(), &body)
}

/// The positions of texts: the captions of nodes, and the weights of arcs.
pub(super) struct Texts {
    pub captions: Vec<Pt>,
    pub weights: Vec<Option<Pt>>,
}

/// Places all texts where no line crosses them.
pub(super) fn texts(
    outlines: &[(Pt, Shape)],
    captions: &[Vec<String>],
    lines: &[Line],
    routes: &[Vec<Pt>],
    drawing: &Drawing,
) -> Texts {
    let size_of = |shape: Shape| match shape {
        Shape::Circle(radius) => Size { w: 2.0 * radius, h: 2.0 * radius },
        Shape::Box(size) => size,
    };
    let mut field = (outlines.len() + lines.len() <= MAX_OPTIMISED).then(Field::default);
    if let Some(field) = &mut field {
        for &(at, shape) in outlines {
            let size = size_of(shape);
            field.add_box(Rect::at(at - pt(size.w / 2.0, size.h / 2.0), size));
        }
        routes.iter().for_each(|route| route.windows(2).for_each(|w| field.add_line(w[0], w[1])));
    }
    let mut settle = |corners: Vec<Pt>, size: Size| {
        let Some(field) = &mut field else { return corners[0] };
        let at = field.free(&corners, size).or_else(|| field.best(&corners, size)).unwrap_or(corners[0]);
        field.add_box(Rect::at(at, size));
        at
    };
    let weight = |(k, line): (usize, &Line)| {
        let size = plain(std::slice::from_ref(&line.label));
        let reserved = drawing.labels[k].into_iter();
        (!line.label.is_empty()).then(|| settle(reserved.chain(along_path(&routes[k], size.w, size.h)).collect(), size))
    };
    let weights = lines.iter().enumerate().map(weight).collect();
    let caption = |(&(at, shape), lines): (&(Pt, Shape), &Vec<String>)| {
        let size = plain(lines);
        settle(around(at, size_of(shape), size), size)
    };
    Texts { captions: outlines.iter().zip(captions).map(caption).collect(), weights }
}

/// Returns the size of a text.
pub(super) fn plain(lines: &[String]) -> Size {
    text::extent(lines, Weight::Regular)
}

/// Returns the outline of a node. A bar is wide enough for all its arcs.
fn shape(net: &Net, v: usize) -> Shape {
    let Some(t) = v.checked_sub(net.places.len()).map(|t| &net.transitions[t]) else { return Shape::Circle(RADIUS) };
    let arcs = (t.takes.len() + t.tests.len() + t.inhibitors.len()).max(t.puts.len());
    Shape::Box(Size { w: BAR.w.max((arcs as f64 + 1.0) * 8.0), h: BAR.h })
}

/// Returns the extent of a node with its caption on the right.
fn extent(net: &Net, v: usize, caption: &[String]) -> Extent {
    let size = plain(caption);
    let (w, h) = match shape(net, v) {
        Shape::Circle(radius) => (radius, radius),
        Shape::Box(size) => (size.w / 2.0, size.h / 2.0),
    };
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

pub(super) fn arranged(extents: &[Extent], shapes: &[Shape], lines: &[Line]) -> Drawing {
    let size = |label: &str| match label {
        "" => Size::default(),
        label => Size { w: font::width(label, text::FONT, Weight::Regular), h: text::LINE },
    };
    let mut links: Vec<Link> = lines.iter().map(|l| Link { from: l.from, to: l.to, label: size(&l.label) }).collect();
    // Invisible lines connect the components.
    let component = components(extents.len(), lines);
    let others = (1..extents.len()).filter(|&v| component[v] == v);
    links.extend(others.map(|v| Link { from: 0, to: v, label: Size::default() }));
    let side = |shape: &Shape| match shape {
        Shape::Circle(_) => ROUND_SIDE,
        Shape::Box(size) => size.w,
    };
    let sides = shapes.iter().map(side).collect();
    let (mut drawing, _) = place(&Graph { nodes: extents.to_vec(), links, root: 0, sides });
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

fn arc(sheet: &mut Sheet<'_>, line: &Line, mut path: Vec<Pt>, label: Option<Pt>) {
    match line.kind {
        ArcStyle::Plain => sheet.arrow(path, LINE_COLOR, ""),
        ArcStyle::Test => sheet.arrow(path, LINE_COLOR, "stroke-dasharray=\"5 3\""),
        ArcStyle::Transport => sheet.arrow(path, LINE_COLOR, "stroke-width=\"2.6\""),
        ArcStyle::Stopwatch | ArcStyle::Priority => sheet.arrow(path, LINE_COLOR, DOTTED),
        ArcStyle::Inhibitor | ArcStyle::StopwatchInhibitor => {
            let tip = path.pop().unwrap_or_default();
            let before = path.last().copied().unwrap_or(tip);
            let direction = (tip - before).unit();
            path.push(tip - direction * (2.0 * END));
            let is_dotted = line.kind == ArcStyle::StopwatchInhibitor;
            sheet.line(&path, LINE_COLOR, if is_dotted { DOTTED } else { "" });
            sheet.circle(tip - direction * END, END, &format!("fill=\"{PAPER}\" stroke=\"{LINE_COLOR}\""));
        }
    }
    sheet.out.push('\n');
    if let Some(corner) = label {
        sheet.text(corner, std::slice::from_ref(&line.label), LABEL, "");
    }
}

fn node(sheet: &mut Sheet<'_>, net: &Net, marking: Option<&Marking>, v: usize, at: Pt) {
    match net.places.get(v) {
        Some(place) => {
            let tokens = match marking {
                Some(marking) => marking.tokens.get(v).copied().unwrap_or(0),
                None => i64::from(place.tokens),
            };
            let _ = write!(sheet.out, "<g data-place=\"{v}\">");
            sheet.circle(at, RADIUS, &format!("fill=\"{PAPER}\" stroke=\"{LINE_COLOR}\" stroke-width=\"1.3\""));
            match tokens {
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
            sheet.out.push_str("</g>");
        }
        None => {
            let Shape::Box(bar) = shape(net, v) else { return };
            let corner = at + sheet.offset - pt(bar.w / 2.0, bar.h / 2.0);
            let transition = v - net.places.len();
            let is_enabled = marking.is_some_and(|marking| marking.enabled.contains(&transition));
            let fill = if is_enabled { ACTIVE_LINE } else { LINE_COLOR };
            let _ = write!(
                sheet.out,
                "<g data-transition=\"{transition}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/></g>",
                number(corner.x),
                number(corner.y),
                number(bar.w),
                number(bar.h)
            );
        }
    }
    sheet.out.push('\n');
}
