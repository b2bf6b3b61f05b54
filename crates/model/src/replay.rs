//! Executes runs with exact arithmetic. Every delay, guard, update and invariant of a trace is
//! checked, by an implementation of the semantics that is independent of the engines: it uses
//! neither zones nor clock bounds.

mod execution;
mod hybrid;
mod maximal;
mod motion;
mod regions;

use crate::{
    code::Pc,
    machine::{ClockChange, Fault, Machine},
    property::Formula,
    ratio::Ratio,
    simulate::{Cut, DelayInterval, Simulator},
    system::{ClockConstraint, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, Sync, System},
    vector::Joint,
};

pub use execution::{Execution, Visit, replay, replay_each};
pub use hybrid::{HybridRefusal, HybridStep, replay_hybrid};
pub use maximal::{Claim, Ending, replay_maximal};
pub(crate) use motion::Motion;
pub use regions::Regions;

/// A step of a run: a delay, then a transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedStep {
    /// The delay before the transition.
    pub delay: Ratio,
    /// The edges: the sender first, then the receivers in the order of their processes.
    pub edges: Vec<EdgeId>,
}

/// A run of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<TimedStep>,
    /// The delay after the last transition.
    pub last_delay: Option<Ratio>,
}

/// A concrete state: locations and variables, and the value of each clock, the reference clock
/// included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcreteState {
    /// The row.
    pub row: Vec<i32>,
    /// The clocks.
    pub clocks: Vec<Ratio>,
}

