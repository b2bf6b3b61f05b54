//! Templates as SVG in the style of UPPAAL's editor.
//!
//! Colours are attributes, which every viewer supports; the style sheet of `palette` replaces them
//! in the dark. Arrow heads are separate shapes, so that several pictures can share a page.

use std::fmt::Write;

use syntax::{
    Sources, Tree,
    ast::{Endpoint, Template},
};

use crate::{
    active::ActiveProcess,
    figure::{Figure, RADIUS, ends, radius},
    font::{self, FAMILIES, Weight},
    geometry::{Pt, Rect, Size, pt},
    label::{Label, LabelKind, Labels, heading},
    palette::{self, CLASS, INK, LINE as LINE_COLOR, PAPER},
    text::{self, ASCENT, Breaks, FONT, LINE, printable},
};

pub(crate) const MARGIN: f64 = 20.0;
const TITLE: f64 = 16.0;
const ARROW: f64 = 9.0;

/// Renders one picture with the templates below each other.
pub(crate) fn write(tree: &Tree, sources: &Sources, templates: &[&Template]) -> String {
    let mut body = String::new();
    let mut page = Rect::at(Pt::default(), Size { w: 2.0 * MARGIN, h: MARGIN });
    if templates.is_empty() {
        let mut sheet = Sheet { out: &mut body, offset: Pt::default() };
        let at = pt(MARGIN, MARGIN);
        sheet.text(at, &["The model has no templates.".to_owned()], palette::SOFT, "");
        page.add(at + pt(font::width("The model has no templates.", FONT, Weight::Regular), LINE));
    }
    for (i, template) in templates.iter().enumerate() {
        if tree.signal.raised().is_some() {
            break;
        }
        if i > 0 {
            page.max.y += 2.0 * MARGIN;
        }
        let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, page.max.y) };
        page.join(sheet.heading(heading(tree, sources, template)));
        let (labels, figure) = crate::figure(tree, sources, template);
        let bounds = bounds(template, &labels, &figure);
        if bounds.is_empty() {
            continue;
        }
        let mut sheet = Sheet { out: &mut body, offset: pt(MARGIN, page.max.y + MARGIN) - bounds.min };
        sheet.template(tree, template, &labels, &figure, None);
        page.add(bounds.max + sheet.offset);
    }
    self::page((page.max.x + MARGIN).ceil(), (page.max.y + MARGIN).ceil(), &body)
}

/// Renders a page with shapes.
pub(crate) fn page(w: f64, h: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{CLASS}\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"{FAMILIES}\" font-size=\"{FONT}\">{}\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{PAPER}\"/>\n{body}</svg>\n",
        palette::style_element()
    )
}

/// Returns the bounding box of a template.
pub(crate) fn bounds(template: &Template, labels: &Labels, figure: &Figure) -> Rect {
    let mut all = Rect::EMPTY;
    for (v, &center) in figure.nodes.iter().enumerate() {
        all.join(Rect::around(center, radius(template, v) + 1.0));
    }
    for e in 0..template.edges.len() {
        figure.path(template, e).into_iter().for_each(|p| all.join(Rect::around(p, 4.0)));
    }
    let placed = labels.locations.iter().zip(&figure.location_labels);
    for (labels, places) in placed.chain(labels.edges.iter().zip(&figure.edge_labels)) {
        labels.iter().zip(places).for_each(|(l, &p)| all.join(Rect::at(p, l.size)));
    }
    all
}

/// A page that shapes are written to.
pub(crate) struct Sheet<'a> {
    pub out: &'a mut String,
    pub offset: Pt,
}

