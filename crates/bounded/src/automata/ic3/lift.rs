//! Lifting: generalises a state to a cube of states that take the same step.
//!
//! The state takes a step by certain edges at a certain moment. Its literals and the bounds on that
//! moment are reduced to those that the step needs. Then the moment is eliminated (Fourier and
//! Motzkin). All states of the remaining cube take such a step.

use smt::{Real, Term, UpperBound};

use super::{
    StateLiteral,
    queries::{Cube, Queries, QueryError},
};

/// A bound on the moment of a step, relative to the moment at which a clock was zero. Clock 0
/// stands for the moment of the state.
#[derive(Clone, Copy, Debug)]
struct MomentBound {
    clock: u32,
    /// Whether it is an upper bound.
    upper: bool,
    number: i64,
    strict: bool,
}

/// The purpose of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LiftGoal<'c> {
    /// A transition into a cube.
    Into(&'c [StateLiteral]),
    /// A delay to a bad state, without a transition.
    Bad,
    /// A transition whose update fails.
    Fails,
}

impl Queries<'_> {
    /// Returns a cube of states that take the same step as the state that was found.
    pub(super) fn lift(&mut self, wanted: LiftGoal<'_>) -> Result<Cube, QueryError> {
        let cube = self.state();
        let bounds = self.moment_bounds();
        let mut assumptions = vec![self.links];
        let from = assumptions.len();
        for literal in &cube {
            assumptions.push(literal.term(&mut self.terms, &self.here));
        }
        let middle = assumptions.len();
        for bound in &bounds {
            assumptions.push(self.moment_term(*bound));
        }
        let holds: Vec<Term> = match wanted {
            LiftGoal::Bad => vec![self.waiting, self.bad],
            LiftGoal::Fails => vec![self.waiting, self.taking, self.fails],
            LiftGoal::Into(target) => {
                let inside: Vec<Term> = target.iter().map(|l| l.term(&mut self.terms, &self.there)).collect();
                inside.into_iter().chain([self.waiting, self.taking, self.landing]).collect()
            }
        };
        if wanted != LiftGoal::Bad {
            for edge in self.edges.clone() {
                let taken = self.solver.holds(&self.terms, edge);
                assumptions.push(if taken { edge } else { !edge });
            }
        }
        let all = self.terms.and(holds);
        assumptions.push(!all);
        if self.check(&assumptions)? {
            // Integer bounds on the moment are not sufficient.
            return Ok(cube);
        }
        let core = self.solver.core();
        let needed = |i: usize| core.contains(&assumptions[i]);
        let mut kept: Cube = (from..middle).filter(|i| needed(*i)).map(|i| cube[i - from]).collect();
        let moments: Vec<MomentBound> =
            (middle..middle + bounds.len()).filter(|i| needed(*i)).map(|i| bounds[i - middle]).collect();
        for late in moments.iter().filter(|w| w.upper) {
            for early in moments.iter().filter(|w| !w.upper) {
                self.check_stop()?;
                self.eliminate(&cube, late, early, &mut kept);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        Ok(kept)
    }

    /// Adds the literal by which the upper bound is not below the lower bound.
    fn eliminate(&self, cube: &[StateLiteral], late: &MomentBound, early: &MomentBound, kept: &mut Cube) {
        let (left, right) = (late.clock, early.clock);
        let bound = UpperBound { value: late.number - early.number, strict: late.strict || early.strict };
        let never_negative = left == 0 && (bound.value > 0 || bound.value == 0 && !bound.strict);
        if left == right || never_negative {
            return;
        }
        // Literals of the region replace constants that are larger than those of the model.
        let max = self.constants.max[left as usize].max(self.constants.max[right as usize]);
        let same = |l: &&StateLiteral| matches!(l, StateLiteral::Clocks { left: a, right: b, .. } if (*a, *b) == (left, right) || (*a, *b) == (right, left));
        if bound.value.abs() > max && cube.iter().any(|l| same(&l)) {
            kept.extend(cube.iter().filter(same));
        } else {
            kept.push(StateLiteral::Clocks { left, right, bound });
        }
    }

    /// Returns the moment that a bound is relative to.
    fn origin(&self, clock: u32) -> Real {
        if clock == 0 { self.here.now } else { self.here.zeros[clock as usize] }
    }

    fn moment_term(&mut self, bound: MomentBound) -> Term {
        let (origin, strict) = (self.origin(bound.clock), bound.strict);
        if bound.upper {
            self.terms.difference(self.then, origin, UpperBound { value: bound.number, strict })
        } else {
            self.terms.difference(origin, self.then, UpperBound { value: -bound.number, strict })
        }
    }

    /// Returns the bounds on the moment of the step that was found.
    fn moment_bounds(&mut self) -> Vec<MomentBound> {
        let then = self.moment(self.then);
        let mut all = Vec::new();
        for clock in 0..self.here.zeros.len() as u32 {
            if clock > 0 && self.constants.max[clock as usize] < 0 {
                continue;
            }
            let origin = self.origin(clock);
            let Some(value) = then.minus(self.moment(origin)) else { continue };
            // For the delay it matters only whether it is zero.
            let max = self.constants.max[clock as usize].max(0);
            let (floor, whole) = (value.floor(), value.denominator() == 1);
            let mut add = |upper, number, strict| all.push(MomentBound { clock, upper, number, strict });
            if floor > max || floor == max && !whole {
                add(false, max, true);
            } else if whole {
                add(true, floor, false);
                add(false, floor, false);
            } else {
                add(true, floor + 1, true);
                add(false, floor, true);
            }
        }
        all
    }
}
