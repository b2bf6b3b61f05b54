//! The semantics of a network for sets of clock valuations, as a plain transcription of UPPAAL's
//! manual, independent of the engine.

use model::{
    System,
    machine::{ClockChange, Fault, FaultKind, Machine},
    system::{
        ChannelId, ClockConstraint, ClockTerm, Edge, EdgeId, Guard, Location, LocationId, Operand, ProcessId, Sync,
    },
    vector::Joint,
};

use crate::{
    bound::DifferenceBound,
    union::{absorb, subtract},
    zone::{ClockSource, Zone},
};

/// A run-time error of the model with the transition in which it occurs; without edges for an error
/// in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocatedFault {
    /// The error.
    pub fault: Fault,
    /// The edges of the transition.
    pub edges: Vec<EdgeId>,
}

pub(crate) type FaultResult<T> = Result<T, LocatedFault>;

pub(crate) fn alone(fault: Fault) -> LocatedFault {
    LocatedFault { fault, edges: Vec::new() }
}

/// Edges that are taken together, the sender first, and the valuations that satisfy all guards.
#[derive(Clone, Debug)]
pub(crate) struct ZoneTransition {
    pub edges: Vec<EdgeId>,
    pub zone: Zone,
}

/// The effect of a transition: the next row, and the source of each clock value.
pub(crate) struct TransitionEffect {
    pub row: Vec<i32>,
    pub sources: Vec<ClockSource>,
}

/// A system with a machine for its expressions.
pub(crate) struct NetworkSemantics<'a> {
    pub system: &'a System,
    pub machine: Machine<'a>,
    joint: Joint<'a>,
}

impl<'a> NetworkSemantics<'a> {
    pub(crate) fn new(system: &'a System) -> NetworkSemantics<'a> {
        NetworkSemantics {
            system,
            machine: Machine::new(&system.code, system.initial.len()),
            joint: Joint::new(system),
        }
    }

    pub(crate) fn edge(&self, e: EdgeId) -> &'a Edge {
        &self.system.edges[e.0 as usize]
    }

    pub(crate) fn places(&self, row: &[i32]) -> Vec<LocationId> {
        (0..self.system.processes.len()).map(|p| self.system.location(row, ProcessId(p as u32))).collect()
    }

