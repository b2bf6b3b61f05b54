//! Runs of random networks are runs of the model: each is executed again with rational numbers, by
//! an implementation of the semantics that shares nothing with this one but the code of
//! expressions.

use model::{
    Ratio,
    replay::{Execution, Refusal, TimedStep, Trace, replay},
    simulate::Simulator,
    stochastic::{RunBound, RunMeasure, StochasticSystem},
};
use oracle::random::{self, NetworkFeatures};
use statistical::{Grid, Network, RunFault, Runner};

use crate::common::load;

#[derive(Default)]
struct Seen {
    runs: u64,
    steps: u64,
    locked: u64,
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
        replay(&system.system, &trace, None).map_err(|why| format!("run {number}: {why:?}\n{trace:?}\n{text}"))?;
    }
    Ok(seen)
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
    });
    assert!(seen.steps >= oracle::expected(3000, 300), "only {} steps of {} runs", seen.steps, seen.runs);
    assert!(seen.locked >= oracle::expected(20, 300), "only {} time-locks", seen.locked);
}
