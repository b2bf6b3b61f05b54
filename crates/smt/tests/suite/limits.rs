//! Large numbers, long searches and interrupted queries.

use std::cell::Cell;

use crate::support::{Random, satisfies};
use smt::{Embedded, Real, SatResult, Solver, Term, Terms, UpperBound};

#[test]
fn too_large_bounds_are_rejected() {
    for value in [i64::MAX, -i64::MAX, 1 << 41, -(1 << 41)] {
        let mut terms = Terms::new();
        let (x, y) = (terms.real("x"), terms.real("y"));
        let mut solver = Embedded::new();
        let t = terms.difference(x, y, UpperBound::below(value));
        solver.assert(&terms, t);
        assert!(matches!(solver.check(&terms, &[], &|| false), SatResult::Unknown(_)), "{value}");
    }
    let mut terms = Terms::new();
    let (x, y) = (terms.real("x"), terms.real("y"));
    let mut solver = Embedded::new();
    let large = 1 << 36;
    let (a, b) = (terms.at_least(x, y, large), terms.at_least(y, Real::ZERO, large));
    let (c, d) =
        (terms.at_most(x, Real::ZERO, 2 * large), terms.difference(x, Real::ZERO, UpperBound::below(2 * large)));
    for t in [a, b, c] {
        solver.assert(&terms, t);
    }
    assert_eq!(solver.check(&terms, &[], &|| false), SatResult::Satisfiable);
    assert_eq!((solver.real(&terms, x), solver.real(&terms, y)), ((2 * large, 1), (large, 1)));
    assert_eq!(solver.check(&terms, &[d], &|| false), SatResult::Unsatisfiable);
    assert_eq!(solver.core(), [d]);
}

#[test]
fn sums_with_exploding_numbers_are_rejected() {
    let mut terms = Terms::new();
    let mut solver = Embedded::new();
    let reals: Vec<Real> = (0..40).map(|n| terms.real(format!("x{n}"))).collect();
    let mut formulas = Vec::new();
    for w in reals.windows(2) {
        // Each variable exceeds 7919/7907 of the one before.
        formulas.push(terms.linear([(7919, w[0]), (-7907, w[1])], UpperBound::below(0)));
    }
    formulas.push(terms.at_least(reals[0], Real::ZERO, 1));
    for t in &formulas {
        solver.assert(&terms, *t);
    }
    match solver.check(&terms, &[], &|| false) {
        SatResult::Satisfiable => assert!(formulas.iter().all(|t| satisfies(&terms, &mut solver, *t))),
        SatResult::Unsatisfiable | SatResult::Stopped => panic!("the formulas are satisfiable"),
        SatResult::Unknown(why) => assert!(why.contains("too large"), "{why}"),
    }
}

/// The pigeonhole principle: one pigeon more than holes, and no two in the same hole.
fn pigeonholes(terms: &mut Terms, holes: usize) -> Vec<Term> {
    let at: Vec<Vec<Term>> = (0..=holes).map(|_| (0..holes).map(|_| terms.fresh()).collect()).collect();
    let mut formulas: Vec<Term> = at.iter().map(|row| terms.or(row.clone())).collect();
    for (a, one) in at.iter().enumerate() {
        for other in &at[..a] {
            formulas.extend(one.iter().zip(other).map(|(p, q)| terms.or([!*p, !*q])));
        }
    }
    formulas
}

#[test]
fn an_interrupted_query_can_be_repeated() {
    let mut terms = Terms::new();
    let formulas = pigeonholes(&mut terms, 9);
    let mut solver = Embedded::new();
    for t in &formulas {
        solver.assert(&terms, *t);
    }
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    assert_eq!(solver.check(&terms, &[], &stop), SatResult::Stopped);
    assert_eq!(asked.get(), 4);
    // Enough conflicts to delete clauses and to compact the arena.
    let mut solver = Embedded::new();
    for t in pigeonholes(&mut terms, 7) {
        solver.assert(&terms, t);
    }
    assert_eq!(solver.check(&terms, &[], &|| false), SatResult::Unsatisfiable);
    assert!(solver.statistics().conflicts > 1000);
}

#[test]
fn long_searches_in_both_graphs_agree() {
    // Jobs on one machine: which of two comes first. Few reals, and the same among many.
    for seed in oracle::seeds(0..40) {
        let mut answers = Vec::new();
        for crowd in [0, 150] {
            let mut r = Random(seed);
            let mut terms = Terms::new();
            let mut solver = Embedded::new();
            for n in 0..crowd {
                let x = terms.real(format!("other{n}"));
                let t = terms.at_least(x, Real::ZERO, n);
                solver.assert(&terms, t);
            }
            let jobs: Vec<(Real, i64)> =
                (0..7).map(|n| (terms.real(format!("job{n}")), 1 + r.below(5) as i64)).collect();
            let total: i64 = jobs.iter().map(|(_, length)| length).sum();
            let mut formulas = Vec::new();
            for (at, (x, length)) in jobs.iter().enumerate() {
                let ready = r.below(total as usize / 2) as i64;
                formulas.push(terms.at_least(*x, Real::ZERO, ready));
                let slack = r.below(total as usize) as i64;
                formulas.push(terms.difference(
                    *x,
                    Real::ZERO,
                    UpperBound { value: ready + slack, strict: r.chance(30) },
                ));
                for (y, other) in &jobs[..at] {
                    let (first, second) = (terms.at_least(*y, *x, *length), terms.at_least(*x, *y, *other));
                    formulas.push(terms.or([first, second]));
                }
            }
            for t in &formulas {
                solver.assert(&terms, *t);
            }
            let outcome = solver.check(&terms, &[], &|| false);
            if outcome == SatResult::Satisfiable {
                assert!(formulas.iter().all(|t| satisfies(&terms, &mut solver, *t)), "seed {seed}");
            }
            answers.push(outcome);
        }
        assert_eq!(answers[0], answers[1], "seed {seed}");
    }
}
