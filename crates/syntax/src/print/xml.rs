//! Prints models as UPPAAL's XML.

mod document;

use super::{
    PrintedModel,
    names::{Ids, Renames, ids},
    process::LabelKind,
    writer::Printer,
};
use crate::{
    ast::{Edge, Endpoint, Layout, Location, Point, Query, RecordedResult, Template, Tree},
    lexer::Comment,
    names::Sym,
    source::{Sources, Span},
};
use document::XmlOutput;

pub(super) fn model(tree: &Tree, sources: &Sources) -> PrintedModel {
    let printer = Printer::new(tree, sources, Renames::for_xml(tree));
    let mut writer = Writer { printer, document: XmlOutput::new() };
    writer.model(&ids(tree));
    let has_charts = tree.ignored.iter().any(|(name, _)| *name == "live sequence charts");
    let dropped = if has_charts { vec!["live sequence charts"] } else { Vec::new() };
    PrintedModel { text: writer.document.finish(), dropped }
}

struct Writer<'a> {
    printer: Printer<'a>,
    document: XmlOutput,
}

impl<'a> Writer<'a> {
    fn model(&mut self, ids: &[Ids]) {
        let tree = self.printer.tree;
        let mut leading = Vec::new();
        let globals = self.printer.text(|p| {
            p.globals();
            leading = before_first_process(p);
        });
        self.document.open("nta", &[]);
        self.document.text("declaration", &[], &globals);
        for (template, ids) in tree.templates.iter().zip(ids) {
            if self.printer.is_over() {
                break;
            }
            leading.extend(self.printer.comments.leading(template.span.start));
            self.template(template, ids, std::mem::take(&mut leading));
        }
        let system = self.printer.text(Printer::system);
        self.document.text("system", &[], &system);
        if !tree.queries.is_empty() {
            self.document.open("queries", &[]);
            tree.queries.iter().for_each(|q| self.query(q));
            self.document.close("queries");
        }
        self.document.close("nta");
    }

    fn name(&self, sym: Sym) -> String {
        self.printer.renames.get(sym).unwrap_or_else(|| self.printer.tree.text(sym)).to_owned()
    }

    fn template(&mut self, template: &'a Template, ids: &Ids, mut before: Vec<&'a Comment>) {
        let name = self.name(template.name.sym);
        self.document.open("template", &[]);
        self.document.text("name", &[], &name);
        let mut trailing = Vec::new();
        let parameters = self.printer.text(|p| trailing = p.template_parameters(template));
        if !parameters.is_empty() {
            self.document.text("parameter", &[], &parameters);
        }
        before.append(&mut trailing);
        let mut declarations = self.printer.text(|p| p.locals(template, before));
        let document = std::mem::replace(&mut self.document, XmlOutput::inner());
        let points = points(template);
        for (i, location) in template.locations.iter().enumerate() {
            if self.printer.is_over() {
                break;
            }
            let name = if ids.anonymous[i] { None } else { Some(self.name(location.name.sym)) };
            self.location(location, &ids.locations[i], name, points.locations[i]);
        }
        for ((branchpoint, id), at) in template.branchpoints.iter().zip(&ids.branchpoints).zip(points.branchpoints) {
            let mut attributes = vec![("id", id.clone())];
            attributes.extend(position(Some(at)));
            attributes.extend(color(&branchpoint.layout));
            self.document.empty("branchpoint", &attributes);
        }
        if let Some(init) = template.init.and_then(|i| ids.locations.get(i as usize)) {
            self.document.empty("init", &[("ref", init.clone())]);
        }
        for edge in &template.edges {
            if self.printer.is_over() {
                break;
            }
            self.edge(edge, ids);
        }
        let body = std::mem::replace(&mut self.document, document);
        // Comments that no element of the template can hold are put after the declarations.
        if !self.printer.comments.is_element(template.span.start) {
            let left = self.printer.comments.inside(template.span);
            let left = self.printer.text(|p| p.comment_lines(left));
            if !left.is_empty() && !declarations.is_empty() {
                declarations.push_str("\n\n");
            }
            declarations.push_str(&left);
        }
        if !declarations.is_empty() {
            self.document.text("declaration", &[], &declarations);
        }
        self.document.append(body);
        self.document.close("template");
    }

