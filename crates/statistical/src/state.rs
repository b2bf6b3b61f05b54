//! The state of a run: a row, the values of clocks, and the time.

use model::{
    machine::{ClockChange, Draws, Fault, FaultKind, Machine},
    random::RunRandom,
    stochastic::TimedCondition,
    system::{ClockConstraint, ClockId, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, System},
};

use crate::{
    grid::{Grid, Ticks, later},
    motion::Motion,
    network::{Network, Reads},
    problem::RunFault,
    window::Window,
};

/// The rate of a clock that no process gives one.
const NO_RATE: i32 = i32::MIN;

/// A state, and what evaluates conditions in it.
pub(crate) struct RunState<'a> {
    pub network: &'a Network<'a>,
    pub grid: Grid,
    pub machine: Machine<'a>,
    /// The location of each process.
    locations: Vec<LocationId>,
    /// The values of clocks; number 0 is the reference clock.
    pub clocks: Vec<Ticks>,
    /// The rates of clocks in this state.
    rates: Vec<i32>,
    /// The time since the start.
    pub time: Ticks,
    /// The number of transitions since the start.
    pub steps: u64,
    /// The clocks whose values are no multiples of a step.
    pub motion: Motion<'a>,
    /// How far something is looked for, and whether it may be beyond.
    pub horizon: Option<Ticks>,
    pub is_cut: bool,
    /// The numbers that updates draw.
    draws: Draws,
    /// The row and the clocks before the transition that is being tried.
    saved: Valuation,
}

/// What a transition changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Valuation {
    row: Vec<i32>,
    clocks: Vec<Ticks>,
    values: Vec<f64>,
}

/// A state that was entered by a transition, with all that a run needs to go on from it.
#[derive(Clone, Debug)]
pub(crate) struct StateCopy {
    valuation: Valuation,
    time: Ticks,
    /// The number of transitions before it.
    pub steps: u64,
}

