//! Rare events: importance splitting with fixed effort.
//!
//! Runs are made in stages. In the first one they start in the initial state, and end when they
//! reach the first level, a set of states that seem nearer to the goal. In the next one as many
//! runs start in the states in which these have ended, and so on; in the last stage runs end in the
//! goal. The product of the shares of runs that come through each stage is an estimate of the
//! probability of the goal, and it is unbiased, whatever the levels are (M. J. J. Garvels, "The
//! splitting method in rare event simulation", thesis, Twente 2000, section 2.3; P. L'Ecuyer,
//! V. Demers and B. Tuffin, "Rare events, splitting, and quasi-Monte Carlo", ACM TOMACS 17(2),
//! 2007). Levels only decide how far estimates scatter.
//!
//! All is done [`REPLICATIONS`] times, with random numbers of their own, and the interval is that
//! for the mean of these independent estimates, which are skewed ([`Mean::skewed_interval`]).
//! Levels are chosen by runs before, which do not count: after each level, the next one is the
//! farthest that enough runs reach (as in adaptive multilevel splitting: F. Cérou and A. Guyader,
//! Stoch. Anal. Appl. 25, 2007).
//!
//! All processes draw their delays again after each transition, so a run that goes on from the
//! state after a transition, with other random numbers, has the distribution of one that was never
//! interrupted.

use std::sync::{Mutex, PoisonError};

use explore::cluster::{FlatReader, FlatWriter, Malformed};
use model::{
    random::RunRandom,
    stochastic::{Measurement, PathGoal, PathProperty, RealTerm, StochasticSystem},
};

use crate::{
    ask::{Findings, Measured, Settings, Share, ask, network},
    grid::{Grid, Ticks},
    interval::Confidence,
    mean::Mean,
    problem::{RunFault, RunProblem},
    run::Runner,
    sent::Sent,
    state::{RunState, StateCopy},
    watch::{PathWatch, Watch},
    work::{Amount, make_runs},
};

/// The number of independent estimates.
pub(crate) const REPLICATIONS: u64 = 32;
/// The number of runs of all stages of all estimates together, if neither the query nor an option
/// says it.
const RUNS: u64 = 100_000;
/// The most levels.
const MOST_LEVELS: usize = 100;
/// The share of runs that should reach the next level.
const PASSING: f64 = 0.15;
/// The fewest runs of a stage. If there are not enough for all levels, some are left out.
const LEAST_EFFORT: u64 = 4;
/// The fewest and the most runs by which a level is chosen.
const PILOT: (u64, u64) = (50, 1000);

/// How near states are to the goal, as a number that grows towards it.
#[derive(Clone, Copy)]
pub enum Importance<'a> {
    /// An expression without clocks, in the code of the query.
    Expression(&'a RealTerm),
    /// A function of the row. Each thread makes its own.
    Function(&'a (dyn Fn() -> RowImportance<'a> + Sync)),
}

/// How near a state with a row is to the goal.
pub type RowImportance<'a> = Box<dyn FnMut(&[i32]) -> i64 + Send + 'a>;

/// What was found by splitting.
#[derive(Clone, Debug, PartialEq)]
pub struct Splitting {
    /// The independent estimates of the probability of the property.
    pub mean: Mean,
    /// The interval for the probability.
    pub interval: Confidence,
    /// Where runs were split: in states that are at least that near to the goal.
    pub levels: Vec<i64>,
    /// The number of runs of all stages, and of those that chose the levels.
    pub runs: u64,
}

