//! Labels of locations and edges.

use syntax::{
    Sources, Tree,
    ast::{Direction, Edge, ExprId, Location, Template},
};

use crate::{
    font::Weight,
    geometry::Size,
    palette::{SYNC, UPDATE},
    text::{self, Breaks},
};

/// The kinds of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelKind {
    Name,
    Invariant,
    Rate,
    Select,
    Guard,
    Sync,
    Update,
    Probability,
}

impl LabelKind {
    /// Returns its name in UPPAAL's XML.
    pub(crate) fn xml(self) -> &'static str {
        match self {
            LabelKind::Name => "name",
            LabelKind::Invariant => "invariant",
            LabelKind::Rate => "exponentialrate",
            LabelKind::Select => "select",
            LabelKind::Guard => "guard",
            LabelKind::Sync => "synchronisation",
            LabelKind::Update => "assignment",
            LabelKind::Probability => "probability",
        }
    }

    /// Returns its name in tooltips.
    pub(crate) fn word(self) -> &'static str {
        match self {
            LabelKind::Rate => "rate",
            LabelKind::Update => "update",
            LabelKind::Sync => "sync",
            kind => kind.xml(),
        }
    }

    /// Returns its weight: names are bold.
    pub(crate) fn weight(self) -> Weight {
        if self == LabelKind::Name { Weight::Bold } else { Weight::Regular }
    }

    /// Returns a dark variant of its colour in UPPAAL's editor.
    pub(crate) fn color(self) -> &'static str {
        match self {
            LabelKind::Name => "#7b1e1e",
            LabelKind::Invariant => "#a3129b",
            LabelKind::Rate => "#c0392b",
            LabelKind::Select => "#8a6a00",
            LabelKind::Guard => "#0b7a12",
            LabelKind::Sync => SYNC,
            LabelKind::Update => UPDATE,
            LabelKind::Probability => "#a04d00",
        }
    }
}

/// One label.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub kind: LabelKind,
    /// The whole text.
    pub text: String,
    /// The lines in which it is drawn.
    pub lines: Vec<String>,
    /// The size of these lines.
    pub size: Size,
}

/// The labels of a template.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    /// Labels by location.
    pub locations: Vec<Vec<Label>>,
    /// Labels by edge.
    pub edges: Vec<Vec<Label>>,
}

impl Labels {
    pub(crate) fn of(tree: &Tree, sources: &Sources, template: &Template, breaks: Breaks) -> Labels {
        let reader = LabelReader { tree, sources, breaks };
        let goes_on = || tree.signal.raised().is_none();
        let location = |l: &Location| if goes_on() { reader.location(l) } else { Vec::new() };
        let edge = |e: &Edge| if goes_on() { reader.edge(e) } else { Vec::new() };
        Labels {
            locations: template.locations.iter().map(location).collect(),
            edges: template.edges.iter().map(edge).collect(),
        }
    }
}

/// Returns the size of labels that are stacked vertically.
pub(crate) fn stacked(labels: &[Label]) -> Size {
    let w = labels.iter().map(|l| l.size.w).fold(0.0, f64::max);
    Size { w, h: labels.iter().map(|l| l.size.h).sum() }
}

/// Returns the name and the parameters of a template, for `Name(parameters)`.
pub(crate) fn heading(tree: &Tree, sources: &Sources, template: &Template) -> (String, String) {
    let name = tree.text(template.name.sym).to_owned();
    let Some(located) = template.params.first().and_then(|p| sources.locate(p.name.span)) else {
        return (name, String::new());
    };
    let params = if located.place.path.is_empty() {
        let after = sources.locate(template.name.span).map_or("", |at| &at.text[at.range.end..]);
        in_parentheses(after)
    } else {
        located.text
    };
    let params = text::lines(&text::expression(params), Breaks { keep: false, limit: usize::MAX / 4 });
    (name, params.join(" "))
}

/// Returns the text inside the parentheses at the start.
fn in_parentheses(text: &str) -> &str {
    let Some((_, inside)) = text.split_once('(') else { return "" };
    let mut depth = 1;
    for (i, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &inside[..i];
        }
    }
    inside
}

struct LabelReader<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
    breaks: Breaks,
}

impl LabelReader<'_> {
    fn label(&self, kind: LabelKind, text: String) -> Option<Label> {
        let lines = text::lines(&text, self.breaks);
        let size = text::extent(&lines, kind.weight());
        (!lines.is_empty()).then_some(Label { kind, text, lines, size })
    }

    fn source(&self, e: ExprId) -> String {
        text::expression(self.sources.text(self.tree.span(e)))
    }

    fn location(&self, location: &Location) -> Vec<Label> {
        // Generated names are not shown, as the author does not know them.
        let name = (!location.anonymous).then(|| self.tree.text(location.name.sym).to_owned());
        let rate = location.rate.map(|(rate, over)| match over {
            Some(over) => format!("{} : {}", self.source(rate), self.source(over)),
            None => self.source(rate),
        });
        [
            name.and_then(|n| self.label(LabelKind::Name, n)),
            location.invariant.and_then(|e| self.label(LabelKind::Invariant, self.source(e))),
            rate.and_then(|r| self.label(LabelKind::Rate, r)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn edge(&self, edge: &Edge) -> Vec<Label> {
        let select: Vec<String> = edge
            .select
            .iter()
            .map(|b| text::expression(self.sources.text(b.name.span.to(self.tree.ty(b.ty).span))))
            .collect();
        let sync = edge.sync.map(|(channel, direction)| {
            let mark = match direction {
                Direction::Send => "!",
                Direction::Receive => "?",
                Direction::Both => "",
            };
            self.source(channel) + mark
        });
        let event = edge.event.zip(self.tree.events.as_ref()).map(|(event, events)| events.names[event as usize].sym);
        let sync = sync.or_else(|| event.map(|sym| self.tree.text(sym).to_owned()));
        let program = edge.program.map(|s| text::expression(self.sources.text(self.tree.stmt(s).span)));
        [
            self.label(LabelKind::Select, select.join(", ")),
            edge.guard.and_then(|e| self.label(LabelKind::Guard, self.source(e))),
            sync.and_then(|s| self.label(LabelKind::Sync, s)),
            edge.update.map(|e| self.source(e)).or(program).and_then(|text| self.label(LabelKind::Update, text)),
            edge.probability.and_then(|e| self.label(LabelKind::Probability, self.source(e))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
