//! Synchronisation vectors: the events that processes take together.

use model::{
    system::{EdgeId, EventId, ProcessId, Sync},
    vector::Participant,
};
use smt::{Term, Terms};

use super::{Demands, Encoder, Frame, frame::at_most_one};

impl Encoder<'_> {
    /// Returns the edges of a process with an event.
    pub(super) fn edges_with(&self, process: ProcessId, event: EventId) -> Vec<EdgeId> {
        let edges = (0..).map(EdgeId).zip(&self.system.edges);
        edges.filter(|(_, e)| e.process == process && e.sync == Sync::Event(event)).map(|(e, _)| e).collect()
    }

    /// Returns the term "a participant has an edge with its event at its location".
    pub(super) fn has_edge(&self, terms: &mut Terms, frame: &Frame, p: &Participant) -> Term {
        let sources: Vec<Term> = self
            .edges_with(p.process, p.event)
            .into_iter()
            .map(|e| self.at(frame, self.system.edges[e.0 as usize].source))
            .collect();
        terms.or(sources)
    }

    /// Returns a term for each vector that says whether it is taken. Its participants take edges
    /// with their events if and only if it is.
    pub(super) fn vectors(
        &self,
        terms: &mut Terms,
        (frame, step): (&Frame, &str),
        taken: &[Term],
        faults: &[Term],
        demands: &mut Demands,
    ) -> Vec<Term> {
        let mut calls = Vec::new();
        let mut callers: Vec<Vec<Term>> = vec![Vec::new(); taken.len()];
        for (number, vector) in self.system.vectors.iter().enumerate() {
            let mut ready = Vec::new();
            for p in vector.participants.iter().filter(|p| !p.weak) {
                ready.push(self.has_edge(terms, frame, p));
            }
            let ready = terms.and(ready);
            if ready == Term::FALSE {
                calls.push(Term::FALSE);
                continue;
            }
            let call = terms.boolean(format!("vector{number}@{step}"));
            let mut some = Vec::new();
            for p in &vector.participants {
                let own = self.edges_with(p.process, p.event);
                let takes = terms.or(own.iter().map(|e| taken[e.0 as usize]));
                // A weak participant is left out if its location has no such edge, whatever guards
                // say.
                let must = if p.weak { self.has_edge(terms, frame, p) } else { Term::TRUE };
                demands.all.push(terms.or([!call, !must, takes]));
                some.push(takes);
                for e in own {
                    callers[e.0 as usize].push(call);
                    demands.faults.push(terms.and([ready, faults[e.0 as usize]]));
                }
            }
            let some = terms.or(some);
            demands.all.push(terms.implies(call, some));
            calls.push(call);
        }
        for (e, edge) in self.system.edges.iter().enumerate() {
            if matches!(edge.sync, Sync::Event(_)) && taken[e] != Term::FALSE {
                let callers = terms.or(callers[e].iter().copied());
                demands.all.push(terms.implies(taken[e], callers));
            }
        }
        for process in 0..self.system.processes.len() as u32 {
            let own = self.system.edges.iter().zip(taken);
            let own = own.filter(|(e, _)| e.process.0 == process && matches!(e.sync, Sync::Event(_)));
            at_most_one(terms, own.map(|(_, term)| *term), &mut demands.all);
        }
        calls
    }
}
