//! TAPAAL's files: a dialect of PNML with ages of tokens.
//!
//! The editor writes components that share places and transitions, with arcs of several types. The
//! engines write one net, with an element for each type of arc. Both are read. Features beyond
//! timed-arc nets (colours, probabilities) are rejected by name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{NetNode, NetXmlReader, choose_names};
use crate::{
    net::draft::{ArcKind, DraftAgedArc, WrittenInterval},
    source::Span,
};

/// What the components of a file have in common.
#[derive(Default)]
struct Common<'a> {
    constants: FxHashMap<&'a str, &'a str>,
    places: FxHashSet<&'a str>,
    transitions: FxHashSet<&'a str>,
    /// Whether there are several components. Names are then unique with that of the component only.
    has_several: bool,
}

/// A half of a transport arc: its element, the place, and the weight.
type TransportEnd = (usize, u32, u64);

impl<'a> NetXmlReader<'a, '_> {
    /// Returns whether markings are attributes of places, as in TAPAAL's files.
    pub(super) fn is_tapaal(&self) -> bool {
        self.document.children(0, "net").any(|net| {
            self.document.children(net, "place").any(|p| self.element(p).attribute("initialMarking").is_some())
        }) || self.document.child(0, "shared-place").is_some()
    }

    pub(super) fn tapaal(&mut self) {
        self.tapaal_features();
        let nets: Vec<usize> = self.document.children(0, "net").collect();
        let is_active = |net: &usize| self.element(*net).attribute("active") != Some("false");
        let nets: Vec<usize> = nets.into_iter().filter(is_active).collect();
        let Some(&first) = nets.first() else { return };
        if let Some(name) = self.element(first).attribute("id").filter(|name| !name.is_empty() && nets.len() == 1) {
            self.draft.name = Some((name.to_owned(), self.element(first).span));
        }
        let common = self.common(nets.len() > 1);
        for net in nets {
            // Identifiers are those of a component.
            self.nodes.clear();
            self.component(net, &common);
        }
        if let Some((limit, span)) = self.merkhet_element(first).and_then(|tool| self.text(tool, "tokens")) {
            let limit = self.number(limit, "a number of tokens", span);
            self.draft.max_tokens = Some((limit, span));
        }
        self.shared(&common);
        self.draft.extra_tokens = self.extra_tokens();
    }

    /// Reads what is said of shared places and transitions outside of components.
    fn shared(&mut self, common: &Common<'a>) {
        for element in self.document.children(0, "shared-place").collect::<Vec<_>>() {
            let Some(name) = self.required(element, "name") else { continue };
            if let Some(p) = self.draft.find_place(name) {
                self.marking(p, element, common);
            }
        }
        for element in self.document.children(0, "shared-transition") {
            let element = self.element(element);
            let t = element.attribute("name").and_then(|name| self.draft.find_transition(name));
            if let Some(t) = t {
                self.draft.transitions[t as usize].is_urgent |= element.attribute("urgent") == Some("true");
            }
        }
    }

    /// Reports the kinds of nets that are not supported.
    fn tapaal_features(&mut self) {
        let feature = self.document.child(0, "feature").map(|feature| self.element(feature));
        let is = |name| feature.is_some_and(|feature| feature.attribute(name) == Some("true"));
        let span = feature.unwrap_or(self.element(0)).span;
        if is("isColored") || feature.is_none() && self.has_sorts() {
            self.unsupported(span, "coloured nets of TAPAAL are");
        }
        if is("isStochastic") {
            self.unsupported(span, "stochastic nets are");
        }
    }

    /// Returns whether a sort other than that of black tokens is declared.
    fn has_sorts(&self) -> bool {
        let elements = self.document.elements.iter();
        elements.filter(|e| e.name == "namedsort").any(|e| e.attribute("id") != Some("dot"))
    }

    fn common(&self, has_several: bool) -> Common<'a> {
        let named = |kind| self.document.children(0, kind).filter_map(|e| self.element(e).attribute("name"));
        let constants = self.document.children(0, "constant").filter_map(|c| {
            let c = self.element(c);
            Some((c.attribute("name")?, c.attribute("value")?))
        });
        Common {
            constants: constants.collect(),
            places: named("shared-place").collect(),
            transitions: named("shared-transition").collect(),
            has_several,
        }
    }

    /// Returns the greatest number of extra tokens that the file or one of its queries asks for.
    fn extra_tokens(&self) -> Option<u64> {
        let number = |id: usize, name| self.element(id).attribute(name)?.trim().parse::<u64>().ok();
        let of_file = self.document.children(0, "k-bound").filter_map(|id| number(id, "bound"));
        of_file.chain(self.document.children(0, "query").filter_map(|id| number(id, "capacity"))).max()
    }

    fn component(&mut self, net: usize, common: &Common<'a>) {
        for (element, id, written) in self.tapaal_names(net, "place", &common.places, common) {
            self.tapaal_place(element, &id, &written, common);
        }
        for (element, id, written) in self.tapaal_names(net, "transition", &common.transitions, common) {
            let t = self.transition(&id, &written, None, element);
            self.draft.transitions[t as usize].is_urgent |= self.element(element).attribute("urgent") == Some("true");
        }
        let mut from: FxHashMap<(u32, &str), TransportEnd> = FxHashMap::default();
        let mut to: Vec<((u32, &str), TransportEnd)> = Vec::new();
        for arc in self.element(net).children.clone() {
            if self.problems.is_over() {
                return;
            }
            let name = self.element(arc).name.as_str();
            match (name, self.element(arc).attribute("type").unwrap_or("normal")) {
                ("arc", "normal" | "timed") | ("inputArc" | "outputArc", _) => self.plain_arc(arc, common),
                ("arc", "tapnInhibitor" | "inhibitor") | ("inhibitorArc", _) => self.inhibitor_arc(arc, common),
                ("transportArc", _) => self.transport_arc(arc, common),
                ("arc", "transport") => {
                    let Some((is_second, key, end)) = self.transport_end(arc, common) else { continue };
                    if is_second {
                        to.push((key, end));
                    } else if from.insert(key, end).is_some() {
                        self.error("duplicate", self.element(arc).span, "a second transport arc of this number");
                    }
                }
                ("arc", other) => {
                    let what = format!("arcs of the type `{}` are", other.escape_debug());
                    self.unsupported(self.element(arc).span, &what);
                }
                _ => {}
            }
        }
        for (key, end) in to {
            self.pair(key.0, from.remove(&key), end, common);
        }
        for (arc, ..) in from.into_values() {
            self.error("syntax", self.element(arc).span, "the second half of this transport arc is missing");
        }
    }

    fn tapaal_names(
        &mut self,
        net: usize,
        kind: &str,
        shared: &FxHashSet<&str>,
        common: &Common<'_>,
    ) -> Vec<(usize, String, String)> {
        let elements: Vec<usize> = self.document.children(net, kind).collect();
        let known: Vec<(usize, &str)> = elements.iter().filter_map(|&e| Some((e, self.required(e, "id")?))).collect();
        let names: Vec<(&str, Option<&str>)> =
            known.iter().map(|&(e, id)| (id, self.element(e).attribute("name"))).collect();
        let chosen = choose_names(&names);
        let component = self.element(net).attribute("id").unwrap_or("");
        let unique = |name: &str| match common.has_several && !shared.contains(name) {
            true => format!("{component}.{name}"),
            false => name.to_owned(),
        };
        known.iter().zip(chosen).map(|(&(e, id), name)| (e, id.to_owned(), unique(name))).collect()
    }

    fn tapaal_place(&mut self, element: usize, id: &str, written: &str, common: &Common<'_>) {
        let p = self.place(id, written, None, element);
        self.marking(p, element, common);
        let ages = self.document.child(element, "initialMarkingAge");
        let has_ages =
            |ages| self.document.children(ages, "token").any(|t| self.element(t).attribute("age") != Some("0"));
        if ages.is_some_and(has_ages) {
            self.unsupported(self.element(element).span, "initial ages of tokens are");
        }
    }

    /// Reads the tokens and the invariant of a place.
    fn marking(&mut self, p: u32, element: usize, common: &Common<'_>) {
        let element = self.element(element);
        let tokens = self.number(element.attribute("initialMarking").unwrap_or("0"), "a marking", element.span);
        let invariant = self.invariant(element.attribute("invariant").unwrap_or("< inf"), element.span, common);
        let place = &mut self.draft.places[p as usize];
        place.tokens = Some((tokens, element.span));
        place.invariant = invariant;
    }

    /// Reads the limit on the ages of tokens, such as `<= 5`.
    fn invariant(&mut self, text: &str, span: Span, common: &Common<'_>) -> Option<WrittenInterval> {
        let text = text.trim();
        let (bound, high_open) = match (text.strip_prefix("<="), text.strip_prefix('<')) {
            (Some(bound), _) => (bound.trim(), false),
            (None, Some(bound)) => (bound.trim(), true),
            (None, None) => {
                let message = format!("an invariant is `<= n` or `< n`, not `{}`", text.escape_debug());
                self.error("syntax", span, message);
                return None;
            }
        };
        if bound == "inf" {
            return None;
        }
        let high = Some(self.time(bound, span, common));
        Some(WrittenInterval { low: 0, low_open: false, high, high_open, span })
    }

    /// Reads a number of time units, or the name of a constant.
    fn time(&mut self, text: &str, span: Span, common: &Common<'_>) -> u64 {
        let text = common.constants.get(text.trim()).copied().unwrap_or(text);
        self.bound(text, span)
    }

    /// Reads an interval of ages, such as `[0,5)`; without one every age is in it.
    fn ages(&mut self, text: &str, span: Span, common: &Common<'_>) -> WrittenInterval {
        let any = WrittenInterval { low: 0, low_open: false, high: None, high_open: true, span };
        let text = text.trim();
        let low_open = text.starts_with('(');
        let high_open = text.ends_with(')');
        let inner = text.strip_prefix(['[', '(']).and_then(|text| text.strip_suffix([']', ')']));
        let Some((low, high)) = inner.and_then(|inner| inner.split_once(',')) else {
            let message = format!("an interval of ages is `[m,n]`, not `{}`", text.escape_debug());
            self.error("syntax", span, message);
            return any;
        };
        let low = self.time(low, span, common);
        let high = (high.trim() != "inf").then(|| self.time(high, span, common));
        WrittenInterval { low, low_open, high, high_open: high_open || high.is_none(), span }
    }

    /// Reads the weight of an arc: its attribute, else a number as its inscription, else 1.
    fn tapaal_weight(&mut self, arc: usize, common: &Common<'_>) -> u64 {
        let element = self.element(arc);
        let inscription = element.attribute("inscription").map(str::trim).unwrap_or("");
        let number = (!inscription.is_empty() && !inscription.starts_with(['[', '('])).then_some(inscription);
        let written = element.attribute("weight").or(number).unwrap_or("1");
        let weight = common.constants.get(written.trim()).copied().unwrap_or(written);
        self.weight(weight, element.span)
    }

    /// Returns the nodes of an arc.
    fn ends(&mut self, arc: usize) -> Option<(NetNode, NetNode)> {
        let span = self.element(arc).span;
        let (source, target) = (self.required(arc, "source"), self.required(arc, "target"));
        let (from, to) = (self.find(source?, span), self.find(target?, span));
        from.zip(to)
    }

    /// Returns the ages on an arc, if it has some.
    fn inscribed(&mut self, arc: usize, common: &Common<'_>) -> Option<WrittenInterval> {
        let element = self.element(arc);
        let text = element.attribute("inscription").filter(|text| text.trim_start().starts_with(['[', '(']))?;
        // The number of a transport arc follows the interval.
        let text = text.rsplit_once(':').map_or(text, |(interval, _)| interval);
        Some(self.ages(text, element.span, common))
    }

    fn plain_arc(&mut self, arc: usize, common: &Common<'_>) {
        let span = self.element(arc).span;
        let weight = self.tapaal_weight(arc, common);
        let Some((from, to)) = self.ends(arc) else { return };
        if let (NetNode::Place(place), NetNode::Transition(t)) = (from, to)
            && let Some(ages) = self.inscribed(arc, common)
        {
            self.draft.transitions[t as usize].aged.push(DraftAgedArc { place, weight, ages, to: None });
        }
        self.connect(from, to, ArcKind::Take, weight, span);
    }

    fn inhibitor_arc(&mut self, arc: usize, common: &Common<'_>) {
        let span = self.element(arc).span;
        let weight = self.tapaal_weight(arc, common);
        let Some((from, to)) = self.ends(arc) else { return };
        let ages = self.inscribed(arc, common);
        if ages.is_some_and(|ages| ages.low > 0 || ages.low_open || ages.high.is_some()) {
            return self.unsupported(span, "intervals on inhibitor arcs are");
        }
        // In untimed files, arcs to places have the type of inhibitor arcs.
        let kind = if matches!(from, NetNode::Transition(_)) { ArcKind::Take } else { ArcKind::Inhibit };
        self.connect(from, to, kind, weight, span);
    }

    /// Reads a transport arc in one element.
    fn transport_arc(&mut self, arc: usize, common: &Common<'_>) {
        let span = self.element(arc).span;
        let weight = self.tapaal_weight(arc, common);
        let Some((from, to)) = self.ends(arc) else { return };
        let Some(transition) = self.required(arc, "transition").and_then(|t| self.find(t, span)) else { return };
        match (from, transition, to) {
            (NetNode::Place(place), NetNode::Transition(t), NetNode::Place(to)) => {
                self.transport(t, (arc, place, weight), (arc, to, weight), common);
            }
            _ => self.error("syntax", span, "a transport arc must connect two places by a transition"),
        }
    }

    /// Reads half of a transport arc: whether it ends at a place, its transition and number, and
    /// its place.
    fn transport_end(&mut self, arc: usize, common: &Common<'_>) -> Option<(bool, (u32, &'a str), TransportEnd)> {
        let element = self.element(arc);
        let weight = self.tapaal_weight(arc, common);
        let number = element.attribute("inscription").and_then(|text| text.rsplit_once(':'));
        let number = number.map_or("", |(_, number)| number.trim());
        match self.ends(arc)? {
            (NetNode::Place(p), NetNode::Transition(t)) => Some((false, (t, number), (arc, p, weight))),
            (NetNode::Transition(t), NetNode::Place(p)) => Some((true, (t, number), (arc, p, weight))),
            _ => {
                self.error("syntax", element.span, "an arc must connect a place and a transition");
                None
            }
        }
    }

    fn pair(&mut self, t: u32, from: Option<TransportEnd>, to: TransportEnd, common: &Common<'_>) {
        let span = self.element(to.0).span;
        match from {
            None => self.error("syntax", span, "the first half of this transport arc is missing"),
            Some((_, _, weight)) if weight != to.2 => {
                let message = format!("the halves of a transport arc have the weights {weight} and {}", to.2);
                self.error("syntax", span, message);
            }
            Some(from) => self.transport(t, from, to, common),
        }
    }

    fn transport(&mut self, t: u32, from: TransportEnd, to: TransportEnd, common: &Common<'_>) {
        let (arc, place, weight) = from;
        let span = self.element(arc).span;
        let any = WrittenInterval { low: 0, low_open: false, high: None, high_open: true, span };
        let ages = self.inscribed(arc, common).unwrap_or(any);
        self.draft.transitions[t as usize].aged.push(DraftAgedArc { place, weight, ages, to: Some(to.1) });
        self.draft.arc(t, place, ArcKind::Take, weight, span);
        self.draft.arc(t, to.1, ArcKind::Put, weight, span);
    }
}
