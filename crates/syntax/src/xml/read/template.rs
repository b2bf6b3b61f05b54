//! Reads templates: locations, branchpoints and edges with their labels.

use rustc_hash::FxHashMap;

use super::{Context, ModelReader};
use crate::{
    ast::{Branchpoint, Edge, Endpoint, ExprKind, LabelLayout, Layout, Location, Name, Point, Template},
    diagnostic::{Diagnostic, nearest},
    parser::Section,
    source::Span,
    xml::dom::Element,
};

/// The locations and branchpoints of a template by their `id`.
type Endpoints = FxHashMap<String, Endpoint>;

impl ModelReader<'_> {
    /// Reads the template with this number, counted from 1.
    pub(super) fn template(&mut self, id: usize, number: usize, context: &Context) {
        let mut context = context.inside(&format!("template[{number}]"), &format!("template {number}"));
        let span = self.element(id).span;
        self.order(id, &["name", "parameter", "declaration", "location", "branchpoint", "init", "transition"]);
        let name = self.document.child(id, "name").and_then(|n| self.name(n, &context.inside("name", "name")));
        let name = name.unwrap_or_else(|| {
            if self.document.child(id, "name").is_none() {
                self.diagnostics.push(Diagnostic::error("wrong-name", span, "the template has no name"));
            }
            Name { sym: self.tree.names.intern(&format!("_template{number}")), span }
        });
        context.what = format!("template `{}`", self.tree.text(name.sym));
        self.tree.templates.push(Template { body: Span::NONE, ..Template::new(name, span) });
        self.template_parameters(id, name, &context);
        self.template_declarations(id, &context);
        self.template_graph(id, span, &context);
    }

    fn template_parameters(&mut self, id: usize, name: Name, context: &Context) {
        if let Some(p) = self.document.child(id, "parameter")
            && let Some(fragment) = self.fragment(p, &context.inside("parameter", "parameters"))
        {
            let mut parser = self.parser(fragment);
            match parser.parameter_list() {
                Ok(params) => {
                    parser.finish();
                    self.last().params = params;
                }
                Err(_) => {
                    parser.give_up();
                    // The number of its parameters is unknown.
                    self.tree.lost.insert(name.sym);
                }
            }
        }
    }

    fn template_declarations(&mut self, id: usize, context: &Context) {
        if let Some(d) = self.document.child(id, "declaration") {
            let inside = context.inside("declaration", "declarations");
            if let Some(fragment) = self.fragment(d, &inside) {
                self.last().body = self.sources.fragment(fragment).span();
                let mut parser = self.parser(fragment);
                parser.section(Section::Local);
                parser.finish();
            }
        }
    }

    /// Reads the locations, branchpoints and edges of a template.
    fn template_graph(&mut self, id: usize, span: Span, context: &Context) {
        let mut places = Endpoints::default();
        let locations: Vec<usize> = self.document.children(id, "location").collect();
        for (i, l) in locations.into_iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.location(l, i, context, &mut places);
        }
        let branchpoints: Vec<usize> = self.document.children(id, "branchpoint").collect();
        for b in branchpoints {
            self.branchpoint(b, &mut places);
        }
        self.init(id, span, &places);
        let edges: Vec<usize> = self.document.children(id, "transition").collect();
        for (i, t) in edges.into_iter().enumerate() {
            if self.is_over() {
                return;
            }
            self.edge(t, i, context, &places);
        }
    }

    fn last(&mut self) -> &mut Template {
        self.tree.templates.last_mut().expect("a template is being read")
    }

    fn init(&mut self, template: usize, span: Span, places: &Endpoints) {
        let name = self.last().name;
        let text = self.tree.text(name.sym).to_owned();
        let missing = || {
            Diagnostic::error("no-initial-location", span, format!("template `{text}` has no initial location"))
                .help("every template needs one, also if it is not used")
        };
        let Some(init) = self.document.child(template, "init") else {
            return self.diagnostics.push(missing());
        };
        let element = self.element(init);
        match element.attribute("ref").map(|id| (id, places.get(id))) {
            Some((_, Some(Endpoint::Location(i)))) => {
                let i = *i;
                self.last().init = Some(i);
            }
            Some((id, _)) => {
                let d = unknown_ref(id, element.span, places);
                self.diagnostics.push(d);
            }
            None => self.diagnostics.push(missing()),
        }
    }

    fn location(&mut self, id: usize, index: usize, context: &Context, places: &mut Endpoints) {
        let element = self.element(id);
        let span = element.span;
        let Some(xml_id) = element.attribute("id").map(str::to_owned).filter(|id| !id.trim().is_empty()) else {
            self.diagnostics.push(Diagnostic::error("xml", span, "the location has no `id`"));
            return;
        };
        let path = format!("location[{}]", index + 1);
        self.order(id, &["name", "label", "urgent", "committed"]);
        let element = self.element(id);
        let mut layout = layout(element);
        let name_element = self.document.child(id, "name");
        let name = name_element.and_then(|n| {
            if let Some(at) = point(self.element(n)) {
                layout.labels.push(LabelLayout { kind: "name".to_owned(), at });
            }
            self.name(n, &context.inside(&format!("{path}/name"), &format!("location {}, name", index + 1)))
        });
        let anonymous = name.is_none();
        let name = name.unwrap_or_else(|| Name { sym: self.tree.names.intern(&format!("_{xml_id}")), span });
        let context = context.inside(&path, &format!("location `{}`", self.tree.text(name.sym)));
        let mut location = Location {
            anonymous,
            urgent: self.document.child(id, "urgent").is_some(),
            committed: self.document.child(id, "committed").is_some(),
            layout,
            ..Location::new(name, span)
        };
        self.location_labels(id, &context, &mut location);
        // The last location with an `id` wins, as in UPPAAL, which also warns.
        if places.insert(xml_id.clone(), Endpoint::Location(self.last().locations.len() as u32)).is_some() {
            self.diagnostics.push(Diagnostic::warning(
                "duplicate-id",
                span,
                format!("`id` \"{xml_id}\" is used twice"),
            ));
        }
        self.last().locations.push(location);
    }

    fn location_labels(&mut self, id: usize, context: &Context, location: &mut Location) {
        let labels: Vec<usize> = self.document.children(id, "label").collect();
        for (i, l) in labels.into_iter().enumerate() {
            let Some(kind) = self.label_kind(l) else { continue };
            if let Some(at) = point(self.element(l)) {
                location.layout.labels.push(LabelLayout { kind: kind.clone(), at });
            }
            let inside = context.inside(&format!("label[{}]", i + 1), &kind);
            if !matches!(kind.as_str(), "invariant" | "exponentialrate") {
                let text = std::mem::take(&mut self.document.elements[l].text).text;
                location.notes.push((kind, text));
                continue;
            }
            let Some(fragment) = self.fragment(l, &inside) else { continue };
            let mut parser = self.parser(fragment);
            if kind == "invariant" {
                let invariant = parser.invariant().ok();
                if invariant.is_some() {
                    parser.finish();
                }
                self.twice(location.invariant.is_some(), fragment, &kind);
                location.invariant = invariant.or(location.invariant);
            } else {
                location.rate = parser.rate().ok();
                if location.rate.is_some() {
                    parser.finish();
                }
            }
        }
    }

    fn branchpoint(&mut self, id: usize, places: &mut Endpoints) {
        let element = self.element(id);
        let span = element.span;
        let Some(xml_id) = element.attribute("id").map(str::to_owned) else {
            self.diagnostics.push(Diagnostic::error("xml", span, "the branchpoint has no `id`"));
            return;
        };
        let layout = layout(element);
        let name = Name { sym: self.tree.names.intern(&format!("_{xml_id}")), span };
        let index = self.last().branchpoints.len() as u32;
        places.insert(xml_id, Endpoint::Branchpoint(index));
        self.last().branchpoints.push(Branchpoint { name, layout });
    }

    fn label_kind(&mut self, id: usize) -> Option<String> {
        let element = self.element(id);
        let kind = element.attribute("kind").map(str::to_owned);
        if kind.is_none() {
            let d = Diagnostic::error("xml", element.span, "the label has no `kind`");
            self.diagnostics.push(d);
        }
        kind
    }

    fn twice(&mut self, is: bool, fragment: usize, kind: &str) {
        if is {
            let span = self.sources.fragment(fragment).span();
            self.diagnostics.push(
                Diagnostic::warning("second-label", span, format!("a second {kind} label replaces the first"))
                    .help("UPPAAL uses the last label of a kind; join them with `&&` or `,` if both are intended"),
            );
        }
    }

    fn endpoint(&mut self, edge: usize, tag: &str, places: &Endpoints) -> Option<Endpoint> {
        let span = self.element(edge).span;
        let Some(end) = self.document.child(edge, tag) else {
            self.diagnostics.push(Diagnostic::error("xml", span, format!("the transition has no <{tag}>")));
            return None;
        };
        let element = self.element(end);
        let Some(id) = element.attribute("ref") else {
            let d = Diagnostic::error("xml", element.span, format!("<{tag}> has no `ref`"));
            self.diagnostics.push(d);
            return None;
        };
        if let Some(endpoint) = places.get(id) {
            return Some(*endpoint);
        }
        let d = unknown_ref(id, element.span, places);
        self.diagnostics.push(d);
        None
    }

    fn place_name(&self, endpoint: Endpoint) -> &str {
        let template = self.tree.templates.last().expect("a template is being read");
        let name = match endpoint {
            Endpoint::Location(i) => template.locations[i as usize].name,
            Endpoint::Branchpoint(i) => template.branchpoints[i as usize].name,
        };
        self.tree.text(name.sym)
    }

    fn edge(&mut self, id: usize, index: usize, context: &Context, places: &Endpoints) {
        let source = self.endpoint(id, "source", places);
        let target = self.endpoint(id, "target", places);
        let show = |e: Option<Endpoint>| e.map_or("?", |e| self.place_name(e)).to_owned();
        let what = format!("edge `{}` -> `{}`", show(source), show(target));
        let context = context.inside(&format!("transition[{}]", index + 1), &what);
        let element = self.element(id);
        let [from, to] = [source, target].map(|end| end.unwrap_or(Endpoint::Location(0)));
        let mut edge = Edge {
            controllable: element.attribute("controllable").is_none_or(|c| c == "true"),
            layout: layout(element),
            ..Edge::new(from, to, element.span)
        };
        self.order(id, &["source", "target", "label", "nail"]);
        let first_expr = self.tree.exprs.len();
        edge.layout.nails = self.document.children(id, "nail").filter_map(|n| point(self.element(n))).collect();
        let labels: Vec<usize> = self.document.children(id, "label").collect();
        for (i, l) in labels.into_iter().enumerate() {
            let Some(kind) = self.label_kind(l) else { continue };
            if let Some(at) = point(self.element(l)) {
                edge.layout.labels.push(LabelLayout { kind: kind.clone(), at });
            }
            let selects = kind == "select";
            self.edge_label(l, kind, &context, i + 1, &mut edge);
            if selects {
                self.late_select(first_expr, &edge);
            }
        }
        if source.is_some() && target.is_some() {
            self.last().edges.push(edge);
        }
    }

    /// Reports a label before the select label that uses a selected name: UPPAAL reads the labels
    /// in order.
    fn late_select(&mut self, first_expr: usize, edge: &Edge) {
        for binding in &edge.select {
            let uses = self.tree.exprs[first_expr..]
                .iter()
                .find(|e| e.kind == ExprKind::Name(binding.name.sym) && e.span.start < binding.name.span.start);
            if let Some(e) = uses {
                let text = self.tree.text(binding.name.sym);
                self.diagnostics.push(
                    Diagnostic::error("unknown-name", e.span, format!("`{text}` is used before it is selected"))
                        .also(binding.name.span, "selected here")
                        .help("UPPAAL reads labels in their order: put the select label first"),
                );
            }
        }
    }

    fn edge_label(&mut self, label: usize, kind: String, context: &Context, number: usize, edge: &mut Edge) {
        if !matches!(kind.as_str(), "select" | "guard" | "synchronisation" | "assignment" | "probability") {
            let text = std::mem::take(&mut self.document.elements[label].text).text;
            edge.notes.push((kind, text));
            return;
        }
        let inside = context.inside(&format!("label[{number}]"), &kind);
        let Some(fragment) = self.fragment(label, &inside) else { return };
        let mut parser = self.parser(fragment);
        let mut second = false;
        let fine = match kind.as_str() {
            "select" => parser.bindings().map(|b| edge.select.extend(b)).is_ok(),
            "guard" => parser.guard().map(|e| second = edge.guard.replace(e).is_some()).is_ok(),
            "synchronisation" => parser.synchronisation().map(|s| second = edge.sync.replace(s).is_some()).is_ok(),
            "assignment" => parser.comma_expression().map(|e| second = edge.update.replace(e).is_some()).is_ok(),
            _ => parser.expression().map(|e| edge.probability = Some(e)).is_ok(),
        };
        if fine {
            parser.finish();
        } else {
            parser.give_up();
        }
        self.twice(second, fragment, &kind);
    }
}

fn point(element: &Element) -> Option<Point> {
    let coordinate = |key: &str| element.attribute(key).and_then(|v| v.trim().parse::<f64>().ok()).map(|v| v as i32);
    Some((coordinate("x")?, coordinate("y")?))
}

fn layout(element: &Element) -> Layout {
    let color = element.attribute("color").map(str::to_owned);
    Layout { at: point(element), nails: Vec::new(), labels: Vec::new(), color }
}

fn unknown_ref(id: &str, span: Span, places: &Endpoints) -> Diagnostic {
    let mut names: Vec<&str> = places.keys().map(String::as_str).collect();
    names.sort_unstable();
    let d = Diagnostic::error("unknown-reference", span, format!("no location has the `id` \"{id}\""));
    match nearest(id, names) {
        Some(near) => d.help(format!("did you mean \"{near}\"?")),
        None => d,
    }
}
