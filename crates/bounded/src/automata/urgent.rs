//! Urgent channels: no time passes while a synchronisation over one is possible.
//!
//! The moments at which the guards of a synchronisation hold are an interval, of which each bound on a clock gives an end. Together
//! with the delay it is not empty if each beginning comes before each end.

use model::system::{EdgeId, Sync};
use smt::{Bound, Real, Term, Terms};

use super::{Demands, Encoder, Frame, bounds::Parts};
use crate::code::Refused;

/// An end of an interval of moments: a moment plus a number.
#[derive(Clone, Copy)]
struct End {
    condition: Term,
    moment: Real,
    plus: i64,
    strict: bool,
}

impl Encoder<'_> {
    /// No synchronisation over an urgent channel is possible before `then`.
    pub(super) fn urgent(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        demands: &mut Demands,
    ) -> Result<(), Refused> {
        for (number, channel) in (0..).zip(&self.system.channels) {
            if !channel.urgent {
                continue;
            }
            let (mut senders, mut receivers) = (Vec::new(), Vec::new());
            for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
                let here = self.at(frame, edge.source);
                if here == Term::FALSE {
                    continue;
                }
                match edge.sync {
                    Sync::Send(c) if c.0 == number => senders.push((e, here)),
                    Sync::Receive(c) if c.0 == number && !channel.broadcast => receivers.push((e, here)),
                    _ => {}
                }
            }
            for &(s, here) in &senders {
                let sender = &self.system.edges[s.0 as usize];
                let sends = self.parts(terms, &sender.guard, frame)?;
                demands.faults.push(terms.and([here, sends.fault]));
                if channel.broadcast {
                    let possible = self.possible(terms, (frame, then), here, &[&sends]);
                    demands.all.push(!possible);
                    continue;
                }
                for &(r, there) in &receivers {
                    let receiver = &self.system.edges[r.0 as usize];
                    if receiver.process == sender.process {
                        continue;
                    }
                    let receives = self.parts(terms, &receiver.guard, frame)?;
                    let both = terms.and([here, there]);
                    demands.faults.push(terms.and([both, sends.condition, receives.fault]));
                    let possible = self.possible(terms, (frame, then), both, &[&sends, &receives]);
                    demands.all.push(!possible);
                }
            }
        }
        Ok(())
    }

    /// Where all guards hold at some moment before `then`, if the processes are where `here` says.
    fn possible(&self, terms: &mut Terms, (frame, then): (&Frame, Real), here: Term, guards: &[&Parts]) -> Term {
        let mut all = vec![here];
        all.extend(guards.iter().map(|guard| guard.condition));
        let mut starts = vec![End { condition: Term::TRUE, moment: frame.now, plus: 0, strict: false }];
        let mut ends = vec![End { condition: Term::TRUE, moment: then, plus: 0, strict: true }];
        for limit in guards.iter().flat_map(|guard| &guard.limits) {
            let (Bound { value, strict }, condition) = (limit.bound, limit.condition);
            match (limit.left, limit.right) {
                (0, 0) => {
                    let holds = Term::constant(value > 0 || value == 0 && !strict);
                    all.push(terms.implies(condition, holds));
                }
                (x, 0) => ends.push(End { condition, moment: frame.moment(x, then), plus: value, strict }),
                (0, y) => starts.push(End { condition, moment: frame.moment(y, then), plus: -value, strict }),
                // Time does not change differences.
                _ => all.push(self.limit(terms, limit, frame, then)),
            }
        }
        for start in &starts {
            for end in &ends {
                let bound = Bound { value: end.plus - start.plus, strict: start.strict || end.strict };
                let before = terms.difference(start.moment, end.moment, bound);
                let counts = terms.and([start.condition, end.condition]);
                all.push(terms.implies(counts, before));
            }
        }
        terms.and(all)
    }
}
