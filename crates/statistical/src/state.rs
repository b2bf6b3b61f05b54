//! The state of a run: a row, the values of clocks, and the time.

use model::{
    Formula,
    machine::{ClockChange, Fault, FaultKind, Machine},
    stochastic::RealTerm,
    system::{ClockConstraint, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, System},
};

use crate::{
    grid::{Grid, Ticks, later},
    network::Network,
    problem::RunFault,
    window::Window,
};

/// A state, and what evaluates conditions in it.
pub(crate) struct RunState<'a> {
    pub network: &'a Network<'a>,
    pub grid: Grid,
    pub machine: Machine<'a>,
    /// The values of clocks; number 0 is the reference clock.
    pub clocks: Vec<Ticks>,
    /// The rates of clocks in this state.
    rates: Vec<i32>,
    /// The time since the start.
    pub time: Ticks,
    /// The number of transitions since the start.
    pub steps: u64,
    /// The row and the clocks before the transition that is being tried.
    saved: (Vec<i32>, Vec<Ticks>),
}

impl<'a> RunState<'a> {
    pub(crate) fn new(network: &'a Network<'a>, grid: Grid) -> RunState<'a> {
        let system = network.system;
        let mut rates = vec![1; system.clocks.len()];
        rates[0] = 0;
        RunState {
            network,
            grid,
            machine: Machine::new(&system.code, system.initial.len()),
            clocks: vec![0; system.clocks.len()],
            rates,
            time: 0,
            steps: 0,
            saved: (Vec::new(), Vec::new()),
        }
    }

    fn system(&self) -> &'a System {
        self.network.system
    }

    /// Goes back to the initial state.
    pub(crate) fn start(&mut self) -> Result<(), RunFault> {
        let system = self.system();
        self.machine.load(&system.initial);
        for (value, clock) in self.clocks.iter_mut().zip(&system.clocks) {
            *value = self.grid.whole(i64::from(clock.initial));
        }
        (self.time, self.steps) = (0, 0);
        if !self.invariants_hold()? {
            return Err(RunFault::Initial);
        }
        self.find_rates()
    }

    /// Returns the location of a process.
    pub(crate) fn location(&self, process: usize) -> LocationId {
        self.system().location(self.machine.row(), ProcessId(process as u32))
    }

    /// Computes the rates of clocks in this state.
    fn find_rates(&mut self) -> Result<(), RunFault> {
        if !self.network.has_rates {
            return Ok(());
        }
        let system = self.system();
        self.rates[1..].fill(1);
        for process in 0..system.processes.len() {
            for rate in &system.locations[self.location(process).0 as usize].rates {
                if self.test(rate.condition)? {
                    let value = self.number(rate.rate)?;
                    let clock = self.clock(rate.clock)?;
                    self.rates[clock] = value as i32;
                }
            }
        }
        Ok(())
    }

    /// Returns the rate of a clock in this state.
    pub(crate) fn rate_of(&self, clock: usize) -> i32 {
        self.rates[clock]
    }

    fn test(&mut self, condition: Option<model::code::Pc>) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |pc| self.machine.test(pc))
    }

    fn number(&mut self, operand: Operand) -> Result<i64, Fault> {
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
    fn constraint(&mut self, c: &ClockConstraint) -> Result<Option<Window>, Fault> {
        if !self.test(c.condition)? {
            return Ok(Some(Window::ALL));
        }
        let bound = self.number(c.bound)?;
        let (left, right) = (self.clock(c.left)?, self.clock(c.right)?);
        // The greatest value on the grid that the difference may have.
        let most = self.grid.whole(bound) - i64::from(c.strict);
        let slack = most.saturating_sub(self.clocks[left] - self.clocks[right]);
        let slope = i64::from(self.rates[left]) - i64::from(self.rates[right]);
        Ok(Window::below(slack, slope))
    }

    /// Returns the delays after which a guard holds; they are one window. A condition that fails
    /// before it is relevant is not evaluated.
    pub(crate) fn guard(&mut self, guard: &Guard) -> Result<Option<Window>, Fault> {
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

    /// Returns whether a guard holds now.
    pub(crate) fn holds_now(&mut self, guard: &Guard) -> Result<bool, Fault> {
        Ok(self.guard(guard)?.is_some_and(|window| window.contains(0)))
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

    fn invariants_hold(&mut self) -> Result<bool, Fault> {
        let system = self.system();
        for process in 0..system.processes.len() {
            let invariant = &system.locations[self.location(process).0 as usize].invariant;
            if !invariant.is_true() && !self.holds_now(invariant)? {
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
        self.saved.0.clear();
        self.saved.0.extend_from_slice(self.machine.row());
        self.saved.1.clone_from(&self.clocks);
        self.machine.changes.clear();
        let updates = edges.iter().filter_map(|e| system.edges[e.0 as usize].update);
        for pc in system.before_update.into_iter().chain(updates).chain(system.after_update) {
            self.machine.execute(pc)?;
        }
        for e in edges {
            let edge = &system.edges[e.0 as usize];
            let process = edge.process.0 as usize;
            let first = system.processes[process].first_location;
            self.machine.row_mut()[process] = (edge.target.0 - first.0) as i32;
        }
        for i in 0..self.machine.changes.len() {
            self.change_clock(self.machine.changes[i])?;
        }
        if !self.invariants_hold()? {
            self.machine.load(&self.saved.0);
            self.clocks.clone_from(&self.saved.1);
            return Ok(false);
        }
        self.steps += 1;
        self.find_rates()?;
        Ok(true)
    }

    /// Goes back to an earlier state at the same moment.
    pub(crate) fn restore(&mut self, row: &[i32], clocks: &[Ticks], steps: u64) -> Result<(), RunFault> {
        self.machine.load(row);
        self.clocks.copy_from_slice(clocks);
        self.steps = steps;
        self.find_rates()
    }

    fn change_clock(&mut self, change: ClockChange) -> Result<(), RunFault> {
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

    /// Returns the value of an expression after a delay.
    pub(crate) fn value(&mut self, term: &RealTerm, delay: Ticks) -> Result<f64, RunFault> {
        Ok(match term {
            RealTerm::Number(x) => *x,
            RealTerm::Integer(pc) => f64::from(self.machine.value(*pc)?),
            RealTerm::Clock(clock) => {
                let clock = self.clock(*clock)?;
                self.grid.time(later(self.clocks[clock], self.rates[clock], delay)?)
            }
            RealTerm::Negation(a) => -self.value(a, delay)?,
            RealTerm::Arith(op, parts) => op.apply(self.value(&parts[0], delay)?, self.value(&parts[1], delay)?),
            RealTerm::Function(function, a) => (function.apply)(self.value(a, delay)?),
            RealTerm::Choice(condition, parts) => {
                let chosen = usize::from(!self.machine.test(*condition)?);
                self.value(&parts[chosen], delay)?
            }
        })
    }

    /// Returns the first delay from `from` to `to` after which a formula holds. `None` for `to`:
    /// any delay.
    pub(crate) fn earliest(
        &mut self,
        formula: &Formula,
        from: Ticks,
        to: Option<Ticks>,
    ) -> Result<Option<Ticks>, Fault> {
        let within = |at: Ticks| to.is_none_or(|to| at <= to).then_some(at);
        match formula {
            Formula::True => Ok(within(from)),
            // The checker admits no deadlocks.
            Formula::False | Formula::Deadlock { .. } | Formula::NetDeadlock { .. } => Ok(None),
            Formula::Condition(pc) => Ok(if self.machine.test(*pc)? { within(from) } else { None }),
            Formula::Clock(c) => {
                let found = self.constraint(c)?.and_then(|window| window.and(Window { from, to: None }));
                Ok(found.and_then(|window| within(window.from)))
            }
            Formula::Or(parts) => {
                let mut first: Option<Ticks> = None;
                for part in parts {
                    if let Some(at) = self.earliest(part, from, first.or(to))? {
                        first = Some(at);
                    }
                }
                Ok(first)
            }
            Formula::And(parts) => {
                let mut at = from;
                loop {
                    let before = at;
                    for part in parts {
                        match self.earliest(part, at, to)? {
                            Some(next) => at = next,
                            None => return Ok(None),
                        }
                    }
                    if at == before {
                        return Ok(Some(at));
                    }
                }
            }
        }
    }
}