impl Sheet<'_> {
    /// Writes a template's name and parameters. Returns their bounding box.
    pub(crate) fn heading(&mut self, (name, params): (String, String)) -> Rect {
        let at = self.offset + pt(0.0, TITLE);
        let left = at.x + font::width(&name, TITLE, Weight::Bold) + 5.0;
        let shown = if params.is_empty() { String::new() } else { format!("({params})") };
        let lines = text::lines(&shown, Breaks { keep: false, limit: 110 });
        let _ = writeln!(
            self.out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{TITLE}\" font-weight=\"bold\" fill=\"{INK}\">{}</text>",
            number(at.x),
            number(at.y),
            escaped(&name)
        );
        self.text(pt(left, at.y - ASCENT) - self.offset, &lines, palette::SOFT, "");
        let size = text::extent(&lines, Weight::Regular);
        let mut room = Rect::at(self.offset, Size { w: left - self.offset.x + size.w, h: TITLE + 4.0 });
        room.add(pt(left, at.y - ASCENT + size.h));
        room
    }

    /// Writes a template, with what is active in a state.
    pub(crate) fn template(
        &mut self,
        tree: &Tree,
        template: &Template,
        labels: &Labels,
        figure: &Figure,
        active: Option<&ActiveProcess>,
    ) {
        self.out.push_str("<g fill=\"none\" stroke-width=\"1.3\">\n");
        for e in 0..template.edges.len() {
            if tree.signal.raised().is_some() {
                return;
            }
            let is_active = active.is_some_and(|active| active.edges.contains(&e));
            self.edge(tree, template, labels, figure, e, is_active);
        }
        self.out.push_str("</g>\n<g stroke-width=\"1.3\">\n");
        for v in 0..template.locations.len() {
            if tree.signal.raised().is_some() {
                return;
            }
            let is_active = active.is_some_and(|active| active.location == v);
            self.location(tree, template, &labels.locations[v], figure.nodes[v], v, is_active);
        }
        for &at in &figure.nodes[template.locations.len()..] {
            self.circle(at, 4.0, &format!("fill=\"{LINE_COLOR}\""));
        }
        self.out.push_str("</g>\n<g>\n");
        let placed = labels.edges.iter().zip(&figure.edge_labels);
        for (labels, places) in placed.chain(labels.locations.iter().zip(&figure.location_labels)) {
            if tree.signal.raised().is_some() {
                return;
            }
            for (label, &at) in labels.iter().zip(places) {
                let style = if label.kind.weight() == Weight::Bold { " font-weight=\"bold\"" } else { "" };
                self.text(at, &label.lines, label.kind.color(), style);
            }
        }
        self.out.push_str("</g>\n");
    }

    fn edge(&mut self, tree: &Tree, template: &Template, labels: &Labels, figure: &Figure, e: usize, is_active: bool) {
        let edge = &template.edges[e];
        let (a, b) = ends(template, e);
        let path = figure.path(template, e);
        let path = clipped(&path, radius(template, a), radius(template, b));
        let own = hex_color(edge.layout.color.as_deref()).filter(|_| !is_active);
        let color = own.unwrap_or(if is_active { palette::ACTIVE_LINE } else { LINE_COLOR });
        let name = |end: Endpoint| match end {
            Endpoint::Location(i) => tree.text(template.locations[i as usize].name.sym),
            Endpoint::Branchpoint(i) => tree.text(template.branchpoints[i as usize].name.sym),
        };
        let title = format!("{} \u{2192} {}", name(edge.source), name(edge.target));
        let _ = write!(self.out, "<g data-edge=\"{e}\">");
        self.title(title, &labels.edges[e], &edge.notes);
        let style = match (edge.controllable, is_active) {
            (true, false) => "",
            (false, false) => "stroke-dasharray=\"6 4\"",
            (true, true) => "stroke-width=\"2.6\"",
            (false, true) => "stroke-width=\"2.6\" stroke-dasharray=\"6 4\"",
        };
        self.arrow(path, color, style);
        self.out.push_str("</g>\n");
    }

    /// Draws a line with an arrow head.
    pub(crate) fn arrow(&mut self, path: Vec<Pt>, color: &str, style: &str) {
        let (line, tip, direction) = with_arrow(path);
        let d = self.path_data(&line);
        let space = if style.is_empty() { "" } else { " " };
        let _ = write!(self.out, "<path d=\"{d}\" stroke=\"{color}\"{space}{style}/>");
        // A wide invisible line that reacts to the mouse.
        let _ = write!(self.out, "<path d=\"{d}\" stroke=\"#000000\" stroke-opacity=\"0\" stroke-width=\"9\"/>");
        let (back, side) = (tip - direction * ARROW, direction.rotated() * 3.6);
        let _ = write!(
            self.out,
            "<path d=\"M{}L{}L{}L{}Z\" fill=\"{color}\"/>",
            self.point(tip),
            self.point(back + side),
            self.point(tip - direction * (ARROW - 2.0)),
            self.point(back - side)
        );
    }

    /// Draws a line without an arrow head.
    pub(crate) fn line(&mut self, path: &[Pt], color: &str, style: &str) {
        let d = self.path_data(path);
        let space = if style.is_empty() { "" } else { " " };
        let _ = write!(self.out, "<path d=\"{d}\" stroke=\"{color}\"{space}{style}/>");
    }

    fn location(&mut self, tree: &Tree, template: &Template, labels: &[Label], at: Pt, v: usize, is_active: bool) {
        let location = &template.locations[v];
        let initial = template.init == Some(v as u32);
        let own = hex_color(location.layout.color.as_deref()).filter(|_| !is_active);
        let fill = own.unwrap_or(if is_active { palette::ACTIVE } else { palette::LOCATION });
        let ink = if is_active { palette::ACTIVE_LINE } else { LINE_COLOR };
        // A colour of the model is the same in the dark, and so is what is written on it.
        let mark_ink = match own {
            Some(color) if is_dark(color) => "#fff",
            Some(_) => "#000",
            None => INK,
        };
        let marks = [(initial, "initial"), (location.urgent, "urgent"), (location.committed, "committed")];
        let mut words: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        if is_active {
            words.push("active");
        }
        let mut title = tree.text(location.name.sym).to_owned();
        if !words.is_empty() {
            let _ = write!(title, " ({})", words.join(", "));
        }
        let _ = write!(self.out, "<g data-location=\"{v}\">");
        let unnamed: Vec<Label> = labels.iter().filter(|l| l.kind != LabelKind::Name).cloned().collect();
        self.title(title, &unnamed, &location.notes);
        let width = if is_active { " stroke-width=\"2.6\"" } else { "" };
        self.circle(at, RADIUS, &format!("fill=\"{fill}\" stroke=\"{ink}\"{width}"));
        if initial {
            self.circle(at, RADIUS - 3.0, &format!("fill=\"none\" stroke=\"{mark_ink}\""));
        }
        let mark = match (location.committed, location.urgent) {
            (true, _) => "C",
            (false, true) => "U",
            (false, false) => "",
        };
        if !mark.is_empty() {
            let p = at + self.offset + pt(0.0, 4.0);
            let _ = write!(
                self.out,
                "<text x=\"{}\" y=\"{}\" font-size=\"11\" font-weight=\"bold\" text-anchor=\"middle\" \
                 fill=\"{mark_ink}\">{mark}</text>",
                number(p.x),
                number(p.y)
            );
        }
        self.out.push_str("</g>\n");
    }

    /// Writes a tooltip.
    fn title(&mut self, mut title: String, labels: &[Label], notes: &[(String, String)]) {
        for label in labels {
            let _ = write!(title, "\n{}: {}", label.kind.word(), label.text);
        }
        for (kind, text) in notes {
            let _ = write!(title, "\n{kind}: {}", text.trim());
        }
        let _ = write!(self.out, "<title>{}</title>", escaped(&title));
    }

    pub(crate) fn circle(&mut self, at: Pt, r: f64, style: &str) {
        let p = at + self.offset;
        let _ = write!(self.out, "<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" {style}/>", number(p.x), number(p.y));
    }

    /// Writes lines of text with their upper left corner at `at`.
    pub(crate) fn text(&mut self, at: Pt, lines: &[String], color: &str, style: &str) {
        if lines.is_empty() {
            return;
        }
        let p = at + self.offset;
        let _ = write!(self.out, "<text fill=\"{color}\"{style}>");
        for (i, line) in lines.iter().enumerate() {
            let y = p.y + ASCENT + i as f64 * LINE;
            let _ = write!(self.out, "<tspan x=\"{}\" y=\"{}\">{}</tspan>", number(p.x), number(y), escaped(line));
        }
        self.out.push_str("</text>\n");
    }

    /// Returns the path data of a polyline with rounded corners.
    fn path_data(&self, points: &[Pt]) -> String {
        const ROUND: f64 = 9.0;
        let mut d = format!("M{}", self.point(points.first().copied().unwrap_or_default()));
        for w in points.windows(3) {
            let (before, after) = (w[0] - w[1], w[2] - w[1]);
            let r = ROUND.min(before.length() / 2.0).min(after.length() / 2.0);
            let (from, to) = (w[1] + before.unit() * r, w[1] + after.unit() * r);
            let _ = write!(d, "L{}Q{} {}", self.point(from), self.point(w[1]), self.point(to));
        }
        let _ = write!(d, "L{}", self.point(points.last().copied().unwrap_or_default()));
        d
    }

    fn point(&self, p: Pt) -> String {
        let p = p + self.offset;
        format!("{} {}", number(p.x), number(p.y))
    }
}

