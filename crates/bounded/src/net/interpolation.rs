//! Unbounded checking by interpolation (McMillan 2003).
//!
//! A run of `k` steps is cut after the first one. If no run of `k` steps from some states reaches
//! the goal, an interpolant overapproximates the states after the first step: none of them reaches
//! the goal in `k - 1` steps. These states are the next ones to start from. When an interpolant
//! adds no states, their union is an invariant. If the goal is reached from an overapproximation,
//! `k` was too small.
//!
//! An invariant counts only after another solver has checked it.

use rustc_hash::FxHashMap;

use model::{Formula, System, net::Net};
use smt::{Interpolation, Real, SatResult, Solver, Term, TermNode, Terms, interpolate};

use super::{Exact, NetUnrolling, Setup, exact::StateValues, goal::formula, reduce::reduced, supported};
use crate::{
    EncodingError,
    code::{Stop, check_stop},
};

/// The result of a search for an invariant by interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolated {
    /// No run reaches the goal or puts a token on a marked place.
    Holds,
    /// A run of at most this many steps does.
    Reached(usize),
    /// All runs of at most this many steps were considered, and there is no invariant yet.
    Bound(usize),
    /// A limit was reached.
    Stopped,
    /// The check is undecided, for this reason.
    Unknown(String),
}

/// Searches for an invariant that excludes the goal. `solvers` creates the solvers that check it.
/// `at_round` is called with the number of steps and the number of interpolants so far.
///
/// # Errors
/// The net or the goal has an unsupported feature, or a limit was reached.
pub fn generalise(
    net: &Net,
    system: &System,
    goal: &Formula,
    setup: &Setup,
    solvers: &mut dyn FnMut() -> Box<dyn Solver>,
    stop: &Stop<'_>,
    at_round: &mut dyn FnMut(usize, usize),
) -> Result<Interpolated, EncodingError> {
    supported(net)?;
    let smaller = setup.reduces.then(|| reduced(net, system, goal, stop));
    let same: Vec<Option<u32>> = (0..net.places.len() as u32).map(Some).collect();
    let (unrolled, places) = smaller.as_ref().map_or((net, &same), |smaller| (&smaller.net, &smaller.places));
    let mut rounds = 0;
    for steps in 1..=setup.bound.max(1) {
        let mut cut = CutRun::new(unrolled, setup, steps, stop, &mut |run| {
            let (holds, fault) = formula((net, places), (system, stop), run, goal)?;
            Ok(run.terms().or([holds, fault]))
        })?;
        let mut union: Vec<Term> = Vec::new();
        loop {
            at_round(steps, rounds);
            check_stop(stop)?;
            let from = match &union[..] {
                [] => cut.start.clone(),
                some => {
                    let any = cut.run.terms().or(some.iter().copied());
                    vec![cut.renamed(any)]
                }
            };
            let a = [from, cut.first.clone()].concat();
            let found = interpolate(cut.run.terms(), &a, &cut.rest, stop);
            let interpolant = match found {
                Interpolation::Interpolant(t) => t,
                Interpolation::Satisfiable if union.is_empty() => return Ok(Interpolated::Reached(steps)),
                Interpolation::Satisfiable => break,
                Interpolation::Stopped => return Ok(Interpolated::Stopped),
                Interpolation::Unknown(why) => return Ok(Interpolated::Unknown(why)),
            };
            rounds += 1;
            let known = cut.run.terms().or(union.iter().copied());
            union.push(interpolant);
            match ask(solvers, cut.run.terms(), &[interpolant, !known], stop) {
                SatResult::Satisfiable => {}
                SatResult::Unsatisfiable => match cut.check(known, solvers, stop) {
                    SatResult::Unsatisfiable => return Ok(Interpolated::Holds),
                    // Tokens may meet in the first step, which the interpolants are not about.
                    SatResult::Satisfiable => break,
                    SatResult::Stopped => return Ok(Interpolated::Stopped),
                    SatResult::Unknown(why) => return Ok(Interpolated::Unknown(why)),
                },
                SatResult::Stopped => return Ok(Interpolated::Stopped),
                SatResult::Unknown(why) => return Ok(Interpolated::Unknown(why)),
            }
        }
    }
    Ok(Interpolated::Bound(setup.bound))
}

/// Decides whether formulas are satisfiable, by a new solver.
fn ask(solvers: &mut dyn FnMut() -> Box<dyn Solver>, terms: &Terms, all: &[Term], stop: &Stop<'_>) -> SatResult {
    let mut solver = solvers();
    all.iter().for_each(|t| solver.assert(terms, *t));
    solver.check(terms, &[], stop)
}

