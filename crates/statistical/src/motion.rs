//! Clocks with other values than multiples of a step of the grid: their rates, their values after
//! a delay, and expressions with them.
//!
//! While such a clock has a constant rate, its value is linear in the delay. Where a rate depends
//! on clocks, all these clocks together follow a solution of differential equations.

use model::{
    code::RealOp,
    machine::Fault,
    stochastic::{ClockFlow, RealTerm},
    system::ClockId,
};

use crate::{
    curve::{Curve, NoSolution},
    grid::{Ticks, later},
    problem::RunFault,
    state::RunState,
};

/// The number of steps of a solution between two looks at the signal that stops the work.
const POLL: u32 = 256;

/// The clocks with other values, in a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion<'a> {
    /// The values of all clocks of this kind, by their numbers; others are not used.
    pub values: Vec<f64>,
    /// Their rates where these are constant.
    pub slopes: Vec<f64>,
    /// The rates that depend on clocks, each with the number of its clock.
    flowing: Vec<(usize, &'a RealTerm)>,
    /// The component of the solution for each clock, if there is one.
    component: Vec<Option<usize>>,
    curve: Curve,
    /// The time since the start of the solution.
    elapsed: Ticks,
    /// The values of all clocks at the start of the solution.
    starts: Vec<f64>,
    steps: u32,
}

impl<'a> Motion<'a> {
    pub(crate) fn new(clocks: usize) -> Self {
        Motion {
            values: vec![0.0; clocks],
            slopes: vec![0.0; clocks],
            component: vec![None; clocks],
            starts: vec![0.0; clocks],
            ..Motion::default()
        }
    }

    /// Returns whether rates depend on clocks.
    pub(crate) fn is_curved(&self) -> bool {
        !self.flowing.is_empty()
    }

    /// Sets a rate that a process gives a clock. One that stops it decides; others have to agree.
    fn go_at(&mut self, clock: usize, slope: f64) -> Result<(), RunFault> {
        if self.flowing.iter().any(|(other, _)| *other == clock) && slope != 0.0 {
            return Err(RunFault::TwoEquations(ClockId(clock as u32)));
        }
        self.flowing.retain(|(other, _)| *other != clock);
        let before = self.slopes[clock];
        self.slopes[clock] = match before {
            _ if before.is_nan() || before == slope => slope,
            _ if before == 0.0 || slope == 0.0 => 0.0,
            _ => return Err(RunFault::TwoRates(ClockId(clock as u32), before, slope)),
        };
        Ok(())
    }

    /// Sets a rate that depends on clocks. Nobody knows whether another one is always equal.
    fn flow_at(&mut self, clock: usize, rate: &'a RealTerm) -> Result<(), RunFault> {
        let before = self.slopes[clock];
        if before == 0.0 {
            return Ok(());
        }
        if !before.is_nan() || self.flowing.iter().any(|(other, _)| *other == clock) {
            return Err(RunFault::TwoEquations(ClockId(clock as u32)));
        }
        self.flowing.push((clock, rate));
        Ok(())
    }
}

impl From<NoSolution> for RunFault {
    fn from(none: NoSolution) -> RunFault {
        match none {
            // The component becomes a clock where the error is handed on.
            NoSolution::Infinite(component) => RunFault::ClockValue(ClockId(component as u32), f64::INFINITY),
            NoSolution::TooFast => RunFault::TooFast,
        }
    }
}

impl<'a> RunState<'a> {
    /// Returns whether the values of a clock are other numbers than multiples of a step.
    pub(crate) fn is_analog(&self, clock: usize) -> bool {
        self.network.analog[clock]
    }

    /// Returns whether rates depend on clocks in this state.
    pub(crate) fn is_curved(&self) -> bool {
        self.motion.is_curved()
    }

    /// Returns the distance of samples in steps of the grid.
    pub(crate) fn sampling(&self) -> Ticks {
        self.grid.floor(self.network.discretization).max(1)
    }

