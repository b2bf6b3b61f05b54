//! Formulas as SMT-LIB 2 scripts, and parsing of answers.
//!
//! Shared nodes are defined before their use, so that scripts do not grow exponentially; deeply
//! nested nodes are as well, for solvers with recursive parsers. Definitions are at the top level:
//! chains of `let` break some solvers.

mod answer;
mod names;

use std::fmt::Write;

pub(crate) use answer::{Expression, ParseError, parse, rational};
use names::SymbolNames;

use crate::terms::{Atom, LinearAtom, Real, Term, TermNode, Terms, UpperBound};

/// The nesting depth at which a node gets a definition.
const MAX_DEPTH: u32 = 12;

/// A logic of SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Logic {
    /// Bounded differences of reals.
    Differences,
    /// Bounded linear sums of reals.
    Linear,
}

impl Logic {
    /// Returns the name in SMT-LIB.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Logic::Differences => "QF_RDL",
            Logic::Linear => "QF_LRA",
        }
    }

    /// Returns the weakest logic that contains the formulas.
    #[must_use]
    pub fn of(terms: &Terms, formulas: &[Term]) -> Logic {
        let mut met = vec![false; terms.nodes().len()];
        let mut open: Vec<Term> = formulas.to_vec();
        while let Some(t) = open.pop() {
            if std::mem::replace(&mut met[t.node()], true) {
                continue;
            }
            match terms.node(t) {
                TermNode::And(range) => open.extend(terms.parts(range)),
                TermNode::Iff(a, b) => open.extend([*a, *b]),
                TermNode::Linear(_) => return Logic::Linear,
                _ => {}
            }
        }
        Logic::Differences
    }
}

/// Writes a complete script: declarations, definitions, assertions and the query.
#[must_use]
pub fn script(terms: &Terms, formulas: &[Term]) -> String {
    let mut writer = ScriptWriter::default();
    let mut text = format!("(set-logic {})\n", Logic::of(terms, formulas).name());
    for t in formulas {
        writer.assert(terms, *t, &mut text);
    }
    text.push_str("(check-sat)\n");
    text
}

/// A writer of formulas. It keeps the declarations and definitions made so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptWriter {
    names: SymbolNames,
    booleans: Vec<Option<String>>,
    reals: Vec<Option<String>>,
    /// SymbolNames of defined nodes.
    defined: Vec<Option<String>>,
    uses: Vec<u32>,
    counted: usize,
    /// Scratch stack of `prepare`.
    open: Vec<usize>,
}

impl ScriptWriter {
    /// Returns the declared Boolean variables by index, with their symbols.
    pub(crate) fn booleans(&self) -> impl Iterator<Item = (u32, &str)> {
        (0..).zip(&self.booleans).filter_map(|(number, name)| Some((number, name.as_deref()?)))
    }

    /// Returns the declared real variables, with their symbols.
    pub(crate) fn reals(&self) -> impl Iterator<Item = (Real, &str)> {
        (0..).zip(&self.reals).filter_map(|(number, name)| Some((Real(number), name.as_deref()?)))
    }

    /// Returns a fresh symbol that resembles `wish`.
    pub(crate) fn fresh(&mut self, wish: &str) -> String {
        self.names.unique(wish)
    }

