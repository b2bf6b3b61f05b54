//! Terms and conditions with their sorts.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{
    super::suggesting,
    NetXmlReader,
    sorts::{Sort, SortId, Sorts},
};
use crate::{diagnostic::Diagnostic, grow};

/// A term: a colour, or a multiset of colours.
#[derive(Clone, Debug)]
pub(in crate::net::xml) struct ColourTerm {
    pub sort: SortId,
    pub kind: TermKind,
}

#[derive(Clone, Debug)]
pub(in crate::net::xml) enum TermKind {
    Constant(u64),
    Variable(u32),
    /// Each colour of the sort once.
    All,
    Tuple(Vec<ColourTerm>),
    /// The successor (1) or predecessor (-1).
    Step(i64, Box<ColourTerm>),
    /// The part of a partition, by the number of the colour.
    Part(Arc<Vec<u64>>, Box<ColourTerm>),
    Times(u64, Box<ColourTerm>),
    Sum(Vec<ColourTerm>),
    /// The first without the others.
    Difference(Vec<ColourTerm>),
    Empty,
}

/// A condition.
#[derive(Clone, Debug)]
pub(in crate::net::xml) enum Condition {
    Constant(bool),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Comparison, ColourTerm, ColourTerm),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net::xml) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl ColourTerm {
    pub(in crate::net::xml) fn constant(sort: SortId, colour: u64) -> ColourTerm {
        ColourTerm { sort, kind: TermKind::Constant(colour) }
    }

    /// One of each colour.
    pub(in crate::net::xml) fn all(sort: SortId) -> ColourTerm {
        ColourTerm { sort, kind: TermKind::All }
    }

    pub(in crate::net::xml) fn number(times: u64, of: ColourTerm) -> ColourTerm {
        ColourTerm { sort: of.sort, kind: TermKind::Times(times, Box::new(of)) }
    }

    /// Returns the colour of a constant.
    pub(super) fn known(&self) -> Option<(SortId, u64)> {
        if let TermKind::Constant(colour) = self.kind { Some((self.sort, colour)) } else { None }
    }

    /// Calls `f` for each variable.
    pub(super) fn variables(&self, f: &mut dyn FnMut(u32)) {
        grow(|| match &self.kind {
            TermKind::Variable(variable) => f(*variable),
            TermKind::Constant(_) | TermKind::All | TermKind::Empty => {}
            TermKind::Step(_, inner) | TermKind::Part(_, inner) | TermKind::Times(_, inner) => inner.variables(f),
            TermKind::Tuple(inner) | TermKind::Sum(inner) | TermKind::Difference(inner) => {
                inner.iter().for_each(|term| term.variables(f));
            }
        });
    }

    pub(super) fn has_variables(&self) -> bool {
        let mut has = false;
        self.variables(&mut |_| has = true);
        has
    }

    /// Returns whether the term is one colour, and not a multiset.
    fn is_colour(&self) -> bool {
        grow(|| match &self.kind {
            TermKind::Constant(_) | TermKind::Variable(_) | TermKind::Step(..) | TermKind::Part(..) => true,
            TermKind::Tuple(parts) => parts.iter().all(ColourTerm::is_colour),
            TermKind::All | TermKind::Times(..) | TermKind::Sum(_) | TermKind::Difference(_) | TermKind::Empty => false,
        })
    }
}

impl Condition {
    /// Calls `f` for each variable, in the order of the text.
    pub(super) fn variables(&self, f: &mut dyn FnMut(u32)) {
        grow(|| match self {
            Condition::Constant(_) => {}
            Condition::All(list) | Condition::Any(list) => list.iter().for_each(|c| c.variables(f)),
            Condition::Not(inner) => inner.variables(f),
            Condition::Compare(_, a, b) => {
                a.variables(f);
                b.variables(f);
            }
        });
    }
}

impl NetXmlReader<'_, '_> {
    /// Reads a multiset of colours of a place.
    pub(in crate::net::xml) fn multiset_in(
        &mut self,
        element: usize,
        sort: SortId,
        sorts: &mut Sorts,
    ) -> Option<ColourTerm> {
        let term = self.term_in(element, sorts)?;
        if term.sort != sort && !matches!(term.kind, TermKind::Empty) {
            let (term, place) = (sorts.name(term.sort), sorts.name(sort));
            let span = self.element(element).whole;
            self.error("type", span, format!("colours of the sort {term}, where the place has those of {place}"));
            return None;
        }
        Some(term)
    }

    /// Reads a term.
    pub(super) fn term_in(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        grow(|| self.term_here(element, sorts))
    }