/// Estimates the probability of a rare event: the goal of a property, or its violation if it is
/// that nothing happens.
///
/// # Errors
/// A run can't go on.
pub fn split<'a>(
    system: &StochasticSystem,
    path: &'a PathProperty,
    settings: &Settings,
    importance: Importance<'a>,
) -> Result<Findings, RunProblem> {
    if matches!(path.path, PathGoal::Timed(_)) {
        // What has been before counts too, which a copy of a state does not have.
        return ask(system, &Measurement::Probability(path.clone()), settings);
    }
    let network = &network(system, settings);
    let grid = Grid::new(network, &[path.bound]);
    let all = path.bound.runs.or(settings.runs).unwrap_or(RUNS);
    let pool = Mutex::new(Vec::new());
    let stages = Stages { path, seed: settings.seed, importance, pool: &pool };
    // Half of the runs are for the estimates, whatever the levels cost.
    let mut pilot = Pilot { most: all / 2, ..Pilot::default() };
    let effort = (all / 50).clamp(PILOT.0, PILOT.1).min(all / 8).max(1);
    let chosen = pilot.explore(&stages, &mut Runner::new(network, grid), effort);
    let mut stopped = match chosen {
        Ok(()) => None,
        Err(RunProblem { fault: RunFault::Stopped(stop), .. }) => Some(stop),
        Err(problem) => return Err(problem),
    };
    let Pilot { mut work, levels, .. } = pilot;
    let left = all.saturating_sub(work.runs) / REPLICATIONS;
    let levels = thinned(levels, (left / LEAST_EFFORT).saturating_sub(1) as usize);
    let effort = (left / (levels.len() as u64 + 1)).max(1);
    let (mut mean, mut first) = (Mean::default(), (0, 0));
    if stopped.is_none() {
        stopped = make_runs(
            network,
            grid,
            Amount { at_once: 1, ..Amount::of(settings, REPLICATIONS) },
            |runner, number| stages.replicate(runner, &levels, (number, effort)),
            |_, replication: Replication| {
                mean.add(replication.estimate);
                first = (first.0 + replication.passed_first.min(effort), first.1 + effort);
                work.add(replication.work);
                true
            },
        )?;
    }
    let mut interval = match mean.skewed_interval(settings.alpha) {
        Some((low, high)) if mean.mean() > 0.0 => Confidence { low: low.max(0.0), high: high.min(1.0) },
        // No run was in the goal. It is at most as likely as the first level.
        _ => Confidence { low: 0.0, high: Share::new(first.0, first.1, settings.alpha).interval.high },
    };
    if matches!(path.path, PathGoal::Never(_)) {
        interval = Confidence { low: 1.0 - interval.high, high: 1.0 - interval.low };
        mean = mean.complement();
    }
    let measured = Measured::Splitting(Splitting { mean, interval, levels, runs: work.runs });
    Ok(Findings { stopped, steps: work.steps, ..Findings::of(measured) })
}

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    runs: u64,
    steps: u64,
}

impl Effort {
    fn add(&mut self, other: Effort) {
        (self.runs, self.steps) = (self.runs + other.runs, self.steps + other.steps);
    }
}

/// Where a run starts.
#[derive(Clone)]
enum Start {
    /// In the initial state.
    Initial,
    /// In a state in which another one has ended.
    State(StateCopy),
    /// In the goal: it is over.
    Goal,
}

/// How a run has ended.
struct Ended {
    /// Where the next stage goes on, if it came so far.
    entry: Option<Start>,
    /// The nearest state to the goal.
    nearest: i64,
}

/// One estimate.
struct Replication {
    estimate: f64,
    /// The number of runs that came through the first stage.
    passed_first: u64,
    work: Effort,
}

impl Sent for Replication {
    fn write(&self, out: &mut FlatWriter) {
        let Effort { runs, steps } = self.work;
        ((self.estimate, self.passed_first), (runs, steps)).write(out);
    }

    fn read(from: &mut FlatReader<'_>) -> Result<Replication, Malformed> {
        let ((estimate, passed_first), (runs, steps)) = Sent::read(from)?;
        Ok(Replication { estimate, passed_first, work: Effort { runs, steps } })
    }
}

/// What all stages have in common.
struct Stages<'s, 'p> {
    path: &'s PathProperty,
    seed: u64,
    importance: Importance<'s>,
    /// Functions that no thread uses at the moment.
    pool: &'p Mutex<Vec<RowImportance<'s>>>,
}

