//! SMT-LIB scripts.

use smt::{Real, Terms, UpperBound, script};

#[test]
fn shared_nodes_are_defined_once_and_bounds_are_readable() {
    let mut terms = Terms::new();
    let (p, q) = (terms.boolean("p"), terms.boolean("two words"));
    let (x, y) = (terms.real("x"), terms.real("y"));
    let late = terms.at_least(x, Real::ZERO, 3);
    let distant = terms.difference(x, y, UpperBound::below(-2));
    let shared = terms.or([late, q]);
    let (a, b) = (terms.iff(p, shared), terms.and([!shared, !distant]));
    let either = terms.or([a, b]);
    let all = terms.and([either, !p]);
    let expected = "(set-logic QF_RDL)
(declare-fun p () Bool)
(assert (not p))
(declare-fun |two words| () Bool)
(declare-fun x () Real)
(declare-fun y () Real)
(define-fun n5 () Bool (and (not |two words|) (< x 3)))
(assert (or (= (not p) n5) (and (>= (- x y) (- 2)) n5)))
(check-sat)
";
    assert_eq!(script::script(&terms, &[all]), expected);
    let sum = terms.linear([(2, x), (-1, y)], UpperBound::at_most(0));
    let expected = "(set-logic QF_LRA)
(declare-fun x () Real)
(declare-fun y () Real)
(assert (> (+ (* 2 x) (* (- 1) y)) 0))
(check-sat)
";
    assert_eq!(script::script(&terms, &[!sum]), expected);
}

#[test]
fn a_deep_formula_does_not_nest() {
    let mut terms = Terms::new();
    let mut t = terms.boolean("p");
    for n in 0..50_000 {
        let q = terms.boolean(format!("q{n}"));
        t = if n % 2 == 0 { terms.or([t, q]) } else { terms.and([t, q]) };
    }
    let text = script::script(&terms, &[t]);
    let deepest = text.lines().map(|line| line.matches('(').count()).max();
    assert!(deepest.is_some_and(|count| count < 40), "{deepest:?}");
}