/// The reason why a trace is not accepted as a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The initial state violates an invariant.
    Initial,
    /// The delay before a step is not allowed; the number of the step.
    Delay(usize, &'static str),
    /// The transition of a step can't be taken; the number of the step.
    Transition(usize, &'static str),
    /// A run-time error at a step.
    Fault(usize, Fault),
    /// The last state is not a goal state.
    Goal,
    /// The formula that should always hold is violated, before this step or at the end.
    Always(usize),
    /// The run does not continue after its last step as claimed.
    Ending(&'static str),
    /// Whether the trace is a run is undecided; the number of the step, and the reason.
    Unclear(usize, &'static str),
}

/// The reason why a question about a state has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// A run-time error.
    Fault(Fault),
    /// It is undecided.
    Unclear(&'static str),
}

/// A time does not fit into a [`Ratio`].
pub(crate) const DIGITS: &str = "times have too many digits";
/// The limit on transitions of a state was exceeded.
pub(crate) const TOO_MANY: &str = "too many transitions are possible";
/// Deadlock is undecided.
const DEADLOCK: &str = "whether a state is a deadlock is not known";

impl From<Fault> for Stuck {
    fn from(fault: Fault) -> Stuck {
        Stuck::Fault(fault)
    }
}

impl Stuck {
    /// Returns a function from reasons to the refusal of a trace at a step.
    pub(crate) fn at(step: usize) -> impl Fn(Stuck) -> Refusal + Copy {
        move |stuck| match stuck {
            Stuck::Fault(fault) => Refusal::Fault(step, fault),
            Stuck::Unclear(why) => Refusal::Unclear(step, why),
        }
    }
}

/// A clock constraint in a row: an upper bound on the difference of two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the clock on the left; 0 is the reference clock.
    pub left: usize,
    /// The number of the clock on the right.
    pub right: usize,
    /// The bound.
    pub bound: i64,
    /// Whether the bound is strict.
    pub strict: bool,
}

/// Executes a system by its semantics. All other executions of runs use this one.
pub struct Replayer<'a> {
    system: &'a System,
    pub(crate) machine: Machine<'a>,
}

impl<'a> Replayer<'a> {
    /// Creates a replayer of a system.
    #[must_use]
    pub fn new(system: &'a System) -> Replayer<'a> {
        Replayer { system, machine: Machine::new(&system.code, system.initial.len()) }
    }

    /// Returns the initial values of variables and clocks, whether or not invariants allow them.
    fn initial(&self) -> ConcreteState {
        let clocks = self.system.clocks.iter().map(|c| Ratio::from(c.initial)).collect();
        ConcreteState { row: self.system.initial.clone(), clocks }
    }

    /// Returns the locations whose invariants the initial state violates. An invariant that can't
    /// be evaluated is not among them.
    pub(crate) fn violated_at_start(&mut self) -> Vec<LocationId> {
        let (system, state) = (self.system, self.initial());
        let mut locations = self.locations(&state.row);
        locations.retain(|l| self.guard(&system.locations[l.0 as usize].invariant, &state) == Ok(false));
        locations
    }

    /// Returns the initial state.
    pub(crate) fn start(&mut self) -> Result<ConcreteState, Refusal> {
        let state = self.initial();
        let holds = self.invariants(&state).map_err(|f| Refusal::Fault(0, f))?;
        if holds { Ok(state) } else { Err(Refusal::Initial) }
    }

    /// Loads a row into the machine.
    pub fn load(&mut self, row: &[i32]) {
        self.machine.load(row);
    }

    /// Returns the locations of all processes.
    #[must_use]
    pub fn locations(&self, row: &[i32]) -> Vec<LocationId> {
        (0..self.system.processes.len()).map(|p| self.system.location(row, ProcessId(p as u32))).collect()
    }

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

    /// Returns whether a condition holds in the loaded row.
    ///
    /// # Errors
    /// The condition fails.
    pub fn test(&mut self, condition: Option<Pc>) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |pc| self.machine.test(pc))
    }

    /// Evaluates a clock constraint in the loaded row; `None` if its condition does not hold.
    ///
    /// # Errors
    /// An expression in it fails.
    pub fn difference(&mut self, c: &ClockConstraint) -> Result<Option<Difference>, Fault> {
        if !self.test(c.condition)? {
            return Ok(None);
        }
        let bound = self.number(c.bound)?;
        Ok(Some(Difference { left: self.clock(c.left)?, right: self.clock(c.right)?, bound, strict: c.strict }))
    }

    /// Returns whether a clock constraint holds in the loaded row.
    fn constraint(&mut self, c: &ClockConstraint, clocks: &[Ratio]) -> Result<bool, Fault> {
        let Some(Difference { left, right, bound, strict }) = self.difference(c)? else { return Ok(true) };
        let (floor, whole) = clocks[left].floor_minus(clocks[right]);
        Ok(floor < bound.into() || floor == bound.into() && whole && !strict)
    }

    fn guard(&mut self, guard: &Guard, state: &ConcreteState) -> Result<bool, Fault> {
        self.machine.load(&state.row);
        self.guard_here(guard, state)
    }

    /// Returns whether a guard holds in the loaded row. Loading is separate because rows can be
    /// long and guards many.
    fn guard_here(&mut self, guard: &Guard, state: &ConcreteState) -> Result<bool, Fault> {
        if !self.test(guard.condition)? {
            return Ok(false);
        }
        for c in &guard.clocks {
            if !self.constraint(c, &state.clocks)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn invariants(&mut self, state: &ConcreteState) -> Result<bool, Fault> {
        let system = self.system;
        self.machine.load(&state.row);
        for location in self.locations(&state.row) {
            if !self.guard_here(&system.locations[location.0 as usize].invariant, state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Delays.
    pub(crate) fn delay(&mut self, state: &mut ConcreteState, delay: Ratio, step: usize) -> Result<(), Refusal> {
        if delay == Ratio::ZERO {
            return Ok(());
        }
        let fault = |f| Refusal::Fault(step, f);
        if delay < Ratio::ZERO {
            return Err(Refusal::Delay(step, "time does not run backward"));
        }
        let system = self.system;
        let places = self.locations(&state.row);
        let stops_time = |l: &LocationId| {
            let location = &system.locations[l.0 as usize];
            location.urgent || location.committed
        };
        if places.iter().any(stops_time) {
            return Err(Refusal::Delay(step, "a location is urgent or committed"));
        }
        let stopped = self.stopped(&state.row).map_err(fault)?;
        let motion = Motion::new(&state.clocks, &stopped);
        if self.urgent_before(&state.row, &motion, Some(delay)).map_err(Stuck::at(step))? {
            return Err(Refusal::Delay(step, "an urgent synchronisation is possible"));
        }
        state.clocks = motion.after(delay).ok_or(Refusal::Unclear(step, DIGITS))?;
        // Invariants are convex and held before, so it is enough to check the end.
        if !self.invariants(state).map_err(fault)? {
            return Err(Refusal::Delay(step, "an invariant does not allow it"));
        }
        Ok(())
    }

    /// Returns which clocks are stopped in a row.
    ///
    /// # Errors
    /// A rate fails.
    pub fn stopped(&mut self, row: &[i32]) -> Result<Vec<bool>, Fault> {
        let system = self.system;
        let mut stopped = vec![false; system.clocks.len()];
        self.machine.load(row);
        for location in self.locations(row) {
            for rate in &system.locations[location.0 as usize].rates {
                if self.test(rate.condition)? && self.number(rate.rate)? == 0 {
                    let clock = self.clock(rate.clock)?;
                    stopped[clock] = true;
                }
            }
        }
        Ok(stopped)
    }

    /// Returns whether a synchronisation over an urgent channel becomes possible before the end of
    /// `delay`, or ever if it is `None`.
    fn urgent_before(&mut self, row: &[i32], motion: &Motion, delay: Option<Ratio>) -> Result<bool, Stuck> {
        self.machine.load(row);
        for guards in self.urgent(row) {
            if self.possible_before(&guards, motion, delay)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the guards of each synchronisation over an urgent channel that a row has edges for.
    #[must_use]
    pub fn urgent(&self, row: &[i32]) -> Vec<Vec<&'a Guard>> {
        let (system, places) = (self.system, self.locations(row));
        let guard = |e: EdgeId| &system.edges[e.0 as usize].guard;
        let mut found = Vec::new();
        for (p, &place) in places.iter().enumerate() {
            for &send in system.sending(place) {
                let Sync::Send(c) = system.edges[send.0 as usize].sync else { continue };
                let channel = &system.channels[c.0 as usize];
                if !channel.urgent {
                    continue;
                }
                if channel.broadcast {
                    found.push(vec![guard(send)]);
                    continue;
                }
                let others = places.iter().enumerate().filter(|(q, _)| *q != p);
                let receives = others.flat_map(|(_, other)| system.receiving(*other, c));
                found.extend(receives.map(|receive| vec![guard(send), guard(*receive)]));
            }
        }
        found
    }

    /// Returns whether all guards hold at some moment before the end of `delay`, in the loaded row.
    fn possible_before(&mut self, guards: &[&Guard], motion: &Motion, delay: Option<Ratio>) -> Result<bool, Stuck> {
        let mut left = DelayInterval { from: Cut::START, to: delay.map(|at| Cut { at, after: false }) };
        for guard in guards {
            if !self.test(guard.condition)? {
                return Ok(false);
            }
            for c in &guard.clocks {
                // The constraints after one that never holds are not evaluated, so they can't fail.
                match self.moments(c, motion)?.and_then(|moments| left.and(&moments)) {
                    Some(moments) => left = moments,
                    None => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// Takes a transition.
    pub(crate) fn take(&mut self, state: &mut ConcreteState, edges: &[EdgeId], step: usize) -> Result<(), Refusal> {
        let fault = |f| Refusal::Fault(step, f);
        let refuse = |why| Err(Refusal::Transition(step, why));
        let system = self.system;
        let places = self.locations(&state.row);
        self.machine.load(&state.row);
        for (i, e) in edges.iter().enumerate() {
            let Some(edge) = system.edges.get(e.0 as usize) else { return refuse("there is no such edge") };
            if places[edge.process.0 as usize] != edge.source {
                return refuse("an edge starts elsewhere");
            }
            if edges[..i].iter().any(|f| system.edges[f.0 as usize].process == edge.process) {
                return refuse("a process takes two edges");
            }
            if !self.guard_here(&edge.guard, state).map_err(fault)? {
                return refuse("a guard does not hold");
            }
        }
        if !self.synchronises(state, edges).map_err(fault)? {
            return refuse("the edges do not synchronise");
        }
        let committed = |l: LocationId| system.locations[l.0 as usize].committed;
        if places.iter().any(|l| committed(*l)) && !edges.iter().any(|e| committed(system.edges[e.0 as usize].source)) {
            return refuse("a committed location must be left first");
        }
        if system.has_priorities && Simulator::new(system).is_outranked(state, edges).map_err(Stuck::at(step))? {
            return refuse("a transition of a higher priority is possible");
        }
        let (row, changes) = self.update(&state.row, edges).map_err(fault)?;
        state.row = row;
        for change in changes {
            match change {
                ClockChange::Set { clock, value } => state.clocks[clock as usize] = Ratio::from(value),
                ClockChange::Copy { clock, from, plus } => {
                    let value =
                        state.clocks[from as usize].plus(Ratio::from(plus)).ok_or(Refusal::Unclear(step, DIGITS))?;
                    if value < Ratio::ZERO {
                        return refuse("a clock becomes negative");
                    }
                    state.clocks[clock as usize] = value;
                }
            }
        }
        if !self.invariants(state).map_err(fault)? {
            return refuse("an invariant does not hold after it");
        }
        Ok(())
    }

    /// Returns the row after a transition, and its changes of clocks.
    ///
    /// # Errors
    /// An update fails.
    pub fn update(&mut self, row: &[i32], edges: &[EdgeId]) -> Result<(Vec<i32>, Vec<ClockChange>), Fault> {
        let system = self.system;
        self.machine.load(row);
        self.machine.changes.clear();
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            self.machine.execute(pc)?;
        }
        let mut row = self.machine.row().to_vec();
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let first = system.processes[edge.process.0 as usize].first_location;
            row[edge.process.0 as usize] = (edge.target.0 - first.0) as i32;
        }
        Ok((row, std::mem::take(&mut self.machine.changes)))
    }

    /// Returns the edges by which other processes could receive a broadcast. The transition is
    /// possible only where none of their guards hold.
    #[must_use]
    pub fn silent(&self, row: &[i32], edges: &[EdgeId]) -> Vec<EdgeId> {
        let system = self.system;
        let edge = |e: &EdgeId| &system.edges[e.0 as usize];
        let Some(Sync::Send(channel)) = edges.first().map(|e| edge(e).sync) else { return Vec::new() };
        if !system.channels[channel.0 as usize].broadcast {
            return Vec::new();
        }
        let places = self.locations(row).into_iter().enumerate();
        let others = places.filter(|(q, _)| edges.iter().all(|e| edge(e).process.0 as usize != *q));
        others.flat_map(|(_, place)| system.receiving(place, channel)).copied().collect()
    }

    /// Returns whether the edges, whose guards hold, form one transition.
    fn synchronises(&mut self, state: &ConcreteState, edges: &[EdgeId]) -> Result<bool, Fault> {
        let system = self.system;
        let Some((first, rest)) = edges.split_first() else { return Ok(false) };
        let sender = &system.edges[first.0 as usize];
        let channel = match sender.sync {
            Sync::Internal => return Ok(rest.is_empty()),
            Sync::Event(_) => {
                let mut found = false;
                Joint::new(system).for_each(&state.row, |_, joint| found |= joint == edges);
                return Ok(found);
            }
            Sync::Receive(_) => return Ok(false),
            Sync::Send(c) => c,
        };
        if rest.iter().any(|e| system.edges[e.0 as usize].sync != Sync::Receive(channel)) {
            return Ok(false);
        }
        if !system.channels[channel.0 as usize].broadcast {
            return Ok(rest.len() == 1);
        }
        // All processes that can receive must, and the receivers are in the order of their
        // processes.
        let process = |e: &EdgeId| system.edges[e.0 as usize].process;
        if !rest.is_sorted_by_key(process) {
            return Ok(false);
        }
        self.machine.load(&state.row);
        for receive in self.silent(&state.row, edges) {
            if self.guard_here(&system.edges[receive.0 as usize].guard, state)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a formula holds in a state of a run; an undecided one is refused.
    pub(crate) fn decides(&mut self, formula: &Formula, state: &ConcreteState, step: usize) -> Result<bool, Refusal> {
        let holds = self.holds(formula, state).map_err(|fault| Refusal::Fault(step, fault))?;
        holds.ok_or(Refusal::Unclear(step, DEADLOCK))
    }

    /// Returns whether a formula holds in a state; `None` if that is undecided.
    pub(crate) fn holds(&mut self, formula: &Formula, state: &ConcreteState) -> Result<Option<bool>, Fault> {
        self.machine.load(&state.row);
        Ok(match formula {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::Condition(pc) => Some(self.machine.test(*pc)?),
            Formula::Clock(c) => Some(self.constraint(c, &state.clocks)?),
            Formula::Deadlock { negated } => self.is_dead(state)?.map(|dead| dead != *negated),
            Formula::NetDeadlock { states, .. } => self.holds(states, state)?,
            Formula::And(parts) => self.join(parts, state, false)?,
            Formula::Or(parts) => self.join(parts, state, true)?,
        })
    }

    /// Evaluates a conjunction, which `false` decides, or a disjunction, which `true` decides.
    fn join(&mut self, parts: &[Formula], state: &ConcreteState, decisive: bool) -> Result<Option<bool>, Fault> {
        let mut result = Some(!decisive);
        for part in parts {
            match self.holds(part, state)? {
                Some(truth) if truth == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => result = None,
            }
        }
        Ok(result)
    }
}
