//! TAPAAL's files: a dialect of PNML with ages of tokens.
//!
//! The editor writes components that share places and transitions, with arcs of several types. The
//! engines write one net, with an element for each type of arc. Both are read. Tokens may have
//! colours, on which ages on arcs and in places may depend: all nets are read as nets with colours,
//! and unfolded. What is beyond that (probabilities) is rejected by name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    NetNode, NetXmlReader, choose_names,
    symmetric::{ByColour, ColourTerm, ColouredArc, ColouredNet, ColouredPlace, ColouredTransition, Sorts},
};
use crate::net::draft::{ArcKind, WrittenInterval};

/// What the components of a file have in common.
pub(super) struct Common<'a> {
    /// The constants; `None` for one that is wrong.
    pub(super) constants: FxHashMap<&'a str, Option<u64>>,
    /// The elements of shared places.
    places: FxHashMap<&'a str, usize>,
    transitions: FxHashSet<&'a str>,
    /// Whether there are several components. Names are then unique with that of the component only.
    has_several: bool,
}

/// The components that were read.
struct Components<'a> {
    common: Common<'a>,
    net: ColouredNet,
    places: FxHashMap<String, usize>,
    transitions: FxHashMap<String, usize>,
}

/// A half of a transport arc: its element, the place, and what it moves.
type TransportEnd = (usize, usize, ColourTerm);

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
        let mut all = Components {
            common: self.common(nets.len() > 1),
            net: ColouredNet::default(),
            places: FxHashMap::default(),
            transitions: FxHashMap::default(),
        };
        let lists: Vec<usize> = [0].iter().chain(&nets).flat_map(|&of| self.declarations(of)).collect();
        for list in lists {
            self.declare(list, &mut all.net.sorts);
        }
        for net in nets {
            // Identifiers are those of a component.
            self.nodes.clear();
            self.component(net, &mut all);
        }
        if let Some((limit, span)) = self.merkhet_element(first).and_then(|tool| self.text(tool, "tokens")) {
            let limit = self.number(limit, "a number of tokens", span);
            self.draft.max_tokens = Some((limit, span));
        }
        self.shared(&mut all);
        self.draft.extra_tokens = self.extra_tokens();
        self.unfold(&all.net);
    }

    /// Reads what is said of shared places and transitions outside of components.
    fn shared(&mut self, all: &mut Components<'a>) {
        for element in self.document.children(0, "shared-place").collect::<Vec<usize>>() {
            let Some(name) = self.required(element, "name") else { continue };
            if let Some(&p) = all.places.get(name) {
                self.marking(&mut all.net.places[p], element, &all.common, &mut all.net.sorts);
            }
        }
        for element in self.document.children(0, "shared-transition").collect::<Vec<usize>>() {
            let is_urgent = self.is_urgent(element);
            let name = self.element(element).attribute("name");
            if let Some(&t) = name.and_then(|name| all.transitions.get(name)) {
                all.net.transitions[t].is_urgent |= is_urgent;
            }
        }
    }

    /// Reports the kinds of nets that are not supported.
    fn tapaal_features(&mut self) {
        let Some(feature) = self.document.child(0, "feature").map(|feature| self.element(feature)) else { return };
        if feature.attribute("isStochastic") == Some("true") {
            self.unsupported(feature.span, "stochastic nets are");
        }
    }

    fn common(&mut self, has_several: bool) -> Common<'a> {
        let mut constants = FxHashMap::default();
        for element in self.document.children(0, "constant").collect::<Vec<usize>>() {
            let (Some(name), Some(text)) = (self.required(element, "name"), self.required(element, "value")) else {
                continue;
            };
            let value = self.natural(text, "a constant", self.element(element).value_span("value"));
            constants.insert(name, value);
        }
        let named = |kind| {
            let elements = self.document.children(0, kind);
            elements.filter_map(|e| Some((self.element(e).attribute("name")?, e)))
        };
        Common {
            constants,
            places: named("shared-place").collect(),
            transitions: named("shared-transition").map(|(name, _)| name).collect(),
            has_several,
        }
    }

    /// Returns the greatest number of extra tokens that the file or one of its queries asks for.
    fn extra_tokens(&self) -> Option<u64> {
        let number = |id: usize, name| self.element(id).attribute(name)?.trim().parse::<u64>().ok();
        let of_file = self.document.children(0, "k-bound").filter_map(|id| number(id, "bound"));
        of_file.chain(self.document.children(0, "query").filter_map(|id| number(id, "capacity"))).max()
    }

    fn component(&mut self, net: usize, all: &mut Components<'a>) {
        let shared: FxHashSet<&str> = all.common.places.keys().copied().collect();
        for (element, id, written) in self.tapaal_names(net, "place", &shared, &all.common) {
            self.tapaal_place(element, &id, written, all);
        }
        for (element, id, written) in self.tapaal_names(net, "transition", &all.common.transitions, &all.common) {
            self.tapaal_transition(element, &id, written, all);
        }
        let mut from: FxHashMap<(usize, &str), TransportEnd> = FxHashMap::default();
        let mut to: Vec<((usize, &str), TransportEnd)> = Vec::new();
        // Whether all halves of transport arcs could be read.
        let mut has_all = true;
        for arc in self.element(net).children.clone() {
            if self.problems.is_over() {
                return;
            }
            let name = self.element(arc).name.as_str();
            match (name, self.element(arc).attribute("type").unwrap_or("normal")) {
                ("arc", "normal" | "timed") | ("inputArc" | "outputArc", _) => self.plain_arc(arc, all),
                ("arc", "tapnInhibitor" | "inhibitor") | ("inhibitorArc", _) => self.inhibitor_arc(arc, all),
                ("transportArc", _) => self.transport_arc(arc, all),
                ("arc", "transport") => {
                    let Some((is_second, key, end)) = self.transport_end(arc, all) else {
                        has_all = false;
                        continue;
                    };
                    if is_second {
                        to.push((key, end));
                    } else if from.insert(key, end).is_some() {
                        self.error("duplicate", self.element(arc).span, "a second transport arc of this number");
                    }
                }
                ("arc", other) => {
                    const KNOWN: [&str; 5] = ["normal", "timed", "inhibitor", "tapnInhibitor", "transport"];
                    self.unknown_arc(other, self.element(arc).value_span("type"), KNOWN);
                    self.inscription_alone(arc, &mut all.net.sorts);
                }
                _ => {}
            }
        }
        for (key, end) in to {
            match from.remove(&key) {
                Some(from) => self.transport(key.0, from, end, all),
                None if has_all => {
                    let span = self.element(end.0).span;
                    self.error("syntax", span, "the first half of this transport arc is missing");
                }
                None => {}
            }
        }
        for (arc, ..) in from.into_values().filter(|_| has_all) {
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

    fn tapaal_place(&mut self, element: usize, id: &str, written: String, all: &mut Components<'a>) {
        let span = self.element(element).span;
        let shared = all.common.places.get(&*written).copied();
        let Components { net: ColouredNet { sorts, places, .. }, common, .. } = all;
        let sort = match [Some(element), shared].into_iter().flatten().find_map(|e| self.structure(e, "type")) {
            Some(structure) => self.sort_in(structure, sorts),
            None => Some(sorts.dot()),
        };
        let Some(sort) = sort else { return self.enter(id, NetNode::Lost, span) };
        let number = *all.places.entry(written.clone()).or_insert(places.len());
        if number == places.len() {
            places.push(ColouredPlace::new(written, sort, span));
        } else if places[number].sort != sort {
            let (own, other) = (sorts.name(sort), sorts.name(places[number].sort));
            let message = format!("the shared place has colours of the sort {own} here, and of {other} elsewhere");
            self.error("type", span, message);
            return self.enter(id, NetNode::Lost, span);
        }
        self.enter(id, NetNode::Place(number as u32), span);
        places[number].at = self.position(element);
        self.marking(&mut places[number], element, common, sorts);
        let ages = self.document.child(element, "initialMarkingAge");
        let has_ages =
            |ages| self.document.children(ages, "token").any(|t| self.element(t).attribute("age") != Some("0"));
        if ages.is_some_and(has_ages) {
            self.unsupported(span, "initial ages of tokens are");
        }
    }

    fn tapaal_transition(&mut self, element: usize, id: &str, written: String, all: &mut Components<'a>) {
        let span = self.element(element).span;
        let Components { net: ColouredNet { sorts, transitions, .. }, .. } = all;
        let number = *all.transitions.entry(written.clone()).or_insert(transitions.len());
        if number == transitions.len() {
            transitions.push(ColouredTransition::new(written, span));
        }
        self.enter(id, NetNode::Transition(number as u32), span);
        let condition = self.structure(element, "condition").and_then(|inner| self.condition_in(inner, sorts));
        let transition = &mut transitions[number];
        transition.conditions.extend(condition);
        transition.at = self.position(element);
        transition.is_urgent |= self.is_urgent(element);
    }

    /// Returns whether a transition is urgent.
    fn is_urgent(&mut self, element: usize) -> bool {
        let this = self.element(element);
        let text = this.attribute("urgent").unwrap_or("false").trim();
        if !["true", "false", "1", "0", ""].contains(&text) {
            let message = format!("`urgent` is `true` or `false`, not `{}`", text.escape_debug());
            self.error("syntax", this.value_span("urgent"), message);
        }
        matches!(text, "true" | "1")
    }

    /// Reads the tokens and the invariants of a place.
    fn marking(&mut self, place: &mut ColouredPlace, element: usize, common: &Common<'_>, sorts: &mut Sorts) {
        let this = self.element(element);
        place.tokens = match self.structure(element, "hlinitialMarking") {
            Some(structure) => self.constant_multiset(structure, place.sort, sorts),
            None => {
                let span = this.value_span("initialMarking");
                match self.number(this.attribute("initialMarking").unwrap_or("0"), "a marking", span) {
                    0 => Vec::new(),
                    _ if sorts.size(place.sort) > 1 => {
                        let message = "a number of tokens without a colour, in a place that has colours";
                        self.error("syntax", span, message);
                        Vec::new()
                    }
                    tokens => vec![(0, tokens)],
                }
            }
        };
        let read = |reader: &mut Self, text: &str, span| reader.invariant(text, span, common);
        let invariant = read(self, this.attribute("invariant").unwrap_or("< inf"), this.value_span("invariant"));
        place.invariant = self.by_colour(element, "colorinvariant", invariant, place.sort, sorts, read);
    }

    /// Reads the weight of an arc: its attribute, else a number as its inscription, else 1.
    fn tapaal_weight(&mut self, arc: usize, common: &Common<'_>) -> u64 {
        let element = self.element(arc);
        let inscription = element.attribute("inscription").map(str::trim).unwrap_or("");
        let number = (!inscription.is_empty() && !inscription.starts_with(['[', '('])).then_some(inscription);
        let from = if element.attribute("weight").is_some() { "weight" } else { "inscription" };
        let (written, span) = (element.attribute("weight").or(number).unwrap_or("1"), element.value_span(from));
        match self.constant_in(written, span, common) {
            None => self.weight(written, span),
            Some(None) => 1,
            Some(Some(constant)) => self.weight(&constant.to_string(), span),
        }
    }

    /// Returns the place and the transition of an arc, and whether the place is its target. Of one
    /// that is wrong, the inscription is read all the same.
    fn joined(&mut self, arc: usize, sorts: &mut Sorts) -> Option<(usize, usize, bool)> {
        match self.ends(arc) {
            Some((NetNode::Place(p), NetNode::Transition(t))) => return Some((p as usize, t as usize, false)),
            Some((NetNode::Transition(t), NetNode::Place(p))) => return Some((p as usize, t as usize, true)),
            Some(ends) => self.not_joined(ends, self.element(arc).span),
            None => {}
        }
        self.inscription_alone(arc, sorts);
        None
    }

    /// Returns the tokens of an arc: those of its inscription, else as many black ones as its
    /// weight.
    fn inscription(&mut self, arc: usize, place: usize, all: &mut Components<'a>) -> Option<ColourTerm> {
        let (sort, sorts) = (all.net.places[place].sort, &mut all.net.sorts);
        if let Some(structure) = self.structure(arc, "hlinscription") {
            return self.multiset_in(structure, sort, sorts);
        }
        if sorts.size(sort) > 1 {
            self.error("syntax", self.element(arc).span, "the arc of a place with colours has no inscription");
            return None;
        }
        Some(ColourTerm::number(self.tapaal_weight(arc, &all.common), ColourTerm::constant(sort, 0)))
    }

    /// Returns the ages on an arc from a place, if it has some.
    fn inscribed(&mut self, arc: usize, place: usize, all: &Components<'a>) -> Option<ByColour> {
        let element = self.element(arc);
        let text = element.attribute("inscription").filter(|text| text.trim_start().starts_with(['[', '(']))?;
        // The number of a transport arc follows the interval.
        let text = text.rsplit_once(':').map_or(text, |(interval, _)| interval);
        let read = |reader: &mut Self, text: &str, span| Some(reader.ages(text, span, &all.common));
        let others = read(self, text, element.value_span("inscription"));
        let sort = all.net.places[place].sort;
        Some(self.by_colour(arc, "colorinterval", others, sort, &all.net.sorts, read))
    }

    fn plain_arc(&mut self, arc: usize, all: &mut Components<'a>) {
        let span = self.element(arc).span;
        let Some((place, t, is_output)) = self.joined(arc, &mut all.net.sorts) else { return };
        let Some(inscription) = self.inscription(arc, place, all) else { return };
        let (kind, ages) = match is_output {
            true => (ArcKind::Put, None),
            false => (ArcKind::Take, self.inscribed(arc, place, all)),
        };
        let arc = ColouredArc { place, kind, inscription, ages, moves_to: None, span };
        all.net.transitions[t].arcs.push(arc);
    }

    fn inhibitor_arc(&mut self, arc: usize, all: &mut Components<'a>) {
        let span = self.element(arc).span;
        let Some((place, t, is_output)) = self.joined(arc, &mut all.net.sorts) else { return };
        // In untimed files, arcs to places have the type of inhibitor arcs.
        if is_output {
            return self.plain_arc(arc, all);
        }
        if self.inscribed(arc, place, all).is_some_and(|ages| ages.is_limited()) {
            return self.unsupported(span, "intervals on inhibitor arcs are");
        }
        let weight = self.tapaal_weight(arc, &all.common);
        let sort = all.net.places[place].sort;
        // Tokens of all colours are counted together. One inhibits if one of some colour does.
        if weight > 1 && all.net.sorts.size(sort) > 1 {
            return self.unsupported(span, "inhibitor arcs with weights of places with colours are");
        }
        let inscription = ColourTerm::number(weight, ColourTerm::all(sort));
        let arc = ColouredArc { place, kind: ArcKind::Inhibit, inscription, ages: None, moves_to: None, span };
        all.net.transitions[t].arcs.push(arc);
    }

    /// Reads a transport arc in one element.
    fn transport_arc(&mut self, arc: usize, all: &mut Components<'a>) {
        let span = self.element(arc).span;
        let (ends, transition) = (self.ends(arc), self.node_in(arc, "transition"));
        let (Some((from, to)), Some(transition)) = (ends, transition) else { return };
        let (NetNode::Place(place), NetNode::Transition(t), NetNode::Place(to)) = (from, transition, to) else {
            if ![from, transition, to].contains(&NetNode::Lost) {
                self.error("syntax", span, "a transport arc must connect two places by a transition");
            }
            return;
        };
        let (place, to) = (place as usize, to as usize);
        let ends = (self.inscription(arc, place, all), self.inscription(arc, to, all));
        if let (Some(takes), Some(puts)) = ends {
            self.transport(t as usize, (arc, place, takes), (arc, to, puts), all);
        }
    }

    /// Reads half of a transport arc: whether it ends at a place, its transition and number, and
    /// its place.
    fn transport_end(
        &mut self,
        arc: usize,
        all: &mut Components<'a>,
    ) -> Option<(bool, (usize, &'a str), TransportEnd)> {
        let element = self.element(arc);
        let number = element.attribute("inscription").and_then(|text| text.rsplit_once(':'));
        let number = number.map_or("", |(_, number)| number.trim());
        let (place, t, is_second) = self.joined(arc, &mut all.net.sorts)?;
        let tokens = self.inscription(arc, place, all)?;
        Some((is_second, (t, number), (arc, place, tokens)))
    }

    fn transport(&mut self, t: usize, from: TransportEnd, to: TransportEnd, all: &mut Components<'a>) {
        let (arc, place, inscription) = from;
        let span = self.element(arc).span;
        let any = WrittenInterval { low: 0, low_open: false, high: None, high_open: true, span };
        let ages = Some(self.inscribed(arc, place, all).unwrap_or(ByColour::all(Some(any))));
        let moves_to = Some((to.1, to.2));
        let arc = ColouredArc { place, kind: ArcKind::Take, inscription, ages, moves_to, span };
        all.net.transitions[t].arcs.push(arc);
    }
}
