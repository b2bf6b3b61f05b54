//! Enumeration of the transitions of a state.
//!
//! The effect of a broadcast depends on its receivers, so each combination of receivers is a
//! separate transition.

use model::system::{ChannelId, EdgeId, LocationId, ProcessId, Sync};
use smt::{Real, Term, Terms, UpperBound};

use super::{
    Demands, Encoder, Frame, SymbolicTransition,
    bounds::{ClockBound, EncodedGuard},
    moments::Moments,
};
use crate::{EncodingError, Unsupported};

/// The greatest number of transitions of a state.
const MAX_TRANSITIONS: usize = 20_000;

/// Edges that are taken together, and the guard of the transition.
pub(super) struct JointTransition {
    pub edges: Vec<EdgeId>,
    /// The synchronisation vector, for events.
    vector: Option<usize>,
    pub condition: Term,
    pub limits: Vec<ClockBound>,
}

impl Encoder<'_> {
    /// Enumerates the transitions of a frame, given the guards of all edges.
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

    /// Enumerates internal transitions, synchronisations and broadcasts, without regard to
    /// committed locations.
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
            self.check_stop()?;
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
            if all.len() > MAX_TRANSITIONS {
                return Err(too_many());
            }
        }
        Ok(all)
    }

    /// Enumerates the transitions of a synchronisation vector.
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
            self.check_stop()?;
            let own = self.edges_with(p.process, p.event);
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
            if more.len() > MAX_TRANSITIONS {
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

    /// Enumerates the combinations of receivers of a broadcast.
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
            self.check_stop()?;
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
                return Err(Unsupported::BroadcastClockGuards.into());
            }
            let mut more = Vec::new();
            let able = terms.or(own.iter().map(|e| guards[e.0 as usize].condition));
            for (edges, condition) in open {
                for e in &own {
                    let both = terms.and([condition, guards[e.0 as usize].condition]);
                    more.push((edges.iter().copied().chain([*e]).collect(), both));
                }
                let none = terms.and([condition, !able]);
                more.push((edges, none));
            }
            more.retain(|(_, condition): &(Vec<EdgeId>, Term)| *condition != Term::FALSE);
            if more.len() > MAX_TRANSITIONS {
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

    /// Keeps the moments at which a transition leads to a state within its invariants.
    pub(super) fn constrain_target(
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
        let after = self.after_updates(terms, frame, &taken, now, &mut step)?;
        let target = Frame { row: after.row, ..frame.clone() };
        for (number, location) in (0..).zip(&self.system.locations) {
            let here = self.at(&target, LocationId(number));
            if here == Term::FALSE || location.invariant.is_true() {
                continue;
            }
            let parts = self.encode_guard(terms, &location.invariant, &target)?;
            step.faults.push(terms.and([here, parts.fault]));
            moments.only(terms.implies(here, parts.condition));
            for limit in parts.limits {
                // A clock after the transition is a clock before it plus a number.
                for (left, s) in after.clocks[limit.left as usize].values() {
                    for (right, t) in after.clocks[limit.right as usize].values() {
                        let condition = terms.and([here, limit.condition, *s, *t]);
                        let bound = UpperBound { value: limit.bound.value - left.1 + right.1, ..limit.bound };
                        moments.constrain(terms, &ClockBound { condition, left: left.0, right: right.0, bound }, frame);
                    }
                }
            }
        }
        // An error in a transition that can't be taken does not matter.
        let fault = terms.or(step.faults);
        if fault != Term::FALSE {
            let guarded = before.exist(terms);
            faults.push(terms.and([guarded, fault]));
        }
        Ok(())
    }
}

fn too_many() -> EncodingError {
    Unsupported::ManyTransitions(MAX_TRANSITIONS).into()
}
