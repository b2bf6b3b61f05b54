//! Runs that can't go on.

use model::{
    Stop, System,
    machine::{Fault, FaultKind},
    system::{ClockId, EdgeId, LocationId},
};

/// Why a run can't go on.
#[derive(Clone, Debug, PartialEq)]
pub enum RunFault {
    /// The model does something illegal.
    Model(Fault),
    /// The initial state violates an invariant.
    Initial,
    /// Time may not pass, and no transition is possible.
    TimeLock,
    /// So many transitions were taken without time passing.
    Zeno(u64),
    /// So many transitions were taken while the clock that bounds the run did not grow.
    Endless(u64),
    /// All branches of an edge have the weight 0.
    NoBranch(EdgeId),
    /// The weight of an edge is negative or not a number.
    Weight(EdgeId, f64),
    /// The rate of a location is not a positive number.
    Rate(LocationId, f64),
    /// A moment or the value of a clock is too large.
    TooLate,
    /// So many attempts to move were vain since the last transition.
    Vain(u64),
    /// The rate of a clock is not a finite number.
    ClockRate(ClockId, f64),
    /// Two processes give a clock different rates.
    TwoRates(ClockId, f64, f64),
    /// A process gives a clock a rate that depends on clocks, and another one gives it one too.
    TwoEquations(ClockId),
    /// The value of a clock is not a finite number.
    ClockValue(ClockId, f64),
    /// A solution of differential equations changes too fast to be followed.
    TooFast,
    /// There are too many transitions from one state.
    TooMany,
    /// The computation was stopped.
    Stopped(Stop),
}

impl From<Fault> for RunFault {
    fn from(fault: Fault) -> RunFault {
        match fault.kind {
            FaultKind::Stopped(stop) => RunFault::Stopped(stop),
            _ => RunFault::Model(fault),
        }
    }
}

impl RunFault {
    /// Describes it, with names.
    #[must_use]
    pub fn describe(&self, system: &System) -> String {
        let edge = |e: EdgeId| {
            let edge = &system.edges[e.0 as usize];
            let name = |l: LocationId| &system.locations[l.0 as usize].name;
            let process = &system.processes[edge.process.0 as usize].name;
            format!("the edge {process}.{} -> {}", name(edge.source), name(edge.target))
        };
        let clock_name = |clock: ClockId| system.clocks.get(clock.0 as usize).map_or("a clock", |c| &c.name);
        match self {
            RunFault::Model(fault) => system.explain(fault),
            RunFault::Initial => "the initial state violates an invariant".to_owned(),
            RunFault::TimeLock => "time-lock: time may not pass, and no transition is possible".to_owned(),
            RunFault::Zeno(count) => format!("Zeno run: {count} transitions without any time passing"),
            RunFault::Endless(count) => {
                format!("the clock that bounds the run did not grow during {count} transitions")
            }
            RunFault::NoBranch(e) => format!("all branches of {} have the weight 0", edge(*e)),
            RunFault::Weight(e, weight) => format!("{} has the weight {weight}", edge(*e)),
            RunFault::Rate(location, rate) => {
                let location = &system.locations[location.0 as usize];
                let process = &system.processes[location.process.0 as usize].name;
                // Whoever writes `1/10` does not mean 0.
                let why =
                    if *rate == 0.0 { " (as fractions of integers are below 1; write `1:10` for a tenth)" } else { "" };
                format!("the rate of {process}.{} is {rate}{why}, which is not a positive number", location.name)
            }
            RunFault::TooLate => "a moment or the value of a clock is too large".to_owned(),
            RunFault::Vain(count) => {
                format!(
                    "{count} attempts to take a transition were vain: the states after all of them violate invariants"
                )
            }
            RunFault::ClockRate(clock, rate) => format!("the rate of {} is {rate}", clock_name(*clock)),
            RunFault::TwoRates(clock, one, other) => {
                format!("{} has the rates {one} and {other} at the same time", clock_name(*clock))
            }
            RunFault::TwoEquations(clock) => {
                format!("two processes give {} a rate at the same time", clock_name(*clock))
            }
            RunFault::ClockValue(clock, value) => {
                format!("the value of {} grows beyond all bounds: it is {value}", clock_name(*clock))
            }
            RunFault::TooFast => {
                "the differential equations have no solution that can be followed: rates change too fast".to_owned()
            }
            RunFault::TooMany => "too many transitions are possible in one state".to_owned(),
            RunFault::Stopped(stop) => stop.to_string(),
        }
    }
}

/// A run that can't go on, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProblem {
    /// The number of the run.
    pub run: u64,
    /// Why.
    pub fault: RunFault,
    /// The time until then, in time units.
    pub time: f64,
    /// The number of transitions until then.
    pub steps: u64,
    /// The last transitions, each with its moment.
    pub last: Vec<(f64, Vec<EdgeId>)>,
}

impl RunProblem {
    /// Describes it, with names and the end of the run.
    #[must_use]
    pub fn describe(&self, system: &System) -> String {
        let RunProblem { run, fault, time, steps, last } = self;
        let mut text = format!("{}, in run {run} at time {time} after {steps} transitions", fault.describe(system));
        for (i, (at, edges)) in last.iter().enumerate() {
            let taken: Vec<String> = edges
                .iter()
                .map(|e| {
                    let edge = &system.edges[e.0 as usize];
                    let name = |l: LocationId| &system.locations[l.0 as usize].name;
                    let process = &system.processes[edge.process.0 as usize].name;
                    format!("{process}.{} -> {}", name(edge.source), name(edge.target))
                })
                .collect();
            text.push_str(if i == 0 { "; the last were " } else { ", then " });
            text.push_str(&format!("{} at {at}", taken.join(" with ")));
        }
        text
    }
}
