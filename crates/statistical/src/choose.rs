//! The choice of a transition: an edge, a branch of it, and the edges of receivers.
//!
//! A process chooses among the edges with which it can start a transition now; all are equally
//! likely. Then a branch is chosen by its weight, and receivers among theirs. A choice whose
//! targets violate an invariant is no transition: the others keep their relative probabilities.

use model::{random::RunRandom, stochastic::RealTerm, system::EdgeId};

use crate::{
    grid::Ticks,
    network::{Network, Output, OutputKind, Receiver},
    problem::RunFault,
    state::{RunState, Valuation},
};

/// The limit on transitions that one edge can start.
const MAX_TRANSITIONS: usize = 10_000;

/// A transition that an edge can start, with its probability among these.
type Weighted = (Vec<EdgeId>, f64);

/// When the guard of an edge holds by which a process can start a transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// The index of the edge among those of its location.
    pub output: u32,
    /// The first and the last moment.
    pub from: Ticks,
    pub to: Ticks,
}

/// Chooses transitions, with memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Chooser {
    /// The edges that can start a transition now.
    enabled: Vec<Output>,
    /// The chosen transition: the sender first, then the receivers in the order of processes.
    pub chosen: Vec<EdgeId>,
    candidates: Vec<EdgeId>,
}

impl Chooser {
    /// Lets a process take a transition. Returns whether it has one. `offers`: what was found out
    /// about its edges since the last transition; `None`: nothing.
    pub(crate) fn act(
        &mut self,
        state: &mut RunState<'_>,
        random: &mut RunRandom,
        process: usize,
        offers: Option<&[Offer]>,
    ) -> Result<bool, RunFault> {
        let network = state.network;
        let outputs = &network.place(state.location(process)).outputs;
        let mut enabled = std::mem::take(&mut self.enabled);
        enabled.clear();
        match offers {
            Some(offers) => {
                let now = offers.iter().filter(|offer| offer.from <= state.time && state.time <= offer.to);
                enabled.extend(now.map(|offer| outputs[offer.output as usize]));
            }
            None => {
                for output in outputs {
                    if state.is_enabled(output.edge)? {
                        enabled.push(*output);
                    }
                }
            }
        }
        let done = self.among(state, random, &mut enabled);
        self.enabled = enabled;
        done
    }

    fn among(
        &mut self,
        state: &mut RunState<'_>,
        random: &mut RunRandom,
        enabled: &mut Vec<Output>,
    ) -> Result<bool, RunFault> {
        let network = state.network;
        while !enabled.is_empty() {
            let (stem, sender, kind) = match enabled[..] {
                [Output { edge, kind, .. }] => (network.stem(edge), edge, kind),
                _ => {
                    let stem = chosen_stem(network, random, enabled.iter().map(|output| output.edge));
                    self.candidates.clear();
                    self.candidates.extend(enabled.iter().map(|o| o.edge).filter(|e| network.stem(*e) == stem));
                    let sender = chosen_edge(state, random, &self.candidates)?;
                    // The branches of an edge may have different synchronisations.
                    let kind = enabled.iter().find(|output| output.edge == sender).map(|output| output.kind);
                    (stem, sender, kind.unwrap_or(OutputKind::Internal))
                }
            };
            let sampled = self.sample(state, random, sender, kind)?;
            if sampled && is_allowed(state, &self.chosen)? && state.take(&self.chosen)? {
                return Ok(true);
            }
            if self.among_possible(state, random, stem, enabled)? {
                return Ok(true);
            }
            enabled.retain(|output| network.stem(output.edge) != stem);
        }
        Ok(false)
    }

