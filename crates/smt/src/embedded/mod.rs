//! The built-in solver.

mod cnf;
mod interpolate;

use crate::{
    arithmetic::Arithmetic,
    evaluate::{Evaluation, Leaves, gcd},
    sat::{Literal, Origin, Sat, SearchResult, Statistics},
    solver::{SatResult, Solver},
    terms::{Real, Term, Terms},
};
use cnf::Cnf;
pub use interpolate::{Interpolation, interpolate};

/// Decides formulas over Booleans and bounded sums of reals. Differences are decided by a faster
/// method.
#[derive(Clone, Debug)]
pub struct Embedded {
    sat: Sat<Arithmetic>,
    cnf: Cnf,
    evaluation: Evaluation,
    solution: Solution,
    core: Vec<Term>,
    assumed: Vec<(Literal, Term)>,
}

/// A satisfying assignment.
#[derive(Clone, Debug, Default)]
struct Solution {
    /// Values by variable of the SAT solver.
    booleans: Vec<bool>,
    /// Values by index of the real variable, as numerators and denominators.
    reals: Vec<(i64, i64)>,
}

/// A solution together with the literals of nodes.
struct Assignment<'a>(&'a Cnf, &'a Solution);

impl Leaves for Assignment<'_> {
    fn boolean(&self, node: usize, _: u32) -> bool {
        let of = |literal: Literal| {
            self.1.booleans.get(literal.variable()).is_some_and(|value| *value != literal.is_negated())
        };
        self.0.known(node).is_some_and(of)
    }

    fn real(&self, x: Real) -> (i64, i64) {
        self.1.reals.get(x.0 as usize).copied().unwrap_or((0, 1))
    }
}

impl Default for Embedded {
    fn default() -> Embedded {
        Embedded::with(Sat::new(Arithmetic::default()))
    }
}

impl Embedded {
    /// Creates a solver without assertions.
    #[must_use]
    pub fn new() -> Embedded {
        Embedded::default()
    }

    /// Creates a solver without assertions that records what it learns.
    #[must_use]
    pub fn recording() -> Embedded {
        let mut sat = Sat::new(Arithmetic::default());
        sat.record();
        Embedded::with(sat)
    }

    fn with(mut sat: Sat<Arithmetic>) -> Embedded {
        let truth = Literal::new(sat.variable(false), true);
        sat.clause([truth]);
        Embedded {
            sat,
            cnf: Cnf::new(truth),
            evaluation: Evaluation::default(),
            solution: Solution::default(),
            core: Vec::new(),
            assumed: Vec::new(),
        }
    }

    /// Returns the clauses that a recording solver has learnt, in order, except for those with
    /// literals that stand for composite terms. Each follows from the assertions and the clauses
    /// before it by unit propagation.
    #[must_use]
    pub fn learnt(&self, terms: &Terms) -> Vec<Vec<Term>> {
        let leaves = self.cnf.leaves(terms);
        let term =
            |l: &Literal| leaves.get(l.variable()).copied().flatten().map(|t| if l.is_negated() { !t } else { t });
        let steps = self.sat.proof().into_iter().flat_map(|proof| &proof.steps);
        let resolved = steps.filter(|step| matches!(step.origin, Origin::Resolved(..)));
        resolved.filter_map(|step| step.clause.iter().map(term).collect()).collect()
    }

    /// Returns statistics of all queries together.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.sat.statistics()
    }
}

impl Solver for Embedded {
    fn assert(&mut self, terms: &Terms, t: Term) {
        self.cnf.assert(terms, t, &mut self.sat);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[Term], stop: &dyn Fn() -> bool) -> SatResult {
        self.core.clear();
        self.assumed.clear();
        // Queries may be short and many, so that the search itself would never call `stop`.
        if stop() {
            return SatResult::Stopped;
        }
        for t in assumptions {
            let literal = self.cnf.implying(terms, *t, &mut self.sat);
            self.assumed.push((literal, *t));
        }
        if let Some(why) = self.sat.theory().refusal() {
            return SatResult::Unknown(why.to_owned());
        }
        let literals: Vec<Literal> = self.assumed.iter().map(|(literal, _)| *literal).collect();
        match self.sat.solve(&literals, stop) {
            SearchResult::Satisfiable => {
                let Some(reals) = self.sat.theory().solution() else {
                    return SatResult::Unknown(
                        "the numbers of the simplex method are too large for 64 bits".to_owned(),
                    );
                };
                self.solution.reals = reals;
                self.solution.booleans.clear();
                self.solution.booleans.extend(self.sat.solution());
                self.evaluation.invalidate();
                SatResult::Satisfiable
            }
            SearchResult::Unsatisfiable => {
                for failed in self.sat.core() {
                    self.core.extend(self.assumed.iter().find(|(literal, _)| literal == failed).map(|(_, t)| *t));
                }
                SatResult::Unsatisfiable
            }
            SearchResult::Stopped => SatResult::Stopped,
        }
    }

    fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.evaluation.term(terms, t, &Assignment(&self.cnf, &self.solution))
    }

    fn real(&mut self, _: &Terms, x: Real) -> (i64, i64) {
        let (numerator, denominator) = Assignment(&self.cnf, &self.solution).real(x);
        let divisor = gcd(u128::from(numerator.unsigned_abs()), u128::from(denominator.unsigned_abs())).max(1) as i64;
        (numerator / divisor, denominator / divisor)
    }

    fn core(&self) -> &[Term] {
        &self.core
    }
}
