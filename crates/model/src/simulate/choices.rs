//! The transitions of a state, each with the delays after which it is possible.

use super::{Choice, DelayInterval, Delays, HoldingDelays, MAX_CHOICES, Motion, RunTimeError, Simulator, Trouble};
use crate::{
    machine::Fault,
    system::{ChannelId, EdgeId, LocationId, Sync},
};

/// Edges that could be taken together, and the delays after which their guards hold.
#[derive(Clone)]
struct Candidate {
    edges: Vec<EdgeId>,
    delays: Delays,
}

impl Simulator<'_> {
    /// Returns the transitions that are possible after one of the delays.
    pub(super) fn choices(
        &mut self,
        row: &[i32],
        motion: &Motion,
        wait: DelayInterval,
        failures: &mut Vec<RunTimeError>,
    ) -> Result<Vec<Choice>, Trouble> {
        let candidates = self.candidates(row, motion, wait, failures)?;
        let mut ranked: Vec<(usize, Candidate)> = candidates.into_iter().enumerate().collect();
        if self.system.has_priorities {
            // Transitions with higher priorities come first: the update of a transition that they
            // disable is not evaluated.
            ranked.sort_by_key(|(_, candidate)| std::cmp::Reverse(self.priority(&candidate.edges)));
        }
        let mut choices: Vec<(usize, Choice)> = Vec::new();
        let (mut level, mut higher) = (None, 0);
        for (number, Candidate { edges, mut delays }) in ranked {
            if self.system.has_priorities {
                let own = self.priority(&edges);
                if level != Some(own) {
                    (level, higher) = (Some(own), choices.len());
                }
                delays = choices[..higher].iter().fold(delays, |left, (_, other)| left.minus(&other.delays));
            }
            if delays.is_empty() {
                continue;
            }
            let part = self.after_transition(row, motion, &edges, delays)?;
            if let Some((fault, delays)) = part.fault {
                // If a transition fails, the others that its priority would disable are unknown.
                let fatal = self.system.has_priorities;
                failures.push(RunTimeError { fault, edges: edges.clone(), delays, fatal });
            }
            choices.push((number, Choice { edges, delays: part.delays }));
        }
        choices.sort_by_key(|(number, _)| *number);
        let mut choices: Vec<Choice> = choices.into_iter().map(|(_, choice)| choice).collect();
        for failure in failures.iter().filter(|f| f.fatal) {
            choices.iter_mut().for_each(|choice| choice.delays = choice.delays.minus(&failure.delays));
        }
        choices.retain(|choice| !choice.delays.is_empty());
        Ok(choices)
    }

    /// Returns whether a transition with a higher priority is possible without a delay. Adds the
    /// errors of transitions that might have one; errors of lower priorities are irrelevant.
    pub(super) fn is_possible_above(
        &mut self,
        priority: (i32, i32),
        row: &[i32],
        motion: &Motion,
        failures: &mut Vec<RunTimeError>,
    ) -> Result<bool, Trouble> {
        let mut candidates = self.candidates(row, motion, DelayInterval::NOW, failures)?;
        failures.retain(|failure| {
            let own = self.priority(&failure.edges);
            let is_alone = failure.edges.iter().all(|e| self.system.edges[e.0 as usize].sync == Sync::Internal);
            // The other participants may have a higher priority.
            if is_alone { own > priority } else { own.0 >= priority.0 }
        });
        candidates.retain(|candidate| self.priority(&candidate.edges) > priority);
        for Candidate { edges, delays } in candidates {
            let part = self.after_transition(row, motion, &edges, delays)?;
            if !part.delays.is_empty() {
                return Ok(true);
            }
            failures.extend(part.fault.map(|(fault, delays)| RunTimeError { fault, edges, delays, fatal: true }));
        }
        Ok(false)
    }

    /// Returns the priority of the channel, then the highest priority of the processes, which
    /// decides ties.
    pub(super) fn priority(&self, edges: &[EdgeId]) -> (i32, i32) {
        let edge = |e: &EdgeId| &self.system.edges[e.0 as usize];
        let channel = match edges.first().map(|e| edge(e).sync) {
            Some(Sync::Send(c) | Sync::Receive(c)) => self.system.channels[c.0 as usize].priority,
            _ => self.system.internal_priority,
        };
        let process = |e: &EdgeId| self.system.processes[edge(e).process.0 as usize].priority;
        (channel, edges.iter().map(process).max().unwrap_or(0))
    }

    /// Returns the delays after which a transition, whose guards hold, satisfies the invariants of
    /// its targets.
    fn after_transition(
        &mut self,
        row: &[i32],
        motion: &Motion,
        edges: &[EdgeId],
        delays: Delays,
    ) -> Result<HoldingDelays, Trouble> {
        let system = self.system;
        let fails =
            |fault: Fault, delays: Delays| HoldingDelays { delays: Delays::default(), fault: Some((fault, delays)) };
        let (target, changes) = match self.replayer.update(row, edges) {
            Ok(after) => after,
            Err(fault) => return Ok(fails(fault, delays)),
        };
        let mut motion = motion.clone();
        let negative = motion.apply(&changes, &delays)?;
        let mut part = HoldingDelays { delays, fault: None };
        if let Some((_, delays)) = &negative {
            part.delays = part.delays.minus(delays);
        }
        self.replayer.load(&target);
        for place in self.replayer.locations(&target) {
            let invariant = &system.locations[place.0 as usize].invariant;
            part = self.within(invariant, &motion, part.delays)?;
            if part.fault.is_some() {
                break;
            }
        }
        part.fault = negative.or(part.fault);
        Ok(part)
    }

    /// Returns the transitions whose guards hold after some of the delays and that the committed
    /// locations permit.
    fn candidates(
        &mut self,
        row: &[i32],
        motion: &Motion,
        wait: DelayInterval,
        failures: &mut Vec<RunTimeError>,
    ) -> Result<Vec<Candidate>, Trouble> {
        let system = self.system;
        self.replayer.load(row);
        let places = self.replayer.locations(row);
        let committed: Vec<bool> = places.iter().map(|l| system.locations[l.0 as usize].committed).collect();
        let any_committed = committed.contains(&true);
        let process = |e: EdgeId| system.edges[e.0 as usize].process.0 as usize;
        let permitted = |edges: &[EdgeId]| !any_committed || edges.iter().any(|e| committed[process(*e)]);
        let mut found: Vec<Candidate> = Vec::new();
        let mut guards = Guards { motion, failures };
        for (sender, &place) in places.iter().enumerate() {
            for &e in system.internal(place).iter().filter(|e| permitted(&[**e])) {
                let delays = guards.hold(self, e, wait.into())?;
                found.push(Candidate { edges: vec![e], delays });
            }
            for &send in system.sending(place) {
                let Sync::Send(channel) = system.edges[send.0 as usize].sync else { continue };
                let receives = |p: usize| p != sender && !system.receiving(places[p], channel).is_empty();
                let takes_part = |p: usize| committed[p] && (p == sender || receives(p));
                // A synchronisation that no committed location can take part in is not evaluated,
                // so it can't fail.
                if any_committed && !(0..places.len()).any(takes_part) {
                    continue;
                }
                let sent = Candidate { edges: vec![send], delays: guards.hold(self, send, wait.into())? };
                if sent.delays.is_empty() {
                    continue;
                }
                let mut others = places.clone();
                others.remove(sender);
                found.extend(guards.synchronise(self, sent, &others, channel, &permitted)?);
                found.retain(|candidate| !candidate.delays.is_empty());
                if found.len() > MAX_CHOICES {
                    return Err(Trouble::TooMany);
                }
            }
        }
        for edges in self.joint_edges(row, &permitted)? {
            let mut delays = Delays::from(wait);
            for &e in &edges {
                delays = guards.hold(self, e, delays)?;
            }
            found.push(Candidate { edges, delays });
        }
        found.retain(|candidate| !candidate.delays.is_empty());
        Ok(found)
    }

    /// Returns the permitted transitions of synchronisation vectors that the locations allow.
    fn joint_edges(&mut self, row: &[i32], permitted: &dyn Fn(&[EdgeId]) -> bool) -> Result<Vec<Vec<EdgeId>>, Trouble> {
        let mut joint: Vec<Vec<EdgeId>> = Vec::new();
        let mut is_complete = true;
        self.joint.for_each(row, |_, edges| match joint.len() {
            MAX_CHOICES => is_complete = false,
            _ if permitted(edges) => joint.push(edges.to_vec()),
            _ => {}
        });
        if is_complete { Ok(joint) } else { Err(Trouble::TooMany) }
    }
}

