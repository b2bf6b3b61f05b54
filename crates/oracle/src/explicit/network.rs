//! The semantics of a network, state by state, as a literal transcription of UPPAAL's manual.
//!
//! Where the manual is ambiguous or inconsistent, a comment states the decision, and a test in
//! `tests` pins it.

use model::{
    System,
    code::Pc,
    machine::{ClockChange, Fault, FaultKind, Machine},
    system::{
        ChannelId, ClockConstraint, ClockTerm, Edge, EdgeId, Guard, Location, LocationId, Operand, ProcessId, Sync,
    },
    vector::SyncVector,
};

use super::{
    ExplicitOptions, Time,
    clocks::{Bounds, ClockValues, Clocks, Widen},
};

/// The reason why a successor could not be computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepError {
    /// A run-time error of the model.
    Fault(Fault),
    /// The bounds on clock values are too small.
    Widen,
    /// The limit on transitions was reached.
    Many,
}

impl From<Fault> for StepError {
    fn from(fault: Fault) -> StepError {
        StepError::Fault(fault)
    }
}

impl From<Widen> for StepError {
    fn from(_: Widen) -> StepError {
        StepError::Widen
    }
}

type Result<T> = std::result::Result<T, StepError>;

/// A state with concrete clock values.
#[derive(Clone, Debug)]
pub(super) struct ExplicitState {
    /// The whole row, including meta variables: a transition reads what the one before it wrote.
    pub row: Vec<i32>,
    pub clocks: ClockValues,
}

/// Edges that are taken together: the sender, or the edge of an internal transition, first; then
/// the receivers in the order of their processes, which is the order of their updates.
#[derive(Clone, Debug)]
struct ExplicitTransition {
    edges: Vec<EdgeId>,
    /// The priority of the channel, then the highest one of the processes.
    priority: (i32, i32),
}

/// The result of a delay.
#[derive(Default)]
pub(super) struct Delay {
    /// A moment before the next state. Only ticks have one.
    pub within: Option<ExplicitState>,
    /// The next state.
    pub next: Option<ExplicitState>,
}

/// A system with a machine for its expressions.
pub(super) struct ExplicitNetwork<'a> {
    pub system: &'a System,
    machine: Machine<'a>,
    time: Time,
    /// Whether the system has urgent channels.
    urgent: bool,
    pub clocks: Clocks,
    /// The remaining number of transitions. Receivers of a broadcast combine their edges, so that a
    /// few states may have very many.
    pub transitions: usize,
    /// Whether transitions that fail are skipped.
    beside: bool,
    /// The first of their errors.
    pub fault: Option<Fault>,
}

