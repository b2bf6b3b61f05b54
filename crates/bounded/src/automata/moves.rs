//! Transitions: the edges that are taken together.

use model::system::{EdgeId, LocationId, Sync};
use smt::{Real, Term, Terms};

use super::{Demands, Encoder, Frame, SymbolicTransition, frame::at_most_one};
use crate::EncodingError;

/// The edges that synchronise over one channel.
#[derive(Default)]
struct ChannelEdges {
    senders: Vec<EdgeId>,
    receivers: Vec<EdgeId>,
}

/// The terms of all edges in a step.
struct EdgeTerms {
    /// Whether the edge is taken.
    taken: Vec<Term>,
    /// The source location and the guard.
    enabled: Vec<Term>,
    /// The source location and the guard without its clock constraints.
    enabled_by_row: Vec<Term>,
    /// The fault of the guard.
    faults: Vec<Term>,
}

impl Encoder<'_> {
    /// Encodes a transition that is taken in a frame at a moment: guards hold, and exactly the
    /// required processes participate. The faults are those of guards, which fail whether or not a
    /// transition is possible.
    ///
    /// # Errors
    /// The model has an unsupported feature, or a limit was reached.
    pub(super) fn any_transition(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        then: Real,
        step: &str,
        demands: &mut Demands,
    ) -> Result<SymbolicTransition, EncodingError> {
        let system = self.system;
        let committed = self.committed(terms, frame);
        let edges = self.edge_terms(terms, (frame, then), step, demands)?;
        let vectors = self.vectors(terms, (frame, step), &edges.taken, &edges.faults, demands);
        // Exactly one edge or vector initiates the transition.
        let first: Vec<Term> = (0..edges.taken.len())
            .filter(|e| matches!(system.edges[*e].sync, Sync::Internal | Sync::Send(_)))
            .map(|e| edges.taken[e])
            .chain(vectors.iter().copied())
            .collect();
        demands.all.push(terms.or(first.iter().copied()));
        at_most_one(terms, first.into_iter(), &mut demands.all);
        self.internal_faults(terms, frame, committed, &edges.faults, demands);
        for (channel, kind) in self.channel_edges(frame).iter().zip(&system.channels) {
            self.synchronise(terms, channel, &edges, demands);
            if kind.broadcast {
                self.broadcast(terms, channel, &edges, demands);
            } else {
                self.binary(terms, channel, &edges.taken, demands);
            }
        }
        let leaves: Vec<Term> = (0..edges.taken.len())
            .filter(|e| self.leaves_committed(EdgeId(*e as u32)))
            .map(|e| edges.taken[e])
            .collect();
        let leaves = terms.or(leaves);
        demands.all.push(terms.implies(committed, leaves));
        let taken = SymbolicTransition { edges: edges.taken, vectors };
        if system.has_priorities {
            self.prioritise(terms, (frame, then), &edges.enabled, &taken, demands)?;
        }
        Ok(taken)
    }

    /// Encodes the guards of all edges, and requires them of the edges that are taken.
    fn edge_terms(
        &self,
        terms: &mut Terms,
        (frame, then): (&Frame, Real),
        step: &str,
        demands: &mut Demands,
    ) -> Result<EdgeTerms, EncodingError> {
        let none = || vec![Term::FALSE; self.system.edges.len()];
        let mut edges = EdgeTerms { taken: none(), enabled: none(), enabled_by_row: none(), faults: none() };
        for (e, edge) in self.system.edges.iter().enumerate() {
            let here = self.at(frame, edge.source);
            if here == Term::FALSE {
                continue;
            }
            self.check_stop()?;
            let guard = self.encode_guard(terms, &edge.guard, frame)?;
            let mut all = vec![here, guard.condition];
            edges.enabled_by_row[e] = terms.and(all.iter().copied());
            for limit in &guard.limits {
                all.push(self.clock_bound(terms, limit, frame, then));
            }
            edges.enabled[e] = terms.and(all);
            edges.faults[e] = terms.and([here, guard.fault]);
            if edges.enabled[e] != Term::FALSE {
                edges.taken[e] = terms.boolean(format!("edge{e}@{step}"));
                demands.all.push(terms.implies(edges.taken[e], edges.enabled[e]));
            }
        }
        Ok(edges)
    }

    /// Adds the faults of the guards of internal edges. A guard is not evaluated if a committed
    /// location must be left by another edge.
    fn internal_faults(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        committed: Term,
        faults: &[Term],
        demands: &mut Demands,
    ) {
        for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
            if edge.sync != Sync::Internal || self.at(frame, edge.source) == Term::FALSE {
                continue;
            }
            let leaves = Term::constant(self.leaves_committed(e));
            let evaluated = terms.implies(committed, leaves);
            demands.faults.push(terms.and([faults[e.0 as usize], evaluated]));
        }
    }

    /// Returns the edges of each channel that leave a possible location.
    fn channel_edges(&self, frame: &Frame) -> Vec<ChannelEdges> {
        let mut channels: Vec<ChannelEdges> = self.system.channels.iter().map(|_| ChannelEdges::default()).collect();
        for (e, edge) in (0..).map(EdgeId).zip(&self.system.edges) {
            match edge.sync {
                Sync::Internal | Sync::Event(_) => {}
                _ if self.at(frame, edge.source) == Term::FALSE => {}
                Sync::Send(c) => channels[c.0 as usize].senders.push(e),
                Sync::Receive(c) => channels[c.0 as usize].receivers.push(e),
            }
        }
        channels
    }

    /// Requires that an edge receives only if another process sends, and adds the faults of guards.
    fn synchronise(&self, terms: &mut Terms, channel: &ChannelEdges, edges: &EdgeTerms, demands: &mut Demands) {
        let process = |e: &EdgeId| self.system.edges[e.0 as usize].process;
        for s in &channel.senders {
            demands.faults.push(edges.faults[s.0 as usize]);
        }
        for r in &channel.receivers {
            let others = channel.senders.iter().filter(|s| process(s) != process(r));
            let others: Vec<usize> = others.map(|s| s.0 as usize).collect();
            let sent = terms.or(others.iter().map(|s| edges.taken[*s]));
            demands.all.push(terms.implies(edges.taken[r.0 as usize], sent));
            let ready = terms.or(others.iter().map(|s| edges.enabled_by_row[*s]));
            demands.faults.push(terms.and([edges.faults[r.0 as usize], ready]));
        }
    }

    /// Returns the term "a process is at a committed location".
    pub(super) fn committed(&self, terms: &mut Terms, frame: &Frame) -> Term {
        let locations = (0..).map(LocationId).zip(&self.system.locations);
        let here: Vec<Term> = locations.filter(|(_, l)| l.committed).map(|(l, _)| self.at(frame, l)).collect();
        terms.or(here)
    }

    /// Returns whether an edge leaves a committed location.
    pub(super) fn leaves_committed(&self, e: EdgeId) -> bool {
        let source = self.system.edges[e.0 as usize].source;
        self.system.locations[source.0 as usize].committed
    }

    /// Encodes a binary synchronisation: exactly one other process receives.
    fn binary(&self, terms: &mut Terms, channel: &ChannelEdges, taken: &[Term], demands: &mut Demands) {
        let process = |e: &EdgeId| self.system.edges[e.0 as usize].process;
        for s in &channel.senders {
            let others = channel.receivers.iter().filter(|r| process(r) != process(s)).map(|r| taken[r.0 as usize]);
            let received = terms.or(others.collect::<Vec<Term>>());
            demands.all.push(terms.implies(taken[s.0 as usize], received));
        }
        at_most_one(terms, channel.receivers.iter().map(|r| taken[r.0 as usize]), &mut demands.all);
    }

    /// Encodes a broadcast: every other process with an enabled edge takes one.
    fn broadcast(&self, terms: &mut Terms, channel: &ChannelEdges, edges: &EdgeTerms, demands: &mut Demands) {
        let process = |e: &EdgeId| self.system.edges[e.0 as usize].process;
        // Edges are ordered by process.
        for own in channel.receivers.chunk_by(|a, b| process(a) == process(b)) {
            let others = channel.senders.iter().filter(|s| process(s) != process(&own[0]));
            let sent = terms.or(others.map(|s| edges.taken[s.0 as usize]).collect::<Vec<Term>>());
            let able = terms.or(own.iter().map(|r| edges.enabled[r.0 as usize]));
            let received = terms.or(own.iter().map(|r| edges.taken[r.0 as usize]));
            let must = terms.and([sent, able]);
            demands.all.push(terms.implies(must, received));
            at_most_one(terms, own.iter().map(|r| edges.taken[r.0 as usize]), &mut demands.all);
        }
    }
}