    /// Chooses the receivers of an edge. Returns `false` if one is missing.
    fn sample(
        &mut self,
        state: &mut RunState<'_>,
        random: &mut RunRandom,
        sender: EdgeId,
        kind: OutputKind,
    ) -> Result<bool, RunFault> {
        self.chosen.clear();
        self.chosen.push(sender);
        let network = state.network;
        let own = network.system.edges[sender.0 as usize].process.0 as usize;
        match kind {
            OutputKind::Internal => {}
            OutputKind::Binary(channel) => {
                self.candidates.clear();
                for receiver in network.receivers(channel, own) {
                    receivers(state, receiver, &mut self.candidates)?;
                }
                if self.candidates.is_empty() {
                    return Ok(false);
                }
                self.chosen.push(chosen_edge_of_stems(state, random, &self.candidates)?);
            }
            OutputKind::Broadcast(channel) => {
                for receiver in network.receivers(channel, own) {
                    self.candidates.clear();
                    receivers(state, receiver, &mut self.candidates)?;
                    if !self.candidates.is_empty() {
                        self.chosen.push(chosen_edge_of_stems(state, random, &self.candidates)?);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Chooses among all transitions that an edge can start and that are possible: the one that was
    /// sampled is not.
    fn among_possible(
        &mut self,
        state: &mut RunState<'_>,
        random: &mut RunRandom,
        stem: u32,
        enabled: &[Output],
    ) -> Result<bool, RunFault> {
        let network = state.network;
        let branches: Vec<Output> =
            enabled.iter().copied().filter(|output| network.stem(output.edge) == stem).collect();
        let mut left = all_from(state, &branches)?;
        left.retain(|(_, probability)| *probability > 0.0);
        while !left.is_empty() {
            let at = random.weighted(left.iter().map(|(_, probability)| *probability));
            let (edges, _) = left.swap_remove(at);
            if is_allowed(state, &edges)? && state.take(&edges)? {
                self.chosen = edges;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns all transitions that start with one of the branches of an edge, with their
/// probabilities.
fn all_from(state: &mut RunState<'_>, branches: &[Output]) -> Result<Vec<Weighted>, RunFault> {
    let edges: Vec<EdgeId> = branches.iter().map(|output| output.edge).collect();
    let mut all = Vec::new();
    for ((sender, share), output) in shares(state, &edges)?.into_iter().zip(branches) {
        all.append(&mut completions(state, sender, share, output.kind)?);
        if all.len() > MAX_TRANSITIONS {
            return Err(RunFault::TooMany);
        }
    }
    Ok(all)
}

/// Returns all transitions that an edge starts, with its own probability and those of receivers.
fn completions(
    state: &mut RunState<'_>,
    sender: EdgeId,
    share: f64,
    kind: OutputKind,
) -> Result<Vec<Weighted>, RunFault> {
    let network = state.network;
    let own = network.system.edges[sender.0 as usize].process.0 as usize;
    let mut all: Vec<Weighted> = vec![(vec![sender], share)];
    let mut edges = Vec::new();
    match kind {
        OutputKind::Internal => {}
        OutputKind::Binary(channel) => {
            for receiver in network.receivers(channel, own) {
                receivers(state, receiver, &mut edges)?;
            }
            extend(&mut all, &shares_of_stems(state, &edges)?)?;
        }
        OutputKind::Broadcast(channel) => {
            for receiver in network.receivers(channel, own) {
                edges.clear();
                receivers(state, receiver, &mut edges)?;
                if !edges.is_empty() {
                    extend(&mut all, &shares_of_stems(state, &edges)?)?;
                }
            }
        }
    }
    Ok(all)
}

/// Extends each transition by each of these edges.
fn extend(all: &mut Vec<Weighted>, by: &[(EdgeId, f64)]) -> Result<(), RunFault> {
    if all.len().saturating_mul(by.len()) > MAX_TRANSITIONS {
        return Err(RunFault::TooMany);
    }
    let extended = all.iter().flat_map(|(edges, p)| {
        by.iter().map(move |(edge, q)| {
            let mut edges = edges.clone();
            edges.push(*edge);
            (edges, p * q)
        })
    });
    *all = extended.collect();
    Ok(())
}

/// Adds the edges by which a process can receive now.
#[inline]
fn receivers(state: &mut RunState<'_>, receiver: &Receiver, out: &mut Vec<EdgeId>) -> Result<(), RunFault> {
    let network = state.network;
    for &edge in network.receiving(receiver, state.location(receiver.process)) {
        if state.is_enabled(edge)? {
            out.push(edge);
        }
    }
    Ok(())
}

/// Returns whether neither committed locations nor priorities forbid a transition.
fn is_allowed(state: &mut RunState<'_>, edges: &[EdgeId]) -> Result<bool, RunFault> {
    if !leaves_committed(state, edges) {
        return Ok(false);
    }
    if !state.network.system.has_priorities {
        return Ok(true);
    }
    let own = priority(state, edges);
    for process in 0..state.network.system.processes.len() {
        let network = state.network;
        for output in &network.place(state.location(process)).outputs {
            if !state.is_enabled(output.edge)? {
                continue;
            }
            for (edges, _) in completions(state, output.edge, 1.0, output.kind)? {
                if priority(state, &edges) > own && leaves_committed(state, &edges) && is_possible(state, &edges)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Returns whether a transition is possible, without taking it.
fn is_possible(state: &mut RunState<'_>, edges: &[EdgeId]) -> Result<bool, RunFault> {
    let (mut before, steps) = (Valuation::default(), state.steps);
    state.save(&mut before);
    let possible = state.take(edges)?;
    if possible {
        state.restore(&before, steps)?;
    }
    Ok(possible)
}

/// Returns the priority of a transition: that of its channel, then that of its processes.
fn priority(state: &RunState<'_>, edges: &[EdgeId]) -> (i32, i32) {
    use model::system::Sync;
    let system = state.network.system;
    let edge = |e: &EdgeId| &system.edges[e.0 as usize];
    let channel = match edges.first().map(|e| edge(e).sync) {
        Some(Sync::Send(c) | Sync::Receive(c)) => system.channels[c.0 as usize].priority,
        _ => system.internal_priority,
    };
    let process = |e: &EdgeId| system.processes[edge(e).process.0 as usize].priority;
    (channel, edges.iter().map(process).max().unwrap_or(0))
}

/// Returns whether a transition leaves a committed location, or none is committed.
fn leaves_committed(state: &RunState<'_>, edges: &[EdgeId]) -> bool {
    let system = state.network.system;
    let committed = |e: &EdgeId| system.locations[system.edges[e.0 as usize].source.0 as usize].committed;
    !state.has_committed() || edges.iter().any(committed)
}

/// Chooses an edge before a branchpoint; all are equally likely.
fn chosen_stem(network: &Network<'_>, random: &mut RunRandom, edges: impl Iterator<Item = EdgeId> + Clone) -> u32 {
    // Few edges leave a location. One counts if no earlier one has the same stem.
    let is_new = |i: usize, stem: u32| edges.clone().take(i).all(|other| network.stem(other) != stem);
    let stems = || edges.clone().map(|e| network.stem(e)).enumerate().filter(|(i, stem)| is_new(*i, *stem));
    let chosen = match stems().count() {
        0 | 1 => 0,
        count => random.below(count as u64) as usize,
    };
    stems().nth(chosen).map_or(0, |(_, stem)| stem)
}

/// Chooses an edge: first the one before the branchpoint, then a branch of it.
fn chosen_edge_of_stems(
    state: &mut RunState<'_>,
    random: &mut RunRandom,
    edges: &[EdgeId],
) -> Result<EdgeId, RunFault> {
    if let [only] = edges {
        return Ok(*only);
    }
    let network = state.network;
    let stem = chosen_stem(network, random, edges.iter().copied());
    let branches: Vec<EdgeId> = edges.iter().copied().filter(|e| network.stem(*e) == stem).collect();
    chosen_edge(state, random, &branches)
}

/// Chooses a branch by its weight.
fn chosen_edge(state: &mut RunState<'_>, random: &mut RunRandom, branches: &[EdgeId]) -> Result<EdgeId, RunFault> {
    if let [only] = branches {
        return Ok(*only);
    }
    let shares = shares(state, branches)?;
    Ok(shares[random.weighted(shares.iter().map(|(_, share)| *share))].0)
}

/// Returns the probabilities of edges: all before branchpoints are equally likely.
fn shares_of_stems(state: &mut RunState<'_>, edges: &[EdgeId]) -> Result<Vec<(EdgeId, f64)>, RunFault> {
    let network = state.network;
    let mut stems: Vec<u32> = edges.iter().map(|e| network.stem(*e)).collect();
    stems.sort_unstable();
    stems.dedup();
    let mut all = Vec::new();
    for stem in &stems {
        let branches: Vec<EdgeId> = edges.iter().copied().filter(|e| network.stem(*e) == *stem).collect();
        all.extend(shares(state, &branches)?.into_iter().map(|(e, share)| (e, share / stems.len() as f64)));
    }
    Ok(all)
}

/// Returns the probabilities of the branches of an edge.
fn shares(state: &mut RunState<'_>, branches: &[EdgeId]) -> Result<Vec<(EdgeId, f64)>, RunFault> {
    if let [only] = branches {
        return Ok(vec![(*only, 1.0)]);
    }
    let mut all = Vec::new();
    for &edge in branches {
        let weight = match state.network.weight(edge) {
            RealTerm::Number(weight) => *weight,
            term => state.value(term, 0)?,
        };
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(RunFault::Weight(edge, weight));
        }
        all.push((edge, weight));
    }
    let total: f64 = all.iter().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return Err(RunFault::NoBranch(branches[0]));
    }
    all.iter_mut().for_each(|(_, weight)| *weight /= total);
    Ok(all)
}
