//! What is written beside locations and edges.

use syntax::{
    Sources, Tree,
    ast::{Direction, Edge, ExprId, Location, Template},
};

use crate::{
    geometry::Size,
    text::{self, Breaks},
};

/// The kinds of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Invariant,
    Rate,
    Select,
    Guard,
    Sync,
    Update,
    Probability,
}

impl Kind {
    /// As UPPAAL's XML calls it.
    pub fn xml(self) -> &'static str {
        match self {
            Kind::Name => "name",
            Kind::Invariant => "invariant",
            Kind::Rate => "exponentialrate",
            Kind::Select => "select",
            Kind::Guard => "guard",
            Kind::Sync => "synchronisation",
            Kind::Update => "assignment",
            Kind::Probability => "probability",
        }
    }

    /// As a person calls it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Rate => "rate",
            Kind::Update => "update",
            Kind::Sync => "sync",
            kind => kind.xml(),
        }
    }

    /// The hues of UPPAAL's editor, dark enough to be read on white.
    pub fn color(self) -> &'static str {
        match self {
            Kind::Name => "#7b1e1e",
            Kind::Invariant => "#a3129b",
            Kind::Rate => "#c0392b",
            Kind::Select => "#8a6a00",
            Kind::Guard => "#0b7a12",
            Kind::Sync => "#007a99",
            Kind::Update => "#1f3fd0",
            Kind::Probability => "#a04d00",
        }
    }
}

/// One label.
#[derive(Clone, Debug)]
pub struct Label {
    pub kind: Kind,
    /// The whole text.
    pub text: String,
    /// The lines in which it is drawn.
    pub lines: Vec<String>,
    /// Their extent.
    pub size: Size,
}

/// The labels of a template.
#[derive(Clone, Debug)]
pub struct Labels {
    /// By location.
    pub locations: Vec<Vec<Label>>,
    /// By edge.
    pub edges: Vec<Vec<Label>>,
}

impl Labels {
    pub fn of(tree: &Tree, sources: &Sources, template: &Template, breaks: Breaks) -> Labels {
        let reader = Reader { tree, sources, breaks };
        let goes_on = || tree.signal.raised().is_none();
        let location = |l: &Location| if goes_on() { reader.location(l) } else { Vec::new() };
        let edge = |e: &Edge| if goes_on() { reader.edge(e) } else { Vec::new() };
        Labels {
            locations: template.locations.iter().map(location).collect(),
            edges: template.edges.iter().map(edge).collect(),
        }
    }
}

/// The extent of labels, one below the other.
pub fn stacked(labels: &[Label]) -> Size {
    let w = labels.iter().map(|l| l.size.w).fold(0.0, f64::max);
    Size { w, h: labels.iter().map(|l| l.size.h).sum() }
}

/// `Name(parameters)`.
pub fn heading(tree: &Tree, sources: &Sources, template: &Template) -> (String, String) {
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

/// What the parentheses at the start hold.
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

struct Reader<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
    breaks: Breaks,
}

impl Reader<'_> {
    fn label(&self, kind: Kind, text: String) -> Option<Label> {
        let lines = text::lines(&text, self.breaks);
        let mut size = text::extent(&lines);
        if kind == Kind::Name {
            // Names are bold.
            size.w *= 1.08;
        }
        (!lines.is_empty()).then_some(Label { kind, text, lines, size })
    }

    fn source(&self, e: ExprId) -> String {
        text::expression(self.sources.text(self.tree.span(e)))
    }

    fn location(&self, location: &Location) -> Vec<Label> {
        // A name that was made up is nothing that the author would recognise.
        let name = (!location.anonymous).then(|| self.tree.text(location.name.sym).to_owned());
        let rate = location.rate.map(|(rate, over)| match over {
            Some(over) => format!("{} : {}", self.source(rate), self.source(over)),
            None => self.source(rate),
        });
        [
            name.and_then(|n| self.label(Kind::Name, n)),
            location.invariant.and_then(|e| self.label(Kind::Invariant, self.source(e))),
            rate.and_then(|r| self.label(Kind::Rate, r)),
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
            self.label(Kind::Select, select.join(", ")),
            edge.guard.and_then(|e| self.label(Kind::Guard, self.source(e))),
            sync.and_then(|s| self.label(Kind::Sync, s)),
            edge.update.map(|e| self.source(e)).or(program).and_then(|text| self.label(Kind::Update, text)),
            edge.probability.and_then(|e| self.label(Kind::Probability, self.source(e))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
