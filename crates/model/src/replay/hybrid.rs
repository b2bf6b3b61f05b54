//! Executes runs of hybrid systems with floating-point numbers, to within a tolerance.
//!
//! It shares nothing with the generator of such runs but the code of expressions: clocks are
//! integrated by the classic method of Runge and Kutta with a fixed step, and conditions are
//! evaluated after each of its steps.

use crate::{
    code::Pc,
    machine::{Draws, Fault, Machine},
    stochastic::{RealTerm, RunFormula, StochasticSystem, TimedCondition},
    system::{ClockConstraint, ClockTerm, EdgeId, Guard, LocationId, Operand, ProcessId, Sync},
};

/// A step of a run: a delay, then a transition with the random numbers that its updates draw.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridStep {
    /// The delay, in time units.
    pub delay: f64,
    /// The edges: the sender first, then the receivers in the order of their processes.
    pub edges: Vec<EdgeId>,
    /// The numbers.
    pub draws: Vec<f64>,
}

/// The reason why something is not a run: the number of the step, and what is wrong there.
#[derive(Clone, Debug, PartialEq)]
pub enum HybridRefusal {
    /// The model does not allow it.
    Step(usize, &'static str),
    /// A run-time error.
    Fault(usize, Fault),
}

/// The step of integration in time units.
const STEP: f64 = 1.0 / 512.0;
/// The most steps of one delay.
const MAX_STEPS: f64 = 65536.0;

/// Executes steps and a last delay. Conditions may fail by the tolerance, relative to the greater
/// of 1 and what is compared. Priorities are not checked.
///
/// # Errors
/// They are no run of the system.
pub fn replay_hybrid(
    system: &StochasticSystem,
    steps: &[HybridStep],
    last_delay: f64,
    tolerance: f64,
) -> Result<(), HybridRefusal> {
    let network = &system.system;
    let mut machine = Machine::new(&network.code, network.initial.len());
    machine.load(&network.initial);
    machine.environment.clocks = network.clocks.iter().map(|clock| f64::from(clock.initial)).collect();
    for (clock, value) in &system.starts {
        machine.environment.clocks[clock.0 as usize] = *value;
    }
    let mut run = HybridRun { system, machine, tolerance };
    let at = |step: usize| move |why: NotRun| why.at(step);
    if !run.invariants(tolerance).map_err(at(0))? {
        return Err(HybridRefusal::Step(0, "the initial state violates an invariant"));
    }
    for (i, step) in steps.iter().enumerate() {
        run.wait(step.delay).map_err(at(i))?;
        run.take(step).map_err(at(i))?;
    }
    run.wait(last_delay).map_err(at(steps.len()))
}

enum NotRun {
    Fault(Fault),
    Why(&'static str),
}

impl From<Fault> for NotRun {
    fn from(fault: Fault) -> NotRun {
        NotRun::Fault(fault)
    }
}

impl NotRun {
    fn at(self, step: usize) -> HybridRefusal {
        match self {
            NotRun::Fault(fault) => HybridRefusal::Fault(step, fault),
            NotRun::Why(why) => HybridRefusal::Step(step, why),
        }
    }
}

struct HybridRun<'a> {
    system: &'a StochasticSystem,
    /// The row, and the values of clocks in its environment.
    machine: Machine<'a>,
    tolerance: f64,
}

impl HybridRun<'_> {
    fn location(&self, process: usize) -> LocationId {
        self.system.system.location(self.machine.row(), ProcessId(process as u32))
    }

    fn test(&mut self, condition: Option<Pc>) -> Result<bool, Fault> {
        condition.map_or(Ok(true), |pc| self.machine.test(pc))
    }

    fn clock(&mut self, term: ClockTerm) -> Result<usize, Fault> {
        match term {
            ClockTerm::Clock(c) => Ok(c.0 as usize),
            ClockTerm::Element { pc, .. } => Ok(self.machine.value(pc)? as usize),
        }
    }

    fn operand(&mut self, operand: Operand) -> Result<f64, Fault> {
        match operand {
            Operand::Const(n) => Ok(n as f64),
            Operand::Code { pc, .. } => self.machine.value(pc).map(f64::from),
        }
    }