    fn term_here(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        let this = self.element(element);
        let span = this.whole;
        let term = match this.name.as_str() {
            "dotconstant" => ColourTerm::constant(sorts.dot(), 0),
            "variable" => {
                let id = self.required(element, "refvariable")?;
                let Some(&variable) = sorts.variable_index.get(id) else {
                    self.unknown((element, "refvariable"), "variable", &sorts.lost, sorts.variable_index.keys());
                    return None;
                };
                ColourTerm { sort: sorts.variables[variable as usize].1, kind: TermKind::Variable(variable) }
            }
            "useroperator" => {
                let id = self.required(element, "declaration")?;
                if id == "dot" && !sorts.constants.contains_key(id) {
                    return Some(ColourTerm::constant(sorts.dot(), 0));
                }
                let Some(&(sort, colour)) = sorts.constants.get(id) else {
                    self.unknown((element, "declaration"), "constant", &sorts.lost, sorts.constants.keys());
                    return None;
                };
                ColourTerm::constant(sort, colour)
            }
            "booleanconstant" => {
                let value = self.required(element, "value")?;
                ColourTerm::constant(sorts.truth(), u64::from(value == "true"))
            }
            "finiteintrangeconstant" => self.range_constant(element, sorts)?,
            "all" => ColourTerm { sort: self.inner_sort(element, sorts)?, kind: TermKind::All },
            "empty" => ColourTerm { sort: self.inner_sort(element, sorts)?, kind: TermKind::Empty },
            "tuple" => {
                let parts = self.subterms(element, sorts)?;
                let of: Vec<SortId> = parts.iter().map(|part| part.sort).collect();
                let sort = self.product(&of, span, sorts)?;
                ColourTerm { sort, kind: TermKind::Tuple(parts) }
            }
            step @ ("successor" | "predecessor") => {
                let by = if step == "successor" { 1 } else { -1 };
                let inner = self.single(element, sorts)?;
                ColourTerm { sort: inner.sort, kind: TermKind::Step(by, Box::new(inner)) }
            }
            "partitionelementof" => self.part_of(element, sorts)?,
            "numberof" => self.number_of(element, sorts)?,
            // Some generators nest them.
            "subterm" if this.children.len() == 1 => return self.term_in(this.children[0], sorts),
            "add" | "subtract" => {
                let parts = self.subterms(element, sorts)?;
                let Some(first) = parts.iter().find(|part| !matches!(part.kind, TermKind::Empty)).or(parts.first())
                else {
                    self.error("xml", span, "a sum must have a term");
                    return None;
                };
                let sort = first.sort;
                if parts.iter().any(|part| part.sort != sort && !matches!(part.kind, TermKind::Empty)) {
                    self.error("type", span, "a sum of multisets of different sorts");
                    return None;
                }
                let is_sum = self.element(element).name == "add";
                ColourTerm { sort, kind: if is_sum { TermKind::Sum(parts) } else { TermKind::Difference(parts) } }
            }
            other => {
                self.unsupported(span, &format!("terms <{}> are", other.escape_debug()));
                return None;
            }
        };
        Some(term)
    }

