//! PNML of place/transition nets (ISO/IEC 15909-2), with TINA's firing intervals.
//!
//! PNML has no intervals on places, so they are in `<toolspecific tool="merkhet">`.

use super::{NetNode, NetXmlReader, choose_names, suggesting};
use crate::{
    diagnostic::Diagnostic,
    net::draft::{ArcKind, WrittenInterval},
    source::Span,
};

impl NetXmlReader<'_, '_> {
    pub(super) fn pnml(&mut self) {
        let nets: Vec<usize> = self.document.children(0, "net").collect();
        let Some(&net) = nets.first() else {
            let span = self.element(0).span;
            return self.error("xml", span, "the file has no net");
        };
        if let Some(&second) = nets.get(1) {
            let span = self.element(second).span;
            self.unsupported(span, "several nets in one file are");
        }
        let kind = self.element(net).attribute("type").unwrap_or("").to_ascii_lowercase();
        if let Some((name, span)) = self.text(net, "name").filter(|(name, _)| !name.is_empty()) {
            self.draft.name = Some((name.to_owned(), span));
        }
        if let Some((limit, span)) = self.merkhet_element(net).and_then(|tool| self.text(tool, "tokens")) {
            let limit = self.number(limit, "a number of tokens", span);
            self.draft.max_tokens = Some((limit, span));
        }
        let transitions = self.nodes(net, "transition");
        if ["symmetric", "highlevel", "hlpn", "coloured", "colored"].iter().any(|word| kind.contains(word)) {
            return self.symmetric(net);
        }
        let places = self.nodes(net, "place");
        self.pnml_places(&places);
        self.pnml_transitions(&transitions);
        for (reference, kind) in [("referencePlace", "place"), ("referenceTransition", "transition")] {
            self.references(&self.nodes(net, reference), kind);
        }
        for arc in self.nodes(net, "arc") {
            if self.problems.is_over() {
                return;
            }
            self.pnml_arc(arc);
        }
        self.priorities(&transitions);
    }

    /// Reads the transitions of lower priority in merkhet's element of each transition.
    fn priorities(&mut self, transitions: &[usize]) {
        for &transition in transitions {
            let Some(tool) = self.merkhet_element(transition) else { continue };
            let known = self.element(transition).attribute("id").and_then(|id| self.nodes.get(id)).copied();
            let Some(NetNode::Transition(higher)) = known else { continue };
            for lower in self.document.children(tool, "before").collect::<Vec<usize>>() {
                if self.problems.is_over() {
                    return;
                }
                let (id, span) = (self.element(lower).text.text.trim(), self.element(lower).whole);
                match self.find(id, span) {
                    Some(NetNode::Transition(lower)) => self.draft.priority(higher, lower, span),
                    Some(NetNode::Place(_)) => self.error("xml", span, format!("`{id}` is not a transition")),
                    Some(NetNode::Lost) | None => {}
                }
            }
        }
    }

