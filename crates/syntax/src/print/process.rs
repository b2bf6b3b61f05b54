//! Prints templates.

use super::writer::{Printer, WIDTH};
use crate::{
    ast::{Direction, Edge, Endpoint, Location, Template},
    lexer::Comment,
    source::Span,
};

/// The labels of an edge, in the order in which they take effect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelKind {
    Select,
    Guard,
    Sync,
    Update,
    Probability,
}

impl LabelKind {
    pub(super) const ALL: [LabelKind; 5] =
        [LabelKind::Select, LabelKind::Guard, LabelKind::Sync, LabelKind::Update, LabelKind::Probability];

    /// Returns its keyword in XTA.
    fn word(self) -> &'static str {
        match self {
            LabelKind::Select => "select ",
            LabelKind::Guard => "guard ",
            LabelKind::Sync => "sync ",
            LabelKind::Update => "assign ",
            LabelKind::Probability => "probability ",
        }
    }

    /// Returns its `kind` in XML.
    pub(super) fn xml(self) -> &'static str {
        match self {
            LabelKind::Select => "select",
            LabelKind::Guard => "guard",
            LabelKind::Sync => "synchronisation",
            LabelKind::Update => "assignment",
            LabelKind::Probability => "probability",
        }
    }
}

impl<'a> Printer<'a> {
    /// Returns the span of a label; `None` if the edge has none of this kind.
    pub(super) fn label_span(&self, edge: &Edge, kind: LabelKind) -> Option<Span> {
        let e = match kind {
            LabelKind::Select => {
                let (first, last) = (edge.select.first()?, edge.select.last()?);
                return Some(first.name.span.to(self.tree.ty(last.ty).span));
            }
            LabelKind::Guard => edge.guard,
            LabelKind::Sync => edge.sync.map(|(e, _)| e),
            LabelKind::Update => edge.update,
            LabelKind::Probability => edge.probability,
        };
        e.map(|e| self.tree.span(e))
    }

    /// Prints the text of a label; nothing if the edge has none of this kind.
    pub(super) fn label(&mut self, edge: &Edge, kind: LabelKind) {
        match kind {
            LabelKind::Select => {
                for (i, &binding) in edge.select.iter().enumerate() {
                    self.write(if i > 0 { ", " } else { "" });
                    self.binding(binding);
                }
            }
            LabelKind::Guard => edge.guard.into_iter().for_each(|e| self.content(e)),
            LabelKind::Update => edge.update.into_iter().for_each(|e| self.content(e)),
            LabelKind::Probability => edge.probability.into_iter().for_each(|e| self.content(e)),
            LabelKind::Sync => {
                if let Some((e, direction)) = edge.sync {
                    self.content(e);
                    self.write(match direction {
                        Direction::Send => "!",
                        Direction::Receive => "?",
                        Direction::Both => "",
                    });
                }
            }
        }
    }

    /// Prints `e` or `e : e`.
    pub(super) fn rate(&mut self, location: &Location) {
        if let Some((e, over)) = location.rate {
            self.expr(e);
            if let Some(over) = over {
                self.write(" : ");
                self.expr(over);
            }
        }
    }

    /// Returns the span of a location's rate.
    pub(super) fn rate_span(&self, location: &Location) -> Option<Span> {
        let (e, over) = location.rate?;
        Some(over.map_or(self.tree.span(e), |over| self.tree.span(e).to(self.tree.span(over))))
    }

    /// Defers the comments inside and after a label to the end of its line. A label of an XML file
    /// is a separate text, and all its remaining comments belong to the label.
    pub(super) fn trail_label(&mut self, owner: Span, label: Span) {
        self.trail_all(label);
        if let Some(text) = self.own_text(owner, label) {
            let left = self.comments.inside(text);
            self.trail(left);
        }
    }

    /// Returns the text that a label was parsed from, if it is not the text of its owner.
    pub(super) fn own_text(&self, owner: Span, label: Span) -> Option<Span> {
        let text = self.comments.fragment(label.start);
        (text != self.comments.fragment(owner.start)).then_some(text)
    }

