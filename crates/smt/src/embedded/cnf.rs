//! Conversion of terms to clauses.
//!
//! A node gets a literal when it is first needed, and clauses only for the polarities in which it
//! occurs (Plaisted and Greenbaum 1986): if a literal only has to imply its term, the other half of
//! its definition is left out until it is needed. A node that is used once is inlined into the
//! clauses of its user.

use rustc_hash::FxHashSet;

use crate::{
    arithmetic::Arithmetic,
    sat::{Literal, Sat},
    terms::{Term, TermNode, Terms},
};

/// The conversion state of a node.
#[derive(Clone, Copy, Debug, Default)]
struct CnfEntry {
    literal: Option<Literal>,
    /// The number of nodes that it is an operand of.
    uses: u32,
    /// Whether the clauses for the positive and the negative polarity exist.
    defined: [bool; 2],
}

/// A converter of terms to clauses.
#[derive(Clone, Debug)]
pub(super) struct Cnf {
    entries: Vec<CnfEntry>,
    /// The number of nodes whose uses are counted.
    counted: usize,
    truth: Literal,
    /// Terms whose definitions are pending.
    required: Vec<Term>,
    /// Terms that must hold if their guard is false, pending.
    guarded: Vec<(Option<Literal>, Term)>,
    clause: Vec<Literal>,
    open: Vec<Term>,
}