/// Clips a path from centre to centre to the circles at its ends.
pub(crate) fn clipped(path: &[Pt], from_radius: f64, to_radius: f64) -> Vec<Pt> {
    let (Some(&from), Some(&to)) = (path.first(), path.last()) else { return Vec::new() };
    let inner = &path[1..path.len() - 1];
    // Bends inside a circle are invisible.
    let start = inner.iter().position(|&p| (p - from).length() > from_radius).unwrap_or(inner.len());
    let end = inner.iter().rposition(|&p| (p - to).length() > to_radius).map_or(start, |i| i + 1).max(start);
    let inner = &inner[start..end];
    let (first, last) = (inner.first().copied().unwrap_or(to), inner.last().copied().unwrap_or(from));
    let mut out = vec![from + (first - from).unit() * from_radius];
    out.extend(inner);
    out.push(to + (last - to).unit() * to_radius);
    out
}

/// Shortens a line to make room for its arrow head. Also returns the tip and its direction.
fn with_arrow(mut line: Vec<Pt>) -> (Vec<Pt>, Pt, Pt) {
    let tip = line.last().copied().unwrap_or_default();
    let before = line.len().checked_sub(2).map_or(tip, |i| line[i]);
    let direction = (tip - before).unit();
    let room = (tip - before).length();
    if let Some(last) = line.last_mut() {
        *last = tip - direction * (ARROW - 2.0).min(room);
    }
    (line, tip, direction)
}

/// Returns a colour of a model if it is valid.
pub(crate) fn hex_color(color: Option<&str>) -> Option<&str> {
    color.filter(|c| c.strip_prefix('#').is_some_and(|h| h.len() == 6 && h.bytes().all(|b| b.is_ascii_hexdigit())))
}

fn is_dark(color: &str) -> bool {
    let part = |i: usize| color.get(i..i + 2).and_then(|h| u32::from_str_radix(h, 16).ok()).unwrap_or(255);
    part(1) * 3 + part(3) * 6 + part(5) < 1100
}

/// Renders a number with at most one decimal.
pub(crate) fn number(v: f64) -> String {
    let tenths = (v * 10.0).round();
    if tenths % 10.0 == 0.0 { format!("{}", tenths / 10.0 + 0.0) } else { format!("{:.1}", tenths / 10.0) }
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().map(printable) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}
