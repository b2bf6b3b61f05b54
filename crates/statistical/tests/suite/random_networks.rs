//! Runs of random networks are runs of the model: each is executed again with rational numbers, by
//! an implementation of the semantics that shares nothing with this one but the code of
//! expressions. What it visits is in the state space of the zone engine.

use explore::search::Limits;
use model::{
    Ratio,
    replay::{Execution, Refusal, TimedStep, Trace, Visit, replay},
    simulate::Simulator,
    stochastic::{RunBound, RunMeasure, StochasticSystem},
};
use oracle::random::{self, NetworkFeatures};
use statistical::{Grid, Network, RunFault, Runner};
use verify::{Abstraction, Engine, Options, Request, StateSpace, Symmetry, Target, Verdict};

use crate::common::load;

#[derive(Default)]
struct Seen {
    runs: u64,
    steps: u64,
    locked: u64,
    /// The visited states that were looked up in a state space.
    found: u64,
}

const RUNS: u64 = 4;

fn examine(seed: u64) -> Result<Seen, String> {
    // Where a strict guard enables an urgent synchronisation, there is no first moment in dense
    // time; on the grid there is.
    let features = match seed % 2 {
        0 => NetworkFeatures { strict: false, ..NetworkFeatures::all() },
        _ => NetworkFeatures { urgent_guards: false, ..NetworkFeatures::all() },
    };
    let text = random::network(seed, &features).text();
    let system = load(&text, "Pr[#<=60](<> false)").map_err(|why| format!("{why}\n{text}"))?.0;
    let network = Network::new(&system);
    let bound = RunBound { measure: RunMeasure::Steps, limit: 60.0, runs: None };
    let grid = Grid::new(&network, &[bound]);
    let mut seen = Seen::default();
    let space = state_space(&system);
    for number in 0..RUNS {
        let run = Runner::new(&network, grid).recorded(seed, number, &bound);
        let ratio = |ticks| grid.ratio(ticks).ok_or_else(|| format!("{ticks} does not fit"));
        let mut trace = Trace::default();
        for (delay, edges) in run.steps {
            trace.steps.push(TimedStep { delay: ratio(delay)?, edges });
        }
        trace.last_delay = Some(ratio(run.last_delay)?);
        seen.runs += 1;
        seen.steps += trace.steps.len() as u64;
        match run.problem.map(|problem| problem.fault) {
            Some(RunFault::Initial) => {
                let started = Execution::new(&system.system).err();
                if started != Some(Refusal::Initial) {
                    return Err(format!("the initial state is one: {started:?}\n{text}"));
                }
                continue;
            }
            Some(RunFault::TimeLock) => {
                seen.locked += 1;
                require_lock(&system, &trace, ratio(1)?).map_err(|why| format!("run {number}: {why}\n{text}"))?;
            }
            _ => {}
        }
        let run =
            replay(&system.system, &trace, None).map_err(|why| format!("run {number}: {why:?}\n{trace:?}\n{text}"))?;
        for visit in run.iter().filter(|_| space.is_some()) {
            seen.found += 1;
            if !space.as_ref().is_some_and(|space| contains(space, system.system.identity, visit)) {
                return Err(format!("run {number}: {visit:?} is not reachable\n{text}"));
            }
        }
    }
    Ok(seen)
}

/// Returns all symbolic states, if there are few. Zones are as large as an abstraction makes them,
/// and a state is dropped only if the zone of another one contains its own.
fn state_space(system: &StochasticSystem) -> Option<StateSpace> {
    let options =
        Options { abstraction: Some(Abstraction::ExtraLuPlus), symmetry: Symmetry::Off, ..Options::default() };
    let request = Request {
        system: &system.system,
        target: Target::StateSpace(None),
        engine: Engine::Zones(&options),
        proves: false,
    };
    let limits = Limits { states: Some(3000), ..Limits::default() };
    let answer = request.answers(&limits, &mut ()).pop()?;
    answer.states.filter(|_| answer.verdict == Verdict::Satisfied)
}

/// Returns whether a state is in a state space, when it is entered and when it is left. Meta
/// variables are not part of it.
fn contains(space: &StateSpace, identity: usize, visit: &Visit) -> bool {
    let inside = |clocks: &[Ratio]| {
        let mut same = space.states.iter().filter(|state| state.row[..identity] == visit.state.row[..identity]);
        same.any(|state| {
            state.constraints.iter().all(|c| {
                let difference = clocks[c.left].minus(clocks[c.right]).unwrap();
                let bound = Ratio::from(c.bound);
                difference < bound || difference == bound && !c.strict
            })
        })
    };
    inside(&visit.state.clocks) && inside(&visit.left)
}

/// Checks that nothing is possible after a run, and that time can't pass by a step of the grid.
fn require_lock(system: &StochasticSystem, trace: &Trace, tick: Ratio) -> Result<(), String> {
    let visited = replay(&system.system, trace, None).map_err(|why| format!("{why:?}"))?;
    let last = visited.last().ok_or("no state")?.end();
    let situation = Simulator::new(&system.system).situation(&last).map_err(|why| format!("{why:?}"))?;
    let acts = situation.choices.iter().any(|choice| choice.delays.contains(Ratio::ZERO));
    let waits = situation.wait.contains(tick);
    if acts || waits { Err(format!("this is no time-lock: {situation:?}")) } else { Ok(()) }
}

#[test]
fn runs_are_runs_of_the_model() {
    let seen = oracle::campaign(300, examine, |all: &mut Seen, new| {
        all.runs += new.runs;
        all.steps += new.steps;
        all.locked += new.locked;
        all.found += new.found;
    });
    println!("{} runs, {} steps, {} states looked up, {} time-locks", seen.runs, seen.steps, seen.found, seen.locked);
    assert!(seen.steps >= oracle::expected(3000, 300), "only {} steps of {} runs", seen.steps, seen.runs);
    assert!(seen.found >= oracle::expected(1000, 300), "only {} states were looked up", seen.found);
    assert!(seen.locked >= oracle::expected(20, 300), "only {} time-locks", seen.locked);
}
