//! State formulas.

use model::Formula;
use smt::{Real, Term, Terms};

use super::{Encoder, Frame};
use crate::EncodingError;

impl Encoder<'_> {
    /// Encodes a formula in a frame at a moment. Returns its truth and its fault.
    ///
    /// # Errors
    /// It has an unsupported feature, or a limit was reached.
    pub(crate) fn formula(
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
            Formula::And(parts) | Formula::Or(parts) => {
                let and = matches!(formula, Formula::And(_));
                let (mut all, mut faults) = (Vec::new(), Vec::new());
                // A condition is evaluated only where those before it leave the result open.
                let mut open = Term::TRUE;
                for part in parts {
                    let (holds, fault) = self.formula(terms, part, frame, now)?;
                    faults.push(terms.and([open, fault]));
                    if matches!(part, Formula::Condition(_)) {
                        open = terms.and([open, if and { holds } else { !holds }]);
                    }
                    all.push(holds);
                }
                let holds = if and { terms.and(all) } else { terms.or(all) };
                Ok((holds, terms.or(faults)))
            }
        }
    }
}
