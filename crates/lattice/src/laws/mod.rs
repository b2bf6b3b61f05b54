//! Checks that a lattice obeys the laws.
//!
//! Searches rely on the laws: if the order is not an order or a join is not an upper bound,
//! covering loses behaviour. Everyone who writes a lattice, in Rust or in a model, can have the
//! laws checked, either on samples of the lattice or on the elements that a search has met. A check
//! finds the smallest counterexample among these elements. Finding none is not a proof.

mod elements;
mod methods;
mod numeric;
mod order;
mod table;

use std::{collections::BTreeMap, fmt};

use crate::Lattice;
pub use order::Order;
pub use table::check_all;

/// A law of lattices or of the operations on their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// An element is less than or equal to itself.
    Reflexive,
    /// Two elements that are less than or equal to each other are the same.
    Antisymmetric,
    /// The order is transitive.
    Transitive,
    /// A join is an upper bound of both elements.
    UpperBound,
    /// A join is less than or equal to every upper bound of both elements.
    Least,
    /// The join of an element with itself is the element.
    Idempotent,
    /// A join does not depend on the order of its two elements.
    Commutative,
    /// A join of three elements does not depend on which are joined first.
    Associative,
    /// Join reports whether it changed the element.
    JoinReportsChange,
    /// A widening is an upper bound of both elements.
    WidenUpperBound,
    /// Widening reports whether it changed the element.
    WidenReportsChange,
    /// A sequence of widenings with the same elements becomes stationary.
    WidenTerminates,
    /// An element below a bottom element is a bottom element.
    Bottom,
    /// A meet is less than or equal to both elements, and not less than a common lower bound.
    Meet,
    /// The integers of an element, and the results of methods, lie in their ranges.
    Range,
    /// An integer changes as it is declared to when the element grows.
    SlotOrder,
    /// A method that is declared not to change the element leaves it as it is.
    Pure,
    /// A method is monotone in the element.
    Monotone,
    /// The result of a method follows its declared trend when the element grows.
    Trend,
    /// A bit follows its declared trend when the element grows.
    BitTrend,
    /// Setting a bit is monotone in the element.
    BitMonotone,
    /// A greater element allows all integers that a smaller one allows.
    Meaning,
    /// An assignment keeps all possible integers.
    Assign,
    /// An assumption keeps all integers that satisfy it.
    Assume,
    /// An assumption makes no element greater, and reports whether one became bottom.
    Cut,
    /// A term has no values outside of its bounds.
    Bounds,
    /// Assignments and assumptions are monotone in the environment.
    NumericMonotone,
}

impl Law {
    /// Returns the law as a sentence.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Law::Reflexive => "an element is less than or equal to itself",
            Law::Antisymmetric => "two elements that are less than or equal to each other are the same",
            Law::Transitive => "the order is transitive",
            Law::UpperBound => "a join is an upper bound of both elements",
            Law::Least => "a join is the least upper bound",
            Law::Idempotent => "the join of an element with itself is the element",
            Law::Commutative => "a join does not depend on the order of its elements",
            Law::Associative => "a join of three elements does not depend on which are joined first",
            Law::JoinReportsChange => "a join reports whether it changed the element",
            Law::WidenUpperBound => "a widening is an upper bound of both elements",
            Law::WidenReportsChange => "a widening reports whether it changed the element",
            Law::WidenTerminates => "a sequence of widenings with the same elements becomes stationary",
            Law::Bottom => "an element below a bottom element is a bottom element",
            Law::Meet => "a meet is the greatest lower bound",
            Law::Range => "the integers of an element and the results of methods lie in their ranges",
            Law::SlotOrder => "an integer changes as it is declared to when the element grows",
            Law::Pure => "a method that is declared not to change the element leaves it as it is",
            Law::Monotone => "a method is monotone in the element",
            Law::Trend => "a result follows its declared trend when the element grows",
            Law::BitTrend => "a bit follows its declared trend when the element grows",
            Law::BitMonotone => "setting a bit is monotone in the element",
            Law::Meaning => "a greater element allows all integers that a smaller one allows",
            Law::Assign => "an assignment keeps all possible integers",
            Law::Assume => "an assumption keeps all integers that satisfy it",
            Law::Cut => "an assumption makes no element greater, and reports whether one became bottom",
            Law::Bounds => "a term has no values outside of its bounds",
            Law::NumericMonotone => "assignments and assumptions are monotone in the environment",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A violated law with a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// The method or operation that violates the law; empty for a law of order and join.
    pub subject: String,
    /// The elements of the counterexample. An environment is given by all its elements, one after
    /// the other.
    pub elements: Vec<Vec<i32>>,
    /// What happens to these elements, if that is not obvious.
    pub(crate) detail: String,
    /// What is made of them: a join, or two that should be equal.
    pub(crate) made: Vec<Vec<i32>>,
}