    /// Prints the inside of a parameter list with its comments. Returns the comments between it and
    /// the body.
    pub(super) fn template_parameters(&mut self, template: &Template) -> Vec<&'a Comment> {
        let head = Span { start: template.name.span.end, end: template.body.start };
        let Some(first) = template.params.first() else {
            return if template.body == Span::NONE { Vec::new() } else { self.comments.inside(head) };
        };
        self.parameters(&template.params);
        let (inner, trailing) = match self.own_text(template.span, first.name.span) {
            Some(text) => (self.comments.inside(text), Vec::new()),
            None => self.comments.head(head),
        };
        self.trail(inner);
        trailing
    }

    /// Prints the local declarations; the comments in `before` come first.
    pub(super) fn locals(&mut self, template: &Template, before: Vec<&'a Comment>) {
        self.comment_lines(before);
        self.declarations(&template.decls.iter().collect::<Vec<_>>());
        let left = self.comments.inside(template.body);
        self.comment_lines(left);
    }

    /// Prints `process P(params) { … }`.
    pub(super) fn process(&mut self, template: &'a Template) {
        let (locations, branchpoints) = super::names::places(self.tree, template, &self.renames);
        let leading = self.comments.leading(template.span.start);
        self.comment_lines(leading);
        self.start_line(template.span.start);
        self.write("process ");
        self.name(template.name.sym);
        self.write("(");
        let trailing = self.template_parameters(template);
        self.flush(false);
        self.write(") {");
        self.end_line();
        self.nested(|p| {
            p.locals(template, trailing);
            p.locations(template, &locations);
            p.branchpoints(template, &branchpoints);
            p.flagged("commit ", template, &locations, |l| l.committed);
            p.flagged("urgent ", template, &locations, |l| l.urgent);
            if let Some(init) = template.init.and_then(|i| locations.get(i as usize)) {
                p.open_line();
                p.write("init ");
                p.write(init);
                p.write(";");
                p.end_line();
            }
            p.edges(template, &locations, &branchpoints);
            if !p.comments.is_element(template.span.start) {
                let left = p.comments.inside(template.span);
                p.comment_lines(left);
            }
        });
        self.write("}");
        let trailing = self.comments.trailing(template.span.end);
        self.trail(trailing);
        self.end_line();
    }

    fn locations(&mut self, template: &Template, names: &[String]) {
        let (Some(first), Some(last)) = (template.locations.first(), template.locations.last()) else { return };
        let all = Span { start: self.comments.before(first.span.start).start, end: last.span.end };
        let plain = |l: &Location| l.invariant.is_none() && l.rate.is_none() && l.notes.is_empty();
        if template.locations.iter().all(plain) && !self.comments.any(all) {
            let start = self.out.len();
            self.start_spaced();
            self.write("state ");
            self.write(&names.join(", "));
            self.write(";");
            if self.column() <= WIDTH {
                let trailing = self.comments.trailing(last.span.end);
                self.trail(trailing);
                return self.end_line();
            }
            self.out.truncate(start);
        }
        self.start_spaced();
        self.write("state");
        self.end_line();
        self.nested(|p| {
            for (i, (location, name)) in template.locations.iter().zip(names).enumerate() {
                if p.is_over() {
                    return;
                }
                p.location(location, name, i + 1 == names.len());
            }
        });
    }

    fn location(&mut self, location: &Location, name: &str, is_last: bool) {
        let leading = self.comments.leading(location.span.start);
        self.comment_lines(leading);
        self.notes(&location.notes);
        self.open_line();
        self.write(name);
        if location.invariant.is_some() || location.rate.is_some() {
            self.write(" { ");
            if let Some(e) = location.invariant {
                self.comma(e);
            }
            if location.rate.is_some() {
                self.write("; ");
                self.rate(location);
            }
            self.write(" }");
        }
        self.write(if is_last { ";" } else { "," });
        let labels = [location.invariant.map(|e| self.tree.span(e)), self.rate_span(location)];
        for label in labels.into_iter().flatten() {
            let text = self.own_text(location.span, label).unwrap_or(label);
            let inside = self.comments.inside(text);
            self.trail(inside);
        }
        self.trail_all(location.span);
        self.end_line();
    }

    fn branchpoints(&mut self, template: &Template, names: &[String]) {
        let (Some(first), Some(last)) = (template.branchpoints.first(), template.branchpoints.last()) else { return };
        self.item(first.name.span.to(last.name.span), |p| {
            p.write("branchpoint ");
            p.write(&names.join(", "));
            p.write(";");
        });
    }

    fn flagged(&mut self, word: &str, template: &Template, names: &[String], flag: impl Fn(&Location) -> bool) {
        let all = template.locations.iter().zip(names);
        let names: Vec<&str> = all.filter(|(l, _)| flag(l)).map(|(_, name)| name.as_str()).collect();
        if !names.is_empty() {
            self.open_line();
            self.write(word);
            self.write(&names.join(", "));
            self.write(";");
            self.end_line();
        }
    }

    fn edges(&mut self, template: &Template, locations: &[String], branchpoints: &[String]) {
        if template.edges.is_empty() {
            return;
        }
        self.open_line();
        self.write("trans");
        self.end_line();
        let place = |end: Endpoint| match end {
            Endpoint::Location(i) => &locations[i as usize],
            Endpoint::Branchpoint(i) => &branchpoints[i as usize],
        };
        self.nested(|p| {
            for (i, edge) in template.edges.iter().enumerate() {
                if p.is_over() {
                    return;
                }
                let leading = p.comments.leading(edge.span.start);
                p.comment_lines(leading);
                p.notes(&edge.notes);
                p.start_line(edge.span.start);
                p.write(place(edge.source));
                p.write(if edge.controllable { " -> " } else { " -u-> " });
                p.write(place(edge.target));
                p.edge_labels(edge);
                p.write(if i + 1 == template.edges.len() { ";" } else { "," });
                let trailing = p.comments.trailing(edge.span.end);
                p.trail(trailing);
                p.end_line();
            }
        });
    }

    /// Prints `{ … }`, on one line if it fits and has no comment.
    fn edge_labels(&mut self, edge: &Edge) {
        let labels: Vec<(LabelKind, Span)> =
            LabelKind::ALL.iter().filter_map(|&kind| Some((kind, self.label_span(edge, kind)?))).collect();
        let commented =
            |&(_, span): &(LabelKind, Span)| self.own_text(edge.span, span).is_some_and(|text| self.comments.any(text));
        if !labels.iter().any(commented) && !self.comments.any(edge.span) {
            let start = self.out.len();
            self.write(" { ");
            for &(kind, _) in &labels {
                self.write(kind.word());
                self.label(edge, kind);
                self.write("; ");
            }
            self.write("}");
            if self.column() <= WIDTH || labels.len() < 2 {
                return;
            }
            self.out.truncate(start);
        }
        self.write(" {");
        self.end_line();
        self.nested(|p| {
            for (kind, span) in labels {
                let leading = p.comments.leading(span.start);
                p.comment_lines(leading);
                p.open_line();
                p.write(kind.word());
                p.label(edge, kind);
                p.write(";");
                p.trail_label(edge.span, span);
                p.end_line();
            }
            let left = p.comments.inside(edge.span);
            p.comment_lines(left);
        });
        self.open_line();
        self.write("}");
    }

    /// Prints the comment and test-code labels of an XML file.
    fn notes(&mut self, notes: &[(String, String)]) {
        for (kind, text) in notes.iter().filter(|(_, text)| !text.trim().is_empty()) {
            match kind.as_str() {
                "comments" => self.remark_lines(text),
                kind => self.remark_lines(&format!("{kind}: {}", text.trim())),
            }
        }
    }
}
