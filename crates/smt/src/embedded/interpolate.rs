//! Interpolants from resolution proofs (McMillan 2003, 2005).
//!
//! If `a` and `b` contradict each other, an interpolant follows from `a`, contradicts `b`, and has
//! only variables that occur in both. Each clause of the proof has a part of it: an input of `a`
//! its literals that occur in `b`, an input of `b` the constant `true`. A resolution joins the
//! parts of both clauses: by `or` if the variable does not occur in `b`, else by `and`. A
//! consequence of the theory stems from a negative cycle of differences; its part sums up the paths
//! through `a`.

use super::cnf::Cnf;
use crate::{
    arithmetic::Arithmetic,
    sat::{Literal, Origin, ResolutionProof, Sat, SearchResult, Side},
    terms::{Real, Term, TermNode, Terms, UpperBound},
};

/// The result of a query for an interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The formulas are satisfiable together.
    Satisfiable,
    /// They are not, by this interpolant.
    Interpolant(Term),
    /// The query was interrupted.
    Stopped,
    /// The query is undecided, with the reason.
    Unknown(String),
}

/// Decides whether formulas are satisfiable together with others, and returns an interpolant if
/// they are not. Differences are the only constraints on reals that are supported.
pub fn interpolate(terms: &mut Terms, a: &[Term], b: &[Term], stop: &dyn Fn() -> bool) -> Interpolation {
    let mut sat = Sat::new(Arithmetic::default());
    sat.record();
    let truth = Literal::new(sat.variable(false), true);
    sat.clause([truth]);
    let mut cnf = Cnf::new(truth);
    for t in a {
        cnf.assert(terms, *t, &mut sat);
    }
    // Composite terms get literals of their own on each side, so that only variables and atoms are
    // shared.
    let own = cnf.next_side(terms);
    sat.set_side(Side::B);
    for t in b {
        cnf.assert(terms, *t, &mut sat);
    }
    if let Some(why) = sat.theory().refusal() {
        return Interpolation::Unknown(why.to_owned());
    }
    match sat.solve(&[], stop) {
        SearchResult::Satisfiable => return Interpolation::Satisfiable,
        SearchResult::Stopped => return Interpolation::Stopped,
        SearchResult::Unsatisfiable => {}
    }
    let leaves = cnf.leaves(terms);
    let occurs = occurring(terms, b);
    let is_local = |l: Literal| match leaves.get(l.variable()).copied().flatten() {
        Some(t) => !occurs[t.node()],
        None => own.contains(&(l.variable() as u32)),
    };
    let proof = sat.proof().filter(|proof| proof.empty.is_some());
    let found = proof.and_then(|proof| Parts { terms, leaves: &leaves, is_local: &is_local }.of(proof));
    found.map_or_else(|| Interpolation::Unknown("the proof has no interpolant".to_owned()), Interpolation::Interpolant)
}

/// Returns whether each node occurs in formulas.
fn occurring(terms: &Terms, roots: &[Term]) -> Vec<bool> {
    let mut seen = vec![false; terms.nodes().len()];
    let mut open: Vec<usize> = roots.iter().map(|t| t.node()).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        match &terms.nodes()[node] {
            TermNode::And(range) => open.extend(terms.parts(range).iter().map(|t| t.node())),
            TermNode::Iff(a, b) => open.extend([a.node(), b.node()]),
            _ => {}
        }
    }
    seen
}

/// Computes the parts of an interpolant.
struct Parts<'p> {
    terms: &'p mut Terms,
    /// Variables and atoms by variable of the SAT solver.
    leaves: &'p [Option<Term>],
    /// Whether a literal does not occur in `b`.
    is_local: &'p dyn Fn(Literal) -> bool,
}

