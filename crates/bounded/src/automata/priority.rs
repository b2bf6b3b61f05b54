//! Priorities: a transition is taken only where none of a higher priority is possible.

use model::system::{EdgeId, Sync};
use smt::{Real, Term, Terms};

use super::{Demands, Encoder, Frame, SymbolicTransition, bounds::EncodedGuard, moments::Moments};
use crate::code::EncodingError;

impl Encoder<'_> {
    /// No transition of a higher priority is possible than the one that is taken. `enabled` says
    /// where the guard of each edge holds.
    pub(super) fn prioritise(
        &self,
        terms: &mut Terms,
        (frame, then): (&Frame, Real),
        enabled: &[Term],
        taken: &SymbolicTransition,
        demands: &mut Demands,
    ) -> Result<(), EncodingError> {
        let guards = enabled.iter().map(|e| EncodedGuard { condition: *e, limits: Vec::new(), fault: Term::FALSE });
        let all = self.all_joint(terms, frame, &guards.collect::<Vec<EncodedGuard>>())?;
        for one in all {
            // It is possible if it leads into the invariants as well. If that fails it is met where
            // this transition is taken, unless another one comes first.
            let mut moments = Moments::from(one.condition, then);
            moments.until(Term::TRUE, then, false);
            self.arrives(terms, (frame, then), &one, &mut moments, &mut Vec::new())?;
            let possible = moments.exist(terms);
            let (channel, process) = self.priority(&one.edges);
            let (mut above, mut equal, mut heirs) = (Vec::new(), Vec::new(), Vec::new());
            for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
                let term = taken.edges[e.0 as usize];
                if self.system.processes[edge.process.0 as usize].priority >= process {
                    heirs.push(term);
                }
                match self.channel_priority(e).cmp(&channel) {
                    _ if matches!(edge.sync, Sync::Receive(_)) => {}
                    std::cmp::Ordering::Greater => above.push(term),
                    std::cmp::Ordering::Equal => equal.push(term),
                    std::cmp::Ordering::Less => {}
                }
            }
            // The channel counts first, then the highest of the processes.
            let (above, equal, heirs) = (terms.or(above), terms.or(equal), terms.or(heirs));
            let equal = terms.and([equal, heirs]);
            demands.all.push(terms.or([!possible, above, equal]));
        }
        Ok(())
    }

    fn channel_priority(&self, e: EdgeId) -> i32 {
        match self.system.edges[e.0 as usize].sync {
            Sync::Internal | Sync::Event(_) => self.system.internal_priority,
            Sync::Send(c) | Sync::Receive(c) => self.system.channels[c.0 as usize].priority,
        }
    }

    fn priority(&self, edges: &[EdgeId]) -> (i32, i32) {
        let process = |e: &EdgeId| self.system.processes[self.system.edges[e.0 as usize].process.0 as usize].priority;
        (self.channel_priority(edges[0]), edges.iter().map(process).max().unwrap_or(0))
    }
}
