//! Networks of timed automata as formulas.
//!
//! A state is a `Frame`: the variables of the row, each with finitely many values, and for each
//! clock the moment at which it was zero. The value of a clock is the present moment minus that
//! moment, so every clock constraint is a bounded difference of two moments. A step is a delay
//! followed by a transition. Clock constraints are convex: one that holds at both ends of a delay
//! holds throughout.

mod bounds;
mod check;
mod deadlock;
mod domains;
mod effects;
mod frame;
mod ic3;
mod induction;
mod joint;
mod moments;
mod moves;
mod priority;
mod relation;
mod subset;
mod unroll;
mod urgent;
mod vectors;

use model::{System, system::LocationId};
use smt::{Real, Term, Terms};

use crate::{
    EncodingError,
    code::{Conditions, Stop, check_stop},
    relation::{Demands, Frame, SymbolicTransition},
};
pub use check::check;
pub(crate) use frame::at_most_one;
pub(crate) use ic3::{Found, search};
pub use ic3::{Invariant, StateLiteral, Unbounded, prove};
pub(crate) use induction::induct_in;
pub use induction::{Inductive, induct};

/// An encoder of the states and steps of a network.
pub(crate) struct Encoder<'s> {
    system: &'s System,
    stop: &'s Stop<'s>,
    code: Conditions<'s>,
    /// The values of each variable of the row.
    domains: Vec<Vec<i32>>,
}

impl<'s> Encoder<'s> {
    /// Creates an encoder. `stop` is called now and then while formulas are made.
    ///
    /// # Errors
    /// It has an unsupported feature, or a limit was reached.
    pub(crate) fn new(system: &'s System, stop: &'s Stop<'s>) -> Result<Encoder<'s>, EncodingError> {
        subset::check(system)?;
        let domains = domains::find(system, stop)?;
        Ok(Encoder { system, stop, code: Conditions::new(system, stop), domains })
    }

    /// Fails if a limit was reached.
    fn check_stop(&self) -> Result<(), EncodingError> {
        check_stop(self.stop)
    }

    /// Returns the term "the process of this location is there".
    fn at(&self, frame: &Frame, location: LocationId) -> Term {
        let process = self.system.locations[location.0 as usize].process.0 as usize;
        let first = self.system.processes[process].first_location.0;
        frame.row[process].is((location.0 - first) as i32)
    }

    /// Requires that the invariants hold in a frame at a moment.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    fn require_invariants(
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
            self.check_stop()?;
            let (holds, fault) = self.guard(terms, &location.invariant, frame, now)?;
            // A state in which an invariant has an error is kept: the model fails there.
            demands.all.push(terms.or([!here, holds, fault]));
            demands.faults.push(terms.and([here, fault]));
        }
        Ok(())
    }

    /// Requires that time can pass in a frame until `then`.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    fn require_delay(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        demands.all.push(terms.at_least(then, frame.now, 0));
        self.require_invariants(terms, frame, then, demands)?;
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
