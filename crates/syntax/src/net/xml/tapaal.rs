//! TAPAAL's files: a dialect of PNML with ages of tokens.
//!
//! Nets in which no age matters are untimed nets. Features that compare or keep ages, and urgency,
//! are rejected by name: tokens of such nets are distinguished by their ages and may become too
//! old, which nets of this crate do not support.

use rustc_hash::FxHashMap;

use super::{NetNode, NetXmlReader, choose_names};
use crate::net::draft::ArcKind;

impl NetXmlReader<'_, '_> {
    /// Returns whether markings are attributes of places, as in TAPAAL's files.
    pub(super) fn is_tapaal(&self) -> bool {
        self.document.children(0, "net").any(|net| {
            self.document.children(net, "place").any(|p| self.element(p).attribute("initialMarking").is_some())
        }) || self.document.child(0, "shared-place").is_some()
    }

    pub(super) fn tapaal(&mut self) {
        let constants = self.constants();
        let nets: Vec<usize> = self.document.children(0, "net").collect();
        if let Some(&second) = nets.get(1) {
            let span = self.element(second).span;
            self.unsupported(span, "several components with shared places are");
        }
        let Some(&net) = nets.first() else { return };
        if let Some(name) = self.element(net).attribute("id").filter(|name| !name.is_empty()) {
            self.draft.name = Some((name.to_owned(), self.element(net).span));
        }
        for (element, id, written) in self.tapaal_names(net, "place") {
            let span = self.element(element).span;
            let marking = self.element(element).attribute("initialMarking").unwrap_or("0");
            let tokens = self.number(marking, "a marking", span);
            self.place(&id, &written, Some((tokens, span)), element);
            let invariant = self.element(element).attribute("invariant").unwrap_or("< inf");
            if invariant.trim_start_matches(['<', '=', ' ']).trim() != "inf" {
                self.unsupported(span, "invariants on the ages of tokens are");
            }
        }
        for (element, id, written) in self.tapaal_names(net, "transition") {
            let span = self.element(element).span;
            self.transition(&id, &written, None, element);
            if self.element(element).attribute("urgent") == Some("true") {
                self.unsupported(span, "urgent transitions are");
            }
        }
        for arc in self.document.children(net, "arc").collect::<Vec<_>>() {
            if self.problems.is_over() {
                return;
            }
            self.tapaal_arc(arc, &constants);
        }
    }

    fn constants(&self) -> FxHashMap<String, String> {
        let constants = self.document.children(0, "constant").filter_map(|c| {
            let c = self.element(c);
            Some((c.attribute("name")?.to_owned(), c.attribute("value")?.to_owned()))
        });
        constants.collect()
    }

    fn tapaal_names(&mut self, net: usize, kind: &str) -> Vec<(usize, String, String)> {
        let elements: Vec<usize> = self.document.children(net, kind).collect();
        let known: Vec<(usize, &str)> = elements.iter().filter_map(|&e| Some((e, self.required(e, "id")?))).collect();
        let names: Vec<(&str, Option<&str>)> =
            known.iter().map(|&(e, id)| (id, self.element(e).attribute("name"))).collect();
        let chosen = choose_names(&names);
        known.iter().zip(chosen).map(|(&(e, id), name)| (e, id.to_owned(), name.to_owned())).collect()
    }

    fn tapaal_arc(&mut self, arc: usize, constants: &FxHashMap<String, String>) {
        let element = self.element(arc);
        let span = element.span;
        let (Some(source), Some(target)) = (self.required(arc, "source"), self.required(arc, "target")) else { return };
        let kind = match element.attribute("type").unwrap_or("normal") {
            "normal" | "timed" => ArcKind::Take,
            "tapnInhibitor" | "inhibitor" => ArcKind::Inhibit,
            "transport" => return self.unsupported(span, "transport arcs, which keep the ages of tokens, are"),
            other => return self.unsupported(span, &format!("arcs of the type `{}` are", other.escape_debug())),
        };
        let inscription = element.attribute("inscription").unwrap_or("").replace(' ', "");
        // The inscription of an arc to a place is a number, that of other arcs the interval of
        // ages.
        let has_ages = inscription.starts_with(['[', '(']);
        if has_ages && !matches!(inscription.as_str(), "[0,inf)" | "[0,inf]") {
            return self.unsupported(span, &format!("ages of tokens on arcs (`{}`) are", inscription.escape_debug()));
        }
        let written =
            element.attribute("weight").unwrap_or(if has_ages || inscription.is_empty() { "1" } else { &inscription });
        let weight = constants.get(written).map_or(written, String::as_str).to_owned();
        let weight = self.weight(&weight, span);
        let (Some(from), Some(to)) = (self.find(source, span), self.find(target, span)) else { return };
        // In untimed files, arcs to places have the type of inhibitor arcs.
        let kind = if matches!(from, NetNode::Transition(_)) { ArcKind::Take } else { kind };
        self.connect(from, to, kind, weight, span);
    }
}