impl Parts<'_> {
    /// Returns the interpolant of a proof.
    fn of(&mut self, proof: &ResolutionProof) -> Option<Term> {
        let last = proof.empty? as usize;
        // Only the steps on which the last one depends.
        let mut needed = vec![false; last + 1];
        needed[last] = true;
        for at in (0..=last).rev().filter(|at| needed[*at]).collect::<Vec<_>>() {
            mark(proof, at, &mut needed);
        }
        let mut parts: Vec<Option<Term>> = vec![None; last + 1];
        for at in 0..=last {
            if !needed[at] {
                continue;
            }
            let step = &proof.steps[at];
            parts[at] = Some(match &step.origin {
                Origin::Input(Side::B) => Term::TRUE,
                Origin::Input(Side::A) => {
                    let shared: Option<Vec<Term>> =
                        step.clause.iter().filter(|l| !(self.is_local)(**l)).map(|l| self.term(*l)).collect();
                    self.terms.or(shared?)
                }
                Origin::Theory => self.theory(&step.clause)?,
                Origin::Resolved(first, chain) => {
                    let mut part = parts[*first as usize]?;
                    for (pivot, other) in chain {
                        let other = parts[*other as usize]?;
                        part = if (self.is_local)(*pivot) {
                            self.terms.or([part, other])
                        } else {
                            self.terms.and([part, other])
                        };
                    }
                    part
                }
            });
        }
        parts[last]
    }

    /// Returns the term of a literal. The only variable without one that both sides have is `true`.
    fn term(&self, l: Literal) -> Option<Term> {
        let t = self.leaves.get(l.variable()).copied().flatten().unwrap_or(Term::TRUE);
        Some(if l.is_negated() { !t } else { t })
    }

    /// Returns the part of a consequence of the theory: what the paths through `a` sum up to.
    fn theory(&mut self, clause: &[Literal]) -> Option<Term> {
        let mut edges = Vec::new();
        for l in clause {
            let t = self.leaves.get(l.variable()).copied().flatten()?;
            let TermNode::Difference(atom) = self.terms.node(t) else { return None };
            // The clause has the negation of each difference of the cycle.
            let holds = l.is_negated() != t.is_negated();
            edges.push(if holds {
                Edge { from: atom.right, to: atom.left, bound: atom.bound, local: (self.is_local)(*l) }
            } else {
                let bound = UpperBound { value: -atom.bound.value, strict: !atom.bound.strict };
                Edge { from: atom.left, to: atom.right, bound, local: (self.is_local)(*l) }
            });
        }
        let mut cycle = negative_cycle(&edges)?;
        let Some(start) = cycle.iter().position(|edge| !edge.local) else { return Some(Term::FALSE) };
        cycle.rotate_left(start);
        let mut parts = Vec::new();
        let mut path: Option<Edge> = None;
        for edge in cycle.iter().chain(&cycle[..1]) {
            if edge.local {
                path =
                    Some(path.map_or(*edge, |path| Edge { to: edge.to, bound: sum(path.bound, edge.bound), ..path }));
            } else if let Some(Edge { from, to, bound, .. }) = path.take() {
                parts.push(self.terms.difference(to, from, bound));
            }
        }
        Some(self.terms.and(parts))
    }
}

fn mark(proof: &ResolutionProof, at: usize, needed: &mut [bool]) {
    let mut open = vec![at];
    while let Some(at) = open.pop() {
        if let Origin::Resolved(first, chain) = &proof.steps[at].origin {
            for before in chain.iter().map(|(_, other)| *other).chain([*first]) {
                if !std::mem::replace(&mut needed[before as usize], true) {
                    open.push(before as usize);
                }
            }
        }
    }
}

/// `to - from <= bound`
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Real,
    to: Real,
    bound: UpperBound,
    /// Whether it does not occur in `b`.
    local: bool,
}

fn sum(a: UpperBound, b: UpperBound) -> UpperBound {
    UpperBound { value: a.value + b.value, strict: a.strict || b.strict }
}

/// Returns the edges of a cycle whose bounds add up to less than zero, in order (Bellman and Ford).
fn negative_cycle(edges: &[Edge]) -> Option<Vec<Edge>> {
    let mut nodes: Vec<Real> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let index = |x: Real| nodes.binary_search(&x).unwrap_or(0);
    // A strict bound is a little less than its number.
    let mut distance = vec![(0_i64, 0_i64); nodes.len()];
    let mut by: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut last = None;
    for _ in 0..=nodes.len() {
        last = None;
        for (number, edge) in edges.iter().enumerate() {
            let from = distance[index(edge.from)];
            let next = (from.0 + edge.bound.value, from.1 - i64::from(edge.bound.strict));
            if next < distance[index(edge.to)] {
                distance[index(edge.to)] = next;
                by[index(edge.to)] = Some(number);
                last = Some(index(edge.to));
            }
        }
    }
    // After as many steps back as there are nodes, the walk is on the cycle.
    let mut at = last?;
    for _ in 0..nodes.len() {
        at = index(edges[by[at]?].from);
    }
    let start = at;
    let mut cycle = Vec::new();
    loop {
        let edge = edges[by[at]?];
        cycle.push(edge);
        at = index(edge.from);
        if at == start {
            break;
        }
    }
    cycle.reverse();
    Some(cycle)
}

