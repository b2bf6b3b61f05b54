//! State formulas.

use model::Formula;
use smt::{Real, Term, Terms};

use super::{Encoder, Frame};
use crate::{EncodingError, relation::junction};

impl Encoder<'_> {
    /// Encodes a formula in a frame at a moment. Returns its truth and its fault.
    ///
    /// # Errors
    /// It has an unsupported feature, or a limit was reached.
    pub(super) fn state_formula(
        &self,
        terms: &mut Terms,
        formula: &Formula,
        frame: &Frame,
        now: Real,
    ) -> Result<(Term, Term), EncodingError> {
        match formula {
            Formula::True => Ok((Term::TRUE, Term::FALSE)),
            Formula::False => Ok((Term::FALSE, Term::FALSE)),
            Formula::Condition(pc) => self.code.condition(terms, *pc, &|slot| frame.row[slot as usize].clone()),
            Formula::Clock(c) => {
                let (limits, fault) = self.limits(terms, c, frame)?;
                let all: Vec<Term> = limits.iter().map(|limit| self.clock_bound(terms, limit, frame, now)).collect();
                Ok((terms.and(all), fault))
            }
            Formula::Deadlock { negated } => {
                let (alive, fault) = self.alive(terms, frame, now)?;
                Ok((if *negated { alive } else { !alive }, fault))
            }
            Formula::NetDeadlock { states, .. } => self.state_formula(terms, states, frame, now),
            Formula::And(parts) => {
                junction(terms, true, parts, |terms, part| self.state_formula(terms, part, frame, now))
            }
            Formula::Or(parts) => {
                junction(terms, false, parts, |terms, part| self.state_formula(terms, part, frame, now))
            }
        }
    }
}
