//! Hash-consed formulas.
//!
//! A [`Term`] is a node with a sign, so that negation is free. Disjunctions are negated
//! conjunctions. Construction simplifies constants and equal or complementary operands.

use std::ops::{Not, Range};

use rustc_hash::FxHashMap;

/// A formula: a node or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    /// The formula `true`.
    pub const TRUE: Term = Term(0);
    /// The formula `false`.
    pub const FALSE: Term = Term(1);

    /// Returns one of the two constants.
    #[must_use]
    pub fn constant(value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }

    /// Returns the index of its node.
    #[must_use]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether it is the negation of its node.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns its node without the negation.
    #[must_use]
    pub fn positive(self) -> Term {
        Term(self.0 & !1)
    }
}

impl Not for Term {
    type Output = Term;

    fn not(self) -> Term {
        Term(self.0 ^ 1)
    }
}

/// A real variable. Number 0 is the reference variable, which is always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Real(pub u32);

impl Real {
    /// The reference variable.
    pub const ZERO: Real = Real(0);
}

/// An upper bound: `<= value`, or `< value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UpperBound {
    /// The number.
    pub value: i64,
    /// Whether the bound is strict.
    pub strict: bool,
}

impl UpperBound {
    /// `<= value`
    #[must_use]
    pub fn at_most(value: i64) -> UpperBound {
        UpperBound { value, strict: false }
    }

    /// `< value`
    #[must_use]
    pub fn below(value: i64) -> UpperBound {
        UpperBound { value, strict: true }
    }
}

/// `left - right <= bound`, or `<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The minuend.
    pub left: Real,
    /// The subtrahend.
    pub right: Real,
    /// The upper bound.
    pub bound: UpperBound,
}

/// A linear inequality: a sum of multiples of variables, at most a bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearAtom {
    /// Nonzero factors and variables, ordered by variable, each variable once.
    pub sum: Box<[(i64, Real)]>,
    /// The upper bound.
    pub bound: UpperBound,
}

/// A node of the formula graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermNode {
    /// The constant `true`.
    True,
    /// A Boolean variable, by its index.
    Variable(u32),
    /// A conjunction: a range of [`Terms::parts`].
    And(Range<u32>),
    /// An equivalence of two positive terms.
    Iff(Term, Term),
    /// A bounded difference.
    Difference(Atom),
    /// A bounded sum, by its index.
    Linear(u32),
}

/// A set of formulas.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<TermNode>,
    lists: Vec<Term>,
    linear: Vec<LinearAtom>,
    booleans: Vec<Option<String>>,
    reals: Vec<String>,
    ands: FxHashMap<Box<[Term]>, u32>,
    iffs: FxHashMap<(Term, Term), u32>,
    differences: FxHashMap<Atom, u32>,
    sums: FxHashMap<LinearAtom, u32>,
    scratch: Vec<Term>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms {
            nodes: vec![TermNode::True],
            lists: Vec::new(),
            linear: Vec::new(),
            booleans: Vec::new(),
            reals: vec!["zero".to_owned()],
            ands: FxHashMap::default(),
            iffs: FxHashMap::default(),
            differences: FxHashMap::default(),
            sums: FxHashMap::default(),
            scratch: Vec::new(),
        }
    }
}

impl Terms {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Terms {
        Terms::default()
    }

    fn add(&mut self, node: TermNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Returns the node of a term.
    #[must_use]
    pub fn node(&self, t: Term) -> &TermNode {
        &self.nodes[t.node()]
    }

    /// Returns the positive term of a node.
    #[must_use]
    pub fn term(&self, node: usize) -> Term {
        debug_assert!(node < self.nodes.len());
        Term((node as u32) << 1)
    }

    /// Returns all nodes; operands come before their users.
    #[must_use]
    pub fn nodes(&self) -> &[TermNode] {
        &self.nodes
    }

    /// Returns the operands of a conjunction.
    #[must_use]
    pub fn parts(&self, range: &Range<u32>) -> &[Term] {
        &self.lists[range.start as usize..range.end as usize]
    }

    /// Returns a bounded sum.
    #[must_use]
    pub fn sum(&self, number: u32) -> &LinearAtom {
        &self.linear[number as usize]
    }

    /// Returns the number of Boolean variables.
    #[must_use]
    pub fn booleans(&self) -> usize {
        self.booleans.len()
    }

    /// Returns the number of real variables, including the reference variable.
    #[must_use]
    pub fn reals(&self) -> usize {
        self.reals.len()
    }

    /// Returns the name of a Boolean variable.
    #[must_use]
    pub(crate) fn boolean_name(&self, number: u32) -> String {
        self.booleans[number as usize].clone().unwrap_or_else(|| format!("b{number}"))
    }

    /// Returns the name of a real variable.
    #[must_use]
    pub(crate) fn real_name(&self, x: Real) -> &str {
        &self.reals[x.0 as usize]
    }

    /// Creates a Boolean variable. Names are used in scripts only.
    pub fn boolean(&mut self, name: impl Into<String>) -> Term {
        self.booleans.push(Some(name.into()));
        let number = self.booleans.len() as u32 - 1;
        Term(self.add(TermNode::Variable(number)) << 1)
    }

    /// Creates a Boolean variable without a name.
    pub fn fresh(&mut self) -> Term {
        self.booleans.push(None);
        let number = self.booleans.len() as u32 - 1;
        Term(self.add(TermNode::Variable(number)) << 1)
    }

    /// Creates a real variable.
    pub fn real(&mut self, name: impl Into<String>) -> Real {
        self.reals.push(name.into());
        Real(self.reals.len() as u32 - 1)
    }

    /// Returns the conjunction.
    pub fn and(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        let mut list = std::mem::take(&mut self.scratch);
        list.clear();
        list.extend(parts);
        let term = self.conjunction(&mut list);
        self.scratch = list;
        term
    }

    fn conjunction(&mut self, list: &mut Vec<Term>) -> Term {
        list.sort_unstable();
        list.dedup();
        list.retain(|t| *t != Term::TRUE);
        // A term and its negation are neighbours in the order.
        if list.first() == Some(&Term::FALSE) || list.windows(2).any(|w| w[0] == !w[1]) {
            return Term::FALSE;
        }
        match list.as_slice() {
            [] => return Term::TRUE,
            [only] => return *only,
            _ => {}
        }
        if let Some(known) = self.ands.get(list.as_slice()) {
            return Term(known << 1);
        }
        let from = self.lists.len() as u32;
        self.lists.extend_from_slice(list);
        let node = self.add(TermNode::And(from..self.lists.len() as u32));
        self.ands.insert(list.as_slice().into(), node);
        Term(node << 1)
    }

    /// Returns the disjunction.
    pub fn or(&mut self, parts: impl IntoIterator<Item = Term>) -> Term {
        !self.and(parts.into_iter().map(|t| !t))
    }

    /// Returns the implication.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        self.or([!a, b])
    }

