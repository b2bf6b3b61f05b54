//! Nets whose tokens have colours of finite sorts: symmetric nets (ISO/IEC 15909-2), and TAPAAL's.
//!
//! Such a net is unfolded: a place `p` becomes a place `p(c)` for each colour c of its sort, and a
//! transition `t` becomes `t(a,b)` for all values a, b of its variables that satisfy its
//! conditions. What would be too large is reported before it is built.

mod by_colour;
mod evaluate;
mod sorts;
mod terms;
mod unfold;

use super::{NetNode, NetXmlReader};
use crate::{
    net::draft::{ArcKind, WrittenInterval},
    source::Span,
};
pub(super) use by_colour::ByColour;
pub(super) use sorts::{SortId, Sorts};
pub(super) use terms::ColourTerm;
use terms::Condition;

/// A net before it is unfolded.
#[derive(Default)]
pub(super) struct ColouredNet {
    pub sorts: Sorts,
    pub places: Vec<ColouredPlace>,
    pub transitions: Vec<ColouredTransition>,
}

/// A place with its sort and its initial tokens.
pub(super) struct ColouredPlace {
    pub written: String,
    pub sort: SortId,
    /// The initial number of tokens of each colour, without those that have none.
    pub tokens: Vec<(u64, u64)>,
    pub delay: Option<WrittenInterval>,
    /// The ages that its tokens may have.
    pub invariant: ByColour,
    pub at: Option<(i32, i32)>,
    pub span: Span,
}

impl ColouredPlace {
    pub(super) fn new(written: String, sort: SortId, span: Span) -> ColouredPlace {
        ColouredPlace { written, sort, tokens: Vec::new(), delay: None, invariant: ByColour::all(None), at: None, span }
    }
}

/// A transition with its conditions and its arcs.
pub(super) struct ColouredTransition {
    pub written: String,
    pub conditions: Vec<Condition>,
    pub arcs: Vec<ColouredArc>,
    pub interval: Option<WrittenInterval>,
    /// Whether time stops while it is enabled.
    pub is_urgent: bool,
    pub at: Option<(i32, i32)>,
    pub span: Span,
}

impl ColouredTransition {
    pub(super) fn new(written: String, span: Span) -> ColouredTransition {
        let (conditions, arcs) = (Vec::new(), Vec::new());
        ColouredTransition { written, conditions, arcs, interval: None, is_urgent: false, at: None, span }
    }
}

/// An arc of a transition.
pub(super) struct ColouredArc {
    pub place: usize,
    pub kind: ArcKind,
    pub inscription: ColourTerm,
    /// The ages of the tokens that it takes, if they matter.
    pub ages: Option<ByColour>,
    /// The place to which it moves its tokens, which keep their ages, and the colour that they get.
    pub moves_to: Option<(usize, ColourTerm)>,
    pub span: Span,
}

impl NetXmlReader<'_, '_> {
    /// Reads a symmetric net and unfolds it.
    pub(super) fn symmetric(&mut self, net: usize) {
        let mut all = ColouredNet::default();
        for declarations in self.declarations(net) {
            self.declare(declarations, &mut all.sorts);
        }
        let elements = [self.nodes(net, "place"), self.nodes(net, "transition")];
        self.coloured_places(&elements[0], &mut all);
        self.coloured_transitions(&elements[1], &mut all);
        for (reference, kind) in [("referencePlace", "place"), ("referenceTransition", "transition")] {
            self.references(&self.nodes(net, reference), kind);
        }
        for arc in self.nodes(net, "arc") {
            if self.problems.is_over() {
                return;
            }
            self.coloured_arc(arc, &mut all);
        }
        if !self.problems.has_errors() {
            self.unfold(&all);
        }
    }

    /// Returns the lists of declarations of a net and its pages.
    pub(super) fn declarations(&self, net: usize) -> Vec<usize> {
        let lists = self.nodes(net, "declaration").into_iter().filter_map(|declaration| {
            let structure = self.document.child(declaration, "structure")?;
            self.document.child(structure, "declarations")
        });
        lists.collect()
    }

    fn coloured_places(&mut self, elements: &[usize], all: &mut ColouredNet) {
        let ColouredNet { sorts, places, .. } = all;
        for (element, id, written) in self.named(elements) {
            if self.problems.is_over() {
                break;
            }
            let span = self.element(element).span;
            let sort = match self.structure(element, "type") {
                Some(structure) => self.sort_in(structure, sorts),
                None => Some(sorts.dot()),
            };
            let Some(sort) = sort else {
                self.enter(&id, NetNode::Lost, span);
                continue;
            };
            self.enter(&id, NetNode::Place(places.len() as u32), span);
            let mut place = ColouredPlace::new(written, sort, span);
            place.tokens = self.initial_tokens(element, sort, sorts);
            place.delay = self.merkhet_element(element).and_then(|tool| self.delay(tool));
            place.at = self.position(element);
            places.push(place);
        }
    }

