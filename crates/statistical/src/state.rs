//! The state of a run: a row, the values of clocks, and the time.

use model::{
    machine::{ClockChange, Draws, Fault, FaultKind, Machine},
    random::RunRandom,
    stochastic::TimedCondition,
    system::{ClockConstraint, ClockId, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, Rate, System},
};

use crate::{
    clauses::{Clause, Clauses, RowCondition},
    grid::{Grid, MOST, Ticks, later},
    motion::Motion,
    network::{Network, Touched},
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
    /// The location of each process, and how many of them are committed.
    locations: Vec<LocationId>,
    committed: u32,
    /// What the invariant of each process depends on.
    invariants: Vec<Touched>,
    /// The guards whose clocks are compared with known numbers.
    clauses: Clauses,
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
    /// What the last transition may have changed, and the processes for which that may matter,
    /// perhaps repeated.
    pub changed: Touched,
    pub affected: Vec<u32>,
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
        // Translated code does not show what it does to clocks.
        let mut machine = match network.shows_clocks {
            true => Machine::new(&system.code, system.initial.len()),
            false => Machine::translating(system),
        };
        machine.environment.clocks = vec![0.0; system.clocks.len()];
        RunState {
            network,
            grid,
            machine,
            locations: vec![LocationId(0); system.processes.len()],
            committed: 0,
            invariants: vec![Touched::default(); system.processes.len()],
            clauses: Clauses::new(system, grid),
            clocks: vec![0; system.clocks.len()],
            rates,
            time: 0,
            steps: 0,
            motion: Motion::new(if network.has_analog { system.clocks.len() } else { 0 }),
            horizon: None,
            is_cut: false,
            draws: Draws::Never,
            saved: Valuation::default(),
            changed: Touched::default(),
            affected: Vec::new(),
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
            let location = self.system().location(self.machine.row(), ProcessId(process as u32));
            self.locations[process] = location;
            self.invariants[process] = self.network.place(location).invariant;
        }
        let is_committed = |l: &&LocationId| self.network.system.locations[l.0 as usize].committed;
        self.committed = self.locations.iter().filter(is_committed).count() as u32;
    }

    /// Returns whether a process is in a committed location.
    #[inline]
    pub(crate) fn has_committed(&self) -> bool {
        self.committed > 0
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

    /// Returns whether a condition holds.
    #[inline(always)]
    fn test_condition(&mut self, condition: RowCondition) -> Result<bool, Fault> {
        match condition {
            RowCondition::True => Ok(true),
            RowCondition::Compare(slot, cmp, value, truth) => {
                Ok(cmp.holds(self.machine.row()[slot as usize], value) == truth)
            }
            RowCondition::Code(pc) => self.machine.test(pc),
        }
    }

    /// Returns whether the condition of the guard of an edge holds.
    pub(crate) fn test_edge(&mut self, edge: EdgeId) -> Result<bool, Fault> {
        self.test_condition(self.clauses.of_edge(edge).0)
    }

    /// Returns the delays after which constraints hold.
    #[inline(always)]
    fn window(&self, clauses: &[Clause]) -> Option<Window> {
        let mut window = Window::ALL;
        for c in clauses {
            // The grid has room for all constants, so that nothing overflows.
            let slack = c.most - (self.clocks[c.left] - self.clocks[c.right]);
            match self.rates[c.left] - self.rates[c.right] {
                1 if slack >= 0 => window.to = window.to.min(slack),
                -1 => window.from = window.from.max(-slack),
                slope => window = window.and(Window::below(slack, i64::from(slope))?)?,
            }
        }
        (window.from <= window.to).then_some(window)
    }

    /// Returns the delays after which the guard of an edge holds. `is_tested`: its condition does.
    #[inline(always)]
    pub(crate) fn edge_window(&mut self, edge: EdgeId, is_tested: bool) -> Result<Option<Window>, Fault> {
        let (condition, clauses) = self.clauses.of_edge(edge);
        if clauses.is_none() {
            let system = self.system();
            return self.guard(&system.edges[edge.0 as usize].guard);
        }
        if !is_tested && !self.test_condition(condition)? {
            return Ok(None);
        }
        Ok(self.clauses.of_edge(edge).1.and_then(|clauses| self.window(clauses)))
    }

    /// Returns whether the guard of an edge holds now.
    pub(crate) fn is_enabled(&mut self, edge: EdgeId) -> Result<bool, RunFault> {
        if !self.network.is_hybrid {
            return Ok(self.edge_window(edge, false)?.is_some_and(|window| window.contains(0)));
        }
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
        let window = match self.clauses.of_location(location.0 as usize) {
            Some(clauses) => self.window(clauses),
            None => self.guard(invariant)?,
        };
        Ok(window.map_or(Some(0), Window::end))
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
                self.constraint(c)?.map_or(Some(0), Window::end)
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
        (0..self.locations.len()).try_fold(true, |all, process| Ok(all && self.invariant_holds(process)?))
    }

    /// Returns whether all invariants hold after a transition. Those that it does not touch held
    /// before it.
    #[inline]
    fn invariants_still_hold(&mut self) -> Result<bool, RunFault> {
        for i in 0..self.affected.len() {
            let process = self.affected[i] as usize;
            if self.invariants[process].meets(self.changed) && !self.invariant_holds(process)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn invariant_holds(&mut self, process: usize) -> Result<bool, RunFault> {
        let (system, location) = (self.system(), self.location(process));
        let invariant = &system.locations[location.0 as usize].invariant;
        if !self.network.is_hybrid
            && let Some(clauses) = self.clauses.of_location(location.0 as usize)
        {
            let holds = clauses.iter().all(|c| self.clocks[c.left] - self.clocks[c.right] <= c.most);
            return Ok(holds && self.test(invariant.condition)?);
        }
        let rest = self.network.invariant(location);
        if invariant.is_true() && rest.is_none() { Ok(true) } else { self.holds_now(invariant, rest) }
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, delay: Ticks) -> Result<(), RunFault> {
        if delay == 0 {
            return Ok(());
        }
        let time = later(self.time, 1, delay)?;
        if self.network.has_analog {
            self.move_clocks(delay)?;
        }
        if self.network.has_rates {
            let mut all = 0;
            for (value, rate) in self.clocks.iter_mut().zip(&self.rates) {
                let by = delay.checked_mul(i64::from(*rate)).ok_or(RunFault::TooLate)?;
                *value = value.checked_add(by).ok_or(RunFault::TooLate)?;
                all |= *value ^ (*value >> 63);
            }
            if all > MOST && self.clocks.iter().any(|value| !(-MOST..=MOST).contains(value)) {
                return Err(RunFault::TooLate);
            }
        } else {
            // Nothing overflows: a value is at most 2^62, and a delay at most MOST.
            let mut all = 0;
            for value in &mut self.clocks[1..] {
                *value += delay;
                all |= *value;
            }
            if all > MOST && self.clocks.iter().any(|value| *value > MOST) {
                return Err(RunFault::TooLate);
            }
        }
        self.time = time;
        Ok(())
    }

    /// Takes a transition whose guards hold. Returns whether its targets allow it; the state is as
    /// before if they don't.
    pub(crate) fn take(&mut self, edges: &[EdgeId]) -> Result<bool, RunFault> {
        let (system, network) = (self.system(), self.network);
        let mut saved = std::mem::take(&mut self.saved);
        self.save(&mut saved);
        self.saved = saved;
        self.machine.changes.clear();
        self.update(edges)?;
        self.changed = Touched::default();
        self.affected.clear();
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let process = edge.process.0 as usize;
            let first = system.processes[process].first_location;
            self.machine.row_mut()[process] = (edge.target.0 - first.0) as i32;
            let committed = |l: LocationId| u32::from(system.locations[l.0 as usize].committed);
            self.committed = self.committed + committed(edge.target) - committed(self.locations[process]);
            self.locations[process] = edge.target;
            self.invariants[process] = network.place(edge.target).invariant;
            self.changed.join(network.changes(*e));
            self.affected.extend_from_slice(network.affected(*e));
        }
        for i in 0..self.machine.changes.len() {
            let change = self.machine.changes[i];
            let (ClockChange::Set { clock, .. } | ClockChange::Copy { clock, .. }) = change;
            self.changed.clocks |= Touched::bit(clock as usize);
            for &process in network.clock_readers(clock as usize) {
                if !self.affected.contains(&process) {
                    self.affected.push(process);
                }
            }
            self.change_clock(change)?;
        }
        if network.has_analog {
            self.take_clocks()?;
        }
        // The rates are still those of the state before, but only the values of now are used.
        let holds = if network.is_hybrid { self.invariants_hold()? } else { self.invariants_still_hold()? };
        if !holds {
            let saved = std::mem::take(&mut self.saved);
            self.load(&saved);
            self.saved = saved;
            return Ok(false);
        }
        self.steps += 1;
        if network.has_plain_rates && !network.has_analog {
            self.change_rates(edges);
        } else {
            self.find_rates()?;
        }
        Ok(true)
    }

    /// Changes the rates of clocks after a transition, where they depend on locations only.
    #[inline]
    fn change_rates(&mut self, edges: &[EdgeId]) {
        if !self.network.has_rates {
            return;
        }
        let system = self.system();
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let rates = |l: LocationId| &system.locations[l.0 as usize].rates;
            let plain = |rate: &Rate| match (rate.clock, rate.rate) {
                (ClockTerm::Clock(clock), Operand::Const(rate)) => Some((clock.0 as usize, rate as i32)),
                _ => None,
            };
            rates(edge.source).iter().filter_map(plain).for_each(|(clock, _)| self.rates[clock] = 1);
            rates(edge.target).iter().filter_map(plain).for_each(|(clock, rate)| self.rates[clock] = rate);
        }
    }

    /// Executes the updates of a transition.
    fn update(&mut self, edges: &[EdgeId]) -> Result<(), RunFault> {
        if self.network.shows_clocks {
            self.show_clocks(0)?;
        }
        if !self.network.draws {
            return Ok(self.execute(edges)?);
        }
        self.machine.environment.drawn.clear();
        std::mem::swap(&mut self.draws, &mut self.machine.environment.draws);
        let done = self.execute(edges);
        std::mem::swap(&mut self.draws, &mut self.machine.environment.draws);
        Ok(done?)
    }

    #[inline]
    fn execute(&mut self, edges: &[EdgeId]) -> Result<(), Fault> {
        let system = self.system();
        if let Some(pc) = system.before_update {
            self.machine.execute(pc)?;
        }
        for e in edges {
            if let Some(pc) = system.edges[e.0 as usize].update {
                self.machine.execute(pc)?;
            }
        }
        system.after_update.map_or(Ok(()), |pc| self.machine.execute(pc))
    }

    /// Keeps what transitions change.
    pub(crate) fn save(&self, saved: &mut Valuation) {
        saved.row.clear();
        saved.row.extend_from_slice(self.machine.row());
        saved.clocks.clear();
        saved.clocks.extend_from_slice(&self.clocks);
        if self.network.has_analog {
            saved.values.clone_from(&self.motion.values);
        }
    }

    fn load(&mut self, saved: &Valuation) {
        self.machine.load(&saved.row);
        self.find_locations();
        self.clocks.clone_from(&saved.clocks);
        if self.network.has_analog {
            self.motion.values.clone_from(&saved.values);
        }
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