impl Violation {
    /// Returns the operation that violates the law, as users name it: `join`, `covers`, `add`.
    #[must_use]
    pub fn operation(&self) -> &str {
        match self.law {
            Law::Reflexive | Law::Antisymmetric | Law::Transitive | Law::Bottom => "covers",
            Law::UpperBound | Law::Least | Law::Idempotent | Law::Commutative | Law::Associative => "join",
            Law::JoinReportsChange => "join",
            Law::WidenUpperBound | Law::WidenReportsChange | Law::WidenTerminates => "widen",
            Law::Meet => "meet",
            _ => self.subject.trim_start_matches('`').split(['(', '`']).next().unwrap_or_default(),
        }
    }

    /// Describes the violation in one sentence, with elements rendered by `show`.
    #[must_use]
    pub fn explain(&self, show: impl Fn(&[i32]) -> String) -> String {
        let mut text = self.law.text().to_owned();
        if !self.subject.is_empty() {
            text = format!("{text}, but `{}` violates this", self.subject);
        }
        let elements: Vec<String> = self.elements.iter().map(|element| show(element)).collect();
        if !elements.is_empty() {
            text = format!("{text}: {}", elements.join(" and "));
        }
        let made: Vec<String> = self.made.iter().map(|element| show(element)).collect();
        match &made[..] {
            [] if self.detail.is_empty() => text,
            [] => format!("{text} ({})", self.detail),
            [join] => format!("{text} (the join is {join})"),
            all => format!("{text} ({})", all.join(" and ")),
        }
    }

    /// Ranks counterexamples: small integers first, then short texts.
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

    /// Returns whether the check was stopped.
    fn is_over(&self) -> bool {
        (self.stop)()
    }

    /// Records a violation.
    fn note(&mut self, law: Law, subject: &str, elements: &[&[i32]], detail: impl FnOnce() -> String) {
        let elements = elements.iter().map(|element| element.to_vec()).collect();
        self.add(Violation { law, subject: subject.to_owned(), elements, detail: detail(), made: Vec::new() });
    }

    /// Records a violation of a law of order and join, with what is made of the elements.
    fn note_made(&mut self, law: Law, elements: &[&[i32]], made: &[&[i32]]) {
        let [elements, made] = [elements, made].map(|all| all.iter().map(|element| element.to_vec()).collect());
        self.add(Violation { law, subject: String::new(), elements, detail: String::new(), made });
    }

    fn add(&mut self, new: Violation) {
        let key = (new.law, new.subject.clone());
        if self.found.get(&key).is_none_or(|old| new.weight() < old.weight()) {
            self.found.insert(key, new);
        }
    }

    fn all(self) -> Vec<Violation> {
        self.found.into_values().collect()
    }
}

/// A source of numbers below its argument, for samples.
pub type RandomSource<'r> = &'r mut dyn FnMut(u32) -> u32;

/// Checks all laws on samples of a lattice.
#[must_use]
pub fn check(lattice: &dyn Lattice, random: RandomSource<'_>) -> Vec<Violation> {
    check_until(lattice, random, &|| false)
}

/// Does the same until `stop` returns `true`. The violations found before are returned.
#[must_use]
pub fn check_until(lattice: &dyn Lattice, random: RandomSource<'_>, stop: &dyn Fn() -> bool) -> Vec<Violation> {
    let mut findings = Findings::new(stop);
    let elements = elements::samples(lattice, random, stop);
    let elements = elements::with_joins(&elements, &mut |into, other| !stop() && lattice.join(into, other));
    let (mut leq, mut join) = (|a: &[i32], b: &[i32]| lattice.leq(a, b), |a: &mut [i32], b: &[i32]| lattice.join(a, b));
    let mut widen = |a: &mut [i32], b: &[i32], thresholds: &[i32]| lattice.widen(a, b, thresholds);
    order::check(Order { leq: &mut leq, join: &mut join, widen: Some(&mut widen) }, &elements, &mut findings);
    methods::check(lattice, &elements, random, &mut findings);
    // Clocks of a class of the user are not integers.
    if let Some(numeric) = lattice.numeric().filter(|_| !lattice.is_of_user()) {
        numeric::check(lattice, numeric, &elements, random, &mut findings);
    }
    findings.all()
}

/// Checks the laws of order and join on the given elements and on joins of them, for orders that
/// are not a [`Lattice`].
#[must_use]
pub fn check_order(order: Order<'_>, elements: &[Vec<i32>]) -> Vec<Violation> {
    let mut findings = Findings::new(&|| false);
    let elements = elements::with_joins(elements, order.join);
    order::check(order, &elements, &mut findings);
    findings.all()
}