impl<'s> Stages<'s, '_> {
    /// Returns the seed of a replication; 0 is the choice of levels. No two seeds and replications
    /// share random numbers, nor do they with plain runs of the same seed.
    fn seed(&self, replication: u64) -> u64 {
        // The finisher of SplitMix64, which is a bijection.
        let mut z = self.seed.wrapping_add((replication + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Lets a function work on the importance of states.
    fn with_rank<T>(&self, work: impl FnOnce(&mut Rank<'s>) -> T) -> T {
        let pool = || self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rank = match self.importance {
            Importance::Expression(term) => Rank::Expression(term),
            Importance::Function(make) => {
                let free = pool().pop();
                Rank::Function(free.unwrap_or_else(make))
            }
        };
        let done = work(&mut rank);
        if let Rank::Function(function) = rank {
            pool().push(function);
        }
        done
    }

    /// Makes a run of a stage.
    fn run(
        &self,
        runner: &mut Runner<'_>,
        rank: &mut Rank<'_>,
        (numbers, from): ((u64, u64), &Start),
        (gate, work): (Option<i64>, &mut Effort),
    ) -> Result<Ended, RunProblem> {
        let start = match from {
            Start::Goal => return Ok(Ended { entry: Some(Start::Goal), nearest: i64::MAX }),
            Start::Initial => None,
            Start::State(copy) => Some(copy),
        };
        let mut watch =
            LevelWatch { path: PathWatch::new(self.path), rank, gate, seen: None, nearest: i64::MIN, reached: None };
        let steps = runner.run_from(start, numbers, &self.path.bound, &mut watch)?;
        work.add(Effort { runs: 1, steps: steps - start.map_or(0, |copy| copy.steps) });
        let is_in_goal =
            watch.path.decided.is_some() && watch.path.holds != matches!(self.path.path, PathGoal::Never(_));
        let entry = match watch.reached {
            Some(copy) => Some(Start::State(copy)),
            None => is_in_goal.then_some(Start::Goal),
        };
        Ok(Ended { entry, nearest: if is_in_goal { i64::MAX } else { watch.nearest } })
    }

    /// Makes one estimate.
    fn replicate(
        &self,
        runner: &mut Runner<'_>,
        levels: &[i64],
        (number, effort): (u64, u64),
    ) -> Result<Replication, RunProblem> {
        self.with_rank(|rank| {
            let seed = self.seed(number + 1);
            let mut made = Replication { estimate: 1.0, passed_first: 0, work: Effort::default() };
            let mut entries = vec![Start::Initial];
            for stage in 0..=levels.len() {
                // Each entry is used as often as others, and who is used once more is chosen by
                // lot.
                let shift = RunRandom::new(seed, stream(stage, LOT)).below(entries.len() as u64);
                let mut passed = Vec::new();
                for run in 0..effort {
                    let from = &entries[((run + shift) % entries.len() as u64) as usize];
                    let numbers = (seed, stream(stage, run));
                    let gate = levels.get(stage).copied();
                    passed.extend(self.run(runner, rank, (numbers, from), (gate, &mut made.work))?.entry);
                }
                made.estimate *= passed.len() as f64 / effort as f64;
                if stage == 0 {
                    made.passed_first = passed.len() as u64;
                }
                if passed.is_empty() {
                    break;
                }
                entries = passed;
            }
            Ok(made)
        })
    }
}

/// The number of a stream of random numbers that no run has.
const LOT: u64 = (1 << 40) - 1;

/// Returns the number of the random numbers of a run.
fn stream(stage: usize, run: u64) -> u64 {
    (stage as u64) << 40 | run.min(LOT)
}

/// Chooses levels.
#[derive(Default)]
struct Pilot {
    /// The most runs.
    most: u64,
    work: Effort,
    levels: Vec<i64>,
}

impl Pilot {
    fn explore(&mut self, stages: &Stages<'_, '_>, runner: &mut Runner<'_>, effort: u64) -> Result<(), RunProblem> {
        stages.with_rank(|rank| {
            let mut entries = vec![Start::Initial];
            for stage in 0..MOST_LEVELS {
                // Runs that reach the next level are made twice.
                if self.work.runs + 2 * effort > self.most {
                    return Ok(());
                }
                let mut nearest = Vec::new();
                let mut run = |number: u64, gate, work: &mut Effort| {
                    let from = &entries[(number % entries.len() as u64) as usize];
                    let numbers = (stages.seed(0), stream(stage, number));
                    stages.run(runner, rank, (numbers, from), (gate, work))
                };
                for number in 0..effort {
                    nearest.push(run(number, None, &mut self.work)?.nearest);
                }
                let Some(level) = next_level(&nearest, self.levels.last().copied()) else { return Ok(()) };
                // The same runs again, up to that level.
                let mut next = Vec::new();
                for (number, nearest) in nearest.iter().enumerate() {
                    if *nearest >= level {
                        next.extend(run(number as u64, Some(level), &mut self.work)?.entry);
                    }
                }
                next.retain(|entry| matches!(entry, Start::State(_)));
                if next.is_empty() {
                    return Ok(());
                }
                self.levels.push(level);
                entries = next;
            }
            Ok(())
        })
    }
}

/// Returns so many of some levels, at equal distances.
fn thinned(levels: Vec<i64>, most: usize) -> Vec<i64> {
    if levels.len() <= most {
        return levels;
    }
    (1..=most).map(|i| levels[i * levels.len() / (most + 1)]).collect()
}

/// Returns the next level after `last`, by how near runs came to the goal: the farthest that enough
/// of them reach, or else the first one. `None`: the goal is next.
fn next_level(nearest: &[i64], last: Option<i64>) -> Option<i64> {
    let enough = (PASSING * nearest.len() as f64).ceil().max(1.0) as usize;
    let mut reached: Vec<i64> = nearest.to_vec();
    reached.sort_unstable_by(|a, b| b.cmp(a));
    let beyond = |level: &i64| *level < i64::MAX && *level > i64::MIN && last.is_none_or(|last| *level > last);
    if reached[enough - 1] == i64::MAX {
        return None;
    }
    // Where runs start is no level of its own: all reach it.
    let least = reached.last().copied();
    let mut levels = reached.iter().copied().enumerate().filter(|(_, level)| beyond(level) && Some(*level) != least);
    let (common, rare): (Vec<_>, Vec<_>) = levels.by_ref().partition(|(before, _)| *before + 1 >= enough);
    common.first().or(rare.last()).map(|(_, level)| *level)
}

/// What says how near a state is.
enum Rank<'s> {
    Expression(&'s RealTerm),
    Function(RowImportance<'s>),
}

impl Rank<'_> {
    fn of(&mut self, state: &mut RunState<'_>) -> Result<i64, RunFault> {
        Ok(match self {
            // What is not a number is as far as can be.
            Rank::Expression(term) => state.value(term, 0)?.max(i64::MIN as f64).floor() as i64,
            Rank::Function(function) => function(state.machine.row()),
        })
    }
}

/// Ends a run at a level, or in the goal.
struct LevelWatch<'w, 's> {
    path: PathWatch<'w>,
    rank: &'w mut Rank<'s>,
    gate: Option<i64>,
    /// The number of transitions before the state that was looked at last.
    seen: Option<u64>,
    nearest: i64,
    reached: Option<StateCopy>,
}

impl Watch for LevelWatch<'_, '_> {
    fn look(&mut self, state: &mut RunState<'_>, delay: Option<Ticks>) -> Result<bool, RunFault> {
        // Whether a level is reached does not depend on the delay that was drawn in this state, so
        // that another one may be drawn when the next stage starts here.
        if self.seen != Some(state.steps) {
            self.seen = Some(state.steps);
            let level = self.rank.of(state)?;
            if self.gate.is_some_and(|gate| level >= gate) {
                self.reached = Some(state.copy());
                return Ok(true);
            }
            self.nearest = self.nearest.max(level);
        }
        self.path.look(state, delay)
    }
}

#[cfg(test)]
mod tests {
    use super::next_level;

    #[test]
    fn levels_are_as_far_as_enough_runs_come() {
        // 4 of 20 reach 2, and 2 reach 3, which are too few.
        let nearest = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3];
        assert_eq!(next_level(&nearest, None), Some(2));
        // From 2 on, 3 is the next one, however few reach it.
        assert_eq!(next_level(&nearest, Some(2)), Some(3));
        assert_eq!(next_level(&nearest, Some(3)), None);
        // All are alike, so that no level helps; or enough are in the goal already.
        assert_eq!(next_level(&[5; 10], None), None);
        assert_eq!(next_level(&[0, 0, 0, 1, i64::MAX], None), None);
        assert_eq!(next_level(&[i64::MIN, i64::MIN, i64::MIN, 7], None), Some(7));
    }
}
