//! Priorities: a transition is blocked by one of higher priority.

use model::system::{EdgeId, Sync};
use smt::{Real, Term, Terms};

use super::{Demands, Encoder, Frame, SymbolicTransition, bounds::EncodedGuard, moments::Moments};
use crate::EncodingError;

impl Encoder<'_> {
    /// Requires that no transition of higher priority is possible than the one that is taken.
    /// `enabled` has the guard of each edge.
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
            // It is possible if its successor satisfies the invariants. If these have an error,
            // that is found where this transition is taken, unless another one blocks it.
            let mut moments = Moments::from(one.condition, then);
            moments.until(Term::TRUE, then, false);
            self.constrain_target(terms, (frame, then), &one, &mut moments, &mut Vec::new())?;
            let possible = moments.exist(terms);
            let (channel, process) = self.priority(&one.edges);
            let (mut above, mut equal, mut process_at_least) = (Vec::new(), Vec::new(), Vec::new());
            for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
                let term = taken.edges[e.0 as usize];
                if self.system.processes[edge.process.0 as usize].priority >= process {
                    process_at_least.push(term);
                }
                match self.channel_priority(e).cmp(&channel) {
                    _ if matches!(edge.sync, Sync::Receive(_)) => {}
                    std::cmp::Ordering::Greater => above.push(term),
                    std::cmp::Ordering::Equal => equal.push(term),
                    std::cmp::Ordering::Less => {}
                }
            }
            // The priority of the channel is compared first, then the highest of the processes.
            let (above, equal, process_at_least) = (terms.or(above), terms.or(equal), terms.or(process_at_least));
            let equal = terms.and([equal, process_at_least]);
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
