//! The semantics of a network, state by state: what UPPAAL's manual says, written down as plainly as possible.
//!
//! Where the manual leaves something open, or its pages disagree, the decision stands at the code that makes it, and a
//! test in `tests` pins it.

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
    Time,
    clocks::{Bounds, Clocks, Values, Widen},
};

/// Why a step could not be computed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Halt {
    /// A run-time error of the model.
    Fault(Fault),
    /// The bounds on clock values were too small.
    Widen,
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(fault)
    }
}

impl From<Widen> for Halt {
    fn from(_: Widen) -> Halt {
        Halt::Widen
    }
}

type Result<T> = std::result::Result<T, Halt>;

/// A state.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The whole row, meta variables included: a transition reads what the one before it wrote.
    pub row: Vec<i32>,
    pub clocks: Values,
}

/// Edges that are taken together: the sender, or the one edge of an internal transition, first; then the receivers in
/// the order of their processes, which is the order of their updates.
#[derive(Clone, Debug)]
struct Transition {
    edges: Vec<EdgeId>,
    /// That of the channel counts first, then the highest one of the processes.
    priority: (i32, i32),
}

/// What the passing of time leads to.
#[derive(Default)]
pub(super) struct Delay {
    /// A moment on the way. Only ticks have one.
    pub within: Option<State>,
    /// The next state.
    pub next: Option<State>,
}

/// A system with a machine for its expressions.
pub(super) struct Network<'a> {
    pub system: &'a System,
    machine: Machine<'a>,
    time: Time,
    /// Whether there is an urgent channel at all.
    urgent: bool,
    pub clocks: Clocks,
}