/// Evaluates guards, and collects their errors.
struct Guards<'m> {
    motion: &'m Motion,
    failures: &'m mut Vec<RunTimeError>,
}

impl Guards<'_> {
    /// Returns the delays after which the guard of an edge holds, among the given ones.
    fn hold(&mut self, simulator: &mut Simulator<'_>, e: EdgeId, delays: Delays) -> Result<Delays, Trouble> {
        let part = simulator.within(&simulator.system.edges[e.0 as usize].guard, self.motion, delays)?;
        if let Some((fault, delays)) = part.fault {
            let failure = RunTimeError { fault, edges: vec![e], delays, fatal: true };
            if !self.failures.contains(&failure) {
                self.failures.push(failure);
            }
        }
        Ok(part.delays)
    }

    /// Returns the permitted synchronisations of an edge that sends with processes at other places.
    fn synchronise(
        &mut self,
        simulator: &mut Simulator<'_>,
        sent: Candidate,
        others: &[LocationId],
        channel: ChannelId,
        permitted: &dyn Fn(&[EdgeId]) -> bool,
    ) -> Result<Vec<Candidate>, Trouble> {
        let system = simulator.system;
        let mut sets = Vec::new();
        if system.channels[channel.0 as usize].broadcast {
            sets.push(sent);
            for &other in others {
                sets = self.add_receivers(simulator, sets, other, channel)?;
            }
            sets.retain(|set| permitted(&set.edges));
        } else {
            for receive in others.iter().flat_map(|other| system.receiving(*other, channel)) {
                let edges = vec![sent.edges[0], *receive];
                if permitted(&edges) {
                    sets.push(Candidate { edges, delays: self.hold(simulator, *receive, sent.delays.clone())? });
                }
            }
        }
        Ok(sets)
    }

    /// Adds a process to a broadcast: it takes one of its enabled edges, and none only if none is
    /// enabled.
    fn add_receivers(
        &mut self,
        simulator: &mut Simulator<'_>,
        sets: Vec<Candidate>,
        place: LocationId,
        channel: ChannelId,
    ) -> Result<Vec<Candidate>, Trouble> {
        let edges = simulator.system.receiving(place, channel);
        if edges.is_empty() {
            return Ok(sets);
        }
        let mut found = Vec::new();
        for mut set in sets {
            let mut silent = set.delays.clone();
            for &receive in edges {
                let delays = self.hold(simulator, receive, set.delays.clone())?;
                if !delays.is_empty() {
                    silent = silent.minus(&delays);
                    let edges = set.edges.iter().copied().chain([receive]).collect();
                    found.push(Candidate { edges, delays });
                }
            }
            if !silent.is_empty() {
                set.delays = silent;
                found.push(set);
            }
            if found.len() > MAX_CHOICES {
                return Err(Trouble::TooMany);
            }
        }
        Ok(found)
    }
}
