//! The embedded solver against enumeration of all cases.

use std::cell::Cell;

use crate::support::{Random, alphabet, brute_force, formula, satisfies, sums};
use smt::{Embedded, Real, SatResult, Solver, Term, Terms};

/// Checks a query against enumeration, and checks the values or the core.
fn ask(terms: &Terms, solver: &mut Embedded, asserted: &[Term], assumptions: &[Term], case: &str) {
    let mut all = asserted.to_vec();
    all.extend(assumptions);
    let expected = brute_force(terms, &all);
    // A query that was interrupted, at whatever moment, can be repeated.
    let calls = Cell::new(0);
    let stop = || calls.replace(calls.get() + 1) >= case.len() % 5;
    match solver.check(terms, assumptions, &stop) {
        SatResult::Satisfiable => assert!(expected, "{case}: wrongly satisfiable"),
        SatResult::Unsatisfiable => assert!(!expected, "{case}: wrongly unsatisfiable"),
        SatResult::Stopped => {}
        undecided => panic!("{case}: {undecided:?}"),
    }
    match solver.check(terms, assumptions, &|| false) {
        SatResult::Satisfiable => {
            assert!(expected, "{case}: wrongly satisfiable");
            for t in &all {
                assert!(solver.holds(terms, *t), "{case}: a formula does not hold");
                assert!(satisfies(terms, solver, *t), "{case}: the values do not satisfy a formula");
            }
        }
        SatResult::Unsatisfiable => {
            assert!(!expected, "{case}: wrongly unsatisfiable");
            let core = solver.core().to_vec();
            assert!(core.iter().all(|t| assumptions.contains(t)), "{case}: the core has other terms than assumptions");
            let mut all = asserted.to_vec();
            all.extend(core);
            assert!(!brute_force(terms, &all), "{case}: the core is satisfiable");
        }
        undecided => panic!("{case}: {undecided:?}"),
    }
}

/// Adds other variables until the solver uses the sparse graph.
fn add_many_variables(terms: &mut Terms, solver: &mut Embedded) {
    let mut last = Real::ZERO;
    for n in 0..150 {
        let next = terms.real(format!("other{n}"));
        let t = terms.at_least(next, last, 1);
        solver.assert(terms, t);
        last = next;
    }
}

#[test]
fn single_formulas_are_decided() {
    for seed in oracle::seeds(0..1500) {
        let mut r = Random(seed);
        let mut terms = Terms::new();
        let (booleans, reals, atoms) = (1 + r.below(4), 1 + r.below(4), r.below(8));
        let mut alphabet = alphabet(&mut r, &mut terms, booleans, reals, atoms);
        if r.chance(50) {
            let count = 1 + r.below(4);
            sums(&mut r, &mut terms, &mut alphabet, count);
        }
        let depth = 2 + r.below(3);
        let t = formula(&mut r, &mut terms, &alphabet, depth);
        let mut solver = Embedded::new();
        if r.chance(30) {
            add_many_variables(&mut terms, &mut solver);
        }
        solver.assert(&terms, t);
        ask(&terms, &mut solver, &[t], &[], &format!("seed {seed}"));
    }
}

#[test]
fn incremental_formulas_are_decided() {
    for seed in oracle::seeds(0..300) {
        let mut r = Random(seed ^ 0xabcd_0000);
        let mut terms = Terms::new();
        let mut solver = Embedded::new();
        let mut asserted = Vec::new();
        let (booleans, reals, atoms) = (2 + r.below(4), 2 + r.below(4), 2 + r.below(7));
        let mut alphabet = alphabet(&mut r, &mut terms, booleans, reals, atoms);
        let mut pool = Vec::new();
        for step in 0..12 {
            if r.chance(3) {
                add_many_variables(&mut terms, &mut solver);
            }
            if r.chance(5) && alphabet.leaves.len() < 12 {
                // Sums may come late.
                sums(&mut r, &mut terms, &mut alphabet, 2);
            }
            let depth = 1 + r.below(3);
            let mut t = formula(&mut r, &mut terms, &alphabet, depth);
            if !pool.is_empty() && r.chance(50) {
                // A term that was used in one polarity may now be needed in the other.
                let known: Term = pool[r.below(pool.len())];
                t = if r.chance(50) { terms.or([t, !known]) } else { terms.iff(t, known) };
            }
            pool.push(t);
            // Mostly weak formulas, so that the answer is not determined at once.
            if r.chance(60) {
                let other = alphabet.leaves[r.below(alphabet.leaves.len())];
                let weak = terms.or([t, other]);
                solver.assert(&terms, weak);
                asserted.push(weak);
            }
            let mut assumptions: Vec<Term> = (0..r.below(4)).map(|_| pool[r.below(pool.len())]).collect();
            for t in &mut assumptions {
                if r.chance(30) {
                    *t = !*t;
                }
            }
            ask(&terms, &mut solver, &asserted, &assumptions, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn constants_can_be_assumed() {
    let terms = Terms::new();
    let mut solver = Embedded::new();
    ask(&terms, &mut solver, &[], &[Term::TRUE], "true");
    ask(&terms, &mut solver, &[], &[Term::TRUE, Term::FALSE], "false");
    assert_eq!(solver.core(), [Term::FALSE]);
    solver.assert(&terms, Term::FALSE);
    ask(&terms, &mut solver, &[Term::FALSE], &[Term::TRUE], "asserted false");
    assert!(solver.core().is_empty());
}
