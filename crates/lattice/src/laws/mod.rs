//! Checks that a lattice is one.
//!
//! Searches rely on the laws: a cover that is none loses behaviour, and a join that is no upper bound does too. So whoever writes a
//! lattice, in Rust or in a model, has them checked: on elements that the lattice itself makes up, or on those that a search met.
//! What is found is the smallest counterexample among these. That nothing is found is no proof.

mod elements;
mod methods;
mod numeric;
mod order;
mod table;

use std::{collections::BTreeMap, fmt};

use crate::Lattice;
pub use order::Order;
pub use table::check_all;

/// What lattices, and what can be done with their elements, have to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// An element is less than or equal to itself.
    Reflexive,
    /// Two elements that are less than or equal to each other are the same.
    Antisymmetric,
    /// What is less than or equal to something smaller is less than or equal to the greater.
    Transitive,
    /// A join is not less than either element.
    UpperBound,
    /// A join is less than or equal to all that is not less than either element.
    Least,
    /// An element joined with itself stays as it is.
    Idempotent,
    /// It does not matter which of two elements is joined with which.
    Commutative,
    /// It does not matter which of three elements are joined first.
    Associative,
    /// Join says whether it has changed the element.
    JoinTells,
    /// A widening is not less than either element.
    WidenUpperBound,
    /// Widening says whether it has changed the element.
    WidenTells,
    /// Widening with the same elements over and over changes nothing in the end.
    WidenEnds,
    /// What is less than an element that allows nothing allows nothing.
    Bottom,
    /// The numbers of an element lie in their ranges.
    Range,
    /// A method that does not change the element leaves it as it is.
    Question,
    /// A method makes of a greater element one that is not less.
    Monotone,
    /// What a method answers goes the way that it is said to go when the element grows.
    Trend,
    /// A bit goes the way that it is said to go when the element grows.
    BitTrend,
    /// A bit that is set makes of a greater element one that is not less.
    BitMonotone,
    /// A greater element allows all integers that a smaller one allows.
    Meaning,
    /// An assignment leaves out no integers that are possible.
    Assign,
    /// An assumption leaves out no integers that satisfy it.
    Assume,
    /// An assumption makes no element greater, and says whether one became bottom.
    Cut,
    /// A term has no values outside of its bounds.
    Bounds,
    /// What is calculated with greater elements is not less.
    NumericMonotone,
}

impl Law {
    /// What it says, in a few words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Law::Reflexive => "an element is less than or equal to itself",
            Law::Antisymmetric => "two elements that are less than or equal to each other are the same",
            Law::Transitive => "the order is transitive",
            Law::UpperBound => "a join is not less than either element",
            Law::Least => "a join is the least of all that are not less than either element",
            Law::Idempotent => "an element joined with itself stays as it is",
            Law::Commutative => "a join does not depend on which element comes first",
            Law::Associative => "a join of three does not depend on which are joined first",
            Law::JoinTells => "a join says whether it has changed the element",
            Law::WidenUpperBound => "a widening is not less than either element",
            Law::WidenTells => "a widening says whether it has changed the element",
            Law::WidenEnds => "widening with the same elements over and over changes nothing in the end",
            Law::Bottom => "what is less than an element that allows nothing allows nothing",
            Law::Range => "the numbers of an element lie in their ranges",
            Law::Question => "a method that does not change the element leaves it as it is",
            Law::Monotone => "a method makes of a greater element one that is not less",
            Law::Trend => "an answer goes the way that it is said to go when the element grows",
            Law::BitTrend => "a bit goes the way that it is said to go when the element grows",
            Law::BitMonotone => "a bit that is set makes of a greater element one that is not less",
            Law::Meaning => "a greater element allows all integers that a smaller one allows",
            Law::Assign => "an assignment leaves out no integers that are possible",
            Law::Assume => "an assumption leaves out no integers that satisfy it",
            Law::Cut => "an assumption makes no element greater, and says whether one became bottom",
            Law::Bounds => "a term has no values outside of its bounds",
            Law::NumericMonotone => "what is calculated with greater elements is not less",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// What it does not hold of, if that is no property of order and join: a method, an assignment.
    pub subject: String,
    /// The elements that show it. Of an environment all elements are there, one after the other.
    pub elements: Vec<Vec<i32>>,
    /// What happens with them, if that is not plain.
    pub detail: String,
}

