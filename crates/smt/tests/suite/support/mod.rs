//! Random formulas, and a decision procedure that shares no code with any solver.

#![allow(dead_code)]

use smt::{Real, Solver, Term, TermNode, Terms, UpperBound};

/// SplitMix64, so that cases are the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Variables and atoms of random formulas.
pub struct Alphabet {
    pub leaves: Vec<Term>,
    pub reals: Vec<Real>,
}

/// Creates Booleans, and bounds on differences of reals, including the reference variable.
pub fn alphabet(r: &mut Random, terms: &mut Terms, booleans: usize, reals: usize, atoms: usize) -> Alphabet {
    let mut leaves: Vec<Term> = (0..booleans).map(|n| terms.boolean(format!("p{n}"))).collect();
    let mut variables = vec![Real::ZERO];
    variables.extend((0..reals).map(|n| terms.real(format!("x{n}"))));
    for _ in 0..atoms {
        let (a, b) = (variables[r.below(variables.len())], variables[r.below(variables.len())]);
        let atom = terms.difference(a, b, UpperBound { value: r.below(7) as i64 - 3, strict: r.chance(40) });
        if atom.positive() != Term::TRUE {
            leaves.push(atom.positive());
        }
    }
    leaves.sort_unstable();
    leaves.dedup();
    Alphabet { leaves, reals: variables }
}

/// Adds bounds on sums of multiples of the reals.
pub fn sums(r: &mut Random, terms: &mut Terms, alphabet: &mut Alphabet, count: usize) {
    for _ in 0..count {
        let parts: Vec<(i64, Real)> = (0..2 + r.below(2))
            .map(|_| (r.below(7) as i64 - 3, alphabet.reals[r.below(alphabet.reals.len())]))
            .collect();
        let t = terms.linear(parts, UpperBound { value: r.below(9) as i64 - 4, strict: r.chance(40) });
        if t.positive() != Term::TRUE {
            alphabet.leaves.push(t.positive());
        }
    }
}

/// Creates a formula of some depth.
pub fn formula(r: &mut Random, terms: &mut Terms, alphabet: &Alphabet, depth: usize) -> Term {
    let t = if depth == 0 || r.chance(15) {
        alphabet.leaves[r.below(alphabet.leaves.len())]
    } else {
        let count = 2 + r.below(3);
        let parts: Vec<Term> = (0..count).map(|_| formula(r, terms, alphabet, depth - 1)).collect();
        match r.below(6) {
            0 | 1 => terms.and(parts),
            2 | 3 => terms.or(parts),
            4 => terms.iff(parts[0], parts[1]),
            _ => terms.ite(parts[0], parts[1], parts[count - 1]),
        }
    };
    if r.chance(50) { !t } else { t }
}

/// Evaluates a term, given the values of its leaves.
pub fn value(terms: &Terms, t: Term, leaf: &impl Fn(usize) -> bool) -> bool {
    let positive = match terms.node(t) {
        TermNode::True => true,
        TermNode::And(range) => terms.parts(range).iter().all(|part| value(terms, *part, leaf)),
        TermNode::Iff(a, b) => value(terms, *a, leaf) == value(terms, *b, leaf),
        _ => leaf(t.node()),
    };
    positive != t.is_negated()
}

/// Returns all leaves of some formulas, by node.
pub fn leaves(terms: &Terms, formulas: &[Term]) -> Vec<usize> {
    let (mut open, mut found, mut met) = (formulas.to_vec(), Vec::new(), std::collections::BTreeSet::new());
    while let Some(t) = open.pop() {
        if !met.insert(t.node()) {
            continue;
        }
        match terms.node(t) {
            TermNode::True => {}
            TermNode::And(range) => open.extend(terms.parts(range)),
            TermNode::Iff(a, b) => open.extend([*a, *b]),
            _ => found.push(t.node()),
        }
    }
    found.sort_unstable();
    found
}

/// `sum of factors times variables <= bound`, or `<`.
#[derive(Clone)]
struct Inequality {
    factors: Vec<i128>,
    bound: i128,
    strict: bool,
}