    /// Writes an assertion with its declarations and definitions. A conjunction becomes several
    /// assertions.
    pub(crate) fn assert(&mut self, terms: &Terms, t: Term, out: &mut String) {
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            match terms.node(t) {
                TermNode::And(range) if !t.is_negated() => open.extend(terms.parts(range).iter().rev()),
                _ => {
                    let text = self.term(terms, t, out);
                    let _ = writeln!(out, "(assert {text})");
                }
            }
        }
    }

    /// Returns the text of a term. Its declarations and definitions are written to `out`.
    pub(crate) fn term(&mut self, terms: &Terms, t: Term, out: &mut String) -> String {
        self.count(terms);
        self.prepare(terms, t, out);
        let mut text = String::new();
        self.write(terms, t, &mut text);
        text
    }

    fn count(&mut self, terms: &Terms) {
        self.uses.resize(terms.nodes().len(), 0);
        self.defined.resize(terms.nodes().len(), None);
        self.booleans.resize(terms.booleans(), None);
        self.reals.resize(terms.reals(), None);
        for node in &terms.nodes()[self.counted..] {
            for part in parts(terms, node) {
                self.uses[part.node()] += 1;
            }
        }
        self.counted = terms.nodes().len();
    }

    /// Declares and defines everything below a term.
    fn prepare(&mut self, terms: &Terms, t: Term, out: &mut String) {
        // All nodes that are not written yet, operands first.
        let mut nodes = Vec::new();
        let mut depths = rustc_hash::FxHashMap::default();
        self.open.push(t.node());
        while let Some(node) = self.open.pop() {
            if self.defined[node].is_none() && depths.insert(node, 0_u32).is_none() {
                nodes.push(node);
                self.open.extend(parts(terms, &terms.nodes()[node]).map(Term::node));
            }
        }
        nodes.sort_unstable();
        for node in nodes {
            match &terms.nodes()[node] {
                TermNode::True => {}
                TermNode::Variable(number) => self.declare_boolean(terms, *number, out),
                TermNode::Difference(atom) => {
                    self.declare_real(terms, atom.left, out);
                    self.declare_real(terms, atom.right, out);
                }
                TermNode::Linear(number) => {
                    for (_, x) in &terms.sum(*number).sum {
                        self.declare_real(terms, *x, out);
                    }
                }
                inner => {
                    let below = parts(terms, inner).map(|p| depths.get(&p.node()).copied().unwrap_or(0)).max();
                    let depth = below.unwrap_or(0) + 1;
                    let defined = node != t.node() && (self.uses[node] > 1 || depth >= MAX_DEPTH);
                    depths.insert(node, if defined { 0 } else { depth });
                    if defined {
                        let mut text = String::new();
                        self.write(terms, terms.term(node), &mut text);
                        let name = self.names.unique(&format!("n{node}"));
                        let _ = writeln!(out, "(define-fun {name} () Bool {text})");
                        self.defined[node] = Some(name);
                    }
                }
            }
        }
    }

    fn declare_boolean(&mut self, terms: &Terms, number: u32, out: &mut String) {
        if self.booleans[number as usize].is_none() {
            let name = self.names.unique(&terms.boolean_name(number));
            let _ = writeln!(out, "(declare-fun {name} () Bool)");
            self.booleans[number as usize] = Some(name);
        }
    }

    fn declare_real(&mut self, terms: &Terms, x: Real, out: &mut String) {
        if x != Real::ZERO && self.reals[x.0 as usize].is_none() {
            let name = self.names.unique(terms.real_name(x));
            let _ = writeln!(out, "(declare-fun {name} () Real)");
            self.reals[x.0 as usize] = Some(name);
        }
    }

    fn real(&self, x: Real) -> &str {
        self.reals[x.0 as usize].as_deref().unwrap_or("0")
    }

    /// Appends a term whose operands have been prepared, so that nesting is bounded.
    fn write(&self, terms: &Terms, t: Term, out: &mut String) {
        if let Some(name) = &self.defined[t.node()] {
            return wrapped(t, out, |out| out.push_str(name));
        }
        match terms.node(t) {
            TermNode::True => out.push_str(if t.is_negated() { "false" } else { "true" }),
            TermNode::Variable(number) => {
                let name = self.booleans[*number as usize].as_deref().unwrap_or("false");
                wrapped(t, out, |out| out.push_str(name));
            }
            TermNode::And(range) => {
                out.push_str(if t.is_negated() { "(or" } else { "(and" });
                for part in terms.parts(range) {
                    out.push(' ');
                    self.write(terms, if t.is_negated() { !*part } else { *part }, out);
                }
                out.push(')');
            }
            TermNode::Iff(a, b) => {
                out.push_str("(= ");
                self.write(terms, if t.is_negated() { !*a } else { *a }, out);
                out.push(' ');
                self.write(terms, *b, out);
                out.push(')');
            }
            TermNode::Difference(atom) => self.write_difference(t, atom, out),
            TermNode::Linear(number) => self.write_linear(t, terms.sum(*number), out),
        }
    }

    fn write_difference(&self, t: Term, atom: &Atom, out: &mut String) {
        let UpperBound { value, strict } = atom.bound;
        // The reference variable is on the left: `0 - y <= v` is `y >= -v`.
        if atom.left == Real::ZERO {
            out.push_str(relation(t, strict, true));
            out.push_str(self.real(atom.right));
            number(-i128::from(value), out);
        } else {
            let relation = relation(t, strict, false);
            let _ = write!(out, "{relation}(- {} {})", self.real(atom.left), self.real(atom.right));
            number(i128::from(value), out);
        }
        out.push(')');
    }

    fn write_linear(&self, t: Term, linear: &LinearAtom, out: &mut String) {
        let is_sum = linear.sum.len() > 1;
        out.push_str(relation(t, linear.bound.strict, false));
        if is_sum {
            out.push_str("(+");
        }
        for (factor, x) in &linear.sum {
            if is_sum {
                out.push(' ');
            }
            out.push_str("(*");
            number(i128::from(*factor), out);
            let _ = write!(out, " {})", self.real(*x));
        }
        if is_sum {
            out.push(')');
        }
        number(i128::from(linear.bound.value), out);
        out.push(')');
    }
}

/// Returns the relation of a bound: negated if its term is, reversed if its sides are swapped.
fn relation(t: Term, strict: bool, turned: bool) -> &'static str {
    match (t.is_negated(), strict, turned) {
        (false, false, false) | (true, true, true) => "(<= ",
        (false, true, false) | (true, false, true) => "(< ",
        (true, false, false) | (false, true, true) => "(> ",
        (true, true, false) | (false, false, true) => "(>= ",
    }
}

fn wrapped(t: Term, out: &mut String, inner: impl FnOnce(&mut String)) {
    if t.is_negated() {
        out.push_str("(not ");
    }
    inner(out);
    if t.is_negated() {
        out.push(')');
    }
}

/// Appends a space and a number. SMT-LIB has no negative numerals.
fn number(value: i128, out: &mut String) {
    let _ = if value < 0 { write!(out, " (- {})", -value) } else { write!(out, " {value}") };
}

fn parts<'a>(terms: &'a Terms, node: &'a TermNode) -> impl Iterator<Item = Term> + 'a {
    let (list, pair): (&[Term], [Option<Term>; 2]) = match node {
        TermNode::And(range) => (terms.parts(range), [None, None]),
        TermNode::Iff(a, b) => (&[], [Some(*a), Some(*b)]),
        _ => (&[], [None, None]),
    };
    list.iter().copied().chain(pair.into_iter().flatten())
}
