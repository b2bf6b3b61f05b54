//! Urgent channels: no time passes while a synchronisation over one is possible.

use model::system::{EdgeId, Sync};
use smt::{Real, Term, Terms};

use super::{Demands, Encoder, Frame, bounds::EncodedGuard, moments::Moments};
use crate::EncodingError;

impl Encoder<'_> {
    /// Requires that no synchronisation over an urgent channel is possible before `then`.
    pub(super) fn urgent(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        for (number, channel) in (0..).zip(&self.system.channels) {
            if !channel.urgent {
                continue;
            }
            self.check_stop()?;
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
                self.check_stop()?;
                let sender = &self.system.edges[s.0 as usize];
                let sends = self.encode_guard(terms, &sender.guard, frame)?;
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
                    let receives = self.encode_guard(terms, &receiver.guard, frame)?;
                    let both = terms.and([here, there]);
                    demands.faults.push(terms.and([both, sends.condition, receives.fault]));
                    let possible = self.possible(terms, (frame, then), both, &[&sends, &receives]);
                    demands.all.push(!possible);
                }
            }
        }
        Ok(())
    }

    /// Returns the term "`here` holds, and all guards hold at some moment before `then`".
    fn possible(&self, terms: &mut Terms, (frame, then): (&Frame, Real), here: Term, guards: &[&EncodedGuard]) -> Term {
        let mut moments = Moments::from(here, frame.now);
        moments.until(Term::TRUE, then, true);
        for guard in guards {
            moments.only(guard.condition);
            guard.limits.iter().for_each(|limit| moments.constrain(terms, limit, frame));
        }
        moments.exist(terms)
    }
}