/// Returns whether bounds are consistent, by Fourier-Motzkin elimination.
fn consistent(terms: &Terms, chosen: &[(usize, bool)]) -> bool {
    let mut all = Vec::new();
    for (node, holds) in chosen {
        let mut factors = vec![0; terms.reals()];
        let bound = match &terms.nodes()[*node] {
            TermNode::Difference(atom) => {
                factors[atom.left.0 as usize] += 1;
                factors[atom.right.0 as usize] -= 1;
                atom.bound
            }
            TermNode::Linear(number) => {
                terms.sum(*number).sum.iter().for_each(|(f, x)| factors[x.0 as usize] += i128::from(*f));
                terms.sum(*number).bound
            }
            _ => continue,
        };
        factors[0] = 0;
        let sign = if *holds { 1 } else { -1 };
        factors.iter_mut().for_each(|f| *f *= sign);
        all.push(Inequality { factors, bound: sign * i128::from(bound.value), strict: bound.strict == *holds });
    }
    for x in 1..terms.reals() {
        let (with, mut next): (Vec<Inequality>, Vec<_>) = all.into_iter().partition(|i| i.factors[x] != 0);
        for upper in with.iter().filter(|i| i.factors[x] > 0) {
            for lower in with.iter().filter(|i| i.factors[x] < 0) {
                let (a, b) = (-lower.factors[x], upper.factors[x]);
                let factors = upper.factors.iter().zip(&lower.factors).map(|(u, l)| a * u + b * l).collect();
                let bound = a * upper.bound + b * lower.bound;
                next.push(Inequality { factors, bound, strict: upper.strict || lower.strict });
            }
        }
        all = next;
    }
    all.iter().all(|i| i.bound > 0 || i.bound == 0 && !i.strict)
}

/// Returns whether formulas are satisfiable, by enumeration of the values of their leaves.
pub fn brute_force(terms: &Terms, formulas: &[Term]) -> bool {
    let leaves = leaves(terms, formulas);
    assert!(leaves.len() <= 16, "too many leaves to enumerate");
    (0..1_u32 << leaves.len()).any(|case| {
        let of = |node: usize| leaves.binary_search(&node).is_ok_and(|at| case >> at & 1 == 1);
        formulas.iter().all(|t| value(terms, *t, &of))
            && consistent(terms, &leaves.iter().map(|n| (*n, of(*n))).collect::<Vec<_>>())
    })
}

/// Returns whether the values of a solver satisfy a formula. The values of reals determine the
/// atoms.
pub fn satisfies(terms: &Terms, solver: &mut impl Solver, t: Term) -> bool {
    let mut values = std::collections::BTreeMap::new();
    for node in leaves(terms, &[t]) {
        let holds = match &terms.nodes()[node] {
            TermNode::Variable(_) => solver.holds(terms, terms.term(node)),
            TermNode::Difference(atom) => {
                let (a, b) = (solver.real(terms, atom.left), solver.real(terms, atom.right));
                bounded(&[(1, a), (-1, b)], atom.bound)
            }
            TermNode::Linear(number) => {
                let linear = terms.sum(*number);
                let parts: Vec<_> = linear.sum.iter().map(|(f, x)| (*f, solver.real(terms, *x))).collect();
                bounded(&parts, linear.bound)
            }
            _ => unreachable!("not a leaf"),
        };
        values.insert(node, holds);
    }
    value(terms, t, &|node| values[&node])
}

fn bounded(parts: &[(i64, (i64, i64))], bound: UpperBound) -> bool {
    let denominator: i128 = parts.iter().map(|(_, (_, d))| i128::from(*d)).product();
    let sum: i128 =
        parts.iter().map(|(f, (n, d))| i128::from(*f) * i128::from(*n) * (denominator / i128::from(*d))).sum();
    let most = i128::from(bound.value) * denominator;
    if bound.strict { sum < most } else { sum <= most }
}