    fn location(&mut self, location: &Location, id: &str, name: Option<String>, at: Point) {
        let leading = self.printer.comments.leading(location.span.start);
        let mut attributes = vec![("id", id.to_owned())];
        attributes.extend(position(Some(at)));
        attributes.extend(color(&location.layout));
        self.document.open("location", &attributes);
        if let Some(name) = name {
            let at = label_position(&location.layout, "name");
            self.document.text("name", &position(at), &name);
        }
        if let Some(e) = location.invariant {
            let span = self.printer.tree.span(e);
            self.label(location.span, span, &location.layout, "invariant", |p| p.content(e));
        }
        if let Some(span) = self.printer.rate_span(location) {
            self.label(location.span, span, &location.layout, "exponentialrate", |p| p.rate(location));
        }
        self.notes(location.span, leading, &location.notes, &location.layout);
        if location.urgent {
            self.document.empty("urgent", &[]);
        }
        if location.committed {
            self.document.empty("committed", &[]);
        }
        self.document.close("location");
    }

    fn edge(&mut self, edge: &Edge, ids: &Ids) {
        let leading = self.printer.comments.leading(edge.span.start);
        let mut attributes = Vec::new();
        if !edge.controllable {
            attributes.push(("controllable", "false".to_owned()));
        }
        attributes.extend(position(edge.layout.at));
        attributes.extend(color(&edge.layout));
        self.document.open("transition", &attributes);
        for (tag, end) in [("source", edge.source), ("target", edge.target)] {
            let id = match end {
                Endpoint::Location(i) => &ids.locations[i as usize],
                Endpoint::Branchpoint(i) => &ids.branchpoints[i as usize],
            };
            self.document.empty(tag, &[("ref", id.clone())]);
        }
        for kind in LabelKind::ALL {
            if let Some(span) = self.printer.label_span(edge, kind) {
                self.label(edge.span, span, &edge.layout, kind.xml(), |p| p.label(edge, kind));
            }
        }
        self.notes(edge.span, leading, &edge.notes, &edge.layout);
        for &nail in &edge.layout.nails {
            self.document.empty("nail", &position(Some(nail)));
        }
        self.document.close("transition");
    }