impl<'a> RunState<'a> {
    pub(crate) fn new(network: &'a Network<'a>, grid: Grid) -> RunState<'a> {
        let system = network.system;
        let mut rates = vec![1; system.clocks.len()];
        rates[0] = 0;
        let mut machine = Machine::new(&system.code, system.initial.len());
        machine.environment.clocks = vec![0.0; system.clocks.len()];
        RunState {
            network,
            grid,
            machine,
            locations: vec![LocationId(0); system.processes.len()],
            clocks: vec![0; system.clocks.len()],
            rates,
            time: 0,
            steps: 0,
            motion: Motion::new(if network.has_analog { system.clocks.len() } else { 0 }),
            horizon: None,
            is_cut: false,
            draws: Draws::Never,
            saved: Valuation::default(),
        }
    }

    fn system(&self) -> &'a System {
        self.network.system
    }

    /// Goes back to the initial state, for a run of its own random numbers.
    pub(crate) fn start(&mut self, numbers: (u64, u64)) -> Result<(), RunFault> {
        self.draw_from(numbers);
        let system = self.system();
        self.machine.load(&system.initial);
        self.find_locations();
        for (value, clock) in self.clocks.iter_mut().zip(&system.clocks) {
            *value = self.grid.whole(i64::from(clock.initial));
        }
        for (value, clock) in self.motion.values.iter_mut().zip(&system.clocks) {
            *value = f64::from(clock.initial);
        }
        for (clock, value) in self.network.starts {
            self.motion.values[clock.0 as usize] = *value;
        }
        (self.time, self.steps) = (0, 0);
        if !self.invariants_hold()? {
            return Err(RunFault::Initial);
        }
        self.find_rates()
    }

    /// Returns the location of a process.
    #[inline]
    pub(crate) fn location(&self, process: usize) -> LocationId {
        self.locations[process]
    }

    fn find_locations(&mut self) {
        for process in 0..self.locations.len() {
            self.locations[process] = self.system().location(self.machine.row(), ProcessId(process as u32));
        }
    }

    /// Computes the rates of clocks in this state.
    fn find_rates(&mut self) -> Result<(), RunFault> {
        if self.network.has_rates {
            let system = self.system();
            self.rates[1..].fill(NO_RATE);
            for process in 0..system.processes.len() {
                for rate in &system.locations[self.location(process).0 as usize].rates {
                    if self.test(rate.condition)? {
                        let value = self.number(rate.rate)?;
                        let clock = self.clock(rate.clock)?;
                        let (before, value) = (self.rates[clock], value as i32);
                        // A clock that a process stops stands still, as for symbolic analysis.
                        self.rates[clock] = match before {
                            NO_RATE => value,
                            _ if before == value => value,
                            _ if before == 0 || value == 0 => 0,
                            _ => return Err(RunFault::TwoRates(ClockId(clock as u32), before.into(), value.into())),
                        };
                    }
                }
            }
            self.rates[1..].iter_mut().filter(|rate| **rate == NO_RATE).for_each(|rate| *rate = 1);
        }
        if self.network.has_analog { self.find_slopes() } else { Ok(()) }
    }

    /// Returns the rate of a clock in this state.
    #[inline]
    pub(crate) fn rate_of(&self, clock: usize) -> i32 {
        self.rates[clock]
    }

    #[inline]
    pub(crate) fn test(&mut self, condition: Option<model::code::Pc>) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |pc| self.machine.test(pc))
    }

    #[inline]
    pub(crate) fn number(&mut self, operand: Operand) -> Result<i64, Fault> {
        match operand {
            Operand::Const(n) => Ok(n),
            Operand::Code { pc, .. } => self.machine.value(pc).map(i64::from),
        }
    }

    /// Returns the number of a clock.
    pub(crate) fn clock(&mut self, term: ClockTerm) -> Result<usize, Fault> {
        match term {
            ClockTerm::Clock(c) => Ok(c.0 as usize),
            ClockTerm::Element { pc, .. } => Ok(self.machine.value(pc)? as usize),
        }
    }

    /// Returns the delays after which a constraint holds.
    #[inline]
    pub(crate) fn constraint(&mut self, c: &ClockConstraint) -> Result<Option<Window>, Fault> {
        if c.condition.is_some() && !self.test(c.condition)? {
            return Ok(Some(Window::ALL));
        }
        let bound = self.number(c.bound)?;
        let (left, right) = (self.clock(c.left)?, self.clock(c.right)?);
        // The greatest value on the grid that the difference may have.
        let most = self.grid.whole(bound) - i64::from(c.strict);
        debug_assert!(!self.is_analog(left) && !self.is_analog(right));
        let slack = most.saturating_sub(self.clocks[left] - self.clocks[right]);
        let slope = i64::from(self.rates[left]) - i64::from(self.rates[right]);
        Ok(Window::below(slack, slope))
    }

    /// Returns the delays after which a guard holds; they are one window. A condition that fails
    /// before it is relevant is not evaluated.
    #[inline]
    pub(crate) fn guard(&mut self, guard: &Guard) -> Result<Option<Window>, Fault> {
        if guard.is_true() {
            return Ok(Some(Window::ALL));
        }
        if !self.test(guard.condition)? {
            return Ok(None);
        }
        let mut window = Window::ALL;
        for c in &guard.clocks {
            match self.constraint(c)?.and_then(|other| window.and(other)) {
                Some(both) => window = both,
                None => return Ok(None),
            }
        }
        Ok(Some(window))
    }

    /// Returns whether the guard of an edge holds now.
    pub(crate) fn is_enabled(&mut self, edge: EdgeId) -> Result<bool, RunFault> {
        let (network, guard) = (self.network, &self.system().edges[edge.0 as usize].guard);
        self.holds_now(guard, network.guard(edge))
    }

    fn holds_now(&mut self, guard: &Guard, rest: Option<&TimedCondition>) -> Result<bool, RunFault> {
        if !self.network.is_hybrid {
            return Ok(self.guard(guard)?.is_some_and(|window| window.contains(0)));
        }
        if !self.test(guard.condition)? {
            return Ok(false);
        }
        for c in &guard.clocks {
            let holds = match self.gap(c)? {
                Some(gap) => self.gap_holds(gap, c.strict)?,
                None => self.constraint(c)?.is_some_and(|window| window.contains(0)),
            };
            if !holds {
                return Ok(false);
            }
        }
        match rest {
            Some(rest) => Ok(self.earliest(&rest.holds, 0, Some(0))?.is_some()),
            None => Ok(true),
        }
    }

    /// Returns the last delay that the invariant of a location allows, if it bounds delays. The
    /// invariant holds now.
    pub(crate) fn end_of_invariant(&mut self, location: LocationId) -> Result<Option<Ticks>, Fault> {
        let system = self.system();
        let invariant = &system.locations[location.0 as usize].invariant;
        if invariant.clocks.is_empty() {
            return Ok(None);
        }
        Ok(self.guard(invariant)?.map_or(Some(0), |window| window.to))
    }

    /// The same, where conditions change in other ways than such windows.
    pub(crate) fn end_of_any_invariant(&mut self, location: LocationId) -> Result<Option<Ticks>, RunFault> {
        let (system, network) = (self.system(), self.network);
        let invariant = &system.locations[location.0 as usize].invariant;
        let mut end: Option<Ticks> = None;
        for c in &invariant.clocks {
            let last = if self.gap(c)?.is_some() {
                self.end_of_gap(c, end)?.map(|fails| (fails - 1).max(0))
            } else {
                self.constraint(c)?.map_or(Some(0), |window| window.to)
            };
            end = last.map_or(end, |last| Some(end.map_or(last, |end| end.min(last))));
        }
        if let Some(rest) = network.invariant(location)
            && let Some(fails) = self.earliest(&rest.fails, 0, end)?
        {
            end = Some((fails - 1).max(0));
        }
        Ok(end)
    }

    fn invariants_hold(&mut self) -> Result<bool, RunFault> {
        let system = self.system();
        for process in 0..system.processes.len() {
            let location = self.location(process);
            let (invariant, rest) =
                (&system.locations[location.0 as usize].invariant, self.network.invariant(location));
            if (!invariant.is_true() || rest.is_some()) && !self.holds_now(invariant, rest)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, delay: Ticks) -> Result<(), RunFault> {
        if delay == 0 {
            return Ok(());
        }
        if self.network.has_analog {
            self.move_clocks(delay)?;
        }
        for (value, rate) in self.clocks.iter_mut().zip(&self.rates) {
            *value = later(*value, *rate, delay)?;
        }
        self.time = later(self.time, 1, delay)?;
        Ok(())
    }

    /// Takes a transition whose guards hold. Returns whether its targets allow it; the state is as
    /// before if they don't.
    pub(crate) fn take(&mut self, edges: &[EdgeId]) -> Result<bool, RunFault> {
        let system = self.system();
        let mut saved = std::mem::take(&mut self.saved);
        self.save(&mut saved);
        self.saved = saved;
        self.machine.changes.clear();
        self.update(edges)?;
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let process = edge.process.0 as usize;
            let first = system.processes[process].first_location;
            self.machine.row_mut()[process] = (edge.target.0 - first.0) as i32;
            self.locations[process] = edge.target;
        }
        for i in 0..self.machine.changes.len() {
            self.change_clock(self.machine.changes[i])?;
        }
        if self.network.has_analog {
            self.take_clocks()?;
        }
        // The rates are still those of the state before, but only the values of now are used.
        if !self.invariants_hold()? {
            let saved = std::mem::take(&mut self.saved);
            self.load(&saved);
            self.saved = saved;
            return Ok(false);
        }
        self.steps += 1;
        self.find_rates()?;
        Ok(true)
    }

    /// Executes the updates of a transition.
    fn update(&mut self, edges: &[EdgeId]) -> Result<(), RunFault> {
        let system = self.system();
        if self.network.shows_clocks {
            self.show_clocks(0)?;
        }
        self.machine.environment.drawn.clear();
        std::mem::swap(&mut self.draws, &mut self.machine.environment.draws);
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        let mut done = Ok(());
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            done = done.and_then(|()| self.machine.execute(pc));
        }
        std::mem::swap(&mut self.draws, &mut self.machine.environment.draws);
        Ok(done?)
    }

    /// Returns the slots and clocks that the last transition has changed.
    pub(crate) fn changed(&self) -> Reads {
        let mut changed = Reads::default();
        for (i, (before, after)) in self.saved.row.iter().zip(self.machine.row()).enumerate() {
            if before != after {
                changed.slots |= Reads::bit(i);
            }
        }
        for change in &self.machine.changes {
            let (ClockChange::Set { clock, .. } | ClockChange::Copy { clock, .. }) = change;
            changed.clocks |= Reads::bit(*clock as usize);
        }
        changed
    }

    /// Keeps what transitions change.
    pub(crate) fn save(&self, saved: &mut Valuation) {
        saved.row.clear();
        saved.row.extend_from_slice(self.machine.row());
        saved.clocks.clone_from(&self.clocks);
        saved.values.clone_from(&self.motion.values);
    }

    fn load(&mut self, saved: &Valuation) {
        self.machine.load(&saved.row);
        self.find_locations();
        self.clocks.clone_from(&saved.clocks);
        self.motion.values.clone_from(&saved.values);
    }

    /// Goes back to an earlier state at the same moment.
    pub(crate) fn restore(&mut self, saved: &Valuation, steps: u64) -> Result<(), RunFault> {
        self.load(saved);
        self.steps = steps;
        self.find_rates()
    }

    /// Returns what a run can go on from.
    pub(crate) fn copy(&self) -> StateCopy {
        let mut valuation = Valuation::default();
        self.save(&mut valuation);
        StateCopy { valuation, time: self.time, steps: self.steps }
    }

    /// Goes on from a copy, with random numbers of its own.
    pub(crate) fn resume(&mut self, copy: &StateCopy, numbers: (u64, u64)) -> Result<(), RunFault> {
        self.draw_from(numbers);
        self.time = copy.time;
        self.restore(&copy.valuation, copy.steps)
    }

    /// Lets updates draw the random numbers of a run.
    fn draw_from(&mut self, (seed, run): (u64, u64)) {
        if self.network.draws {
            self.draws = Draws::Random(Box::new(RunRandom::of_model(seed, run)));
        }
    }

    fn change_clock(&mut self, change: ClockChange) -> Result<(), RunFault> {
        let (ClockChange::Set { clock, .. } | ClockChange::Copy { clock, .. }) = change;
        // The others are set as floating-point numbers.
        if self.is_analog(clock as usize) {
            return Ok(());
        }
        let (clock, value) = match change {
            ClockChange::Set { clock, value } => (clock, self.grid.whole(i64::from(value))),
            ClockChange::Copy { clock, from, plus } => {
                let value = later(self.clocks[from as usize], 1, self.grid.whole(i64::from(plus)))?;
                if value < 0 {
                    let number = self.grid.time(value).floor() as i32;
                    return Err(RunFault::Model(Fault { kind: FaultKind::NegativeClock(number), pc: u32::MAX }));
                }
                (clock, value)
            }
        };
        self.clocks[clock as usize] = value;
        Ok(())
    }
}