    /// Computes the rates of such clocks in this state.
    pub(crate) fn find_slopes(&mut self) -> Result<(), RunFault> {
        let network = self.network;
        self.motion.flowing.clear();
        self.motion.elapsed = 0;
        self.motion.slopes.fill(f64::NAN);
        for process in 0..network.system.processes.len() {
            let location = self.location(process);
            for rate in &network.system.locations[location.0 as usize].rates {
                let clock = self.clock(rate.clock)?;
                if self.is_analog(clock) && self.test(rate.condition)? {
                    let slope = self.number(rate.rate)? as f64;
                    self.motion.go_at(clock, slope)?;
                }
            }
            let flows: &'a [ClockFlow] = network.flows(location);
            for flow in flows {
                if let Some(condition) = flow.condition
                    && !self.machine.test(condition)?
                {
                    continue;
                }
                let clock = self.clock(flow.clock)?;
                if flow.rate.is_constant_in_time() {
                    let rate = self.evaluate(&flow.rate)?;
                    if !rate.is_finite() {
                        return Err(RunFault::ClockRate(ClockId(clock as u32), rate));
                    }
                    self.motion.go_at(clock, rate)?;
                } else {
                    self.motion.flow_at(clock, &flow.rate)?;
                }
            }
        }
        self.motion.slopes.iter_mut().filter(|slope| slope.is_nan()).for_each(|slope| *slope = 1.0);
        if !self.motion.is_curved() {
            return Ok(());
        }
        self.motion.component.fill(None);
        for i in 0..self.motion.flowing.len() {
            self.motion.component[self.motion.flowing[i].0] = Some(i);
        }
        for clock in 0..network.analog.len() {
            self.motion.starts[clock] =
                if network.analog[clock] { self.motion.values[clock] } else { self.grid.time(self.clocks[clock]) };
        }
        let starts: Vec<f64> = self.motion.flowing.iter().map(|(clock, _)| self.motion.starts[*clock]).collect();
        self.solve(|curve, mut derivative| curve.start(starts.into_iter(), &mut derivative))
    }

    /// Works on the solution with its differential equations.
    fn solve(
        &mut self,
        work: impl FnOnce(
            &mut Curve,
            &mut dyn FnMut(f64, &[f64], &mut [f64]) -> Result<(), RunFault>,
        ) -> Result<(), RunFault>,
    ) -> Result<(), RunFault> {
        let mut curve = std::mem::take(&mut self.motion.curve);
        let flowing = std::mem::take(&mut self.motion.flowing);
        let mut derivative = |time: f64, values: &[f64], out: &mut [f64]| {
            for clock in 1..self.motion.starts.len() {
                let rate =
                    if self.is_analog(clock) { self.motion.slopes[clock] } else { f64::from(self.rate_of(clock)) };
                self.machine.environment.clocks[clock] = match self.motion.component[clock] {
                    Some(component) => values[component],
                    None => self.motion.starts[clock] + rate * time,
                };
            }
            for (out, (_, rate)) in out.iter_mut().zip(&flowing) {
                *out = self.evaluate(rate)?;
            }
            Ok(())
        };
        let done = work(&mut curve, &mut derivative);
        let clock_of = |component: u32| flowing.get(component as usize).map_or(0, |(clock, _)| *clock as u32);
        let done = done.map_err(|fault| match fault {
            RunFault::ClockValue(ClockId(component), value) => {
                RunFault::ClockValue(ClockId(clock_of(component)), value)
            }
            other => other,
        });
        (self.motion.curve, self.motion.flowing) = (curve, flowing);
        done
    }

    /// Extends the solution to a delay.
    fn reach(&mut self, delay: Ticks) -> Result<f64, RunFault> {
        let time = self.grid.time(self.motion.elapsed.saturating_add(delay));
        let most = self.network.discretization;
        while self.motion.curve.end() < time {
            self.motion.steps += 1;
            if self.motion.steps.is_multiple_of(POLL)
                && let Some(stop) = self.network.system.code.stopped()
            {
                return Err(RunFault::Stopped(stop));
            }
            self.solve(|curve, mut derivative| curve.extend(most, &mut derivative))?;
        }
        Ok(time)
    }

    /// Returns the value of a clock after a delay.
    pub(crate) fn clock_at(&mut self, clock: usize, delay: Ticks) -> Result<f64, RunFault> {
        if !self.is_analog(clock) {
            return Ok(self.grid.time(later(self.clocks[clock], self.rate_of(clock), delay)?));
        }
        if delay > 0
            && self.motion.is_curved()
            && let Some(component) = self.motion.component[clock]
        {
            let time = self.reach(delay)?;
            return Ok(self.motion.curve.at(time, component));
        }
        Ok(self.motion.values[clock] + self.motion.slopes[clock] * self.grid.time(delay))
    }

