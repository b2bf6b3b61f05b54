//! All transitions of a state, one by one.
//!
//! Who receives a broadcast has to be known for what a transition does, so each choice of receivers
//! is one of its own.

use model::system::{ChannelId, EdgeId, LocationId, ProcessId, Sync};
use smt::{Real, Term, Terms, UpperBound};

use super::{
    Demands, Encoder, Frame, SymbolicTransition,
    bounds::{ClockBound, EncodedGuard},
    moments::Moments,
};
use crate::code::EncodingError;

/// At most so many transitions are looked at in one state.
const MOST: usize = 20_000;

/// Edges that are taken together, and where they are as far as the row tells.
pub(super) struct JointTransition {
    pub edges: Vec<EdgeId>,
    /// The vector by which they are, for events.
    vector: Option<usize>,
    pub condition: Term,
    pub limits: Vec<ClockBound>,
}

impl Encoder<'_> {
    /// All transitions that a row allows, where the guards of edges are these.
    pub(super) fn all_joint(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        guards: &[EncodedGuard],
    ) -> Result<Vec<JointTransition>, EncodingError> {
        let mut joint = self.joint(terms, guards)?;
        for vector in 0..self.system.vectors.len() {
            self.by_vector(terms, frame, guards, vector, &mut joint)?;
        }
        let committed = self.committed(terms, frame);
        for one in &mut joint {
            if !one.edges.iter().any(|e| self.leaves_committed(*e)) {
                one.condition = terms.and([one.condition, !committed]);
            }
        }
        Ok(joint)
    }

    /// All transitions that rows allow, committed locations aside.
    fn joint(&self, terms: &mut Terms, guards: &[EncodedGuard]) -> Result<Vec<JointTransition>, EncodingError> {
        let system = self.system;
        let edges =
            || (0..).map(EdgeId).zip(&system.edges).filter(|(e, _)| guards[e.0 as usize].condition != Term::FALSE);
        let limits = |list: &[EdgeId]| -> Vec<ClockBound> {
            list.iter().flat_map(|e| guards[e.0 as usize].limits.iter().copied()).collect()
        };
        let condition = |e: EdgeId| guards[e.0 as usize].condition;
        let mut all = Vec::new();
        for (e, edge) in edges() {
            self.go_on()?;
            match edge.sync {
                Sync::Receive(_) | Sync::Event(_) => {}
                Sync::Internal => {
                    all.push(JointTransition {
                        edges: vec![e],
                        vector: None,
                        condition: condition(e),
                        limits: limits(&[e]),
                    });
                }
                Sync::Send(c) if system.channels[c.0 as usize].broadcast => {
                    self.broadcasts(terms, guards, (e, c), &mut all)?;
                }
                Sync::Send(c) => {
                    let receives = |r: &model::system::Edge| r.sync == Sync::Receive(c) && r.process != edge.process;
                    for (r, _) in edges().filter(|(_, r)| receives(r)) {
                        let both = terms.and([condition(e), condition(r)]);
                        all.push(JointTransition {
                            edges: vec![e, r],
                            vector: None,
                            condition: both,
                            limits: limits(&[e, r]),
                        });
                    }
                }
            }
            if all.len() > MOST {
                return Err(too_many());
            }
        }
        Ok(all)
    }

    /// All choices of edges for a vector.
    fn by_vector(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        guards: &[EncodedGuard],
        vector: usize,
        all: &mut Vec<JointTransition>,
    ) -> Result<(), EncodingError> {
        let mut open = vec![(Vec::new(), Term::TRUE)];
        for p in &self.system.vectors[vector].participants {
            self.go_on()?;
            let own = self.on(p.process, p.event);
            let able = self.has_edge(terms, frame, p);
            let mut more = Vec::new();
            for (edges, condition) in open {
                for e in &own {
                    let both = terms.and([condition, guards[e.0 as usize].condition]);
                    more.push((edges.iter().copied().chain([*e]).collect(), both));
                }
                if p.weak {
                    let none = terms.and([condition, !able]);
                    more.push((edges, none));
                }
            }
            more.retain(|(_, condition): &(Vec<EdgeId>, Term)| *condition != Term::FALSE);
            if more.len() > MOST {
                return Err(too_many());
            }
            open = more;
        }
        for (edges, condition) in open.into_iter().filter(|(edges, _)| !edges.is_empty()) {
            let limits = edges.iter().flat_map(|e| guards[e.0 as usize].limits.iter().copied()).collect();
            all.push(JointTransition { edges, vector: Some(vector), condition, limits });
        }
        Ok(())
    }

    /// All choices of receivers for a broadcast.
    fn broadcasts(
        &self,
        terms: &mut Terms,
        guards: &[EncodedGuard],
        (send, channel): (EdgeId, ChannelId),
        all: &mut Vec<JointTransition>,
    ) -> Result<(), EncodingError> {
        let system = self.system;
        let sender = system.edges[send.0 as usize].process;
        let mut open = vec![(vec![send], guards[send.0 as usize].condition)];
        for process in (0..system.processes.len() as u32).map(ProcessId).filter(|p| *p != sender) {
            self.go_on()?;
            let own: Vec<EdgeId> = (0..)
                .map(EdgeId)
                .zip(&system.edges)
                .filter(|(e, edge)| {
                    edge.process == process
                        && edge.sync == Sync::Receive(channel)
                        && guards[e.0 as usize].condition != Term::FALSE
                })
                .map(|(e, _)| e)
                .collect();
            if own.is_empty() {
                continue;
            }
            if own.iter().any(|e| !guards[e.0 as usize].limits.is_empty()) {
                return Err(EncodingError::Unsupported(
                    "deadlocks where receivers of broadcasts have clock guards".to_owned(),
                ));
            }
            let mut more = Vec::new();
            let silent = terms.or(own.iter().map(|e| guards[e.0 as usize].condition));
            for (edges, condition) in open {
                for e in &own {
                    let both = terms.and([condition, guards[e.0 as usize].condition]);
                    more.push((edges.iter().copied().chain([*e]).collect(), both));
                }
                let none = terms.and([condition, !silent]);
                more.push((edges, none));
            }
            more.retain(|(_, condition): &(Vec<EdgeId>, Term)| *condition != Term::FALSE);
            if more.len() > MOST {
                return Err(too_many());
            }
            open = more;
        }
        let limits = &guards[send.0 as usize].limits;
        all.extend(open.into_iter().map(|(edges, condition)| JointTransition {
            edges,
            vector: None,
            condition,
            limits: limits.clone(),
        }));
        Ok(())
    }

    /// Only moments at which the invariants hold behind a transition.
    pub(super) fn arrives(
        &self,
        terms: &mut Terms,
        (frame, now): (&Frame, Real),
        one: &JointTransition,
        moments: &mut Moments,
        faults: &mut Vec<Term>,
    ) -> Result<(), EncodingError> {
        let none = |count: usize| vec![Term::FALSE; count];
        let mut taken =
            SymbolicTransition { edges: none(self.system.edges.len()), vectors: none(self.system.vectors.len()) };
        one.edges.iter().for_each(|e| taken.edges[e.0 as usize] = Term::TRUE);
        one.vector.into_iter().for_each(|v| taken.vectors[v] = Term::TRUE);
        let (mut step, before) = (Demands::new(), moments.clone());
        let behind = self.behind(terms, frame, &taken, now, &mut step)?;
        let target = Frame { row: behind.row, ..frame.clone() };
        for (number, location) in (0..).zip(&self.system.locations) {
            let here = self.at(&target, LocationId(number));
            if here == Term::FALSE || location.invariant.is_true() {
                continue;
            }
            let parts = self.parts(terms, &location.invariant, &target)?;
            step.faults.push(terms.and([here, parts.fault]));
            moments.only(terms.implies(here, parts.condition));
            for limit in parts.limits {
                // The clocks behind the transition are those before it, or numbers.
                for (left, s) in behind.clocks[limit.left as usize].values() {
                    for (right, t) in behind.clocks[limit.right as usize].values() {
                        let condition = terms.and([here, limit.condition, *s, *t]);
                        let bound = UpperBound { value: limit.bound.value - left.1 + right.1, ..limit.bound };
                        moments.limit(terms, &ClockBound { condition, left: left.0, right: right.0, bound }, frame);
                    }
                }
            }
        }
        // What goes wrong in a transition that can't be taken is nobody's concern.
        let fault = terms.or(step.faults);
        if fault != Term::FALSE {
            let guarded = before.exist(terms);
            faults.push(terms.and([guarded, fault]));
        }
        Ok(())
    }
}

fn too_many() -> EncodingError {
    EncodingError::Unsupported(format!("deadlocks or priorities where more than {MOST} transitions are possible"))
}
