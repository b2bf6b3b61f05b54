//! Romeo's files, with the root `<TPN>`.
//!
//! Features beyond time Petri nets (parameters, costs, guards, updates, stopwatches, schedulers)
//! are rejected by name.

use super::{NetNode, NetXmlReader, choose_names, suggesting};
use crate::{
    diagnostic::Diagnostic,
    net::draft::{ArcKind, WrittenInterval},
};

impl NetXmlReader<'_, '_> {
    pub(super) fn romeo(&mut self) {
        if let Some(name) = self.element(0).attribute("name").filter(|name| !name.is_empty()) {
            // The name is often the path of the file.
            let short = super::super::file_stem(name).to_owned();
            self.draft.name = Some((short, self.element(0).span));
        }
        for (element, id, written) in self.romeo_names("place") {
            let span = self.element(element).span;
            let node = self.element(element);
            let at = node.value_span("initialMarking");
            let tokens = node.attribute("initialMarking").map(|text| (self.number(text, "a marking", at), at));
            self.place(&id, &written, tokens, element);
            if self.romeo_interval(element).is_some_and(|i| (i.low, i.high) != (0, None)) {
                self.unsupported(span, "intervals on Romeo's places are");
            }
            let scheduling = self.document.child(element, "scheduling");
            let scheduled = |name| scheduling.and_then(|s| self.element(s).attribute(name)).is_some_and(|v| v != "0");
            if scheduled("gamma") || scheduled("omega") {
                self.unsupported(span, "schedulers are");
            }
        }
        for (element, id, written) in self.romeo_names("transition") {
            let interval = self.romeo_interval(element);
            self.transition(&id, &written, interval, element);
            self.romeo_extras(element);
        }
        for arc in self.document.children(0, "arc").collect::<Vec<_>>() {
            if self.problems.is_over() {
                return;
            }
            self.romeo_arc(arc);
        }
    }

    /// Returns the elements of that name, with keys for arcs and with names.
    fn romeo_names(&mut self, kind: &str) -> Vec<(usize, String, String)> {
        let elements: Vec<usize> = self.document.children(0, kind).collect();
        let known: Vec<(usize, &str)> = elements.iter().filter_map(|&e| Some((e, self.required(e, "id")?))).collect();
        let name = |e: usize| {
            let element = self.element(e);
            element.attribute("label").or(element.attribute("identifier")).map(str::trim)
        };
        let names: Vec<(&str, Option<&str>)> = known.iter().map(|&(e, id)| (id, name(e))).collect();
        let chosen = choose_names(&names);
        // Places and transitions are numbered independently.
        known.iter().zip(chosen).map(|(&(e, id), name)| (e, format!("{kind} {id}"), name.to_owned())).collect()
    }

    fn romeo_interval(&mut self, element: usize) -> Option<WrittenInterval> {
        let node = self.element(element);
        let span = node.span;
        let low = node.attribute("eft").map_or("0", str::trim);
        let high = node.attribute("lft").map_or("inf", str::trim);
        if node.attribute("eft").is_none() && node.attribute("lft").is_none() {
            return None;
        }
        let low = self.bound(low, node.value_span("eft"));
        let high = if high.starts_with("inf") { None } else { Some(self.bound(high, node.value_span("lft"))?) };
        Some(WrittenInterval { low: low?, low_open: false, high, high_open: high.is_none(), span })
    }

    /// Reports features of a transition that time Petri nets lack.
    fn romeo_extras(&mut self, element: usize) {
        let node = self.element(element);
        let is_set = |name: &str, plain: &[&str]| {
            node.attribute(name).is_some_and(|value| !value.trim().is_empty() && !plain.contains(&value.trim()))
        };
        let mut found = Vec::new();
        for (name, what, plain) in [
            ("eft_param", "parameters are", &[][..]),
            ("lft_param", "parameters are", &[]),
            ("priority", "priorities of transitions are", &["0"]),
            ("cost", "costs are", &["0"]),
            ("speed", "speeds of transitions are", &["1"]),
            ("guard", "guards of transitions are", &["true"]),
        ] {
            if is_set(name, plain) {
                found.push(what);
            }
        }
        let child = |name| self.document.child(element, name).is_some_and(|c| !self.element(c).text.is_blank());
        if child("update") {
            found.push("updates of transitions are");
        }
        if child("guard") {
            found.push("guards of transitions are");
        }
        found.dedup();
        for what in found {
            self.unsupported(node.span, what);
        }
    }

    fn romeo_arc(&mut self, arc: usize) {
        let element = self.element(arc);
        let span = element.span;
        let (place, transition) = (self.romeo_node(arc, "place"), self.romeo_node(arc, "transition"));
        let Some(ty) = self.required(arc, "type") else { return };
        let weight = element.attribute("weight").map_or(1, |text| self.weight(text, element.value_span("weight")));
        let (kind, puts) = match ty {
            "PlaceTransition" => (ArcKind::Take, false),
            "TransitionPlace" => (ArcKind::Take, true),
            "read" => (ArcKind::Test, false),
            "logicalInhibitor" => (ArcKind::Inhibit, false),
            "timedInhibitor" => return self.unsupported(span, "arcs that stop the clock of a transition are"),
            "flush" => return self.unsupported(span, "arcs that empty a place are"),
            other => {
                const KNOWN: [&str; 4] = ["PlaceTransition", "TransitionPlace", "read", "logicalInhibitor"];
                return self.unknown_arc(other, element.value_span("type"), KNOWN);
            }
        };
        if element.attribute("inhibitingCondition").is_some_and(|c| !matches!(c.trim(), "" | "null")) {
            return self.unsupported(span, "arcs with conditions are");
        }
        let (Some(place), Some(transition)) = (place, transition) else { return };
        let (from, to) = if puts { (transition, place) } else { (place, transition) };
        self.connect(from, to, kind, weight, span);
    }

    /// Looks up the place or transition that an attribute of this name refers to.
    fn romeo_node(&mut self, arc: usize, kind: &str) -> Option<NetNode> {
        let id = self.required(arc, kind)?;
        let node = self.nodes.get(&format!("{kind} {id}")).copied();
        if node.is_none() {
            let message = format!("no {kind} has the identifier `{id}`");
            let known = self.nodes.keys().filter_map(|key| key.strip_prefix(kind)?.strip_prefix(' '));
            let d = Diagnostic::error("unknown-name", self.element(arc).value_span(kind), message);
            let d = suggesting(d, id, known);
            self.problems.report(d);
        }
        node
    }
}