    /// Moves the clocks to the end of a delay.
    pub(crate) fn move_clocks(&mut self, delay: Ticks) -> Result<(), RunFault> {
        for clock in 1..self.network.analog.len() {
            if self.is_analog(clock) {
                self.motion.values[clock] = self.clock_at(clock, delay)?;
            }
        }
        self.motion.elapsed += delay;
        Ok(())
    }

    /// Shows code the values of clocks after a delay.
    pub(crate) fn show_clocks(&mut self, delay: Ticks) -> Result<(), RunFault> {
        for clock in 1..self.clocks.len() {
            self.machine.environment.clocks[clock] = self.clock_at(clock, delay)?;
        }
        Ok(())
    }

    /// Takes over the clocks that an update has changed.
    pub(crate) fn take_clocks(&mut self) -> Result<(), RunFault> {
        for clock in 1..self.network.analog.len() {
            if self.is_analog(clock) {
                let value = self.machine.environment.clocks[clock];
                if !value.is_finite() {
                    return Err(RunFault::ClockValue(ClockId(clock as u32), value));
                }
                self.motion.values[clock] = value;
            }
        }
        Ok(())
    }

    /// Returns the value of an expression after a delay.
    pub(crate) fn value(&mut self, term: &RealTerm, delay: Ticks) -> Result<f64, RunFault> {
        match term {
            RealTerm::Clock(clock) => {
                let clock = self.clock(*clock)?;
                self.clock_at(clock, delay)
            }
            term if term.is_constant_in_time() => Ok(self.evaluate(term)?),
            term => {
                self.show_clocks(delay)?;
                Ok(self.evaluate(term)?)
            }
        }
    }

    /// Returns the value of an expression for the clocks that code was shown.
    fn evaluate(&mut self, term: &RealTerm) -> Result<f64, Fault> {
        Ok(match term {
            RealTerm::Number(x) => *x,
            RealTerm::Integer(pc) => f64::from(self.machine.value(*pc)?),
            RealTerm::Real(pc) | RealTerm::Timed(pc) => self.machine.real(*pc)?,
            RealTerm::Clock(clock) => {
                let clock = self.clock(*clock)?;
                self.machine.environment.clocks[clock]
            }
            RealTerm::Negation(a) => -self.evaluate(a)?,
            RealTerm::Arith(op, parts) => op.apply(self.evaluate(&parts[0])?, self.evaluate(&parts[1])?, 0.0),
            RealTerm::Choice(condition, parts) => {
                let chosen = usize::from(!self.machine.test(*condition)?);
                self.evaluate(&parts[chosen])?
            }
        })
    }

    /// Returns the value of an expression now, and its rate; `None` if the rate is not constant.
    pub(crate) fn line(&mut self, term: &RealTerm) -> Result<Option<(f64, f64)>, RunFault> {
        Ok(match term {
            RealTerm::Timed(_) => None,
            RealTerm::Clock(clock) => {
                let clock = self.clock(*clock)?;
                self.clock_line(clock)?
            }
            RealTerm::Negation(a) => self.line(a)?.map(|(value, rate)| (-value, -rate)),
            RealTerm::Choice(condition, parts) => {
                let chosen = usize::from(!self.machine.test(*condition)?);
                self.line(&parts[chosen])?
            }
            RealTerm::Arith(op, parts) => {
                let (Some((a, p)), Some((b, q))) = (self.line(&parts[0])?, self.line(&parts[1])?) else {
                    return Ok(None);
                };
                let value = op.apply(a, b, 0.0);
                match *op {
                    RealOp::ADD => Some((value, p + q)),
                    RealOp::SUBTRACT => Some((value, p - q)),
                    RealOp::MULTIPLY if p == 0.0 || q == 0.0 => Some((value, a * q + b * p)),
                    RealOp::DIVIDE if q == 0.0 => Some((value, p / b)),
                    _ => (p == 0.0 && q == 0.0).then_some((value, 0.0)),
                }
            }
            term => Some((self.evaluate(term)?, 0.0)),
        })
    }

    /// Returns the value of a clock now, and its rate, if it is constant.
    pub(crate) fn clock_line(&mut self, clock: usize) -> Result<Option<(f64, f64)>, RunFault> {
        if !self.is_analog(clock) {
            return Ok(Some((self.grid.time(self.clocks[clock]), f64::from(self.rate_of(clock)))));
        }
        if self.motion.is_curved() && self.motion.component[clock].is_some() {
            return Ok(None);
        }
        Ok(Some((self.motion.values[clock], self.motion.slopes[clock])))
    }
}