    /// Reports that no declaration has the identifier in an attribute, unless one is lost.
    pub(super) fn unknown<'k>(
        &mut self,
        (element, attribute): (usize, &str),
        what: &str,
        lost: &FxHashSet<String>,
        known: impl Iterator<Item = &'k String>,
    ) {
        let element = self.element(element);
        let id = element.attribute(attribute).unwrap_or_default();
        if lost.contains(id) {
            return;
        }
        let message = format!("no {what} has the identifier `{id}`");
        let d = Diagnostic::error("unknown-name", element.value_span(attribute), message);
        self.problems.report(suggesting(d, id, known.map(String::as_str)));
    }

    fn inner_sort(&mut self, element: usize, sorts: &mut Sorts) -> Option<SortId> {
        let Some(&inner) = self.element(element).children.first() else {
            let this = self.element(element);
            self.error("xml", this.span, format!("<{}> must have a sort", this.name));
            return None;
        };
        self.sort_in(inner, sorts)
    }

    /// Returns the element in each `<subterm>`.
    fn subterm_elements(&self, element: usize) -> Vec<usize> {
        let subterms = self.document.children(element, "subterm");
        subterms.filter_map(|subterm| self.element(subterm).children.first().copied()).collect()
    }

    fn subterms(&mut self, element: usize, sorts: &mut Sorts) -> Option<Vec<ColourTerm>> {
        let inner = self.subterm_elements(element);
        let terms: Vec<Option<ColourTerm>> = inner.into_iter().map(|inner| self.term_in(inner, sorts)).collect();
        terms.into_iter().collect()
    }

    /// Reads the only subterm, which must be one colour.
    fn single(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        let mut terms = self.subterms(element, sorts)?;
        match (terms.pop(), terms.is_empty()) {
            (Some(term), true) if term.is_colour() => Some(term),
            _ => {
                let this = self.element(element);
                self.error("xml", this.whole, format!("<{}> must have one colour", this.name));
                None
            }
        }
    }

    fn range_constant(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        let span = self.element(element).whole;
        let text = self.required(element, "value")?;
        let sort = self.inner_sort(element, sorts)?;
        let (Ok(value), Sort::Range(low, high)) = (text.trim().parse::<i64>(), sorts.sort(sort)) else {
            self.error("syntax", span, "a constant of a range must be an integer with its range");
            return None;
        };
        if value < *low || value > *high {
            let message = format!("{value} is not between {low} and {high}");
            self.error("constant", span, message);
            return None;
        }
        Some(ColourTerm::constant(sort, (value - low) as u64))
    }

    fn part_of(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        let id = self.required(element, "refpartition")?;
        let Some(partition) = sorts.partitions.get(id).cloned() else {
            self.unknown((element, "refpartition"), "partition", &sorts.lost, sorts.partitions.keys());
            return None;
        };
        let inner = self.single(element, sorts)?;
        if inner.sort != partition.of {
            let (found, of) = (sorts.name(inner.sort), sorts.name(partition.of));
            let span = self.element(element).whole;
            self.error("type", span, format!("a colour of the sort {found}, where the partition is of {of}"));
            return None;
        }
        Some(ColourTerm { sort: partition.parts, kind: TermKind::Part(partition.part, Box::new(inner)) })
    }

    /// `<numberof>`: a number and a term; a term alone means one.
    fn number_of(&mut self, element: usize, sorts: &mut Sorts) -> Option<ColourTerm> {
        let inner = self.subterm_elements(element);
        let (times, of) = match inner[..] {
            [of] => (1, of),
            [number, of] => {
                let (this, span) = (self.element(number), self.element(number).whole);
                if this.name != "numberconstant" {
                    let name = this.name.clone();
                    self.unsupported(span, &format!("numbers of tokens <{}> are", name.escape_debug()));
                    return None;
                }
                let text = self.required(number, "value")?;
                (self.number(text, "a number of tokens", this.value_span("value")), of)
            }
            _ => {
                let span = self.element(element).whole;
                self.error("xml", span, "<numberof> must have a number and a term");
                return None;
            }
        };
        Some(ColourTerm::number(times, self.term_in(of, sorts)?))
    }

    /// Reads a condition.
    pub(in crate::net::xml) fn condition_in(&mut self, element: usize, sorts: &mut Sorts) -> Option<Condition> {
        grow(|| self.condition_here(element, sorts))
    }

    fn condition_here(&mut self, element: usize, sorts: &mut Sorts) -> Option<Condition> {
        let this = self.element(element);
        let (name, span) = (this.name.as_str(), this.whole);
        let comparison = match name {
            "equality" => Comparison::Equal,
            "inequality" => Comparison::Unequal,
            "lessthan" | "ltp" => Comparison::Less,
            "lessthanorequal" => Comparison::AtMost,
            "greaterthan" | "gtp" => Comparison::Greater,
            "greaterthanorequal" => Comparison::AtLeast,
            "booleanconstant" => return Some(Condition::Constant(self.required(element, "value")? == "true")),
            "and" | "or" | "not" | "imply" => return self.connective(element, sorts),
            other => {
                self.unsupported(span, &format!("conditions <{}> are", other.escape_debug()));
                return None;
            }
        };
        let mut terms = self.subterms(element, sorts)?;
        let (Some(b), Some(a), true) = (terms.pop(), terms.pop(), terms.is_empty()) else {
            self.error("xml", span, format!("<{name}> must have two terms"));
            return None;
        };
        if !a.is_colour() || !b.is_colour() {
            self.unsupported(span, "comparisons of multisets are");
            return None;
        }
        let are_ranges = [a.sort, b.sort].iter().all(|sort| matches!(sorts.sort(*sort), Sort::Range(..)));
        if a.sort != b.sort && !are_ranges {
            let (first, second) = (sorts.name(a.sort), sorts.name(b.sort));
            self.error("type", span, format!("a comparison of the sort {first} with {second}"));
            return None;
        }
        let is_ordered = !matches!(sorts.sort(a.sort), Sort::Product(_) | Sort::Dot);
        if !is_ordered && !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            self.error("type", span, format!("colours of the sort {} have no order", sorts.name(a.sort)));
            return None;
        }
        Some(Condition::Compare(comparison, a, b))
    }

    fn connective(&mut self, element: usize, sorts: &mut Sorts) -> Option<Condition> {
        let inner = self.subterm_elements(element);
        let parts: Vec<Option<Condition>> = inner.into_iter().map(|inner| self.condition_in(inner, sorts)).collect();
        let mut parts: Vec<Condition> = parts.into_iter().collect::<Option<_>>()?;
        let this = self.element(element);
        let condition = match (this.name.as_str(), parts.len()) {
            ("and", 1..) => Condition::All(parts),
            ("or", 1..) => Condition::Any(parts),
            ("not", 1) => Condition::Not(Box::new(parts.remove(0))),
            ("imply", 2) => {
                let premise = parts.remove(0);
                Condition::Any(vec![Condition::Not(Box::new(premise)), parts.remove(0)])
            }
            (name, count) => {
                let message = format!("<{name}> can't have {count} terms");
                self.error("xml", this.whole, message);
                return None;
            }
        };
        Some(condition)
    }
}