impl Cnf {
    /// Creates a converter; `truth` is a literal that always holds.
    pub(super) fn new(truth: Literal) -> Cnf {
        Cnf {
            entries: Vec::new(),
            counted: 0,
            truth,
            required: Vec::new(),
            guarded: Vec::new(),
            clause: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns the literal of a node, if it has one.
    pub(super) fn known(&self, node: usize) -> Option<Literal> {
        self.entries.get(node)?.literal
    }

    /// Forgets the literals of composite terms, so that those of the next formulas are different
    /// ones. Returns the variables of the SAT solver that are forgotten.
    pub(super) fn next_side(&mut self, terms: &Terms) -> FxHashSet<u32> {
        let mut own = FxHashSet::default();
        for (node, entry) in self.entries.iter_mut().enumerate() {
            if matches!(terms.nodes()[node], TermNode::And(_) | TermNode::Iff(..)) {
                own.extend(entry.literal.map(|literal| literal.variable() as u32));
                (entry.literal, entry.defined) = (None, [false; 2]);
            }
        }
        // Facts have the literal that always holds.
        own.remove(&(self.truth.variable() as u32));
        own
    }

    /// Returns the variables and atoms by their variables of the SAT solver.
    pub(super) fn leaves(&self, terms: &Terms) -> Vec<Option<Term>> {
        let mut leaves = Vec::new();
        for (node, entry) in self.entries.iter().enumerate() {
            let Some(literal) = entry.literal else { continue };
            let t = terms.term(node);
            if matches!(terms.node(t), TermNode::Variable(_) | TermNode::Difference(_) | TermNode::Linear(_)) {
                leaves.resize(leaves.len().max(literal.variable() + 1), None);
                leaves[literal.variable()] = Some(if literal.is_negated() { !t } else { t });
            }
        }
        leaves
    }

    /// Counts the uses of nodes by new nodes.
    fn count(&mut self, terms: &Terms) {
        self.entries.resize(terms.nodes().len(), CnfEntry::default());
        for node in &terms.nodes()[self.counted..] {
            match node {
                TermNode::And(range) => {
                    for part in terms.parts(range) {
                        self.entries[part.node()].uses += 1;
                    }
                }
                TermNode::Iff(a, b) => {
                    self.entries[a.node()].uses += 1;
                    self.entries[b.node()].uses += 1;
                }
                _ => {}
            }
        }
        self.counted = terms.nodes().len();
    }

    /// Adds clauses that assert a term.
    pub(super) fn assert(&mut self, terms: &Terms, t: Term, sat: &mut Sat<Arithmetic>) {
        self.count(terms);
        self.guarded.push((None, t));
        self.process_pending(terms, sat);
    }

    /// Returns a literal that implies a term.
    pub(super) fn implying(&mut self, terms: &Terms, t: Term, sat: &mut Sat<Arithmetic>) -> Literal {
        self.count(terms);
        let literal = self.require(terms, t, sat);
        self.process_pending(terms, sat);
        literal
    }

    fn process_pending(&mut self, terms: &Terms, sat: &mut Sat<Arithmetic>) {
        loop {
            if let Some((guard, t)) = self.guarded.pop() {
                self.guard(terms, guard, t, sat);
            } else if let Some(t) = self.required.pop() {
                self.define(terms, t, sat);
            } else {
                return;
            }
        }
    }

    fn literal(&mut self, terms: &Terms, t: Term, sat: &mut Sat<Arithmetic>) -> Literal {
        let literal = match self.entries[t.node()].literal {
            Some(literal) => literal,
            None => {
                let literal = match terms.node(t) {
                    TermNode::True => self.truth,
                    node @ (TermNode::Difference(_) | TermNode::Linear(_)) => {
                        let variable = sat.variable(true);
                        let mut implications = Vec::new();
                        let implication = |a, b| implications.push((a, b));
                        match node {
                            TermNode::Linear(number) => {
                                let linear = terms.sum(*number);
                                sat.theory_mut().sum(variable, &linear.sum, linear.bound, implication);
                            }
                            TermNode::Difference(atom) => sat.theory_mut().difference(variable, atom, implication),
                            _ => {}
                        }
                        for (a, b) in implications {
                            sat.theory_clause([!a, b]);
                        }
                        Literal::new(variable, true)
                    }
                    _ => Literal::new(sat.variable(false), true),
                };
                self.entries[t.node()].literal = Some(literal);
                literal
            }
        };
        if t.is_negated() { !literal } else { literal }
    }

    /// Returns the literal of a term and schedules its definition in this polarity.
    fn require(&mut self, terms: &Terms, t: Term, sat: &mut Sat<Arithmetic>) -> Literal {
        let literal = self.literal(terms, t, sat);
        let entry = &mut self.entries[t.node()];
        let defined = &mut entry.defined[usize::from(t.is_negated())];
        if !*defined {
            *defined = true;
            if matches!(terms.node(t), TermNode::And(_) | TermNode::Iff(..)) {
                self.required.push(t);
            }
        }
        literal
    }

    fn define(&mut self, terms: &Terms, t: Term, sat: &mut Sat<Arithmetic>) {
        let literal = self.literal(terms, t, sat);
        self.expand(terms, Some(!literal), t, sat);
    }

    /// Returns whether a term needs no literal of its own.
    fn is_inline(&self, t: Term) -> bool {
        let entry = &self.entries[t.node()];
        entry.uses <= 1 && entry.literal.is_none()
    }

    /// Adds clauses by which a term holds if the guard is false.
    fn guard(&mut self, terms: &Terms, guard: Option<Literal>, t: Term, sat: &mut Sat<Arithmetic>) {
        let is_leaf = !matches!(terms.node(t), TermNode::And(_) | TermNode::Iff(..));
        let Some(guard) = guard else {
            if self.entries[t.node()].literal.is_some() || is_leaf {
                let literal = self.require(terms, t, sat);
                sat.clause([literal]);
            } else {
                let truth = if t.is_negated() { !self.truth } else { self.truth };
                self.expand(terms, None, t, sat);
                // The term is a fact. A definition may have given it a literal meanwhile.
                self.entries[t.node()].literal.get_or_insert(truth);
            }
            return;
        };
        if is_leaf || !self.is_inline(t) {
            let literal = self.require(terms, t, sat);
            sat.clause([guard, literal]);
        } else {
            self.expand(terms, Some(guard), t, sat);
        }
    }

    /// Adds clauses for the operands of a term, which hold if the guard is false.
    fn expand(&mut self, terms: &Terms, guard: Option<Literal>, t: Term, sat: &mut Sat<Arithmetic>) {
        match terms.node(t) {
            TermNode::And(range) if !t.is_negated() => {
                self.guarded.extend(terms.parts(range).iter().map(|part| (guard, *part)));
            }
            TermNode::And(range) => {
                self.clause.clear();
                self.clause.extend(guard);
                self.open.extend(terms.parts(range).iter().map(|part| !*part));
                while let Some(part) = self.open.pop() {
                    match terms.node(part) {
                        TermNode::And(range) if part.is_negated() && self.is_inline(part) => {
                            self.open.extend(terms.parts(range).iter().map(|inner| !*inner));
                        }
                        _ => {
                            let literal = self.require(terms, part, sat);
                            self.clause.push(literal);
                        }
                    }
                }
                sat.clause(self.clause.iter().copied());
            }
            TermNode::Iff(a, b) => {
                let (a, b) = (*a, if t.is_negated() { !*b } else { *b });
                if guard.is_none() && (self.alias(terms, a, b, sat) || self.alias(terms, b, a, sat)) {
                    return;
                }
                for (a, b) in [(a, b), (!a, !b)] {
                    let (left, right) = (self.require(terms, !a, sat), self.require(terms, b, sat));
                    sat.clause(guard.into_iter().chain([left, right]));
                }
            }
            _ => {
                let literal = self.require(terms, t, sat);
                sat.clause(guard.into_iter().chain([literal]));
            }
        }
    }

    /// If a variable equals a term that has no literal, makes the variable its literal.
    fn alias(&mut self, terms: &Terms, variable: Term, t: Term, sat: &mut Sat<Arithmetic>) -> bool {
        let fits = matches!(terms.node(variable), TermNode::Variable(_))
            && matches!(terms.node(t), TermNode::And(_) | TermNode::Iff(..))
            && self.entries[t.node()].literal.is_none();
        if fits {
            let literal = self.literal(terms, variable, sat);
            self.entries[t.node()].literal = Some(if t.is_negated() { !literal } else { literal });
            self.require(terms, t, sat);
            self.require(terms, !t, sat);
        }
        fits
    }
}