/// A run that is cut before and after its first step: the states there are variables.
struct CutRun<'n> {
    run: Exact<'n>,
    /// The first state is the initial one.
    start: Vec<Term>,
    /// The first step.
    first: Vec<Term>,
    /// A token is put on a marked place in the first step.
    contact: Term,
    /// The second state is bad.
    bad: Term,
    /// The other steps, after one of which the state is bad.
    rest: Vec<Term>,
    /// The variables of both states.
    states: [StateValues; 2],
}

impl<'n> CutRun<'n> {
    fn new(
        net: &'n Net,
        setup: &Setup,
        steps: usize,
        stop: &Stop<'_>,
        bad: &mut dyn FnMut(&mut Exact<'n>) -> Result<Term, EncodingError>,
    ) -> Result<CutRun<'n>, EncodingError> {
        let mut run = Exact::new(net, true, setup.steps);
        let before = run.forget();
        let start = run.facts();
        run.step(stop);
        check_stop(stop)?;
        let contact = any_contact(&mut run);
        let after = run.forget();
        let first = run.facts();
        let wrong = bad(&mut run)?;
        let mut ends = vec![wrong];
        for _ in 1..steps {
            run.step(stop);
            check_stop(stop)?;
            ends.push(any_contact(&mut run));
            ends.push(bad(&mut run)?);
        }
        let mut rest = run.facts();
        rest.push(run.terms().or(ends));
        Ok(CutRun { run, start, first, contact, bad: wrong, rest, states: [before, after] })
    }

    /// Returns a formula about the second state as one about the first.
    fn renamed(&mut self, t: Term) -> Term {
        let [before, after] = &self.states;
        let booleans = after.booleans.iter().map(|t| t.node()).zip(before.booleans.iter().copied());
        let reals = after.reals.iter().copied().zip(before.reals.iter().copied());
        rename(self.run.terms_mut(), t, &booleans.collect(), &reals.collect())
    }

    /// Decides whether states that a formula describes and the initial state are left by a step, or
    /// are bad. The initial state itself is that of a run without steps.
    fn check(&mut self, inside: Term, solvers: &mut dyn FnMut() -> Box<dyn Solver>, stop: &Stop<'_>) -> SatResult {
        let here = self.renamed(inside);
        let terms = self.run.terms_mut();
        let wrong = terms.and([inside, self.bad]);
        let leaves = terms.or([!inside, self.contact]);
        for from in [&self.start, &vec![here]] {
            let all = [&from[..], &self.first, &[leaves]].concat();
            match ask(solvers, self.run.terms_mut(), &all, stop) {
                SatResult::Unsatisfiable => {}
                other => return other,
            }
        }
        ask(solvers, self.run.terms_mut(), &[wrong], stop)
    }
}

fn any_contact(run: &mut Exact<'_>) -> Term {
    let all: Vec<Term> = run.contacts().iter().map(|contact| contact.when).collect();
    run.terms_mut().or(all)
}

/// Replaces variables in a formula. Operands come before the terms that they are part of.
fn rename(terms: &mut Terms, t: Term, booleans: &FxHashMap<usize, Term>, reals: &FxHashMap<Real, Real>) -> Term {
    let mut needed = vec![false; t.node() + 1];
    needed[t.node()] = true;
    for node in (0..=t.node()).rev() {
        if needed[node] {
            match &terms.nodes()[node] {
                TermNode::And(range) => terms.parts(range).iter().for_each(|part| needed[part.node()] = true),
                TermNode::Iff(a, b) => [a, b].iter().for_each(|part| needed[part.node()] = true),
                _ => {}
            }
        }
    }
    let mut new = vec![Term::TRUE; t.node() + 1];
    let of = |new: &[Term], t: Term| if t.is_negated() { !new[t.node()] } else { new[t.node()] };
    for node in (0..=t.node()).filter(|node| needed[*node]) {
        new[node] = match terms.nodes()[node].clone() {
            TermNode::And(range) => {
                let parts: Vec<Term> = terms.parts(&range).iter().map(|part| of(&new, *part)).collect();
                terms.and(parts)
            }
            TermNode::Iff(a, b) => terms.iff(of(&new, a), of(&new, b)),
            TermNode::Variable(_) => booleans.get(&node).copied().unwrap_or_else(|| terms.term(node)),
            TermNode::Difference(atom) => {
                let real = |x: Real| reals.get(&x).copied().unwrap_or(x);
                terms.difference(real(atom.left), real(atom.right), atom.bound)
            }
            TermNode::True | TermNode::Linear(_) => terms.term(node),
        };
    }
    of(&new, t)
}