    fn initial_tokens(&mut self, element: usize, sort: SortId, sorts: &mut Sorts) -> Vec<(u64, u64)> {
        if let Some(structure) = self.structure(element, "hlinitialMarking") {
            return self.constant_multiset(structure, sort, sorts);
        }
        let Some((text, span)) = self.text(element, "initialMarking").filter(|(text, _)| !text.is_empty()) else {
            return Vec::new();
        };
        if sort != sorts.dot() {
            self.error("syntax", span, "a number of tokens without a colour, in a place that has colours");
            return Vec::new();
        }
        match self.number(text, "a marking", span) {
            0 => Vec::new(),
            tokens => vec![(0, tokens)],
        }
    }

    /// Reads a multiset without variables: the number of tokens of each colour that has some.
    pub(super) fn constant_multiset(&mut self, structure: usize, sort: SortId, sorts: &mut Sorts) -> Vec<(u64, u64)> {
        let Some(term) = self.multiset_in(structure, sort, sorts) else { return Vec::new() };
        let span = self.element(structure).whole;
        if term.has_variables() {
            self.error("syntax", span, "an initial marking can't have variables");
            return Vec::new();
        }
        let tokens = sorts.tokens(&term);
        if tokens.is_none() {
            self.too_many_tokens(span);
        }
        tokens.unwrap_or_default()
    }

    pub(super) fn too_many_tokens(&mut self, span: Span) {
        self.error("number-too-large", span, "a number of tokens is too large");
    }

    fn coloured_transitions(&mut self, elements: &[usize], all: &mut ColouredNet) {
        let ColouredNet { sorts, transitions, .. } = all;
        for (element, id, written) in self.named(elements) {
            if self.problems.is_over() {
                break;
            }
            let span = self.element(element).span;
            self.enter(&id, NetNode::Transition(transitions.len() as u32), span);
            let mut transition = ColouredTransition::new(written, span);
            let condition = self.structure(element, "condition").and_then(|inner| self.condition_in(inner, sorts));
            transition.conditions.extend(condition);
            transition.interval = self.delay(element);
            transition.at = self.position(element);
            transitions.push(transition);
        }
    }

    fn coloured_arc(&mut self, arc: usize, all: &mut ColouredNet) {
        let ColouredNet { sorts, places, transitions } = all;
        let span = self.element(arc).span;
        let ends = self.ends(arc);
        let kind = self.arc_kind(arc);
        let (Some(kind), Some(ends)) = (kind, ends) else { return self.inscription_alone(arc, sorts) };
        let (place, transition, kind) = match ends {
            (NetNode::Place(p), NetNode::Transition(t)) => (p, t, kind),
            (NetNode::Transition(t), NetNode::Place(p)) if kind == ArcKind::Take => (p, t, ArcKind::Put),
            (NetNode::Transition(_), NetNode::Place(_)) => {
                return self.error("syntax", span, "an arc to a place can't be a test, inhibitor or stopwatch arc");
            }
            ends => {
                self.not_joined(ends, span);
                return self.inscription_alone(arc, sorts);
            }
        };
        let (place, transition) = (place as usize, transition as usize);
        let sort = places[place].sort;
        if !matches!(kind, ArcKind::Take | ArcKind::Put | ArcKind::Test) && sort != sorts.dot() {
            return self.unsupported(span, "inhibitor and stopwatch arcs of places with colours are");
        }
        let inscription = match self.structure(arc, "hlinscription") {
            Some(structure) => self.multiset_in(structure, sort, sorts),
            None if sort == sorts.dot() => {
                let weight = match self.text(arc, "inscription") {
                    Some((text, span)) if !text.is_empty() => self.weight(text, span),
                    _ => 1,
                };
                Some(ColourTerm::number(weight, ColourTerm::constant(sort, 0)))
            }
            None => {
                self.error("syntax", span, "the arc of a place with colours has no inscription");
                None
            }
        };
        let Some(inscription) = inscription else { return };
        let arc = ColouredArc { place, kind, inscription, ages: None, moves_to: None, span };
        transitions[transition].arcs.push(arc);
    }

    /// Reads the inscription of an arc that is wrong, to report what is wrong in it as well.
    pub(super) fn inscription_alone(&mut self, arc: usize, sorts: &mut Sorts) {
        if let Some(structure) = self.structure(arc, "hlinscription") {
            self.term_in(structure, sorts);
        }
    }

    /// Returns the term in the structure of a label, such as `<type><structure>`.
    pub(super) fn structure(&self, element: usize, label: &str) -> Option<usize> {
        let label = self.document.child(element, label)?;
        let structure = self.document.child(label, "structure")?;
        self.element(structure).children.first().copied()
    }
}