    /// Returns all elements of that name on the pages of a net, in the order of the file.
    pub(super) fn nodes(&self, net: usize, name: &str) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![net]);
        while let Some(page) = open.pop() {
            found.extend(self.document.children(page, name));
            open.extend(self.document.children(page, "page"));
        }
        found.sort_unstable();
        found
    }

    pub(super) fn named(&mut self, elements: &[usize]) -> Vec<(usize, String, String)> {
        let known: Vec<(usize, &str)> = elements.iter().filter_map(|&e| Some((e, self.required(e, "id")?))).collect();
        let names: Vec<(&str, Option<&str>)> =
            known.iter().map(|&(e, id)| (id, self.text(e, "name").map(|(name, _)| name))).collect();
        let chosen = choose_names(&names);
        known.iter().zip(chosen).map(|(&(e, id), name)| (e, id.to_owned(), name.to_owned())).collect()
    }

    fn pnml_places(&mut self, elements: &[usize]) {
        for (element, id, written) in self.named(elements) {
            let tokens = self
                .text(element, "initialMarking")
                .map(|(text, span)| (if text.is_empty() { 0 } else { self.number(text, "a marking", span) }, span));
            let p = self.place(&id, &written, tokens, element);
            let merkhet_element = self.merkhet_element(element);
            self.draft.places[p as usize].label = merkhet_element.and_then(|tool| self.label(tool));
            if let Some(delay) = merkhet_element.and_then(|tool| self.delay(tool)) {
                self.draft.places[p as usize].delay = Some(delay);
            }
        }
    }

    fn pnml_transitions(&mut self, elements: &[usize]) {
        for (element, id, written) in self.named(elements) {
            let interval = self.delay(element);
            let t = self.transition(&id, &written, interval, element);
            let label = self.merkhet_element(element).and_then(|tool| self.label(tool));
            self.draft.transitions[t as usize].label = label;
        }
    }

    /// Returns merkhet's tool-specific element.
    pub(super) fn merkhet_element(&self, element: usize) -> Option<usize> {
        self.document.children(element, "toolspecific").find(|&t| self.element(t).attribute("tool") == Some("merkhet"))
    }

    fn label(&self, tool: usize) -> Option<String> {
        self.text(tool, "label").map(|(label, _)| label.to_owned())
    }

    /// `<delay><interval closure="closed-open"><cn>4</cn><ci>infty</ci></interval></delay>`
    pub(super) fn delay(&mut self, element: usize) -> Option<WrittenInterval> {
        let delay = self.document.child(element, "delay")?;
        let Some(interval) = self.document.child(delay, "interval") else {
            let span = self.element(delay).whole;
            self.error("xml", span, "a delay must have an interval");
            return None;
        };
        let (span, children) = (self.element(interval).whole, self.element(interval).children.clone());
        let [low, high] = children[..] else {
            self.error("xml", span, "an interval must have two bounds");
            return None;
        };
        let (low_open, high_open) = match self.element(interval).attribute("closure").unwrap_or("closed") {
            "closed" => (false, false),
            "open" => (true, true),
            "open-closed" => (true, false),
            "closed-open" => (false, true),
            other => {
                let span = self.element(interval).value_span("closure");
                let d = Diagnostic::error("xml", span, format!("unknown closure `{}`", other.escape_debug()));
                self.problems.report(d.help("write `closed`, `open`, `open-closed` or `closed-open`"));
                return None;
            }
        };
        let (low, high) = (self.element(low), self.element(high));
        let unbounded = matches!(high.text.text.trim(), "infty" | "inf" | "infinity" | "w") || high.name == "infinity";
        let low = self.bound(low.text.text.trim(), low.whole);
        let high = if unbounded { None } else { Some(self.bound(high.text.text.trim(), high.whole)?) };
        Some(WrittenInterval { low: low?, low_open, high, high_open, span })
    }

    /// Resolves references: places or transitions that stand for one on another page.
    pub(super) fn references(&mut self, elements: &[usize], kind: &str) {
        let mut open: Vec<usize> = elements.to_vec();
        // A reference may refer to a later reference.
        loop {
            let before = open.len();
            open.retain(|&e| {
                let element = self.element(e);
                let (Some(id), Some(target)) = (element.attribute("id"), element.attribute("ref")) else { return true };
                let Some(&node) = self.nodes.get(target) else { return true };
                let is_other = match node {
                    NetNode::Place(_) => kind != "place",
                    NetNode::Transition(_) => kind == "place",
                    NetNode::Lost => false,
                };
                if is_other {
                    self.error("xml", element.value_span("ref"), format!("`{target}` is not a {kind}"));
                }
                self.enter(id, if is_other { NetNode::Lost } else { node }, element.span);
                false
            });
            if open.len() == before {
                break;
            }
        }
        for e in open {
            let element = self.element(e);
            let id = element.attribute("id").map(str::to_owned);
            if let Some(target) = self.required(e, "ref") {
                let message = format!("no {kind} has the identifier `{target}`");
                let d = Diagnostic::error("unknown-name", element.value_span("ref"), message);
                let d = suggesting(d, target, self.nodes.keys().map(String::as_str));
                self.problems.report(d);
            }
            if let Some(id) = id {
                self.enter(&id, NetNode::Lost, element.span);
            }
        }
    }

    fn pnml_arc(&mut self, arc: usize) {
        let span = self.element(arc).span;
        let ends = self.ends(arc);
        let weight = match self.text(arc, "inscription") {
            Some((text, span)) if !text.is_empty() => self.weight(text, span),
            _ => 1,
        };
        let (Some(kind), Some((from, to))) = (self.arc_kind(arc), ends) else { return };
        self.connect(from, to, kind, weight, span);
    }

    /// Reads the kind of an arc; one from a transition is [`ArcKind::Take`] as well.
    pub(super) fn arc_kind(&mut self, arc: usize) -> Option<ArcKind> {
        const KINDS: [(&str, ArcKind); 9] = [
            ("", ArcKind::Take),
            ("normal", ArcKind::Take),
            ("PT", ArcKind::Take),
            ("TP", ArcKind::Take),
            ("inhibitor", ArcKind::Inhibit),
            ("test", ArcKind::Test),
            ("read", ArcKind::Test),
            ("stopwatch", ArcKind::Run),
            ("stopwatch-inhibitor", ArcKind::Stop),
        ];
        let child = self.document.child(arc, "type").map(|ty| self.element(ty));
        let child = child.map(|ty| match ty.attribute("value") {
            Some(value) => (value, ty.value_span("value")),
            None => (ty.text.text.trim(), ty.whole),
        });
        let own = || self.element(arc).attribute("type").map(|ty| (ty, self.element(arc).value_span("type")));
        let ty = child.or_else(|| self.text(arc, "arctype")).or_else(own);
        let (ty, span) = ty.unwrap_or(("", self.element(arc).span));
        let found = KINDS.iter().find(|(name, _)| *name == ty).map(|(_, kind)| *kind);
        if found.is_none() {
            self.unknown_arc(ty, span, KINDS.iter().map(|(name, _)| *name));
        }
        found
    }

    /// Reports the type of an arc.
    pub(super) fn unknown_arc<'n>(&mut self, ty: &str, span: Span, known: impl IntoIterator<Item = &'n str>) {
        let message = format!("arcs of the type `{}` are not supported", ty.escape_debug());
        self.problems.report(suggesting(Diagnostic::error("unsupported", span, message), ty, known));
    }
}
