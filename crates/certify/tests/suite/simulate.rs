//! Random walks through random networks. The simulator offers exactly the transitions that the
//! rules of this crate allow, and its runs are runs of the model.

use std::collections::BTreeSet;

use certify::possible;
use model::{
    Ratio, System,
    replay::{self, ConcreteState, TimedStep, Trace},
    simulate::{Delays, Simulator, Situation},
    system::EdgeId,
};
use oracle::random::{self, Rng};

/// The length of a walk.
const STEPS: usize = 12;

fn cases() -> u64 {
    std::env::var("MERKHET_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Returns moments to check: the bounds of all sets of delays, integers that may reveal what the
/// simulator misses, a moment between each two of them, and one after all.
fn moments(situation: &Situation) -> Vec<Ratio> {
    let wait = Delays::from(situation.wait);
    let sets = situation.choices.iter().map(|c| &c.delays).chain(situation.failures.iter().map(|f| &f.delays));
    let intervals = sets.chain([&wait]).flat_map(|d| d.intervals().to_vec());
    let cuts = intervals.flat_map(|i| [Some(i.from), i.to]).flatten();
    let mut ends: Vec<Ratio> = cuts.map(|cut| cut.at).chain((0..8).map(Ratio::from)).collect();
    ends.sort_unstable();
    ends.dedup();
    let last = *ends.last().unwrap();
    let between = ends.windows(2).map(|pair| pair[0].middle(pair[1]).unwrap()).collect::<Vec<_>>();
    ends.extend(between);
    ends.push(last.plus(Ratio::from(1)).unwrap());
    ends
}

#[derive(Debug, Default)]
struct Seen {
    states: usize,
    moments: usize,
    possible: usize,
    failing: usize,
    fatal: usize,
    /// Sets of delays with holes.
    split: usize,
    /// Moments that no delay reaches.
    never: usize,
}

/// Compares the simulator's description of a state with the rules.
fn compare(system: &System, state: &ConcreteState, situation: &Situation, seen: &mut Seen) -> Result<(), String> {
    seen.states += 1;
    seen.split += situation.choices.iter().filter(|c| c.delays.intervals().len() > 1).count();
    for moment in moments(situation) {
        let then = match Simulator::new(system).wait(state, moment) {
            Ok(then) => then,
            Err(_) if !situation.wait.contains(moment) => {
                seen.never += 1;
                let later = situation.choices.iter().any(|c| c.delays.contains(moment));
                if later {
                    return Err(format!("a transition is enabled after {moment}, which no delay reaches"));
                }
                continue;
            }
            Err(why) => return Err(format!("a delay of {moment} should be possible: {why:?}")),
        };
        if !situation.wait.contains(moment) {
            return Err(format!("a delay of {moment} should not be possible"));
        }
        seen.moments += 1;
        let fatal = situation.failures.iter().any(|f| f.fatal && f.delays.contains(moment));
        let truth = match possible(system, &then) {
            Ok(truth) if !fatal => truth,
            Err(_) if fatal => {
                seen.fatal += 1;
                continue;
            }
            other => return Err(format!("after {moment}: {other:?}, but {:?}", situation.failures)),
        };
        let (fine, failing): (Vec<_>, Vec<_>) = truth.into_iter().partition(Result::is_ok);
        let fine: BTreeSet<Vec<EdgeId>> = fine.into_iter().flatten().collect();
        let failing: BTreeSet<Vec<EdgeId>> = failing.into_iter().filter_map(Result::err).map(|f| f.edges).collect();
        let choices = situation.choices.iter().filter(|c| c.delays.contains(moment));
        let shown: BTreeSet<Vec<EdgeId>> = choices.map(|c| c.edges.clone()).collect();
        if fine != shown {
            return Err(format!("after {moment} {fine:?} are enabled, not {shown:?}"));
        }
        let failures = situation.failures.iter().filter(|f| !f.fatal && f.delays.contains(moment));
        let shown: BTreeSet<Vec<EdgeId>> = failures.map(|f| f.edges.clone()).collect();
        if failing != shown {
            return Err(format!("after {moment} {failing:?} fail, not {shown:?}"));
        }
        seen.possible += fine.len();
        seen.failing += failing.len();
    }
    Ok(())
}

/// Returns one of the moments at which a choice is enabled.
fn moment(delays: &Delays, situation: &Situation, rng: &mut Rng) -> Ratio {
    let fitting: Vec<Ratio> = moments(situation).into_iter().filter(|m| delays.contains(*m)).collect();
    *rng.pick(&fitting)
}

fn walk(system: &System, rng: &mut Rng, seen: &mut Seen) -> Result<(), String> {
    let mut simulator = Simulator::new(system);
    let Ok(mut state) = simulator.start() else { return Ok(()) };
    let mut trace = Trace::default();
    for _ in 0..STEPS {
        let Ok(situation) = simulator.situation(&state) else { break };
        compare(system, &state, &situation, seen).map_err(|why| format!("{trace:?}\n{state:?}\n{why}"))?;
        if situation.choices.is_empty() {
            break;
        }
        let choice = rng.pick(&situation.choices);
        let delay = moment(&choice.delays, &situation, rng);
        let before = simulator.wait(&state, delay).map_err(|why| format!("{trace:?}\nwait {delay}: {why:?}"))?;
        state = simulator.take(&before, &choice.edges).map_err(|why| format!("{trace:?}\n{choice:?}: {why:?}"))?;
        trace.steps.push(TimedStep { delay, edges: choice.edges.clone() });
    }
    let run = replay::replay(system, &trace, None).map_err(|why| format!("{trace:?}\n{why:?}"))?;
    if run.last().map(|visit| &visit.state) == Some(&state) {
        Ok(())
    } else {
        Err(format!("{trace:?}\nends in another state"))
    }
}

#[test]
fn the_simulator_shows_exactly_the_enabled_transitions() {
    let (mut seen, mut wrong) = (Seen::default(), Vec::new());
    let everything = random::NetworkFeatures { stopwatches: true, faults: true, ..random::NetworkFeatures::all() };
    for seed in oracle::seeds(0..cases()) {
        let mut rng = Rng::new(seed ^ 0x51d);
        let options = if seed % 2 == 0 { everything.clone() } else { everything.some(&mut rng) };
        let text = random::network(seed, &options).text();
        let loaded = oracle::load::<&str>(&text, &[]).unwrap();
        for _ in 0..3 {
            if let Err(why) = walk(&loaded.system, &mut rng, &mut seen) {
                wrong.push(format!("seed {seed}\n{text}\n{why}"));
            }
        }
    }
    println!("{seen:?}");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.iter().min_by_key(|w| w.len()).unwrap());
    let Seen { states, moments, possible, failing, split, never, .. } = seen;
    assert!([states, moments, possible, failing, split, never].iter().all(|n| *n > 0));
}