impl<'a> Network<'a> {
    pub(super) fn new(system: &'a System, time: Time, bounds: Bounds) -> Network<'a> {
        let stopwatches = has_stopwatches(system);
        let clocks = Clocks::new(time, system.clocks.len(), stopwatches, bounds);
        let urgent = system.channels.iter().any(|c| c.urgent);
        Network { system, machine: Machine::new(&system.code, system.initial.len()), time, urgent, clocks }
    }

    /// The first state; `None` if it violates an invariant.
    pub(super) fn initial(&mut self) -> Result<Option<State>> {
        let mut clocks = vec![0; self.system.clocks.len()];
        for (i, clock) in self.system.clocks.iter().enumerate() {
            self.clocks.set(&mut clocks, i, clock.initial)?;
        }
        self.clocks.normalise(&mut clocks);
        let state = State { row: self.system.initial.clone(), clocks };
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

    /// Makes the row of a state the one that conditions are about.
    pub(super) fn enter(&mut self, state: &State) {
        self.machine.load(&state.row);
    }

    /// Whether a condition on the row that was entered holds.
    pub(super) fn test(&mut self, pc: Pc) -> Result<bool> {
        Ok(self.machine.test(pc)?)
    }

    /// The value of an expression in the row that was entered.
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

    /// Whether a constraint holds in the row that was entered.
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

    /// Whether a guard or invariant holds in the row that was entered.
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

    fn invariant(&mut self, state: &State) -> Result<bool> {
        self.enter(state);
        for process in 0..self.system.processes.len() {
            let location = self.at(&state.row, process);
            if !self.guard(&location.invariant, &state.clocks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    // Time.

    /// Time may pass from one moment on if no location is urgent or committed and no synchronisation over an urgent
    /// channel is possible at that moment, and as long as the invariants hold.
    ///
    /// The manual's formula for urgent channels looks at single edges and forbids even the moment at which one becomes
    /// possible, so that it could never be taken. Its prose, and the tool, ask for a synchronisation: a sender alone
    /// does not stop time unless it broadcasts, and a delay d is legal if no synchronisation is possible at any moment
    /// before d. So time stops as soon as a guard `x >= 3` holds, and can't pass beyond 3 at all with `x > 3`.
    pub(super) fn delay(&mut self, state: &State) -> Result<Delay> {
        let processes = self.system.processes.len();
        let frozen = |l: &Location| l.urgent || l.committed;
        if (0..processes).any(|p| frozen(self.at(&state.row, p))) || self.is_urgent(state)? {
            return Ok(Delay::default());
        }
        let at = |clocks| State { row: state.row.clone(), clocks };
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

    /// The clocks that stand still. One invariant is enough to stop a clock that others leave alone or let go.
    fn stopped(&mut self, state: &State) -> Result<Vec<bool>> {
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

    /// Whether a synchronisation over an urgent channel is possible. Only guards count: neither the invariants behind
    /// the edges nor priorities.
    fn is_urgent(&mut self, state: &State) -> Result<bool> {
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

    /// For each process other than `sender` that can receive, the edges that it can take.
    fn receivers(&mut self, state: &State, sender: usize, channel: ChannelId) -> Result<Vec<(usize, Vec<EdgeId>)>> {
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

    /// All transitions whose guards hold and that the committed locations permit.
    fn enabled(&mut self, state: &State) -> Result<Vec<Transition>> {
        self.enter(state);
        let processes = self.system.processes.len();
        let committed: Vec<bool> = (0..processes).map(|p| self.at(&state.row, p).committed).collect();
        let any_committed = committed.contains(&true);
        let mut found = Vec::new();
        for process in 0..processes {
            let location = self.location(&state.row, process);
            for &edge in self.system.internal(location) {
                if (!any_committed || committed[process]) && self.guard(&self.edge(edge).guard, &state.clocks)? {
                    self.add(&mut found, None, vec![edge]);
                }
            }
            for &send in self.system.sending(location) {
                let Sync::Send(channel) = self.edge(send).sync else { continue };
                // What no committed location can take part in is not even looked at, so it can't fail either.
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
                            self.add(&mut found, Some(channel), vec![send, receive]);
                        }
                    }
                } else if !any_committed || committed[process] || receivers.iter().any(|(p, _)| committed[*p]) {
                    // Every process that can receive does, by one of its edges.
                    let mut sets = vec![vec![send]];
                    for (_, edges) in &receivers {
                        sets = sets
                            .iter()
                            .flat_map(|set| {
                                edges.iter().map(move |&e| set.iter().copied().chain([e]).collect::<Vec<EdgeId>>())
                            })
                            .collect();
                    }
                    for set in sets {
                        self.add(&mut found, Some(channel), set);
                    }
                }
            }
        }
        for vector in &self.system.vectors {
            for edges in self.joint(state, vector) {
                let leaves = |e: &EdgeId| committed[self.edge(*e).process.0 as usize];
                if any_committed && !edges.iter().any(leaves) {
                    continue;
                }
                let mut holds = true;
                for edge in &edges {
                    holds = holds && self.guard(&self.edge(*edge).guard, &state.clocks)?;
                }
                if holds {
                    self.add(&mut found, None, edges);
                }
            }
        }
        Ok(found)
    }

    /// The edges that processes may take together by a vector, as far as locations tell: each participant takes part by one edge with
    /// its event. A weak one without such an edge is left out, a strong one keeps all others from it.
    fn joint(&self, state: &State, vector: &SyncVector) -> Vec<Vec<EdgeId>> {
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
            sets = sets.iter().flat_map(|set| own.iter().map(move |e| [set.as_slice(), &[*e]].concat())).collect();
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    fn add(&self, found: &mut Vec<Transition>, channel: Option<ChannelId>, edges: Vec<EdgeId>) {
        let of_channel = channel.map_or(self.system.internal_priority, |c| self.system.channels[c.0 as usize].priority);
        let of_process = |e: &EdgeId| self.system.processes[self.edge(*e).process.0 as usize].priority;
        let of_processes = edges.iter().map(of_process).max().unwrap_or(0);
        found.push(Transition { edges, priority: (of_channel, of_processes) });
    }

    /// The state behind a transition; `None` if it violates an invariant.
    fn fire(&mut self, state: &State, edges: &[EdgeId]) -> Result<Option<State>> {
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
                    // As with an integer that is negative.
                    let value = clocks[clock as usize];
                    if value < 0 {
                        let kind = FaultKind::NegativeClock(self.clocks.whole(value));
                        return Err(Fault { kind, pc: u32::MAX }.into());
                    }
                }
            }
        }
        self.clocks.normalise(&mut clocks);
        let next = State { row, clocks };
        Ok(self.invariant(&next)?.then_some(next))
    }

    /// The transitions from a state, with the states behind them.
    ///
    /// A transition is blocked if there is one of a strictly higher priority. By the manual that is a transition with
    /// all its conditions, so a synchronisation that an invariant forbids blocks nothing.
    pub(super) fn successors(&mut self, state: &State) -> Result<Vec<(Vec<EdgeId>, State)>> {
        let mut transitions = self.enabled(state)?;
        transitions.sort_by_key(|t| std::cmp::Reverse(t.priority));
        let mut found = Vec::new();
        let mut highest = None;
        for t in transitions {
            if highest.is_some_and(|h| h > t.priority) {
                break;
            }
            if let Some(next) = self.fire(state, &t.edges)? {
                highest = Some(t.priority);
                found.push((t.edges, next));
            }
        }
        Ok(found)
    }
}

/// Whether some clock may stand still.
pub(super) fn has_stopwatches(system: &System) -> bool {
    system.locations.iter().flat_map(|l| &l.rates).any(|r| r.rate != Operand::Const(1))
}