    /// Returns the equivalence.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        let equal = if a == b {
            Term::TRUE
        } else if a == Term::TRUE {
            b
        } else if let Some(known) = self.iffs.get(&(a, b)) {
            Term(known << 1)
        } else {
            let node = self.add(TermNode::Iff(a, b));
            self.iffs.insert((a, b), node);
            Term(node << 1)
        };
        if negated { !equal } else { equal }
    }

    /// Returns the term "if condition then yes else no".
    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        if yes == no {
            return yes;
        }
        let (then, other) = (self.or([!condition, yes]), self.or([condition, no]));
        self.and([then, other])
    }

    /// Returns `left - right <= bound`, or `<`.
    pub fn difference(&mut self, left: Real, right: Real, bound: UpperBound) -> Term {
        if left == right {
            return Term::constant(bound.value > 0 || bound.value == 0 && !bound.strict);
        }
        // Its negation bounds the opposite difference: `right - left < -value`.
        let turned = left > right;
        let atom = if turned {
            Atom { left: right, right: left, bound: UpperBound { value: -bound.value, strict: !bound.strict } }
        } else {
            Atom { left, right, bound }
        };
        let node = match self.differences.get(&atom) {
            Some(known) => *known,
            None => {
                let node = self.add(TermNode::Difference(atom));
                self.differences.insert(atom, node);
                node
            }
        };
        let term = Term(node << 1);
        if turned { !term } else { term }
    }

    /// Returns `left - right <= value`.
    pub fn at_most(&mut self, left: Real, right: Real, value: i64) -> Term {
        self.difference(left, right, UpperBound::at_most(value))
    }

    /// Returns `left - right >= value`.
    pub fn at_least(&mut self, left: Real, right: Real, value: i64) -> Term {
        self.difference(right, left, UpperBound::at_most(-value))
    }

    /// Returns `left == right`.
    pub fn equal(&mut self, left: Real, right: Real) -> Term {
        let (low, high) = (self.at_most(left, right, 0), self.at_least(left, right, 0));
        self.and([low, high])
    }

    /// Returns a bounded sum of multiples. A sum that is a difference becomes
    /// [`TermNode::Difference`].
    pub fn linear(&mut self, sum: impl IntoIterator<Item = (i64, Real)>, bound: UpperBound) -> Term {
        let mut list: Vec<(i64, Real)> = sum.into_iter().filter(|(_, x)| *x != Real::ZERO).collect();
        list.sort_unstable_by_key(|(_, x)| *x);
        list.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 += next.0;
            }
            same
        });
        list.retain(|(factor, _)| *factor != 0);
        match list.as_slice() {
            [] => return self.difference(Real::ZERO, Real::ZERO, bound),
            [(1, x)] => return self.difference(*x, Real::ZERO, bound),
            [(-1, x)] => return self.difference(Real::ZERO, *x, bound),
            [(1, x), (-1, y)] | [(-1, y), (1, x)] => return self.difference(*x, *y, bound),
            _ => {}
        }
        let linear = LinearAtom { sum: list.into(), bound };
        let node = match self.sums.get(&linear) {
            Some(known) => *known,
            None => {
                self.linear.push(linear.clone());
                let node = self.add(TermNode::Linear(self.linear.len() as u32 - 1));
                self.sums.insert(linear, node);
                node
            }
        };
        Term(node << 1)
    }
}
