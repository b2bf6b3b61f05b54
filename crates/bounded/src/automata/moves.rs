//! Transitions: which edges are taken together.

use model::system::{EdgeId, LocationId, Sync};
use smt::{Real, Term, Terms};

use super::{Demands, Encoder, Frame, SymbolicTransition, frame::at_most_one};
use crate::code::EncodingError;

/// Those who take part over one channel.
#[derive(Default)]
struct Callers {
    senders: Vec<EdgeId>,
    receivers: Vec<EdgeId>,
}

impl Encoder<'_> {
    /// A transition that is taken in a frame at a moment: its guards hold, and exactly those take
    /// part who should. The faults are those of guards. They are there whether a transition can be
    /// taken or not.
    ///
    /// # Errors
    /// What can't be followed.
    pub(crate) fn transition(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        step: &str,
        demands: &mut Demands,
    ) -> Result<SymbolicTransition, EncodingError> {
        let system = self.system;
        let committed = self.committed(terms, frame);
        let mut taken = vec![Term::FALSE; system.edges.len()];
        let mut enabled = vec![Term::FALSE; system.edges.len()];
        let mut by_row = vec![Term::FALSE; system.edges.len()];
        let mut faults = vec![Term::FALSE; system.edges.len()];
        for (e, edge) in system.edges.iter().enumerate() {
            let here = self.at(frame, edge.source);
            if here == Term::FALSE {
                continue;
            }
            self.go_on()?;
            let parts = self.parts(terms, &edge.guard, frame)?;
            let mut all = vec![here, parts.condition];
            by_row[e] = terms.and(all.iter().copied());
            for limit in &parts.limits {
                all.push(self.limit(terms, limit, frame, then));
            }
            enabled[e] = terms.and(all);
            faults[e] = terms.and([here, parts.fault]);
            if enabled[e] != Term::FALSE {
                taken[e] = terms.boolean(format!("edge{e}@{step}"));
                demands.all.push(terms.implies(taken[e], enabled[e]));
            }
        }
        // The one edge, or vector, that everything starts with.
        let vectors = self.vectors(terms, (frame, step), &taken, &faults, demands);
        let first: Vec<Term> = (0..taken.len())
            .filter(|e| matches!(system.edges[*e].sync, Sync::Internal | Sync::Send(_)))
            .map(|e| taken[e])
            .chain(vectors.iter().copied())
            .collect();
        demands.all.push(terms.or(first.iter().copied()));
        at_most_one(terms, first.into_iter(), &mut demands.all);
        let mut channels: Vec<Callers> = system.channels.iter().map(|_| Callers::default()).collect();
        for (e, edge) in (0..).map(EdgeId).zip(&system.edges) {
            let here = self.at(frame, edge.source);
            match edge.sync {
                _ if here == Term::FALSE => {}
                Sync::Send(c) => channels[c.0 as usize].senders.push(e),
                Sync::Receive(c) => channels[c.0 as usize].receivers.push(e),
                Sync::Event(_) => {}
                Sync::Internal => {
                    // Where others must leave first nobody looks at it.
                    let leaves = Term::constant(self.leaves_committed(e));
                    let looks = terms.implies(committed, leaves);
                    demands.faults.push(terms.and([faults[e.0 as usize], looks]));
                }
            }
        }
        for (callers, channel) in channels.iter().zip(&system.channels) {
            for &s in &callers.senders {
                demands.faults.push(faults[s.0 as usize]);
            }
            for &r in &callers.receivers {
                let process = system.edges[r.0 as usize].process;
                let others = callers.senders.iter().filter(|s| system.edges[s.0 as usize].process != process);
                let others: Vec<usize> = others.map(|s| s.0 as usize).collect();
                let called = terms.or(others.iter().map(|s| taken[*s]));
                demands.all.push(terms.implies(taken[r.0 as usize], called));
                let ready = terms.or(others.iter().map(|s| by_row[*s]));
                demands.faults.push(terms.and([faults[r.0 as usize], ready]));
            }
            if channel.broadcast {
                self.everybody(terms, callers, &taken, &enabled, demands);
            } else {
                self.somebody(terms, callers, &taken, demands);
            }
        }
        let leaves: Vec<Term> =
            (0..taken.len()).filter(|e| self.leaves_committed(EdgeId(*e as u32))).map(|e| taken[e]).collect();
        let leaves = terms.or(leaves);
        demands.all.push(terms.implies(committed, leaves));
        let taken = SymbolicTransition { edges: taken, vectors };
        if system.has_priorities {
            self.prioritise(terms, (frame, then), &enabled, &taken, demands)?;
        }
        Ok(taken)
    }

    /// Where a process is at a committed location.
    pub(super) fn committed(&self, terms: &mut Terms, frame: &Frame) -> Term {
        let locations = (0..).map(LocationId).zip(&self.system.locations);
        let here: Vec<Term> = locations.filter(|(_, l)| l.committed).map(|(l, _)| self.at(frame, l)).collect();
        terms.or(here)
    }

    pub(super) fn leaves_committed(&self, e: EdgeId) -> bool {
        let source = self.system.edges[e.0 as usize].source;
        self.system.locations[source.0 as usize].committed
    }

    /// A binary synchronisation: one of the other processes receives.
    fn somebody(&self, terms: &mut Terms, callers: &Callers, taken: &[Term], demands: &mut Demands) {
        let process = |e: &EdgeId| self.system.edges[e.0 as usize].process;
        for s in &callers.senders {
            let others = callers.receivers.iter().filter(|r| process(r) != process(s)).map(|r| taken[r.0 as usize]);
            let received = terms.or(others.collect::<Vec<Term>>());
            demands.all.push(terms.implies(taken[s.0 as usize], received));
        }
        at_most_one(terms, callers.receivers.iter().map(|r| taken[r.0 as usize]), &mut demands.all);
    }

    /// A broadcast: every other process takes one of the edges that it can take, if there are some.
    fn everybody(&self, terms: &mut Terms, callers: &Callers, taken: &[Term], enabled: &[Term], demands: &mut Demands) {
        let process = |e: &EdgeId| self.system.edges[e.0 as usize].process;
        // Edges come in the order of processes.
        for own in callers.receivers.chunk_by(|a, b| process(a) == process(b)) {
            let others = callers.senders.iter().filter(|s| process(s) != process(&own[0]));
            let called = terms.or(others.map(|s| taken[s.0 as usize]).collect::<Vec<Term>>());
            let able = terms.or(own.iter().map(|r| enabled[r.0 as usize]));
            let received = terms.or(own.iter().map(|r| taken[r.0 as usize]));
            let must = terms.and([called, able]);
            demands.all.push(terms.implies(must, received));
            at_most_one(terms, own.iter().map(|r| taken[r.0 as usize]), &mut demands.all);
        }
    }
}