impl Violation {
    /// A sentence about it, with elements as text.
    #[must_use]
    pub fn explain(&self, show: impl Fn(&[i32]) -> String) -> String {
        let mut text = self.law.text().to_owned();
        if !self.subject.is_empty() {
            text = format!("{text}, but `{}` does not obey", self.subject);
        }
        let elements: Vec<String> = self.elements.iter().map(|element| show(element)).collect();
        if !elements.is_empty() {
            text = format!("{text}: {}", elements.join(" and "));
        }
        if self.detail.is_empty() { text } else { format!("{text} ({})", self.detail) }
    }

    /// Counterexamples with small numbers come first, of those the ones with short texts.
    fn weight(&self) -> (u64, usize, &[Vec<i32>], &str) {
        let sum = self.elements.iter().map(|element| elements::weight(element)).fold(0, u64::saturating_add);
        (sum, self.detail.len(), &self.elements, &self.detail)
    }
}

/// The smallest counterexample of each law and subject.
struct Findings<'s> {
    found: BTreeMap<(Law, String), Violation>,
    stop: &'s dyn Fn() -> bool,
}

impl<'s> Findings<'s> {
    fn new(stop: &'s dyn Fn() -> bool) -> Findings<'s> {
        Findings { found: BTreeMap::new(), stop }
    }

    /// Whether somebody stops this.
    fn is_over(&self) -> bool {
        (self.stop)()
    }

    /// Notes elements for which a law does not hold.
    fn note(&mut self, law: Law, subject: &str, elements: &[&[i32]], detail: impl FnOnce() -> String) {
        let elements = elements.iter().map(|element| element.to_vec()).collect();
        let new = Violation { law, subject: subject.to_owned(), elements, detail: detail() };
        let key = (law, subject.to_owned());
        if self.found.get(&key).is_none_or(|old| new.weight() < old.weight()) {
            self.found.insert(key, new);
        }
    }

    fn all(self) -> Vec<Violation> {
        self.found.into_values().collect()
    }
}

/// Numbers below their argument, for samples.
pub type Random<'r> = &'r mut dyn FnMut(u32) -> u32;

/// Checks all laws on samples of a lattice.
#[must_use]
pub fn check(lattice: &dyn Lattice, random: Random<'_>) -> Vec<Violation> {
    check_until(lattice, random, &|| false)
}

/// The same until somebody stops it: what was found before that is true.
#[must_use]
pub fn check_until(lattice: &dyn Lattice, random: Random<'_>, stop: &dyn Fn() -> bool) -> Vec<Violation> {
    let mut findings = Findings::new(stop);
    let elements = elements::samples(lattice, random, stop);
    let elements = elements::with_joins(&elements, &mut |into, other| !stop() && lattice.join(into, other));
    let (mut leq, mut join) = (|a: &[i32], b: &[i32]| lattice.leq(a, b), |a: &mut [i32], b: &[i32]| lattice.join(a, b));
    let mut widen = |a: &mut [i32], b: &[i32], thresholds: &[i32]| lattice.widen(a, b, thresholds);
    order::check(Order { leq: &mut leq, join: &mut join, widen: Some(&mut widen) }, &elements, &mut findings);
    methods::check(lattice, &elements, random, &mut findings);
    if let Some(numeric) = lattice.numeric() {
        numeric::check(lattice, numeric, &elements, random, &mut findings);
    }
    findings.all()
}

/// Checks the laws of order and join on some elements, and on joins of these: for lattices that are no [`Lattice`].
#[must_use]
pub fn check_order(order: Order<'_>, elements: &[Vec<i32>]) -> Vec<Violation> {
    let mut findings = Findings::new(&|| false);
    let elements = elements::with_joins(elements, order.join);
    order::check(order, &elements, &mut findings);
    findings.all()
}
