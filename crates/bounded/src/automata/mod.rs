//! Networks of timed automata as formulas.
//!
//! A state is a [`Frame`]: the numbers of the row, each one of finitely many values, and for each
//! clock the moment at which it was zero. With the moment of the state all that is said of clocks
//! is a bounded difference of two moments: a clock is the present less its moment. A step is a
//! delay, up to a moment at which a transition is taken, and that transition. Bounds on clocks are
//! convex, so what holds at both ends of a delay holds all the time.

mod bounds;
mod check;
mod deadlock;
mod domains;
mod effects;
mod frame;
mod goal;
mod ic3;
mod induction;
mod joint;
mod moments;
mod moves;
mod priority;
mod subset;
mod unroll;
mod urgent;
mod vectors;

use model::{System, system::LocationId};
use smt::{Real, Term, Terms};

use crate::code::{Conditions, EncodingError, Stop, go_on};
pub use check::check;
use frame::Frame;
pub use ic3::{Invariant, StateLiteral, Unbounded, prove};
pub use induction::{Inductive, induct};

/// Says what the states and steps of a network are.
pub(crate) struct Encoder<'s> {
    system: &'s System,
    stop: &'s Stop<'s>,
    code: Conditions<'s>,
    /// The values that each number of the row can have.
    domains: Vec<Vec<i32>>,
}

/// What must hold of a part of a run, and where it fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demands {
    /// All of these hold.
    pub all: Vec<Term>,
    /// Where one of these holds, the model fails.
    pub faults: Vec<Term>,
}

impl Demands {
    /// Nothing must hold, and nothing fails.
    #[must_use]
    pub(crate) const fn new() -> Demands {
        Demands { all: Vec::new(), faults: Vec::new() }
    }
}

/// A transition that is taken, or one of several.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicTransition {
    /// For each edge, where it is taken.
    pub edges: Vec<Term>,
    /// For each vector, where it is the one by which edges are taken.
    pub vectors: Vec<Term>,
}

impl<'s> Encoder<'s> {
    /// For a system. `stop` is asked while formulas are made whether to give up.
    ///
    /// # Errors
    /// What it has that is not turned into formulas.
    pub(crate) fn new(system: &'s System, stop: &'s Stop<'s>) -> Result<Encoder<'s>, EncodingError> {
        subset::check(system)?;
        let domains = domains::find(system, stop)?;
        Ok(Encoder { system, stop, code: Conditions::new(system, stop), domains })
    }

    /// Gives up where a limit is reached.
    fn go_on(&self) -> Result<(), EncodingError> {
        go_on(self.stop)
    }

    /// The system.
    #[must_use]
    pub(crate) fn system(&self) -> &'s System {
        self.system
    }

    /// The values that a number of the row can have: all that occur are among them.
    #[must_use]
    pub(crate) fn domain(&self, slot: usize) -> &[i32] {
        &self.domains[slot]
    }

    /// Where a process is at a location, by its number in the system.
    fn at(&self, frame: &Frame, location: LocationId) -> Term {
        let process = self.system.locations[location.0 as usize].process.0 as usize;
        let first = self.system.processes[process].first_location.0;
        frame.row[process].is((location.0 - first) as i32)
    }

    /// The invariants hold in a frame at a moment.
    ///
    /// # Errors
    /// What can't be followed.
    pub(crate) fn invariants(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        now: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        for (number, location) in (0..).zip(&self.system.locations) {
            let here = self.at(frame, LocationId(number));
            if here == Term::FALSE || location.invariant.is_true() {
                continue;
            }
            self.go_on()?;
            let (holds, fault) = self.guard(terms, &location.invariant, frame, now)?;
            // A state whose invariant fails is not dropped: it is one in which the model fails.
            demands.all.push(terms.or([!here, holds, fault]));
            demands.faults.push(terms.and([here, fault]));
        }
        Ok(())
    }

    /// Time passes in a frame until `then`.
    ///
    /// # Errors
    /// What can't be followed.
    pub(crate) fn delay(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        demands.all.push(terms.at_least(then, frame.now, 0));
        self.invariants(terms, frame, then, demands)?;
        let stays = terms.at_most(then, frame.now, 0);
        for (number, location) in (0..).zip(&self.system.locations) {
            if location.urgent || location.committed {
                let here = self.at(frame, LocationId(number));
                demands.all.push(terms.implies(here, stays));
            }
        }
        self.urgent(terms, frame, then, demands)
    }
}
