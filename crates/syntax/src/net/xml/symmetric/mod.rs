//! Symmetric nets (ISO/IEC 15909-2): tokens have colours of finite sorts.
//!
//! Such a net is unfolded: a place `p` becomes a place `p(c)` for each colour c of its sort, and a
//! transition `t` becomes `t(a,b)` for all values a, b of its variables that satisfy its
//! condition. What would be too large is reported before it is built.

mod evaluate;
mod sorts;
mod terms;
mod unfold;

use super::{NetNode, NetXmlReader};
use crate::{
    net::draft::{ArcKind, WrittenInterval},
    source::Span,
};
use sorts::{SortId, Sorts};
use terms::{ColourTerm, Condition};

/// A place with its sort and its initial tokens.
struct ColouredPlace {
    written: String,
    sort: SortId,
    /// The initial number of tokens of each colour, without those that have none.
    tokens: Vec<(u64, u64)>,
    delay: Option<WrittenInterval>,
    at: Option<(i32, i32)>,
    span: Span,
}

/// A transition with its condition and its arcs.
struct ColouredTransition {
    written: String,
    condition: Option<Condition>,
    arcs: Vec<ColouredArc>,
    interval: Option<WrittenInterval>,
    at: Option<(i32, i32)>,
    span: Span,
}

/// An arc of a transition.
struct ColouredArc {
    place: usize,
    kind: ArcKind,
    inscription: ColourTerm,
    span: Span,
}

impl NetXmlReader<'_, '_> {
    /// Reads a symmetric net and unfolds it.
    pub(super) fn symmetric(&mut self, net: usize) {
        let mut sorts = Sorts::default();
        for declarations in self.declarations(net) {
            self.declare(declarations, &mut sorts);
        }
        let elements = [self.nodes(net, "place"), self.nodes(net, "transition")];
        let places = self.coloured_places(&elements[0], &mut sorts);
        let mut transitions = self.coloured_transitions(&elements[1], &mut sorts);
        for (reference, kind) in [("referencePlace", "place"), ("referenceTransition", "transition")] {
            self.references(&self.nodes(net, reference), kind);
        }
        for arc in self.nodes(net, "arc") {
            if self.problems.is_over() {
                return;
            }
            self.coloured_arc(arc, &places, &mut transitions, &mut sorts);
        }
        if !self.problems.has_errors() {
            self.unfold(&places, &transitions, &sorts);
        }
    }

    /// Returns the lists of declarations of a net and its pages.
    fn declarations(&self, net: usize) -> Vec<usize> {
        let lists = self.nodes(net, "declaration").into_iter().filter_map(|declaration| {
            let structure = self.document.child(declaration, "structure")?;
            self.document.child(structure, "declarations")
        });
        lists.collect()
    }

    fn coloured_places(&mut self, elements: &[usize], sorts: &mut Sorts) -> Vec<ColouredPlace> {
        let mut places = Vec::new();
        for (element, id, written) in self.named(elements) {
            if self.problems.is_over() {
                break;
            }
            let span = self.element(element).span;
            let sort = match self.structure(element, "type") {
                Some(structure) => self.sort_in(structure, sorts),
                None => Some(sorts.dot()),
            };
            let Some(sort) = sort else { continue };
            self.enter(&id, NetNode::Place(places.len() as u32), span);
            let tokens = self.initial_tokens(element, sort, sorts);
            let tool = self.merkhet_element(element);
            let delay = tool.and_then(|tool| self.delay(tool));
            let at = self.position(element);
            places.push(ColouredPlace { written, sort, tokens, delay, at, span });
        }
        places
    }

    fn initial_tokens(&mut self, element: usize, sort: SortId, sorts: &mut Sorts) -> Vec<(u64, u64)> {
        if let Some(structure) = self.structure(element, "hlinitialMarking") {
            let Some(term) = self.multiset_in(structure, sort, sorts) else { return Vec::new() };
            let span = self.element(structure).whole;
            if term.has_variables() {
                self.error("syntax", span, "an initial marking can't have variables");
                return Vec::new();
            }
            return match sorts.tokens(&term) {
                Ok(tokens) => tokens,
                Err(why) => {
                    self.not_evaluated(why, span);
                    Vec::new()
                }
            };
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

    fn coloured_transitions(&mut self, elements: &[usize], sorts: &mut Sorts) -> Vec<ColouredTransition> {
        let mut transitions = Vec::new();
        for (element, id, written) in self.named(elements) {
            if self.problems.is_over() {
                break;
            }
            let span = self.element(element).span;
            self.enter(&id, NetNode::Transition(transitions.len() as u32), span);
            let condition = self.structure(element, "condition").and_then(|inner| self.condition_in(inner, sorts));
            let interval = self.delay(element);
            let at = self.position(element);
            transitions.push(ColouredTransition { written, condition, arcs: Vec::new(), interval, at, span });
        }
        transitions
    }

    fn coloured_arc(
        &mut self,
        arc: usize,
        places: &[ColouredPlace],
        transitions: &mut [ColouredTransition],
        sorts: &mut Sorts,
    ) {
        let span = self.element(arc).span;
        let (Some(source), Some(target)) = (self.required(arc, "source"), self.required(arc, "target")) else { return };
        let Some(kind) = self.arc_kind(arc) else { return };
        let (Some(from), Some(to)) = (self.find(source, span), self.find(target, span)) else { return };
        let (place, transition, kind) = match (from, to) {
            (NetNode::Place(p), NetNode::Transition(t)) => (p, t, kind),
            (NetNode::Transition(t), NetNode::Place(p)) if kind == ArcKind::Take => (p, t, ArcKind::Put),
            (NetNode::Transition(_), NetNode::Place(_)) => {
                return self.error("syntax", span, "an arc to a place can't be a test, inhibitor or stopwatch arc");
            }
            _ => return self.error("syntax", span, "an arc must connect a place and a transition"),
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
        transitions[transition].arcs.push(ColouredArc { place, kind, inscription, span });
    }

    /// Returns the term in the structure of a label, such as `<type><structure>`.
    fn structure(&self, element: usize, label: &str) -> Option<usize> {
        let label = self.document.child(element, label)?;
        let structure = self.document.child(label, "structure")?;
        self.element(structure).children.first().copied()
    }
}