#[cfg(test)]
mod tests {
    use oracle::random::Rng;

    use super::*;
    use crate::{Embedded, SatResult, Solver};

    /// A random formula over some Booleans and differences of some reals.
    fn formula(rng: &mut Rng, terms: &mut Terms, booleans: &[Term], reals: &[Real], depth: usize) -> Term {
        if depth == 0 || rng.chance(20) {
            let t = if rng.chance(50) {
                booleans[rng.below(booleans.len())]
            } else {
                let left = rng.below(reals.len());
                let right = (left + 1 + rng.below(reals.len() - 1)) % reals.len();
                let bound = UpperBound { value: i64::from(rng.between(-3, 3)), strict: rng.chance(50) };
                terms.difference(reals[left], reals[right], bound)
            };
            return if rng.chance(50) { !t } else { t };
        }
        let parts: Vec<Term> = (0..2 + rng.below(2)).map(|_| formula(rng, terms, booleans, reals, depth - 1)).collect();
        match rng.below(3) {
            0 => terms.and(parts),
            1 => terms.or(parts),
            _ => terms.iff(parts[0], parts[1]),
        }
    }

    fn is_satisfiable(terms: &Terms, all: &[Term]) -> bool {
        let mut solver = Embedded::new();
        all.iter().for_each(|t| solver.assert(terms, *t));
        solver.check(terms, &[], &|| false) == SatResult::Satisfiable
    }

    /// An interpolant follows from one side, contradicts the other, and has shared variables only;
    /// another solver checks the first two.
    #[test]
    fn interpolants_are_interpolants() {
        let (mut found, mut composite) = (0, 0);
        for seed in 0..3000 {
            let mut rng = Rng::new(seed);
            let mut terms = Terms::new();
            let booleans: Vec<Term> = (0..6).map(|i| terms.boolean(format!("b{i}"))).collect();
            let reals: Vec<Real> = (0..6).map(|i| terms.real(format!("x{i}"))).collect();
            let mut side = |from: usize, terms: &mut Terms| -> Vec<Term> {
                let (booleans, reals) = (&booleans[from..from + 4], &reals[from..from + 4]);
                (0..2 + rng.below(5)).map(|_| formula(&mut rng, terms, booleans, reals, 2)).collect()
            };
            let (a, b) = (side(0, &mut terms), side(2, &mut terms));
            match interpolate(&mut terms, &a, &b, &|| false) {
                Interpolation::Satisfiable => assert!(is_satisfiable(&terms, &[&a[..], &b].concat()), "{seed}"),
                Interpolation::Interpolant(t) => {
                    found += 1;
                    composite += usize::from(matches!(terms.node(t), TermNode::And(_)));
                    assert!(!is_satisfiable(&terms, &[&a[..], &[!t]].concat()), "{seed}: not implied");
                    assert!(!is_satisfiable(&terms, &[&b[..], &[t]].concat()), "{seed}: no contradiction");
                    let (in_a, in_b) = (occurring(&terms, &a), occurring(&terms, &b));
                    let shared = |x: Real| (3..=4).contains(&x.0);
                    for (node, occurs) in occurring(&terms, &[t]).into_iter().enumerate().filter(|(_, o)| *o) {
                        assert!(occurs);
                        match &terms.nodes()[node] {
                            TermNode::Variable(_) => assert!(in_a[node] && in_b[node], "{seed}"),
                            TermNode::Difference(atom) => {
                                assert!(shared(atom.left) && shared(atom.right), "{seed}: {atom:?}");
                            }
                            _ => {}
                        }
                    }
                }
                other => panic!("{seed}: {other:?}"),
            }
        }
        assert!(found > 500 && composite > 40, "{found} {composite}");
    }
}