    fn real(&mut self, term: &RealTerm) -> Result<f64, Fault> {
        Ok(match term {
            RealTerm::Number(x) => *x,
            RealTerm::Integer(pc) => f64::from(self.machine.value(*pc)?),
            RealTerm::Real(pc) | RealTerm::Timed(pc) => self.machine.real(*pc)?,
            RealTerm::Clock(term) => {
                let clock = self.clock(*term)?;
                self.machine.environment.clocks[clock]
            }
            RealTerm::Negation(a) => -self.real(a)?,
            RealTerm::Arith(op, parts) => op.apply(self.real(&parts[0])?, self.real(&parts[1])?, 0.0),
            RealTerm::Choice(condition, parts) => {
                let first = self.machine.test(*condition)?;
                self.real(&parts[usize::from(!first)])?
            }
        })
    }

    /// Returns whether a formula holds if comparisons may fail by a slack. Where it is negative,
    /// they have to hold by that much.
    fn formula(&mut self, formula: &RunFormula, slack: f64) -> Result<bool, Fault> {
        Ok(match formula {
            RunFormula::True => true,
            RunFormula::False => false,
            RunFormula::Condition(pc) | RunFormula::Timed(pc) => self.machine.test(*pc)?,
            RunFormula::Clock(c) => self.constraint(c, slack)?,
            RunFormula::Comparison { left, right, .. } => {
                let (a, b) = (self.real(left)?, self.real(right)?);
                a - b <= slack * a.abs().max(b.abs()).max(1.0)
            }
            RunFormula::And(parts) => {
                for part in parts {
                    if !self.formula(part, slack)? {
                        return Ok(false);
                    }
                }
                true
            }
            RunFormula::Or(parts) => {
                for part in parts {
                    if self.formula(part, slack)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }

    fn constraint(&mut self, c: &ClockConstraint, slack: f64) -> Result<bool, Fault> {
        if !self.test(c.condition)? {
            return Ok(true);
        }
        let (left, right, bound) = (self.clock(c.left)?, self.clock(c.right)?, self.operand(c.bound)?);
        let clocks = &self.machine.environment.clocks;
        Ok(clocks[left] - clocks[right] - bound <= slack * bound.abs().max(clocks[left].abs()).max(1.0))
    }

    fn guard(&mut self, guard: &Guard, rest: Option<&TimedCondition>, slack: f64) -> Result<bool, Fault> {
        if !self.test(guard.condition)? {
            return Ok(false);
        }
        for c in &guard.clocks {
            if !self.constraint(c, slack)? {
                return Ok(false);
            }
        }
        rest.map_or(Ok(true), |rest| self.formula(&rest.holds, slack))
    }

    fn enabled(&mut self, edge: EdgeId, slack: f64) -> Result<bool, Fault> {
        let rest = self.system.guards[edge.0 as usize].as_deref();
        self.guard(&self.system.system.edges[edge.0 as usize].guard, rest, slack)
    }

    fn invariants(&mut self, slack: f64) -> Result<bool, NotRun> {
        for process in 0..self.system.system.processes.len() {
            let location = self.location(process).0 as usize;
            let rest = self.system.invariants[location].as_deref();
            if !self.guard(&self.system.system.locations[location].invariant, rest, slack)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the rates of all clocks in the current state.
    fn rates(&mut self) -> Result<Vec<f64>, Fault> {
        let (system, network) = (self.system, &self.system.system);
        let mut rates = vec![1.0; network.clocks.len()];
        rates[0] = 0.0;
        for process in 0..network.processes.len() {
            let location = self.location(process).0 as usize;
            for rate in &network.locations[location].rates {
                if self.test(rate.condition)? {
                    let clock = self.clock(rate.clock)?;
                    rates[clock] = self.operand(rate.rate)?;
                }
            }
            for flow in &system.flows[location] {
                if self.test(flow.condition)? {
                    let clock = self.clock(flow.clock)?;
                    rates[clock] = self.real(&flow.rate)?;
                }
            }
        }
        Ok(rates)
    }

    /// Integrates the clocks over a short time.
    fn advance(&mut self, h: f64) -> Result<(), Fault> {
        let start = self.machine.environment.clocks.clone();
        let mut sum = vec![0.0; start.len()];
        let mut before: Vec<f64> = sum.clone();
        for (part, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            for (i, value) in start.iter().enumerate() {
                self.machine.environment.clocks[i] = value + h * part * before[i];
            }
            before = self.rates()?;
            sum.iter_mut().zip(&before).for_each(|(sum, rate)| *sum += weight * rate);
        }
        for (i, value) in start.iter().enumerate() {
            self.machine.environment.clocks[i] = value + h / 6.0 * sum[i];
        }
        Ok(())
    }

    fn wait(&mut self, delay: f64) -> Result<(), NotRun> {
        if delay < 0.0 {
            return Err(NotRun::Why("time does not run backward"));
        }
        let network = &self.system.system;
        let stops = |l: LocationId| network.locations[l.0 as usize].urgent || network.locations[l.0 as usize].committed;
        if delay > 0.0 && (0..network.processes.len()).any(|process| stops(self.location(process))) {
            return Err(NotRun::Why("a location is urgent or committed"));
        }
        let count = (delay / STEP).ceil().min(MAX_STEPS);
        let h = delay / count.max(1.0);
        for step in 0..count as u64 {
            // Shortly before the end a synchronisation may be possible that is taken at the end.
            if (count - step as f64) * h > self.tolerance && self.has_urgent()? {
                return Err(NotRun::Why("an urgent synchronisation is possible"));
            }
            self.advance(h)?;
            if !self.invariants(self.tolerance)? {
                return Err(NotRun::Why("an invariant does not allow the delay"));
            }
        }
        Ok(())
    }

    /// Returns whether an urgent synchronisation is possible beyond doubt.
    fn has_urgent(&mut self) -> Result<bool, Fault> {
        let network = &self.system.system;
        for process in 0..network.processes.len() {
            for &send in network.sending(self.location(process)) {
                let Sync::Send(channel) = network.edges[send.0 as usize].sync else { continue };
                let kind = &network.channels[channel.0 as usize];
                if !kind.urgent || !self.enabled(send, -self.tolerance)? {
                    continue;
                }
                if kind.broadcast {
                    return Ok(true);
                }
                for other in (0..network.processes.len()).filter(|other| *other != process) {
                    for &receive in network.receiving(self.location(other), channel) {
                        if self.enabled(receive, -self.tolerance)? {
                            return Ok(true);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    fn take(&mut self, step: &HybridStep) -> Result<(), NotRun> {
        let network = &self.system.system;
        let edges = || step.edges.iter().map(|e| &network.edges[e.0 as usize]);
        for (e, edge) in step.edges.iter().zip(edges()) {
            if self.location(edge.process.0 as usize) != edge.source {
                return Err(NotRun::Why("an edge starts elsewhere"));
            }
            if !self.enabled(*e, self.tolerance)? {
                return Err(NotRun::Why("a guard does not hold"));
            }
        }
        let committed = |l: LocationId| network.locations[l.0 as usize].committed;
        if (0..network.processes.len()).any(|process| committed(self.location(process)))
            && !edges().any(|edge| committed(edge.source))
        {
            return Err(NotRun::Why("a committed location must be left first"));
        }
        if !self.synchronises(&step.edges)? {
            return Err(NotRun::Why("the edges do not synchronise"));
        }
        self.machine.environment.draws = Draws::Given(step.draws.iter().copied().collect());
        self.machine.changes.clear();
        let updates = edges().filter_map(|edge| edge.update);
        for pc in network.before_update.into_iter().chain(updates).chain(network.after_update) {
            self.machine.execute(pc)?;
        }
        if matches!(&self.machine.environment.draws, Draws::Given(left) if !left.is_empty()) {
            return Err(NotRun::Why("more numbers were drawn"));
        }
        for edge in edges() {
            let process = edge.process.0 as usize;
            let first = network.processes[process].first_location;
            self.machine.row_mut()[process] = (edge.target.0 - first.0) as i32;
        }
        if !self.invariants(self.tolerance)? {
            return Err(NotRun::Why("the target violates an invariant"));
        }
        Ok(())
    }

    fn synchronises(&mut self, edges: &[EdgeId]) -> Result<bool, Fault> {
        let network = &self.system.system;
        let sync = |e: &EdgeId| network.edges[e.0 as usize].sync;
        let Some((sender, receivers)) = edges.split_first() else { return Ok(false) };
        let Sync::Send(channel) = sync(sender) else {
            return Ok(sync(sender) == Sync::Internal && receivers.is_empty());
        };
        let process = |e: &EdgeId| network.edges[e.0 as usize].process;
        let ordered = receivers.windows(2).all(|pair| process(&pair[0]) < process(&pair[1]));
        let fit = receivers.iter().all(|e| sync(e) == Sync::Receive(channel) && process(e) != process(sender));
        if !ordered || !fit {
            return Ok(false);
        }
        if !network.channels[channel.0 as usize].broadcast {
            return Ok(receivers.len() == 1);
        }
        // Everyone who can receive beyond doubt does.
        for other in 0..network.processes.len() {
            let takes_part = edges.iter().any(|e| process(e).0 as usize == other);
            for &receive in network.receiving(self.location(other), channel) {
                if !takes_part && self.enabled(receive, -self.tolerance)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
