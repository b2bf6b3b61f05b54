//! More states that take the same step.
//!
//! A state that was found takes a step by certain edges at a certain moment. What is said of the
//! state and of that moment is cut down to what makes the step possible and lead where it leads;
//! then the moment is eliminated, by Fourier and Motzkin. All states that are left take such a
//! step.

use smt::{Real, Term, UpperBound};

use super::{
    StateLiteral,
    queries::{Cube, Queries, QueryError},
};

/// The moment of a step, within a number of that at which a clock was zero. Clock 0 stands for when
/// the state began.
#[derive(Clone, Copy, Debug)]
struct MomentBound {
    clock: u32,
    /// Whether it is not later; otherwise it is not earlier.
    upper: bool,
    number: i64,
    strict: bool,
}

/// What is wanted of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LiftGoal<'c> {
    /// It leads into a cube.
    Into(&'c [StateLiteral]),
    /// No transition is taken: a delay leads to where the state should not lead.
    Bad,
    /// It fails.
    Fails,
}

impl Queries<'_, '_> {
    /// States that do the same as the one that was found, which is among them.
    pub(super) fn lifted(&mut self, wanted: LiftGoal<'_>) -> Result<Cube, QueryError> {
        let cube = self.state();
        let whens = self.whens();
        let mut assumptions = vec![self.links];
        let from = assumptions.len();
        for literal in &cube {
            assumptions.push(literal.term(&mut self.terms, &self.here));
        }
        let middle = assumptions.len();
        for when in &whens {
            assumptions.push(self.when(*when));
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
        if self.ask(&assumptions)? {
            // The moment within whole numbers does not say enough.
            return Ok(cube);
        }
        let core = self.solver.core();
        let needed = |i: usize| core.contains(&assumptions[i]);
        let mut kept: Cube = (from..middle).filter(|i| needed(*i)).map(|i| cube[i - from]).collect();
        let moments: Vec<MomentBound> =
            (middle..middle + whens.len()).filter(|i| needed(*i)).map(|i| whens[i - middle]).collect();
        for late in moments.iter().filter(|w| w.upper) {
            for early in moments.iter().filter(|w| !w.upper) {
                self.go_on()?;
                self.eliminate(&cube, late, early, &mut kept);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        Ok(kept)
    }

    /// Notes that there is a moment not later than one and not earlier than the other.
    fn eliminate(&self, cube: &[StateLiteral], late: &MomentBound, early: &MomentBound, kept: &mut Cube) {
        let (left, right) = (late.clock, early.clock);
        let bound = UpperBound { value: late.number - early.number, strict: late.strict || early.strict };
        let never_negative = left == 0 && (bound.value > 0 || bound.value == 0 && !bound.strict);
        if left == right || never_negative {
            return;
        }
        // Numbers do not grow beyond those that clocks are compared with, where what is known of
        // the clocks already says it.
        let most = self.constants.most[left as usize].max(self.constants.most[right as usize]);
        let same = |l: &&StateLiteral| matches!(l, StateLiteral::Clocks { left: a, right: b, .. } if (*a, *b) == (left, right) || (*a, *b) == (right, left));
        if bound.value.abs() > most && cube.iter().any(|l| same(&l)) {
            kept.extend(cube.iter().filter(same));
        } else {
            kept.push(StateLiteral::Clocks { left, right, bound });
        }
    }

    /// The moment that is meant.
    fn origin(&self, clock: u32) -> Real {
        if clock == 0 { self.here.now } else { self.here.zeros[clock as usize] }
    }

    fn when(&mut self, when: MomentBound) -> Term {
        let (origin, strict) = (self.origin(when.clock), when.strict);
        if when.upper {
            self.terms.difference(self.then, origin, UpperBound { value: when.number, strict })
        } else {
            self.terms.difference(origin, self.then, UpperBound { value: -when.number, strict })
        }
    }

    /// What is said of the moment of the step that was found.
    fn whens(&mut self) -> Vec<MomentBound> {
        let then = self.moment(self.then);
        let mut all = Vec::new();
        for clock in 0..self.here.zeros.len() as u32 {
            let origin = self.origin(clock);
            let Some(value) = then.minus(self.moment(origin)) else { continue };
            // Of the delay it matters only whether there is one.
            let most = self.constants.most[clock as usize];
            let (floor, whole) = (value.floor(), value.denominator() == 1);
            let mut say = |upper, number, strict| all.push(MomentBound { clock, upper, number, strict });
            if floor > most || floor == most && !whole {
                say(false, most, true);
            } else if whole {
                say(true, floor, false);
                say(false, floor, false);
            } else {
                say(true, floor + 1, true);
                say(false, floor, true);
            }
        }
        all
    }
}