impl<'a> ExplicitNetwork<'a> {
    /// Creates the semantics of a system, with a limit on transitions.
    pub(super) fn new(
        system: &'a System,
        options: ExplicitOptions,
        bounds: Bounds,
        transitions: usize,
    ) -> ExplicitNetwork<'a> {
        let ExplicitOptions { time, beside, .. } = options;
        let stopwatches = has_stopwatches(system);
        let clocks = Clocks::new(time, system.clocks.len(), stopwatches, bounds);
        let urgent = system.channels.iter().any(|c| c.urgent);
        let machine = Machine::new(&system.code, system.initial.len());
        ExplicitNetwork { system, machine, time, urgent, clocks, transitions, beside, fault: None }
    }

    /// Returns the initial state; `None` if it violates an invariant.
    pub(super) fn initial(&mut self) -> Result<Option<ExplicitState>> {
        let mut clocks = vec![0; self.system.clocks.len()];
        for (i, clock) in self.system.clocks.iter().enumerate() {
            self.clocks.set(&mut clocks, i, clock.initial)?;
        }
        self.clocks.normalise(&mut clocks);
        let state = ExplicitState { row: self.system.initial.clone(), clocks };
        Ok(self.invariant(&state)?.then_some(state))
    }

    fn location(&self, row: &[i32], process: usize) -> LocationId {
        self.system.location(row, ProcessId(process as u32))
    }

    fn at(&self, row: &[i32], process: usize) -> &'a Location {
        &self.system.locations[self.location(row, process).0 as usize]
    }

    fn edge(&self, edge: EdgeId) -> &'a Edge {
        &self.system.edges[edge.0 as usize]
    }

    /// Selects the state in whose row expressions are evaluated.
    pub(super) fn enter(&mut self, state: &ExplicitState) {
        self.machine.load(&state.row);
    }

    /// Evaluates a condition in the selected row.
    pub(super) fn test(&mut self, pc: Pc) -> Result<bool> {
        Ok(self.machine.test(pc)?)
    }

    /// Evaluates an expression in the selected row.
    pub(super) fn value(&mut self, pc: Pc) -> Result<i32> {
        Ok(self.machine.value(pc)?)
    }

    fn term(&mut self, term: ClockTerm) -> Result<usize> {
        Ok(match term {
            ClockTerm::Clock(clock) => clock.0 as usize,
            ClockTerm::Element { pc, .. } => self.machine.value(pc)? as usize,
        })
    }

    fn operand(&mut self, operand: Operand) -> Result<i64> {
        Ok(match operand {
            Operand::Const(value) => value,
            Operand::Code { pc, .. } => self.machine.value(pc)?.into(),
        })
    }

    /// Evaluates a clock constraint in the selected row.
    pub(super) fn constraint(&mut self, c: &ClockConstraint, clocks: &[i64]) -> Result<bool> {
        if let Some(condition) = c.condition
            && !self.machine.test(condition)?
        {
            return Ok(true);
        }
        let sides = (self.term(c.left)?, self.term(c.right)?);
        let bound = self.operand(c.bound)?;
        Ok(self.clocks.compare(clocks, sides, bound, c.strict)?)
    }

    /// Evaluates a guard or invariant in the selected row.
    fn guard(&mut self, guard: &Guard, clocks: &[i64]) -> Result<bool> {
        if let Some(condition) = guard.condition
            && !self.machine.test(condition)?
        {
            return Ok(false);
        }
        for c in &guard.clocks {
            if !self.constraint(c, clocks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn invariant(&mut self, state: &ExplicitState) -> Result<bool> {
        self.enter(state);
        for process in 0..self.system.processes.len() {
            let location = self.at(&state.row, process);
            if !self.guard(&location.invariant, &state.clocks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    // Delays.

    /// Returns the delay successors. Time may pass if no location is urgent or committed and no
    /// synchronisation over an urgent channel is possible at that moment, as long as the invariants
    /// hold.
    ///
    /// The manual's formula for urgent channels considers single edges and forbids even the moment
    /// at which one becomes possible, so that it could never be taken. Its prose, and the tool,
    /// require a synchronisation: a sender alone does not stop time unless it broadcasts, and a
    /// delay d is legal if no synchronisation is possible at any moment before d. So time stops as
    /// soon as a guard `x >= 3` holds, and with `x > 3` it can't pass beyond 3 at all.
    pub(super) fn delay(&mut self, state: &ExplicitState) -> Result<Delay> {
        let processes = self.system.processes.len();
        let frozen = |l: &Location| l.urgent || l.committed;
        if (0..processes).any(|p| frozen(self.at(&state.row, p))) || self.is_urgent(state)? {
            return Ok(Delay::default());
        }
        let at = |clocks| ExplicitState { row: state.row.clone(), clocks };
        match self.time {
            Time::Regions => {
                let (clocks, open) = self.clocks.next_region(&state.clocks);
                let next = at(clocks);
                if open && self.is_urgent(&next)? || !self.invariant(&next)? {
                    return Ok(Delay::default());
                }
                Ok(Delay { within: None, next: Some(next) })
            }
            Time::Ticks(_) => {
                let stopped = self.stopped(state)?;
                let within = at(self.clocks.half_tick(&state.clocks, &stopped));
                if self.is_urgent(&within)? || !self.invariant(&within)? {
                    return Ok(Delay::default());
                }
                let mut next = at(self.clocks.half_tick(&within.clocks, &stopped));
                self.clocks.normalise(&mut next.clocks);
                let next = self.invariant(&next)?.then_some(next);
                Ok(Delay { within: Some(within), next })
            }
        }
    }

    /// Returns the stopped clocks. One invariant is enough to stop a clock, whatever the others
    /// say.
    fn stopped(&mut self, state: &ExplicitState) -> Result<Vec<bool>> {
        self.enter(state);
        let mut stopped = vec![false; self.system.clocks.len()];
        for process in 0..self.system.processes.len() {
            for rate in &self.at(&state.row, process).rates {
                if let Some(condition) = rate.condition
                    && !self.machine.test(condition)?
                {
                    continue;
                }
                let clock = self.term(rate.clock)?;
                match self.operand(rate.rate)? {
                    0 => stopped[clock] = true,
                    1 => {}
                    _ => return Err(Fault { kind: FaultKind::Unsupported, pc: u32::MAX }.into()),
                }
            }
        }
        Ok(stopped)
    }

    /// Returns whether a synchronisation over an urgent channel is possible. Only guards count:
    /// neither target invariants nor priorities.
    fn is_urgent(&mut self, state: &ExplicitState) -> Result<bool> {
        if !self.urgent {
            return Ok(false);
        }
        self.enter(state);
        for sender in 0..self.system.processes.len() {
            for &send in self.system.sending(self.location(&state.row, sender)) {
                let Sync::Send(channel) = self.edge(send).sync else { continue };
                let kind = &self.system.channels[channel.0 as usize];
                if !kind.urgent || !self.guard(&self.edge(send).guard, &state.clocks)? {
                    continue;
                }
                if kind.broadcast || !self.receivers(state, sender, channel)?.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    // Transitions.

    /// Returns, for each process other than `sender` that can receive, its possible edges.
    fn receivers(
        &mut self,
        state: &ExplicitState,
        sender: usize,
        channel: ChannelId,
    ) -> Result<Vec<(usize, Vec<EdgeId>)>> {
        let mut found = Vec::new();
        for process in (0..self.system.processes.len()).filter(|p| *p != sender) {
            let mut edges = Vec::new();
            for &edge in self.system.receiving(self.location(&state.row, process), channel) {
                if self.guard(&self.edge(edge).guard, &state.clocks)? {
                    edges.push(edge);
                }
            }
            if !edges.is_empty() {
                found.push((process, edges));
            }
        }
        Ok(found)
    }

    /// Returns all transitions whose guards hold and that the committed locations permit.
    fn enabled(&mut self, state: &ExplicitState) -> Result<Vec<ExplicitTransition>> {
        self.enter(state);
        let processes = self.system.processes.len();
        let committed: Vec<bool> = (0..processes).map(|p| self.at(&state.row, p).committed).collect();
        let any_committed = committed.contains(&true);
        let mut found = Vec::new();
        for process in 0..processes {
            let location = self.location(&state.row, process);
            for &edge in self.system.internal(location) {
                if (!any_committed || committed[process]) && self.guard(&self.edge(edge).guard, &state.clocks)? {
                    self.add(&mut found, None, vec![edge])?;
                }
            }
            self.synchronisations(state, process, &committed, &mut found)?;
        }
        self.joint_transitions(state, &committed, &mut found)?;
        Ok(found)
    }

    /// Adds the binary and broadcast synchronisations that a process sends.
    fn synchronisations(
        &mut self,
        state: &ExplicitState,
        process: usize,
        committed: &[bool],
        found: &mut Vec<ExplicitTransition>,
    ) -> Result<()> {
        let (processes, any_committed) = (committed.len(), committed.contains(&true));
        for &send in self.system.sending(self.location(&state.row, process)) {
            let Sync::Send(channel) = self.edge(send).sync else { continue };
            // A synchronisation without a committed participant is not evaluated, so it can't fail
            // either.
            let receives =
                |p: usize| p != process && !self.system.receiving(self.location(&state.row, p), channel).is_empty();
            if any_committed && !committed[process] && !(0..processes).any(|p| committed[p] && receives(p)) {
                continue;
            }
            if !self.guard(&self.edge(send).guard, &state.clocks)? {
                continue;
            }
            let receivers = self.receivers(state, process, channel)?;
            let permitted = |p: usize| !any_committed || committed[process] || committed[p];
            if !self.system.channels[channel.0 as usize].broadcast {
                for (_, edges) in receivers.iter().filter(|(p, _)| permitted(*p)) {
                    for &receive in edges {
                        self.add(found, Some(channel), vec![send, receive])?;
                    }
                }
            } else if !any_committed || committed[process] || receivers.iter().any(|(p, _)| committed[*p]) {
                // Every process that can receive does, by one of its edges.
                let mut sets = vec![vec![send]];
                for (_, edges) in &receivers {
                    sets = self.combine(&sets, edges)?;
                }
                for set in sets {
                    self.add(found, Some(channel), set)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the transitions of synchronisation vectors.
    fn joint_transitions(
        &mut self,
        state: &ExplicitState,
        committed: &[bool],
        found: &mut Vec<ExplicitTransition>,
    ) -> Result<()> {
        let any_committed = committed.contains(&true);
        for vector in &self.system.vectors {
            for edges in self.joint(state, vector)? {
                let leaves = |e: &EdgeId| committed[self.edge(*e).process.0 as usize];
                if any_committed && !edges.iter().any(leaves) {
                    continue;
                }
                let mut holds = true;
                for edge in &edges {
                    holds = holds && self.guard(&self.edge(*edge).guard, &state.clocks)?;
                }
                if holds {
                    self.add(found, None, edges)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the combinations of edges for a synchronisation vector by locations alone: each
    /// participant takes one edge with its event. A weak participant without such an edge is left
    /// out; a strong one blocks the vector.
    fn joint(&self, state: &ExplicitState, vector: &SyncVector) -> Result<Vec<Vec<EdgeId>>> {
        let mut sets: Vec<Vec<EdgeId>> = vec![Vec::new()];
        for participant in &vector.participants {
            let location = self.location(&state.row, participant.process.0 as usize);
            let edges = self.system.edges.iter().zip((0..).map(EdgeId));
            let own: Vec<EdgeId> = edges
                .filter(|(edge, _)| edge.source == location && edge.sync == Sync::Event(participant.event))
                .map(|(_, id)| id)
                .collect();
            if own.is_empty() && participant.weak {
                continue;
            }
            sets = self.combine(&sets, &own)?;
        }
        sets.retain(|set| !set.is_empty());
        Ok(sets)
    }

    /// Returns each of the sets with each of the edges.
    fn combine(&self, sets: &[Vec<EdgeId>], edges: &[EdgeId]) -> Result<Vec<Vec<EdgeId>>> {
        if sets.len().saturating_mul(edges.len()) > self.transitions {
            return Err(StepError::Many);
        }
        Ok(sets.iter().flat_map(|set| edges.iter().map(move |e| [set.as_slice(), &[*e]].concat())).collect())
    }

    fn add(
        &mut self,
        found: &mut Vec<ExplicitTransition>,
        channel: Option<ChannelId>,
        edges: Vec<EdgeId>,
    ) -> Result<()> {
        self.transitions = self.transitions.checked_sub(1).ok_or(StepError::Many)?;
        let of_channel = channel.map_or(self.system.internal_priority, |c| self.system.channels[c.0 as usize].priority);
        let of_process = |e: &EdgeId| self.system.processes[self.edge(*e).process.0 as usize].priority;
        let of_processes = edges.iter().map(of_process).max().unwrap_or(0);
        found.push(ExplicitTransition { edges, priority: (of_channel, of_processes) });
        Ok(())
    }

    /// Returns the state after a transition; `None` if it violates an invariant.
    fn fire(&mut self, state: &ExplicitState, edges: &[EdgeId]) -> Result<Option<ExplicitState>> {
        self.enter(state);
        self.machine.changes.clear();
        let updates = edges.iter().map(|e| self.edge(*e).update);
        let hooks = (self.system.before_update, self.system.after_update);
        for pc in [hooks.0].into_iter().chain(updates).chain([hooks.1]).flatten().collect::<Vec<Pc>>() {
            self.machine.execute(pc)?;
        }
        let mut row = self.machine.row().to_vec();
        for &edge in edges {
            let edge = self.edge(edge);
            let process = edge.process.0 as usize;
            row[process] = (edge.target.0 - self.system.processes[process].first_location.0) as i32;
        }
        let mut clocks = state.clocks.clone();
        for change in std::mem::take(&mut self.machine.changes) {
            match change {
                ClockChange::Set { clock, value } => self.clocks.set(&mut clocks, clock as usize, value)?,
                ClockChange::Copy { clock, from, plus } => {
                    self.clocks.copy(&mut clocks, clock as usize, from as usize, plus)?;
                    // A run-time error, as for a negative integer.
                    let value = clocks[clock as usize];
                    if value < 0 {
                        let kind = FaultKind::NegativeClock(self.clocks.whole(value));
                        return Err(Fault { kind, pc: u32::MAX }.into());
                    }
                }
            }
        }
        self.clocks.normalise(&mut clocks);
        let next = ExplicitState { row, clocks };
        Ok(self.invariant(&next)?.then_some(next))
    }

    /// Returns the transitions of a state with their successors.
    ///
    /// A transition is blocked by one of strictly higher priority. By the manual this is a
    /// transition with all its conditions, so a synchronisation that an invariant forbids blocks
    /// nothing.
    pub(super) fn successors(&mut self, state: &ExplicitState) -> Result<Vec<(Vec<EdgeId>, ExplicitState)>> {
        let mut transitions = self.enabled(state)?;
        transitions.sort_by_key(|t| std::cmp::Reverse(t.priority));
        let mut found = Vec::new();
        let mut highest = None;
        for t in transitions {
            if highest.is_some_and(|h| h > t.priority) {
                break;
            }
            let next = match self.fire(state, &t.edges) {
                // Whether it would block transitions of lower priority is unknown, so they are
                // blocked.
                Err(StepError::Fault(fault)) if self.beside => {
                    self.fault.get_or_insert(fault);
                    highest = Some(t.priority);
                    continue;
                }
                next => next?,
            };
            if let Some(next) = next {
                highest = Some(t.priority);
                found.push((t.edges, next));
            }
        }
        Ok(found)
    }
}

/// Returns whether some clock may be stopped.
pub(super) fn has_stopwatches(system: &System) -> bool {
    system.locations.iter().flat_map(|l| &l.rates).any(|r| r.rate != Operand::Const(1))
}
