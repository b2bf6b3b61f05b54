//! What a model says, read by the parser of models: to see that an edit changed what it should, and
//! nothing else.

use syntax::{
    Sources, Span, Tree,
    ast::{Endpoint, Layout, RecordedResult, Template},
    read_model,
};

use crate::buffer::Buffer;

/// A location.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocationShape {
    /// Its name, unless it is generated.
    pub name: Option<String>,
    pub labels: Vec<(String, String)>,
    pub urgent: bool,
    pub committed: bool,
    pub layout: Layout,
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeShape {
    pub ends: [Endpoint; 2],
    pub controllable: bool,
    pub labels: Vec<(String, String)>,
    pub layout: Layout,
}

/// A template.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TemplateShape {
    pub name: String,
    pub parameters: usize,
    pub body: String,
    pub locations: Vec<LocationShape>,
    pub branchpoints: Vec<Layout>,
    pub init: Option<u32>,
    pub edges: Vec<EdgeShape>,
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryShape {
    pub text: String,
    pub comment: String,
    pub options: Vec<(String, String)>,
    pub recorded: Vec<RecordedResult>,
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    pub globals: usize,
    pub templates: Vec<TemplateShape>,
    pub system: Vec<String>,
    pub queries: Vec<QueryShape>,
}

impl Shape {
    /// Reads a model.
    pub fn of(buffer: &Buffer) -> Shape {
        let mut sources = Sources::new();
        let file = sources.add_file("m", buffer.text.clone());
        let (tree, _) = read_model(&mut sources, file, buffer.format);
        let reader = ShapeReader { sources: &sources, tree: &tree };
        Shape {
            globals: tree.decls.len(),
            templates: tree.templates.iter().map(|t| reader.template(t)).collect(),
            system: tree.system.processes.iter().map(|(name, _)| tree.text(name.sym).to_owned()).collect(),
            queries: (tree.queries.iter())
                .map(|q| QueryShape {
                    text: q.text.clone(),
                    comment: q.comment.trim().to_owned(),
                    options: q.options.clone(),
                    recorded: q.expect.iter().chain(&q.results).cloned().collect(),
                })
                .collect(),
        }
    }
}

struct ShapeReader<'a> {
    sources: &'a Sources,
    tree: &'a Tree,
}

impl ShapeReader<'_> {
    fn text(&self, span: Span) -> String {
        self.sources.text(span).to_owned()
    }

    fn template(&self, t: &Template) -> TemplateShape {
        let locations = t.locations.iter().map(|l| {
            let rate = l.rate.map(|(a, b)| self.tree.span(a).to(b.map_or(self.tree.span(a), |b| self.tree.span(b))));
            let labels = [("invariant", l.invariant.map(|e| self.tree.span(e))), ("exponentialrate", rate)];
            LocationShape {
                name: (!l.anonymous).then(|| self.tree.text(l.name.sym).to_owned()),
                labels: self.labels(&labels, &l.notes),
                urgent: l.urgent,
                committed: l.committed,
                layout: sorted(&l.layout),
            }
        });
        let edges = t.edges.iter().map(|e| {
            let span = |e| self.tree.span(e);
            let select = e.select.first().zip(e.select.last());
            let select = select.map(|(a, z)| a.name.span.to(self.tree.ty(z.ty).span));
            let labels = [
                ("select", select),
                ("guard", e.guard.map(span)),
                ("synchronisation", e.sync.map(|(channel, _)| span(channel))),
                ("assignment", e.update.map(span)),
                ("probability", e.probability.map(span)),
            ];
            EdgeShape {
                ends: [e.source, e.target],
                controllable: e.controllable,
                labels: self.labels(&labels, &e.notes),
                layout: sorted(&e.layout),
            }
        });
        TemplateShape {
            name: self.tree.text(t.name.sym).to_owned(),
            parameters: t.params.len(),
            body: self.text(t.body),
            locations: locations.collect(),
            branchpoints: t.branchpoints.iter().map(|b| b.layout.clone()).collect(),
            init: t.init,
            edges: edges.collect(),
        }
    }

    fn labels(&self, spans: &[(&str, Option<Span>)], notes: &[(String, String)]) -> Vec<(String, String)> {
        let read = spans.iter().filter_map(|(kind, span)| Some(((*kind).to_owned(), self.text((*span)?))));
        let mut labels: Vec<(String, String)> = read.collect();
        labels.extend(notes.iter().map(|(kind, text)| (kind.clone(), text.trim().replace("\r\n", "\n"))));
        labels.sort();
        labels
    }
}

fn sorted(layout: &Layout) -> Layout {
    let mut layout = layout.clone();
    layout.labels.sort_by(|a, b| a.kind.cmp(&b.kind));
    layout
}