    /// Prints a label with the comments around its text.
    fn label(&mut self, owner: Span, span: Span, layout: &Layout, kind: &str, f: impl FnOnce(&mut Printer<'a>)) {
        let text = self.printer.text(|p| {
            let leading = p.comments.leading(span.start);
            p.comment_lines(leading);
            f(p);
            p.trail_label(owner, span);
        });
        self.label_text(layout, kind, &text);
    }

    fn label_text(&mut self, layout: &Layout, kind: &str, text: &str) {
        let mut attributes = vec![("kind", kind.to_owned())];
        attributes.extend(position(label_position(layout, kind)));
        self.document.text("label", &attributes, text);
    }

    /// Prints comment and test-code labels. Comments of a text file that belong to no other label
    /// become one.
    fn notes(&mut self, owner: Span, leading: Vec<&'a Comment>, notes: &[(String, String)], layout: &Layout) {
        let mut comments = leading;
        if !self.printer.comments.is_element(owner.start) {
            comments.extend(self.printer.comments.inside(owner));
            comments.extend(self.printer.comments.trailing(owner.end));
        }
        if !comments.is_empty() {
            let lines: Vec<&str> = comments.iter().map(|c| c.content()).collect();
            self.label_text(layout, "comments", &lines.join("\n"));
        }
        for (kind, text) in notes.iter().filter(|(_, text)| !text.trim().is_empty()) {
            self.label_text(layout, kind, text);
        }
    }

    fn query(&mut self, query: &Query) {
        let formula = self.printer.query_text(query, false);
        self.document.open("query", &[]);
        self.document.text("formula", &[], &formula);
        self.document.text("comment", &[], &query.comment);
        for (key, value) in &query.options {
            self.document.empty("option", &[("key", key.clone()), ("value", value.clone())]);
        }
        if let Some(expect) = &query.expect {
            self.recorded("expect", expect);
        }
        query.results.iter().for_each(|r| self.recorded("result", r));
        self.document.close("query");
    }

    fn recorded(&mut self, tag: &str, result: &RecordedResult) {
        let all = [
            ("outcome", &result.outcome),
            ("type", &result.kind),
            ("value", &result.value),
            ("timestamp", &result.timestamp),
        ];
        let given = all.into_iter().filter(|(_, value)| !value.is_empty());
        let attributes: Vec<(&str, String)> = given.map(|(key, value)| (key, value.clone())).collect();
        if result.details.is_empty() {
            self.document.empty(tag, &attributes);
        } else {
            self.document.open(tag, &attributes);
            self.document.text("details", &[], &result.details);
            self.document.close(tag);
        }
    }
}

/// Prints the comments between the global declarations and the first template that belong to the
/// former. Returns those of the template: in a text file, the block directly before it.
fn before_first_process<'a>(p: &mut Printer<'a>) -> Vec<&'a Comment> {
    let Some(first) = p.tree.templates.first() else { return Vec::new() };
    if p.comments.is_element(first.span.start) {
        let left = p.comments.inside(Span { start: 0, end: first.name.span.start });
        p.comment_lines(left);
        return Vec::new();
    }
    let mut globals = p.comments.leading(first.span.start);
    let is_separate = |at: u32| p.comments.blank_before(at);
    let split = if is_separate(first.span.start) {
        globals.len()
    } else {
        globals.iter().rposition(|c| is_separate(c.span.start)).unwrap_or(0)
    };
    let own = globals.split_off(split);
    p.comment_lines(globals);
    own
}

fn position(at: Option<Point>) -> Vec<(&'static str, String)> {
    at.map_or(Vec::new(), |(x, y)| vec![("x", x.to_string()), ("y", y.to_string())])
}

fn color(layout: &Layout) -> Option<(&'static str, String)> {
    layout.color.clone().map(|color| ("color", color))
}

fn label_position(layout: &Layout, kind: &str) -> Option<Point> {
    layout.labels.iter().find(|l| l.kind == kind).map(|l| l.at)
}

struct Points {
    locations: Vec<Point>,
    branchpoints: Vec<Point>,
}

/// Returns the coordinates of locations and branchpoints. Those without coordinates are placed on a
/// grid below the others, so that they do not overlap in an editor.
fn points(template: &Template) -> Points {
    const ACROSS: i32 = 200;
    const DOWN: i32 = 150;
    let given: Vec<Option<Point>> = template.locations.iter().map(|l| l.layout.at).collect();
    let branchpoints: Vec<Option<Point>> = template.branchpoints.iter().map(|b| b.layout.at).collect();
    let all = || given.iter().chain(&branchpoints);
    let missing = all().filter(|at| at.is_none()).count();
    let columns = (1..=missing).find(|n| n * n >= missing).unwrap_or(1);
    let top = all().flatten().map(|(_, y)| y.saturating_add(DOWN)).max().unwrap_or(0);
    let mut next = 0usize;
    let mut place = |at: &Option<Point>| {
        at.unwrap_or_else(|| {
            let (column, row) = ((next % columns) as i32, (next / columns) as i32);
            next += 1;
            (column.saturating_mul(ACROSS), top.saturating_add(row.saturating_mul(DOWN)))
        })
    };
    Points {
        locations: given.iter().map(&mut place).collect(),
        branchpoints: branchpoints.iter().map(&mut place).collect(),
    }
}