    pub(crate) fn locations(&self, row: &[i32]) -> Vec<&'a Location> {
        self.places(row).iter().map(|l| &self.system.locations[l.0 as usize]).collect()
    }

    /// Fails if a limit was reached.
    ///
    /// # Errors
    /// The reason, as a run-time error.
    pub(crate) fn check_stop(&self) -> FaultResult<()> {
        match self.system.code.stopped() {
            None => Ok(()),
            Some(stop) => Err(alone(Fault { kind: FaultKind::Stopped(stop), pc: u32::MAX })),
        }
    }

    // Expressions, in the row that the machine has loaded.

    pub(crate) fn number(&mut self, operand: Operand) -> Result<i64, Fault> {
        match operand {
            Operand::Const(n) => Ok(n),
            Operand::Code { pc, .. } => self.machine.value(pc).map(i64::from),
        }
    }

    pub(crate) fn clock(&mut self, term: ClockTerm) -> Result<usize, Fault> {
        match term {
            ClockTerm::Clock(c) => Ok(c.0 as usize),
            ClockTerm::Element { pc, .. } => Ok(self.machine.value(pc)? as usize),
        }
    }

    /// Keeps the valuations that satisfy a constraint, or with `sources` those that satisfy it
    /// after the assignment. `false`: there are none.
    fn constrain(
        &mut self,
        c: &ClockConstraint,
        zone: &mut Zone,
        sources: Option<&[ClockSource]>,
    ) -> Result<bool, Fault> {
        if let Some(condition) = c.condition
            && !self.machine.test(condition)?
        {
            return Ok(true);
        }
        let number = self.number(c.bound)?;
        let (left, right) = (self.clock(c.left)?, self.clock(c.right)?);
        let ((left, plus_left), (right, plus_right)) = match sources {
            None => ((left, 0), (right, 0)),
            Some(sources) => (sources[left], sources[right]),
        };
        Ok(zone.constrain(left, right, DifferenceBound::new(number - plus_left + plus_right, c.strict)))
    }

    /// Returns the part of a zone that satisfies a clock constraint of a formula.
    pub(crate) fn restrict(&mut self, c: &ClockConstraint, row: &[i32], zone: &Zone) -> FaultResult<Option<Zone>> {
        self.machine.load(row);
        let mut part = zone.clone();
        Ok(self.constrain(c, &mut part, None).map_err(alone)?.then_some(part))
    }

    /// Returns the part of a zone that satisfies a guard or invariant, now or after an assignment.
    fn guard(&mut self, guard: &Guard, zone: &Zone, sources: Option<&[ClockSource]>) -> Result<Option<Zone>, Fault> {
        if let Some(condition) = guard.condition
            && !self.machine.test(condition)?
        {
            return Ok(None);
        }
        let mut part = zone.clone();
        for c in &guard.clocks {
            if !self.constrain(c, &mut part, sources)? {
                return Ok(None);
            }
        }
        Ok(Some(part))
    }

    pub(crate) fn edge_guard(&mut self, e: EdgeId, zone: &Zone) -> FaultResult<Option<Zone>> {
        let guard = &self.edge(e).guard;
        self.guard(guard, zone, None).map_err(|fault| LocatedFault { fault, edges: vec![e] })
    }

    /// Returns the part of a zone that satisfies the invariants of a row, now or after an
    /// assignment.
    fn within(&mut self, row: &[i32], zone: &Zone, sources: Option<&[ClockSource]>) -> FaultResult<Option<Zone>> {
        self.machine.load(row);
        let mut part = zone.clone();
        for location in self.locations(row) {
            match self.guard(&location.invariant, &part, sources).map_err(alone)? {
                Some(smaller) => part = smaller,
                None => return Ok(None),
            }
        }
        Ok(Some(part))
    }

    /// Returns the part of a zone that satisfies the invariants of a row.
    pub(crate) fn invariants(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Option<Zone>> {
        self.within(row, zone, None)
    }

    // Transitions.

    /// Returns all transitions whose guards hold somewhere in a zone and that the committed
    /// locations permit.
    fn transitions(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Vec<ZoneTransition>> {
        let system = self.system;
        self.machine.load(row);
        let places = self.places(row);
        let committed: Vec<bool> = self.locations(row).iter().map(|l| l.committed).collect();
        let any_committed = committed.contains(&true);
        let permitted = |edges: &[EdgeId]| {
            !any_committed || edges.iter().any(|e| committed[system.edges[e.0 as usize].process.0 as usize])
        };
        let mut found = Vec::new();
        for &place in &places {
            self.check_stop()?;
            for &e in system.internal(place).iter().filter(|e| permitted(&[**e])) {
                if let Some(zone) = self.edge_guard(e, zone)? {
                    found.push(ZoneTransition { edges: vec![e], zone });
                }
            }
            for &send in system.sending(place) {
                let Sync::Send(channel) = self.edge(send).sync else { continue };
                let sender = self.edge(send).process.0 as usize;
                let receives = |p: usize| p != sender && !system.receiving(places[p], channel).is_empty();
                // A synchronisation without a committed participant is not evaluated, so it can't
                // fail either.
                if any_committed && !committed[sender] && !(0..places.len()).any(|p| committed[p] && receives(p)) {
                    continue;
                }
                let Some(sent) = self.edge_guard(send, zone)? else { continue };
                let mut sets = vec![ZoneTransition { edges: vec![send], zone: sent }];
                if system.channels[channel.0 as usize].broadcast {
                    for (p, &other) in places.iter().enumerate() {
                        if p != sender {
                            sets = self.broadcast(sets, other, channel)?;
                        }
                    }
                } else {
                    sets = self.binary(&sets[0], &places, sender, channel, permitted)?;
                }
                found.extend(sets.into_iter().filter(|t| permitted(&t.edges)));
            }
        }
        let mut joint: Vec<Vec<EdgeId>> = Vec::new();
        self.joint.for_each(row, |_, edges| joint.push(edges.to_vec()));
        for edges in joint.into_iter().filter(|edges| permitted(edges)) {
            self.check_stop()?;
            let mut part = Some(zone.clone());
            for &e in &edges {
                let Some(before) = part else { break };
                part = self.edge_guard(e, &before)?;
            }
            found.extend(part.map(|zone| ZoneTransition { edges, zone }));
        }
        Ok(found)
    }

    /// Extends a send to binary synchronisations: one of the other processes receives.
    fn binary(
        &mut self,
        sent: &ZoneTransition,
        places: &[LocationId],
        sender: usize,
        channel: ChannelId,
        permitted: impl Fn(&[EdgeId]) -> bool,
    ) -> FaultResult<Vec<ZoneTransition>> {
        let mut found = Vec::new();
        for (_, &other) in places.iter().enumerate().filter(|(p, _)| *p != sender) {
            for &receive in self.system.receiving(other, channel) {
                let edges = vec![sent.edges[0], receive];
                if permitted(&edges)
                    && let Some(zone) = self.edge_guard(receive, &sent.zone)?
                {
                    found.push(ZoneTransition { edges, zone });
                }
            }
        }
        Ok(found)
    }

    /// Extends broadcasts by a process at `place`: it takes one of its enabled edges, or none where
    /// none is enabled.
    fn broadcast(
        &mut self,
        sets: Vec<ZoneTransition>,
        place: LocationId,
        channel: ChannelId,
    ) -> FaultResult<Vec<ZoneTransition>> {
        let mut found = Vec::new();
        for set in sets {
            self.check_stop()?;
            let mut silent = vec![set.zone.clone()];
            for &receive in self.system.receiving(place, channel) {
                let Some(zone) = self.edge_guard(receive, &set.zone)? else { continue };
                silent = subtract(silent, &zone);
                let edges = set.edges.iter().copied().chain([receive]).collect();
                found.push(ZoneTransition { edges, zone });
            }
            found.extend(silent.into_iter().map(|zone| ZoneTransition { edges: set.edges.clone(), zone }));
        }
        Ok(found)
    }

    /// Executes the updates of a transition.
    pub(crate) fn effect(&mut self, row: &[i32], transition: &ZoneTransition) -> FaultResult<TransitionEffect> {
        let fail = |fault| LocatedFault { fault, edges: transition.edges.clone() };
        let system = self.system;
        self.machine.load(row);
        self.machine.changes.clear();
        let updates = transition.edges.iter().filter_map(|e| self.edge(*e).update).collect::<Vec<_>>();
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            self.machine.execute(pc).map_err(fail)?;
        }
        let mut row = self.machine.row().to_vec();
        for &e in &transition.edges {
            let edge = self.edge(e);
            let process = edge.process.0 as usize;
            row[process] = (edge.target.0 - system.processes[process].first_location.0) as i32;
        }
        let mut sources: Vec<ClockSource> = (0..system.clocks.len()).map(|x| (x, 0)).collect();
        for change in std::mem::take(&mut self.machine.changes) {
            let (clock, source) = match change {
                ClockChange::Set { clock, value } => (clock, (0, i64::from(value))),
                ClockChange::Copy { clock, from, plus } => {
                    let (from, before) = sources[from as usize];
                    (clock, (from, before + i64::from(plus)))
                }
            };
            sources[clock as usize] = source;
            // A negative clock is a run-time error.
            let (from, plus) = source;
            if transition.zone.at(0, from).shifted(-plus) > DifferenceBound::ZERO {
                let least = transition.zone.at(0, from).number().unwrap_or(0);
                let kind = FaultKind::NegativeClock((i128::from(plus) - least).max(i128::from(i32::MIN)) as i32);
                return Err(fail(Fault { kind, pc: u32::MAX }));
            }
        }
        Ok(TransitionEffect { row, sources })
    }

    /// Returns the successors of a transition, before any delay.
    pub(crate) fn successor(
        &mut self,
        transition: &ZoneTransition,
        effect: &TransitionEffect,
    ) -> FaultResult<Option<Zone>> {
        let found = self.invariants(&effect.row, &transition.zone.image(&effect.sources));
        found.map_err(|failure| LocatedFault { edges: transition.edges.clone(), ..failure })
    }

    /// Returns the valuations in which a transition can be taken: its guards hold, and so do the
    /// invariants after it.
    pub(crate) fn enabled(&mut self, row: &[i32], transition: &ZoneTransition) -> FaultResult<Option<Zone>> {
        let effect = self.effect(row, transition)?;
        let found = self.within(&effect.row, &transition.zone, Some(&effect.sources));
        found.map_err(|failure| LocatedFault { edges: transition.edges.clone(), ..failure })
    }

    /// Returns the parts of zones in which some transition can be taken.
    pub(crate) fn enabled_in(&mut self, row: &[i32], zones: &[Zone]) -> FaultResult<Vec<Zone>> {
        let mut found = Vec::new();
        for zone in zones {
            for transition in self.possible(row, zone)? {
                found.extend(self.enabled(row, &transition)?);
            }
        }
        Ok(absorb(found))
    }

    /// Returns the transitions whose guards hold somewhere in a zone, each with the part where no
    /// transition of higher priority can be taken. Higher priorities come first: the update of a
    /// blocked transition is not evaluated, so it can't fail.
    pub(crate) fn possible(&mut self, row: &[i32], zone: &Zone) -> FaultResult<Vec<ZoneTransition>> {
        let mut all = self.transitions(row, zone)?;
        if !self.system.has_priorities {
            return Ok(all);
        }
        let system = self.system;
        all.sort_by_key(|t| std::cmp::Reverse(priority(system, &t.edges)));
        let mut found: Vec<ZoneTransition> = Vec::new();
        let mut blocked: Vec<Zone> = Vec::new();
        for level in all.chunk_by(|a, b| priority(system, &a.edges) == priority(system, &b.edges)) {
            let first = found.len();
            for t in level {
                let left = self.without(vec![t.zone.clone()], &blocked)?;
                found.extend(left.into_iter().map(|zone| ZoneTransition { edges: t.edges.clone(), zone }));
            }
            for t in &found[first..] {
                blocked.extend(self.enabled(row, t)?);
            }
            blocked = absorb(blocked);
        }
        Ok(found)
    }
}

/// Returns the priority of the channel, which is compared first, and the highest one of the
/// processes.
fn priority(system: &System, edges: &[EdgeId]) -> (i32, i32) {
    let edge = |e: &EdgeId| &system.edges[e.0 as usize];
    let channel = match edge(&edges[0]).sync {
        Sync::Internal | Sync::Event(_) => system.internal_priority,
        Sync::Send(c) | Sync::Receive(c) => system.channels[c.0 as usize].priority,
    };
    let process = |e: &EdgeId| system.processes[edge(e).process.0 as usize].priority;
    (channel, edges.iter().map(process).max().unwrap_or(0))
}
